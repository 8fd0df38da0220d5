"""The code that all benchmarks share."""

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks import common, run_all

FOLDER = common.ROOT / "docs" / "benchmarks"
PAGES = sorted(FOLDER.rglob("*.md"))
PROGRAMS = [path for path in Path(common.__file__).parent.rglob("*.py") if path.name != "common.py"]


def test_a_page_says_under_which_conditions_it_was_made(tmp_path, capsys):
    common.write_page("speed", {"seconds": 2}, "# Speed\n\n| a | b |\n", folder=tmp_path)
    assert json.loads((tmp_path / "speed.json").read_text()) == {"seconds": 2}
    page = (tmp_path / "speed.md").read_text()
    assert page.startswith("# Speed\n\n| a | b |\n\n20")
    assert "at load" in page
    assert "numpy" in page
    assert page in capsys.readouterr().out


def test_no_benchmark_has_a_parser_or_a_table_writer_of_its_own():
    assert len(PROGRAMS) > 25
    for path in PROGRAMS:
        text = path.read_text(encoding="utf-8")
        assert "ArgumentParser(" not in text, path
        assert '.md").write_text' not in text, path


def test_options_explain_themselves_and_know_the_data():
    parser = common.options("Measures nothing.", data=True)
    assert parser.parse_args([]).data == common.DATA
    assert "Measures nothing." in parser.format_help()


def test_a_stopped_run_continues_with_unfinished_programs(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(run_all, "FINISHED", tmp_path / "finished.json")
    programs = {"platform": [], "json.tool": ["{data}/missing.json"]}
    for platform in ("== platform: 0 s, code 0", "== platform: finished before"):
        failed = run_all.run(programs, tmp_path, tmp_path, tmp_path, again=False)
        assert failed == ["json.tool"]
        printed = re.sub(r": \d+ s", ": 0 s", capfd.readouterr().out)
        assert platform in printed
        assert "== json.tool: 0 s, code 2" in printed
    assert list(run_all.finished()) == ["platform"]
    run_all.run({"platform": ["terse"]}, tmp_path, tmp_path, tmp_path, again=False)
    assert list(run_all.finished()) == ["platform", "platform terse"]
    capfd.readouterr()
    run_all.run({"platform": []}, tmp_path, tmp_path, tmp_path, again=True)
    assert "code 0" in capfd.readouterr().out


def test_the_whole_run_takes_under_two_hours_and_says_so(capsys):
    assert set(run_all.expected()) == set(run_all.BENCHMARKS) > run_all.UNTIMED
    assert 60 < run_all.minutes(run_all.BENCHMARKS) < 120
    run_all.print_minutes(["benchmarks.words.words", "benchmarks.stories.real_film"])
    printed = capsys.readouterr().out
    assert re.search(r"min  benchmarks.words.words \((measured|estimated)\)", printed)
    assert "minutes on two cores" in printed


def test_two_programs_run_at_a_time_if_only_one_of_them_measures_time():
    timed, untimed = run_all.lanes(run_all.BENCHMARKS)
    assert "benchmarks.indexing.long_film" in timed
    assert "benchmarks.stories.stories" in untimed
    assert sorted(timed + untimed) == sorted(run_all.BENCHMARKS)


def test_programs_without_data_are_skipped_by_name(tmp_path, capfd):
    where = tmp_path / "nowhere"
    assert run_all.run({"json.tool {data}": []}, where, tmp_path, tmp_path, again=True) == []
    assert "left out" in capfd.readouterr().out


@pytest.fixture
def data(tmp_path):
    """A folder with every file that benchmarks read."""
    named = [word for words in run_all.BENCHMARKS.values() for word in words]
    for word in [*named, *run_all.QUICK]:
        for place in re.findall(r"\{data\}(/\S+)", word):
            path = Path(f"{tmp_path}{place}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch() if path.suffix else path.mkdir(exist_ok=True)
    return tmp_path


@pytest.mark.parametrize(
    "programs",
    [
        pytest.param(run_all.BENCHMARKS, marks=pytest.mark.slow, id="whole"),
        pytest.param(run_all.QUICK, id="quick"),
    ],
)
def test_every_benchmark_accepts_its_arguments(programs, data, capsys):
    assert [*run_all.check(programs, data, Path("pages"))] == []
    assert capsys.readouterr().out.count(": can run") == len(programs)


def test_a_benchmark_that_could_not_run_is_named(data):
    wrong = {"benchmarks.stories.granularity": ["--shot", "many"]}
    (problem,) = run_all.check(wrong, data, Path("pages"))
    assert "granularity: refuses --shot many" in problem
    (problem,) = run_all.check({"benchmarks.words.words": ["{data}/none.mp4"]}, data, Path("pages"))
    assert "none.mp4 does not exist" in problem


def test_every_page_is_written_by_the_whole_run_or_said_not_to_be():
    folders = {Path(find_spec(name).origin).parent for name in run_all.BENCHMARKS}
    code = "\n".join(each.read_text() for folder in folders for each in folder.glob("*.py"))
    pages = {page.relative_to(FOLDER).parts[0].removesuffix(".md") for page in PAGES}
    assert set(run_all.ELSEWHERE) <= pages
    written = {name for name in pages if re.search(rf'"{name}"|\b{name}\.(json|md|\*)', code)}
    assert pages - set(run_all.ELSEWHERE) <= written


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(FOLDER)) for page in PAGES])
def test_every_page_says_when_and_under_which_conditions_it_was_made(page):
    last = page.read_text(encoding="utf-8").rstrip().splitlines()[-1]
    assert re.search(r"20\d\d-\d\d-\d\d", last)
    assert "at load" in last or "load and versions were not recorded" in last
