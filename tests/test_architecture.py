"""The one law: core <- pure files <- edges <- pipeline and library <- command line and page."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src/storyscope"
ROOMS = sorted(folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").exists())
COMMON = {"core", "errors", "config", "progress", "models", "plugins", "writing", "cues"}
MAY_USE = {
    "core": {"errors"},
    "config": {"errors", "plugins"},
    "evaluate": {"core", "errors", "progress"},
    "stories": COMMON | {"embedding", "evaluate"},
    "baselines": COMMON | {"stories", "embedding", "evaluate"},
    "media": COMMON | {"processes"},
    "store": {"core", "errors", "writing"},
    **dict.fromkeys(("library", "stages", "search", "processes", "experiments")),
    "cli": None,
    "web": None,
}
"""Rooms that may use more or less than the common ground; None: everything."""

HEAVY = ("torch", "av", "spacy", "fastapi", "onnxruntime", "scipy", "PIL", "sklearn", "typer")


def imports_of(path):
    """Rooms and files of storyscope that a file names anywhere, with the line that names them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("storyscope"):
            names = [node.module] if node.module != "storyscope" else []
            names += [f"storyscope.{a.name}" for a in node.names if node.module == "storyscope"]
        elif isinstance(node, ast.Import):
            names = [a.name for a in node.names if a.name.startswith("storyscope.")]
        else:
            continue
        for name in names:
            yield name.split(".")[1], node.lineno


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_meet_only_in_pipeline_and_library(room):
    allowed = MAY_USE.get(room, COMMON)
    if allowed is None:
        pytest.skip(f"{room} is for people, and may use everything")
    strangers = [
        f"{path.relative_to(PACKAGE)}:{line} uses {name}"
        for path in (PACKAGE / room).rglob("*.py")
        for name, line in imports_of(path)
        if name != room and name not in allowed
    ]
    assert strangers == []


def test_nothing_below_the_command_line_uses_it():
    users = [
        path.name
        for path in PACKAGE.glob("*.py")
        if path.name != "__main__.py"
        for name, _ in imports_of(path)
        if name in {"cli", "web"}
    ]
    assert users == []


@pytest.mark.parametrize("module", ["storyscope", "storyscope.library", "storyscope.evaluate"])
def test_importing_loads_no_heavy_library(module):
    code = f"import sys, {module}; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
