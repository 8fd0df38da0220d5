"""Compares rules for choosing C, on real and on synthetic videos.

    python -m benchmarks.stories.penalty FOLDER_OF_BBC FOLDER_OF_OVSD

The parameter of a rule, if it has one, is chosen by leave-one-video-out cross-validation.
Writes docs/benchmarks/penalty.json and penalty.md, and docs/pictures/penalty.svg.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from benchmarks import common
from storyscope.clustering import cluster
from storyscope.clustering import penalty as rules
from storyscope.clustering.path import Hull, story_pressure
from storyscope.core import Segmentation
from storyscope.evaluate import AnnotatedVideo, load_collection, mean_iou

DOCS = Path(__file__).resolve().parents[2] / "docs"


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def looks(video: AnnotatedVideo) -> np.ndarray:
    return unit(video.features["vgg19"].vectors.astype(float))


def looks_and_hue(video: AnnotatedVideo) -> np.ndarray:
    hue = np.sqrt(video.features["hsv"].vectors.astype(float))
    return np.hstack([looks(video), unit(hue)])


def looks_hue_time(video: AnnotatedVideo) -> np.ndarray:
    minutes = np.array(video.shots).mean(axis=1) / video.fps / 60
    return np.hstack([looks_and_hue(video), 0.5 * minutes[:, None]])


def principal(rows: np.ndarray, dimensions: int) -> np.ndarray:
    u, s, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    return u[:, :dimensions] * s[:dimensions]


EMBEDDINGS: dict[str, Callable[[AnnotatedVideo], np.ndarray]] = {
    "VGG19 (512)": looks,
    "+ hue (768)": looks_and_hue,
    "+ time (769)": looks_hue_time,
    "30 principal": lambda video: principal(looks_hue_time(video), 30),
    "5 principal": lambda video: principal(looks_hue_time(video), 5),
    "2, no time": lambda video: principal(looks_and_hue(video), 2),
}


class Case:
    """A video in one embedding, with the data that the rules need."""

    def __init__(self, rows: np.ndarray, score: Callable[[Segmentation], float]) -> None:
        self.rows, self.score = rows, score
        self.hull = Hull(rows)
        self.near = float(np.median(_half_steps(rows, 1)))
        self.far = float(np.median(_half_steps(rows, min(30, len(rows) // 3))))

    def at(self, penalty: float) -> float:
        (found,) = self.hull.cheapest(penalty)
        return self.score(found.segmentation)

    @cached_property
    def changes(self) -> list[tuple[float, int, float]]:
        """The optimal partitions from high to low C, with their stories and scores."""
        points = [p.partition for p in self.hull.explore(1, max(1, int(0.6 * len(self.rows))))]
        finest = self.hull.corners[-1].partition
        points += [finest] if finest.segmentation != points[-1].segmentation else []
        pressure = story_pressure(np.array([p.change_points for p in points]), len(self.rows))
        path: list[int] = []
        for new in range(len(points)):
            while len(path) > 1 and _slope(points, pressure, path[-2], path[-1]) <= _slope(
                points, pressure, path[-1], new
            ):
                path.pop()
            path.append(new)
        starts = [np.inf, *(_slope(points, pressure, *sides) for sides in pairwise(path))]
        return [
            (start, len(points[i].segmentation), self.score(points[i].segmentation))
            for start, i in zip(starts, path, strict=True)
        ]


def _slope(points: Sequence[Any], pressure: np.ndarray, few: int, many: int) -> float:
    return (points[few].scatter - points[many].scatter) / (pressure[many] - pressure[few])


def _half_steps(rows: np.ndarray, lag: int) -> np.ndarray:
    steps = rows[lag:] - rows[:-lag]
    half = 0.5 * np.einsum("ij,ij->i", steps, steps)
    return half[half > 0] if (half > 0).any() else half


@dataclass(frozen=True)
class Rule:
    """A rule for choosing C, with at most one parameter."""

    name: str
    settings: Sequence[Any]
    score: Callable[[Case, Any], float]


def at_most(case: Case, share: float) -> float:
    """The score at the smallest C with at most this many stories per shot."""
    few = [(stories, score) for _, stories, score in case.changes]
    return [score for stories, score in few if stories <= max(1, share * len(case.rows))][-1]


def by_stability(case: Case, setting: tuple[float, float]) -> float:
    kept = rules.SHOTS_PER_STORY, rules.EXPECTATION_WEIGHT
    rules.SHOTS_PER_STORY, rules.EXPECTATION_WEIGHT = setting
    try:
        return case.at(rules.auto_penalty(case.hull))
    finally:
        rules.SHOTS_PER_STORY, rules.EXPECTATION_WEIGHT = kept


SHIPPED = (rules.SHOTS_PER_STORY, rules.EXPECTATION_WEIGHT)
RULES = [
    Rule("paper", [None], lambda case, _: case.at(rules.paper_penalty(case.hull))),
    Rule("one C for all", np.geomspace(0.03, 10, 30), lambda case, c: case.at(c)),
    Rule("k x median step", np.geomspace(0.5, 30, 30), lambda case, k: case.at(k * case.near)),
    Rule(
        "k x sqrt(near x far)",
        np.geomspace(0.5, 4, 20),
        lambda case, k: case.at(k * np.sqrt(case.near * case.far)),
    ),
    Rule("first C with at most k n stories", [0.5, 0.33, 0.25, 0.2, 0.15, 0.12, 0.1], at_most),
    Rule(
        "stability, numbers left out",
        [(shots, weight) for shots in (6.0, 8.0, 10.0) for weight in (1.0, 2.0, 3.0)],
        by_stability,
    ),
    Rule("**auto** (stability, 8 and 2)", [SHIPPED], by_stability),
    Rule(
        "best C with hindsight",
        [None],
        lambda case, _: max(score for _, _, score in case.changes),
    ),
]


def real_cases(video: AnnotatedVideo, rows: np.ndarray) -> Case:
    return Case(rows, lambda found: mean_iou(found.on(video.edges), video.truth))


def left_out(table: np.ndarray) -> float:
    """Mean score if each video uses the best setting of the others; `[settings, videos]`."""
    scores = []
    for video in range(table.shape[1]):
        best = np.delete(table, video, axis=1).mean(axis=1).argmax()
        scores.append(table[best, video])
    return float(np.mean(scores))


def on_real(collections: dict[str, Sequence[AnnotatedVideo]]) -> dict[str, Any]:
    result: dict[str, Any] = {rule.name: {} for rule in RULES}
    for label, embedding in EMBEDDINGS.items():
        for name, videos in collections.items():
            cases = [real_cases(video, embedding(video)) for video in videos]
            for rule in RULES:
                table = np.array([[rule.score(c, s) for c in cases] for s in rule.settings])
                result[rule.name].setdefault(label, {})[name] = left_out(table)
        print(label, {rule: result[rule][label] for rule in result}, flush=True)
    return result


def with_duplicate(collections: dict[str, Sequence[AnnotatedVideo]]) -> dict[str, Any]:
    """The video with shot 11 replaced by a copy of shot 10."""
    result: dict[str, Any] = {}
    for penalty in ("paper", "auto"):
        for name, videos in collections.items():
            scores = []
            for video in videos:
                rows = looks_hue_time(video)
                rows[11] = rows[10]
                found = cluster(rows, penalty).segmentation
                scores.append(mean_iou(found.on(video.edges), video.truth))
            result.setdefault(penalty, {})[name] = float(np.mean(scores))
    return result


def made_video(
    seed: int, shots: int, share: float, dimensions: int, noise: float, duplicates: int
) -> tuple[np.ndarray, Segmentation]:
    """A synthetic video: stories are about 1.4 apart, and some shots repeat the previous one."""
    rng = np.random.default_rng(seed)
    stories = max(2, round(shots * share))
    lengths = np.maximum(2, np.round(rng.dirichlet(np.full(stories, 4.0)) * shots)).astype(int)
    story = np.repeat(np.arange(stories), lengths)
    rows = rng.normal(size=(stories, dimensions))[story] / np.sqrt(dimensions)
    rows += rng.normal(size=rows.shape) * noise / np.sqrt(dimensions)
    same = np.flatnonzero(np.diff(story) == 0)
    for shot in rng.choice(same, size=min(duplicates, len(same)), replace=False):
        rows[shot + 1] = rows[shot]
    starts = np.flatnonzero(np.diff(story, prepend=-1))
    return rows, Segmentation(tuple(starts.tolist()), len(story))


def on_made() -> Iterator[dict[str, Any]]:
    for dimensions in (2, 5, 30, 200):
        for duplicates in (0, 1, 10):
            scores: dict[str, list[float]] = {"paper": [], "auto": []}
            for share in (0.05, 0.1, 0.2, 0.3):
                for noise in (0.1, 0.3):
                    for seed in range(3):
                        rows, truth = made_video(seed, 150, share, dimensions, noise, duplicates)
                        for penalty, found in scores.items():
                            found.append(mean_iou(cluster(rows, penalty).segmentation, truth))
            means = {penalty: float(np.mean(found)) for penalty, found in scores.items()}
            yield {"dimensions": dimensions, "duplicates": duplicates, **means}


def draw(videos: Sequence[AnnotatedVideo], output: Path) -> None:
    """Plot mean IoU over C, as in the paper's figure, with the C that each rule chooses."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "storyscope"
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), sharey=True)
    columns = {"768 numbers and time": looks_hue_time, "5 dimensions": EMBEDDINGS["5 principal"]}
    for axis, (title, embedding) in zip(axes, columns.items(), strict=True):
        for video, colour in zip(videos[:3], ("#1f4e8c", "#1c6e3e", "#b3541e"), strict=False):
            case = real_cases(video, embedding(video))
            changes = [change for change in case.changes if change[0] < 10]
            axis.step(
                [c for c, _, _ in changes], [s for _, _, s in changes], where="post", color=colour
            )
            for rule, mark in (
                (rules.paper_penalty, "o"),
                (rules.auto_penalty, "*"),
            ):
                c = rule(case.hull)
                axis.plot(c, case.at(c), mark, color=colour, markersize=11, markeredgecolor="black")
        axis.set(xscale="log", xlabel="C", title=title, xlim=(0.01, 10))
    axes[0].set_ylabel("mean IoU")
    axes[1].plot([], [], "o", color="grey", label="paper's rule")
    axes[1].plot([], [], "*", color="grey", markersize=11, label="auto")
    axes[1].legend(loc="upper right")
    figure.tight_layout()
    output.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(output, metadata={"Date": None})


def as_markdown(record: dict[str, Any]) -> str:
    lines = [
        "# Rules for choosing C",
        "",
        "Mean IoU, BBC Planet Earth (11) / open films (8). The parameter of a rule is chosen "
        "on the other videos. Made by `python -m benchmarks.stories.penalty`.",
        "",
        "| rule | " + " | ".join(EMBEDDINGS) + " | mean |",
        "| --- |" + " ---: |" * (len(EMBEDDINGS) + 1),
    ]
    for rule, row in record["real"].items():
        cells = [" / ".join(f"{v:.3f}" for v in row[label].values()) for label in EMBEDDINGS]
        mean = np.mean([v for label in EMBEDDINGS for v in row[label].values()])
        lines.append(f"| {rule} | " + " | ".join(cells) + f" | {mean:.3f} |")
    lines += ["", "One shot of each video made a copy of the one before (VGG19 + hue + time):", ""]
    lines += ["| rule | BBC / open films |", "| --- | ---: |"]
    for penalty, row in record["one duplicate"].items():
        lines.append(f"| {penalty} | " + " / ".join(f"{v:.3f}" for v in row.values()) + " |")
    lines += [
        "",
        "Synthetic videos of 150 shots: 8 to 45 stories, noise of a tenth and three tenths of the "
        "distance between stories; mean of 24.",
        "",
        "| dimensions | duplicate shots | paper | auto |",
        "| ---: | ---: | ---: | ---: |",
    ]
    for row in record["made"]:
        scores = f"{row['paper']:.3f} | {row['auto']:.3f}"
        lines.append(f"| {row['dimensions']} | {row['duplicates']} | {scores} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("bbc", type=Path)
    parser.add_argument("ovsd", type=Path)
    parser.add_argument("--docs", type=Path, default=DOCS)
    arguments = parser.parse_args()
    collections = {
        name: load_collection(folder, features=["vgg19", "hsv"]).videos
        for name, folder in (("bbc", arguments.bbc), ("ovsd", arguments.ovsd))
    }
    draw(collections["bbc"], arguments.docs / "pictures" / "penalty.svg")
    record = {
        "made": list(on_made()),
        "one duplicate": with_duplicate(collections),
        "real": on_real(collections),
    }
    output = arguments.docs / "benchmarks"
    output.mkdir(parents=True, exist_ok=True)
    common.write_page("penalty", record, as_markdown(record), folder=output)


if __name__ == "__main__":
    main()
