"""Validation of settings records when they are created."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, fields
from functools import cache
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

from storyscope.errors import InvalidSetting
from storyscope.plugins import plugin_names


def at_least(least: float, default: Any) -> Any:
    """A setting that is a number, at least `least`."""
    return field(default=default, metadata={"least": least})


def between(least: float, most: float, default: float) -> Any:
    """A setting that is a number from `least` to `most`."""
    return field(default=default, metadata={"least": least, "most": most})


def one_of(
    default: str, *others: str, at_least: float | None = None, plugins: str | None = None
) -> Any:
    """A setting that is one of these words, the first by default; or a number of at least
    `at_least`.

    `plugins` is the group of entry points whose names are allowed too.
    """
    choices = {"choices": (default, *others), "least": at_least, "plugins": plugins}
    return field(default=default, metadata=choices)


LARGEST_INTEGER = 10**18
"""Largest allowed number: a number of thousands of digits can be neither used nor printed."""


class Checked:
    """A settings record that rejects values of the wrong type, choice or range."""

    table: ClassVar[str]
    """The table of `storyscope.toml` that contains these settings."""

    def __post_init__(self) -> None:
        record: Any = type(self)
        kinds = _kinds_of(record)
        for setting in fields(record):
            value = getattr(self, setting.name)
            name = f"{self.table}.{setting.name}"
            checked = _checked(name, value, kinds[setting.name], setting.metadata)
            object.__setattr__(self, setting.name, checked)


def _checked(name: str, value: Any, kinds: tuple[type, ...], limits: Mapping[str, Any]) -> Any:
    """The value converted to the type of the setting, or an error that names setting, value and
    choices."""
    if type(value) is int and abs(value) > LARGEST_INTEGER:
        raise InvalidSetting(f"{name} must be a number of at most 18 digits")
    if float in kinds and type(value) is int:
        value = float(value)
    if type(value) not in kinds:
        words = " or ".join(kind.__name__ for kind in kinds)
        raise InvalidSetting(f"{name} must be of type {words}, got {value!r}")
    choices, least = limits.get("choices"), limits.get("least")
    if choices and isinstance(value, str) and value not in choices:
        added = plugin_names(limits["plugins"]) if limits["plugins"] else []
        if value not in added:
            words = " or ".join([*choices, *added, *(["a number"] if float in kinds else [])])
            raise InvalidSetting(f"{name} must be {words}, got {value!r}")
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidSetting(f"{name} must be a finite number, got {value!r}")
    if least is not None and not isinstance(value, str) and value < least:
        raise InvalidSetting(f"{name} must be at least {least}, got {value!r}")
    most = limits.get("most")
    if most is not None and value > most:
        raise InvalidSetting(f"{name} must be at most {most}, got {value!r}")
    return value


@cache
def _kinds_of(record: Any) -> dict[str, tuple[type, ...]]:
    """The types that each setting of a record may have."""
    hints = get_type_hints(record)
    return {
        setting.name: get_args(hints[setting.name])
        if get_origin(hints[setting.name]) is not None
        else (hints[setting.name],)
        for setting in fields(record)
    }
