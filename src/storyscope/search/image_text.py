"""Image-text models: images and texts in one space (CLIP).

ConSE needs none. A CLIP is named in the settings: a folder, or a hub id, with its two encoders in
ONNX, its tokenizer and its preprocessing, as Optimum exports them (`Xenova/clip-vit-base-patch32`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from storyscope.errors import ModelError
from storyscope.models import Model, class_names, digest_of, find_model, onnx_session

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

CONSE = "conse"
"""The setting for no image-text model."""
BATCH = 8
LONGEST = 77
"""Tokens of a text that CLIP reads."""
TEMPERATURE = 100.0
"""CLIP's logit scale: log-odds are cosines times this."""
FILES = (
    "*tokenizer.json",
    "*preprocessor_config.json",
    "onnx/vision_model.onnx",
    "onnx/text_model.onnx",
    "vision_model.onnx",
    "text_model.onnx",
)


class ImageText(Protocol):
    """What search needs of an image-text model."""

    @property
    def producer(self) -> str: ...

    def encode_images(self, images: Sequence[np.ndarray]) -> np.ndarray:
        """float32 [images, dimensions], rows of unit length; images are uint8 [h, w, 3]."""

    def encode_texts(self, texts: Sequence[str]) -> np.ndarray:
        """float32 [texts, dimensions], rows of unit length, in the same space."""


@dataclass(frozen=True, eq=False)
class ImageVectors:
    """Images in the space that they share with texts."""

    vectors: np.ndarray
    """float32 [images, dimensions], rows of unit length."""
    best_rivals: np.ndarray
    """float32 [images]: cosine of each with the best of a thousand class names."""
    producer: str


@dataclass(frozen=True, eq=False)
class Clip:
    """An image encoder and a text encoder in ONNX with a common output space."""

    name: str
    digest: str
    vision: InferenceSession
    text: InferenceSession
    tokenizer: Tokenizer
    size: int
    mean: np.ndarray
    deviation: np.ndarray
    """float32 [3], as is `mean`: the normalisation of each colour channel."""

    @property
    def producer(self) -> str:
        return f"{self.name}@{self.digest[:12]}"

    def encode_images(self, images: Sequence[np.ndarray]) -> np.ndarray:
        found = [
            _embedding(self.vision, {"pixel_values": self._pixels(images[start : start + BATCH])})
            for start in range(0, len(images), BATCH)
        ]
        return np.concatenate(found) if found else np.zeros((0, 0), np.float32)

    def encode_texts(self, texts: Sequence[str]) -> np.ndarray:
        tokens = self.tokenizer.encode_batch(list(texts))
        feeds = {
            "input_ids": np.array([encoding.ids for encoding in tokens], np.int64),
            "attention_mask": np.array([e.attention_mask for e in tokens], np.int64),
        }
        return _embedding(self.text, feeds)

    def _pixels(self, images: Sequence[np.ndarray]) -> np.ndarray:
        """float32 [images, 3, size, size]: the centre crop, normalised."""
        squares = np.stack([_centre_crop(image, self.size) for image in images])
        return np.ascontiguousarray(
            ((squares / np.float32(255) - self.mean) / self.deviation).transpose(0, 3, 1, 2)
        )


@lru_cache(maxsize=1)
def load_image_text(name: str) -> ImageText:
    """Open the CLIP called `name`: a local folder or a hub id."""
    from tokenizers import Tokenizer

    model = find_model(name, files=FILES)
    vision, text = (_graph(model, half) for half in ("vision", "text"))
    tokenizer = Tokenizer.from_file(str(model.file("tokenizer.json", "**/tokenizer.json")))
    tokenizer.enable_truncation(LONGEST)
    tokenizer.enable_padding()
    size, mean, deviation = _preprocessing(model)
    return Clip(
        name=name,
        digest=image_text_digest(name),
        vision=onnx_session(vision),
        text=onnx_session(text),
        tokenizer=tokenizer,
        size=size,
        mean=mean,
        deviation=deviation,
    )


def image_text_digest(name: str) -> str:
    """Digest of the model that image vectors are made with; ConSE has no weights of its own."""
    if name == CONSE:
        return CONSE
    return digest_of(_graph(find_model(name, files=FILES), "vision"))


def embed_images(name: str, images: Sequence[np.ndarray]) -> ImageVectors:
    """Encode images, uint8 [height, width, 3] each, with the CLIP called `name`."""
    model = load_image_text(name)
    vectors = model.encode_images(images)
    names = model.encode_texts([f"a photo of a {plain}" for plain in class_names()])
    return ImageVectors(vectors, best_name_similarity(vectors, names), model.producer)


def best_name_similarity(vectors: np.ndarray, names: np.ndarray) -> np.ndarray:
    """float32 [images]: cosine of each image with the best of the class names.

    A text that fits an image about as well as that describes it, whatever the scale of cosines.
    """
    if not len(vectors):
        return np.zeros(0, np.float32)
    return np.asarray((vectors @ names.T).max(axis=1), np.float32)


def match_probability(cosines: np.ndarray, best_rivals: np.ndarray) -> np.ndarray:
    """Probability that a text describes images: 1/2 where it fits as the best class name does."""
    log_odds = np.clip(TEMPERATURE * (cosines - best_rivals), -30, 30)
    return np.asarray(1 / (1 + np.exp(-log_odds)))


def _graph(model: Model, half: str) -> Path:
    return model.file(f"{half}_model.onnx", f"onnx/{half}_model.onnx", f"**/{half}_model.onnx")


def _preprocessing(model: Model) -> tuple[int, np.ndarray, np.ndarray]:
    path = model.file("preprocessor_config.json", "**/preprocessor_config.json")
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        size = facts.get("crop_size") or facts["size"]
        side = size if isinstance(size, int) else size.get("height", size.get("shortest_edge"))
        mean, deviation = facts["image_mean"], facts["image_std"]
        return int(side), np.array(mean, np.float32), np.array(deviation, np.float32)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(
            f"{path} does not describe the preprocessing of images ({error})"
        ) from error


def _embedding(session: InferenceSession, feeds: dict[str, np.ndarray]) -> np.ndarray:
    wanted = {given.name for given in session.get_inputs()}
    outputs = [output.name for output in session.get_outputs()]
    pooled = next((name for name in outputs if name.endswith("_embeds")), outputs[0])
    (found,) = session.run([pooled], {name: feeds[name] for name in feeds if name in wanted})
    if found.ndim != 2:
        raise ModelError(f"{pooled} of the image-text model has {found.ndim} axes, not two")
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9))


def _centre_crop(rgb: np.ndarray, size: int) -> np.ndarray:
    from PIL import Image

    image = Image.fromarray(rgb)
    short = min(image.size)
    left, top = (image.width - short) // 2, (image.height - short) // 2
    box = (left, top, left + short, top + short)
    return np.asarray(image.resize((size, size), Image.Resampling.BICUBIC, box=box))
