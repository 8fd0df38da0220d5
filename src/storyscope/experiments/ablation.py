"""Ablation of story detection: features one by one, embeddings, other collections.

These are the paper's three tables on any benchmark folder, as far as its features allow. A full
table would take hours of training, so it can be made on a few videos, spread over the folder; each
table says on how many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from storyscope.cues import all_cues
from storyscope.evaluate import VideoScore, trivial_scores
from storyscope.experiments import paper_results as paper
from storyscope.experiments.benchmark import run_methods
from storyscope.experiments.report import mean_over_videos
from storyscope.experiments.table import Table
from storyscope.experiments.task import Benchmark, judged_videos, videos_of
from storyscope.progress import Report, silent

OURS, NOTHING_LEARNED = "ours", "cluster"
EMBEDDINGS = {"none": NOTHING_LEARNED, "LSTM": "lstm", "Siamese": "siamese", "Triplet": "triplet"}


@dataclass
class Ablation:
    """Ablation on one benchmark folder."""

    benchmark: Benchmark
    other: Path | None = None
    """Another folder of videos to train on."""
    jobs: int = 1
    cache: Path | None = None
    report: Report = silent

    def tables(self) -> list[Table]:
        tables = [self.features(), self.embeddings()]
        return [*tables, self.elsewhere()] if self.other else tables

    def features(self) -> Table:
        """Shot times alone, then with one more feature at a time."""
        names = [*videos_of(self.benchmark)[0].features]
        known = _names_of_evidence()
        ordered = [name for group in known.values() for name in group if name in names]
        ordered += [name for name in names if name not in ordered]
        methods = (NOTHING_LEARNED, OURS)
        rows = []
        for count in range(len(ordered) + 1):
            chosen = tuple(ordered[:count])
            scores = self._scores(replace(self.benchmark, features=chosen), methods)
            rows.append([" + ".join(["time", *chosen]), *_means(scores, methods)])
        absent = [cue for cue, group in known.items() if not {*group} & {*names}]
        remark = f"No video has {', '.join(absent)}: left out." if absent else ""
        header = ["Features", "clustering, nothing learned", "ours"]
        return Table("Story detection with various features", header, rows, self._said(remark))

    def embeddings(self) -> Table:
        """Embeddings to cluster in, and our detector for comparison."""
        methods = {**EMBEDDINGS, "ours (no embedding)": OURS}
        scores = self._scores(self.benchmark, [*methods.values()])
        rows = [
            [
                label,
                *(f"{value:.2f}" for value in paper.EMBEDDINGS.get(label, {}).values()),
                *[""] * (0 if label in paper.EMBEDDINGS else 2),
                *_means(scores, [name]),
            ]
            for label, name in methods.items()
        ]
        header = ["Embedding", "paper, Ally McBeal", "paper, BBC", "here"]
        remark = "The paper's numbers are from its six features and its own annotation."
        return Table("Story detection with different embeddings", header, rows, self._said(remark))

    def elsewhere(self) -> Table:
        """Training on the other videos of the folder, or on another folder."""
        assert self.other is not None
        methods = (NOTHING_LEARNED, "triplet", OURS)
        abroad = replace(self.benchmark, protocol="pretrained", train=self.other)
        home, away = self._scores(self.benchmark, methods), self._scores(abroad, methods)
        trivial = trivial_scores(judged_videos(self.benchmark))
        rows = [
            [name, *_means(home, [name]), *_means(away, [name])]
            for name in methods
            if name in home or name in away
        ]
        rows += [[f"{name}, true count", *[*_means(trivial, [name])] * 2] for name in ("uniform",)]
        header = ["Method", "trained here, one left out", f"trained on {self.other.name}"]
        remark = "Clustering learns nothing and is the same in both."
        return Table("Training on another collection", header, rows, self._said(remark))

    def _scores(
        self, benchmark: Benchmark, methods: Sequence[str]
    ) -> Mapping[str, Sequence[VideoScore]]:
        return run_methods(
            benchmark, methods, jobs=self.jobs, cache=self.cache, report=self.report
        ).scores

    def _said(self, remark: str) -> str:
        judged, every = judged_videos(self.benchmark), videos_of(self.benchmark)
        over = f"{len(judged)} of {len(every)} videos, seed {self.benchmark.seed}"
        text = f"Mean IoU on frames over {over}."
        return f"{text} {remark}".strip()


def _names_of_evidence() -> dict[str, list[str]]:
    """Features in the order in which they are added, with their names in benchmark folders."""
    names: dict[str, list[str]] = {}
    for cue in all_cues():
        if cue.view != "timing":
            group = names.setdefault(cue.explained_as.replace("_", " "), [])
            group += [cue.name, *cue.also_called]
    return names


def _means(scores: Mapping[str, Sequence[VideoScore]], methods: Sequence[str]) -> list[str]:
    """Methods that could not be run are left out."""
    return [f"{mean_over_videos(scores[m]):.3f}" if m in scores else "" for m in methods]
