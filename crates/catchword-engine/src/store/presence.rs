//! Which client process holds a session, from its start to its end.
//!
//! A session is *held* from its start to its end. A killed client never reports the end, so we ask whether the process
//! is alive, and if that is unknown, how long ago the session was last active.

use std::path::{Path, PathBuf};

use rusqlite::{OptionalExtension, Row, TransactionBehavior, params};

use super::{RowKind, Store, StoreError};

/// Two starts of a session closer than this, in milliseconds, count as one, as when a hook is installed twice.
const PAIR: i64 = 60_000;
/// For clients that do not name their process: a cleared session restarts within this time, in milliseconds. The client
/// starts the two hooks one right after the other.
const AT_ONCE: i64 = 10_000;
/// On systems where a process is known by its id alone, the id may have been reused after this time.
const A_DAY: i64 = 24 * 3_600_000;
/// Most sessions of a project to look at.
const NEIGHBOURS: i64 = 20;

/// Who holds a session, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holder<'a> {
    /// The client process, as the front end identifies it.
    pub client: Option<&'a str>,
    /// A person uses it interactively.
    pub attended: Option<bool>,
    /// The thread of a conversation, if it was named.
    pub thread: Option<&'a str>,
    /// The root of the work tree, or the folder where there is none.
    pub project: Option<&'a Path>,
    /// Whether that is a work tree. Otherwise the first folder is kept, since the folder changes with every `cd`.
    pub is_work_tree: bool,
}

/// What happens to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PresenceStep<'a> {
    /// It starts or is resumed.
    Begins,
    GoesOn,
    Ends {
        /// Because the person cleared the context.
        cleared: bool,
        /// The commit checked out in the work tree.
        head: Option<&'a str>,
    },
}

/// Another session of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    pub session: String,
    pub transcript: PathBuf,
    /// When it was last active.
    pub last_at: i64,
    /// The client process that holds or held it.
    pub client: Option<String>,
    /// A hook reported its end.
    pub ended: bool,
    /// The person cleared it.
    pub cleared: bool,
    /// It has used a tool.
    pub worked: bool,
    /// Path of its handoff.
    pub handoff: Option<String>,
    /// The session that was told of it and has not ended, with its client and when it was last seen.
    pub handed_to: Option<(String, Option<String>, i64)>,
}

/// The last known holder of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// The client process that holds or held it.
    pub client: Option<String>,
    /// A hook reported its end.
    pub ended: bool,
    /// Path of its handoff.
    pub handoff: Option<String>,
}

impl Store {
    /// Who holds a session; `None` if no hook reported its start or end.
    pub fn held(&self, session: &str) -> Result<Option<Held>, StoreError> {
        let sql = "SELECT client, ended_at IS NOT NULL, handoff FROM presence WHERE session = ?1";
        let held = self.connection.prepare_cached(sql)?.query_row([session], |row| {
            Ok(Held { client: row.get(0)?, ended: row.get(1)?, handoff: row.get(2)? })
        });
        Ok(held.optional()?)
    }

    pub fn presence(
        &mut self,
        session: &str,
        holder: &Holder,
        step: PresenceStep,
        now: i64,
    ) -> Result<(), StoreError> {
        let (ended, cleared, head) = match step {
            PresenceStep::Ends { cleared, head } => (Some(now), cleared, head),
            PresenceStep::Begins | PresenceStep::GoesOn => (None, false, None),
        };
        let sql =
            "INSERT INTO presence (session, client, attended, project, seen_at, ended_at, cleared, head, thread)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?11)
            ON CONFLICT (session) DO UPDATE SET
                client = coalesce(excluded.client, client), attended = coalesce(excluded.attended, attended),
                project = CASE WHEN ?9 THEN excluded.project ELSE coalesce(project, excluded.project) END,
                thread = coalesce(excluded.thread, thread), seen_at = excluded.seen_at, ended_at = excluded.ended_at, cleared = excluded.cleared,
                head = CASE WHEN ?10 THEN NULL ELSE coalesce(excluded.head, head) END";
        self.connection.execute(
            sql,
            params![
                session,
                holder.client,
                holder.attended,
                holder.project.map(|p| p.to_string_lossy().into_owned()),
                now,
                ended,
                cleared,
                head,
                holder.is_work_tree,
                step == PresenceStep::Begins,
                holder.thread,
            ],
        )?;
        Ok(())
    }

    /// The session that a new one replaces after a clear: the one its client held before. For a client that does not
    /// name its process, the one that was cleared there a moment ago, if there is only one.
    pub fn replaced_by(
        &self,
        session: &str,
        holder: &Holder,
        now: i64,
    ) -> Result<Option<String>, StoreError> {
        if let Some(client) = holder.client {
            let sql = "SELECT session FROM presence WHERE client = ?1 AND session <> ?2 AND seen_at > ?3
                ORDER BY seen_at DESC, ended_at IS NULL, session LIMIT 1";
            let found =
                self.connection.query_row(sql, params![client, session, now - A_DAY], |row| row.get(0));
            return Ok(found.optional()?);
        }
        let sql = "SELECT max(session) FROM presence WHERE cleared AND client IS NULL AND handed_to IS NULL
            AND project = ?1 AND session <> ?2 AND ended_at BETWEEN ?3 AND ?4 HAVING count(*) = 1";
        let project = holder.project.map(|p| p.to_string_lossy().into_owned());
        let found = self
            .connection
            .query_row(sql, params![project, session, now - AT_ONCE, now], |row| row.get(0))
            .optional()?;
        Ok(found.flatten())
    }

    /// The session that a client process holds, or held last.
    pub fn held_by(&self, client: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT session FROM presence WHERE client = ?1
            ORDER BY ended_at IS NOT NULL, seen_at DESC, session LIMIT 1";
        Ok(self.connection.query_row(sql, [client], |row| row.get(0)).optional()?)
    }

    /// The project's other sessions of the same thread active since `since`, latest first; those without a person only
    /// where they are wanted.
    pub fn neighbours(
        &self,
        session: &str,
        project: &Path,
        since: i64,
        with_unattended: bool,
        thread: Option<&str>,
    ) -> Result<Vec<Neighbour>, StoreError> {
        let sql = "SELECT p.session, s.transcript, max(s.last_at, coalesce(p.seen_at, 0)), p.client, p.ended_at IS NOT NULL,
                p.cleared, EXISTS (SELECT 1 FROM entry e WHERE e.session = s.no AND e.kind = ?4), p.handoff,
                t.session, t.client, t.seen_at
            FROM presence p JOIN session s ON s.id = p.session
            LEFT JOIN presence t ON t.session = p.handed_to AND t.ended_at IS NULL AND t.session <> ?1
            WHERE p.project = ?2 AND p.session <> ?1 AND (?6 OR coalesce(p.attended, 1)) AND s.last_at >= ?3
                AND p.thread IS ?7
            ORDER BY s.last_at DESC, s.no DESC LIMIT ?5";
        let mut statement = self.connection.prepare(sql)?;
        let project = project.to_string_lossy();
        let rows = statement.query_map(
            params![session, project, since, RowKind::Call as i64, NEIGHBOURS, with_unattended, thread],
            neighbour,
        )?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The cleared session that `session` replaced and was told of.
    pub fn cleared_for(&self, session: &str) -> Result<Option<String>, StoreError> {
        let sql =
            "SELECT session FROM presence WHERE handed_to = ?1 AND cleared ORDER BY seen_at DESC LIMIT 1";
        Ok(self.connection.query_row(sql, [session], |row| row.get(0)).optional()?)
    }

    /// A session's transcript, and when it was last active.
    pub fn whereabouts(&self, session: &str) -> Result<Option<(PathBuf, i64)>, StoreError> {
        let sql = "SELECT transcript, last_at FROM session WHERE id = ?1";
        let found = self
            .connection
            .query_row(sql, [session], |row| Ok((PathBuf::from(row.get::<_, String>(0)?), row.get(1)?)));
        Ok(found.optional()?)
    }

    /// The commit checked out when a session ended; `None` once it was resumed.
    pub fn head_at_end(&self, session: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT head FROM presence WHERE session = ?1";
        Ok(self.connection.query_row(sql, [session], |row| row.get(0)).optional()?.flatten())
    }

    /// Claims the right to tell a session something at its start; false if another process has it. `of` is the session
    /// that it is told of.
    pub fn claim_start(&mut self, session: &str, of: Option<&str>, now: i64) -> Result<bool, StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let sql = "UPDATE presence SET told_at = ?2 WHERE session = ?1
            AND (told_at IS NULL OR abs(?2 - told_at) >= ?3)";
        if transaction.execute(sql, params![session, now, PAIR])? == 0 {
            return Ok(false);
        }
        if let Some(of) = of {
            transaction.execute("UPDATE presence SET handed_to = ?2 WHERE session = ?1", [of, session])?;
        }
        transaction.commit()?;
        Ok(true)
    }

    /// Records the path of a session's handoff.
    pub fn handoff_written(&mut self, session: &str, path: &Path) -> Result<(), StoreError> {
        let sql = "UPDATE presence SET handoff = ?2 WHERE session = ?1";
        self.connection.execute(sql, params![session, path.to_string_lossy()])?;
        Ok(())
    }
}

fn neighbour(row: &Row) -> rusqlite::Result<Neighbour> {
    let told: Option<String> = row.get(8)?;
    let seen: Option<i64> = row.get(10)?;
    let client: Option<String> = row.get(9)?;
    Ok(Neighbour {
        session: row.get(0)?,
        transcript: PathBuf::from(row.get::<_, String>(1)?),
        last_at: row.get(2)?,
        client: row.get(3)?,
        ended: row.get(4)?,
        cleared: row.get(5)?,
        worked: row.get(6)?,
        handoff: row.get(7)?,
        handed_to: told.map(|session| (session, client, seen.unwrap_or(0))),
    })
}

#[cfg(test)]
mod tests;
