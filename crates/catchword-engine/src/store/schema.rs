//! Brings a database to the shape this version knows.

use std::time::Duration;

use rusqlite::Connection;

use super::StoreError;

/// The store's steps, in order. A landed step is never edited: other versions have already taken it.
pub const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_first.sql"),
    include_str!("../../migrations/0002_findings.sql"),
    include_str!("../../migrations/0003_gauge.sql"),
    include_str!("../../migrations/0004_handoff.sql"),
    include_str!("../../migrations/0005_active.sql"),
    include_str!("../../migrations/0006_notes.sql"),
    include_str!("../../migrations/0007_line.sql"),
];

/// Takes the steps that are missing, under a lock that is only asked for when there are any. A store from a
/// newer version is used as it is: steps only add, so what this version knows is still there.
pub fn migrate(connection: &mut Connection, steps: &[&str], patience: Duration) -> Result<(), StoreError> {
    if version(connection)? >= steps.len() {
        return Ok(());
    }
    use_write_ahead_log(connection, patience)?;
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    for step in steps.iter().skip(version(&transaction)?) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", steps.len() as i64)?;
    transaction.commit()?;
    Ok(())
}

/// Survives in the file; set before the first table so that no other process sees another mode. Where several
/// processes want to be the first, SQLite tells the others "busy" at once, whatever time-out is set: they wait here.
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

/// Steps that a database has taken.
pub fn version(connection: &Connection) -> Result<usize, StoreError> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(usize::try_from(version).unwrap_or(0))
}
