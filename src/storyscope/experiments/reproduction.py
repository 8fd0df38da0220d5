"""The paper's experiments, for people who own the videos: every table with our results next to it.

The published annotations are read, the videos are indexed twice (with the `paper` preset and with
our defaults), each index becomes a benchmark folder, and the methods are scored on those.
Everything is stored in one output folder; an interrupted run resumes where it stopped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from storyscope.config import PRESETS, Config
from storyscope.errors import AnnotationError, MissingDependency, StoryscopeError
from storyscope.evaluate import (
    VideoScore,
    agree,
    agree_as_in_paper,
    mean_iou,
    trivial_scores,
)
from storyscope.experiments import methods as known_methods
from storyscope.experiments import paper_results as paper
from storyscope.experiments.annotators import run_study
from storyscope.experiments.benchmark import run_methods
from storyscope.experiments.indexing import (
    benchmark_folder,
    index_collection,
    library_folder,
    paper_cues,
)
from storyscope.experiments.picture import write_stories
from storyscope.experiments.published import PublishedVideo, read_ally, read_bbc
from storyscope.experiments.report import mean_over_videos
from storyscope.experiments.retrieval import FIGURES, Retrieval
from storyscope.experiments.study import AGREEMENT
from storyscope.experiments.table import Table
from storyscope.experiments.task import Benchmark, left_out, videos_of
from storyscope.features import backbone_digest
from storyscope.progress import Report, silent

Kind = Literal["bbc", "ally"]
READERS = {"bbc": read_bbc, "ally": read_ally}
EPISODES = {"bbc": paper.BBC_EPISODES, "ally": paper.ALLY_EPISODES}
RIVALS = {"STG": "stg", "NW": "nw", "SDN": "sdn"}
"""The paper's names of the methods it compares with, and our names for them."""
EMBEDDINGS = {"LSTM": "lstm", "Siamese": "paper-siamese", "Triplet": "paper"}
PAPERS_METHOD, OUR_METHOD = "paper", "ours"


@dataclass
class Reproduction:
    """One collection, indexed and scored."""

    kind: Kind
    folder: Path
    output: Path
    backbone: str | None = None
    """VGG-16 as a file or folder; None uses the one installed on this machine."""
    queries: Sequence[str] = ()
    """Queries for the table of retrieval; by default the most frequent terms."""
    jobs: int = 1
    report: Report = silent
    notes: list[str] = field(default_factory=list)
    """What could not be done, and why."""

    @cached_property
    def published(self) -> list[PublishedVideo]:
        return READERS[self.kind](self.folder)

    @cached_property
    def with_video(self) -> list[PublishedVideo]:
        missing = [video.stem for video in self.published if video.video is None]
        if missing:
            self.notes.append(f"no video found for {', '.join(missing)}; left out")
        return [video for video in self.published if video.video is not None]

    @cached_property
    def presets(self) -> dict[str, Config]:
        """Our preset and the paper's; the lite one replaces it if VGG-16 is not available."""
        config = PRESETS["paper"]
        if self.backbone is not None:
            config = replace(config, features=replace(config.features, backbone=self.backbone))
        try:
            backbone_digest(config.features.backbone)
        except StoryscopeError as error:
            self.notes.append(f"paper-lite replaces the paper preset: {error}")
            return {"default": PRESETS["default"], "paper-lite": PRESETS["paper-lite"]}
        return {"default": PRESETS["default"], "paper": config}

    @property
    def as_paper(self) -> str:
        """Name of the preset that is used for the paper."""
        return [*self.presets][-1]

    @cached_property
    def benchmarks(self) -> dict[str, Benchmark]:
        """A benchmark folder for each preset that could be indexed."""
        benchmarks = {}
        for preset, config in self.presets.items():
            try:
                folder = index_collection(
                    self.with_video, self.output, preset, config, report=self.report
                )
                features = paper_cues(config) if preset == self.as_paper else None
                benchmarks[preset] = Benchmark(folder, features)
            except StoryscopeError as error:
                self.notes.append(f"not indexed with the {preset} preset: {error}")
        return benchmarks

    def tables(self, *, bbc_output: Path | None = None) -> list[Table]:
        """Every table of the paper for this collection, with our results.

        `bbc_output` is the output folder of a finished reproduction of BBC, to train on.
        """
        tables = [self._people()] if len(self.published[0].annotations) > 1 else []
        if not self.with_video:
            return tables
        if self.benchmarks:
            tables += [self._episodes(), self._features(), self._embeddings()]
            if self.kind == "bbc" and len(self.published[0].annotations) > 1:
                tables += [self._annotators(preset) for preset in self.benchmarks]
            if self.kind == "ally" and bbc_output is not None:
                tables.append(self._transfer(bbc_output))
        if self.as_paper in self.benchmarks and len(self.with_video) > 1:
            tables += self._retrieval().tables(self.queries)
        return tables

    def _retrieval(self) -> Retrieval:
        preset = self.as_paper
        return Retrieval(
            preset,
            self.presets[preset],
            self.output,
            self.benchmarks[preset].folder,
            self.with_video,
            report=self.report,
            notes=self.notes,
        )

    def _people(self) -> Table:
        """Agreement between annotators, which needs no video."""
        rows, ceilings = [], []
        for video in self.published:
            stories = {name: video.stories(name) for name in video.annotations}
            cuts = [start for start, _ in video.shots]
            best = agree(list(stories.values()), cuts=cuts)
            by_paper = agree_as_in_paper(list(stories.values()), cuts)
            ceilings.append((best.mean_iou, by_paper.mean_iou))
            each = (f"{mean_iou(best.segmentation, own):.3f}" for own in stories.values())
            proven = "yes" if best.exact else "no"
            numbers = (best.mean_iou, by_paper.mean_iou)
            rows.append([video.name, *each, *(f"{n:.3f}" for n in numbers), proven])
        means = (f"{mean:.3f}" for mean in np.mean(ceilings, axis=0))
        rows.append(["Average", *[""] * len(rows[0][1:-3]), *means, ""])
        people = self.published[0].annotations
        header = ["Episode", *people, "agreement", "by the paper's program", "proven"]
        remark = (
            "The agreement is the human ceiling: no segmentation agrees more with the annotators. "
            f"The paper reports {paper.CEILING} for BBC Planet Earth."
        )
        return Table("Annotators and their maximum agreement", header, rows, remark)

    def _episodes(self) -> Table:
        reference = EPISODES[self.kind]
        columns = self._measured({**RIVALS, "ours": OUR_METHOD}, "default")
        columns |= self._measured({"paper's method": PAPERS_METHOD}, self.as_paper)
        self._draw(columns)
        columns |= trivial_scores(videos_of(next(iter(self.benchmarks.values()))))
        header = ["Episode", *(f"{name} (paper)" for name in reference["Average"]), *columns]
        rows = []
        for name in (*(video.name for video in self.with_video), "Average"):
            known = reference.get(name, {})
            cells = [f"{known[m]:.2f}" if m in known else "" for m in reference["Average"]]
            cells += [_of_video(scores, name) for scores in columns.values()]
            rows.append([name, *cells])
        remark = f"Ours and its rivals on the default preset, the paper's on {self.as_paper}."
        return Table("Individual episodes, previous methods and ours", header, rows, remark)

    def _draw(self, columns: Mapping[str, list[VideoScore]]) -> None:
        """The stories of the paper's method below the truth, and of the others below it."""
        order = sorted(columns, key=lambda name: ["paper's method", "ours", *RIVALS].index(name))
        if order:
            write_stories(self.output / FIGURES, {name: columns[name] for name in order})

    def _features(self) -> Table:
        header = ["Features", "paper", *(f"here, {preset} preset" for preset in self.benchmarks)]
        rows = []
        for letters, reference in paper.FEATURES.items():
            names = tuple(paper.FEATURE_NAMES[letter] for letter in letters.split("+"))
            cells = [self._with_features(preset, names) for preset in self.benchmarks]
            rows.append([letters, f"{reference[self.kind]:.3f}", *cells])
        remark = f"Ours on the default preset, the paper's method on {self.as_paper}."
        return Table("Story detection with various features", header, rows, remark)

    def _with_features(self, preset: str, names: tuple[str, ...]) -> str:
        benchmark = Benchmark(self.benchmarks[preset].folder, features=names)
        lacking = left_out(benchmark)
        if lacking:
            return f"{len(lacking)} videos lack one"
        method = self._method(preset)
        scores = self._run(benchmark, [method]).get(method)
        return f"{mean_over_videos(scores):.3f}" if scores else ""

    def _embeddings(self) -> Table:
        measured = self._measured(EMBEDDINGS, self.as_paper)
        rows = [
            [
                name,
                f"{reference[self.kind]:.2f}",
                f"{mean_over_videos(measured[name]):.3f}" if name in measured else "",
            ]
            for name, reference in paper.EMBEDDINGS.items()
        ]
        header = ["Embedding", "paper", f"here, {self.as_paper} preset"]
        return Table("Story detection with different embeddings", header, rows)

    def _annotators(self, preset: str) -> Table:
        """The study of annotators with the paper's method, or with ours."""
        benchmark, method = self.benchmarks[preset], self._method(preset)
        everyone = (*videos_of(benchmark)[0].annotations, AGREEMENT)
        title = f"Training and testing on different annotators: {method}, {preset} preset"
        header = ["Train on (down), test on (across)", *everyone]
        try:
            study = run_study(
                benchmark, method, jobs=self.jobs, cache=self._results, report=self.report
            )
        except MissingDependency as error:
            return Table(title, header, [], f"{error}.")
        matrix = study.matrix
        same_people = matrix.shape == np.shape(paper.ANNOTATORS)
        rows = [
            [
                name,
                *(
                    f"{matrix[i, j]:.3f}" + (f" ({paper.ANNOTATORS[i][j]})" if same_people else "")
                    for j in range(len(everyone))
                ),
            ]
            for i, name in enumerate(everyone)
        ]
        remark = (
            f"Human ceiling {study.ceiling:.3f} (by the paper's own program "
            f"{study.ceiling_of_paper:.3f}); two annotators have {study.between_people:.3f} with "
            "each other." + " The paper's numbers in brackets." * same_people
        )
        return Table(title, header, rows, remark)

    def _transfer(self, bbc_output: Path) -> Table:
        """Train on BBC: its audio mixture and concept groups are used for these videos too."""
        columns = {}
        for preset, config in self.presets.items():
            train, method = benchmark_folder(bbc_output, preset), self._method(preset)
            if not train.exists():
                raise AnnotationError(
                    f"{train} does not exist; run `storyscope reproduce bbc` into {bbc_output}"
                )
            folder = self.benchmarks[preset].folder
            if preset == self.as_paper:
                models = library_folder(bbc_output, preset)
                folder = index_collection(
                    self.with_video,
                    self.output,
                    preset,
                    config,
                    models_from=models,
                    report=self.report,
                )
            features = self.benchmarks[preset].features
            elsewhere = Benchmark(folder, features, "pretrained", train)
            scores = self._run(elsewhere, [method]).get(method)
            if scores:
                columns[f"here, {preset} preset"] = scores
        rows = [
            [name, f"{reference:.2f}", *(_of_video(scores, name) for scores in columns.values())]
            for name, reference in paper.ALLY_TRAINED_ON_BBC.items()
        ]
        return Table("Trained on BBC Planet Earth", ["Episode", "paper", *columns], rows)

    def _method(self, preset: str) -> str:
        return PAPERS_METHOD if preset == self.as_paper else OUR_METHOD

    @property
    def _results(self) -> Path:
        return self.output / "results"

    def _measured(self, methods: Mapping[str, str], preset: str) -> dict[str, list[VideoScore]]:
        """Scores by the paper's names, of those methods that can be run on that preset."""
        if preset not in self.benchmarks:
            return {}
        scores = self._run(self.benchmarks[preset], list(methods.values()))
        return {label: scores[name] for label, name in methods.items() if name in scores}

    def _run(
        self, benchmark: Benchmark, methods: Sequence[str], *, annotator: str | None = None
    ) -> Mapping[str, list[VideoScore]]:
        known = [method for method in methods if method in known_methods.METHODS]
        outcome = run_methods(
            benchmark,
            known,
            annotator=annotator,
            jobs=self.jobs,
            cache=self._results,
            report=self.report,
        )
        reasons = dict.fromkeys((m for m in methods if m not in known), "no such method here")
        for method, reason in {**reasons, **outcome.unavailable}.items():
            note = f"{method} was not run: {reason}"
            if note not in self.notes:
                self.notes.append(note)
        return outcome.scores


def _of_video(scores: Sequence[VideoScore], name: str) -> str:
    if name == "Average":
        return f"{mean_over_videos(scores):.3f}"
    return next((f"{score.mean_iou:.3f}" for score in scores if score.name == name), "")
