"""Voice activity detection with Silero (extra `speech`)."""

from __future__ import annotations

from collections.abc import Iterable

from storyscope.core import SoundChunk, Span
from storyscope.errors import MissingDependency
from storyscope.progress import Report, Step, silent
from storyscope.transcripts.listening import RATE, cut_at_quiet

MIN_SILENCE_MS = 300
"""A shorter silence does not part two stretches of speech."""
MIN_SPEECH_MS = 200
"""A shorter sound is no speech."""


def detect_speech(
    sound: Iterable[SoundChunk], *, duration: float = 0.0, report: Report = silent
) -> tuple[Span, ...]:
    """Intervals in which somebody speaks; `duration` in seconds is only used for progress."""
    try:
        from faster_whisper import vad
    except ImportError as error:
        raise MissingDependency(
            "finding speech needs faster-whisper, which is not installed; "
            "run `pip install storyscope[speech]`"
        ) from error
    options = vad.VadOptions(
        min_silence_duration_ms=MIN_SILENCE_MS,
        min_speech_duration_ms=MIN_SPEECH_MS,
        speech_pad_ms=0,
    )
    spans = []
    for piece in cut_at_quiet(sound):
        for found in vad.get_speech_timestamps(piece.samples, options):
            start, end = (piece.start + found[side] / RATE for side in ("start", "end"))
            spans.append(Span(start, min(end, piece.end)))
        report(Step("voice", min(piece.end, duration), duration))
    return tuple(spans)
