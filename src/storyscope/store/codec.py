"""Conversion of artefacts to JSON and arrays, and back, without loss.

An artefact is any nesting of records (the dataclasses of `storyscope.core`), tuples, mappings,
ranges, bytes, arrays and JSON scalars. Arrays and bytes are stored in a separate file; everything
else becomes one JSON text. Fields of type `Rows`, and sequences of byte strings, are not read into
memory: they grow with the film.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from storyscope import core
from storyscope.core import Blobs, Rows
from storyscope.errors import LibraryError
from storyscope.store.arrays import StoredRows

_RECORDS: dict[str, type] = {
    name: getattr(core, name) for name in core.__all__ if is_dataclass(getattr(core, name))
}
_LONG = {
    name: {field.name for field in fields(record) if field.type == "Rows"}
    for name, record in _RECORDS.items()
}

_PLAIN = {type(None), bool, int, float, str}
"""Types that JSON represents without change."""


def pack(artefact: Any) -> tuple[str, dict[str, Rows]]:
    """Split an artefact into JSON text and the arrays it refers to."""
    arrays: dict[str, Rows] = {}
    return json.dumps(_pack(artefact, arrays), ensure_ascii=False, sort_keys=True), arrays


def unpack(facts: str, arrays: Mapping[str, Rows]) -> Any:
    """The inverse of `pack`."""
    return _unpack(json.loads(facts), arrays)


def _pack(value: Any, arrays: dict[str, Rows]) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        name = type(value).__name__
        if _RECORDS.get(name) is not type(value):
            raise TypeError(f"a stage returned {type(value)}, which is not a core type")
        packed = {f.name: _pack(getattr(value, f.name), arrays) for f in fields(value)}
        return {"@record": name, **packed}
    match value:
        case None | bool() | int() | float() | str():
            return value
        case np.generic():
            return value.item()
        case np.ndarray() | StoredRows():
            return {"@array": _keep(value, arrays)}
        case Blobs() if len(value):
            return {"@blobs": [_keep(value.joined, arrays), _keep(value.ends, arrays)]}
        case bytes():
            return {"@bytes": _keep(np.frombuffer(value, np.uint8), arrays)}
        case range():
            return {"@range": [value.start, value.stop]}
        case tuple() if value and all(isinstance(item, bytes) for item in value):
            ends = np.cumsum([len(item) for item in value])
            joined = np.frombuffer(b"".join(value), np.uint8)
            return {"@blobs": [_keep(joined, arrays), _keep(ends, arrays)]}
        case tuple() | list() | Blobs():
            return [_pack(item, arrays) for item in value]
        case Mapping():
            return {"@map": [[key, _pack(item, arrays)] for key, item in value.items()]}
    raise TypeError(f"a stage returned {type(value)}, which cannot be stored")


def _unpack(value: Any, arrays: Mapping[str, Rows]) -> Any:
    if isinstance(value, list):
        # Most lists are long and contain texts or numbers, which need no conversion.
        if {*map(type, value)} <= _PLAIN:
            return tuple(value)
        return tuple([_unpack(item, arrays) for item in value])
    if not isinstance(value, dict):
        return value
    # The most frequent ones: matching a pattern takes longer.
    if "@record" in value:
        return _unpack_record(value, arrays)
    if "@range" in value:
        return range(*value["@range"])
    match value:
        case {"@array": name}:
            return np.asarray(arrays[name])
        case {"@bytes": name}:
            return np.asarray(arrays[name]).tobytes()
        case {"@blobs": [name, ends]}:
            return Blobs(arrays[name], np.asarray(arrays[ends]))
        case {"@map": items}:
            return {key: _unpack(item, arrays) for key, item in items}
    raise LibraryError("an artefact in the library is damaged; index the video again")


def _unpack_record(value: dict[str, Any], arrays: Mapping[str, Rows]) -> Any:
    name = value.pop("@record")
    if name not in _RECORDS:
        raise LibraryError(
            f"the library holds a {name}, which this version does not know; index the video again"
        )
    long, values = _LONG[name], {}
    for key, item in value.items():
        if type(item) in _PLAIN:
            values[key] = item
        else:
            values[key] = arrays[item["@array"]] if key in long else _unpack(item, arrays)
    try:
        return _RECORDS[name](**values)
    except TypeError as error:
        raise LibraryError(
            f"the library holds a {name} of an older version; index the video again"
        ) from error


def _keep(array: Rows, arrays: dict[str, Rows]) -> str:
    name = f"a{len(arrays)}"
    arrays[name] = np.ascontiguousarray(array) if isinstance(array, np.ndarray) else array
    return name
