"""The outcomes of videos that were submitted to a cluster, with a fake cluster."""

from concurrent.futures import CancelledError
from pathlib import Path
from types import SimpleNamespace

import pytest

from memory_store import MemoryStore
from storyscope.cluster import indexing
from storyscope.cluster.indexing import MOST_TIMES, _Handed, _results
from storyscope.cluster.job import add_job, changed, kept_job

FILM = Path("/films/film.mp4")


class Future:
    """A task whose state is set by the test."""

    def __init__(self, status, outcome=None):
        self.status, self._outcome, self.was_cancelled = status, outcome, False

    def result(self):
        return self._outcome

    def exception(self):
        return self._outcome

    def cancel(self):
        self.was_cancelled = True


class Client:
    """A client that returns the next of its futures for every submitted task."""

    def __init__(self, *futures, status="running"):
        self.futures, self.status, self.keys = list(futures), status, []

    def submit(self, task, given, *, key, workers, pure):
        self.keys.append((key, workers))
        return self.futures.pop(0)


@pytest.fixture
def library(tmp_path, monkeypatch):
    left_alone = []
    monkeypatch.setattr(
        indexing,
        "import_module",
        lambda name: SimpleNamespace(
            wait=lambda *given, **options: None,
            CancelledError=CancelledError,
            fire_and_forget=left_alone.append,
        ),
    )
    return SimpleNamespace(store=MemoryStore(tmp_path), left_alone=left_alone)


def handed(library, client, workers=None):
    facts = {"name": FILM.name, "path": str(FILM), "transcript": None, "owner": "tcp://host"}
    one = _Handed(add_job(library.store, **facts), None, workers)
    return one, {one.submit(client): one}


def results(library, client, running):
    return _results(library, client, running, {str(FILM): FILM}, lambda path, step: None)


def test_a_video_that_is_done_leaves_no_job(library):
    client = Client(Future("finished", ("film", "")))
    (result,) = results(library, client, handed(library, client)[1])
    assert (result.video, result.failure) == ("film", "")
    assert library.store.jobs.all() == {}


def test_a_task_that_the_scheduler_lost_is_submitted_again(library):
    client = Client(Future("lost"), Future("cancelled"), Future("finished", ("film", "")))
    (result,) = results(library, client, handed(library, client, ["tcp://one"])[1])
    assert result.video == "film"
    assert [workers for _, workers in client.keys] == [["tcp://one"], None, None]
    assert len({key for key, _ in client.keys}) == 3


def test_a_task_is_not_submitted_forever(library):
    client = Client(*[Future("lost")] * 99)
    one, running = handed(library, client)
    (result,) = results(library, client, running)
    assert "the scheduler was lost; run the same command again" in result.failure
    assert len(client.keys) == MOST_TIMES
    assert kept_job(library.store, one.job.id).state == "failed"


def test_without_a_scheduler_the_error_says_how_to_continue(library):
    client = Client(Future("cancelled"), status="closed")
    (result,) = results(library, client, handed(library, client)[1])
    assert "run the same command again" in result.failure
    assert len(client.keys) == 1


def test_a_worker_that_was_lost_too_often_is_the_reason(library):
    killed = type("KilledWorker", (Exception,), {})("film")
    client = Client(Future("error", killed))
    (result,) = results(library, client, handed(library, client)[1])
    assert result.failure == "its workers were lost repeatedly while it was being indexed"


def test_exiting_cancels_waiting_tasks_and_leaves_running_ones(library):
    waiting, runs, done = Future("pending"), Future("pending"), Future("finished", ("film", ""))
    client = Client(waiting, runs, done)
    one, running = handed(library, client)
    two, more = handed(library, client)
    _, ended = handed(library, client)
    changed(library.store, two.job, state="indexing")
    found = results(library, client, running | more | ended)
    assert next(found).video == "film"
    found.close()
    assert (waiting.was_cancelled, runs.was_cancelled) == (True, False)
    assert library.left_alone == [runs]
    assert kept_job(library.store, one.job.id) is None
