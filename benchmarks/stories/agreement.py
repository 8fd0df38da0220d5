"""Speed of computing the best agreement between annotators, and accuracy of the paper's program.

    python -m benchmarks.stories.agreement                 # everything, a few minutes on one core
    python -m benchmarks.stories.agreement --cases 200     # a quick look

Writes docs/benchmarks/agreement.json and agreement.md.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks import common
from storyscope.core import Segmentation
from storyscope.evaluate import agree, agree_as_in_paper

OUTPUT = common.DOCS


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--cases", type=int, default=2250, help="cases of the paper's experiment")
    parser.add_argument("--repeats", type=int, default=5, help="films of each kind that are timed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument(
        "--part", choices=("speed", "paper", "all"), default="all", help="keep the other part"
    )
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    kept = options.output / "agreement.json"
    results = json.loads(kept.read_text()) if kept.exists() and options.part != "all" else {}
    if options.part != "paper":
        results["speed"] = list(measure_speed(options.repeats, options.seed))
    if options.part != "speed":
        results["paper"] = list(papers_experiment(options.cases, options.seed))
    page = as_markdown(results, options)
    common.write_page("agreement", results, page, folder=options.output)


def measure_speed(repeats: int, seed: int) -> Iterator[dict[str, object]]:
    """CPU seconds on films with 450 shots and about 60 stories per annotator."""
    kinds: dict[str, Callable[..., list[Segmentation]]] = {
        "similar annotators": similar_annotators,
        "random annotators": random_annotators,
    }
    for kind, make in kinds.items():
        for annotators in (5, 10, 16):
            seconds, agreements, exact = [], [], 0
            for repeat in range(repeats):
                rng = np.random.default_rng([seed, annotators, repeat])
                annotations = make(rng, shots=450, stories=60, annotators=annotators)
                before = time.process_time()
                found = agree(annotations, time_limit=None)
                seconds.append(time.process_time() - before)
                agreements.append(found.mean_iou)
                exact += found.exact
            yield {
                "kind": kind,
                "annotators": annotators,
                "films": repeats,
                "exact": exact,
                "cpu_seconds_median": float(np.median(seconds)),
                "cpu_seconds_most": max(seconds),
                "mean_iou": float(np.mean(agreements)),
            }


def papers_experiment(cases: int, seed: int) -> Iterator[dict[str, object]]:
    """How often each program is exact on 100 shots, 2 to 7 stories and 2 to 10 annotators."""
    numbers = range(2, 11)
    for annotators in numbers:
        gaps, proven = [], 0
        for case in range(cases // len(numbers)):
            rng = np.random.default_rng([seed, annotators, case])
            annotations = [
                random_segmentation(rng, 100, int(rng.integers(2, 8))) for _ in range(annotators)
            ]
            ours = agree(annotations, time_limit=None)
            gaps.append(ours.mean_iou - agree_as_in_paper(annotations).mean_iou)
            proven += ours.exact
        yield {
            "annotators": annotators,
            "cases": len(gaps),
            "ours_exact": proven,
            "paper_exact": int(np.sum(np.array(gaps) <= 1e-9)),
            "paper_mean_gap": float(np.mean(gaps)),
            "paper_largest_gap": float(np.max(gaps)),
        }


def random_segmentation(rng: np.random.Generator, shots: int, stories: int) -> Segmentation:
    cuts = rng.choice(np.arange(1, shots), stories - 1, replace=False)
    return Segmentation.from_cuts(sorted(cuts.tolist()), shots)


def random_annotators(
    rng: np.random.Generator, *, shots: int, stories: int, annotators: int
) -> list[Segmentation]:
    """Random annotators who have nothing in common, which is the hardest case."""
    return [random_segmentation(rng, shots, stories) for _ in range(annotators)]


def similar_annotators(
    rng: np.random.Generator, *, shots: int, stories: int, annotators: int
) -> list[Segmentation]:
    """Annotators who miss 15 % of the true boundaries, shift 30 % a little and add 15 %."""
    truth = np.array(random_segmentation(rng, shots, stories).cuts)
    people = []
    for _ in range(annotators):
        kept = truth[rng.random(len(truth)) > 0.15]
        shifted = kept + rng.integers(-2, 3, len(kept)) * (rng.random(len(kept)) < 0.3)
        added = rng.choice(np.arange(1, shots), round(0.15 * stories), replace=False)
        cuts = np.unique(np.clip([*shifted, *added], 1, shots - 1))
        people.append(Segmentation.from_cuts(cuts.tolist(), shots))
    return people


def as_markdown(results: dict[str, list[dict]], options: argparse.Namespace) -> str:
    lines = [
        "# Agreement between annotators",
        "",
        f"Printed by `python -m benchmarks.stories.agreement --cases {options.cases} "
        f"--repeats {options.repeats} --seed {options.seed}`.",
        "",
        "Time to find and prove the best segmentation: 450 shots, about 60 stories per "
        "annotator, CPU seconds on one core.",
        "",
        "| annotators | kind | films | proven exact | median s | max s | mean IoU |",
        "| ---: | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {row['annotators']} | {row['kind']} | {row['films']} | {row['exact']} | "
        f"{row['cpu_seconds_median']:.2f} | {row['cpu_seconds_most']:.2f} | {row['mean_iou']:.3f} |"
        for row in results.get("speed", [])
    ]
    lines += [
        "",
        "The paper's experiment: 100 shots, 2 to 7 stories at random. The paper reports 98.4 % "
        "for its program.",
        "",
        "| annotators | cases | ours exact | the paper's exact | its mean gap | its largest gap |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    rows = results["paper"]
    total = {key: sum(row[key] for row in rows) for key in ("cases", "ours_exact", "paper_exact")}
    total["paper_mean_gap"] = (
        sum(row["paper_mean_gap"] * row["cases"] for row in rows) / total["cases"]
    )
    total["paper_largest_gap"] = max(row["paper_largest_gap"] for row in rows)
    for row in [*rows, {"annotators": "**all**", **total}]:
        lines.append(
            f"| {row['annotators']} | {row['cases']} | {row['ours_exact'] / row['cases']:.1%} | "
            f"{row['paper_exact'] / row['cases']:.1%} | {row['paper_mean_gap']:.1e} | "
            f"{row['paper_largest_gap']:.1e} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
