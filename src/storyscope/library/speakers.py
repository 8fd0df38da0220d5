"""The speakers of a video, identified by their voices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from storyscope.core import SoundChunk, Span
from storyscope.errors import TranscriptError
from storyscope.features import load_voice_encoder
from storyscope.library.people import SPEAKERS
from storyscope.media import read_sound
from storyscope.progress import Report, Step, silent
from storyscope.store import TRANSCRIPT
from storyscope.transcripts import group_turns, turns_in

if TYPE_CHECKING:
    from storyscope.library.local import LocalLibrary

RATE = 16_000


def find_speakers(library: LocalLibrary, video: str, *, report: Report = silent) -> None:
    """Identify the speakers of a video and store their turns; earlier names are dropped."""
    encoder = load_voice_encoder()
    words = library.store.load(video, TRANSCRIPT)
    if words is None or not words.words:
        raise TranscriptError(
            f"{video} has no transcript, which speakers are identified by; add it again with "
            "--transcript FILE or transcripts.speech=auto"
        )
    spans = turns_in(words)
    voices = []
    sound = read_sound(library.video(video).path, library.config.media)
    for done, samples in enumerate(_samples_in(spans, sound), start=1):
        voices.append(encoder.encode(samples))
        report(Step("speakers", done, len(spans)))
    turns = group_turns(spans[: len(voices)], np.stack(voices)) if voices else []
    SPEAKERS.keep(library.store, video, [(turn.span, turn.speaker) for turn in turns])


def _samples_in(spans: list[Span], sound: Iterable[SoundChunk]) -> Iterable[np.ndarray]:
    """The sound of each interval in turn; only what is still needed is kept in memory."""
    waiting = list(spans)
    held: list[SoundChunk] = []
    for chunk in sound:
        held.append(chunk)
        end = chunk.seconds + len(chunk.samples) / RATE
        while waiting and waiting[0].end <= end:
            yield _cut(held, waiting.pop(0))
        first = waiting[0].start if waiting else np.inf
        held = [c for c in held if c.seconds + len(c.samples) / RATE > first]
    for span in waiting:
        yield _cut(held, span)


def _cut(held: list[SoundChunk], span: Span) -> np.ndarray:
    parts = []
    for chunk in held:
        first, last = (round((t - chunk.seconds) * RATE) for t in (span.start, span.end))
        parts.append(np.asarray(chunk.samples[max(0, first) : max(0, last)], np.float32))
    return np.concatenate(parts) if parts else np.zeros(0, np.float32)
