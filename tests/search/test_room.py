"""Modules of `search` import only from earlier ones, so that a search reads in one direction."""

import ast
from pathlib import Path

import storyscope.search

ROOM = Path(storyscope.search.__file__).parent
IN_ORDER = """
filter images rows spelling text_model text_head image_match image_text looks classes query
candidates scores passages opinions hits segment story_rows index index_files
candidate_index selection database_index
paper paper_search searcher __init__
"""
ORDER = IN_ORDER.split()


def uses(module):
    """Modules of `search` that a module imports, at any place in the file."""
    for node in ast.walk(ast.parse((ROOM / f"{module}.py").read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
            if node.module == "storyscope":
                names = [f"storyscope.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name == "storyscope.search":
                yield "__init__"
            elif name.startswith("storyscope.search."):
                yield name.split(".")[2]


def test_every_module_has_its_place():
    assert sorted(ORDER) == sorted(path.stem for path in ROOM.glob("*.py"))


def test_modules_use_only_those_before_them():
    backwards = [
        f"{module} uses {other}"
        for place, module in enumerate(ORDER)
        for other in uses(module)
        if other not in ORDER[:place]
    ]
    assert backwards == []


def test_search_does_not_import_the_library():
    for path in ROOM.glob("*.py"):
        assert "storyscope.library" not in path.read_text(encoding="utf-8"), path.name
