"""The schema of a library in PostgreSQL, as an ordered list of migrations.

A released migration is never edited; a change is a new one at the end. The table `migration` has a
row for each migration of a library.
"""

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE video (
        id text COLLATE "C" PRIMARY KEY,
        path text NOT NULL UNIQUE,
        digest text NOT NULL,
        size bigint NOT NULL,
        modified_ns bigint NOT NULL,
        duration double precision NOT NULL,
        frame_count bigint NOT NULL,
        fps double precision NOT NULL,
        width integer NOT NULL,
        height integer NOT NULL,
        has_sound integer NOT NULL,
        state text NOT NULL CHECK (state IN ('indexing', 'ready', 'failed')),
        failure text NOT NULL DEFAULT '',
        transcript text
    );

    CREATE TABLE artefact (
        video text COLLATE "C" NOT NULL REFERENCES video (id) ON DELETE CASCADE,
        stage text COLLATE "C" NOT NULL,
        key text NOT NULL,
        facts text NOT NULL,
        file text,
        PRIMARY KEY (video, stage)
    );
    CREATE INDEX artefact_by_stage ON artefact (stage, video);
    CREATE INDEX artefact_by_file ON artefact (file);

    CREATE TABLE annotation (
        video text COLLATE "C" NOT NULL REFERENCES video (id) ON DELETE CASCADE,
        annotator text COLLATE "C" NOT NULL,
        facts text NOT NULL,
        PRIMARY KEY (video, annotator)
    );

    CREATE TABLE said (
        address bigint PRIMARY KEY,
        video text COLLATE "C" NOT NULL,
        text text NOT NULL,
        words tsvector NOT NULL
    );
    CREATE INDEX said_words ON said USING gin (words);
    CREATE INDEX said_video ON said (video);
    CREATE TABLE said_of (
        video text COLLATE "C" PRIMARY KEY REFERENCES video (id) ON DELETE CASCADE,
        first bigint NOT NULL,
        count bigint NOT NULL
    );
    CREATE TABLE said_term (
        term text COLLATE "C" NOT NULL,
        video text COLLATE "C" NOT NULL REFERENCES video (id) ON DELETE CASCADE,
        PRIMARY KEY (term, video)
    );
    CREATE INDEX said_term_video ON said_term (video);
    CREATE TABLE next_address (address bigint NOT NULL);
    INSERT INTO next_address VALUES (1);

    CREATE TABLE document (
        name text PRIMARY KEY,
        content bytea NOT NULL,
        digest text NOT NULL
    );

    CREATE SEQUENCE job_number;
    CREATE TABLE job (
        id bigint PRIMARY KEY,
        facts text NOT NULL
    );

    CREATE TABLE change (shard integer PRIMARY KEY, count bigint NOT NULL);
    INSERT INTO change SELECT shard, 0 FROM generate_series(0, 15) AS shard;
    """,
    """
    CREATE TABLE filed_video (
        video text COLLATE "C" PRIMARY KEY REFERENCES video (id) ON DELETE CASCADE,
        key text NOT NULL,
        owners bytea NOT NULL,
        spoken_count integer NOT NULL
    );
    CREATE TABLE filed_story (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        video text COLLATE "C" NOT NULL REFERENCES filed_video (video) ON DELETE CASCADE,
        number integer NOT NULL,
        rows bytea NOT NULL,
        topic halfvec NOT NULL
    );
    ALTER TABLE filed_story ALTER COLUMN rows SET STORAGE EXTERNAL;
    CREATE INDEX filed_story_video ON filed_story (video);
    CREATE TABLE filed_vector (
        story bigint NOT NULL REFERENCES filed_story (id) ON DELETE CASCADE,
        kind text COLLATE "C" NOT NULL,
        vector halfvec NOT NULL
    );
    CREATE INDEX filed_vector_story ON filed_vector (story);
    CREATE TABLE filed_class (
        story bigint NOT NULL REFERENCES filed_story (id) ON DELETE CASCADE,
        class integer NOT NULL,
        share real NOT NULL
    );
    CREATE INDEX filed_class_share ON filed_class (class, share DESC);
    CREATE INDEX filed_class_story ON filed_class (story);
    CREATE TABLE filed_said (
        address bigint PRIMARY KEY,
        story bigint NOT NULL REFERENCES filed_story (id) ON DELETE CASCADE
    );
    CREATE INDEX filed_said_story ON filed_said (story);
    """,
    """
    CREATE TABLE collection (day date PRIMARY KEY);
    """,
)
