//! Reads a transcript while the client writes it.

mod cursor;
pub mod database;
pub mod tail;

use std::io;
use std::path::Path;
use std::time::SystemTime;

/// How much a transcript contains, and when that was last changed.
#[derive(Clone, Copy, Debug)]
pub struct TranscriptExtent {
    pub bytes: u64,
    pub changed: SystemTime,
}

/// Whether there is a transcript at a path: a file, or a database in its place.
pub fn is_there(path: &Path) -> bool {
    path.is_file() || database::parts(path).is_some()
}

/// Of a session in a database, what the client says.
pub fn extent(path: &Path) -> io::Result<TranscriptExtent> {
    if let Some((file, session)) = database::parts(path) {
        return Ok(database::RowTail::open(file, session)?.extent());
    }
    let file = path.metadata()?;
    Ok(TranscriptExtent { bytes: file.len(), changed: file.modified()? })
}

/// Receives a line and its number; returns whether it wants more.
pub type Take<'a> = dyn FnMut(u32, &[u8]) -> bool + 'a;
/// Passes the lines of a transcript on, in order, as long as more are wanted.
pub type LineSource<'a> = dyn FnMut(&mut Take) -> io::Result<()> + 'a;
