"""Retrieval as in the paper: aesthetic ranking of frames, then from query to story and frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from storyscope.concepts import load_vectors
from storyscope.config import Config
from storyscope.core import VisionOutput
from storyscope.experiments import paper_results as paper
from storyscope.experiments.aesthetics import (
    MarkedFrames,
    RankingRow,
    marked_frames,
    rank_videos,
    ranker_of_marks,
)
from storyscope.experiments.indexing import library_folder, ready_library, train_on_collection
from storyscope.experiments.picture import draw_maps, draw_ranking
from storyscope.experiments.published import PublishedVideo
from storyscope.experiments.table import Table
from storyscope.features import describe_pictures, from_jpeg, load_backbone
from storyscope.features.networks import SIZE
from storyscope.features.pictures import squared
from storyscope.library.explaining import cue_importance
from storyscope.library.local import LocalLibrary
from storyscope.progress import Report
from storyscope.stages.rankers import TRAINED_RANKER_FILE
from storyscope.store import MINED, SCAN, VISION
from storyscope.thumbnails import Ranker, load_ranker
from storyscope.thumbnails.evaluation import (
    compare_rankers,
    good_frames,
    see_degraded,
    train_ranker_on,
)

QUERIES = 3
"""Default number of queries."""
HITS = 3
FIGURES = "figures"
"""Folder of the figures in the output folder."""
SHOWN_FRAMES = 12
"""Number of frames of a story in the figure of its ranking."""
DEGRADED_FRAMES = 12
"""Number of frames of each film that are degraded, if no person marked any."""


@dataclass
class Retrieval:
    """The retrieval of one collection that is indexed with a preset of the paper."""

    preset: str
    config: Config
    output: Path
    benchmark: Path
    """The collection as a benchmark folder."""
    published: Sequence[PublishedVideo]
    report: Report
    notes: list[str]

    def tables(self, queries: Sequence[str]) -> list[Table]:
        """Swapped pairs of both rankers, feature importance, and hits for the queries."""
        library = LocalLibrary(library_folder(self.output, self.preset), config=self.config)
        ranking, ranker = self._ranking(library)
        library.store.put_document(TRAINED_RANKER_FILE, f"{ranker.to_json()}\n".encode())
        train_on_collection(self.benchmark, library, report=self.report)
        ready = ready_library(self.output, self.preset, self.config, report=self.report)
        self._draw(ready, ranker)
        return [ranking, _importance(ready), _hits(ready, queries or _spoken_most(ready))]

    def _draw(self, library: LocalLibrary, ranker: Ranker) -> None:
        """The frames of the longest story by their beauty, and the maps of the most beautiful."""
        name = self._ids(library)[0]
        keyframes = library.store.load(name, SCAN).keyframes
        story = max(library.stories(name), key=lambda story: len(story.shots))
        (rows,) = np.nonzero(np.isin(keyframes.shots, [*story.shots]))
        rows = rows[:: max(1, -(-len(rows) // SHOWN_FRAMES))]
        pictures = [from_jpeg(keyframes.pictures[row]) for row in rows.tolist()]
        scores = ranker.score(self._seen(library, name).hypercolumns[rows])
        best = squared(pictures[int(np.argmax(scores))], SIZE)
        columns = load_backbone(self.config.features.backbone)(best[None]).columns
        folder = self.output / FIGURES
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "ranked-frames.png").write_bytes(draw_ranking(pictures, scores))
        (folder / "hypercolumns.png").write_bytes(draw_maps(best, [each[0] for each in columns]))

    def _ranking(self, library: LocalLibrary) -> tuple[Table, Ranker]:
        backbone = self._seen(library, self._ids(library)[0]).producer.split("@")[0]
        marked = self._marked(library)
        if len(marked) > 1:
            rows = rank_videos(marked, backbone=backbone)
            remark = "Pairs of frames of one story, by how many people marked each."
            return _ranking_table(rows, remark), ranker_of_marks(
                [*marked.values()], backbone=backbone
            )
        self.notes.append(
            "aesthetic ranking: the marks of its three users are not part of what was published; "
            "pairs are frames and the same frames made worse (annotations/marks/NAME.txt takes "
            "real marks)"
        )
        see = partial(describe_pictures, backbone=load_backbone(self.config.features.backbone))
        seen = {}
        for name in self._ids(library):
            keyframes = library.store.load(name, SCAN).keyframes
            pictures = [from_jpeg(data) for data in keyframes.pictures]
            good = good_frames(pictures)
            seen[name] = see_degraded((good or pictures)[:DEGRADED_FRAMES], see)
        names = {video.stem: video.name for video in self.published}
        rows = [
            RankingRow(names.get(r.source, r.source), r.pairs, r.ranking_cnn, r.hypercolumns)
            for r in compare_rankers(seen, load_ranker())
        ]
        remark = "MADE pairs, a frame and the same frame made worse: not the paper's human marks."
        return _ranking_table(rows, remark), train_ranker_on([*seen.values()], backbone=backbone)

    def _marked(self, library: LocalLibrary) -> Mapping[str, MarkedFrames]:
        found = {}
        for name, video in zip(self._ids(library), self.published, strict=True):
            if video.marks is not None:
                person = next(iter(video.annotations))
                found[video.name] = marked_frames(
                    library.store.load(name, SCAN).keyframes,
                    self._seen(library, name),
                    video.shots,
                    video.shot_stories(person),
                    video.marks,
                )
        return found

    def _ids(self, library: LocalLibrary) -> list[str]:
        by_path = {Path(r.video.path).resolve(): r.video.id for r in library.videos()}
        return [by_path[video.video.resolve()] for video in self.published if video.video]

    def _seen(self, library: LocalLibrary, name: str) -> VisionOutput:
        vision: VisionOutput = library.store.load(name, VISION)
        return vision


def _ranking_table(rows: Sequence[RankingRow], remark: str) -> Table:
    body = []
    for row in rows:
        reference = paper.RANKING.get(row.video)
        body.append(_ranking_cells(row.video, str(row.pairs), reference, row))
    mean = RankingRow(
        "Average",
        sum(row.pairs for row in rows),
        float(np.mean([row.ranking_cnn for row in rows])),
        float(np.mean([row.hypercolumns for row in rows])),
    )
    body.append(_ranking_cells("Average", str(mean.pairs), paper.RANKING["Average"], mean))
    header = [
        "Episode",
        "pairs",
        "Ranking CNN (paper)",
        "hypercolumns (paper)",
        "Ranking CNN",
        "hypercolumns (ranking SVM)",
    ]
    return Table("Aesthetic ranking: percent of swapped pairs", header, body, remark)


def _ranking_cells(
    name: str, pairs: str, reference: tuple[float, float] | None, row: RankingRow
) -> list[str]:
    known = [f"{value:.2f}" for value in reference] if reference else ["", ""]
    return [name, pairs, *known, f"{row.ranking_cnn:.2f}", f"{row.hypercolumns:.2f}"]


def _importance(library: LocalLibrary) -> Table:
    """The paper's feature importance, averaged over the videos."""
    shares = [cue_importance(library, record.video.id) for record in library.videos()]
    names = [*shares[0]]
    rows = [[name, f"{np.mean([share[name] for share in shares]):.3f}"] for name in names]
    remark = "Averaged absolute gradients of the trained network; they sum to one."
    return Table("Relative importance of the features", ["Feature", "importance"], rows, remark)


def _hits(library: LocalLibrary, queries: Sequence[str]) -> Table:
    rows = []
    for query in queries:
        for hit in library.search(query, limit=HITS):
            span, parts = hit.story.span, hit.parts
            rows.append(
                [
                    query,
                    hit.evidence,
                    hit.video,
                    f"{span.start:.1f} to {span.end:.1f}",
                    f"{hit.thumbnail.seconds:.1f}",
                    f"{hit.score:.3f}",
                    f"{parts['presence']:.3f}",
                    f"{parts['beauty']:.3f}" if "beauty" in parts else "not available",
                ]
            )
    header = ["Query", "matched", "video", "story, s", "frame, s", "R", "P(s, u)", "A(d)"]
    return Table("Retrieval: the best stories for a query, each with its frame", header, rows)


def _spoken_most(library: LocalLibrary) -> list[str]:
    """The most frequent terms that the word vectors know."""
    counts: Counter[str] = Counter()
    for record in library.videos():
        mined = library.store.load(record.video.id, MINED)
        counts.update(term.text for term in (mined.terms if mined else ()))
    vectors = load_vectors(library.config.concepts.vectors)
    known = [term for term, _ in counts.most_common() if vectors.of([term])[1][0]]
    return known[:QUERIES]
