"""The detector: shots and their features in, stories at every granularity out."""

from __future__ import annotations

from collections.abc import Sequence

from storyscope.core import Features, Shot, StoryPath
from storyscope.errors import InvalidFeatures
from storyscope.stories.decode import best_segmentation
from storyscope.stories.hierarchy import order_changes, score_splits
from storyscope.stories.model import StoryModel, default_model
from storyscope.stories.posterior import Posterior, posterior
from storyscope.stories.priors import with_priors
from storyscope.stories.relations import LONGEST, Relations, Rhythm, relate
from storyscope.stories.similarity import Array

LONG_STORIES = 0.05
"""Expected number of stories in the longest quarter of the scored lengths above which longer
stories are scored too."""


def detect(
    shots: Sequence[Shot], features: Sequence[Features], model: StoryModel | None = None
) -> StoryPath:
    """Find the stories of a video, at every granularity.

    Any features can be used, and any may be missing; with none, the timing of the shots decides.
    Without a model of your own the one that ships is used.
    """
    for feature in features:
        if len(feature) != len(shots):
            raise InvalidFeatures(
                f"{feature.name} describes {len(feature)} shots, the video has {len(shots)}"
            )
    return find_path(features, Rhythm.of(shots), model or default_model())


def find_path(features: Sequence[Features], rhythm: Rhythm, model: StoryModel) -> StoryPath:
    """Stories at every granularity from the features and the timing of the shots."""
    found = find_probabilities(features, rhythm, model)
    starts = best_segmentation(found, rhythm.edges)
    return StoryPath(
        order=order_changes(starts, len(rhythm), score_splits(found)),
        natural=len(starts),
        confidence=tuple(found.begins.tolist()),
    )


def find_probabilities(
    features: Sequence[Features], rhythm: Rhythm, model: StoryModel
) -> Posterior:
    """The probability of every story.

    Few videos have stories of more than LONGEST shots. Where the longest that are scored are
    likely, stories twice as long are scored too.
    """
    longest = LONGEST
    while True:
        found = posterior(score_stories(relate(features, rhythm, longest), model))
        if model.use_priors:
            found = with_priors(found, rhythm, model.pace)
        long = float(found.stories[:, 3 * longest // 4 :].sum())
        if longest >= len(rhythm) or long < LONG_STORIES:
            return found
        longest *= 2


def score_stories(relations: Relations, model: StoryModel, without: str | None = None) -> Array:
    """The score of every story, [shots, lengths]; one cue may be left out."""
    scores = model.scores(*model.inputs(relations, without))
    for cue, log_odds in relations.boundary_odds.items():
        if cue != without:
            scores += log_odds[:, None]
    return scores
