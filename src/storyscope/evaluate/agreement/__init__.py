"""The segmentation that agrees most with all annotators, with a proof of optimality.

>>> from storyscope import Segmentation
>>> a, b, c = (Segmentation.from_cuts(cuts, 5) for cuts in ([2, 3, 4], [1], [3]))
>>> agree([a, b, c]).segmentation.cuts
(2, 3)
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from storyscope.core import Segmentation
from storyscope.errors import AnnotationError
from storyscope.evaluate.agreement.graph import build_graph
from storyscope.evaluate.agreement.optimise import Optimiser
from storyscope.evaluate.agreement.paper import longest_path_as_in_paper
from storyscope.evaluate.agreement.relaxation import TOLERANCE
from storyscope.evaluate.iou import mean_iou, require_same_end

MOST_ANNOTATORS = 60
"""Maximum number of annotators: one bit of an integer for each."""


@dataclass(frozen=True)
class Agreement:
    """A segmentation that represents several annotators."""

    segmentation: Segmentation
    mean_iou: float
    """Its mean IoU with the annotators, averaged over them."""
    exact: bool
    """Whether it is proven that no segmentation agrees more."""
    bound: float
    """Upper bound on the agreement of any segmentation; equal to `mean_iou` if exact."""


def agree(
    annotations: Sequence[Segmentation],
    cuts: Iterable[int] | None = None,
    *,
    time_limit: float | None = 60.0,
) -> Agreement:
    """Find the segmentation of greatest average mean IoU with the annotations.

    `cuts` are the positions where a story may begin (the edges of shots, when positions are
    frames); None allows any. When `time_limit` seconds are over, the best one found is returned
    with the bound proven so far.
    """
    annotations = _checked(annotations)
    deadline = inf if time_limit is None else time.monotonic() + time_limit
    optimiser = Optimiser(annotations, build_graph(annotations, cuts), deadline)
    optimiser.run()
    agreement = _agreement(optimiser.best, annotations)
    exact = optimiser.bound <= optimiser.floor + TOLERANCE
    bound = agreement if exact else min(1.0, optimiser.bound / (2 * len(annotations)))
    return Agreement(optimiser.best, agreement, exact, bound)


def agree_as_in_paper(
    annotations: Sequence[Segmentation], cuts: Iterable[int] | None = None
) -> Agreement:
    """The paper's approximate dynamic program, for comparison; it proves no bound."""
    annotations = _checked(annotations)
    found = longest_path_as_in_paper(annotations, cuts)
    return Agreement(found, _agreement(found, annotations), exact=False, bound=1.0)


def _checked(annotations: Sequence[Segmentation]) -> tuple[Segmentation, ...]:
    if not 1 <= len(annotations) <= MOST_ANNOTATORS:
        raise AnnotationError(
            f"agreement is between 1 to {MOST_ANNOTATORS} annotators, got {len(annotations)}"
        )
    for annotation in annotations[1:]:
        require_same_end(annotations[0], annotation)
    return tuple(annotations)


def _agreement(segmentation: Segmentation, annotations: Sequence[Segmentation]) -> float:
    return sum(mean_iou(segmentation, each) for each in annotations) / len(annotations)
