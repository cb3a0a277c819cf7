//! What failed and passed later, found when items are written and kept in a table of its own: a hook looks a failure up by
//! its project and signature, and searches nothing.
//!
//! A pair is a function of the items between its ends. So after each batch only the pairs are made anew that may end in
//! it, from the calls before it that are near enough; any split of a transcript gives the same pairs.

use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use super::item::{HistoryItem, ItemKind};
use super::{History, ITEM, numbers, read_item};
use crate::fixes::{Act, DeedKind, Did, FixDeed, FixPair, LONGEST_PAIR, pairs};
use crate::model::entry::Place;
use crate::reading::outcome::Outcome;
use crate::reading::report::refusal;
use crate::store::StoreError;

/// Raised whenever other pairs are found in the same items, so that those of before are found anew.
const FORMAT: i64 = 2;
/// Calls before the first one of a batch that a pair may begin with.
const BEFORE: usize = LONGEST_PAIR;

/// A pair, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFix {
    /// The number of its transcript.
    pub source: i64,
    pub session: String,
    /// The subagent's id; empty for the main conversation.
    pub thread: String,
    /// Where its session started.
    pub project: Option<String>,
    /// Where its transcript is, or was.
    pub path: PathBuf,
    /// The machine that recorded it; empty for this one.
    pub machine: String,
    /// Whose it is, if it came from a shared archive.
    pub person: Option<String>,
    pub fix: FixPair,
}

impl History {
    /// The pairs of these transcripts, oldest first.
    pub fn fixes_of(&self, sources: &[i64]) -> Result<Vec<StoredFix>, StoreError> {
        let mut found = Vec::new();
        let sql = format!("{FIX} WHERE fix.source = ?1 ORDER BY fix.line");
        let mut statement = self.connection.prepare_cached(&sql)?;
        for source in sources {
            let rows = statement.query_map([source], read_fix)?;
            for row in rows {
                found.push(row?);
            }
        }
        Ok(found)
    }

    /// The pairs of a project whose failure has this signature, latest first; at most `most`.
    pub fn fixes_like(
        &self,
        project_key: &str,
        signature: u64,
        most: usize,
    ) -> Result<Vec<StoredFix>, StoreError> {
        let sql = format!(
            "{FIX} WHERE fix.signature = ?1 AND source.project_key = ?2 ORDER BY fix.failed_at DESC, fix.no DESC LIMIT ?3"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params![signature as i64, project_key, most as i64], read_fix)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Finds the pairs of transcripts that were written before there were any, or by another version, until `in_time`
    /// returns false.
    pub fn find_missing_fixes(&mut self, in_time: &dyn Fn() -> bool) -> Result<(), StoreError> {
        while in_time() {
            let sql = "SELECT no FROM source WHERE fixes <> ?1 ORDER BY last_at DESC LIMIT 1";
            let next = self.connection.query_row(sql, [FORMAT], |row| row.get::<_, i64>(0)).optional()?;
            let Some(source) = next else { break };
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            find_anew(&transaction, source)?;
            transaction.commit()?;
        }
        Ok(())
    }
}

/// The number of a transcript whose pairs are found as it is written.
pub(super) const FOUND: i64 = FORMAT;

const FIX: &str = "SELECT fix.source, session, thread, project, machine, person, fix.line, failed_at, command, error, passed,
    passed_at, passed_as, steps, signature, path FROM fix JOIN source ON source.no = fix.source";

fn read_fix(row: &Row) -> rusqlite::Result<StoredFix> {
    let steps: String = row.get(13)?;
    Ok(StoredFix {
        source: row.get(0)?,
        session: row.get(1)?,
        thread: row.get(2)?,
        project: row.get(3)?,
        path: PathBuf::from(row.get::<_, String>(15)?),
        machine: row.get(4)?,
        person: row.get(5)?,
        fix: FixPair {
            failed: Place(row.get(6)?),
            failed_at: row.get(7)?,
            command: row.get(8)?,
            error: row.get(9)?,
            passed: Place(row.get(10)?),
            passed_at: row.get(11)?,
            passed_as: row.get(12)?,
            steps: steps_of(&steps),
            signature: row.get::<_, i64>(14)? as u64,
        },
    })
}

/// One step per line, so that a text that is masked later stays readable: kind, place, text.
fn to_text(steps: &[FixDeed]) -> String {
    let lines = steps.iter().map(|step| format!("{} {} {}", letter(step.kind), step.place.0, step.text));
    lines.collect::<Vec<_>>().join("\n")
}

fn steps_of(text: &str) -> Vec<FixDeed> {
    let step = |line: &str| {
        let (kind, rest) = line.split_once(' ')?;
        let (place, text) = rest.split_once(' ')?;
        Some(FixDeed { kind: kind_of(kind)?, place: Place(place.parse().ok()?), text: text.to_owned() })
    };
    text.lines().filter_map(step).collect()
}

const KINDS: [(DeedKind, &str); 4] =
    [(DeedKind::Edited, "e"), (DeedKind::Wrote, "w"), (DeedKind::Deleted, "d"), (DeedKind::Ran, "r")];

fn letter(kind: DeedKind) -> &'static str {
    KINDS.iter().find(|(known, _)| *known == kind).map_or("e", |(_, letter)| letter)
}

fn kind_of(letter: &str) -> Option<DeedKind> {
    KINDS.iter().find(|(_, known)| *known == letter).map(|(kind, _)| *kind)
}

/// Finds the pairs that may end in what was written from line `from` on.
pub(super) fn find(connection: &Connection, source: i64, from: u32) -> Result<usize, StoreError> {
    // What changed may end other pairs now.
    let sql = "DELETE FROM fix WHERE source = ?1 AND passed >= ?2";
    connection.prepare_cached(sql)?.execute(params![source, from])?;
    let acts = acts_from(connection, source, from)?;
    if !acts.iter().any(|act| act.signature().is_some()) {
        return Ok(0);
    }
    let found = pairs(&acts);
    let sql = "INSERT OR REPLACE INTO fix (source, line, failed_at, command, error, passed, passed_at, passed_as, steps,
        signature) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let mut statement = connection.prepare_cached(sql)?;
    for fix in &found {
        statement.execute(params![
            source,
            fix.failed.0,
            fix.failed_at,
            fix.command,
            fix.error,
            fix.passed.0,
            fix.passed_at,
            fix.passed_as,
            to_text(&fix.steps),
            fix.signature as i64,
        ])?;
    }
    Ok(found.len())
}

/// Finds all pairs of a transcript anew.
pub(super) fn find_anew(connection: &Connection, source: i64) -> Result<(), StoreError> {
    delete(connection, source)?;
    find(connection, source, 0)?;
    connection.prepare_cached("UPDATE source SET fixes = ?2 WHERE no = ?1")?.execute([source, FORMAT])?;
    Ok(())
}

/// Deletes the pairs of a transcript.
pub(super) fn delete(connection: &Connection, source: i64) -> Result<(), StoreError> {
    connection.prepare_cached("DELETE FROM fix WHERE source = ?1")?.execute([source])?;
    Ok(())
}

/// The acts of a transcript from a line on, and the nearest before it.
fn acts_from(connection: &Connection, source: i64, from: u32) -> Result<Vec<Act>, StoreError> {
    let kinds = format!("kind IN ({})", numbers(&ACTS));
    let sql = format!(
        "SELECT {ITEM} FROM item WHERE source = ?1 AND {kinds} AND line >= coalesce(
            (SELECT line FROM item WHERE source = ?1 AND {kinds} AND line < ?2 ORDER BY line DESC, part DESC
                LIMIT 1 OFFSET {BEFORE}), 0)
         ORDER BY line, part"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![source, from], |row| read_item(row, 0))?;
    let mut acts = Vec::new();
    for row in rows {
        acts.push(act_of(&row?));
    }
    Ok(acts)
}

fn is_refused(answer: &str) -> bool {
    answer.lines().find(|line| !line.trim().is_empty()).is_some_and(|first| refusal(first).is_some())
}

/// What an item did. Every call is one, so that calls can be counted; most do nothing that matters for a failure.
pub fn act_of(item: &HistoryItem) -> Act {
    let (place, at) = (item.place, item.at);
    let Some(until) = item.until else { return Act { place, until: place, at, did: Did::Other } };
    let did = match item.kind {
        // The client refused it: nothing was run.
        ItemKind::Command if item.failed && is_refused(&item.body) => Did::Other,
        ItemKind::Command => {
            return Act::ran(place, until, at, &item.title, &Outcome::read(!item.failed, None, &item.body));
        }
        ItemKind::File if item.failed => Did::Other,
        ItemKind::File if item.body.is_empty() => Did::Read(item.title.clone()),
        ItemKind::File => Did::Changed(FixDeed::of_file(place, item.change(), &item.title)),
        _ if item.is_unseen_work() => Did::Unseen,
        _ => Did::Other,
    };
    Act { place, until, at, did }
}

/// Whether an item is a call that counts.
pub fn is_act(item: &HistoryItem) -> bool {
    ACTS.contains(&item.kind)
}

const ACTS: [ItemKind; 3] = [ItemKind::Command, ItemKind::File, ItemKind::Tool];
