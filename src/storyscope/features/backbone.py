"""The image network: its graph is built once from the weights and then cached.

onnxruntime runs it, or torch if torch finds a GPU that onnxruntime cannot use.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np

from storyscope.errors import ModelError
from storyscope.features.checkpoint import read_weights
from storyscope.features.networks import SIZE, Weights, efficientnet_lite0, vgg16
from storyscope.features.onnx_graph import Graph
from storyscope.features.torch_graph import TorchSession
from storyscope.features.vgg16_files import read_vgg16
from storyscope.models import (
    SHIPPED,
    Model,
    cache_folder,
    check_pinned,
    digest_of,
    find_model,
    keep_in_cache,
    models_folder,
    onnx_session,
    pin_files,
    torch_gpu,
    write_weights,
)

GRAPH_VERSION = 2
"""Increase this number when `networks.py` writes a different graph from the same weights."""

VGG16 = "vgg16"
"""The paper's image network, by its name in the settings."""

COLUMNS = tuple(f"column_{number}" for number in range(1, 6))

BUILDERS: dict[str, Callable[[Weights], Graph]] = {
    "_conv_stem.weight": efficientnet_lite0,
    "features.28.weight": vgg16,
}
"""A tensor that only this architecture has, and the function that builds its graph."""


@dataclass(frozen=True, eq=False)
class BackboneOutput:
    """Output of one pass over n pictures."""

    maps: np.ndarray
    """float32 [n, channels, 7, 7], the last convolutional layer."""
    posteriors: np.ndarray
    """float32 [n, 1000], summing to one."""
    columns: tuple[np.ndarray, ...]
    """Five float32 [n, size, size], fine to coarse: the mean of the filters at a resolution."""


class Session(Protocol):
    """A graph that is ready to run."""

    def run(self, outputs: Sequence[str], inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]: ...


@dataclass(frozen=True, eq=False)
class Backbone:
    """An image network that takes 224 x 224 pictures."""

    name: str
    digest: str
    """Digest of the weights and of how they are run."""
    channels: int
    """Number of filters of the last convolutional layer."""
    session: Session

    @property
    def producer(self) -> str:
        return f"{self.name}@{self.digest[:12]}"

    def __call__(self, pictures: np.ndarray) -> BackboneOutput:
        """Run uint8 [n, 224, 224, 3] through the network."""
        if pictures.dtype != np.uint8 or pictures.shape[1:] != (SIZE, SIZE, 3):
            raise ValueError(
                f"pictures are uint8 [n, {SIZE}, {SIZE}, 3], got {pictures.dtype} {pictures.shape}"
            )
        names = ["maps", "posteriors", *COLUMNS]
        maps, posteriors, *columns = self.session.run(names, {"pictures": pictures})
        return BackboneOutput(maps, posteriors, tuple(columns))


def load_backbone(name: str, *, threads: int | None = None) -> Backbone:
    """Open the backbone called `name`: a shipped name, a local folder or a hub id."""
    digest, weights = _weights(name)
    name = weights.stem if _own_file(name) else name
    if device := torch_gpu():
        graph = _build(weights)
        channels = int(graph.outputs[0].shape[1])
        return Backbone(name, digest, channels, TorchSession(graph, device))
    if kept := _kept_graph(digest):
        return _on_onnxruntime(name, digest, kept, threads)
    model = _build(weights).model()
    keep_in_cache(f"networks/{digest}-{hashlib.sha256(model).hexdigest()}.onnx", model)
    return _on_onnxruntime(name, digest, model, threads)


def backbone_digest(name: str) -> str:
    """Digest of the backbone called `name`: its weights and how they are run."""
    digest, _ = _weights(name)
    return digest


def _on_onnxruntime(name: str, digest: str, model: Path | bytes, threads: int | None) -> Backbone:
    session = onnx_session(model, threads=threads)
    return Backbone(name, digest, int(session.get_outputs()[0].shape[1]), session)


def _kept_graph(digest: str) -> Path | None:
    """The cached graph of these weights; a damaged one is deleted."""
    for path in (cache_folder() / "networks").glob(f"{digest}-*.onnx"):
        with suppress(OSError):
            if path.stem == f"{digest}-{digest_of(path)}":
                return path
            path.unlink(missing_ok=True)
    return None


def _weights(name: str) -> tuple[str, Path]:
    if file := vgg16_file() if name == VGG16 else _own_file(name):
        return _digest_of_content(_digest_of_file(file)), file
    model = find_model(name)
    weights = model.file("model.safetensors", "*.safetensors", "*.pth", "models/*.pth")
    return _digest(model, weights), weights


def _own_file(name: str) -> Path | None:
    """A file of weights given by the user; never one of the reserved names."""
    file = Path(name).expanduser()
    return file if name not in (VGG16, *SHIPPED) and file.is_file() else None


def vgg16_file() -> Path:
    """The file of VGG-16 once a user has provided it; it is not in any package."""
    file = models_folder() / VGG16 / "model.safetensors"
    if not file.exists():
        raise ModelError(
            "the paper's image network, VGG-16, is not installed and not available in any "
            "package; provide its weights (torchvision .pth, Keras .h5, Caffe .caffemodel) with "
            "`storyscope models get vgg16 --file FILE`, or use --preset paper-lite"
        )
    fix = "provide it again with `storyscope models get vgg16 --file FILE`"
    check_pinned(file.parent, name=VGG16, fix=fix)
    return file


def keep_vgg16(path: Path) -> Path:
    """Convert a file of VGG-16, in any known layout, into the one that is used; once."""
    weights = {name: array.astype(np.float32) for name, array in read_vgg16(path).items()}
    target = models_folder() / VGG16 / "model.safetensors"
    write_weights(target, weights, {"format": "VGG-16 as timm names it", "from": path.name})
    pin_files(target.parent)
    return target


def _digest(model: Model, weights: Path) -> str:
    if model.source == "package":
        (content,) = SHIPPED[model.name].files.values()
    else:
        content = digest_of(weights)
    return _digest_of_content(content)


def _digest_of_file(path: Path) -> str:
    """SHA-256 of half a gigabyte, computed once per process for an unchanged file."""
    found = path.stat()
    return _digest_of_state(path, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


@lru_cache(maxsize=4)
def _digest_of_state(path: Path, *_state: int) -> str:
    return digest_of(path)


def _digest_of_content(content: str) -> str:
    return hashlib.sha256(f"{content} graph {GRAPH_VERSION}".encode()).hexdigest()


def _build(path: Path) -> Graph:
    foreign = path.suffix in (".h5", ".hdf5", ".keras", ".caffemodel")
    weights = read_vgg16(path) if foreign else read_weights(path)
    if "classifier.0.weight" in weights and "features.28.weight" in weights:
        weights = read_vgg16(path)
    for tensor, builder in BUILDERS.items():
        if tensor in weights:
            return builder(weights)
    raise ModelError(
        f"{path} is not a supported network; EfficientNet-lite0 (as efficientnet-lite-pytorch "
        f"names its layers) and VGG-16 (of timm, torchvision, Keras or Caffe) are known"
    )
