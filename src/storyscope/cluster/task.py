"""The task that runs on a worker: index one video in its own process, and record the progress."""

from __future__ import annotations

import os
import socket
import time
import tomllib
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from storyscope.cluster.job import MOST_ATTEMPTS, ClusterJob, changed, kept_job
from storyscope.config import Config, with_settings
from storyscope.errors import DiskFull, LibraryError, StoryscopeError, VideoBusy
from storyscope.library import LocalLibrary
from storyscope.library.adding import known_video, mark_failed
from storyscope.media import has_film
from storyscope.processes.indexing import IndexProcess, IndexResult
from storyscope.progress import Step
from storyscope.stages.indexing import weights
from storyscope.store import in_bucket

TELL_SECONDS = 1.0
"""Seconds between two progress updates."""
WAIT_SECONDS = 1.0
"""Seconds between two checks whether a video that another process indexes is free."""
MEMORY_VARIABLE = "STORYSCOPE_MEMORY_LIMIT"
"""Maximum memory of a worker's index process in bytes, set by `storyscope worker`."""


@dataclass(frozen=True)
class Task:
    """What a worker needs to index one video."""

    library: str
    """The address of the library, without a password."""
    settings: str
    """Settings that differ from the defaults, as TOML; paths of models are relative to the
    library."""
    job: int
    path: str
    transcript: str | None
    again: bool
    installed: dict[str, Any]
    """Versions and models of the command: a worker with different ones would produce different
    artefacts."""
    unfit: tuple[str, ...] = ()
    """Addresses of the workers that cannot index it."""


def index_task(task: Task) -> tuple[str, str]:
    """Index a video, or resume where another worker stopped; return its id and the error."""
    library = _library(task.library, task.settings)
    try:
        if (unfit := _unfit(task, library)) and (handed := _handed_on(task, library, unfit)):
            return handed
        result = _indexed(task, library, unfit)
    except StoryscopeError as error:
        result = IndexResult(Path(task.path), "", str(error), isinstance(error, DiskFull))
    if result.disk_full and (handed := _handed_on(task, library, "the disk is full")):
        return handed
    return result.video, result.failure


def installed(library: LocalLibrary) -> dict[str, Any]:
    """The version and the models that artefacts made here depend on."""
    return {"storyscope": version("storyscope"), **asdict(weights(library.config))}


def installed_on_worker(place: str, settings: str) -> dict[str, Any]:
    """The version and models of a worker; `error` says why it cannot work at all."""
    try:
        return installed(_library(place, settings))
    except StoryscopeError as error:
        return {"error": str(error)}


def unseen_on_worker(paths: list[str]) -> list[str]:
    """The films that a worker cannot open."""
    return [path for path in paths if not has_film(path)]


def differences(wanted: dict[str, Any], found: dict[str, Any]) -> str:
    """How a worker differs from the command, in words; empty if it does not."""
    return ", ".join(
        f"{name} {_short(found.get(name))} and not {_short(value)}"
        for name, value in wanted.items()
        if found.get(name) != value
    )


def _indexed(task: Task, library: LocalLibrary, unfit: str) -> IndexResult:
    job = kept_job(library.store, task.job)
    if job is None or job.state == "cancelled":
        return IndexResult(Path(task.path), failure="stopped")
    if refusal := unfit or _lost_too_often(task, job, library):
        changed(library.store, job, state="failed", failure=refusal)
        return IndexResult(Path(task.path), failure=refusal)
    job = changed(library.store, job, state="indexing", attempts=job.attempts + 1)
    while True:
        _wait_until_free(library, Path(task.path))
        result = _run(library, task, job)
        if "is being indexed by another process" not in result.failure:
            break
    state = "ready" if result.video else "failed"
    job = kept_job(library.store, task.job) or job
    if job.state != "cancelled":
        changed(library.store, job, state=state, video=result.video, failure=result.failure)
    return result


def _handed_on(task: Task, library: LocalLibrary, reason: str) -> tuple[str, str] | None:
    """Give a video to another worker that may be able to index it; None if there is none."""
    distributed: Any = import_module("distributed")
    here = distributed.get_worker()
    unfit = (*task.unfit, here.address)
    with distributed.worker_client() as client:
        others = [name for name in client.scheduler_info()["workers"] if name not in unfit]
        if not others:
            return None
        here.log_event("storyscope", f"{reason}; {task.path} goes to another worker")
        job = kept_job(library.store, task.job)
        if job is not None and job.state != "waiting":
            # A full disk is not the film's fault.
            changed(library.store, job, state="waiting", failure="", attempts=job.attempts - 1)
        elsewhere: Any = client.submit(
            index_task, replace(task, unfit=unfit), workers=others, pure=False
        )
        found: tuple[str, str] = elsewhere.result()
        return found


def _lost_too_often(task: Task, job: ClusterJob, library: LocalLibrary) -> str:
    """Why a video is not started again after its workers were lost; empty if it is."""
    if job.attempts < MOST_ATTEMPTS:
        return ""
    reason = (
        f"its worker was lost {job.attempts} times while it was indexed; check the film and "
        "the memory of the workers, then add it again"
    )
    mark_failed(library.store, Path(task.path), reason)
    return reason


def _unfit(task: Task, library: LocalLibrary) -> str:
    """Why this worker cannot index a video; empty if it can."""
    here = f"the worker on {socket.gethostname()}"
    if other := differences(task.installed, installed(library)):
        return f"{here} has {other}; artefacts would be inconsistent: install the same there"
    if unseen_on_worker([task.path]):
        how = (
            "let it reach the bucket"
            if in_bucket(task.path)
            else "mount the folder there under the same path"
        )
        return f"{here} cannot see {task.path}; {how}"
    return ""


def _run(library: LocalLibrary, task: Task, job: ClusterJob) -> IndexResult:
    memory = float(os.environ.get(MEMORY_VARIABLE, "inf"))
    process = IndexProcess(
        library,
        Path(task.path),
        transcript=Path(task.transcript) if task.transcript else None,
        # A worker that replaces a lost one keeps what that one finished.
        again=task.again and job.attempts == 1,
        one_thread=True,
        most_memory=memory,
    )
    reported, stage = 0.0, ""
    for event in process:
        if isinstance(event, IndexResult):
            return event
        if event.stage != stage or time.monotonic() - reported > TELL_SECONDS:
            reported, stage = time.monotonic(), event.stage
            if not _tell(library, job, event):
                process.terminate()
    return IndexResult(Path(task.path), failure="stopped")


def _tell(library: LocalLibrary, job: ClusterJob, step: Step) -> bool:
    """Record the progress of a job; False once somebody cancelled it."""
    now = kept_job(library.store, job.id)
    if now is None or now.state == "cancelled":
        return False
    changed(library.store, job, stage=step.stage, fraction=step.fraction)
    return True


def _wait_until_free(library: LocalLibrary, path: Path) -> None:
    """Wait until another process that indexes the same video is done."""
    while video := known_video(library.store, path):
        try:
            with library.store.busy(video.id, patience=0):
                return
        except VideoBusy:
            time.sleep(WAIT_SECONDS)
        except LibraryError:
            return


@lru_cache(4)
def _library(place: str, settings: str) -> LocalLibrary:
    """The library with the settings of the command; models are in the library's folder."""
    library = LocalLibrary(place)
    config = with_settings(Config(), tomllib.loads(settings), home=library.folder)
    return library.with_config(config)


def _short(value: Any) -> str:
    return value[:12] if isinstance(value, str) else str(value)
