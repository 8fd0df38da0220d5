"""Learning from corrections: evaluated on held-out videos, adopted only if better."""

import shutil
import threading

import pytest

from serving import client_of
from storyscope import Library
from storyscope.library.training import STYLE_FILE
from storyscope.progress import Step
from storyscope.stories.fine_tuning import FineTuning
from storyscope.stories.model import default_model
from storyscope.web import create_app, learning
from waiting import wait_until


@pytest.fixture
def library(indexed, tmp_path):
    library = Library(shutil.copytree(indexed, tmp_path / "library"))
    library.annotate("film", library.version("film", "ann").split(2.0))
    return library


@pytest.fixture
def client(library):
    return client_of(create_app(library))


def tuned(after):
    """A finished training with this result, without running it."""
    return FineTuning(default_model(), {"film": 0.5}, {"film": after}, {"film": 0.3}, 0.25)


def learn(client, monkeypatch, after):
    monkeypatch.setattr(learning, "learn_style", lambda *_, **__: tuned(after))
    assert client.post("/api/v1/learning", json={}).status_code == 202
    wait_until(lambda: client.get("/api/v1/learning").json()["state"] == "learned")
    return client.get("/api/v1/learning").json()["found"]


def test_without_corrections_there_is_nothing_to_learn_from(library):
    library.discard_annotation("film", "ann")
    refused = client_of(create_app(library)).post("/api/v1/learning", json={})
    assert (refused.status_code, refused.json()["error"]) == (422, "AnnotationError")


def test_a_failed_training_is_reported_and_can_be_repeated(client, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(learning, "learn_style", broken)
    client.post("/api/v1/learning", json={})
    wait_until(lambda: client.get("/api/v1/learning").json()["state"] == "failed")
    assert client.get("/api/v1/learning").json()["failure"] == "ZeroDivisionError: by nothing"
    assert learn(client, monkeypatch, after=0.75)["helped"]


def test_the_held_out_score_is_compared_with_the_baseline(client, monkeypatch):
    found = learn(client, monkeypatch, after=0.75)
    assert (found["before"], found["after"], found["uniform"]) == (0.5, 0.75, 0.3)
    assert found["videos"] == [{"name": "film", "before": 0.5, "after": 0.75, "uniform": 0.3}]
    assert (found["helped"], found["gain"]) == (True, 0.25)
    assert found["stories_per_minute"] is None


def test_an_improvement_is_adopted_and_stories_are_updated(client, library, monkeypatch):
    learn(client, monkeypatch, after=0.75)
    (number,) = client.post("/api/v1/learning/adoption", json={}).json()["jobs"]
    assert client.get("/api/v1/learning").json()["state"] == "used"
    assert library.config.stories.model.endswith(STYLE_FILE)
    wait_until(lambda: client.get("/api/v1/jobs").json()["jobs"][number - 1]["state"] == "ready")


def test_a_model_without_improvement_needs_insist(client, library, monkeypatch):
    learn(client, monkeypatch, after=0.5)
    refused = client.post("/api/v1/learning/adoption", json={})
    assert (refused.status_code, refused.json()["error"]) == (409, "NotBetter")
    before = library.config.stories.model
    assert not before.endswith(STYLE_FILE)
    assert client.post("/api/v1/learning/adoption", json={"insist": True}).status_code == 202
    assert library.config.stories.model.endswith(STYLE_FILE)


def test_a_stopped_training_changes_nothing(client, library, monkeypatch):
    begun, go_on = threading.Event(), threading.Event()
    outcome = []

    def slow(*_, report, **__):
        begun.set()
        go_on.wait(60)
        try:
            report(Step("train", 1, 2))
        except BaseException as error:
            outcome.append(error)
            raise
        return tuned(1.0)

    monkeypatch.setattr(learning, "learn_style", slow)
    client.post("/api/v1/learning", json={})
    assert begun.wait(60)
    assert client.get("/api/v1/learning").json()["state"] == "learning"
    assert client.delete("/api/v1/learning").json()["state"] == "cancelled"
    go_on.set()
    wait_until(lambda: outcome)
    assert client.post("/api/v1/learning/adoption", json={"insist": True}).status_code == 409


def test_training_uses_a_persons_version(client):
    pytest.importorskip("torch")
    client.post("/api/v1/learning", json={"annotator": "ann"})
    wait_until(lambda: client.get("/api/v1/learning").json()["state"] in ("learned", "failed"))
    status = client.get("/api/v1/learning").json()
    assert (status["state"], status["failure"]) == ("learned", "")
    assert {row["name"] for row in status["found"]["videos"]} == {
        "film by ann, first half",
        "film by ann, second half",
    }
