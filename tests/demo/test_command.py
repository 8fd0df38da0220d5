"""`storyscope demo`: one command from nothing to a report."""

import json

import pytest
from PIL import Image
from typer.testing import CliRunner

from storyscope.cli.main import build_app
from storyscope_demo import find_demo, make_demo
from storyscope_demo.script import SCRIPT


@pytest.fixture(scope="module")
def run():
    app = build_app()

    def run(*words):
        result = CliRunner().invoke(app, ["demo", *map(str, words)], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result

    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small, quick copy of the film, which the command finds and does not paint again."""
    folder = tmp_path_factory.mktemp("demo")
    make_demo(folder, scale=0.25, pace=0.3)
    return folder


@pytest.fixture(scope="module")
def facts(run, folder):
    return json.loads(run("--folder", folder, "--json").stdout)


def test_the_stories_found_tile_the_film_and_stand_beside_the_truth(facts):
    edges = [0.0, *(story["end"] for story in facts["stories"])]
    assert [story["start"] for story in facts["stories"]] == pytest.approx(edges[:-1])
    assert [story["title"] for story in facts["true_stories"]] == [c.title for c in SCRIPT]
    assert edges[-1] == pytest.approx(facts["true_stories"][-1]["end"], abs=0.05)
    assert 0 < facts["mean_iou"] <= 1


def test_a_contact_sheet_and_a_page_are_written(facts):
    with Image.open(facts["contact_sheet"]) as sheet:
        sheet.verify()
    with open(facts["report"], encoding="utf-8") as page:
        text = page.read()
    assert all(chapter.title in text for chapter in SCRIPT)
    assert f"{facts['mean_iou']:.3f}" in text


def test_people_get_the_table_the_timeline_the_search_and_the_way_on(run, folder, facts):
    result = run("--folder", folder, "--search", "volcano")
    assert "mean IoU with the truth" in result.stdout
    assert "truth  |" in result.stdout
    assert "The coral reef" in result.stdout
    assert "search “volcano”" in result.stdout
    assert f"storyscope serve --library {folder / 'library'}" in result.stderr


def test_the_film_alone_can_be_had(run, folder):
    files = json.loads(run("--folder", folder, "--film-only", "--json").stdout)
    assert files == {
        "film": str(folder / "demo.mp4"),
        "transcript": str(folder / "demo.srt"),
        "truth": str(folder / "demo.truth.json"),
        "segmentation": str(folder / "demo.stories.json"),
    }


def test_half_a_demo_is_no_demo(tmp_path, folder):
    assert find_demo(tmp_path) is None
    (tmp_path / "demo.mp4").write_bytes((folder / "demo.mp4").read_bytes())
    assert find_demo(tmp_path) is None
    assert find_demo(folder) is not None


def test_stories_are_drawn_across_the_terminal(folder, facts):
    words = ["stories", facts["video"]["id"], "--library", str(folder / "library")]
    drawn = CliRunner().invoke(build_app(), [*words, "--timeline"]).stdout.splitlines()
    plain = CliRunner().invoke(build_app(), words).stdout.splitlines()
    blocks = [line for line in drawn if line.startswith("|")]
    assert len(blocks) == 1
    assert not any(line.startswith("|") for line in plain)
