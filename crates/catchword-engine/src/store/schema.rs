//! Brings a database to the shape this version knows.

use rusqlite::Connection;

use super::StoreError;

/// The steps, in order. A landed step is never edited: other versions have already taken it.
const MIGRATIONS: &[&str] = &[include_str!("../../migrations/0001_first.sql")];

/// Takes the steps that are missing, under a lock that is only asked for when there are any. A store from a
/// newer version is used as it is: steps only add, so what this version knows is still there.
pub fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    if version(connection)? >= MIGRATIONS.len() {
        return Ok(());
    }
    // Survives in the file; set before the first table so that no other process sees another mode.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    for step in MIGRATIONS.iter().skip(version(&transaction)?) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", MIGRATIONS.len() as i64)?;
    transaction.commit()?;
    Ok(())
}

fn version(connection: &Connection) -> Result<usize, StoreError> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(usize::try_from(version).unwrap_or(0))
}
