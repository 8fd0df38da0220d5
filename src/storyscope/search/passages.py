"""The searchable content of a video: windows of its transcript, text on screen and keyframes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from storyscope.core import (
    SOUND_MARK,
    Keyframes,
    Passages,
    Rows,
    Span,
    Story,
    Transcript,
    VisionOutput,
    Word,
    in_batches,
)
from storyscope.search.looks import ImageVectors

MIN_WORDS, MAX_WORDS = 8, 40
"""Words in a window: sentences are joined up to the first number and cut at the second."""
PAUSE_SECONDS = 2.0
"""A pause of this many seconds ends a window: a new thought follows."""
TOP_CLASSES = 10
"""Number of classes of the image network that are stored for each keyframe."""

Encode = Callable[[Sequence[str]], np.ndarray]


def make_passages(
    transcript: Transcript | None,
    screen: Transcript | None,
    keyframes: Keyframes,
    vision: VisionOutput,
    encode: Encode,
    *,
    producer: str,
    sounds: Transcript | None = None,
    images: ImageVectors | None = None,
) -> Passages:
    """Prepare a video for search; `images` are its keyframes encoded by an image-text model."""
    windows = text_windows(transcript.words) if transcript else []
    texts = tuple(text for text, _ in windows)
    spans = np.array([[span.start, span.end] for _, span in windows], float).reshape(-1, 2)
    written = [(word.text, word.span.start) for word in (screen.words if screen else ())]
    heard = sounds.words if sounds else ()
    written += [(SOUND_MARK + word.text, word.span.start) for word in heard]
    classes, shares = top_classes(vision.posteriors)
    images = images or ImageVectors(np.zeros((0, 0)), np.zeros((0, 2), np.float32), "")
    return Passages(
        texts=texts,
        spans=spans,
        text_vectors=encode(texts).astype(np.float16),
        seconds=keyframes.seconds,
        shots=keyframes.shots,
        classes=classes,
        shares=shares,
        screen_texts=tuple(text for text, _ in written),
        screen_seconds=tuple(second for _, second in written),
        language=transcript.language if transcript else "",
        looks=images.vectors.astype(np.float16),
        backgrounds=images.backgrounds,
        producer=f"{producer} {images.producer}".strip(),
    )


def text_windows(words: Sequence[Word]) -> list[tuple[str, Span]]:
    """Whole sentences, joined to windows of several words, never across a pause."""
    windows: list[list[Word]] = [[]]
    for word in words:
        current = windows[-1]
        if current and _ends_window(current, word):
            windows.append([])
        windows[-1].append(word)
    return [
        (" ".join(word.text for word in window), Span(window[0].span.start, window[-1].span.end))
        for window in windows
        if window
    ]


def top_classes(posteriors: Rows, *, top: int = TOP_CLASSES) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of each row's most probable classes, uint16, and their probabilities, float16."""
    classes, shares = [], []
    for part in in_batches(posteriors):
        values = part.astype(np.float32)
        best = np.argsort(-values, axis=1, kind="stable")[:, :top]
        classes.append(best.astype(np.uint16))
        shares.append(np.take_along_axis(values, best, axis=1).astype(np.float16))
    return np.concatenate(classes), np.concatenate(shares)


def containing_story(seconds: np.ndarray, stories: Sequence[Story]) -> np.ndarray:
    """The number of the story that contains each time, -1 for none."""
    starts = np.array([story.span.start for story in stories])
    ends = np.array([story.span.end for story in stories])
    found = np.searchsorted(starts, seconds, side="right") - 1
    if not len(ends):
        return found
    return np.where((found >= 0) & (seconds < ends[found]), found, -1)


def shot_classes(passages: Passages) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For every shot with keyframes: its time, its most probable classes, and their mean
    probabilities."""
    shots, starts, counts = np.unique(passages.shots, return_index=True, return_counts=True)
    classes = np.zeros((len(shots), TOP_CLASSES), np.uint16)
    shares = np.zeros((len(shots), TOP_CLASSES), np.float16)
    if len(shots):
        rows, numbers, totals = _summed(passages, counts)
        best = np.lexsort((numbers, -totals, rows))
        rank = np.arange(len(best)) - np.searchsorted(rows[best], rows[best])
        best, rank = best[rank < TOP_CLASSES], rank[rank < TOP_CLASSES]
        classes[rows[best], rank] = numbers[best]
        shares[rows[best], rank] = totals[best] / counts[rows[best]]
    return passages.seconds[starts + counts // 2], classes, shares


def shot_image_vectors(passages: Passages, dimensions: int) -> tuple[np.ndarray, np.ndarray]:
    """For every shot with keyframes: its vector in the image-text space, and its background.

    The arrays are empty if the video was indexed without that model or with another one.
    """
    shots, starts = np.unique(passages.shots, return_index=True)
    if not len(shots) or passages.looks.shape != (len(passages.shots), dimensions):
        return np.zeros((len(shots), dimensions), np.float32), np.zeros((len(shots), 2), np.float32)
    totals = np.add.reduceat(passages.looks.astype(np.float32), starts, axis=0)
    lengths = np.maximum(np.linalg.norm(totals, axis=1, keepdims=True), 1e-9)
    counts = np.diff([*starts, len(passages.shots)])
    backgrounds = np.add.reduceat(passages.backgrounds, starts, axis=0) / counts[:, None]
    return totals / lengths, backgrounds


def _summed(passages: Passages, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each class of a shot's keyframes, once: the shot's row, the class, the sum of probabilities.

    `counts` are the numbers of keyframes of each shot.
    """
    shot_of_frame = np.repeat(np.arange(len(counts)), counts)
    rows = np.repeat(shot_of_frame, passages.classes.shape[1])
    pairs = rows * (1 << 16) + passages.classes.ravel()
    order = np.argsort(pairs, kind="stable")
    pairs = pairs[order]
    starts = np.flatnonzero(np.diff(pairs, prepend=-1))
    totals = np.add.reduceat(passages.shares.ravel()[order].astype(float), starts)
    return pairs[starts] >> 16, pairs[starts] & 0xFFFF, totals


def _ends_window(window: list[Word], following: Word) -> bool:
    last = window[-1]
    if following.span.start - last.span.end >= PAUSE_SECONDS or len(window) >= MAX_WORDS:
        return True
    return len(window) >= MIN_WORDS and last.text.endswith((".", "!", "?", "…"))
