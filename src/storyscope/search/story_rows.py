"""The rows of one story as bytes, and a segment made from those of many stories."""

from __future__ import annotations

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
    parts = [_parsed(story, class_vectors.shape[1], images) for story in stories]
    counts = np.array([[len(part[0]), len(part[2])] for part in parts], int).reshape(-1, 2)
    # An empty segment defines the shape of every array, even if there are no stories.
    nothing = _parsed(_COUNTS.pack(0, 0, images), class_vectors.shape[1], images)
    scales, norms, shares, shot_norms, image_scales, backgrounds, windows, classes, pictures = (
        np.concatenate(field) for field in zip(nothing, *parts, strict=True)
    )
    window_starts, shot_starts = (np.cumsum(counts, axis=0) - counts).T
    said, shown = counts.T > 0
    rows = {
        "windows": windows,
        "window_scales": scales,
        "window_owners": np.flatnonzero(said),
        "window_starts": window_starts[said],
        "story_norms": norms,
        "classes": classes,
        "shares": shares,
        "shot_norms": shot_norms,
        "shot_owners": np.flatnonzero(shown),
        "shot_starts": shot_starts[shown],
        "images": pictures,
        "image_scales": image_scales,
        "backgrounds": backgrounds,
        "passage_owners": np.zeros(0, np.int32),
    }
    all_stories = IndexedVideo("", "", range(len(stories)), range(0), 0)
    return Segment(class_vectors, images, videos=[all_stories], rows=rows)


def _parsed(story: bytes, dimensions: int, images: int) -> tuple[np.ndarray, ...]:
    windows, shots, image_dimensions = _COUNTS.unpack_from(story)
    if image_dimensions != images:
        raise ValueError(f"a story with {image_dimensions} image dimensions, not {images}")
    seen = shots if images else 0
    shapes: list[tuple[type, tuple[int, ...]]] = [
        (np.float32, (windows,)),
        (np.float32, (min(windows, 1),)),
        (np.float32, (shots, TOP_CLASSES)),
        (np.float32, (shots,)),
        (np.float32, (seen,)),
        (np.float32, (seen, 2)),
        (np.int16, (windows, dimensions)),
        (np.uint16, (shots, TOP_CLASSES)),
        (np.int16, (seen, images)),
    ]
    parts: list[np.ndarray] = []
    start = _COUNTS.size
    for kind, shape in shapes:
        size = int(np.prod(shape))
        parts.append(np.frombuffer(story, kind, size, start).reshape(shape))
        start += parts[-1].nbytes
    return tuple(parts)


def _runs(owners: np.ndarray, starts: np.ndarray, count: int) -> dict[int, slice]:
    """The rows of each story that has any; a film without a transcript has no windows at all."""
    ends = [*starts.tolist(), count][1:]
    runs = zip(owners.tolist(), starts.tolist(), ends, strict=True)
    return {owner: slice(start, end) for owner, start, end in runs}
