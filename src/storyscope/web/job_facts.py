"""Progress of a job for the page: its stage, and the share of the whole that is done."""

from __future__ import annotations

from typing import Any

from fastapi import Request

from storyscope.cues import indexed_cues
from storyscope.stages.words import stage_words
from storyscope.web.answers import without_paths
from storyscope.web.indexing import Jobs

SHARES = {
    "scan": 55,
    "transcript": 8,
    "voice": 1,
    "screen": 4,
    "sounds": 1,
    "vision": 20,
    "looks": 10,
    **{cue.name: 1 for cue in indexed_cues()},
    "mined": 2,
    "concepts": 1,
    "stories": 2,
    "passages": 2,
    "ratings": 2,
    "titles": 1,
}
"""Approximate share of the time of each stage, in the order in which they run."""


def job_facts(request: Request, jobs: Jobs) -> Jobs:
    """The jobs with `total`, the share of the whole that is done, and without folders."""
    return [
        job
        | {
            "path": job["name"],
            "total": whole_fraction(job),
            "label": stage_words(job["stage"]).capitalize() or "Starting",
            "failure": without_paths(request, job["failure"], job["path"]),
        }
        for job in jobs
    ]


def whole_fraction(job: dict[str, Any]) -> float:
    """The share of a job that is done, from 0 to 1."""
    if job["state"] == "ready" or job["stage"] not in SHARES:
        return float(job["fraction"]) if job["state"] == "ready" else 0.0
    before = 0
    for stage, share in SHARES.items():
        if stage == job["stage"]:
            break
        before += share
    done = before + SHARES[job["stage"]] * float(job["fraction"])
    return round(done / sum(SHARES.values()), 4)
