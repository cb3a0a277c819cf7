-- What a person or the agent wrote down about a session, and what was done for tasks that are long finished. Both by
-- the client's id of the session: a note may come before the first hook, and neither can be rebuilt once a transcript
-- is gone. No index beside the keys: each object costs every hook 2.5 µs.

-- One row a note. `author` is 0 for a person, 1 for the agent. `state` names the line of the current state that it
-- sets ('next'); an ordinary note has none.
CREATE TABLE note (
    session     TEXT NOT NULL,
    no          INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    author      INTEGER NOT NULL,
    state       TEXT,
    text        TEXT NOT NULL,
    PRIMARY KEY (session, no)
) WITHOUT ROWID;

-- One row a task that was finished and left alone; the lists are JSON.
CREATE TABLE cold_task (
    session         TEXT NOT NULL,
    task            TEXT NOT NULL,
    subject         TEXT NOT NULL,
    start_turn      INTEGER NOT NULL,
    end_turn        INTEGER NOT NULL,
    compressed_at   INTEGER NOT NULL,
    files_modified  TEXT NOT NULL,
    commands_run    TEXT NOT NULL,
    key_outcomes    TEXT NOT NULL,
    errors_resolved TEXT NOT NULL,
    PRIMARY KEY (session, task)
) WITHOUT ROWID;
