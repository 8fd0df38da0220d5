"""Results of benchmark jobs, cached under keys made of everything they depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from storyscope.experiments.task import Benchmark
from storyscope.writing import write_whole

CODE_THAT_MATTERS = ("baselines", "core", "embedding", "evaluate", "stories")
"""A change in one of these packages, in code or in weights, makes cached results stale."""


class Job(NamedTuple):
    """One method, trained on one annotator's stories (None: the truth), scored on one video."""

    method: str
    annotator: str | None
    held_out: int
    """Number of the video; 0 if the protocol scores all videos in one job."""


class Results:
    """Results of jobs, in memory and in the cache folder."""

    def __init__(self, benchmark: Benchmark, cache: Path | None) -> None:
        self.cache = cache
        self.found: dict[Job, dict[str, Any]] = {}
        self.common: list[str] = []
        if cache is not None:
            cache.mkdir(parents=True, exist_ok=True)
            self.common = [repr(benchmark), *digests_of(benchmark)]

    def get(self, job: Job) -> dict[str, Any] | None:
        if job not in self.found and self.cache is not None and self._file(job).exists():
            self.found[job] = json.loads(self._file(job).read_text(encoding="utf-8"))
        return self.found.get(job)

    def __getitem__(self, job: Job) -> dict[str, Any]:
        return self.found[job]

    def __setitem__(self, job: Job, result: dict[str, Any]) -> None:
        self.found[job] = result
        if self.cache is not None and "unavailable" not in result:
            write_whole(self._file(job), [json.dumps(result).encode()])

    def _file(self, job: Job) -> Path:
        assert self.cache is not None
        parts = [*self.common, *job, method_digest(job.method)]
        key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]
        return self.cache / f"{key}.json"


def digests_of(benchmark: Benchmark) -> list[str]:
    """Digests of the data and of the code that results depend on."""
    folders = [benchmark.folder, *([benchmark.train] if benchmark.train else [])]
    package = Path(__file__).parent.parent
    return [
        *(_digest(sorted(folder.glob("*/*"))) for folder in folders),
        _digest(
            sorted(
                file
                for room in CODE_THAT_MATTERS
                for kind in ("*.py", "*.safetensors")
                for file in (package / room).rglob(kind)
            )
        ),
    ]


@lru_cache
def method_digest(name: str) -> str:
    """Digest of a method that is not our own."""
    module, _, _ = name.partition(":")
    try:
        spec = find_spec(module) if ":" in name else None
    except (ModuleNotFoundError, ValueError):  # no such module, as the run itself will say
        spec = None
    return _digest([Path(spec.origin)]) if spec is not None and spec.origin else ""


def _digest(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        if file.is_file():
            digest.update(file.name.encode() + b"\0")
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
