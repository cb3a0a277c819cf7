-- What the agent works by that the transcript does not show. By the client's ids: a command may be registered before
-- the first hook of its session has run.

-- Commands registered with `catchword activate`, or taken back with `deactivate`: the latest word on each. `line` is
-- how many lines the transcript had then, so that a later call or end of the same command counts for more.
CREATE TABLE registered (
    session     TEXT NOT NULL,
    name        TEXT NOT NULL,
    args        TEXT NOT NULL,
    is_on       INTEGER NOT NULL,
    line        INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    PRIMARY KEY (session, name)
) WITHOUT ROWID;

-- Sessions that were taken up again: the line after which the client's present process has seen them. What was called
-- before it, the client does not put back into the context after a compaction.
CREATE TABLE taken_up (
    session     TEXT PRIMARY KEY,
    line        INTEGER NOT NULL
) WITHOUT ROWID;
