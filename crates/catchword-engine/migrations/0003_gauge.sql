-- How full the context of each session is, and what was saved on the way to a compaction.

-- One row a session, apart from `session` because a tick that brings no answer does not touch it. What the rows of
-- the transcript tell (`used` is null where it is not known, `line` the row that says so), what the status line has
-- told of the window, which points were reached since the latest compaction, and small numbers that a status line
-- shows without unpacking the snapshot. A tick with a new answer pays one
-- read and one write for it.
CREATE TABLE gauge (
    session       INTEGER PRIMARY KEY REFERENCES session(no),
    used          INTEGER,
    line          INTEGER NOT NULL DEFAULT 0,
    compacted     INTEGER NOT NULL DEFAULT 0,
    model         TEXT,
    compactions   INTEGER NOT NULL DEFAULT 0,
    most          INTEGER NOT NULL DEFAULT 0,
    compacted_at  INTEGER,
    window        INTEGER,
    window_model  TEXT,
    window_at     INTEGER,
    left_reached  INTEGER,
    step_reached  INTEGER,
    left_told     INTEGER,
    open_work     INTEGER,
    findings      INTEGER
);

-- One row a point reached. Of several that were reached at once the most urgent one has the text.
CREATE TABLE checkpoint (
    no            INTEGER PRIMARY KEY,
    session       INTEGER NOT NULL REFERENCES session(no),
    compaction    INTEGER NOT NULL,
    threshold     TEXT NOT NULL,
    at            INTEGER NOT NULL,
    line          INTEGER NOT NULL,
    used          INTEGER,
    left          INTEGER,
    brief         TEXT,
    UNIQUE (session, compaction, threshold)
);
