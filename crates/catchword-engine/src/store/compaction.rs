//! A compaction, from its announcement to its end.
//!
//! The client tells of one in four hooks: it is announced (`PreCompact`), its summary is ready, the session starts
//! after it (there the brief is given), it is over (`PostCompact`). Any of them may come early and more than once
//! (a summary prepared in the background), twice at the same moment (installed as a plugin *and* in the settings,
//! every hook runs in two processes), or never (cancelled, killed, store busy). A session has at most one
//! compaction that is not over, and it is the latest:
//!
//! | latest compaction | announced | summary | start after it | over | other start |
//! |---|---|---|---|---|---|
//! | none, or over | → announced | – | → briefed, **brief** | – | – |
//! | announced | the same one | kept | → briefed, **brief** | → over | forgotten |
//! | briefed | → over; a new one, announced | – | within a minute: silence; later: → over; a new one, briefed, **brief** | → over, its summary kept | → over |
//!
//! Some clients write the compaction and its summary down before the start after it, and say nothing when it is over. Then
//! the summary is taken from its row, and the compaction is over when its brief is seen in the transcript.
//!
//! The guide for the summariser is given at every announcement but the second of a pair: one that comes within
//! seconds of another like it, before any summary. One that comes early is followed by another when the summary is
//! made after all, and that one needs it again.
//!
//! Silence needs to be sure: a brief given twice wastes room, one not given is what we are for. So a start is taken
//! for the second of a pair only right after the first, and never once something has told of another compaction.
//!
//! **Subagents** are compacted, too. Their hooks carry their id, but their summariser's looks exactly like the main
//! one's. While a subagent's compaction is under way (from its announcement to its start after it, or its end) no
//! summary is believed, and the one that was kept goes, as it may have been replaced: no summary known means a full
//! brief. One that was cancelled leaves no trace, so ten minutes away, on either side of a clock that was set, it no longer
//! counts.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::{RowKind, Store, StoreError, findings, gauge};
use crate::audit::{Audit, PersonLine};

/// Two starts closer than this, in milliseconds, come from one compaction: both copies of a hook are started at the
/// same moment and time out long before.
const PAIR: i64 = 60_000;
/// Two announcements closer than this, in milliseconds, are one. Less than for starts: whoever cancels a compaction
/// and asks for it again is no pair, and a guide given twice harms less than one not given.
const GUIDE_PAIR: i64 = 5_000;
/// After this time, in milliseconds, a subagent's compaction is taken for cancelled; a summary takes minutes.
const SUB_LONGEST: i64 = 10 * 60_000;

/// What is given after a compaction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'a> {
    /// The brief.
    pub brief: &'a str,
    /// Items in it.
    pub items: usize,
    /// What was found in the summary it was made against.
    pub audit: Option<&'a Audit>,
    /// What the person is told once the compaction is over; `None` if no summary was known.
    pub line: Option<&'a PersonLine>,
}

/// How a compaction ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ending<'a> {
    /// Its summary, where the client says it.
    pub summary: Option<&'a str>,
    /// What was found in that, where it was looked at only now.
    pub audit: Option<&'a Audit>,
    /// What the agent is still to be told.
    pub late: Option<&'a str>,
    /// What the person is told, if the summary was audited only now.
    pub line: Option<&'a PersonLine>,
}

/// Where and when a session was compacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredCompaction {
    /// When it was over, or else announced, in milliseconds since 1970.
    pub at: i64,
    /// The last of its rows that is indexed, or else the line after which it was announced, and one.
    pub line: u32,
}

/// What a compaction has so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnderWay {
    no: i64,
    /// Hash of the summary that its brief was made against, where that was audited.
    pub audited: Option<u64>,
    /// What the person is told of that; empty where that is nothing.
    pub line: Option<String>,
}

impl Store {
    /// A compaction was announced. True when it is upon this process to guide the summariser; false for the second
    /// of a pair.
    pub fn compaction_begins(&mut self, session: &str, manual: bool, now: i64) -> Result<bool, StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let no = match latest(&transaction, session)? {
            Some(Latest { no, briefed_at: None }) if is_guided(&transaction, no, manual, now)? => {
                return Ok(false);
            }
            Some(Latest { no, briefed_at: None }) => {
                let sql = "UPDATE compaction SET manual = ?2, begun_at = ?3,
                    line = (SELECT line FROM session WHERE no = compaction.session) WHERE no = ?1";
                transaction.execute(sql, params![no, manual, now])?;
                Some(no)
            }
            briefed => {
                end(&transaction, briefed.as_ref(), now)?;
                insert(&transaction, session, manual, now)?
            }
        };
        transaction.execute("UPDATE compaction SET guided_at = ?2 WHERE no = ?1", params![no, now])?;
        gauge::forget_lost(&transaction, session)?;
        transaction.commit()?;
        Ok(true)
    }

    /// The compaction that is under way was ordered by the person.
    pub fn is_manual(&self, session: &str) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM compaction WHERE session = (SELECT no FROM session WHERE id = ?1)
            AND ended_at IS NULL AND manual";
        Ok(self.connection.prepare_cached(sql)?.exists(params![session])?)
    }

    /// The summary is ready: kept for the compaction that was announced, unless it may be a subagent's.
    pub fn keep_summary(&mut self, session: &str, summary: &str, now: i64) -> Result<(), StoreError> {
        let sql = "UPDATE compaction SET summary = CASE WHEN
                EXISTS (SELECT 1 FROM sub_compaction WHERE session = ?1 AND abs(begun_at - ?3) < ?4) THEN NULL ELSE ?2 END
            WHERE session = (SELECT no FROM session WHERE id = ?1) AND ended_at IS NULL AND briefed_at IS NULL";
        self.connection.execute(sql, params![session, summary, now, SUB_LONGEST])?;
        Ok(())
    }

    /// The summary of the compaction that was announced.
    pub fn summary(&self, session: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT summary FROM compaction WHERE ended_at IS NULL AND briefed_at IS NULL
            AND session = (SELECT no FROM session WHERE id = ?1) ORDER BY no DESC LIMIT 1";
        Ok(self.connection.query_row(sql, [session], |row| row.get(0)).optional()?.flatten())
    }

    /// Takes it upon this process to give the brief of the present compaction; false when another one has.
    pub fn claim_brief(&mut self, session: &str, given: &Given, now: i64) -> Result<bool, StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let no = match latest(&transaction, session)? {
            Some(Latest { no, briefed_at: None }) => Some(no),
            Some(Latest { briefed_at: Some(at), .. }) if (now - at).abs() < PAIR => return Ok(false),
            missed => {
                end(&transaction, missed.as_ref(), now)?;
                insert(&transaction, session, false, now)?
            }
        };
        if let Some(no) = no {
            let sql = "UPDATE compaction SET brief = ?2, briefed_at = ?3, items = ?4 WHERE no = ?1";
            transaction.execute(sql, params![no, given.brief, now, given.items as i64])?;
            write_found(&transaction, no, given.audit, given.line)?;
        }
        transaction.commit()?;
        Ok(true)
    }

    /// The compaction is over; false when none was under way, or another process has ended it. After a manual one the
    /// client shows the line at once; after an automatic one it shows nothing, and the line waits (`Store::untold`).
    pub fn compaction_ends(&mut self, session: &str, ending: &Ending, now: i64) -> Result<bool, StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let Some(Latest { no, .. }) = latest(&transaction, session)? else { return Ok(false) };
        let sql = "UPDATE compaction SET ended_at = ?2, summary = coalesce(?3, summary), late = ?4,
            person_at = CASE WHEN manual THEN ?2 ELSE person_at END WHERE no = ?1";
        transaction.execute(sql, params![no, now, ending.summary, ending.late])?;
        write_found(&transaction, no, ending.audit, ending.line)?;
        gauge::note_lost(&transaction, no)?;
        transaction.commit()?;
        Ok(true)
    }

    /// The compaction of a session that is not over.
    pub fn under_way(&self, session: &str) -> Result<Option<UnderWay>, StoreError> {
        let Some(latest) = latest(&self.connection, session)? else { return Ok(None) };
        let sql = "SELECT audited, for_person FROM compaction WHERE no = ?1";
        let under_way = self.connection.query_row(sql, [latest.no], |row| {
            let audited = row.get::<_, Option<i64>>(0)?.map(i64::cast_unsigned);
            Ok(UnderWay { no: latest.no, audited, line: row.get(1)? })
        })?;
        Ok(Some(under_way))
    }

    /// The brief that was given, and the audit of the summary it was made against.
    pub fn given(&self, under_way: &UnderWay) -> Result<(Option<String>, Option<Audit>), StoreError> {
        let sql = "SELECT brief FROM compaction WHERE no = ?1";
        let brief = self.connection.query_row(sql, [under_way.no], |row| row.get(0))?;
        let audited = under_way.audited.map(u64::cast_signed);
        Ok((brief, findings::read(&self.connection, under_way.no, audited)?))
    }

    /// The latest compaction of a session, announced or over.
    pub fn last_compacted(&self, session: &str) -> Result<Option<StoredCompaction>, StoreError> {
        let sql = "SELECT coalesce(c.ended_at, c.begun_at), coalesce((SELECT max(line) FROM entry
                WHERE session = c.session AND line > c.line AND kind = ?2), c.line + 1) FROM compaction c
            WHERE c.session = (SELECT no FROM session WHERE id = ?1) ORDER BY c.no DESC LIMIT 1";
        let found = self.connection.query_row(sql, params![session, RowKind::Compaction as i64], |row| {
            Ok(StoredCompaction { at: row.get(0)?, line: row.get(1)? })
        });
        Ok(found.optional()?)
    }

    /// The session starts in a new process: nothing is under way any more.
    pub fn compactions_are_over(&mut self, session: &str, now: i64) -> Result<(), StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute("DELETE FROM sub_compaction WHERE session = ?1", [session])?;
        match latest(&transaction, session)? {
            Some(Latest { no, briefed_at: None }) => {
                transaction.execute("DELETE FROM compaction WHERE no = ?1", [no])?;
            }
            briefed => end(&transaction, briefed.as_ref(), now)?,
        }
        transaction.commit()?;
        Ok(())
    }

    /// A subagent's own compaction was announced.
    pub fn sub_compaction_begins(&mut self, session: &str, agent: &str, now: i64) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO sub_compaction (session, agent, begun_at) VALUES (?1, ?2, ?3)";
        self.connection.execute(sql, params![session, agent, now])?;
        Ok(())
    }

    /// A subagent's own compaction is over, or the subagent is.
    pub fn sub_compaction_ends(&mut self, session: &str, agent: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM sub_compaction WHERE session = ?1 AND agent = ?2";
        self.connection.execute(sql, [session, agent])?;
        Ok(())
    }
}

/// The compaction of a session that is not over.
pub(super) struct Latest {
    no: i64,
    briefed_at: Option<i64>,
}

/// A hook of the present compaction, or of the one that is just over, took this long.
pub(super) fn took(connection: &Connection, session: &str, micros: i64, now: i64) -> Result<(), StoreError> {
    let sql = "UPDATE compaction SET micros = coalesce(micros, 0) + ?2
        WHERE (ended_at IS NULL OR ended_at > ?3) AND no =
        (SELECT max(no) FROM compaction WHERE session = (SELECT no FROM session WHERE id = ?1))";
    connection.execute(sql, params![session, micros, now - PAIR])?;
    Ok(())
}

/// The guide was given a moment ago, for an announcement like this one, and no summary has come of it yet.
fn is_guided(connection: &Connection, no: i64, manual: bool, now: i64) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM compaction WHERE no = ?1 AND manual = ?2 AND summary IS NULL AND abs(?3 - guided_at) < ?4";
    Ok(connection.prepare(sql)?.exists(params![no, manual, now, GUIDE_PAIR])?)
}

pub(super) fn latest(connection: &Connection, session: &str) -> Result<Option<Latest>, StoreError> {
    // One that is over because its brief arrived may still get the second hook of a pair.
    let sql = "SELECT no, briefed_at FROM compaction
        WHERE (ended_at IS NULL OR arrived_by IS NOT NULL AND ended_at = briefed_at)
        AND no = (SELECT max(no) FROM compaction WHERE session = (SELECT no FROM session WHERE id = ?1))";
    let mut statement = connection.prepare(sql)?;
    let found = statement.query_row([session], |row| Ok(Latest { no: row.get(0)?, briefed_at: row.get(1)? }));
    Ok(found.optional()?)
}

fn end(connection: &Connection, compaction: Option<&Latest>, now: i64) -> Result<(), StoreError> {
    if let Some(compaction) = compaction {
        let sql = "UPDATE compaction SET ended_at = ?2 WHERE no = ?1";
        connection.execute(sql, params![compaction.no, now])?;
    }
    Ok(())
}

/// Writes what was found in a summary and what the person is told of it, each if it is known.
fn write_found(
    connection: &Connection,
    no: i64,
    audit: Option<&Audit>,
    line: Option<&PersonLine>,
) -> Result<(), StoreError> {
    if let Some(audit) = audit {
        findings::write(connection, no, audit)?;
    }
    if let Some(PersonLine { text, lost, given }) = line {
        let sql = "UPDATE compaction SET for_person = ?2, lost = ?3, given = ?4 WHERE no = ?1";
        connection.execute(sql, params![no, text, *lost as i64, *given as i64])?;
    }
    Ok(())
}

/// A session nobody has heard of has none: its number, or nothing.
fn insert(connection: &Connection, session: &str, manual: bool, now: i64) -> Result<Option<i64>, StoreError> {
    let sql = "INSERT INTO compaction (session, manual, line, begun_at)
        SELECT no, ?2, line, ?3 FROM session WHERE id = ?1 RETURNING no";
    Ok(connection.query_row(sql, params![session, manual, now], |row| row.get(0)).optional()?)
}

#[cfg(test)]
mod tests;
