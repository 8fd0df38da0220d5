"""The docs fail when they are untrue."""

import re
import shlex
import tomllib
from pathlib import Path
from urllib.parse import unquote

import pytest
import typer
from typer.main import get_command

from docs import make_reference
from movie import make_movie
from storyscope.cli.main import build_app
from storyscope.formats import FORMATS

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
IDS = [str(page.relative_to(ROOT)) for page in PAGES]


@pytest.fixture(scope="module")
def app():
    return get_command(build_app())


@pytest.mark.parametrize("name", ["commands.md", "settings.md", "api.md"])
def test_the_reference_is_what_the_code_says(name):
    page = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
    assert page == make_reference.pages()[name], "run `make reference`"


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_link_and_picture_exists(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    local = [unquote(link.partition("#")[0]) for link in links if "://" not in link]
    assert [link for link in local if link and not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_file_of_the_repository_that_is_named_exists(page):
    named = re.findall(
        r"\b(?:src|tests|benchmarks|training|docs)/[\w./-]+\.py\b",
        page.read_text(encoding="utf-8"),
    )
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_command_in_the_docs_parses(page, app):
    for line in commands_in(page.read_text(encoding="utf-8")):
        parse(app, shlex.split(line, comments=True)[1:], line)


def commands_in(text):
    """Lines of code blocks that call storyscope."""
    for block in re.findall(
        r"```(?:console|bash|sh)?\n(.*?)```|((?:^    .*\n)+)", text, re.S | re.M
    ):
        joined = "".join(block).replace("\\\n", " ")
        for line in joined.splitlines():
            if re.match(r"\s*(\$ )?storyscope [a-z]", line):
                yield re.split(r" [|>] | && ", line.strip().removeprefix("$ "))[0]


def parse(command, words, line):
    """Refuse what the command line would: unknown commands and options."""
    if hasattr(command, "commands"):
        name = next(word for word in words if not word.startswith("-"))
        assert name in command.commands, f"no such command: {line}"
        words.remove(name)
        return parse(command.commands[name], words, line)
    parser = command.make_parser(typer.Context(command))
    try:
        parser.parse_args(words)
    except Exception as error:
        pytest.fail(f"{line}: {error}")


def test_every_format_is_explained():
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    assert [name for name in FORMATS if f"`{name}`" not in page] == []


def test_every_extra_is_in_the_readme():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = set(project["optional-dependencies"]) - {"test", "benchmark"}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in sorted(extras) if f"`{name}`" not in readme] == []


RUN = ["README.md", "docs/tutorials/developer.md", "docs/tutorials/researcher.md"]


@pytest.mark.parametrize("page", RUN)
def test_the_python_of_the_docs_runs(page, tmp_path, monkeypatch):
    make_movie(tmp_path / "film.mp4")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.S)
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), {})
