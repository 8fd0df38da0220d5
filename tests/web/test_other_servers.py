"""Several servers on one library in PostgreSQL, with fake index processes."""

from pathlib import Path

import pytest

from index_worker import WORKER
from storyscope import Library
from storyscope.processes import indexing
from storyscope.web.indexing import Indexer
from waiting import wait_until


@pytest.fixture
def servers(monkeypatch, postgres, tmp_path):
    monkeypatch.setattr(indexing, "WORKER", ("-S", "-c", WORKER))
    address = postgres.address(tmp_path)
    libraries = [Library(address) for _ in range(2)]
    servers = [Indexer(library) for library in libraries]
    for server in servers:
        server.take_up()
    yield servers
    for server, library in zip(servers, libraries, strict=True):
        server.close()
        library.store.close()


def states(server):
    return {job["name"]: (job["state"], job["stage"]) for job in server.jobs()}


def test_every_server_shows_the_jobs_of_all(servers):
    one, two = servers
    one.add(Path("/film"))
    two.add(Path("/bad"))
    wanted = {"film": ("ready", "scan"), "bad": ("failed", "scan")}
    for server in servers:
        wait_until(lambda server=server: states(server) == wanted)
    assert states(one) == states(two) == wanted
    (bad,) = (job["id"] for job in one.jobs() if job["name"] == "bad")
    one.cancel(bad)
    for server in servers:
        wait_until(lambda server=server: states(server) == {"film": ("ready", "scan")})
    assert states(one) == states(two) == {"film": ("ready", "scan")}


def test_a_job_is_followed_and_stopped_on_another_server(servers):
    one, two = servers
    job = one.add(Path("/slow"))
    wait_until(lambda: states(two) == {"slow": ("indexing", "scan")})
    two.cancel(job.id)
    wait_until(lambda: job.state == "cancelled" and one._process is None)
    assert states(one) == {"slow": ("cancelled", "scan")}


def test_the_jobs_of_a_server_that_has_died_are_taken_over(servers, postgres):
    one, two = servers
    one.add(Path("/slow"))
    waiting = one.add(Path("/film"))
    wait_until(lambda: "film" in states(two))
    one.close()
    wait_until(lambda: [job.name for job in two._jobs.values()] == ["slow", "film"])
    assert two._jobs[waiting.id].owner == two._others.name
    for server in servers:
        for job in list(server._jobs.values()):
            server.cancel(job.id)


def test_servers_notify_each_other_after_reconnecting(servers, postgres):
    one, two = servers
    postgres.cut_connections()
    one.add(Path("/film"))
    wait_until(lambda: states(two).get("film", ("",))[0] == "ready")
    assert states(two) == states(one) == {"film": ("ready", "scan")}
