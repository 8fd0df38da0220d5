"""Train a library's story model on people's versions of its videos."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from storyscope.config import Config
from storyscope.core import Annotation, Features, Segmentation, Shot
from storyscope.embedding import Embedding, Example, train_embedding
from storyscope.errors import AnnotationError, ModelError, StoryscopeError, UnknownVideo
from storyscope.features import describe_pictures, from_jpeg, load_backbone
from storyscope.library.exchange import annotations_in
from storyscope.progress import Report, silent
from storyscope.stages.collection import (
    EMBEDDING_FILE,
    fit_groups_file,
    fit_sound_file,
    keep_document,
)
from storyscope.stages.rankers import TRAINED_RANKER_FILE
from storyscope.store import MINED, SCAN, VISION
from storyscope.stories import detect
from storyscope.stories.examples import StoryExample
from storyscope.stories.fine_tuning import fine_tune
from storyscope.stories.relations import Rhythm
from storyscope.stories.segment import chosen_cues
from storyscope.thumbnails import load_ranker
from storyscope.thumbnails.evaluation import good_frames, see_degraded, train_ranker_on

if TYPE_CHECKING:
    from storyscope.library.local import LocalLibrary
    from storyscope.stories.examples import StoryExample
    from storyscope.stories.fine_tuning import FineTuning

RANKER_FRAMES = 12
"""Frames of each film that a thumbnail ranker is trained on."""
STYLE_FILE = "stories.safetensors"
"""The library's own story model, next to its settings."""


def learn_style(
    library: LocalLibrary,
    annotations: Sequence[str] = (),
    *,
    annotator: str | None = None,
    report: Report = silent,
) -> FineTuning:
    """Train from the shipped model, on the given versions or on all.

    A name is an annotated video, or a file of stories named after its video, which is read and not
    stored. Training does not continue from what the library learned before, because that model has
    seen the videos that are left out for scoring.
    """
    examples = gather_examples(library, annotations, annotator=annotator)
    return fine_tune(examples, report=report)


def adopt_style(library: LocalLibrary, tuned: FineTuning) -> Path:
    """Use the trained model to detect stories, from the next `add` on."""
    with TemporaryDirectory(prefix="storyscope-") as folder:
        tuned.model.save(Path(folder) / STYLE_FILE)
        library.store.put_document(STYLE_FILE, (Path(folder) / STYLE_FILE).read_bytes())
    path = library.store.document(STYLE_FILE).resolve()
    library.keep_settings(["stories.method=ours", f"stories.model={path}"])
    return path


def boundary_changes(library: LocalLibrary, tuned: FineTuning) -> list[dict[str, Any]]:
    """For each video, the seconds where stories would begin or no longer begin with the trained
    model.

    It is compared with the current automatic stories; unchanged videos do not appear.
    """
    changes = []
    for record in library.videos():
        if record.state != "ready":
            continue
        video, shots = record.video.id, library.shots(record.video.id)
        before = {s.span.start for s in library.stories(video, annotator="automatic")}
        found = detect(shots, library.features(video), model=tuned.model).stories
        after = {shots[first].span.start for first in found.starts}
        if before != after:
            added, removed = sorted(after - before), sorted(before - after)
            counts = count_changes(before, after)
            changes.append({"video": video, "added": added, "removed": removed, **counts})
    return changes


def count_changes(before: Set[float], after: Set[float]) -> dict[str, int]:
    """How many boundaries moved, and how many stories were joined and split.

    A boundary that is gone and one that is new count as moved if no unchanged boundary is between
    them; the others join two stories, or split one.
    """
    stayed = sorted(before & after)
    gone = Counter(bisect(stayed, start) for start in before - after)
    new = Counter(bisect(stayed, start) for start in after - before)
    return {
        "moved": (gone & new).total(),
        "joined": (gone - new).total(),
        "split": (new - gone).total(),
    }


def facts_of(tuned: FineTuning) -> dict[str, Any]:
    """Mean IoU on videos left out: before, after, and of equal stories; each video and the mean.

    `minutes` counts every version of a video; `stories_per_minute` is the geometric mean.
    """
    rows = {"before": tuned.before, "after": tuned.after, "uniform": tuned.uniform}
    return {
        **{name: sum(row.values()) / len(row) for name, row in rows.items()},
        "gain": tuned.gain,
        "helped": tuned.helped,
        "minutes": tuned.minutes,
        "stories_per_minute": tuned.model.pace and tuned.model.pace.rate,
        "videos": [
            {"name": video, **{name: row[video] for name, row in rows.items()}}
            for video in tuned.uniform
        ],
    }


def refuse_other_file(output: Path) -> None:
    """Refuse to replace a file that is not a network."""
    if output.is_file():
        try:
            Embedding.load(output)
        except StoryscopeError as error:
            raise ModelError(
                f"{output} already exists and is not a trained network; choose another --output"
            ) from error


def learn_embedding(
    library: LocalLibrary,
    kind: str,
    annotations: Sequence[str] = (),
    *,
    annotator: str | None = None,
    seed: int = 0,
    report: Report = silent,
) -> Embedding:
    """Train one of the paper's networks on people's versions.

    The features are those in `stories.cues` if the settings are the paper's; otherwise all that
    every video has from the same producer.
    """
    versions = gather_versions(library, annotations, annotator=annotator)
    features = {video: library.features(video) for video, _ in versions}
    names = _shared(features)
    if library.config.features.audio == "fisher":
        names = _required(features, chosen_cues(library.config.stories.cues))
    examples = [
        Example(
            [each for each in features[video] if each.name in names],
            stories_over_shots(version, library.shots(video)),
        )
        for video, version in versions
    ]
    return train_embedding(examples, kind, seed=seed, report=report)


def learn_collection(
    library: LocalLibrary,
    kind: str = "triplet",
    annotations: Sequence[str] = (),
    *,
    annotator: str | None = None,
    report: Report = silent,
) -> Path:
    """Fit everything that the paper fits on a collection, on people's versions, and store it.

    The videos are indexed without an embedding; one audio mixture and one set of concept groups are
    fitted to all of them; then the network is trained. An interrupted run resumes.
    """
    names = [*dict.fromkeys(video for video, _ in gather_versions(library, annotations))]
    plain = fit_collection(library, names, report=report)
    space = learn_embedding(plain, kind, annotations, annotator=annotator, report=report)
    keep_document(library.store, EMBEDDING_FILE, space.save)
    learn_ranker(plain, names)
    return library.store.document(EMBEDDING_FILE)


def fit_collection(
    library: LocalLibrary, names: Sequence[str], *, refit: bool = True, report: Report = silent
) -> LocalLibrary:
    """Index these videos with shared models, and return the library with such settings.

    With `refit`, one audio mixture and one set of concept groups are fitted to all of them first.
    No embedding is used yet.
    """
    config, store = library.config, library.store
    if refit:
        _index_again(library.with_config(without_collection(config)), names, report)
        fit_sound_file(store, (store.load(name, SCAN) for name in names))
        mined = [each for name in names if (each := store.load(name, MINED)) is not None]
        fit_groups_file(store, mined, config)
    plain = replace(config, stories=replace(config.stories, model="default"))
    described = library.with_config(plain)
    _index_again(described, names, report)
    return described


def learn_ranker(library: LocalLibrary, names: Sequence[str]) -> None:
    """Train a thumbnail ranker for an image network that the shipped ranker does not support.

    It learns from good frames of these videos and degraded copies of them.
    """
    network = library.store.load(names[0], VISION).producer.split("@")[0]
    if load_ranker().backbone == network:
        return
    frames = []
    for name in names:
        pictures = library.store.load(name, SCAN).keyframes.pictures
        frames += good_frames([from_jpeg(data) for data in pictures])[:RANKER_FRAMES]
    if len(frames) > 1:
        backbone = load_backbone(library.config.features.backbone)
        seen = see_degraded(frames, partial(describe_pictures, backbone=backbone))
        ranker = train_ranker_on([seen], backbone=network)
        library.store.put_document(TRAINED_RANKER_FILE, f"{ranker.to_json()}\n".encode())


def without_collection(config: Config) -> Config:
    """The settings without anything that is fitted to a whole collection."""
    if config.features.audio != "fisher":
        return config
    return replace(
        config,
        stories=replace(config.stories, model="default"),
        features=replace(config.features, audio="compact"),
        concepts=replace(config.concepts, scope="video"),
    )


def _index_again(library: LocalLibrary, names: Sequence[str], report: Report) -> None:
    for name in names:
        library.add(library.video(name).path, report=report)


def _shared(features: Mapping[str, Sequence[Features]]) -> set[str]:
    """Features that every video has, made by the same producer."""
    made = [{(each.name, each.producer) for each in cues} for cues in features.values()]
    return {name for name, _ in set.intersection(*made)}


def _required(features: Mapping[str, Sequence[Features]], wanted: Sequence[str]) -> set[str]:
    for video, cues in features.items():
        missing = [name for name in wanted if name not in {each.name for each in cues}]
        if missing:
            raise AnnotationError(
                f"{video} has no {' and no '.join(missing)}, which the paper's network reads; "
                "give it sound and a transcript, or leave it out of the training"
            )
    return set(wanted)


def gather_examples(
    library: LocalLibrary, annotations: Sequence[str] = (), *, annotator: str | None = None
) -> dict[str, dict[str, StoryExample]]:
    """The training example of each annotated video: by the video's id, then by annotator."""
    examples: dict[str, dict[str, StoryExample]] = {}
    for video, version in gather_versions(library, annotations, annotator=annotator):
        name = f"{video} by {version.annotator}"
        examples.setdefault(video, {})[name] = _example(library, video, version)
    return examples


def gather_versions(
    library: LocalLibrary, annotations: Sequence[str] = (), *, annotator: str | None = None
) -> list[tuple[str, Annotation]]:
    """The named versions, or all, each with its video."""
    named = annotations or [record.video.id for record in library.videos()]
    versions = [
        (video, version) for name in named for video, version in _versions(library, name, annotator)
    ]
    if not versions:
        raise AnnotationError(
            "no video of the library is annotated"
            + (f" by {annotator}" if annotator else "")
            + "; mark stories on the page, or import them with `storyscope import`"
        )
    return versions


def _versions(
    library: LocalLibrary, name: str, annotator: str | None
) -> list[tuple[str, Annotation]]:
    known = [record.video.id for record in library.videos()]
    if name not in known and Path(name).exists():
        found = _from_file(library, Path(name), known)
    else:
        found = [(name, version) for version in library.annotations(name).values()]
    return [(video, each) for video, each in found if annotator in (None, each.annotator)]


def _from_file(
    library: LocalLibrary, file: Path, known: Sequence[str]
) -> list[tuple[str, Annotation]]:
    """Versions in a file named after its video: film.vtt, or film.anna.json."""
    video = next((name for name in (file.stem, file.name.split(".")[0]) if name in known), None)
    if video is None:
        raise UnknownVideo(
            f"which video is {file} about? name it after one ({', '.join(known) or 'none yet'}), "
            "or import it with `storyscope import --video`"
        )
    return [(video, each) for each in annotations_in(library, file, video)]


def _example(library: LocalLibrary, video: str, version: Annotation) -> StoryExample:
    shots = library.shots(video)
    features = tuple(library.features(video))
    return StoryExample(features, Rhythm.of(shots), stories_over_shots(version, shots))


def stories_over_shots(version: Annotation, shots: Sequence[Shot]) -> Segmentation:
    """A person's stories, each beginning at the nearest shot change."""
    starts = [shot.span.start for shot in shots]
    nearest = {
        min(range(len(shots)), key=lambda shot: abs(starts[shot] - seconds))
        for seconds in version.starts
    }
    return Segmentation.from_cuts(sorted(nearest - {0}), len(shots))
