"""The weights of the fast detector that ship with the package, and their digest."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import numpy as np

from storyscope.errors import ModelError
from storyscope.models import check_own

WEIGHTS = Path(__file__).parent / "weights.npz"
CARD = Path(__file__).parent / "weights.json"
"""What the weights are, and the program that made them."""
LARGEST = 64 << 20
"""Bytes of all arrays in a file, which may be packed a thousand times smaller."""


def load_weights(learned: str = "") -> dict[str, np.ndarray]:
    """Every array of the weights that ship, as float32, or those of a `learned` file instead."""
    ours = _read(check_own(WEIGHTS))
    if not learned:
        return ours
    theirs = _read(Path(learned))
    if any(ours[name].shape != value.shape for name, value in theirs.items() if name in ours):
        raise ModelError(
            f"{learned} was learned with another version of Storyscope; run "
            "`storyscope train --shots` again, or clear the setting shots.model"
        )
    return ours | theirs


@cache
def _read(path: Path) -> dict[str, np.ndarray]:
    try:
        with ZipFile(path) as archive:
            size = sum(inside.file_size for inside in archive.infolist())
        if size > LARGEST:
            raise ValueError(f"{size} bytes are too many")
        with np.load(path) as stored:
            return {name: stored[name].astype(np.float32) for name in stored.files}
    except (OSError, ValueError, MemoryError, BadZipFile) as error:
        raise ModelError(
            f"{path} cannot be read as weights of the shot detector; run "
            "`storyscope train --shots` again, or clear the setting shots.model"
        ) from error


def digest(weights: Mapping[str, np.ndarray]) -> str:
    """SHA-256 of the numbers as they are stored, whatever file they lie in."""
    content = hashlib.sha256()
    for name in sorted(weights):
        content.update(f"{name} {weights[name].shape} {weights[name].dtype}".encode())
        content.update(np.ascontiguousarray(weights[name]).tobytes())
    return content.hexdigest()
