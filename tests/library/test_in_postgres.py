"""A film is indexed, searched and removed in PostgreSQL with the real pipeline."""

import shutil

import pytest

from storyscope import Library
from storyscope.store import PASSAGES


@pytest.fixture
def library(postgres, tmp_path):
    library = Library(postgres.address(tmp_path))
    library.keep_settings(["transcripts.speech=off"])
    yield library
    library.store.close()


def rows(library, table):
    (row,) = library.store.database.ask(f"SELECT count(*) AS rows FROM {table}")
    return row["rows"]


def test_a_film_without_words_is_indexed_searched_and_removed(library, film, tmp_path):
    path = shutil.copy(film, tmp_path / "silent.mp4")
    record = library.add(path)
    assert record.id == "silent"
    assert [each.state for each in library.videos()] == ["ready"]
    assert library.store.load("silent", PASSAGES).texts == ()
    stories = library.stories("silent")
    assert stories[-1].span.end == pytest.approx(record.duration)
    assert rows(library, "said") == 0
    assert rows(library, "filed_story") == len(stories)
    hits = library.more_like(stories[0])
    assert all(hit.video == "silent" for hit in hits)
    assert library.search('"no such words"') == []

    library.remove("silent")
    for table in ("video", "artefact", "filed_video", "filed_story", "filed_vector", "said_of"):
        assert rows(library, table) == 0
    kept = {name for name, _ in library.store.arrays.names()}
    assert kept, "arrays stay for a day: somebody may be reading them"
    assert library.store.collect() == 0
    assert library.store.collect(older_than=-1) == len(kept)
    assert list(library.store.arrays.names()) == []
