"""The learned part of the detector: how well each run of shots would do as a story.

The score of a story [i, j) is what its own relations say (a network over `run_relations`) plus
what the change it begins with says (a network over `cut_relations` of that change and its
neighbours). Both networks are small; several, trained from different seeds, are averaged.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from storyscope.errors import ModelError
from storyscope.models import read_weights, write_weights
from storyscope.stories.pace import Pace
from storyscope.stories.relations import CUT_COLUMNS, RUN_COLUMNS
from storyscope.stories.similarity import Array

NEIGHBOURS = 2
"""Changes on either side that are looked at beside the change itself."""

CLIP = 4.0
"""Relations are counted in standard deviations, up to this many."""

FORMAT = "storyscope stories 1"

DEFAULT = Path(__file__).with_name("default.safetensors")


@dataclass(frozen=True, eq=False)
class StoryModel:
    """Weights of the two networks, one slice a member, and what they were trained on."""

    weights: Mapping[str, Array]
    """Layers by name, float32 [members, in, out]; biases [members, 1, out]; means and scales."""
    card: Mapping[str, str] = field(default_factory=dict)
    """What it was trained on and how, for people."""
    clock: bool = True
    """Whether videos are of the pace it was trained on, so that seconds count as well as shots."""
    taught_by: Mapping[str, str] = field(default_factory=dict)
    """The videos it was trained on by name, each with the fingerprint of its shots."""
    pace: Pace | None = None
    """Of the series it learned to tell; None where it should tell any video."""

    def __post_init__(self) -> None:
        for name, columns in (("cut_mean", CUT_COLUMNS), ("run_mean", RUN_COLUMNS)):
            found = self.weights[name].shape if name in self.weights else "nothing"
            if found != (columns,):
                raise ModelError(
                    f"a story model's {name} holds {columns} numbers, got {found}; "
                    "train it again with this version"
                )

    @property
    def members(self) -> int:
        return len(self.weights["cut_1"])

    @property
    def digest(self) -> str:
        """Fingerprint of all that decides which stories are found."""
        content = hashlib.sha256()
        for name in sorted(self.weights):
            content.update(name.encode() + np.ascontiguousarray(self.weights[name]).tobytes())
        if not self.clock:
            content.update(b"without a clock")
        if self.pace:
            content.update(repr(self.pace).encode())
        return content.hexdigest()

    def scores(self, cuts: Array, runs: Array) -> Array:
        """Score of every story, [shots, lengths]: entry (i, d) is the story [i, i + d + 1).

        `cuts` and `runs` come from `relations`; stories beyond the last shot get minus infinity.
        """
        shots, lengths, _ = runs.shape
        of_cuts = np.mean([self._of_cuts(cuts, m) for m in range(self.members)], axis=0)
        of_runs = np.mean([self._of_runs(runs, m) for m in range(self.members)], axis=0)
        of_cuts[0] = 0.0
        scores: Array = (of_cuts[:, None] + of_runs).astype(np.float64)
        scores[np.arange(shots)[:, None] + np.arange(lengths) >= shots] = -np.inf
        return scores

    def slopes(self, cuts: Array, runs: Array) -> tuple[Array, Array]:
        """Mean absolute slope of the score by each column of `cuts` and of `runs`.

        Averaged over the changes, over the stories (a fifth of them) and over the members.
        """
        w = self.weights
        rows = standardised(cuts, w["cut_mean"], w["cut_scale"])
        some = standardised(runs.reshape(-1, runs.shape[-1])[::5], w["run_mean"], w["run_scale"])
        of_cuts, of_runs = [], []
        for m in range(self.members):
            seen = rows @ w["cut_1"][m] + w["cut_1_bias"][m]
            middle = w["cut_2"][m].reshape(2 * NEIGHBOURS + 1, seen.shape[1], -1)[NEIGHBOURS]
            hidden = _around(np.maximum(seen, 0)) @ w["cut_2"][m] + w["cut_2_bias"][m]
            back = ((hidden > 0) * w["cut_3"][m][:, 0]) @ middle.T * (seen > 0)
            of_cuts.append(np.abs(back @ w["cut_1"][m].T).mean(axis=0))
            first = some @ w["run_1"][m] + w["run_1_bias"][m]
            then = np.maximum(first, 0) @ w["run_2"][m] + w["run_2_bias"][m]
            back = ((then > 0) * w["run_3"][m][:, 0]) @ w["run_2"][m].T * (first > 0)
            of_runs.append(np.abs(back @ w["run_1"][m].T).mean(axis=0))
        return np.mean(of_cuts, axis=0), np.mean(of_runs, axis=0)

    def save(self, path: Path) -> None:
        """Write one safetensors file."""
        facts = {
            "format": FORMAT,
            "digest": self.digest,
            "card": json.dumps(dict(self.card)),
            "clock": json.dumps(self.clock),
            "taught_by": json.dumps(dict(self.taught_by)),
            "pace": json.dumps(self.pace and asdict(self.pace)),
        }
        write_weights(path, self.weights, facts)

    @classmethod
    def load(cls, path: Path) -> StoryModel:
        """Read a model back; anything else is refused by name."""
        wanted = {"format": FORMAT, "card": None, "clock": None, "digest": None}
        weights, facts = read_weights(path, "a story model", wanted)
        pace = json.loads(facts.get("pace", "null"))
        model = cls(
            weights,
            card=json.loads(facts["card"]),
            clock=json.loads(facts["clock"]),
            taught_by=json.loads(facts.get("taught_by", "{}")),
            pace=pace and Pace(**pace),
        )
        if model.digest != facts["digest"]:
            raise ModelError(f"{path} is damaged: its weights do not match its digest")
        return model

    def _of_cuts(self, cuts: Array, member: int) -> Array:
        w = self.weights
        rows = standardised(cuts, w["cut_mean"], w["cut_scale"])
        seen = np.maximum(rows @ w["cut_1"][member] + w["cut_1_bias"][member], 0)
        hidden = np.maximum(_around(seen) @ w["cut_2"][member] + w["cut_2_bias"][member], 0)
        score: Array = (hidden @ w["cut_3"][member] + w["cut_3_bias"][member])[:, 0]
        return score

    def _of_runs(self, runs: Array, member: int) -> Array:
        w = self.weights
        rows = standardised(runs, w["run_mean"], w["run_scale"])
        hidden = np.maximum(rows @ w["run_1"][member] + w["run_1_bias"][member], 0)
        hidden = np.maximum(hidden @ w["run_2"][member] + w["run_2_bias"][member], 0)
        score: Array = (hidden @ w["run_3"][member] + w["run_3_bias"][member])[..., 0]
        return score


def _around(rows: Array) -> Array:
    """Each row beside its neighbours on either side."""
    padded = np.pad(rows, ((NEIGHBOURS, NEIGHBOURS), (0, 0)))
    around: Array = np.hstack([padded[k : k + len(rows)] for k in range(2 * NEIGHBOURS + 1)])
    return around


def standardised(rows: Array, mean: Array, scale: Array) -> Array:
    """Relations in standard deviations from what is usual; a missing cue says what is usual."""
    steps = np.clip((rows - mean) / scale, -CLIP, CLIP)
    return np.nan_to_num(steps, nan=0.0).astype(np.float32)


@cache
def default_model() -> StoryModel:
    """The model that ships with Storyscope."""
    return StoryModel.load(DEFAULT)
