"""Why a boundary is where it is: how sure the detector is, and which cues speak for it.

The score of a boundary between two stories is how much better they score apart than as one story.
A cue's contribution is the mean of two differences: what the score gains when the cue alone is
heard, and what it loses when the cue alone is silenced. Where cues interact at most in pairs this
is their Shapley value, at the price of two readings a cue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from storyscope.core import Features, Segmentation, Shot
from storyscope.stories.detect import Reading, find_path, read
from storyscope.stories.model import StoryModel, default_model
from storyscope.stories.relations import (
    TIMING_OF_CUTS,
    TIMING_OF_RUNS,
    Rhythm,
    cut_relations,
    run_relations,
)
from storyscope.stories.similarity import APPEARANCE, TIME, VOTES, Array, cues_of, look


@dataclass(frozen=True)
class BoundaryExplanation:
    """One boundary: where, how sure, and how much each cue speaks for it (or, below 0, against)."""

    shot: int
    """First shot of the story that begins here."""
    seconds: float
    confidence: float
    """Probability of a boundary here."""
    score: float
    """Log-odds of two stories against one."""
    cues: Mapping[str, float]
    """What each cue adds to the score."""
    without: Mapping[str, float]
    """The score when the cue is silenced."""

    @property
    def shares(self) -> dict[str, float]:
        """What each cue adds as a share of all that was said for and against: |shares| sum to 1."""
        total = sum(abs(added) for added in self.cues.values())
        return {cue: added / total if total else 0.0 for cue, added in self.cues.items()}

    @property
    def strongest(self) -> str:
        """The cue that moves the score most."""
        return max(self.cues, key=lambda cue: abs(self.cues[cue]))

    @property
    def holds(self) -> bool:
        """Whether silencing the strongest cue changes the score more than silencing any other."""
        changes = {cue: abs(self.score - score) for cue, score in self.without.items()}
        return changes[self.strongest] >= max(changes.values()) - 1e-12


def explain(
    shots: Sequence[Shot],
    features: Sequence[Features],
    model: StoryModel | None = None,
    *,
    stories: Segmentation | None = None,
) -> list[BoundaryExplanation]:
    """Explain every boundary of the stories, by default those that the detector finds."""
    return explain_rhythm(Rhythm.of(shots), features, model or default_model(), stories=stories)


def explain_rhythm(
    rhythm: Rhythm,
    features: Sequence[Features],
    model: StoryModel,
    *,
    stories: Segmentation | None = None,
) -> list[BoundaryExplanation]:
    """The same for shots that are known by their times only."""
    cues = cues_of(features)
    parts = stories or find_path(look(cues), rhythm, model).stories
    names = [*cues, TIME]

    def hear(heard: Sequence[str]) -> tuple[Reading, Array]:
        views = look({cue: each for cue, each in cues.items() if cue in heard})
        reading = read(views, rhythm, model, timing=TIME in heard)
        return reading, boundary_scores(reading, parts)

    (whole, full), (_, none) = hear(names), hear([])
    alone = {cue: hear([cue])[1] for cue in names}
    without = {cue: hear([name for name in names if name != cue])[1] for cue in names}
    return [
        BoundaryExplanation(
            shot=cut,
            seconds=float(rhythm.edges[cut]),
            confidence=float(whole.chances.begins[cut]),
            score=float(full[k]),
            cues={
                cue: float((alone[cue][k] - none[k] + full[k] - without[cue][k]) / 2)
                for cue in names
            },
            without={cue: float(without[cue][k]) for cue in names},
        )
        for k, cut in enumerate(parts.cuts)
    ]


def importance(
    shots: Sequence[Shot], features: Sequence[Features], model: StoryModel | None = None
) -> dict[str, float]:
    """How much each cue matters over a whole video, by the paper's measure; sums to one.

    The absolute slope of the scores with respect to every relation is averaged over the changes
    and stories of the video, then over the relations of a cue. Cues that share the second opinion
    share its importance by their votes.
    """
    return rhythm_importance(Rhythm.of(shots), features, model or default_model())


def rhythm_importance(
    rhythm: Rhythm, features: Sequence[Features], model: StoryModel
) -> dict[str, float]:
    """The same for shots that are known by their times only."""
    cues = cues_of(features)
    views = look(cues)
    rhythm = replace(rhythm, clock=rhythm.clock and model.clock)
    cuts, runs = model.slopes(cut_relations(views, rhythm), run_relations(views, rhythm))
    of_cuts = np.delete(cuts, TIMING_OF_CUTS).reshape(3, -1)
    of_runs = np.delete(runs, TIMING_OF_RUNS).reshape(3, -1)
    first, second, third = np.hstack([of_cuts, of_runs])
    others = {cue: VOTES[cue] for cue in cues if cue != APPEARANCE}
    shares = {TIME: np.r_[cuts[TIMING_OF_CUTS], runs[TIMING_OF_RUNS]].mean()}
    if APPEARANCE in cues:
        shares[APPEARANCE] = np.r_[first, second].mean()
    for cue, votes in others.items():
        shares[cue] = third.mean() * votes / sum(others.values())
    total = sum(shares.values())
    return {cue: float(shares[cue] / total) for cue in [*cues, TIME]}


def boundary_scores(reading: Reading, stories: Segmentation) -> Array:
    """For each cut, the score of the stories around it minus that of both as one story.

    Where both together are too long for a story, the outermost shots are left out.
    """
    scores = reading.scores
    longest = scores.shape[1]
    found = []
    edges = stories.edges
    for before, cut, after in zip(edges[:-2], edges[1:-1], edges[2:], strict=True):
        start = max(before, cut - longest // 2)
        stop = min(after, cut + longest // 2)
        apart = scores[start, cut - start - 1] + scores[cut, stop - cut - 1]
        found.append(apart - scores[start, stop - start - 1])
    return np.array(found)
