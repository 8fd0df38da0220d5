"""VGG-16 in the common layouts: torchvision, timm, Keras and Caffe.

Whatever the file, the result is one table: `features.N` for the convolutions, `pre_logits.fc1`,
`pre_logits.fc2` and `head.fc` as in timm, and for Keras and Caffe, which subtract a mean from
pixels of 0 to 255 in the order blue, green, red, the preprocessing: `input.mean` and `input.scale`,
red first. No file is executed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

import numpy as np

from storyscope.errors import MissingDependency, ModelError
from storyscope.features.checkpoint import read_weights

Weights = dict[str, np.ndarray]

WIDTHS = (64, 64, 128, 128, 256, 256, 256, 512, 512, 512, 512, 512, 512)
NUMBERS = (0, 2, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28)
"""Numbers of the convolutions in torchvision's list of layers."""
CAFFE_NAMES = tuple(
    f"conv{block}_{layer}"
    for block, layers in enumerate((2, 2, 3, 3, 3), start=1)
    for layer in range(1, layers + 1)
)
CAFFE_MEAN = (123.68, 116.779, 103.939)
"""Red, green, blue: the mean that both Caffe's and Keras's networks were trained with."""
MOST_BIAS = 0.5
"""Maximum mean of the first layer relative to its spread: a trained one is near zero."""


def read_vgg16(path: Path) -> Weights:
    """The weights of VGG-16 from any known file, checked by shape and by the first layer's mean."""
    if path.suffix in (".h5", ".hdf5", ".keras"):
        weights = _from_keras(path)
    elif path.suffix == ".caffemodel":
        weights = _from_caffe(path)
    else:
        weights = read_weights(path)
        if "classifier.0.weight" in weights:
            weights = _from_torchvision(weights)
    _check(path, weights)
    return weights


def _from_torchvision(weights: Mapping[str, np.ndarray]) -> Weights:
    named = {name: array for name, array in weights.items() if name.startswith("features.")}
    for number, name in ((0, "pre_logits.fc1"), (3, "pre_logits.fc2"), (6, "head.fc")):
        for part in ("weight", "bias"):
            if f"classifier.{number}.{part}" in weights:
                named[f"{name}.{part}"] = weights[f"classifier.{number}.{part}"]
    return _with_convolutions(named)


def _with_convolutions(weights: Weights) -> Weights:
    """The two fully connected layers as equivalent convolutions."""
    for name, size in (("pre_logits.fc1", 7), ("pre_logits.fc2", 1)):
        matrix = weights.get(f"{name}.weight")
        if matrix is not None and matrix.ndim == 2 and not matrix.shape[1] % size**2:
            weights[f"{name}.weight"] = matrix.reshape(len(matrix), -1, size, size)
    return weights


def _with_caffe_input(weights: Weights) -> Weights:
    """Weights with red first, and the preprocessing of pixels for this network."""
    first = weights.get("features.0.weight")
    if first is not None and first.ndim == 4:
        weights["features.0.weight"] = first[:, ::-1]
    weights["input.mean"] = np.array(CAFFE_MEAN, np.float32)
    weights["input.scale"] = np.ones(3, np.float32)
    return weights


def _from_keras(path: Path) -> Weights:
    """Kernels are [y, x, in, out], and the first dense layer reads a map of [y, x, channel]."""
    try:
        import h5py
    except ImportError as error:
        raise MissingDependency(
            f"reading {path.name} needs h5py, which is not installed; run `pip install h5py`"
        ) from error
    arrays: Weights = {}

    def visit(name: str, node: object) -> None:
        if isinstance(node, h5py.Dataset) and node.ndim in (1, 2, 4):
            arrays[name] = np.asarray(node)

    try:
        with h5py.File(path, "r") as file:
            file.visititems(visit)
    except OSError as error:
        raise ModelError(f"{path} cannot be read as HDF5: {error}") from error
    keras_names = [name.replace("conv", "block", 1).replace("_", "_conv") for name in CAFFE_NAMES]
    targets = [*(f"features.{n}" for n in NUMBERS), "pre_logits.fc1", "pre_logits.fc2", "head.fc"]
    weights: Weights = {}
    for layer, target in zip([*keras_names, "fc1", "fc2", "predictions"], targets, strict=True):
        for name, array in arrays.items():
            if layer in name.split("/"):
                part = "bias" if array.ndim == 1 else "weight"
                weights[f"{target}.{part}"] = _turned(array, layer)
    return _with_caffe_input(_with_convolutions(weights))


def _turned(array: np.ndarray, layer: str) -> np.ndarray:
    if array.ndim == 4:
        return array.transpose(3, 2, 0, 1)
    if layer == "fc1" and array.ndim == 2 and not len(array) % 49:
        return array.reshape(7, 7, -1, array.shape[1]).transpose(3, 2, 0, 1)
    return array.T


def _from_caffe(path: Path) -> Weights:
    """Blobs of a network in protocol buffers: the layers of VGG-16 have a kernel and a bias."""
    targets = dict(zip(CAFFE_NAMES, (f"features.{number}" for number in NUMBERS), strict=True))
    targets |= {"fc6": "pre_logits.fc1", "fc7": "pre_logits.fc2", "fc8": "head.fc"}
    weights: Weights = {}
    try:
        for layer, blobs in _caffe_layers(memoryview(np.memmap(path, np.uint8, "r").data)):
            if layer in targets:
                for part, (shape, values) in zip(("weight", "bias"), blobs, strict=False):
                    plain = values.reshape([size for size in shape if size > 1] or [-1])
                    weights[f"{targets[layer]}.{part}"] = plain
    except (ValueError, IndexError) as error:
        raise ModelError(f"{path} cannot be read as a Caffe network: {error}") from error
    return _with_caffe_input(_with_convolutions(weights))


def _caffe_layers(
    content: memoryview,
) -> Iterator[tuple[str, list[tuple[list[int], np.ndarray]]]]:
    """Name and blobs of every layer, in the old way of writing them (field 2) and the new (100)."""
    for field, value in _fields(content):
        if field not in (2, 100) or not isinstance(value, memoryview):
            continue
        name_field, blob_field = (4, 6) if field == 2 else (1, 7)
        name, blobs = "", []
        for inner, part in _fields(value):
            if inner == name_field and isinstance(part, memoryview):
                name = bytes(part).decode("utf-8", "replace")
            elif inner == blob_field and isinstance(part, memoryview):
                blobs.append(_blob(part))
        yield name, blobs


def _blob(content: memoryview) -> tuple[list[int], np.ndarray]:
    shape: list[int] = []
    values = np.zeros(0, np.float32)
    for field, value in _fields(content):
        if field == 5 and isinstance(value, memoryview):
            values = np.frombuffer(value, "<f4")
        elif field in (1, 2, 3, 4) and isinstance(value, int):
            shape.append(value)
        elif field == 7 and isinstance(value, memoryview):
            for inner, sizes in _fields(value):
                if inner == 1:
                    shape += [sizes] if isinstance(sizes, int) else _integers(sizes)
    return shape, values


def _integers(content: memoryview) -> list[int]:
    place, found = 0, []
    while place < len(content):
        number, place = _integer(content, place)
        found.append(number)
    return found


def _fields(content: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Number and value of each field of a protocol buffer; fixed-width numbers are skipped."""
    place = 0
    while place < len(content):
        key, place = _integer(content, place)
        kind = key & 7
        if kind == 0:
            value, place = _integer(content, place)
            yield key >> 3, value
        elif kind == 2:
            length, place = _integer(content, place)
            if place + length > len(content):
                raise ValueError("it is cut short")
            yield key >> 3, content[place : place + length]
            place += length
        elif kind in (1, 5):
            place += 8 if kind == 1 else 4
        else:
            raise ValueError("it is not a protocol buffer")


def _integer(content: memoryview, place: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = content[place]
        place += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, place
        shift += 7


def _check(path: Path, weights: Mapping[str, np.ndarray]) -> None:
    """Reject what is not VGG-16 at full width, or was not read in the right order."""
    for name, shape in _shapes():
        if name not in weights:
            raise ModelError(f"{path} is not VGG-16: {name} is missing")
        if weights[name].shape != shape:
            raise ModelError(
                f"{path} is not VGG-16: {name} is {weights[name].shape}, expected {shape}"
            )
    first = weights["features.0.weight"].astype(np.float64)
    mean, spread = float(first.mean()), float(first.std())
    if not np.isfinite(mean) or not spread or abs(mean) > MOST_BIAS * spread:
        raise ModelError(
            f"{path} is damaged or read in the wrong order: its first layer has mean {mean:.3g} "
            f"and spread {spread:.3g}, a trained one has a mean near 0"
        )


def _shapes() -> Iterator[tuple[str, tuple[int, ...]]]:
    inputs = (3, *WIDTHS[:-1])
    layers = chain(
        (
            (f"features.{number}", (width, before, 3, 3))
            for number, width, before in zip(NUMBERS, WIDTHS, inputs, strict=True)
        ),
        (
            ("pre_logits.fc1", (4096, 512, 7, 7)),
            ("pre_logits.fc2", (4096, 4096, 1, 1)),
            ("head.fc", (1000, 4096)),
        ),
    )
    for name, shape in layers:
        yield f"{name}.weight", shape
        yield f"{name}.bias", shape[:1]
