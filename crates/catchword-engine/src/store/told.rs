//! What the agent was told at a moment of the day, and what happened next: so that anybody can see whether it helps.

use rusqlite::{Connection, Row, TransactionBehavior, params};

use super::{Store, StoreError};
use crate::model::entry::Place;

/// What was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ToldKind {
    /// The notice at the start of a session.
    Start = 1,
    /// A failure that was solved before.
    Failure = 2,
}

/// Something that is told now. All texts are masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Telling<'a> {
    pub session: &'a str,
    pub kind: ToldKind,
    /// Milliseconds since 1970.
    pub at: i64,
    /// Lines of the transcript.
    pub line: u32,
    /// Of a failure: by what it is known again, and what failed.
    pub signature: Option<u64>,
    pub command: &'a str,
    pub text: &'a str,
    /// The files and commands that the text names.
    pub names: &'a [String],
    /// Within so many calls they may be used.
    pub watch: u32,
}

/// Something that was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldRow {
    pub session: String,
    pub no: u32,
    pub kind: ToldKind,
    pub at: i64,
    pub line: Place,
    pub signature: Option<u64>,
    pub command: String,
    pub text: String,
    pub names: Vec<String>,
    pub watch: u32,
    /// Calls seen since, at most `watch`; up to which line.
    pub calls: u32,
    pub seen: Place,
    /// The line at which the command passed.
    pub passed: Option<Place>,
    /// Those of the names that were used.
    pub used: Vec<String>,
}

const COLUMNS: &str =
    "session, no, kind, at, line, signature, command, text, names, watch, calls, seen, passed, used";

fn read(row: &Row) -> rusqlite::Result<ToldRow> {
    let lines = |text: String| text.lines().map(str::to_owned).collect();
    Ok(ToldRow {
        session: row.get(0)?,
        no: row.get(1)?,
        kind: if row.get::<_, i64>(2)? == ToldKind::Start as i64 {
            ToldKind::Start
        } else {
            ToldKind::Failure
        },
        at: row.get(3)?,
        line: Place(row.get(4)?),
        signature: row.get::<_, Option<i64>>(5)?.map(|signature| signature as u64),
        command: row.get(6)?,
        text: row.get(7)?,
        names: lines(row.get(8)?),
        watch: row.get(9)?,
        calls: row.get(10)?,
        seen: Place(row.get(11)?),
        passed: row.get::<_, Option<u32>>(12)?.map(Place),
        used: lines(row.get(13)?),
    })
}

impl Store {
    /// Records what is told, unless this session was told of the same failure before or has been told `most` of its kind.
    /// Returns whether it was recorded: only then it may be told.
    pub fn tell_once(&mut self, telling: &Telling, most: u32) -> Result<bool, StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let sql = "SELECT count(*), coalesce(sum(signature IS ?3 AND signature IS NOT NULL), 0) FROM told
            WHERE session = ?1 AND kind = ?2";
        let signature = telling.signature.map(|signature| signature as i64);
        let values = params![telling.session, telling.kind as i64, signature];
        let (told, same): (u32, u32) =
            transaction.query_row(sql, values, |row| Ok((row.get(0)?, row.get(1)?)))?;
        if told >= most || same > 0 {
            return Ok(false);
        }
        write(&transaction, telling)?;
        transaction.commit()?;
        Ok(true)
    }

    /// Records what is told.
    pub fn tell(&mut self, telling: &Telling) -> Result<(), StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        write(&transaction, telling)?;
        Ok(transaction.commit()?)
    }

    /// What was told, latest first; in one session or in all.
    pub fn told(&self, session: Option<&str>) -> Result<Vec<ToldRow>, StoreError> {
        let sql =
            format!("SELECT {COLUMNS} FROM told WHERE ?1 IS NULL OR session = ?1 ORDER BY at DESC, no DESC");
        let mut statement = self.connection.prepare(&sql)?;
        let rows = statement.query_map([session], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What this session was told and is still watched.
    pub fn watched(&self, session: &str) -> Result<Vec<ToldRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM told WHERE session = ?1 AND calls < watch");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map([session], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Whether this session was told of this failure, or cannot be told of any more.
    pub fn is_told(&self, session: &str, signature: u64, most: u32) -> Result<bool, StoreError> {
        let sql = "SELECT count(*) >= ?3 OR coalesce(sum(signature IS ?2), 0) > 0 FROM told
            WHERE session = ?1 AND kind = 2";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_row(params![session, signature as i64, most], |row| row.get(0))?)
    }
}

fn write(connection: &Connection, telling: &Telling) -> Result<(), StoreError> {
    let sql = "INSERT INTO told (session, no, kind, at, line, signature, command, text, names, watch, seen)
        VALUES (?1, coalesce((SELECT max(no) FROM told WHERE session = ?1), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?4)";
    connection.prepare_cached(sql)?.execute(params![
        telling.session,
        telling.kind as i64,
        telling.at,
        telling.line,
        telling.signature.map(|signature| signature as i64),
        telling.command,
        telling.text,
        telling.names.join("\n"),
        telling.watch,
    ])?;
    Ok(())
}

/// What happened since, in the transaction that records it; another process may have been first.
pub(super) fn follow(connection: &Connection, before: Place, told: &ToldRow) -> Result<(), StoreError> {
    let sql = "UPDATE told SET calls = ?3, seen = ?4, passed = ?5, used = ?6
        WHERE session = ?1 AND no = ?2 AND seen = ?7";
    connection.prepare_cached(sql)?.execute(params![
        told.session,
        told.no,
        told.calls,
        told.seen.0,
        told.passed.map(|place| place.0),
        told.used.join("\n"),
        before.0,
    ])?;
    Ok(())
}
