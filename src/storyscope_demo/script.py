"""The documentary's script: eight stories, their shots in order, and what the narrator says."""

from __future__ import annotations

from dataclasses import dataclass

from storyscope.core import TransitionKind

FPS = 24


@dataclass(frozen=True)
class Take:
    """One shot of the edit, and its transition."""

    scene: str
    """The function that paints it, in the story's file."""
    seconds: float
    by: TransitionKind = "cut"
    over: int = 0
    """Number of frames of the transition."""
    since: float = 0.0
    """Seconds the scene has already run, when the film returns to an earlier place."""


@dataclass(frozen=True)
class Chapter:
    """One story: its scenes are in `scenes/<place>.py`, its sound in `soundscape.py`."""

    place: str
    title: str
    takes: tuple[Take, ...]
    narration: tuple[str, ...]
    """Sentences, in the order they are said."""


SCRIPT: tuple[Chapter, ...] = (
    Chapter(
        "sea",
        "The open sea",
        (
            Take("dawn", 3.6),
            Take("sail", 2.8, "dissolve", 20),
            Take("gulls", 2.4),
            Take("sail", 2.4, since=3.6),
            Take("surf", 3.0),
            Take("lighthouse", 3.0, "dissolve", 16),
        ),
        (
            "The day begins on the open sea, where the first sunlight walks across the waves.",
            "A sailing boat follows the wind, and gulls follow the boat,",
            "until the surf breaks on the beach below the lighthouse.",
        ),
    ),
    Chapter(
        "reef",
        "The coral reef",
        (
            Take("corals", 3.4, "fade", 24),
            Take("turtle", 3.0),
            Take("anemone", 2.8),
            Take("jellyfish", 3.0, "dissolve", 24),
            Take("surface", 2.6),
        ),
        (
            "Under the surface a coral reef is awake, with fish of every colour.",
            "A turtle rows past the anemone where the clownfish live,",
            "and a jellyfish climbs with the bubbles towards the light.",
        ),
    ),
    Chapter(
        "desert",
        "The desert",
        (
            Take("dunes", 3.6),
            Take("ripples", 2.6),
            Take("caravan", 3.4, "dissolve", 18),
            Take("crest", 2.6),
            Take("cracks", 2.8, "fade", 20),
        ),
        (
            "In the desert there is another ocean, made of sand, and its dunes move too.",
            "Camels cross the ridge before sunset,",
            "over a lake that has been dry and cracked for a thousand years.",
        ),
    ),
    Chapter(
        "forest",
        "The forest",
        (
            Take("mist", 3.2, "dissolve", 24),
            Take("beams", 3.0),
            Take("mushroom", 2.6),
            Take("butterfly", 2.6),
            Take("lake", 2.8, "dissolve", 14),
            Take("canopy", 2.6),
        ),
        (
            "Where rain falls, trees stand close, and mist hangs between the pines of the forest.",
            "Sunbeams reach a red mushroom in the moss, a butterfly on its flower,",
            "and the leaves above a silent lake.",
        ),
    ),
    Chapter(
        "volcano",
        "The volcano",
        (
            Take("cone", 3.2, "fade", 28),
            Take("fountain", 2.6),
            Take("lava", 2.8),
            Take("ash", 2.6, "dissolve", 12),
            Take("crater", 2.6),
        ),
        (
            "But the ground is not finished: a volcano throws fire and ash into the night.",
            "Lava flows from its crater, and every eruption makes new rock.",
        ),
    ),
    Chapter(
        "mountains",
        "Mountains in snow",
        (
            Take("peaks", 3.4),
            Take("eagle", 2.6),
            Take("firs", 2.6, "fade", 20),
            Take("snowflake", 2.4),
            Take("tent", 2.6, "dissolve", 20),
            Take("alpenglow", 3.0),
        ),
        (
            "High in the mountains the snow never leaves, and an eagle circles the white summits.",
            "Each snowflake has six arms of ice.",
            "Climbers wait in their tent for the morning to reach the peaks.",
        ),
    ),
    Chapter(
        "city",
        "The city at night",
        (
            Take("skyline", 3.2, "dissolve", 30),
            Take("avenue", 2.8),
            Take("windows", 2.6),
            Take("rain", 2.6, "dissolve", 16),
            Take("bridge", 3.0),
        ),
        (
            "At night the city makes its own stars,",
            "a lit window for every life, a light for every car.",
            "Rain falls on the streets, and traffic crosses the bridge until dawn.",
        ),
    ),
    Chapter(
        "space",
        "Into space",
        (
            Take("station", 3.0),
            Take("planet", 3.0),
            Take("moon", 2.8),
            Take("rings", 2.8, "dissolve", 20),
            Take("nebula", 2.6),
            Take("galaxy", 3.4, "dissolve", 24),
        ),
        (
            "From space our planet is small and blue, and its moon is grey with craters.",
            "Farther out turn the rings of Saturn, and beyond them the nebula,",
            "and a galaxy of stars without number.",
        ),
    ),
)
