"""The annotated videos of a library as a benchmark folder."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from storyscope.core import Annotation, Segmentation, Shot
from storyscope.errors import AnnotationError
from storyscope.evaluate import agree
from storyscope.library.local import LocalLibrary
from storyscope.writing import write_whole


def write_benchmark(
    library: LocalLibrary, folder: Path, *, annotator: str | None = None
) -> list[str]:
    """Write a benchmark folder with every annotated video, and return their ids.

    The true stories are those of `annotator`, or those that agree most with all annotators of the
    video. The features are those in the library; pictures are not copied.
    """
    written = []
    for record in library.videos():
        video = record.video.id
        people = library.annotations(video) if record.state == "ready" else {}
        if annotator is not None:
            people = {name: each for name, each in people.items() if name == annotator}
        if people:
            _write_video(library, video, people, folder / video)
            written.append(video)
    if not written:
        by = f" by {annotator}" if annotator else ""
        raise AnnotationError(
            f"no video of {library.place} is annotated{by}; mark stories on the page, or import "
            "them with `storyscope import`"
        )
    return written


def stories_in_frames(version: Annotation, shots: Sequence[Shot]) -> Segmentation:
    """A person's stories over the frames of the film, exact at shot boundaries."""
    seconds = [shot.span.start for shot in shots]
    cuts = set()
    for start in version.starts[1:]:
        shot = shots[bisect_right(seconds, start) - 1]
        share = (start - shot.span.start) / shot.span.length
        cuts.add(shot.frames.start + round(share * len(shot.frames)))
    frame_count = shots[-1].frames.stop
    return Segmentation.from_cuts(sorted(c for c in cuts if 0 < c < frame_count), frame_count)


def _write_video(
    library: LocalLibrary, video: str, people: Mapping[str, Annotation], folder: Path
) -> None:
    shots, features = library.shots(video), library.features(video)
    versions = {name: stories_in_frames(each, shots) for name, each in people.items()}
    true = agree(list(versions.values())).segmentation
    folder.mkdir(parents=True, exist_ok=True)
    for each in features:
        np.save(folder / f"{each.name}.npy", np.asarray(each.vectors, np.float32))
    facts = {
        "name": video,
        "fps": library.video(video).fps,
        "frame_count": shots[-1].frames.stop,
        "shots": [[shot.frames.start, shot.frames.stop] for shot in shots],
        "stories": _spans(true),
        "features": {each.name: f"{each.name}.npy" for each in features},
        "producers": {each.name: each.producer for each in features},
        "annotations": {name: _spans(each) for name, each in versions.items()},
    }
    write_whole(folder / "video.json", [f"{json.dumps(facts, indent=1)}\n".encode()])


def _spans(stories: Segmentation) -> list[list[int]]:
    return [list(pair) for pair in pairwise((*stories.starts, stories.end))]
