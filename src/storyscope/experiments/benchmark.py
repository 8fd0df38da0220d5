"""Run methods of story detection on a benchmark folder, in parallel and resumably.

Every (method, held-out video) is a separate job. Its result is cached under a key made of
everything it depends on: the method, the settings, the data and the code. So an interrupted run
resumes where it stopped, and a changed method is run again.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from storyscope.core import Segmentation
from storyscope.errors import MissingDependency
from storyscope.evaluate import VideoScore
from storyscope.experiments.methods import load_method
from storyscope.experiments.protocols import protocol_called
from storyscope.experiments.results import Job, Results, method_digest
from storyscope.experiments.task import Benchmark, forget_videos, videos_of
from storyscope.processes.pool import run_tasks
from storyscope.progress import Report, Step, silent


@dataclass(frozen=True)
class Outcome:
    """The results of the methods."""

    scores: Mapping[str, list[VideoScore]]
    unavailable: Mapping[str, str] = field(default_factory=dict)
    """Methods that could not be run, and why."""


def run_methods(
    benchmark: Benchmark,
    methods: Sequence[str],
    *,
    annotator: str | None = None,
    jobs: int = 1,
    cache: Path | None = None,
    report: Report = silent,
) -> Outcome:
    """Score every method on every video; cached results are not computed again."""
    forget_videos()
    method_digest.cache_clear()
    collection = videos_of(benchmark, annotator)
    judged = benchmark.judged(collection)
    each_video = protocol_called(benchmark.protocol).each_video
    held_out = judged if each_video else [0]
    todo = [Job(method, annotator, number) for method in methods for number in held_out]
    results = Results(benchmark, cache)
    _run(benchmark, [job for job in todo if results.get(job) is None], results, jobs, report)
    scores: dict[str, list[VideoScore]] = {}
    unavailable = {}
    for method in methods:
        found = [results[job] for job in todo if job.method == method]
        reasons = [each["unavailable"] for each in found if "unavailable" in each]
        if reasons:
            unavailable[method] = reasons[0]
        else:
            starts = [starts for each in found for starts in each["starts"]]
            if not each_video:
                starts = [starts[number] for number in judged]
            scores[method] = [
                VideoScore(video.name, Segmentation(tuple(first), video.frame_count), video.truth)
                for video, first in zip(
                    (collection[number] for number in judged), starts, strict=True
                )
            ]
    return Outcome(scores, unavailable)


def _run(
    benchmark: Benchmark, todo: Sequence[Job], results: Results, workers: int, report: Report
) -> None:
    finished = run_tasks(partial(_do, benchmark), todo, workers=workers)
    for done, (job, result) in enumerate(finished, start=1):
        results[job] = result
        report(Step("benchmark", done, len(todo), note=f"{job.method}: {done} of {len(todo)}"))


def _do(benchmark: Benchmark, job: Job) -> dict[str, Any]:
    """Run one job, in any process."""
    began = time.perf_counter()
    videos = videos_of(benchmark, job.annotator)
    protocol = protocol_called(benchmark.protocol)
    try:
        scores = protocol.judge(benchmark, load_method(job.method), videos, job.held_out)
    except MissingDependency as error:
        return {"unavailable": str(error)}
    return {
        "starts": [list(score.found.starts) for score in scores],
        "seconds": round(time.perf_counter() - began, 3),
    }
