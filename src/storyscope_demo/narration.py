"""What the narrator says and when: subtitles that keep to a speaker's pace."""

from __future__ import annotations

from dataclasses import dataclass

from storyscope.core import Span
from storyscope.core.times import format_timestamp
from storyscope_demo.film import Edit
from storyscope_demo.script import FPS

WORDS_A_SECOND = 2.5
BREATH_SECONDS = 0.7


@dataclass(frozen=True)
class Cue:
    """One line of the narration and the time it is heard."""

    text: str
    span: Span
    chapter: int


def narrate(cut: Edit) -> tuple[Cue, ...]:
    """Lay each story's sentences inside it, a breath after it begins and before it ends."""
    cues = []
    for number, (story, chapter) in enumerate(zip(cut.stories, cut.script, strict=True)):
        start, end = story.start / FPS, story.stop / FPS
        room = end - start
        breath = min(BREATH_SECONDS, room / 10)
        spoken = [len(line.split()) / WORDS_A_SECOND for line in chapter.narration]
        hurry = min(1.0, (room - 2 * breath) / sum(spoken))
        pause = (room - 2 * breath - hurry * sum(spoken)) / len(spoken)
        at = start + breath
        for line, seconds in zip(chapter.narration, spoken, strict=True):
            cues.append(Cue(line, Span(at, at + hurry * seconds), number))
            at += hurry * seconds + pause
    return tuple(cues)


def to_srt(cues: tuple[Cue, ...]) -> str:
    """The cues as a SubRip file."""
    blocks = [f"{number}\n{_times(cue.span)}\n{cue.text}\n" for number, cue in enumerate(cues, 1)]
    return "\n".join(blocks)


def _times(span: Span) -> str:
    return f"{format_timestamp(span.start, mark=',')} --> {format_timestamp(span.end, mark=',')}"
