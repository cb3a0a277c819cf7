//! The latest calls of a session. They move with the index, in the same transaction.

use rusqlite::{Connection, params};

use super::{Store, StoreError};
use crate::fixes::ActRow;
use crate::model::entry::Place;
use crate::redact::Mask;

/// Lines of the transcript within which calls are kept. A pair spans sixty calls, each of which has two to six lines.
const LINES_KEPT: u32 = 2_000;

impl Store {
    /// The calls of a session in order.
    pub fn acts(&self, session: &str) -> Result<Vec<ActRow>, StoreError> {
        self.acts_where(session, "true", 0)
    }

    /// The call that waits for this answer.
    pub fn waiting_act(&self, session: &str, call: u64) -> Result<Option<ActRow>, StoreError> {
        Ok(self.acts_where(session, "call = ?2", call as i64)?.pop())
    }

    /// Whether a call of a session failed in this way, and the answer to it came before this line.
    pub fn has_failed(&self, session: &str, signature: u64, before: Place) -> Result<bool, StoreError> {
        let sql =
            "SELECT 1 FROM act WHERE session = (SELECT no FROM session WHERE id = ?1) AND signature = ?2
            AND line < ?3";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.exists(params![session, signature as i64, before.0])?)
    }

    fn acts_where(&self, session: &str, condition: &str, value: i64) -> Result<Vec<ActRow>, StoreError> {
        let sql = format!(
            "SELECT body FROM act WHERE session = (SELECT no FROM session WHERE id = ?1) AND ?2 IS NOT NULL
             AND {condition} ORDER BY line, part"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params![session, value], |row| row.get::<_, Vec<u8>>(0))?;
        let bodies: Vec<Vec<u8>> = rows.collect::<Result<_, _>>()?;
        // A row of another version is none.
        Ok(bodies.iter().filter_map(|body| postcard::from_bytes(body).ok()).collect())
    }
}

/// Adds calls, and replaces those that have their answer now.
pub(super) fn write(
    connection: &Connection,
    no: i64,
    acts: &mut dyn Iterator<Item = &ActRow>,
    line: u32,
    anew: bool,
) -> Result<(), StoreError> {
    if anew {
        connection.execute("DELETE FROM act WHERE session = ?1", [no])?;
    }
    let sql = "INSERT OR REPLACE INTO act (session, line, part, call, signature, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let mut written = false;
    for act in acts {
        let Ok(body) = postcard::to_allocvec(act) else { continue };
        let call = act.call.map(|call| call as i64);
        let signature = act.signature().map(|signature| signature as i64);
        let values = params![no, act.place.0, act.part, call, signature, body];
        connection.prepare_cached(sql)?.execute(values)?;
        written = true;
    }
    if written && line > LINES_KEPT {
        let sql = "DELETE FROM act WHERE session = ?1 AND line < ?2";
        connection.prepare_cached(sql)?.execute(params![no, line - LINES_KEPT])?;
    }
    Ok(())
}

/// Drops calls that contain a forgotten text.
pub(super) fn drop_forgotten(connection: &Connection, mask: &Mask) -> Result<usize, StoreError> {
    let mut held: Vec<(i64, u32, u32)> = Vec::new();
    {
        let mut statement = connection.prepare("SELECT session, line, part, body FROM act")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if mask.has_forgotten(&row.get::<_, Vec<u8>>(3)?) {
                held.push((row.get(0)?, row.get(1)?, row.get(2)?));
            }
        }
    }
    for (session, line, part) in &held {
        let sql = "DELETE FROM act WHERE session = ?1 AND line = ?2 AND part = ?3";
        connection.execute(sql, params![session, line, part])?;
    }
    Ok(held.len())
}
