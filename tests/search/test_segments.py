"""The index looks at every story exactly, whatever was added, changed or removed before."""

import json
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storyscope.core import Passages, Span, Story
from storyscope.search.answer import LIKELY, RELEVANT, Heard, judge
from storyscope.search.classes import conse, named_classes
from storyscope.search.index import Index
from storyscope.search.rows import sixteen_bits
from storyscope.search.segment import Scores, Senses, open_segment
from storyscope.search.shots import owner_of, shot_classes
from storyscope.search.spoken import Spoken

DIMENSIONS, CLASSES = 16, 30
MEANINGS = np.random.default_rng(1).normal(size=(CLASSES, DIMENSIONS)).astype(np.float32)


def unit(rows):
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def made_video(name, seed, *, minutes=4, stories=3):
    """A video with a window and a one-picture shot every ten seconds."""
    chance = np.random.default_rng(seed)
    count = minutes * 6
    times = 10.0 * np.arange(count)
    edges = np.linspace(0, 60 * minutes, stories + 1)
    told = [
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
    return told, passages


def by_hand(stories, passages, senses):
    """One story after the other, in exact numbers."""
    found = []
    for story in stories:
        windows = [n for n, span in enumerate(passages.spans) if span.mean() in story.span]
        vectors = passages.text_vectors[windows].astype(np.float32)
        shots = [n for n, second in enumerate(passages.seconds) if second in story.span]
        looks = conse(passages.classes[shots], passages.shares[shots], MEANINGS)
        named = (passages.shares[shots] * senses.names[passages.classes[shots]]).sum(axis=1)
        found.append(
            (
                (vectors @ senses.meaning).max(),
                unit(vectors.sum(axis=0)) @ senses.meaning,
                (looks @ senses.looks).max(),
                named.max(),
            )
        )
    return np.array(found)


def made_senses(seed):
    chance = np.random.default_rng(seed)
    direction = unit(chance.normal(size=DIMENSIONS)).astype(np.float32)
    return Senses(direction, direction, chance.random(CLASSES).astype(np.float32))


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=8), st.integers(0, 99))
def test_scores_are_those_of_looking_at_every_story(order, seed):
    index, senses = Index(MEANINGS), made_senses(seed)
    latest = {}
    for turn, number in enumerate(order):
        name = f"video{number}"
        latest[name] = made_video(name, seed=turn)
        index.remove(name)
        index.add(name, *latest[name])
    scores = index.score(senses)
    got = np.stack([scores.meant, scores.told, scores.seen, scores.named], axis=1)
    for name, (stories, passages) in latest.items():
        rows = index.videos[name]
        want = by_hand(stories, passages, senses)
        assert np.allclose(got[rows.start : rows.stop], want, atol=0.01)
    assert index.alive().sum() == 3 * len(latest)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=8))
def test_an_index_in_files_is_the_index(turns):
    """Videos come and change; now and then what is there goes to a file."""
    whole, parted, latest = Index(MEANINGS), Index(MEANINGS), {}
    with TemporaryDirectory() as folder:
        for turn, (number, seal) in enumerate(turns):
            name, made = f"video{number}", made_video(f"video{number}", seed=turn)
            latest[name] = str(turn)
            for index in (whole, parted):
                index.add(name, *made, key=str(turn), first_address=100 * number)
            if seal:
                path = written(parted.last, Path(folder))
                parted.seal(open_segment(path, MEANINGS))
        opened = Index(MEANINGS)
        path = written(whole.last, Path(folder))
        opened.adopt(open_segment(path, MEANINGS), latest)
    found, senses = [np.arange(120, 130), np.arange(125, 500)], made_senses(0)
    for other in (parted, opened):
        assert other.videos == whole.videos
        assert other.addresses == whole.addresses
        for one, two in zip(whole.score(senses), other.score(senses), strict=True):
            assert np.allclose(one, two)
        for video, stories in whole.videos.items():
            assert [other.place(story) for story in stories] == [(video, n) for n in range(3)]
        said = [i.spoken.largest(i.spoken.shares(found), 3 * len(turns), read=False)
                for i in (whole, other)]  # fmt: skip
        assert np.array_equal(*said)


def written(segment, folder):
    name, content = segment.packed()
    path = folder / name
    path.write_bytes(content)
    return path


def test_a_damaged_file_or_one_of_other_models_is_none(tmp_path):
    index = Index(MEANINGS)
    index.add("video", *made_video("video", 1))
    path = written(index.last, tmp_path)
    assert open_segment(path, MEANINGS) is not None
    assert open_segment(path, MEANINGS + 1) is None
    assert open_segment(path, MEANINGS, 4) is None
    path.write_bytes(path.read_bytes()[:-9])
    assert open_segment(path, MEANINGS) is None
    path.write_bytes(b"")
    assert open_segment(path, MEANINGS) is None


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(2**70) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(st.data(), anything)
def test_a_header_that_says_anything_else_opens_nothing_else(data, wrong):
    index = Index(MEANINGS)
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
        opened = open_segment(path, MEANINGS)
        assert opened is None or opened.window_count == index.last.window_count


def test_a_video_without_words_has_its_pictures():
    stories, passages = made_video("silent", 5)
    mute = Passages(
        (), np.zeros((0, 2)), np.zeros((0, DIMENSIONS), np.float16), passages.seconds,
        passages.shots, passages.classes, passages.shares,
    )  # fmt: skip
    index = Index(MEANINGS)
    index.add("silent", stories, mute)
    scores = index.score(made_senses(1))
    assert not scores.meant.any()
    assert scores.seen.all()


@given(
    st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=9),
    st.lists(st.sets(st.integers(0, 12)), min_size=1, max_size=3),
)
def test_a_story_holds_as_many_terms_as_its_best_passage(filed, terms):
    heard_first = sorted(filed, key=lambda passage: passage[1])
    spoken, addresses = Spoken(), range(2, 2 + len(filed))
    owners = np.array([owner - 1 for owner, _ in heard_first])
    spoken.add(addresses, owners, sum(not read for _, read in filed))
    shares = spoken.shares([np.array(sorted(term), np.int64) for term in terms])
    for read in (False, True):
        want = [
            max(
                (
                    sum(address in term for term in terms) / len(terms)
                    for address, (owner, on_screen) in zip(addresses, heard_first, strict=True)
                    if owner - 1 == story and on_screen == read
                ),
                default=0,
            )
            for story in range(3)
        ]
        assert np.allclose(spoken.largest(shares, 3, read=read), want)
    spoken.remove(addresses)
    assert not spoken.largest(shares, 3, read=False).any()


def test_an_empty_index_has_no_scores():
    assert len(Index(MEANINGS).score(made_senses(0)).meant) == 0


def test_a_time_belongs_to_the_story_it_lies_in():
    stories = [Story("v/1", "v", range(0), Span(0, 10)), Story("v/2", "v", range(0), Span(12, 20))]
    got = owner_of(np.array([-1.0, 0, 9.9, 10, 11, 12, 19, 20]), stories)
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


def test_sixteen_bits_are_near():
    rows = unit(np.random.default_rng(0).normal(size=(50, 384)))
    rounded, scale = sixteen_bits(rows)
    assert np.abs(rounded * scale[:, None] - rows).max() <= scale.max() / 2 + 1e-6


def test_a_query_names_the_longest_concept_it_holds():
    lexicon = {"polar bear": frozenset([2]), "bear": frozenset([1, 2]), "ice": frozenset([5])}
    assert named_classes(["polar", "bears"], lexicon, 6).tolist() == [0, 0, 1, 0, 0, 0]
    assert named_classes(["bear", "dance"], lexicon, 6).tolist() == [0, 0.5, 0.5, 0, 0, 0]
    assert named_classes([], lexicon, 6).tolist() == [0] * 6


def heard(**given):
    values = (
        dict.fromkeys(("meant", "told", "seen", "named", "pictured", "said", "read"), 0.0) | given
    )
    arrays = {name: np.array([value]) for name, value in values.items()}
    said, read = arrays.pop("said"), arrays.pop("read")
    return Heard(Scores(**arrays), said, read)


@pytest.mark.parametrize("sense", ["said", "read", "meant", "told", "seen", "named", "pictured"])
@given(value=st.floats(0.1, 0.9), more=st.floats(0.01, 0.1))
def test_more_of_any_sense_never_makes_a_story_answer_less(sense, value, more):
    base = {"meant": 0.2, "told": 0.2, "seen": 0.2}
    less = judge(heard(**base | {sense: value})).score
    assert judge(heard(**base | {sense: value + more})).score >= less


def test_pictures_alone_just_do_or_answer_perhaps():
    surest = judge(heard(seen=1.0, named=1.0, pictured=1.0)).score[0]
    assert RELEVANT < surest < LIKELY
    assert judge(heard(pictured=0.5)).score[0] == pytest.approx(RELEVANT)
    assert judge(heard(said=1.0, meant=0.1)).score[0] >= LIKELY


def test_a_story_without_any_evidence_is_no_answer():
    assert judge(heard()).score[0] == 0
    assert judge(heard(said=1.0, meant=0.5, told=0.5)).score[0] > RELEVANT
