//! A database that cannot be used: how we recognise one, and how we set it aside.
//!
//! Nearly everything in it can be read again from the transcripts, so a database that is damaged, or older than the first
//! schema from which a step leads on, is not repaired. It is renamed and kept, and the next pass reads the transcripts
//! from their start. What is in no transcript is taken over as far as it can be read: notes and registered commands here,
//! what is left of deleted transcripts by the history (`archive/history/salvage.rs`).
//!
//! Several hooks may find the same file unusable at once. One of them renames it, under a lock file; the others see
//! that the file they opened is no longer the one at its path, and use the new one. The WAL is renamed before the
//! database: `SQLite` discards a WAL beside an empty file, while a database without its WAL is still the old one, which
//! is renamed next. What a process writes in between is read again from the transcript.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, OpenFlags, params_from_iter};

use super::StoreError;
use super::schema::Schema;

impl StoreError {
    /// The file has to be set aside: it is not a database, is broken, has an older schema, or contains what we never
    /// write.
    pub fn is_damage(&self) -> bool {
        use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType};
        let error = match self {
            StoreError::Sqlite(error) => error,
            StoreError::Outdated { .. } => return true,
            StoreError::Folder { .. } => return false,
        };
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

/// A file of our version has all our tables: one without them is damaged, or not ours.
fn is_missing_table(error: &rusqlite::Error) -> bool {
    let text = match error {
        rusqlite::Error::SqliteFailure(_, Some(text)) => text,
        rusqlite::Error::SqlInputError { msg, .. } => msg,
        _ => return false,
    };
    text.starts_with("no such table") || text.starts_with("no such column")
}

/// Identifies the file at a path, so that a later one at the same path is a different one.
#[derive(Debug, PartialEq, Eq)]
pub struct FileId(Option<(u64, u64)>);

impl FileId {
    #[cfg(unix)]
    pub fn of(path: &Path) -> FileId {
        use std::os::unix::fs::MetadataExt;
        FileId(std::fs::metadata(path).ok().map(|m| (m.dev(), m.ino())))
    }

    /// On other systems an open file cannot be renamed, so nobody can have done so.
    #[cfg(not(unix))]
    pub fn of(_path: &Path) -> FileId {
        FileId(None)
    }
}

/// In the names of databases that were set aside, before the time.
pub const SET_ASIDE: &str = ".set-aside-";

/// Why a database was set aside, for the log, and its new name.
pub struct SetAside {
    pub why: String,
    pub kept: PathBuf,
}

/// Opens the database at `path` with `open`. An unusable one is set aside first.
pub fn open_or_replace<T>(
    path: &Path,
    now: i64,
    schema: &Schema,
    open: impl Fn() -> Result<T, StoreError>,
) -> Result<(T, Option<SetAside>), StoreError> {
    let file = FileId::of(path);
    match open() {
        Err(error) if error.is_damage() => {
            let kept = set_aside(path, &file, now, schema)?;
            let told = |kept: PathBuf| {
                let name = kept.display();
                SetAside {
                    why: format!("{error}; it was set aside as {name} and is rebuilt from the transcripts"),
                    kept,
                }
            };
            Ok((open()?, kept.map(told)))
        }
        opened => Ok((opened?, None)),
    }
}

/// Takes over what is in no transcript: the rows of these tables that can be read from either end.
pub fn take_over(new: &Connection, kept: &Path, tables: &[&str]) -> Result<usize, StoreError> {
    let Ok(old) = Connection::open_with_flags(kept, OpenFlags::SQLITE_OPEN_READ_WRITE) else { return Ok(0) };
    let mut taken = 0;
    for table in tables {
        let columns: Vec<String> = new
            .prepare("SELECT name FROM pragma_table_info(?1)")?
            .query_map([table], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let (names, first) = (columns.join(", "), &columns[..2].join(" DESC, "));
        let places = vec!["?"; columns.len()].join(", ");
        let mut insert =
            new.prepare(&format!("INSERT OR IGNORE INTO {table} ({names}) VALUES ({places})"))?;
        for order in [String::new(), format!("ORDER BY {first} DESC")] {
            let mut rows = Vec::new();
            let mut read = || -> rusqlite::Result<()> {
                let mut statement = old.prepare(&format!("SELECT {names} FROM {table} {order}"))?;
                let mut found = statement.query([])?;
                while let Some(row) = found.next()? {
                    let values = (0..columns.len()).map(|at| row.get::<_, Value>(at));
                    rows.push(values.collect::<Result<Vec<_>, _>>()?);
                }
                Ok(())
            };
            // Behind a page that cannot be read; the other end may be whole.
            let is_whole = read().is_ok();
            for row in rows {
                taken += insert.execute(params_from_iter(row)).unwrap_or(0);
            }
            if is_whole {
                break;
            }
        }
    }
    Ok(taken)
}

/// Renames an unusable database and its WAL; returns the new name, or `None` if another process has already done so. An
/// intact database with a newer schema belongs to a newer catchword and stays.
pub fn set_aside(
    path: &Path,
    unusable: &FileId,
    now: i64,
    schema: &Schema,
) -> Result<Option<PathBuf>, StoreError> {
    renamed(path, unusable, now, schema)
        .map_err(|source| StoreError::Folder { path: path.to_owned(), source })
}

fn renamed(path: &Path, unusable: &FileId, now: i64, schema: &Schema) -> io::Result<Option<PathBuf>> {
    let _lock = lock(&beside(path, ".lock"))?;
    if FileId::of(path) != *unusable {
        return Ok(None);
    }
    if is_newer_and_sound(path, schema.version) {
        return Err(io::Error::other("it is from a newer version of catchword, which is left as it is"));
    }
    let kept = beside(path, &format!("{SET_ASIDE}{now}"));
    for suffix in ["-wal", "-shm", ""] {
        match std::fs::rename(beside(path, suffix), beside(&kept, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(Some(kept))
}

fn is_newer_and_sound(path: &Path, known: u32) -> bool {
    let look = || -> rusqlite::Result<bool> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        // Checking a whole file takes long, and hardly any file is newer.
        if version <= i64::from(known) {
            return Ok(false);
        }
        let words: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        Ok(words == "ok")
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
