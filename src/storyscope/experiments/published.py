"""The published layouts of the two collections that the paper is judged on.

BBC Planet Earth:

    annotations/shots/01_From_Pole_to_Pole.txt                one shot a line: first and last frame
    annotations/scenes/annotator_0/01_From_Pole_to_Pole.txt   first shots of the stories: 0,4,9,...
    annotations/scenes/annotator_1/...

Ally McBeal: one table an episode, `annotations/*.csv`, with a line per shot: its first frame, its
last frame, and the number or name of its story.

Videos and transcripts of the same name lie anywhere in the folder.

The marks of the paper's three users, who chose frames, were not published. Whoever has such marks
lays them down as `annotations/marks/01_From_Pole_to_Pole.txt`: for each shot, a line with the
number of people who marked its middle frame.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from storyscope.core import VIDEO_SUFFIXES, Segmentation
from storyscope.errors import AnnotationError

TRANSCRIPT_SUFFIXES = (".srt", ".vtt", ".ass", ".ssa", ".ttml", ".sbv", ".sub")
EDITION_TOLERANCE = 0.02
"""Maximum relative difference in length: beyond it, the video is another edition than its
annotation."""


@dataclass(frozen=True)
class PublishedVideo:
    """The published annotation of one video."""

    name: str
    stem: str
    """Name of its files."""
    shots: tuple[tuple[int, int], ...]
    """First and end frame of each shot, frames counted from 0."""
    annotations: Mapping[str, tuple[int, ...]]
    """The first shot of each story, by annotator; shots counted from 0."""
    video: Path | None = None
    transcript: Path | None = None
    marks: tuple[int, ...] | None = None
    """How many people marked the middle frame of each shot, if known."""

    def shot_stories(self, annotator: str) -> Segmentation:
        """One person's stories over the annotated shots."""
        firsts = [shot for shot in self.annotations[annotator] if shot > 0]
        return Segmentation.from_cuts(firsts, len(self.shots))

    def stories(self, annotator: str, frame_count: int | None = None) -> Segmentation:
        """One person's stories over frames, of the annotated film or of one of the same length."""
        end = self.shots[-1][1]
        length = end if frame_count is None else frame_count
        if abs(length - end) > EDITION_TOLERANCE * end:
            raise AnnotationError(
                f"{self.video} has {length} frames, its annotation {end}; "
                "the annotation is of another edition of the film"
            )
        cuts = [self.shots[shot][0] for shot in self.annotations[annotator] if shot > 0]
        return Segmentation.from_cuts([cut for cut in cuts if cut < length], length)


def read_bbc(folder: str | Path) -> list[PublishedVideo]:
    """The episodes of BBC Planet Earth with the stories of every annotator."""
    folder = Path(folder)
    files = sorted((folder / "annotations" / "shots").glob("*.txt"))
    if not files:
        raise AnnotationError(f"{folder} has no annotations/shots/*.txt; is it BBC Planet Earth?")
    people = sorted(p for p in (folder / "annotations" / "scenes").glob("*") if p.is_dir())
    shots = {file.stem: _read_shots(file) for file in files}
    firsts = {
        (person.name, stem): _read_firsts(person / f"{stem}.txt", len(shots[stem]))
        for person in people
        for stem in shots
    }
    base = _counted_from({key: (numbers, len(shots[key[1]])) for key, numbers in firsts.items()})
    return [
        PublishedVideo(
            name=re.sub(r"^\d+[_ ]*", "", stem).replace("_", " "),
            stem=stem,
            shots=shots[stem],
            annotations={
                person.name: tuple(n - base for n in firsts[person.name, stem]) for person in people
            },
            **_media(folder, stem),
            marks=_read_marks(folder, stem, len(shots[stem])),
        )
        for stem in shots
    ]


def read_ally(folder: str | Path) -> list[PublishedVideo]:
    """The episodes of Ally McBeal, from one table of shots and stories each."""
    folder = Path(folder)
    places = (folder / "annotations", folder)
    files = next((f for f in (sorted(p.glob("*.csv")) for p in places) if f), [])
    if not files:
        raise AnnotationError(
            f"{folder} has no annotations/*.csv; expected one line per shot: "
            "first frame, last frame, story"
        )
    return [_read_episode(folder, file, number) for number, file in enumerate(files, start=1)]


def _read_episode(folder: Path, file: Path, number: int) -> PublishedVideo:
    spans, labels, lines = [], [], []
    for line, text in _lines(file):
        cells = [cell.strip() for cell in re.split(r"[;,\t]", text)]
        if line == 1 and not cells[0].lstrip("-").isdigit():
            continue
        if len(cells) < 3 or not (cells[0].isdigit() and cells[1].isdigit()):
            raise AnnotationError(f"{file}:{line}: expected first frame, last frame, story")
        spans.append((int(cells[0]), int(cells[1])))
        labels.append(cells[2])
        lines.append(line)
    firsts = [i for i, label in enumerate(labels) if i == 0 or label != labels[i - 1]]
    return PublishedVideo(
        name=f"Ep. {number}",
        stem=file.stem,
        shots=_half_open(file, spans, lines),
        annotations={"annotator_0": tuple(firsts)},
        **_media(folder, file.stem),
        marks=_read_marks(folder, file.stem, len(spans)),
    )


def _read_shots(file: Path) -> tuple[tuple[int, int], ...]:
    spans, lines = [], []
    for line, text in _lines(file):
        cells = re.split(r"[\s,;]+", text.strip())
        if len(cells) < 2 or not all(cell.isdigit() for cell in cells[:2]):
            raise AnnotationError(
                f"{file}:{line}: expected first and last frame, got {text.strip()!r}"
            )
        spans.append((int(cells[0]), int(cells[1])))
        lines.append(line)
    return _half_open(file, spans, lines)


def _half_open(
    file: Path, spans: Sequence[tuple[int, int]], lines: Sequence[int]
) -> tuple[tuple[int, int], ...]:
    """Frames from 0 and ends exclusive, however the file counts them."""
    if not spans:
        raise AnnotationError(f"{file}:1: expected one shot per line, got none")
    for line, (before, after) in zip(lines[1:], pairwise(spans), strict=True):
        if after[0] <= before[0]:
            raise AnnotationError(f"{file}:{line}: shots must be in order, got {after[0]}")
    steps = [after[0] - before[1] for before, after in pairwise(spans)]
    last_included = steps.count(1) > steps.count(0)
    base = 1 if spans[0][0] == 1 else 0
    return tuple((start - base, end - base + last_included) for start, end in spans)


def _read_firsts(file: Path, shot_count: int) -> list[int]:
    if not file.exists():
        raise AnnotationError(f"{file} is missing: this annotator has no stories for it")
    numbers: list[int] = []
    for line, text in _lines(file):
        for cell in filter(None, re.split(r"[\s,;]+", text)):
            if not cell.isdigit() or int(cell) > shot_count:
                raise AnnotationError(
                    f"{file}:{line}: {cell!r} is not one of the {shot_count} shots"
                )
            if numbers and int(cell) <= numbers[-1]:
                raise AnnotationError(f"{file}:{line}: first shots must rise, got {cell}")
            numbers.append(int(cell))
    if not numbers:
        raise AnnotationError(f"{file}:1: expected the first shots of the stories, got none")
    return numbers


def _read_marks(folder: Path, stem: str, shot_count: int) -> tuple[int, ...] | None:
    file = folder / "annotations" / "marks" / f"{stem}.txt"
    if not file.exists():
        return None
    numbers = []
    for line, text in _lines(file):
        if not text.strip().isdigit():
            raise AnnotationError(
                f"{file}:{line}: expected a number of marks, got {text.strip()!r}"
            )
        numbers.append(int(text))
    if len(numbers) != shot_count:
        raise AnnotationError(
            f"{file}: expected one line per shot, {shot_count}, got {len(numbers)}"
        )
    return tuple(numbers)


def _counted_from(firsts: Mapping[tuple[str, str], tuple[Sequence[int], int]]) -> int:
    """Whether the files count shots from 0 or from 1; all files count the same way."""
    if any(numbers[0] == 0 for numbers, _ in firsts.values()):
        for (person, stem), (numbers, shot_count) in firsts.items():
            if numbers[-1] >= shot_count:
                raise AnnotationError(
                    f"{person}/{stem}.txt: shot {numbers[-1]} of {shot_count}, counted from 0"
                )
        return 0
    all_begin_with_one = all(numbers[0] == 1 for numbers, _ in firsts.values())
    some_reach_the_count = any(numbers[-1] == count for numbers, count in firsts.values())
    return 1 if all_begin_with_one or some_reach_the_count else 0


def _media(folder: Path, stem: str) -> dict[str, Path | None]:
    found: dict[str, Path | None] = {"video": None, "transcript": None}
    for file in sorted(folder.rglob(f"{_literal(stem)}.*")):
        for kind, suffixes in (("video", VIDEO_SUFFIXES), ("transcript", TRANSCRIPT_SUFFIXES)):
            if file.suffix.lower() in suffixes and found[kind] is None:
                found[kind] = file
    return found


def _literal(stem: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", stem)


def _lines(file: Path) -> list[tuple[int, str]]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise AnnotationError(f"{file} is not text in UTF-8") from error
    return [(n, line) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]
