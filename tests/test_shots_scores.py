"""The benchmark's scores count every transition and every claim once."""

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
from shot_report import write_report
from shot_scores import score

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


def measured(found):
    return {"found": found, "cpu_seconds": 2.0, "wall_seconds": 3.0}


def test_a_detector_run_on_some_clips_is_compared_on_those_alone(tmp_path):
    pytest.importorskip("matplotlib", reason="draws a picture")
    truth = {name: {"frames": 50, "transitions": TRUTH} for name in ("a.mp4", "b.mp4")}
    results = {
        "quick": {"a.mp4": measured([10, 25, 40]), "b.mp4": measured([10])},
        "slow": {"a.mp4": measured([10, 25, 33])},
    }
    write_report(results, {"quick": "decoder", "slow": "decoder"}, truth, tmp_path / "shots")
    facts = json.loads((tmp_path / "shots.json").read_text())
    assert list(facts["whole"]["detectors"]) == ["quick"]
    assert facts["whole"]["detectors"]["quick"]["cpu_seconds"] == 4
    assert facts["whole"]["detectors"]["quick"]["tolerance_0"]["cut"]["recall"] == 0.75
    assert facts["shared"]["clips"] == ["a.mp4"]
    assert facts["shared"]["detectors"]["slow"]["tolerance_0"]["cut"]["recall"] == 0.5
    assert facts["shared"]["detectors"]["quick"]["tolerance_0"]["all"]["f1"] == 1


def test_what_comes_after_the_part_that_was_looked_at_is_not_scored(tmp_path):
    pytest.importorskip("matplotlib", reason="draws a picture")
    truth = {"a.mp4": {"frames": 90, "scored_until": 50, "transitions": TRUTH}}
    results = {"quick": {"a.mp4": measured([10, 25, 40, 70])}}
    write_report(results, {"quick": "decoder"}, truth, tmp_path / "shots")
    facts = json.loads((tmp_path / "shots.json").read_text())
    assert facts["whole"]["detectors"]["quick"]["tolerance_0"]["false_alarms"] == 0
