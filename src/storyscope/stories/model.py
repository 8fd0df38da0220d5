"""The learned part of the detector: how well each run of shots fits as a story.

The relations of the views are averaged with their learned weights. The score of a story [i, j) is
the output of a small network on its own relations plus that of another on the shot change it begins
with and the neighbouring changes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from storyscope.errors import ModelError
from storyscope.models import check_own, read_weights, write_weights
from storyscope.stories.priors import Pace
from storyscope.stories.relations import (
    CUT_COLUMNS,
    CUT_TIMING,
    PART,
    RUN_COLUMNS,
    RUN_TIMING,
    Relations,
)
from storyscope.stories.similarity import COLOUR, LEARNED, TIME, Array, cue_of_view, relative_weight

NEIGHBOURS = 2
"""Number of shot changes on either side that the network sees."""

CLIP = 4.0
"""Relations are clipped at this many standard deviations."""

FORMAT = "storyscope stories 2"

DEFAULT = Path(__file__).with_name("default.safetensors")


@dataclass(frozen=True, eq=False)
class StoryModel:
    """Weights of the views and of the two networks, and facts about their training."""

    weights: Mapping[str, Array]
    """Layers by name, float32 [in, out]; biases [out]; means and scales of the columns; `views`."""
    card: Mapping[str, str] = field(default_factory=dict)
    """What it was trained on and how, as text."""
    trained_on: Mapping[str, str] = field(default_factory=dict)
    """The videos it was trained on by name, each with the fingerprint of its shots."""
    pace: Pace | None = None
    """The pace of the series it was trained on; None for a general model."""
    use_priors: bool = True
    """Whether the prior of story lengths and the pace are used.

    This is not stored in the file: it is turned off only to measure its effect.
    """

    def __post_init__(self) -> None:
        columns = {"cut_mean": CUT_COLUMNS + CUT_TIMING, "run_mean": RUN_COLUMNS + RUN_TIMING}
        for name, wanted in {**columns, "views": len(LEARNED)}.items():
            found = self.weights[name].shape if name in self.weights else "nothing"
            if found != (wanted,):
                raise ModelError(
                    f"a story model's {name} has {wanted} numbers, got {found}; train it again "
                    "with this version"
                )

    @property
    def digest(self) -> str:
        """Digest of everything that affects which stories are found."""
        content = hashlib.sha256()
        for name in sorted(self.weights):
            content.update(name.encode() + np.ascontiguousarray(self.weights[name]).tobytes())
        if self.pace:
            content.update(repr(self.pace).encode())
        return content.hexdigest()

    def view_weights(self, views: Collection[str]) -> dict[str, float]:
        """The normalised weight of each of these views; they sum to one."""
        learned = dict(zip(LEARNED, np.exp(self.weights["views"]).tolist(), strict=True))
        shares = {v: learned.get(v, relative_weight(v) * learned[COLOUR]) for v in views}
        total = sum(shares.values())
        return {view: share / total for view, share in shares.items()}

    def inputs(self, relations: Relations, without: str | None = None) -> tuple[Array, Array]:
        """Input rows of the two networks: relations averaged over the views, and timing.

        A cue that is left out, or timing, has the same values everywhere: those that are usual in
        the video.
        """
        weights = self.view_weights(relations.cuts)
        tables = []
        for kind, of_views, of_time in (
            ("cut", relations.cuts, relations.cut_timing),
            ("run", relations.runs, relations.run_timing),
        ):
            mean, scale = self.weights[f"{kind}_mean"], self.weights[f"{kind}_scale"]
            columns = len(mean) - of_time.shape[-1]
            table = np.zeros((*of_time.shape[:-1], len(mean)), np.float32)
            for view, weight in weights.items():
                rows = standardised(of_views[view], mean[:columns], scale[:columns])
                left_out = cue_of_view(view) == without
                table[..., :columns] += weight * (usual(rows) if left_out else rows)
            rows = standardised(of_time, mean[columns:], scale[columns:])
            table[..., columns:] = usual(rows) if without == TIME else rows
            tables.append(table)
        return tables[0], tables[1]

    def scores(self, cuts: Array, runs: Array) -> Array:
        """Score of every story, [shots, lengths]: entry (i, d) is the story [i, i + d + 1).

        `cuts` and `runs` come from `inputs`; stories beyond the last shot get minus infinity.
        """
        shots, lengths, _ = runs.shape
        w = self.weights
        first = np.maximum(cuts @ w["cut_1"] + w["cut_1_bias"], 0)
        second = np.maximum(with_neighbours(first) @ w["cut_2"] + w["cut_2_bias"], 0)
        of_cuts = (second @ w["cut_3"] + w["cut_3_bias"])[:, 0]
        of_cuts[0] = 0.0
        scores: Array = np.empty((shots, lengths))
        for part in (slice(start, start + PART) for start in range(0, shots, PART)):
            hidden = np.maximum(runs[part] @ w["run_1"] + w["run_1_bias"], 0)
            hidden = np.maximum(hidden @ w["run_2"] + w["run_2_bias"], 0)
            scores[part] = of_cuts[part, None] + (hidden @ w["run_3"] + w["run_3_bias"])[..., 0]
        scores[~inside(shots, lengths)] = -np.inf
        return scores

    def slopes(self, cuts: Array, runs: Array) -> tuple[Array, Array]:
        """Mean absolute gradient of the score by each column of `cuts` and of `runs`."""
        w = self.weights
        first = cuts @ w["cut_1"] + w["cut_1_bias"]
        second = with_neighbours(np.maximum(first, 0)) @ w["cut_2"] + w["cut_2_bias"]
        own = w["cut_2"].reshape(2 * NEIGHBOURS + 1, first.shape[1], -1)[NEIGHBOURS]
        back = ((second > 0) * w["cut_3"][:, 0]) @ own.T * (first > 0)
        of_cuts = np.abs(back @ w["cut_1"].T).mean(axis=0)
        first = runs.reshape(-1, runs.shape[-1]) @ w["run_1"] + w["run_1_bias"]
        second = np.maximum(first, 0) @ w["run_2"] + w["run_2_bias"]
        back = ((second > 0) * w["run_3"][:, 0]) @ w["run_2"].T * (first > 0)
        return of_cuts, np.abs(back @ w["run_1"].T).mean(axis=0)

    def save(self, path: Path) -> None:
        """Write one safetensors file."""
        facts = {
            "format": FORMAT,
            "digest": self.digest,
            "card": json.dumps(dict(self.card)),
            "taught_by": json.dumps(dict(self.trained_on)),
            "pace": json.dumps(self.pace and asdict(self.pace)),
        }
        write_weights(path, self.weights, facts)

    @classmethod
    def load(cls, path: Path) -> StoryModel:
        """Read a model; any other file is rejected."""
        wanted = {"format": FORMAT, "card": None, "digest": None, "taught_by": None, "pace": None}
        weights, facts = read_weights(path, "a story model", wanted)
        pace = json.loads(facts["pace"])
        model = cls(
            weights,
            card=json.loads(facts["card"]),
            trained_on=json.loads(facts["taught_by"]),
            pace=pace and Pace(**pace),
        )
        if model.digest != facts["digest"]:
            raise ModelError(f"{path} is damaged: its weights do not match its digest")
        return model


def with_neighbours(rows: Array) -> Array:
    """Each row together with its neighbours on either side."""
    padded = np.pad(rows, ((NEIGHBOURS, NEIGHBOURS), (0, 0)))
    beside: Array = np.hstack([padded[k : k + len(rows)] for k in range(2 * NEIGHBOURS + 1)])
    return beside


def standardised(rows: Array, mean: Array, scale: Array) -> Array:
    """Relations in standard deviations from their mean."""
    steps: Array = np.clip((rows - mean) / scale, -CLIP, CLIP).astype(np.float32, copy=False)
    return steps


def usual(rows: Array) -> Array:
    """The mean over all changes [shots, columns], or over all runs of the same length
    [shots, lengths, columns]."""
    if rows.ndim == 2:
        mean: Array = rows[1:].mean(axis=0) if len(rows) > 1 else rows[0]
        return mean
    within = inside(*rows.shape[:2])
    mean = np.einsum("sdc,sd->dc", rows, within) / within.sum(axis=0)[:, None]
    return mean


def inside(shots: int, lengths: int) -> Array:
    """Whether the run of d + 1 shots from shot i on ends within the video, [shots, lengths]."""
    ends: Array = np.arange(shots)[:, None] + np.arange(lengths) < shots
    return ends


@cache
def default_model() -> StoryModel:
    """The shipped model."""
    return StoryModel.load(check_own(DEFAULT))
