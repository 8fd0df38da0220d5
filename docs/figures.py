"""Figures in the docs, checked against the results of the benchmarks.

    python -m docs.figures [--check]

A table between these two lines is a copy of the first table of that page:

    <!-- table: benchmarks/penalty.md 1 -->
    <!-- end of table -->

A figure in the text, or in a cell of another table, is a link to its page whose title says where
in the JSON file of that page it is:

    [.613](benchmarks/stories-bbc/benchmark.md "baselines.raw-clustering")

The text keeps its own number of decimals, and may be a percentage. Without `--check` tables and
figures are updated; with it, those that differ are listed, and the exit code is 1.
"""

from __future__ import annotations

import json
import re
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = re.compile(r"(<!-- table: (\S+) (\d+) -->\n)(.*?)(<!-- end of table -->)", re.S)
FIGURE = re.compile(r'\[([^\]\[]+)\]\(([^)\s]+)\.md "([^"]+)"\)')
NUMBER = re.compile(r"-?\d*\.?\d+")


class UnknownFigure(Exception):
    """A page, a table or a path in a JSON file does not exist."""


def pages(root: Path = ROOT) -> list[Path]:
    """The pages that quote figures, without those that benchmarks write."""
    written = root / "docs" / "benchmarks"
    found = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    return sorted(page for page in found if written not in page.parents)


def renewed(page: Path, written: Path | None = None) -> str:
    """The text of a page with every table and figure as the benchmarks' files have it now.

    `written` is a folder of another run: a figure that it has too is taken from there.
    """
    text = page.read_text(encoding="utf-8")
    folders = [*([written] if written else []), _folder_of_benchmarks(page)]
    text = TABLE.sub(lambda found: found[1] + _table(folders, found[2], found[3]) + found[5], text)
    return FIGURE.sub(lambda found: _link(folders, *found.groups()), text)


def differences(root: Path = ROOT, written: Path | None = None) -> Iterator[str]:
    """A message for every line of a page that differs from the benchmarks' results."""
    for page in pages(root):
        name = page.relative_to(root)
        old = page.read_text(encoding="utf-8").splitlines()
        try:
            new = renewed(page, written).splitlines()
        except UnknownFigure as error:
            yield f"{name}: {error}"
            continue
        if len(old) != len(new):
            yield f"{name}: a table has {len(new) - len(old):+d} rows in its benchmark"
            continue
        for number, (before, after) in enumerate(zip(old, new, strict=True), start=1):
            if before != after:
                yield f"{name}:{number}: {before.strip()}\n    now {after.strip()}"


def tables_of(text: str) -> list[str]:
    """The Markdown tables of a page, in their order."""
    return re.findall(r"(?:^\|.*\n?)+", text, re.M)


def _table(folders: Sequence[Path], file: str, number: str) -> str:
    places = [folder / _inside(file) for folder in folders]
    source = next((place for place in places if place.is_file()), None)
    tables = tables_of(source.read_text(encoding="utf-8")) if source else []
    if not 0 < int(number) <= len(tables):
        raise UnknownFigure(f"{file} has no table {number}")
    return tables[int(number) - 1].rstrip("\n") + "\n"


def _link(folders: Sequence[Path], shown: str, file: str, place: str) -> str:
    """The updated figure, from the first folder that has it."""
    inside = f"{_inside(file)}.json"
    value = None
    for folder in folders[:-1]:
        with suppress(UnknownFigure):
            value = value or _value(folder / inside, place)
    value = _value(folders[-1] / inside, place) if value is None else value
    return f'[{_like(shown, value)}]({file}.md "{place}")'


def _folder_of_benchmarks(page: Path) -> Path:
    folders = [parent / "docs" / "benchmarks" for parent in page.resolve().parents]
    return next(folder for folder in folders if folder.is_dir())


def _inside(file: str) -> str:
    """The path of a page inside the folder of benchmarks, from a link on any page."""
    return file.rpartition("benchmarks/")[2]


def _value(file: Path, place: str) -> float:
    """The number at a place such as `rows.timing alone.mean_iou`, or `videos.0.found`."""
    if not file.is_file():
        raise UnknownFigure(f"{file.name} of {file.parent.name} does not exist")
    found = json.loads(file.read_text(encoding="utf-8"))
    rest = place
    while rest:
        key = next(
            (key for key in sorted(_keys(found), key=len, reverse=True) if _begins(rest, key)), None
        )
        if key is None:
            raise UnknownFigure(f"{file.parent.name}/{file.name} has no {place}")
        found, rest = found[int(key) if isinstance(found, list) else key], rest[len(key) + 1 :]
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise UnknownFigure(f"{file.parent.name}/{file.name}: {place} is no number")
    return found


def _keys(found: object) -> list[str]:
    if isinstance(found, list):
        return [str(number) for number in range(len(found))]
    return [*found] if isinstance(found, dict) else []


def _begins(place: str, key: str) -> bool:
    return place == key or place.startswith(f"{key}.")


def _like(shown: str, value: float) -> str:
    """Format a value like the shown figure, with its decimals, percent sign and other text."""
    number = NUMBER.search(shown)
    if number is None:
        raise UnknownFigure(f"{shown!r} holds no number")
    percent = shown[number.end() :].lstrip().startswith("%")
    decimals = len(number[0].partition(".")[2])
    exact = Decimal(str(value)) * (100 if percent else 1)
    written = f"{exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f}"
    if number[0].lstrip("-").startswith("."):
        written = re.sub(r"^(-?)0\.", r"\1.", written)
    return shown[: number.start()] + written + shown[number.end() :]


def main() -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing, list differences")
    if parser.parse_args().check:
        found = [*differences()]
        if found:
            raise SystemExit("\n".join([*found, "run `python -m docs.figures`, and read the text"]))
        return
    for page in pages():
        page.write_text(renewed(page), encoding="utf-8")


if __name__ == "__main__":
    main()
