"""The figures in the docs on measures agree with the measures."""

from pathlib import Path

import pytest

from benchmarks.stories import measure_pictures

ROOT = Path(__file__).parents[2]


@pytest.fixture
def pictures():
    return dict(measure_pictures.pictures())


def test_every_picture_of_the_page_is_as_the_script_draws_it(pictures):
    page = (ROOT / "docs" / "measures.md").read_text()
    for name, picture in pictures.items():
        assert f"pictures/measure-{name}.svg" in page
        assert (ROOT / "docs" / "pictures" / f"measure-{name}.svg").read_text() == picture


def test_pictures_show_what_their_captions_say(pictures):
    assert "mean IoU 0.61, F1 0.00" in pictures["uniform"]
    assert "mean IoU 0.61, F1 0.67" in pictures["uniform"]
