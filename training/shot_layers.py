"""Pictures with masks that move in front of each other, drawn at 48 x 27 at given times.

Places are in widths of the screen from its middle. A layer's path holds, for every time, its x and
y, the logarithms of its width and height, its angle, and how far it leans right and down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

HEIGHT, WIDTH = 27, 48
TALL = HEIGHT / WIDTH
Y, X = np.mgrid[:HEIGHT, :WIDTH].astype(np.float32)
U, V = (X + 0.5) / WIDTH - 0.5, ((Y + 0.5) / HEIGHT - 0.5) * TALL
PICTURE = (160, 90)
"""Size of a layer's picture, which covers 1.6 screens."""

Span = tuple[float, float]
"""First and last time of a move."""
Mask = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Layer:
    """A picture (1 x 3 x 90 x 160, 0 to 1), where it covers what is behind, and its path."""

    picture: torch.Tensor
    mask: Mask | None
    path: np.ndarray


def seen(layer: Layer) -> tuple[np.ndarray, np.ndarray]:
    """Colours (n x 3 x 27 x 48) and cover (n x 1 x 27 x 48) of a layer at each time."""
    x, y, wide, high, angle, right, down = (
        layer.path[:, i, None, None].astype(np.float32) for i in range(7)
    )
    near = 1 / np.maximum(1 + right * U + down * V, 0.2)
    cos, sin = np.cos(angle), np.sin(angle)
    u = (U * cos - V * sin) * near * np.exp(-wide) + x
    v = (U * sin + V * cos) * near * np.exp(-high) + y
    grid = torch.from_numpy(np.stack([u / 0.8, v / 0.45], axis=-1).astype(np.float32))
    picture = layer.picture.expand(len(grid), -1, -1, -1)
    colours = functional.grid_sample(
        picture, grid, padding_mode="reflection", align_corners=False
    ).numpy()
    cover = np.ones_like(u) if layer.mask is None else layer.mask(u, v).astype(np.float32)
    return colours, cover[:, None]


def stacked(layers: list[Layer]) -> np.ndarray:
    """The frames (n x 3 x 27 x 48) of layers, the first of which is behind all others."""
    frames, _ = seen(layers[0])
    for layer in layers[1:]:
        colours, cover = seen(layer)
        frames = frames + cover * (colours - frames)
    return frames


def surface(pictures: np.ndarray, rng: np.random.Generator, *, near: bool) -> torch.Tensor:
    """One of the pictures (n x 3 x 90 x 160), tinted; what is near may be flat or out of focus."""
    picture = pictures[int(rng.integers(len(pictures)))]
    if rng.random() < 0.5:
        picture = picture[:, :, ::-1]
    if near and rng.random() < 0.35:
        mean = picture.mean(axis=(1, 2), keepdims=True)
        picture = mean * rng.uniform(0.1, 1.3) + rng.uniform(0, 0.4) * (picture - mean)
    picture = picture * rng.uniform(0.6, 1.2, (3, 1, 1)) + rng.uniform(-0.1, 0.1)
    tinted = torch.from_numpy(np.ascontiguousarray(picture, np.float32).clip(0, 1))[None]
    if rng.random() < 0.3:
        size = int(rng.choice([3, 5, 9]))
        tinted = functional.avg_pool2d(tinted, size, 1, size // 2, count_include_pad=False)
    return tinted


def journey(times: np.ndarray, rng: np.random.Generator, span: Span, reach: float) -> np.ndarray:
    """0 before the span, `reach` after it; the start and the stop may be smooth."""
    progress = np.clip((times - span[0]) / max(span[1] - span[0], 1.0), 0, 1)
    if rng.random() < 0.6:
        progress = progress * progress * (3 - 2 * progress)
    return reach * progress


def wandering(times: np.ndarray, rng: np.random.Generator, strength: float) -> np.ndarray:
    """A slow drift and a small shake (n x 2)."""
    drift = np.outer(times, rng.normal(0, 1, 2)) * rng.choice([0, 0, 0.01, 0.04])
    swing = np.sin(times[:, None] * rng.uniform(0.1, 1.2, 2) + rng.uniform(0, 6, 2))
    return strength * (drift + swing * rng.choice([0, 0.003, 0.01, 0.02]))


def still_path(times: np.ndarray, rng: np.random.Generator, strength: float = 1.0) -> np.ndarray:
    """The path of something that hardly moves."""
    path = np.zeros((len(times), 7), np.float32)
    path[:, :2] = rng.uniform(-0.25, 0.25, 2) + wandering(times, rng, strength)
    growth = rng.normal(0, 0.3) * rng.choice([0, 0, 1])
    path[:, 2:4] = (rng.uniform(-0.1, 0.6) + times / 60 * growth)[:, None]
    path[:, 4] = rng.choice([0, 0, 1]) * rng.normal(0, 0.15)
    path[:, 5:] = rng.uniform(-0.2, 0.2, 2)
    return path


def moved_path(
    times: np.ndarray, rng: np.random.Generator, span: Span, depth: float = 1.0
) -> np.ndarray:
    """The path of what a camera sees that travels, tilts, zooms or turns during the span."""
    path = still_path(times, rng)
    angle = rng.choice([0, 0, np.pi / 2, rng.uniform(0, np.pi)]) + rng.choice([0, np.pi])
    far = np.exp(rng.uniform(np.log(0.15), np.log(2.5))) * depth
    way = journey(times, rng, span, 1.0)
    manner = rng.random()
    if manner < 0.75:
        path[:, 0] += far * np.cos(angle) * way
        path[:, 1] += far * np.sin(angle) * way
    if manner > 0.6:
        path[:, 2:4] += (rng.uniform(-0.6, 1.4) * way)[:, None]
    if rng.random() < 0.15:
        path[:, 4] += rng.normal(0, 0.8) * way
    return path


def edge_mask(rng: np.random.Generator) -> tuple[float, Mask]:
    """Everything on one side of a straight or wavy edge, and the angle of that side."""
    angle = rng.uniform(0, 2 * np.pi) if rng.random() < 0.4 else rng.integers(4) * np.pi / 2
    soft, wave = rng.choice([0.003, 0.02, 0.06, 0.15]), rng.choice([0, 0, 0.03, 0.08])
    rate, at = rng.uniform(4, 40), rng.uniform(0, 6)
    cos, sin = np.cos(angle), np.sin(angle)

    def mask(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        waves = wave * np.sin(rate * (v * cos - u * sin) + at)
        return np.clip(0.5 + (u * cos + v * sin + waves) / soft, 0, 1)

    return float(angle), mask


def shape_mask(rng: np.random.Generator, *, hole: bool = False) -> Mask:
    """A round, square or irregular thing, or everything around it."""
    power, turn = rng.choice([2, 2, 4, 12]), rng.choice([0, 0, rng.uniform(0, 3)])
    size = np.exp(rng.uniform(np.log(0.06), np.log(0.7), 2))
    soft = 0.3 * rng.choice([0.01, 0.05, 0.2]) / size.min()
    bumps = [(rng.normal(0, 0.1), k, rng.uniform(0, 6)) for k in range(2, 6)]
    bumps = bumps if rng.random() < 0.6 else []
    cos, sin = np.cos(turn), np.sin(turn)

    def mask(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        p, q = u * cos + v * sin, v * cos - u * sin
        edge = 1.0
        if bumps:
            around = np.arctan2(q, p)
            edge = 1 + sum(depth * np.cos(k * around + at) for depth, k, at in bumps)
        radius = (np.abs(p / size[0]) ** power + np.abs(q / size[1]) ** power) ** (1 / power)
        inside = (edge - radius) / soft
        return np.clip(0.5 - inside if hole else 0.5 + inside, 0, 1)

    return mask


def bars_mask(rng: np.random.Generator) -> Mask:
    """Bars of equal width: posts, blinds, lines of text."""
    angle, rate = rng.uniform(0, 3.2), rng.uniform(3, 25)
    gap, soft = rng.uniform(-0.7, 0.7), rng.choice([0.05, 0.3])
    cos, sin = np.cos(angle), np.sin(angle)
    return lambda u, v: np.clip(0.5 + (np.sin(rate * (u * cos + v * sin)) - gap) / soft, 0, 1)


def panel_mask(rng: np.random.Generator) -> Mask:
    """A leaf of about the size of the screen."""
    wide, high = 0.5 * rng.uniform(0.5, 1.1), 0.5 * TALL * rng.uniform(0.7, 1.3)
    soft = rng.choice([0.005, 0.03])
    return lambda u, v: np.clip(0.5 + np.minimum(wide - np.abs(u), high - np.abs(v)) / soft, 0, 1)
