"""Pictures as JPEG and back, and at the input size of a network."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

if TYPE_CHECKING:
    from PIL import Image

JPEG_QUALITY = 80


def to_jpeg(rgb: np.ndarray, *, quality: int = JPEG_QUALITY) -> bytes:
    """Encode uint8 [height, width, 3]; the same picture always gives the same bytes."""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(rgb)).save(out, "JPEG", quality=quality)
    return out.getvalue()


def from_jpeg(data: bytes) -> np.ndarray:
    """Decode to uint8 [height, width, 3]."""
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert("RGB"))


class Decoded(Sequence[np.ndarray]):
    """Pictures that are decoded on request, and not cached."""

    def __init__(self, coded: Sequence[bytes]) -> None:
        self._coded = coded

    def __len__(self) -> int:
        return len(self._coded)

    @overload
    def __getitem__(self, place: int) -> np.ndarray: ...
    @overload
    def __getitem__(self, place: slice) -> list[np.ndarray]: ...
    def __getitem__(self, place: int | slice) -> np.ndarray | list[np.ndarray]:
        if isinstance(place, slice):
            return [from_jpeg(data) for data in self._coded[place]]
        return from_jpeg(self._coded[place])


def small_from_jpeg(data: bytes) -> np.ndarray:
    """Decode at a quarter of the size, which takes a quarter of the time: enough for colours."""
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        image.draft("RGB", (max(1, image.width // 4), max(1, image.height // 4)))
        return np.asarray(image.convert("RGB"))


def squared_from_jpeg(data: bytes, size: int) -> np.ndarray:
    """The same as `squared` of the decoded picture, without the picture in between."""
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        return _squared(image.convert("RGB"), size)


def squared(rgb: np.ndarray, size: int) -> np.ndarray:
    """The whole picture, resized to uint8 [size, size, 3] without cropping, as in the paper."""
    from PIL import Image

    return _squared(Image.fromarray(rgb), size)


def _squared(image: Image.Image, size: int) -> np.ndarray:
    from PIL.Image import Resampling

    return np.asarray(image.resize((size, size), Resampling.BILINEAR))
