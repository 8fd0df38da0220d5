"""Run a network's graph with torch, to use a GPU that torch finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from storyscope.features.onnx_graph import Graph


class TorchSession:
    """Has the interface of onnxruntime's session, on a given device."""

    def __init__(self, graph: Graph, device: str) -> None:
        self._graph = graph
        self._device = device
        self._operators = _operators()
        self._constants = {name: self._tensor(value) for name, value in graph.constants.items()}

    def run(self, outputs: Sequence[str], inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        """Values of the named `outputs`."""
        import torch

        # Otherwise a GPU would round to ten bits, and not always in the same order.
        exact = torch.backends.cudnn.flags(enabled=True, deterministic=True, allow_tf32=False)
        values = self._constants | {name: self._tensor(value) for name, value in inputs.items()}
        with torch.inference_mode(), exact:
            for node in self._graph.nodes:
                given = (values[name] for name in node.inputs)
                values[node.output] = self._operators[node.operator](*given, **node.attributes)
        return [values[name].cpu().numpy() for name in outputs]

    def _tensor(self, value: np.ndarray) -> Any:
        import torch

        return torch.from_numpy(np.ascontiguousarray(value)).to(self._device)


def _operators() -> dict[str, Callable[..., Any]]:
    """The operators of our networks, with the attributes that they use."""
    import torch
    from torch.nn import functional

    def convolved(
        x: Any,
        kernel: Any,
        bias: Any,
        *,
        strides: Sequence[int] = (1, 1),
        pads: Sequence[int] = (0, 0, 0, 0),
        group: int = 1,
        auto_pad: str = "",
    ) -> Any:
        top, left, bottom, right = pads
        if auto_pad == "SAME_UPPER":
            top, bottom = _same(x.shape[2], kernel.shape[2], strides[0])
            left, right = _same(x.shape[3], kernel.shape[3], strides[1])
        x = functional.pad(x, (left, right, top, bottom))
        return functional.conv2d(x, kernel, bias, stride=tuple(strides), groups=group)

    return {
        "Add": torch.add,
        "Cast": lambda x, *, to: x.float(),
        "Clip": torch.clamp,
        "Conv": convolved,
        "Flatten": lambda x, *, axis: x.flatten(axis),
        "Gemm": lambda x, weight, bias, *, transB: functional.linear(x, weight, bias),
        "GlobalAveragePool": lambda x: x.mean(dim=(2, 3), keepdim=True),
        "MaxPool": lambda x, *, kernel_shape, strides: functional.max_pool2d(
            x, tuple(kernel_shape), tuple(strides)
        ),
        "Mean": lambda *values: sum(values) / len(values),
        "Mul": torch.mul,
        "ReduceMean": lambda x, *, axes, keepdims: x.mean(dim=tuple(axes), keepdim=bool(keepdims)),
        "Relu": torch.relu,
        "Softmax": lambda x, *, axis: x.softmax(dim=axis),
        "Sub": torch.sub,
        "Transpose": lambda x, *, perm: x.permute(*perm),
    }


def _same(size: int, kernel: int, stride: int) -> tuple[int, int]:
    """Padding before and after a row, so that its length shrinks by the stride alone."""
    missing = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return missing // 2, missing - missing // 2
