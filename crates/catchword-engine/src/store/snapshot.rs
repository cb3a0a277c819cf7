//! The folded session as it is stored: in three parts, of which a hook reads as many as it needs.
//!
//! Half of a snapshot is which words were met and which rows were seen. Whoever folds on needs all of it, an audit no
//! rows, and whoever guides the summariser neither. The parts stand behind each other in that order, so that the pages of
//! the last ones are not even read. Each has a seal that tells that it is whole, and of this fold: what is packed in them is
//! unpacked long after it was read.

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::sync::Arc;

use rusqlite::{Connection, MAIN_DB, OptionalExtension, params};

use super::{FOLD_FORMAT, StoreError};
use crate::at_once::at_once;
use crate::session::Session;
use crate::session::later::unpacked_from;
use crate::transcript::tail::Cursor;

/// How much of a session is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// What is told of it.
    Told = 1,
    /// With the words that were met.
    Audited = 2,
    /// All, as it is needed to fold on.
    Whole = 3,
}

/// Rows from which on words and rows are packed on a thread of their own: putting them in order takes as long as the rest.
const MANY: u32 = 5_000;
const PARTS: usize = Extent::Whole as usize;
/// Bytes before the parts: seal and length of each.
const HEADER: usize = PARTS * 16;

/// A session as it is stored, with how far it reaches; nothing where it cannot be packed.
pub(super) fn packed(cursor: &Cursor, session: &Session) -> Option<Vec<u8>> {
    let told = || postcard::to_stdvec(&(cursor, session)).ok();
    let (behind, told) = match session.entries {
        MANY.. => at_once(|| session.behind(), told),
        _ => (session.behind(), told()),
    };
    let ([words, rows], told) = (behind?, told?);
    let parts = [Cow::Owned(told), words, rows];
    let mut body = Vec::with_capacity(HEADER + parts.iter().map(|part| part.len()).sum::<usize>());
    for part in &parts {
        body.extend(seal_of(part).to_le_bytes());
        body.extend((part.len() as u64).to_le_bytes());
    }
    for part in &parts {
        body.extend_from_slice(part);
    }
    Some(body)
}

/// A session to this extent and how far it reaches, where this version can read it.
pub(super) fn read(
    connection: &Connection,
    session: &str,
    extent: Extent,
) -> Result<Option<(Cursor, Session)>, StoreError> {
    let sql = "SELECT no FROM snapshot JOIN session ON no = session WHERE id = ?1 AND format = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let no = statement.query_row(params![session, FOLD_FORMAT], |row| row.get::<_, i64>(0)).optional()?;
    let Some(no) = no else { return Ok(None) };
    match bytes(connection, no, extent).map_err(StoreError::from) {
        Err(error) if error.is_damage() || error.is_busy() => Err(error),
        // Gone meanwhile, or no bytes at all.
        read => Ok(read.ok().flatten().and_then(|body| unpacked(&Arc::new(body), extent))),
    }
}

/// The beginning of a snapshot, up to the last part that is wanted.
fn bytes(connection: &Connection, no: i64, extent: Extent) -> rusqlite::Result<Option<Vec<u8>>> {
    let blob = connection.blob_open(MAIN_DB, "snapshot", "body", no, true)?;
    let mut header = [0; HEADER];
    if blob.len() < HEADER {
        return Ok(None);
    }
    blob.read_at_exact(&mut header, 0)?;
    let wanted = (0..extent as usize).try_fold(HEADER, |end, part| end.checked_add(length(&header, part)?));
    let Some(wanted) = wanted.filter(|wanted| *wanted <= blob.len()) else { return Ok(None) };
    let mut body = vec![0; wanted];
    blob.read_at_exact(&mut body, 0)?;
    Ok(Some(body))
}

fn unpacked(body: &Arc<Vec<u8>>, extent: Extent) -> Option<(Cursor, Session)> {
    let (header, mut rest) = body.split_at_checked(HEADER)?;
    let mut parts: [&[u8]; PARTS] = [&[]; PARTS];
    for (at, part) in parts.iter_mut().enumerate().take(extent as usize) {
        (*part, rest) = rest.split_at_checked(length(header, at)?)?;
        if number(header, at * 16)? != seal_of(part) {
            return None;
        }
    }
    unpacked_from(body, || {
        let (cursor, mut session): (Cursor, Session) = postcard::from_bytes(parts[0]).ok()?;
        session.put_behind([parts[1], parts[2]], extent == Extent::Whole);
        Some((cursor, session))
    })
}

fn length(header: &[u8], part: usize) -> Option<usize> {
    usize::try_from(number(header, part * 16 + 8)?).ok()
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().copied().map(u64::from_le_bytes)
}

fn seal_of(part: &[u8]) -> u64 {
    foldhash::quality::FixedState::with_seed(u64::from(FOLD_FORMAT)).hash_one(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::entry::{Entry, Part, Place};

    fn session() -> Session {
        let mut session = Session::default();
        let text = "port 3000 of src/server.rs".to_owned();
        session.apply(&Entry { place: Place(1), parts: vec![Part::Text(text)], ..Entry::default() });
        session
    }

    #[test]
    fn a_session_comes_back_to_the_extent_that_is_asked_for() {
        let body = Arc::new(packed(&Cursor::default(), &session()).unwrap());
        let whole = unpacked(&body, Extent::Whole).unwrap().1;
        assert_eq!(whole, session());
        let audited = unpacked(&body, Extent::Audited).unwrap().1;
        assert!(audited.vocabulary.has("3000"));
        let told = unpacked(&body, Extent::Told).unwrap().1;
        assert_eq!((told.said.clone(), told.vocabulary.has("3000")), (session().said, false));
        assert!(packed(&Cursor::default(), &told).is_none(), "half a session is not stored");
    }

    #[test]
    fn a_part_that_is_not_whole_is_not_believed() {
        let body = packed(&Cursor::default(), &session()).unwrap();
        for at in 0..body.len() {
            let mut broken = body.clone();
            broken[at] ^= 1;
            assert!(unpacked(&Arc::new(broken), Extent::Whole).is_none(), "byte {at}");
            assert!(unpacked(&Arc::new(body[..at].to_vec()), Extent::Whole).is_none(), "up to byte {at}");
        }
    }
}
