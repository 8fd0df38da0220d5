"""The queue of videos on the server, with fake index processes."""

import json
from pathlib import Path

import pytest

from index_worker import WORKER
from storyscope import Library
from storyscope.processes import indexing
from storyscope.stages.words import stage_words
from storyscope.web.indexing import Indexer
from storyscope.web.job_facts import SHARES
from waiting import wait_until


@pytest.fixture
def library(monkeypatch, tmp_path):
    monkeypatch.setattr(indexing, "WORKER", ("-S", "-c", WORKER))
    return Library(tmp_path / "library")


def test_a_failed_video_is_reported_and_the_next_one_is_indexed(library, monkeypatch):
    queue = Indexer(library)
    bad, good = queue.add(Path("nonsense")), queue.add(Path("film"))
    wait_until(lambda: good.state == "ready")
    assert (bad.state, bad.failure[:32]) == ("failed", "the index process sent nonsense:")
    monkeypatch.setattr(indexing, "WORKER", ("\0",))
    bad = queue.add(Path("unstartable"))
    wait_until(lambda: bad.state == "failed")
    assert bad.failure.startswith("ValueError: ")


def test_a_server_continues_the_jobs_of_its_predecessor(library):
    states = ("waiting", "indexing", "cancelled", "failed", "ready")
    for state in states:
        facts = {"id": 0, "name": state, "path": f"/{state}", "state": state}
        library.store.jobs.add(json.dumps(facts))
    server, another = Indexer(library), Indexer(library)
    server.take_up()
    another.take_up()
    assert another.jobs() == [], "two servers would do the same work"
    wait_until(lambda: [job["state"] for job in server.jobs()].count("ready") == 2)
    final = {job["name"]: job["state"] for job in server.jobs()}
    assert final == {
        "waiting": "ready",
        "indexing": "ready",
        "cancelled": "cancelled",
        "failed": "failed",
    }
    dismissed = next(job for job in server.jobs() if job["name"] == "failed")
    server.cancel(dismissed["id"])
    server.close()
    another.take_up()
    assert [job["name"] for job in another.jobs()] == ["cancelled"]


def test_a_stopped_job_is_stopped_for_good(library):
    server = Indexer(library)
    job = server.add(Path("slow"))
    wait_until(lambda: job.stage == "scan")
    assert server.cancel(job.id).state == "cancelled"
    (kept,) = library.store.jobs.all().values()
    assert json.loads(kept)["state"] == "cancelled"


def test_every_stage_has_words_for_people():
    unnamed = [stage for stage in SHARES if stage_words(stage) == stage.replace("_", " ")]
    assert unnamed == []
