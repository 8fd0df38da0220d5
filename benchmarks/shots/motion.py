"""Count false alarms on footage where only the camera, the light or things move.

    python -m benchmarks.shots.motion --data ../shared/data

Every kind of motion in motion_footage.py becomes one film of uncut takes from the scoring half's
material, joined by cuts that are known; so do the scoring half's stretches of a real film. Twenty
kinds, and all of the material, training never saw. Whatever a detector reports within two frames of
a join is that join; anything else is a false alarm, counted per hour. Our own detector also says
which of its alarms are gradual, and of which of those it is sure. Writes motion.json and motion.md
into docs/benchmarks. TransNetV2 is slow: it gets the first film of each kind that training never
saw, and the real film.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import common
from benchmarks.shots.motion_camera import Kind, World, load_world, takes_of
from benchmarks.shots.motion_footage import (
    ADDED_LATER,
    LOOKED_AT_ONCE,
    RANDOM_KINDS,
    TRAINING_KINDS,
    UNSEEN_KINDS,
)
from benchmarks.shots.shot_footage import Take, film_paths, load_takes
from benchmarks.shots.shot_scores import score
from benchmarks.shots.shot_set import DOCS, Recipe, Truth, compose, encode
from benchmarks.shots.shots import measure_all, small_frames
from storyscope.config import ShotConfig
from storyscope.shots import detect_shots

ROOT = Path(__file__).parents[2]
FILMS_PER_KIND = 2
FILM = Recipe("", 6, mix=(1, 0, 0, 0), body=(100, 420), sorts=(0, 0, 1))
"""Six takes of 4 to 17 seconds, joined by cuts."""
TOLERANCE = 2
SLOW_DETECTOR = "TransNetV2, every frame"
DETECTORS = (
    "Storyscope fast",
    "PySceneDetect adaptive",
    "PySceneDetect content",
    "ffmpeg scdet",
    SLOW_DETECTOR,
)
REAL = "real film"
RATE = 25
"""Frames a second by which minutes are counted."""


def make_films(data: Path, out: Path, *, part: int = 0, parts: int = 1) -> None:
    """Render what is not there yet, with its truth beside it; `parts` processes share the work."""
    out.mkdir(parents=True, exist_ok=True)
    takes = load_takes("scoring", film_paths(data), out.parent / "decoded")
    world = load_world("scoring", takes["film"])
    for number, (name, recipe, stock) in enumerate(_films(world, takes["film"])):
        path = out / f"{name}.mp4"
        if number % parts != part or path.with_suffix(".json").exists():
            continue
        rng, truth = np.random.default_rng([9, number]), Truth()
        footage: dict[str, list[Take]] = {"film": [], "picture": [], "drawn": stock}
        encode(compose(recipe, footage, rng, truth), path, rng, vfr=False)
        facts = {"frames": truth.frames, "transitions": truth.transitions}
        path.with_suffix(".json").write_text(json.dumps(facts))
        print(path.name, truth.frames, flush=True)


def _films(world: World, film: list[Take]) -> Iterator[tuple[str, Recipe, list[Take]]]:
    """Every film's name, recipe and footage; a film's place here is the seed it is made from."""
    kinds = TRAINING_KINDS | UNSEEN_KINDS | RANDOM_KINDS
    yield from _kinds(world, {name: kinds[name] for name in kinds if name not in ADDED_LATER})
    long = [take for take in film if take.longest >= 100]
    recipe = replace(FILM, name=REAL, shots=40, body=(60, 100))
    yield "real-film", recipe, long
    yield from _kinds(world, {name: kinds[name] for name in ADDED_LATER})


def _kinds(world: World, kinds: dict[str, Kind]) -> Iterator[tuple[str, Recipe, list[Take]]]:
    for name, kind in kinds.items():
        for number in range(FILMS_PER_KIND):
            recipe = replace(FILM, name=name)
            yield f"{name.replace(' ', '-')}-{number}", recipe, takes_of(world, {name: kind})


def kind_of(film: str) -> str:
    stem = Path(film).stem
    name, _, number = stem.rpartition("-")
    spoken = (name if number.isdigit() else stem).replace("-", " ")
    return next((kind for kind in TRAINING_KINDS if kind.replace("-", " ") == spoken), spoken)


def false_graduals(film: Path, truth: dict[str, Any]) -> dict[str, int]:
    """Gradual transitions that our detector reports away from every join, by whether it is sure."""
    joins = [t["first_frame"] for t in truth["transitions"]]
    counts = {"sure": 0, "uncertain": 0}
    for shot in list(detect_shots(small_frames(film), ShotConfig(detector="fast")))[1:]:
        change = shot.transition
        near = any(
            change.first_frame - TOLERANCE <= join <= change.end_frame + TOLERANCE for join in joins
        )
        if change.kind != "cut" and not near:
            counts["uncertain" if change.is_uncertain else "sure"] += 1
    return counts


def count(folder: Path, detectors: list[str]) -> dict[str, dict[str, Any]]:
    """Minutes and joins that each detector saw of every kind, joins found, and false alarms."""
    films = sorted(path.name for path in folder.glob("*.mp4"))
    results = {
        name: measure_all(folder, [film for film in films if sees(name, film)], [name], again=[])
        for name in detectors
    }
    kinds: dict[str, dict[str, Any]] = {}
    for film in films:
        truth = json.loads((folder / film).with_suffix(".json").read_text())
        row = kinds.setdefault(
            kind_of(film), {"minutes": 0.0, "joins": 0, "graduals": {}, "detectors": {}}
        )
        minutes, joins = truth["frames"] / RATE / 60, len(truth["transitions"])
        row["minutes"] += minutes
        row["joins"] += joins
        for name in detectors:
            if sees(name, film):
                found = results[name][name][film]["found"]
                scored = score(found, truth["transitions"], TOLERANCE)
                numbers = (minutes, joins, scored.found.get("cut", 0), scored.false_alarms)
                _add(row["detectors"], name, ("minutes", "joins", "found", "false"), numbers)
        graduals = false_graduals(folder / film, truth)
        for sureness, number in graduals.items():
            row["graduals"][sureness] = row["graduals"].get(sureness, 0) + number
    return kinds


def _add(
    rows: dict[str, dict[str, float]], name: str, keys: Sequence[str], numbers: Sequence[float]
) -> None:
    row = rows.setdefault(name, dict.fromkeys(keys, 0))
    for key, number in zip(keys, numbers, strict=True):
        row[key] += number


def sees(detector: str, film: str) -> bool:
    """Whether a detector is given a film: the slow one is given few."""
    few = kind_of(film) == REAL or (kind_of(film) in UNSEEN_KINDS and film.endswith("-0.mp4"))
    return few or detector != SLOW_DETECTOR


def table(kinds: dict[str, dict[str, Any]], detectors: list[str]) -> str:
    """False alarms per hour by kind, and the share of joins found."""
    head = ["kind", "minutes", "gradual, ours", "of these sure", *detectors]
    lines = [f"| {' | '.join(head)} |", "| --- |" + " ---: |" * (len(head) - 1)]
    unseen = {name for name in kinds if name in UNSEEN_KINDS}
    groups = {
        **{f"{name} (never trained on)" if name in unseen else name: [name] for name in kinds},
        "**all**": list(kinds),
        "**never trained on**": [name for name in kinds if name in unseen],
        "**looked at once**": [name for name in kinds if name in LOOKED_AT_ONCE],
    }
    for title, names in groups.items():
        if not names:
            continue
        rows = [kinds[name] for name in names]
        hours = sum(row["minutes"] for row in rows) / 60
        sure = sum(row["graduals"]["sure"] for row in rows)
        graduals = sure + sum(row["graduals"]["uncertain"] for row in rows)
        cells = [f"{60 * hours:.1f}", f"{graduals / hours:.1f}", f"{sure / hours:.1f}"]
        cells += [_per_hour([row["detectors"].get(name) for row in rows]) for name in detectors]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    joins = sum(row["joins"] for row in kinds.values())
    shares = []
    for name in detectors:
        seen = [row["detectors"][name] for row in kinds.values() if name in row["detectors"]]
        shares.append(sum(row["found"] for row in seen) / sum(row["joins"] for row in seen))
    cells = [f"{share:.3f}" for share in shares]
    lines.append(f"| joins found | {joins} | | | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _per_hour(rows: list[dict[str, float] | None]) -> str:
    """False alarms an hour; nothing where a detector did not see every kind."""
    seen = [row for row in rows if row is not None]
    if len(seen) < len(rows):
        return ""
    return f"{60 * sum(row['false'] for row in seen) / sum(row['minutes'] for row in seen):.1f}"


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--set", type=Path, default=ROOT / "build" / "shot-set")
    parser.add_argument("--only", nargs="*", default=list(DETECTORS), choices=list(DETECTORS))
    parser.add_argument("--out", type=Path, default=DOCS)
    options = parser.parse_args()
    folder = options.set / "motion"
    make_films(options.data, folder)
    kinds = count(folder, options.only)
    text = table(kinds, options.only)
    print(text)
    common.write_page("motion", kinds, text, folder=options.out)


if __name__ == "__main__":
    main()
