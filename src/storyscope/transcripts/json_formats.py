"""Transcripts as JSON: Whisper, WhisperX, faster-whisper, whisper.cpp and YouTube's json3."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any

from storyscope.core.language import UNKNOWN, language_code
from storyscope.errors import TranscriptError
from storyscope.transcripts.cues import Cue


def json_cues(content: Any, name: str = "") -> tuple[list[Cue], str]:
    """Cues of a parsed JSON transcript."""
    if isinstance(content, list):
        content = {"segments": content}
    if isinstance(content, Mapping):
        for key, read in READERS.items():
            entries = content.get(key)
            if isinstance(entries, list):
                records = [entry for entry in entries if isinstance(entry, Mapping)]
                return [cue for entry in records for cue in read(entry)], _language(content)
    raise TranscriptError(
        f"{name} contains no transcript: expected Whisper's `segments` with `start`, `end` and "
        "`text`"
    )


def _whisper_cue(segment: Mapping[str, Any]) -> Iterator[Cue]:
    words = [word for word in segment.get("words") or [] if isinstance(word, Mapping)]
    start, end = _seconds(segment.get("start")), _seconds(segment.get("end"))
    times = [t for word in words for t in (_seconds(word.get("start")), _seconds(word.get("end")))]
    known = [t for t in times if t is not None]
    start = min(known) if start is None and known else start
    end = max(known) if end is None and known else end
    if start is None or end is None:
        return
    if not words:
        yield Cue(start, end, str(segment.get("text") or ""))
        return
    text = ""
    anchors: list[tuple[int, float]] = []
    confidences: list[tuple[int, float]] = []
    # Whisper's words include the space before them, so that "ill" and "-disposed" are one word.
    carry_spaces = any(str(word.get("word", "")).startswith(" ") for word in words)
    for word in words:
        written = str(word.get("word", word.get("text", "")))
        if not carry_spaces or written.startswith(" "):
            text += " "
        begins, ends = _seconds(word.get("start")), _seconds(word.get("end"))
        if begins is not None:
            anchors.append((len(text), begins))
        confidences.append((len(text), _share(word.get("probability", word.get("score", 1.0)))))
        text += written.strip()
        if ends is not None:
            anchors.append((len(text), ends))
    yield Cue(start, max(start, end), text, tuple(anchors), tuple(confidences))


def _whisper_cpp_cue(entry: Mapping[str, Any]) -> Iterator[Cue]:
    offsets = entry.get("offsets")
    if isinstance(offsets, Mapping):
        start, end = _seconds(offsets.get("from")), _seconds(offsets.get("to"))
        if start is not None and end is not None:
            yield Cue(start / 1000, end / 1000, str(entry.get("text") or ""))


def _youtube_cue(event: Mapping[str, Any]) -> Iterator[Cue]:
    start = _seconds(event.get("tStartMs"))
    pieces = [piece for piece in event.get("segs") or [] if isinstance(piece, Mapping)]
    if start is None or not pieces:
        return
    text = ""
    anchors = []
    for piece in pieces:
        anchors.append((len(text), (start + (_seconds(piece.get("tOffsetMs")) or 0.0)) / 1000))
        text += str(piece.get("utf8") or "")
    end = start + (_seconds(event.get("dDurationMs")) or 0.0)
    yield Cue(start / 1000, end / 1000, text, tuple(anchors))


def _whisperx_word(word: Mapping[str, Any]) -> Iterator[Cue]:
    return _whisper_cue({"words": [word]})


READERS: dict[str, Callable[[Mapping[str, Any]], Iterator[Cue]]] = {
    "segments": _whisper_cue,
    "transcription": _whisper_cpp_cue,
    "events": _youtube_cue,
    "word_segments": _whisperx_word,
}


def _language(content: Mapping[str, Any]) -> str:
    nested = content.get("result")
    tag = content.get("language") or (nested.get("language") if isinstance(nested, dict) else "")
    return (language_code(tag) if isinstance(tag, str) else None) or UNKNOWN


def _seconds(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        seconds = float(value)
    except OverflowError:
        return None
    return seconds if isfinite(seconds) else None


def _share(value: Any) -> float:
    number = _seconds(value)
    return 1.0 if number is None else min(1.0, max(0.0, number))
