"""The aesthetic ranker: A(d) = w . t(d) over the ten hypercolumn numbers of a frame."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from storyscope.core.logistic import sigmoid
from storyscope.errors import ModelError
from storyscope.models import check_own
from storyscope.thumbnails.ranking import fit_ranking
from storyscope.writing import write_whole

SHIPPED = Path(__file__).with_name("ranker.json")
DEFAULT_COST = 0.1
CHOICE_COST = 1.0
"""Weight of a person's choice relative to staying close to the previous ranker."""

Choice = tuple[np.ndarray, np.ndarray]
"""Hypercolumn numbers of the frame a person chose [10], and of those not chosen [n, 10]."""


@dataclass(frozen=True, eq=False)
class Ranker:
    """Weights over standardised features, and the scale of scores."""

    backbone: str
    """The image network whose hypercolumns it uses."""
    centre: np.ndarray
    scale: np.ndarray
    weights: np.ndarray
    """float64 [10] each."""
    spread: float
    """Standard deviation of the scores of good frames."""

    def score(self, hypercolumns: np.ndarray) -> np.ndarray:
        """A(d) of each row, 0 for an average good frame; any real number."""
        standard = (np.asarray(hypercolumns, np.float64) - self.centre) / self.scale
        return np.asarray(standard @ self.weights / self.spread)

    def beauty(self, hypercolumns: np.ndarray) -> np.ndarray:
        """A(d) mapped to (0, 1), to be combined with probabilities."""
        return sigmoid(self.score(hypercolumns)).astype(np.float32)

    @property
    def digest(self) -> str:
        return sha256(self.to_json().encode()).hexdigest()

    def to_json(self) -> str:
        return json.dumps(
            {
                "backbone": self.backbone,
                "centre": self.centre.tolist(),
                "scale": self.scale.tolist(),
                "weights": self.weights.tolist(),
                "spread": self.spread,
            },
            indent=1,
        )


def train_ranker(
    good: np.ndarray, worse: Iterable[np.ndarray], *, backbone: str, cost: float = DEFAULT_COST
) -> Ranker:
    """Train on good frames [n, 10] and, for each kind of degradation, the degraded copies."""
    degraded = list(worse)
    everything = np.concatenate([good, *degraded]).astype(np.float64)
    scale = np.maximum(everything.std(axis=0), 1e-9)
    better = np.concatenate([good] * len(degraded)) / scale
    fit = fit_ranking(better, np.concatenate(degraded) / scale, cost=cost)
    centre = good.astype(np.float64).mean(axis=0)
    spread = float(((good - centre) / scale @ fit.weights).std())
    return Ranker(backbone, centre, scale, fit.weights, max(spread, 1e-9))


def train_ranker_on_pairs(
    better: np.ndarray, worse: np.ndarray, *, backbone: str, cost: float = DEFAULT_COST
) -> Ranker:
    """Train on pairs of frames [n, 10], of which people preferred the first."""
    return train_ranker(better, [worse], backbone=backbone, cost=cost)


def prefer(ranker: Ranker, choices: Sequence[Choice]) -> Ranker:
    """Refine a ranker by a person's choices; each has the same weight, however many frames there
    were.

    The new weights stay as close to the old ones as the choices allow.
    """
    choices = [choice for choice in choices if len(choice[1])]
    if not choices:
        return ranker
    scale = ranker.scale * ranker.spread
    taken = np.concatenate([np.tile(frame, (len(rest), 1)) for frame, rest in choices])
    passed_over = np.concatenate([rest for _, rest in choices])
    cost = np.concatenate([np.full(len(rest), CHOICE_COST / len(rest)) for _, rest in choices])
    fit = fit_ranking(taken / scale, passed_over / scale, cost=cost, start=ranker.weights)
    return Ranker(ranker.backbone, ranker.centre, ranker.scale, fit.weights, ranker.spread)


def load_ranker(path: Path | None = None) -> Ranker:
    """The ranker in a JSON file; without one, the shipped ranker."""
    source = path or check_own(SHIPPED)
    try:
        values: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
        return Ranker(
            backbone=values["backbone"],
            centre=np.array(values["centre"], np.float64),
            scale=np.array(values["scale"], np.float64),
            weights=np.array(values["weights"], np.float64),
            spread=float(values["spread"]),
        )
    except (OSError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise ModelError(f"{source} is not a thumbnail ranker ({error}); delete it") from error


def save_ranker(ranker: Ranker, path: Path) -> None:
    """Write a ranker atomically."""
    write_whole(path, [f"{ranker.to_json()}\n".encode()])
