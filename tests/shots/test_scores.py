"""The benchmark scores count every transition and every detection once."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.shots.shot_report import put_table, write_report
from benchmarks.shots.shot_scores import score

TRUTH = [
    {"kind": "cut", "first_frame": 10, "end_frame": 10},
    {"kind": "dissolve", "first_frame": 20, "end_frame": 30},
    {"kind": "cut", "first_frame": 40, "end_frame": 40},
]


def test_the_truth_scores_full_marks():
    table = score([10, 25, 40], TRUTH, 0).table()
    assert [table[kind]["f1"] for kind in ("cut", "gradual", "all")] == [1, 1, 1]


@pytest.mark.parametrize(("tolerance", "found"), [(0, 0), (1, 0), (2, 1)])
def test_a_cut_two_frames_off_counts_only_with_that_tolerance(tolerance, found):
    result = score([12], TRUTH, tolerance)
    assert result.found.get("cut", 0) == found
    assert result.false_alarms == 1 - found


def test_the_second_claim_inside_one_dissolve_is_a_false_alarm():
    result = score([22, 28], TRUTH, 0)
    assert result.found == {"dissolve": 1}
    assert result.false_alarms == 1


@given(st.lists(st.integers(0, 60), unique=True), st.integers(0, 3))
def test_claims_are_found_transitions_or_false_alarms(claims, tolerance):
    result = score(claims, TRUTH, tolerance)
    assert sum(result.found.values()) + result.false_alarms == len(claims)
    assert all(result.found[kind] <= result.true[kind] for kind in result.found)


def measured(found, cpu=2.0):
    return {"found": found, "cpu_seconds": cpu, "wall_seconds": 3.0}


def test_the_report_compares_us_with_the_best_and_the_fastest(tmp_path):
    pytest.importorskip("matplotlib", reason="draws a picture")
    truth = {name: {"frames": 50, "transitions": TRUTH} for name in ("a.mp4", "b.mp4")}
    results = {
        "Storyscope fast": {"a.mp4": measured([10, 25, 40]), "b.mp4": measured([10])},
        "PySceneDetect hash": {"a.mp4": measured([], 4.0), "b.mp4": measured([], 4.0)},
        "PySceneDetect content": {"a.mp4": measured([10], 8.0), "b.mp4": measured([10], 8.0)},
    }
    write_report(results, dict.fromkeys(results, "decoder"), truth, tmp_path / "shots")
    facts = json.loads((tmp_path / "shots.json").read_text())
    ours = facts["detectors"]["Storyscope fast"]
    assert ours["cpu_seconds"] == 4
    assert ours["tolerance_0"]["cut"]["recall"] == 0.75
    (bar,) = facts["bars"].values()
    assert bar["cpu_share"] == 0.5
    assert bar["cut_f1_above_at_tolerance_0"] == pytest.approx(6 / 7 - 2 / 3, abs=1e-4)
    assert bar["gradual_f1_above_at_tolerance_2"] == pytest.approx(2 / 3, abs=1e-4)
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- scoring -->\nold\n<!-- end of scoring -->\nafter\n")
    put_table(page, "scoring", facts)
    assert "| Storyscope fast | 1.000 | 0.750 | 0.857 |" in page.read_text()
    assert "old" not in page.read_text()
    assert page.read_text().startswith("before\n<!-- scoring -->\n| detector")
    assert page.read_text().endswith("|\n<!-- end of scoring -->\nafter\n")


def test_what_comes_after_the_part_that_was_looked_at_is_not_scored(tmp_path):
    pytest.importorskip("matplotlib", reason="draws a picture")
    truth = {"a.mp4": {"frames": 90, "scored_until": 50, "transitions": TRUTH}}
    results = {"quick": {"a.mp4": measured([10, 25, 40, 70])}}
    write_report(results, {"quick": "decoder"}, truth, tmp_path / "shots")
    facts = json.loads((tmp_path / "shots.json").read_text())
    assert facts["detectors"]["quick"]["tolerance_0"]["false_alarms"] == 0
