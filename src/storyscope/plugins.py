"""Formats, cues and shot detectors of other packages, found by their entry points."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from storyscope.errors import StoryscopeError, UnknownName


def plugin_names(group: str) -> list[str]:
    """Names that installed packages register in a group such as `storyscope.formats`."""
    return sorted(_plugins(group))


def load_plugin(group: str, name: str) -> Any:
    """Import and return what an installed package registers under a name."""
    plugins = _plugins(group)
    if name not in plugins:
        raise UnknownName(f"no installed package offers {name!r} as {group}")
    try:
        return plugins[name].load()
    except Exception as error:
        raise StoryscopeError(
            f"{plugins[name].value}, which an installed package offers as {group} {name!r}, "
            f"cannot be loaded: {type(error).__name__}: {error}"
        ) from error


@cache
def _plugins(group: str) -> dict[str, EntryPoint]:
    return {plugin.name: plugin for plugin in entry_points(group=group)}
