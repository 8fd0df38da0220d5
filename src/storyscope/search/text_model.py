"""Text vectors whose cosine measures similarity of meaning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from storyscope.models import Model, digest_of, find_model, onnx_session

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

BATCH = 32
FEW_LETTERS = 20
"""Letters by which a text may exceed twice the shortest text of its batch."""
LONGEST = 128
"""Maximum number of tokens of a text; passages are shorter."""


@dataclass(frozen=True, eq=False)
class TextModel:
    """A sentence transformer in ONNX: mean-pooled token vectors of unit length."""

    name: str
    digest: str
    session: InferenceSession
    tokenizer: Tokenizer

    @property
    def producer(self) -> str:
        return f"{self.name}@{self.digest[:12]}"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """float32 [texts, dimensions], rows of unit length."""
        vectors: list[np.ndarray] = [np.zeros(0)] * len(texts)
        for rows in batches([len(text) for text in texts]):
            batch = self._encode([texts[row] for row in rows])
            for row, vector in zip(rows, batch, strict=True):
                vectors[row] = vector
        return np.stack(vectors) if vectors else np.zeros((0, self.dimensions), np.float32)

    def knows(self, word: str) -> bool:
        """Whether the word is a single token of the model; a word in several pieces may be a
        typo."""
        return self.tokenizer.token_to_id(word) is not None

    @property
    def dimensions(self) -> int:
        return int(self.session.get_outputs()[0].shape[-1])

    def _encode(self, texts: list[str]) -> np.ndarray:
        tokens = self.tokenizer.encode_batch(texts)
        ids = np.array([encoding.ids for encoding in tokens], np.int64)
        mask = np.array([encoding.attention_mask for encoding in tokens], np.int64)
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        wanted = {given.name for given in self.session.get_inputs()}
        (hidden,) = self.session.run(
            None, {name: value for name, value in feeds.items() if name in wanted}
        )[:1]
        weights = mask[..., None].astype(np.float32)
        mean = (hidden * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
        length = np.linalg.norm(mean, axis=1, keepdims=True)
        return np.asarray(mean / np.maximum(length, 1e-9), np.float32)


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Split texts, by their lengths in letters, into batches of similar length.

    A short text next to a long one would be padded and cost as much.
    """
    rows: list[int] = []
    for row in sorted(range(len(lengths)), key=lengths.__getitem__):
        if rows and (len(rows) == BATCH or lengths[row] > 2 * lengths[rows[0]] + FEW_LETTERS):
            yield rows
            rows = []
        rows.append(row)
    if rows:
        yield rows


@lru_cache(maxsize=2)
def load_text_model(name: str) -> TextModel:
    """Open the text model called `name`: a shipped name, a local folder or a hub id."""
    from tokenizers import Tokenizer

    model = find_model(name)
    network = _network(model)
    tokenizer = Tokenizer.from_file(str(model.file("tokenizer.json", "**/tokenizer.json")))
    tokenizer.enable_truncation(LONGEST)
    tokenizer.enable_padding()
    return TextModel(name, digest_of(network), onnx_session(network), tokenizer)


def text_model_digest(name: str) -> str:
    """Digest of the text model called `name`."""
    return digest_of(_network(find_model(name)))


def _network(model: Model) -> Path:
    return model.file("model.onnx", "onnx/model.onnx", "**/model.onnx")
