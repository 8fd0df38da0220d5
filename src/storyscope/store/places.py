"""The location of a library: a folder, or an address with a scheme."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

from storyscope.errors import LibraryError
from storyscope.reading import LARGEST_SETTINGS, read_at_most

FOLDER = "file"
"""The scheme of a place without one."""
SETTINGS_FILE = "storyscope.toml"
"""The settings file of a library; in a folder it may contain the address of the library instead."""


def address_of(place: str | Path) -> tuple[str, str]:
    """The scheme of a place and the whole address; slashes that a Path removed are restored."""
    written = os.fspath(place)
    found = re.fullmatch(r"([a-z][a-z0-9+]+):(?:/+(.*))?", written)
    if found is None:
        return FOLDER, written
    return found[1], written if "://" in written else f"{found[1]}://{found[2] or ''}"


def without_password(address: str) -> str:
    """An address without its password: `user@host` for `user:password@host`."""
    return re.sub(r"(?<=://)([^/@:]*):[^/@]*(?=@)", r"\1", address)


def named_in_settings(folder: str | Path) -> str | None:
    """The address in `library = "..."` of a folder's settings file, if there is one."""
    path = Path(folder).expanduser() / SETTINGS_FILE
    try:
        written = tomllib.loads(read_at_most(path, LARGEST_SETTINGS).decode())
    except (OSError, ValueError, RecursionError):
        # The reader of the settings reports what is wrong with them.
        return None
    named = written.pop("library", None)
    if named is not None and (not isinstance(named, str) or address_of(named)[0] == FOLDER):
        raise LibraryError(f'{path}: library is an address such as "postgresql://host/name"')
    if named is not None and written:
        raise LibraryError(
            f"{path} refers to a library, which has its own settings; leave {', '.join(written)} "
            "out of the file and set it with `storyscope config`"
        )
    return named
