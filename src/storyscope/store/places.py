"""Where a library is: a folder, or an address whose scheme says what answers there."""

from __future__ import annotations

import os
import re
from pathlib import Path

FOLDER = "file"
"""The scheme of a place that is written without one."""


def address_of(place: str | Path) -> tuple[str, str]:
    """The scheme of a place and the whole of it; a Path drops slashes, which are put back."""
    written = os.fspath(place)
    found = re.fullmatch(r"([a-z][a-z0-9+]+):(?:/+(.*))?", written)
    return (found[1], f"{found[1]}://{found[2] or ''}") if found else (FOLDER, written)
