"""A video's words and pictures, cut and turned into what a search looks through."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from storyscope.core import Keyframes, Passages, Span, Transcript, VisionOutput, Word

FEWEST_WORDS, MOST_WORDS = 12, 40
PAUSE_SECONDS = 4.0
"""A silence this long ends a window: what comes after it is another thought."""
TOP_CLASSES = 10

Encode = Callable[[Sequence[str]], np.ndarray]


def make_passages(
    transcript: Transcript | None,
    screen: Transcript | None,
    keyframes: Keyframes,
    seen: VisionOutput,
    class_vectors: np.ndarray,
    encode: Encode,
    *,
    producer: str,
) -> Passages:
    """File what is said, written and seen; `class_vectors` mean the classes of `seen`."""
    windows = text_windows(transcript.words) if transcript else []
    texts = tuple(text for text, _ in windows)
    spans = np.array([[span.start, span.end] for _, span in windows], float).reshape(-1, 2)
    written = screen.words if screen else ()
    return Passages(
        texts=texts,
        spans=spans,
        text_vectors=encode(texts).astype(np.float16),
        seconds=keyframes.seconds,
        picture_vectors=conse(seen.posteriors, class_vectors).astype(np.float16),
        screen_texts=tuple(word.text for word in written),
        screen_seconds=tuple(word.span.start for word in written),
        producer=producer,
    )


def text_windows(words: Sequence[Word]) -> list[tuple[str, Span]]:
    """Whole sentences, joined until they say something, never across a long pause."""
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


def conse(
    posteriors: np.ndarray, class_vectors: np.ndarray, *, top: int = TOP_CLASSES
) -> np.ndarray:
    """Pictures in the space of words: the likeliest classes' vectors, weighted by how likely.

    Convex combination of semantic embeddings (Norouzi et al., 2014). The vectors of the classes
    are centred first: what all classes share says nothing of one picture.
    """
    centred = class_vectors - class_vectors.mean(axis=0)
    likely = posteriors.astype(np.float32)
    if likely.shape[1] > top:
        least = np.partition(likely, -top, axis=1)[:, -top, None]
        likely = np.where(likely >= least, likely, 0)
    mixed = likely @ centred
    return np.asarray(mixed / np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-9))


def _ends_window(window: list[Word], following: Word) -> bool:
    last = window[-1]
    if following.span.start - last.span.end >= PAUSE_SECONDS or len(window) >= MOST_WORDS:
        return True
    return len(window) >= FEWEST_WORDS and last.text.endswith((".", "!", "?", "…"))
