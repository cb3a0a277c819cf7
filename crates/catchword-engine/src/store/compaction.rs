//! A compaction, from its announcement to its end.
//!
//! The client reports one in four hooks: it is announced (`PreCompact`), its summary is ready, the session starts after
//! it (the brief is given here), it is over (`PostCompact`). Any of them may come early and more than once (a summary
//! prepared in the background), twice at the same moment (installed as a plugin *and* in the settings, every hook runs
//! in two processes), or never (cancelled, killed, store busy). A session has at most one compaction that is not over,
//! and it is the latest:
//!
//! | latest compaction | announced | summary | start after it | over | other start |
//! |---|---|---|---|---|---|
//! | none, or over | → announced | – | → briefed, **brief** | – | – |
//! | announced | the same one | kept | → briefed, **brief** | → over | forgotten |
//! | briefed | → over; a new one, announced | – | within a minute: silence; later: → over; a new one, briefed, **brief** | → over, its summary kept | → over |
//!
//! Some clients record the compaction and its summary before the start that follows, and send no event at the end. Then
//! the summary comes from its row, and the compaction is over when its brief is seen in the transcript.
//!
//! The guide for the summariser is given at every announcement except the second of a pair, that is, one within seconds
//! of another of the same kind and before any summary. After an early announcement the client sends another one when it
//! actually makes the summary, and that one needs the guide again.
//!
//! Staying silent requires certainty: a brief given twice wastes context, but a missing one defeats our purpose. So a
//! start counts as the second of a pair only right after the first, and never once something indicates another
//! compaction.
//!
//! **Subagents** are compacted, too. Their hooks carry their id, but the hook of their summariser looks exactly like
//! the main one's. During a subagent's compaction (from its announcement to the start after it, or its end) no summary
//! is accepted, and a stored one is dropped, because it may have been replaced: without a known summary the brief is
//! complete. A cancelled one leaves no trace, so it expires after ten minutes, in either direction in case the clock
//! was changed.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::{RowKind, Store, StoreError, findings, gauge};
use crate::audit::{Audit, PersonLine};

/// Two starts closer than this, in milliseconds, belong to one compaction: both copies of a hook start at the same
/// moment and time out long before.
const PAIR: i64 = 60_000;
/// Two announcements closer than this, in milliseconds, are one. Shorter than for starts: a person may cancel a
/// compaction and request it again, and a guide given twice does less harm than a missing one.
const GUIDE_PAIR: i64 = 5_000;
/// After this time, in milliseconds, a subagent's compaction counts as cancelled; a summary takes minutes.
const SUB_LONGEST: i64 = 10 * 60_000;

#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'a> {
    pub brief: &'a str,
    /// The number of items in the brief.
    pub items: usize,
    /// The findings in the summary that the brief was made against.
    pub audit: Option<&'a Audit>,
    /// What the person is told after the compaction; `None` if no summary was known.
    pub line: Option<&'a PersonLine>,
}

/// How a compaction ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ending<'a> {
    /// Its summary, if the client reports it.
    pub summary: Option<&'a str>,
    /// The findings in that summary, if it was audited only now.
    pub audit: Option<&'a Audit>,
    /// What the agent has yet to be told.
    pub late: Option<&'a str>,
    /// What the person is told, if the summary was audited only now.
    pub line: Option<&'a PersonLine>,
}

/// Where and when a session was compacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredCompaction {
    /// When it was over, or else announced, in milliseconds since 1970.
    pub at: i64,
    /// The last of its indexed rows, or else the line after the announcement.
    pub line: u32,
}

/// The compaction in progress.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnderWay {
    no: i64,
    /// Hash of the summary that the brief was made against, if it was audited.
    pub audited: Option<u64>,
    /// What the person is told about it; empty if nothing.
    pub line: Option<String>,
}

impl Store {
    /// Records the announcement of a compaction. True if this process should guide the summariser; false for the second
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

    /// Whether a compaction was announced whose brief nobody has given yet.
    pub fn brief_is_due(&self, session: &str) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM compaction WHERE ended_at IS NULL AND briefed_at IS NULL
            AND no = (SELECT max(no) FROM compaction WHERE session = (SELECT no FROM session WHERE id = ?1))";
        Ok(self.connection.prepare_cached(sql)?.exists(params![session])?)
    }

    /// Whether the person requested the compaction in progress.
    pub fn is_manual(&self, session: &str) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM compaction WHERE session = (SELECT no FROM session WHERE id = ?1)
            AND ended_at IS NULL AND manual";
        Ok(self.connection.prepare_cached(sql)?.exists(params![session])?)
    }

    /// Stores the summary of the announced compaction, unless it may be a subagent's.
    pub fn keep_summary(&mut self, session: &str, summary: &str, now: i64) -> Result<(), StoreError> {
        let sql = "UPDATE compaction SET summary = CASE WHEN
                EXISTS (SELECT 1 FROM sub_compaction WHERE session = ?1 AND abs(begun_at - ?3) < ?4) THEN NULL ELSE ?2 END
            WHERE session = (SELECT no FROM session WHERE id = ?1) AND ended_at IS NULL AND briefed_at IS NULL";
        self.connection.execute(sql, params![session, summary, now, SUB_LONGEST])?;
        Ok(())
    }

    /// The summary of the announced compaction.
    pub fn summary(&self, session: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT summary FROM compaction WHERE ended_at IS NULL AND briefed_at IS NULL
            AND session = (SELECT no FROM session WHERE id = ?1) ORDER BY no DESC LIMIT 1";
        Ok(self.connection.query_row(sql, [session], |row| row.get(0)).optional()?.flatten())
    }

    /// Claims the right to give the brief of the current compaction; false if another process has it.
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

    /// Ends the compaction; false if none was in progress or another process has ended it. After a manual compaction
    /// the client shows the line at once; after an automatic one it shows nothing, and the line stays pending
    /// (`Store::untold`).
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

    /// The compaction in progress, if any.
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

    /// Whether the latest compaction took place and its row is not recorded yet: the client writes it after the last hook.
    pub fn compaction_is_unread(&self, session: &str) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM compaction c WHERE coalesce(c.briefed_at, c.ended_at) IS NOT NULL
            AND c.no = (SELECT max(no) FROM compaction WHERE session = (SELECT no FROM session WHERE id = ?1))
            AND NOT EXISTS (SELECT 1 FROM entry WHERE session = c.session AND line > c.line AND kind = ?2)";
        Ok(self.connection.prepare_cached(sql)?.exists(params![session, RowKind::Compaction as i64])?)
    }

    /// The session starts in a new process, so no compaction is in progress any more. One that took place and whose brief
    /// waits for the next event (`is_due_later`) goes on waiting.
    pub fn compactions_are_over(
        &mut self,
        session: &str,
        is_due_later: bool,
        now: i64,
    ) -> Result<(), StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute("DELETE FROM sub_compaction WHERE session = ?1", [session])?;
        match latest(&transaction, session)? {
            Some(Latest { no, briefed_at: None }) => {
                let sql = "DELETE FROM compaction WHERE no = ?1 AND NOT (?2 AND EXISTS (SELECT 1 FROM entry
                    WHERE session = compaction.session AND line > compaction.line AND kind = ?3))";
                transaction.execute(sql, params![no, is_due_later, RowKind::Compaction as i64])?;
            }
            briefed => end(&transaction, briefed.as_ref(), now)?,
        }
        transaction.commit()?;
        Ok(())
    }

    /// Records the announcement of a subagent's own compaction.
    pub fn sub_compaction_begins(&mut self, session: &str, agent: &str, now: i64) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO sub_compaction (session, agent, begun_at) VALUES (?1, ?2, ?3)";
        self.connection.execute(sql, params![session, agent, now])?;
        Ok(())
    }

    /// A subagent's compaction has ended, or the subagent has.
    pub fn sub_compaction_ends(&mut self, session: &str, agent: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM sub_compaction WHERE session = ?1 AND agent = ?2";
        self.connection.execute(sql, [session, agent])?;
        Ok(())
    }
}

/// The compaction in progress.
pub(super) struct Latest {
    no: i64,
    briefed_at: Option<i64>,
}

/// Adds the duration of a hook to the current compaction, or to the one that has just ended.
pub(super) fn took(connection: &Connection, session: &str, micros: i64, now: i64) -> Result<(), StoreError> {
    let sql = "UPDATE compaction SET micros = coalesce(micros, 0) + ?2
        WHERE (ended_at IS NULL OR ended_at > ?3) AND no =
        (SELECT max(no) FROM compaction WHERE session = (SELECT no FROM session WHERE id = ?1))";
    connection.execute(sql, params![session, micros, now - PAIR])?;
    Ok(())
}

/// Whether the guide was given a moment ago, for the same kind of announcement, and no summary has followed.
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

/// Stores the findings in a summary and the line for the person, each if known.
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

/// Inserts a compaction and returns its number; `None` for an unknown session.
fn insert(connection: &Connection, session: &str, manual: bool, now: i64) -> Result<Option<i64>, StoreError> {
    let sql = "INSERT INTO compaction (session, manual, line, begun_at)
        SELECT no, ?2, line, ?3 FROM session WHERE id = ?1 RETURNING no";
    Ok(connection.query_row(sql, params![session, manual, now], |row| row.get(0)).optional()?)
}

#[cfg(test)]
mod tests;
