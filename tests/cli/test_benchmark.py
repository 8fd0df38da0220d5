"""`storyscope benchmark` on a small synthetic folder."""

import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from benchmark_folder import write_video
from storyscope.cli.main import as_written_today, build_app
from storyscope.errors import AnnotationError, StoryscopeError, UnknownName
from storyscope.evaluate import load_collection, mean_iou
from storyscope.experiments import benchmark as judging
from storyscope.experiments import results
from storyscope.experiments.detector import LearnedDetector
from storyscope.experiments.methods import METHODS
from storyscope.experiments.picture import LABEL, OURS, TRUTH, WIDTH, draw_stories
from storyscope.experiments.protocols import refuse_taught
from storyscope.experiments.study import AGREEMENT, simulate_annotators
from storyscope.stories.model import default_model
from waiting import is_running, wait_until

THIRDS, HALVES, NEEDS_MORE, SEEDED = (
    f"benchmark_folder:{name}" for name in ("Thirds", "Halves", "NeedsMore", "Seeded")
)


@pytest.fixture(scope="module")
def app():
    return build_app()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("STORYSCOPE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "benchmarks"


@pytest.fixture
def folder(tmp_path):
    for number, name in enumerate(("ann", "bob", "carol")):
        write_video(tmp_path / "videos" / f"{number:02}", name)
    return tmp_path / "videos"


@pytest.fixture
def run(app):
    def running(*words):
        done = CliRunner().invoke(
            app, as_written_today(["storyscope", "benchmark", *map(str, words), "--jobs", "1"])[1:]
        )
        if isinstance(done.exception, StoryscopeError):
            raise done.exception
        assert done.exit_code == 0, done.output
        return done

    return running


def test_facts_have_the_shape_that_scripts_depend_on(run, folder):
    done = run(folder, "--methods", THIRDS, "--features", "look", "--json")
    facts = json.loads(done.stdout)
    assert set(facts) >= {"mean_iou", "videos", "baselines"}
    assert facts["baselines"].keys() == {"uniform", "uniform-shots", "one-per-shot"}
    video = {"name": "ann", "mean_iou": pytest.approx(facts["mean_iou"]), "found": 3, "true": 3}
    assert facts["videos"][0].items() >= video.items()
    assert set(facts["videos"][0]) == {
        *("name", "mean_iou", "coverage", "overflow", "f_score", "found", "true")
    }


def test_the_mean_is_over_videos_and_recounts_by_hand(run, folder):
    facts = json.loads(run(folder, "--methods", f"{HALVES},{THIRDS}", "--json").stdout)
    videos = load_collection(folder)
    halves = np.mean([mean_iou(v.truth, v.truth.from_cuts([40], 80)) for v in videos])
    assert facts["mean_iou"] == pytest.approx(halves)
    assert facts["baselines"][THIRDS] == pytest.approx(facts["baselines"]["uniform-shots"])


def test_several_seeds_give_the_mean_of_what_each_gives(run, folder):
    words = (folder, "--methods", f"{SEEDED},{HALVES}", "--json")
    single = [json.loads(run(*words, "--seed", seed).stdout) for seed in (4, 5)]
    both = json.loads(run(*words, "--seed", 4, "--seeds", 2).stdout)
    assert single[0]["mean_iou"] != single[1]["mean_iou"]
    assert both["mean_iou"] == pytest.approx(np.mean([each["mean_iou"] for each in single]))
    assert both["videos"][0]["mean_iou"] == pytest.approx(
        np.mean([each["videos"][0]["mean_iou"] for each in single])
    )
    assert both["seeds"]["5"][SEEDED] == pytest.approx(single[1]["mean_iou"])
    assert "| highest - lowest |" in run(*words[:-1], "--seed", 4, "--seeds", 2).stdout


def test_few_folds_score_their_videos_as_all_do(run, folder):
    words = (folder, "--methods", f"{THIRDS},{HALVES}", "--json")
    every, two = (json.loads(run(*words, *more).stdout) for more in ((), ("--folds", 2)))
    assert two["videos"] == [every["videos"][0], every["videos"][1]]
    assert two["methods"]["uniform"] == every["methods"]["uniform"][:2]


def test_an_ablation_adds_features_and_compares_embeddings(run, folder, tmp_path, monkeypatch):
    for name in ("ours", "lstm", "siamese", "triplet", "cluster"):
        monkeypatch.setitem(METHODS, name, THIRDS)
    for number, name in enumerate(("dora", "eve")):
        write_video(tmp_path / "others" / f"{number}", name)
    words = ("--ablation", "--train", tmp_path / "others", "--folds", 2, "--json")
    facts = json.loads(run(folder, *words).stdout)
    with_features, embeddings, elsewhere = facts.values()
    assert [row["Features"] for row in with_features] == ["time", "time + look"]
    assert [row["Embedding"] for row in embeddings][:4] == ["none", "LSTM", "Siamese", "Triplet"]
    thirds = json.loads(run(folder, "--methods", THIRDS, "--folds", 2, "--json").stdout)
    assert elsewhere[-2]["trained on others"] == f"{thirds['mean_iou']:.3f}"
    assert elsewhere[-1]["trained on others"] == f"{thirds['baselines']['uniform']:.3f}"
    assert "over 2 of 3 videos" in run(folder, *words[:-1]).stdout


def test_the_trivial_answers_are_always_in_the_table(run, folder):
    table = run(folder, "--methods", HALVES).stdout
    assert "| Video | uniform | uniform-shots | one-per-shot |" in table
    assert "| **Average** |" in table
    assert table.count("| ann |") == 1


def test_a_video_without_the_feature_is_left_out_and_named(run, folder):
    write_video(folder / "99", "dora", features={"sound": "sound.npy"})
    done = run(folder, "--methods", HALVES, "--features", "look", "--json")
    assert "left out: dora has no look feature" in done.stderr
    facts = json.loads(done.stdout)
    assert facts["left_out"] == {"dora": "has no look feature"}
    assert [video["name"] for video in facts["videos"]] == ["ann", "bob", "carol"]


def test_features_that_some_videos_lack_are_not_used_unless_named(run, folder):
    write_video(folder / "99", "dora", features={"look": "look.npy", "sound": "sound.npy"})
    done = run(folder, "--methods", HALVES, "--json")
    assert "4 videos, look:" in done.stderr
    assert len(json.loads(done.stdout)["videos"]) == 4
    with pytest.raises(AnnotationError, match=r"no video of .* has smell"):
        run(folder, "--methods", HALVES, "--features", "smell")


def test_a_method_that_cannot_run_is_named_and_the_others_run(run, folder):
    done = run(folder, "--methods", f"{HALVES},{NEEDS_MORE}", "--json")
    assert "pip install storyscope[train]" in done.stderr
    assert NEEDS_MORE in json.loads(done.stdout)["not_run"]


def test_results_are_written_as_facts_tables_and_pictures(run, folder, tmp_path):
    shown = run(folder, "--methods", THIRDS, "--json", "--output", tmp_path / "out").stdout
    assert json.loads((tmp_path / "out" / "benchmark.json").read_text()) == json.loads(shown)
    assert "| **Average** |" in (tmp_path / "out" / "benchmark.md").read_text()
    assert sorted(file.name for file in (tmp_path / "out").glob("*.png")) == [
        *("ann.png", "bob.png", "carol.png")
    ]


def test_a_stopped_run_resumes_where_it_stopped(folder, cache, monkeypatch):
    task = judging.Benchmark(folder)
    done = []
    work = judging._do

    def stops_after_two(benchmark, job):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(job)
        return work(benchmark, job)

    monkeypatch.setattr(judging, "_do", stops_after_two)
    with pytest.raises(KeyboardInterrupt):
        judging.run_methods(task, [THIRDS], cache=cache)
    monkeypatch.setattr(
        judging, "_do", lambda benchmark, job: done.append(job) or work(benchmark, job)
    )
    whole = judging.run_methods(task, [THIRDS], cache=cache)
    assert [job.held_out for job in done] == [0, 1, 2]
    assert len(whole.scores[THIRDS]) == 3


def test_changed_data_or_settings_are_evaluated_again(folder, cache, monkeypatch):
    done = []
    work = judging._do
    monkeypatch.setattr(
        judging, "_do", lambda benchmark, job: done.append(job) or work(benchmark, job)
    )
    judging.run_methods(judging.Benchmark(folder), [THIRDS], cache=cache)
    judging.run_methods(judging.Benchmark(folder), [THIRDS], cache=cache)
    assert len(done) == 3
    judging.run_methods(judging.Benchmark(folder, seed=1), [THIRDS], cache=cache)
    assert len(done) == 6
    np.save(folder / "00" / "look.npy", np.zeros((8, 3)))
    judging.run_methods(judging.Benchmark(folder), [THIRDS], cache=cache)
    assert len(done) == 9


def test_a_changed_method_is_evaluated_again(folder, cache, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    source = tmp_path / "my_method.py"
    source.write_text("from benchmark_folder import Halves\n")
    judging.run_methods(judging.Benchmark(folder), ["my_method:Halves"], cache=cache)
    kept = len(list(cache.glob("*.json")))
    source.write_text("from benchmark_folder import Thirds as Halves\n")
    judging.run_methods(judging.Benchmark(folder), ["my_method:Halves"], cache=cache)
    assert len(list(cache.glob("*.json"))) == 2 * kept


def test_processes_find_what_one_process_finds(folder):
    task = judging.Benchmark(folder)
    alone = judging.run_methods(task, [HALVES, THIRDS])
    together = judging.run_methods(task, [HALVES, THIRDS], jobs=2)
    assert alone.scores == together.scores


@pytest.mark.skipif(os.name == "nt", reason="signal 0 asks nothing on Windows")
def test_a_killed_benchmark_leaves_no_process_running(folder, tmp_path):
    workers = tmp_path / "workers"
    workers.mkdir()
    words = [folder, "--methods", "benchmark_folder:Endless", "--jobs", "2", "--quiet"]
    paths = os.pathsep.join([str(Path(__file__).parents[1] / "helpers"), *filter(None, sys.path)])
    benchmark = subprocess.Popen(
        [sys.executable, "-m", "storyscope", "benchmark", *map(str, words)],
        env={**os.environ, "WORKERS": str(workers), "PYTHONPATH": paths},
    )
    wait_until(lambda: len(list(workers.iterdir())) == 2)
    running = [int(path.name) for path in workers.iterdir()]
    assert all(map(is_running, running))
    benchmark.kill()
    benchmark.wait()
    wait_until(lambda: not any(map(is_running, running)))
    assert not any(map(is_running, running))


def test_a_failing_method_stops_the_processes_and_is_reported(folder):
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        judging.run_methods(judging.Benchmark(folder), ["benchmark_folder:Fails"], jobs=2)


def test_a_model_trained_elsewhere_sees_none_of_the_videos(run, folder, tmp_path):
    write_video(tmp_path / "other" / "0", "zoe", stories=[[0, 40], [40, 80]])
    words = ("--protocol", "pretrained", "--train", tmp_path / "other", "--json")
    facts = json.loads(run(folder, "--methods", THIRDS, *words).stdout)
    assert [video["found"] for video in facts["videos"]] == [2, 2, 2]
    write_video(tmp_path / "other" / "1", "bob")
    with pytest.raises(AnnotationError, match="holds bob, which are to be scored"):
        run(folder, "--methods", THIRDS, *words)


def test_a_shipped_model_is_judged_without_training(run, folder):
    done = run(folder, "--methods", f"{HALVES},{THIRDS}", "--protocol", "pretrained", "--json")
    facts = json.loads(done.stdout)
    assert facts["videos"][0]["found"] == 2
    assert "thirds has no shipped model" in facts["not_run"][THIRDS]


def test_a_shipped_model_is_not_evaluated_on_its_training_videos(run, tmp_path):
    assert len(default_model().trained_on) == 19
    write_video(tmp_path / "seen" / "0", "Ice Worlds")
    write_video(tmp_path / "seen" / "1", "bob")
    with pytest.raises(AnnotationError, match="was trained on Ice Worlds, which are to be scored"):
        run(tmp_path / "seen", "--methods", "ours", "--protocol", "pretrained")


def test_a_training_video_is_recognised_under_another_name(folder):
    video = load_collection(folder)[0]
    taught = LearnedDetector(replace(default_model(), trained_on={"alias": video.fingerprint}))
    with pytest.raises(AnnotationError, match=f"was trained on {video.name}"):
        refuse_taught(taught, [video])
    with pytest.raises(AnnotationError, match=f"was trained on {video.name}"):
        refuse_taught(taught, [replace(video, frame_count=video.frame_count + 1)])
    longer = replace(video, frame_count=video.frame_count + 50)
    refuse_taught(taught, [longer])


def test_results_of_other_weights_are_not_taken_from_the_cache(folder, tmp_path, monkeypatch):
    weights = tmp_path / "package" / "stories" / "default.safetensors"
    weights.parent.mkdir(parents=True)
    monkeypatch.setattr(
        results, "__file__", str(tmp_path / "package" / "experiments" / "benchmark.py")
    )
    digests = []
    for content in (b"first", b"second", b"first"):
        weights.write_bytes(content)
        digests.append(results.digests_of(judging.Benchmark(folder)))
    assert digests[0] == digests[2] != digests[1]


def test_unknown_methods_and_protocols_are_refused(run, folder):
    with pytest.raises(UnknownName, match="no method is called 'nonsense'"):
        run(folder, "--methods", "nonsense")
    for stranger, words in (
        ("os:getcwd", "os:getcwd is not a method"),
        ("os:sep", "no method can be loaded from os:sep"),
        ("nowhere.at.all:Method", "no method can be loaded from nowhere"),
        (":Method", "no method can be loaded from :Method"),
    ):
        with pytest.raises(UnknownName, match=words):
            run(folder, "--methods", stranger)
    with pytest.raises(UnknownName, match="no protocol is called 'guess'"):
        run(folder, "--protocol", "guess")


def test_the_study_of_annotators_is_labelled_where_they_are_simulated(run, folder, tmp_path):
    words = (folder, "--methods", THIRDS, "--annotators", "--simulate", "3")
    done = run(*words, "--output", tmp_path / "out", "--json")
    facts = json.loads(done.stdout)
    assert facts["simulated"] is True
    assert "SIMULATED" in done.stderr
    people = ["simulated 1", "simulated 2", "simulated 3"]
    assert facts["annotators"] == people
    assert list(facts["matrix"]) == list(facts["matrix"]["simulated 1"]) == [*people, AGREEMENT]
    assert facts["between_people"] <= facts["ceiling"] <= 1
    table = run(*words).stdout
    assert table.startswith("**Simulated annotators")
    assert "Human ceiling (simulated)" in table


def test_a_method_named_twice_is_run_once(run, folder):
    once = json.loads(run(folder, "--methods", THIRDS, "--json").stdout)
    assert json.loads(run(folder, "--methods", f"{THIRDS},{THIRDS}", "--json").stdout) == once


def test_a_broken_description_is_refused_before_annotators_are_read(run, folder):
    (folder / "00" / "video.json").write_text("{")
    with pytest.raises(AnnotationError, match=r"video\.json is not JSON"):
        run(folder, "--methods", THIRDS, "--annotators")


def test_people_who_annotated_are_not_simulated(run, tmp_path):
    people = {"ann": [[0, 30], [30, 80]], "bob": [[0, 40], [40, 80]]}
    for number in range(3):
        write_video(tmp_path / "people" / str(number), f"v{number}", annotations=people)
    done = run(tmp_path / "people", "--methods", THIRDS, "--annotators", "--json")
    facts = json.loads(done.stdout)
    assert facts["simulated"] is False
    assert "simulated" not in done.stderr.lower()
    assert list(facts["matrix"]) == ["ann", "bob", AGREEMENT]
    halves = facts["matrix"]["bob"]
    assert halves["bob"] == 1.0
    assert halves["ann"] < 1.0
    assert facts["ceiling_proven"] is True


def test_simulated_people_have_a_style_and_are_the_same_each_time(folder):
    videos = load_collection(folder)
    first, again = (simulate_annotators(videos, count=4, seed=3) for _ in range(2))
    assert [v.annotations for v in first] == [v.annotations for v in again]
    assert all(stories.end == 80 for v in first for stories in v.annotations.values())
    assert len({stories for v in first for stories in v.annotations.values()}) > 1


def test_colour_changes_in_the_picture_where_a_story_begins(folder):
    video = load_collection(folder)[0]
    half = video.truth.from_cuts([40], 80)
    picture = Image.open(io.BytesIO(draw_stories("ann", {"truth": video.truth, "ours": half})))
    pixels = np.array(picture.convert("RGB"))
    row, column = 30 + 10, LABEL + WIDTH * np.array([10, 40, 70]) // 80
    assert [tuple(pixels[row, x]) for x in column] == [TRUTH[0], TRUTH[1], TRUTH[0]]
    assert [tuple(pixels[row + 44, x]) for x in column] == [OURS[0], OURS[1], OURS[1]]
