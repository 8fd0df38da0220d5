"""Training on people's corrections for the page: one training at a time, scored before it is
used."""

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
    """The trained model is not better than before, and `insist` is not set."""


class Learner:
    """The running training, or the result of the last one."""

    def __init__(self, library: LocalLibrary, on_change: Callable[[], None]) -> None:
        self._library, self._on_change = library, on_change
        self._lock = threading.Lock()
        self._tuned: FineTuning | None = None
        self._stopped = threading.Event()
        self._facts = dict(IDLE)

    def facts(self) -> dict[str, Any]:
        """Its state: idle, learning, learned, used, failed or cancelled."""
        return dict(self._facts)

    def start(self, annotator: str | None = None) -> None:
        """Train on one person's versions, or on everybody's."""
        with self._lock:
            if self._facts["state"] == "learning":
                return
            # Errors that can be detected now are raised in the request.
            gather_examples(self._library, annotator=annotator)
            self._stopped, self._tuned = threading.Event(), None
            self._tell(**(IDLE | {"state": "learning"}))
            run = threading.Thread(target=self._run, args=(annotator, self._stopped), daemon=True)
            run.start()

    def cancel(self) -> None:
        """Stop at the next step; nothing is changed."""
        with self._lock:
            self._stopped.set()
            if self._facts["state"] == "learning":
                self._tell(**(IDLE | {"state": "cancelled"}))

    def adopt(self, *, insist: bool = False) -> None:
        """Use the trained model in the library."""
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
        # Any other error must be reported too, or training would seem to run forever.
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
