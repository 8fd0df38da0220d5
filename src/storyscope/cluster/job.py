"""What a worker is told of a video, and what everybody can read of its progress."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

from storyscope.store import Store

MOST_ATTEMPTS = 3
"""A video that ended its worker so often is failed, and stops nobody any more."""


@dataclass(frozen=True)
class ClusterJob:
    """One video on its way into a library; it is kept among the jobs of the store."""

    id: int
    name: str
    path: str
    transcript: str | None
    owner: str
    """The cluster that works on it: no server takes it up."""
    state: str = "waiting"
    stage: str = ""
    fraction: float = 0.0
    failure: str = ""
    video: str = ""
    attempts: int = 0
    """How often a worker began it."""


def add_job(store: Store, **facts: Any) -> ClusterJob:
    """Keep a new job."""
    job = ClusterJob(0, **facts)
    return replace(job, id=store.jobs.add(json.dumps(asdict(job))))


def kept_job(store: Store, number: int) -> ClusterJob | None:
    """A job as it is now; None once it is done or dismissed."""
    facts = store.jobs.get(number)
    return ClusterJob(**(json.loads(facts) | {"id": number})) if facts else None


def changed(store: Store, job: ClusterJob, **facts: Any) -> ClusterJob:
    """The job with other facts, which are kept."""
    job = replace(job, **facts)
    store.jobs.put(job.id, json.dumps(asdict(job)))
    return job
