"""The pictures of the page on measures say what the measures say."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def pictures(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import measure_pictures

    yield dict(measure_pictures.pictures())
    del sys.modules["measure_pictures"]


def test_every_picture_of_the_page_is_as_the_script_draws_it(pictures):
    page = (ROOT / "docs" / "measures.md").read_text()
    for name, picture in pictures.items():
        assert f"pictures/measure-{name}.svg" in page
        assert (ROOT / "docs" / "pictures" / f"measure-{name}.svg").read_text() == picture


def test_pictures_show_what_is_said_of_them(pictures):
    assert "mean IoU 0.61, F1 0.00" in pictures["uniform"]
    assert "mean IoU 0.61, F1 0.67" in pictures["uniform"]
