"""Write a network as an ONNX file.

ONNX is a protocol buffer. The few messages that a convolutional network needs are written here
directly, so that the core install does not need the `onnx` package and its 36 MB. Field numbers are
those of onnx.proto.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Attribute = int | float | str | Sequence[int]
Shape = Sequence[int | str]

OPSET = 17
IR_VERSION = 8
ELEMENT_TYPES = {np.dtype("f4"): 1, np.dtype("u1"): 2, np.dtype("i8"): 7}


@dataclass(frozen=True)
class Node:
    """One operation: its type, its inputs, and the name of its result."""

    operator: str
    inputs: tuple[str, ...]
    output: str
    attributes: Mapping[str, Attribute]


@dataclass(frozen=True)
class Tensor:
    """An input or output; a free axis is a word."""

    name: str
    dtype: np.dtype
    shape: Shape


class Graph:
    """Nodes and constants in the order they are added; `model` returns the file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.nodes: list[Node] = []
        self.constants: dict[str, np.ndarray] = {}
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []

    def node(self, operator: str, *inputs: str, output: str = "", **attributes: Attribute) -> str:
        """Add one operation and return the name of its result."""
        output = output or f"{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(Node(operator, inputs, output, attributes))
        return output

    def constant(self, values: np.ndarray) -> str:
        """Add an array and return its name."""
        name = f"constant_{len(self.constants)}"
        self.constants[name] = values
        return name

    def model(self) -> bytes:
        """The whole file."""
        graph = (
            b"".join(_message(1, _node(node)) for node in self.nodes)
            + _text(2, self.name)
            + b"".join(_message(5, _constant(*item)) for item in self.constants.items())
            + b"".join(_message(11, _value(tensor)) for tensor in self.inputs)
            + b"".join(_message(12, _value(tensor)) for tensor in self.outputs)
        )
        return (
            _number(1, IR_VERSION)
            + _text(2, "storyscope")
            + _message(7, graph)
            + _message(8, _text(1, "") + _number(2, OPSET))
        )


def _node(node: Node) -> bytes:
    return (
        b"".join(_text(1, name) for name in node.inputs)
        + _text(2, node.output)
        + _text(4, node.operator)
        + b"".join(_message(5, _attribute(*item)) for item in node.attributes.items())
    )


def _constant(name: str, values: np.ndarray) -> bytes:
    return (
        b"".join(_number(1, size) for size in values.shape)
        + _number(2, ELEMENT_TYPES[values.dtype])
        + _text(8, name)
        + _message(9, np.ascontiguousarray(values).tobytes())
    )


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, 2)
    if isinstance(value, float):
        return _text(1, name) + _tag(2, 5) + struct.pack("<f", value) + _number(20, 1)
    if isinstance(value, str):
        return _text(1, name) + _text(4, value) + _number(20, 3)
    return _text(1, name) + b"".join(_number(8, item) for item in value) + _number(20, 7)


def _value(tensor: Tensor) -> bytes:
    axes = (_text(2, axis) if isinstance(axis, str) else _number(1, axis) for axis in tensor.shape)
    kind = _number(1, ELEMENT_TYPES[np.dtype(tensor.dtype)]) + _message(
        2, b"".join(_message(1, axis) for axis in axes)
    )
    return _text(1, tensor.name) + _message(2, _message(1, kind))


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
