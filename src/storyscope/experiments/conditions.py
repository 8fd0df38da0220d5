"""The conditions of a measurement."""

from __future__ import annotations

import os
import platform
from datetime import date
from importlib.metadata import PackageNotFoundError, version

LIBRARIES = ("storyscope", "numpy", "onnxruntime", "av", "torch")


def conditions() -> str:
    """Date, load and versions in one line, which figures depend on."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    libraries = ", ".join(f"{name} {_version(name)}" for name in LIBRARIES)
    return (
        f"{date.today().isoformat()}, {os.cpu_count()} cores at load {load:.1f}, "
        f"Python {platform.python_version()}, {libraries}."
    )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
