"""Films to train the shot detector on: composed from the tuning half's footage, or of pure motion.

Compositions are made anew for every seed and shrunk to 48 x 27. In films of pure motion takes of
one kind follow each other at cuts, and nothing else changes but the camera, the light and things
(see benchmarks/shots/motion_footage.py). The scoring half is never read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import cv2
import numpy as np

from benchmarks.shots import motion_footage
from benchmarks.shots.motion_camera import World, takes_of
from benchmarks.shots.motion_footage import RANDOM_KINDS, TRAINING_KINDS
from benchmarks.shots.shot_footage import HEIGHT, WIDTH, Render, Take
from benchmarks.shots.shot_set import RECIPES, Recipe, Truth, compose
from storyscope.shots.decide import runs
from storyscope.shots.network import OUTPUTS
from storyscope.shots.tile import EMPTY

BLACKOUT = 25
"""Frames of an empty screen that are a shot."""


def sources_digest() -> str:
    """SHA-256 of the code that composes films: other code makes other films."""
    footage = Path(motion_footage.__file__).parent
    sources = [
        Path(__file__),
        *sorted(footage.glob("motion_*.py")),
        *sorted(footage.glob("shot_*.py")),
    ]
    return sha256(b"".join(file.read_bytes() for file in sources)).hexdigest()


def kindred(takes: dict[str, list[Take]], rng: np.random.Generator) -> dict[str, list[Take]]:
    """Shots that share their colours: one picture to jump about in, mosaics of one palette."""
    picture = takes["picture"][int(rng.integers(len(takes["picture"])))]
    palette = rng.uniform(0, 255, (int(rng.integers(2, 5)), 3))
    mosaics = [Take(f"mosaic:{i}", 10_000, _mosaic(palette)) for i in range(4)]
    again = [replace(picture, name=f"{picture.name}:{i}") for i in range(4)]
    return {"film": [], "picture": again, "drawn": mosaics}


def _mosaic(palette: np.ndarray) -> Render:
    def render(count: int, rng: np.random.Generator) -> np.ndarray:
        size = int(rng.choice([4, 8, 16, 32, 48]))
        cells = rng.dirichlet(np.full(len(palette), 0.6), (HEIGHT // size + 1, WIDTH // size + 1))
        colours = np.kron(cells @ palette, np.ones((size, size, 1)))[:HEIGHT, :WIDTH]
        speed = rng.choice([0, 0, 0.3, 1, 2, 5]) * rng.normal(0, 1, 2)
        place = np.outer(_restless(count, rng), speed).astype(int)
        return np.stack([np.roll(colours, shift, axis=(0, 1)) for shift in place]).astype(np.uint8)

    return render


def _restless(count: int, rng: np.random.Generator) -> np.ndarray:
    """How far the camera has come: steadily, in jerks, or setting off and stopping at once."""
    manner = rng.choice(["steady", "steady", "jerks", "stops"])
    if manner == "jerks":
        hold = int(rng.integers(2, 6))
        return np.arange(count) // hold * hold
    if manner == "stops":
        moving = np.repeat(rng.integers(0, 2, count // 6 + 1), 6)[:count]
        return np.cumsum(moving)
    return np.arange(count)


def swinging(takes: dict[str, list[Take]], rng: np.random.Generator) -> dict[str, list[Take]]:
    """A camera that turns fast over clouds of every size."""
    return {"film": [], "picture": [], "drawn": [Take("clouds", 10_000, _swing)]}


def _swing(count: int, rng: np.random.Generator) -> np.ndarray:
    colours = rng.uniform(0, 255, (2, 3))
    field = np.zeros((2 * HEIGHT, 4 * WIDTH))
    for size in (96, 48, 24, 12):
        cells = rng.normal(0, size ** rng.uniform(0.3, 1), (field.shape[0] // size, 1024 // size))
        how = cv2.INTER_CUBIC if rng.random() < 0.5 else cv2.INTER_NEAREST
        field += cv2.resize(cells, field.shape[::-1], interpolation=how)
    field = (field - field.min()) / np.ptp(field)
    scene = (colours[0] + field[..., None] * (colours[1] - colours[0])).astype(np.uint8)
    when = np.arange(count)[:, None] - rng.uniform(0, count, int(rng.integers(1, 4)))
    turns = rng.normal(0, WIDTH, (when.shape[1], 2)) * (1, rng.choice([0, 0.3]))
    way = 1 / (1 + np.exp(-np.clip(6 * when / rng.uniform(4, 50), -50, 50))) @ turns
    drift = np.outer(np.arange(count), rng.normal(0, 0.5, 2))
    return np.stack([_seen_from(scene, *place) for place in way + drift])


def _seen_from(scene: np.ndarray, right: float, down: float) -> np.ndarray:
    shift = np.array([[1, 0, -right], [0, 1, -down]])
    return cv2.warpAffine(scene, shift, (WIDTH, HEIGHT), borderMode=cv2.BORDER_WRAP)


def as_they_are(takes: dict[str, list[Take]], rng: np.random.Generator) -> dict[str, list[Take]]:
    return takes


EXTRAS = {
    Recipe(
        "kindred", 150, mix=(0.8, 0.1, 0.05, 0.05), body=(8, 60), sorts=(0, 0.25, 0.75)
    ): kindred,
    Recipe("kindred-montage", 120, mix=(1, 0, 0, 0), body=(4, 14), sorts=(0, 0.25, 0.75)): kindred,
    Recipe("swings", 50, body=(30, 200), sorts=(0, 0, 1)): swinging,
    Recipe("blackouts", 30, mix=(0.2, 0.1, 0.7, 0), hold=(0, 120)): as_they_are,
}
"""What only training needs, and the stock it is made of."""


def composed(
    seeds: range, takes: dict[str, list[Take]], cache: Path
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Small frames and labels (n x OUTPUTS): one composition of every recipe for every seed."""
    for seed in seeds:
        for number, recipe in enumerate((*RECIPES, *EXTRAS)):
            rng = np.random.default_rng([7, seed, number])
            yield _kept(cache / f"{recipe.name}-{seed}.npz", recipe, takes, rng)


MOTION = {
    **{
        Recipe(f"motion-{name}", 8, mix=(1, 0, 0, 0), body=(60, 300), sorts=(0, 0, 1)): (name,)
        for name in TRAINING_KINDS
    },
    **{
        Recipe(
            f"moving-{i}", 60, mix=(0.25, 0.35, 0.1, 0.3), body=(14, 120), sorts=(0, 0, 1)
        ): tuple(TRAINING_KINDS)
        for i in range(2)
    },
    **{
        Recipe(f"layers-{i}", 12, mix=(1, 0, 0, 0), body=(60, 240), sorts=(0, 0, 1)): ("layers",)
        for i in range(6)
    },
    Recipe("layered", 60, mix=(0.25, 0.35, 0.1, 0.3), body=(14, 120), sorts=(0, 0, 1)): ("layers",),
}
"""Films of one kind of motion without any gradual transition, and of all kinds with many."""


QUICK = {
    Recipe("quick", 20, mix=(0.2, 0.4, 0.1, 0.3), body=(20, 80), sorts=(0, 0, 1)): (
        "pan",
        "crossing",
    )
}
"""One small film, to see that the training program works."""


def moving(
    seeds: range,
    world: World,
    cache: Path,
    recipes: dict[Recipe, tuple[str, ...]] = MOTION,
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Small frames and labels of films of motion, as `composed` gives those of other films."""
    for seed in seeds:
        for number, (recipe, names) in enumerate(recipes.items()):
            kinds = {name: (TRAINING_KINDS | RANDOM_KINDS)[name] for name in names}
            stock = {"film": [], "picture": [], "drawn": takes_of(world, kinds)}
            rng = np.random.default_rng([8, seed, number])
            yield _kept(cache / f"{recipe.name}-{seed}.npz", recipe, stock, rng)


def _kept(
    path: Path, recipe: Recipe, takes: dict[str, list[Take]], rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """One composition, from the cache where it is there."""
    if not path.exists():
        truth = Truth()
        stock = EXTRAS.get(recipe, as_they_are)(takes, rng)
        varied = recipe if not recipe.tricks else _varied(recipe, rng)
        pieces = [
            np.stack([cv2.resize(f, (48, 27), interpolation=cv2.INTER_AREA) for f in piece])
            for piece in compose(varied, stock, rng, truth)
            if len(piece)
        ]
        rgb, labels = np.concatenate(pieces), labels_of(truth)
        if max(recipe.hold) >= BLACKOUT:
            labels = without_blackouts(rgb, labels)
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, rgb=rgb, labels=labels)
    with np.load(path) as stored:
        return stored["rgb"], stored["labels"]


def _varied(recipe, rng):
    """The recipe with several tricks at once in some clips, as real films have them."""
    return replace(recipe, trick_rate=min(1.0, recipe.trick_rate * rng.uniform(0.8, 1.5)))


def labels_of(truth: Truth) -> np.ndarray:
    """n x (cut, gradual, fade, wipe)."""
    labels = np.zeros((truth.frames, OUTPUTS), np.float32)
    for transition in truth.transitions:
        first, end = int(transition["first_frame"]), int(transition["end_frame"])
        if transition["kind"] == "cut":
            labels[first, 0] = 1
        else:
            labels[first:end, 1] = 1
            labels[first:end, 2] = transition["kind"] == "fade"
            labels[first:end, 3] = transition["kind"] == "wipe"
    return labels


def without_blackouts(rgb: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Labels under which a screen that is empty for a second is a shot, and no part of a fade."""
    for run in runs(np.ptp(rgb.reshape(len(rgb), -1), axis=1) <= EMPTY):
        if len(run) >= BLACKOUT:
            labels[run.start : run.stop, 1:] = 0
    return labels


def disturbed(
    rgb: np.ndarray, labels: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Another film with the same shots."""
    if rng.random() < 0.5:
        rgb, labels = rgb[::-1], labels[::-1].copy()
        labels[1:, 0], labels[0, 0] = labels[:-1, 0].copy(), 0
    manner = rng.choice(["as is", "as is", "as is", "faster", "repeated"])
    if manner == "faster":
        rgb, labels = _thinned(rgb, labels)
    elif manner == "repeated":
        at = np.sort(np.concatenate([np.arange(len(rgb)), _some(len(rgb), rng)]))
        moved = labels[at]
        moved[1:, 0][at[1:] == at[:-1]] = 0
        rgb, labels = rgb[at], moved
    if rng.random() < 0.35:
        rgb = _framed(rgb, rng)
    gain, lift, gamma = rng.uniform(0.5, 1.2), rng.uniform(-0.05, 0.1), rng.uniform(0.7, 1.5)
    table = np.clip(gain * (np.arange(256) / 255) ** gamma + lift, 0, 1) * 255
    pixels = table.astype(np.float32)[rgb] * _light(len(rgb), rng)[:, None, None, None]
    grain = rng.choice([0.3, 1.0, 2.5]) * rng.standard_normal(rgb.shape[:3], dtype=np.float32)
    pixels += grain[..., None]
    return np.clip(pixels + 0.5, 0, 255).astype(np.uint8), labels


def _light(count: int, rng: np.random.Generator) -> np.ndarray:
    """Light that is steady in most films, and in some breathes or jumps about."""
    depth = rng.choice([0, 0, 0, 0.1, 0.25, 0.4])
    waves = np.sin(np.arange(count) / rng.uniform(4, 40) + rng.uniform(0, 6))
    come_and_go = np.sin(np.arange(count) / rng.uniform(100, 400)) > 0
    return (1 + depth * waves * come_and_go).astype(np.float32)


def _framed(rgb: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The film between black bars, as old films and wide ones are shown."""
    width, height = (int(rng.integers(28, 48)), 27) if rng.random() < 0.5 else (48, 0)
    height = height or int(rng.integers(16, 27))
    out = np.zeros_like(rgb)
    left, top = (48 - width) // 2, (27 - height) // 2
    for number, frame in enumerate(rgb):
        small = cv2.resize(frame, (width, height), interpolation=cv2.INTER_AREA)
        out[number, top : top + height, left : left + width] = small
    return out


def _thinned(rgb: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every second frame; a cut moves to the next frame that is kept."""
    labels = labels[: len(labels) // 2 * 2].copy()
    kept = labels[::2].copy()
    kept[1:, 0] = np.maximum(kept[1:, 0], labels[1:-1:2, 0])
    return rgb[: len(labels) : 2], kept


def _some(count: int, rng: np.random.Generator) -> np.ndarray:
    """Frames to show twice: all of them (animation on twos), or a few at random."""
    if rng.random() < 0.5:
        return np.arange(count)
    return np.flatnonzero(rng.random(count) < 0.2)
