"""The demo film: a two-minute documentary with generated pictures, sound and narration.

It writes a film, its transcript and the ground truth of its shots and stories to a folder.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from storyscope.errors import MediaError
from storyscope.progress import Report, silent

__all__ = ["DemoFilm", "find_demo", "make_demo"]


@dataclass(frozen=True)
class DemoFilm:
    """The files of the demo, side by side in one folder."""

    video: Path
    transcript: Path
    truth: Path
    """Shots, transitions and stories, in frames and seconds."""
    stories: Path
    """The true stories alone, as a segmentation file over frames."""


def make_demo(
    folder: str | Path,
    *,
    scale: float = 1.0,
    pace: float = 1.0,
    stories: slice = slice(None),
    report: Report = silent,
) -> DemoFilm:
    """Make the demo film in `folder`; the same arguments give the same film.

    `scale` sizes the picture (1 is 640 x 360), `pace` the length of every shot, and `stories`
    takes some of its stories only: small values give tests a film in a few seconds.
    """
    from storyscope_demo.canvas import Size
    from storyscope_demo.film import edit, write_film
    from storyscope_demo.narration import narrate, to_srt
    from storyscope_demo.script import SCRIPT
    from storyscope_demo.truth import segmentation_file, truth_file

    folder = Path(folder)
    made = _files_in(folder)
    size = Size(2 * round(320 * scale), 2 * round(180 * scale))
    cut = edit(SCRIPT[stories], pace=pace)
    unfinished = folder / "demo.part.mp4"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_film(unfinished, cut, size, report=report)
        made.transcript.write_text(to_srt(narrate(cut)), encoding="utf-8")
        made.truth.write_text(json.dumps(truth_file(cut, size), indent=2) + "\n", encoding="utf-8")
        made.stories.write_text(json.dumps(segmentation_file(cut)) + "\n", encoding="utf-8")
        unfinished.replace(made.video)
    except OSError as error:
        raise MediaError(
            f"the demo film could not be written to {folder} ({error.strerror or error}); "
            "choose another folder, or make room"
        ) from error
    finally:
        with suppress(OSError):
            unfinished.unlink()
    return made


def find_demo(folder: str | Path) -> DemoFilm | None:
    """The demo film made earlier in `folder`, if all of it is there."""
    film = _files_in(Path(folder))
    return film if all(path.exists() for path in vars(film).values()) else None


def _files_in(folder: Path) -> DemoFilm:
    return DemoFilm(
        video=folder / "demo.mp4",
        transcript=folder / "demo.srt",
        truth=folder / "demo.truth.json",
        stories=folder / "demo.stories.json",
    )
