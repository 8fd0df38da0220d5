"""Figures in the docs are those in the benchmark results."""

import json
import re

import pytest

from benchmarks.shots.shot_report import put_table
from docs import figures

PAGE = """# Results

It reaches [.62](benchmarks/nested.md "mean_iou"), or [61.7 %](benchmarks/nested.md "mean_iou"),
off by [1.2](benchmarks/nested.md "rows.a.b.difference.0").

<!-- table: benchmarks/nested.md 2 -->
| old | 1 |
<!-- end of table -->
"""


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "docs" / "benchmarks"
    folder.mkdir(parents=True)
    facts = {"mean_iou": 0.6171, "rows": {"a.b": {"difference": [1.2499, 3]}}, "name": "x"}
    (folder / "nested.json").write_text(json.dumps(facts))
    (folder / "nested.md").write_text("| first |\n| --- |\n\ntext\n\n| second |\n| --- |\n| 3 |\n")
    (tmp_path / "docs" / "page.md").write_text(PAGE)
    return tmp_path


def test_every_figure_quoted_is_what_a_benchmark_wrote():
    assert [*figures.differences()] == []


@pytest.mark.parametrize("page", ["README.md", "docs/baselines.md", "docs/story-detection.md"])
def test_scores_are_quoted_as_links_only(page):
    text = (figures.ROOT / page).read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```|\[[^\]]*\]\([^)]*\)|`[^`]*`", "", text, flags=re.S)
    of_the_paper = {".33", ".41", ".48"}
    assert set(re.findall(r"(?<![\w.])\.\d\d+\b", prose)) <= of_the_paper


@pytest.mark.parametrize(("half", "name"), [("scoring", "shots"), ("real", "shots-real")])
def test_the_tables_of_shots_are_those_of_the_last_run(tmp_path, half, name):
    page = figures.ROOT / "docs" / "shots.md"
    facts = json.loads((page.parent / "benchmarks" / f"{name}.json").read_text())
    copy = tmp_path / "shots.md"
    copy.write_text(page.read_text())
    put_table(copy, half, facts)
    assert copy.read_text() == page.read_text()


def test_renewed_figures_no_longer_differ(root):
    page = root / "docs" / "page.md"
    assert len([*figures.differences(root)]) == 1
    page.write_text(figures.renewed(page))
    text = page.read_text()
    assert "| second |\n| --- |\n| 3 |\n<!-- end" in text
    assert [*figures.differences(root)] == []
    facts = root / "docs" / "benchmarks" / "nested.json"
    facts.write_text(facts.read_text().replace("0.6171", "0.7"))
    changed = [*figures.differences(root)]
    assert len(changed) == 1
    assert "[.70]" in changed[0]
    assert "[70.0 %]" in changed[0]


@pytest.mark.parametrize(
    ("shown", "value", "written"),
    [(".613", 0.61349, ".613"), ("0.6", 0.65, "0.7"), ("-.03", -0.026, "-.03"), ("8", 7.6, "8")],
)
def test_a_figure_keeps_its_format(root, shown, value, written):
    (root / "docs/benchmarks/nested.json").write_text(json.dumps({"value": value}))
    page = root / "docs" / "page.md"
    page.write_text(f'[{shown}](benchmarks/nested.md "value")')
    assert figures.renewed(page) == f'[{written}](benchmarks/nested.md "value")'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[.5](benchmarks/nested.md "median")', "has no median"),
        ('[.5](benchmarks/nested.md "name")', "is no number"),
        ('[.5](benchmarks/other.md "mean_iou")', "does not exist"),
        ("<!-- table: benchmarks/nested.md 3 -->\n<!-- end of table -->", "has no table 3"),
    ],
)
def test_a_figure_that_nothing_prints_is_named(root, text, says):
    (root / "docs" / "page.md").write_text(text)
    (found,) = figures.differences(root)
    assert says in found
