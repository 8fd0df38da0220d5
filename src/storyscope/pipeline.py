"""The whole system on one screen: a file goes in, its stories come out.

Each line of `index_video` is one stage; the functions below it join rooms that do not know each
other. A stage runs only when its inputs, its settings or its version changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from storyscope.config import (
    Config,
    FeatureConfig,
    MediaConfig,
    ShotConfig,
    StoryConfig,
    TranscriptConfig,
)
from storyscope.core import (
    Features,
    Film,
    Passages,
    Picture,
    Segmentation,
    Shot,
    SmallFrame,
    SoundChunk,
    Span,
    Story,
    Transcript,
    VisionOutput,
)
from storyscope.errors import TranscriptError
from storyscope.executor import Executor, Made, Stage, given
from storyscope.progress import Report, silent


def index_video(source: Source, config: Config, execute: Executor) -> Made:
    """Run every stage that is not finished yet; the last artefact is the named stories."""
    film = execute(SCAN, source.film, settings=(config.media, config.shots, picking(config)))
    words = execute(TRANSCRIPT, source.film, source.words, settings=config.transcripts)
    seen = execute(VISION, film, settings=(seeing(config), weights_digest(config)))
    sources = {"film": film, "seen": seen, "words": words}
    cues = [cue.extract(sources, config.features, execute) for cue in CUES]
    stories = execute(STORIES, film, *cues, settings=config.stories)
    execute(PASSAGES, film, words, seen, settings=(config.search.text_model, text_digest(config)))
    return execute(TITLES, source.name, film, stories, words, seen)


@dataclass(frozen=True)
class Source:
    """What a person hands over: a video file, and perhaps its transcript."""

    name: Made
    film: Made
    words: Made

    @classmethod
    def of(cls, video: str, path: str, digest: str, transcript: str | None) -> Source:
        """A video file whose content has this digest; the transcript's is taken here."""
        from storyscope.transcripts import find_sidecar

        words = Path(transcript) if transcript else find_sidecar(Path(path))
        try:
            words_key = sha256(words.read_bytes()).hexdigest() if words else ""
        except OSError as error:
            raise TranscriptError(
                f"the transcript {words} cannot be read ({error.strerror}); "
                "give another with --transcript"
            ) from error
        return cls(given(video, key=video), given(path, key=digest), given(words, key=words_key))


def scan_film(
    path: str,
    settings: tuple[MediaConfig, ShotConfig, FeatureConfig],
    *,
    report: Report = silent,
) -> Film:
    """Decode the film once: shots, keyframes and sound, in constant memory."""
    from storyscope.features import KeyframePicker, SoundListener
    from storyscope.media import ScanEnd, scan
    from storyscope.shots import detect_shots

    media, shot_settings, picks = settings
    picker, listener, ends = KeyframePicker(picks), SoundListener(), []

    def small_frames() -> Iterator[SmallFrame]:
        for item in scan(path, media, report=report):
            match item:
                case SmallFrame():
                    yield item
                case Picture():
                    picker.see(item)
                case SoundChunk():
                    listener.hear(item)
                case ScanEnd():
                    ends.append(item)

    shots = []
    for shot in detect_shots(small_frames(), shot_settings):
        picker.add_shot(shot)
        shots.append(shot)
    return Film(tuple(shots), picker.close(), listener.close(), ends[0].damaged)


def find_words(
    path: str, sidecar: Path | None, settings: TranscriptConfig, *, report: Report = silent
) -> Transcript | None:
    """The words of a film: from the file given or lying beside it; None when there are none."""
    from storyscope.transcripts import read_transcript

    return read_transcript(sidecar) if sidecar else None


def look(
    film: Film, settings: tuple[FeatureConfig, str], *, report: Report = silent
) -> VisionOutput:
    """Run the keyframes through the image network."""
    from storyscope.features import describe, load_backbone

    config, _ = settings
    backbone = load_backbone(config.backbone)
    return describe(film.keyframes, backbone, full_map=config.map == "full", report=report)


@dataclass(frozen=True)
class Cue:
    """A feature, what it is made from, and the settings it reads."""

    name: str
    sources: tuple[str, ...]
    settings: tuple[str, ...] = ()

    def extract(
        self, sources: Mapping[str, Made], settings: FeatureConfig, execute: Executor
    ) -> Made:
        stage = Stage(self.name, 1, self.describe)
        inputs = (sources[name] for name in self.sources)
        return execute(stage, *inputs, settings=only(settings, *self.settings))

    def describe(self, *values: Any, report: Report = silent) -> Features | None:
        """One row a shot; None where the film lacks what is described."""
        from storyscope.features import Material, extract

        *inputs, settings = values
        given = dict(zip(self.sources, inputs, strict=True))
        film: Film = given["film"]
        material = Material(
            film.shots, film.keyframes, given.get("seen"), film.sound, given.get("words")
        )
        return extract(self.name, material, settings)


def find_stories(film: Film, *cues_and_settings: Any, report: Report = silent) -> Segmentation:
    """Part the shots into stories by all cues there are."""
    *cues, settings = cues_and_settings
    return group_shots(film.shots, [cue for cue in cues if cue is not None], settings)


def group_shots(
    shots: Sequence[Shot],
    cues: Sequence[Features],
    settings: StoryConfig,
    *,
    granularity: float | None = None,
    count: int | None = None,
) -> Segmentation:
    """Part the shots by the settings, or into as many stories as is asked for."""
    from storyscope.stories import cluster, story_path

    rows = _one_space(shots, cues)
    if granularity is None and count is None:
        return cluster(rows, settings.penalty).segmentation
    wanted = count or round(len(shots) ** (granularity or 0.0))
    path = story_path(rows, fewest=1, most=len(shots))
    found = [point.partition.segmentation for point in path]
    return min(found, key=lambda parts: abs(len(parts) - wanted))


def _one_space(shots: Sequence[Shot], cues: Sequence[Features]) -> Any:
    import numpy as np

    rows = [
        cue.vectors / np.maximum(np.linalg.norm(cue.vectors, axis=1, keepdims=True), 1e-9)
        for cue in cues
        if cue.name in ("appearance", "hue")
    ]
    minutes = np.array([[shot.span.middle / 60] for shot in shots])
    return np.hstack([*rows, 0.5 * minutes])


def name_stories(
    video: str,
    film: Film,
    parts: Segmentation,
    words: Transcript | None,
    seen: VisionOutput,
    *,
    report: Report = silent,
) -> tuple[Story, ...]:
    """Give every story its times, a title and keywords."""
    stories = untitled(video, story_spans(film.shots, list(parts)), list(parts))
    return title(stories, film, words, seen)


def story_spans(shots: Sequence[Shot], parts: Sequence[range]) -> list[Span]:
    """When each run of shots begins and ends."""
    return [Span(shots[part.start].span.start, shots[part.stop - 1].span.end) for part in parts]


def untitled(video: str, spans: Sequence[Span], parts: Sequence[range]) -> list[Story]:
    return [
        Story(f"{video}/{number}", video, part, span)
        for number, (span, part) in enumerate(zip(spans, parts, strict=True), start=1)
    ]


def title(
    stories: Sequence[Story], film: Film, words: Transcript | None, seen: VisionOutput
) -> tuple[Story, ...]:
    """Name stories by what is said and seen in them."""
    from storyscope.concepts import title_stories

    titles = title_stories(stories, transcript=words, seen=sights(film, seen))
    return tuple(
        replace(story, title=name, keywords=keywords)
        for story, (name, keywords) in zip(stories, titles, strict=True)
    )


def file_passages(
    film: Film,
    words: Transcript | None,
    seen: VisionOutput,
    settings: tuple[str, str],
    *,
    report: Report = silent,
) -> Passages:
    """File what is said and seen for search."""
    from storyscope.models import class_names
    from storyscope.search import class_vectors, load_text_model, make_passages

    model = load_text_model(settings[0])
    meanings = class_vectors(model, class_names())
    return make_passages(
        words, None, film.keyframes, seen, meanings, model.encode, producer=model.producer
    )


def sights(film: Film, seen: VisionOutput) -> Any:
    """What the pictures show, shot by shot: the classes of the network, their likeliest frame."""
    import numpy as np

    from storyscope.concepts import Seen
    from storyscope.models import class_names

    best = np.zeros((len(film.shots), seen.posteriors.shape[1]), np.float32)
    np.maximum.at(best, film.keyframes.shots, seen.posteriors.astype(np.float32))
    return Seen(class_names(), best)


def only(record: Any, *names: str) -> Any:
    """The record with every setting but these at its default: what a stage does not read
    must not make it run again."""
    return replace(type(record)(), **{name: getattr(record, name) for name in names})


def picking(config: Config) -> FeatureConfig:
    picks: FeatureConfig = only(config.features, "keyframes_per_shot", "candidates_per_shot")
    return picks


def seeing(config: Config) -> FeatureConfig:
    sees: FeatureConfig = only(config.features, "backbone", "map")
    return sees


def weights_digest(config: Config) -> str:
    from storyscope.features import backbone_digest

    return backbone_digest(config.features.backbone)


def text_digest(config: Config) -> str:
    from storyscope.search import text_model_digest

    return text_model_digest(config.search.text_model)


SCAN = Stage("scan", 1, scan_film)
TRANSCRIPT = Stage("transcript", 1, find_words)
VISION = Stage("vision", 1, look)
CUES = (
    Cue("appearance", ("film", "seen"), ("map", "pooling", "sampling", "keyframes_per_shot")),
    Cue("hue", ("film",), ("sampling", "keyframes_per_shot")),
    Cue("colour", ("film",), ("sampling", "keyframes_per_shot")),
    Cue("audio", ("film",), ("audio",)),
    Cue("speech", ("film", "words")),
    Cue("time", ("film",)),
)
STORIES = Stage("stories", 1, find_stories)
PASSAGES = Stage("passages", 1, file_passages)
TITLES = Stage("titles", 1, name_stories)
