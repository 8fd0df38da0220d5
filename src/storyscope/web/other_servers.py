"""Jobs of the other servers and clusters that share a library, from the store."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from uuid import uuid4

from storyscope.errors import LibraryError, VideoBusy
from storyscope.store import JobListener, Store

SERVER = "server-"
"""Prefix of the owner of a job that is a server; any other is a cluster."""
PAUSE_SECONDS = 0.3
"""Seconds between two updates of the jobs."""
LOOK_SECONDS = 5.0
"""Seconds between two checks whether another server has died, if there are no notifications."""


class OtherServers:
    """The jobs of a library that several servers share, updated by a thread.

    A server holds the lock of its name while it lives. A server that finds the lock of another free
    continues that one's jobs.
    """

    def __init__(
        self,
        store: Store,
        listener: JobListener,
        *,
        on_change: Callable[[], None],
        take_over: Callable[[dict[str, Any]], None],
    ) -> None:
        """`take_over` is called with the facts of a job whose server has died, which is now
        ours."""
        self.name = f"{SERVER}{uuid4().hex[:12]}"
        self.jobs: dict[int, dict[str, Any]] = {}
        """The facts of every job in the store, including ours."""
        self._store, self._listener = store, listener
        self._on_change, self._take_over = on_change, take_over
        self._closed = threading.Event()
        self._held = ExitStack()
        self._held.enter_context(store.busy(self.name))
        self.look()
        threading.Thread(target=self._run, daemon=True).start()

    def look(self) -> None:
        """Read all jobs, and continue those of servers that have died."""
        kept = {n: json.loads(facts) | {"id": n} for n, facts in self._store.jobs.all().items()}
        changed = kept != self.jobs
        self.jobs = kept
        for name in {job.get("owner", "") for job in kept.values() if _is_begun(job)}:
            if name.startswith(SERVER) and name != self.name:
                self._inherit(name)
        if changed:
            self._on_change()

    def close(self) -> None:
        """Leave our jobs to the others."""
        self._closed.set()
        self._listener.close()
        self._held.close()

    def _inherit(self, name: str) -> None:
        try:
            with self._store.busy(name, patience=0):
                for number, facts in self._store.jobs.all().items():
                    job = json.loads(facts) | {"id": number}
                    if job.get("owner") == name and _is_begun(job):
                        self._take_over(job | {"owner": self.name})
        except VideoBusy:  # It is alive.
            return

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                self._listener.wait(LOOK_SECONDS)
                if not self._closed.is_set():
                    self.look()
                # Workers may send many notifications per second; an occasional update is enough.
                self._closed.wait(PAUSE_SECONDS)
            except LibraryError:  # The database is being restarted; the next update finds it again.
                self._closed.wait(1.0)


def _is_begun(job: dict[str, Any]) -> bool:
    return job["state"] in ("waiting", "indexing")
