"""The whole system on one screen: a file goes in, its stories come out.

Each line of `index_video` is one stage; `stages.py` says what each does. A stage runs only when
its inputs, its settings, its weights or its version changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from storyscope.config import Config
from storyscope.core import Video
from storyscope.errors import TranscriptError
from storyscope.stages import indexing as stages
from storyscope.stages.executor import Executor, Made, given


def index_video(source: Source, config: Config, execute: Executor) -> Made:
    """Run every stage that is not finished yet; the last artefact is the named stories."""
    weights = stages.weights(config)
    scanning = (config.shots, stages.picking(config))
    listening = stages.only(config.transcripts, "speech", "language")
    concept_model = (config.concepts, weights.words)
    text_model = (config.search.text_model, weights.text)

    film = execute(stages.SCAN, source.film, stages.decoding(config), settings=scanning)
    told = (source.film, source.words, source.scratch, film)
    words = execute(stages.TRANSCRIPT, *told, settings=listening)
    screen = execute(stages.SCREEN, film, settings=config.transcripts.screen)
    seen = execute(stages.VISION, film, settings=(stages.seeing(config), weights.backbone))
    mined = execute(stages.MINED, words, settings=(config.concepts.pipeline, weights.grammar))
    concepts = execute(stages.CONCEPTS, film, mined, seen, source.trained, settings=concept_model)
    sources = {"film": film, "seen": seen, "words": words}
    cues = [cue.extract(sources, config.features, execute) for cue in stages.CUES]
    stories = execute(
        stages.STORIES, film, concepts, *cues, settings=(config.stories, weights.stories)
    )
    execute(stages.PASSAGES, film, words, screen, seen, settings=stages.filing(config, weights))
    execute(stages.RATINGS, film, seen, source.ranker)
    known = (words, screen, mined, seen, source.trained)
    return execute(stages.TITLES, source.name, film, stories, *known, settings=text_model)


@dataclass(frozen=True)
class Source:
    """What a person hands over: a video file, and perhaps its transcript."""

    name: Made
    film: Made
    words: Made
    scratch: Made
    """A folder for what a long stage keeps while it runs; no artefact depends on it."""
    trained: Made
    """The library's own concept detectors, if it was taught any."""
    folder: Path
    """The library's."""

    @classmethod
    def of(cls, video: Video, transcript: str | None, folder: Path) -> Source:
        """A video of the library in `folder`, with the transcript given or lying beside it."""
        from storyscope.concepts import TRAINED_FILE
        from storyscope.transcripts import find_sidecar

        words = Path(transcript) if transcript else find_sidecar(Path(video.path))
        trained = folder / TRAINED_FILE
        return cls(
            name=given(video.id, key=video.id),
            film=given(video.path, key=video.digest),
            words=given(words, key=_digest(words) if words else ""),
            scratch=given(folder / "scratch" / video.id, key=""),
            trained=given(trained, key=_digest(trained) if trained.exists() else ""),
            folder=folder,
        )

    @property
    def ranker(self) -> Made:
        """What says how beautiful pictures are; people may teach it while a video is indexed."""
        from storyscope.library.thumbnails import ranker_of

        ranker = ranker_of(self.folder)
        return given(ranker, key=ranker.digest)


def _digest(path: Path) -> str:
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise TranscriptError(f"{path} cannot be read: {error.strerror}") from error
