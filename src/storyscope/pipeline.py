"""The whole system on one screen: a video file goes in, its stories come out.

Each line of `index_video` is one stage; `stages/` implements them. A stage runs only if its inputs,
its settings, its weights or its version changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from storyscope.concepts import TRAINED_FILE
from storyscope.config import Config
from storyscope.core import Story, Video
from storyscope.cues import indexed_cues
from storyscope.errors import TranscriptError
from storyscope.media import fetched_words, words_beside
from storyscope.models import use_device
from storyscope.search import text_model_digest
from storyscope.stages import indexing as stages
from storyscope.stages.collection import (
    concept_groups,
    require_words,
    sound_mixture,
    with_embedding,
)
from storyscope.stages.cues import extract_cue
from storyscope.stages.executor import Executor, Made, given
from storyscope.stages.kept import kept, ways_to_listen, ways_to_read_screens
from storyscope.stages.rankers import ranker_of
from storyscope.store import (
    MINED,
    PASSAGES,
    SCAN,
    SCREEN,
    STORIES,
    TRANSCRIPT,
    VISION,
    Store,
    in_bucket,
)
from storyscope.thumbnails import Ranker
from storyscope.transcripts import EXTENSIONS, find_sidecar


def index_video(source: Source, config: Config, execute: Executor) -> Made[tuple[Story, ...]]:
    """Run every stage that is not finished yet; the last artefact is the named stories."""
    use_device(config.processes.device)
    wanted, config = config, with_embedding(config, source.store)
    weights = stages.weights(config)
    scanning = (config.shots, stages.picking(config))
    ways = ways_to_listen(config, source.store, source.name.value)
    seeing, text_model = stages.seeing(config), config.search.text_model

    film = execute(stages.SCAN_FILM, source.film, stages.decoding(config), settings=scanning)
    inputs = (source.film, source.words, source.scratch, film)
    listening = kept(source.store, source.name.value, stages.FIND_WORDS, inputs, ways)
    words = execute(stages.FIND_WORDS, *inputs, settings=listening)
    require_words(wanted, words)
    said = (source.film, film, words)
    voice = execute(stages.FIND_SPEECH, *said, settings=listening.speech, weights=[weights.voice])
    screens = ways_to_read_screens(config)
    reading = kept(source.store, source.name.value, stages.READ_SCREEN, (film,), screens)
    screen = execute(stages.READ_SCREEN, film, settings=reading)
    hearing, heard = stages.sound_model(config), [weights.sounds]
    sounds = execute(stages.NAME_SOUNDS, source.film, film, settings=hearing, weights=heard)
    seen = execute(stages.LOOK, film, settings=seeing, weights=[weights.backbone])
    mined = execute(
        stages.MINE_TERMS, words, settings=config.concepts.pipeline, weights=[weights.grammar]
    )
    groups = concept_groups(source.store, config, mined)
    shown = (film, mined, seen, source.trained, groups)
    concepts = execute(
        stages.DESCRIBE_CONCEPTS, *shown, settings=config.concepts, weights=[weights.words]
    )
    mixture = sound_mixture(source.store, wanted, film)
    sources: dict[str, Made[Any]] = {"film": film, "seen": seen, "words": words}
    sources |= {"voice": voice, "mixture": mixture}
    cues = [extract_cue(cue, sources, config.features, execute) for cue in indexed_cues()]
    has_lead = given(config.media.start > 0, key="")
    known = (film, concepts, cues, has_lead)
    stories = execute(
        stages.FIND_STORIES, *known, settings=stages.finding(config), weights=[weights.stories]
    )
    image_text = stages.image_text_model(config)
    encoder = [weights.image_text]
    looks = execute(stages.LOOK_FOR_SEARCH, film, settings=image_text.value, weights=encoder)
    filed = (film, words, screen, sounds, seen, looks, image_text)
    passages = execute(stages.FILE_PASSAGES, *filed, settings=text_model, weights=[weights.text])
    execute(stages.RATE_PICTURES, film, seen, source.ranker)
    found = (film, stories, words, screen, mined, seen, passages)
    return _name_stories(source.name, found, source.trained, config, execute)


def rename_stories(
    video: str, store: Store, config: Config, execute: Executor
) -> Made[tuple[Story, ...]]:
    """Group and title the stories of an indexed video again after the wanted number of stories
    changed."""
    found = [
        Made(store.key(video, artefact) or "", partial(store.load, video, artefact))
        for artefact in (SCAN, STORIES, TRANSCRIPT, SCREEN, MINED, VISION, PASSAGES)
    ]
    return _name_stories(given(video, key=video), found, _trained(store), config, execute)


def _name_stories(
    name: Made[str],
    found: Sequence[Made[Any]],
    trained: Made[Path],
    config: Config,
    execute: Executor,
) -> Made[tuple[Story, ...]]:
    wanted, model = config.stories.count, config.search.text_model
    count = given(wanted, key=str(wanted))
    known = (*found, stages.image_text_model(config), trained, count)
    weights = [text_model_digest(model)]
    return execute(stages.NAME_STORIES, name, *known, settings=model, weights=weights)


@dataclass(frozen=True)
class Source:
    """The input of indexing: a video file and, optionally, its transcript."""

    name: Made[str]
    film: Made[str]
    words: Made[Path | None]
    scratch: Made[Path]
    """A folder for intermediate results of a long stage; no artefact depends on it."""
    trained: Made[Path]
    """The library's own concept detectors, if any were trained."""
    store: Store
    """The store of the video, with the models that were trained in the library."""

    @classmethod
    def of(cls, video: Video, transcript: str | None, store: Store) -> Source:
        """A video of a library, with the given transcript or the one next to the film."""
        words = _words(video.path, transcript)
        return cls(
            name=given(video.id, key=video.id),
            film=given(video.path, key=video.digest),
            words=given(words, key=_digest(words) if words else ""),
            scratch=given(store.folder / "scratch" / video.id, key=""),
            trained=_trained(store),
            store=store,
        )

    @property
    def ranker(self) -> Made[Ranker]:
        """The ranker that rates how beautiful pictures are; it may be retrained while a video is
        indexed."""
        ranker = ranker_of(self.store)
        return given(ranker, key=ranker.digest)


def _words(film: str, transcript: str | None) -> Path | None:
    """The given transcript, or the one next to the film; it is downloaded if the film is in a
    bucket."""
    if transcript:
        return fetched_words(transcript) if in_bucket(transcript) else Path(transcript)
    return words_beside(film, EXTENSIONS) if in_bucket(film) else find_sidecar(Path(film))


def _trained(store: Store) -> Made[Path]:
    file = store.document(TRAINED_FILE)
    return given(file, key=_digest(file) if file.exists() else "")


def _digest(path: Path) -> str:
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise TranscriptError(f"{path} cannot be read: {error.strerror}") from error
