"""What people read while a stage runs, on the command line and on the page."""

from __future__ import annotations

from storyscope.cues import all_cues

STAGE_WORDS = {
    "scan": "reading the video",
    "fetch": "fetching the film",
    "decode": "reading the video",
    "transcript": "reading the transcript",
    "screen": "reading text on screen",
    "vision": "looking at keyframes",
    "looks": "describing pictures",
    "speakers": "telling speakers apart",
    "mined": "finding topics",
    "concepts": "grouping topics",
    "stories": "finding stories",
    "titles": "naming stories",
    "passages": "preparing search",
    "ratings": "choosing pictures",
}


def stage_words(stage: str) -> str:
    """A few words for what a stage does; its name where there are none."""
    words = STAGE_WORDS | {cue.name: cue.progress for cue in all_cues()}
    return words.get(stage) or stage.replace("_", " ")
