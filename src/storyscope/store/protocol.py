"""What a library needs of whatever holds it.

`SqliteStore` is the one that ships; a database server can take its place by answering the same
calls, and no room would notice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from storyscope.core import Span, Video

State = Literal["indexing", "ready", "failed"]


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


@dataclass(frozen=True)
class Said:
    """A passage whose words match, best rank first."""

    video: str
    span: Span
    text: str
    kind: Literal["said", "read"]
    """Heard, or written on screen."""
    rank: float
    """BM25 as SQLite has it: the lower, the better."""


class Store(Protocol):
    """Videos, the artefacts of their stages, and people's annotations."""

    def records(self) -> Sequence[VideoRecord]: ...

    def record(self, video: str) -> VideoRecord | None: ...

    def put_record(self, record: VideoRecord) -> None: ...

    def remove(self, video: str) -> None: ...

    def forget_artefacts(self, video: str) -> None:
        """Drop everything that stages made of a video."""

    def key(self, video: str, stage: str) -> str | None:
        """The key of the artefact that is kept for a stage, or None."""

    def ready_keys(self, stage: str) -> dict[str, str]:
        """The key of a stage's artefact for every video that is indexed to the end."""

    def load(self, video: str, stage: str) -> Any:
        """The artefact of a finished stage; raises LibraryError when there is none."""

    def save(self, video: str, stage: str, key: str, artefact: Any) -> None:
        """Keep a finished stage's artefact, whole or not at all."""

    def find_said(self, expression: str, *, limit: int = 200) -> list[Said]:
        """Passages whose words match a full-text expression, best first."""

    def said_terms(self) -> list[str]:
        """Every word stem that is said anywhere, for those who mistype."""

    def annotations(self, video: str) -> dict[str, str]:
        """Each annotator's version of the video's stories, as JSON text."""

    def put_annotation(self, video: str, annotator: str, facts: str | None) -> None:
        """Keep one annotator's version, or forget it when `facts` is None."""

    def close(self) -> None: ...
