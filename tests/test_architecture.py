"""Every module is in a layer, and imports only from its own layer and lower ones."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src/storyscope"

LAYERS = (
    {"errors", "progress"},
    {"core", "plugins", "processes.lifeline", "reading", "writing"},
    {"decoder"},
    {"config", "cues", "evaluate", "models"},
    {"clustering", "embedding", "store"},
    {"media", "shots", "transcripts", "concepts", "features", "stories", "thumbnails", "report"},
    {"baselines", "formats", "search"},
    {"stages"},
    {"pipeline"},
    {"library"},
    {"processes"},
    {"cluster"},
    {"experiments"},
    {"web"},
    {"cli"},
    {"__main__"},
)
"""Packages and root modules, from the lowest layer up. `storyscope/__init__.py` is in no layer,
because it exports names of all of them and loads `library` on demand. A module that lower packages
need is listed on its own."""

FRONT_DOOR = set().union(*LAYERS[:7]) - {"core"}
"""Packages that import others only through their `__init__`. Data types of `core` may be imported
from their modules; stages and higher layers may import single modules to load less."""

HEAVY = (
    "psycopg",
    "obstore",
    "distributed",
    "torch",
    "av",
    "spacy",
    "fastapi",
    "onnxruntime",
    "scipy",
    "PIL",
    "sklearn",
    "typer",
)


def level_of(module):
    names = {module.removeprefix("storyscope."), room_of(module)}
    return next(level for level, rooms in enumerate(LAYERS) if names & rooms)


def modules():
    for path in PACKAGE.rglob("*.py"):
        parts = ("storyscope", *path.relative_to(PACKAGE).with_suffix("").parts)
        yield ".".join(parts).removesuffix(".__init__"), path


MODULES = dict(modules())


def room_of(module):
    return module.split(".")[1] if "." in module else "storyscope"


def is_for_types(node):
    return isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"


def imports_of(path):
    """Modules of storyscope that a file imports, at the top or inside functions, with the line.

    Imports for type checkers are left out.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if not is_for_types(node)]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "storyscope":
            offered = MODULES[node.module].read_text(encoding="utf-8")
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                is_file = whole in MODULES and f'"{alias.name}"' not in offered
                yield (whole if is_file else node.module), node.lineno
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "storyscope":
                    yield alias.name, node.lineno


@pytest.fixture(scope="module")
def graph():
    """The import graph: module -> imported modules, each with a line number."""
    return {
        module: {name: line for name, line in imports_of(path) if name != module}
        for module, path in MODULES.items()
    }


def test_every_module_is_in_a_layer():
    rooms = {room_of(module) for module in MODULES} - {"storyscope"}
    assert rooms == {name for layer in LAYERS for name in layer if "." not in name}


def test_modules_import_only_from_their_own_package_and_lower_layers(graph):
    strangers = [
        f"{module}:{line} imports {name}"
        for module, names in graph.items()
        for name, line in names.items()
        if module != "storyscope"
        and room_of(module) != room_of(name)
        and (room_of(name) == "storyscope" or level_of(name) >= level_of(module))
    ]
    assert strangers == []


def test_packages_import_only_the_public_names_of_lower_packages(graph):
    inside = [
        f"{module}:{line} imports {name}"
        for module, names in graph.items()
        for name, line in names.items()
        if room_of(module) in FRONT_DOOR
        and room_of(name) not in (room_of(module), "core")
        and name.count(".") > 1
        and name.removeprefix("storyscope.") not in LAYERS[1]
    ]
    assert inside == []


def test_there_are_no_import_cycles(graph):
    finished, path = set(), []

    def visit(module):
        if module in path:
            circles.append(" -> ".join([*path[path.index(module) :], module]))
        elif module not in finished:
            path.append(module)
            for name in graph.get(module, ()):
                visit(name)
            finished.add(path.pop())

    circles = []
    for module in MODULES:
        if module != "storyscope":
            visit(module)
    assert circles == []


@pytest.mark.parametrize("module", ["storyscope", "storyscope.library", "storyscope.evaluate"])
def test_importing_loads_no_heavy_library(module):
    code = f"import sys, {module}; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_decoding_process_starts_with_little():
    code = "import sys, storyscope.decoder.jobs, storyscope.decoder.worker; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert {room_of(name) for name in loaded if name.startswith("storyscope.")} == {
        "decoder",
        "processes",
    }
    assert "numpy" not in loaded
