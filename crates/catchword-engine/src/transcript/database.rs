//! Sessions that a client keeps in a `SQLite` database: the rows of one session, numbered from 0 without gaps, are its lines.
//!
//! Such a session's path is the database's, and the session's id behind it. A row counts as a fixed number of bytes, so
//! that places and cursors mean the same as in a file. Rows are read a few at a time: a longer transaction would keep the
//! client from tidying up its log.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::TranscriptExtent;
use super::cursor::{Cursor, LONGEST_LINE, Line};
use crate::clients::{CLIENTS, Database};
use crate::text::hash::fnv1a;

/// Bytes that a row counts as: about the average of real ones.
const ROW: u64 = 1024;
/// Rows read in one transaction.
const PAGE: u32 = 256;
/// How long to wait for a client that holds the database: it writes for milliseconds.
const PATIENCE: Duration = Duration::from_millis(250);

/// One session in an open database.
pub(super) struct RowTail {
    database: Connection,
    layout: &'static Database,
    session: String,
    rows: u32,
    changed: i64,
}

/// The database and the session that a path means; `None` for the path of a file.
pub(super) fn parts(path: &Path) -> Option<(&Path, &str)> {
    let database = path.parent().filter(|database| is_database(database) && database.is_file())?;
    Some((database, path.file_name()?.to_str()?))
}

/// Whether a file has the name of a database.
pub fn is_database(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "db")
}

/// The paths of all sessions in a database, and whether each is a subagent's.
pub fn sessions(path: &Path) -> io::Result<Vec<(PathBuf, bool)>> {
    let (database, layout) = opened(path)?;
    let all = || {
        let mut found = database.prepare(layout.sessions)?;
        let sessions = found.query_map([], |row| Ok((path.join(row.get::<_, String>(0)?), row.get(1)?)))?;
        sessions.collect::<rusqlite::Result<Vec<_>>>()
    };
    all().map_err(io::Error::other)
}

/// The database, and its layout: that of the client whose file has this name, or the first that fits.
fn opened(path: &Path) -> io::Result<(Connection, &'static Database)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags).map_err(io::Error::other)?;
    database.busy_timeout(PATIENCE).map_err(io::Error::other)?;
    let mut layouts: Vec<_> =
        CLIENTS.iter().filter_map(|client| client.transcripts.database.as_ref()).collect();
    layouts.sort_by_key(|layout| Path::new(layout.file).file_name() != path.file_name());
    let layout = layouts.into_iter().find(|layout| database.prepare(layout.extent).is_ok());
    let layout = layout.ok_or_else(|| io::Error::other("not a database of a client's"))?;
    Ok((database, layout))
}

impl RowTail {
    pub(super) fn open(path: &Path, session: &str) -> io::Result<RowTail> {
        let (database, layout) = opened(path)?;
        let extent = database.query_row(layout.extent, [session], |row| Ok((row.get(0)?, row.get(1)?)));
        let extent = extent.optional().map_err(io::Error::other)?;
        let (rows, changed) = extent.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        Ok(RowTail { database, layout, session: session.to_owned(), rows, changed })
    }

    pub(super) fn extent(&self) -> TranscriptExtent {
        let since = Duration::from_millis(self.changed.max(0).cast_unsigned());
        TranscriptExtent { bytes: self.size(), changed: SystemTime::UNIX_EPOCH + since }
    }

    pub(super) fn size(&self) -> u64 {
        u64::from(self.rows) * ROW
    }

    pub(super) fn holds(&self, cursor: &Cursor) -> bool {
        cursor.offset <= self.size()
            && cursor.offset == u64::from(cursor.line) * ROW
            && (cursor.line == 0 || self.mark().is_ok_and(|mark| mark == cursor.head_hash))
    }

    pub(super) fn marked(&self, cursor: Cursor) -> io::Result<Cursor> {
        Ok(Cursor { head_len: cursor.offset.min(ROW), head_hash: self.mark()?, ..cursor })
    }

    /// Identifies the session's rows: a session that was deleted may come back with others.
    fn mark(&self) -> io::Result<u64> {
        let first = self.page(0, 1)?.pop().map(|(_, line)| line).unwrap_or_default();
        Ok(fnv1a(&[self.session.as_bytes(), &first].concat()))
    }

    pub(super) fn first_line(&self) -> Option<Vec<u8>> {
        self.page(0, 1).ok()?.pop().map(|(_, line)| line)
    }

    pub(super) fn read(
        &self,
        cursor: Cursor,
        mut in_time: impl FnMut() -> bool,
        mut each: impl FnMut(u32, u64, Line),
    ) -> io::Result<Cursor> {
        let mut line = cursor.line;
        'pages: while line < self.rows && in_time() {
            let page = self.page(line, PAGE)?;
            if page.is_empty() {
                break;
            }
            for (number, text) in page {
                if number >= self.rows || !in_time() {
                    break 'pages;
                }
                // A row that is missing is an empty line, so that the others keep their places.
                while line < number {
                    line += 1;
                    each(line, u64::from(line - 1) * ROW, Line::Whole(b""));
                }
                line += 1;
                let is_short = text.len() <= LONGEST_LINE;
                let content = if is_short { Line::Whole(&text) } else { Line::TooLong };
                each(line, u64::from(line - 1) * ROW, content);
            }
        }
        self.marked(Cursor { line, offset: u64::from(line) * ROW, ..cursor })
    }

    /// Some rows from a number on.
    fn page(&self, from: u32, most: u32) -> io::Result<Vec<(u32, Vec<u8>)>> {
        let page = || {
            let mut rows = self.database.prepare_cached(self.layout.rows)?;
            let rows = rows.query_map((&self.session, from, most), |row| {
                Ok((row.get(0)?, row.get::<_, String>(1)?.into_bytes()))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        page().map_err(io::Error::other)
    }
}
