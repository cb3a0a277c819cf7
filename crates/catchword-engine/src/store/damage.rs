//! A store that is broken: how it is told, and how it is put out of the way.
//!
//! Everything in it can be had again from the transcripts, so a broken store is never mended. It is renamed, for
//! whoever wants to look, and the next pass reads the transcripts from their start.
//!
//! Several hooks may meet the same damage at once. One of them renames, under a lock file; the others see that
//! the file they found damaged is no longer the one at its path, and use the new one. The log goes before the
//! database: `SQLite` throws away a log that lies beside an empty file, while a database without its log is the
//! old one, which goes next. A process that slips in between is read again from the transcript.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::StoreError;

impl StoreError {
    /// The file is no database, is broken inside, or holds what we never put there.
    pub fn is_damage(&self) -> bool {
        use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType};
        let StoreError::Sqlite(error) = self else { return false };
        match error {
            FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) => true,
            _ if is_missing_table(error) => true,
            _ => {
                let code = error.sqlite_error_code();
                matches!(code, Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
            }
        }
    }
}

/// Migrations only add: a table of ours that is not there was never ours, or is lost.
fn is_missing_table(error: &rusqlite::Error) -> bool {
    let text = match error {
        rusqlite::Error::SqliteFailure(_, Some(text)) => text,
        rusqlite::Error::SqlInputError { msg, .. } => msg,
        _ => return false,
    };
    text.starts_with("no such table") || text.starts_with("no such column")
}

/// Which file lies at a path, so that a later one at the same path is told from it.
#[derive(Debug, PartialEq, Eq)]
pub struct FileId(Option<(u64, u64)>);

impl FileId {
    /// The file at `path`.
    #[cfg(unix)]
    pub fn of(path: &Path) -> FileId {
        use std::os::unix::fs::MetadataExt;
        FileId(std::fs::metadata(path).ok().map(|m| (m.dev(), m.ino())))
    }

    /// Elsewhere an open file cannot be renamed, so that nobody can have done it.
    #[cfg(not(unix))]
    pub fn of(_path: &Path) -> FileId {
        FileId(None)
    }
}

/// Gives the damaged database another name, with what belongs to it, unless another process has done so. One that is
/// sound and has taken more `steps` than this version knows is not damaged: it is a newer version's, and stays.
pub fn set_aside(path: &Path, damaged: &FileId, now: i64, steps: usize) -> io::Result<()> {
    let _lock = lock(&beside(path, ".lock"))?;
    if FileId::of(path) != *damaged {
        return Ok(());
    }
    if is_newer_and_sound(path, steps) {
        return Err(io::Error::other("it is from a newer version of catchword, which is left as it is"));
    }
    for suffix in ["-wal", "-shm", ""] {
        match std::fs::rename(beside(path, suffix), beside(path, &format!(".damaged-{now}{suffix}"))) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn is_newer_and_sound(path: &Path, steps: usize) -> bool {
    let look = || -> rusqlite::Result<bool> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        // Looking through a whole file takes its time, and hardly ever is one newer.
        if usize::try_from(version).is_ok_and(|version| version <= steps) {
            return Ok(false);
        }
        let words: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        Ok(version > 0 && words == "ok")
    };
    look().unwrap_or(false)
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Held until it is dropped, for three renames at most.
fn lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    file.lock()?;
    Ok(file)
}

#[cfg(test)]
mod tests;
