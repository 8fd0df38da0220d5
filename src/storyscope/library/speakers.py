"""The speakers of a video: identified by their voices, named by people, stored in the library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from storyscope.core import Hit, SoundChunk, Span, format_time
from storyscope.errors import TranscriptError, UnknownName
from storyscope.features import load_voice_encoder
from storyscope.library.documents import JsonDocument, forget
from storyscope.media import read_sound
from storyscope.progress import Report, Step, silent
from storyscope.search import Filter
from storyscope.search.scores import named_parts
from storyscope.store import PASSAGES, TRANSCRIPT, Store
from storyscope.transcripts import group_turns, turns_in

if TYPE_CHECKING:
    from storyscope.library.local import LocalLibrary

RATE = 16_000


def _checked(kept: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {
        str(video): {
            "turns": [(float(a), float(b), int(speaker)) for a, b, speaker in facts["turns"]],
            "names": {str(number): str(name) for number, name in facts["names"].items()},
        }
        for video, facts in kept.items()
    }


SPEAKERS_DOCUMENT: JsonDocument[dict[str, Any]] = JsonDocument("speakers.json", _checked, dict)
"""The turns and the names of speakers, for each analysed video."""


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
    with SPEAKERS_DOCUMENT.change(library.store) as kept:
        kept[video] = {
            "turns": [(t.span.start, t.span.end, t.speaker) for t in turns],
            "names": {},
        }


def speakers_of(store: Store, video: str) -> list[dict[str, Any]]:
    """Number, name, seconds and turns of each speaker, longest speaking time first."""
    facts = SPEAKERS_DOCUMENT.read(store).get(video, {"turns": [], "names": {}})
    numbers = sorted({speaker for _, _, speaker in facts["turns"]})
    return [
        {
            "speaker": number,
            "name": facts["names"].get(str(number), ""),
            "seconds": round(sum(b - a for a, b, who in facts["turns"] if who == number), 2),
            "turns": [[a, b] for a, b, who in facts["turns"] if who == number],
        }
        for number in numbers
    ]


def speaker_names(store: Store) -> list[str]:
    """The names that people gave to speakers, in any video."""
    every = SPEAKERS_DOCUMENT.read_or_empty(store).values()
    names = {name.casefold(): name for facts in every for name in facts["names"].values()}
    return [names[key] for key in sorted(names)]


def name_speakers(store: Store, video: str, names: Mapping[int, str]) -> None:
    """Name the speakers of a video; an empty name removes the old one."""
    known = {row["speaker"] for row in speakers_of(store, video)}
    for number in names:
        if number not in known:
            choices = ", ".join(map(str, sorted(known))) or "none were found yet"
            raise UnknownName(f"{video} has no speaker {number}; its speakers are: {choices}")
    with SPEAKERS_DOCUMENT.change(store) as kept:
        for number, name in names.items():
            kept[video]["names"][str(number)] = name
            if not name:
                del kept[video]["names"][str(number)]


def forget_speakers(store: Store, video: str) -> None:
    """Delete the turns and names of a video's speakers."""
    forget(store, video, SPEAKERS_DOCUMENT)


def turns_of(store: Store, name: str) -> dict[str, tuple[Span, ...]]:
    """The turns of the speaker with this name, by video; an UnknownName if there is none."""
    found = {}
    every: set[str] = set()
    for video, facts in SPEAKERS_DOCUMENT.read(store).items():
        every.update(facts["names"].values())
        called = {int(n) for n, of in facts["names"].items() if of.casefold() == name.casefold()}
        if called:
            found[video] = tuple(Span(a, b) for a, b, who in facts["turns"] if who in called)
    if not found:
        known = ", ".join(sorted(every)) or "nobody is named yet"
        raise UnknownName(
            f"no speaker called {name!r} ({known}); name one with "
            f"`storyscope speakers VIDEO --name 1=NAME`"
        )
    return found


def is_speaker(store: Store, text: str) -> bool:
    """Whether a text is exactly the name of a speaker."""
    return text.strip().casefold() in map(str.casefold, speaker_names(store))


def hits_of_speaker(library: LocalLibrary, name: str, only: Filter) -> list[Hit]:
    """Stories in which a speaker is heard, longest first; the score is the share of the story."""
    found = []
    for video, spans in turns_of(library.store, name.strip()).items():
        language = library.store.load(video, PASSAGES).language
        for story in library.stories(video):
            heard = [turn for turn in spans if turn.middle in story.span]
            if heard and only.passes(story, language):
                found.append((sum(turn.length for turn in heard), story, heard[0].start))
    return [
        Hit(
            story.video,
            story,
            library.thumbnail(story.video, story),
            min(1.0, seconds / story.span.length),
            named_parts(),
            f"Speaker, {format_time(first)}: {name.strip()} ({seconds:.0f} s)",
        )
        for seconds, story, first in sorted(found, key=lambda each: -each[0])
    ]


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
