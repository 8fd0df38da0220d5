"""Learning from people's corrections behind the page: one lesson at a time, judged before used."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from storyscope.errors import StoryscopeError
from storyscope.library import LocalLibrary
from storyscope.library.training import (
    adopt_style,
    boundary_changes,
    facts_of,
    gather_examples,
    learn_style,
)
from storyscope.progress import Step
from storyscope.web.indexing import Cancelled

if TYPE_CHECKING:
    from storyscope.stories.fine_tuning import FineTuning

IDLE: dict[str, Any] = {"state": "idle", "fraction": 0.0, "note": "", "failure": "", "found": None}


class NotBetter(StoryscopeError):
    """What was learned finds stories no better than before, and nobody insists."""


class Learner:
    """The lesson that runs, or what the last one brought."""

    def __init__(self, library: LocalLibrary, on_change: Callable[[], None]) -> None:
        self._library, self._on_change = library, on_change
        self._lock = threading.Lock()
        self._tuned: FineTuning | None = None
        self._stopped = threading.Event()
        self._facts = dict(IDLE)

    def facts(self) -> dict[str, Any]:
        """How far it is: idle, learning, learned, used, failed or cancelled."""
        return dict(self._facts)

    def start(self, annotator: str | None = None) -> None:
        """Learn from one person's versions, or from everybody's."""
        with self._lock:
            if self._facts["state"] == "learning":
                return
            # What can be refused at once is refused to the one who asks.
            gather_examples(self._library, annotator=annotator)
            self._stopped, self._tuned = threading.Event(), None
            self._tell(**(IDLE | {"state": "learning"}))
            run = threading.Thread(target=self._run, args=(annotator, self._stopped), daemon=True)
            run.start()

    def cancel(self) -> None:
        """Stop at the next step; nothing was changed."""
        with self._lock:
            self._stopped.set()
            if self._facts["state"] == "learning":
                self._tell(**(IDLE | {"state": "cancelled"}))

    def adopt(self, *, insist: bool = False) -> None:
        """Let the library find stories by what was learned."""
        with self._lock:
            tuned = self._tuned
            if tuned is None:
                raise StoryscopeError("nothing was learned yet; start with `POST /learning`")
            if not (tuned.helped or insist):
                raise NotBetter(
                    f"mean IoU on videos left out changed by {tuned.gain:+.3f}; insist to use it"
                )
            adopt_style(self._library, tuned)
            self._tell(state="used")

    def _run(self, annotator: str | None, stopped: threading.Event) -> None:
        def follow(step: Step) -> None:
            if stopped.is_set():
                raise Cancelled("stopped by a person; nothing was changed")
            self._tell(fraction=step.fraction, note=step.note)

        try:
            tuned = learn_style(self._library, annotator=annotator, report=follow)
            changes = boundary_changes(self._library, tuned)
        except Cancelled:
            return
        except StoryscopeError as error:
            outcome: dict[str, Any] = {"state": "failed", "failure": str(error)}
        # Whatever else goes wrong must be told too, or it would seem to learn for ever.
        except Exception as error:
            outcome = {"state": "failed", "failure": f"{type(error).__name__}: {error}"}
        else:
            outcome = {
                "state": "learned",
                "fraction": 1.0,
                "found": facts_of(tuned) | {"changes": changes},
            }
        with self._lock:
            if not stopped.is_set():
                self._tuned = tuned if outcome["state"] == "learned" else None
                self._tell(**outcome)

    def _tell(self, **facts: Any) -> None:
        self._facts = {**self._facts, **facts}
        self._on_change()
