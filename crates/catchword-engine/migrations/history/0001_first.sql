-- The history, in a file of its own: a hook's tick opens the store dozens of times a minute and must not pay for it.

-- One row a transcript: a session's main conversation (empty `thread`) or one of its subagents'. The cursor says how
-- far it is in here; `generation` counts how often the file was replaced. What `sessions` lists is counted along.
CREATE TABLE source (
    no          INTEGER PRIMARY KEY,
    session     TEXT NOT NULL,
    thread      TEXT NOT NULL,
    agent       TEXT NOT NULL,
    path        TEXT NOT NULL,
    offset      INTEGER NOT NULL,
    line        INTEGER NOT NULL,
    head_len    INTEGER NOT NULL,
    head_hash   INTEGER NOT NULL,
    generation  INTEGER NOT NULL DEFAULT 0,
    project     TEXT,
    title       TEXT,
    first_at    INTEGER,
    last_at     INTEGER,
    prompts     INTEGER NOT NULL DEFAULT 0,
    calls       INTEGER NOT NULL DEFAULT 0,
    compactions INTEGER NOT NULL DEFAULT 0,
    open_tasks  INTEGER NOT NULL DEFAULT 0,
    -- 1: the agent has ended its turn; 2: a boundary stands without its summary.
    state       INTEGER NOT NULL DEFAULT 0,
    ended_at    INTEGER,
    UNIQUE (session, thread)
);

-- One row a thing said or done; a call together with its answer. `call` is a hash of the call's id as long as the
-- answer has not come. `flags`: 1 failed, 2 a subagent's row in the main file. `text` is what it is about, a unit
-- separator, and what was said or answered: masked, long ones cut, from 300 bytes on packed with zstd (a blob then), to
-- 36 % of its size on 97 MB of transcripts.
CREATE TABLE item (
    no          INTEGER PRIMARY KEY,
    source      INTEGER NOT NULL REFERENCES source(no),
    line        INTEGER NOT NULL,
    part        INTEGER NOT NULL,
    until       INTEGER,
    kind        INTEGER NOT NULL,
    flags       INTEGER NOT NULL,
    at          INTEGER,
    call        INTEGER,
    text        NOT NULL
);
CREATE UNIQUE INDEX item_place ON item (source, line, part);
CREATE INDEX item_call ON item (source, call) WHERE call IS NOT NULL;

-- The words of every item, by rowid its `no`. Without content, which is in `item` already and smaller there.
CREATE VIRTUAL TABLE words USING fts5(
    text, command, error, file,
    content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
