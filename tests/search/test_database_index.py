"""A library in PostgreSQL is searched by candidates, with the same results as a folder."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from benchmarks.search import search_scale
from storyscope import Library
from storyscope.core import Span
from storyscope.errors import LibraryError
from storyscope.search import Filter, database_index
from storyscope.search.passages import TOP_CLASSES
from storyscope.search.query import QueryVectors
from storyscope.search.segment import Segment
from storyscope.search.story_rows import join_stories, split_stories
from storyscope.store import PASSAGES, TITLES, postgres_vectors

QUERIES = Path(search_scale.__file__).parent / "queries" / "demo.json"


@pytest.fixture(scope="module")
def libraries(postgres, tmp_path_factory):
    """The same six synthesised videos in a folder and in a database."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"TOPICS": 40, "MINUTES": 12, "SHOTS": 60, "STORIES": 12}.items():
            patch.setattr(search_scale, name, value)
        made = search_scale.Maker()
        folder = Library(tmp_path_factory.mktemp("search") / "folder")
        database = Library(postgres.address(tmp_path_factory.mktemp("shared")))
        for library in (folder, database):
            for number in range(6):
                search_scale.put(library.store, number, made)
        yield folder, database, list(made.queries(24))
        database.store.close()


def facts(hits):
    return [(hit.story.id, hit.score, hit.parts, hit.thumbnail, hit.evidence) for hit in hits]


def answers(library, queries, *, limit=10):
    return {query: facts(library.search(query, limit=limit)) for query in queries}


def test_a_small_library_answers_as_a_folder(libraries):
    folder, database, queries = libraries
    expected = answers(folder, queries)
    assert answers(database, queries) == expected
    assert sum(map(len, expected.values())) > len(queries)


def test_candidates_of_the_database_are_scored_exactly(libraries, monkeypatch):
    folder, database, queries = libraries
    monkeypatch.setattr(database_index, "EXACT_STORIES", 0)
    asked = []
    candidates = database_index.DatabaseIndex._candidates

    def counted(*given):
        found = candidates(*given)
        asked.append(len(found.stories))
        return found

    monkeypatch.setattr(database_index.DatabaseIndex, "_candidates", counted)
    monkeypatch.setattr(database_index, "CANDIDATES", 30)
    expected = answers(folder, queries, limit=5)
    opened = Library(database.place)
    assert answers(opened, queries, limit=5) == expected
    assert np.median(asked) < 0.75 * 6 * 12, "most queries must not look at every story"
    made = "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'hnsw%%' AND schemaname = %s"
    schema = opened.store.address.schema
    rows = opened.store.database.ask(made, (schema,))
    indexed = {f"hnsw_{space}_384" for space in ("shot", "topic", "window")}
    assert {row["indexname"] for row in rows} == indexed
    # The same with words that are in too many passages to check each of them.
    monkeypatch.setattr(postgres_vectors, "MAX_ANY", 3)
    monkeypatch.setattr(database_index, "DEEP", 100)
    assert answers(opened, queries, limit=5) == expected
    opened.store.close()


def test_a_cache_that_is_full_loses_no_candidate(libraries, monkeypatch):
    folder, database, queries = libraries
    monkeypatch.setattr(database_index, "CACHED_BYTES", 1)
    opened = Library(database.place)
    assert answers(opened, queries[:6]) == answers(folder, queries[:6])
    opened.store.close()


def test_the_queries_of_the_demo_film_are_answered_alike(libraries):
    folder, database, _ = libraries
    queries = [each["text"] for each in json.loads(QUERIES.read_text())["queries"]][:12]
    assert answers(database, queries) == answers(folder, queries)


def test_filters_and_similar_stories_are_the_same(libraries):
    folder, database, queries = libraries
    for only in (Filter(video="video00002"), Filter(after=100.0, longest=90.0)):
        for query in queries[:6]:
            wanted = facts(folder.search(query, only=only))
            assert facts(database.search(query, only=only)) == wanted
    story = folder.stories("video00001")[3]
    wanted = facts(folder.more_like(story))
    assert facts(database.more_like(story)) == wanted
    assert wanted


def test_a_video_that_changed_or_went_is_searched_as_it_is(libraries, monkeypatch):
    _, database, queries = libraries
    store = database.store
    hits = database.search(queries[0], limit=50)
    video = hits[0].video
    record = store.record(video)
    stories, passages = store.load(video, TITLES), store.load(video, PASSAGES)
    store.put_record(record.failed("of no reason"))
    assert all(hit.video != video for hit in database.search(queries[0], limit=50))
    store.put_record(record)
    assert facts(database.search(queries[0], limit=50)) == facts(hits)
    whole = type(stories[0])(f"{video}/1", video, range(60), Span(0.0, 720.0), "All of it")
    store.save(video, TITLES, "one story", (whole,))
    assert {hit.story for hit in database.search(queries[0], limit=50) if hit.video == video} <= {
        whole
    }
    store.save(video, TITLES, "key", stories)
    store.save(video, PASSAGES, "key", passages)
    assert facts(database.search(queries[0], limit=50)) == facts(hits)


def test_the_rows_of_stories_put_together_score_as_their_segment():
    chance = np.random.default_rng(3)
    class_vectors = chance.normal(size=(30, 8)).astype(np.float32)
    made = search_scale.Maker.__new__(search_scale.Maker)
    made.words, made.topics = ["word"], ["some words"] * search_scale.TOPICS
    made.meanings = chance.normal(size=(search_scale.TOPICS, 8)).astype(np.float32)
    made.model = type("Model", (), {"producer": "made up"})
    passages = made.passages(1)
    passages.classes[:] = chance.integers(30, size=passages.classes.shape)
    edges = [0.0, 200.0, 210.0, 1500.0, 2999.0]
    stories = [type("Story", (), {"span": Span(start, end)}) for start, end in pairwise(edges)]
    segment = Segment(class_vectors)
    segment.add("video", "key", stories, passages, 1)
    query = QueryVectors(
        np.full(8, 8**-0.5, np.float32),
        np.full(8, 8**-0.5, np.float32),
        chance.random(30).astype(np.float32),
    )
    rows = list(split_stories(segment))
    again = join_stories([rows[2], rows[0], rows[3]], class_vectors, 0)
    for ours, theirs in zip(again.score(query), segment.score(query), strict=True):
        assert np.array_equal(ours, theirs[[2, 0, 3]])
    assert join_stories([], class_vectors, 0).story_count == 0
    assert passages.classes.shape[1] == TOP_CLASSES
    with pytest.raises(ValueError, match="image dimensions"):
        join_stories(rows, class_vectors, 4)


def test_vectors_of_an_unknown_kind_are_refused(libraries):
    with pytest.raises(LibraryError, match="not a kind of vectors"):
        libraries[1].store.vector_index().nearest({"x; DROP TABLE video": np.zeros(3)}, 1)
