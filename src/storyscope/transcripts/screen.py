"""Recognise text on screen (extra `ocr`)."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from storyscope.core import Keyframes, Shot, Span, Transcript, Word
from storyscope.core.language import detect_language
from storyscope.errors import MissingDependency
from storyscope.models import find_model
from storyscope.progress import Report, Step, silent

Reader = Callable[[np.ndarray], list[tuple[str, float]]]
"""A function from an RGB picture to its lines of text, top first, each with its confidence."""


def read_screen(
    keyframes: Keyframes,
    shots: Sequence[Shot],
    *,
    reader: Reader | None = None,
    report: Report = silent,
) -> Transcript:
    """Recognise text in the keyframes: titles, captions, signs, the names of speakers.

    A line lasts as long as the pictures around it belong to the same shot, and one that stays over
    several pictures counts once. All words of a line share its time; lines of one picture are a
    millisecond apart, so that they can be distinguished.
    """
    reader = reader or load_reader()
    lines: list[tuple[str, Span, float]] = []
    latest: dict[str, int] = {}
    for number, (picture, span) in enumerate(_pictures(keyframes, shots), start=1):
        for row, (text, confidence) in enumerate(reader(picture)):
            if confidence < LEAST_CONFIDENCE or sum(map(str.isalpha, text)) < LEAST_LETTERS:
                continue
            start = min(span.start + row * LINE_APART, span.end)
            place = latest.get(text)
            if place is not None and span.start - lines[place][1].end < SAME_LINE_SECONDS:
                before = lines[place][1]
                lines[place] = (text, Span(before.start, max(before.end, span.end)), confidence)
            else:
                latest[text] = len(lines)
                lines.append((text, Span(start, span.end), confidence))
        report(Step("on-screen text", number, len(keyframes)))
    words = [
        Word(word, span, round(confidence, 4))
        for text, span, confidence in sorted(lines, key=lambda line: line[1].start)
        for word in text.split()
    ]
    language = detect_language(" ".join(word.text for word in words))
    return Transcript(tuple(words), language=language, source="screen")


@cache
def load_reader() -> Reader:
    """RapidOCR with the models inside its package, for Latin, Chinese and Japanese script."""
    try:
        from rapidocr import RapidOCR
    except ImportError as error:
        raise MissingDependency(
            "recognising text on screen needs rapidocr, which is not installed; run `pip install "
            "storyscope[ocr]`"
        ) from error
    # With explicit files, the library checks nothing and downloads nothing.
    models = find_model("pp-ocr")
    # Pictures are small already: enlarging them, the default, takes ten times longer and finds no
    # more.
    engine = RapidOCR(
        params={
            "Det.model_path": str(models.file("models/*_det_*.onnx")),
            "Rec.model_path": str(models.file("models/*_rec_*.onnx")),
            "Det.limit_type": "max",
            "Det.limit_side_len": 960,
            "Global.use_cls": False,
            "Global.log_level": "critical",
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
        }
    )

    def read(picture: np.ndarray) -> list[tuple[str, float]]:
        found: Any = engine(np.ascontiguousarray(picture[:, :, ::-1]))
        if found.txts is None:
            return []
        lines = zip(found.boxes, found.txts, found.scores, strict=True)
        rows = sorted(lines, key=lambda line: (float(line[0][0][1]), float(line[0][0][0])))
        return [(str(text).strip(), float(score)) for _, text, score in rows]

    return read


LEAST_CONFIDENCE = 0.75
LEAST_LETTERS = 2
LINE_APART = 0.001
SAME_LINE_SECONDS = 1.0


def _pictures(keyframes: Keyframes, shots: Sequence[Shot]) -> Iterator[tuple[np.ndarray, Span]]:
    """Every keyframe with its time span: half way to its neighbours in the shot."""
    from PIL import Image

    count = len(keyframes)
    for index, data in enumerate(keyframes.pictures):
        shot = shots[int(keyframes.shots[index])].span
        span = shot
        here = float(keyframes.seconds[index])
        if index > 0 and keyframes.shots[index - 1] == keyframes.shots[index]:
            span = replace(span, start=(float(keyframes.seconds[index - 1]) + here) / 2)
        if index + 1 < count and keyframes.shots[index + 1] == keyframes.shots[index]:
            span = replace(span, end=(here + float(keyframes.seconds[index + 1])) / 2)
        with Image.open(io.BytesIO(data)) as image:
            yield np.asarray(image.convert("RGB")), span
