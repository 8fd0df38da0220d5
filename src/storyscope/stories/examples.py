"""Annotated videos for training, and variants derived from them.

There are few collections, edited by few people and described by few networks. So training also uses
variants of each video: with its stories in another order, as another network would describe it,
with faster or slower editing, and as a news programme of short items. What holds in all of them
generalises better.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from storyscope.core import Features, Segmentation
from storyscope.cues import find_cue
from storyscope.stories.relations import Rhythm
from storyscope.stories.similarity import Array

MOVED = 0.1
"""Standard deviation of how far a story moves in another order, relative to their number."""


@dataclass(frozen=True, eq=False)
class StoryExample:
    """One annotated video for the detector."""

    features: tuple[Features, ...]
    rhythm: Rhythm
    truth: Segmentation
    """Stories over shots."""

    def part(self, shots: range) -> StoryExample:
        """Some of the shots as a video of their own; stories that reach beyond them end with
        them."""
        starts = [0, *(cut - shots.start for cut in self.truth.cuts if cut in shots[1:])]
        return self.of_shots(np.arange(shots.start, shots.stop), starts)

    def of_shots(self, shots: Array, starts: Iterable[int]) -> StoryExample:
        """A selection of the shots, in the given order, with stories starting there."""
        features = tuple(replace(each, vectors=each.vectors[shots]) for each in self.features)
        truth = Segmentation(tuple(int(start) for start in starts), len(shots))
        return StoryExample(features, self.rhythm.of_shots(shots), truth)


def variants(example: StoryExample, rng: np.random.Generator) -> list[StoryExample]:
    """The video itself and its variants, all with the same probability."""
    orders = [reordered(example, rng) for _ in range(4)]
    projections = [projected(each, rng) for each in orders[2:]]
    edits = [sparser(example, rng), denser(example, rng)]
    return [example, *orders[:2], *projections, *edits, as_news(example, rng)]


def reordered(example: StoryExample, rng: np.random.Generator) -> StoryExample:
    """The same stories in another order, most of them near their old position."""
    stories = [*example.truth]
    moved = MOVED * len(stories) * rng.standard_normal(len(stories))
    order = [stories[k] for k in np.argsort(np.arange(len(stories)) + moved)]
    shots = np.concatenate([np.arange(story.start, story.stop) for story in order])
    return example.of_shots(shots, np.cumsum([0, *(len(story) for story in order[:-1])]))


def projected(example: StoryExample, rng: np.random.Generator) -> StoryExample:
    """The same shots as another image network might describe them.

    Some of the numbers are mixed at random into fewer, usually rectified, and noisier.
    """

    def by_another_network(feature: Features) -> Features:
        if find_cue(feature.name).view != "appearance":
            return feature
        rows = np.asarray(feature.vectors, np.float64)
        rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        rows = rows[:, rng.random(rows.shape[1]) < rng.uniform(0.3, 0.8)]
        rows = rows @ rng.standard_normal((rows.shape[1], int(rng.choice([48, 96, 192]))))
        rows = (rows - rng.random() * rows.mean(axis=0)) / np.maximum(rows.std(axis=0), 1e-9)
        rows = np.maximum(rows, 0.0) if rng.random() < 0.7 else rows
        rows += rng.uniform(0.0, 0.3) * rng.standard_normal(rows.shape)
        return replace(feature, vectors=rows.astype(np.float32))

    return replace(example, features=tuple(by_another_network(each) for each in example.features))


def sparser(example: StoryExample, rng: np.random.Generator) -> StoryExample:
    """A slower edit: some shots are removed, and the ones before them last longer."""
    kept = rng.random(len(example.rhythm)) > rng.uniform(0.2, 0.5)
    kept[list(example.truth.starts)] = True
    shots = np.flatnonzero(kept)
    part = example.of_shots(shots, np.searchsorted(shots, example.truth.starts))
    edges = np.append(example.rhythm.edges[shots], example.rhythm.edges[-1])
    return replace(part, rhythm=Rhythm(edges, example.rhythm.transitions[shots]))


def denser(example: StoryExample, rng: np.random.Generator) -> StoryExample:
    """A faster edit: some shots are split in two, the second mixed with another shot of the
    story."""
    halved = rng.random(len(example.rhythm)) < rng.uniform(0.2, 0.5)
    halved &= example.rhythm.lengths > 1.0
    shots = np.repeat(np.arange(len(halved)), 1 + halved)
    second = np.append(False, shots[1:] == shots[:-1])
    whole = example.of_shots(shots, np.searchsorted(shots, example.truth.starts))
    lengths = example.rhythm.lengths[shots] * np.where(
        second | np.append(second[1:], False), 0.5, 1
    )
    transitions = np.where(second, 0.0, example.rhythm.transitions[shots])
    others = _shots_of_same_story(example.truth, shots, rng)
    share = np.where(second, rng.uniform(0.15, 0.6, len(shots)), 0.0)[:, None]
    return replace(
        whole,
        rhythm=Rhythm(np.append(0.0, lengths.cumsum()), transitions),
        features=tuple(_mixed(each, shots, others, share) for each in example.features),
    )


def as_news(example: StoryExample, rng: np.random.Generator) -> StoryExample:
    """A programme of short items in any order, most of them introduced by one of two anchors."""
    items = _items(example.truth, rng)
    chosen = [items[k] for k in rng.permutation(len(items))[: rng.integers(12, 40)]]
    anchors = rng.integers(0, len(example.rhythm), 2)
    introduced = rng.uniform(0.3, 0.95)
    shots: list[int] = []
    starts: list[int] = []
    anchored: list[int] = []
    for item in chosen:
        starts.append(len(shots))
        if rng.random() < introduced:
            anchored.append(len(shots))
            shots.append(int(anchors[int(rng.random() < 0.3)]))
        shots += [*item]
    order = np.array(shots)
    programme = example.of_shots(order, starts)
    lengths = np.maximum(example.rhythm.lengths[order] * rng.uniform(0.4, 1.0), 0.7)
    lengths[anchored] = rng.lognormal(np.log(12), 0.5, len(anchored))
    share = np.zeros((len(order), 1))
    share[anchored, 0] = rng.uniform(0.05, 0.25, len(anchored))
    others = rng.integers(0, len(example.rhythm), len(order))
    return replace(
        programme,
        rhythm=Rhythm(np.append(0.0, lengths.cumsum()), np.zeros(len(order))),
        features=tuple(_mixed(each, order, others, share) for each in example.features),
    )


def _items(truth: Segmentation, rng: np.random.Generator) -> list[range]:
    """Runs of a few shots within the stories, with a shot or two left out between them."""
    items = []
    typical = int(rng.choice([3, 6]))
    for story in truth:
        start = story.start
        while start < story.stop:
            length = int(np.clip(rng.lognormal(np.log(typical), 0.6), 1, 14))
            items.append(range(start, min(story.stop, start + length)))
            start = items[-1].stop + int(rng.integers(0, 3))
    return items


def _shots_of_same_story(truth: Segmentation, shots: Array, rng: np.random.Generator) -> Array:
    """For each of the shots, a random shot of the same story."""
    edges = np.array(truth.edges)
    story = np.searchsorted(edges, shots, side="right") - 1
    chosen: Array = rng.integers(edges[story], edges[story + 1])
    return chosen


def _mixed(feature: Features, shots: Array, others: Array, share: Array) -> Features:
    """The rows of the shots, each mixed with another shot's row."""
    rows = (1 - share) * feature.vectors[shots] + share * feature.vectors[others]
    return replace(feature, vectors=rows.astype(np.float32))
