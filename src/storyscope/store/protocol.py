"""What a library needs of whatever holds it.

`SqliteStore` keeps a library in a folder and `PostgresStore` in a database; another can take their
place by answering the same calls, and no room would notice.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from storyscope.core import Video
from storyscope.store.artefacts import Artefact
from storyscope.store.indexes import TextIndex, VectorIndex

T = TypeVar("T")
State = Literal["indexing", "ready", "failed", "stopped"]
"""How far a video is; one that was stopped is kept as failed, and told from it by the reason."""


@dataclass(frozen=True)
class VideoRecord:
    """A video as the library knows it."""

    video: Video
    state: State
    size: int
    """Bytes of the file."""
    modified_ns: int
    """When the file last changed. A file of the same size and time need not be read again."""
    failure: str = ""
    """Why indexing failed, for people."""
    transcript: str | None = None
    """The transcript file that was given with the video, if any."""

    def failed(self, reason: str) -> VideoRecord:
        return replace(self, state="failed", failure=reason)

    def ready(self, video: Video) -> VideoRecord:
        return replace(self, state="ready", failure="", video=video)


PATIENCE = 0.5
"""Seconds, in which whoever only looks whether a video is being indexed has looked."""


OUTDATED = "outdated "
"""What the key of an artefact begins with that is to be made again."""


class JobListener(Protocol):
    """Waits for what others do."""

    def wait(self, seconds: float) -> None:
        """Return when a job of the store has changed, and after some seconds at most."""

    def close(self) -> None: ...


class JobQueue(Protocol):
    """Jobs of a library, each described in JSON and known by its number."""

    def add(self, facts: str) -> int:
        """Keep a new job and return its number."""

    def put(self, number: int, facts: str | None) -> None:
        """Change what is kept of a job, or forget it when `facts` is None."""

    def get(self, number: int) -> str | None:
        """One job, if it is kept."""

    def all(self) -> dict[int, str]:
        """Every job that is kept, by its number, oldest first."""

    def listener(self) -> JobListener | None:
        """What hears of jobs that others change; None where servers do not share a library."""


class Store(Protocol):
    """Videos, the artefacts of their stages, and what people add.

    Methods may be called from several threads and processes at once.
    """

    @property
    def place(self) -> str:
        """Where `open_store` finds this store again, in another process too."""

    @property
    def folder(self) -> Path:
        """A folder of this machine for files that can be made again."""

    @property
    def uploads(self) -> Path:
        """The folder for copies of uploaded videos, which everybody who opens this store sees.

        Where they are kept in a bucket, it is a folder of this machine that they pass through.
        """

    @property
    def upload_bucket(self) -> str:
        """The address in a bucket below which uploaded videos are kept; empty where none is."""

    @property
    def text(self) -> TextIndex:
        """What is said and written in the videos, for full-text search."""

    @property
    def jobs(self) -> JobQueue:
        """What servers and clusters have been told to index."""

    def vector_index(self) -> VectorIndex | None:
        """The search index of a database; None where a search compares with every story."""

    def records(self) -> Sequence[VideoRecord]: ...

    def record(self, video: str) -> VideoRecord | None: ...

    def add_record(self, record: VideoRecord) -> VideoRecord:
        """Take in a new video under its id, or one like it that is free; as it was kept.

        A video whose file is known already is left as it is.
        """

    def put_record(self, record: VideoRecord) -> None: ...

    def busy(self, video: str, *, patience: float = PATIENCE) -> AbstractContextManager[None]:
        """Keep all others from indexing a video meanwhile.

        VideoBusy when one is at it and still is after some seconds of patience.
        """

    def remove(self, video: str) -> None: ...

    def outdate_artefacts(self, video: str) -> None:
        """Let all that stages made of a video be made again; until then it can be read.

        Each key is then `OUTDATED` and the key from before.
        """

    def snapshot(self) -> AbstractContextManager[None]:
        """Let this thread see the library as it is now, whatever others write meanwhile.

        Files of arrays are not held: what another process replaced cannot be read any more.
        """

    def version(self) -> tuple[int, tuple[int, int]]:
        """Who reads, and a state that differs whenever anything was written since they last asked.

        States of two readers, which are two threads, cannot be compared.
        """

    def key(self, video: str, artefact: Artefact[Any]) -> str | None:
        """The key under which an artefact is kept, or None."""

    def keys(self, video: str) -> dict[str, str]:
        """The key of every artefact of a video, by the artefact's name."""

    def ready_keys(self, artefact: Artefact[Any]) -> dict[str, str]:
        """The key of an artefact for every video that is indexed to the end."""

    def load(self, video: str, artefact: Artefact[T]) -> T:
        """The artefact of a finished stage; raises LibraryError when there is none."""

    def save(self, video: str, artefact: Artefact[T], key: str, value: T) -> None:
        """Keep a finished stage's artefact, whole or not at all."""

    def load_picture(self, video: str, seconds: float) -> tuple[int, bytes]:
        """The keyframe nearest to a time, by its frame number and as a JPEG, and nothing else."""

    def annotations(self, video: str) -> dict[str, str]:
        """Each annotator's version of the video's stories, as JSON text."""

    def put_annotation(self, video: str, annotator: str, facts: str | None) -> None:
        """Keep one annotator's version, or forget it when `facts` is None."""

    def document(self, name: str) -> Path:
        """A file on this machine with what was last put under a name; it may not exist.

        Documents are what the whole library has learned or was told: settings, chosen frames.
        """

    def put_document(self, name: str, content: bytes | None) -> None:
        """Keep a document, whole or not at all, for everybody; None forgets it."""

    def documents(self) -> list[str]:
        """The names of all documents."""

    def lock(self, name: str) -> AbstractContextManager[object]:
        """Wait until nobody else has the lock of this name, and keep it meanwhile."""

    def close(self) -> None: ...
