"""Descriptions of stages for the command line and the page."""

from __future__ import annotations

from storyscope.cues import all_cues

STAGE_WORDS = {
    "scan": "reading the video",
    "fetch": "fetching the film",
    "decode": "reading the video",
    "transcript": "reading the transcript",
    "voice": "listening for speech",
    "screen": "reading text on screen",
    "sounds": "naming sounds",
    "vision": "analysing keyframes",
    "looks": "describing pictures",
    "speakers": "identifying speakers",
    "faces": "finding faces",
    "mined": "finding topics",
    "concepts": "grouping topics",
    "stories": "finding stories",
    "titles": "naming stories",
    "passages": "preparing search",
    "ratings": "choosing pictures",
}


def stage_words(stage: str) -> str:
    """A short description of a stage; its name if there is none."""
    words = STAGE_WORDS | {cue.name: cue.progress for cue in all_cues()}
    return words.get(stage) or stage.replace("_", " ")
