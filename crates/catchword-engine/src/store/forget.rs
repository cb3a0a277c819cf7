//! Removes a session from a database, and a text from every row.
//!
//! Works by the structure of the tables, not by a list of them: a new table is covered as soon as it has a column
//! `session` or refers to a table that does. A test checks this for every table.

use std::borrow::Cow;
use std::path::PathBuf;

use rusqlite::{Connection, TransactionBehavior, params};

use super::{Store, StoreError, acts};
use crate::redact::Mask;

/// Columns with locations, which are never masked: without them nothing can be found.
const PLACES: &[&str] = &["transcript", "cwd", "path", "project", "handoff"];
/// Columns that identify rows.
const IDS: &[&str] = &[
    "id",
    "session",
    "thread",
    "agent",
    "handed_to",
    "client",
    "machine",
    "person",
    "project_key",
    // Of a tombstone: a hash.
    "value",
];
/// Longest chain of references between tables.
const DEEPEST: usize = 4;

impl Store {
    /// Deletes every row of these sessions; returns the number of rows.
    pub fn forget(&mut self, sessions: &[&str]) -> Result<usize, StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut rows = 0;
        for session in sessions {
            rows += forget_session(&transaction, session)?;
        }
        transaction.commit()?;
        Ok(rows)
    }

    /// Deletes what was computed for these sessions and can be recomputed from their transcripts: snapshots, task
    /// summaries, findings. What was recorded stays: rows, counts, notes, briefs. Returns the number of rows.
    pub fn forget_computed(&mut self, sessions: &[&str]) -> Result<usize, StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let of = "(SELECT no FROM session WHERE id = ?1)";
        // A compaction in progress needs its findings.
        let ended = format!("SELECT no FROM compaction WHERE session = {of} AND ended_at IS NOT NULL");
        let mut rows = 0;
        for session in sessions {
            for sql in [
                format!("DELETE FROM snapshot WHERE session = {of}"),
                "DELETE FROM cold_task WHERE session = ?1".to_owned(),
                format!("DELETE FROM finding WHERE compaction IN ({ended})"),
            ] {
                rows += transaction.execute(&sql, [session])?;
            }
            let sql = format!("UPDATE compaction SET audited = NULL WHERE no IN ({ended})");
            transaction.execute(&sql, [session])?;
        }
        transaction.commit()?;
        Ok(rows)
    }

    /// Masks every text again with the current rules; returns the number of texts that changed. A snapshot that
    /// contains a forgotten text is dropped: it is rebuilt, masked, from the transcript.
    pub fn mask_again(&mut self, mask: &Mask) -> Result<usize, StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let changed = mask_texts(&transaction, mask, PLACES)?
            + drop_snapshots(&transaction, mask)?
            + acts::drop_forgotten(&transaction, mask)?;
        transaction.commit()?;
        Ok(changed)
    }

    /// Rewrites the file without the deleted content, and empties the log.
    pub fn compress(&mut self) -> Result<(), StoreError> {
        rewrite(&self.connection)
    }

    /// Every known session, including those without any row yet.
    pub fn all_sessions(&self) -> Result<Vec<Trace>, StoreError> {
        let sql = "SELECT coalesce(s.id, p.session), s.transcript, s.cwd, p.project, p.handoff,
                max(coalesce(s.last_at, 0), coalesce(p.seen_at, 0))
            FROM session s FULL JOIN presence p ON p.session = s.id";
        let path = |text: Option<String>| text.map(PathBuf::from);
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| {
            Ok(Trace {
                session: row.get(0)?,
                transcript: path(row.get(1)?),
                folders: [row.get(2)?, row.get(3)?].into_iter().filter_map(path).collect(),
                handoff: path(row.get(4)?),
                last_at: row.get(5)?,
            })
        })?;
        let mut traces: Vec<Trace> = rows.collect::<Result<_, _>>()?;
        // A note may have been written for a session before any hook reported it.
        let sql = "SELECT session, max(at) FROM (
                SELECT session, at FROM note UNION ALL SELECT session, at FROM registered
                UNION ALL SELECT session, compressed_at FROM cold_task UNION ALL SELECT session, at FROM hook_run
            ) GROUP BY session";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| {
            Ok(Trace { session: row.get(0)?, last_at: row.get(1)?, ..Trace::default() })
        })?;
        for trace in rows {
            let trace = trace?;
            if !traces.iter().any(|known| known.session == trace.session) {
                traces.push(trace);
            }
        }
        Ok(traces)
    }
}

/// A session and everything that belongs to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    pub session: String,
    pub transcript: Option<PathBuf>,
    /// Its working directories.
    pub folders: Vec<PathBuf>,
    pub handoff: Option<PathBuf>,
    /// When it was last active.
    pub last_at: i64,
}

fn drop_snapshots(connection: &Connection, mask: &Mask) -> Result<usize, StoreError> {
    let mut statement = connection.prepare("SELECT session, body FROM snapshot")?;
    let mut held: Vec<i64> = Vec::new();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if mask.has_forgotten(&row.get::<_, Vec<u8>>(1)?) {
            held.push(row.get(0)?);
        }
    }
    for no in &held {
        connection.execute("DELETE FROM snapshot WHERE session = ?1", [no])?;
    }
    Ok(held.len())
}

/// A table's own columns.
struct TableColumn {
    name: String,
    is_text: bool,
    may_be_null: bool,
}

pub(crate) fn tables(connection: &Connection) -> Result<Vec<String>, StoreError> {
    // Skip the full-text index's own tables.
    let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'
        ORDER BY name";
    let mut statement = connection.prepare(sql)?;
    let names = statement.query_map([], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

fn columns(connection: &Connection, table: &str) -> Result<Vec<TableColumn>, StoreError> {
    let mut statement =
        connection.prepare("SELECT name, type, \"notnull\", pk FROM pragma_table_info(?1)")?;
    let rows = statement.query_map([table], |row| {
        let (fixed, key): (bool, i64) = (row.get(2)?, row.get(3)?);
        let kind: String = row.get(1)?;
        Ok(TableColumn { name: row.get(0)?, is_text: kind == "TEXT", may_be_null: !fixed && key == 0 })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Which rows of a table belong to a session (`?1`): those that name it, or refer to rows that do. `None` for a table
/// that is unrelated to sessions.
pub(crate) fn rows_of_session(
    connection: &Connection,
    table: &str,
    depth: usize,
) -> Result<Option<String>, StoreError> {
    if table == "session" {
        return Ok(Some("id = ?1".to_owned()));
    }
    let sql = "SELECT \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?1)";
    let mut statement = connection.prepare(sql)?;
    let keys = statement.query_map([table], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
    })?;
    for key in keys {
        let (above, from, to) = key?;
        if depth < DEEPEST
            && let Some(condition) = rows_of_session(connection, &above, depth + 1)?
        {
            return Ok(Some(format!("{from} IN (SELECT {to} FROM {above} WHERE {condition})")));
        }
    }
    let named = columns(connection, table)?.into_iter().any(|column| column.name == "session");
    Ok(named.then(|| "session = ?1".to_owned()))
}

/// Deletes a session's rows, referring tables first, and its name everywhere else.
pub(crate) fn forget_session(connection: &Connection, session: &str) -> Result<usize, StoreError> {
    let mut conditions = Vec::new();
    for table in tables(connection)? {
        if let Some(condition) = rows_of_session(connection, &table, 0)? {
            conditions.push((condition.matches("SELECT").count(), table, condition));
        }
    }
    conditions.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| (a.1 == "session").cmp(&(b.1 == "session"))));
    let mut rows = 0;
    for (_, table, condition) in &conditions {
        rows += connection.execute(&format!("DELETE FROM {table} WHERE {condition}"), [session])?;
    }
    for table in tables(connection)? {
        for column in columns(connection, &table)?.into_iter().filter(|column| column.is_text) {
            let name = &column.name;
            if column.may_be_null {
                let sql = format!("UPDATE {table} SET {name} = NULL WHERE {name} = ?1");
                connection.execute(&sql, [session])?;
            }
            if !IDS.contains(&name.as_str()) && !PLACES.contains(&name.as_str()) {
                let sql = format!(
                    "UPDATE {table} SET {name} = replace({name}, ?1, '[forgotten]') WHERE instr({name}, ?1) > 0"
                );
                connection.execute(&sql, [session])?;
            }
        }
    }
    Ok(rows)
}

/// Masks every text column except ids and locations.
pub(crate) fn mask_texts(connection: &Connection, mask: &Mask, places: &[&str]) -> Result<usize, StoreError> {
    let mut changed = 0;
    for table in tables(connection)? {
        for column in columns(connection, &table)?.into_iter().filter(|column| column.is_text) {
            let name = &column.name;
            if IDS.contains(&name.as_str()) || places.contains(&name.as_str()) {
                continue;
            }
            let sql = format!("SELECT DISTINCT {name} FROM {table} WHERE {name} IS NOT NULL");
            let mut statement = connection.prepare(&sql)?;
            let texts = statement.query_map([], |row| row.get::<_, String>(0))?;
            let texts: Vec<String> = texts.collect::<Result<_, _>>()?;
            for text in texts {
                if let Cow::Owned(masked) = mask.text(&text) {
                    // A name may be part of a key: two that are masked to the same text become one.
                    let sql = format!("UPDATE OR REPLACE {table} SET {name} = ?2 WHERE {name} = ?1");
                    changed += connection.execute(&sql, params![text, masked])?;
                }
            }
        }
    }
    Ok(changed)
}

/// Rewrites a database and empties its log.
pub(crate) fn rewrite(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch("VACUUM")?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::note::{Author, Note};
    use std::time::Duration;

    #[test]
    fn every_table_of_the_store_belongs_to_a_session() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), 0, Duration::ZERO).unwrap();
        let tables = tables(&store.connection).unwrap();
        assert!(tables.len() > 8, "{tables:?}");
        for table in tables.into_iter().filter(|table| table != "stranger") {
            let rows = rows_of_session(&store.connection, &table, 0).unwrap();
            assert!(
                rows.is_some(),
                "`forget` does not know whose the rows of {table} are: give it a column `session`"
            );
        }
    }

    #[test]
    fn session_with_only_a_note_is_listed_with_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path(), 0, Duration::ZERO).unwrap();
        let note = Note { at: 7, author: Author::Person, state: None, text: "ask first".into() };
        store.add_note("early", &note).unwrap();
        assert_eq!(
            store.all_sessions().unwrap(),
            [Trace { session: "early".into(), last_at: 7, ..Trace::default() }]
        );
        assert_eq!(store.forget(&["early"]).unwrap(), 1);
        assert_eq!(store.all_sessions().unwrap(), []);
    }

    #[test]
    fn tables_of_later_versions_are_covered() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path(), 0, Duration::ZERO).unwrap();
        let sql = "CREATE TABLE later (session TEXT, told TEXT, text TEXT) ;
            CREATE TABLE below (compaction INTEGER REFERENCES compaction(no), text TEXT);
            INSERT INTO session (no, id, client, transcript, offset, line, head_len, head_hash, last_at)
                VALUES (1, 'a', 'x', '/t', 0, 0, 0, 0, 0), (2, 'b', 'x', '/t', 0, 0, 0, 0, 0);
            INSERT INTO compaction (no, session, manual, line, begun_at, summary) VALUES (7, 1, 0, 0, 0, 's'),
                (8, 2, 0, 0, 0, 'after a-session');
            INSERT INTO finding VALUES (7, 1, 'k', 'f', 't', 1, 'q', 1.0, 1);
            INSERT INTO presence (session, seen_at, handed_to) VALUES ('b', 0, 'a');
            INSERT INTO later VALUES ('a', '', ''), ('b', 'a', 'x');
            INSERT INTO below VALUES (7, ''), (8, '')";
        store.connection.execute_batch(sql).unwrap();
        let rows = store.forget(&["a"]).unwrap();
        assert_eq!(rows, 5, "session, compaction, finding, later, below");
        let count = |sql: &str| store.connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(count("SELECT count(*) FROM session") + count("SELECT count(*) FROM below"), 2);
        assert_eq!(count("SELECT count(*) FROM finding"), 0);
        assert_eq!(count("SELECT count(*) FROM later WHERE told IS NULL"), 1);
        assert_eq!(count("SELECT count(*) FROM presence WHERE handed_to IS NULL"), 1);
    }
}
