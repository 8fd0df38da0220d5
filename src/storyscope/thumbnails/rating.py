"""Rate how suitable each keyframe is as a thumbnail, independent of a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from storyscope.core import Keyframes, Ratings, Shot, VisionOutput, in_batches
from storyscope.models import class_names
from storyscope.progress import Report, Step, silent
from storyscope.thumbnails.quality import measure_quality
from storyscope.thumbnails.ranker import Ranker

NO_RANKER = "no ranker"
"""Prefix of the producer of ratings without beauty."""
LETTERED_CLASSES = ("website", "menu", "dust jacket", "crossword", "scoreboard")
"""Classes that the image network assigns to credit rolls and title cards."""


def rate_keyframes(
    keyframes: Keyframes,
    vision: VisionOutput,
    shots: Sequence[Shot],
    ranker: Ranker,
    *,
    report: Report = silent,
) -> Ratings:
    """Rate every keyframe; a ranker made for another backbone rates all as equally beautiful."""
    qualities = []
    for number, data in enumerate(keyframes.pictures, start=1):
        qualities.append(measure_quality(_decode(data)))
        if number % 50 == 0 or number == len(keyframes):
            report(Step("thumbnails", number, len(keyframes)))
    posteriors = vision.posteriors
    lettered = [number for number, name in enumerate(class_names()) if name in LETTERED_CLASSES]
    ratings = Ratings(
        beauty=np.zeros(len(vision), np.float32),
        sharpness=np.array([quality.sharpness for quality in qualities], np.float32),
        exposure=np.array([quality.exposure for quality in qualities], np.float32),
        entropy=np.array([quality.entropy for quality in qualities], np.float32),
        variety=np.array([quality.variety for quality in qualities], np.float32),
        lettering=np.concatenate(
            [part[:, lettered].astype(np.float32).sum(axis=1) for part in in_batches(posteriors)]
        ),
        clear=_clear(keyframes.frames, shots),
        producer="",
    )
    return rate_beauty(ratings, vision, ranker)


def rate_beauty(ratings: Ratings, vision: VisionOutput, ranker: Ranker) -> Ratings:
    """The same ratings, with the beauty by this ranker.

    A ranker works with the hypercolumns of one image network; for another one, the ratings say that
    there is no beauty.
    """
    fits = vision.producer.split("@")[0] == ranker.backbone
    beauty = ranker.beauty(vision.hypercolumns) if fits else np.full(len(vision), 0.5, np.float32)
    made_by = f"ranker {ranker.digest[:12]}" if fits else NO_RANKER
    return replace(ratings, beauty=beauty, producer=f"{made_by} on {vision.producer}")


def has_beauty(ratings: Ratings) -> bool:
    """Whether beauty was rated by a ranker trained for the image network in use."""
    return not ratings.producer.startswith(NO_RANKER)


def _clear(frames: np.ndarray, shots: Sequence[Shot]) -> np.ndarray:
    clear = np.ones(len(frames), np.float32)
    for shot in shots:
        first, end = shot.transition.first_frame, shot.transition.end_frame
        clear[(frames >= first) & (frames < end)] = 0
    return clear


def _decode(data: bytes) -> np.ndarray:
    import io

    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert("RGB"))
