"""Pictures of a library: thumbnails, single frames, contact sheets of hits, and the waveform."""

from __future__ import annotations

import io
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING

import numpy as np

from storyscope.config import MediaConfig
from storyscope.core import Hit, Keyframes, Sound, Story, Thumbnail, Video
from storyscope.errors import MediaError
from storyscope.features import to_jpeg
from storyscope.formats import write_sprite_sheet
from storyscope.media import read_frames
from storyscope.report import Findings, HitPictures, Truth, hit_sheet
from storyscope.store import Store
from storyscope.writing import write_whole

if TYPE_CHECKING:
    from PIL import Image

    from storyscope.library.local import LocalLibrary

log = logging.getLogger(__name__)

SMALL_HEIGHT = 90
STILL_QUALITY = 90


def picture_file(store: Store, video: str, seconds: float) -> Path:
    """A file with the keyframe nearest to a time, written when it is first requested."""
    frame, picture, scan = store.load_picture(video, seconds)
    path = store.folder / "pictures" / video / f"{scan[:8]}-{frame}.jpg"
    if not path.exists():
        try:
            write_whole(path, [picture])
        except OSError:  # The pictures of a read-only library can still be shown.
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


def write_thumbnails(
    library: LocalLibrary, video: str
) -> list[tuple[Thumbnail, tuple[Path, Path]]]:
    """Write every story's thumbnail at two sizes, and a sprite sheet with its WebVTT."""
    chosen = library.thumbnails(video, library.stories(video))
    film, folder = library.video(video), library.folder / "pictures" / video
    large = stills(film.path, chosen, library.config.media)
    files = _write_pictures(film, library.film(video).keyframes, chosen, folder, large)
    return list(zip(chosen, files, strict=True))


def findings(
    library: LocalLibrary, video: str, stories: Sequence[Story], truth: Truth | None
) -> Findings:
    """The data that reports and contact sheets show of a video."""
    film = library.film(video)
    return Findings(
        library.video(video),
        stories,
        film.shots,
        film.keyframes,
        truth,
        library.cues(video),
        {shown.story: shown.seconds for shown in library.thumbnails(video, stories)},
    )


def loudness(sound: Sound | None, points: int) -> list[float]:
    """The loudness of a video over time, from 0 to 1; empty without sound."""
    if sound is None or not len(sound.mfcc):
        return []
    energy = np.asarray(sound.mfcc)[:, 0].astype(np.float32)
    edges = np.linspace(0, len(energy), min(points, len(energy)) + 1).astype(int)
    loudest = np.maximum.reduceat(energy, edges[:-1])
    low, high = np.percentile(loudest, (2, 99.5))
    level = np.clip((loudest - low) / max(float(high - low), 1e-6), 0, 1)
    return [round(float(value), 3) for value in level]


def stills(path: str, chosen: Sequence[Thumbnail], config: MediaConfig) -> dict[float, bytes]:
    """The frame of each thumbnail at the film's full size, as JPEG, by its time.

    Empty if the film is missing or cannot be read: the stored keyframes are smaller.
    """
    times = sorted({thumbnail.seconds for thumbnail in chosen})
    try:
        frames = read_frames(path, times, config=config)
        return {
            seconds: to_jpeg(frame.rgb, quality=STILL_QUALITY)
            for seconds, frame in zip(times, frames, strict=True)
        }
    except (MediaError, OSError) as error:
        log.warning("thumbnails are as small as the keyframes: %s", error)
        return {}


def _write_pictures(
    video: Video,
    keyframes: Keyframes,
    chosen: Sequence[Thumbnail],
    folder: Path,
    stills: Mapping[float, bytes],
) -> list[tuple[Path, Path]]:
    """Every story's thumbnail at two sizes, and a sprite sheet with its WebVTT for scrubbing."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for number, thumbnail in enumerate(chosen, start=1):
        nearest = int(np.abs(keyframes.seconds - thumbnail.seconds).argmin())
        large, small = folder / f"story-{number}.jpg", folder / f"story-{number}-small.jpg"
        large.write_bytes(stills.get(thumbnail.seconds) or keyframes.pictures[nearest])
        small.write_bytes(_jpeg(_small(keyframes.pictures[nearest])))
        files.append((large, small))
    write_sprite_sheet(video, keyframes, folder / "sprites.vtt")
    return files


def _small(picture: bytes) -> Image.Image:
    from PIL import Image

    with Image.open(io.BytesIO(picture)) as image:
        width = max(1, round(image.width * SMALL_HEIGHT / image.height))
        return image.convert("RGB").resize((width, SMALL_HEIGHT), Image.Resampling.BILINEAR)


def _jpeg(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "JPEG", quality=80)
    return out.getvalue()
