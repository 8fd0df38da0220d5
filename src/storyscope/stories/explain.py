"""Why a boundary is where it is: how sure the detector is, and which cues speak for it.

The score of a boundary between two stories is how much better they score apart than as one story.
A cue's contribution is what the score loses when the cue is left out: then every shot change and
every run of the same length has the values that are usual in the video.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from storyscope.core import Features, Segmentation, Shot
from storyscope.stories.detect import find_path, score_stories
from storyscope.stories.model import StoryModel, default_model
from storyscope.stories.posterior import Posterior, posterior
from storyscope.stories.priors import with_priors
from storyscope.stories.relations import CUT_COLUMNS, RUN_COLUMNS, Relations, Rhythm, relate
from storyscope.stories.similarity import TIME, Array, cue_of_view


@dataclass(frozen=True)
class BoundaryExplanation:
    """Position and probability of a boundary, and how much each cue speaks for it (or, below 0,
    against)."""

    shot: int
    """First shot of the story that begins here."""
    seconds: float
    confidence: float
    """Probability of a boundary here."""
    score: float
    """Log-odds of two stories against one."""
    cues: Mapping[str, float]
    """What the score loses without each cue."""

    @property
    def shares(self) -> dict[str, float]:
        """Contribution of each cue as a share of all contributions for and against: |shares| sum
        to 1."""
        total = sum(abs(added) for added in self.cues.values())
        return {cue: added / total if total else 0.0 for cue, added in self.cues.items()}

    @property
    def strongest(self) -> str:
        """The cue that speaks most for the boundary, which people are told first."""
        return max(self.cues, key=lambda cue: self.cues[cue])


@dataclass(frozen=True, eq=False)
class Evidence:
    """Scores of a video's stories with every cue and without each of them.

    They take seconds to compute; boundaries of any segmentation are then explained at once.
    """

    edges: Array
    """Seconds at which the shots begin."""
    found: Posterior
    """Scores and probabilities of the stories, with the priors."""
    plain: Array
    """Scores without the priors, [shots, lengths]."""
    without: Mapping[str, Array]
    """By cue, the plain scores without it."""


def explain(
    shots: Sequence[Shot],
    features: Sequence[Features],
    model: StoryModel | None = None,
    *,
    stories: Segmentation | None = None,
) -> list[BoundaryExplanation]:
    """Explain every boundary of the stories, by default those that the detector finds."""
    rhythm, model = Rhythm.of(shots), model or default_model()
    parts = stories or find_path(features, rhythm, model).stories
    return explain_stories(gather_evidence(relate(features, rhythm), model), parts)


def gather_evidence(relations: Relations, model: StoryModel) -> Evidence:
    """Score a video with every cue and without each of them."""
    plain = found = posterior(score_stories(relations, model))
    if model.use_priors:
        found = with_priors(plain, relations.rhythm, model.pace)
    cues = (*cues_used(relations), TIME)
    without = {cue: score_stories(relations, model, without=cue) for cue in cues}
    return Evidence(relations.rhythm.edges, found, plain.scores, without)


def explain_stories(evidence: Evidence, stories: Segmentation) -> list[BoundaryExplanation]:
    """Explain every boundary of any segmentation of a video."""
    full = boundary_scores(evidence.plain, stories)
    scores = boundary_scores(evidence.found.scores, stories)
    begins = evidence.found.begins
    lost = {
        cue: full - boundary_scores(without, stories) for cue, without in evidence.without.items()
    }
    return [
        BoundaryExplanation(
            shot=cut,
            seconds=float(evidence.edges[cut]),
            confidence=float(begins[cut]),
            score=float(scores[number]),
            cues={cue: float(each[number]) for cue, each in lost.items()},
        )
        for number, cut in enumerate(stories.cuts)
    ]


def cues_used(relations: Relations) -> list[str]:
    """The cues that a video has and that have a weight."""
    return [*dict.fromkeys([*map(cue_of_view, relations.cuts), *relations.boundary_odds])]


def importance(
    shots: Sequence[Shot], features: Sequence[Features], model: StoryModel | None = None
) -> dict[str, float]:
    """How much each cue matters over a whole video, by the paper's measure; sums to one.

    The absolute slope of the scores with respect to every relation is averaged over the changes
    and stories of the video, then over the relations of a cue; views share by their weights.
    """
    return relations_importance(relate(features, Rhythm.of(shots)), model or default_model())


def relations_importance(relations: Relations, model: StoryModel) -> dict[str, float]:
    """How much each cue matters in a video, given its relations."""
    cuts, runs = model.slopes(*model.inputs(relations))
    of_views = np.r_[cuts[:CUT_COLUMNS], runs[:RUN_COLUMNS]].mean()
    shares = dict.fromkeys(cues_used(relations), 0.0)
    for view, weight in model.view_weights(relations.cuts).items():
        shares[cue_of_view(view)] += weight * of_views
    shares[TIME] = np.r_[cuts[CUT_COLUMNS:], runs[RUN_COLUMNS:]].mean()
    total = sum(shares.values())
    return {cue: float(share / total) for cue, share in shares.items()}


def boundary_scores(scores: Array, stories: Segmentation) -> Array:
    """For each cut, the score of the stories around it minus that of both as one story.

    `scores` is [shots, lengths]. Where both together are too long for a story, the outermost
    shots are left out.
    """
    longest = scores.shape[1]
    found = []
    edges = stories.edges
    for before, cut, after in zip(edges[:-2], edges[1:-1], edges[2:], strict=True):
        start = max(before, cut - longest // 2)
        stop = min(after, cut + longest // 2)
        apart = scores[start, cut - start - 1] + scores[cut, stop - cut - 1]
        found.append(apart - scores[start, stop - start - 1])
    return np.array(found)
