"""The paper's experiments, for people who own the videos: every table with ours beside it.

The published annotations are read, the videos are indexed twice (with the `paper` preset and with
ours), each index becomes a benchmark folder, and the methods are judged on those. Everything is
kept in one output folder; a stopped run goes on where it stopped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np

from storyscope.config import PRESETS
from storyscope.errors import AnnotationError, MissingDependency, StoryscopeError
from storyscope.evaluate import VideoScore, agree, mean_iou, trivial_scores
from storyscope.experiments import methods as known_methods
from storyscope.experiments import paper_results as paper
from storyscope.experiments.annotators import run_study
from storyscope.experiments.benchmark import run_methods
from storyscope.experiments.published import PublishedVideo, read_ally, read_bbc
from storyscope.experiments.report import markdown, mean_over_videos
from storyscope.experiments.study import AGREEMENT
from storyscope.experiments.task import Benchmark, left_out, videos_of
from storyscope.progress import Report, Step, silent

Kind = Literal["bbc", "ally"]
READERS = {"bbc": read_bbc, "ally": read_ally}
EPISODES = {"bbc": paper.BBC_EPISODES, "ally": paper.ALLY_EPISODES}
RIVALS = {"STG": "stg", "NW": "nw", "SDN": "sdn"}
"""The paper's names for the methods it compares with, and ours for them."""
EMBEDDINGS = {"LSTM": "lstm", "Siamese": "siamese", "Triplet": "triplet"}
PAPERS_METHOD, OUR_METHOD = "triplet", "ours"


@dataclass(frozen=True)
class Table:
    """One table of the paper, with what is measured here."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    remark: str = ""

    @property
    def text(self) -> str:
        """In Markdown."""
        remark = f"\n{self.remark}\n" if self.remark else ""
        return f"## {self.title}\n\n{markdown(self.header, self.rows)}{remark}"


@dataclass
class Reproduction:
    """One collection, indexed and judged."""

    kind: Kind
    folder: Path
    output: Path
    jobs: int = 1
    report: Report = silent
    notes: list[str] = field(default_factory=list)
    """What could not be done, and why."""

    @cached_property
    def published(self) -> list[PublishedVideo]:
        return READERS[self.kind](self.folder)

    @cached_property
    def benchmarks(self) -> dict[str, Benchmark]:
        """A benchmark folder for each preset that could be indexed."""
        missing = [video.stem for video in self.published if video.video is None]
        if missing:
            self.notes.append(f"no video found for {', '.join(missing)}; left out")
        with_video = [video for video in self.published if video.video is not None]
        benchmarks = {}
        for preset in PRESETS:
            try:
                folder = index_collection(with_video, self.output, preset, report=self.report)
                benchmarks[preset] = Benchmark(folder)
            except StoryscopeError as error:
                self.notes.append(f"not indexed with the {preset} preset: {error}")
        return benchmarks

    def tables(self, *, bbc_output: Path | None = None) -> list[Table]:
        """Every table of the paper that this collection has, with what is measured here.

        `bbc_output` is the output folder of a finished reproduction of BBC, to train on.
        """
        tables = [self._people()] if len(self.published[0].annotations) > 1 else []
        self.notes.append(
            "aesthetic ranking: the marks of its three users are not part of what was published"
        )
        if self.benchmarks:
            tables += [self._episodes(), self._features(), self._embeddings()]
            if self.kind == "bbc" and len(self.published[0].annotations) > 1:
                tables.append(self._annotators())
            if self.kind == "ally" and bbc_output is not None:
                tables.append(self._transfer(bbc_output))
        return tables

    def _people(self) -> Table:
        """How far people agree: needs no video."""
        rows, ceilings = [], []
        for video in self.published:
            stories = {name: video.stories(name) for name in video.annotations}
            best = agree(list(stories.values()), cuts=[start for start, _ in video.shots])
            ceilings.append(best.mean_iou)
            each = (f"{mean_iou(best.segmentation, own):.3f}" for own in stories.values())
            rows.append([video.name, *each, f"{best.mean_iou:.3f}", "yes" if best.exact else "no"])
        rows.append(["Average", *[""] * len(rows[0][1:-2]), f"{np.mean(ceilings):.3f}", ""])
        header = ["Episode", *self.published[0].annotations, "agreement", "proven"]
        remark = f"The paper reports {paper.CEILING} for BBC Planet Earth."
        return Table("Annotators and their maximum agreement", header, rows, remark)

    def _episodes(self) -> Table:
        reference = EPISODES[self.kind]
        columns = self._measured({**RIVALS, "ours": OUR_METHOD}, "default")
        columns |= self._measured({"paper's method": PAPERS_METHOD}, "paper")
        columns |= trivial_scores(videos_of(next(iter(self.benchmarks.values()))))
        names = [video.name for video in self.published if video.video is not None]
        header = ["Episode", *(f"{name} (paper)" for name in reference["Average"]), *columns]
        rows = []
        for name in (*names, "Average"):
            known = reference.get(name, {})
            cells = [f"{known[m]:.2f}" if m in known else "" for m in reference["Average"]]
            cells += [_of_video(scores, name) for scores in columns.values()]
            rows.append([name, *cells])
        return Table("Individual episodes, previous methods and ours", header, rows)

    def _features(self) -> Table:
        header = ["Features", "paper", *(f"here, {preset} preset" for preset in self.benchmarks)]
        rows = []
        for letters, reference in paper.FEATURES.items():
            names = tuple(paper.FEATURE_NAMES[letter] for letter in letters.split("+"))
            cells = [self._with_features(preset, names) for preset in self.benchmarks]
            rows.append([letters, f"{reference[self.kind]:.3f}", *cells])
        return Table("Story detection with various features", header, rows)

    def _with_features(self, preset: str, names: tuple[str, ...]) -> str:
        method = PAPERS_METHOD if preset == "paper" else OUR_METHOD
        benchmark = Benchmark(self.benchmarks[preset].folder, features=names)
        lacking = left_out(benchmark)
        if lacking:
            return f"{len(lacking)} videos lack one"
        scores = self._run(benchmark, [method]).get(method)
        return f"{mean_over_videos(scores):.3f}" if scores else ""

    def _embeddings(self) -> Table:
        preset = "paper" if "paper" in self.benchmarks else "default"
        measured = self._measured(EMBEDDINGS, preset)
        rows = [
            [
                name,
                f"{reference[self.kind]:.2f}",
                f"{mean_over_videos(measured[name]):.3f}" if name in measured else "",
            ]
            for name, reference in paper.EMBEDDINGS.items()
        ]
        header = ["Embedding", "paper", f"here, {preset} preset"]
        return Table("Story detection with different embeddings", header, rows)

    def _annotators(self) -> Table:
        preset = "default" if "default" in self.benchmarks else "paper"
        benchmark = self.benchmarks[preset]
        everyone = (*videos_of(benchmark)[0].annotations, AGREEMENT)
        title = "Training and testing on different annotators and their agreement"
        header = ["Train on (down), test on (across)", *everyone]
        try:
            matrix = run_study(
                benchmark,
                OUR_METHOD,
                jobs=self.jobs,
                cache=self.output / "results",
                report=self.report,
            ).matrix
        except MissingDependency as error:
            return Table(title, header, [], f"{error}.")
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
        return Table(title, header, rows, "The paper's numbers in brackets." * same_people)

    def _transfer(self, bbc_output: Path) -> Table:
        columns = {}
        for preset, benchmark in self.benchmarks.items():
            method = PAPERS_METHOD if preset == "paper" else OUR_METHOD
            train = benchmark_folder(bbc_output, preset)
            if not train.exists():
                raise AnnotationError(
                    f"{train} does not exist; run `storyscope reproduce bbc` into {bbc_output}"
                )
            elsewhere = Benchmark(benchmark.folder, protocol="pretrained", train=train)
            scores = self._run(elsewhere, [method]).get(method)
            if scores:
                columns[f"here, {preset} preset"] = scores
        rows = [
            [name, f"{reference:.2f}", *(_of_video(scores, name) for scores in columns.values())]
            for name, reference in paper.ALLY_TRAINED_ON_BBC.items()
        ]
        return Table("Trained on BBC Planet Earth", ["Episode", "paper", *columns], rows)

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
            cache=self.output / "results",
            report=self.report,
        )
        reasons = dict.fromkeys((m for m in methods if m not in known), "no such method here")
        for method, reason in {**reasons, **outcome.unavailable}.items():
            note = f"{method} was not run: {reason}"
            if note not in self.notes:
                self.notes.append(note)
        return outcome.scores


def benchmark_folder(output: Path, preset: str) -> Path:
    """Where the videos indexed with a preset lie as a benchmark."""
    return output / f"{preset}-benchmark"


def index_collection(
    videos: Sequence[PublishedVideo], output: Path, preset: str, *, report: Report = silent
) -> Path:
    """Index the videos with one preset and write them as a benchmark folder."""
    from storyscope.library import Library

    if not videos:
        raise AnnotationError("none of the videos was found; put them beside the annotations")
    library = Library(output / f"{preset}-library", config=PRESETS[preset])
    folder = benchmark_folder(output, preset)
    for number, video in enumerate(videos, start=1):
        report(Step(f"indexing, {preset} preset", number - 1, len(videos), note=video.name))
        assert video.video is not None
        indexed = library.add(video.video, transcript=video.transcript)
        stories = {
            name: _spans(video.stories(name, indexed.frame_count).edges)
            for name in video.annotations
        }
        place = folder / f"{number:02}"
        place.mkdir(parents=True, exist_ok=True)
        features = {each.name: each for each in library.features(indexed.id)}
        for name, each in features.items():
            np.save(place / f"{name}.npy", each.vectors)
        description = {
            "name": video.name,
            "fps": indexed.fps,
            "frame_count": indexed.frame_count,
            "shots": [[s.frames.start, s.frames.stop] for s in library.shots(indexed.id)],
            "stories": next(iter(stories.values())),
            "annotations": stories if len(stories) > 1 else {},
            "features": {name: f"{name}.npy" for name in features},
        }
        (place / "video.json").write_text(json.dumps(description), encoding="utf-8")
    return folder


def _spans(edges: Sequence[int]) -> list[list[int]]:
    return [[start, end] for start, end in pairwise(edges)]


def _of_video(scores: Sequence[VideoScore], name: str) -> str:
    if name == "Average":
        return f"{mean_over_videos(scores):.3f}"
    return next((f"{score.mean_iou:.3f}" for score in scores if score.name == name), "")
