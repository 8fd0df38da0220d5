"""`reproduce` from films to tables: two generated films, full-width VGG-16, nothing stubbed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image

from painted import paint_ally, paint_bbc, random_vgg16
from storyscope.experiments.picture import TILE

pytest.importorskip("torch")
pytest.importorskip("spacy")

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    paint_bbc(folder / "bbc")
    random_vgg16(folder / "vgg16.safetensors")
    return folder


def command(place, *words):
    line = [sys.executable, "-m", "storyscope", "reproduce", *map(str, words)]
    return [*line, "--backbone", str(place / "vgg16.safetensors"), "--jobs", "1", "--json"]


def environment(place):
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "STORYSCOPE_CACHE": str(place / "cache"), "PYTHONPATH": paths}


@pytest.fixture(scope="module")
def whole(place):
    """A run that is killed once its films are indexed, and then run again to the end."""
    words = command(place, "bbc", place / "bbc", "--output", place / "out", "--query", "sea")
    first = subprocess.Popen(words, env=environment(place), stdout=subprocess.DEVNULL)
    results = place / "out" / "results"
    while first.poll() is None and len(list(results.glob("*.json"))) < 2:
        time.sleep(0.1)
    first.send_signal(signal.SIGKILL)
    first.wait()
    kept = {file.name: file.stat().st_mtime_ns for file in results.glob("*.json")}
    done = subprocess.run(words, env=environment(place), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    again = {name: (results / name).stat().st_mtime_ns for name in kept}
    assert kept, "the run was killed before anything was finished"
    assert again == kept, "finished results were computed again"
    return json.loads(done.stdout)


def rows(facts, words):
    (found,) = [table for table in facts["tables"] if words in table["title"]]
    return {row[0]: dict(zip(found["header"][1:], row[1:], strict=True)) for row in found["rows"]}


def test_every_method_of_the_paper_is_measured_on_every_film(whole):
    episodes = rows(whole, "Individual episodes")
    assert list(episodes) == ["From Pole to Pole", "Mountains", "Average"]
    for method in ("STG", "NW", "SDN", "ours", "paper's method", "uniform"):
        assert 0 < float(episodes["Average"][method]) <= 1
    assert not [note for note in whole["notes"] if "not run" in note]


def test_every_row_of_features_and_embeddings_is_measured(whole):
    features = rows(whole, "various features")
    assert len(features) == 6
    assert all(0 < float(row["here, paper preset"]) <= 1 for row in features.values())
    embeddings = rows(whole, "different embeddings")
    assert all(0 < float(row["here, paper preset"]) <= 1 for row in embeddings.values())


def test_annotators_are_trained_and_tested_on_with_both_agreements(whole):
    matrix = rows(whole, "different annotators: paper, paper preset")
    assert list(matrix) == ["annotator_0", "annotator_1", "agreement"]
    people = rows(whole, "maximum agreement")["Average"]
    assert float(people["by the paper's program"]) <= float(people["agreement"]) + 1e-9


def test_both_rankers_and_retrieval_run_end_to_end(whole):
    ranking = rows(whole, "swapped pairs")
    assert int(ranking["Average"]["pairs"]) > 0
    for ranker in ("Ranking CNN", "hypercolumns (ranking SVM)"):
        assert 0 <= float(ranking["Average"][ranker]) <= 100
    hits = rows(whole, "Retrieval")
    assert hits["sea"]["A(d)"] != "not available"
    assert sum(map(float, (row["importance"] for row in rows(whole, "importance").values()))) == (
        pytest.approx(1, abs=0.01)
    )


def test_the_figures_of_the_paper_are_drawn(place, whole):
    figures = place / "out" / "figures"
    assert {file.name for file in figures.iterdir()} == {
        *("from-pole-to-pole.png", "mountains.png", "hypercolumns.png", "ranked-frames.png")
    }
    with Image.open(figures / "hypercolumns.png") as maps:
        assert maps.size == (6 * TILE, TILE)
        assert len(maps.getcolors(1 << 20)) > 100


def test_ally_is_described_in_the_space_of_bbc_when_trained_on_it(place, whole):
    paint_ally(place / "ally", place / "bbc")
    words = ("ally", place / "ally", "--output", place / "ally-out")
    line = [*command(place, *words), "--trained-on-bbc", str(place / "out")]
    done = subprocess.run(line, env=environment(place), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    transfer = rows(json.loads(done.stdout), "Trained on BBC")
    assert 0 < float(transfer["Ep. 1"]["here, paper preset"]) <= 1
