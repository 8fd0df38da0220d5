"""Options of earlier runs that are kept unless a new run overrides them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import Any, TypeVar

from storyscope.config import Config, TranscriptConfig
from storyscope.errors import DamagedVideo
from storyscope.stages.executor import Input, Stage, stage_key
from storyscope.stages.indexing import listening
from storyscope.store import TRANSCRIPT, Store
from storyscope.transcripts import SPEECH_MODELS

T = TypeVar("T")


def kept(
    store: Store, video: str, stage: Stage[Any], inputs: Sequence[Input], choices: Sequence[T]
) -> T:
    """The settings that made the existing artefact, if they are among the choices.

    The first choice is used if there is no artefact, or if none of the choices made it.
    """
    there = store.key(video, stage.makes)
    made = (each for each in choices if stage_key(stage, inputs, settings=each) == there)
    return next(made, choices[0])


def ways_to_listen(config: Config, store: Store, video: str) -> list[TranscriptConfig]:
    """The current way to get the transcript, then those that an earlier run may have used.

    Only `auto` leaves a choice: an explicit model or `off` always applies.
    """
    wanted = listening(config)
    if config.transcripts.speech != "auto":
        return [wanted]
    return [wanted, *_others(wanted, store, video)]


def ways_to_read_screens(config: Config) -> list[str]:
    """Whether on-screen text is recognised; existing text is kept."""
    return [config.transcripts.screen, "on"]


def _others(wanted: TranscriptConfig, store: Store, video: str) -> Iterator[TranscriptConfig]:
    words = None
    with suppress(DamagedVideo):  # It is computed again.
        words = store.load(video, TRANSCRIPT) if store.key(video, TRANSCRIPT) else None
    languages = dict.fromkeys([wanted.language, "auto", words.language if words else "auto"])
    for model, language in product(SPEECH_MODELS, languages):
        yield replace(wanted, speech=model, language=language)
