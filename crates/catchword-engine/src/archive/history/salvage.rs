//! Takes over what can still be read of a history that was set aside.
//!
//! Transcripts are deleted by their clients after a while, so for most of a history there is nothing to rebuild it from.
//! Rows are read one by one in the order of their numbers; behind a page that cannot be read, reading goes on with higher
//! numbers. A transcript is taken over with all its items in one transaction, and only if nothing is recorded of it yet:
//! killed in the middle, the next attempt goes on. What was read in full, or as far as it can be, is renamed. Transcripts
//! that are still there are left to `catchword index`, which reads all of them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior, params, params_from_iter};

use super::item::{HistoryItem, ItemKind};
use super::{History, ITEM, delete_words, fixes, read_item, write_words};
use crate::store::StoreError;
use crate::store::damage::SET_ASIDE;

/// At the end of the name of a file from which everything readable was taken.
const TAKEN: &str = ".saved";
/// Columns by which a transcript is found again; the others are taken as they are.
const NAMED: [&str; 3] = ["machine", "session", "thread"];
/// Numbers that are skipped at once, at most, where nothing can be read.
const FARTHEST: i64 = 1 << 20;

/// What was taken over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Salvaged {
    pub transcripts: usize,
    pub items: usize,
}

impl History {
    /// Takes over what can be read of every history in `folder` that was set aside.
    pub fn salvage(&mut self, folder: &Path) -> Result<Salvaged, StoreError> {
        let mut all = Salvaged::default();
        for path in set_aside(folder) {
            // What is no database at all has nothing to take.
            if let Ok(old) = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE) {
                let taken = take_over(&mut self.connection, &old)?;
                all.transcripts += taken.transcripts;
                all.items += taken.items;
            }
            let mut renamed = path.clone().into_os_string();
            renamed.push(TAKEN);
            let _ = std::fs::rename(&path, renamed);
        }
        Ok(all)
    }

    /// Writes both indexes anew from the stored texts: they are all that is left of a deleted transcript.
    pub fn index_again(&mut self) -> Result<(), StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for index in super::INDEXES {
            transaction.execute(&format!("INSERT INTO {index} ({index}) VALUES ('delete-all')"), [])?;
        }
        {
            let mut statement = transaction.prepare(&format!("SELECT no, {ITEM} FROM item"))?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                write_words(&transaction, row.get(0)?, &read_item(row, 1)?)?;
            }
        }
        Ok(transaction.commit()?)
    }
}

/// Histories that were set aside and not read yet, oldest first.
fn set_aside(folder: &Path) -> Vec<PathBuf> {
    let start = format!("history.db{SET_ASIDE}");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_whole =
                name.strip_prefix(&start).is_some_and(|end| end.bytes().all(|b| b.is_ascii_digit()));
            is_whole && entry.file_type().is_ok_and(|kind| kind.is_file())
        })
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

fn take_over(new: &mut Connection, old: &Connection) -> Result<Salvaged, StoreError> {
    let mut items: HashMap<i64, Vec<i64>> = HashMap::new();
    each_row(old, "item", "source", |no, row| {
        if let Ok(source) = row.get::<_, i64>(1) {
            items.entry(source).or_default().push(no);
        }
    });
    let columns = common_columns(new, old, "source")?;
    let mut sources: Vec<(i64, Vec<Value>)> = Vec::new();
    each_row(old, "source", &columns.join(", "), |no, row| {
        let values: Result<Vec<Value>, _> = (1..=columns.len()).map(|at| row.get(at)).collect();
        sources.extend(values.ok().map(|values| (no, values)));
    });
    let mut taken = Salvaged::default();
    for (no, values) in sources {
        let numbers = items.remove(&no).unwrap_or_default();
        if let Some(count) = take_transcript(new, old, &columns, values, &numbers)? {
            taken.transcripts += 1;
            taken.items += count;
        }
    }
    Ok(taken)
}

/// Takes over one transcript; `None` if something is recorded of it already.
fn take_transcript(
    new: &mut Connection,
    old: &Connection,
    columns: &[String],
    values: Vec<Value>,
    numbers: &[i64],
) -> Result<Option<usize>, StoreError> {
    let named = |name: &str| -> Value {
        let at = columns.iter().position(|column| column == name);
        at.map_or_else(|| Value::Text(String::new()), |at| values[at].clone())
    };
    if let (Value::Text(path), Value::Text(machine)) = (named("path"), named("machine"))
        && machine.is_empty()
        && Path::new(&path).exists()
    {
        return Ok(None);
    }
    let transaction = new.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let sql = "SELECT 1 FROM source WHERE machine = ?1 AND session = ?2 AND thread = ?3";
    if transaction.prepare_cached(sql)?.exists(NAMED.map(named))? {
        return Ok(None);
    }
    let places: Vec<String> = (1..=columns.len()).map(|at| format!("?{at}")).collect();
    let sql =
        format!("INSERT INTO source ({}) VALUES ({}) RETURNING no", columns.join(", "), places.join(", "));
    // A row that breaks a rule of the table is damaged, too.
    let Ok(source) = transaction.query_row(&sql, params_from_iter(values), |row| row.get::<_, i64>(0)) else {
        return Ok(None);
    };
    let mut count = 0;
    for no in numbers {
        let sql = format!("SELECT {ITEM} FROM item WHERE no = ?1");
        let read = old.prepare_cached(&sql).and_then(|mut statement| {
            statement.query_row([no], |row| Ok((read_item(row, 0)?, row.get::<_, Value>(7)?))).optional()
        });
        if let Ok(Some((item, text))) = read {
            count += usize::from(write_item(&transaction, source, &item, &text)?);
        }
    }
    fixes::find_anew(&transaction, source)?;
    transaction.commit()?;
    Ok(Some(count))
}

fn write_item(
    connection: &Connection,
    source: i64,
    item: &HistoryItem,
    text: &Value,
) -> Result<bool, StoreError> {
    // What cannot be unpacked any more is nothing to search for.
    if item.title.is_empty() && item.body.is_empty() && item.kind != ItemKind::Boundary {
        return Ok(false);
    }
    let sql = "INSERT OR IGNORE INTO item (source, line, part, until, kind, flags, at, call, text)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let until = item.until.map(|place| place.0);
    let call = item.call.map(|call| call as i64);
    let is_new = connection.prepare_cached(sql)?.execute(params![
        source,
        item.place.0,
        item.part,
        until,
        item.kind as i64,
        item.flags(),
        item.at,
        call,
        text
    ])? == 1;
    if is_new {
        let no = connection.last_insert_rowid();
        delete_words(connection, no)?;
        write_words(connection, no, item)?;
    }
    Ok(is_new)
}

/// The columns that a table has in both files, without its number.
fn common_columns(new: &Connection, old: &Connection, table: &str) -> Result<Vec<String>, StoreError> {
    let columns = |connection: &Connection| -> rusqlite::Result<Vec<String>> {
        let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        statement.query_map([table], |row| row.get(0))?.collect()
    };
    let known = columns(old).unwrap_or_default();
    Ok(columns(new)?.into_iter().filter(|name| name != "no" && known.contains(name)).collect())
}

/// Calls `each` with the number and the row of everything in a table that can be read.
fn each_row(old: &Connection, table: &str, columns: &str, mut each: impl FnMut(i64, &rusqlite::Row)) {
    if columns.is_empty() {
        return;
    }
    let last =
        || old.query_row(&format!("SELECT max(no) FROM {table}"), [], |row| row.get::<_, Option<i64>>(0));
    let last = last().ok().flatten().unwrap_or(FARTHEST);
    let sql = format!("SELECT no, {columns} FROM {table} WHERE no > ?1 ORDER BY no");
    let (mut reached, mut step) = (0, 1);
    while reached < last {
        let read = || -> rusqlite::Result<()> {
            let mut statement = old.prepare_cached(&sql)?;
            let mut rows = statement.query([reached])?;
            while let Some(row) = rows.next()? {
                reached = row.get(0)?;
                step = 1;
                each(reached, row);
            }
            reached = last;
            Ok(())
        };
        let mut read = read;
        if read().is_err() {
            reached = reached.saturating_add(step);
            step = (step * 2).min(FARTHEST);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::archive::history::TranscriptOwner;
    use crate::archive::history::query::Query;
    use crate::ops::index;
    use crate::ops::tests::READER;
    use catchword_testkit::{Transcript, files};

    const NOW: i64 = 1_767_268_800_000;

    fn open(folder: &Path) -> History {
        History::open(folder, NOW, Duration::from_secs(5)).unwrap()
    }

    /// A history of many sessions without their transcripts; its words are `common` and `only<n>`.
    fn filled(folder: &Path, sessions: usize) -> Vec<u8> {
        let mut history = open(folder);
        for number in 0..sessions {
            let path = folder.join(format!("{number}.jsonl"));
            let text = format!("A common request, only{number}. {}", "Some filling words. ".repeat(60));
            Transcript::new().prompt(&text).bash("make").ok(&text).write_to(&path);
            let thread = TranscriptOwner { session: format!("s{number}"), subagent: String::new() };
            index::transcript(&mut history, READER, &thread, &path, &|| true).unwrap();
            std::fs::remove_file(&path).unwrap();
        }
        history.compress().unwrap();
        drop(history);
        std::fs::read(History::path(folder)).unwrap()
    }

    fn found(history: &History, typed: &str) -> usize {
        history.matches(&Query::parse(typed, NOW), 10_000).unwrap().len()
    }

    #[test]
    fn what_can_be_read_of_a_damaged_history_is_taken_over() {
        const SESSIONS: usize = 60;
        let folder = tempfile::tempdir().unwrap();
        let mut bytes = filled(folder.path(), SESSIONS);
        let whole = found(&open(folder.path()), "common");
        // Some pages in the middle.
        let pages = bytes.len() / 4096;
        for page in [pages / 4, pages / 2, pages - 2] {
            bytes[page * 4096..(page + 1) * 4096].fill(0x5a);
        }
        files::write(History::path(folder.path()), &bytes);
        History::set_aside(folder.path(), NOW).unwrap();
        let mut history = open(folder.path());
        assert_eq!(found(&history, "common"), 0);
        let taken = history.salvage(folder.path()).unwrap();
        let saved = found(&history, "common");
        assert!(saved * 2 > whole, "{saved} of {whole} items, {taken:?}");
        assert_eq!(history.check().unwrap(), "ok");
        assert_eq!(history.salvage(folder.path()).unwrap(), Salvaged::default(), "once");
    }

    #[test]
    fn an_intact_history_is_taken_over_whole_and_what_is_there_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path(), 5);
        let whole = found(&open(folder.path()), "common");
        History::set_aside(folder.path(), NOW).unwrap();
        let path = folder.path().join("again.jsonl");
        Transcript::new().prompt("recorded again meanwhile").write_to(&path);
        let thread = TranscriptOwner { session: "s1".into(), subagent: String::new() };
        let mut history = open(folder.path());
        index::transcript(&mut history, READER, &thread, &path, &|| true).unwrap();
        assert_eq!(history.salvage(folder.path()).unwrap().transcripts, 4);
        assert_eq!(found(&history, "common"), whole - 2);
        assert_eq!((found(&history, "only1"), found(&history, "meanwhile")), (0, 1));
    }

    #[test]
    fn indexes_are_written_again_from_the_stored_texts() {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path(), 5);
        let mut history = open(folder.path());
        let questions = ["common", "only3", "command:make", "role:user request"];
        let before = questions.map(|typed| found(&history, typed));
        assert!(before.iter().all(|count| *count > 0), "{before:?}");
        history.connection.execute_batch("INSERT INTO words (words) VALUES ('delete-all')").unwrap();
        assert_eq!(found(&history, "common"), 0);
        history.index_again().unwrap();
        assert_eq!(questions.map(|typed| found(&history, typed)), before);
        assert_eq!(history.check().unwrap(), "ok");
    }
}
