//! Notes of people and agents, and the summaries of cold tasks.

use rusqlite::params;

use super::{Store, StoreError};
use crate::brief::cold_tasks::TaskSummary;
use crate::model::note::{Author, Note, StateKey};

/// Notes kept per session; the oldest are deleted.
const MAX_STORED_NOTES: i64 = 500;

impl Store {
    /// Stores a note, whose text must be masked. One that repeats the note before it changes nothing: two calls for the
    /// same prompt store one.
    pub fn add_note(&mut self, session: &str, note: &Note) -> Result<(), StoreError> {
        let transaction =
            self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let sql = "INSERT INTO note (session, no, at, author, state, text)
            SELECT ?1, coalesce((SELECT max(no) FROM note WHERE session = ?1), 0) + 1, ?2, ?3, ?4, ?5
            WHERE NOT EXISTS (SELECT 1 FROM note WHERE session = ?1 AND author = ?3 AND state IS ?4 AND text = ?5
                AND no = (SELECT max(no) FROM note WHERE session = ?1))";
        let author = i64::from(note.author == Author::Agent);
        let state = note.state.map(StateKey::name);
        transaction.execute(sql, params![session, note.at, author, state, note.text])?;
        let sql = "DELETE FROM note WHERE session = ?1
            AND no <= (SELECT max(no) FROM note WHERE session = ?1) - ?2";
        transaction.execute(sql, params![session, MAX_STORED_NOTES])?;
        transaction.commit()?;
        Ok(())
    }

    /// The notes of a session, oldest first. A kind that only a newer version knows counts as an ordinary note.
    pub fn notes(&self, session: &str) -> Result<Vec<Note>, StoreError> {
        Ok(self.numbered_notes(session)?.into_iter().map(|(_, note)| note).collect())
    }

    /// The same, each with its permanent number.
    pub fn numbered_notes(&self, session: &str) -> Result<Vec<(u32, Note)>, StoreError> {
        let sql = "SELECT at, author, state, text, no FROM note WHERE session = ?1 ORDER BY no";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([session], |row| {
            let author = if row.get::<_, i64>(1)? == 0 { Author::Person } else { Author::Agent };
            let state = row.get::<_, Option<String>>(2)?.as_deref().and_then(StateKey::named);
            Ok((row.get(4)?, Note { at: row.get(0)?, author, state, text: row.get(3)? }))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Sessions that have notes.
    pub fn noted_sessions(&self) -> Result<Vec<String>, StoreError> {
        let mut statement = self.connection.prepare("SELECT DISTINCT session FROM note")?;
        let sessions = statement.query_map([], |row| row.get(0))?;
        Ok(sessions.collect::<Result<_, _>>()?)
    }

    /// Stores the summaries of cold tasks. An existing one stays, unless the task was resumed and ended later.
    pub fn keep_cold(&mut self, session: &str, tasks: &[TaskSummary], now: i64) -> Result<(), StoreError> {
        let transaction =
            self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        {
            let sql = "INSERT INTO cold_task (session, task, subject, start_turn, end_turn, compressed_at,
                    files_modified, commands_run, key_outcomes, errors_resolved)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
                ON CONFLICT (session, task) DO UPDATE SET subject = excluded.subject,
                    start_turn = excluded.start_turn, end_turn = excluded.end_turn,
                    compressed_at = excluded.compressed_at, files_modified = excluded.files_modified,
                    commands_run = excluded.commands_run, key_outcomes = excluded.key_outcomes,
                    errors_resolved = excluded.errors_resolved
                WHERE excluded.end_turn > end_turn";
            let mut statement = transaction.prepare_cached(sql)?;
            for task in tasks {
                statement.execute(params![
                    session,
                    task.task,
                    task.subject,
                    task.start_turn,
                    task.end_turn,
                    now,
                    json(&task.files_modified),
                    json(&task.commands_run),
                    json(&task.key_outcomes),
                    json(&task.errors_resolved),
                ])?;
            }
        }
        transaction.commit()?;
        Ok(())
    }

    /// The cold tasks of a session in the order in which they ended, each with the time at which it was summarised.
    pub fn cold_tasks(&self, session: &str) -> Result<Vec<(TaskSummary, i64)>, StoreError> {
        let sql = "SELECT task, subject, start_turn, end_turn, compressed_at, files_modified, commands_run,
                key_outcomes, errors_resolved FROM cold_task WHERE session = ?1 ORDER BY end_turn, start_turn, task";
        let mut statement = self.connection.prepare(sql)?;
        let list = |text: String| serde_json::from_str(&text).unwrap_or_default();
        let rows = statement.query_map([session], |row| {
            let summary = TaskSummary {
                task: row.get(0)?,
                subject: row.get(1)?,
                start_turn: row.get(2)?,
                end_turn: row.get(3)?,
                files_modified: list(row.get(5)?),
                commands_run: list(row.get(6)?),
                key_outcomes: list(row.get(7)?),
                errors_resolved: list(row.get(8)?),
            };
            Ok((summary, row.get(4)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn json(list: &[String]) -> String {
    serde_json::to_string(list).expect("strings are JSON")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), 0, Duration::from_secs(1)).unwrap();
        (folder, store)
    }

    fn note(at: i64, text: &str) -> Note {
        Note { at, author: Author::Agent, state: None, text: text.to_owned() }
    }

    #[test]
    fn notes_are_returned_in_order_and_by_session() {
        let (_folder, mut store) = store();
        let state = Note { state: Some(StateKey::Next), author: Author::Person, ..note(2, "push") };
        for (session, note) in [("a", note(1, "one")), ("b", note(1, "other")), ("a", state.clone())] {
            store.add_note(session, &note).unwrap();
        }
        assert_eq!(store.notes("a").unwrap(), [note(1, "one"), state]);
        assert_eq!(store.notes("c").unwrap(), []);
    }

    #[test]
    fn oldest_notes_are_deleted_above_the_limit() {
        let (_folder, mut store) = store();
        for n in 0..MAX_STORED_NOTES + 7 {
            store.add_note("a", &note(n, &n.to_string())).unwrap();
        }
        let notes = store.notes("a").unwrap();
        assert_eq!((notes.len() as i64, notes[0].at), (MAX_STORED_NOTES, 7));
    }

    #[test]
    fn cold_task_is_stored_once_and_replaced_only_if_it_ended_later() {
        let (_folder, mut store) = store();
        let summary = |end_turn, file: &str| TaskSummary {
            task: "3".into(),
            subject: "write it".into(),
            start_turn: 1,
            end_turn,
            files_modified: vec![file.to_owned()],
            ..TaskSummary::default()
        };
        store.keep_cold("s", &[summary(9, "a.rs")], 100).unwrap();
        store.keep_cold("s", &[summary(9, "b.rs")], 200).unwrap();
        assert_eq!(store.cold_tasks("s").unwrap(), [(summary(9, "a.rs"), 100)]);
        store.keep_cold("s", &[summary(40, "c.rs")], 300).unwrap();
        assert_eq!(store.cold_tasks("s").unwrap(), [(summary(40, "c.rs"), 300)]);
        assert_eq!(store.cold_tasks("other").unwrap(), []);
    }
}
