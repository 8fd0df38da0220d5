"""Check explanations of boundaries: how much shuffling a cue's values among the shots costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from storyscope.core import Features, Segmentation
from storyscope.stories.detect import score_stories
from storyscope.stories.explain import boundary_scores, cues_used
from storyscope.stories.model import StoryModel
from storyscope.stories.relations import Rhythm, relate
from storyscope.stories.similarity import TIME, Array, cues_of


def losses_when_shuffled(
    rhythm: Rhythm,
    features: Sequence[Features],
    model: StoryModel,
    *,
    stories: Segmentation,
    rounds: int = 6,
    seed: int = 0,
) -> dict[str, Array]:
    """How much each boundary's score drops when a cue's values are shuffled among the shots.

    Mean over the rounds, for each cue and boundary. The cue is not removed: it describes other
    shots.
    """
    cues = cues_of(features)
    relations = relate(features, rhythm)
    full = boundary_scores(score_stories(relations, model), stories)
    rng = np.random.default_rng(seed)
    losses = dict.fromkeys((*cues_used(relations), TIME), np.zeros_like(full))
    for _ in range(rounds):
        order = rng.permutation(len(rhythm))
        for cue in losses:
            dealt = [
                replace(each, vectors=each.vectors[order]) if name == cue else each
                for name, of_cue in cues.items()
                for each in of_cue
            ]
            pace = _dealt_lengths(rhythm, order) if cue == TIME else rhythm
            left = boundary_scores(score_stories(relate(dealt, pace), model), stories)
            losses[cue] = losses[cue] + (full - left) / rounds
    return losses


def _dealt_lengths(rhythm: Rhythm, order: Array) -> Rhythm:
    """Shots of the same lengths and transitions in another order."""
    edges = rhythm.edges[0] + np.append(0.0, np.diff(rhythm.edges)[order].cumsum())
    later = order[order != 0]
    return Rhythm(edges, np.append(0.0, rhythm.transitions[later]))
