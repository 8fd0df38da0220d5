"""The study of annotators on a benchmark folder: train on each of them, test on each."""

from __future__ import annotations

from pathlib import Path

from storyscope.errors import MissingDependency
from storyscope.evaluate.dataset import read_description
from storyscope.experiments.benchmark import run_methods
from storyscope.experiments.study import (
    AGREEMENT,
    AnnotatorStudy,
    annotator_names,
    study_annotators,
)
from storyscope.experiments.task import Benchmark, judged_videos
from storyscope.progress import Report, silent


def has_annotators(folder: Path) -> bool:
    """Whether the videos have annotations by several people."""
    files = sorted(folder.glob("*/video.json"))
    people = read_description(files[0]).get("annotations") if files else None
    return isinstance(people, dict) and len(people) > 1


def run_study(
    task: Benchmark,
    method: str,
    *,
    jobs: int = 1,
    cache: Path | None = None,
    report: Report = silent,
) -> AnnotatorStudy:
    """Train `method` on every annotator and on their agreement, leaving one video out."""
    videos = judged_videos(task)
    found = {}
    for annotator in (*annotator_names(videos), AGREEMENT):
        outcome = run_methods(
            task, [method], annotator=annotator, jobs=jobs, cache=cache, report=report
        )
        if method not in outcome.scores:
            raise MissingDependency(f"{method} cannot be run: {outcome.unavailable[method]}")
        found[annotator] = [score.found for score in outcome.scores[method]]
    return study_annotators(videos, found, simulated=task.simulated_people > 0)
