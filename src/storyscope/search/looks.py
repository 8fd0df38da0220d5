"""Which keyframes an image-text network looks at, and how it sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from storyscope.core import Keyframes, Looks, Shot
from storyscope.features import is_blank
from storyscope.progress import Report, Step, silent
from storyscope.search.image_match import background
from storyscope.search.image_text import load_image_text, name_vectors

SECONDS_PER_LOOK = 12.0
"""A shot is looked at once, and once more for every so many seconds."""


@dataclass(frozen=True, eq=False)
class ImageVectors:
    """Keyframes in the space that they share with texts."""

    vectors: np.ndarray
    """float32 [keyframes, dimensions], rows of unit length, or zeros."""
    backgrounds: np.ndarray
    """float32 [keyframes, 2]: mean and deviation of the cosines of each with the class names."""
    producer: str


def look_at_keyframes(
    name: str,
    keyframes: Keyframes,
    shots: Sequence[Shot],
    pictures: Sequence[np.ndarray],
    *,
    report: Report = silent,
) -> Looks:
    """See a film with an image-text network; `pictures` are the pixels of its keyframes."""
    network = load_image_text(name)
    wanted = candidates(keyframes, shots)
    rows, vectors = [], []
    for done, choices in enumerate(wanted, start=1):
        row = next((row for row in choices if not is_blank(pictures[row][::4, ::4])), None)
        if row is not None:
            rows.append(row)
            vectors.append(network.encode_images([pictures[row]])[0])
        report(Step("looks", done, len(wanted), note=f"with {name}"))
    seen = np.stack(vectors) if vectors else np.zeros((0, 0))
    return Looks(np.array(rows, np.int32), seen.astype(np.float16), network.producer)


def image_vectors(name: str, looks: Looks, keyframes: Keyframes) -> ImageVectors:
    """The vector of every keyframe: its own, else that of the nearest look at its shot.

    Where a shot was not looked at, the rows are zeros.
    """
    model = load_image_text(name)
    vectors = model.comparable(looks.vectors.astype(np.float32))
    found = np.zeros((len(keyframes.shots), vectors.shape[1]), np.float32)
    for row, (shot, second) in enumerate(zip(keyframes.shots, keyframes.seconds, strict=True)):
        same = np.flatnonzero(keyframes.shots[looks.rows] == shot)
        if len(same):
            apart = np.abs(keyframes.seconds[looks.rows[same]] - second)
            found[row] = vectors[same[apart.argmin()]]
    return ImageVectors(found, background(found, name_vectors(model)), looks.producer)


def candidates(keyframes: Keyframes, shots: Sequence[Shot]) -> list[list[int]]:
    """For every look, the keyframes it may take, the one nearest the middle of its stretch first.

    A shot's keyframes are parted into as many stretches as it is worth looks.
    """
    found = []
    for shot in np.unique(keyframes.shots).tolist():
        own = np.flatnonzero(keyframes.shots == shot)
        looks = 1 + int(shots[shot].span.length / SECONDS_PER_LOOK)
        for stretch in np.array_split(own, min(looks, len(own))):
            middle = keyframes.seconds[stretch].mean()
            nearest = np.argsort(np.abs(keyframes.seconds[stretch] - middle), kind="stable")
            found.append(stretch[nearest].tolist())
    return found
