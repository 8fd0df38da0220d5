"""Stages: pure functions of (inputs, settings) to artefacts that are named by their key.

A key is made of everything an artefact depends on, so an artefact with the right key need never
be made again, and a changed setting remakes just the stages it touches. `LocalExecutor` runs
stages in this process; a library can be given another executor, such as a cluster.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, is_dataclass, replace
from functools import partial
from typing import Any, Protocol

from storyscope.progress import Report, Step, silent
from storyscope.store import Store


@dataclass(frozen=True)
class Stage:
    """One step of indexing."""

    name: str
    version: int
    """Raise it when the same inputs would give another artefact."""
    run: Callable[..., Any]
    """Called with the inputs' values, then `settings` if there are any, then `report`."""
    spools: bool = False
    """Whether it makes arrays as long as the film: it is then called with `spool` too."""


@dataclass(frozen=True)
class Made:
    """A stage's artefact: its key now, its value when somebody asks for it."""

    key: str
    load: Callable[[], Any]

    @property
    def value(self) -> Any:
        return self.load()


class Executor(Protocol):
    """Makes a stage's artefact, or finds it already made."""

    def __call__(self, stage: Stage, *inputs: Made, settings: Any = None) -> Made: ...


class NewExecutor(Protocol):
    """What a library is given: it makes the executor of each video that is indexed."""

    def __call__(
        self,
        store: Store,
        video: str,
        *,
        report: Report = silent,
        before_change: Callable[[Stage], None] = ...,
    ) -> Executor:
        """`before_change` must be called before an artefact is replaced, and only then."""


def nothing_to_prepare(stage: Stage) -> None:
    """What happens before a change when nobody asked to be told."""


@dataclass
class LocalExecutor:
    """Runs the stages of one video one after another, keeping each in the store."""

    store: Store
    video: str
    report: Report = silent
    before_change: Callable[[Stage], None] = nothing_to_prepare

    def __call__(self, stage: Stage, *inputs: Made, settings: Any = None) -> Made:
        key = stage_key(stage, inputs, settings)
        if self.store.key(self.video, stage.name) != key:
            self.report(Step(stage.name, 0, 1))
            values = [made.value for made in inputs]
            if settings is not None:
                values.append(settings)
            more = {"spool": self.store.spool} if stage.spools else {}
            artefact = stage.run(*values, report=partial(self._report_as, stage.name), **more)
            self.before_change(stage)
            self.store.save(self.video, stage.name, key, artefact)
        self.report(Step(stage.name, 1, 1))
        return Made(key, partial(self.store.load, self.video, stage.name))

    def _report_as(self, stage: str, step: Step) -> None:
        """Rooms name their own steps; people follow stages."""
        self.report(replace(step, stage=stage))


def given(value: Any, *, key: str) -> Made:
    """An input that no stage made, such as the file itself."""
    return Made(key, lambda: value)


def stage_key(stage: Stage, inputs: tuple[Made, ...], settings: Any) -> str:
    """Name of the artefact: a digest of all it depends on."""
    parts = [stage.name, stage.version, [made.key for made in inputs], _plain(settings)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _plain(settings: Any) -> Any:
    if is_dataclass(settings) and not isinstance(settings, type):
        return {type(settings).__name__: asdict(settings)}
    if isinstance(settings, tuple):
        return [_plain(item) for item in settings]
    return settings
