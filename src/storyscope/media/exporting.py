"""Copies and clips of a film, made by the decoding process and written here.

The process that reads an untrusted file may not write files: it sends the bytes and their
positions, and this side writes them to files of its own choice.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from storyscope.config import MediaConfig
from storyscope.core import Span
from storyscope.decoder import wire
from storyscope.errors import FormatError
from storyscope.media.fetching import film_at_hand
from storyscope.media.process import decoding

Chapter = tuple[Span, str]


def remux(
    path: Path,
    target: Path,
    *,
    chapters: Sequence[Chapter] = (),
    config: MediaConfig = MediaConfig(),
) -> None:
    """Copy a film to `target`, in the container given by its suffix, with chapters inside.

    Packets are copied unchanged; tracks that the container does not support are left out.
    """
    if target.exists() and path.exists() and target.samefile(path):
        raise FormatError(f"{target} is the video itself; write the copy to another name")
    marks = [(span.start, span.end, title) for span, title in chapters]
    options = {"suffix": target.suffix.lower(), "chapters": marks}
    _write_files("remux", path, config, 1, lambda number, suffix: target, options)


def cut_clips(
    path: Path,
    spans: Sequence[Span],
    place: Callable[[int, str], Path],
    *,
    exact: bool = False,
    config: MediaConfig = MediaConfig(),
) -> None:
    """Write a clip for each span to `place(number, suffix)`.

    A clip is not re-encoded, and begins at the keyframe before its span; an `exact` one is
    re-encoded, and begins exactly at the frame.
    """
    job = "encode_clips" if exact else "cut_clips"
    options = {"spans": [(span.start, span.end) for span in spans]}
    _write_files(job, path, config, len(spans), place, options)


def _write_files(
    job: str,
    path: Path,
    config: MediaConfig,
    count: int,
    place: Callable[[int, str], Path],
    options: dict[str, Any],
) -> None:
    suffix, files = "", {}
    try:
        with film_at_hand(path) as film, decoding(job, film, config, **options) as worker:
            for header, body in worker:
                if header.kind == wire.PIECE and header.stride < count:
                    if header.stride not in files:
                        files[header.stride] = _NewFile(place(header.stride, suffix))
                    files[header.stride].write(header.frame, body)
                elif header.kind == wire.NOTE:
                    facts = json.loads(body)
                    suffix = facts.get("suffix", suffix)
                    if facts.get("finished") in files:
                        files.pop(facts["finished"]).finish()
    finally:
        for file in files.values():
            file.discard()


class _NewFile:
    """An unfinished file, which gets its name only when it is complete."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_name(f".{path.name}.part")
        self._file: IO[bytes] = self._part.open("wb")
        self._size = 0

    def write(self, offset: int, data: bytes) -> None:
        # A sparse file would let a few bytes from the other side fill a disk.
        if not 0 <= offset <= self._size:
            raise FormatError(f"{self._path.name} cannot be written: a part of it is missing")
        self._file.seek(offset)
        self._file.write(data)
        self._size = max(self._size, offset + len(data))

    def finish(self) -> None:
        self._file.close()
        os.replace(self._part, self._path)

    def discard(self) -> None:
        self._file.close()
        self._part.unlink(missing_ok=True)
