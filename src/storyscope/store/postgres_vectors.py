"""Candidates of a search from PostgreSQL: vectors by pgvector, words by full text.

A story is stored with the rows that score it exactly. Its vectors are also in an HNSW index, one
for each kind, as 16-bit numbers; candidates are scored again.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from storyscope.errors import LibraryError
from storyscope.store.indexes import (
    FiledStory,
    FiledVideo,
    FoundByWords,
    FoundStory,
    FoundVideo,
    TextQuery,
)
from storyscope.store.postgres_connection import Database, lock_number
from storyscope.store.postgres_text import text_query

if TYPE_CHECKING:
    from psycopg import Connection

MAX_EF = 1000
"""Maximum number of neighbours that pgvector's HNSW search considers."""
MAX_ANY = 1000
"""Maximum number of passages with any term that are ranked by their words."""
MAX_ALL = 4000
"""Maximum number of passages with all terms that are ranked by their words."""
BUILD_MEMORY = "1GB"
"""Memory of the server for building an HNSW index."""
READY_KEYS = """
    SELECT video.id AS video,
        %(models)s || ' ' || filed.key || ' ' || titles.key || ' '
        || coalesce(said_of.first, 0) AS key
    FROM video
    JOIN artefact filed ON filed.video = video.id AND filed.stage = 'passages'
    JOIN artefact titles ON titles.video = video.id AND titles.stage = 'titles'
    LEFT JOIN said_of ON said_of.video = video.id
    WHERE video.state = 'ready'
"""
"""Every video that can be searched, with the key of its source artefacts."""


class PostgresVectors:
    """The search index of a library in PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._indexed: set[str] = set()

    def outdated(self, models: str) -> dict[str, str]:
        """Videos whose index is missing or outdated, with the key to index each under."""
        rows = self._database.ask(
            f"SELECT wanted.video, wanted.key FROM ({READY_KEYS}) AS wanted"
            " LEFT JOIN filed_video ON filed_video.video = wanted.video"
            " AND filed_video.key = wanted.key WHERE filed_video.video IS NULL ORDER BY 1",
            {"models": models},
        )
        return {row["video"]: row["key"] for row in rows}

    def has_more_than(self, stories: int) -> bool:
        """Whether the index has more stories than this number."""
        return bool(self._database.ask("SELECT 1 FROM filed_story OFFSET %s LIMIT 1", (stories,)))

    def put(self, video: FiledVideo, stories: Sequence[FiledStory]) -> None:
        """Replace the index of a video."""

        def file(connection: Connection[Any]) -> None:
            connection.execute("DELETE FROM filed_video WHERE video = %s", (video.video,))
            connection.execute(
                "INSERT INTO filed_video VALUES (%s, %s, %s, %s)",
                (video.video, video.key, video.owners.astype("<i4").tobytes(), video.spoken_count),
            )
            for number, story in enumerate(stories):
                _file_story(connection, video.video, number, story)

        self._database.write(file, counted=False)

    def require(self, kind: str) -> None:
        """Build the HNSW index of a kind of vectors, such as `window_384`, if it is missing."""
        if kind in self._indexed:
            return
        dimensions, schema = _dimensions(kind), self._database.address.schema
        (there,) = self._database.ask("SELECT to_regclass(%s) AS it", (f"{schema}.hnsw_{kind}",))

        def build(connection: Connection[Any]) -> None:
            number = lock_number(schema, "vectors")
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (number,))
            connection.execute("SET LOCAL statement_timeout = 0")
            connection.execute(f"SET LOCAL maintenance_work_mem = '{BUILD_MEMORY}'")
            # Parallel builds need shared memory, which is small in containers.
            connection.execute("SET LOCAL max_parallel_maintenance_workers = 0")
            connection.execute(
                f"CREATE INDEX IF NOT EXISTS hnsw_{kind} ON filed_vector USING hnsw"
                f" ((vector::halfvec({dimensions})) halfvec_ip_ops) WHERE kind = '{kind}'"
            )

        if not there["it"]:
            self._database.write(build, counted=False)
        self._indexed.add(kind)

    def nearest(self, kind: str, vector: np.ndarray, most: int) -> list[int]:
        """The stories that have the vectors nearest to a unit vector, by their numbers."""
        dimensions = _dimensions(kind)
        rows = self._database.ask(
            f"SELECT story FROM filed_vector WHERE kind = '{kind}'"
            f" ORDER BY (vector::halfvec({dimensions})) <#> %s::halfvec({dimensions}) LIMIT %s",
            (_literal(vector), most),
            settings={"hnsw.ef_search": str(min(MAX_EF, max(40, most)))},
        )
        return [row["story"] for row in rows]

    def naming(self, classes: Sequence[int], most: int) -> list[int]:
        """The stories whose shots show these classes with the highest probability."""
        rows = self._database.ask(
            "SELECT story FROM unnest(%s::int[]) AS named, LATERAL (SELECT story FROM filed_class"
            " WHERE class = named ORDER BY share DESC LIMIT %s) AS found",
            ([int(number) for number in classes], most),
        )
        return [row["story"] for row in rows]

    def nearest_among(
        self, kind: str, vector: np.ndarray, stories: Sequence[int], most: int
    ) -> list[int]:
        """The given stories with the vectors nearest to a unit vector."""
        dimensions = _dimensions(kind)
        rows = self._database.ask(
            "SELECT story FROM filed_vector WHERE story = ANY(%s::bigint[]) AND kind = %s"
            f" GROUP BY story ORDER BY min((vector::halfvec({dimensions})) <#> %s) LIMIT %s",
            (_array(stories), kind, _literal(vector), most),
        )
        return [row["story"] for row in rows]

    def saying(self, terms: Sequence[TextQuery], vector: np.ndarray) -> FoundByWords:
        """The stories whose passages contain most terms; ties are broken by topic."""
        wanted = [query for query in map(text_query, terms) if query]
        if not wanted:
            return FoundByWords([], complete=True)
        found = self._saying(wanted, " | ".join(wanted), vector, MAX_ANY)
        if found is not None:
            return FoundByWords(found, complete=True)
        # Frequent words need no completion, which would make the index read far more.
        whole = [text_query(replace(term, prefix=False)) for term in terms]
        all_terms = " & ".join(f"({each})" for each in whole if each)
        found = self._saying([], all_terms, vector, MAX_ALL)
        return FoundByWords(found or [], complete=found is not None)

    def saying_among(
        self, terms: Sequence[TextQuery], stories: Sequence[int], most: int
    ) -> list[int]:
        """The given stories whose passages contain most terms; ties keep their order."""
        counts: dict[int, int] = dict.fromkeys(stories, 0)
        for row in self._marked(terms, stories):
            counts[row["story"]] = max(counts[row["story"]], sum(row["terms"]))
        saying = [story for story, count in counts.items() if count]
        return sorted(saying, key=lambda story: -counts[story])[:most]

    def containing(self, terms: Sequence[TextQuery], stories: Sequence[int]) -> list[np.ndarray]:
        """For each term, the addresses of the passages of these stories that contain it."""
        rows = self._marked(terms, stories)
        addresses = np.array([row["address"] for row in rows], np.int64)
        marks = np.array([row["terms"] for row in rows], bool).reshape(len(rows), len(terms))
        return [np.sort(addresses[column]) for column in marks.T]

    def _marked(self, terms: Sequence[TextQuery], stories: Sequence[int]) -> list[dict[str, Any]]:
        """The passages of these stories that contain any term, with a flag for each term."""
        wanted = [text_query(term) for term in terms]
        if not any(wanted):
            return []
        marks = ", ".join("words @@ %s::tsquery" if each else "false" for each in wanted)
        given = [each for each in wanted if each]
        return self._database.ask(
            f"SELECT story, address, ARRAY[{marks}] AS terms FROM filed_said JOIN said"
            " USING (address) WHERE story = ANY(%s::bigint[]) AND words @@ %s::tsquery",
            (*given, _array(stories), " | ".join(given)),
            binary=True,
        )

    def _saying(
        self, terms: Sequence[str], query: str, vector: np.ndarray, most_passages: int
    ) -> list[int] | None:
        """Stories whose passages match, by number of terms; None if there are too many passages."""
        marks = " + ".join("(words @@ %s::tsquery)::int" for _ in terms) or "0"
        count, *rows = self._database.ask(
            f"WITH found AS MATERIALIZED (SELECT address, {marks} AS terms FROM said"
            " WHERE words @@ %s::tsquery LIMIT %s),"
            " counted AS (SELECT count(*) AS passages FROM found),"
            " best AS (SELECT story, max(terms) AS terms FROM found JOIN filed_said USING (address)"
            " WHERE (SELECT passages FROM counted) <= %s GROUP BY story)"
            " SELECT passages AS number FROM counted UNION ALL"
            " (SELECT story FROM best JOIN filed_story ON filed_story.id = story"
            " ORDER BY terms DESC, topic <#> %s::halfvec)",
            (*terms, query, most_passages + 1, most_passages, _literal(vector)),
        )
        return None if count["number"] > most_passages else [row["number"] for row in rows]

    def of_video(self, video: str) -> list[int]:
        """Every story of one video."""
        rows = self._database.ask("SELECT id FROM filed_story WHERE video = %s", (video,))
        return [row["id"] for row in rows]

    def all(self) -> list[int]:
        """Every story."""
        return [row["id"] for row in self._database.ask("SELECT id FROM filed_story")]

    def stories(self, numbers: Sequence[int]) -> list[FoundStory]:
        """These stories with the rows that score them, in the order of their videos."""
        rows = self._database.ask(
            "SELECT id, video, number, rows FROM filed_story WHERE id = ANY(%s::bigint[])"
            " ORDER BY video, number",
            (_array(numbers),),
            binary=True,
        )
        return [
            FoundStory(row["id"], row["video"], row["number"], bytes(row["rows"])) for row in rows
        ]

    def videos(self, names: Sequence[str]) -> list[FoundVideo]:
        """The video records of the index; only of those that can be searched now."""
        rows = self._database.ask(
            "SELECT filed_video.*, coalesce(first, 0) AS first FROM filed_video"
            " JOIN video ON video.id = filed_video.video AND state = 'ready'"
            " LEFT JOIN said_of ON said_of.video = filed_video.video"
            " WHERE filed_video.video = ANY(%s) ORDER BY filed_video.video",
            (list(names),),
            binary=True,
        )
        return [
            FoundVideo(
                row["video"],
                np.frombuffer(bytes(row["owners"]), "<i4"),
                row["spoken_count"],
                row["first"],
            )
            for row in rows
        ]


def _dimensions(kind: str) -> int:
    """The dimensions of a kind of vectors, such as 384 for `window_384`."""
    found = re.fullmatch(r"[a-z]+_(\d+)", kind)
    if not found:
        raise LibraryError(f"{kind!r} is not a kind of vectors")
    return int(found[1])


def _file_story(connection: Connection[Any], video: str, number: int, story: FiledStory) -> None:
    row = connection.execute(
        "INSERT INTO filed_story (video, number, rows, topic) VALUES (%s, %s, %s, %s::halfvec)"
        " RETURNING id",
        (video, number, story.rows, _literal(story.topic)),
    ).fetchone()
    assert row is not None
    cursor = connection.cursor()
    binary = "COPY filed_vector (story, kind, vector) FROM STDIN (FORMAT BINARY)"
    with cursor.copy(binary) as copy:
        copy.set_types(["int8", "text", "bytea"])
        for kind, vectors in story.vectors.items():
            for vector in vectors:
                copy.write_row((row["id"], kind, _halfvec(vector)))
    with cursor.copy("COPY filed_class (story, class, share) FROM STDIN") as copy:
        for named, share in story.classes.items():
            copy.write_row((row["id"], named, share))
    with cursor.copy("COPY filed_said (address, story) FROM STDIN") as copy:
        for address in story.addresses:
            copy.write_row((address, row["id"]))


def _halfvec(vector: np.ndarray) -> bytes:
    """A vector in pgvector's binary format: the number of dimensions, a zero, and 16-bit
    numbers."""
    return struct.pack(">HH", len(vector), 0) + vector.astype(">f2").tobytes()


def _array(numbers: Sequence[int]) -> str:
    """An array literal, which is faster than converting each number."""
    return "{" + ",".join(map(str, numbers)) + "}"


def _literal(vector: np.ndarray) -> str:
    return "[" + ",".join(f"{number:.6g}" for number in vector.tolist()) + "]"
