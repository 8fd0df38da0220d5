"""Two image networks as graphs, from weights in numpy.

Both take pictures as uint8 [n, 224, 224, 3] and give, from one pass,
`maps` [n, channels, 7, 7], `posteriors` [n, 1000], and `column_1` .. `column_5`: for each of the
five resolutions the mean over filters of the rectified layers there, [n, size, size].
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from storyscope.errors import ModelError
from storyscope.features.onnx_graph import Graph, Tensor

SIZE = 224
CLASSES = 1000

Weights = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Stage:
    """Inverted bottlenecks of one width: `repeats` blocks, the first of which has a stride."""

    repeats: int
    kernel: int
    stride: int
    filters: int


LITE0_STAGES = (
    Stage(1, 3, 1, 16),
    Stage(2, 3, 2, 24),
    Stage(2, 5, 2, 40),
    Stage(3, 3, 2, 80),
    Stage(3, 5, 1, 112),
    Stage(4, 5, 2, 192),
    Stage(1, 3, 1, 320),
)
BATCH_NORM_EPSILON = 1e-3

VGG16_LAYERS = ((0, 2), (5, 7), (10, 12, 14), (17, 19, 21), (24, 26, 28))
"""Numbers of the convolutions in the checkpoint, grouped by the pooling that follows them."""


def efficientnet_lite0(weights: Weights) -> Graph:
    """EfficientNet-lite0 with its batch normalisations folded into the convolutions."""
    network = _Network("efficientnet-lite0", weights)
    layer = network.pictures(mean=[127.0] * 3, scale=[1 / 128.0] * 3)
    layer = network.normalised("_conv_stem", "_bn0", layer, stride=2, rectified=True)
    size = SIZE // 2
    network.column(size, layer)
    blocks = [
        (stage, stage.stride if first else 1)
        for stage in LITE0_STAGES
        for first in [True] + [False] * (stage.repeats - 1)
    ]
    filters = 32
    for number, (stage, stride) in enumerate(blocks):
        block, before = f"_blocks.{number}.", layer
        if number > 0:
            layer = network.normalised(
                f"{block}_expand_conv", f"{block}_bn0", layer, rectified=True
            )
        layer = network.normalised(
            f"{block}_depthwise_conv", f"{block}_bn1", layer, stride=stride, rectified=True
        )
        size //= stride
        network.column(size, layer)
        layer = network.normalised(f"{block}_project_conv", f"{block}_bn2", layer)
        if stride == 1 and filters == stage.filters:
            layer = network.graph.node("Add", layer, before)
        filters = stage.filters
    maps = network.normalised("_conv_head", "_bn1", layer, rectified=True, output="maps")
    network.column(size, maps)
    pooled = network.graph.node("GlobalAveragePool", maps)
    network.classified(network.graph.node("Flatten", pooled, axis=1), "_fc")
    return network.finished(channels=1280)


def vgg16(weights: Weights) -> Graph:
    """VGG-16 as in the paper; `maps` is the output of its last pooling, 7 x 7 x 512."""
    network = _Network("vgg16", weights)
    deviation = np.array([0.229, 0.224, 0.225]) * 255
    mean = weights.get("input.mean", np.array([0.485, 0.456, 0.406]) * 255)
    scale = weights.get("input.scale", 1 / deviation)
    layer = network.pictures(mean=mean.tolist(), scale=scale.tolist())
    size = SIZE
    for group in VGG16_LAYERS:
        for number in group:
            layer = network.convolved(f"features.{number}", layer, padding=1)
            layer = network.graph.node("Relu", layer)
            network.column(size, layer)
        output = "maps" if group == VGG16_LAYERS[-1] else ""
        layer = network.graph.node(
            "MaxPool", layer, output=output, kernel_shape=[2, 2], strides=[2, 2]
        )
        size //= 2
    layer = network.graph.node("Relu", network.convolved("pre_logits.fc1", layer))
    layer = network.graph.node("Relu", network.convolved("pre_logits.fc2", layer))
    network.classified(network.graph.node("Flatten", layer, axis=1), "head.fc")
    return network.finished(channels=len(weights["features.28.bias"]))


class _Network:
    """A graph under construction, and the weights it uses."""

    def __init__(self, name: str, weights: Weights) -> None:
        self.graph = Graph(name)
        self._name = name
        self._weights = weights
        self._columns: dict[int, list[str]] = defaultdict(list)

    def pictures(self, *, mean: Sequence[float], scale: Sequence[float]) -> str:
        """Convert bytes [n, y, x, rgb] to the numbers [n, rgb, y, x] that the network was trained
        on."""
        # Channels first while pixels are bytes: broadcasting over a last axis of three is slow.
        planes = self.graph.node("Transpose", "pictures", perm=[0, 3, 1, 2])
        numbers = self.graph.node("Cast", planes, to=1)
        centre, factor = (
            self.graph.constant(np.array(values, np.float32).reshape(1, 3, 1, 1))
            for values in (mean, scale)
        )
        return self.graph.node("Mul", self.graph.node("Sub", numbers, centre), factor)

    def normalised(
        self,
        convolution: str,
        norm: str,
        layer: str,
        *,
        stride: int = 1,
        rectified: bool = False,
        output: str = "",
    ) -> str:
        """Convolution, batch normalisation and, optionally, ReLU6, as one convolution."""
        kernel = self._take(f"{convolution}.weight").astype(np.float64)
        deviation = np.sqrt(self._take(f"{norm}.running_var") + BATCH_NORM_EPSILON)
        gain = self._take(f"{norm}.weight") / deviation
        bias = self._take(f"{norm}.bias") - gain * self._take(f"{norm}.running_mean")
        layer = self.graph.node(
            "Conv",
            layer,
            self.graph.constant((kernel * gain[:, None, None, None]).astype(np.float32)),
            self.graph.constant(bias.astype(np.float32)),
            strides=[stride, stride],
            group=len(kernel) if "depthwise" in convolution else 1,
            auto_pad="SAME_UPPER",
        )
        if not rectified:
            return layer
        zero, six = (self.graph.constant(np.array(value, np.float32)) for value in (0, 6))
        return self.graph.node("Clip", layer, zero, six, output=output)

    def convolved(self, name: str, layer: str, *, padding: int = 0) -> str:
        kernel, bias = self._take(f"{name}.weight"), self._take(f"{name}.bias")
        return self.graph.node(
            "Conv",
            layer,
            self.graph.constant(kernel.astype(np.float32)),
            self.graph.constant(bias.astype(np.float32)),
            pads=[padding] * 4,
        )

    def classified(self, layer: str, name: str) -> None:
        weight, bias = self._take(f"{name}.weight"), self._take(f"{name}.bias")
        logits = self.graph.node(
            "Gemm",
            layer,
            self.graph.constant(weight.astype(np.float32)),
            self.graph.constant(bias.astype(np.float32)),
            transB=1,
        )
        self.graph.node("Softmax", logits, output="posteriors", axis=1)

    def column(self, size: int, layer: str) -> None:
        """Add a rectified layer to the hypercolumn map of its resolution."""
        mean = self.graph.node("ReduceMean", layer, axes=[1], keepdims=0)
        self._columns[size].append(mean)

    def finished(self, *, channels: int) -> Graph:
        for number, layers in enumerate(self._columns.values(), start=1):
            self.graph.node("Mean", *layers, output=f"column_{number}")
        self.graph.inputs = [Tensor("pictures", np.dtype("u1"), ("n", SIZE, SIZE, 3))]
        self.graph.outputs = [
            Tensor("maps", np.dtype("f4"), ("n", channels, SIZE // 32, SIZE // 32)),
            Tensor("posteriors", np.dtype("f4"), ("n", CLASSES)),
            *(
                Tensor(f"column_{number}", np.dtype("f4"), ("n", size, size))
                for number, size in enumerate(self._columns, start=1)
            ),
        ]
        return self.graph

    def _take(self, name: str) -> np.ndarray:
        if name not in self._weights:
            raise ModelError(f"these are not the weights of {self._name}: {name} is missing")
        return self._weights[name]
