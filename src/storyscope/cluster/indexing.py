"""Submit videos to a Dask cluster, follow their progress, and yield the result of each."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from storyscope.cluster.job import ClusterJob, add_job, changed, kept_job
from storyscope.cluster.task import (
    Task,
    differences,
    index_task,
    installed,
    installed_on_worker,
    unseen_on_worker,
)
from storyscope.config import to_toml
from storyscope.errors import LibraryError, MissingDependency
from storyscope.library import LocalLibrary
from storyscope.library.adding import mark_failed
from storyscope.processes.indexing import IndexResult
from storyscope.processes.lifeline import THREADS
from storyscope.progress import Step
from storyscope.store import FOLDER, address_of, in_bucket, spelled

LOCAL = "local"
CONNECT_SECONDS = 10
RESTART_SECONDS = 180
"""Seconds to wait for a lost scheduler."""
FOLLOW_SECONDS = 0.5
FIRST = "FIRST_COMPLETED"
LOST = ("lost", "cancelled")
"""Errors of a task whose scheduler is gone."""
MOST_TIMES = 5
"""How often a video is submitted again to a restarted scheduler."""


@contextmanager
def opened_cluster(address: str, *, workers: int = 1, threads: int = 1) -> Iterator[Any]:
    """A client of the cluster at an address; `local` starts workers that end with the block.

    Only tasks that mostly wait run on more than one of their `threads`.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise MissingDependency(
            "--cluster needs Dask, which is not installed; run `pip install 'storyscope[cluster]'`"
        ) from error
    if address == LOCAL:
        one_thread = dict.fromkeys(THREADS, "1")
        with (
            distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=threads,
                memory_limit=0,
                dashboard_address="127.0.0.1:0",
                env={**one_thread, "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    try:
        distributed.Client(address, timeout=CONNECT_SECONDS).close()
        # A client waits as long for a scheduler that is restarted as for its first one.
        client = distributed.Client(address, timeout=RESTART_SECONDS)
    except (OSError, ValueError, TypeError) as error:
        raise LibraryError(
            f"no scheduler answers at {address}; start one with `dask scheduler` and give its "
            "address, such as tcp://host:8786"
        ) from error
    with client:
        yield client


def index_on_cluster(
    library: LocalLibrary,
    paths: Sequence[Path],
    client: Any,
    *,
    transcript: Path | None = None,
    again: bool = False,
    follow: Callable[[Path, Step], None] = lambda path, step: None,
    detach: bool = False,
) -> Iterator[IndexResult]:
    """Index `paths` on the workers of a cluster, and yield the result of each as it ends.

    Leaving the loop early cancels what has not started. With `detach` the function does not wait:
    the work continues after this process ends.
    """
    _require_shared(library, client)
    settings = to_toml(library.config, home=library.folder)
    here = installed(library)
    require_equal_workers(client, library, settings, here)
    where = _workers_that_see(client, paths)
    running: dict[Any, _Handed] = {}
    for path in paths:
        if not where[path]:
            there = "let them reach its bucket" if in_bucket(path) else "mount its folder there"
            failure = f"no worker can see {address_of(path)[1]}; {there}"
            yield IndexResult(path, failure=failure)
            continue
        job = add_job(
            library.store,
            name=path.name,
            path=spelled(path),
            transcript=spelled(transcript) if transcript else None,
            owner=client.scheduler.address,
        )
        task = Task(library.place, settings, job.id, job.path, job.transcript, again, here)
        handed = _Handed(job, task, None if where[path] == "all" else where[path])
        running[handed.submit(client)] = handed
    if detach:
        _leave_running(running)
        return
    yield from _results(library, client, running, {spelled(p): p for p in paths}, follow)


@dataclass(frozen=True)
class _Handed:
    """The task of one video."""

    job: ClusterJob
    task: Task
    workers: list[str] | None
    """The workers that can open the film; None if all can."""
    times: int = 1

    def submit(self, client: Any) -> Any:
        key = f"storyscope-{self.job.id}-{self.times}-{self.job.name}"
        return client.submit(index_task, self.task, key=key, workers=self.workers, pure=False)

    def again(self) -> _Handed:
        """Submit the task again, to a new scheduler that does not know the workers yet."""
        return replace(self, times=self.times + 1, workers=None)


def require_equal_workers(
    client: Any, library: LocalLibrary, settings: str, here: dict[str, Any]
) -> None:
    """Raise an error if a cluster has no workers, or one that would produce different artefacts."""
    address = client.scheduler.address
    if not client.scheduler_info()["workers"]:
        raise LibraryError(
            f"{address} has no worker; start some with `storyscope worker --cluster {address}`"
        )
    try:
        found = client.run(installed_on_worker, library.place, settings)
    except ImportError as error:
        raise LibraryError(f"a worker of {address} has no Storyscope: {error}") from error
    for worker, there in found.items():
        if "error" in there:
            raise LibraryError(f"the worker {worker} cannot work: {there['error']}")
        if other := differences(here, there):
            raise LibraryError(
                f"the worker {worker} has {other}; artefacts would be inconsistent: install the "
                "same there, or stop it"
            )


def _require_shared(library: LocalLibrary, client: Any) -> None:
    """Raise an error for a library in a folder, which only one machine can write to."""
    hosts = {worker["host"] for worker in client.scheduler_info()["workers"].values()}
    if address_of(library.place)[0] == FOLDER and not hosts <= {"127.0.0.1", "localhost"}:
        raise LibraryError(
            "workers on other machines need a library in PostgreSQL; copy this one with "
            "`storyscope copy`, or use --cluster local"
        )


def _workers_that_see(client: Any, paths: Sequence[Path]) -> dict[Path, Any]:
    """For each film, `all`, or the addresses of the workers that can open it."""
    names = [spelled(path) for path in paths]
    unseen = {who: set(lost) for who, lost in client.run(unseen_on_worker, names).items()}
    seen = {
        path: [who for who, lost in unseen.items() if name not in lost]
        for path, name in zip(paths, names, strict=True)
    }
    return {path: "all" if len(who) == len(unseen) else who for path, who in seen.items()}


def _results(
    library: LocalLibrary,
    client: Any,
    running: dict[Any, _Handed],
    paths: dict[str, Path],
    follow: Callable[[Path, Step], None],
) -> Iterator[IndexResult]:
    distributed: Any = import_module("distributed")
    left = dict(running)
    try:
        while left:
            with suppress(TimeoutError, distributed.CancelledError):
                distributed.wait(list(left), timeout=FOLLOW_SECONDS, return_when=FIRST)
            _follow(library, left, paths, follow)
            for future in [future for future in left if future.status != "pending"]:
                handed = left[future]
                if future.status in LOST and client.status != "closed":
                    if client.status == "running" and handed.times < MOST_TIMES:
                        del left[future]
                        left[handed.again().submit(client)] = handed.again()
                        continue
                    if client.status != "running":  # It is connecting to the next scheduler.
                        time.sleep(FOLLOW_SECONDS)
                        continue
                del left[future]
                yield _result(library, handed.job, future, paths[handed.job.path])
    finally:
        _cancel_waiting(library, left)


def _result(library: LocalLibrary, job: ClusterJob, future: Any, path: Path) -> IndexResult:
    if future.status == "finished":
        video, failure = future.result()
        if video:
            library.store.jobs.put(job.id, None)
        return IndexResult(path, video, failure)
    if future.status == "error" and type(future.exception()).__name__ == "KilledWorker":
        reason = "its workers were lost repeatedly while it was being indexed"
        mark_failed(library.store, path, reason)
    elif future.status == "error":
        reason = f"{type(future.exception()).__name__}: {future.exception()}"
    else:
        reason = "the scheduler was lost; run the same command again to continue"
    if kept := kept_job(library.store, job.id):
        changed(library.store, kept, state="failed", failure=reason)
    return IndexResult(path, failure=reason)


def _follow(
    library: LocalLibrary,
    left: dict[Any, _Handed],
    paths: dict[str, Path],
    follow: Callable[[Path, Step], None],
) -> None:
    """Report the progress of the videos that workers are indexing."""
    numbers = {handed.job.id for handed in left.values()}
    for number, text in library.store.jobs.all().items():
        facts = json.loads(text)
        if number in numbers and facts["state"] == "indexing" and facts["stage"]:
            follow(paths[facts["path"]], Step(facts["stage"], facts["fraction"], 1))


def _cancel_waiting(library: LocalLibrary, left: dict[Any, _Handed]) -> None:
    """Cancel what no worker has started; running tasks finish and are stored."""
    begun = []
    for future, handed in left.items():
        kept = kept_job(library.store, handed.job.id)
        if kept is not None and kept.state == "waiting":
            future.cancel()
            library.store.jobs.put(handed.job.id, None)
        else:
            begun.append(future)
    _leave_running(begun)


def _leave_running(running: Iterable[Any]) -> None:
    """Let tasks run to their end without waiting for them."""
    fire_and_forget: Any = import_module("distributed").fire_and_forget
    for future in running:
        fire_and_forget(future)
