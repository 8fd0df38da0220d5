"""The rows of one story as bytes, and a segment made from those of many stories."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence

import numpy as np

from storyscope.search.passages import TOP_CLASSES
from storyscope.search.segment import IndexedVideo, Segment

_COUNTS = struct.Struct("<III")


def split_stories(segment: Segment) -> Iterator[bytes]:
    """The rows of every story of a segment, in order."""
    rows = {name: part.values for name, part in segment.rows.items()}
    windows = _runs(rows["window_owners"], rows["window_starts"], len(rows["windows"]))
    shots = _runs(rows["shot_owners"], rows["shot_starts"], len(rows["classes"]))
    norm_of = {int(owner): number for number, owner in enumerate(rows["window_owners"])}
    image_dimensions = rows["images"].shape[1]
    for story in range(segment.story_count):
        said, shown = windows.get(story, slice(0, 0)), shots.get(story, slice(0, 0))
        seen = shown if image_dimensions else slice(0, 0)
        norms = rows["story_norms"][[norm_of[story]] if story in norm_of else []]
        counts = (said.stop - said.start, shown.stop - shown.start, image_dimensions)
        parts = (
            rows["window_scales"][said],
            norms,
            rows["shares"][shown],
            rows["shot_norms"][shown],
            rows["image_scales"][seen],
            rows["backgrounds"][seen],
            rows["windows"][said],
            rows["classes"][shown],
            rows["images"][seen],
        )
        yield _COUNTS.pack(*counts) + b"".join(part.tobytes() for part in parts)


def join_stories(stories: Sequence[bytes], class_vectors: np.ndarray, images: int) -> Segment:
    """A segment of these stories, in sequence; `images` is the number of image dimensions."""
    counts = np.array([_COUNTS.unpack_from(story) for story in stories], int).reshape(-1, 3)
    for other in set(counts[:, 2].tolist()) - {images}:
        raise ValueError(f"a story with {other} image dimensions, not {images}")
    window_counts, shot_counts = counts[:, 0], counts[:, 1]
    scales, norms, shares, shot_norms, image_scales, backgrounds, windows, classes, pictures = (
        _joined_fields(stories, window_counts, shot_counts, class_vectors.shape[1], images)
    )
    said, shown = window_counts > 0, shot_counts > 0
    rows = {
        "windows": windows,
        "window_scales": scales,
        "window_owners": np.flatnonzero(said),
        "window_starts": (np.cumsum(window_counts) - window_counts)[said],
        "story_norms": norms,
        "classes": classes,
        "shares": shares,
        "shot_norms": shot_norms,
        "shot_owners": np.flatnonzero(shown),
        "shot_starts": (np.cumsum(shot_counts) - shot_counts)[shown],
        "images": pictures,
        "image_scales": image_scales,
        "backgrounds": backgrounds,
        "passage_owners": np.zeros(0, np.int32),
    }
    all_stories = IndexedVideo("", "", range(len(stories)), range(0), 0)
    return Segment(class_vectors, images, videos=[all_stories], rows=rows)


def _joined_fields(
    stories: Sequence[bytes], windows: np.ndarray, shots: np.ndarray, dimensions: int, images: int
) -> Iterator[np.ndarray]:
    """Each field of the rows of many stories, in the order of the fields of one story."""
    seen = shots if images else 0 * shots
    fields: list[tuple[type, np.ndarray, tuple[int, ...]]] = [
        (np.float32, windows, ()),
        (np.float32, np.minimum(windows, 1), ()),
        (np.float32, shots, (TOP_CLASSES,)),
        (np.float32, shots, ()),
        (np.float32, seen, ()),
        (np.float32, seen, (2,)),
        (np.int16, windows, (dimensions,)),
        (np.uint16, shots, (TOP_CLASSES,)),
        (np.int16, seen, (images,)),
    ]
    starts = np.full(len(stories), _COUNTS.size)
    for kind, counts, row in fields:
        ends = starts + counts * math.prod(row) * np.dtype(kind).itemsize
        parts = zip(stories, starts.tolist(), ends.tolist(), strict=True)
        whole = b"".join(story[start:end] for story, start, end in parts)
        yield np.frombuffer(whole, kind).reshape(int(counts.sum()), *row)
        starts = ends


def _runs(owners: np.ndarray, starts: np.ndarray, count: int) -> dict[int, slice]:
    """The rows of each story that has any; a film without a transcript has no windows at all."""
    ends = [*starts.tolist(), count][1:]
    runs = zip(owners.tolist(), starts.tolist(), ends, strict=True)
    return {owner: slice(start, end) for owner, start, end in runs}
