//! Creates a database, and tells whether an existing one has the tables this version knows.
//!
//! There is one schema file per database and no migration. `PRAGMA user_version` names the schema. A file with an older
//! one is set aside and rebuilt from the transcripts (`damage`); one with a newer one is used as it is.

use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use super::StoreError;

/// The tables of a database.
pub struct Schema {
    /// Raised whenever the tables change.
    pub version: u32,
    sql: &'static str,
}

/// The store.
pub const STORE: Schema = Schema { version: 11, sql: include_str!("../../schema/store.sql") };
/// The history.
pub const HISTORY: Schema = Schema { version: 4, sql: include_str!("../../schema/history.sql") };

/// Creates the tables in an empty file. Takes a lock only if there is something to create.
pub fn create(connection: &mut Connection, schema: &Schema, patience: Duration) -> Result<(), StoreError> {
    if is_usable(connection, schema)? {
        return Ok(());
    }
    // Nothing is lost with an empty store: if a power cut leaves half of it, the next process starts over.
    connection.pragma_update(None, "synchronous", "OFF")?;
    use_write_ahead_log(connection, patience)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have created them meanwhile.
    if !is_usable(&transaction, schema)? {
        transaction.execute_batch(schema.sql)?;
        transaction.pragma_update(None, "user_version", schema.version)?;
        transaction.commit()?;
    }
    Ok(())
}

/// False if the file is empty, an error if its schema is an older one.
fn is_usable(connection: &Connection, schema: &Schema) -> Result<bool, StoreError> {
    match version(connection)? {
        0 => Ok(false),
        found if found < schema.version => Err(StoreError::Outdated { found, known: schema.version }),
        _ => Ok(true),
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
    fn only_an_older_schema_is_outdated() {
        for (version, is_outdated) in
            [(1, true), (STORE.version - 1, true), (STORE.version, false), (99, false)]
        {
            let mut connection = Connection::open_in_memory().unwrap();
            connection.pragma_update(None, "user_version", version).unwrap();
            let created = create(&mut connection, &STORE, Duration::ZERO);
            assert_eq!(matches!(created, Err(StoreError::Outdated { .. })), is_outdated, "{version}");
        }
    }
}
