"""Write exports to disk: all their files or none, without replacing existing files."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from storyscope.errors import FormatError
from storyscope.formats.registry import Format
from storyscope.formats.timeline import Timeline
from storyscope.writing import EXPORTING, sweep_abandoned


def save_files(kind: Format, timeline: Timeline, output: Path, *, overwrite: bool = False) -> None:
    """Write a format to a file or folder, and its additional files; `overwrite` replaces files.

    Files that a format extends, such as an .nfo, keep their content.
    """
    folder = output.absolute().parent
    if not folder.is_dir():
        raise FormatError(
            f"{output} cannot be written: the folder {output.parent} does not exist; "
            "create it first"
        )
    sweep_abandoned(folder)
    staging = Path(tempfile.mkdtemp(dir=folder, prefix=EXPORTING))
    try:
        made = staging / output.name
        for suffix in kind.adds_to:
            if (theirs := output.with_suffix(suffix)).is_file():
                shutil.copyfile(theirs, made.with_suffix(suffix))
        if kind.write is not None:
            made.write_text(kind.write(timeline), encoding="utf-8")
        elif kind.save is not None:
            kind.save(timeline, made)
        _move(kind, staging, folder, overwrite=overwrite)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _move(kind: Format, staging: Path, folder: Path, *, overwrite: bool) -> None:
    """Move every file into place, after checking that none exists."""
    files = [path for path in sorted(staging.rglob("*")) if path.is_file()]
    places = {path: folder / path.relative_to(staging) for path in files}
    for place in places.values():
        taken = place.exists() or place.is_symlink()
        if taken and not overwrite and place.suffix not in kind.adds_to:
            raise FormatError(
                f"{place} already exists; choose another --output, or replace it with --overwrite"
            )
    for path, place in places.items():
        place.parent.mkdir(exist_ok=True)
        path.replace(place)
