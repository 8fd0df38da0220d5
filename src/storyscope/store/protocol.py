"""The interface of stores.

`SqliteStore` keeps a library in a folder and `PostgresStore` in a database; another implementation
can replace them without changes elsewhere.
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
"""State of a video; one that was interrupted is stored as failed, with a special reason."""


@dataclass(frozen=True)
class VideoRecord:
    """A video and its state in the library."""

    video: Video
    state: State
    size: int
    """Size of the file in bytes."""
    modified_ns: int
    """Modification time of the file; a file with the same size and time need not be read again."""
    failure: str = ""
    """Why indexing failed, as a message for the user."""
    transcript: str | None = None
    """The transcript file given with the video, if any."""

    def failed(self, reason: str) -> VideoRecord:
        return replace(self, state="failed", failure=reason)

    def ready(self, video: Video) -> VideoRecord:
        return replace(self, state="ready", failure="", video=video)


PATIENCE = 0.5
"""Seconds within which a short check whether a video is being indexed is finished."""


OUTDATED = "outdated "
"""Prefix of the keys of artefacts that are to be recomputed."""


class JobListener(Protocol):
    """Waits for changes by other processes."""

    def wait(self, seconds: float) -> None:
        """Return when a job of the store has changed, or after some seconds at most."""

    def close(self) -> None: ...


class JobQueue(Protocol):
    """Jobs of a library, each described in JSON and identified by a number."""

    def add(self, facts: str) -> int:
        """Store a new job and return its number."""

    def put(self, number: int, facts: str | None) -> None:
        """Change a job, or delete it if `facts` is None."""

    def get(self, number: int) -> str | None:
        """One job, if it exists."""

    def all(self) -> dict[int, str]:
        """Every job by its number, oldest first."""

    def listener(self) -> JobListener | None:
        """A listener for changes by other processes; None if servers do not share a library."""


class Store(Protocol):
    """Videos, the artefacts of their stages, and what people add.

    Methods may be called from several threads and processes at once.
    """

    @property
    def place(self) -> str:
        """The place with which `open_store` opens this store again, in another process too."""

    @property
    def folder(self) -> Path:
        """A local folder for files that can be recomputed."""

    @property
    def uploads(self) -> Path:
        """The folder for copies of uploaded videos, which all users of this store share.

        If they are stored in a bucket, it is a local folder for files in transit.
        """

    @property
    def upload_bucket(self) -> str:
        """The address of uploaded videos in a bucket; empty if there is none."""

    @property
    def text(self) -> TextIndex:
        """Spoken and on-screen text of the videos, for full-text search."""

    @property
    def jobs(self) -> JobQueue:
        """Jobs of servers and clusters."""

    def vector_index(self) -> VectorIndex | None:
        """The search index of a database; None if a search compares with every story."""

    def records(self) -> Sequence[VideoRecord]: ...

    def record(self, video: str) -> VideoRecord | None: ...

    def add_record(self, record: VideoRecord) -> VideoRecord:
        """Add a new video with its id, or a similar free one; return the stored record.

        A video whose file is known already is not changed.
        """

    def put_record(self, record: VideoRecord) -> None: ...

    def busy(self, video: str, *, patience: float = PATIENCE) -> AbstractContextManager[None]:
        """Prevent all others from indexing a video meanwhile.

        Raises VideoBusy if another process is indexing it and still is after some seconds.
        """

    def remove(self, video: str) -> None: ...

    def outdate_artefacts(self, video: str) -> None:
        """Mark all artefacts of a video to be recomputed; until then they can be read.

        Each key is then `OUTDATED` followed by the old key.
        """

    def snapshot(self) -> AbstractContextManager[None]:
        """Let this thread see the library as it is now, whatever others write meanwhile.

        Array files are not protected: one that another process replaced can no longer be read.
        """

    def version(self) -> tuple[int, tuple[int, int]]:
        """The reader, and a state that differs whenever anything was written since its last call.

        States of two readers, which are two threads, cannot be compared.
        """

    def key(self, video: str, artefact: Artefact[Any]) -> str | None:
        """The key of a stored artefact, or None."""

    def keys(self, video: str) -> dict[str, str]:
        """The key of every artefact of a video, by the artefact's name."""

    def ready_keys(self, artefact: Artefact[Any]) -> dict[str, str]:
        """The key of an artefact for every completely indexed video."""

    def prefetch(self, videos: Sequence[str], artefacts: Sequence[Artefact[Any]]) -> None:
        """Read artefacts of several videos at once, if that makes loading each of them in this
        snapshot faster."""

    def load(self, video: str, artefact: Artefact[T]) -> T:
        """The artefact of a finished stage; raises LibraryError if there is none."""

    def save(self, video: str, artefact: Artefact[T], key: str, value: T) -> None:
        """Store a finished stage's artefact atomically."""

    def load_picture(self, video: str, seconds: float) -> tuple[int, bytes, str]:
        """The keyframe nearest to a time: its frame number, its JPEG and the key of its artefact.

        No other picture is loaded.
        """

    def annotations(self, video: str) -> dict[str, str]:
        """Each annotator's version of the video's stories, as JSON text."""

    def put_annotation(self, video: str, annotator: str, facts: str | None) -> None:
        """Store one annotator's version, or delete it if `facts` is None."""

    def document(self, name: str) -> Path:
        """A local file with the current content of a document; it may not exist.

        Documents belong to the whole library: settings, chosen frames, trained models.
        """

    def put_document(self, name: str, content: bytes | None) -> None:
        """Store a document atomically, for everybody; None deletes it."""

    def documents(self) -> list[str]:
        """The names of all documents."""

    def lock(self, name: str) -> AbstractContextManager[object]:
        """Wait for the lock with this name, and hold it meanwhile."""

    def close(self) -> None: ...
