"""The faces of a video: found on its keyframes, and grouped into people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from storyscope.core import Shot, Span
from storyscope.core.similar import similar_groups
from storyscope.features import Decoded, from_jpeg, load_face_networks, to_jpeg
from storyscope.library.people import FACES, Portrait
from storyscope.progress import Report, Step, silent
from storyscope.store import SCAN, Store

SAME_FACE = 0.4
"""Mean cosine of two groups of faces above which they are one person."""
MIN_KEYFRAMES = 2
"""Minimum number of keyframes that show a person: others are passers-by."""
AROUND = 1.7
"""Side of the picture of a face, relative to the longer side of its box."""


@dataclass(frozen=True, eq=False)
class Sighting:
    """A face on a keyframe."""

    keyframe: int
    shot: int
    portrait: Portrait
    vector: np.ndarray
    """float32, of length one."""


def find_faces(store: Store, video: str, *, report: Report = silent) -> None:
    """Find the people whose faces a video shows, and store when; earlier names are dropped."""
    networks = load_face_networks()
    film = store.load(video, SCAN)
    keyframes = film.keyframes
    sightings = []
    for n, picture in enumerate(Decoded(keyframes.pictures)):
        height, width = picture.shape[:2]
        for face in networks.find(picture):
            box = (face.box / (width, height, width, height)).round(4).tolist()
            portrait = Portrait(float(keyframes.seconds[n]), *box)
            vector = networks.encode(picture, face)
            sightings.append(Sighting(n, int(keyframes.shots[n]), portrait, vector))
        report(Step("faces", n + 1, len(keyframes)))
    numbered = dict(enumerate(group_faces(sightings), start=1))
    times = [(span, n) for n, of in numbered.items() for span in appearances(of, film.shots)]
    pictures = {n: _largest(of) for n, of in numbered.items()}
    FACES.keep(store, video, times, pictures)


def face_picture(store: Store, video: str, number: int) -> bytes:
    """A JPEG of the largest face of a person in a video, cut from its keyframe."""
    from PIL import Image

    portrait = FACES.picture(store, video, number)
    keyframes = store.load(video, SCAN).keyframes
    nearest = int(np.abs(keyframes.seconds - portrait.seconds).argmin())
    picture = Image.fromarray(from_jpeg(keyframes.pictures[nearest]))
    left, width = (share * picture.width for share in (portrait.left, portrait.width))
    top, height = (share * picture.height for share in (portrait.top, portrait.height))
    side = round(min(AROUND * max(width, height), *picture.size))
    x = round(np.clip(left + width / 2 - side / 2, 0, picture.width - side))
    y = round(np.clip(top + height / 2 - side / 2, 0, picture.height - side))
    return to_jpeg(np.asarray(picture.crop((x, y, x + side, y + side))))


def group_faces(sightings: Sequence[Sighting]) -> list[list[Sighting]]:
    """The sightings of each person, the one on most keyframes first.

    Faces are grouped within each shot first: they hardly change there, and the second step then
    compares only the mean faces of each shot.
    """
    tracks = []
    for _, of_shot in groupby(sightings, key=lambda sighting: sighting.shot):
        tracks += _joined([[sighting] for sighting in of_shot])
    known = [of for of in _joined(tracks) if _keyframe_count(of) >= MIN_KEYFRAMES]
    return sorted(known, key=lambda of: (-_keyframe_count(of), of[0].keyframe))


def appearances(sightings: Sequence[Sighting], shots: Sequence[Shot]) -> list[Span]:
    """The shots that show a person, each as a whole."""
    return [shots[number].span for number in sorted({sighting.shot for sighting in sightings})]


def _joined(parts: Sequence[list[Sighting]]) -> list[list[Sighting]]:
    """Parts whose mean faces are similar, joined."""
    if not parts:
        return []
    means = np.stack([np.mean([s.vector for s in part], axis=0) for part in parts])
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
    groups = similar_groups(means, min_cosine=SAME_FACE)
    return [
        [sighting for n in np.flatnonzero(groups == group).tolist() for sighting in parts[n]]
        for group in dict.fromkeys(groups.tolist())
    ]


def _keyframe_count(sightings: Sequence[Sighting]) -> int:
    return len({sighting.keyframe for sighting in sightings})


def _largest(sightings: Sequence[Sighting]) -> Portrait:
    """The picture with the largest face of a person."""
    portraits = [sighting.portrait for sighting in sightings]
    return max(portraits, key=lambda portrait: portrait.width * portrait.height)
