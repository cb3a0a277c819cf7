//! The gauge of a session, and the checkpoints made on the way to its next compaction.
//!
//! The gauge moves with the index, in the same transaction: a row counts here exactly if it is new there, so a row
//! written twice, or read by two processes, counts once. The thresholds reached are in the same row and are cleared by
//! a compaction; the unique key of `checkpoint` keeps two hooks from recording a threshold twice.

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use super::{Store, StoreError};
use crate::context::{Learned, Mark, Reached, Tally, Threshold};
use crate::model::entry::Place;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gauged {
    /// What the transcript says.
    pub tally: Tally,
    /// What the status line reported about the window.
    pub learned: Option<Learned>,
    /// The thresholds reached since the latest compaction.
    pub reached: Reached,
    /// Open tasks, as of the latest fold.
    pub open_work: Option<u32>,
    /// What the latest summary lost or got wrong, until the turn ends.
    pub lost: Option<u32>,
    /// How much of that the agent got back; `None` until it has.
    pub given_back: Option<u32>,
}

/// The state at a threshold, as saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The number of compactions before it.
    pub compaction: u32,
    pub threshold: String,
    /// Milliseconds since 1970.
    pub at: i64,
    /// Tokens used.
    pub used: Option<u64>,
    /// Tokens left before the compaction.
    pub left: Option<u64>,
    /// Lines of the transcript recorded by then.
    pub line: u32,
}

const COLUMNS: &str = "used, line, compacted, model, compactions, most, compacted_at, window, window_model,
    left_reached, step_reached, left_told, open_work, lost, given_back, model_window";

fn gauged(row: &Row) -> rusqlite::Result<Gauged> {
    let tokens = |at: usize| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.map(|n| n as u64));
    let window: Option<(u64, String)> = tokens(7)?.zip(row.get(8)?);
    Ok(Gauged {
        tally: Tally {
            used: tokens(0)?,
            place: Place(row.get(1)?),
            compacted: row.get(2)?,
            model: row.get(3)?,
            window: tokens(15)?,
            compactions: row.get(4)?,
            most: tokens(5)?.unwrap_or(0),
            compacted_at: tokens(6)?,
        },
        learned: window.map(|(window, model)| Learned { window, model }),
        reached: Reached { left: row.get(9)?, step: tokens(10)?, told: row.get(11)? },
        open_work: row.get(12)?,
        lost: row.get(13)?,
        given_back: row.get(14)?,
    })
}

fn read(connection: &Connection, no: i64) -> Result<Option<Gauged>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM gauge WHERE session = ?1");
    Ok(connection.prepare_cached(&sql)?.query_row([no], gauged).optional()?)
}

/// Applies what new rows say; writes only if something changed.
pub(super) fn advance<'a>(
    connection: &Connection,
    no: i64,
    marks: impl Iterator<Item = &'a Mark>,
    anew: bool,
) -> Result<Option<Gauged>, StoreError> {
    let mut marks = marks.peekable();
    if marks.peek().is_none() && !anew {
        return Ok(None);
    }
    let stored = read(connection, no)?;
    let is_new = stored.is_none();
    let stored = stored.unwrap_or_default();
    let mut now = if anew { Gauged { learned: stored.learned, ..Gauged::default() } } else { stored };
    let before = now.tally.compactions;
    let learned = now.learned.clone();
    for mark in marks {
        now.tally.apply(mark);
        if let Mark::Window { tokens, .. } = mark {
            let model = now.tally.model.clone().unwrap_or_default();
            now.learned = Some(Learned { window: *tokens, model });
        }
    }
    if now.tally.compactions != before || anew {
        now.reached = Reached::default();
    }
    if is_new {
        connection.prepare_cached("INSERT INTO gauge (session) VALUES (?1)")?.execute([no])?;
    }
    write(connection, no, &now)?;
    if let Some(learned) = now.learned.as_ref().filter(|now| Some(*now) != learned.as_ref()) {
        let sql = "UPDATE gauge SET window = ?2, window_model = ?3 WHERE session = ?1";
        connection.prepare_cached(sql)?.execute(params![no, learned.window as i64, learned.model])?;
    }
    Ok(Some(now))
}

/// Updates the existing row: an upsert takes twice as long to prepare.
fn write(connection: &Connection, no: i64, now: &Gauged) -> Result<(), StoreError> {
    let sql =
        "UPDATE gauge SET used = ?2, line = ?3, compacted = ?4, model = ?5, compactions = ?6, most = ?7,
        compacted_at = ?8, left_reached = ?9, step_reached = ?10, left_told = ?11, model_window = ?12 WHERE session = ?1";
    let Gauged { tally, reached, .. } = now;
    let number = |n: Option<u64>| n.map(|n| n as i64);
    connection.prepare_cached(sql)?.execute(params![
        no,
        number(tally.used),
        tally.place.0,
        tally.compacted,
        tally.model,
        tally.compactions,
        tally.most as i64,
        number(tally.compacted_at),
        reached.left,
        number(reached.step),
        reached.told,
        number(tally.window),
    ])?;
    Ok(())
}

/// Stores the number of open tasks, so that a status line need not unpack the session.
pub(super) fn note_open_work(connection: &Connection, no: i64, open: usize) -> Result<(), StoreError> {
    let sql = "INSERT INTO gauge (session, open_work) VALUES (?1, ?2)
        ON CONFLICT (session) DO UPDATE SET open_work = excluded.open_work";
    connection.prepare_cached(sql)?.execute(params![no, open as i64])?;
    Ok(())
}

/// Copies what a compaction's summary lost, if known.
pub(super) fn note_lost(connection: &Connection, compaction: i64) -> Result<(), StoreError> {
    let sql = "INSERT INTO gauge (session, lost) SELECT session, lost FROM compaction WHERE no = ?1 AND lost IS NOT NULL
        ON CONFLICT (session) DO UPDATE SET lost = excluded.lost, given_back = NULL";
    connection.execute(sql, [compaction])?;
    Ok(())
}

/// A new compaction begins: the losses of the previous one are old news.
pub(super) fn forget_lost(connection: &Connection, session: &str) -> Result<(), StoreError> {
    let sql = "UPDATE gauge SET lost = NULL, given_back = NULL WHERE lost IS NOT NULL
        AND session = (SELECT no FROM session WHERE id = ?1)";
    connection.execute(sql, [session])?;
    Ok(())
}

/// Records what was given back, once the agent has the latest compaction's brief and the late findings.
pub(super) fn settle_lost(connection: &Connection, no: i64) -> Result<(), StoreError> {
    let sql = "UPDATE gauge SET given_back = c.given FROM compaction c WHERE gauge.session = ?1
        AND gauge.lost IS NOT NULL AND c.no = (SELECT max(no) FROM compaction WHERE session = ?1)
        AND (c.brief IS NULL OR c.arrived_by IS NOT NULL) AND (c.late IS NULL OR c.late_at IS NOT NULL)";
    connection.execute(sql, [no])?;
    Ok(())
}

impl Store {
    pub fn gauged(&self, session: &str) -> Result<Option<Gauged>, StoreError> {
        let sql =
            format!("SELECT {COLUMNS} FROM gauge WHERE session = (SELECT no FROM session WHERE id = ?1)");
        Ok(self.connection.prepare_cached(&sql)?.query_row([session], gauged).optional()?)
    }

    /// The turn has ended: stop showing what the latest summary lost.
    pub fn lost_was_shown(&mut self, session: &str) -> Result<(), StoreError> {
        forget_lost(&self.connection, session)
    }

    /// The window that a status line last reported for this model, in any session.
    pub fn window_of(&self, model: &str) -> Result<Option<u64>, StoreError> {
        let sql = "SELECT window FROM gauge WHERE window_model = ?1 ORDER BY window_at DESC LIMIT 1";
        let found = self.connection.query_row(sql, [model], |row| row.get::<_, i64>(0)).optional()?;
        Ok(found.map(|window| window as u64))
    }

    /// Stores the window that the status line reported. An unknown session learns it later.
    pub fn learn_window(&mut self, session: &str, learned: &Learned, now: i64) -> Result<(), StoreError> {
        let sql = "INSERT INTO gauge (session, window, window_model, window_at)
            SELECT no, ?2, ?3, ?4 FROM session WHERE id = ?1
            ON CONFLICT (session) DO UPDATE SET window = excluded.window, window_model = excluded.window_model,
                window_at = excluded.window_at";
        self.connection.execute(sql, params![session, learned.window as i64, learned.model, now])?;
        Ok(())
    }

    /// Records thresholds reached at one moment, the most urgent one last. Those that another process has recorded
    /// meanwhile stay unchanged. Records nothing once the session has been compacted again.
    pub fn reach(
        &mut self,
        session: &str,
        points: &[Threshold],
        moment: &Checkpoint,
    ) -> Result<(), StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let sql = "SELECT session FROM gauge WHERE compactions = ?2
            AND session = (SELECT no FROM session WHERE id = ?1)";
        let found = transaction.query_row(sql, params![session, moment.compaction], |row| row.get(0));
        let Some(no): Option<i64> = found.optional()? else { return Ok(()) };
        for point in points {
            insert(&transaction, no, *point, moment)?;
            let sql = match point {
                Threshold::Left(_) => {
                    "UPDATE gauge SET left_reached = min(coalesce(left_reached, ?2), ?2) WHERE session = ?1"
                }
                Threshold::Used(_) => {
                    "UPDATE gauge SET step_reached = max(coalesce(step_reached, ?2), ?2) WHERE session = ?1"
                }
            };
            let value = match point {
                Threshold::Left(percent) => i64::from(*percent),
                Threshold::Used(tokens) => *tokens as i64,
            };
            transaction.execute(sql, params![no, value])?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Claims the right to tell the person about a threshold; false if another process has it, or if the session has
    /// been compacted again.
    pub fn claim_telling(&mut self, session: &str, compaction: u32, percent: u8) -> Result<bool, StoreError> {
        let sql =
            "UPDATE gauge SET left_told = ?3 WHERE compactions = ?2 AND (left_told IS NULL OR left_told > ?3)
            AND session = (SELECT no FROM session WHERE id = ?1)";
        Ok(self.connection.execute(sql, params![session, compaction, percent])? == 1)
    }

    /// The checkpoints of a session, oldest first.
    pub fn checkpoints(&self, session: &str) -> Result<Vec<Checkpoint>, StoreError> {
        let sql = format!("{CHECKPOINT} ORDER BY no");
        let mut statement = self.connection.prepare(&sql)?;
        let rows = statement.query_map([session], checkpoint)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The latest one.
    pub fn latest_checkpoint(&self, session: &str) -> Result<Option<Checkpoint>, StoreError> {
        let sql = format!("{CHECKPOINT} ORDER BY no DESC LIMIT 1");
        Ok(self.connection.prepare_cached(&sql)?.query_row([session], checkpoint).optional()?)
    }
}

const CHECKPOINT: &str = "SELECT compaction, threshold, at, used, left, line FROM checkpoint
    WHERE session = (SELECT no FROM session WHERE id = ?1)";

fn checkpoint(row: &Row) -> rusqlite::Result<Checkpoint> {
    Ok(Checkpoint {
        compaction: row.get(0)?,
        threshold: row.get(1)?,
        at: row.get(2)?,
        used: row.get::<_, Option<i64>>(3)?.map(|n| n as u64),
        left: row.get::<_, Option<i64>>(4)?.map(|n| n as u64),
        line: row.get(5)?,
    })
}

fn insert(connection: &Connection, no: i64, point: Threshold, moment: &Checkpoint) -> Result<(), StoreError> {
    let sql = "INSERT OR IGNORE INTO checkpoint (session, compaction, threshold, at, used, left, line)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, (SELECT line FROM session WHERE no = ?1))";
    let number = |n: Option<u64>| n.map(|n| n as i64);
    connection.prepare_cached(sql)?.execute(params![
        no,
        moment.compaction,
        point.to_string(),
        moment.at,
        number(moment.used),
        number(moment.left),
    ])?;
    Ok(())
}

#[cfg(test)]
mod tests;
