"""Index a published collection with one preset and write it as a benchmark folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from storyscope.config import Config
from storyscope.embedding import Example, train_embedding
from storyscope.errors import AnnotationError
from storyscope.evaluate import load_collection
from storyscope.experiments.published import PublishedVideo
from storyscope.library.local import LocalLibrary
from storyscope.library.training import fit_collection, without_collection
from storyscope.progress import Report, Step, silent
from storyscope.stages.collection import (
    EMBEDDING_FILE,
    GROUPS_FILE,
    SOUND_FILE,
    keep_document,
)
from storyscope.stories.segment import chosen_cues


def benchmark_folder(output: Path, preset: str) -> Path:
    """The benchmark folder of the videos indexed with a preset."""
    return output / f"{preset}-benchmark"


def library_folder(output: Path, preset: str) -> Path:
    """The library folder of a preset."""
    return output / f"{preset}-library"


def paper_cues(config: Config) -> tuple[str, ...]:
    """The features that the paper's method uses with these settings."""
    return tuple(chosen_cues(config.stories.cues))


def index_collection(
    videos: Sequence[PublishedVideo],
    output: Path,
    preset: str,
    config: Config,
    *,
    models_from: Path | None = None,
    report: Report = silent,
) -> Path:
    """Index the videos with one preset and write them as a benchmark folder.

    With a preset of the paper, one audio mixture and one set of concept groups are fitted to all
    videos, without using their stories; `models_from` is a library whose models are used instead.
    """
    if not videos:
        raise AnnotationError("none of the videos was found; put them next to the annotations")
    name = preset if models_from is None else f"{preset}-of-{models_from.parent.name}"
    folder = benchmark_folder(output, name)
    library = LocalLibrary(library_folder(output, preset), config=without_collection(config))
    ids = []
    for number, video in enumerate(videos, start=1):
        report(Step(f"indexing, {preset} preset", number - 1, len(videos), note=video.name))
        assert video.video is not None
        ids.append(library.add(video.video, transcript=video.transcript).id)
    if config.features.audio == "fisher":
        library = library.with_config(config)
        if models_from is not None:
            for file in (SOUND_FILE, GROUPS_FILE):
                library.store.put_document(file, (models_from / file).read_bytes())
        library = fit_collection(library, ids, refit=models_from is None, report=report)
    for number, (video, name) in enumerate(zip(videos, ids, strict=True), start=1):
        _write_video(folder / f"{number:02}", video, library, name)
    return folder


def train_on_collection(
    folder: Path, library: LocalLibrary, *, seed: int = 0, report: Report = silent
) -> None:
    """Train the paper's network on the first annotator's stories and store it in the library."""
    examples = [
        Example([*video.features.values()], video.truth_on_shots)
        for video in load_collection(folder, features=paper_cues(library.config))
    ]
    embedding = train_embedding(examples, "triplet", seed=seed, report=report)
    keep_document(library.store, EMBEDDING_FILE, embedding.save)


def _write_video(place: Path, video: PublishedVideo, library: LocalLibrary, name: str) -> None:
    indexed = library.video(name)
    stories = {
        person: _spans(video.stories(person, indexed.frame_count).edges)
        for person in video.annotations
    }
    place.mkdir(parents=True, exist_ok=True)
    features = {each.name: each for each in library.features(name)}
    for feature, each in features.items():
        np.save(place / f"{feature}.npy", each.vectors)
    description = {
        "name": video.name,
        "fps": indexed.fps,
        "frame_count": indexed.frame_count,
        "shots": [[s.frames.start, s.frames.stop] for s in library.shots(name)],
        "stories": next(iter(stories.values())),
        "annotations": stories if len(stories) > 1 else {},
        "features": {feature: f"{feature}.npy" for feature in features},
        "producers": {feature: each.producer for feature, each in features.items()},
    }
    (place / "video.json").write_text(json.dumps(description), encoding="utf-8")


def _spans(edges: Sequence[int]) -> list[list[int]]:
    return [[start, end] for start, end in pairwise(edges)]


def ready_library(
    output: Path, preset: str, config: Config, *, report: Report = silent
) -> LocalLibrary:
    """The library of a preset with its embedding, for retrieval."""
    library = LocalLibrary(library_folder(output, preset), config=config)
    for record in library.videos():
        library.add(record.video.path, report=report)
    return library
