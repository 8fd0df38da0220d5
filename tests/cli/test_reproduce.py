"""`storyscope reproduce` on a small synthetic collection in the published layout."""

import json
import shutil

import pytest
from typer.testing import CliRunner

from benchmark_folder import Thirds
from movie import SHOT_FRAMES, make_movie
from storyscope.baselines.paper_methods import Lstm, Paper, PaperSiamese
from storyscope.cli.main import build_app
from storyscope.config.records import SIX_FEATURES
from storyscope.embedding.training import EmbeddingRecipe, train_embedding
from storyscope.errors import AnnotationError, StoryscopeError
from storyscope.evaluate import judge, leave_one_out, load_collection
from storyscope.experiments import methods as judging
from storyscope.experiments import retrieval

STEMS = ("01_From_Pole_to_Pole", "02_Mountains")
METHODS = {
    "ours": "benchmark_folder:Thirds",
    "paper": "benchmark_folder:Thirds",
    "stg": "benchmark_folder:Halves",
}


@pytest.fixture(scope="module")
def app():
    return build_app()


@pytest.fixture(autouse=True, scope="module")
def smaller():
    """Methods that need no training, a small embedding, and few frames to compare rankers on."""
    small = EmbeddingRecipe(layers=(40, 20, 10), epochs=6, later_from=5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(train_embedding, "__defaults__", ("triplet", small))
        patch.setattr(judging, "METHODS", METHODS)
        patch.setattr(retrieval, "DEGRADED_FRAMES", 2)
        yield


@pytest.fixture(scope="module")
def bbc(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bbc")
    notes = folder / "annotations"
    for number, stem in enumerate(STEMS):
        make_movie(folder / f"{stem}.mp4", seed=number)
        shots = "".join(f"{i * SHOT_FRAMES} {(i + 1) * SHOT_FRAMES - 1}\n" for i in range(9))
        (notes / "shots").mkdir(parents=True, exist_ok=True)
        (notes / "shots" / f"{stem}.txt").write_text(shots)
        for person, firsts in enumerate(("0,3,6", "0,3,6,8", "0,6")):
            place = notes / "scenes" / f"annotator_{person}"
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{stem}.txt").write_text(firsts)
    return folder


def reproduce(app, *words):
    done = CliRunner().invoke(app, ["reproduce", *map(str, words), "--jobs", "1"])
    if isinstance(done.exception, StoryscopeError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


@pytest.fixture(scope="module")
def whole(app, bbc, tmp_path_factory):
    """A finished run: its output and its folder."""
    output = tmp_path_factory.mktemp("output")
    done = reproduce(app, "bbc", bbc, "--output", output, "--json")
    return json.loads(done.stdout), output


def table(facts, words):
    (found,) = [each for each in facts["tables"] if words in each["title"]]
    return {row[0]: dict(zip(found["header"][1:], row[1:], strict=True)) for row in found["rows"]}


def test_every_episode_is_compared_with_the_papers_number(whole):
    facts, output = whole
    episodes = table(facts, "Individual episodes")
    assert list(episodes) == ["From Pole to Pole", "Mountains", "Average"]
    mountains = episodes["Mountains"]
    assert (mountains["STG (paper)"], mountains["Ours (paper)"]) == ("0.40", "0.75")
    by_hand = leave_one_out(load_collection(output / "default-benchmark"), Thirds())
    assert mountains["ours"] == f"{by_hand[1].mean_iou:.3f}"
    assert float(mountains["one-per-shot"]) < float(mountains["uniform"])


def test_people_are_compared_with_their_proven_agreement(whole):
    facts, _ = whole
    people = table(facts, "maximum agreement")
    assert set(people["Mountains"]) == {
        *("annotator_0", "annotator_1", "annotator_2"),
        *("agreement", "by the paper's program", "proven"),
    }
    exact, approximate = (
        float(people["Average"][name]) for name in ("agreement", "by the paper's program")
    )
    assert 0 < approximate <= exact <= 1
    assert people["Mountains"]["proven"] == "yes"


def test_training_on_each_annotator_is_a_matrix(whole):
    facts, _ = whole
    matrix = table(facts, "different annotators: ours")
    everyone = ["annotator_0", "annotator_1", "annotator_2", "agreement"]
    assert list(matrix) == everyone
    assert list(matrix["agreement"]) == everyone


def test_features_are_added_one_after_the_other(whole):
    facts, _ = whole
    features = table(facts, "various features")
    assert features["VA+A"]["paper"] == "0.654"
    assert float(features["VA+A"]["here, default preset"]) > 0.5


def test_what_could_not_be_computed_is_reported(whole):
    facts, output = whole
    notes = "\n".join(facts["notes"])
    assert "nw was not run" in notes
    assert "aesthetic ranking" in notes
    assert "paper-lite replaces the paper preset" in notes
    assert "storyscope models get vgg16 --file FILE" in notes
    assert "nw was not run" in (output / "tables.md").read_text()


@pytest.mark.parametrize("method", [Paper, PaperSiamese, Lstm])
def test_the_papers_own_networks_are_trained_on_what_was_indexed(whole, method):
    _, output = whole
    films = load_collection(output / "paper-lite-benchmark", features=SIX_FEATURES.split(","))
    scores = leave_one_out(films, method())
    assert [score.name for score in scores] == ["From Pole to Pole", "Mountains"]
    assert all(0 < score.mean_iou <= 1 for score in scores)


def test_rankers_importance_and_retrieval_are_those_of_a_trained_library(whole):
    facts, output = whole
    ranking = table(facts, "swapped pairs")["Average"]
    for ranker in ("Ranking CNN", "hypercolumns (ranking SVM)"):
        assert 0 <= float(ranking[ranker]) <= 100
    importance = table(facts, "importance")
    assert set(importance) == set(SIX_FEATURES.split(","))
    (hits,) = [each for each in facts["tables"] if "Retrieval" in each["title"]]
    assert {row[2] for row in hits["rows"]} <= {"01-from-pole-to-pole", "02-mountains"}
    figures = {file.name for file in (output / "figures").iterdir()}
    assert figures == {
        *("from-pole-to-pole.png", "mountains.png", "hypercolumns.png", "ranked-frames.png")
    }


def test_a_second_run_computes_nothing_again(app, bbc, whole, monkeypatch):
    facts, output = whole
    monkeypatch.setattr(
        "storyscope.experiments.benchmark._do", lambda *_: pytest.fail("computed again")
    )
    again = json.loads(reproduce(app, "bbc", bbc, "--output", output, "--json").stdout)
    assert again["tables"] == facts["tables"]


def test_the_index_is_a_benchmark_folder_of_its_own(app, whole, tmp_path, monkeypatch):
    _, output = whole
    monkeypatch.setenv("STORYSCOPE_CACHE", str(tmp_path))
    words = [
        "benchmark",
        str(output / "default-benchmark"),
        "--methods",
        "ours",
        "--jobs",
        "1",
        "--json",
    ]
    done = CliRunner().invoke(app, [*words, "--features", "appearance,time"])
    facts = json.loads(done.stdout)
    assert [video["true"] for video in facts["videos"]] == [3, 3]


def test_annotators_are_compared_without_videos(app, bbc, tmp_path):
    shutil.copytree(bbc / "annotations", tmp_path / "bare" / "annotations")
    done = reproduce(app, "bbc", tmp_path / "bare", "--output", tmp_path / "out", "--json")
    facts = json.loads(done.stdout)
    assert [each["title"] for each in facts["tables"]] == ["Annotators and their maximum agreement"]
    assert "no video found for 01_From_Pole_to_Pole" in done.stderr


@pytest.mark.slow
def test_ally_can_be_judged_after_training_on_bbc(app, bbc, whole, tmp_path, monkeypatch):
    _, bbc_output = whole
    # The same tables of search and thumbnails as those of BBC.
    monkeypatch.setattr(retrieval.Retrieval, "tables", lambda *_: [])
    folder = tmp_path / "ally"
    (folder / "annotations").mkdir(parents=True)
    for number, stem in enumerate(STEMS, start=1):
        for suffix in (".mp4", ".srt"):
            shutil.copy(bbc / f"{stem}{suffix}", folder / f"ally_{number}{suffix}")
        rows = [f"{i * SHOT_FRAMES},{(i + 1) * SHOT_FRAMES - 1},{i // 3}\n" for i in range(9)]
        (folder / "annotations" / f"ally_{number}.csv").write_text(
            "first,last,story\n" + "".join(rows)
        )
    words = ("ally", folder, "--output", tmp_path / "out", "--json")
    facts = json.loads(reproduce(app, *words, "--trained-on-bbc", bbc_output).stdout)
    transfer = table(facts, "Trained on BBC")
    assert transfer["Ep. 1"]["paper"] == "0.87"
    trained = Thirds().fit(load_collection(bbc_output / "default-benchmark"), seed=0)
    by_hand = judge(load_collection(tmp_path / "out" / "default-benchmark"), trained)
    assert transfer["Ep. 1"]["here, default preset"] == f"{by_hand[0].mean_iou:.3f}"
    with pytest.raises(AnnotationError, match="run `storyscope reproduce bbc`"):
        reproduce(app, *words, "--trained-on-bbc", tmp_path / "nothing")
