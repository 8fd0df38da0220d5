"""Pictures and texts in one embedding space, by an image-text network such as CLIP.

By default this is the image encoder of CLIP, if it was downloaded (`storyscope models get clip`),
with a small text encoder of our own. Users may choose another: a folder or hub id with both
encoders in ONNX, the tokenizer and the preprocessing configuration, as exported by Optimum
(`Xenova/clip-vit-base-patch32`). Without any, the classes of the image network are used.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from storyscope.errors import ModelError
from storyscope.models import (
    DOWNLOADS,
    Model,
    cache_folder,
    check_downloaded,
    class_names,
    digest_of,
    downloaded_file,
    find_model,
    keep_in_cache,
    onnx_session,
    require_downloaded,
)
from storyscope.search.text_head import TextHead, load_head, unit
from storyscope.search.text_model import TextModel, load_text_model

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

AUTO, OFF, CLIP = "auto", "off", "clip"
"""Settings: CLIP if it was downloaded, no such network, and CLIP in any case."""
CONSE = "conse"
"""An older name for `off`."""
LONGEST = 77
"""Maximum number of tokens of a text for CLIP."""
FILM_SHARE = 0.5
"""Share of the film's own mean in the mean that is subtracted from pictures, chosen on tuning
queries."""
CLIP_SIZE = 224
CLIP_MEAN = np.array([0.48145466, 0.4578275, 0.40821073], np.float32)
CLIP_DEVIATION = np.array([0.26862954, 0.26130258, 0.27577711], np.float32)


class ImageText(Protocol):
    """The interface of an image-text network for search."""

    @property
    def producer(self) -> str: ...

    def encode_images(self, pictures: Sequence[np.ndarray]) -> np.ndarray:
        """float32 [pictures, dimensions], rows of length one; pictures are uint8 [h, w, 3]."""

    def comparable(self, pictures: np.ndarray) -> np.ndarray:
        """The pictures of one film, prepared for comparison with texts; rows of length one."""

    def encode_texts(self, texts: Sequence[str]) -> np.ndarray:
        """float32 [texts, dimensions], rows of length one, in the same space."""


@dataclass(frozen=True, eq=False)
class Vision:
    """The image encoder of a CLIP, and its preprocessing."""

    open: Callable[[], InferenceSession]
    """Loads the network for the first picture: a search by text does not need it."""
    size: int
    mean: np.ndarray
    deviation: np.ndarray
    """float32 [3] each."""

    @cached_property
    def session(self) -> InferenceSession:
        return self.open()

    def encode(self, pictures: Sequence[np.ndarray]) -> np.ndarray:
        """float32 [pictures, dimensions], rows of length one.

        Pictures are encoded one at a time: a batch of eight costs as much, and in eight bits the
        pictures of a batch would share one scale, so that the vector of a picture would depend on
        its neighbours.
        """
        found = [_embedding(self.session, {"pixel_values": self._pixels(p)}) for p in pictures]
        return np.concatenate(found) if found else np.zeros((0, 0), np.float32)

    def _pixels(self, picture: np.ndarray) -> np.ndarray:
        """float32 [1, 3, size, size]: the middle square, as in CLIP's training."""
        square = _middle_square(picture, self.size) / np.float32(255)
        return np.ascontiguousarray(
            ((square - self.mean) / self.deviation).transpose(2, 0, 1)[None]
        )


@dataclass(frozen=True, eq=False)
class TwoTowers:
    """A CLIP with both encoders."""

    name: str
    digest: str
    vision: Vision
    text: InferenceSession
    tokenizer: Tokenizer

    @property
    def producer(self) -> str:
        return f"{self.name}@{self.digest[:12]}"

    def encode_images(self, pictures: Sequence[np.ndarray]) -> np.ndarray:
        return self.vision.encode(pictures)

    def comparable(self, pictures: np.ndarray) -> np.ndarray:
        return pictures

    def encode_texts(self, texts: Sequence[str]) -> np.ndarray:
        tokens = self.tokenizer.encode_batch(list(texts))
        feeds = {
            "input_ids": np.array([encoding.ids for encoding in tokens], np.int64),
            "attention_mask": np.array([e.attention_mask for e in tokens], np.int64),
        }
        return _embedding(self.text, feeds)


@dataclass(frozen=True, eq=False)
class TowerAndHead:
    """The downloaded image encoder of CLIP, with our own text encoder."""

    vision: Vision
    text: TextModel
    head: TextHead

    @property
    def producer(self) -> str:
        return f"{CLIP}@{DOWNLOADS[CLIP].sha256[:12]}+{self.head.digest[:12]}"

    def encode_images(self, pictures: Sequence[np.ndarray]) -> np.ndarray:
        return self.vision.encode(pictures)

    def comparable(self, pictures: np.ndarray) -> np.ndarray:
        return self.head.centre(pictures, film_share=FILM_SHARE)

    def encode_texts(self, texts: Sequence[str]) -> np.ndarray:
        return self.head.encode(self.text.encode(texts))


def chosen_image_text(setting: str) -> str:
    """The network that a setting refers to: `auto` is CLIP if it was downloaded, otherwise none."""
    if setting == AUTO:
        return CLIP if downloaded_file(CLIP) else OFF
    return OFF if setting == CONSE else setting


@lru_cache(maxsize=1)
def load_image_text(name: str) -> ImageText:
    """Open the image-text network called `name`: `clip`, a local folder or a hub id."""
    from tokenizers import Tokenizer

    if name == CLIP:
        vision = Vision(_fetched_tower(), CLIP_SIZE, CLIP_MEAN, CLIP_DEVIATION)
        return TowerAndHead(vision, load_text_model("minilm"), load_head())
    model = find_model(name)
    graphs = {half: _graph(model, half) for half in ("vision", "text")}
    tokenizer = Tokenizer.from_file(str(model.file("tokenizer.json", "**/tokenizer.json")))
    tokenizer.enable_truncation(LONGEST)
    tokenizer.enable_padding()
    return TwoTowers(
        name=name,
        digest=image_text_digest(name),
        vision=Vision(partial(onnx_session, graphs["vision"]), *_preprocessing(model)),
        text=onnx_session(graphs["text"]),
        tokenizer=tokenizer,
    )


def image_text_digest(name: str) -> str:
    """Digest of everything that affects the vectors of this image-text network."""
    if name == OFF:
        return OFF
    if name == CLIP:
        return DOWNLOADS[CLIP].sha256
    return digest_of(_graph(find_model(name), "vision"))


def name_vectors(network: ImageText) -> np.ndarray:
    """float32 [names, dimensions]: the thousand class names that any text is compared with.

    They are computed once for each network and cached, because encoding a thousand names takes
    seconds.
    """
    key = hashlib.sha256("\n".join([network.producer, *class_names()]).encode()).hexdigest()
    name = f"classes/{key}.npy"
    with suppress(OSError, ValueError):
        return np.asarray(np.load(cache_folder() / name, allow_pickle=False))
    vectors = network.encode_texts(class_names())
    written = io.BytesIO()
    np.save(written, vectors, allow_pickle=False)
    keep_in_cache(name, written.getvalue())
    return vectors


def _fetched_tower() -> Callable[[], InferenceSession]:
    path = require_downloaded(
        CLIP,
        needed="search.image_text is clip, which",
        otherwise=", or set search.image_text to off",
    )
    return lambda: onnx_session(check_downloaded(CLIP, path))


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
        raise ModelError(f"{path} does not say how pictures are prepared ({error})") from error


def _embedding(session: InferenceSession, feeds: dict[str, np.ndarray]) -> np.ndarray:
    wanted = {given.name for given in session.get_inputs()}
    outputs = [output.name for output in session.get_outputs()]
    pooled = next((name for name in outputs if name.endswith("_embeds")), outputs[0])
    (found,) = session.run([pooled], {name: feeds[name] for name in feeds if name in wanted})
    if found.ndim != 2:
        raise ModelError(f"{pooled} of the image-text model has {found.ndim} axes, not two")
    return unit(found)


def _middle_square(rgb: np.ndarray, size: int) -> np.ndarray:
    from PIL import Image

    image = Image.fromarray(rgb)
    short = min(image.size)
    left, top = (image.width - short) // 2, (image.height - short) // 2
    box = (left, top, left + short, top + short)
    return np.asarray(image.resize((size, size), Image.Resampling.BICUBIC, box=box))


def image_dimensions(setting: str) -> int:
    """Dimensions of the image-text model that a setting chooses, 0 if there is none."""
    network = chosen_image_text(setting)
    if network == OFF:
        return 0
    return int(load_image_text(network).encode_texts(["a"]).shape[1])
