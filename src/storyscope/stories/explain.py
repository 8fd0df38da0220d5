"""Why a boundary is where it is: how sure the detector is, and which cues speak for it.

The score of a boundary between two stories is how much better they score apart than as one story.
A cue's contribution is what the score loses when the cue is silenced: then the model takes what is
usual for it. So the cue that is said to matter most is the one without which the score changes
most. `changes_when_shuffled` checks that in another way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from storyscope.core import Features, Segmentation, Shot
from storyscope.cues import find_cue
from storyscope.stories.detect import Reading, at_pace, find_path, read
from storyscope.stories.model import StoryModel, default_model
from storyscope.stories.relations import (
    TIMING_OF_CUTS,
    TIMING_OF_RUNS,
    Rhythm,
    cut_relations,
    run_relations,
)
from storyscope.stories.similarity import APPEARANCE, TIME, Array, cues_of, look


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
    """What the score loses without each cue."""

    @property
    def shares(self) -> dict[str, float]:
        """What each cue adds as a share of all that was said for and against: |shares| sum to 1."""
        total = sum(abs(added) for added in self.cues.values())
        return {cue: added / total if total else 0.0 for cue, added in self.cues.items()}

    @property
    def strongest(self) -> str:
        """The cue that moves the score most."""
        return max(self.cues, key=lambda cue: abs(self.cues[cue]))


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
    views = look(cues)
    parts = stories or find_path(views, rhythm, model).stories
    plain = read(views, rhythm, model)
    full = boundary_scores(plain, parts)
    whole = at_pace(plain, rhythm, model)
    scores = boundary_scores(whole, parts)
    lost = {TIME: full - boundary_scores(read(views, rhythm, model, timing=False), parts)}
    for cue in cues:
        others = look({name: each for name, each in cues.items() if name != cue})
        lost[cue] = full - boundary_scores(read(others, rhythm, model), parts)
    return [
        BoundaryExplanation(
            shot=cut,
            seconds=float(rhythm.edges[cut]),
            confidence=float(whole.chances.begins[cut]),
            score=float(scores[number]),
            cues={cue: float(lost[cue][number]) for cue in (*cues, TIME)},
        )
        for number, cut in enumerate(parts.cuts)
    ]


def changes_when_shuffled(
    rhythm: Rhythm,
    features: Sequence[Features],
    model: StoryModel,
    *,
    stories: Segmentation,
    rounds: int = 3,
    seed: int = 0,
) -> dict[str, Array]:
    """How far each boundary's score moves when a cue's values are dealt anew to the shots.

    Mean over the rounds of the absolute change, for each cue and boundary. Nothing is silenced:
    the cue goes on speaking, but of other shots.
    """
    cues = cues_of(features)
    full = boundary_scores(read(look(cues), rhythm, model), stories)
    chooser = np.random.default_rng(seed)
    changes = dict.fromkeys((*cues, TIME), np.zeros_like(full))
    for _ in range(rounds):
        order = chooser.permutation(len(rhythm))
        for cue in changes:
            views = look({**cues, cue: _dealt(cues[cue], order)} if cue != TIME else cues)
            pace = _dealt_lengths(rhythm, order) if cue == TIME else rhythm
            moved = boundary_scores(read(views, pace, model), stories) - full
            changes[cue] = changes[cue] + np.abs(moved) / rounds
    return changes


def _dealt(features: Sequence[Features], order: Array) -> list[Features]:
    return [replace(each, vectors=each.vectors[order]) for each in features]


def _dealt_lengths(rhythm: Rhythm, order: Array) -> Rhythm:
    """Shots of the same lengths and transitions in another order."""
    edges = rhythm.edges[0] + np.append(0.0, np.diff(rhythm.edges)[order].cumsum())
    later = order[order != 0]
    return replace(rhythm, edges=edges, transitions=np.append(0.0, rhythm.transitions[later]))


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
    others = {cue: find_cue(cue).vote for cue in cues if cue != APPEARANCE}
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
