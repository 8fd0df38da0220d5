"""A query is answered with the story that speaks of it, or with nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from storyscope import Library
from storyscope.core import Span, Word
from storyscope.search.passages import MOST_WORDS, conse, text_windows
from storyscope.search.words import expression, query_terms


@pytest.fixture(scope="module")
def library(film, tmp_path_factory):
    library = Library(tmp_path_factory.mktemp("library"))
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
    assert hits[0].evidence.startswith("said at")


@pytest.mark.parametrize("query", ["xyzzy qwrt", "interest rates and inflation", "", "the of and"])
def test_nothing_relevant_is_an_answer(library, query):
    assert library.search(query) == []


def test_no_more_hits_than_asked_for(library):
    assert len(library.search("whale camel owl", limit=2)) == 2


@given(st.lists(st.sampled_from(["sea", "ice.", "bear", "end!"]), max_size=200))
def test_windows_keep_every_word_in_order(words):
    spoken = words_of(" ".join(words))
    windows = text_windows(spoken)
    assert " ".join(text for text, _ in windows) == " ".join(words)
    assert all(len(text.split()) <= MOST_WORDS for text, _ in windows)


def test_a_long_pause_ends_a_window():
    assert len(text_windows(words_of("one two three", pause=10.0))) == 3


def test_a_picture_of_one_class_means_that_class():
    meanings = np.random.default_rng(0).normal(size=(20, 8))
    centred = meanings - meanings.mean(axis=0)
    posteriors = np.eye(20)[[3, 7]]
    got = conse(posteriors, meanings)
    want = centred[[3, 7]] / np.linalg.norm(centred[[3, 7]], axis=1, keepdims=True)
    assert np.allclose(got, want)


def test_small_words_and_operators_of_the_index_are_no_terms():
    assert query_terms('the "polar bear" on ice') == ["polar bear", "ice"]
    assert expression(query_terms('sea" AND NEAR(ice')) == '"sea" OR ("ice" OR "ice"*)'
