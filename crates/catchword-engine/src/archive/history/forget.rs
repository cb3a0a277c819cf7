//! Removes sessions and texts from the history.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::{History, INDEXES, ITEM, delete_words, fixes, read_item, write_words};
use crate::redact::{Mask, RULES};
use crate::store::StoreError;
use crate::store::forget::{forget_session, mask_texts, rewrite};

/// The one column that locates a file. Project names in rows are masked.
const PLACES: &[&str] = &["path"];

impl History {
    /// Deletes everything of these sessions and their subagents; returns the number of rows.
    pub fn forget(&mut self, sessions: &[&str]) -> Result<usize, StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut rows = 0;
        for session in sessions {
            let items = "SELECT item.no FROM item JOIN source ON source.no = item.source WHERE session = ?1";
            for index in INDEXES {
                transaction.execute(&format!("DELETE FROM {index} WHERE rowid IN ({items})"), [session])?;
            }
            rows += forget_session(&transaction, session)?;
        }
        transaction.commit()?;
        Ok(rows)
    }

    /// Masks every text again with the current rules; returns the number of rows that changed.
    pub fn mask_again(&mut self, mask: &Mask) -> Result<usize, StoreError> {
        let packer = &mut self.packer;
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // What is told about a transcript travels with its next version.
        for source in told_otherwise(&transaction, mask)? {
            next_own_version(&transaction, source)?;
        }
        let mut changed = mask_texts(&transaction, mask, PLACES)?;
        let numbers = {
            let mut statement = transaction.prepare(&format!("SELECT no, {ITEM}, source FROM item"))?;
            let mut rows = statement.query([])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let mut item = read_item(row, 1)?;
                let (title, body) = (mask.text(&item.title), mask.text(&item.body));
                if matches!((&title, &body), (Cow::Borrowed(_), Cow::Borrowed(_))) {
                    continue;
                }
                (item.title, item.body) = (title.into_owned(), body.into_owned());
                found.push((row.get::<_, i64>(0)?, row.get::<_, i64>(9)?, item));
            }
            found
        };
        // One step for all of a transcript's changes; what came from elsewhere has the version it had there.
        let mut versions: HashMap<i64, i64> = HashMap::new();
        for (no, source, item) in numbers {
            let version = match versions.entry(source) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => *new.insert(next_own_version(&transaction, source)?),
            };
            let text = packer.pack(&item.title, &item.body);
            let sql = "UPDATE item SET text = ?2, version = max(version, ?3) WHERE no = ?1";
            transaction.execute(sql, params![no, text, version])?;
            delete_words(&transaction, no)?;
            write_words(&transaction, no, &item)?;
            changed += 1;
        }
        for source in versions.keys() {
            fixes::find_anew(&transaction, *source)?;
        }
        transaction.execute("UPDATE source SET rules = ?1", [RULES])?;
        transaction.commit()?;
        Ok(changed)
    }

    /// Rewrites index and file without the deleted content, and empties the log.
    pub fn compress(&mut self) -> Result<(), StoreError> {
        merge_words(&self.connection)?;
        rewrite(&self.connection)
    }

    /// Calls `each` with every stored text, to verify that something is gone.
    pub fn texts(&self, mut each: impl FnMut(&str)) -> Result<(), StoreError> {
        let mut fixes =
            self.connection.prepare("SELECT command, error, coalesce(passed_as, ''), steps FROM fix")?;
        let mut rows = fixes.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..4 {
                each(&row.get::<_, String>(column)?);
            }
        }
        let mut statement = self.connection.prepare(&format!("SELECT {ITEM} FROM item"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let item = read_item(row, 0)?;
            each(&item.title);
            each(&item.body);
        }
        Ok(())
    }
}

/// The transcripts whose title or folder has something in it that is masked.
fn told_otherwise(connection: &Connection, mask: &Mask) -> Result<Vec<i64>, StoreError> {
    let mut statement =
        connection.prepare("SELECT no, coalesce(title, ''), coalesce(project, '') FROM source")?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let texts = [row.get::<_, String>(1)?, row.get(2)?];
        if texts.iter().any(|text| mask.text(text) != text.as_str()) {
            found.push(row.get(0)?);
        }
    }
    Ok(found)
}

/// The next version of a transcript of this machine; 0 for one of another.
fn next_own_version(connection: &Connection, source: i64) -> Result<i64, StoreError> {
    let sql = "UPDATE source SET version = version + 1 WHERE no = ?1 AND machine = '' RETURNING version";
    Ok(connection.query_row(sql, [source], |row| row.get(0)).optional()?.unwrap_or_default())
}

/// A deleted item leaves its words in the segments of the index until they are merged, so merge all into one.
fn merge_words(connection: &Connection) -> Result<(), StoreError> {
    for index in INDEXES {
        connection.execute_batch(&format!("INSERT INTO {index} ({index}) VALUES ('optimize')"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::archive::history::TranscriptOwner;
    use crate::ops::index;
    use crate::ops::tests::READER;
    use crate::store::forget::{rows_of_session, tables};
    use catchword_testkit::Transcript;

    #[test]
    fn every_table_of_the_history_belongs_to_a_session() {
        let folder = tempfile::tempdir().unwrap();
        let history = History::open(folder.path(), 0, Duration::ZERO).unwrap();
        // Tombstones tell of no session, only that one is forgotten.
        for table in tables(&history.connection).unwrap().into_iter().filter(|table| table != "tombstone") {
            let rows = rows_of_session(&history.connection, &table, 0).unwrap();
            assert!(rows.is_some(), "`forget` does not know whose the rows of {table} are");
        }
    }

    #[test]
    fn file_contains_no_words_of_a_forgotten_session() {
        let folder = tempfile::tempdir().unwrap();
        let mut history = History::open(folder.path(), 0, Duration::ZERO).unwrap();
        for (session, word) in [("one", "marzipan"), ("two", "rutabaga"), ("three", "kohlrabi")] {
            let path = folder.path().join(format!("{session}.jsonl"));
            Transcript::new()
                .session(session)
                .prompt(&format!("About {word} and common things."))
                .write_to(&path);
            let thread = TranscriptOwner { session: session.to_owned(), subagent: String::new() };
            index::transcript(&mut history, READER, &thread, &path, &|| true).unwrap();
        }
        let holds = |word: &str| {
            ["history.db", "history.db-wal"].iter().any(|name| {
                let bytes = std::fs::read(folder.path().join(name)).unwrap_or_default();
                memchr::memmem::find(&bytes, word.as_bytes()).is_some()
            })
        };
        assert!(holds("rutabaga"));
        assert!(history.forget(&["two"]).unwrap() > 1);
        history.compress().unwrap();
        assert!(!holds("rutabaga") && !holds("rutabag"), "not in rows, not in the index, not in the log");
        assert!(holds("marzipan") && holds("kohlrabi"));
        // Again, with only one segment left to merge.
        assert!(history.forget(&["three"]).unwrap() > 1);
        history.compress().unwrap();
        assert!(holds("marzipan") && !holds("kohlrabi"));
        assert_eq!(history.size().unwrap(), 1);
    }
}
