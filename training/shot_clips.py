"""Clips to train the second network on: gradual transitions, and motion that looks like one.

A clip is what the second network sees of a suggested change: SAMPLES frames before it, in it and
after it. No two are alike: whatever cameras, things, openings and light can do to a picture may
happen, in any direction, at any speed and with any softness.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from storyscope.shots.describe import AFTER, AROUND, BEFORE, sampled
from training.shot_layers import (
    HEIGHT,
    TALL,
    WIDTH,
    Layer,
    Span,
    U,
    V,
    bars_mask,
    edge_mask,
    journey,
    moved_path,
    panel_mask,
    seen,
    shape_mask,
    stacked,
    still_path,
    surface,
    wandering,
)

SHORTEST, LONGEST = 5, 60
"""Frames of a change."""
LEAST_CHANGE = 0.04
"""Mean difference (0 to 1) of the frames before and after a change that is worth a clip."""
TRIES = 4
SHAPES = ("line", "line", "line", "iris", "box", "diamond", "blinds", "clock", "doors", "cloud")
"""How something may sweep the screen, as often as it does."""


@dataclass(frozen=True)
class Stock:
    """What clips are made of: uncut stretches (n x 27 x 48 x 3 uint8) and pictures (of layers)."""

    stretches: list[np.ndarray]
    pictures: np.ndarray


def clip(stock: Stock, seed: list[int], *, real: bool) -> tuple[np.ndarray, int]:
    """SAMPLES x 27 x 48 x 3 uint8 of a transition, or of motion, and how many frames it lasts."""
    rng = np.random.default_rng(seed)
    for attempt in range(TRIES):
        length = round(np.exp(rng.uniform(np.log(SHORTEST), np.log(LONGEST))))
        times = sampled(length + 2 * AROUND)
        if rng.random() < 0.15:
            times = times // 2 * 2  # animation on twos
        if real:
            frames = _transition(stock, times, _span(length, 0.12 * length + 1, 0.5, rng), rng)
        else:
            slack = (0.3 if rng.random() < 0.7 else 1.5) * length
            frames = _motion(stock, times, _span(length, slack, 0.3 * length / slack, rng), rng)
        change = np.abs(frames[BEFORE] - frames[AFTER]).mean()
        if change > LEAST_CHANGE or attempt == TRIES - 1:
            break
    return _filmed(frames, rng), length


def _span(length: int, slack: float, inward: float, rng: np.random.Generator) -> Span:
    """When a change happens that was suggested to begin at AROUND and to last `length` frames."""
    start = AROUND + rng.uniform(-slack, inward * slack)
    end = AROUND + length + rng.uniform(-inward * slack, slack)
    return start, max(end, start + 4)


def _stretch(stock: Stock, times: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Frames (n x 3 x 27 x 48, 0 to 1) of an uncut stretch of film."""
    whole = stock.stretches[int(rng.integers(len(stock.stretches)))]
    start = int(rng.integers(0, max(len(whole) - times[-1], 1)))
    frames = whole[(start + times).clip(0, len(whole) - 1)].transpose(0, 3, 1, 2) / np.float32(255)
    if rng.random() < 0.5:
        frames = frames[..., ::-1]
    if rng.random() < 0.1:
        frames = frames[..., ::-1, :]
    return frames


def _scene(stock: Stock, times: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One shot: a stretch of film, or layers that move slowly if at all."""
    if rng.random() < 0.6:
        return _stretch(stock, times, rng)
    span = _any_span(times, rng)
    path = moved_path(times, rng, span, 0.4) if rng.random() < 0.5 else still_path(times, rng)
    layers = [Layer(surface(stock.pictures, rng, near=False), None, path)]
    for _ in range(int(rng.choice([0, 0, 1, 2]))):
        mask = shape_mask(rng) if rng.random() < 0.7 else bars_mask(rng)
        own = still_path(times, rng) if rng.random() < 0.6 else moved_path(times, rng, span, 0.5)
        layers.append(Layer(surface(stock.pictures, rng, near=True), mask, own))
    return stacked(layers)


def _any_span(times: np.ndarray, rng: np.random.Generator) -> Span:
    start = rng.uniform(-20, times[-1])
    return start, start + np.exp(rng.uniform(np.log(8), np.log(150)))


def _transition(
    stock: Stock, times: np.ndarray, span: Span, rng: np.random.Generator
) -> np.ndarray:
    """Two shots joined by a dissolve, a wipe of any shape, or a fade through black or white."""
    old, new = _scene(stock, times, rng), _scene(stock, times, rng)
    kind = rng.choice(["dissolve", "wipe", "fade"], p=[0.5, 0.36, 0.14])
    line = np.clip((times - span[0] + 1) / (span[1] - span[0] + 1), 0, 1)[:, None, None, None]
    if kind == "wipe":
        soft = rng.uniform(0.005, 0.08) if rng.random() < 0.7 else rng.uniform(0.08, 0.3)
        return old + _swept(line, soft, rng) * (new - old)
    if rng.random() < 0.3:
        line = line * line * (3 - 2 * line)
    if kind == "dissolve":
        return old + line * (new - old)
    middle, hold = rng.uniform(0.3, 0.7), rng.uniform(0, 0.15) * rng.choice([0, 1])
    colour = 1.0 if rng.random() < 0.25 else 0.0
    out = np.clip(line / (middle - hold), 0, 1)
    back = np.clip((line - middle - hold) / (1 - middle - hold), 0, 1)
    return np.where(line < middle, old + out * (colour - old), colour + back * (new - colour))


def _swept(progress: np.ndarray, soft: float, rng: np.random.Generator) -> np.ndarray:
    """How much of each place (n x 1 x 27 x 48) something has reached that sweeps the screen."""
    return np.clip((progress * (1 + soft) - _arrival(rng)) / soft, 0, 1)


def _arrival(rng: np.random.Generator) -> np.ndarray:
    """When something reaches each place of the screen, from 0 to 1."""
    v = V / TALL
    angle = rng.integers(4) * np.pi / 2 if rng.random() < 0.5 else rng.uniform(0, 2 * np.pi)
    along = U * np.cos(angle) + v * np.sin(angle)
    centre = rng.normal(0, 0.12, 2) * rng.choice([0, 0, 1])
    p, q = np.abs(U - centre[0]), np.abs((v if rng.random() < 0.5 else V) - centre[1])
    shape = {
        "line": along,
        "iris": np.hypot(p, q),
        "box": np.maximum(p, q),
        "diamond": p + q,
        "blinds": (along * rng.integers(3, 10)) % 1,
        "clock": (np.arctan2(V, U) / (2 * np.pi) + rng.choice([0.5, rng.random()])) % 1,
        "doors": np.abs(U) if rng.random() < 0.6 else np.abs(V),
        "cloud": _cloud(rng),
    }[str(rng.choice(SHAPES))]
    rising = (shape - shape.min()) / np.ptp(shape)
    return 1 - rising if rng.random() < 0.5 else rising


def _cloud(rng: np.random.Generator) -> np.ndarray:
    field = np.zeros((HEIGHT, WIDTH), np.float32)
    for _ in range(5):
        rate = rng.normal(0, rng.uniform(3, 25), 2)
        field += np.sin(U * rate[0] + V * rate[1] + rng.uniform(0, 6)) / np.hypot(*rate)
    return field


def _motion(stock: Stock, times: np.ndarray, span: Span, rng: np.random.Generator) -> np.ndarray:
    """One shot in which something happens, or what else is no gradual transition."""
    kinds = {"moving": _moving, "lit": _lit, "broken": _broken}
    kind = rng.choice([*kinds, "stretch"], p=[0.7, 0.12, 0.08, 0.1])
    return kinds[kind](stock, times, span, rng) if kind in kinds else _stretch(stock, times, rng)


def _moving(stock: Stock, times: np.ndarray, span: Span, rng: np.random.Generator) -> np.ndarray:
    """Things that move in front of each other and before a camera that may move too."""
    if rng.random() < 0.35:
        frames = _stretch(stock, times, rng)
    else:
        path = moved_path(times, rng, span) if rng.random() < 0.5 else still_path(times, rng)
        frames = stacked([Layer(surface(stock.pictures, rng, near=False), None, path)])
    count = int(rng.choice([0, 1, 1, 1, 2, 2, 3]))
    for number in range(count):
        now = span if number == count - 1 or rng.random() < 0.5 else _any_span(times, rng)
        front = FRONTS[int(rng.integers(len(FRONTS)))]
        colours, cover = seen(front(stock, times, now, rng))
        if rng.random() < 0.12:
            cover = cover * rng.uniform(0.4, 0.9)
        frames = frames + cover * (colours - frames)
    return frames


def _cover(stock: Stock, times: np.ndarray, span: Span, rng: np.random.Generator) -> Layer:
    """Something that slides over the picture or off it, and takes its surface along."""
    angle, mask = edge_mask(rng)
    path = still_path(times, rng, 0.3)
    across = np.abs(np.cos(angle)) + np.abs(np.sin(angle)) * TALL
    way = journey(times, rng, span, rng.uniform(0.5, 1.5) * across)
    way -= rng.uniform(0.4, 0.75) * across
    aside = journey(times, rng, span, rng.normal(0, 0.2) * rng.choice([0, 1]))
    path[:, 0] += way * np.cos(angle) - aside * np.sin(angle)
    path[:, 1] += way * np.sin(angle) + aside * np.cos(angle)
    if rng.random() < 0.2:
        path[:, 2:4] += journey(times, rng, span, rng.uniform(-0.5, 0.8))[:, None]
    path[:, 4] = rng.choice([0, 0, 1]) * journey(times, rng, span, rng.normal(0, 0.4))
    return Layer(surface(stock.pictures, rng, near=True), mask, path)


def _passer(stock: Stock, times: np.ndarray, span: Span, rng: np.random.Generator) -> Layer:
    """Something that crosses the picture, or enters and stays."""
    mask = bars_mask(rng) if rng.random() < 0.25 else shape_mask(rng)
    path = still_path(times, rng, 0.3)
    angle = rng.uniform(0, 2 * np.pi) if rng.random() < 0.3 else rng.choice([0, np.pi])
    far = rng.choice([rng.uniform(1.5, 3.5), rng.uniform(0.5, 1.5)])
    way = journey(times, rng, span, far) - rng.uniform(0.3, 1) * far
    path[:, 0] += way * np.cos(angle)
    path[:, 1] += way * np.sin(angle)
    path[:, 2:4] += rng.uniform(-0.3, 1.2)
    return Layer(surface(stock.pictures, rng, near=True), mask, path)


def _leaf(stock: Stock, times: np.ndarray, span: Span, rng: np.random.Generator) -> Layer:
    """A leaf on a hinge that opens or shuts: it narrows toward one side of the picture."""
    path = np.zeros((len(times), 7), np.float32)
    path[:, :2] = wandering(times, rng, 0.3)
    turn = np.clip(journey(times, rng, span, rng.uniform(0.6, 1.6)), 0, 1.55)
    if rng.random() < 0.5:
        turn = turn.max() - turn
    axis, side = int(rng.random() < 0.25), rng.choice([-1, 1])
    narrow = np.maximum(np.cos(turn), 0.02)
    path[:, 2 + axis] = np.log(narrow)
    # The hinge stays where it is while the leaf narrows.
    path[:, axis] += side * 0.5 * (TALL if axis else 1) * (1 - 1 / narrow)
    path[:, 5 + axis] = side * rng.uniform(0, 0.8) * np.sin(turn)
    return Layer(surface(stock.pictures, rng, near=True), panel_mask(rng), path)


def _nearing(stock: Stock, times: np.ndarray, span: Span, rng: np.random.Generator) -> Layer:
    """An opening or a thing that grows past the edges of the picture, or shrinks from there."""
    mask = shape_mask(rng, hole=rng.random() < 0.6)
    path = still_path(times, rng, 0.3)
    path[:, :2] *= 0.4
    size = journey(times, rng, span, rng.uniform(0.8, 3.2)) + rng.uniform(-0.8, 0.3)
    if rng.random() < 0.3:
        size = size.max() + size.min() - size
    path[:, 2:4] = size[:, None]
    return Layer(surface(stock.pictures, rng, near=True), mask, path)


Front = Callable[[Stock, np.ndarray, Span, np.random.Generator], Layer]
FRONTS: tuple[Front, ...] = (
    *(_cover, _cover, _cover, _passer, _passer),
    *(_leaf, _leaf, _nearing, _nearing),
)
"""What moves in front, as often as it does."""


def _lit(stock: Stock, times: np.ndarray, span: Span, rng: np.random.Generator) -> np.ndarray:
    """Light that changes, a shadow that sweeps, lettering or haze that comes or goes, a flash."""
    frames = _scene(stock, times, rng)
    rise = journey(times, rng, span, 1.0)[:, None, None, None]
    rise = 1 - rise if rng.random() < 0.4 else rise
    kind = rng.choice(["gain", "shadow", "lettering", "haze", "flash"])
    if kind == "gain":
        gain = rng.uniform(-0.9, 0.8, 3 if rng.random() < 0.3 else 1)
        return frames * (1 + rise * gain[:, None, None])
    if kind == "shadow":
        return frames * (1 + _swept(rise, rng.uniform(0.05, 0.6), rng) * rng.uniform(-0.75, 0.6))
    if kind == "lettering":
        mask = bars_mask(rng) if rng.random() < 0.5 else shape_mask(rng)
        part = (np.abs(V) < rng.uniform(0.03, 0.16)) & (np.abs(U) < rng.uniform(0.15, 0.5))
        part = np.roll(part, int(rng.integers(-10, 11)), axis=0)
        ink = rng.uniform(0, 1, (3, 1, 1)) if rng.random() < 0.5 else rng.choice([0.0, 1.0, 1.0])
        return frames + rise * mask(U, V - rng.uniform(-0.2, 0.2)) * part * (ink - frames)
    if kind == "haze":
        path = moved_path(times, rng, span)
        veil = stacked([Layer(surface(stock.pictures, rng, near=True), None, path)])
        cloud = _cloud(rng)
        thick = rng.uniform(0.1, 0.35) * (1 + (cloud - cloud.min()) / np.ptp(cloud))
        return frames + rise * thick * (veil.mean(axis=1, keepdims=True) - frames)
    flash = np.exp(-np.abs(times - rng.uniform(*span)) / rng.uniform(1, 5))[:, None, None, None]
    return frames + rng.uniform(0.3, 1) * flash * (1 - frames)


def _broken(stock: Stock, times: np.ndarray, span: Span, rng: np.random.Generator) -> np.ndarray:
    """Two shots without a gradual transition: a cut, or a wipe that stops halfway."""
    old, new = _scene(stock, times, rng), _scene(stock, times, rng)
    if rng.random() < 0.6:
        return np.where((times >= rng.uniform(*span))[:, None, None, None], new, old)
    most = rng.uniform(0.15, 0.65)
    part = journey(times, rng, span, most)
    if rng.random() < 0.3:
        part = part - journey(times, rng, (span[1], span[1] + 20), most)
    return old + _swept(part[:, None, None, None], rng.uniform(0.01, 0.2), rng) * (new - old)


def _filmed(frames: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The clip as a film would hold it: graded, grainy, between bars, at times backwards."""
    if rng.random() < 0.5:
        frames = frames[::-1]
    dark = rng.random() < 0.12
    gain = rng.uniform(0.06, 0.25) if dark else rng.uniform(0.5, 1.2)
    lift = 0 if dark else rng.uniform(-0.03, 0.08)
    graded = gain * np.clip(frames, 0, 1) ** rng.uniform(0.7, 1.5) + lift
    graded = graded * 255 * rng.uniform(0.85, 1.1, (3, 1, 1))
    grain = 0.7 if dark else rng.choice([0.3, 1.0, 2.5])
    graded = graded + grain * rng.standard_normal((len(frames), 1, HEIGHT, WIDTH))
    if rng.random() < 0.12:
        bar = int(rng.integers(1, 6))
        if rng.random() < 0.5:
            graded[:, :, :bar] = graded[:, :, -bar:] = 0
        else:
            graded[..., : 2 * bar] = graded[..., -2 * bar :] = 0
    return np.clip(graded + 0.5, 0, 255).astype(np.uint8).transpose(0, 2, 3, 1)
