"""What a library needs of whatever holds it.

`SqliteStore` keeps a library in a folder and `PostgresStore` in a database; another can take their
place by answering the same calls, and no room would notice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

import numpy as np

from storyscope.core import Video
from storyscope.store.artefacts import Artefact

T = TypeVar("T")
State = Literal["indexing", "ready", "failed", "stopped"]
"""How far a video is; one that was stopped is kept as failed, and told from it by the reason."""


@dataclass(frozen=True)
class VideoRecord:
    """A video as the library knows it."""

    video: Video
    state: State
    size: int
    """Bytes of the file, and..."""
    modified_ns: int
    """...when it last changed: equal to both means it need not be read again."""
    failure: str = ""
    """Why indexing failed, for people."""
    transcript: str | None = None
    """The transcript file that was given with the video, if any."""

    def failed(self, reason: str) -> VideoRecord:
        return replace(self, state="failed", failure=reason)

    def ready(self, video: Video) -> VideoRecord:
        return replace(self, state="ready", failure="", video=video)


MAX_MATCHES = 50_000
"""Passages that one text query returns at most: a word that is more frequent tells nothing."""


@dataclass(frozen=True)
class TextQuery:
    """Passages that contain any of these terms, compared by word stem, case and accents ignored.

    A term of several words is a phrase: its words must follow each other.
    """

    terms: tuple[str, ...]
    prefix: bool = False
    """Whether the last term may be the beginning of a word, as while a person is typing."""


PATIENCE = 0.5
"""Seconds, in which whoever only looks whether a video is being indexed has looked."""


OUTDATED = "outdated "
"""What the key of an artefact begins with that is to be made again."""


@dataclass(frozen=True, eq=False)
class FiledStory:
    """A story as a database searches it."""

    rows: bytes
    """What scores it exactly; only whoever wrote it reads it."""
    topic: np.ndarray
    """float32 [dimensions]: the direction of all that is said in it."""
    vectors: Mapping[str, np.ndarray]
    """float32 [rows, dimensions], by the kind of vectors, such as `window_384`."""
    classes: Mapping[int, float]
    """The classes that its shots show, and how surely the best of them does."""
    addresses: Sequence[int]
    """Addresses of its passages in the full-text index."""


@dataclass(frozen=True, eq=False)
class FiledVideo:
    """A video as a database searches it."""

    video: str
    key: str
    """What it was made from: another key means that the video changed."""
    owners: np.ndarray
    """int32 [passages]: the number of the story that each is in, or -1."""
    spoken_count: int
    """How many of the passages are spoken; the others are on screen."""


class FoundStory(NamedTuple):
    """A candidate of a search."""

    id: int
    video: str
    number: int
    rows: bytes


class FoundVideo(NamedTuple):
    """The video of a candidate."""

    video: str
    owners: np.ndarray
    spoken_count: int
    first_address: int


class VectorIndex(Protocol):
    """A search index in the database, for libraries too large to compare with every story."""

    def outdated(self, models: str) -> dict[str, str]:
        """Videos that are not in the index as they are now, with the key to file each under."""

    def count(self) -> int:
        """How many stories are in the index."""

    def put(self, video: FiledVideo, stories: Sequence[FiledStory]) -> None:
        """Replace what is filed of a video."""

    def nearest(self, kind: str, vector: np.ndarray, most: int) -> list[int]:
        """The stories that have the vectors nearest to a unit vector, by their numbers."""

    def naming(self, classes: Sequence[int], most: int) -> list[int]:
        """The stories whose shots show these classes most surely."""

    def saying(self, terms: Sequence[TextQuery], vector: np.ndarray, most: int) -> list[int]:
        """The stories with passages of most terms; of equal ones, those of the nearest topic."""

    def of_video(self, video: str) -> list[int]:
        """Every story of one video."""

    def all(self) -> list[int]:
        """Every story."""

    def stories(self, numbers: Sequence[int]) -> list[FoundStory]:
        """These stories with the rows that score them, in the order of their videos."""

    def videos(self, names: Sequence[str]) -> list[FoundVideo]:
        """What is filed of these videos as a whole; of those only that can be searched now."""


class JobListener(Protocol):
    """Waits for what others do."""

    def wait(self, seconds: float) -> None:
        """Return when a job of the store has changed, and after some seconds at most."""

    def close(self) -> None: ...


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
        """The folder for copies of uploaded videos, which everybody who opens this store sees."""

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

    def find_text(self, query: TextQuery, *, limit: int = MAX_MATCHES) -> np.ndarray:
        """Addresses of the passages that match a text query: int64, rising."""

    def text_addresses(self) -> dict[str, range]:
        """The addresses of every video's passages: spoken ones first, then text on screen."""

    def text_at(self, address: int) -> str:
        """The text of the passage at an address."""

    def vocabulary(self, prefix: str) -> list[str]:
        """Every word stem of the passages that begins with `prefix`, for correcting typos."""

    def annotations(self, video: str) -> dict[str, str]:
        """Each annotator's version of the video's stories, as JSON text."""

    def put_annotation(self, video: str, annotator: str, facts: str | None) -> None:
        """Keep one annotator's version, or forget it when `facts` is None."""

    def document(self, name: str) -> Path:
        """A file on this machine with what was last put under a name; it may not exist.

        Documents are what the whole library has learned or was told: settings, chosen frames.
        """

    def put_document(self, name: str, content: bytes) -> None:
        """Keep a document, whole or not at all, for everybody who opens this store."""

    def documents(self) -> list[str]:
        """The names of all documents."""

    def lock(self, name: str) -> AbstractContextManager[object]:
        """Wait until nobody else has the lock of this name, and keep it meanwhile."""

    def vector_index(self) -> VectorIndex | None:
        """The search index of a database; None where a search compares with every story."""

    def add_job(self, facts: str) -> int:
        """Keep a job of the server, described in JSON, under a new number that is returned."""

    def put_job(self, number: int, facts: str | None) -> None:
        """Change what is kept of a job, or forget it when `facts` is None."""

    def jobs(self) -> dict[int, str]:
        """Every job that is kept, by its number, oldest first."""

    def job(self, number: int) -> str | None:
        """One job, if it is kept."""

    def job_listener(self) -> JobListener | None:
        """What hears of jobs that others change; None where servers do not share a library."""

    def close(self) -> None: ...
