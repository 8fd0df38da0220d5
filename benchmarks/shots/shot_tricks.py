"""What is done inside shots of the test set to deceive detectors: none of it is a transition."""

from __future__ import annotations

import cv2
import numpy as np

from benchmarks.shots.shot_footage import HEIGHT, WIDTH


def pixels(values: np.ndarray) -> np.ndarray:
    return np.clip(values + 0.5, 0, 255).astype(np.uint8)


def _flash(shot: np.ndarray, first: int, end: int, rng: np.random.Generator) -> np.ndarray:
    """One to four frames of light, once or several times."""
    for _ in range(1 + (end - first) // 40):
        at, length = int(rng.integers(first, end - 3)), int(rng.integers(1, 4))
        strength = rng.uniform(0.4, 1)
        for i in range(at, at + length):
            shot[i] = pixels(shot[i] * (1 - strength) + 255.0 * strength)
            strength *= rng.uniform(0.5, 1)
    return shot


def _occluder(shot: np.ndarray, first: int, end: int, rng: np.random.Generator) -> np.ndarray:
    """Something large crosses close to the lens."""
    length = int(rng.integers(5, 15))
    at = int(rng.integers(first, max(first + 1, end - length)))
    radius, colour = int(rng.integers(40, 80)), rng.integers(0, 120, 3).tolist()
    y = int(rng.integers(30, 110))
    for i in range(at, min(at + length, end)):
        x = int(-radius + (WIDTH + 2 * radius) * (i - at + 1) / (length + 1))
        cv2.circle(shot[i], (x, y), radius, colour, -1)
    return shot


def _subtitle(shot: np.ndarray, first: int, end: int, rng: np.random.Generator) -> np.ndarray:
    """One or two lines that come and go."""
    at = int(rng.integers(first, end - 3))
    until = int(rng.integers(at + 2, len(shot) + 1))
    for line in range(int(rng.integers(1, 3))):
        text = "".join(chr(c) for c in rng.integers(97, 123, int(rng.integers(8, 20))))
        for i in range(at, until):
            place = (20, HEIGHT - 10 - 18 * line)
            for ink, width in (((0, 0, 0), 4), ((255, 255, 255), 1)):
                cv2.putText(
                    shot[i], text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.55, ink, width, cv2.LINE_AA
                )
    return shot


def _letterbox(shot: np.ndarray, first: int, end: int, rng: np.random.Generator) -> np.ndarray:
    """Bars jump or slide in or out inside the shot."""
    depth = int(rng.integers(10, 26))
    at, length = int(rng.integers(first, end)), int(rng.choice([1, 1, 12, 25]))
    upright = rng.random() < 0.3
    opening = rng.random() < 0.5
    for i in range(len(shot)):
        done = np.clip((i - at + 1) / length, 0, 1)
        bar = int(depth * ((1 - done) if opening else done))
        if bar and upright:
            shot[i, :, :bar] = shot[i, :, -bar:] = 0
        elif bar:
            shot[i, :bar] = shot[i, -bar:] = 0
    return shot


def _exposure(shot: np.ndarray, first: int, end: int, rng: np.random.Generator) -> np.ndarray:
    """The light changes over a second or so, but the view does not."""
    at, length, gain = rng.uniform(first, end), rng.uniform(6, 40), rng.uniform(0.55, 1.5)
    rise = np.clip((np.arange(len(shot)) - at) / length, 0, 1)
    return pixels(shot * (1 + (gain - 1) * rise)[:, None, None, None])


def _grain(shot: np.ndarray, first: int, end: int, rng: np.random.Generator) -> np.ndarray:
    noise = rng.normal(0, rng.uniform(6, 22), (len(shot), HEIGHT, WIDTH, 1)).astype(np.float32)
    return pixels(shot + noise)


def _dark(shot: np.ndarray, first: int, end: int, rng: np.random.Generator) -> np.ndarray:
    gain, floor = rng.uniform(0.06, 0.22), rng.uniform(0, 8)
    noise = rng.normal(0, 2, (*shot.shape[:3], 1)).astype(np.float32)
    return pixels(shot * gain + floor + noise)


def _interlace(shot: np.ndarray, first: int, end: int, rng: np.random.Generator) -> np.ndarray:
    """Odd lines are half a frame late."""
    late = np.concatenate([shot[1:], shot[-1:]])
    shot[:, 1::2] = late[:, 1::2]
    return shot


def _freeze(shot: np.ndarray, first: int, end: int, rng: np.random.Generator) -> np.ndarray:
    shot[:] = shot[0]
    return shot


TRICKS = {
    "flash": _flash,
    "occluder": _occluder,
    "subtitle": _subtitle,
    "letterbox": _letterbox,
    "exposure": _exposure,
    "grain": _grain,
    "dark": _dark,
    "interlace": _interlace,
    "freeze": _freeze,
}
WHOLE_SHOT = ("grain", "dark", "interlace", "freeze")
