"""A query finds the story that mentions or shows it, or nothing."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from storyscope import Library
from storyscope.core import Span, Word
from storyscope.errors import InvalidSetting, LibraryError, MediaError, UnknownVideo
from storyscope.search import Filter
from storyscope.search.passages import MAX_WORDS, text_windows, top_classes
from storyscope.search.query import query_terms, quoted_phrases
from storyscope.search.spelling import edit_distance, nearest_word
from storyscope.stages import indexing as stages
from storyscope.store import PASSAGES, TITLES
from storyscope.transcripts import sounds


@pytest.fixture(scope="module")
def library(film, tmp_path_factory):
    """A film with three stories, in each of which a fake model recognises applause."""
    library = Library(tmp_path_factory.mktemp("library"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stages, "chosen_sounds", lambda setting: "sounds")
        patch.setattr(sounds, "sound_kinds", lambda: ("Applause",))
        patch.setattr(sounds, "load_tagger", lambda: lambda heard: np.full((30, 1), 0.9))
        library.add(film)
    return library


def words_of(text, pause=0.5):
    times = np.arange(len(text.split())) * pause
    pairs = zip(text.split(), times, strict=True)
    return [Word(word, Span(t, t + 0.3)) for word, t in pairs]


@pytest.mark.parametrize(
    ("query", "story"),
    [("whale", 1), ("singing whales", 1), ("camels", 2), ("a walk over the sand", 2), ("owl", 3)],
)
def test_the_story_that_speaks_of_it_comes_first(library, query, story):
    hits = library.search(query)
    assert hits[0].story.id == f"film/{story}"
    assert hits[0].thumbnail.seconds in hits[0].story.span
    assert hits[0].evidence.startswith(("Spoken, ", "Topic, "))
    assert set(hits[0].parts) == {"said", "meant", "seen", "read"}


def test_a_sound_is_found(library):
    hit = library.search("applause")[0]
    assert hit.evidence.startswith("Sound, ")
    assert hit.evidence.endswith("“applause”")
    assert hit.parts["read"] == 1
    heard = library.transcript("film", sounds=True).words
    assert {word.text for word in heard} == {"applause"}


@pytest.mark.parametrize("query", ["xyzzy qwrt", "interest rates and inflation", "", "the of and"])
def test_nothing_is_found_if_nothing_is_relevant(library, query):
    assert library.search(query) == []


def test_no_more_hits_than_asked_for(library):
    assert len(library.search("whale camel owl", limit=2)) == 2


def test_pages_of_hits_follow_each_other(library):
    everything = library.search("whale camel owl")
    pages = [library.search("whale camel owl", limit=1, offset=page) for page in range(4)]
    assert len(everything) == 3
    assert [hit for page in pages for hit in page] == everything
    assert pages[3] == []


@pytest.mark.parametrize("page", [{"offset": -1}, {"limit": -1}])
def test_a_page_before_the_first_is_refused(library, page):
    with pytest.raises(InvalidSetting, match="cannot be negative"):
        library.search("whale", **page)


@pytest.mark.parametrize(("mistyped", "meant"), [("camells", "camels"), ("whaels", "whales")])
def test_a_typing_error_is_tolerated(library, mistyped, meant):
    assert [h.story for h in library.search(mistyped)] == [h.story for h in library.search(meant)]


def test_an_unfinished_word_is_found(library):
    assert library.search("cam")[0].story == library.search("camels")[0].story


def test_a_quoted_phrase_must_be_there_word_by_word(library):
    said = library.transcript("film").words
    there = f'"{said[0].text} {said[1].text}"'
    assert library.search(there)[0].story.id == "film/1"
    assert library.search('"whales of the sand"') == []


def test_filters_keep_only_what_they_let_pass(library):
    (first, *_), everything = library.stories("film"), library.search("whale camel owl")
    assert len(everything) == 3
    for only, kept in [
        (Filter(video="film", longest=0.1), []),
        (Filter(before=first.span.end), [first]),
        (Filter(after=first.span.end), library.stories("film")[1:]),
        (Filter(longest=0.1), []),
        (Filter(language="fr"), []),
        (Filter(language="en"), library.stories("film")),
    ]:
        found = library.search("whale camel owl", only=only)
        assert sorted(hit.story.id for hit in found) == [story.id for story in kept]


def test_a_video_that_is_not_there_is_named(library):
    with pytest.raises(UnknownVideo, match="no video called 'another'"):
        library.search("whale", only=Filter(video="another"))


def test_a_story_is_not_like_itself(library):
    story = library.stories("film")[0]
    found = library.more_like(story)
    assert story not in [hit.story for hit in found]
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_a_frame_of_a_story_finds_it(library):
    for story in library.stories("film"):
        picture = library.picture("film", library.thumbnail("film", story).seconds)
        assert library.search_image(picture)[0].story == story


def test_a_file_that_is_no_image_is_refused(library, tmp_path):
    path = tmp_path / "words.jpg"
    path.write_text("no picture")
    with pytest.raises(MediaError, match=r"words\.jpg cannot be read as an image"):
        library.search_image(path)


def test_a_removed_video_is_not_found_any_more(film, tmp_path):
    library = Library(tmp_path)
    library.add(film)
    assert library.search("whale")
    library.remove("film")
    assert library.search("whale") == []
    library.add(film)
    assert library.search("whale")[0].story.id == "film/1"


@pytest.fixture
def meanwhile(indexed, tmp_path):
    """A library, and a function that writes to it in the middle of its next search."""
    shutil.copytree(indexed, tmp_path / "library")
    library, other = Library(tmp_path / "library"), Library(tmp_path / "library")
    parse = library._search.searcher._parse

    def writes(change):
        def interrupted(*query):
            library._search.searcher._parse = parse
            change(other)
            return parse(*query)

        library._search.searcher._parse = interrupted

    return library, writes


def test_stories_that_are_regrouped_during_a_search_answer_as_they_were(meanwhile):
    library, writes = meanwhile
    before = library.search("owl")
    writes(
        lambda other: other.store.save("film", TITLES, "new", tuple(library.stories("film"))[:1])
    )
    assert library.search("owl") == before
    assert library.search("owl") == []


def test_a_video_that_is_removed_during_a_search_is_no_answer(meanwhile):
    library, writes = meanwhile
    writes(lambda other: other.remove("film"))
    assert library.search("owl") == []


def test_a_silent_video_of_an_older_library_is_found_by_its_pictures(film, tmp_path):
    library = Library(tmp_path)
    library.add(film)
    passages = library.store.load("film", PASSAGES)
    nothing = {"texts": (), "spans": passages.spans[:0], "text_vectors": passages.text_vectors[:0]}
    library.store.save("film", PASSAGES, "silent", replace(passages, **nothing))
    with library.store.transaction() as connection:
        connection.execute("DELETE FROM said_of")
    story = library.stories("film")[0]
    picture = library.picture("film", library.thumbnail("film", story).seconds)
    assert library.search_image(picture)[0].story == story


@given(st.lists(st.sampled_from(["sea", "ice.", "bear", "end!"]), max_size=200))
def test_windows_keep_every_word_in_order(words):
    spoken = words_of(" ".join(words))
    windows = text_windows(spoken)
    assert " ".join(text for text, _ in windows) == " ".join(words)
    assert all(len(text.split()) <= MAX_WORDS for text, _ in windows)


def test_a_long_pause_ends_a_window():
    assert len(text_windows(words_of("one two three", pause=10.0))) == 3


def test_the_likeliest_classes_come_first():
    posteriors = np.random.default_rng(0).dirichlet(np.ones(50), size=7)
    classes, shares = top_classes(posteriors)
    assert (np.diff(shares.astype(float), axis=1) <= 0).all()
    assert np.allclose(np.take_along_axis(posteriors, classes.astype(int), 1), shares, atol=1e-3)


def test_small_words_and_operators_of_the_index_are_no_terms():
    assert query_terms('the "polar bear" on ice') == ["polar bear", "ice"]
    assert quoted_phrases('the "polar bear" on ice') == ["polar bear"]
    assert query_terms('sea" AND NEAR(ice') == ["sea", "ice"]


def slips(left, right):
    """Edit distance by its definition, without a table."""
    if not left or not right:
        return len(left) + len(right)
    choices = [
        slips(left[1:], right) + 1,
        slips(left, right[1:]) + 1,
        slips(left[1:], right[1:]) + (left[0] != right[0]),
    ]
    if len(left) > 1 and len(right) > 1 and left[:2] == right[1::-1]:
        choices.append(slips(left[2:], right[2:]) + 1)
    return min(choices)


@given(st.text("abc", max_size=5), st.text("abc", max_size=5))
def test_edit_distance_is_the_minimum_number_of_edits(left, right):
    assert edit_distance(left, right) == slips(left, right)


def test_short_words_and_far_words_are_taken_as_they_are():
    assert nearest_word("ower", ["owner", "tower"]) is None
    assert nearest_word("mushrom", ["mushroom", "museum"]) == "mushroom"
    assert nearest_word("xylophone", ["mushroom"]) is None


def test_the_papers_ranking_takes_the_most_beautiful_frame_of_the_best_shot(library):
    pytest.importorskip("spacy")
    hits = library.with_settings(["search.method=paper"]).search("camels")
    assert len(hits) == 3
    assert all(set(hit.parts) == {"presence", "beauty"} for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(hit.thumbnail.seconds in hit.story.span for hit in hits)


def test_the_papers_search_sees_what_another_process_filed(film, tmp_path):
    pytest.importorskip("spacy")
    library = Library(tmp_path)
    library.add(film)
    paper = Library(tmp_path).with_settings(["search.method=paper"])
    assert paper.search("whale", only=Filter(language="en"))
    passages = library.store.load("film", PASSAGES)
    library.store.save("film", PASSAGES, "new", replace(passages, language="de"))
    assert paper.search("whale", only=Filter(language="en")) == []
    assert paper.search("whale", only=Filter(language="de"))


def test_hits_are_drawn_with_their_rival_thumbnails(library, tmp_path):
    from PIL import Image

    hits = library.search("whale camel owl")
    library.draw_hits("whale camel owl", hits, tmp_path / "hits.png")
    library.draw_hits("xyzzy", [], tmp_path / "none.png")
    with Image.open(tmp_path / "hits.png") as full, Image.open(tmp_path / "none.png") as empty:
        assert full.height > empty.height


def test_a_story_is_known_by_its_id(library):
    assert library.story("film/2") == library.stories("film")[1]
    with pytest.raises(LibraryError, match="no story called 'film/9'"):
        library.story("film/9")
