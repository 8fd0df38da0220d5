"""Settings as TOML and as text: reading, writing, and the description of each setting."""

from __future__ import annotations

import ast
import difflib
import inspect
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from storyscope.config.records import PRESETS, Config, StoryConfig
from storyscope.core import StoryCount
from storyscope.errors import InvalidSetting
from storyscope.reading import LARGEST_SETTINGS, read_at_most

MODEL_TABLES = ("shots", "stories")
"""Settings tables whose `model` may be a file that was trained in the library."""
STORY_COUNTS = tuple(f.name for f in fields(StoryCount))
"""The settings of `stories` that set the number of stories; at most one of them applies."""
OWN_NAMES = ("", "default", "auto", "library")
"""Values of `model` that are reserved names, whatever files are next to the settings."""


def load_config(path: Path) -> Config:
    """Read settings from a TOML file; a missing file gives the defaults.

    The path of a model may be relative to the file.
    """
    if not path.exists():
        return Config()
    try:
        values = tomllib.loads(read_at_most(path, LARGEST_SETTINGS).decode())
    except OSError as error:
        raise InvalidSetting(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidSetting(f"{path} is not a TOML file: {error}") from error
    preset = values.pop("preset", "default")
    base = preset_called(preset, where=str(path))
    return with_settings(base, values, where=str(path), home=path.parent)


def preset_called(name: Any, *, where: str = "settings") -> Config:
    """All settings of a preset."""
    if name not in PRESETS:
        raise InvalidSetting(f"{where}: {_unknown('preset', str(name), list(PRESETS))}")
    return PRESETS[name]


def with_settings(
    config: Config,
    values: Mapping[str, Any],
    *,
    where: str = "settings",
    home: Path | None = None,
) -> Config:
    """A copy of `config` with some values replaced.

    The path of a model may be relative to the folder `home`. A new number of stories replaces the
    previous one, whichever setting it was given by.
    """
    if set(STORY_COUNTS) & set(values.get("stories") or ()):
        earlier = {name: getattr(StoryConfig(), name) for name in STORY_COUNTS}
        config = replace(config, stories=replace(config.stories, **earlier))
    laid: Config = _lay_over(config, values, where)
    for table in MODEL_TABLES if home else ():
        model = getattr(laid, table).model
        beside = home.resolve() / model if home else Path()
        if model not in OWN_NAMES and beside.is_file():
            laid = _with_model(laid, table, beside)
    return laid


def parse_settings(lines: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Convert settings written as `table.name=value` into the tables of a TOML file."""
    tables: dict[str, dict[str, Any]] = {}
    for line in lines:
        path, equals, text = line.partition("=")
        table, dot, name = path.strip().partition(".")
        if not (equals and dot and table and name):
            raise InvalidSetting(f"a setting is written as stories.minutes=5, got {line!r}")
        try:
            value = tomllib.loads(f"value = {text.strip()}")["value"]
        except tomllib.TOMLDecodeError:
            value = text.strip()
        tables.setdefault(table, {})[name] = value
    return tables


def to_toml(config: Config, *, preset: str = "default", home: Path | None = None) -> str:
    """The settings that differ from a preset, as the text of a TOML file.

    A model inside `home`, the folder of that file, is written with a relative path, so that they
    can be moved together.
    """
    for name in MODEL_TABLES:
        model = Path(getattr(config, name).model)
        if home is not None and model.is_relative_to(home.resolve()):
            config = _with_model(config, name, model.relative_to(home.resolve()))
    lines = [] if preset == "default" else [f"preset = {json.dumps(preset)}"]
    for table in fields(config):
        record, base = getattr(config, table.name), getattr(PRESETS[preset], table.name)
        changed = [
            f.name for f in fields(record) if getattr(record, f.name) != getattr(base, f.name)
        ]
        if changed:
            lines += ["", f"[{table.name}]"]
            lines += [f"{name} = {_as_toml(getattr(record, name))}" for name in changed]
    return "\n".join(lines).strip() + "\n"


def _with_model(config: Config, table: str, model: Path) -> Config:
    changed: Config = replace(config, **{table: replace(getattr(config, table), model=str(model))})
    return changed


def _as_toml(value: Any) -> str:
    """A string or number in TOML syntax: as in JSON, except for one character that must be
    escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def describe_settings(config: Config) -> Iterator[tuple[str, Any, str]]:
    """Yield the name, value and description of every setting."""
    for table in fields(config):
        record = getattr(config, table.name)
        words = _field_docs(type(record))
        for setting in fields(record):
            yield f"{table.name}.{setting.name}", getattr(record, setting.name), words[setting.name]


def _lay_over(record: Any, values: Mapping[str, Any], where: str) -> Any:
    names = [f.name for f in fields(record)]
    changes: dict[str, Any] = {}
    for name, value in values.items():
        if name not in names:
            raise InvalidSetting(f"{where}: {_unknown('setting', name, names)}")
        current = getattr(record, name)
        if is_dataclass(current):
            if not isinstance(value, Mapping):
                raise InvalidSetting(f"{where}: {name} is a table of settings, got {value!r}")
            changes[name] = _lay_over(current, value, where)
        else:
            changes[name] = value
    try:
        return replace(record, **changes)
    except InvalidSetting as error:
        raise InvalidSetting(f"{where}: {error}") from error


def _unknown(what: str, name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(names)}"
    return f"no {what} called {name!r}; {hint}"


def _field_docs(record: type) -> dict[str, str]:
    """The docstring under each field of a settings record."""
    (body,) = ast.parse(inspect.getsource(record)).body
    docs: dict[str, str] = {}
    assert isinstance(body, ast.ClassDef)
    for line, below in pairwise(body.body):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            text = below.value if isinstance(below, ast.Expr) else None
            docs[line.target.id] = str(text.value) if isinstance(text, ast.Constant) else ""
    return docs
