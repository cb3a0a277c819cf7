-- What all steps together give, for a store that does not exist yet: one schema is read instead of seven that each read
-- the one before, which takes a third of the time. SQLite keeps these statements as they are written and every hook reads
-- them, so nothing stands in them that it could do without; what the tables and columns are for is said in the steps.

CREATE TABLE session (no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, agent TEXT NOT NULL,
    transcript TEXT NOT NULL, cwd TEXT, offset INTEGER NOT NULL, line INTEGER NOT NULL,
    head_len INTEGER NOT NULL, head_hash INTEGER NOT NULL, generation INTEGER NOT NULL DEFAULT 0,
    first_at INTEGER NOT NULL, last_at INTEGER NOT NULL);
CREATE TABLE snapshot (session INTEGER PRIMARY KEY REFERENCES session(no), format INTEGER NOT NULL,
    folded INTEGER NOT NULL, cursor BLOB NOT NULL, body BLOB NOT NULL);
CREATE TABLE entry (session INTEGER NOT NULL REFERENCES session(no), line INTEGER NOT NULL, id INTEGER,
    kind INTEGER NOT NULL, at INTEGER, PRIMARY KEY (session, line)) WITHOUT ROWID;
CREATE UNIQUE INDEX entry_id ON entry (session, id) WHERE id IS NOT NULL;
CREATE TABLE compaction (no INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session(no),
    manual INTEGER NOT NULL, line INTEGER NOT NULL, begun_at INTEGER NOT NULL, summary TEXT, brief TEXT,
    briefed_at INTEGER, ended_at INTEGER, before INTEGER, after INTEGER, arrived_by TEXT, resent_at INTEGER,
    audited INTEGER, items INTEGER, micros INTEGER, guided_at INTEGER, late TEXT, late_at INTEGER,
    for_person TEXT);
CREATE INDEX compaction_session ON compaction (session, no);
CREATE TABLE sub_compaction (session TEXT NOT NULL, agent TEXT NOT NULL, begun_at INTEGER NOT NULL,
    PRIMARY KEY (session, agent)) WITHOUT ROWID;
CREATE TABLE hook_run (no INTEGER PRIMARY KEY, at INTEGER NOT NULL, event TEXT NOT NULL, session TEXT NOT NULL,
    micros INTEGER NOT NULL, problem TEXT);
CREATE TABLE finding (compaction INTEGER NOT NULL REFERENCES compaction(no), no INTEGER NOT NULL,
    kind TEXT NOT NULL, fact TEXT NOT NULL, text TEXT NOT NULL, line INTEGER, summary_quote TEXT,
    confidence REAL NOT NULL, told INTEGER NOT NULL, PRIMARY KEY (compaction, no)) WITHOUT ROWID;
CREATE TABLE gauge (session INTEGER PRIMARY KEY REFERENCES session(no), used INTEGER,
    line INTEGER NOT NULL DEFAULT 0, compacted INTEGER NOT NULL DEFAULT 0, model TEXT,
    compactions INTEGER NOT NULL DEFAULT 0, most INTEGER NOT NULL DEFAULT 0, compacted_at INTEGER,
    window INTEGER, window_model TEXT, window_at INTEGER, left_reached INTEGER, step_reached INTEGER,
    left_told INTEGER, open_work INTEGER, findings INTEGER);
CREATE TABLE checkpoint (no INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session(no),
    compaction INTEGER NOT NULL, threshold TEXT NOT NULL, at INTEGER NOT NULL, line INTEGER NOT NULL,
    used INTEGER, left INTEGER, brief TEXT, UNIQUE (session, compaction, threshold));
CREATE TABLE presence (session TEXT PRIMARY KEY, client TEXT, attended INTEGER, project TEXT, begun_at INTEGER,
    seen_at INTEGER NOT NULL, ended_at INTEGER, cleared INTEGER NOT NULL DEFAULT 0, head TEXT, handoff TEXT,
    told_at INTEGER, handed_to TEXT) WITHOUT ROWID;
CREATE TABLE registered (session TEXT NOT NULL, name TEXT NOT NULL, args TEXT NOT NULL, is_on INTEGER NOT NULL,
    line INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (session, name)) WITHOUT ROWID;
CREATE TABLE taken_up (session TEXT PRIMARY KEY, line INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE note (session TEXT NOT NULL, no INTEGER NOT NULL, at INTEGER NOT NULL, author INTEGER NOT NULL,
    state TEXT, text TEXT NOT NULL, PRIMARY KEY (session, no)) WITHOUT ROWID;
CREATE TABLE cold_task (session TEXT NOT NULL, task TEXT NOT NULL, subject TEXT NOT NULL,
    start_turn INTEGER NOT NULL, end_turn INTEGER NOT NULL, compressed_at INTEGER NOT NULL,
    files_modified TEXT NOT NULL, commands_run TEXT NOT NULL, key_outcomes TEXT NOT NULL,
    errors_resolved TEXT NOT NULL, PRIMARY KEY (session, task)) WITHOUT ROWID;
