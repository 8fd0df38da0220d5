"""The index scores every story exactly, after any additions, changes and removals."""

import json
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storyscope.core import Passages, Span, Story
from storyscope.search.candidates import PassageStories
from storyscope.search.classes import conse, named_classes
from storyscope.search.image_match import MIN_PROBABILITY, NOT_ENCODED
from storyscope.search.index import Index
from storyscope.search.passages import containing_story, shot_classes
from storyscope.search.query import QueryVectors
from storyscope.search.rows import quantize
from storyscope.search.scores import (
    LIKELY_SCORE,
    MIN_SCORE,
    ModalityScores,
    VectorScores,
    fuse,
)
from storyscope.search.segment import open_segment

DIMENSIONS, CLASSES = 16, 30
CLASS_VECTORS = np.random.default_rng(1).normal(size=(CLASSES, DIMENSIONS)).astype(np.float32)


def unit(rows):
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def made_video(name, seed, *, minutes=4, stories=3):
    """A video with a window and a one-picture shot every ten seconds."""
    chance = np.random.default_rng(seed)
    count = minutes * 6
    times = 10.0 * np.arange(count)
    edges = np.linspace(0, 60 * minutes, stories + 1)
    made = [
        Story(f"{name}/{n}", name, range(0), Span(a, b)) for n, (a, b) in enumerate(pairwise(edges))
    ]
    shares = -np.sort(-chance.dirichlet(np.ones(10), size=count))
    passages = Passages(
        texts=("",) * count,
        spans=np.stack([times, times + 5], axis=1),
        text_vectors=unit(chance.normal(size=(count, DIMENSIONS))).astype(np.float16),
        seconds=times,
        shots=np.arange(count, dtype=np.int32),
        classes=np.stack([chance.permutation(CLASSES)[:10] for _ in times]).astype(np.uint16),
        shares=shares.astype(np.float16),
    )
    return made, passages


def by_hand(stories, passages, query):
    """The scores of each story, computed exactly without an index."""
    found = []
    for story in stories:
        windows = [n for n, span in enumerate(passages.spans) if span.mean() in story.span]
        vectors = passages.text_vectors[windows].astype(np.float32)
        shots = [n for n, second in enumerate(passages.seconds) if second in story.span]
        looks = conse(passages.classes[shots], passages.shares[shots], CLASS_VECTORS)
        named = (passages.shares[shots] * query.class_weights[passages.classes[shots]]).sum(axis=1)
        found.append(
            (
                (vectors @ query.text).max(),
                unit(vectors.sum(axis=0)) @ query.text,
                (looks @ query.visual).max(),
                named.max(),
            )
        )
    return np.array(found)


def made_query(seed):
    chance = np.random.default_rng(seed)
    direction = unit(chance.normal(size=DIMENSIONS)).astype(np.float32)
    return QueryVectors(direction, direction, chance.random(CLASSES).astype(np.float32))


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=8), st.integers(0, 99))
def test_scores_are_those_of_looking_at_every_story(order, seed):
    index, query = Index(CLASS_VECTORS), made_query(seed)
    latest = {}
    for turn, number in enumerate(order):
        name = f"video{number}"
        latest[name] = made_video(name, seed=turn)
        index.remove(name)
        index.add(name, *latest[name])
    scores = index.score(query)
    got = np.stack(
        [scores.best_window, scores.whole_story, scores.visual, scores.named_classes], axis=1
    )
    for name, (stories, passages) in latest.items():
        rows = index.videos[name]
        want = by_hand(stories, passages, query)
        assert np.allclose(got[rows.start : rows.stop], want, atol=0.01)
    assert index.current().sum() == 3 * len(latest)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=8))
def test_an_index_in_files_is_the_index(turns):
    """Videos are added and changed; from time to time the index is written to a file."""
    whole, parted, latest = Index(CLASS_VECTORS), Index(CLASS_VECTORS), {}
    with TemporaryDirectory() as folder:
        for turn, (number, seal) in enumerate(turns):
            name, made = f"video{number}", made_video(f"video{number}", seed=turn)
            latest[name] = str(turn)
            for index in (whole, parted):
                index.add(name, *made, key=str(turn), first_address=100 * number)
            if seal:
                path = written(parted.last, Path(folder))
                parted.seal(open_segment(path, CLASS_VECTORS))
        opened = Index(CLASS_VECTORS)
        path = written(whole.last, Path(folder))
        opened.attach(open_segment(path, CLASS_VECTORS), latest)
    found, query = [np.arange(120, 130), np.arange(125, 500)], made_query(0)
    for other in (parted, opened):
        assert other.videos == whole.videos
        assert other.addresses == whole.addresses
        for one, two in zip(whole.score(query), other.score(query), strict=True):
            assert np.allclose(one, two)
        for video, stories in whole.videos.items():
            assert [other.locate(story) for story in stories] == [(video, n) for n in range(3)]
        spoken = [
            index.passages.best_per_story(
                index.passages.term_shares(found), 3 * len(turns), on_screen=False
            )
            for index in (whole, other)
        ]
        assert np.array_equal(*spoken)


def written(segment, folder):
    name, content = segment.serialized()
    path = folder / name
    path.write_bytes(content)
    return path


def test_a_damaged_file_or_one_of_other_models_is_none(tmp_path):
    index = Index(CLASS_VECTORS)
    index.add("video", *made_video("video", 1))
    path = written(index.last, tmp_path)
    assert open_segment(path, CLASS_VECTORS) is not None
    assert open_segment(path, CLASS_VECTORS + 1) is None
    assert open_segment(path, CLASS_VECTORS, 4) is None
    path.write_bytes(path.read_bytes()[:-9])
    assert open_segment(path, CLASS_VECTORS) is None
    path.write_bytes(b"")
    assert open_segment(path, CLASS_VECTORS) is None


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(2**70) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(st.data(), anything)
def test_a_header_that_says_anything_else_opens_nothing_else(data, wrong):
    index = Index(CLASS_VECTORS)
    index.add("video", *made_video("video", 1))
    with TemporaryDirectory() as folder:
        path = written(index.last, Path(folder))
        content = path.read_bytes()
        first = 8 + int.from_bytes(content[:8], "little")
        header = json.loads(content[8:first])
        spoilt = data.draw(st.sampled_from(["header", "rows", "shape", "data_offsets"]))
        if spoilt == "header":
            header = wrong
        elif spoilt == "rows":
            header["windows"] = wrong
        else:
            header["windows"][spoilt] = wrong
        text = json.dumps(header).encode()
        path.write_bytes(len(text).to_bytes(8, "little") + text + content[first:])
        opened = open_segment(path, CLASS_VECTORS)
        assert opened is None or opened.window_count == index.last.window_count


def test_a_video_without_words_has_its_pictures():
    stories, passages = made_video("silent", 5)
    mute = Passages(
        (), np.zeros((0, 2)), np.zeros((0, DIMENSIONS), np.float16), passages.seconds,
        passages.shots, passages.classes, passages.shares,
    )  # fmt: skip
    index = Index(CLASS_VECTORS)
    index.add("silent", stories, mute)
    scores = index.score(made_query(1))
    assert not scores.best_window.any()
    assert scores.visual.all()


@given(
    st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=9),
    st.lists(st.sets(st.integers(0, 12)), min_size=1, max_size=3),
)
def test_a_story_holds_as_many_terms_as_its_best_passage(filed, terms):
    spoken_first = sorted(filed, key=lambda passage: passage[1])
    passages, addresses = PassageStories(), range(2, 2 + len(filed))
    owners = np.array([owner - 1 for owner, _ in spoken_first])
    passages.add(addresses, owners, sum(not read for _, read in filed))
    shares = passages.term_shares([np.array(sorted(term), np.int64) for term in terms])
    for read in (False, True):
        want = [
            max(
                (
                    sum(address in term for term in terms) / len(terms)
                    for address, (owner, on_screen) in zip(addresses, spoken_first, strict=True)
                    if owner - 1 == story and on_screen == read
                ),
                default=0,
            )
            for story in range(3)
        ]
        assert np.allclose(passages.best_per_story(shares, 3, on_screen=read), want)
    passages.remove(addresses)
    assert not passages.best_per_story(shares, 3, on_screen=False).any()


def test_an_empty_index_has_no_scores():
    assert len(Index(CLASS_VECTORS).score(made_query(0)).best_window) == 0


def test_a_time_belongs_to_the_story_it_lies_in():
    stories = [Story("v/1", "v", range(0), Span(0, 10)), Story("v/2", "v", range(0), Span(12, 20))]
    got = containing_story(np.array([-1.0, 0, 9.9, 10, 11, 12, 19, 20]), stories)
    assert got.tolist() == [-1, 0, 0, -1, -1, 1, 1, -1]


def test_a_shot_has_the_mean_of_its_pictures():
    _, passages = made_video("v", 3)
    shots = np.repeat(np.arange(len(passages.seconds) // 2), 2).astype(np.int32)
    joined = Passages(
        (), np.zeros((0, 2)), np.zeros((0, 4), np.float16), passages.seconds, shots,
        passages.classes, passages.shares,
    )  # fmt: skip
    _, classes, shares = shot_classes(joined)
    whole = np.zeros((len(shots), CLASSES))
    np.put_along_axis(whole, passages.classes.astype(int), passages.shares.astype(float), 1)
    means = whole.reshape(-1, 2, CLASSES).mean(axis=1)
    assert np.allclose(np.take_along_axis(means, classes.astype(int), 1), shares, atol=1e-3)
    assert np.allclose(shares[:, 0], means.max(axis=1), atol=1e-3)


def test_sixteen_bits_are_precise_enough():
    rows = unit(np.random.default_rng(0).normal(size=(50, 384)))
    rounded, scale = quantize(rows)
    assert np.abs(rounded * scale[:, None] - rows).max() <= scale.max() / 2 + 1e-6


def test_a_query_names_the_longest_concept_it_holds():
    lexicon = {"polar bear": frozenset([2]), "bear": frozenset([1, 2]), "ice": frozenset([5])}
    assert named_classes(["polar", "bears"], lexicon, 6).tolist() == [0, 0, 1, 0, 0, 0]
    assert named_classes(["bear", "dance"], lexicon, 6).tolist() == [0, 0.5, 0.5, 0, 0, 0]
    assert named_classes([], lexicon, 6).tolist() == [0] * 6


def scores(**given):
    """The scores of one story: 0 for modalities that are not given, without an image-text model."""
    names = (*VectorScores._fields, "spoken", "on_screen")
    given = {"image_text": NOT_ENCODED} | given
    arrays = {name: np.array([given.get(name, 0.0)]) for name in names}
    spoken, on_screen = arrays.pop("spoken"), arrays.pop("on_screen")
    return ModalityScores(VectorScores(**arrays), spoken, on_screen)


@pytest.mark.parametrize("modality", [*VectorScores._fields, "spoken", "on_screen"])
@given(value=st.floats(0.1, 0.9), more=st.floats(0.01, 0.1))
def test_more_in_any_modality_never_lowers_the_score(modality, value, more):
    base = {"best_window": 0.2, "whole_story": 0.2, "visual": 0.2}
    less = fuse(scores(**base | {modality: value})).score
    assert fuse(scores(**base | {modality: value + more})).score >= less


def test_classes_alone_are_at_most_a_possible_match():
    surest = fuse(scores(visual=1.0, named_classes=1.0)).score[0]
    assert MIN_SCORE < surest < LIKELY_SCORE


def test_an_image_text_model_replaces_the_classes_of_its_pictures():
    assert fuse(scores(image_text=0.7)).score[0] == pytest.approx(0.7)
    assert fuse(scores(visual=1.0, named_classes=1.0, image_text=0.0)).score[0] == 0
    assert MIN_PROBABILITY == MIN_SCORE, "what just matches is just a hit"
    assert fuse(scores(spoken=1.0, best_window=0.1)).score[0] >= LIKELY_SCORE


def test_a_story_without_any_evidence_is_no_hit():
    assert fuse(scores()).score[0] == 0
    assert fuse(scores(spoken=1.0, best_window=0.5, whole_story=0.5)).score[0] > MIN_SCORE
