"""What people read while a stage runs, on the command line and on the page."""

from __future__ import annotations

from storyscope.cues import all_cues

STAGE_WORDS = {
    "scan": "watching the film",
    "decode": "watching the film",
    "transcript": "reading the words",
    "screen": "reading the screen",
    "vision": "looking at keyframes",
    "looks": "encoding keyframes for search",
    "mined": "finding what is spoken of",
    "concepts": "grouping concepts",
    "stories": "finding the stories",
    "titles": "naming the stories",
    "passages": "filing for search",
    "ratings": "rating the pictures",
}


def stage_words(stage: str) -> str:
    """A few words for what a stage does; its name where there are none."""
    words = STAGE_WORDS | {cue.name: cue.progress for cue in all_cues()}
    return words.get(stage) or stage.replace("_", " ")
