"""The database schema, as an ordered list of migrations.

A released migration is never edited; a change is a new one at the end. `PRAGMA user_version` counts
the migrations of a library.
"""

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE video (
        id TEXT PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        digest TEXT NOT NULL,
        size INTEGER NOT NULL,
        modified_ns INTEGER NOT NULL,
        duration REAL NOT NULL,
        frame_count INTEGER NOT NULL,
        fps REAL NOT NULL,
        width INTEGER NOT NULL,
        height INTEGER NOT NULL,
        has_sound INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('indexing', 'ready', 'failed')),
        failure TEXT NOT NULL DEFAULT '',
        transcript TEXT
    ) STRICT;

    CREATE TABLE artefact (
        video TEXT NOT NULL REFERENCES video (id) ON DELETE CASCADE,
        stage TEXT NOT NULL,
        key TEXT NOT NULL,
        facts TEXT NOT NULL,
        file TEXT,
        PRIMARY KEY (video, stage)
    ) STRICT;

    CREATE TABLE annotation (
        video TEXT NOT NULL REFERENCES video (id) ON DELETE CASCADE,
        annotator TEXT NOT NULL,
        facts TEXT NOT NULL,
        PRIMARY KEY (video, annotator)
    ) STRICT;
    """,
    """
    CREATE VIRTUAL TABLE said USING fts5 (
        text,
        video UNINDEXED,
        start UNINDEXED,
        end UNINDEXED,
        kind UNINDEXED,
        tokenize = 'porter unicode61 remove_diacritics 2'
    );
    CREATE VIRTUAL TABLE said_terms USING fts5vocab (said, row);
    CREATE TRIGGER said_follows_video AFTER DELETE ON video BEGIN
        DELETE FROM said WHERE video = old.id;
    END;
    """,
    """
    CREATE TABLE said_of (
        video TEXT PRIMARY KEY,
        first INTEGER NOT NULL,
        count INTEGER NOT NULL
    ) STRICT;
    INSERT INTO said_of SELECT video, min(rowid), count(*) FROM said GROUP BY video;
    DROP TRIGGER said_follows_video;
    CREATE TRIGGER said_follows_video AFTER DELETE ON video BEGIN
        DELETE FROM said
        WHERE rowid >= (SELECT first FROM said_of WHERE video = old.id)
        AND rowid < (SELECT first + count FROM said_of WHERE video = old.id);
        DELETE FROM said_of WHERE video = old.id;
    END;
    """,
    """
    CREATE TABLE job (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        facts TEXT NOT NULL
    ) STRICT;
    """,
)
