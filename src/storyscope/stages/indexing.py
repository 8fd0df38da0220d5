"""What each stage of indexing does: here rooms that do not know each other are joined.

Every function is pure: (inputs, settings) to artefact. Heavy rooms are imported when they run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storyscope.config import (
    ConceptConfig,
    Config,
    FeatureConfig,
    TranscriptConfig,
)
from storyscope.core import (
    Features,
    Film,
    Mined,
    Passages,
    Ratings,
    Shot,
    Span,
    Story,
    StoryPath,
    Transcript,
    VisionOutput,
)
from storyscope.core.language import UNKNOWN, language_code
from storyscope.progress import Report, silent
from storyscope.stages.executor import Executor, Made, Stage, given
from storyscope.stages.scan import look, scan_film

if TYPE_CHECKING:
    from storyscope.concepts import Seen
    from storyscope.thumbnails import Ranker


def find_words(
    path: str,
    sidecar: Path | None,
    scratch: Path,
    film: Film,
    settings: TranscriptConfig,
    *,
    report: Report = silent,
) -> Transcript | None:
    """The words of a film: from a file, else from a track inside it, else by listening."""
    from storyscope.media import read_subtitles
    from storyscope.transcripts import read_transcript, transcript_of_cues

    end = film.shots[-1].span.end
    if sidecar:
        return read_transcript(sidecar, duration=end)
    inside = read_subtitles(path, language=settings.language) if film.has_subtitles else None
    if inside:
        return transcript_of_cues(
            inside.cues,
            source=f"track {inside.index}",
            language=language_code(inside.language) or UNKNOWN,
            duration=end,
        )
    if settings.speech == "off" or film.sound is None:
        return None
    return _listen(path, scratch, end, settings, report)


def _listen(
    path: str, scratch: Path, end: float, settings: TranscriptConfig, report: Report
) -> Transcript | None:
    """Recognise speech, keeping every finished piece in case the run is stopped."""
    from storyscope.media import file_digest, read_sound
    from storyscope.transcripts import SpeechJournal, transcribe

    key = f"{file_digest(Path(path))} {settings.speech} {settings.language}"
    journal = SpeechJournal(scratch / "speech.jsonl", key)
    words = transcribe(
        read_sound(path),
        model=settings.speech,
        language=settings.language,
        duration=end,
        finished=journal.read(),
        keep=journal.append,
        report=report,
    )
    journal.close()
    return words if words.words else None


def read_screen_text(film: Film, settings: str, *, report: Report = silent) -> Transcript | None:
    """What is written in the pictures, when a person asked for it."""
    if settings == "off":
        return None
    from storyscope.transcripts import read_screen

    return read_screen(film.keyframes, film.shots, report=report)


def mine_terms(
    words: Transcript | None, settings: tuple[str, bool], *, report: Report = silent
) -> Mined | None:
    """Nouns and noun phrases of the transcript; None without words or without a grammar."""
    from storyscope.concepts import mine, why_not

    pipeline, _ = settings
    if words is None or why_not(words.language, pipeline):
        return None
    return mine(words, pipeline=pipeline, report=report)


def describe_concepts(
    film: Film,
    mined: Mined | None,
    seen: VisionOutput,
    trained: Path,
    settings: tuple[ConceptConfig, bool],
    *,
    report: Report = silent,
) -> tuple[Features, ...]:
    """The paper's two semantic features, where there are terms and word vectors."""
    from storyscope.concepts import load_vectors, semantic_features

    config, has_vectors = settings
    if mined is None or not has_vectors:
        return ()
    vectors = load_vectors(config.vectors)
    shown = sights(film, seen, trained)
    return tuple(semantic_features(film.shots, mined, vectors, seen=shown, config=config))


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


def find_stories(film: Film, *cues_and_settings: Any, report: Report = silent) -> StoryPath:
    """Part the shots into stories by all cues there are, at every granularity."""
    from storyscope.stories import all_granularities

    concepts, *cues, (config, _) = cues_and_settings
    there = [*(cue for cue in cues if cue is not None), *concepts]
    return all_granularities(film.shots, there, config)


def file_passages(
    film: Film,
    words: Transcript | None,
    screen: Transcript | None,
    seen: VisionOutput,
    settings: tuple[str, ...],
    *,
    report: Report = silent,
) -> Passages:
    """File what is said, written and seen for search."""
    from storyscope.features import Decoded
    from storyscope.search import embed_images, load_text_model, make_passages

    text_model, _, *image_text = settings
    model, images = load_text_model(text_model), None
    if image_text:
        images = embed_images(image_text[0], Decoded(film.keyframes.pictures))
    given = (words, screen, film.keyframes, seen, model.encode)
    return make_passages(*given, producer=model.producer, images=images)


def rate_pictures(
    film: Film, seen: VisionOutput, ranker: Ranker, *, report: Report = silent
) -> Ratings:
    """How well each keyframe would stand for its story."""
    from storyscope.thumbnails import rate_keyframes

    return rate_keyframes(film.keyframes, seen, film.shots, ranker, report=report)


def name_stories(
    video: str,
    film: Film,
    path: StoryPath,
    words: Transcript | None,
    screen: Transcript | None,
    mined: Mined | None,
    seen: VisionOutput,
    trained: Path,
    settings: tuple[str, str],
    *,
    report: Report = silent,
) -> tuple[Story, ...]:
    """Give every story its times, a title and keywords."""
    parts = list(path.stories)
    stories = untitled(video, story_spans(film.shots, parts), parts)
    return title(stories, film, words, screen, mined, seen, trained, settings[0])


def story_spans(shots: Sequence[Shot], parts: Sequence[range]) -> list[Span]:
    """When each run of shots begins and ends."""
    return [Span(shots[part.start].span.start, shots[part.stop - 1].span.end) for part in parts]


def untitled(video: str, spans: Sequence[Span], parts: Sequence[range]) -> list[Story]:
    return [
        Story(f"{video}/{number}", video, part, span)
        for number, (span, part) in enumerate(zip(spans, parts, strict=True), start=1)
    ]


def title(
    stories: Sequence[Story],
    film: Film,
    words: Transcript | None,
    screen: Transcript | None,
    mined: Mined | None,
    seen: VisionOutput,
    trained: Path,
    text_model: str,
) -> tuple[Story, ...]:
    """Name stories by what is said, written and seen in them."""
    from storyscope.concepts import title_stories
    from storyscope.search import load_text_model

    titles = title_stories(
        stories,
        transcript=words,
        seen=sights(film, seen, trained),
        screen=screen,
        phrases=mined.phrases if mined else None,
        embed=load_text_model(text_model).encode,
    )
    return tuple(
        replace(story, title=name, keywords=keywords)
        for story, (name, keywords) in zip(stories, titles, strict=True)
    )


def sights(film: Film, seen: VisionOutput, trained: Path) -> Seen:
    """What the pictures show, shot by shot, by all detectors there are."""
    from storyscope.concepts import load_trained, seen_in_shots

    return seen_in_shots(film.keyframes, seen, len(film.shots), trained=load_trained(trained))


@dataclass(frozen=True)
class Weights:
    """What is installed that artefacts depend on: another model makes another artefact."""

    backbone: str
    text: str
    stories: str
    grammar: bool
    words: bool


def weights(config: Config) -> Weights:
    """Digests of the networks, and whether the optional word models are here."""
    from storyscope.features import backbone_digest
    from storyscope.search import text_model_digest
    from storyscope.stories import model_digest

    return Weights(
        backbone=backbone_digest(config.features.backbone),
        text=text_model_digest(config.search.text_model),
        stories=model_digest(config.stories),
        grammar=_has_grammar(),
        words=_has_words(config.concepts),
    )


def _has_grammar() -> bool:
    return find_spec("spacy") is not None


def _has_words(config: ConceptConfig) -> bool:
    from storyscope.models import SHIPPED, is_installed

    return config.vectors not in SHIPPED or is_installed(config.vectors)


def idle(config: Config) -> frozenset[str]:
    """Stages that have nothing to do: their part is switched off or not installed."""
    mines = _has_grammar()
    works = {
        SCREEN: config.transcripts.screen != "off",
        MINED: mines,
        CONCEPTS: mines and _has_words(config.concepts),
    }
    return frozenset(stage.name for stage, there in works.items() if not there)


def only(record: Any, *names: str) -> Any:
    """The record with every other setting at its default.

    What a stage does not read must not make it run again.
    """
    return replace(type(record)(), **{name: getattr(record, name) for name in names})


def filing(config: Config, weights: Weights) -> tuple[str, ...]:
    """The models that passages are made with."""
    from storyscope.search import CONSE, image_text_digest

    image_text = config.search.image_text
    text = (config.search.text_model, weights.text)
    return text if image_text == CONSE else (*text, image_text, image_text_digest(image_text))


def decoding(config: Config) -> Made:
    """How to decode; limits and threads change nothing in what comes out."""
    media = config.media
    return given(media, key=f"{media.picture_height} {media.pictures_per_second}")


def picking(config: Config) -> FeatureConfig:
    names = ("keyframes_per_shot", "seconds_per_keyframe", "candidates_per_shot")
    picks: FeatureConfig = only(config.features, *names)
    return picks


def seeing(config: Config) -> FeatureConfig:
    sees: FeatureConfig = only(config.features, "backbone", "map")
    return sees


SCAN = Stage("scan", 4, scan_film, spools=True)
TRANSCRIPT = Stage("transcript", 1, find_words)
SCREEN = Stage("screen", 1, read_screen_text)
VISION = Stage("vision", 1, look, spools=True)
MINED = Stage("mined", 1, mine_terms)
CONCEPTS = Stage("concepts", 1, describe_concepts)
CUES = (
    Cue("appearance", ("film", "seen"), ("map", "pooling", "sampling", "keyframes_per_shot")),
    Cue("hue", ("film",), ("sampling", "keyframes_per_shot")),
    Cue("audio", ("film",), ("audio",)),
    Cue("speech", ("film", "words")),
    Cue("time", ("film",)),
)
STORIES = Stage("stories", 2, find_stories)
PASSAGES = Stage("passages", 2, file_passages)
RATINGS = Stage("ratings", 1, rate_pictures)
TITLES = Stage("titles", 1, name_stories)
