"""The whole system on one screen: a file goes in, its stories come out.

Each line of `index_video` is one stage; `stages.py` says what each does. A stage runs only when
its inputs, its settings, its weights or its version changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from storyscope import stages
from storyscope.config import Config
from storyscope.errors import TranscriptError
from storyscope.executor import Executor, Made, given


def index_video(source: Source, config: Config, execute: Executor) -> Made:
    """Run every stage that is not finished yet; the last artefact is the named stories."""
    weights = stages.weights(config)
    film = execute(
        stages.SCAN, source.film, settings=(config.media, config.shots, stages.picking(config))
    )
    words = execute(
        stages.TRANSCRIPT, source.film, source.words, source.scratch, settings=config.transcripts
    )
    screen = execute(stages.SCREEN, film, settings=config.transcripts.screen)
    seen = execute(stages.VISION, film, settings=(stages.seeing(config), weights.backbone))
    mined = execute(stages.MINED, words, settings=(config.concepts.pipeline, weights.grammar))
    concepts = execute(
        stages.CONCEPTS, film, mined, seen, settings=(config.concepts, weights.words)
    )
    sources = {"film": film, "seen": seen, "words": words}
    cues = [cue.extract(sources, config.features, execute) for cue in stages.CUES]
    stories = execute(stages.STORIES, film, concepts, *cues, settings=config.stories)
    execute(
        stages.PASSAGES,
        film,
        words,
        screen,
        seen,
        settings=(config.search.text_model, weights.text),
    )
    execute(stages.RATINGS, film, seen, settings=weights.ranker)
    return execute(stages.TITLES, source.name, film, stories, words, screen, mined, seen)


@dataclass(frozen=True)
class Source:
    """What a person hands over: a video file, and perhaps its transcript."""

    name: Made
    film: Made
    words: Made
    scratch: Made
    """A folder for what a long stage keeps while it runs; no artefact depends on it."""

    @classmethod
    def of(
        cls, video: str, path: str, digest: str, transcript: str | None, scratch: Path
    ) -> Source:
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
        return cls(
            name=given(video, key=video),
            film=given(path, key=digest),
            words=given(words, key=words_key),
            scratch=given(scratch, key=""),
        )
