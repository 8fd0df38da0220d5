"""The device that networks run on: one setting for all of them, `processes.device`."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

from storyscope.errors import ModelError

GPU_DRIVERS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")
CUDA_PROVIDER, CPU_PROVIDER = "CUDAExecutionProvider", "CPUExecutionProvider"

_chosen = "auto"


def use_device(device: str) -> None:
    """Run networks that are loaded from now on on `cpu`, on `cuda`, or with `auto` on the best
    device."""
    global _chosen
    if device == "cuda" and not (torch_sees_gpu() or _onnxruntime_sees_gpu()):
        raise ModelError(
            "processes.device is cuda, but neither torch nor onnxruntime can use a GPU here; "
            "install a CUDA build of torch, or set processes.device to auto"
        )
    _chosen = device


def may_use_gpu() -> bool:
    """Whether a GPU is used if there is one."""
    return _chosen != "cpu"


def torch_gpu() -> str:
    """Name of a GPU that torch can use and onnxruntime cannot; empty if there is none."""
    return "cuda" if may_use_gpu() and torch_sees_gpu() and not _onnxruntime_sees_gpu() else ""


def onnx_providers() -> list[str]:
    """The execution providers of onnxruntime, best first."""
    on_gpu = may_use_gpu() and _onnxruntime_sees_gpu()
    return [CUDA_PROVIDER, CPU_PROVIDER] if on_gpu else [CPU_PROVIDER]


@cache
def torch_sees_gpu() -> bool:
    """Whether torch can use a GPU.

    Without a driver torch is not even imported: that takes seconds, and memory.
    """
    if not (any(Path(path).exists() for path in GPU_DRIVERS) or shutil.which("nvidia-smi")):
        return False
    try:
        import torch
    except (ImportError, OSError):  # torch without its driver's libraries raises the latter
        return False
    return bool(torch.cuda.is_available())


@cache
def _onnxruntime_sees_gpu() -> bool:
    try:
        import onnxruntime
    except (ImportError, OSError):
        return False
    return CUDA_PROVIDER in onnxruntime.get_available_providers()
