"""The detector: shots and their features in, stories at every granularity out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from storyscope.core import Features, Shot, StoryPath
from storyscope.errors import InvalidFeatures
from storyscope.stories.decode import most_agreeable
from storyscope.stories.hierarchy import order_changes, score_splits
from storyscope.stories.model import StoryModel, default_model
from storyscope.stories.pace import told_in
from storyscope.stories.posterior import Posterior, posterior
from storyscope.stories.relations import (
    TIMING_OF_CUTS,
    TIMING_OF_RUNS,
    Rhythm,
    cut_relations,
    run_relations,
)
from storyscope.stories.similarity import Array, Views, cues_of, look


@dataclass(frozen=True, eq=False)
class Reading:
    """What the model makes of a video: the score and the probability of every story."""

    scores: Array
    """[shots, lengths]."""
    chances: Posterior


def detect(
    shots: Sequence[Shot], features: Sequence[Features], model: StoryModel | None = None
) -> StoryPath:
    """Find the stories of a video, and every coarser and finer way to tell them.

    Any features will do, and any may be missing; with none, the rhythm of the shots decides.
    Without a model of your own the one that ships is used.
    """
    rhythm = Rhythm.of(shots)
    for feature in features:
        if len(feature) != len(shots):
            raise InvalidFeatures(
                f"{feature.name} describes {len(feature)} shots, the video has {len(shots)}"
            )
    return find_path(look(cues_of(features)), rhythm, model or default_model())


def find_path(views: Views, rhythm: Rhythm, model: StoryModel) -> StoryPath:
    """Stories at every granularity from what the shots' similarities say."""
    reading = at_pace(read(views, rhythm, model), rhythm, model)
    starts = most_agreeable(reading.chances, rhythm.edges)
    return StoryPath(
        order=order_changes(starts, len(rhythm), score_splits(reading.scores, reading.chances)),
        natural=len(starts),
        confidence=tuple(float(chance) for chance in reading.chances.begins),
    )


def read(views: Views, rhythm: Rhythm, model: StoryModel, *, timing: bool = True) -> Reading:
    """Score every story and sum over all ways to part the video; without `timing`, by looks.

    The video is read forwards and backwards, and the scores averaged: a story is the same story
    from its other end.
    """
    rhythm = replace(rhythm, clock=rhythm.clock and model.clock)
    forwards = _scores(views, rhythm, model, timing)
    backwards = _scores(views.backwards(), rhythm.backwards(), model, timing)
    scores = (forwards + _turned(backwards)) / 2
    return Reading(scores, posterior(scores))


def at_pace(reading: Reading, rhythm: Rhythm, model: StoryModel) -> Reading:
    """The reading with as many stories expected as the pace of the model's series suggests."""
    if model.pace is None or not rhythm.clock:
        return reading
    aim = model.pace.aim(rhythm.minutes, reading.chances.expected_count)
    scores = told_in(reading.scores, aim)
    return Reading(scores, posterior(scores))


def _scores(views: Views, rhythm: Rhythm, model: StoryModel, timing: bool) -> Array:
    cuts, runs = cut_relations(views, rhythm), run_relations(views, rhythm)
    if not timing:
        cuts[:, TIMING_OF_CUTS] = np.nan
        runs[..., TIMING_OF_RUNS] = np.nan
    return model.scores(cuts, runs)


def _turned(scores: Array) -> Array:
    """Scores of a video played backwards, each where its story is in the video itself."""
    start, step = np.indices(scores.shape)
    first = len(scores) - 1 - start - step
    turned: Array = np.where(first >= 0, scores[np.maximum(first, 0), step], -np.inf)
    return turned
