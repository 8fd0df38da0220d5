"""Exports of stories with hostile titles, and of films that were mutated after indexing."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from xml.etree import ElementTree

from benchmarks.attacks import films
from benchmarks.attacks.mutations import BYTES, mutated
from benchmarks.attacks.warm import fork_ours
from benchmarks.attacks.worker import Leaked, Lost
from storyscope.core import Annotation
from storyscope.formats import Entry, find_format, format_names, read_annotations
from storyscope.formats.annotations import READERS

TITLES = (
    "</title><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "]]><x/>&amp;&#0;",
    '=HYPERLINK("http://evil.example")',
    "+1+1",
    "@SUM(A1:A9)",
    "-2",
    "00:00:00.000 --> 99:00:00.000",
    "\n\nNOTE\n\n1\n00:00:01.000 --> 00:00:02.000\nslipped in",
    "[CHAPTER]\nSTART=0\nEND=1\ntitle=x",
    "a;b=c#d\\e",
    "../../../../etc/passwd",
    "/etc/passwd",
    "CON",
    "-rf",
    "a\x00b",
    "\x1b]0;title\x07",
    "\u202egnp.exe",
    "\ud800 lone",
    "a" * 100_000,
    "',\"`$(id)",
    "{{7*7}} ${7*7}",
    "%s%n%x",
    "日本語 ñ é 🐳",
    "",
    " ",
    "\u2028new line",
)
FORMATS = tuple(name for name in format_names() if name not in ("clips-exact",))
MUTATED_FILM = 0.25
"""Share of attacks that mutate the film after indexing, for formats that copy it."""


def attacks(seed: int, scratch: Path) -> tuple[Callable[[int], str], None]:
    """Export a film repeatedly, each time with another version of its stories."""
    fork_ours()
    library = films.quiet_library(scratch / "library")
    film = scratch / "film.mp4"
    whole = films.film(0)
    film.write_bytes(whole)
    library.add(film)
    before = films.facts_of(library)
    duration = library.video("film").duration

    def attack(number: int) -> str:
        dice = Random(f"exports {seed} {number}")
        kind = find_format(FORMATS[number % len(FORMATS)])
        starts = sorted({0.0, *(round(dice.uniform(0, duration), 3) for _ in range(3))})
        titles = tuple(dice.choice(TITLES) for _ in starts)
        wanted = Annotation(dice.choice(("Ann", *TITLES[:8])), tuple(starts), duration, titles)
        timeline = library.timeline("film", stories=library.stories_marked("film", wanted))
        if dice.random() < 0.2:
            odd = tuple(Entry(e.span, dice.choice(TITLES), TITLES[:3]) for e in timeline.entries)
            timeline = replace(timeline, entries=odd)
        folder = scratch / "exports"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        path = folder / f"film{kind.suffix}"
        if kind.write is None and dice.random() < MUTATED_FILM:
            film.write_bytes(mutated(whole, dice, BYTES))
        try:
            if kind.write is not None:
                path.write_text(kind.write(timeline), encoding="utf-8")
            else:
                assert kind.save is not None
                kind.save(timeline, path)
            check(kind.name, folder, path, len(timeline.entries), scratch)
            return kind.name
        finally:
            if film.read_bytes() != whole:
                film.write_bytes(whole)
            if number % 50 == 49 and films.facts_of(library) != before:
                raise Lost("the stories of the film changed")

    return attack, None


def check(name: str, folder: Path, path: Path, stories: int, scratch: Path) -> None:
    """Fail if an export is invalid, contains a script, or was written outside its folder."""
    strays = [each.name for each in scratch.iterdir()]
    if set(strays) - {"library", "film.mp4", "exports"}:
        raise Leaked(f"{name} wrote outside its folder: {strays}")
    for made in folder.rglob("*"):
        if made.is_symlink() or not made.resolve().is_relative_to(folder.resolve()):
            raise Leaked(f"{name} made a link: {made.name}")
    if not path.is_file():
        return
    if path.suffix in (".xml", ".fcpxml", ".eaf", ".nfo"):
        ElementTree.parse(path)
    elif path.suffix in (".json", ".otio"):
        json.loads(path.read_text(encoding="utf-8"))
    elif path.suffix == ".html":
        if "<script>alert" in path.read_text(encoding="utf-8"):
            raise Leaked(f"{name} holds a script of a title")
    elif path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file, delimiter="\t" if name == "premiere" else ","):
                for cell in row:
                    if cell.strip()[:1] in ("=", "@") or cell[:1] in ("\t", "\r"):
                        raise Leaked(f"a cell is a formula: {cell[:40]!r}")
    if path.suffix in READERS and name in READ_AGAIN:
        (read,) = read_annotations(path, fps=10.0)
        if len(read.starts) != stories:
            raise Lost(f"{name}: {stories} stories were written and {len(read.starts)} read again")


READ_AGAIN = {"csv", "eaf", "matroska", "otio", "fcpxml", "textgrid", "ffmetadata", "webvtt"}
"""Formats that preserve everything that was written to them."""
