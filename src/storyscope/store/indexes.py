"""What a search needs from a store: full text, and vectors if a database indexes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

MAX_MATCHES = 50_000
"""Maximum number of passages of a text query: a more frequent word says nothing."""


@dataclass(frozen=True)
class TextQuery:
    """Passages that contain any of these terms, compared by word stem, ignoring case and accents.

    A term of several words is a phrase: its words must follow each other.
    """

    terms: tuple[str, ...]
    prefix: bool = False
    """Whether the last term may be a prefix of a word, as while a person is typing."""


class TextIndex(Protocol):
    """Full text of every passage of a library, each with its own address."""

    def find(self, query: TextQuery, *, limit: int = MAX_MATCHES) -> np.ndarray:
        """Addresses of the passages that match a text query: int64, increasing."""

    def addresses(self) -> dict[str, range]:
        """The addresses of every video's passages: spoken ones first, then text on screen."""

    def at(self, address: int) -> str:
        """The text of the passage at an address."""

    def vocabulary(self, prefix: str) -> list[str]:
        """Every word stem of the passages that begins with `prefix`, for correcting typos."""


@dataclass(frozen=True, eq=False)
class FiledStory:
    """A story in the search index of a database."""

    rows: bytes
    """The rows that score it exactly, in a format known to its writer."""
    topic: np.ndarray
    """float32 [dimensions]: the mean direction of its transcript."""
    vectors: Mapping[str, np.ndarray]
    """float32 [rows, dimensions], by the kind of vectors, such as `window_384`."""
    classes: Mapping[int, float]
    """The classes that its shots show, and the largest probability of each."""
    addresses: Sequence[int]
    """Addresses of its passages in the full-text index."""


@dataclass(frozen=True, eq=False)
class FiledVideo:
    """A video in the search index of a database."""

    video: str
    key: str
    """Key of its source artefacts: another key means that the video changed."""
    owners: np.ndarray
    """int32 [passages]: the number of the story that each is in, or -1."""
    spoken_count: int
    """Number of passages that are spoken; the others are on screen."""


class FoundStory(NamedTuple):
    """A candidate of a search; it never changes, because a changed video is indexed again."""

    id: int
    video: str
    number: int
    rows: bytes
    first_address: int
    """The address of its video's first passage in the full-text index."""
    spoken_count: int
    """Number of its video's passages that are spoken; the others are on screen."""
    passage_count: int
    """Number of all passages of its video."""


class Neighbours(NamedTuple):
    """Stories by their nearest vectors, nearest first; a story may occur several times."""

    stories: np.ndarray
    """int64 [neighbours]"""
    cosines: np.ndarray
    """float32 [neighbours]"""


class FoundPassages(NamedTuple):
    """Passages that contain terms of a query."""

    stories: np.ndarray
    """int64 [passages]: the story that each is in."""
    addresses: np.ndarray
    """int64 [passages]"""
    terms: np.ndarray
    """bool [passages, terms]: which terms each contains."""


class FoundByWords(NamedTuple):
    """Candidates of a search, found by the words of their passages."""

    topics: Neighbours
    """The stories with the cosine of their whole transcript: those that contain any term; if there
    are too many, those that contain all terms but one, or all."""
    passages: FoundPassages | None
    """Every passage that contains any term; None if there are too many."""


class VectorIndex(Protocol):
    """A search index in the database, for libraries too large to compare with every story."""

    def outdated(self, models: str) -> dict[str, str]:
        """Videos whose index is missing or outdated, with the key to index each under."""

    def has_more_than(self, stories: int) -> bool:
        """Whether the index has more stories than this number."""

    def put(self, video: FiledVideo, stories: Sequence[FiledStory]) -> None:
        """Replace the index of a video."""

    def require(self, kind: str) -> None:
        """Build the index of a kind of vectors, if it is missing.

        The kind `topic_384` is that of whole transcripts.
        """

    def nearest(self, vectors: Mapping[str, np.ndarray], most: int) -> dict[str, Neighbours]:
        """For unit vectors of some kinds, the stories with the nearest vectors of that kind."""

    def naming(self, classes: Sequence[int], most: int) -> list[int]:
        """The stories whose shots show these classes with the highest probability."""

    def nearest_among(
        self, kind: str, vector: np.ndarray, stories: Sequence[int], most: int
    ) -> list[int]:
        """The given stories with the vectors nearest to a unit vector."""

    def saying(self, terms: Sequence[TextQuery], vector: np.ndarray) -> FoundByWords:
        """The stories whose passages contain the terms."""

    def containing(self, terms: Sequence[TextQuery], stories: Sequence[int]) -> FoundPassages:
        """The passages of these stories that contain any of the terms."""

    def of_video(self, video: str) -> list[int]:
        """Every story of one video."""

    def all(self) -> list[int]:
        """Every story."""

    def stories(self, numbers: Sequence[int]) -> list[FoundStory]:
        """These stories with the rows that score them."""

    def unready(self) -> set[str]:
        """The videos that cannot be searched now, although they may be filed."""
