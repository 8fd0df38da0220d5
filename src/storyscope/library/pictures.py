"""Pictures of a library for people: single frames, sheets of hits, and how loud a video is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING

import numpy as np

from storyscope.core import Hit, Sound
from storyscope.report import HitPictures, hit_sheet
from storyscope.store import SCAN, Store
from storyscope.writing import write_whole

if TYPE_CHECKING:
    from storyscope.library.local import LocalLibrary


def picture_file(store: Store, video: str, seconds: float) -> Path:
    """A file with the keyframe nearest to a time, written when it is first asked for."""
    scan = store.key(video, SCAN) or ""
    frame, picture = store.load_picture(video, seconds)
    path = store.folder / "pictures" / video / f"{scan[:8]}-{frame}.jpg"
    if not path.exists():
        try:
            write_whole(path, [picture])
        except OSError:  # A library that cannot be written can still show its pictures.
            path = Path(gettempdir()) / f"storyscope-{scan[:16]}-{frame}.jpg"
            write_whole(path, [picture])
    return path


def draw_hits(library: LocalLibrary, query: str, hits: Sequence[Hit], path: Path) -> None:
    """Draw each hit's middle frame, most beautiful frame and thumbnail side by side."""
    shown = []
    for hit in hits:
        times = (
            hit.story.span.middle,
            library.thumbnail(hit.video, hit.story).seconds,
            hit.thumbnail.seconds,
        )
        middle, beautiful, chosen = (
            library.picture(hit.video, seconds).read_bytes() for seconds in times
        )
        shown.append(HitPictures(hit, (middle, beautiful, chosen)))
    hit_sheet(query, shown, path)


def loudness(sound: Sound | None, points: int) -> list[float]:
    """How loud a video is over time, from 0 to 1; empty without sound."""
    if sound is None or not len(sound.mfcc):
        return []
    energy = np.asarray(sound.mfcc)[:, 0].astype(np.float32)
    edges = np.linspace(0, len(energy), min(points, len(energy)) + 1).astype(int)
    loudest = np.maximum.reduceat(energy, edges[:-1])
    low, high = np.percentile(loudest, (2, 99.5))
    level = np.clip((loudest - low) / max(float(high - low), 1e-6), 0, 1)
    return [round(float(value), 3) for value in level]
