"""Make the shot test set: films composed by code, so that every transition is known exactly.

    python -m benchmarks.shots.shot_set --data ../shared/data --out build/shot-set

Each half (`tuning`, `scoring`) becomes a folder of small films and one `truth.json`:
{"clip.mp4": {"frames": n, "transitions": [{"kind", "first_frame", "end_frame"}], "tricks": {...}}}
where `tricks` counts what was put in to deceive. The demo film joins the scoring half; a third
folder, `real`, holds a film as people cut it. A cut has first_frame == end_frame; a gradual
transition covers every frame that is neither wholly the old shot nor wholly the new one.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np

from benchmarks import common
from benchmarks.shots.shot_footage import HALVES, HEIGHT, WIDTH, Take, film_paths, load_takes
from benchmarks.shots.shot_tricks import TRICKS, WHOLE_SHOT, pixels

REAL_CUTS = Path(__file__).parent / "real_cuts.json"
DOCS = common.DOCS
KINDS = ("cut", "dissolve", "fade", "wipe")


@dataclass(frozen=True)
class Recipe:
    """What one clip is made of."""

    name: str
    shots: int
    mix: tuple[float, float, float, float] = (0.62, 0.22, 0.08, 0.08)
    """How often each of KINDS joins two shots."""
    hold: tuple[int, int] = (0, 8)
    """Frames for which a fade stays black or white: fewest and most."""
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
    Recipe("black", 50, mix=(0.4, 0.1, 0.5, 0.0), hold=(0, 24)),
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
        leave, enter = int(rng.integers(4, 26)), int(rng.integers(4, 26))
        shortest, longest = recipe.hold
        return Join("fade", leave, enter, int(rng.integers(shortest, longest + 1)))
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
    return pixels((1 - weight) * old + weight * new)


def _fade(join: Join, old: np.ndarray, new: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    colour = 255.0 if rng.random() < 0.25 else 0.0
    out = _ramp(join.leave, rng)[:, None, None, None]
    back = _ramp(join.enter, rng)[::-1][:, None, None, None]
    held = np.full((join.hold, HEIGHT, WIDTH, 3), colour)
    return pixels(
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
    return pixels((1 - weight) * old + weight * new)


def _ramp(count: int, rng: np.random.Generator) -> np.ndarray:
    """Rising weights strictly between 0 and 1: straight, or easing in and out."""
    line = np.arange(1, count + 1) / (count + 1)
    return line * line * (3 - 2 * line) if rng.random() < 0.3 else line


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
            for rgb in piece:
                frame = av.VideoFrame.from_ndarray(rgb, format="rgb24")
                frame.pts, frame.time_base = clock, Fraction(1, 600)
                clock += 600 // rate * (int(rng.integers(1, 4)) if vfr else 1)
                container.mux(stream.encode(frame))
        container.mux(stream.encode())


def make_half(half: str, out: Path, films: dict[str, Path], cache: Path) -> None:
    takes = load_takes(half, films, cache)
    (out / half).mkdir(parents=True, exist_ok=True)
    (out / half / "truth.json").unlink(missing_ok=True)
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
    _put(out / half, truths)


def add_demo(out: Path) -> None:
    """Storyscope's own demo film, painted at test-set size, joins the scoring half."""
    from storyscope_demo import make_demo

    demo = make_demo(out / "demo", scale=WIDTH / 640)
    facts = json.loads(demo.truth.read_text())
    shutil.copy(demo.video, out / "scoring" / "demo.mp4")
    transitions = [shot["transition"] for shot in facts["shots"][1:]]
    truth = {"frames": facts["frame_count"], "transitions": transitions, "tricks": {}}
    _put(out / "scoring", {"demo.mp4": truth})


def make_real(out: Path, films: dict[str, Path]) -> None:
    """A film as people cut it; its cuts were looked at one by one.

    The looking began with every frame that a change of tiles, TransNetV2 or our detector found
    in the least suspicious. The film fades out at the end: it is left out from there.
    """
    import av

    (out / "real").mkdir(parents=True, exist_ok=True)
    for name, cuts in json.loads(REAL_CUTS.read_text()).items():
        shutil.copy(films[name], out / "real" / f"{name}.mp4")
        with av.open(str(films[name])) as container:
            frames = sum(1 for _ in container.decode(video=0))
        transitions = [{"kind": "cut", "first_frame": c, "end_frame": c} for c in cuts]
        truth = {"frames": frames, "scored_until": cuts[-1] + 100, "transitions": transitions}
        _put(out / "real", {f"{name}.mp4": truth})


def _put(folder: Path, truths: dict[str, dict]) -> None:
    path = folder / "truth.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(known | truths, indent=1))


def make_set(data: Path, out: Path) -> None:
    """Both halves, the demo film and the real film."""
    cache = out / "decoded"
    cache.mkdir(parents=True, exist_ok=True)
    films = film_paths(data)
    for half in HALVES:
        make_half(half, out, films, cache)
    add_demo(out)
    make_real(out, films)


def write_counts(out: Path) -> None:
    """Say in docs/benchmarks what the set holds."""
    counts = {}
    for part in (*HALVES, "real"):
        truth = json.loads((out / part / "truth.json").read_text())
        holds: Counter[str] = Counter(clips=len(truth))
        for clip in truth.values():
            holds["frames"] += clip["frames"]
            holds.update(f"{t['kind']}s" for t in clip["transitions"])
            holds.update({f"trick: {k}": n for k, n in clip.get("tricks", {}).items()})
        counts[part] = holds
    rows = sorted({name for holds in counts.values() for name in holds})
    lines = ["| | " + " | ".join(counts) + " |", "| --- |" + " ---: |" * len(counts)]
    for name in rows:
        cells = [f"{holds[name]:,}" for holds in counts.values()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    common.write_page("shot_set", counts, "\n".join(lines) + "\n")


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("build/shot-set"))
    options = parser.parse_args()
    make_set(options.data, options.out)
    write_counts(options.out)


if __name__ == "__main__":
    main()
