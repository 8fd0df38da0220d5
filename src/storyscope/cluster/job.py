"""The job record of a video on a cluster, which every process can read."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

from storyscope.store import Store

MOST_ATTEMPTS = 3
"""A video that was being indexed when this many workers died is failed."""


@dataclass(frozen=True)
class ClusterJob:
    """One video that is being added to a library; it is stored among the jobs of the store."""

    id: int
    name: str
    path: str
    transcript: str | None
    owner: str
    """The cluster that works on it: no server takes it over."""
    state: str = "waiting"
    stage: str = ""
    fraction: float = 0.0
    failure: str = ""
    video: str = ""
    attempts: int = 0
    """How many times a worker started it."""


def add_job(store: Store, **facts: Any) -> ClusterJob:
    """Store a new job."""
    job = ClusterJob(0, **facts)
    return replace(job, id=store.jobs.add(json.dumps(asdict(job))))


def kept_job(store: Store, number: int) -> ClusterJob | None:
    """The current state of a job; None once it is done or dismissed."""
    facts = store.jobs.get(number)
    return ClusterJob(**(json.loads(facts) | {"id": number})) if facts else None


def changed(store: Store, job: ClusterJob, **facts: Any) -> ClusterJob:
    """Store the job with changed fields."""
    job = replace(job, **facts)
    store.jobs.put(job.id, json.dumps(asdict(job)))
    return job
