"""Images per CPU second of the image network: onnxruntime compared with torch.

Both run the same weights on the same pictures with one thread. CPU time is measured rather than
wall time, so that a busy machine does not change the ranking. The one-time cost of reading the
checkpoint and building the graph is measured, too.

    python -m benchmarks.indexing.backbone_speed --images 96 --write
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import common
from storyscope.features.checkpoint import read_weights
from storyscope.features.networks import LITE0_STAGES, efficientnet_lite0
from storyscope.models import find_model, onnx_session

NAMES = ("running_mean", "running_var", "weight", "bias")


def main() -> None:
    arguments = _arguments()
    path = find_model("efficientnet-lite0").file("models/*.pth")
    started = time.process_time()
    weights = read_weights(path)
    read = time.process_time()
    graph = efficientnet_lite0(weights).model()
    built = time.process_time()
    session = onnx_session(graph, threads=1)
    opened = time.process_time()
    pictures = np.random.default_rng(0).integers(0, 256, (8, 224, 224, 3), dtype=np.uint8)
    report: dict[str, Any] = {
        "seconds to read the checkpoint": round(read - started, 3),
        "seconds to build the graph": round(built - read, 3),
        "seconds to open the graph": round(opened - built, 3),
        "graph MB": round(len(graph) / 1e6, 1),
        "images a CPU-second": {
            "onnxruntime, all outputs": _rate(
                lambda: session.run(None, {"pictures": pictures}), arguments.images
            ),
            "onnxruntime, map and posteriors": _rate(
                lambda: session.run(["maps", "posteriors"], {"pictures": pictures}),
                arguments.images,
            ),
            "torch, map and posteriors": _rate(_torch(weights, pictures), arguments.images),
        },
    }
    print(json.dumps(report, indent=1))
    if arguments.write:
        common.write_page("backbone_speed", report, _markdown(report))


def _arguments() -> argparse.Namespace:
    parser = common.options(__doc__)
    parser.add_argument("--images", type=int, default=96, help="pictures each of them runs")
    parser.add_argument("--write", action="store_true", help="write into docs/benchmarks")
    return parser.parse_args()


def _rate(run: Callable[[], Any], images: int) -> float:
    run()
    started = time.process_time()
    for _ in range(images // 8):
        run()
    return round(images // 8 * 8 / (time.process_time() - started), 1)


def _torch(weights: dict[str, np.ndarray], pictures: np.ndarray) -> Callable[[], Any]:
    """The same network in torch, also with folded batch normalization."""
    import torch
    from torch.nn import functional

    torch.set_num_threads(1)
    folded: dict[str, tuple[torch.Tensor, torch.Tensor]] = {}

    def fold(convolution: str, norm: str) -> None:
        mean, variance, gain, bias = (weights[f"{norm}.{name}"] for name in NAMES)
        scale = gain / np.sqrt(variance + 1e-3)
        kernel = weights[f"{convolution}.weight"] * scale[:, None, None, None]
        folded[convolution] = (torch.from_numpy(kernel), torch.from_numpy(bias - mean * scale))

    def step(layer: torch.Tensor, name: str, stride: int = 1) -> torch.Tensor:
        kernel, bias = folded[name]
        size, side = layer.shape[-1], kernel.shape[-1]
        missing = max((-(-size // stride) - 1) * stride + side - size, 0)
        layer = functional.pad(layer, (missing // 2, missing - missing // 2) * 2)
        groups = layer.shape[1] // kernel.shape[1]
        return functional.conv2d(layer, kernel, bias, stride=stride, groups=groups)

    strides = [s.stride if first == 0 else 1 for s in LITE0_STAGES for first in range(s.repeats)]
    fold("_conv_stem", "_bn0")
    fold("_conv_head", "_bn1")
    for number in range(len(strides)):
        for part, norm in (("_expand_conv", 0), ("_depthwise_conv", 1), ("_project_conv", 2)):
            if number or norm:
                fold(f"_blocks.{number}.{part}", f"_blocks.{number}._bn{norm}")
    head = [torch.from_numpy(weights[f"_fc.{name}"]) for name in ("weight", "bias")]

    @torch.inference_mode()
    def run() -> Any:
        layer = (torch.from_numpy(pictures).permute(0, 3, 1, 2).float() - 127) / 128
        layer = functional.relu6(step(layer, "_conv_stem", 2))
        for number, stride in enumerate(strides):
            before = layer
            if number:
                layer = functional.relu6(step(layer, f"_blocks.{number}._expand_conv"))
            layer = functional.relu6(step(layer, f"_blocks.{number}._depthwise_conv", stride))
            layer = step(layer, f"_blocks.{number}._project_conv")
            if stride == 1 and layer.shape == before.shape:
                layer = layer + before
        maps = functional.relu6(step(layer, "_conv_head"))
        return maps, functional.linear(maps.mean(dim=(2, 3)), *head).softmax(dim=1)

    return run


def _markdown(report: dict[str, Any]) -> str:
    lines = ["# Speed of the image network", "", "| runtime | images a CPU-second |"]
    lines.append("| --- | ---: |")
    lines += [f"| {name} | {rate} |" for name, rate in report["images a CPU-second"].items()]
    lines += ["", "| one-time cost | |", "| --- | ---: |"]
    lines += [f"| {name} | {report[name]} |" for name in list(report)[:4]]
    lines += [
        "",
        "Made by `benchmarks/indexing/backbone_speed.py`: one thread each,",
    ]
    lines += ["batches of eight, the same weights, in one run on a machine that was not idle."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
