"""Weights of torch checkpoints and safetensors files, read into numpy without torch.

A torch checkpoint is a pickle, which can execute code. The reader below allows only the few
constructors that a table of tensors needs; anything else is rejected before it runs.
"""

from __future__ import annotations

import io
import pickle
import struct
import zipfile
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from storyscope.errors import ModelError

MAGIC = 0x1950A86A20F9469CFC6C
"""First number in a checkpoint written before torch 1.6."""

STORAGE_TYPES = {
    "DoubleStorage": np.dtype("<f8"),
    "FloatStorage": np.dtype("<f4"),
    "HalfStorage": np.dtype("<f2"),
    "LongStorage": np.dtype("<i8"),
    "IntStorage": np.dtype("<i4"),
    "ShortStorage": np.dtype("<i2"),
    "CharStorage": np.dtype("i1"),
    "ByteStorage": np.dtype("u1"),
    "BoolStorage": np.dtype("?"),
}


def read_weights(path: Path) -> dict[str, np.ndarray]:
    """All tensors of a `.safetensors`, `.pth` or `.pt` file, by name."""
    if path.suffix == ".safetensors":
        from safetensors.numpy import load_file

        return load_file(path)
    try:
        if zipfile.is_zipfile(path):
            return _read_zip(path)
        return _read_legacy(path)
    except (pickle.UnpicklingError, EOFError, struct.error, zipfile.BadZipFile) as error:
        raise ModelError(f"{path} is not a table of tensors: {error}") from error
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path} is a damaged checkpoint: {error}") from error


@dataclass
class _Storage:
    """A run of numbers that tensors are views of; `numbers` are read after the pickle."""

    dtype: np.dtype[Any]
    count: int
    numbers: np.ndarray | None = None


@dataclass
class _View:
    """A tensor as the pickle describes it: offset, shape and strides within a storage."""

    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def array(self) -> np.ndarray:
        numbers = self.storage.numbers
        if numbers is None:
            raise ValueError("a tensor without its numbers")
        reach = sum((size - 1) * step for size, step in zip(self.shape, self.strides, strict=True))
        if 0 in self.shape:
            return np.zeros(self.shape, numbers.dtype)
        if min((self.offset, *self.strides, *self.shape)) < 0 or self.offset + reach >= len(
            numbers
        ):
            raise ValueError("a tensor that reaches outside its numbers")
        steps = tuple(step * numbers.itemsize for step in self.strides)
        window = np.lib.stride_tricks.as_strided(numbers[self.offset :], self.shape, steps)
        return window.copy()


class _TensorUnpickler(pickle.Unpickler):
    """Rebuilds tensors, and rejects every other name."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        self.storages: dict[str, _Storage] = {}

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _rebuild_tensor
        if (module, name) == ("torch._utils", "_rebuild_parameter"):
            return _rebuild_parameter
        if module == "torch" and name in STORAGE_TYPES:
            return STORAGE_TYPES[name]
        raise pickle.UnpicklingError(f"it asks for {module}.{name}, which no tensor needs")

    def persistent_load(self, identity: Any) -> _Storage:
        kind, dtype, key, _device, count = identity[:5]
        if kind != "storage" or not isinstance(dtype, np.dtype):
            raise pickle.UnpicklingError(f"it asks for a {kind!r}, which no tensor needs")
        return self.storages.setdefault(str(key), _Storage(dtype, int(count)))


def _rebuild_tensor(
    storage: _Storage, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], *_rest: Any
) -> _View:
    return _View(storage, int(offset), tuple(shape), tuple(strides))


def _rebuild_parameter(tensor: _View, *_rest: Any) -> _View:
    return tensor


def _read_zip(path: Path) -> dict[str, np.ndarray]:
    with zipfile.ZipFile(path) as archive:
        root = next(name for name in archive.namelist() if name.endswith("/data.pkl"))[:-8]
        unpickler = _TensorUnpickler(io.BytesIO(archive.read(f"{root}data.pkl")))
        table = unpickler.load()
        for key, storage in unpickler.storages.items():
            raw = archive.read(f"{root}data/{key}")
            storage.numbers = np.frombuffer(raw, storage.dtype, storage.count)
    return _arrays(table)


def _read_legacy(path: Path) -> dict[str, np.ndarray]:
    with path.open("rb") as file:
        if _TensorUnpickler(file).load() != MAGIC:
            raise pickle.UnpicklingError("it does not begin as a torch checkpoint does")
        _TensorUnpickler(file).load()  # protocol version
        _TensorUnpickler(file).load()  # sizes of C types on the machine that wrote it
        unpickler = _TensorUnpickler(file)
        table = unpickler.load()
        for key in _TensorUnpickler(file).load():
            storage = unpickler.storages[key]
            (count,) = struct.unpack("<q", file.read(8))
            raw = file.read(count * storage.dtype.itemsize)
            storage.numbers = np.frombuffer(raw, storage.dtype, count)
    return _arrays(table)


def _arrays(table: Any) -> dict[str, np.ndarray]:
    if not isinstance(table, dict):
        raise pickle.UnpicklingError("it holds no table of tensors")
    # Some are stored together with the state of their training.
    table = table.get("model_state", table)
    return {str(name): view.array() for name, view in table.items() if isinstance(view, _View)}
