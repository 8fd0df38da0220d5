"""Generates a film of many short shots, to measure the page on a long edited video."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np

FPS, WIDTH, HEIGHT, SHOT_FRAMES = 12, 160, 90, 8
PLACE_SHOTS = 12
"""Consecutive shots that share their colours, about one story."""


def paint(path: Path, *, shots: int, seed: int = 3) -> Path:
    """Write a film with this many shots and hard cuts between them."""
    random = np.random.default_rng(seed)
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=FPS, options={"crf": "24", "preset": "ultrafast"})
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for number in range(shots):
            if number % PLACE_SHOTS == 0:
                place = random.integers(30, 225, 3)
            blotches = random.integers(-60, 60, (9, 16, 1)).repeat(10, axis=0).repeat(10, axis=1)
            still = np.clip(place + blotches, 0, 255).astype(np.uint8)
            for step in range(SHOT_FRAMES):
                frame = av.VideoFrame.from_ndarray(np.roll(still, step, axis=1), format="rgb24")
                out.mux(stream.encode(frame))
        out.mux(stream.encode())
    return path
