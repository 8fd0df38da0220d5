"""Draws the figures in docs/measures.md that show what each measure penalizes.

    python -m benchmarks.stories.measure_pictures

Writes docs/pictures/measure-*.svg; every number in them is computed by the measures themselves.
Prints the scores of uniform cuts on synthetic stories of more or less equal length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks import common
from storyscope.core import Segmentation
from storyscope.evaluate import boundary_score, coverage_overflow, mean_iou

OUTPUT = Path(__file__).parents[2] / "docs" / "pictures"
UNIT, ROW, STEP, LABEL, SCORE = 22, 26, 36, 230, 190
BLUE, GREEN = ("#1f4e8c", "#5e92d1"), ("#1c6e3e", "#68ba84")
END = 24
TRUTH = Segmentation((0, 6, 10, 18), END)
OFF_GRID = Segmentation((0, 4, 9, 17), END)
"""True stories none of whose cuts falls on the grid of uniform cuts."""
Measure = Callable[[Segmentation, Segmentation], str]


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    for spread in (0.0, 0.3, 0.6, 1.0):
        shown = ", ".join(f"{name} {value:.2f}" for name, value in blind_grid(spread).items())
        print(f"uniform cuts, lengths spread by {spread}: {shown}")
    for name, picture in pictures():
        (options.output / f"measure-{name}.svg").write_text(picture, encoding="utf-8")
        print(options.output / f"measure-{name}.svg")


def pictures() -> Iterator[tuple[str, str]]:
    """The name and SVG of every figure."""
    yield "iou", draw(_iou, {
        "the same stories": [6, 10, 18],
        "one cut a shot late": [7, 10, 18],
        "a story split": [6, 10, 14, 18],
        "two stories merged": [6, 18],
        "all merged": [],
        "one story per shot": range(1, END),
    })  # fmt: skip
    yield "coverage", draw(_coverage, {
        "the same stories": [6, 10, 18],
        "first cut two shots early": [4, 10, 18],
        "first cut two shots late": [8, 10, 18],
        "two stories merged": [6, 18],
        "all merged": [],
        "one story per shot": range(1, END),
    })  # fmt: skip
    yield "boundaries", draw(_boundaries, {
        "the same cuts": [6, 10, 18],
        "every cut one shot late": [7, 11, 19],
        "every cut two shots late": [8, 12, 20],
        "one cut missing": [6, 18],
        "one cut too many": [6, 10, 14, 18],
    })  # fmt: skip
    yield "uniform", draw(_both, {
        "uniform cuts": [6, 12, 18],
        "every true cut, and three more": [2, 4, 9, 13, 17, 20],
        "two of three true cuts": [4, 17],
    }, truth=OFF_GRID)  # fmt: skip


def draw(
    measure: Measure, answers: dict[str, Sequence[int]], *, truth: Segmentation = TRUTH
) -> str:
    """Draw the true stories and, below them, each segmentation with its score at the right."""
    width = LABEL + END * UNIT + SCORE
    height = STEP * (len(answers) + 1) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="14">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        *_row(0, "truth", truth, BLUE, ""),
    ]
    for number, (name, cuts) in enumerate(answers.items(), start=1):
        found = Segmentation.from_cuts(cuts, END)
        parts += _row(number, name, found, GREEN, measure(found, truth))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _row(
    number: int, name: str, stories: Segmentation, colours: tuple[str, str], score: str
) -> Iterator[str]:
    top = 8 + number * STEP
    yield f'<text x="8" y="{top + 18}">{name}</text>'
    for story, span in enumerate(stories):
        yield (
            f'<rect x="{LABEL + span.start * UNIT}" y="{top}" width="{len(span) * UNIT - 2}" '
            f'height="{ROW}" rx="3" fill="{colours[story % 2]}"/>'
        )
    yield f'<text x="{LABEL + END * UNIT + 12}" y="{top + 18}">{score}</text>'


def _iou(found: Segmentation, truth: Segmentation) -> str:
    return f"mean IoU {mean_iou(found, truth):.2f}"


def _coverage(found: Segmentation, truth: Segmentation) -> str:
    score = coverage_overflow(found, truth)
    return f"C {score.coverage:.2f}, O {score.overflow:.2f}, F {score.f_score:.2f}"


def _boundaries(found: Segmentation, truth: Segmentation) -> str:
    exact, near = (boundary_score(found, truth, tolerance=t).f1 for t in (0, 1))
    return f"F1 {exact:.2f}, within one {near:.2f}"


def _both(found: Segmentation, truth: Segmentation) -> str:
    f1 = boundary_score(found, truth).f1
    return f"mean IoU {mean_iou(found, truth):.2f}, F1 {f1:.2f}"


def blind_grid(spread: float, *, stories: int = 2000, seed: int = 0) -> dict[str, float]:
    """Scores of uniform cuts with the true count on stories whose lengths vary.

    `spread` is the coefficient of variation of the lengths: 0 for equal stories with a shifted
    grid, 1 for completely random cuts.
    """
    rng = np.random.default_rng(seed)
    mean = 1000
    if spread:
        lengths = np.maximum(1, rng.gamma(1 / spread**2, mean * spread**2, stories).astype(int))
    else:
        lengths = np.full(stories, mean)
    # Films of 50 stories, each with its own grid.
    scores = []
    for film in lengths.reshape(-1, 50):
        truth = Segmentation((0, *np.cumsum(film)[:-1].tolist()), int(film.sum()))
        phase = rng.random() if not spread else 0.0
        grid = np.unique((np.arange(50) + phase) * truth.end // 50).astype(int)
        cuts = [int(cut) for cut in grid if 0 < cut < truth.end]
        found = Segmentation.from_cuts(cuts, truth.end)
        parts = coverage_overflow(found, truth)
        boundary = boundary_score(found, truth, tolerance=mean // 20)
        scores.append((mean_iou(found, truth), parts.f_score, boundary.f1))
    iou, f_score, f1 = np.mean(scores, axis=0)
    return {"mean_iou": float(iou), "f_score": float(f_score), "boundary_f1": float(f1)}


if __name__ == "__main__":
    main()
