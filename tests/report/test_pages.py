"""Reports show exactly what was found."""

import re
from html.parser import HTMLParser
from io import BytesIO
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from storyscope.core import Keyframes, Shot, Span, Story, Transition, Video
from storyscope.report import (
    STORY_COLOURS,
    Findings,
    Truth,
    contact_sheet,
    draw_timeline,
    html_report,
    story_colour,
    text_colour,
)
from storyscope.report.html_page import render
from storyscope.report.palette import contrast, to_rgb
from storyscope.report.terminal import block_widths

TINTS = [(200, 40, 40), (40, 200, 40), (40, 40, 200), (200, 200, 40), (40, 200, 200), (90, 90, 90)]


def jpeg(tint, size=(64, 36)):
    buffer = BytesIO()
    Image.new("RGB", size, tint).save(buffer, "JPEG", quality=95)
    return buffer.getvalue()


def findings(*, truth=True, titles=("Sea & <sky>", "Forêt", "City"), bare_shot=None):
    """Six shots of two seconds in three stories; each shot has one keyframe of its own colour."""
    shots = [
        Shot(
            Span(2.0 * i, 2.0 * i + 2),
            range(48 * i, 48 * i + 48),
            Transition("cut", 48 * i, 48 * i),
        )
        for i in range(6)
    ]
    kept = [i for i in range(6) if i != bare_shot]
    keyframes = Keyframes(
        np.array(kept, np.int32),
        np.array([48 * i + 24 for i in kept]),
        np.array([2.0 * i + 1 for i in kept]),
        tuple(jpeg(TINTS[i]) for i in kept),
    )
    edges = [0, 2, 5, 6]
    stories = [
        Story(f"film/{n}", "film", range(a, b), Span(2.0 * a, 2.0 * b), title, ("wave", "a<b"))
        for n, ((a, b), title) in enumerate(zip(pairwise(edges), titles, strict=True), 1)
    ]
    true = Truth((Span(0, 4), Span(4, 10), Span(10, 12)), ("One", "Two", "Three"), 0.875)
    video = Video("film", "/films/film.mp4", "abc123" * 4, 12.0, 288, 24.0, 640, 360, True)
    return Findings(video, stories, shots, keyframes, true if truth else None, ("appearance",))


class Page(HTMLParser):
    """Collects the elements of a page."""

    def __init__(self, text):
        super().__init__()
        self.images, self.links, self.loads, self.text = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        facts = dict(attrs)
        if tag == "img":
            self.images.append(facts["src"])
        if tag == "a":
            self.links.append(facts)
        self.loads += [facts[key] for key in ("src", "poster") if key in facts]
        if tag == "link":
            self.loads.append(facts["href"])

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_needs_nothing_but_itself(tmp_path):
    html_report(findings(), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert all(address.startswith("data:image/jpeg;base64,") for address in Page(text).loads)
    assert "@import" not in text
    assert "url(" not in text
    assert not re.search(r"https?://", text)


def test_the_page_shows_every_story_and_every_shot():
    page = Page(render(findings()))
    text = " ".join(page.text)
    for words in ("Sea & <sky>", "Forêt", "City", "0:04 – 0:10", "0.875", "Two", "appearance"):
        assert words in text
    assert len(page.images) == 3 + 6


def test_titles_and_keywords_cannot_become_markup():
    text = render(findings(titles=("<script>alert(1)</script>", '" onload="x', "City")))
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert 'onload="x' not in text


def test_the_film_is_played_only_when_its_address_is_known():
    assert "<video" not in render(findings())
    page = Page(render(findings(), film="my film.mp4"))
    assert "my%20film.mp4" in page.loads
    assert {link.get("data-seconds") for link in page.links} >= {"0.000", "4.000", "10.000"}


def test_a_page_without_truth_does_not_mention_it():
    text = " ".join(Page(render(findings(truth=False))).text)
    assert "truth" not in text
    assert "IoU" not in text


def test_a_shot_without_a_keyframe_leaves_a_gap_and_no_error(tmp_path):
    bare = findings(bare_shot=3)
    assert len(Page(render(bare)).images) == 3 + 5
    contact_sheet(bare, tmp_path / "sheet.png")
    assert (tmp_path / "sheet.png").stat().st_size > 0


@pytest.mark.parametrize("truth", [True, False])
def test_the_sheet_shows_one_keyframe_a_shot_under_its_storys_colour(tmp_path, truth):
    contact_sheet(findings(truth=truth), tmp_path / "sheet.png")
    with Image.open(tmp_path / "sheet.png") as image:
        assert image.format == "PNG"
        pixels = np.asarray(image.convert("RGB")).astype(int)

    def area(tint):
        return (np.abs(pixels - tint).max(axis=2) < 12).sum()

    frames = [area(tint) for tint in TINTS]
    assert min(frames) > 10_000
    assert max(frames) < 1.2 * min(frames)
    for number, shots in enumerate((2, 3, 1)):
        bars = area(to_rgb(story_colour(number)))
        assert bars > shots * 1000


def test_a_true_story_wears_the_colour_of_the_story_that_found_it():
    found = findings()
    assert found.true_colours() == [story_colour(0), story_colour(1), story_colour(2)]
    merged = Findings(found.video, found.stories[:1], found.shots, found.keyframes, found.truth)
    assert merged.true_colours() == [story_colour(0)] * 3


def test_a_chosen_thumbnail_leads_its_story():
    found = findings()
    story = found.stories[1]
    assert found.picture_of_story(story) == jpeg(TINTS[2])
    chosen = Findings(
        found.video, found.stories, found.shots, found.keyframes, thumbnails={story.id: 9.2}
    )
    assert chosen.picture_of_story(story) == jpeg(TINTS[4])


def test_a_story_with_hundreds_of_shots_stays_readable(tmp_path):
    few = findings(truth=False)
    count = 300
    shots = [
        Shot(Span(i, i + 1.0), range(24 * i, 24 * i + 24), Transition("cut", 24 * i, 24 * i))
        for i in range(count)
    ]
    keyframes = Keyframes(
        np.arange(count, dtype=np.int32),
        np.arange(count) * 24,
        np.arange(count) + 0.5,
        (jpeg(TINTS[0]),) * count,
    )
    story = Story("film/1", "film", range(count), Span(0, count), "Long", ())
    many = Findings(few.video, [story], shots, keyframes)
    assert len(Page(render(many)).images) == 1 + 24
    contact_sheet(many, tmp_path / "sheet.png")
    with Image.open(tmp_path / "sheet.png") as image:
        assert (image.width, image.height < 1000) == (1680, True)


def lms(colour, missing):
    """A colour as seen with a colour vision deficiency (Viénot, Brettel and Mollon 1999)."""
    linear = (np.array(to_rgb(colour)) / 255) ** 2.2
    blind = {
        "nothing": np.eye(3),
        "red": np.array([[0.1121, 0.8853, 0], [0.1127, 0.8897, 0], [0.0045, 0.0001, 1.0019]]),
        "green": np.array([[0.2920, 0.7054, 0], [0.2934, 0.7089, 0], [-0.0210, 0.0256, 1.0019]]),
    }
    return np.clip(blind[missing] @ linear, 0, 1) ** (1 / 2.2)


@pytest.mark.parametrize("missing", ["nothing", "red", "green"])
def test_neighbouring_stories_differ_for_every_eye(missing):
    ring = [*STORY_COLOURS, STORY_COLOURS[0]]
    for one, other in pairwise(ring):
        assert np.linalg.norm(lms(one, missing) - lms(other, missing)) > 0.2, (one, other)


@pytest.mark.parametrize("colour", STORY_COLOURS)
def test_numbers_are_readable_on_their_colour(colour):
    assert contrast(colour, text_colour(colour)) >= 4.5


@given(st.lists(st.floats(0.1, 500), min_size=1, max_size=40), st.integers(10, 200))
def test_blocks_fill_the_terminal_exactly(lengths, width):
    edges = np.concatenate([[0], np.cumsum(lengths)])
    spans = [Span(float(a), float(b)) for a, b in pairwise(edges)]
    sizes = block_widths(spans, float(edges[-1]), width)
    assert sum(sizes) == width
    if len(spans) <= width:
        assert min(sizes) >= 1


FOUND = [Span(0, 4), Span(4, 10), Span(10, 12)]
TRUE = [Span(0, 5), Span(5, 10), Span(10, 12)]


@given(st.integers(20, 160), st.booleans(), st.booleans())
def test_the_timeline_never_breaks_the_line(width, colour, truth):
    true = TRUE if truth else ()
    lines = draw_timeline(FOUND, 12.0, truth=true, width=width, colour=colour).plain.split("\n")
    assert len(lines) == (3 if truth else 2)
    assert all(len(line) == width for line in lines)


def test_without_colour_the_timeline_is_plain_ascii():
    text = draw_timeline(FOUND, 12.0, truth=TRUE, width=60, colour=False)
    assert text.plain.isascii()
    assert not any(span.style for span in text.spans)
    assert text.plain.splitlines()[1].count("|") == 3
