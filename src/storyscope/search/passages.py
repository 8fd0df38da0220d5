"""A video's words and pictures, cut and turned into what a search looks through."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from storyscope.core import (
    Keyframes,
    Passages,
    Rows,
    Span,
    Transcript,
    VisionOutput,
    Word,
    in_batches,
)
from storyscope.search.image_text import Looks

FEWEST_WORDS, MOST_WORDS = 8, 40
PAUSE_SECONDS = 2.0
"""A silence this long ends a window: what comes after it is another thought."""
TOP_CLASSES = 10

Encode = Callable[[Sequence[str]], np.ndarray]


def make_passages(
    transcript: Transcript | None,
    screen: Transcript | None,
    keyframes: Keyframes,
    seen: VisionOutput,
    encode: Encode,
    *,
    producer: str,
    looks: Looks | None = None,
) -> Passages:
    """File what is said, written and seen; `looks` are the keyframes in the space of a CLIP."""
    windows = text_windows(transcript.words) if transcript else []
    texts = tuple(text for text, _ in windows)
    spans = np.array([[span.start, span.end] for _, span in windows], float).reshape(-1, 2)
    written = screen.words if screen else ()
    classes, shares = likeliest(seen.posteriors)
    looks = looks or Looks(np.zeros((0, 0)), np.zeros(0, np.float32), "")
    return Passages(
        texts=texts,
        spans=spans,
        text_vectors=encode(texts).astype(np.float16),
        seconds=keyframes.seconds,
        shots=keyframes.shots,
        classes=classes,
        shares=shares,
        screen_texts=tuple(word.text for word in written),
        screen_seconds=tuple(word.span.start for word in written),
        language=transcript.language if transcript else "",
        looks=looks.vectors.astype(np.float16),
        best_rivals=looks.best_rivals,
        producer=f"{producer} {looks.producer}".strip(),
    )


def text_windows(words: Sequence[Word]) -> list[tuple[str, Span]]:
    """Whole sentences, joined until they say something, never across a pause."""
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


def likeliest(posteriors: Rows, *, top: int = TOP_CLASSES) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of each row's likeliest classes, uint16, and how likely they are, float16."""
    classes, shares = [], []
    for part in in_batches(posteriors):
        values = part.astype(np.float32)
        best = np.argsort(-values, axis=1, kind="stable")[:, :top]
        classes.append(best.astype(np.uint16))
        shares.append(np.take_along_axis(values, best, axis=1).astype(np.float16))
    return np.concatenate(classes), np.concatenate(shares)


def _ends_window(window: list[Word], following: Word) -> bool:
    last = window[-1]
    if following.span.start - last.span.end >= PAUSE_SECONDS or len(window) >= MOST_WORDS:
        return True
    return len(window) >= FEWEST_WORDS and last.text.endswith((".", "!", "?", "…"))
