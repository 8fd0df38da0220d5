"""Import annotations of other programs into a library: a whole file, or nothing."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from storyscope.core import VIDEO_SUFFIXES, Annotation, Shot
from storyscope.core.annotation import END_TOLERANCE_SECONDS
from storyscope.errors import AnnotationError, FormatError
from storyscope.formats import WrittenAnnotation, read_annotations
from storyscope.library.base import AUTOMATIC, Library
from storyscope.media import probe

CHAPTERED = VIDEO_SUFFIXES | {".mka"}
"""Extensions of files that may contain chapters, including Matroska audio."""


def import_annotations(
    library: Library,
    file: str | Path,
    video: str,
    *,
    annotator: str | None = None,
    tier: str | None = None,
    replace_kept: bool = False,
) -> list[Annotation]:
    """Store the stories that a file marks in a video, one version for each person."""
    fitted = annotations_in(library, file, video, annotator=annotator, tier=tier)
    _check_names(library, Path(file), video, fitted, replace_kept)
    for annotation in fitted:
        library.annotate(video, annotation)
    return fitted


def annotations_in(
    library: Library,
    file: str | Path,
    video: str,
    *,
    annotator: str | None = None,
    tier: str | None = None,
) -> list[Annotation]:
    """The stories that a file marks in a video, one version for each person; nothing is stored.

    A film is such a file if it contains chapters.
    """
    file = Path(file)
    written = _chapters_inside(file) if file.suffix.lower() in CHAPTERED else None
    if written is None:
        written = read_annotations(file, tier=tier, fps=library.video(video).fps)
    if annotator is not None and len(written) > 1:
        names = ", ".join(each.annotator for each in written)
        raise AnnotationError(
            f"{file} contains the versions of {len(written)} people ({names}), who keep their "
            "names; leave --annotator out, or choose one with --tier"
        )
    fitted = [_fit(library, video, each) for each in written]
    if annotator is not None:
        fitted = [replace(each, annotator=annotator) for each in fitted]
    return fitted


def import_chapters(
    library: Library, video: str, *, annotator: str = "chapters", replace_kept: bool = False
) -> list[Annotation]:
    """Store the chapters inside a video's own file as a person's version."""
    file = library.video(video).path
    return import_annotations(library, file, video, annotator=annotator, replace_kept=replace_kept)


def kept_versions(
    library: Library, name: str, *, automatic: bool = False
) -> list[WrittenAnnotation]:
    """Versions of the stories of a video by name: "film:ann" is one, "film" all that people made.

    With `automatic`, "film" is the automatic version; "film:automatic" always is.
    """
    video, colon, annotator = name.partition(":")
    people = library.annotations(video)
    if annotator == AUTOMATIC or (automatic and not colon):
        stories = library.stories(video, annotator=AUTOMATIC)
        starts = (0.0, *(story.span.start for story in stories[1:]))
        return [_written(name, Annotation(AUTOMATIC, starts, library.video(video).duration))]
    if not people:
        raise AnnotationError(
            f"nobody has annotated {video}; mark its stories on the page, or import them with "
            "`storyscope import`"
        )
    if colon and annotator not in people:
        raise AnnotationError(
            f"{annotator!r} has not annotated {video}; annotated by {', '.join(people)}"
        )
    return [_written(name, people[each]) for each in ([annotator] if colon else people)]


def _written(name: str, version: Annotation) -> WrittenAnnotation:
    return WrittenAnnotation(
        file=Path(name),
        annotator=version.annotator,
        unit="seconds",
        starts=version.starts,
        lines=tuple(range(1, len(version.starts) + 1)),
        end=version.end,
        titles=version.titles,
    )


def _chapters_inside(file: Path) -> list[WrittenAnnotation]:
    """The chapters inside a film."""
    facts = probe(file)
    if not facts.chapters:
        raise FormatError(f"{file} has no chapters inside; give a file that marks the stories")
    chapters = sorted(facts.chapters, key=lambda chapter: chapter.span.start)
    starts = (0.0, *(chapter.span.start for chapter in chapters[1:]))
    return [
        WrittenAnnotation(
            file=file,
            annotator=file.stem,
            unit="seconds",
            starts=starts,
            lines=tuple(range(1, len(starts) + 1)),
            end=chapters[-1].span.end,
            titles=tuple(chapter.title for chapter in chapters),
        ).checked()
    ]


def _fit(library: Library, video: str, written: WrittenAnnotation) -> Annotation:
    """The annotation converted to seconds, extended to the exact end of the video."""
    duration = library.video(video).duration
    if written.unit == "positions":
        written = _in_seconds(library.shots(video), written)
    end = duration if written.end is None else written.end
    if abs(end - duration) > END_TOLERANCE_SECONDS:
        raise AnnotationError(
            f"{written.file}:{written.end_line}: the stories end at {end:.1f} s, but {video} at "
            f"{duration:.1f} s; is the file of another video?"
        )
    return replace(written, end=duration).in_seconds()


def _in_seconds(shots: Sequence[Shot], written: WrittenAnnotation) -> WrittenAnnotation:
    """Positions are frames or shots of the film, depending on the end."""
    frame_count = shots[-1].frames.stop
    if written.end == len(shots):
        starts = tuple(shots[int(start)].span.start for start in written.checked().starts)
    elif written.end == frame_count:
        starts = tuple(_seconds_of_frame(shots, int(start)) for start in written.checked().starts)
    else:
        raise AnnotationError(
            f"{written.file}:{written.end_line}: positions end at {written.end:g}, but the video "
            f"has {frame_count} frames and {len(shots)} shots"
        )
    return replace(written, unit="seconds", starts=starts, end=shots[-1].span.end)


def _seconds_of_frame(shots: Sequence[Shot], frame: int) -> float:
    """Exact at shot boundaries; inside a shot, as if its frames were evenly spaced."""
    place = bisect_right([shot.frames.start for shot in shots], frame) - 1
    shot = shots[place]
    share = (frame - shot.frames.start) / len(shot.frames)
    return shot.span.start + share * shot.span.length


def _check_names(
    library: Library, file: Path, video: str, fitted: Sequence[Annotation], replace_kept: bool
) -> None:
    people = Counter(annotation.annotator for annotation in fitted)
    twice = [person for person, times in people.items() if times > 1]
    if twice:
        raise AnnotationError(
            f"{file} contains two versions by {twice[0]}; give them different names"
        )
    kept = [person for person in people if person in library.annotations(video)]
    if kept and not replace_kept:
        raise AnnotationError(
            f"{kept[0]} has annotated {video} already; give another name with --annotator, or "
            "replace it with --replace"
        )
