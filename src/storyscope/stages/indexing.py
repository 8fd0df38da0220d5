"""The functions of the indexing stages, which connect packages that do not know each other.

Every function is pure: (inputs, settings) to artefact.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from storyscope import store
from storyscope.concepts import (
    ConceptGroups,
    load_vectors,
    mine,
    semantic_features,
    why_not,
)
from storyscope.config import (
    ConceptConfig,
    Config,
    FeatureConfig,
    MediaConfig,
    StoryConfig,
    TranscriptConfig,
)
from storyscope.core import (
    Features,
    Film,
    Looks,
    Mined,
    Passages,
    Ratings,
    Span,
    Story,
    StoryCount,
    StoryPath,
    Transcript,
    Video,
    VisionOutput,
)
from storyscope.core.language import UNKNOWN, language_code
from storyscope.errors import ModelError, TranscriptError
from storyscope.features import (
    Decoded,
    backbone_digest,
    blank_shots,
    closing_lettering,
)
from storyscope.media import file_digest, read_sound, read_subtitles
from storyscope.models import SHIPPED, is_installed
from storyscope.progress import Report, silent
from storyscope.search import (
    OFF,
    chosen_image_text,
    image_text_digest,
    image_vectors,
    load_image_text,
    load_text_model,
    look_at_keyframes,
    make_passages,
    second_opinion,
    text_model_digest,
)
from storyscope.stages.executor import Made, Stage, given
from storyscope.stages.naming import Material, detections_of, story_spans, title, untitled
from storyscope.stages.scan import look, scan_film
from storyscope.stages.settings import only
from storyscope.stories import all_granularities, fold, model_digest
from storyscope.thumbnails import Ranker, rate_keyframes
from storyscope.transcripts import (
    SpeechJournal,
    check_speech,
    chosen_sounds,
    chosen_speech,
    detect_speech,
    hear_sounds,
    read_screen,
    read_transcript,
    sounds_digest,
    transcribe,
    transcript_of_cues,
)


def find_words(
    path: str,
    sidecar: Path | None,
    scratch: Path,
    film: Film,
    settings: TranscriptConfig,
    *,
    report: Report = silent,
) -> Transcript | None:
    """The transcript of a film: from a file, otherwise from a track inside it, otherwise by speech
    recognition."""
    end = film.shots[-1].span.end
    if sidecar:
        return read_transcript(sidecar, duration=end, fps=film.shots[-1].frames.stop / end)
    inside = read_subtitles(path, language=settings.language) if film.has_subtitles else None
    if inside:
        with suppress(
            TranscriptError
        ):  # An invalid subtitle track is no reason to reject the film.
            return transcript_of_cues(
                inside.cues,
                source=f"track {inside.index}",
                language=language_code(inside.language) or UNKNOWN,
                duration=end,
            )
    if settings.speech == "off" or film.sound is None:
        return None
    return _listen(path, scratch, end, settings, report)


def check_before_decoding(config: Config, words: Path | None, video: Video) -> None:
    """Raise an error early for transcripts that cannot be read and models that are missing.

    Decoding a film takes minutes; other models are checked when their digests are computed.
    """
    if words is not None:
        read_transcript(words, duration=video.duration, fps=video.fps)
    vectors, pipeline = config.concepts.vectors, config.concepts.pipeline
    if vectors not in SHIPPED and not Path(vectors).expanduser().exists():
        raise ModelError(
            f"concepts.vectors names {vectors!r}, which is neither the name of shipped word "
            "vectors nor a file or folder"
        )
    installed = pipeline.isidentifier() and find_spec(pipeline) is not None
    if pipeline != "auto" and not installed and not Path(pipeline).expanduser().exists():
        raise ModelError(
            f"concepts.pipeline names {pipeline!r}, which is neither an installed spaCy pipeline "
            "nor a folder"
        )


def listening(config: Config) -> TranscriptConfig:
    """Settings of the transcript, with the speech model that is actually used."""
    check_speech(config.transcripts.speech)
    wanted = only(config.transcripts, "speech", "language")
    return replace(wanted, speech=chosen_speech(wanted.speech, language=wanted.language))


def _listen(
    path: str, scratch: Path, end: float, settings: TranscriptConfig, report: Report
) -> Transcript | None:
    """Recognise speech, saving every finished chunk in case the run is interrupted."""
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


def find_speech(
    path: str, film: Film, words: Transcript | None, settings: str, *, report: Report = silent
) -> tuple[Span, ...] | None:
    """Intervals with speech in a film without a transcript and without speech recognition.

    `settings` is the name of the speech recognition model, or `off`.
    """
    if words is not None or settings != "off" or film.sound is None or not _has_voice_detector():
        return None
    end = film.shots[-1].span.end
    return detect_speech(read_sound(path), duration=end, report=report) or None


def read_screen_text(film: Film, settings: str, *, report: Report = silent) -> Transcript | None:
    """The text on screen, if that is turned on."""
    if settings == "off":
        return None
    return read_screen(film.keyframes, film.shots, report=report)


def name_sounds(
    path: str, film: Film, settings: str, *, report: Report = silent
) -> Transcript | None:
    """The recognised sounds; None without a model or without sound."""
    if settings == OFF or film.sound is None:
        return None
    return hear_sounds(read_sound(path), duration=film.shots[-1].span.end, report=report)


def mine_terms(words: Transcript | None, settings: str, *, report: Report = silent) -> Mined | None:
    """Nouns and noun phrases of the transcript; None without a transcript or a tagger."""
    if words is None or why_not(words.language, settings):
        return None
    return mine(words, pipeline=settings, report=report)


def describe_concepts(
    film: Film,
    mined: Mined | None,
    seen: VisionOutput,
    trained: Path,
    groups: ConceptGroups | None,
    settings: ConceptConfig,
    *,
    report: Report = silent,
) -> tuple[Features, ...]:
    """The paper's two semantic features, if there are terms and word vectors."""
    if mined is None or not _has_words(settings):
        return ()
    vectors = load_vectors(settings.vectors)
    shown = detections_of(film, seen, trained)
    return tuple(
        semantic_features(film.shots, mined, vectors, seen=shown, groups=groups, config=settings)
    )


def find_stories(
    film: Film,
    concepts: Sequence[Features],
    cues: Sequence[Features | None],
    has_lead: bool,
    settings: StoryConfig,
    *,
    report: Report = silent,
) -> StoryPath:
    """Split the shots into stories by all available cues, at every granularity.

    The first shot is a story of its own if it is the part before the start of indexing.
    """
    there = [*(cue for cue in cues if cue is not None), *concepts]
    lead = int(has_lead)
    rest = [replace(cue, vectors=cue.vectors[lead:]) for cue in there]
    path = all_granularities(film.shots[lead:], rest, settings)
    count = len(film.shots)
    blank = blank_shots(film.keyframes, count).tolist()
    credits_start = max(lead, closing_lettering(film.keyframes, count))
    folded = fold(path, blank[lead:], credits_start=credits_start - lead)
    return folded.with_lead() if has_lead else folded


def look_for_search(film: Film, settings: str, *, report: Report = silent) -> Looks | None:
    """Encode keyframes with the image-text model that `settings` names, unless it is `off`."""
    if settings == OFF:
        return None
    pictures = Decoded(film.keyframes.pictures)
    return look_at_keyframes(settings, film.keyframes, film.shots, pictures, report=report)


def file_passages(
    film: Film,
    words: Transcript | None,
    screen: Transcript | None,
    sounds: Transcript | None,
    seen: VisionOutput,
    looks: Looks | None,
    image_text: str,
    settings: str,
    *,
    report: Report = silent,
) -> Passages:
    """Prepare transcript, on-screen text and keyframes for search; `image_text` is the model of
    `looks`."""
    model, images = load_text_model(settings), None
    if looks is not None and len(looks.rows):
        images = image_vectors(image_text, looks, film.keyframes)
    given = (words, screen, film.keyframes, seen, model.encode)
    return make_passages(*given, producer=model.producer, sounds=sounds, images=images)


def rate_pictures(
    film: Film, seen: VisionOutput, ranker: Ranker, *, report: Report = silent
) -> Ratings:
    """How suitable each keyframe is as a thumbnail."""
    return rate_keyframes(film.keyframes, seen, film.shots, ranker, report=report)


def name_stories(
    video: str,
    film: Film,
    path: StoryPath,
    words: Transcript | None,
    screen: Transcript | None,
    mined: Mined | None,
    seen: VisionOutput,
    passages: Passages,
    image_text: str,
    trained: Path,
    count: StoryCount,
    settings: str,
    *,
    report: Report = silent,
) -> tuple[Story, ...]:
    """Give every story its times, a title, keywords and a summary, at the wanted number of
    stories."""
    parts = list(count.of(path, film.shots[-1].span.end))
    stories = untitled(video, story_spans(film.shots, parts), parts)
    ask = second_opinion(passages, image_text)
    seen_there = detections_of(film, seen, trained)
    return title(stories, Material(film, words, screen, mined, seen_there, settings, ask))


@dataclass(frozen=True)
class Weights:
    """Installed models that artefacts depend on: another model makes another artefact."""

    backbone: str
    image_text: str
    sounds: str
    text: str
    stories: str
    grammar: bool
    words: bool
    voice: bool


def weights(config: Config) -> Weights:
    """Digests of the networks, and whether the optional word models are installed."""
    return Weights(
        backbone=backbone_digest(config.features.backbone),
        image_text=image_text_digest(chosen_image_text(config.search.image_text)),
        sounds=sounds_digest(config.transcripts.sounds),
        text=text_model_digest(config.search.text_model),
        stories=model_digest(config.stories),
        grammar=_has_grammar(),
        words=_has_words(config.concepts),
        voice=_has_voice_detector(),
    )


def _has_grammar() -> bool:
    return find_spec("spacy") is not None


def _has_voice_detector() -> bool:
    return find_spec("faster_whisper") is not None


def _has_words(config: ConceptConfig) -> bool:
    return config.vectors not in SHIPPED or is_installed(config.vectors)


def idle(config: Config) -> frozenset[str]:
    """Stages that have nothing to do, because their part is turned off or not installed."""
    mines = _has_grammar()
    works = {
        store.VOICE: _has_voice_detector() and listening(config).speech == "off",
        store.SCREEN: config.transcripts.screen != "off",
        store.SOUNDS: sound_model(config) != OFF,
        store.LOOKS: chosen_image_text(config.search.image_text) != OFF,
        store.MINED: mines,
        store.CONCEPTS: mines and _has_words(config.concepts),
    }
    return frozenset(artefact.name for artefact, there in works.items() if not there)


def sound_model(config: Config) -> str:
    """The model that kinds of sound are named by, or `off`."""
    return chosen_sounds(config.transcripts.sounds)


def image_text_model(config: Config) -> Made[str]:
    """The image-text model that compares keyframes with texts, or `off`."""
    name = chosen_image_text(config.search.image_text)
    return given(name, key=name if name == OFF else load_image_text(name).producer)


def decoding(config: Config) -> Made[MediaConfig]:
    """Settings of decoding that affect its result; limits and threads do not."""
    media = config.media
    part = f" {media.start} {media.end}" if media.start or media.end else ""
    return given(media, key=f"{media.picture_height} {media.pictures_per_second}{part}")


def finding(config: Config) -> StoryConfig:
    """Settings of story detection; the wanted number of stories matters only for titles."""
    return only(config.stories, "method", "model", "cues", "penalty")


def picking(config: Config) -> FeatureConfig:
    names = ("keyframes_per_shot", "seconds_per_keyframe", "candidates_per_shot")
    return only(config.features, *names)


def seeing(config: Config) -> FeatureConfig:
    return only(config.features, "backbone", "map")


SCAN_FILM = Stage(store.SCAN, 7, scan_film, spools=True)
FIND_WORDS = Stage(store.TRANSCRIPT, 2, find_words)
FIND_SPEECH = Stage(store.VOICE, 1, find_speech)
READ_SCREEN = Stage(store.SCREEN, 1, read_screen_text)
NAME_SOUNDS = Stage(store.SOUNDS, 1, name_sounds)
LOOK = Stage(store.VISION, 1, look, spools=True)
MINE_TERMS = Stage(store.MINED, 1, mine_terms)
DESCRIBE_CONCEPTS = Stage(store.CONCEPTS, 2, describe_concepts)
FIND_STORIES = Stage(store.STORIES, 4, find_stories)
LOOK_FOR_SEARCH = Stage(store.LOOKS, 3, look_for_search)
FILE_PASSAGES = Stage(store.PASSAGES, 3, file_passages)
RATE_PICTURES = Stage(store.RATINGS, 1, rate_pictures)
NAME_STORIES = Stage(store.TITLES, 4, name_stories)
