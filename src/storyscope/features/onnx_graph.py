"""A network written down as an ONNX file.

ONNX is a protocol buffer. The handful of messages a convolutional network needs are written here
directly, so that the core install does without the `onnx` package and its 36 MB.
Field numbers are those of onnx.proto.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

import numpy as np

Attribute = int | float | str | Sequence[int]
Shape = Sequence[int | str]

OPSET = 17
IR_VERSION = 8
ELEMENT_TYPES = {np.dtype("f4"): 1, np.dtype("u1"): 2, np.dtype("i8"): 7}


class Graph:
    """Nodes and constants in the order they are added; `model` gives the file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def node(self, operator: str, *inputs: str, output: str = "", **attributes: Attribute) -> str:
        """Add one operation and return the name of its result."""
        output = output or f"{operator.lower()}_{len(self._nodes)}"
        self._nodes.append(
            b"".join(_text(1, name) for name in inputs)
            + _text(2, output)
            + _text(4, operator)
            + b"".join(_message(5, _attribute(*item)) for item in attributes.items())
        )
        return output

    def constant(self, values: np.ndarray) -> str:
        """Add an array and return its name."""
        name = f"constant_{len(self._constants)}"
        self._constants.append(
            b"".join(_number(1, size) for size in values.shape)
            + _number(2, ELEMENT_TYPES[values.dtype])
            + _text(8, name)
            + _message(9, np.ascontiguousarray(values).tobytes())
        )
        return name

    def model(
        self,
        inputs: Iterable[tuple[str, np.dtype, Shape]],
        outputs: Iterable[tuple[str, np.dtype, Shape]],
    ) -> bytes:
        """The whole file; every input and output is (name, type, shape), a free axis a word."""
        graph = (
            b"".join(_message(1, node) for node in self._nodes)
            + _text(2, self.name)
            + b"".join(_message(5, constant) for constant in self._constants)
            + b"".join(_message(11, _value(*value)) for value in inputs)
            + b"".join(_message(12, _value(*value)) for value in outputs)
        )
        return (
            _number(1, IR_VERSION)
            + _text(2, "storyscope")
            + _message(7, graph)
            + _message(8, _text(1, "") + _number(2, OPSET))
        )


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, 2)
    if isinstance(value, float):
        return _text(1, name) + _tag(2, 5) + struct.pack("<f", value) + _number(20, 1)
    if isinstance(value, str):
        return _text(1, name) + _text(4, value) + _number(20, 3)
    return _text(1, name) + b"".join(_number(8, item) for item in value) + _number(20, 7)


def _value(name: str, dtype: np.dtype, shape: Shape) -> bytes:
    axes = (_text(2, axis) if isinstance(axis, str) else _number(1, axis) for axis in shape)
    tensor = _number(1, ELEMENT_TYPES[np.dtype(dtype)]) + _message(
        2, b"".join(_message(1, axis) for axis in axes)
    )
    return _text(1, name) + _message(2, _message(1, tensor))


def _tag(field: int, wire: int) -> bytes:
    return _varint(field << 3 | wire)


def _number(field: int, value: int) -> bytes:
    return _tag(field, 0) + _varint(value & (1 << 64) - 1)


def _text(field: int, value: str) -> bytes:
    return _message(field, value.encode())


def _message(field: int, value: bytes) -> bytes:
    return _tag(field, 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
