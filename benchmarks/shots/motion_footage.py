"""Every kind of footage in which only the camera, the light or things move.

The kinds in `TRAINING_KINDS` and `RANDOM_KINDS` train the shot detector; `UNSEEN_KINDS` are only
scored. The pictures of the two halves are apart (see shot_footage.py).
"""

from __future__ import annotations

from benchmarks.shots.motion_camera import Kind, camera
from benchmarks.shots.motion_later import crowd, door, train, waterline
from benchmarks.shots.motion_layers import layers
from benchmarks.shots.motion_light import (
    flicker,
    focus,
    particles,
    smoke,
    strobe,
    surf,
    titles,
    underwater,
    water,
)
from benchmarks.shots.motion_things import (
    crane,
    crossing,
    doorway,
    flight,
    following,
    orbit,
    parallax,
    passing,
    room,
    sliding,
    spinning,
    turning,
)
from benchmarks.shots.motion_unseen import (
    carousel,
    curtain,
    flag,
    lift,
    page,
    time_lapse,
    tunnel,
    windscreen,
)

TRAINING_KINDS: dict[str, Kind] = {
    "pan": camera(0.9, 0, (15, 150)),
    "tilt": camera(0, 1.0, (15, 150)),
    "zoom": camera(0, 0, (10, 150), zoom=0.5),
    "whip pan": camera(2.0, 0.2, (4, 14)),
    "push in": camera(0.03, 0, (60, 250), zoom=0.25),
    "hand-held": camera(0.4, 0.3, (10, 60), shake=0.02, zoom=0.1),
    "parallax": parallax,
    "flight": flight,
    "crossing": crossing,
    "passing": passing,
    "turning": turning,
    "smoke": smoke,
    "water": water,
    "flicker": flicker,
    "particles": particles,
    "titles": titles,
    "focus": focus,
    "sliding": sliding,
    "following": following,
}

RANDOM_KINDS: dict[str, Kind] = {"layers": layers}
"""Scenes put together at random, which train the detector too."""

UNSEEN_KINDS: dict[str, Kind] = {
    "underwater": underwater,
    "room": room,
    "strobe": strobe,
    "spinning": spinning,
    "crane": crane,
    "doorway": doorway,
    "orbit": orbit,
    "surf": surf,
    "waterline": waterline,
    "door": door,
    "train": train,
    "crowd": crowd,
    "curtain": curtain,
    "page": page,
    "windscreen": windscreen,
    "lift": lift,
    "carousel": carousel,
    "time lapse": time_lapse,
    "tunnel": tunnel,
    "flag": flag,
}

ADDED_LATER = (
    *("sliding", "following", "doorway", "orbit", "surf"),
    *("layers", "waterline", "door", "train", "crowd"),
    *("curtain", "page", "windscreen", "lift", "carousel", "time lapse", "tunnel", "flag"),
)
"""Kinds that came when the films of the others had been made: those stay as they are."""
LOOKED_AT_ONCE = ADDED_LATER[-8:]
"""Unseen kinds that were scored once, when nothing of the detector was changed any more."""
