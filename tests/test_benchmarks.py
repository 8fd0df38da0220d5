"""What all benchmarks share."""

import json
from pathlib import Path

from benchmarks import common

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
