"""The detector: shots and their features in, stories at every granularity out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from storyscope.core import Features, Shot, StoryPath
from storyscope.errors import InvalidFeatures
from storyscope.stories.decode import most_agreeable
from storyscope.stories.hierarchy import order_changes, score_splits
from storyscope.stories.model import StoryModel, default_model
from storyscope.stories.pace import evenness, told_in
from storyscope.stories.posterior import Posterior, posterior
from storyscope.stories.relations import LONGEST, Relations, Rhythm, relate
from storyscope.stories.similarity import Array

LONG_STORIES = 0.05
"""So many stories may be expected among the longest quarter that is scored, before more are."""


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
    for feature in features:
        if len(feature) != len(shots):
            raise InvalidFeatures(
                f"{feature.name} describes {len(feature)} shots, the video has {len(shots)}"
            )
    return find_path(features, Rhythm.of(shots), model or default_model())


def find_path(features: Sequence[Features], rhythm: Rhythm, model: StoryModel) -> StoryPath:
    """Stories at every granularity from what the shots' similarities and timing say."""
    reading = read_all_lengths(features, rhythm, model)
    starts = most_agreeable(reading.chances, rhythm.edges)
    splits = score_splits(reading.scores, reading.chances)
    return StoryPath(
        order=order_changes(starts, len(rhythm), splits),
        natural=len(starts),
        confidence=tuple(float(chance) for chance in reading.chances.begins),
    )


def read_all_lengths(features: Sequence[Features], rhythm: Rhythm, model: StoryModel) -> Reading:
    """The reading over stories as long as any in the video may be.

    Few videos have stories of more than LONGEST shots. Where the longest that are scored are
    likely, ones twice as long are scored too.
    """
    longest = LONGEST
    while True:
        reading = settled(read(relate(features, rhythm, longest), model), rhythm, model)
        stories = reading.chances.stories
        long = float(stories[:, 3 * longest // 4 :].sum())
        if longest >= len(rhythm) or long < LONG_STORIES:
            return reading
        longest *= 2


def read(relations: Relations, model: StoryModel, silenced: str | None = None) -> Reading:
    """Score every story, and sum over all ways to part the video; one cue may be silenced."""
    scores = score_stories(relations, model, silenced)
    return Reading(scores, posterior(scores))


def score_stories(relations: Relations, model: StoryModel, silenced: str | None = None) -> Array:
    """The score of every story, [shots, lengths]; one cue may be silenced."""
    scores = model.scores(*model.inputs(relations, silenced))
    for cue, log_odds in relations.evidence.items():
        if cue != silenced:
            scores += log_odds[:, None]
    return scores


def settled(reading: Reading, rhythm: Rhythm, model: StoryModel) -> Reading:
    """The reading with stories as even as is usual, and as many as the model's pace suggests."""
    if not model.even:
        return reading
    aim = reading.chances.expected_count
    if model.pace:
        aim = model.pace.aim(rhythm.minutes, aim)
    scores = told_in(reading.scores + evenness(reading.scores.shape, rhythm, aim), aim)
    return Reading(scores, posterior(scores))
