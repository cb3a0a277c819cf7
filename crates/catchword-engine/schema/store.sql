-- The store: what hooks need on this machine. docs/store.md explains it to people who read the file.
--
-- SQLite keeps each statement as it is written, and every hook parses them all when it opens the file. So there are few
-- tables and indices (about 2.5 µs each), and comments are outside the statements, where SQLite drops them.
-- Whoever changes a table raises `STORE` in src/store/schema.rs.
--
-- Times are milliseconds since 1970. A column `session` is either `session.no` or, where a row may be written before the
-- first hook of a session, the client's id as text. `forget` finds a session's rows by either.

-- One row per session. `offset`, `line`, `head_len` and `head_hash` are the cursor: how far the transcript is indexed, and
-- what its beginning looked like. `generation` counts how often the transcript was replaced, so that a process that read
-- the previous one cannot overwrite the current one.
CREATE TABLE session (no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, client TEXT NOT NULL,
    transcript TEXT NOT NULL, cwd TEXT, offset INTEGER NOT NULL, line INTEGER NOT NULL,
    head_len INTEGER NOT NULL, head_hash INTEGER NOT NULL, generation INTEGER NOT NULL DEFAULT 0,
    last_at INTEGER NOT NULL);

-- The folded session: a cache that is rebuilt from the transcript when it is missing. Its own table, so that a tick does
-- not read past it. `format` is the version of the fold, `folded` the offset up to which it reaches.
CREATE TABLE snapshot (session INTEGER PRIMARY KEY REFERENCES session(no), format INTEGER NOT NULL,
    folded INTEGER NOT NULL, body BLOB NOT NULL);

-- The index: one row per transcript row of the conversation. `id` is a hash of the client's id, by which a row that the
-- client writes twice counts once. `kind` is a number of `store::RowKind`.
CREATE TABLE entry (session INTEGER NOT NULL REFERENCES session(no), line INTEGER NOT NULL, id INTEGER,
    kind INTEGER NOT NULL, PRIMARY KEY (session, line)) WITHOUT ROWID;
CREATE UNIQUE INDEX entry_id ON entry (session, id) WHERE id IS NOT NULL;

-- One row per compaction, from its announcement to its end (src/store/compaction.rs).
--   manual, line, begun_at     asked for by the person; lines of the transcript and time when it was announced
--   guided_at                  when the summariser was last told what to keep
--   summary, audited           the summary; hash of the summary that the findings are about
--   brief, briefed_at, items   the brief, when it was given, number of items in it
--   arrived_by, resent_at      event by which the brief reached the model, as the transcript shows; when it was sent again
--   late, late_at              what was found after the brief was given, and when the agent was told
--   for_person, person_at      line for the person, empty if all is well; when it was shown
--   lost, given                findings that the line counts, and how many of them the agent gets back
--   ended_at, before, after    end; tokens before and after, as the client records them
--   micros                     time that all hooks of this compaction took together
CREATE TABLE compaction (no INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session(no),
    manual INTEGER NOT NULL, line INTEGER NOT NULL, begun_at INTEGER NOT NULL, summary TEXT, brief TEXT,
    briefed_at INTEGER, ended_at INTEGER, before INTEGER, after INTEGER, arrived_by TEXT, resent_at INTEGER,
    audited INTEGER, items INTEGER, micros INTEGER, guided_at INTEGER, late TEXT, late_at INTEGER,
    for_person TEXT, person_at INTEGER, lost INTEGER, given INTEGER);
CREATE INDEX compaction_session ON compaction (session, no);

-- Subagents whose own context is being compacted: meanwhile a summary may be theirs.
CREATE TABLE sub_compaction (session TEXT NOT NULL, agent TEXT NOT NULL, begun_at INTEGER NOT NULL,
    PRIMARY KEY (session, agent)) WITHOUT ROWID;

-- What the audit found in a compaction's summary, in the order of the audit. `told` is 1 if the agent is told.
CREATE TABLE finding (compaction INTEGER NOT NULL REFERENCES compaction(no), no INTEGER NOT NULL,
    kind TEXT NOT NULL, fact TEXT NOT NULL, text TEXT NOT NULL, line INTEGER, summary_quote TEXT,
    confidence REAL NOT NULL, told INTEGER NOT NULL, PRIMARY KEY (compaction, no)) WITHOUT ROWID;

-- How full the context of a session is. Apart from `session`, because most ticks do not touch it.
--   used, line, model                     tokens (null if unknown), the row that says so, its model
--   compacted, compactions, compacted_at, most
--                                         what the transcript tells of compactions and of the largest context
--   model_window                          the window of that model, where the row says which one was asked for
--   window, window_model, window_at       the window that the status line reported, for which model, when
--   left_reached, step_reached, left_told points reached since the last compaction; the last one the person was told of
--   open_work                             open tasks, for the status line
--   lost, given_back                      what the latest summary lost, until the turn ends; how much of it the agent has
--                                         got back, once it has
CREATE TABLE gauge (session INTEGER PRIMARY KEY REFERENCES session(no), used INTEGER,
    line INTEGER NOT NULL DEFAULT 0, compacted INTEGER NOT NULL DEFAULT 0, model TEXT,
    compactions INTEGER NOT NULL DEFAULT 0, most INTEGER NOT NULL DEFAULT 0, compacted_at INTEGER,
    window INTEGER, window_model TEXT, window_at INTEGER, left_reached INTEGER, step_reached INTEGER,
    left_told INTEGER, open_work INTEGER, lost INTEGER, given_back INTEGER,
    model_window INTEGER);

-- One row per point reached before a compaction (`left 15%`, `used 60000`); `compaction` is how many came
-- before, `line` how many lines of the transcript were recorded: the session can be folded up to there again.
CREATE TABLE checkpoint (no INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session(no),
    compaction INTEGER NOT NULL, threshold TEXT NOT NULL, at INTEGER NOT NULL, used INTEGER, left INTEGER,
    line INTEGER NOT NULL DEFAULT 0, UNIQUE (session, compaction, threshold));

-- Which client process holds a session and how it ended, so that the next session can be told of it. No index: it is read
-- at the start of a session only, and a thousand rows take less than a millisecond.
--   client, attended   the client process; whether a person sits at it
--   thread             the thread of a conversation that whoever started the client named
--   project            root of the work tree, or the folder if there is none
--   cleared, head      ended by `/clear`; commit of the work tree at the end
--   handoff            path of the latest handoff document
--   told_at, handed_to when this session was told of another; the session that was told of this one
CREATE TABLE presence (session TEXT PRIMARY KEY, client TEXT, attended INTEGER, project TEXT,
    seen_at INTEGER NOT NULL, ended_at INTEGER, cleared INTEGER NOT NULL DEFAULT 0, head TEXT, handoff TEXT,
    told_at INTEGER, handed_to TEXT, thread TEXT) WITHOUT ROWID;

-- Commands that `catchword commands add` or `remove` named, the latest call for each. `line` is how many lines the
-- transcript had then: a later call or end in the transcript overrides it. Not in the transcript.
CREATE TABLE registered (session TEXT NOT NULL, name TEXT NOT NULL, args TEXT NOT NULL, is_on INTEGER NOT NULL,
    line INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (session, name)) WITHOUT ROWID;

-- Resumed sessions: the line after which the present client process has seen the session. The client does not put back
-- into the context what was called before that line.
CREATE TABLE taken_up (session TEXT PRIMARY KEY, line INTEGER NOT NULL) WITHOUT ROWID;

-- Notes. `author` is 0 for a person, 1 for the agent. `state` names the line of the current state that a note sets.
-- Not in the transcript.
CREATE TABLE note (session TEXT NOT NULL, no INTEGER NOT NULL, at INTEGER NOT NULL, author INTEGER NOT NULL,
    state TEXT, text TEXT NOT NULL, PRIMARY KEY (session, no)) WITHOUT ROWID;

-- Summaries of tasks that were finished and left alone; the lists are JSON.
CREATE TABLE cold_task (session TEXT NOT NULL, task TEXT NOT NULL, subject TEXT NOT NULL,
    start_turn INTEGER NOT NULL, end_turn INTEGER NOT NULL, compressed_at INTEGER NOT NULL,
    files_modified TEXT NOT NULL, commands_run TEXT NOT NULL, key_outcomes TEXT NOT NULL,
    errors_resolved TEXT NOT NULL, PRIMARY KEY (session, task)) WITHOUT ROWID;

-- The latest calls of each session, for what failed in it before (src/fixes). `call` is a hash of the call's id until its
-- answer arrives, `signature` that by which a failure is known again, `body` the call (fixes::ActRow), masked.
CREATE TABLE act (session INTEGER NOT NULL REFERENCES session(no), line INTEGER NOT NULL, part INTEGER NOT NULL,
    call INTEGER, signature INTEGER, body BLOB NOT NULL, PRIMARY KEY (session, line, part)) WITHOUT ROWID;

-- What an agent was told at a moment, and what happened next. `kind` is a number of store::ToldKind, `line` how many lines
-- the transcript had. `names` are the files and commands named in it, a line each, `used` those of them that were used
-- within `watch` calls, `passed` the line at which the command passed within them; `calls` and `seen` say how many were
-- watched, up to which line. Not in the transcript.
CREATE TABLE told (session TEXT NOT NULL, no INTEGER NOT NULL, kind INTEGER NOT NULL, at INTEGER NOT NULL,
    line INTEGER NOT NULL, signature INTEGER, command TEXT NOT NULL, text TEXT NOT NULL, names TEXT NOT NULL,
    watch INTEGER NOT NULL, seen INTEGER NOT NULL, calls INTEGER NOT NULL DEFAULT 0, passed INTEGER,
    used TEXT NOT NULL DEFAULT '', PRIMARY KEY (session, no)) WITHOUT ROWID;

-- Programs that call a client's hooks with a payload of their own: how often, and when last. Nothing of a session.
-- `caller` is the number of one of `clients::strangers::CALLERS`.
CREATE TABLE stranger (caller INTEGER PRIMARY KEY, calls INTEGER NOT NULL, last_at INTEGER NOT NULL);

-- The latest hooks: how long they took and what went wrong, for `doctor`.
CREATE TABLE hook_run (no INTEGER PRIMARY KEY, at INTEGER NOT NULL, event TEXT NOT NULL, session TEXT NOT NULL,
    micros INTEGER NOT NULL, problem TEXT);
