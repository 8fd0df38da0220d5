"""Which keyframes an image-text network encodes, and their vectors."""

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
"""A shot gets one encoded keyframe, and one more per this many seconds."""
FIRST_LOOKS, LOOKS_PER_MINUTE = 100, 5
"""Maximum number of encoded keyframes per film, and in addition per minute; other keyframes use the
vector of a similar one."""
FEWEST_FRAMES = 5
"""Minimum number of frames that count as a second: a film of one frame every ten seconds gets fewer
encoded keyframes per minute."""
LAYOUT_HEIGHT, LAYOUT_WIDTH = 9, 16
SAME_LAYOUT = 40.0
"""Distance of layouts below which two pictures are considered equal: about two grey levels
everywhere."""


@dataclass(frozen=True, eq=False)
class ImageVectors:
    """Keyframes in the embedding space of texts."""

    vectors: np.ndarray
    """float32 [keyframes, dimensions], rows of unit length, or zeros."""
    backgrounds: np.ndarray
    """float32 [keyframes, 2]: mean and standard deviation of the cosines of each with the class
    names."""
    producer: str


def look_at_keyframes(
    name: str,
    keyframes: Keyframes,
    shots: Sequence[Shot],
    pictures: Sequence[np.ndarray],
    *,
    report: Report = silent,
) -> Looks:
    """Encode a film with an image-text network; `pictures` are the pixels of its keyframes."""
    network = load_image_text(name)
    rows, layouts = _worth_a_look(keyframes, shots, pictures)
    if not rows:
        return Looks(np.zeros(0, np.int32), np.zeros((0, 0), np.float16), network.producer)
    most = most_looks(shots[-1].span.end, frames=shots[-1].frames.stop)
    chosen, stands_for = most_varied(np.stack(layouts), most)
    vectors = []
    for done, place in enumerate(chosen, start=1):
        vectors.append(network.encode_images([pictures[rows[place]]])[0])
        report(Step("looks", done, len(chosen), note=f"with {name}"))
    seen = np.stack(vectors)[stands_for]
    return Looks(np.array(rows, np.int32), seen.astype(np.float16), network.producer)


def most_looks(seconds: float, *, frames: int | None = None) -> int:
    """The maximum number of encoded pictures of a film, because encoding dominates the cost of
    indexing."""
    if frames is not None:
        seconds = min(seconds, frames / FEWEST_FRAMES)
    return FIRST_LOOKS + round(LOOKS_PER_MINUTE * seconds / 60)


def most_varied(layouts: np.ndarray, most: int) -> tuple[list[int], np.ndarray]:
    """The pictures to encode, and for every picture the index of the one whose vector it uses.

    Each is the one that differs most from those selected before, so that where a film alternates
    between two cameras, each is encoded once. `layouts` has one row per picture.
    """
    apart = np.full(len(layouts), np.inf, np.float32)
    stands_for = np.zeros(len(layouts), int)
    chosen: list[int] = []
    while len(chosen) < min(most, len(layouts)):
        farthest = int(apart.argmax())
        if apart[farthest] < SAME_LAYOUT:
            break
        distance = np.linalg.norm(layouts - layouts[farthest], axis=1)
        stands_for = np.where(distance < apart, len(chosen), stands_for)
        apart = np.minimum(apart, distance)
        chosen.append(farthest)
    return chosen, stands_for


def image_vectors(name: str, looks: Looks, keyframes: Keyframes) -> ImageVectors:
    """The vector of every keyframe: its own, otherwise that of the nearest encoded keyframe of its
    shot.

    Where no keyframe of a shot was encoded, the rows are zeros.
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
    """For every encoding, the possible keyframes, the one nearest to the middle of its stretch
    first.

    A shot's keyframes are split into as many stretches as it gets encodings.
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


def _worth_a_look(
    keyframes: Keyframes, shots: Sequence[Shot], pictures: Sequence[np.ndarray]
) -> tuple[list[int], list[np.ndarray]]:
    """The keyframe used for each encoding, if it is not blank, and its layout."""
    rows, layouts = [], []
    for choices in candidates(keyframes, shots):
        for row in choices:
            small = pictures[row][::4, ::4]
            if not is_blank(small):
                rows.append(row)
                layouts.append(_layout(small))
                break
    return rows, layouts


def _layout(rgb: np.ndarray) -> np.ndarray:
    """The colours of a picture and their positions, float32 [432]."""
    rows = np.linspace(0, rgb.shape[0], LAYOUT_HEIGHT + 1).astype(int)[:-1]
    columns = np.linspace(0, rgb.shape[1], LAYOUT_WIDTH + 1).astype(int)[:-1]
    sums = np.add.reduceat(np.add.reduceat(rgb.astype(np.float32), rows, 0), columns, 1)
    area = np.add.reduceat(np.add.reduceat(np.ones(rgb.shape[:2]), rows, 0), columns, 1)
    return np.asarray(sums / area[..., None], np.float32).ravel()
