//! Whether a brief reached the model, and what to do when it did not.
//!
//! The client writes the hook output it accepted into the transcript. If the agent has answered after a compaction and
//! our text is not there in full, it was lost: suppressed, cut, or spilled into a file. We then resend it with the next
//! event that can carry it, but only once: a brief given twice wastes context, and a loop would waste all of it.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::{RowKind, Store, StoreError, findings, gauge};
use crate::model::finding::Finding;

/// A brief that did not arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    compaction: i64,
    pub brief: String,
}

/// What a row of the transcript says about a compaction or a brief.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The row records a compaction.
    Compacted {
        /// Tokens before.
        before: Option<u64>,
        /// Tokens after.
        after: Option<u64>,
    },
    /// The row has the summary of a compaction.
    Summarised(String),
    /// The model got this text from the hook of that event.
    Injected {
        /// The client's name of the event.
        event: String,
        text: String,
    },
}

/// What was found only after the brief was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Late {
    compaction: i64,
    /// The text for the agent.
    pub text: String,
}

/// What the person has not been told yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untold {
    latest: i64,
    /// The line of the latest compaction that has one.
    pub line: String,
    /// Compactions before that one whose line was not shown either.
    pub earlier: usize,
}

/// A recorded compaction.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    pub session: String,
    /// The agent's working directory.
    pub cwd: Option<String>,
    /// When it was announced, in milliseconds since 1970.
    pub begun_at: i64,
    /// When it was over.
    pub ended_at: Option<i64>,
    /// Requested by the person.
    pub manual: bool,
    /// Line of the transcript where it began.
    pub line: u32,
    /// Tokens before, if the client recorded them.
    pub before: Option<u64>,
    /// Tokens after.
    pub after: Option<u64>,
    /// Characters of the summary, if known.
    pub summary: Option<usize>,
    /// Characters of the brief, if one was given.
    pub brief: Option<usize>,
    /// The event by which the brief reached the model, once seen in the transcript.
    pub arrived_by: Option<String>,
    /// The brief had to be sent again.
    pub resent: bool,
    /// Items in the brief.
    pub items: Option<usize>,
    /// Total time of our hooks for it, in microseconds.
    pub micros: Option<i64>,
    /// What was found in its summary; `None` if it was not checked.
    pub findings: Option<Vec<Finding>>,
    /// When the agent was told what was found late.
    pub late_at: Option<i64>,
    /// When the person was shown the line about it.
    pub person_at: Option<i64>,
}

/// What was given back at a compaction, as hooks recorded it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenBack {
    /// Lines of the transcript when it began.
    pub line: u32,
    pub brief: Option<String>,
    /// When it was given, in milliseconds since 1970.
    pub briefed_at: Option<i64>,
    /// The event by which it reached the model, once seen in the transcript.
    pub arrived_by: Option<String>,
    /// It had to be sent again.
    pub resent: bool,
    pub late: Option<String>,
    /// When the agent was told that.
    pub late_at: Option<i64>,
}

impl Store {
    /// What was given back at each compaction of a session, in order.
    pub fn given_back(&self, session: &str) -> Result<Vec<GivenBack>, StoreError> {
        let sql =
            "SELECT line, brief, briefed_at, arrived_by, resent_at IS NOT NULL, late, late_at FROM compaction
            WHERE session = (SELECT no FROM session WHERE id = ?1) ORDER BY no";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([session], |row| {
            Ok(GivenBack {
                line: row.get(0)?,
                brief: row.get(1)?,
                briefed_at: row.get(2)?,
                arrived_by: row.get(3)?,
                resent: row.get(4)?,
                late: row.get(5)?,
                late_at: row.get(6)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Compactions, latest first; of one session or of all.
    pub fn compactions(&self, session: Option<&str>) -> Result<Vec<Recorded>, StoreError> {
        let sql = "SELECT s.id, s.cwd, c.begun_at, c.ended_at, c.manual, c.line, c.before, c.after,
                length(c.summary), length(c.brief), c.arrived_by, c.resent_at IS NOT NULL,
                c.items, c.micros, c.late_at, c.person_at, c.no, c.audited
            FROM compaction c JOIN session s ON s.no = c.session WHERE ?1 IS NULL OR s.id = ?1 ORDER BY c.no DESC";
        let mut statement = self.connection.prepare(sql)?;
        let number = |n: Option<i64>| n.and_then(|n| u64::try_from(n).ok());
        let rows = statement.query_map([session], |row| {
            let recorded = Recorded {
                session: row.get(0)?,
                cwd: row.get(1)?,
                begun_at: row.get(2)?,
                ended_at: row.get(3)?,
                manual: row.get(4)?,
                line: row.get(5)?,
                before: number(row.get(6)?),
                after: number(row.get(7)?),
                summary: number(row.get(8)?).map(|n| n as usize),
                brief: number(row.get(9)?).map(|n| n as usize),
                arrived_by: row.get(10)?,
                resent: row.get(11)?,
                items: number(row.get(12)?).map(|n| n as usize),
                micros: row.get(13)?,
                late_at: row.get(14)?,
                person_at: row.get(15)?,
                findings: None,
            };
            Ok((recorded, row.get(16)?, row.get(17)?))
        })?;
        rows.map(|row| {
            let (recorded, no, audited) = row?;
            let audit = findings::read(&self.connection, no, audited)?;
            Ok(Recorded { findings: audit.map(|a| a.findings), ..recorded })
        })
        .collect()
    }

    /// The brief of the latest compaction, if the agent has gone on without it. Clients that record no compaction
    /// boundary do not record hook output either: there, an unseen brief may well have arrived.
    pub fn missing(&self, session: &str) -> Result<Option<Missing>, StoreError> {
        let sql = "SELECT c.no, c.brief FROM compaction c JOIN session s ON s.no = c.session
            WHERE s.id = ?1 AND c.brief IS NOT NULL AND c.arrived_by IS NULL AND c.resent_at IS NULL AND c.before IS NOT NULL
              AND c.no = (SELECT max(no) FROM compaction WHERE session = s.no)
              AND EXISTS (SELECT 1 FROM entry e WHERE e.session = s.no AND e.kind IN (?2, ?3) AND e.line >
                  (SELECT max(line) FROM entry WHERE session = s.no AND kind = ?4 AND line > c.line))";
        let mut statement = self.connection.prepare_cached(sql)?;
        let kinds = (RowKind::Text as i64, RowKind::Call as i64, RowKind::Compaction as i64);
        let found = statement.query_row(params![session, kinds.0, kinds.1, kinds.2], |row| {
            Ok(Missing { compaction: row.get(0)?, brief: row.get(1)? })
        });
        Ok(found.optional()?)
    }

    /// Records that the latest brief was in a request, by what put it there.
    pub fn brief_arrived(&mut self, session: &str, by: &str) -> Result<(), StoreError> {
        let sql = "UPDATE compaction SET arrived_by = ?2, ended_at = coalesce(ended_at, briefed_at)
            WHERE arrived_by IS NULL AND brief IS NOT NULL
            AND no = (SELECT max(no) FROM compaction WHERE session = (SELECT no FROM session WHERE id = ?1))
            RETURNING session";
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let found = transaction.query_row(sql, params![session, by], |row| row.get(0)).optional()?;
        if let Some(session) = found {
            gauge::settle_lost(&transaction, session)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// The brief of the latest compaction, for a process that has to put it into its requests again; `None` if it has not
    /// been written yet, or if there was a compaction since that nobody announced.
    pub fn brief_given(&self, session: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT c.brief FROM compaction c WHERE c.briefed_at IS NOT NULL
            AND c.no = (SELECT max(no) FROM compaction WHERE session = (SELECT no FROM session WHERE id = ?1))
            AND (SELECT count(*) FROM entry WHERE session = c.session AND line > c.line AND kind = ?2) < 2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found = statement.query_row(params![session, RowKind::Compaction as i64], |row| row.get(0));
        Ok(found.optional()?.flatten())
    }

    /// Claims the right to resend a missing brief; false if another process has it.
    pub fn claim_resend(&mut self, missing: &Missing, now: i64) -> Result<bool, StoreError> {
        let sql = "UPDATE compaction SET resent_at = ?2 WHERE no = ?1 AND resent_at IS NULL";
        Ok(self.connection.execute(sql, params![missing.compaction, now])? == 1)
    }

    /// What the agent has yet to be told about the latest compaction's summary.
    pub fn late(&self, session: &str) -> Result<Option<Late>, StoreError> {
        let sql = "SELECT no, late FROM compaction WHERE late IS NOT NULL AND late_at IS NULL AND no =
            (SELECT max(no) FROM compaction WHERE session = (SELECT no FROM session WHERE id = ?1))";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found =
            statement.query_row([session], |row| Ok(Late { compaction: row.get(0)?, text: row.get(1)? }));
        Ok(found.optional()?)
    }

    /// Claims the right to tell it; false if another process has it.
    pub fn claim_late(&mut self, late: &Late, now: i64) -> Result<bool, StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let sql = "UPDATE compaction SET late_at = ?2 WHERE no = ?1 AND late_at IS NULL RETURNING session";
        let found = transaction.query_row(sql, params![late.compaction, now], |row| row.get(0)).optional()?;
        let Some(session) = found else { return Ok(false) };
        gauge::settle_lost(&transaction, session)?;
        transaction.commit()?;
        Ok(true)
    }

    /// What the person has yet to be told about a session's compactions.
    pub fn untold(&self, session: &str) -> Result<Option<Untold>, StoreError> {
        let sql = "SELECT no, for_person FROM compaction WHERE for_person <> '' AND person_at IS NULL
            AND session = (SELECT no FROM session WHERE id = ?1) ORDER BY no";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([session], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut lines = rows.collect::<Result<Vec<(i64, String)>, _>>()?;
        let Some((latest, line)) = lines.pop() else { return Ok(None) };
        Ok(Some(Untold { latest, line, earlier: lines.len() }))
    }

    /// Claims the right to tell it; false if another process has it.
    pub fn claim_untold(&mut self, untold: &Untold, now: i64) -> Result<bool, StoreError> {
        let sql =
            "UPDATE compaction SET person_at = ?2 WHERE for_person <> '' AND person_at IS NULL AND no <= ?1
            AND session = (SELECT session FROM compaction WHERE no = ?1)";
        Ok(self.connection.execute(sql, params![untold.latest, now])? > 0)
    }
}

/// Records what new rows say about a session's compactions: tokens and summary of the latest, and that a brief has
/// arrived, if a hook's output contains it in full; with that a compaction is over. Must run in the transaction that indexes the rows: otherwise another process
/// could see the agent go on before the arrival is recorded, and take the brief for lost.
pub(super) fn note(connection: &Connection, no: i64, sign: &Sign) -> Result<(), StoreError> {
    match sign {
        Sign::Compacted { before, after } => {
            let sql = "UPDATE compaction SET before = ?2, after = ?3 WHERE before IS NULL AND no =
                (SELECT max(no) FROM compaction WHERE session = ?1)";
            connection.execute(sql, params![no, before.map(|n| n as i64), after.map(|n| n as i64)])?;
        }
        Sign::Summarised(summary) => {
            let sql = "UPDATE compaction SET summary = ?2 WHERE summary IS NULL AND ended_at IS NULL
                AND briefed_at IS NULL AND no = (SELECT max(no) FROM compaction WHERE session = ?1)";
            connection.execute(sql, params![no, summary])?;
        }
        // A client may pass a brief on only after the next compaction has begun: the text tells whose it is.
        Sign::Injected { event, text } => {
            let sql = "UPDATE compaction SET arrived_by = ?2, ended_at = coalesce(ended_at, briefed_at)
                WHERE arrived_by IS NULL AND no =
                (SELECT max(no) FROM compaction WHERE session = ?1 AND instr(?3, brief) > 0)";
            if connection.execute(sql, params![no, event, text])? > 0 {
                gauge::settle_lost(connection, no)?;
            }
        }
    }
    Ok(())
}
