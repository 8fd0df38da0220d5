"""Several people annotate the same videos: how far they agree, and whose annotation to train on.

This is the study of the paper's section "Evaluation with multiple annotators": train on each person
and on their agreement, test on each person and on their agreement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from storyscope.core import Segmentation
from storyscope.errors import AnnotationError
from storyscope.evaluate.agreement import agree, agree_as_in_paper
from storyscope.evaluate.dataset import AnnotatedVideo, on_nearest_shots
from storyscope.evaluate.iou import mean_iou

AGREEMENT = "agreement"
"""The name of the agreement among the annotators."""


@dataclass(frozen=True)
class AnnotatorStudy:
    """The matrix of the paper's table, with human agreement."""

    people: tuple[str, ...]
    """The annotators; the agreement comes after them in the matrix."""
    simulated: bool
    """Whether the annotators were simulated from one annotation."""
    matrix: np.ndarray
    """Mean IoU: the row is the annotator trained on, the column the one tested on."""
    ceiling: float
    """Mean IoU of the agreement with the annotators: no segmentation reaches more."""
    ceiling_proven: bool
    """Whether the agreement of every video is proven optimal."""
    ceiling_of_paper: float
    """The same by the paper's own program, which is approximate."""
    between_people: float
    """Mean IoU of two annotators."""


def annotator_names(collection: Sequence[AnnotatedVideo]) -> tuple[str, ...]:
    """The people who annotated every video."""
    names = [name for name in collection[0].annotations if name != AGREEMENT]
    for video in collection:
        missing = [name for name in names if name not in video.annotations]
        if missing:
            raise AnnotationError(f"{video.name} has no annotation by {', '.join(missing)}")
    if len(names) < 2:
        raise AnnotationError(
            f"a study of annotators needs two or more of them, got {len(names)}; "
            'add them to video.json as "annotations", or simulate them'
        )
    return tuple(names)


def annotated_by(collection: Sequence[AnnotatedVideo], annotator: str) -> list[AnnotatedVideo]:
    """The same videos with the stories of one person (or the agreement of all) as the truth."""
    return [replace(video, truth=stories_of(video, annotator)) for video in collection]


def stories_of(video: AnnotatedVideo, annotator: str) -> Segmentation:
    """The stories of one person, or the agreement of all, cut at shot changes."""
    if annotator != AGREEMENT:
        return video.annotations[annotator]
    return agree(list(video.annotations.values()), cuts=video.edges).segmentation


def study_annotators(
    collection: Sequence[AnnotatedVideo],
    found: Mapping[str, Sequence[Segmentation]],
    *,
    simulated: bool,
) -> AnnotatorStudy:
    """Score the results of training on each person, by every person.

    `found[name]` are the stories over frames found in each video after training on `name`.
    """
    people = annotator_names(collection)
    agreements = [agree([v.annotations[name] for name in people], cuts=v.edges) for v in collection]
    by_paper = [
        agree_as_in_paper([v.annotations[name] for name in people], v.edges) for v in collection
    ]
    truths = {name: [video.annotations[name] for video in collection] for name in people}
    truths[AGREEMENT] = [each.segmentation for each in agreements]
    everyone = (*people, AGREEMENT)
    return AnnotatorStudy(
        people=people,
        simulated=simulated,
        matrix=np.array(
            [[_mean(found[row], truths[column]) for column in everyone] for row in everyone]
        ),
        ceiling=float(np.mean([each.mean_iou for each in agreements])),
        ceiling_proven=all(each.exact for each in agreements),
        ceiling_of_paper=float(np.mean([each.mean_iou for each in by_paper])),
        between_people=float(
            np.mean([_mean(truths[a], truths[b]) for a, b in combinations(people, 2)])
        ),
    )


def simulate_annotators(
    collection: Sequence[AnnotatedVideo], *, count: int = 5, seed: int = 0
) -> list[AnnotatedVideo]:
    """Simulate `count` annotators from the truth, each with a style of their own.

    A style is how often a person merges two stories, splits one, and begins one a shot or two early
    or late; it is the same in all videos.
    """
    rng = np.random.default_rng([seed, count])
    styles = [rng.uniform((0.05, 0.02, 0.1), (0.35, 0.12, 0.35)) for _ in range(count)]
    annotated = []
    for number, video in enumerate(collection):
        people = {
            f"simulated {person + 1}": _simulate_annotator(
                video, *style, rng=np.random.default_rng([seed, number, person])
            )
            for person, style in enumerate(styles)
        }
        annotated.append(replace(video, annotations=people))
    return annotated


def _simulate_annotator(
    video: AnnotatedVideo, merge: float, split: float, shift: float, *, rng: np.random.Generator
) -> Segmentation:
    shots = len(video.shots)
    cuts = np.array(on_nearest_shots(video.truth, video.shots).cuts, dtype=int)
    cuts = cuts[rng.random(len(cuts)) >= merge]
    moved = rng.random(len(cuts)) < shift
    cuts = cuts + moved * rng.choice([-2, -1, 1, 2], len(cuts))
    others = np.setdiff1d(np.arange(1, shots), cuts)
    added = others[rng.random(len(others)) < split]
    cuts = np.unique([*cuts, *added]).astype(int)
    kept = [int(cut) for cut in cuts if 0 < cut < shots]
    return Segmentation.from_cuts(kept, shots).on(video.edges)


def _mean(found: Sequence[Segmentation], truths: Sequence[Segmentation]) -> float:
    return float(np.mean([mean_iou(a, b) for a, b in zip(found, truths, strict=True)]))
