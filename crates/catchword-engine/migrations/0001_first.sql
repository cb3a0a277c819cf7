-- The first shape. Few tables on purpose: opening a store costs a hook about 2.5 µs per object in it.

-- One row a session. The cursor says how far the transcript has been indexed; `generation` counts how often it
-- was replaced, so that a process that read the former one cannot write over the present one.
CREATE TABLE session (
    no          INTEGER PRIMARY KEY,
    id          TEXT NOT NULL UNIQUE,
    agent       TEXT NOT NULL,
    transcript  TEXT NOT NULL,
    cwd         TEXT,
    offset      INTEGER NOT NULL,
    line        INTEGER NOT NULL,
    head_len    INTEGER NOT NULL,
    head_hash   INTEGER NOT NULL,
    generation  INTEGER NOT NULL DEFAULT 0,
    first_at    INTEGER NOT NULL,
    last_at     INTEGER NOT NULL
);

-- The folded session, in a table of its own so that a tick does not read past it. A cache: it can be thrown
-- away and is rebuilt from the transcript. `format` is the version of the fold that wrote it, `folded` the
-- offset up to which it reaches.
CREATE TABLE snapshot (
    session     INTEGER PRIMARY KEY REFERENCES session(no),
    format      INTEGER NOT NULL,
    folded      INTEGER NOT NULL,
    cursor      BLOB NOT NULL,
    body        BLOB NOT NULL
);

-- The index of entries: one row a transcript row of the conversation, counted once by the client's own id.
CREATE TABLE entry (
    session     INTEGER NOT NULL REFERENCES session(no),
    line        INTEGER NOT NULL,
    id          INTEGER,
    kind        INTEGER NOT NULL,
    at          INTEGER,
    PRIMARY KEY (session, line)
) WITHOUT ROWID;
CREATE UNIQUE INDEX entry_id ON entry (session, id) WHERE id IS NOT NULL;

-- One row a compaction, from its announcement to its end (src/store/compaction.rs).
CREATE TABLE compaction (
    no          INTEGER PRIMARY KEY,
    session     INTEGER NOT NULL REFERENCES session(no),
    manual      INTEGER NOT NULL,
    line        INTEGER NOT NULL,
    begun_at    INTEGER NOT NULL,
    summary     TEXT,
    brief       TEXT,
    briefed_at  INTEGER,
    ended_at    INTEGER,
    -- Tokens before and after, once the client has written them down.
    before      INTEGER,
    after       INTEGER,
    -- By which event the brief reached the model, once the transcript shows it; and when it was sent again.
    arrived_by  TEXT,
    resent_at   INTEGER
);
CREATE INDEX compaction_session ON compaction (session, no);

-- Subagents whose own context is being compacted. By the client's ids: a subagent may be the first we hear of.
CREATE TABLE sub_compaction (
    session     TEXT NOT NULL,
    agent       TEXT NOT NULL,
    begun_at    INTEGER NOT NULL,
    PRIMARY KEY (session, agent)
) WITHOUT ROWID;

-- What the latest hooks took and whether they worked, for `doctor`.
CREATE TABLE hook_run (
    no          INTEGER PRIMARY KEY,
    at          INTEGER NOT NULL,
    event       TEXT NOT NULL,
    session     TEXT NOT NULL,
    micros      INTEGER NOT NULL,
    problem     TEXT
);
