"""The docs agree with the code."""

import re
import tomllib
from pathlib import Path
from urllib.parse import unquote

import pytest

from docs import make_reference
from movie import make_movie
from storyscope.formats import FORMATS

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
IDS = [str(page.relative_to(ROOT)) for page in PAGES]


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
def test_every_module_that_is_named_exists(page):
    named = re.findall(r"`([a-z_]+(?:/[a-z_0-9]+)+\.py)`", page.read_text(encoding="utf-8"))
    places = [ROOT, ROOT / "src", ROOT / "src" / "storyscope"]
    assert [path for path in named if not any((place / path).exists() for place in places)] == []


@pytest.mark.parametrize("list_of_pages", ["docs/index.md", "mkdocs.yml"])
def test_every_page_can_be_reached(list_of_pages):
    text = (ROOT / list_of_pages).read_text(encoding="utf-8")
    folder = ROOT / "docs"
    pages = [*folder.glob("*.md"), *(folder / "tutorials").glob("*.md")]
    names = {str(page.relative_to(folder)) for page in pages} - {"index.md"}
    assert [name for name in sorted(names) if name not in text] == []


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
