"""Shared by all benchmarks: command-line options, and writing results to the docs."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from storyscope.experiments.conditions import conditions

ROOT = Path(__file__).parents[1]
PAGES_VARIABLE = "STORYSCOPE_BENCHMARK_PAGES"
"""Environment variable for another folder to write pages and JSON files to."""
DOCS = Path(os.environ.get(PAGES_VARIABLE) or ROOT / "docs" / "benchmarks")
DATA = ROOT.parent / "shared" / "data"
"""Default folder of films and annotations, next to the repository."""


def options(doc: str | None, *, data: bool = False) -> ArgumentParser:
    """An argument parser described by the program's docstring; optionally with `--data`."""
    parser = ArgumentParser(description=doc, formatter_class=RawDescriptionHelpFormatter)
    if data:
        parser.add_argument("--data", type=Path, default=DATA)
    return parser


def write_page(name: str, facts: Any, page: str, *, folder: Path = DOCS) -> None:
    """Write results as JSON and as a page, and print the page."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = f"{page.rstrip()}\n\n{conditions()}\n"
    (folder / f"{name}.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    (folder / f"{name}.md").write_text(whole, encoding="utf-8")
    print(whole)


def write_table(page: Path, name: str, table: str) -> None:
    """Replace the table between the comments of that name in a page, and print it."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- end of {name} -->")
    if not (begin and end):
        raise ValueError(f"{page} has no place for {name}")
    page.write_text(f"{before}{begin}{table}\n{end}{after}", encoding="utf-8")
    print(table)
