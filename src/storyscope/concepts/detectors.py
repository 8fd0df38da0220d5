"""Concept detectors: the probability of each named concept in a picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from storyscope.concepts.taxonomy import CLASSES, GROUPS, class_numbers, display_names, group_matrix
from storyscope.core import Keyframes, VisionOutput, in_batches
from storyscope.core.logistic import sigmoid
from storyscope.errors import InvalidFeatures, ModelError
from storyscope.models import class_names, class_synonyms, read_weights, write_weights


@dataclass(frozen=True, eq=False)
class Detections:
    """The probability of every concept in each picture or shot."""

    names: tuple[str, ...]
    """One readable name per concept, without duplicates: "sea lion", "bird"."""
    probabilities: np.ndarray
    """float32, pictures x concepts, 0 to 1."""
    words: tuple[str, ...] = ()
    """All words of each concept, including synonyms, which terms are matched to."""
    covers: tuple[frozenset[int], ...] = ()
    """The backbone's classes that each concept includes; none for a trained one."""

    def per_shot(self, shots: np.ndarray, count: int) -> Detections:
        """The strongest detection among each shot's pictures; `shots` holds the shot of each
        picture."""
        strongest = np.zeros((count, len(self.names)), dtype=np.float32)
        np.maximum.at(strongest, shots, self.probabilities)
        return replace(self, probabilities=strongest)

    def or_stronger(self, other: Detections) -> Detections:
        """The element-wise maximum of two detections of the same concepts in the same shots."""
        return replace(self, probabilities=np.maximum(self.probabilities, other.probabilities))

    def narrowness(self) -> np.ndarray:
        """Specificity: one for a concept of a single class, down to zero for one that includes them
        all."""
        sizes = np.array([max(1, len(cover)) for cover in self.covers] or [1])
        shares: np.ndarray = np.log(sizes) / np.log(CLASSES)
        return 1.0 - shares


@dataclass(frozen=True, eq=False)
class TrainedConcepts:
    """Linear detectors trained on pictures, all evaluated by one matrix product.

    probability = 1 / (1 + exp(a (x w + b) + c)), a and c after Platt
    """

    names: tuple[str, ...]
    weights: np.ndarray
    """float32, dimensions x concepts, multiplied by Platt's slope."""
    offsets: np.ndarray
    """float32, one per concept, with Platt's slope and offset applied."""
    producer: str
    """The backbone whose activations these detectors were trained on."""

    def score(self, activations: np.ndarray) -> np.ndarray:
        """Probabilities, pictures x concepts, of activations, pictures x dimensions."""
        if activations.ndim != 2 or activations.shape[1] != len(self.weights):
            raise InvalidFeatures(
                f"the trained concepts expect activations of {len(self.weights)} numbers, got "
                f"{activations.shape}; train them again with the backbone now in use"
            )
        logits = unit_rows(activations) @ self.weights + self.offsets
        return sigmoid(logits).astype(np.float32)


def detect_in_shots(
    keyframes: Keyframes,
    vision: VisionOutput,
    shot_count: int,
    *,
    trained: TrainedConcepts | None = None,
) -> Detections:
    """The content of every shot, by all available detectors: its clearest keyframe counts."""
    if trained is not None and trained.producer != vision.producer:
        raise ModelError(
            f"the trained concepts were trained with {trained.producer}, but these pictures were "
            f"encoded by {vision.producer}; run `storyscope concepts train` again"
        )
    found: Detections | None = None
    numbers = in_batches(keyframes.shots)
    parts = zip(in_batches(vision.posteriors), in_batches(vision.maps), numbers, strict=True)
    for posteriors, maps, shots in parts:
        seen = detect(
            posteriors,
            class_names=class_names(),
            class_synonyms=class_synonyms(),
            activations=_mean_map(maps),
            trained=trained,
        ).per_shot(shots, shot_count)
        found = found.or_stronger(seen) if found else seen
    assert found is not None
    return found


def mean_map(vision: VisionOutput) -> np.ndarray:
    """The activations that detectors are trained on: the last map, averaged over the picture."""
    return np.concatenate([_mean_map(maps) for maps in in_batches(vision.maps)])


def _mean_map(maps: np.ndarray) -> np.ndarray:
    maps = np.asarray(maps, dtype=np.float32)
    if maps.shape[1] % MAP_PLACES == 0 and maps.shape[1] > MOST_CHANNELS:
        averaged: np.ndarray = maps.reshape(len(maps), -1, MAP_PLACES).mean(axis=2)
        return averaged
    return maps


MAP_PLACES = 49
MOST_CHANNELS = 4096


def detect(
    posteriors: np.ndarray,
    *,
    class_names: Sequence[str],
    class_synonyms: Sequence[Sequence[str]],
    activations: np.ndarray | None = None,
    trained: TrainedConcepts | None = None,
) -> Detections:
    """The content of each picture: the backbone's classes, broader concepts, and trained ones.

    `posteriors` holds pictures x 1000. A broader concept's probability is the sum of its classes'.
    If two concepts share a name, the later one (the broader, the trained) is kept.
    """
    if posteriors.ndim != 2 or posteriors.shape[1] != CLASSES:
        raise InvalidFeatures(f"expected {CLASSES} classes per picture, got {posteriors.shape}")
    leaves = np.asarray(posteriors, dtype=np.float32)
    names = [*_display_names(tuple(class_names)), *GROUPS]
    words = [", ".join(synonyms) for synonyms in class_synonyms] + list(GROUPS)
    covers = list(_covers())
    columns = [leaves, np.minimum(leaves @ group_matrix(), 1.0)]
    if trained is not None and activations is not None:
        names += trained.names
        words += trained.names
        covers += [frozenset()] * len(trained.names)
        columns.append(trained.score(activations))
    kept = sorted({name.lower(): place for place, name in enumerate(names)}.values())
    return Detections(
        tuple(names[place] for place in kept),
        np.concatenate(columns, axis=1)[:, kept],
        tuple(words[place] for place in kept),
        tuple(covers[place] for place in kept),
    )


@cache
def _display_names(class_names: tuple[str, ...]) -> tuple[str, ...]:
    return display_names(class_names)


@cache
def _covers() -> tuple[frozenset[int], ...]:
    """The classes of each concept: a class itself, or all classes of a broader concept."""
    groups = [frozenset(class_numbers(group)) for group in GROUPS]
    return (*(frozenset([number]) for number in range(CLASSES)), *groups)


def unit_rows(activations: np.ndarray) -> np.ndarray:
    """Activations scaled to length one, so that bright pictures do not weigh more than dark
    ones."""
    rows = np.asarray(activations, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: np.ndarray = rows / np.maximum(lengths, 1e-12)
    return scaled


TRAINED_FILE = "concepts.safetensors"
"""The file of a library's trained concepts."""


def save_trained(trained: TrainedConcepts, path: Path) -> None:
    """Save trained concepts in one file, atomically."""
    facts = {"names": json.dumps(trained.names), "producer": trained.producer}
    tensors = {"weights": trained.weights, "offsets": trained.offsets}
    write_weights(path, tensors, facts)


def load_trained(path: Path) -> TrainedConcepts | None:
    """The trained concepts in a file, or None if there is none."""
    if not path.exists():
        return None
    wanted = {"names": None, "producer": None}
    try:
        weights, facts = read_weights(path, "a file of trained concepts", wanted)
        return TrainedConcepts(
            tuple(json.loads(facts["names"])),
            weights["weights"],
            weights["offsets"],
            facts["producer"],
        )
    except (ModelError, KeyError, TypeError, ValueError) as error:
        raise ModelError(
            f"{path} contains no trained concepts; run `storyscope concepts train` again"
        ) from error
