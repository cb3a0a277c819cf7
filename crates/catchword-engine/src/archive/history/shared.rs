//! The history as an [`Archive`]: what this machine recorded, and what came here from others.

use std::borrow::BorrowMut;
use std::collections::HashMap;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::item::HistoryItem;
use super::query::Query;
use super::{
    History, ITEM, Packer, TranscriptSource, delete_items, delete_words, fixes, read_item, write_items,
};
use crate::archive::{
    Appended, Archive, ArchiveError, ArchiveStatus, ForgottenThing, ItemId, SharedBatch, SharedItem,
    SharedMatch, SharedSource, SharedWith, SourceFigures, SourceKey, SourcePosition, Tombstone, project,
};
use crate::redact::RULES;
use crate::store::StoreError;
use crate::store::forget::forget_session;

/// The history under the id by which other machines know this one.
pub struct LocalArchive<H> {
    history: H,
    machine: String,
}

impl<H: BorrowMut<History>> LocalArchive<H> {
    pub fn new(history: H, machine: &str) -> LocalArchive<H> {
        LocalArchive { history, machine: machine.to_owned() }
    }

    /// Deletes what came from another machine; nothing remembers it.
    pub fn let_go(&mut self, key: &SourceKey) -> Result<(), ArchiveError> {
        let (machine, row) = (self.stored(&key.machine), self.row(&self.history().connection, key)?);
        if let (false, Some(row)) = (machine.is_empty(), row) {
            let connection = &mut self.history.borrow_mut().connection;
            let mut delete = || -> Result<(), StoreError> {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                delete_items(&transaction, row.no)?;
                transaction.execute("DELETE FROM source WHERE no = ?1", [row.no])?;
                Ok(transaction.commit()?)
            };
            delete()?;
        }
        Ok(())
    }

    fn history(&self) -> &History {
        self.history.borrow()
    }
}

const SHARED: &str =
    "SELECT machine, client, session, thread, generation, version, reached_line, reached_part, person,
    project_key, project, title, first_at, last_at, prompts, calls, compactions, no, rules FROM source";

/// A transcript, its row number and the rules it was masked by.
struct SourceRow {
    source: SharedSource,
    no: i64,
    rules: u32,
}

impl<H: BorrowMut<History>> LocalArchive<H> {
    /// The name of a machine in the file: this one has none.
    fn stored(&self, machine: &str) -> String {
        if machine == self.machine { String::new() } else { machine.to_owned() }
    }

    fn rows(
        &self,
        connection: &Connection,
        condition: &str,
        values: &[&str],
    ) -> Result<Vec<SourceRow>, StoreError> {
        let mut statement = connection.prepare_cached(&format!("{SHARED} WHERE {condition} ORDER BY no"))?;
        let rows = statement.query_map(rusqlite::params_from_iter(values), |row| {
            let machine: String = row.get(0)?;
            let count = |at: usize| Ok::<_, rusqlite::Error>(row.get::<_, i64>(at)? as u64);
            Ok(SourceRow {
                source: SharedSource {
                    key: SourceKey {
                        machine: if machine.is_empty() { self.machine.clone() } else { machine },
                        client: row.get(1)?,
                        session: row.get(2)?,
                        thread: row.get(3)?,
                    },
                    reached: SourcePosition {
                        generation: row.get(4)?,
                        version: row.get(5)?,
                        line: row.get(6)?,
                        part: row.get(7)?,
                    },
                    person: row.get(8)?,
                    share: SharedWith::default(),
                    project_key: row.get(9)?,
                    project: row.get(10)?,
                    title: row.get(11)?,
                    figures: SourceFigures {
                        first_at: row.get(12)?,
                        last_at: row.get(13)?,
                        prompts: count(14)?,
                        calls: count(15)?,
                        compactions: count(16)?,
                        ..SourceFigures::default()
                    },
                },
                no: row.get(17)?,
                rules: row.get(18)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn row(&self, connection: &Connection, key: &SourceKey) -> Result<Option<SourceRow>, StoreError> {
        let machine = self.stored(&key.machine);
        let condition = "machine = ?1 AND session = ?2 AND thread = ?3";
        Ok(self.rows(connection, condition, &[&machine, &key.session, &key.thread])?.pop())
    }
}

impl<H: BorrowMut<History>> Archive for LocalArchive<H> {
    fn sources(&mut self) -> Result<Vec<SharedSource>, ArchiveError> {
        let rows = self.rows(&self.history().connection, "true", &[])?;
        Ok(rows.into_iter().map(|row| row.source).collect())
    }

    fn since(
        &mut self,
        source: &SourceKey,
        after: Option<SourcePosition>,
        most: usize,
    ) -> Result<Option<SharedBatch>, ArchiveError> {
        let connection = &self.history().connection;
        let Some(row) = self.row(connection, source)? else { return Ok(None) };
        let reached = row.source.reached;
        if after == Some(reached) {
            return Ok(None);
        }
        let after_here = after.filter(|after| after.generation == reached.generation);
        let start = after_here.map_or((0, 0, 0), |after| (after.version, after.line, after.part));
        let sql = format!(
            "SELECT version, {ITEM} FROM item WHERE source = ?1 AND (version, item.line, part) > (?2, ?3, ?4)
             ORDER BY version, item.line, part LIMIT ?5"
        );
        let mut statement = connection.prepare_cached(&sql).map_err(StoreError::from)?;
        let values = params![row.no, start.0, start.1, start.2, most as i64 + 1];
        let found = statement.query_map(values, |found| {
            // What is awaited on one machine means nothing to another.
            let item = HistoryItem { call: None, ..read_item(found, 1)? };
            Ok(SharedItem { version: found.get(0)?, rules: row.rules, item })
        });
        let mut items: Vec<SharedItem> =
            found.and_then(Iterator::collect::<Result<_, _>>).map_err(StoreError::from)?;
        let more = items.len() > most;
        items.truncate(most);
        let to = match items.last().filter(|_| more) {
            Some(last) => SourcePosition {
                generation: reached.generation,
                version: last.version,
                line: last.item.place.0,
                part: last.item.part,
            },
            None => reached,
        };
        Ok(Some(SharedBatch { source: row.source, from: after, to, items }))
    }

    fn append(&mut self, batch: &SharedBatch) -> Result<Appended, ArchiveError> {
        let machine = self.stored(&batch.source.key.machine);
        if machine.is_empty() {
            return Err(ArchiveError::Refused("this machine records its own transcripts".to_owned()));
        }
        Ok(record(self.history.borrow_mut(), &machine, batch)?)
    }

    fn find(&mut self, query: &Query, most: usize) -> Result<Vec<SharedMatch>, ArchiveError> {
        let sources: HashMap<i64, SharedSource> = self
            .rows(&self.history().connection, "true", &[])?
            .into_iter()
            .map(|row| (row.no, row.source))
            .collect();
        let mut found: Vec<(ItemId, SharedMatch)> = Vec::new();
        for matched in self.history().matches(query, most)? {
            let Some(source) = sources.get(&matched.source) else { continue };
            let id = ItemId::of(&source.key, &matched.item);
            match found.iter_mut().find(|(known, _)| *known == id) {
                Some((_, known)) => known.sources.push(source.clone()),
                None => {
                    found.push((id, SharedMatch { sources: vec![source.clone()], item: matched.item }));
                }
            }
        }
        Ok(found.into_iter().map(|(_, found)| found).collect())
    }

    fn items(
        &mut self,
        source: &SourceKey,
        from: u32,
        to: u32,
        most: usize,
    ) -> Result<Vec<HistoryItem>, ArchiveError> {
        match self.row(&self.history().connection, source)? {
            Some(row) => Ok(self.history().items(row.no, from, to, most)?),
            None => Ok(Vec::new()),
        }
    }

    fn forget(&mut self, what: &Tombstone) -> Result<usize, ArchiveError> {
        let covered: Vec<SourceRow> = self
            .rows(&self.history().connection, "true", &[])?
            .into_iter()
            .filter(|row| what.what.covers(&row.source))
            .collect();
        Ok(forget(&mut self.history.borrow_mut().connection, what, &covered)?)
    }

    fn tombstones(&mut self) -> Result<Vec<Tombstone>, ArchiveError> {
        Ok(read_tombstones(&self.history().connection)?)
    }

    fn status(&mut self) -> Result<ArchiveStatus, ArchiveError> {
        let count = |sql: &str| -> Result<u64, StoreError> {
            Ok(self.history().connection.query_row(sql, [], |row| row.get::<_, i64>(0))? as u64)
        };
        // Only what came from elsewhere can be here twice.
        let items = if count("SELECT count(*) FROM source WHERE machine <> ''")? == 0 {
            count("SELECT count(*) FROM item")?
        } else {
            count(
                "SELECT count(*) FROM (SELECT DISTINCT session, thread, item.line, part, kind, flags, until, text
                    FROM item JOIN source ON source.no = item.source)",
            )?
        };
        Ok(ArchiveStatus {
            items,
            sessions: count("SELECT count(DISTINCT session) FROM source")?,
            machines: count("SELECT count(DISTINCT machine) FROM source")?,
            tombstones: count("SELECT count(*) FROM tombstone")?,
        })
    }
}

fn read_tombstones(connection: &Connection) -> Result<Vec<Tombstone>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT kind, value, at FROM tombstone ORDER BY id")?;
    let rows = statement.query_map([], |row| {
        let what = ForgottenThing::of_columns(row.get(0)?, &row.get::<_, String>(1)?);
        Ok(what.map(|what| (what, row.get::<_, i64>(2))))
    })?;
    let mut stones = Vec::new();
    for row in rows {
        if let Some((what, at)) = row? {
            stones.push(Tombstone { what, at: at? });
        }
    }
    Ok(stones)
}

/// Records a batch of another machine.
fn record(history: &mut History, machine: &str, batch: &SharedBatch) -> Result<Appended, StoreError> {
    let History { connection, packer, .. } = history;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if read_tombstones(&transaction)?.iter().any(|stone| stone.what.covers(&batch.source)) {
        return Ok(Appended::Forgotten);
    }
    let sql = "SELECT no, generation, version, reached_line, reached_part FROM source
        WHERE machine = ?1 AND session = ?2 AND thread = ?3";
    let key = &batch.source.key;
    let present = transaction
        .prepare_cached(sql)?
        .query_row([machine, &key.session, &key.thread], |row| {
            let reached = SourcePosition {
                generation: row.get(1)?,
                version: row.get(2)?,
                line: row.get(3)?,
                part: row.get(4)?,
            };
            Ok((row.get::<_, i64>(0)?, reached))
        })
        .optional()?;
    let reached = present.map(|(_, reached)| reached);
    if reached != batch.from {
        return Ok(Appended::Elsewhere(reached));
    }
    if let Some((no, reached)) = present
        && reached.generation != batch.to.generation
    {
        delete_items(&transaction, no)?;
    }
    let no = write_shared_source(&transaction, machine, batch)?;
    for shared in &batch.items {
        replace_item(&transaction, no, shared, packer)?;
    }
    if let Some(first) = batch.items.iter().map(|shared| shared.item.place).min() {
        fixes::find(&transaction, no, first.0)?;
    }
    transaction.commit()?;
    Ok(Appended::Recorded)
}

/// Deletes these transcripts and remembers why; the number of items.
fn forget(connection: &mut Connection, what: &Tombstone, covered: &[SourceRow]) -> Result<usize, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut items = 0;
    for row in covered {
        items += delete_items(&transaction, row.no)?;
        transaction.execute("DELETE FROM source WHERE no = ?1", [row.no])?;
    }
    for row in covered {
        forget_session(&transaction, &row.source.key.session)?;
    }
    let (kind, value) = what.what.to_columns();
    let sql = "INSERT OR IGNORE INTO tombstone (id, kind, value, at) VALUES (?1, ?2, ?3, ?4)";
    transaction.execute(sql, params![what.what.id(), kind, value, what.at])?;
    transaction.commit()?;
    Ok(items)
}

fn write_shared_source(
    connection: &Connection,
    machine: &str,
    batch: &SharedBatch,
) -> Result<i64, StoreError> {
    let (source, to) = (&batch.source, batch.to);
    let figures = source.figures;
    // Its latest line, which is where a search looks for what came last.
    let line = batch.items.iter().map(|shared| shared.item.place.0).max().unwrap_or_default();
    let sql = "INSERT INTO source (machine, session, thread, client, path, offset, line, head_len, head_hash, generation,
            version, reached_line, reached_part, person, project_key, project, title, first_at, last_at, prompts, calls,
            compactions, rules)
        VALUES (?1, ?2, ?3, ?4, '', 0, ?5, 0, 0, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)
        ON CONFLICT (machine, session, thread) DO UPDATE SET line = max(line, excluded.line),
            generation = excluded.generation, version = excluded.version, reached_line = excluded.reached_line,
            reached_part = excluded.reached_part, person = excluded.person, project_key = excluded.project_key,
            project = excluded.project, title = excluded.title, first_at = excluded.first_at, last_at = excluded.last_at,
            prompts = excluded.prompts, calls = excluded.calls, compactions = excluded.compactions, rules = excluded.rules
        RETURNING no";
    let mut statement = connection.prepare_cached(sql)?;
    let no = statement.query_row(
        params![
            machine,
            source.key.session,
            source.key.thread,
            source.key.client,
            line,
            to.generation,
            to.version,
            to.line,
            to.part,
            source.person,
            source.project_key,
            source.project,
            source.title,
            figures.first_at,
            figures.last_at,
            figures.prompts as i64,
            figures.calls as i64,
            figures.compactions as i64,
            batch.items.iter().map(|shared| shared.rules).min().unwrap_or_default(),
        ],
        |row| row.get(0),
    )?;
    Ok(no)
}

fn replace_item(
    connection: &Connection,
    source: i64,
    shared: &SharedItem,
    packer: &mut Packer,
) -> Result<(), StoreError> {
    let item = &shared.item;
    let sql = "SELECT no FROM item WHERE source = ?1 AND line = ?2 AND part = ?3";
    let known: Option<i64> = connection
        .prepare_cached(sql)?
        .query_row(params![source, item.place.0, item.part], |row| row.get(0))
        .optional()?;
    if let Some(no) = known {
        delete_words(connection, no)?;
        connection.prepare_cached("DELETE FROM item WHERE no = ?1")?.execute([no])?;
    }
    write_items(connection, source, shared.version, std::slice::from_ref(item), packer)
}

impl History {
    /// Identifies the projects of transcripts that were recorded before projects were identified. A folder that is gone is
    /// its own project.
    pub fn identify_projects(&mut self) -> Result<(), StoreError> {
        let sql = "SELECT DISTINCT project FROM source WHERE machine = '' AND project_key IS NULL AND project IS NOT NULL";
        let folders: Vec<String> = {
            let mut statement = self.connection.prepare(sql)?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect::<Result<_, _>>()?
        };
        for folder in folders {
            let key = project::key(Path::new(&folder));
            let sql = "UPDATE source SET project_key = ?2, version = version + 1
                WHERE machine = '' AND project = ?1 AND project_key IS NULL";
            self.connection.execute(sql, params![folder, key])?;
        }
        Ok(())
    }

    /// Whether something of this machine was masked by older rules than the present ones.
    pub fn is_masked_by_older_rules(&self) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM source WHERE machine = '' AND rules < ?1";
        Ok(self.connection.prepare(sql)?.exists([RULES])?)
    }
}

impl TranscriptSource {
    /// Whether it was recorded here.
    pub fn is_own(&self) -> bool {
        self.machine.is_empty()
    }
}
