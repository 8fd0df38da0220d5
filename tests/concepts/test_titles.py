"""Titles are short, readable and distinct, and claim nothing that is not known."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from storyscope.concepts import Detections, title_stories
from storyscope.concepts.phrases import plain_phrases
from storyscope.core import Span, Story, Transcript, Word
from storyscope.core.language import stop_words
from storyscope.transcripts import transcript_of_cues

NARRATION = (
    "In the far north of Canada, a polar bear waits beside a hole in the sea ice. She has two cubs "
    "to feed. Polar bears can smell a seal from a mile away. The seal must come up to breathe.",
    "A thousand miles south, the great forest is waking up. Lynx tracks cross the snow. The lynx "
    "hunts alone, and the hare knows it. Snowshoe hares turn white in winter.",
    "On the coast of Patagonia, sea lions gather on the beach. Killer whales patrol the shallows. "
    "A young sea lion does not see the whale until it is too late.",
    "Now Dr. Helen Marsh counts penguins. We count them twice a day, she says. The penguins do not "
    "mind. Helen has worked on this island for nine years.",
    "So where do we go from here? Well, I think it's really up to us.",
)


def narrated(texts, seconds=20.0):
    """Stories of one shot each, with the words of each text spread evenly over its story."""
    stories = [
        Story(f"film/{i}", "film", range(i, i + 1), Span(i * seconds, (i + 1) * seconds))
        for i in range(len(texts))
    ]
    cues = [(i * seconds, (i + 1) * seconds, text) for i, text in enumerate(texts)]
    return stories, transcript_of_cues(cues, language="en")


def test_a_story_is_named_by_what_sets_it_apart():
    stories, transcript = narrated(NARRATION)
    titles = [title for title, *_ in title_stories(stories, transcript=transcript)]
    for title, wanted in zip(titles, ["Polar bear", "hare", "Sea lion", "Penguin"], strict=False):
        assert wanted.lower() in title.lower()
    assert titles[4] == "Story 5"


def test_names_keep_their_capitals_and_other_words_lose_them():
    stories, transcript = narrated(NARRATION)
    keywords = {
        word for _, words, _ in title_stories(stories, transcript=transcript) for word in words
    }
    assert {"Canada", "Patagonia", "Dr Helen Marsh", "penguins"} <= keywords


def test_captions_in_capitals_give_titles_in_lower_case():
    stories, transcript = narrated([text.upper() for text in NARRATION])
    title, keywords, _ = title_stories(stories, transcript=transcript)[2]
    assert title.startswith("Sea lions")
    assert "killer whales" in keywords


def test_no_keyword_is_a_stop_word():
    stories, transcript = narrated(NARRATION)
    for _, keywords, _ in title_stories(stories, transcript=transcript):
        assert not stop_words("en").intersection(keywords)


def test_stories_with_the_same_words_have_distinct_titles():
    stories, transcript = narrated(["The penguins swim.", "A penguin swims.", "The penguins walk."])
    titles = [title for title, *_ in title_stories(stories, transcript=transcript)]
    assert titles == ["Penguins", "Penguin (2)", "Penguins (3)"]


def shown(rows, names=("seashore", "sandbar", "brown bear", "volcano")):
    stories = [
        Story(f"film/{i}", "film", range(i, i + 1), Span(i * 5.0, i * 5.0 + 5))
        for i in range(len(rows))
    ]
    return stories, Detections(names, np.array(rows))


def test_without_words_a_story_is_named_by_what_is_seen():
    stories, seen = shown([[0.8, 0.7, 0.0, 0.0], [0.0, 0.0, 0.9, 0.02], [0.0, 0.0, 0.0, 0.01]])
    titles = title_stories(stories, seen=seen)
    assert titles[0] == ("Seashore, sandbar", ("seashore", "sandbar"), "")
    assert titles[1] == ("Brown bear", ("brown bear",), "")
    assert titles[2] == ("Story 3", (), "")


def test_a_sight_that_is_likely_not_there_names_no_story():
    stories, seen = shown([[0.45, 0.3, 0.0, 0.0], [0.0, 0.0, 0.9, 0.1], [0.2, 0.2, 0.2, 0.2]])
    first, second, third = title_stories(stories, seen=seen)
    assert first == ("Story 1", (), "")
    assert second == ("Brown bear", ("brown bear",), "")
    assert third == ("Story 3", (), "")


def test_a_second_network_decides_which_sights_are_right():
    stories, seen = shown([[0.75, 0.0, 0.0, 0.0], [0.0, 0.0, 0.3, 0.0], [0.0, 0.0, 0.0, 0.9]])
    alone = [title for title, *_ in title_stories(stories, seen=seen)]
    assert alone == ["Seashore", "Story 2", "Volcano"]
    stands_out = {"seashore": -0.5, "brown bear": 3.5}

    def ask(story, names):
        return None if story is stories[2] else [stands_out[name] for name in names]

    first, second, third = title_stories(stories, seen=seen, ask=ask)
    assert first == ("Story 1", (), "")
    assert second == ("Brown bear", ("brown bear",), "")
    assert third == ("Volcano", ("volcano",), "")


def test_a_sight_that_is_everywhere_names_no_story():
    stories, seen = shown([[0.8, 0.0, 0.7, 0.0], [0.8, 0.0, 0.0, 0.7], [0.8, 0.7, 0.0, 0.0]])
    titles = [title for title, *_ in title_stories(stories, seen=seen)]
    assert [title.split(",")[0] for title in titles] == ["Brown bear", "Volcano", "Sandbar"]


def test_what_is_both_said_and_seen_comes_first():
    stories, transcript = narrated(
        ["The bear and the seal and the whale.", "The boat and the harbour."]
    )
    names = ("grey whale", "speedboat")
    seen = Detections(names, np.array([[0.8, 0.0], [0.0, 0.8]]))
    assert title_stories(stories, transcript=transcript)[0].title.startswith("Bear")
    both = title_stories(stories, transcript=transcript, seen=seen)
    assert both[0].title.startswith("Whale")
    assert "speedboat" in both[1].keywords


def test_a_short_story_is_named_by_what_most_of_it_is_about():
    fiery = {"volcano", "lava", "ash", "eruption"}

    def embed(texts):
        """Word vectors with two directions: fire, and everything else."""
        words = [[word.strip(".,").lower() for word in text.split()] for text in texts]
        hot = [sum(word in fiery for word in each) for each in words]
        return np.array([[h, 0.2 * (len(each) - h)] for h, each in zip(hot, words, strict=True)])

    stories, transcript = narrated(
        ["The ground and the volcano, the lava and the ash of the eruption.", "The boat. The sea."]
    )
    assert title_stories(stories, transcript=transcript)[0].title == "Ground, volcano"
    better = title_stories(stories, transcript=transcript, embed=embed)
    assert better[0].title == "Volcano, lava"
    assert set(better[0].keywords) == {"ground", *fiery}


def test_words_on_the_screen_can_name_a_story():
    stories, _ = narrated(["", ""])
    line = [Word(text, Span(21.0, 24.0)) for text in ("THE", "FROZEN", "PLANET")]
    screen = Transcript(tuple(line), source="screen")
    titles = title_stories(stories, screen=screen)
    assert titles[0].title == "Story 1"
    assert titles[1].title.lower() == "frozen planet"


def test_other_languages_are_named_in_their_own_words():
    stories, transcript = narrated(
        [
            "Der Eisbär wartet auf dem Eis. Der Eisbär hat zwei Junge und sie sind hungrig.",
            "Die Pinguine sind nicht auf dem Eis, sie sind auf der Insel. Die Pinguine tauchen.",
        ]
    )
    assert transcript.language == "de"
    titles = [title for title, *_ in title_stories(stories, transcript=transcript)]
    assert "Eisbär" in titles[0]
    assert "Pinguine" in titles[1]


def test_the_summary_is_the_sentence_that_says_most_of_what_the_rest_says():
    stories, transcript = narrated(
        [
            "It was a fine day. A polar bear can smell a seal under the ice from a mile "
            "away. The seal hides under the ice when the polar bear is near. Nobody knows why.",
            "Only one sentence is spoken in this part of it.",
        ]
    )
    first, second = title_stories(stories, transcript=transcript)
    assert first.summary.startswith(("A polar bear can smell", "The seal hides"))
    assert first.summary.endswith(".")
    assert second.summary == ""


def test_what_subtitles_say_of_themselves_names_no_story():
    stories, transcript = narrated(
        [
            "The penguins swim to the island. Subtitles by Anna Example. The penguins dive.",
            "Visit www.example.org for more subtitles. Thanks for watching!",
        ]
    )
    first, second = title_stories(stories, transcript=transcript)
    assert "penguins" in first.title.lower()
    assert not {"Anna Example", "subtitles"} & {*first.keywords, *second.keywords}
    assert second.title == "Story 2"


def test_credits_are_labelled_and_nothing_else_is_said_of_them():
    stories, transcript = narrated([NARRATION[0], "Directed by Helen Marsh. Music by Helen Marsh."])
    first, second = title_stories(stories, transcript=transcript, labels={1: "Credits"})
    assert "bear" in first.title.lower()
    assert second == ("Credits", (), "")


WORDS = st.sampled_from(["the", "bear.", "Seal", "sea", "lion", "of", "waits", "Rome", "7", "—"])


@given(st.lists(st.lists(WORDS, max_size=12).map(" ".join), min_size=1, max_size=5))
def test_titles_are_always_short_distinct_and_not_empty(texts):
    stories, transcript = narrated(texts)
    titles = [title for title, *_ in title_stories(stories, transcript=transcript)]
    assert len(set(titles)) == len(stories)
    assert all(title and title[0] == title[0].upper() and len(title) <= 60 for title in titles)


@given(st.lists(WORDS, max_size=30).map(" ".join))
def test_phrases_are_inside_the_speech(text):
    _, transcript = narrated([text])
    for phrase in plain_phrases(transcript):
        assert 1 <= len(phrase.key) <= 3
        assert 0.0 <= phrase.span.start <= phrase.span.end <= 20.0
