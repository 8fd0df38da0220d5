"""Train new concept detectors on folders of pictures: a linear probabilistic SVM each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from storyscope.concepts.detectors import TrainedConcepts, unit_rows
from storyscope.core.logistic import sigmoid
from storyscope.errors import MissingDependency, StoryscopeError
from storyscope.progress import Report, Step, silent

FEWEST_PICTURES = 4
MOST_NEGATIVES = 1000
FOLDS = 3


def train_concepts(
    activations: Mapping[str, np.ndarray],
    *,
    producer: str,
    background: np.ndarray | None = None,
    cost: float = 10.0,
    seed: int = 0,
    report: Report = silent,
) -> TrainedConcepts:
    """Train one detector per class on the backbone's activations, pictures x dimensions each.

    Negatives are drawn at random from the other classes and from `background`. Platt's sigmoid,
    fitted on pictures the SVM was not trained on, turns scores into probabilities.
    """
    names = tuple(sorted(activations))
    rows = {name: unit_rows(activations[name]) for name in names}
    _refuse_too_few(rows, background)
    others = [unit_rows(background)] if background is not None and len(background) else []
    random = np.random.default_rng(seed)
    weights, offsets = [], []
    for number, name in enumerate(names, start=1):
        pool = np.concatenate([*(rows[other] for other in names if other != name), *others])
        chosen = random.choice(len(pool), size=min(len(pool), MOST_NEGATIVES), replace=False)
        x = np.concatenate([rows[name], pool[np.sort(chosen)]]).astype(float)
        y = np.concatenate([np.ones(len(rows[name])), -np.ones(len(chosen))])
        normal, bias = fit_svm(x, y, cost=cost)
        slope, shift = fit_platt(_held_out_scores(x, y, cost, random), y)
        weights.append(slope * normal)
        offsets.append(slope * bias + shift)
        report(Step("training concepts", number, len(names), note=name))
    return TrainedConcepts(
        names,
        np.stack(weights, axis=1).astype(np.float32),
        np.array(offsets, dtype=np.float32),
        producer,
    )


def fit_svm(x: np.ndarray, y: np.ndarray, *, cost: float) -> tuple[np.ndarray, float]:
    """Normal w and bias b of the linear SVM with squared hinge loss, both classes weighed alike:

    min over w, b of  |w|^2 / 2 + cost sum over i of c_i max(0, 1 - y_i (x_i w + b))^2
    """
    share = np.where(y > 0, 0.5 / (y > 0).sum(), 0.5 / (y < 0).sum())

    def loss(point: np.ndarray) -> tuple[float, np.ndarray]:
        w, b = point[:-1], point[-1]
        short = np.maximum(0.0, 1.0 - y * (x @ w + b))
        pull = -2.0 * cost * share * y * short
        value = 0.5 * w @ w + cost * share @ short**2
        return value, np.append(w + pull @ x, pull.sum())

    found = _lowest(loss, np.zeros(x.shape[1] + 1))
    return found[:-1], float(found[-1])


def fit_platt(scores: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Slope and offset of the sigmoid that turns scores into probabilities (Platt 1999).

    The targets are moved away from 0 and 1, so that separable classes do not get an infinite slope.
    """
    positives, negatives = (y > 0).sum(), (y < 0).sum()
    target = np.where(y > 0, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    weight = np.where(y > 0, 0.5 / positives, 0.5 / negatives)

    def loss(point: np.ndarray) -> tuple[float, np.ndarray]:
        logits = point[0] * scores + point[1]
        value = weight @ (np.logaddexp(0.0, logits) - target * logits)
        miss = weight * (sigmoid(logits) - target)
        return value, np.array([miss @ scores, miss.sum()])

    slope, shift = _lowest(loss, np.array([1.0, 0.0]))
    return float(slope), float(shift)


def _lowest(
    loss: Callable[[np.ndarray], tuple[float, np.ndarray]], start: np.ndarray
) -> np.ndarray:
    """The minimum of a smooth convex loss; `loss` returns its value and gradient."""
    try:
        from scipy.optimize import minimize
    except ImportError as error:
        raise MissingDependency(
            "training concepts needs scipy, which is not installed; "
            "run `pip install storyscope[concepts]`"
        ) from error
    found: np.ndarray = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return found


def _held_out_scores(
    x: np.ndarray, y: np.ndarray, cost: float, random: np.random.Generator
) -> np.ndarray:
    """Each picture's score by an SVM that was not trained on it."""
    fold = np.empty(len(y), dtype=int)
    for side in (y > 0, y < 0):
        fold[side] = random.permutation(np.arange(side.sum()) % FOLDS)
    scores = np.empty(len(y))
    for number in range(FOLDS):
        held = fold == number
        w, b = fit_svm(x[~held], y[~held], cost=cost)
        scores[held] = x[held] @ w + b
    return scores


def _refuse_too_few(rows: Mapping[str, np.ndarray], background: np.ndarray | None) -> None:
    for name, pictures in rows.items():
        if len(pictures) < FEWEST_PICTURES:
            raise StoryscopeError(
                f"the concept {name!r} has {len(pictures)} pictures, and at least "
                f"{FEWEST_PICTURES} are needed; add some to its folder or remove it"
            )
    if len(rows) + (background is not None and len(background) > 0) < 2:
        raise StoryscopeError(
            "a single concept cannot be trained without others; add a second folder of pictures"
        )
