"""Runs methods of story detection on a benchmark folder, in parallel and resumably.

Every (method, held-out video) is a job of its own. What it found is kept in a cache under a key
made of all it depends on: the method, the settings, the data and the code. So a run that was
stopped goes on where it stopped, and a changed method is run again.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from storyscope.baselines import BASELINES
from storyscope.core import Segmentation
from storyscope.errors import AnnotationError, MissingDependency, UnknownName
from storyscope.evaluate.annotators import annotated_by, simulate_annotators
from storyscope.evaluate.dataset import AnnotatedVideo, Collection, load_collection
from storyscope.evaluate.methods import StoryDetector, StoryMethod
from storyscope.evaluate.protocol import VideoScore, judge, leave_one_out
from storyscope.progress import Report, Step, silent
from storyscope.writing import write_whole

RIVALS = {
    name: target for name, target in BASELINES.items() if name not in ("uniform", "one-per-shot")
}
"""Methods of other papers.

Trivial answers are not among them: they are in every table, with the true number of stories.
"""

METHODS: dict[str, str] = {
    "ours": "storyscope.stories.methods:Ours",
    "triplet": "storyscope.stories.paper_methods:Triplet",
    "siamese": "storyscope.stories.paper_methods:Siamese",
    "lstm": "storyscope.stories.paper_methods:Lstm",
    "cluster": "storyscope.stories.paper_methods:Cluster",
    **RIVALS,
}
"""Every method by name; the first is the one the others are compared with."""

DEFAULT_METHODS = ("ours", *RIVALS)
"""What is run when nobody says otherwise: ours and its rivals.

The paper's own embeddings take minutes a video to train and are run by name or by `reproduce`.
"""

CODE_THAT_MATTERS = ("baselines", "core", "embedding", "evaluate", "stories")
"""A change in one of these rooms, in code or in weights, makes kept results stale."""

Protocol = Literal["leave-one-out", "pretrained"]


@dataclass(frozen=True)
class Benchmark:
    """Which videos, described how, and how methods come to know them."""

    folder: Path
    features: tuple[str, ...] | None = None
    """Features a video must have; None takes those that every video has."""
    protocol: Protocol = "leave-one-out"
    train: Path | None = None
    """A folder of other videos to train on, when the protocol is `pretrained`."""
    seed: int = 0
    simulated_people: int = 0
    """How many annotators to make up, where there is only one."""
    folds: int | None = field(default=None, repr=False)
    """Judge on so many videos only, spread over the folder; what a video scores is the same."""

    def judged(self, videos: Sequence[AnnotatedVideo]) -> list[int]:
        """Numbers of the videos to judge on."""
        count = min(self.folds or len(videos), len(videos))
        return [number * len(videos) // count for number in range(count)]


class Job(NamedTuple):
    """One method, trained on one annotator's stories, judged on one video (or on all)."""

    method: str
    annotator: str | None
    held_out: int | None


@dataclass(frozen=True)
class Outcome:
    """What the methods found."""

    scores: Mapping[str, list[VideoScore]]
    unavailable: Mapping[str, str] = field(default_factory=dict)
    """Methods that could not be run, and why."""


def load_method(name: str) -> StoryMethod:
    """The method of that name, or `module:attribute` of your own."""
    target = name if ":" in name else METHODS.get(name)
    if target is None:
        raise UnknownName(
            f"no method is called {name!r}; choose from {', '.join(METHODS) or 'none'}, "
            "or name your own as module:Class"
        )
    module, _, attribute = target.partition(":")
    try:
        method = getattr(import_module(module), attribute)()
    except (ModuleNotFoundError, AttributeError, TypeError, ValueError) as error:
        raise UnknownName(f"no method can be loaded from {target}: {error}") from error
    if not callable(getattr(method, "fit", None)):
        raise UnknownName(f"{target} makes no method: it has no `fit` to train it by")
    return cast(StoryMethod, method)


def run_methods(
    benchmark: Benchmark,
    methods: Sequence[str],
    *,
    annotator: str | None = None,
    jobs: int = 1,
    cache: Path | None = None,
    report: Report = silent,
) -> Outcome:
    """Judge every method on every video; results found in the cache are not computed again."""
    for loaded in (_load, _retold, _annotated_by, _method_digest):
        loaded.cache_clear()
    collection = videos_of(benchmark, annotator)
    judged = benchmark.judged(collection)
    held_out = judged if benchmark.protocol == "leave-one-out" else [None]
    todo = [Job(method, annotator, number) for method in methods for number in held_out]
    results = _Results(benchmark, cache)
    _run(benchmark, [job for job in todo if results.get(job) is None], results, jobs, report)
    scores: dict[str, list[VideoScore]] = {}
    unavailable = {}
    for method in methods:
        found = [results[job] for job in todo if job.method == method]
        reasons = [each["unavailable"] for each in found if "unavailable" in each]
        if reasons:
            unavailable[method] = reasons[0]
        else:
            starts = [starts for each in found for starts in each["starts"]]
            if benchmark.protocol == "pretrained":
                starts = [starts[number] for number in judged]
            scores[method] = [
                VideoScore(video.name, Segmentation(tuple(first), video.frame_count), video.truth)
                for video, first in zip(
                    (collection[number] for number in judged), starts, strict=True
                )
            ]
    return Outcome(scores, unavailable)


def videos_of(benchmark: Benchmark, annotator: str | None = None) -> Sequence[AnnotatedVideo]:
    """The videos to judge on, the annotator's stories being the truth."""
    videos = _load(benchmark.folder, benchmark.features)
    if benchmark.simulated_people:
        return _retold(benchmark, annotator)
    return videos if annotator is None else _annotated_by(benchmark, annotator)


def judged_videos(benchmark: Benchmark, annotator: str | None = None) -> Sequence[AnnotatedVideo]:
    """Those of them that methods are judged on."""
    videos = videos_of(benchmark, annotator)
    return [videos[number] for number in benchmark.judged(videos)]


def left_out(benchmark: Benchmark) -> Mapping[str, str]:
    """Videos of the folder that lack a feature, and which."""
    return _load(benchmark.folder, benchmark.features).left_out


def _run(
    benchmark: Benchmark, todo: Sequence[Job], results: _Results, workers: int, report: Report
) -> None:
    finished = _work_off(benchmark, todo, min(workers, len(todo)))
    for done, (job, result) in enumerate(finished, start=1):
        results[job] = result
        report(Step("benchmark", done, len(todo), note=f"{job.method}: {done} of {len(todo)}"))


def _work_off(
    benchmark: Benchmark, todo: Sequence[Job], workers: int
) -> Iterable[tuple[Job, dict[str, Any]]]:
    if workers <= 1:
        for job in todo:
            yield job, _do(benchmark, job)
        return
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_end_with_parent
    )
    with _one_thread_each(), pool:
        futures: dict[Future[dict[str, Any]], Job] = {
            pool.submit(_do, benchmark, job): job for job in todo
        }
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """Work for nobody: a killed process cannot tell its own to stop."""

    def wait(parent: BaseProcess) -> None:
        parent.join()
        os._exit(1)

    if (parent := parent_process()) is not None:
        threading.Thread(target=wait, args=(parent,), daemon=True).start()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Start processes with one thread: two on a busy machine cost more than one."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _do(benchmark: Benchmark, job: Job) -> dict[str, Any]:
    """One job, in whatever process it runs."""
    began = time.perf_counter()
    videos = videos_of(benchmark, job.annotator)
    try:
        method = load_method(job.method)
        if job.held_out is not None:
            scores = leave_one_out(videos, method, seed=benchmark.seed, only=[job.held_out])
        else:
            scores = judge(videos, _trained_elsewhere(benchmark, method), name=job.method)
    except MissingDependency as error:
        return {"unavailable": str(error)}
    return {
        "starts": [list(score.found.starts) for score in scores],
        "seconds": round(time.perf_counter() - began, 3),
    }


def _trained_elsewhere(benchmark: Benchmark, method: StoryMethod) -> StoryDetector:
    """A detector that has seen none of the videos it is judged on."""
    if benchmark.train is None:
        pretrained = getattr(method, "pretrained", None)
        if pretrained is None:
            raise MissingDependency(
                f"{method.name} ships no trained model; name videos to train on with --train"
            )
        detector = cast(StoryDetector, pretrained())
        _refuse_taught(detector, judged_videos(benchmark))
        return detector
    training = _load(benchmark.train, benchmark.features)
    names = {video.name for video in training}
    shared = [v.name for v in _load(benchmark.folder, benchmark.features) if v.name in names]
    if shared:
        raise AnnotationError(
            f"{benchmark.train} holds {', '.join(shared)}, which are to be judged; "
            "train on other videos, or leave one out"
        )
    return method.fit([video.for_training() for video in training], seed=benchmark.seed)


def _refuse_taught(detector: StoryDetector, videos: Sequence[AnnotatedVideo]) -> None:
    taught_by: Mapping[str, str] = getattr(detector, "taught_by", {})
    prints = set(taught_by.values())
    shared = [v.name for v in videos if v.name in taught_by or v.fingerprint in prints]
    if shared:
        raise AnnotationError(
            f"the model that ships was trained on {', '.join(shared)}, which are to be judged; "
            "judge other videos, or leave one out"
        )


@lru_cache(maxsize=4)
def _load(folder: Path, features: tuple[str, ...] | None) -> Collection:
    """The videos with the features that were named, or with those that all of them have."""
    collection = load_collection(folder, features=features)
    if features is not None:
        return collection
    shared = set.intersection(*(set(video.features) for video in collection))
    videos = (
        replace(video, features={n: f for n, f in video.features.items() if n in shared})
        for video in collection
    )
    return replace(collection, videos=tuple(videos))


@lru_cache(maxsize=8)
def _retold(benchmark: Benchmark, annotator: str | None) -> Sequence[AnnotatedVideo]:
    videos = simulate_annotators(
        _load(benchmark.folder, benchmark.features),
        count=benchmark.simulated_people,
        seed=benchmark.seed,
    )
    return videos if annotator is None else annotated_by(videos, annotator)


@lru_cache(maxsize=8)
def _annotated_by(benchmark: Benchmark, annotator: str) -> Sequence[AnnotatedVideo]:
    return annotated_by(_load(benchmark.folder, benchmark.features), annotator)


class _Results:
    """What jobs found, in memory and in the cache folder."""

    def __init__(self, benchmark: Benchmark, cache: Path | None) -> None:
        self.cache = cache
        self.found: dict[Job, dict[str, Any]] = {}
        self.common: list[str] = []
        if cache is not None:
            cache.mkdir(parents=True, exist_ok=True)
            self.common = [repr(benchmark), *_digests(benchmark)]

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
        parts = [*self.common, *job, _method_digest(job.method)]
        key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]
        return self.cache / f"{key}.json"


def _digests(benchmark: Benchmark) -> list[str]:
    """Fingerprints of the data and of the code that results depend on."""
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
def _method_digest(name: str) -> str:
    """Fingerprint of a method that is not our own."""
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
