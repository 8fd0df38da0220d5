"""Models that are fitted once for all videos of a collection, stored in its folder.

These are one audio mixture (with its principal components) and one set of concept groups: features
made with different mixtures or groups cannot be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from storyscope.concepts import ConceptGroups, group_terms, load_vectors
from storyscope.config import Config
from storyscope.core import Film, Mined, Transcript
from storyscope.errors import ModelError, TranscriptError
from storyscope.features import Mixture, fit_sound
from storyscope.stages.executor import Made, given
from storyscope.store import Store

SOUND_FILE = "sound.safetensors"
GROUPS_FILE = "concept-groups.safetensors"
EMBEDDING_FILE = "embedding.safetensors"
TRAINING_COMMAND = "storyscope train --embedding triplet --preset"


def with_embedding(config: Config, store: Store) -> Config:
    """The settings with the library's own embedding replaced by its file.

    `stories.model = "library"` is an error if none was trained; with `auto`, shots are then
    clustered by their unmodified features.
    """
    if config.stories.method != "cluster" or config.stories.model not in ("library", "auto"):
        return config
    file = store.document(EMBEDDING_FILE)
    if not file.exists() and config.stories.model == "library":
        raise ModelError(
            "the paper preset finds stories in a trained embedding, and this library has none; "
            "add your videos without a preset, import annotations of them with `storyscope "
            f"import`, and run `{TRAINING_COMMAND} paper`; --preset paper-lite needs no training"
        )
    model = str(file.resolve()) if file.exists() else "default"
    return replace(config, stories=replace(config.stories, model=model))


def require_words(config: Config, words: Made[Transcript | None]) -> None:
    """Raise an error for a film without a transcript if the paper's features are required."""
    if config.stories.model == "library" and words.value is None:
        raise TranscriptError(
            "the paper preset needs a transcript, and the film has none; give one with "
            "`storyscope add FILM --transcript FILE`, or use speech recognition with `--set "
            "transcripts.speech=whisper-tiny.en`"
        )


def sound_mixture(store: Store, config: Config, film: Made[Film]) -> Made[Mixture | None]:
    """The collection's audio mixture, if the settings use one.

    The first film of a library without one fits it, unless an embedding is required that would have
    been trained with it.
    """
    if config.features.audio != "fisher":
        return given(None, key="")
    file = store.document(SOUND_FILE)
    if not file.exists() and config.stories.model != "library":
        fit_sound_file(store, [film.value])
    if not file.exists():
        return given(None, key="")
    return _loaded_mixture(file)


def concept_groups(
    store: Store, config: Config, mined: Made[Mined | None]
) -> Made[ConceptGroups | None]:
    """The collection's concept groups, if the settings use one set for all videos."""
    if config.concepts.scope != "collection":
        return given(None, key="")
    file = store.document(GROUPS_FILE)
    if not file.exists() and mined.value is not None:
        fit_groups_file(store, [mined.value], config)
    if not file.exists():
        return given(None, key="")
    groups = ConceptGroups.load(file, vectors=config.concepts.vectors)
    return given(groups, key=groups.digest)


def fit_sound_file(store: Store, films: Iterable[Film]) -> None:
    """Fit one mixture to the sound of these films; None if they have no sound."""
    sounds = [film.sound for film in films if film.sound is not None and len(film.sound.mfcc)]
    if sounds:
        keep_document(store, SOUND_FILE, fit_sound(sounds).save)


def fit_groups_file(store: Store, mined: Iterable[Mined], config: Config) -> None:
    """Cluster the terms of all these videos together."""
    terms = [term.text for each in mined for term in each.terms]
    vectors = load_vectors(config.concepts.vectors)
    groups = group_terms(terms, vectors, groups=config.concepts.groups)
    if groups.words:
        save = partial(groups.save, vectors=config.concepts.vectors)
        keep_document(store, GROUPS_FILE, save)


def keep_document(store: Store, name: str, save: Callable[[Path], None]) -> None:
    """Store what `save` writes to a file as a document of the store."""
    with TemporaryDirectory() as scratch:
        save(Path(scratch) / name)
        store.put_document(name, (Path(scratch) / name).read_bytes())


def _loaded_mixture(file: Path) -> Made[Mixture | None]:
    mixture = Mixture.load(file)
    return given(mixture, key=mixture.digest)
