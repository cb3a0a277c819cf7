-- What the audit found in a compaction's summary, kept so that the log can tell it and PostCompact need not look
-- again: an audit of a long session takes milliseconds, reading it back takes microseconds.

CREATE TABLE finding (
    compaction    INTEGER NOT NULL REFERENCES compaction(no),
    -- In the order of the audit.
    no            INTEGER NOT NULL,
    kind          TEXT NOT NULL,
    fact          TEXT NOT NULL,
    text          TEXT NOT NULL,
    line          INTEGER,
    summary_quote TEXT,
    confidence    REAL NOT NULL,
    told          INTEGER NOT NULL,
    PRIMARY KEY (compaction, no)
) WITHOUT ROWID;

-- Hash of the summary that the findings are about; empty where none was looked at.
ALTER TABLE compaction ADD COLUMN audited INTEGER;
-- Items in the brief.
ALTER TABLE compaction ADD COLUMN items INTEGER;
-- What all hooks of this compaction took together, in microseconds.
ALTER TABLE compaction ADD COLUMN micros INTEGER;
-- When the summariser was last told what to keep.
ALTER TABLE compaction ADD COLUMN guided_at INTEGER;
-- What was found only once the brief was out, and when it was told.
ALTER TABLE compaction ADD COLUMN late TEXT;
ALTER TABLE compaction ADD COLUMN late_at INTEGER;
