"""Settings of a single video, which override those of its library."""

from __future__ import annotations

from typing import Any

from storyscope.config import Config, with_settings
from storyscope.errors import InvalidSetting
from storyscope.library.documents import JsonDocument
from storyscope.store import Store

OF_A_VIDEO = {"stories": ("granularity", "about", "minutes"), "media": ("start", "end")}
"""Settings that one video may have; all others must be equal for videos that are searched
together."""

Tables = dict[str, dict[str, Any]]
"""Settings by table and name, as in a TOML file."""


def _checked(kept: dict[str, Tables]) -> dict[str, Any]:
    for tables in kept.values():
        with_settings(Config(), tables)
    return kept


VIDEO_SETTINGS: JsonDocument[dict[str, Any]] = JsonDocument("video_settings.json", _checked, dict)
"""The settings of each video that has its own."""


def settings_of(store: Store, config: Config, video: str) -> Config:
    """The settings of a video: those of its library, overridden by its own."""
    return with_settings(config, own_settings(store, video), where=video)


def own_settings(store: Store, video: str) -> Tables:
    """The video's own settings."""
    own: Tables = VIDEO_SETTINGS.read(store).get(video, {})
    return own


def keep_settings_of(store: Store, video: str, changes: Tables) -> None:
    """Store settings of a video; a given table replaces the video's own.

    An empty table removes them, so that the library's settings apply.
    """
    for table, values in changes.items():
        for name in values:
            if name not in OF_A_VIDEO.get(table, ()):
                settable = ", ".join(f"{r}.{n}" for r, names in OF_A_VIDEO.items() for n in names)
                raise InvalidSetting(
                    f"{table}.{name} is a setting of the whole library; a single video has its own "
                    f"{settable}"
                )
    with_settings(Config(), changes)
    if not any(changes.values()) and video not in VIDEO_SETTINGS.read(store):
        return
    with VIDEO_SETTINGS.change(store) as kept:
        tables = {**kept.pop(video, {}), **changes}
        if tables := {table: values for table, values in tables.items() if values}:
            kept[video] = tables
