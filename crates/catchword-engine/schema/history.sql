-- The history: everything said and done, searchable. A file of its own, because a tick opens the store and would pay for
-- these tables. docs/store.md explains it to people who read the file. Whoever changes a table raises `HISTORY` in
-- src/store/schema.rs.

-- One row per transcript: a session's main conversation (empty `thread`) or that of one of its subagents. `offset`, `line`,
-- `head_len` and `head_hash` say how far it is recorded; `generation` counts how often the file was replaced. The rest is
-- what `sessions` lists. `compacted` has the ids of the rows of its compactions, eight bytes each, because clients repeat
-- rows. `state` is a set of bits: 1 the agent has ended its turn, 2 a compaction boundary without its
-- summary, 4 interrupted, 8 the agent's last words came after its last call.
--   machine, person              empty and null for this machine; whose it is, if it came from a shared archive
--   project_key                  identifies the project on every machine: a hash of its remote address, or of its folder
--   version                      raised by every change of its items, which have the version of their last change
--   reached_line, reached_part   how far into that version what came from elsewhere reaches
--   fixes                        the form in which its rows of `fix` were found (fixes::FORMAT)
--   rules                        the rules by which its texts were last masked (redact::RULES)
CREATE TABLE source (no INTEGER PRIMARY KEY, session TEXT NOT NULL, thread TEXT NOT NULL, client TEXT NOT NULL,
    path TEXT NOT NULL, offset INTEGER NOT NULL, line INTEGER NOT NULL, head_len INTEGER NOT NULL,
    head_hash INTEGER NOT NULL, generation INTEGER NOT NULL DEFAULT 0, project TEXT, title TEXT, first_at INTEGER,
    last_at INTEGER, prompts INTEGER NOT NULL DEFAULT 0, calls INTEGER NOT NULL DEFAULT 0,
    compactions INTEGER NOT NULL DEFAULT 0, compacted BLOB NOT NULL DEFAULT x'', open_tasks INTEGER NOT NULL DEFAULT 0,
    state INTEGER NOT NULL DEFAULT 0, ended_at INTEGER, machine TEXT NOT NULL DEFAULT '', person TEXT,
    project_key TEXT, version INTEGER NOT NULL DEFAULT 1, reached_line INTEGER NOT NULL DEFAULT 4294967295,
    reached_part INTEGER NOT NULL DEFAULT 4294967295, rules INTEGER NOT NULL DEFAULT 0,
    fixes INTEGER NOT NULL DEFAULT 0, UNIQUE (machine, session, thread));

-- One row per thing said or done; a call together with its answer, `line` and `until` being their lines. `call` is a hash
-- of the call's id until its answer arrives. `flags` is a set of bits: 1 failed, 2 a subagent's row in the main file, 4 a
-- person's note, 8 the agent's note. `text` is a title, a unit separator and a body: masked, cut if it is long, and from
-- 300 bytes on compressed with zstd (then it is a blob), to 36 % of its size on 97 MB of transcripts. `version` is that
-- of its last change.
CREATE TABLE item (no INTEGER PRIMARY KEY, source INTEGER NOT NULL REFERENCES source(no), line INTEGER NOT NULL,
    part INTEGER NOT NULL, until INTEGER, kind INTEGER NOT NULL, flags INTEGER NOT NULL, at INTEGER, call INTEGER,
    text NOT NULL, version INTEGER NOT NULL DEFAULT 1);
CREATE UNIQUE INDEX item_place ON item (source, line, part);
CREATE INDEX item_call ON item (source, call) WHERE call IS NOT NULL;

-- The full-text index over `item`; `rowid` is `item.no`. Without content, which `item` already has.
CREATE VIRTUAL TABLE words USING fts5(text, command, error, file,
    content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');

-- The index of questions: prompts, the agent's words, decisions, summaries and notes, as archive/history/terms.rs writes
-- them (without endings, pairs of signs where a script has no spaces). Apart from `words`, which has every form as it was
-- written. `rowid` is `item.no`.
CREATE VIRTUAL TABLE said USING fts5(text, content = '', contentless_delete = 1,
    tokenize = 'unicode61 remove_diacritics 2');

-- What failed and passed later (src/fixes): found in `item`, so it can be found again. `line` is that of the failed call,
-- `passed` that of the one that passed, `passed_as` how it was called if otherwise. `steps` is what was done in between, a
-- line each: e edited, w wrote, d deleted, r ran; its line; a path or a command. `signature` is a hash of program, verb and
-- error, by which a hook finds the same failure again.
CREATE TABLE fix (no INTEGER PRIMARY KEY, source INTEGER NOT NULL REFERENCES source(no), line INTEGER NOT NULL,
    failed_at INTEGER, command TEXT NOT NULL, error TEXT NOT NULL, passed INTEGER NOT NULL, passed_at INTEGER,
    passed_as TEXT, steps TEXT NOT NULL, signature INTEGER NOT NULL, UNIQUE (source, line));
CREATE INDEX fix_signature ON fix (signature);

-- What was forgotten, so that every machine forgets it and nothing comes back: a session or a text by its hash, a
-- project by its key, or everything before a time. Not whose it was.
CREATE TABLE tombstone (id TEXT PRIMARY KEY, kind INTEGER NOT NULL, value TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
