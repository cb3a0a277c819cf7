//! The stored form of a folded session: serialised, after a hash that proves that it is complete.
//!
//! Half a page after a crash could decode into a session that never existed; the hash detects that, and the session is
//! folded from the start.

use std::hash::BuildHasher;

use rusqlite::{Connection, OptionalExtension, params};

use super::{FOLD_FORMAT, StoreError};
use crate::session::Session;
use crate::transcript::tail::Cursor;

/// The stored form of a session and its cursor; `None` if it cannot be serialised.
pub(super) fn packed(cursor: &Cursor, session: &Session) -> Option<Vec<u8>> {
    let mut body = vec![0; size_of::<u64>()];
    body = postcard::to_extend(&(cursor, session), body).ok()?;
    let (seal, rest) = body.split_first_chunk_mut()?;
    *seal = seal_of(rest);
    Some(body)
}

/// A session and its cursor, if this version can read it.
pub(super) fn read(connection: &Connection, session: &str) -> Result<Option<(Cursor, Session)>, StoreError> {
    let sql = "SELECT body FROM snapshot JOIN session ON no = session WHERE id = ?1 AND format = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let body = statement
        .query_row(params![session, FOLD_FORMAT], |row| Ok(row.get_ref(0)?.as_blob().ok().and_then(unpacked)))
        .optional()?;
    Ok(body.flatten())
}

fn unpacked(body: &[u8]) -> Option<(Cursor, Session)> {
    let (seal, rest) = body.split_first_chunk()?;
    (*seal == seal_of(rest)).then(|| postcard::from_bytes(rest).ok())?
}

fn seal_of(body: &[u8]) -> [u8; 8] {
    foldhash::quality::FixedState::default().hash_one(body).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::entry::{Entry, Part, Place};

    fn session() -> Session {
        let mut session = Session::default();
        let text = "port 3000 of src/server.rs".to_owned();
        session.apply(&Entry { place: Place(1), parts: vec![Part::Text(text)], ..Entry::default() });
        session
    }

    #[test]
    fn session_survives_serialisation() {
        let body = packed(&Cursor::default(), &session()).unwrap();
        assert_eq!(unpacked(&body), Some((Cursor::default(), session())));
    }

    #[test]
    fn damaged_snapshot_is_rejected() {
        let body = packed(&Cursor::default(), &session()).unwrap();
        for at in 0..body.len() {
            let mut broken = body.clone();
            broken[at] ^= 1;
            assert_eq!(unpacked(&broken), None, "byte {at}");
            assert_eq!(unpacked(&body[..at]), None, "up to byte {at}");
        }
    }
}
