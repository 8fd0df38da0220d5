"""Generates a small film with three stories, sound and a transcript, for end-to-end tests."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np

FPS, WIDTH, HEIGHT, SHOT_FRAMES, SHOTS_PER_STORY = 12, 160, 90, 20, 3
STORIES = (
    ((30, 90, 200), 220.0, "The whale dives under the waves. The whale sings in the deep water."),
    ((210, 160, 60), 440.0, "A camel crosses the desert. The camel walks over dunes of sand."),
    ((40, 130, 50), 880.0, "The owl sleeps in the forest. At night the owl flies among trees."),
)


def make_movie(path: Path, *, seed: int = 7) -> Path:
    """Write the film and, next to it, its transcript with the same name."""
    random = np.random.default_rng(seed)
    with av.open(str(path), "w") as out:
        picture = out.add_stream("libx264", rate=FPS, options={"crf": "20", "preset": "ultrafast"})
        picture.width, picture.height, picture.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        sound = out.add_stream("aac", rate=16_000, layout="mono")
        for colour, hertz, _ in STORIES:
            for _ in range(SHOTS_PER_STORY):
                _write_shot(out, picture, colour, random)
            _write_tone(out, sound, hertz)
        for stream in (picture, sound):
            out.mux(stream.encode())
    path.with_suffix(".srt").write_text(_subtitles(), encoding="utf-8")
    return path


def story_seconds() -> float:
    return SHOTS_PER_STORY * SHOT_FRAMES / FPS


def _write_shot(out, stream, colour, random) -> None:
    blotches = random.integers(-60, 60, (9, 16, 1)).repeat(10, axis=0).repeat(10, axis=1)
    still = np.clip(np.array(colour) + blotches, 0, 255).astype(np.uint8)
    for step in range(SHOT_FRAMES):
        frame = av.VideoFrame.from_ndarray(np.roll(still, step, axis=1), format="rgb24")
        out.mux(stream.encode(frame))


def _write_tone(out, stream, hertz) -> None:
    count = round(story_seconds() * 16_000)
    wave = 0.3 * np.sin(2 * np.pi * hertz * np.arange(count) / 16_000)
    for first in range(0, count, 1024):
        part = wave[first : first + 1024].astype(np.float32)
        frame = av.AudioFrame.from_ndarray(part[None, :], format="fltp", layout="mono")
        frame.sample_rate, frame.time_base = 16_000, Fraction(1, 16_000)
        out.mux(stream.encode(frame))


def _subtitles() -> str:
    cues = []
    for number, (_, _, words) in enumerate(STORIES):
        start = number * story_seconds()
        stamp = f"00:00:{start + 0.5:06.3f} --> 00:00:{start + 4.5:06.3f}"
        cues.append(f"{number + 1}\n{stamp.replace('.', ',')}\n{words}\n")
    return "\n".join(cues)
