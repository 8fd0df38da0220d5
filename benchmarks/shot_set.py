"""Make the shot test set: films composed by code, so that every transition is known exactly.

    python benchmarks/shot_set.py --data ../shared/data --out build/shot-set

Each half (`tuning`, `scoring`) becomes a folder of small films and one `truth.json`:
{"clip.mp4": {"frames": n, "transitions": [{"kind", "first_frame", "end_frame"}], "tricks": {...}}}
where `tricks` counts what was put in to deceive. A cut has first_frame == end_frame; a gradual
transition covers every frame that is neither wholly the old shot nor wholly the new one.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np

from shot_footage import HALVES, HEIGHT, WIDTH, Take, film_paths, load_takes

KINDS = ("cut", "dissolve", "fade", "wipe")


@dataclass(frozen=True)
class Recipe:
    """What one clip is made of."""

    name: str
    shots: int
    mix: tuple[float, float, float, float] = (0.62, 0.22, 0.08, 0.08)
    """How often each of KINDS joins two shots."""
    body: tuple[int, int] = (14, 80)
    """Frames of a shot that no transition touches: shortest and longest."""
    sorts: tuple[float, float, float] = (0.55, 0.25, 0.2)
    """How often a take is film, picture or drawn."""
    tricks: tuple[str, ...] = ()
    """What happens inside shots; see `TRICKS`."""
    trick_rate: float = 0.15
    vfr: bool = False


EVERYTHING = ("flash", "occluder", "subtitle", "letterbox", "exposure")
RECIPES = (
    *(Recipe(f"mixed-{i}", 105, tricks=EVERYTHING) for i in range(7)),
    Recipe("news", 120, mix=(0.85, 0.09, 0.02, 0.04)),
    Recipe("grain", 70, tricks=("grain",), trick_rate=1.0),
    Recipe("dark", 70, tricks=("dark",), trick_rate=1.0),
    Recipe("interlaced", 60, tricks=("interlace",), trick_rate=1.0),
    Recipe("subtitles", 60, tricks=("subtitle",), trick_rate=1.0),
    Recipe("letterbox", 60, tricks=("letterbox",), trick_rate=0.8),
    Recipe("flashes", 60, tricks=("flash", "exposure"), trick_rate=0.9),
    Recipe("pans", 60, sorts=(0.1, 0.7, 0.2), tricks=("occluder",), trick_rate=0.4),
    Recipe(
        "slideshow",
        50,
        mix=(0.4, 0.5, 0.1, 0.0),
        sorts=(0.4, 0.6, 0.0),
        tricks=("freeze",),
        trick_rate=1.0,
    ),
    Recipe("montage", 240, mix=(1, 0, 0, 0), body=(4, 12)),
    Recipe("variable-rate", 60, vfr=True, tricks=EVERYTHING),
    Recipe("long-film", 1, body=(400, 450), sorts=(1, 0, 0), tricks=EVERYTHING, trick_rate=1.0),
    Recipe("long-picture", 1, body=(2500, 2500), sorts=(0, 1, 0), tricks=("flash",)),
    Recipe("long-drawn", 1, body=(1500, 1500), sorts=(0, 0, 1), tricks=("flash",)),
)


@dataclass
class Truth:
    """What a clip holds, written down as it is composed."""

    frames: int = 0
    transitions: list[dict[str, object]] = field(default_factory=list)
    tricks: Counter[str] = field(default_factory=Counter)

    def note(self, kind: str, first_frame: int, end_frame: int) -> None:
        self.transitions.append({"kind": kind, "first_frame": first_frame, "end_frame": end_frame})


@dataclass(frozen=True)
class Join:
    """How two shots meet: `leave` frames are taken from the old, `enter` from the new."""

    kind: str
    leave: int
    enter: int
    hold: int = 0


def compose(
    recipe: Recipe, takes: dict[str, list[Take]], rng: np.random.Generator, truth: Truth
) -> Iterator[np.ndarray]:
    """Yield the clip in pieces (n x 144 x 256 x 3) and note its truth on the way."""
    arriving, before, name = Join("start", 0, 0), np.empty((0, HEIGHT, WIDTH, 3), np.uint8), ""
    for number in range(recipe.shots):
        last = number == recipe.shots - 1
        leaving = Join("end", 0, 0) if last else _draw_join(recipe, rng)
        body = int(np.exp(rng.uniform(*np.log(recipe.body))))
        count = arriving.enter + body + leaving.leave
        take = _draw_take(recipe, takes, count, name, rng)
        name = take.name
        shot = take.render(count, rng)
        shot = _deceive(shot, recipe, arriving.enter, leaving.leave, rng, truth)
        yield from _joined(arriving, before, shot[: arriving.enter], rng, truth)
        middle = shot[arriving.enter : len(shot) - leaving.leave]
        truth.frames += len(middle)
        yield middle
        arriving, before = leaving, shot[len(shot) - leaving.leave :]


def _draw_join(recipe: Recipe, rng: np.random.Generator) -> Join:
    kind = str(rng.choice(KINDS, p=recipe.mix))
    if kind == "cut":
        return Join("cut", 0, 0)
    if kind == "fade":
        return Join(
            "fade", int(rng.integers(4, 26)), int(rng.integers(4, 26)), int(rng.integers(0, 9))
        )
    length = int(rng.integers(5, 51)) if kind == "dissolve" else int(rng.integers(6, 41))
    return Join(kind, length, length)


def _draw_take(
    recipe: Recipe,
    takes: dict[str, list[Take]],
    count: int,
    previous: str,
    rng: np.random.Generator,
) -> Take:
    sort = str(rng.choice(list(takes), p=recipe.sorts))
    fitting = [take for take in takes[sort] if take.longest >= count]
    others = [take for take in fitting if take.name != previous or sort == "drawn"]
    if not others:
        others = takes["drawn"]
    return others[int(rng.integers(len(others)))]


def _joined(
    join: Join, old: np.ndarray, new: np.ndarray, rng: np.random.Generator, truth: Truth
) -> Iterator[np.ndarray]:
    if join.kind == "start":
        return
    frames = {"cut": _cut, "dissolve": _dissolve, "fade": _fade, "wipe": _wipe}[join.kind](
        join, old, new, rng
    )
    truth.note(join.kind, truth.frames, truth.frames + len(frames))
    truth.frames += len(frames)
    if len(frames):
        yield frames


def _cut(join: Join, old: np.ndarray, new: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return old


def _dissolve(join: Join, old: np.ndarray, new: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    weight = _ramp(len(old), rng)[:, None, None, None]
    return _pixels((1 - weight) * old + weight * new)


def _fade(join: Join, old: np.ndarray, new: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    colour = 255.0 if rng.random() < 0.25 else 0.0
    out = _ramp(join.leave, rng)[:, None, None, None]
    back = _ramp(join.enter, rng)[::-1][:, None, None, None]
    held = np.full((join.hold, HEIGHT, WIDTH, 3), colour)
    return _pixels(
        np.concatenate([(1 - out) * old + out * colour, held, (1 - back) * new + back * colour])
    )


def _wipe(join: Join, old: np.ndarray, new: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    manner = rng.choice(["across", "down", "slant", "iris", "blinds", "clock"])
    arrival = {
        "across": x / WIDTH,
        "down": y / HEIGHT,
        "slant": (x / WIDTH + y / HEIGHT) / 2,
        "iris": np.hypot(x - WIDTH / 2, y - HEIGHT / 2) / np.hypot(WIDTH / 2, HEIGHT / 2),
        "blinds": (x % 32) / 32,
        "clock": np.arctan2(y - HEIGHT / 2, x - WIDTH / 2) / (2 * np.pi) + 0.5,
    }[str(manner)]
    if rng.random() < 0.5:
        arrival = 1 - arrival
    softness = rng.uniform(0.005, 0.08)
    time = np.arange(1, len(old) + 1) / (len(old) + 1) * (1 + softness)
    weight = np.clip((time[:, None, None] - arrival) / softness, 0, 1)[..., None]
    return _pixels((1 - weight) * old + weight * new)


def _ramp(count: int, rng: np.random.Generator) -> np.ndarray:
    """Rising weights strictly between 0 and 1: straight, or easing in and out."""
    line = np.arange(1, count + 1) / (count + 1)
    return line * line * (3 - 2 * line) if rng.random() < 0.3 else line


def _pixels(values: np.ndarray) -> np.ndarray:
    return np.clip(values + 0.5, 0, 255).astype(np.uint8)


def _deceive(
    shot: np.ndarray,
    recipe: Recipe,
    enter: int,
    leave: int,
    rng: np.random.Generator,
    truth: Truth,
) -> np.ndarray:
    if not recipe.tricks or rng.random() >= recipe.trick_rate:
        return shot
    trick = str(rng.choice(recipe.tricks))
    first, end = enter + 5, len(shot) - leave - 5
    if trick in WHOLE_SHOT or end - first >= 4:
        truth.tricks[trick] += 1
        return TRICKS[trick](shot.copy(), first, end, rng)
    return shot


def _flash(shot: np.ndarray, first: int, end: int, rng: np.random.Generator) -> np.ndarray:
    """One to four frames of light, once or several times."""
    for _ in range(1 + (end - first) // 40):
        at, length = int(rng.integers(first, end - 3)), int(rng.integers(1, 4))
        strength = rng.uniform(0.4, 1)
        for i in range(at, at + length):
            shot[i] = _pixels(shot[i] * (1 - strength) + 255.0 * strength)
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
    return _pixels(shot * (1 + (gain - 1) * rise)[:, None, None, None])


def _grain(shot: np.ndarray, first: int, end: int, rng: np.random.Generator) -> np.ndarray:
    noise = rng.normal(0, rng.uniform(6, 22), (len(shot), HEIGHT, WIDTH, 1)).astype(np.float32)
    return _pixels(shot + noise)


def _dark(shot: np.ndarray, first: int, end: int, rng: np.random.Generator) -> np.ndarray:
    gain, floor = rng.uniform(0.06, 0.22), rng.uniform(0, 8)
    noise = rng.normal(0, 2, (*shot.shape[:3], 1)).astype(np.float32)
    return _pixels(shot * gain + floor + noise)


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


def encode(pieces: Iterator[np.ndarray], path: Path, rng: np.random.Generator, vfr: bool) -> None:
    """Write the frames as H.264, of a random quality, rate and keyframe distance."""
    import av

    rate = int(rng.choice([24, 25, 30]))
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=rate)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.options = {"preset": "veryfast", "crf": str(int(rng.integers(18, 31)))}
        stream.gop_size = int(rng.choice([25, 50, 250]))
        stream.thread_count = 1
        stream.time_base = stream.codec_context.time_base = Fraction(1, 600)
        clock = 0
        for piece in pieces:
            for pixels in piece:
                frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
                frame.pts, frame.time_base = clock, Fraction(1, 600)
                clock += 600 // rate * (int(rng.integers(1, 4)) if vfr else 1)
                container.mux(stream.encode(frame))
        container.mux(stream.encode())


def make_half(half: str, out: Path, films: dict[str, Path], cache: Path) -> None:
    takes = load_takes(half, films, cache)
    (out / half).mkdir(parents=True, exist_ok=True)
    truths = {}
    for number, recipe in enumerate(RECIPES):
        rng = np.random.default_rng([HALVES.index(half), number])
        truth, name = Truth(), f"{recipe.name}.{'mkv' if recipe.vfr else 'mp4'}"
        encode(compose(recipe, takes, rng, truth), out / half / name, rng, recipe.vfr)
        truths[name] = {
            "frames": truth.frames,
            "transitions": truth.transitions,
            "tricks": truth.tricks,
        }
        kinds = Counter(str(t["kind"]) for t in truth.transitions)
        print(half, name, truth.frames, dict(kinds), dict(truth.tricks), flush=True)
    (out / half / "truth.json").write_text(json.dumps(truths, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--demo", type=Path, help="the demo film, if it is to serve too")
    parser.add_argument("--out", type=Path, default=Path("build/shot-set"))
    options = parser.parse_args()
    cache = options.out / "decoded"
    cache.mkdir(parents=True, exist_ok=True)
    for half in HALVES:
        make_half(half, options.out, film_paths(options.data, options.demo), cache)


if __name__ == "__main__":
    main()
