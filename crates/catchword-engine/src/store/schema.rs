//! Creates a database, brings an older one up to date, and tells whether one has the tables this version knows.
//!
//! There is one schema file per database. `PRAGMA user_version` names the schema. From the first kept one on
//! (`fixtures/databases/`) every change of the tables is a step that an older file takes, in one transaction. A file from
//! before that is set aside and rebuilt from the transcripts (`damage`); one with a newer schema is used as it is.

use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use super::StoreError;

/// The tables of a database.
pub struct Schema {
    /// Raised whenever the tables change.
    pub version: u32,
    sql: &'static str,
    /// What an older file lacks: the schema it has, and the statements that lead to the next one, oldest first.
    steps: &'static [(u32, &'static str)],
}

/// The store.
pub const STORE: Schema = Schema {
    version: 12,
    sql: include_str!("../../schema/store.sql"),
    steps: &[
        (
            10,
            "ALTER TABLE presence ADD COLUMN thread TEXT;
             CREATE TABLE stranger (caller INTEGER PRIMARY KEY, calls INTEGER NOT NULL, last_at INTEGER NOT NULL);",
        ),
        (
            11,
            "CREATE TABLE act (session INTEGER NOT NULL REFERENCES session(no), line INTEGER NOT NULL,
                 part INTEGER NOT NULL, call INTEGER, signature INTEGER, body BLOB NOT NULL,
                 PRIMARY KEY (session, line, part)) WITHOUT ROWID;
             CREATE TABLE told (session TEXT NOT NULL, no INTEGER NOT NULL, kind INTEGER NOT NULL, at INTEGER NOT NULL,
                 line INTEGER NOT NULL, signature INTEGER, command TEXT NOT NULL, text TEXT NOT NULL,
                 names TEXT NOT NULL, watch INTEGER NOT NULL, seen INTEGER NOT NULL,
                 calls INTEGER NOT NULL DEFAULT 0, passed INTEGER, used TEXT NOT NULL DEFAULT '',
                 PRIMARY KEY (session, no)) WITHOUT ROWID;",
        ),
    ],
};
/// The history.
pub const HISTORY: Schema = Schema {
    version: 6,
    sql: include_str!("../../schema/history.sql"),
    steps: &[
        // What other machines recorded of the same session is a transcript of its own. SQLite cannot change a key, so the
        // small table is made anew; the large one gets a column, which costs nothing.
        (
        4,
        "CREATE TABLE source_5 (no INTEGER PRIMARY KEY, session TEXT NOT NULL, thread TEXT NOT NULL, client TEXT NOT NULL,
             path TEXT NOT NULL, offset INTEGER NOT NULL, line INTEGER NOT NULL, head_len INTEGER NOT NULL,
             head_hash INTEGER NOT NULL, generation INTEGER NOT NULL DEFAULT 0, project TEXT, title TEXT,
             first_at INTEGER, last_at INTEGER, prompts INTEGER NOT NULL DEFAULT 0, calls INTEGER NOT NULL DEFAULT 0,
             compactions INTEGER NOT NULL DEFAULT 0, compacted BLOB NOT NULL DEFAULT x'',
             open_tasks INTEGER NOT NULL DEFAULT 0, state INTEGER NOT NULL DEFAULT 0, ended_at INTEGER,
             machine TEXT NOT NULL DEFAULT '', person TEXT, project_key TEXT, version INTEGER NOT NULL DEFAULT 1,
             reached_line INTEGER NOT NULL DEFAULT 4294967295, reached_part INTEGER NOT NULL DEFAULT 4294967295,
             rules INTEGER NOT NULL DEFAULT 0, UNIQUE (machine, session, thread));
         INSERT INTO source_5 (no, session, thread, client, path, offset, line, head_len, head_hash, generation, project,
             title, first_at, last_at, prompts, calls, compactions, compacted, open_tasks, state, ended_at)
             SELECT no, session, thread, client, path, offset, line, head_len, head_hash, generation, project, title,
             first_at, last_at, prompts, calls, compactions, compacted, open_tasks, state, ended_at FROM source;
         DROP TABLE source;
         ALTER TABLE source_5 RENAME TO source;
         ALTER TABLE item ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
         CREATE TABLE tombstone (id TEXT PRIMARY KEY, kind INTEGER NOT NULL, value TEXT NOT NULL, at INTEGER NOT NULL)
             WITHOUT ROWID;",
        ),
        // Filled little by little: `source.fixes` says for which transcripts.
        (
            5,
            "ALTER TABLE source ADD COLUMN fixes INTEGER NOT NULL DEFAULT 0;
             CREATE TABLE fix (no INTEGER PRIMARY KEY, source INTEGER NOT NULL REFERENCES source(no), line INTEGER NOT NULL,
                 failed_at INTEGER, command TEXT NOT NULL, error TEXT NOT NULL, passed INTEGER NOT NULL, passed_at INTEGER,
                 passed_as TEXT, steps TEXT NOT NULL, signature INTEGER NOT NULL, UNIQUE (source, line));
             CREATE INDEX fix_signature ON fix (signature);",
        ),
    ],
};

/// Creates the tables in an empty file, and takes an older one to the present schema. Takes a lock only if there is
/// something to do.
pub fn create(connection: &mut Connection, schema: &Schema, patience: Duration) -> Result<(), StoreError> {
    match state(connection, schema)? {
        State::Usable => Ok(()),
        State::Older => {
            // A table that is made anew is dropped first, with rows that refer to it; inside a transaction this cannot be
            // switched.
            connection.pragma_update(None, "foreign_keys", false)?;
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Another process may have taken the steps meanwhile. A kill in the middle leaves the file as it was.
            let found = version(&transaction)?;
            for (_, sql) in schema.steps.iter().filter(|(from, _)| *from >= found) {
                transaction.execute_batch(sql)?;
            }
            if found < schema.version {
                transaction.pragma_update(None, "user_version", schema.version)?;
            }
            transaction.commit()?;
            Ok(connection.pragma_update(None, "foreign_keys", true)?)
        }
        State::Empty => {
            // Nothing is lost with an empty store: if a power cut leaves half of it, the next process starts over.
            connection.pragma_update(None, "synchronous", "OFF")?;
            use_write_ahead_log(connection, patience)?;
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Another process may have created them meanwhile.
            if matches!(state(&transaction, schema)?, State::Empty) {
                transaction.execute_batch(schema.sql)?;
                transaction.pragma_update(None, "user_version", schema.version)?;
                transaction.commit()?;
            }
            Ok(())
        }
    }
}

enum State {
    Empty,
    /// Steps lead from it to the present schema.
    Older,
    /// The present schema, or a newer one.
    Usable,
}

/// An error if the schema is an older one from which no step leads on.
fn state(connection: &Connection, schema: &Schema) -> Result<State, StoreError> {
    match version(connection)? {
        0 => Ok(State::Empty),
        found if found >= schema.version => Ok(State::Usable),
        found if schema.steps.iter().any(|(from, _)| *from == found) => Ok(State::Older),
        found => Err(StoreError::Outdated { found, known: schema.version }),
    }
}

/// WAL mode is a property of the file; set before the first table, so that no other process sees another mode. If several
/// processes try at once, SQLite tells all but one "busy" immediately, whatever its time-out: they wait here.
fn use_write_ahead_log(connection: &Connection, patience: Duration) -> Result<(), StoreError> {
    const PAUSE: Duration = Duration::from_millis(5);
    let mut tries = patience.as_millis() / PAUSE.as_millis();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL").map_err(StoreError::from) {
            Err(error) if error.is_busy() && tries > 0 => tries -= 1,
            other => return other,
        }
        std::thread::sleep(PAUSE);
    }
}

/// The schema of a database; 0 if it is empty.
pub fn version(connection: &Connection) -> Result<u32, StoreError> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(u32::try_from(version).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The columns of every table, in an order of their own.
    fn columns(connection: &Connection) -> Vec<String> {
        let sql = "SELECT m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c
            WHERE m.type = 'table' ORDER BY 1";
        let mut statement = connection.prepare(sql).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn an_older_database_ends_up_with_the_tables_of_a_new_one() {
        let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/databases");
        let versions: Vec<_> = std::fs::read_dir(kept).unwrap().flatten().map(|entry| entry.path()).collect();
        let present = format!("store-{}-history-{}", STORE.version, HISTORY.version);
        assert!(versions.iter().any(|path| path.ends_with(&present)), "{present} is not kept: {versions:?}");
        let both = [(STORE, "catchword.db"), (HISTORY, "history.db")];
        for (kept, (schema, name)) in versions.iter().flat_map(|kept| both.iter().map(move |one| (kept, one)))
        {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(name);
            std::fs::copy(kept.join(name), &path).unwrap();
            let mut old = Connection::open(&path).unwrap();
            create(&mut old, schema, Duration::ZERO).unwrap();
            let mut new = Connection::open_in_memory().unwrap();
            create(&mut new, schema, Duration::ZERO).unwrap();
            assert_eq!(columns(&old), columns(&new), "{name}");
            assert_eq!(version(&old).unwrap(), schema.version);
        }
    }

    #[test]
    fn new_database_has_its_version_and_no_comments() {
        for schema in [STORE, HISTORY] {
            let mut connection = Connection::open_in_memory().unwrap();
            create(&mut connection, &schema, Duration::ZERO).unwrap();
            assert_eq!(version(&connection).unwrap(), schema.version);
            let sql = "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%--%'";
            let commented: i64 = connection.query_row(sql, [], |row| row.get(0)).unwrap();
            assert_eq!(commented, 0);
        }
    }

    #[test]
    fn only_a_schema_older_than_the_first_step_is_outdated() {
        for (version, is_outdated) in
            [(1, true), (STORE.steps[0].0 - 1, true), (STORE.version, false), (99, false)]
        {
            let mut connection = Connection::open_in_memory().unwrap();
            connection.pragma_update(None, "user_version", version).unwrap();
            let created = create(&mut connection, &STORE, Duration::ZERO);
            assert_eq!(matches!(created, Err(StoreError::Outdated { .. })), is_outdated, "{version}");
        }
    }
}
