//! Commands registered from outside the transcript, and where a session was resumed.

use rusqlite::{OptionalExtension, params};

use super::{Store, StoreError};
use crate::session::active::{Registered, bare};

impl Store {
    /// Stores the latest registration of a command in a session.
    pub fn register(&mut self, session: &str, word: &Registered, now: i64) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO registered (session, name, args, is_on, line, at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let name = bare(&word.name);
        self.connection.execute(sql, params![session, name, word.args, word.on, word.line, now])?;
        Ok(())
    }

    /// Everything registered for a session, in order.
    pub fn registered(&self, session: &str) -> Result<Vec<Registered>, StoreError> {
        let sql = "SELECT name, args, is_on, line FROM registered WHERE session = ?1 ORDER BY at, name";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([session], |row| {
            Ok(Registered { name: row.get(0)?, args: row.get(1)?, on: row.get(2)?, line: row.get(3)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Records that a new process of the client resumes a session that has `line` lines.
    pub fn taken_up(&mut self, session: &str, line: u32) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO taken_up (session, line) VALUES (?1, ?2)";
        self.connection.execute(sql, params![session, line])?;
        Ok(())
    }

    /// How many lines a session had when the client's present process resumed it; `None` if that process started it.
    pub fn taken_up_at(&self, session: &str) -> Result<Option<u32>, StoreError> {
        let sql = "SELECT line FROM taken_up WHERE session = ?1";
        Ok(self.connection.query_row(sql, [session], |row| row.get(0)).optional()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn word(name: &str, args: &str, on: bool) -> Registered {
        Registered { name: name.into(), args: args.into(), on, line: 3 }
    }

    #[test]
    fn latest_registration_of_a_command_wins() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path(), 0, Duration::from_secs(1)).unwrap();
        store.register("a", &word("/tdd", "x", true), 1).unwrap();
        store.register("a", &word("review", "", true), 2).unwrap();
        store.register("a", &word("tdd", "", false), 3).unwrap();
        store.register("b", &word("tdd", "other", true), 4).unwrap();
        assert_eq!(store.registered("a").unwrap(), [word("review", "", true), word("tdd", "", false)]);
        assert_eq!(store.registered("c").unwrap(), []);
    }

    #[test]
    fn latest_resume_of_a_session_wins() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path(), 0, Duration::from_secs(1)).unwrap();
        assert_eq!(store.taken_up_at("a").unwrap(), None);
        store.taken_up("a", 10).unwrap();
        store.taken_up("a", 20).unwrap();
        assert_eq!(store.taken_up_at("a").unwrap(), Some(20));
    }
}
