"""Compare several versions of a video's stories: automatic, people's, consensus, baselines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from storyscope.baselines import baseline
from storyscope.baselines.raw import RawDetector
from storyscope.core import Segmentation
from storyscope.evaluate import AnnotatedVideo, agree, equal_times, mean_iou
from storyscope.store import STORIES

if TYPE_CHECKING:
    from storyscope.library.local import LocalLibrary
UNTRAINED = ("raw-clustering", "osg", "osg-norm")
"""Baselines that need no training."""
MOST_CUTS = 600
"""Maximum number of different cuts of all annotators for which the exact consensus is computed."""
TRAINED = ("stg", "nw")
"""Baselines that are trained on the other annotated videos of the library, if there are any."""


class Version(NamedTuple):
    """One row of a comparison."""

    name: str
    kind: Literal["machine", "person", "consensus", "baseline"]
    stories: Segmentation
    """The stories as a segmentation in milliseconds."""


def compare(library: LocalLibrary, video: str, *, baselines: bool = False) -> dict[str, Any]:
    """All versions of a video's stories and the mean IoU of every pair of them."""
    end = max(1, round(library.video(video).duration * 1000))
    machine = [story.span.start for story in library.stories(video, annotator="automatic")]
    people = [
        Version(name, "person", in_milliseconds(annotation.starts, end))
        for name, annotation in library.annotations(video).items()
    ]
    rows = [Version("storyscope", "machine", in_milliseconds(machine, end)), *people]
    if len(people) > 1:
        stories = consensus([person.stories for person in people])
        rows.append(Version("consensus", "consensus", stories))
    if baselines:
        reference = rows[-1] if people else rows[0]
        rows += [
            Version(name, "baseline", in_milliseconds(starts, end))
            for name, starts in baseline_starts(library, video, len(reference.stories)).items()
        ]
    return {
        "versions": [
            {
                "name": row.name,
                "kind": row.kind,
                "starts": [start / 1000 for start in row.stories.starts],
            }
            for row in rows
        ],
        "mean_iou": [[mean_iou(a.stories, b.stories) for b in rows] for a in rows],
    }


def baseline_starts(library: LocalLibrary, video: str, count: int) -> dict[str, tuple[float, ...]]:
    """Where other methods begin stories, in seconds; `count` is the number of uniform stories.

    Results are cached until the video, or what the baselines are trained on, changes.
    """
    others = tuple(
        (other, key, tuple(library.annotations(other).values()))
        for other, key in library.store.ready_keys(STORIES).items()
        if other != video and library.annotations(other)
    )
    return library.found_by_baselines(video, library.store.key(video, STORIES), count, others)


def consensus(versions: Sequence[Segmentation]) -> Segmentation:
    """The consensus of all versions.

    If there are very many cuts, it is the version that agrees most with the others: the exact
    consensus takes memory proportional to the square of the cuts.
    """
    if len({start for version in versions for start in version.starts}) <= MOST_CUTS:
        return agree(versions).segmentation
    return max(versions, key=lambda one: sum(mean_iou(one, other) for other in versions))


def in_milliseconds(starts: Sequence[float], end: int) -> Segmentation:
    """Versions of a video on one scale of milliseconds.

    A story that begins in the video's last half millisecond has no length on this scale and is left
    out.
    """
    rounded = {round(start * 1000) for start in starts}
    return Segmentation(tuple(sorted(start for start in rounded if start < end)), end)


def found_by_baselines(
    library: LocalLibrary, video: str, key: str | None, count: int, others: tuple[Any, ...]
) -> dict[str, tuple[float, ...]]:
    seen = _as_methods_see(library, video).without_truth()
    starts = [shot.span.start for shot in library.shots(video)]
    found = {
        "uniform": equal_times(seen.edges, min(count, len(starts))),
        "one-per-shot": Segmentation(tuple(range(len(starts))), len(starts)),
    }
    if len(starts) > 2:
        training = [_as_methods_see(library, other) for other, _, _ in others]
        usable = [each for each in training if each.features.keys() == seen.features.keys()]
        for name in (*UNTRAINED, *(TRAINED if usable else ())):
            method = baseline(name)
            found[name] = (
                method.fit(usable, seed=0).find(seen)
                if usable or name != "raw-clustering"
                else _clustered(seen)
            )
    return {name: tuple(starts[shot] for shot in stories.starts) for name, stories in found.items()}


def _clustered(seen: Any) -> Segmentation:
    return RawDetector("auto").find(seen)


def _as_methods_see(library: LocalLibrary, video: str) -> AnnotatedVideo:
    """A video of the library in the form that benchmarks use; its truth is the consensus of
    people."""
    facts, shots = library.video(video), library.shots(video)
    end = round(facts.duration * 1000)
    versions = [
        in_milliseconds(annotation.starts, end)
        for annotation in library.annotations(video).values()
    ]
    return AnnotatedVideo(
        name=video,
        fps=1000.0,
        frame_count=end,
        shots=tuple((round(s.span.start * 1000), round(s.span.end * 1000)) for s in shots),
        features={each.name: each for each in library.features(video)},
        truth=consensus(versions) if versions else Segmentation((0,), end),
    )
