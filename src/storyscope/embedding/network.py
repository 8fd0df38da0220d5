"""A trained embedding network, evaluated in numpy without torch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np

from storyscope.core import Features
from storyscope.core.logistic import sigmoid
from storyscope.embedding.layout import Layout
from storyscope.errors import ModelError
from storyscope.models import read_facts, read_weights, write_weights

FORMAT = "storyscope embedding 1"
FACTS = {"format": FORMAT, "kind": None, "layout": None, "settings": None, "digest": None}
BLOCK = 4096
"""Columns of the input that are multiplied at once."""


@dataclass(frozen=True, eq=False)
class Embedding:
    """Layers with ReLU after each, and for the LSTM the recurrent layer on top."""

    kind: str
    layout: Layout
    weights: Mapping[str, np.ndarray]
    """weight_1, bias_1, ... float32 [in, out] and [out]; the LSTM's under `lstm_` and `out_`."""
    settings: Mapping[str, float] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        return sum(name.startswith("weight_") for name in self.weights)

    @cached_property
    def digest(self) -> str:
        """Digest of the weights and of the features they are for."""
        content = hashlib.sha256(f"{self.kind} {self.layout.to_json()}".encode())
        for name in sorted(self.weights):
            content.update(name.encode())
            content.update(np.ascontiguousarray(self.weights[name]).data)
        return content.hexdigest()

    def embed(self, features: Sequence[Features]) -> np.ndarray:
        """One point per shot, [shots, dimensions]; features of another layout are rejected."""
        return self._layers(self.layout.join(features))[-1]

    def boundary_log_odds(self, features: Sequence[Features]) -> np.ndarray:
        """The LSTM's score that a story begins with each shot, [shots]."""
        if self.kind != "lstm":
            raise ModelError(f"a {self.kind} network embeds shots; only the LSTM scores boundaries")
        return _read_in_order(self.embed(features), self.weights)

    def importance(self, features: Sequence[Features]) -> dict[str, float]:
        """The paper's feature importance: how much a change of each feature moves the embedding.

        |d phi_i / d x| is averaged over the shots, over the columns of a feature and over the
        dimensions i of the embedding; the results sum to one.
        """
        active = [layer > 0 for layer in self._layers(self.layout.join(features))]
        total = np.zeros(self.layout.columns)
        for shot in range(len(active[0])):
            slope = np.diag(active[-1][shot]).astype(np.float32)
            for layer in range(self.depth, 1, -1):
                slope = active[layer - 2][shot][:, None] * (self.weights[f"weight_{layer}"] @ slope)
            for block in _blocks(self.layout.columns):
                total[block] += np.abs(self.weights["weight_1"][block] @ slope).mean(axis=1)
        edges = np.cumsum([0, *(columns for _, _, columns in self.layout.parts)])
        means = [total[a:b].mean() for a, b in pairwise(edges)]
        return {
            name: float(mean / max(sum(means), 1e-300))
            for name, mean in zip(self.layout.names, means, strict=True)
        }

    def save(self, path: Path) -> None:
        """Write one safetensors file: weights, layout, settings and digest."""
        facts = {
            "format": FORMAT,
            "kind": self.kind,
            "layout": self.layout.to_json(),
            "settings": json.dumps(dict(self.settings)),
            "digest": self.digest,
        }
        write_weights(path, self.weights, facts)

    @classmethod
    def load(cls, path: Path) -> Embedding:
        """Read an embedding; a damaged file or one of another kind is rejected."""
        weights, facts = read_weights(path, "an embedding", FACTS)
        layout = Layout.from_json(facts["layout"])
        found = cls(facts["kind"], layout, weights, json.loads(facts["settings"]))
        if found.digest != facts["digest"]:
            raise ModelError(f"{path} is damaged: its weights do not match its digest")
        return found

    @staticmethod
    def digest_in(path: Path) -> str:
        """The digest stored in a file; its weights are not read."""
        return read_facts(path, "an embedding", FACTS)["digest"]

    def _layers(self, rows: np.ndarray) -> list[np.ndarray]:
        outputs = []
        for layer in range(1, self.depth + 1):
            weight = self.weights[f"weight_{layer}"]
            total = sum(rows[:, block] @ weight[block] for block in _blocks(len(weight)))
            rows = np.maximum(total + self.weights[f"bias_{layer}"], 0.0)
            outputs.append(rows)
        return outputs


def _blocks(columns: int) -> list[slice]:
    """Parts of the input, small enough that no second copy of the first layer is ever in memory."""
    return [slice(start, start + BLOCK) for start in range(0, columns, BLOCK)]


def _read_in_order(rows: np.ndarray, weights: Mapping[str, np.ndarray]) -> np.ndarray:
    """An LSTM over the shots: gates in the order input, forget, cell, output."""
    size = weights["lstm_hidden"].shape[0]
    state, cell, log_odds = np.zeros(size), np.zeros(size), []
    for row in rows:
        gates = row @ weights["lstm_input"] + state @ weights["lstm_hidden"] + weights["lstm_bias"]
        enter, forget, fresh, leave = np.split(gates, 4)
        cell = sigmoid(forget) * cell + sigmoid(enter) * np.tanh(fresh)
        state = sigmoid(leave) * np.tanh(cell)
        log_odds.append(float(state @ weights["out_weight"][:, 0] + weights["out_bias"][0]))
    return np.array(log_odds)
