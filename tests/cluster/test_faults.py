"""Whatever befalls a cluster, the library ends as one machine alone would have made it."""

import shutil
import socket
from contextlib import ExitStack
from threading import Thread

import pytest

import preload_index_worker
import preload_killing_worker
from dask_cluster import running_cluster
from storyscope import Library
from storyscope.cluster import index_on_cluster, opened_cluster
from storyscope.library.copying import artefact_digest
from storyscope.store import Artefact
from waiting import wait_until

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow


def contents(library, video):
    """The key and the digest of every artefact."""
    keys = library.store.keys(video)
    return {
        stage: (key, artefact_digest(library.store.load(video, Artefact(stage))))
        for stage, key in keys.items()
    }


@pytest.fixture
def shared(postgres, tmp_path):
    library = Library(postgres.address(tmp_path))
    yield library
    library.store.close()


@pytest.fixture
def own_film(film, tmp_path):
    """A copy of the film with its transcript, in a folder of its own."""
    for path in film.parent.glob(f"{film.stem}.*"):
        shutil.copy(path, tmp_path / path.name)
    return tmp_path / film.name


def test_workers_killed_in_every_stage_leave_what_one_machine_makes(
    shared, indexed, own_film, tmp_path
):
    preload = preload_killing_worker.__file__
    with running_cluster(tmp_path, preload=preload) as (address, _), opened_cluster(address) as c:
        c.wait_for_workers(2, timeout=120)
        runs = 0
        while True:
            runs += 1
            (result,) = index_on_cluster(shared, [own_film], c)
            if result.video:
                break
            assert "its worker was lost 3 times" in result.failure
            assert runs < 12
    killed = {path.suffix[1:] for path in tmp_path.glob(f"{own_film.stem}.*")}
    assert {"scan", "vision", "stories", "passages", "titles"} <= killed
    assert contents(shared, "film") == contents(Library(indexed), "film")
    assert shared.search("camel")[0].story == Library(indexed).search("camel")[0].story


def test_two_clusters_that_add_one_film_make_it_once(shared, indexed, own_film, tmp_path):
    results = []

    def add():
        with opened_cluster("local") as client:
            results.extend(index_on_cluster(Library(shared.place), [own_film], client))

    threads = [Thread(target=add) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(result.video, result.failure) for result in results] == [("film", "")] * 2
    assert contents(shared, "film") == contents(Library(indexed), "film")


def test_connections_that_are_cut_while_a_film_is_indexed_change_nothing(
    shared, indexed, own_film, postgres
):
    cuts = []

    def cut(path, step):
        if step.stage not in cuts:
            cuts.append(step.stage)
            postgres.cut_connections()

    with opened_cluster("local") as client:
        (result,) = index_on_cluster(shared, [own_film], client, follow=cut)
    assert (result.video, result.failure) == ("film", "")
    assert cuts
    assert contents(shared, "film") == contents(Library(indexed), "film")


def test_a_scheduler_that_is_restarted_is_given_the_videos_again(shared, tmp_path):
    film = tmp_path / "once.mp4"
    film.write_bytes(b"film")
    preload, port = preload_index_worker.__file__, free_port()
    with ExitStack() as first, ExitStack() as second:
        (folder := tmp_path / "one").mkdir()
        address, _ = first.enter_context(running_cluster(folder, preload=preload, port=port))
        client = second.enter_context(opened_cluster(address))
        client.wait_for_workers(2, timeout=120)

        def restart():
            wait_until(lambda: film.with_suffix(".tries").exists())
            first.close()
            (again := tmp_path / "two").mkdir()
            second.enter_context(running_cluster(again, preload=preload, port=port))

        restarting = Thread(target=restart)
        restarting.start()
        (result,) = index_on_cluster(shared, [film], client)
        restarting.join()
        assert (result.video, result.failure) == ("once", "")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as door:
        return door.getsockname()[1]
