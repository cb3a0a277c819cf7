//! Everything that was said and done, searchable: `history.db`, a second `SQLite` file beside the store.
//!
//! **Why a second file.** A tick opens the store on every tool call, and each object in a file costs it 2.5 µs; the
//! history is written at the end of a turn and is large.
//! **Writing.** A batch contains the items of a part of one transcript and the cursor it starts from. Items, words and
//! cursor move in one transaction, and only if the stored cursor is still that one: two processes that read the same
//! rows record them once, and a killed process leaves the state before or after a batch.
//! **Searching.** `words` has every word as written: FTS5 finds, newest first, as many items as can be ranked in a few
//! milliseconds; `ops::search` ranks them. `said` has what a question may be about, stemmed ([`terms`]), and FTS5 ranks
//! it. Neither stores text of its own: texts are packed in `item`.
//! **Sharing.** `source.version` counts the changes of a transcript's items, and an item has the version of its last
//! change: whoever has a transcript up to a version asks for what came after it ([`shared`]).
//! **Damage.** As in the store, a broken file is set aside and replaced; [`salvage`] takes over what can be read of it.

pub mod compactions;
pub mod fixes;
mod forget;
pub mod item;
mod pack;
pub mod query;
mod salvage;
pub mod shared;
pub mod terms;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::types::Value;
use rusqlite::{
    Connection, OpenFlags, OptionalExtension, Row, Transaction, TransactionBehavior, params, params_from_iter,
};

use crate::model::entry::{EntryId, Place};
use crate::model::note::Note;
use crate::redact::{Mask, RULES};
use crate::session::compactions::CompactionCounter;
use crate::store::damage::{self, FileId};
use crate::store::schema::{self, HISTORY};
use crate::store::{Recorded, StoreError, make_private_file, make_private_folder};
use crate::transcript::tail::Cursor;
use compactions::HistoryCut;
use item::{Answered, FAILED, HistoryItem, ItemKind, TranscriptEnd, TranscriptTotals};
use pack::{Packed, Packer};
use query::{Filter, Query, spread};

/// Pages of the WAL before a checkpoint: rewriting an index page many times is cheaper in the WAL than in the file.
const LOG_PAGES: u32 = 4_000;
/// Page cache for bulk writes, in KiB (negative, as SQLite expects it).
const BULK_CACHE: i64 = -32 * 1024;

/// The full-text indexes over `item`.
const INDEXES: [&str; 2] = ["words", "said"];
/// Most words between two neighbours of a question for them to count as neighbours in a text.
const NEIGHBOURS: usize = 8;
/// Most items considered for a partial match. FTS5 ranks some 500 per millisecond.
const MAX_CANDIDATES: usize = 20_000;

/// Notes belong to no row: their part is this plus their number.
pub const NOTES_FROM: u32 = 1_000_000;

const WAITING: i64 = 1;
const BOUNDARY: i64 = 2;
const INTERRUPTED: i64 = 4;
const SPOKE: i64 = 8;

pub struct History {
    connection: Connection,
    packer: Packer,
    replaced: Option<String>,
}

/// Session and subagent that a transcript belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TranscriptOwner {
    pub session: String,
    /// The subagent's id; empty for the main conversation.
    pub subagent: String,
}

/// A recorded transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptSource {
    /// Its row number.
    pub no: i64,
    pub thread: TranscriptOwner,
    pub client: String,
    /// Where it is, or was.
    pub path: PathBuf,
    /// How far it is recorded.
    pub cursor: Cursor,
    /// How often it was replaced.
    pub generation: i64,
    /// The folder it started in.
    pub project: Option<String>,
    /// The first request.
    pub title: Option<String>,
    /// Time of its first row.
    pub first_at: Option<i64>,
    /// Time of its latest row.
    pub last_at: Option<i64>,
    /// Prompts.
    pub prompts: u64,
    /// Tool calls.
    pub calls: u64,
    /// Compactions.
    pub compactions: u64,
    /// Tasks that are not done.
    pub open_tasks: u64,
    pub turn: TranscriptEnd,
    /// The state of the counting of its compactions.
    pub counter: CompactionCounter,
    /// When the client reported the end of the session.
    pub ended_at: Option<i64>,
    /// The machine that recorded it; empty for this one.
    pub machine: String,
    /// Whose it is, if it came from a shared archive.
    pub person: Option<String>,
    /// Identifies its project on every machine.
    pub project_key: Option<String>,
}

/// The content of a part of a transcript.
pub struct Batch {
    pub thread: TranscriptOwner,
    pub client: &'static str,
    pub path: PathBuf,
    /// Offset and generation it starts from; `None` for a transcript that is not recorded yet.
    pub from: Option<(u64, i64)>,
    /// The transcript was replaced: delete what is recorded of it.
    pub anew: bool,
    /// Its generation from now on.
    pub generation: i64,
    /// How far the transcript is read now.
    pub cursor: Cursor,
    pub items: Vec<HistoryItem>,
    /// Answers to calls of earlier batches.
    pub answers: Vec<Answered>,
    pub tally: TranscriptTotals,
    /// Identifies its project on every machine ([`super::project`]); only for a transcript that has none yet.
    pub project_key: Option<String>,
}

/// An item that matches a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Its row number: later ones are mostly newer.
    pub no: i64,
    /// The number of its transcript.
    pub source: i64,
    pub item: HistoryItem,
}

/// Items with some of the words of a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartialMatches {
    /// Best first, each with its BM25 score.
    pub matches: Vec<(Match, f64)>,
    /// The terms searched for, each with its weight.
    pub weights: Vec<(String, f64)>,
}

impl History {
    /// Opens the history in `folder`, creating both if missing. A damaged or outdated file is set aside.
    pub fn open(folder: &Path, now: i64, patience: Duration) -> Result<History, StoreError> {
        make_private_folder(folder)?;
        let path = History::path(folder);
        let open = || History::open_file(&path, patience);
        let (history, set_aside) = damage::open_or_replace(&path, now, &HISTORY, open)?;
        Ok(History { replaced: set_aside.map(|set_aside| set_aside.why), ..history })
    }

    /// Why opening this file replaced another one, and where the old one is; for the log.
    pub fn replaced(&self) -> Option<&str> {
        self.replaced.as_deref()
    }

    /// Opens the history for reading; `None` if there is none yet.
    pub fn open_existing(folder: &Path, patience: Duration) -> Result<Option<History>, StoreError> {
        let path = History::path(folder);
        if !path.exists() {
            return Ok(None);
        }
        History::open_file(&path, patience).map(Some)
    }

    /// The same for a hook, which has no time to bring an older file up to date: `None` for such a one, too.
    pub fn open_current(folder: &Path, patience: Duration) -> Result<Option<History>, StoreError> {
        let path = History::path(folder);
        if !path.exists() {
            return Ok(None);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&path, flags)?;
        connection.busy_timeout(patience)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        let is_current = schema::version(&connection)? >= HISTORY.version;
        Ok(is_current.then(|| History { connection, packer: Packer::new(), replaced: None }))
    }

    /// The path of its file.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join("history.db")
    }

    fn open_file(path: &Path, patience: Duration) -> Result<History, StoreError> {
        make_private_file(path)?;
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(patience)?;
        // Without it SQLite plans a statement anew for every value bound to it: 160 times in one search.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
        schema::create(&mut connection, &HISTORY, patience)?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        Ok(History { connection, packer: Packer::new(), replaced: None })
    }

    /// Enlarges the cache for many batches in a row.
    pub fn prepare_bulk(&self) -> Result<(), StoreError> {
        Ok(self.connection.pragma_update(None, "cache_size", BULK_CACHE)?)
    }

    // ---- transcripts

    /// What is recorded of one transcript of this machine.
    pub fn source(&self, thread: &TranscriptOwner) -> Result<Option<TranscriptSource>, StoreError> {
        let sql = format!("{SOURCE} WHERE machine = '' AND session = ?1 AND thread = ?2");
        let mut statement = self.connection.prepare_cached(&sql)?;
        Ok(statement.query_row([&thread.session, &thread.subagent], read_source).optional()?)
    }

    /// The same, or what another machine recorded of it.
    pub fn source_anywhere(&self, thread: &TranscriptOwner) -> Result<Option<TranscriptSource>, StoreError> {
        let sql = format!("{SOURCE} WHERE session = ?1 AND thread = ?2 ORDER BY machine LIMIT 1");
        let mut statement = self.connection.prepare_cached(&sql)?;
        Ok(statement.query_row([&thread.session, &thread.subagent], read_source).optional()?)
    }

    /// All transcripts, also those of other machines, latest first.
    pub fn sources(&self) -> Result<Vec<TranscriptSource>, StoreError> {
        let mut statement = self.connection.prepare(&format!("{SOURCE} ORDER BY last_at DESC, no DESC"))?;
        let rows = statement.query_map([], read_source)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The transcripts of a session's subagents that are recorded.
    pub fn subagents(&self, session: &str) -> Result<Vec<TranscriptSource>, StoreError> {
        let sql = format!("{SOURCE} WHERE machine = '' AND session = ?1 AND thread <> '' ORDER BY no");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map([session], read_source)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The generation of a transcript that is not recorded yet: another than it had in a history that is gone. Both count
    /// versions from the start, and whoever has some of them would take the new ones for the same.
    pub fn new_generation(&self) -> Result<i64, StoreError> {
        let sql = "SELECT random() & 0xffffffffff";
        Ok(self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
    }

    /// Records a batch; false if the recorded cursor is no longer the one it starts from.
    pub fn advance(&mut self, batch: &Batch) -> Result<bool, StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let sql =
            "SELECT no, offset, generation FROM source WHERE machine = '' AND session = ?1 AND thread = ?2";
        let present: Option<(i64, i64, i64)> = transaction
            .prepare_cached(sql)?
            .query_row([&batch.thread.session, &batch.thread.subagent], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()?;
        if present.map(|(_, offset, generation)| (offset as u64, generation)) != batch.from {
            return Ok(false);
        }
        if let (Some((no, ..)), true) = (present, batch.anew) {
            forget_items(&transaction, no)?;
        }
        let (no, version) = write_source(&transaction, batch)?;
        write_items(&transaction, no, version, &batch.items, &mut self.packer)?;
        let answered = write_answers(&transaction, no, version, &batch.answers, &mut self.packer)?;
        let first = batch.items.iter().map(|item| item.place).chain(answered).min();
        if let Some(first) = first {
            fixes::find(&transaction, no, first.0)?;
        }
        transaction.commit()?;
        Ok(true)
    }

    /// Records the new notes of a session and returns their number. A note is placed where the conversation was when it
    /// was written, and keeps its number unless another note here has it: a rebuilt store counts from one again, so
    /// notes are identified by their time, not by their number. Does nothing for a session without a transcript in
    /// here.
    pub fn take_notes(&mut self, session: &str, notes: &[(u32, Note)]) -> Result<usize, StoreError> {
        let main = TranscriptOwner { session: session.to_owned(), subagent: String::new() };
        let (Some(source), false) = (self.source(&main)?, notes.is_empty()) else { return Ok(0) };
        // Check without a lock first: there is hardly ever a new one.
        if missing(notes, &noted(&self.connection, source.no)?).is_empty() {
            return Ok(0);
        }
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let known = noted(&transaction, source.no)?;
        let mut taken: HashSet<u32> = known.iter().map(|(part, _)| *part).collect();
        let mut items = Vec::new();
        for (no, note) in missing(notes, &known) {
            let sql = "SELECT max(line) FROM item WHERE source = ?1 AND at <= ?2";
            let line: Option<u32> =
                transaction.prepare_cached(sql)?.query_row(params![source.no, note.at], |row| row.get(0))?;
            let next = taken.iter().max().map_or(NOTES_FROM + 1, |last| last + 1);
            let part = if taken.contains(&(NOTES_FROM + no)) { next } else { NOTES_FROM + no };
            taken.insert(part);
            items.push(item::of_note(Place(line.unwrap_or(1)), part, note));
        }
        let version = next_version(&transaction, source.no)?;
        write_items(&transaction, source.no, version, &items, &mut self.packer)?;
        transaction.commit()?;
        Ok(items.len())
    }

    /// The compactions of a transcript, in order.
    pub fn cuts(&self, source: i64) -> Result<Vec<HistoryCut>, StoreError> {
        let mut items =
            self.latest(source, &[ItemKind::Boundary, ItemKind::Summary], usize::MAX, |_| true)?;
        items.reverse();
        Ok(compactions::cuts(items))
    }

    /// Keeps what hooks recorded of a session's compactions (newest first) with their boundaries, masked, so that it
    /// travels with them; returns how many changed.
    pub fn take_compactions(
        &mut self,
        session: &str,
        recorded: &[Recorded],
        mask: &Mask,
    ) -> Result<usize, StoreError> {
        let main = TranscriptOwner { session: session.to_owned(), subagent: String::new() };
        let Some(source) = self.source(&main)? else { return Ok(0) };
        let cuts = self.cuts(source.no)?;
        let mut new: HashMap<(u32, u32), String> = HashMap::new();
        // A cancelled one that was announced again is the same: the latest counts.
        for one in recorded.iter().rev() {
            let cut = compactions::number_in(one.line, &cuts).map(|at| &cuts[at]);
            if let Some(boundary) = cut.and_then(|cut| cut.boundary.as_ref()) {
                let text = mask.text(&compactions::to_text(one)).into_owned();
                new.insert((boundary.place.0, boundary.part), text);
            }
        }
        let boundaries = cuts.iter().filter_map(|cut| cut.boundary.as_ref());
        for boundary in boundaries {
            let key = (boundary.place.0, boundary.part);
            if new.get(&key) == Some(&boundary.body) {
                new.remove(&key);
            }
        }
        if new.is_empty() {
            return Ok(0);
        }
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let version = next_version(&transaction, source.no)?;
        let sql = "UPDATE item SET text = ?4, version = ?5 WHERE source = ?1 AND line = ?2 AND part = ?3";
        for ((line, part), text) in &new {
            let text = self.packer.pack("", text);
            transaction.prepare_cached(sql)?.execute(params![source.no, line, part, text, version])?;
        }
        transaction.commit()?;
        Ok(new.len())
    }

    /// The client reported the end of the session, or (`None`) that it continues.
    pub fn session_ended(&mut self, session: &str, at: Option<i64>) -> Result<(), StoreError> {
        // Most turns end in a session that continues: nothing to write, so no lock to wait for.
        let sql =
            "SELECT 1 FROM source WHERE machine = '' AND session = ?1 AND thread = '' AND ended_at IS NOT ?2";
        if self.connection.prepare_cached(sql)?.exists(params![session, at])? {
            let sql = "UPDATE source SET ended_at = ?2 WHERE machine = '' AND session = ?1 AND thread = ''";
            self.connection.execute(sql, params![session, at])?;
        }
        Ok(())
    }

    /// `ok`, or what `SQLite` finds wrong with the file or its full-text index. Reads all of it.
    pub fn check(&self) -> Result<String, StoreError> {
        let words: String = self.connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        if words == "ok" {
            for index in INDEXES {
                self.connection
                    .execute(&format!("INSERT INTO {index} ({index}) VALUES ('integrity-check')"), [])?;
            }
        }
        Ok(words)
    }

    /// Sets a damaged history aside; the next open creates a new one.
    pub fn set_aside(folder: &Path, now: i64) -> Result<(), StoreError> {
        let path = History::path(folder);
        damage::set_aside(&path, &FileId::of(&path), now, &HISTORY)?;
        Ok(())
    }

    // ---- items

    /// The newest matching items, at most `most`.
    pub fn matches(&self, query: &Query, most: usize) -> Result<Vec<Match>, StoreError> {
        self.matching(query, query.expression(), most)
    }

    /// The same for any of the significant words; with `failed` only in the answers of failed calls.
    pub fn matches_any(&self, query: &Query, failed: bool, most: usize) -> Result<Vec<Match>, StoreError> {
        match query.any(failed) {
            Some(expression) => self.matching(query, Some(expression), most),
            None => Ok(Vec::new()),
        }
    }

    fn matching(
        &self,
        query: &Query,
        expression: Option<String>,
        most: usize,
    ) -> Result<Vec<Match>, StoreError> {
        let columns = format!("item.no, item.source, {ITEM}");
        let (sql, values) = matching(&columns, expression, &query.filter, most);
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(values), |row| {
            Ok(Match { no: row.get(0)?, source: row.get(1)?, item: read_item(row, 2)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The best items with any of these terms ([`terms::terms`]), at most `most`, each with its BM25 score. They
    /// contain what the query requires and match its filter.
    ///
    /// The rarest terms select the candidates: a term in half the history adds too little to look at half the history.
    pub fn partial(
        &self,
        query: &Query,
        terms: &[String],
        most: usize,
    ) -> Result<PartialMatches, StoreError> {
        let weights = self.rarest(terms)?;
        if weights.is_empty() {
            return Ok(PartialMatches::default());
        }
        let quoted: Vec<String> = weights.iter().map(|(term, _)| in_quotes(term)).collect();
        // Two words that are neighbours in the question and in the text count together. FTS5 scores a pair twice, once
        // per word, so each single word counts twice, too.
        let pairs = quoted.windows(2).map(|pair| format!("NEAR({} {}, {NEIGHBOURS})", pair[0], pair[1]));
        let expression: Vec<String> = quoted.iter().chain(&quoted).cloned().chain(pairs).collect();
        let (mut conditions, mut values) = filtered(&query.filter);
        conditions.insert(0, "said MATCH ?".to_owned());
        values.insert(0, expression.join(" OR ").into());
        if let Some(required) = query.required() {
            conditions.push("said.rowid IN (SELECT rowid FROM words WHERE words MATCH ?)".to_owned());
            values.push(required.into());
        }
        let from =
            if query.filter == Filter::default() { "said" } else { "said JOIN item ON item.no = said.rowid" };
        let sql = format!(
            "SELECT item.no, item.source, {ITEM}, fit.score FROM (
                SELECT said.rowid AS no, bm25(said) AS score FROM {from} WHERE {} ORDER BY score LIMIT {most}
             ) AS fit JOIN item ON item.no = fit.no ORDER BY fit.score, item.no DESC",
            conditions.join(" AND ")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(values), |row| {
            let found = Match { no: row.get(0)?, source: row.get(1)?, item: read_item(row, 2)? };
            // SQLite gives better matches smaller numbers.
            Ok((found, -row.get::<_, f64>(10)?))
        })?;
        Ok(PartialMatches { matches: rows.collect::<Result<_, _>>()?, weights })
    }

    /// The terms that occur, in order, without the most common ones if all of them lead to too many items; each with
    /// its weight.
    fn rarest(&self, terms: &[String]) -> Result<Vec<(String, f64)>, StoreError> {
        let all: Option<i64> = self.connection.query_row("SELECT max(no) FROM item", [], |row| row.get(0))?;
        let all = all.unwrap_or_default() as f64;
        let sql =
            format!("SELECT count(*) FROM (SELECT 1 FROM said WHERE said MATCH ? LIMIT {MAX_CANDIDATES})");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut counted = Vec::new();
        for term in terms {
            let items = statement.query_row([in_quotes(term)], |row| row.get::<_, i64>(0))? as usize;
            if items > 0 {
                counted.push((items, term));
            }
        }
        counted.sort_by_key(|(items, _)| *items);
        let mut candidates = 0;
        let fits = |(items, _): &(usize, &String)| {
            let first = candidates == 0;
            candidates += items;
            first || candidates <= MAX_CANDIDATES
        };
        let chosen: HashMap<&String, usize> =
            counted.into_iter().take_while(fits).map(|(items, term)| (term, items)).collect();
        let weight = |items: usize| (1.0 + all / (items as f64 + 0.5)).ln();
        Ok(terms.iter().filter_map(|term| Some((term.clone(), weight(*chosen.get(term)?)))).collect())
    }

    /// Whether anybody said a word with this term ([`terms::terms`]), in any form.
    pub fn says(&self, term: &str) -> Result<bool, StoreError> {
        let mut statement =
            self.connection.prepare_cached("SELECT 1 FROM said WHERE said MATCH ? LIMIT 1")?;
        Ok(statement.exists([in_quotes(term)])?)
    }

    /// The number of matching items, counted up to `most`.
    pub fn count(&self, query: &Query, most: usize) -> Result<usize, StoreError> {
        let (sql, values) = match query.expression() {
            // The index alone answers this; looking up each item would take most of the time.
            Some(expression) if query.filter == Filter::default() => {
                (format!("SELECT 1 FROM words WHERE words MATCH ? LIMIT {most}"), vec![expression.into()])
            }
            expression => matching("1", expression, &query.filter, most),
        };
        let sql = format!("SELECT count(*) FROM ({sql})");
        let mut statement = self.connection.prepare_cached(&sql)?;
        Ok(statement.query_row(params_from_iter(values), |row| row.get::<_, i64>(0))? as usize)
    }

    /// The items in a range of lines, in order; at most `most`. A call counts if it or its answer is in the range.
    pub fn items(
        &self,
        source: i64,
        from: u32,
        to: u32,
        most: usize,
    ) -> Result<Vec<HistoryItem>, StoreError> {
        let sql = format!(
            "SELECT {ITEM} FROM item WHERE source = ?1 AND line <= ?3 AND (line >= ?2 OR until >= ?2)
             ORDER BY line, part LIMIT ?4"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params![source, from, to, most as i64], |row| read_item(row, 0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// A note of a transcript's session, by number.
    pub fn note(&self, source: i64, number: u32) -> Result<Option<HistoryItem>, StoreError> {
        let sql = format!("SELECT {ITEM} FROM item WHERE source = ?1 AND part = ?2");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let part = NOTES_FROM.saturating_add(number);
        Ok(statement.query_row(params![source, part], |row| read_item(row, 0)).optional()?)
    }

    /// The nearest item before (or, with `after`, after) a place, of these kinds or of all.
    pub fn neighbour(
        &self,
        source: i64,
        place: Place,
        after: bool,
        kinds: &[ItemKind],
    ) -> Result<Option<HistoryItem>, StoreError> {
        let (sign, order) = if after { (">", "ASC") } else { ("<", "DESC") };
        let sql = format!(
            "SELECT {ITEM} FROM item WHERE source = ?1 AND line {sign} ?2 {} ORDER BY line {order}, part {order} LIMIT 1",
            of_kinds(kinds)
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        Ok(statement.query_row(params![source, place.0], |row| read_item(row, 0)).optional()?)
    }

    /// The latest items of a transcript, of these kinds, that satisfy `fits`; at most `most`.
    pub fn latest(
        &self,
        source: i64,
        kinds: &[ItemKind],
        most: usize,
        mut fits: impl FnMut(&HistoryItem) -> bool,
    ) -> Result<Vec<HistoryItem>, StoreError> {
        let sql = format!(
            "SELECT {ITEM} FROM item WHERE source = ?1 {} ORDER BY line DESC, part DESC",
            of_kinds(kinds)
        );
        let mut statement = self.connection.prepare(&sql)?;
        let mut rows = statement.query([source])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let item = read_item(row, 0)?;
            if fits(&item) {
                found.push(item);
            }
            if found.len() == most {
                break;
            }
        }
        Ok(found)
    }

    /// Words of the index that start with `start`, each with the number of items that contain it; at most `most`.
    pub fn words(&self, start: &str, most: usize) -> Result<Vec<(String, u64)>, StoreError> {
        let sql = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, words, row)";
        self.connection.execute_batch(sql)?;
        let sql = "SELECT term, doc FROM temp.vocabulary WHERE term >= ?1 AND term < ?2 LIMIT ?3";
        let mut statement = self.connection.prepare_cached(sql)?;
        let end = format!("{start}\u{10ffff}");
        let rows = statement.query_map(params![start, end, most as i64], |row| {
            Ok((row.get(0)?, row.get::<_, i64>(1)? as u64))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many items there are.
    pub fn size(&self) -> Result<u64, StoreError> {
        Ok(self.connection.query_row("SELECT count(*) FROM item", [], |row| row.get::<_, i64>(0))? as u64)
    }

    /// For the end of a long pass: checkpoints the WAL and truncates it.
    pub fn tidy(&mut self) -> Result<(), StoreError> {
        self.connection.pragma_update(None, "wal_checkpoint", "TRUNCATE").or_else(|error| match error {
            rusqlite::Error::ExecuteReturnedResults => Ok(()),
            other => Err(other),
        })?;
        Ok(())
    }
}

// ---- SQL

const SOURCE: &str =
    "SELECT no, session, thread, path, offset, line, head_len, head_hash, generation, project, title,
    first_at, last_at, prompts, calls, compactions, open_tasks, state, ended_at, client, compacted, machine, person,
    project_key FROM source";
const ITEM: &str = "item.line, part, until, kind, flags, at, call, item.text";

fn read_source(row: &Row) -> rusqlite::Result<TranscriptSource> {
    let number = |at: usize| Ok::<_, rusqlite::Error>(row.get::<_, i64>(at)? as u64);
    let state: i64 = row.get(17)?;
    Ok(TranscriptSource {
        no: row.get(0)?,
        thread: TranscriptOwner { session: row.get(1)?, subagent: row.get(2)? },
        client: row.get(19)?,
        path: PathBuf::from(row.get::<_, String>(3)?),
        cursor: Cursor { offset: number(4)?, line: row.get(5)?, head_len: number(6)?, head_hash: number(7)? },
        generation: row.get(8)?,
        project: row.get(9)?,
        title: row.get(10)?,
        first_at: row.get(11)?,
        last_at: row.get(12)?,
        prompts: number(13)?,
        calls: number(14)?,
        compactions: number(15)?,
        open_tasks: number(16)?,
        turn: TranscriptEnd {
            waiting: state & WAITING != 0,
            interrupted: state & INTERRUPTED != 0,
            spoke: state & SPOKE != 0,
        },
        counter: CompactionCounter {
            open: state & BOUNDARY != 0,
            seen: ids(row.get_ref(20)?.as_bytes().unwrap_or_default()),
        },
        ended_at: row.get(18)?,
        machine: row.get(21)?,
        person: row.get(22)?,
        project_key: row.get(23)?,
    })
}

/// The ids in a blob of eight bytes each.
fn ids(bytes: &[u8]) -> Vec<EntryId> {
    bytes.as_chunks().0.iter().map(|id| EntryId(u64::from_le_bytes(*id))).collect()
}

fn read_item(row: &Row, first: usize) -> rusqlite::Result<HistoryItem> {
    let flags: i64 = row.get(first + 4)?;
    let (title, body) = row.get::<_, Packed>(first + 7)?.unpack();
    Ok(HistoryItem {
        place: Place(row.get(first)?),
        part: row.get(first + 1)?,
        until: row.get::<_, Option<u32>>(first + 2)?.map(Place),
        kind: ItemKind::of(row.get(first + 3)?).unwrap_or(ItemKind::Tool),
        failed: false,
        sub: false,
        author: None,
        at: row.get(first + 5)?,
        call: row.get::<_, Option<i64>>(first + 6)?.map(|call| call as u64),
        title,
        body,
    }
    .with_flags(flags))
}

/// The recorded notes of a transcript: part and time of each.
fn noted(connection: &Connection, source: i64) -> Result<Vec<(u32, i64)>, StoreError> {
    let sql = "SELECT part, coalesce(at, 0) FROM item WHERE source = ?1 AND part >= ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params![source, NOTES_FROM], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The notes that are not in `known`. If several have the same time, as many count as known as are recorded.
fn missing<'a>(notes: &'a [(u32, Note)], known: &[(u32, i64)]) -> Vec<&'a (u32, Note)> {
    let mut times: HashMap<i64, usize> = HashMap::new();
    for (_, at) in known {
        *times.entry(*at).or_default() += 1;
    }
    let is_missing = |(_, note): &&(u32, Note)| {
        let recorded = times.get_mut(&note.at).filter(|left| **left > 0);
        recorded.map(|left| *left -= 1).is_none()
    };
    notes.iter().filter(|(_, note)| !note.text.trim().is_empty()).filter(is_missing).collect()
}

fn of_kinds(kinds: &[ItemKind]) -> String {
    if kinds.is_empty() {
        return String::new();
    }
    format!("AND kind IN ({})", numbers(kinds))
}

fn numbers(kinds: &[ItemKind]) -> String {
    let numbers: Vec<String> = kinds.iter().map(|kind| (*kind as i64).to_string()).collect();
    numbers.join(", ")
}

/// The statement for a query. Newest first, so that the limit keeps recent items: ranking all matches takes 18 to 357
/// ms for common words in a million items. FTS5's own rank is no option either: to know how rare a word is it reads
/// every item that contains it, 4 to 13 ms for the same words, and more with every session.
fn matching(columns: &str, expression: Option<String>, filter: &Filter, most: usize) -> (String, Vec<Value>) {
    let (mut conditions, mut values) = filtered(filter);
    let (from, order) = match expression {
        Some(expression) => {
            values.insert(0, expression.into());
            conditions.insert(0, "words MATCH ?".to_owned());
            ("words JOIN item ON item.no = words.rowid", "words.rowid")
        }
        None => ("item", "item.no"),
    };
    conditions.push(format!("item.kind <> {}", ItemKind::Boundary as i64));
    let sql = format!(
        "SELECT {columns} FROM {from} WHERE {} ORDER BY {order} DESC LIMIT {most}",
        conditions.join(" AND ")
    );
    (sql, values)
}

/// A term as an FTS5 string.
fn in_quotes(term: &str) -> String {
    format!("\"{}\"", term.replace('"', " "))
}

/// The SQL conditions of a filter, and their values.
fn filtered(filter: &Filter) -> (Vec<String>, Vec<Value>) {
    let mut values: Vec<Value> = Vec::new();
    let mut conditions: Vec<String> = Vec::new();
    let mut on = |condition: &str, value: Value| {
        conditions.push(condition.to_owned());
        values.push(value);
    };
    if let Some(since) = filter.since {
        on("item.at >= ?", since.into());
    }
    if let Some(until) = filter.until {
        on("item.at < ?", until.into());
    }
    let of_source = |condition: &str| format!("item.source IN (SELECT no FROM source WHERE {condition})");
    if let Some(project) = &filter.project {
        on(&of_source("instr(lower(project), ?) > 0"), project.clone().into());
    }
    if let Some(session) = &filter.session {
        // As `is_named` does.
        let of_time = "length(session) = 36 AND substr(session, 15, 1) = '7' AND substr(session, -8, ?) = ?";
        let length = session.chars().count() as i64;
        on(&of_source(&format!("substr(session, 1, ?) = ? OR {of_time}")), length.into());
        values.extend([session.clone().into(), length.into(), session.clone().into()]);
    }
    if filter.failed {
        conditions.push(format!("item.flags & {FAILED}"));
    }
    if !filter.kinds.is_empty() {
        conditions.push(format!("item.kind IN ({})", numbers(&filter.kinds)));
    }
    (conditions, values)
}

/// Deletes a transcript's items, their words and its pairs; the number of items.
fn delete_items(connection: &Connection, source: i64) -> Result<usize, StoreError> {
    fixes::delete(connection, source)?;
    let numbers = "SELECT no FROM item WHERE source = ?1";
    for index in INDEXES {
        connection.execute(&format!("DELETE FROM {index} WHERE rowid IN ({numbers})"), [source])?;
    }
    Ok(connection.execute("DELETE FROM item WHERE source = ?1", [source])?)
}

fn forget_items(connection: &Connection, source: i64) -> Result<(), StoreError> {
    delete_items(connection, source)?;
    let sql = "UPDATE source SET project = NULL, title = NULL, first_at = NULL, last_at = NULL, prompts = 0, calls = 0,
        compactions = 0, compacted = x'', open_tasks = 0, state = 0, ended_at = NULL, project_key = NULL WHERE no = ?1";
    connection.execute(sql, [source])?;
    Ok(())
}

/// Raises the version of a transcript: its items are about to change.
fn next_version(connection: &Connection, source: i64) -> Result<i64, StoreError> {
    let sql = "UPDATE source SET version = version + 1 WHERE no = ?1 RETURNING version";
    Ok(connection.prepare_cached(sql)?.query_row([source], |row| row.get(0))?)
}

/// Number and version of the transcript.
fn write_source(connection: &Connection, batch: &Batch) -> Result<(i64, i64), StoreError> {
    let (cursor, tally) = (&batch.cursor, &batch.tally);
    let (list, changed) = tally.tasks;
    let turn = tally.turn;
    let bits = [
        (turn.waiting, WAITING),
        (tally.counter.open, BOUNDARY),
        (turn.interrupted, INTERRUPTED),
        (turn.spoke, SPOKE),
    ];
    let state: i64 = bits.into_iter().filter(|(is_so, _)| *is_so).map(|(_, bit)| bit).sum();
    let sql = "INSERT INTO source (session, thread, client, path, offset, line, head_len, head_hash, project, title,
            first_at, last_at, prompts, calls, compactions, open_tasks, state, compacted, project_key, rules,
            generation, fixes)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, max(0, coalesce(?16, 0) + ?17), ?18, ?19,
            ?20, ?21, ?22, ?23)
        ON CONFLICT (machine, session, thread) DO UPDATE SET
            path = excluded.path, offset = excluded.offset, line = excluded.line,
            head_len = excluded.head_len, head_hash = excluded.head_hash,
            project = coalesce(project, excluded.project), title = coalesce(title, excluded.title),
            first_at = coalesce(first_at, excluded.first_at),
            last_at = max(coalesce(last_at, 0), coalesce(excluded.last_at, last_at)),
            prompts = prompts + excluded.prompts, calls = calls + excluded.calls,
            compactions = compactions + excluded.compactions,
            open_tasks = max(0, coalesce(?16, open_tasks) + ?17), state = excluded.state,
            compacted = excluded.compacted, project_key = coalesce(project_key, excluded.project_key),
            generation = excluded.generation, version = version + 1
        RETURNING no, version";
    let mut statement = connection.prepare_cached(sql)?;
    let numbers = statement.query_row(
        params![
            batch.thread.session,
            batch.thread.subagent,
            batch.client,
            batch.path.to_string_lossy(),
            cursor.offset as i64,
            cursor.line,
            cursor.head_len as i64,
            cursor.head_hash as i64,
            tally.project,
            tally.title,
            tally.first_at,
            tally.last_at,
            tally.prompts,
            tally.calls,
            tally.compactions,
            list,
            changed,
            state,
            tally.counter.seen.iter().flat_map(|id| id.0.to_le_bytes()).collect::<Vec<u8>>(),
            batch.project_key,
            RULES,
            batch.generation,
            fixes::FOUND,
        ],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(numbers)
}

/// Writes items of a transcript; what is there already stays.
fn write_items(
    connection: &Connection,
    source: i64,
    version: i64,
    items: &[HistoryItem],
    packer: &mut Packer,
) -> Result<(), StoreError> {
    let sql = "INSERT OR IGNORE INTO item (source, line, part, until, kind, flags, at, call, text, version)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let mut statement = connection.prepare_cached(sql)?;
    for item in items {
        let new = statement.execute(params![
            source,
            item.place.0,
            item.part,
            item.until.map(|place| place.0),
            item.kind as i64,
            item.flags(),
            item.at,
            item.call.map(|call| call as i64),
            packer.pack(&item.title, &item.body),
            version,
        ])?;
        if new == 1 {
            write_words(connection, connection.last_insert_rowid(), item)?;
        }
    }
    Ok(())
}

fn delete_words(connection: &Connection, no: i64) -> Result<(), StoreError> {
    for index in INDEXES {
        connection.prepare_cached(&format!("DELETE FROM {index} WHERE rowid = ?1"))?.execute([no])?;
    }
    Ok(())
}

fn write_words(connection: &Connection, no: i64, item: &HistoryItem) -> Result<(), StoreError> {
    // An earlier search contains the words of the next one, and what it found.
    if item.is_own_lookup() {
        return Ok(());
    }
    write_said(connection, no, item)?;
    match indexed_columns(item) {
        Some(columns) => write_words_of(connection, no, columns.each_ref().map(AsRef::as_ref)),
        None => Ok(()),
    }
}

/// The texts of an item that are searched: text, command, error and file. `None` if it has no words of its own.
pub fn indexed_columns(item: &HistoryItem) -> Option<[Cow<'_, str>; 4]> {
    if item.is_own_lookup() {
        return None;
    }
    let (title, body, none) = (spread(item.searched_title()), spread(&item.body), || Cow::Borrowed(""));
    Some(match (item.kind, item.failed) {
        (ItemKind::Boundary, _) => return None,
        (ItemKind::File, false) => [body, none(), none(), title],
        (ItemKind::File, true) => [none(), none(), body, title],
        (ItemKind::Command | ItemKind::Tool, false) => [body, title, none(), none()],
        (ItemKind::Command | ItemKind::Tool, true) => [none(), title, body, none()],
        // Title and body in one column: the title of these is prose like the body.
        _ if !title.is_empty() => [Cow::Owned(format!("{title}\n{body}")), none(), none(), none()],
        _ => [body, none(), none(), none()],
    })
}

/// Indexes what a question may be about. Neither task lists nor failures: they contain the words of a question more
/// often than its answer, and with them fewer sessions ranked first (docs/search.md).
fn write_said(connection: &Connection, no: i64, item: &HistoryItem) -> Result<(), StoreError> {
    let is_said = matches!(
        item.kind,
        ItemKind::Prompt | ItemKind::Said | ItemKind::Decision | ItemKind::Summary | ItemKind::Note
    );
    if is_said {
        let sql = "INSERT INTO said (rowid, text) VALUES (?1, ?2)";
        let text = format!("{}{}", terms::indexed(item.searched_title()), terms::indexed(&item.body));
        connection.prepare_cached(sql)?.execute(params![no, text])?;
    }
    Ok(())
}

fn write_words_of(connection: &Connection, no: i64, columns: [&str; 4]) -> Result<(), StoreError> {
    let sql = "INSERT INTO words (rowid, text, command, error, file) VALUES (?1, ?2, ?3, ?4, ?5)";
    let [text, command, error, file] = columns;
    connection.prepare_cached(sql)?.execute(params![no, text, command, error, file])?;
    Ok(())
}

/// The calls are already recorded: rewrite each with its answer. Returns where the first of them is.
fn write_answers(
    transaction: &Transaction,
    source: i64,
    version: i64,
    answers: &[Answered],
    packer: &mut Packer,
) -> Result<Option<Place>, StoreError> {
    let mut first: Option<Place> = None;
    for answer in answers {
        let sql = format!("SELECT no, {ITEM} FROM item WHERE source = ?1 AND call = ?2");
        let asked = transaction
            .prepare_cached(&sql)?
            .query_row(params![source, answer.call as i64], |row| Ok((row.get(0)?, read_item(row, 1)?)))
            .optional()?;
        let Some((no, mut item)) = asked else { continue };
        item.answer(answer);
        let sql = "UPDATE item SET until = ?2, kind = ?3, flags = ?4, call = NULL, text = ?5, version = ?6
            WHERE no = ?1";
        let until = item.until.map(|place| place.0);
        let text = packer.pack(&item.title, &item.body);
        let mut statement = transaction.prepare_cached(sql)?;
        statement.execute(params![no, until, item.kind as i64, item.flags(), text, version])?;
        delete_words(transaction, no)?;
        write_words(transaction, no, &item)?;
        first = Some(first.map_or(item.place, |first| first.min(item.place)));
    }
    Ok(first)
}

#[cfg(test)]
mod tests;
