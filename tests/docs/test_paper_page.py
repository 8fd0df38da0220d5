"""The page on the paper covers every part of it, and names only what exists."""

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.main import get_command

from storyscope.cli.main import build_app

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
EQUATIONS = range(1, 25)
SECTIONS = [
    *(f"III-{letter}" for letter in "ABCD"),
    *("IV", "IV-A", "V-A", "V-B"),
    *(f"VI-{letter}" for letter in "ABCDEFG"),
]
TABLES = ["I", "II", "III", "IV", "V", "VI", "VII"]
FIGURES = range(1, 7)


def rows_of(title):
    """Cells of each row of the table under a heading."""
    part = re.split(r"^## ", PAGE, flags=re.M)
    (section,) = [text for text in part if text.startswith(title)]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines[2:]]


PARTS = rows_of("Sections, equations")
SHOWN = rows_of("Tables and figures")
MAPPED = PARTS + SHOWN
NAMES = [row[0] for row in MAPPED]


def test_every_section_and_equation_of_the_paper_is_mapped():
    names = [name for name, *_ in PARTS]
    assert [each for each in SECTIONS if not any(n.split()[0] == each for n in names)] == []
    covered = []
    for first, _, last in re.findall(r"eq\. (\d+)(?:( to |, )(\d+))?", "\n".join(names)):
        covered += range(int(first), int(last or first) + 1)
    assert sorted(covered) == list(EQUATIONS)
    assert any("Algorithm 1" in name for name in names)


def test_every_table_and_figure_of_the_paper_is_mapped():
    starts = [name.partition(",")[0] for name, *_ in SHOWN]
    assert starts == [*(f"Table {n}" for n in TABLES), *(f"Fig. {n}" for n in FIGURES)]


@pytest.mark.parametrize("row", MAPPED, ids=NAMES)
def test_a_part_names_files_commands_and_tests_that_are_there(row):
    _, files, commands, tests = (re.findall(r"`([^`]+)`", cell) for cell in row)
    assert files
    assert commands
    assert tests
    for file in files:
        assert (ROOT / "src" / "storyscope" / file).is_file() or (ROOT / file).is_file(), file
    for command in commands:
        check_command(command.split())
    for test in tests:
        check_test(*test.partition("::")[::2])


def test_every_difference_has_its_five_cells():
    rows = rows_of("Where we differ")
    assert len(rows) > 15
    for row in rows:
        assert len(row) == 5, row
        assert all(row), row


@cache
def commands():
    return get_command(build_app())


def check_command(words):
    if words[:2] == ["python", "-m"]:
        assert find_spec(words[2]), words
        return
    command = commands()
    while hasattr(command, "commands"):
        assert words[0] in command.commands, words
        command, words = command.commands[words[0]], words[1:]
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("-")} <= known, words


def check_test(file, function):
    text = (ROOT / file).read_text(encoding="utf-8")
    wanted = rf"^def {function}\(" if function else r"^def test_"
    assert re.search(wanted, text, re.M), (file, function)
