"""Stages: pure functions of (inputs, settings) to artefacts that are identified by a key.

A key is computed from everything an artefact depends on, so an artefact with the right key is never
computed again, and a changed setting recomputes only the stages that depend on it. `LocalExecutor`
runs stages in this process; a library can use another executor, such as a cluster.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from storyscope.progress import Report, Step, silent
from storyscope.store import Artefact, Spool, Store

T = TypeVar("T")
Value = TypeVar("Value", covariant=True)


@dataclass(frozen=True)
class Stage(Generic[Value]):
    """One step of indexing."""

    makes: Artefact[Value]
    version: int
    """Increase this number when the same inputs would give another artefact."""
    run: Callable[..., Value]
    """Called with the inputs' values, `settings` if there are any, and `report`."""
    spools: bool = False
    """Whether its arrays grow with the film: it is then called with `spool` too."""

    @property
    def name(self) -> str:
        return self.makes.name


@dataclass(frozen=True)
class Made(Generic[Value]):
    """A stage's artefact: its key, and its value when it is requested."""

    key: str
    load: Callable[[], Value]

    @property
    def value(self) -> Value:
        return self.load()


Input = Made[Any] | Sequence[Made[Any]]
"""An input of a stage: an artefact, or several that are passed as one list."""


class Executor(Protocol):
    """Computes a stage's artefact, or finds it in the store."""

    def __call__(
        self,
        stage: Stage[T],
        *inputs: Input,
        settings: object = None,
        weights: Sequence[str | bool] = (),
    ) -> Made[T]:
        """`weights` are digests of the models that `stage` uses, or whether they are installed."""


class NewExecutor(Protocol):
    """Creates the executor of each video that a library indexes."""

    def __call__(
        self,
        store: Store,
        video: str,
        *,
        report: Report = silent,
        before_change: Callable[[Stage[Any]], None] = ...,
    ) -> Executor:
        """`before_change` must be called before an artefact is replaced, and only then."""


def nothing_to_prepare(stage: Stage[Any]) -> None:
    """Default of `before_change`: does nothing."""


@dataclass
class LocalExecutor:
    """Runs the stages of one video one after another, and stores each artefact."""

    store: Store
    video: str
    report: Report = silent
    before_change: Callable[[Stage[Any]], None] = nothing_to_prepare

    def __call__(
        self,
        stage: Stage[T],
        *inputs: Input,
        settings: object = None,
        weights: Sequence[str | bool] = (),
    ) -> Made[T]:
        home = self.store.folder.resolve()
        key = stage_key(stage, inputs, settings=settings, weights=weights, home=home)
        if self.store.key(self.video, stage.makes) != key:
            self.report(Step(stage.name, 0, 1))
            given: dict[str, Any] = {} if settings is None else {"settings": settings}
            if stage.spools:
                given["spool"] = partial(Spool, self.store.folder)
            values = [_value_of(each) for each in inputs]
            artefact = stage.run(*values, **given, report=partial(self._report_as, stage.name))
            self.before_change(stage)
            self.store.save(self.video, stage.makes, key, artefact)
        self.report(Step(stage.name, 1, 1))
        return Made(key, partial(self.store.load, self.video, stage.makes))

    def _report_as(self, stage: str, step: Step) -> None:
        """Packages report their own steps; users see stages."""
        self.report(replace(step, stage=stage))


def given(value: T, *, key: str) -> Made[T]:
    """An input that no stage produces, such as the file itself."""
    return Made(key, lambda: value)


def stage_key(
    stage: Stage[Any],
    inputs: Sequence[Input],
    *,
    settings: object = None,
    weights: Sequence[str | bool] = (),
    home: Path | None = None,
) -> str:
    """Key of the artefact: a digest of everything it depends on.

    A model in the folder `home` is identified by its relative path: machines that share a library
    may have it in different places.
    """
    wanted = _plain(settings, f"{home}{os.sep}" if home else "")
    plain = [wanted, *weights] if weights else wanted
    parts = [stage.name, stage.version, [*_keys(inputs)], plain]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _keys(inputs: Sequence[Input]) -> Iterator[str]:
    for each in inputs:
        if isinstance(each, Made):
            yield each.key
        else:
            yield from _keys(each)


def _value_of(each: Input) -> Any:
    return each.value if isinstance(each, Made) else [one.value for one in each]


def _plain(settings: object, home: str) -> Any:
    if is_dataclass(settings) and not isinstance(settings, type):
        return {type(settings).__name__: _plain(asdict(settings), home)}
    if isinstance(settings, dict):
        return {name: _plain(item, home) for name, item in settings.items()}
    if isinstance(settings, tuple):
        return [_plain(item, home) for item in settings]
    return settings.removeprefix(home) if isinstance(settings, str) else settings
