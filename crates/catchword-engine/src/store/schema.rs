//! Brings a database to the shape this version knows.

use std::time::Duration;

use rusqlite::Connection;

use super::StoreError;

/// The shape of a database.
pub struct Schema {
    /// How it comes to be from nothing.
    pub whole: &'static str,
    /// The steps to the same, in order, for one that was made by an older version. A landed step is never edited: other
    /// versions have already taken it.
    pub steps: &'static [&'static str],
}

/// The store's.
pub const STORE: Schema = Schema {
    whole: include_str!("../../migrations/whole.sql"),
    steps: &[
        include_str!("../../migrations/0001_first.sql"),
        include_str!("../../migrations/0002_findings.sql"),
        include_str!("../../migrations/0003_gauge.sql"),
        include_str!("../../migrations/0004_handoff.sql"),
        include_str!("../../migrations/0005_active.sql"),
        include_str!("../../migrations/0006_notes.sql"),
        include_str!("../../migrations/0007_line.sql"),
    ],
};

/// Takes the steps that are missing, under a lock that is only asked for when there are any. A store from a
/// newer version is used as it is: steps only add, so what this version knows is still there.
pub fn migrate(connection: &mut Connection, schema: &Schema, patience: Duration) -> Result<(), StoreError> {
    let taken = version(connection)?;
    if taken >= schema.steps.len() {
        return Ok(());
    }
    if taken == 0 {
        // Nothing is lost with a store that is empty: one that a power cut leaves half written is begun anew.
        connection.pragma_update(None, "synchronous", "OFF")?;
    }
    use_write_ahead_log(connection, patience)?;
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    // Another process may have been quicker.
    match version(&transaction)? {
        0 => transaction.execute_batch(schema.whole)?,
        taken => schema.steps.iter().skip(taken).try_for_each(|step| transaction.execute_batch(step))?,
    }
    transaction.pragma_update(None, "user_version", schema.steps.len() as i64)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// All that tells two databases apart: tables with their kind, columns, indices and references.
    fn shape(batches: &[&str]) -> Vec<String> {
        let connection = Connection::open_in_memory().unwrap();
        for batch in batches {
            connection.execute_batch(batch).unwrap();
        }
        let rows = |sql: &str| -> Vec<String> {
            let mut statement = connection.prepare(sql).unwrap();
            let columns = statement.column_count();
            let row = |row: &rusqlite::Row| {
                (0..columns).map(|at| row.get::<_, rusqlite::types::Value>(at)).collect::<Result<Vec<_>, _>>()
            };
            statement.query_map([], row).unwrap().map(|row| format!("{:?}", row.unwrap())).collect()
        };
        let mut shape = rows("SELECT name, type, ncol, wr, strict FROM pragma_table_list ORDER BY name");
        shape.extend(rows(
            "SELECT t.name, c.* FROM pragma_table_list t, pragma_table_xinfo(t.name) c ORDER BY t.name, c.cid",
        ));
        shape.extend(rows(
            "SELECT t.name, k.* FROM pragma_table_list t, pragma_foreign_key_list(t.name) k ORDER BY t.name, k.id",
        ));
        shape.extend(rows(
            "SELECT t.name, i.name, i.\"unique\", i.origin, i.partial, c.* FROM pragma_table_list t,
                pragma_index_list(t.name) i, pragma_index_xinfo(i.name) c ORDER BY t.name, i.name, c.seqno",
        ));
        shape.extend(rows("SELECT name, sql FROM sqlite_master WHERE type NOT IN ('table') ORDER BY name"));
        shape
    }

    #[test]
    fn a_store_made_at_once_is_one_that_took_every_step() {
        let [whole, steps] = [shape(&[STORE.whole]), shape(STORE.steps)];
        assert!(whole.len() > 150, "{}", whole.len());
        assert_eq!(whole, steps);
    }

    #[test]
    fn a_store_made_at_once_has_taken_every_step() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, &STORE, Duration::ZERO).unwrap();
        assert_eq!(version(&connection).unwrap(), STORE.steps.len());
    }
}
