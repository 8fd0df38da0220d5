"""Scores as tables for people and as JSON for scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from storyscope.evaluate import AnnotatedVideo, VideoScore, trivial_scores
from storyscope.evaluate.protocol import repeated
from storyscope.experiments.study import AGREEMENT, AnnotatorStudy

Scores = Mapping[str, Sequence[VideoScore]]
"""The scores of each method on every video; the main method comes first."""


def mean_over_videos(scores: Sequence[VideoScore]) -> float:
    """Mean IoU, with equal weight for every video."""
    return float(np.mean([score.mean_iou for score in scores]))


def benchmark_report(
    of_seeds: Mapping[int, Scores], videos: Sequence[AnnotatedVideo]
) -> tuple[Scores, dict[str, Any], str]:
    """Scores of all seeds together, as facts and as Markdown, with the trivial baselines."""
    first, *_ = of_seeds.values()
    scores = {name: repeated([each[name] for each in of_seeds.values()]) for name in first}
    baselines = trivial_scores(videos)
    facts = as_facts(scores, baselines)
    tables = [as_table(scores, baselines), as_details(scores, baselines)]
    if len(of_seeds) > 1:
        means = {
            seed: {name: mean_over_videos(runs) for name, runs in each.items()}
            for seed, each in of_seeds.items()
        }
        facts |= {"seeds": means}
        tables.append(seeds_table(means))
    return scores, facts, "\n".join(tables)


def as_facts(methods: Scores, baselines: Scores) -> dict[str, Any]:
    """The first method in full, the others and the trivial baselines by their mean IoU."""
    first, *others = methods
    return {
        "method": first,
        "mean_iou": mean_over_videos(methods[first]),
        "videos": [_video_facts(score) for score in methods[first]],
        "baselines": {
            **{name: mean_over_videos(scores) for name, scores in baselines.items()},
            **{name: mean_over_videos(methods[name]) for name in others},
        },
        "methods": {
            name: [_video_facts(score) for score in scores]
            for name, scores in {**methods, **baselines}.items()
        },
    }


def as_table(methods: Scores, baselines: Scores) -> str:
    """Mean IoU of every method on every video in Markdown, in the layout of the paper's tables."""
    columns = {**baselines, **{name: methods[name] for name in reversed([*methods])}}
    rows = [
        [scores[0].name, *(score.mean_iou for score in scores)]
        for scores in zip(*columns.values(), strict=True)
    ]
    average = ["**Average**", *(mean_over_videos(scores) for scores in columns.values())]
    header = ["Video", *columns]
    return markdown(header, [_with_best_in_bold(row) for row in (*rows, average)])


def as_details(methods: Scores, baselines: Scores) -> str:
    """All measures of every method in Markdown; coverage and overflow over all frames together."""
    rows = []
    for name, scores in {**methods, **baselines}.items():
        total = scores[0].coverage_overflow
        for score in scores[1:]:
            total = total + score.coverage_overflow
        counts = (sum(len(s.found) for s in scores), sum(len(s.truth) for s in scores))
        measures = (mean_over_videos(scores), total.coverage, total.overflow, total.f_score)
        rows.append([name, *(f"{measure:.3f}" for measure in measures), *map(str, counts)])
    header = ["Method", "mean IoU", "coverage", "overflow", "F_co", "stories found", "true"]
    return markdown(header, rows)


def seeds_table(means: Mapping[int, Mapping[str, float]]) -> str:
    """Mean IoU of every method from each seed in Markdown."""
    methods = list(next(iter(means.values())))
    rows = [[str(seed), *(f"{of[name]:.4f}" for name in methods)] for seed, of in means.items()]
    columns = [[of[name] for of in means.values()] for name in methods]
    rows.append(["**mean**", *(f"{np.mean(column):.4f}" for column in columns)])
    rows.append(["highest - lowest", *(f"{np.ptp(column):.4f}" for column in columns)])
    return markdown(["Seed", *methods], rows)


def study_facts(study: AnnotatorStudy) -> dict[str, Any]:
    """The study of annotators for scripts."""
    return {
        "simulated": study.simulated,
        "annotators": list(study.people),
        "matrix": {
            row: dict(zip((*study.people, AGREEMENT), map(float, values), strict=True))
            for row, values in zip((*study.people, AGREEMENT), study.matrix, strict=True)
        },
        "ceiling": study.ceiling,
        "ceiling_proven": study.ceiling_proven,
        "ceiling_of_paper": study.ceiling_of_paper,
        "between_people": study.between_people,
    }


def study_table(study: AnnotatorStudy) -> str:
    """The matrix of training and testing in Markdown, in the layout of the paper's table."""
    everyone = (*study.people, AGREEMENT)
    rows = [
        [f"**{name}**", *(f"{value:.3f}" for value in values)]
        for name, values in zip(everyone, study.matrix, strict=True)
    ]
    corner = "Train on (down), test on (across)"
    label = "**Simulated annotators: made up from one annotation, not people.**\n\n"
    proof = "proven" if study.ceiling_proven else "not proven for every video"
    return (
        (label if study.simulated else "")
        + markdown([corner, *everyone], rows)
        + f"\nHuman ceiling{' (simulated)' if study.simulated else ''}: the agreement has mean IoU "
        f"{study.ceiling:.3f} with the annotators ({proof}), by the paper's own program "
        f"{study.ceiling_of_paper:.3f}; two annotators have "
        f"{study.between_people:.3f} with each other.\n"
    )


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with right-aligned numbers."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _video_facts(score: VideoScore) -> dict[str, Any]:
    parts = score.coverage_overflow
    return {
        "name": score.name,
        "mean_iou": score.mean_iou,
        "coverage": parts.coverage,
        "overflow": parts.overflow,
        "f_score": parts.f_score,
        "found": len(score.found),
        "true": len(score.truth),
    }


def _with_best_in_bold(row: Sequence[Any]) -> list[str]:
    best = max(row[1:])
    cells = [f"**{value:.3f}**" if value == best else f"{value:.3f}" for value in row[1:]]
    return [row[0], *cells]
