"""Texts in CLIP's embedding space of pictures, by a small network on top of the text model.

CLIP's own text encoder is not in any package. A head trained on captions of photographs
(`training/train_image_text.py`) replaces it: a linear map plus one hidden layer, from MiniLM's 384
numbers to CLIP's 512. It runs in numpy.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from storyscope.models import check_own, read_weights

HEAD = Path(__file__).parent / "image_text_head.safetensors"
FACTS: dict[str, str | None] = {"kind": "image-text head", "version": "1", "text_model": None}


@dataclass(frozen=True, eq=False)
class TextHead:
    """Several small networks whose outputs are averaged, and the mean that is subtracted from
    pictures."""

    linear: np.ndarray
    """float32 [heads, text dimensions + 1, picture dimensions]; the last row is the offset."""
    hidden: np.ndarray
    """float32 [heads, text dimensions + 1, hidden units]."""
    output: np.ndarray
    """float32 [heads, hidden units + 1, picture dimensions]."""
    picture_mean: np.ndarray
    """float32 [picture dimensions]: mean of the unit vectors of the training pictures."""
    digest: str

    def encode(self, texts: np.ndarray) -> np.ndarray:
        """float32 [texts, picture dimensions], of length one, from the text model's vectors."""
        given = _with_ones(texts.astype(np.float32))
        total = np.zeros((len(texts), self.picture_mean.size), np.float32)
        for linear, hidden, output in zip(self.linear, self.hidden, self.output, strict=True):
            total += unit(given @ linear + _with_ones(gelu(given @ hidden)) @ output)
        return unit(total)

    def centre(self, pictures: np.ndarray, *, film_share: float = 0.0) -> np.ndarray:
        """Pictures of unit length with a mean subtracted, normalised again.

        With a `film_share`, the mean of these pictures makes up that part of it: they are from one
        film, whose style (a cartoon, a dark room) says nothing about a single frame.
        """
        own = pictures.mean(axis=0) if len(pictures) else self.picture_mean
        return unit(pictures - (1 - film_share) * self.picture_mean - film_share * own)


@lru_cache(maxsize=1)
def load_head() -> TextHead:
    """Read the shipped head."""
    weights, _ = read_weights(check_own(HEAD), "a head for an image-text model", FACTS)
    digest = hashlib.sha256(HEAD.read_bytes()).hexdigest()
    return TextHead(**{k: np.asarray(v, np.float32) for k, v in weights.items()}, digest=digest)


def unit(rows: np.ndarray) -> np.ndarray:
    """The rows scaled to unit length; rows of zeros stay zero."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))


def gelu(values: np.ndarray) -> np.ndarray:
    """The Gaussian error linear unit, by its usual approximation with a hyperbolic tangent."""
    inner = 0.7978845608 * (values + 0.044715 * values**3)
    return np.asarray(0.5 * values * (1 + np.tanh(inner)))


def _with_ones(rows: np.ndarray) -> np.ndarray:
    return np.concatenate([rows, np.ones((len(rows), 1), rows.dtype)], axis=1)
