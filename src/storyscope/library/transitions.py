"""Transitions that people rejected, and training of the shot detector on them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from storyscope.core import SmallFrame, Transition
from storyscope.errors import AnnotationError
from storyscope.library.documents import JsonDocument
from storyscope.media import scan
from storyscope.progress import Report, silent
from storyscope.shots.adapt import adapt
from storyscope.shots.confirm import features
from storyscope.shots.fast import score_frames
from storyscope.shots.weights import digest

if TYPE_CHECKING:
    from storyscope.library.local import LocalLibrary


def _checked(kept: dict[str, list[tuple[int, int]]]) -> dict[str, Any]:
    return {video: [(int(a), int(b)) for a, b in spans] for video, spans in kept.items()}


REJECTED: JsonDocument[dict[str, Any]] = JsonDocument("rejected-transitions.json", _checked, dict)
"""First and end frame of each transition that people rejected, by video."""


def reject_transition(
    library: LocalLibrary, video: str, number: int, *, rejected: bool = True
) -> Transition:
    """Store that no new shot begins at shot `number`, counted from 1, or undo this."""
    shots = library.shots(video)
    if not 2 <= number <= len(shots):
        raise AnnotationError(f"{video} has shots 1 to {len(shots)}; give a number from 2 on")
    transition = shots[number - 1].transition
    if transition.kind == "cut":
        raise AnnotationError(
            f"shot {number} of {video} begins with a cut; only dissolves, fades and wipes can be "
            "rejected"
        )
    frames = (transition.first_frame, transition.end_frame)
    with REJECTED.change(library.store) as kept:
        others = {*kept.get(video, [])} - {frames}
        kept[video] = sorted(others | {frames} if rejected else others)
        if not kept[video]:
            del kept[video]
    return transition


def is_rejected(library: LocalLibrary, video: str) -> list[bool]:
    """Whether a person rejected the transition into each shot of a video."""
    frames = set(REJECTED.read_or_empty(library.store).get(video, []))
    changes = (shot.transition for shot in library.shots(video))
    return [(change.first_frame, change.end_frame) in frames for change in changes]


def learn_transitions(library: LocalLibrary, *, report: Report = silent) -> tuple[Path, int, int]:
    """Train the shot detector on rejected transitions.

    Gradual transitions of the same videos that nobody rejected are the counter-examples. The model
    is used from the next `add` on. Returns its path and the numbers of rejected and of accepted
    transitions.
    """
    rejected = REJECTED.read(library.store)
    if not rejected:
        raise AnnotationError(
            "no transition was rejected yet; run `storyscope shots VIDEO --reject NUMBER` first"
        )
    examples = [
        example
        for video, spans in rejected.items()
        for example in _examples(library, video, spans, report)
    ]
    learned = adapt(examples)
    # The model gets a new name, so that `add` notices that shots must be detected again.
    name = f"shots-{digest(learned)[:12]}.npz"
    written = io.BytesIO()
    np.savez_compressed(written, **learned)  # type: ignore[arg-type]
    library.store.put_document(name, written.getvalue())
    path = library.store.document(name).resolve()
    library.keep_settings([f"shots.model={path}"])
    wrong = sum(not real for _, real in examples)
    return path, wrong, len(examples) - wrong


def _examples(
    library: LocalLibrary, video: str, rejected: list[tuple[int, int]], report: Report
) -> Iterator[tuple[np.ndarray, bool]]:
    """The features of a video's gradual transitions, and whether each is a real one."""
    spans = dict.fromkeys(rejected, False)
    for shot in library.shots(video)[1:]:
        change = shot.transition
        if change.kind != "cut" and (change.first_frame, change.end_frame) not in spans:
            spans[change.first_frame, change.end_frame] = True
    items = scan(library.video(video).path, report=report)
    frames = [item for item in items if isinstance(item, SmallFrame)]
    rgb = np.stack([frame.rgb for frame in frames])
    scores = np.concatenate(list(score_frames([rgb])))
    for (first, end), real in spans.items():
        first, end = first - frames[0].index, end - frames[0].index
        yield features(rgb, range(first, end), scores[first:end]), real
