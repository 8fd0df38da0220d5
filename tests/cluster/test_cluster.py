"""Indexing on a Dask cluster of two real workers, with fake index processes."""

import os
import signal
import sys
from pathlib import Path

import pytest

import preload_index_worker
import preload_other_model
from benchmarks.scale.dask_cluster import running_cluster, running_worker
from storyscope import Library
from storyscope.cli.worker import _bytes
from storyscope.cluster import index_on_cluster, indexing, opened_cluster
from storyscope.cluster.job import add_job, changed, kept_job
from storyscope.cluster.task import Task, differences, index_task
from storyscope.core import Video
from storyscope.errors import InvalidSetting, LibraryError
from storyscope.store import VideoRecord
from waiting import wait_until

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def library(postgres, tmp_path_factory):
    library = Library(postgres.address(tmp_path_factory.mktemp("shared")))
    yield library
    library.store.close()


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder, preload = tmp_path_factory.mktemp("dask"), preload_index_worker.__file__
    with (
        running_cluster(folder, preload=preload) as (address, _),
        opened_cluster(address) as client,
    ):
        client.wait_for_workers(2, timeout=60)
        yield client


def films(folder, *names):
    for name in names:
        (folder / f"{name}.mp4").write_bytes(b"film")
    return [folder / f"{name}.mp4" for name in names]


def attempts(path):
    return len(path.with_suffix(".tries").read_text())


def test_every_video_is_a_task_and_a_bad_one_does_not_stop_the_others(library, client, tmp_path):
    paths, steps = films(tmp_path, "a", "bad", "slow"), []
    found = index_on_cluster(
        library, paths, client, follow=lambda path, step: steps.append((path, step.stage))
    )
    results = {result.path.stem: (result.video, result.failure) for result in found}
    assert results == {"a": ("a", ""), "bad": ("", "is bad"), "slow": ("slow", "")}
    assert (paths[2], "scan") in steps
    (left,) = library.store.jobs.all()
    library.store.jobs.put(left, None)


def test_the_video_of_a_killed_worker_is_indexed_by_another(library, client, tmp_path):
    (path,) = films(tmp_path, "once")
    found = index_on_cluster(library, [path], client, follow=lambda *step: None)
    began = []

    def kill_once():
        for worker in client.processing().items():
            if worker[1] and not began and path.with_suffix(".tries").exists():
                began.append(worker[0])
                os.kill(client.run(os.getpid, workers=[worker[0]])[worker[0]], signal.SIGKILL)

    from threading import Thread

    killer = Thread(target=lambda: wait_until(lambda: kill_once() or began))
    killer.start()
    (result,) = found
    killer.join()
    assert (result.video, result.failure, attempts(path)) == ("once", "", 2)
    client.wait_for_workers(2, timeout=60)


def test_a_video_that_stopped_its_worker_three_times_is_not_retried(library, tmp_path):
    (path,) = films(tmp_path, "deadly")
    video = Video("deadly", str(path), "d", 1.0, 24, 24.0, 64, 36, True)
    library.store.put_record(VideoRecord(video, "indexing", 4, 2))
    job = add_job(library.store, name="deadly", path=str(path), transcript=None, owner="tcp://a")
    changed(library.store, job, state="indexing", attempts=3)
    task = Task(library.place, "", job.id, str(path), None, False, indexing.installed(library))
    _, failure = index_task(task)
    assert failure.startswith("its worker was lost 3 times while it was indexed")
    assert library.store.record("deadly").failure == failure
    assert kept_job(library.store, job.id).state == "failed"
    library.store.jobs.put(job.id, None)
    library.store.remove("deadly")


@pytest.mark.slow
def test_a_video_that_kills_its_worker_three_times_is_failed(library, client, tmp_path):
    paths = films(tmp_path, "deadly", "good")
    results = {result.path.stem: result for result in index_on_cluster(library, paths, client)}
    assert results["good"].video == "good"
    assert "its worker was lost 3 times" in results["deadly"].failure
    assert attempts(paths[0]) == 3
    for number in library.store.jobs.all():
        library.store.jobs.put(number, None)
    client.wait_for_workers(2, timeout=60)


def test_exiting_cancels_waiting_videos(library, client, tmp_path):
    paths = films(tmp_path, "slow1", "slow2", "slow3", "slow4", "slow5")
    found = index_on_cluster(library, paths, client)
    assert next(found).video.startswith("slow")
    found.close()
    wait_until(lambda: not any(client.processing().values()))
    wait_until(lambda: all('"ready"' in facts for facts in library.store.jobs.all().values()))
    done = [path for path in paths if path.with_suffix(".tries").exists()]
    assert 1 < len(done) < 5
    for number in library.store.jobs.all():
        library.store.jobs.put(number, None)


def test_running_work_continues_after_exit_and_is_visible_to_all(library, client, tmp_path):
    paths = films(tmp_path, "alone", "slow")
    assert list(index_on_cluster(library, paths, client, detach=True)) == []
    wait_until(lambda: all('"ready"' in facts for facts in library.store.jobs.all().values()))
    assert len(library.store.jobs.all()) == 2


@pytest.fixture
def other_worker(client, tmp_path):
    """A worker process with another version of Storyscope and another model."""
    facts = tmp_path / "installed" / "storyscope-9.9.dist-info" / "METADATA"
    facts.parent.mkdir(parents=True)
    facts.write_text("Metadata-Version: 2.1\nName: storyscope\nVersion: 9.9\n")
    paths = os.pathsep.join([str(tmp_path / "installed"), *map(os.path.abspath, sys.path)])
    known = set(client.scheduler_info()["workers"])
    with running_worker(
        client.scheduler.address,
        tmp_path,
        environment={"PYTHONPATH": paths},
        preload=preload_other_model.__file__,
    ):
        client.wait_for_workers(len(known) + 1, timeout=60)
        (name,) = set(client.scheduler_info()["workers"]) - known
        yield name
        client.retire_workers([name])


def test_a_worker_with_another_version_or_model_is_refused_by_name(
    library, client, other_worker, tmp_path
):
    difference = (
        rf"the worker {other_worker} has storyscope 9\.9 and not .*, text another and not .*"
    )
    with pytest.raises(
        LibraryError, match=f"{difference}; artefacts would be inconsistent: install"
    ):
        list(index_on_cluster(library, films(tmp_path, "a"), client))
    # A worker that joins later passes its video on to another worker.
    here = indexing.installed(library)
    (path,) = films(tmp_path, "b")
    job = add_job(library.store, name="b", path=str(path), transcript=None, owner="tcp://a")
    task = Task(library.place, "", job.id, str(path), None, False, here)
    found = client.submit(index_task, task, workers=[other_worker], pure=False)
    assert found.result(60) == ("b", "")
    (event,) = client.get_events("storyscope")
    assert "has storyscope 9.9 and not" in event[1]
    library.store.jobs.put(job.id, None)


def test_a_film_that_no_worker_can_see_is_named(library, client, tmp_path):
    (result,) = index_on_cluster(library, [tmp_path / "gone.mp4"], client)
    assert result.failure.startswith("no worker can see")
    assert "gone.mp4" in result.failure


def test_a_wrong_address_says_what_to_start(monkeypatch):
    monkeypatch.setattr(indexing, "CONNECT_SECONDS", 0.5)
    for address in ("tcp://127.0.0.1:1", "nonsense"):
        with (
            pytest.raises(LibraryError, match=f"no scheduler answers at {address}"),
            opened_cluster(address),
        ):
            pass


def test_what_differs_is_named():
    assert differences({"a": "1", "b": True}, {"a": "1", "b": True}) == ""
    assert differences({"a": "1", "b": True}, {"a": "2", "b": False}) == (
        "a 2 and not 1, b False and not True"
    )
    assert Path(preload_index_worker.__file__).exists()


def test_memory_limits_are_written_as_people_do():
    assert [_bytes(text) for text in ("4GB", "800 mb", "1.5g", "123")] == [
        4 * 10**9,
        800 * 10**6,
        1_500_000_000,
        123,
    ]
    with pytest.raises(InvalidSetting, match="4GB or 800MB, got 'lots'"):
        _bytes("lots")
