"""A stage for every cue: from shots to the cue's features."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from storyscope.config import FeatureConfig
from storyscope.core import Features, Film
from storyscope.cues import Cue
from storyscope.features import Material
from storyscope.progress import Report, silent
from storyscope.stages.executor import Executor, Made, Stage
from storyscope.stages.settings import only
from storyscope.store import Artefact


def cue_artefact(cue: Cue) -> Artefact[Features | None]:
    """The artefact of a cue: None if the film lacks its source."""
    return Artefact(cue.name)


def extract_cue(
    cue: Cue, sources: Mapping[str, Made[Any]], settings: FeatureConfig, execute: Executor
) -> Made[Features | None]:
    """Compute the features of a video for a cue."""
    stage = Stage(cue_artefact(cue), cue.version, partial(describe_shots, cue))
    inputs = (sources[name] for name in cue.made_from)
    return execute(stage, *inputs, settings=only(settings, *cue.settings))


def describe_shots(
    cue: Cue, *values: Any, settings: FeatureConfig, report: Report = silent
) -> Features | None:
    """One row per shot, from the inputs of the cue."""
    given = dict(zip(cue.made_from, values, strict=True))
    film: Film = given["film"]
    material = Material(
        film.shots,
        film.keyframes,
        given.get("seen"),
        film.sound,
        given.get("words"),
        given.get("mixture"),
        given.get("voice"),
    )
    features: Features | None = cue.load_extractor()(material, settings)
    return features
