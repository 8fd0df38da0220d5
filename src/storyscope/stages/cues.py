"""A stage for every cue: shots in, the cue's features out."""

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
    """What is kept of a cue: None where the film lacks what it describes."""
    return Artefact(cue.name)


def extract_cue(
    cue: Cue, sources: Mapping[str, Made[Any]], settings: FeatureConfig, execute: Executor
) -> Made[Features | None]:
    """Describe the shots of a video by a cue."""
    stage = Stage(cue_artefact(cue), cue.version, partial(describe_shots, cue))
    inputs = (sources[name] for name in cue.made_from)
    return execute(stage, *inputs, settings=only(settings, *cue.settings))


def describe_shots(
    cue: Cue, *values: Any, settings: FeatureConfig, report: Report = silent
) -> Features | None:
    """One row a shot, from the values of what the cue is made from."""
    given = dict(zip(cue.made_from, values, strict=True))
    film: Film = given["film"]
    material = Material(
        film.shots,
        film.keyframes,
        given.get("seen"),
        film.sound,
        given.get("words"),
        given.get("mixture"),
    )
    features: Features | None = cue.load_extractor()(material, settings)
    return features
