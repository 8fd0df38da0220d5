"""Candidates of a search from PostgreSQL: vectors by pgvector, words by full text.

A story is stored with the rows that score it exactly. Its vectors are also in an HNSW index, one
for each kind, as 16-bit numbers; candidates are scored again.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from storyscope.errors import LibraryError
from storyscope.store.indexes import (
    FiledStory,
    FiledVideo,
    FoundByWords,
    FoundPassages,
    FoundStory,
    Neighbours,
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
MAX_ALL = 3000
"""Maximum number of passages with all terms, or all but one, that are ranked by their topics."""
PACKED_NEIGHBOURS = "string_agg(int8send(story) || float4send(-distance::real), ''::bytea)"
"""Neighbours as one value: numpy decodes it at once, where rows would be decoded one by one."""
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
        column, schema = _column(kind), self._database.address.schema
        (there,) = self._database.ask("SELECT to_regclass(%s) AS it", (f"{schema}.hnsw_{kind}",))

        def build(connection: Connection[Any]) -> None:
            number = lock_number(schema, "vectors")
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (number,))
            connection.execute("SET LOCAL statement_timeout = 0")
            connection.execute(f"SET LOCAL maintenance_work_mem = '{BUILD_MEMORY}'")
            # Parallel builds need shared memory, which is small in containers.
            connection.execute("SET LOCAL max_parallel_maintenance_workers = 0")
            connection.execute(
                f"CREATE INDEX IF NOT EXISTS hnsw_{kind} ON {column.table} USING hnsw"
                f" (({column.vector}) halfvec_ip_ops) WHERE {column.where}"
            )

        if not there["it"]:
            self._database.write(build, counted=False)
        self._indexed.add(kind)

    def nearest(self, vectors: Mapping[str, np.ndarray], most: int) -> dict[str, Neighbours]:
        """For unit vectors of some kinds, the stories with the nearest vectors of that kind."""
        parts, values = [], []
        for kind, vector in vectors.items():
            column = _column(kind)
            near = (
                f"SELECT {column.story} AS story, {column.vector} <#> %s::halfvec AS distance"
                f" FROM {column.table} WHERE {column.where} ORDER BY 2 LIMIT %s"
            )
            parts.append(f"(SELECT {PACKED_NEIGHBOURS} FROM ({near}) AS near) AS {kind}")
            values += [_literal(vector), most]
        if not parts:
            return {}
        (row,) = self._database.ask(
            f"SELECT {', '.join(parts)}",
            values,
            binary=True,
            settings={"hnsw.ef_search": str(min(MAX_EF, max(40, most)))},
        )
        return {kind: _neighbours(row[kind]) for kind in vectors}

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
        rows = self._database.ask(
            "SELECT story FROM filed_vector WHERE story = ANY(%s::bigint[]) AND kind = %s"
            f" GROUP BY story ORDER BY min({_column(kind).vector} <#> %s) LIMIT %s",
            (_array(stories), kind, _literal(vector), most),
        )
        return [row["story"] for row in rows]

    def saying(self, terms: Sequence[TextQuery], vector: np.ndarray) -> FoundByWords:
        """The stories whose passages contain any term; if there are too many, all terms but one,
        or all."""
        given = [each for each in map(text_query, terms) if each]
        if not given:
            return FoundByWords(_neighbours(None), _passages(None, len(terms)))
        marks, values = _marks(terms)
        count, topics, packed = self._saying(" | ".join(given), MAX_ANY, vector, marks, values)
        if count <= MAX_ANY:
            return FoundByWords(topics, _passages(packed, len(terms)))
        # Frequent words need no completion, which would make the index read far more.
        whole = [text_query(replace(term, prefix=False)) for term in terms]
        for query in _narrower([f"({each})" for each in whole if each]):
            if self._expected(query) <= MAX_ALL:
                count, topics, _ = self._saying(query, MAX_ALL, vector)
                if count <= MAX_ALL:
                    break
        return FoundByWords(topics, None)

    def containing(self, terms: Sequence[TextQuery], stories: Sequence[int]) -> FoundPassages:
        """The passages of these stories that contain any of the terms."""
        given = [each for each in map(text_query, terms) if each]
        if not given or not len(stories):
            return _passages(None, len(terms))
        marks, values = _marks(terms)
        (row,) = self._database.ask(
            f"SELECT {_packed_passages(marks)} AS packed FROM filed_said JOIN said"
            " USING (address) WHERE story = ANY(%s::bigint[]) AND words @@ %s::tsquery",
            (*values, _array(stories), " | ".join(given)),
            binary=True,
        )
        return _passages(row["packed"], len(terms))

    def _expected(self, query: str) -> int:
        """About how many passages match, by the server's statistics of frequent words."""
        explain = "EXPLAIN (FORMAT JSON) SELECT FROM said WHERE words @@ %s::tsquery"
        ((plan,),) = [row.values() for row in self._database.ask(explain, (query,))]
        return int(plan[0]["Plan"]["Plan Rows"])

    def _saying(
        self,
        query: str,
        most: int,
        vector: np.ndarray,
        marks: str = "''::bytea",
        values: Sequence[str] = (),
    ) -> tuple[int, Neighbours, bytes | None]:
        """The number of passages that match, and unless it exceeds `most`: the topics of their
        stories, and the passages with `marks`."""
        (row,) = self._database.ask(
            "WITH found AS MATERIALIZED"
            " (SELECT address, words FROM said WHERE words @@ %s::tsquery LIMIT %s),"
            " counted AS (SELECT count(*) AS passages FROM found),"
            " placed AS MATERIALIZED (SELECT story, address, words FROM found JOIN filed_said"
            " USING (address) WHERE (SELECT passages FROM counted) <= %s),"
            " near AS (SELECT id AS story, topic <#> %s::halfvec AS distance FROM filed_story"
            " WHERE id IN (SELECT story FROM placed) ORDER BY 2)"
            f" SELECT passages, (SELECT {PACKED_NEIGHBOURS} FROM near) AS topics,"
            f" (SELECT {_packed_passages(marks)} FROM placed) AS packed FROM counted",
            (query, most + 1, most, _literal(vector), *values),
            binary=True,
        )
        return row["passages"], _neighbours(row["topics"]), row["packed"]

    def of_video(self, video: str) -> list[int]:
        """Every story of one video."""
        rows = self._database.ask("SELECT id FROM filed_story WHERE video = %s", (video,))
        return [row["id"] for row in rows]

    def all(self) -> list[int]:
        """Every story."""
        return [row["id"] for row in self._database.ask("SELECT id FROM filed_story")]

    def stories(self, numbers: Sequence[int]) -> list[FoundStory]:
        """These stories with the rows that score them."""
        if not numbers:
            return []
        rows = self._database.ask(
            "SELECT id, video, number, rows, coalesce(first, 0) AS first, spoken_count,"
            " octet_length(owners) / 4 AS passages FROM filed_story JOIN filed_video USING (video)"
            " LEFT JOIN said_of USING (video) WHERE id = ANY(%s::bigint[])",
            (_array(numbers),),
            binary=True,
        )
        return [FoundStory(*row.values()) for row in rows]

    def unready(self) -> set[str]:
        """The videos that cannot be searched now, although they may be filed."""
        rows = self._database.ask("SELECT id FROM video WHERE state <> 'ready'")
        return {row["id"] for row in rows}


class _Column(NamedTuple):
    """Where the vectors of one kind are."""

    table: str
    story: str
    """The column with the story of a vector."""
    vector: str
    where: str
    """The rows that have a vector of this kind."""


def _column(kind: str) -> _Column:
    """The column of a kind of vectors, such as `window_384`."""
    found = re.fullmatch(r"([a-z]+)_(\d+)", kind)
    if not found:
        raise LibraryError(f"{kind!r} is not a kind of vectors")
    space, dimensions = found[1], int(found[2])
    if space == "topic":
        spoken = f"vector_dims(topic) = {dimensions} AND l2_norm(topic) > 0"
        return _Column("filed_story", "id", f"(topic::halfvec({dimensions}))", spoken)
    vector = f"(vector::halfvec({dimensions}))"
    return _Column("filed_vector", "story", vector, f"kind = '{kind}'")


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


def _neighbours(packed: bytes | None) -> Neighbours:
    """Decode `PACKED_NEIGHBOURS`."""
    rows = np.frombuffer(packed or b"", np.dtype([("story", ">i8"), ("cosine", ">f4")]))
    return Neighbours(rows["story"].astype(np.int64), rows["cosine"].astype(np.float32))


def _narrower(terms: Sequence[str]) -> list[str]:
    """Queries for all terms but one, unless that is any term, and for all terms."""
    every = " & ".join(terms)
    if len(terms) <= 2:
        return [every]
    all_but_one = combinations(terms, len(terms) - 1)
    return [" | ".join(" & ".join(some) for some in all_but_one), every]


def _marks(terms: Sequence[TextQuery]) -> tuple[str, list[str]]:
    """An expression for which terms a passage contains, a byte for each, and its values."""
    queries = [text_query(term) for term in terms]
    marks = ["boolsend(words @@ %s::tsquery)" if each else "boolsend(false)" for each in queries]
    return " || ".join(marks), [each for each in queries if each]


def _packed_passages(marks: str) -> str:
    """Passages with their marks as one value, as for `PACKED_NEIGHBOURS`."""
    return f"string_agg(int8send(story) || int8send(address) || {marks}, ''::bytea)"


def _passages(packed: bytes | None, terms: int) -> FoundPassages:
    """Decode `_packed_passages`."""
    kinds = np.dtype([("story", ">i8"), ("address", ">i8"), ("terms", "?", (terms,))])
    rows = np.frombuffer(packed or b"", kinds)
    stories, addresses = (rows[name].astype(np.int64) for name in ("story", "address"))
    return FoundPassages(stories, addresses, rows["terms"])


def _array(numbers: Sequence[int]) -> str:
    """An array literal, which is faster than converting each number."""
    return "{" + ",".join(map(str, numbers)) + "}"


def _literal(vector: np.ndarray) -> str:
    return str(np.round(vector.astype(float), 7).tolist())
