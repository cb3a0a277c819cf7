-- Who holds a session and how it ended, so that the next one can be told of it and two at once are not mixed up.
-- By the client's id: a session begins before there is anything else of it. Its own table, because a tick reads the
-- session's row and has no use for any of this. No index: it is read at the start of a session only, and a thousand
-- rows take less than a millisecond.
CREATE TABLE presence (
    session     TEXT PRIMARY KEY,
    -- The client process, and whether a person sits at it; unknown with some clients.
    client      TEXT,
    attended    INTEGER,
    -- The root of the work tree, or the folder where there is none.
    project     TEXT,
    begun_at    INTEGER,
    seen_at     INTEGER NOT NULL,
    ended_at    INTEGER,
    cleared     INTEGER NOT NULL DEFAULT 0,
    -- The commit the work tree stood on at the end.
    head        TEXT,
    -- Where the latest handoff lies.
    handoff     TEXT,
    -- When this session was last told of another one or of changes; which session was last told of this one.
    told_at     INTEGER,
    handed_to   TEXT
) WITHOUT ROWID;
