"""How often a ranker prefers the worse of two frames (the paper's `tab:ranking`).

None of our films has human marks on its frames, so a pair is a frame and a degraded copy of it. The
table says how well degraded frames are recognised, not how far people would agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from storyscope.core import VisionOutput
from storyscope.thumbnails.degrade import DEGRADATIONS, degrade
from storyscope.thumbnails.quality import measure_quality
from storyscope.thumbnails.ranker import DEFAULT_COST, Ranker, train_ranker
from storyscope.thumbnails.ranking import swapped_share

RIDGE = 1000.0
"""Regularisation of the Ranking CNN: the best power of ten on the training photos."""
QUARTERS = 4
MOST_FRAMES = 120
"""Number of pictures of one film that are degraded."""

See = Callable[[Sequence[np.ndarray]], VisionOutput]
"""Pictures, uint8 [height, width, 3] each, through the backbone."""


@dataclass(frozen=True, eq=False)
class DegradedPictures:
    """Pictures of one source, good and degraded in every way, encoded by the backbone."""

    good: VisionOutput
    worse: Mapping[str, VisionOutput]


@dataclass(frozen=True)
class SwappedPairs:
    """Percent of pairs in the wrong order on one held-out source."""

    source: str
    pairs: int
    ranking_cnn: float
    hypercolumns: float
    shipped: float
    """The shipped ranker, which was trained on neither this source nor related ones."""
    by_degradation: Mapping[str, float]
    """Result of the hypercolumn ranking."""


def benchmark_rankers(
    sources: Mapping[str, Sequence[np.ndarray]], see: See, shipped: Ranker
) -> list[SwappedPairs]:
    """The table for the good pictures of several films, or for the quarters of one."""
    if len(sources) == 1:
        ((name, pictures),) = sources.items()
        edges = np.linspace(0, len(pictures), QUARTERS + 1).astype(int).tolist()
        sources = {
            f"{name}, part {number}": pictures[start:end]
            for number, (start, end) in enumerate(pairwise(edges), start=1)
            if start < end
        }
    seen = {name: see_degraded(pictures, see) for name, pictures in sources.items()}
    return compare_rankers(seen, shipped)


def good_frames(pictures: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Pictures that are lit, sharp and not blank, spread over a film."""
    if not pictures:
        return []
    rated = [(picture, measure_quality(picture)) for picture in pictures]
    usual = float(np.median([quality.sharpness for _, quality in rated]))
    good = [
        picture
        for picture, quality in rated
        if quality.exposure > 0.5 and quality.variety > 0.3 and quality.sharpness > 0.8 * usual
    ]
    step = max(1, len(good) // MOST_FRAMES)
    return good[::step][:MOST_FRAMES]


def see_degraded(
    pictures: Sequence[np.ndarray],
    see: See,
    *,
    others: Sequence[np.ndarray] | None = None,
    seed: int = 0,
) -> DegradedPictures:
    """Degrade every picture in every way and encode all of them with the backbone.

    `others` are pictures for dissolves; by default the other pictures are used.
    """
    chance = np.random.default_rng(seed)
    others = others or pictures
    seen = {}
    for kind in DEGRADATIONS:
        partners = chance.integers(len(others), size=len(pictures))
        worse = [
            degrade(picture, others[partner], kind, chance)
            for picture, partner in zip(pictures, partners, strict=True)
        ]
        seen[kind] = see(worse)
    return DegradedPictures(see(pictures), seen)


def compare_rankers(
    sources: Mapping[str, DegradedPictures], shipped: Ranker, *, cost: float = DEFAULT_COST
) -> list[SwappedPairs]:
    """Train on all sources but one and test on that one, for each of at least two."""
    table = []
    for name, held_out in sources.items():
        others = [seen for other, seen in sources.items() if other != name]
        ranker = train_ranker_on(others, backbone=shipped.backbone, cost=cost)
        regression = _fit_ranking_cnn(others)
        table.append(
            SwappedPairs(
                source=name,
                pairs=len(held_out.good) * len(DEGRADATIONS),
                ranking_cnn=_mean(_swapped_layers(held_out, regression)),
                hypercolumns=_mean(swapped_by_degradation(held_out, ranker)),
                shipped=_mean(swapped_by_degradation(held_out, shipped)),
                by_degradation=swapped_by_degradation(held_out, ranker),
            )
        )
    return table


def train_ranker_on(
    sources: Sequence[DegradedPictures], *, backbone: str, cost: float = DEFAULT_COST
) -> Ranker:
    """The hypercolumn ranker trained on all pairs of these sources."""
    good = np.concatenate([seen.good.hypercolumns for seen in sources])
    worse = [
        np.concatenate([seen.worse[kind].hypercolumns for seen in sources]) for kind in DEGRADATIONS
    ]
    return train_ranker(good, worse, backbone=backbone, cost=cost)


def swapped_by_degradation(seen: DegradedPictures, ranker: Ranker) -> dict[str, float]:
    """Percentage of pairs that the ranker puts in the wrong order, for each kind of degradation."""
    good = ranker.score(seen.good.hypercolumns)
    return {
        kind: 100 * swapped_share(good, ranker.score(worse.hypercolumns))
        for kind, worse in seen.worse.items()
    }


def _fit_ranking_cnn(sources: Sequence[DegradedPictures]) -> np.ndarray:
    """One neuron on the last layer, least squares towards 1 for good frames and 0 for degraded
    ones.

    This is the paper's Ranking CNN; the layers below are not trained.
    """
    good = np.concatenate([seen.good.maps for seen in sources])
    worse = np.concatenate([worse.maps for seen in sources for worse in seen.worse.values()])
    inputs = np.concatenate([good, worse]).astype(np.float64)
    wanted = np.concatenate([np.ones(len(good)), np.zeros(len(worse))])
    # There are fewer good frames than degraded copies; both classes get the same weight.
    weight = np.where(wanted > 0, len(worse) / len(good), 1.0)
    inputs = np.concatenate([inputs, np.ones((len(inputs), 1))], axis=1)
    gram = (inputs * weight[:, None]).T @ inputs + RIDGE * np.eye(inputs.shape[1])
    return np.linalg.solve(gram, (inputs * weight[:, None]).T @ wanted)


def _swapped_layers(seen: DegradedPictures, neuron: np.ndarray) -> dict[str, float]:
    good = np.asarray(seen.good.maps) @ neuron[:-1]
    return {
        kind: 100 * swapped_share(good, np.asarray(worse.maps) @ neuron[:-1])
        for kind, worse in seen.worse.items()
    }


def _mean(percents: Mapping[str, float]) -> float:
    return float(np.mean(list(percents.values())))
