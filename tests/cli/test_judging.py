"""`storyscope score` and `storyscope agree` as people and scripts use them."""

import json

import pytest
from typer.testing import CliRunner

from storyscope.cli.main import build_app
from storyscope.errors import StoryscopeError


@pytest.fixture(scope="module")
def app():
    return build_app()


@pytest.fixture
def run(app):
    def running(*words):
        done = CliRunner().invoke(app, [str(word) for word in words])
        if isinstance(done.exception, StoryscopeError):
            raise done.exception
        assert done.exit_code == 0, done.output
        return done

    return running


@pytest.fixture
def files(tmp_path):
    def writing(**segmentations):
        for name, cuts in segmentations.items():
            facts = {"end": 5, "starts": [0, *cuts], "annotator": name}
            (tmp_path / f"{name}.json").write_text(json.dumps(facts))
        return [tmp_path / f"{name}.json" for name in segmentations]

    return writing


def test_score_prints_exactly_its_four_numbers(run, files):
    truth, found = files(truth=[2], found=[3])
    facts = json.loads(run("score", truth, found, "--json").stdout)
    assert list(facts) == ["mean_iou", "coverage", "overflow", "f_score"]
    assert facts["mean_iou"] == pytest.approx(2 / 3)
    assert facts["coverage"] == pytest.approx(4 / 5)
    assert facts["overflow"] == pytest.approx((2 * 1 / 3 + 3 * 1.0) / 5)


def test_score_of_a_file_with_itself_is_perfect(run, files):
    (truth,) = files(truth=[2, 3])
    facts = json.loads(run("score", truth, truth, "--json").stdout)
    assert facts == {"mean_iou": 1, "coverage": 1, "overflow": 0, "f_score": 1}


def test_boundaries_are_judged_when_a_tolerance_is_given(run, files):
    truth, found = files(truth=[2], found=[3])
    exact = json.loads(run("score", truth, found, "--tolerance", 0, "--json").stdout)
    near = json.loads(run("score", truth, found, "--tolerance", 1, "--json").stdout)
    assert (exact["boundary_f1"], near["boundary_f1"]) == (0, 1)


def test_score_prints_a_readable_summary(run, files):
    shown = run("score", *files(truth=[2], found=[3])).stdout
    assert "2 stories found, 2 true" in shown
    assert "mean iou           0.6667" in shown


def test_frames_beside_seconds_are_refused_by_the_option_that_helps(run, files, tmp_path):
    (frames,) = files(frames=[2])
    seconds = tmp_path / "seconds.json"
    stories = [{"start": 0.0, "end": 0.08}, {"start": 0.08, "end": 0.2}]
    seconds.write_text(json.dumps({"shots": [{"start": 0.0}], "stories": stories}))
    with pytest.raises(StoryscopeError, match="give --fps if one of them counts frames"):
        run("score", frames, seconds)
    assert json.loads(run("score", frames, seconds, "--fps", 25, "--json").stdout)["mean_iou"] == 1


def test_agree_prints_the_proven_best(run, files):
    people = files(ann=[2, 3, 4], bob=[1], eve=[3])
    facts = json.loads(run("agree", *people, "--json").stdout)
    assert list(facts) == ["starts", "end", "mean_iou", "exact"]
    assert facts == {"starts": [0, 2, 3], "end": 5, "mean_iou": pytest.approx(2 / 3), "exact": True}


def test_the_papers_program_can_be_selected(run, files):
    people = files(ann=[2, 3, 4], bob=[1], eve=[3])
    facts = json.loads(run("agree", *people, "--as-in-paper", "--json").stdout)
    assert facts["mean_iou"] < 2 / 3
    assert facts["exact"] is False


def test_stories_can_be_kept_to_allowed_cuts(run, files):
    *people, shots = files(ann=[2, 3, 4], bob=[1], eve=[3], shots=[1, 3])
    facts = json.loads(run("agree", *people, "--cuts", shots, "--json").stdout)
    assert set(facts["starts"]) <= {0, 1, 3}


def test_agreement_of_times_is_in_seconds(run, tmp_path, files):
    (tmp_path / "a.csv").write_text("0,1.5\n1.5,5\n")
    (ann,) = files(ann=[2])
    facts = json.loads(run("agree", tmp_path / "a.csv", ann, "--json").stdout)
    assert facts["end"] == 5
    assert facts["starts"] in ([0, 1.5], [0, 2])


def test_agreement_can_be_scored_against_each_person(run, tmp_path, files):
    people = files(ann=[2, 3, 4], bob=[1], eve=[3])
    agreement = tmp_path / "agreement.json"
    agreement.write_text(run("agree", *people, "--json").stdout)
    each = [json.loads(run("score", p, agreement, "--json").stdout)["mean_iou"] for p in people]
    assert sum(each) / 3 == pytest.approx(2 / 3)


def test_files_of_different_length_are_refused_by_name(run, tmp_path, files):
    (ann,) = files(ann=[2])
    other = tmp_path / "other.json"
    other.write_text('{"end": 4,\n"starts": [0]}')
    for command in ("score", "agree"):
        with pytest.raises(
            StoryscopeError, match=r"other\.json:1: ends at 4, but .*ann\.json at 5"
        ):
            run(command, ann, other)
