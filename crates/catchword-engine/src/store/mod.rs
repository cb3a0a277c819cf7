//! What catchword keeps: one SQLite file in the data directory.
//!
//! **Writing.** The transcript is the truth. The store holds how far it was read (the cursor), an index of
//! its entries, the folded session (a snapshot) and what was said at each compaction. Cursor, index and
//! snapshot move in one transaction, so reading twice records once.
//! **Locking.** Hooks run in parallel. Lines are read and folded outside the transaction; the transaction
//! itself is short, takes the write lock at once (`BEGIN IMMEDIATE`: a read that becomes a write fails under
//! load) and waits for it for a bounded time.
//! **Compatibility.** Migrations only add, so two versions may share a file. A snapshot of another fold is
//! ignored and rebuilt.
//! **Performance.** WAL without an fsync a commit; checkpoints are left to quiet moments. Losing the last
//! commits in a power cut loses nothing: they are read again from the transcript.
//! **Damage.** A file that is no database, or a broken one, is set aside under another name and begun anew.

mod schema;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};
use thiserror::Error;

use crate::agent::entry::{EntryId, Place};
use crate::session::Session;
use crate::transcript::tail::Cursor;

/// Version of the fold; raised whenever [`Session`] changes shape or meaning, so that old snapshots are
/// rebuilt instead of misread.
const FOLD_FORMAT: u32 = 2;
/// Hook runs that are kept for `doctor`.
const RUNS_KEPT: i64 = 500;

/// Why the store could not be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The folder cannot be made or written.
    #[error("cannot use the data directory {path}: {source}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// SQLite refused.
    #[error("store: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

impl StoreError {
    /// The file is no database or is broken inside.
    fn is_damage(&self) -> bool {
        let StoreError::Sqlite(error) = self else { return false };
        matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
    }
}

/// An open store.
pub struct Store {
    connection: Connection,
}

/// What is known of a session without unpacking it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    no: i64,
    /// How far its transcript is indexed.
    pub cursor: Cursor,
    /// Offset up to which the stored snapshot is folded.
    pub folded: u64,
}

/// An entry of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexRow {
    /// Its line.
    pub place: Place,
    /// The client's id.
    pub id: Option<EntryId>,
    /// What it is, as a number of [`Kind`].
    pub kind: Kind,
    /// Milliseconds since 1970.
    pub at: Option<i64>,
}

/// What an index row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Anything else of the conversation.
    Other = 0,
    /// The person's words.
    Prompt = 1,
    /// The agent's words.
    Text = 2,
    /// A tool call.
    Call = 3,
    /// A tool's answer.
    Result = 4,
    /// A compaction or its summary.
    Compaction = 5,
    /// A subagent's row.
    Sub = 6,
}

/// What a pass over the transcript brings.
pub struct Progress<'a> {
    /// The session's id.
    pub session: &'a str,
    /// The client.
    pub agent: &'a str,
    /// Its transcript.
    pub transcript: &'a Path,
    /// The agent's working directory.
    pub cwd: Option<&'a Path>,
    /// The time.
    pub now: i64,
    /// The transcript was replaced: what is stored of it goes.
    pub anew: bool,
    /// How far it is read now.
    pub cursor: Cursor,
    /// New index rows.
    pub rows: &'a [IndexRow],
    /// The session folded up to `cursor`.
    pub folded: Option<&'a Session>,
}

/// A session in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub id: String,
    /// Its transcript.
    pub transcript: PathBuf,
    /// The agent's working directory.
    pub cwd: Option<PathBuf>,
    /// Entries in the index.
    pub entries: u64,
    /// Compactions seen by hooks.
    pub compactions: u64,
    /// Time of the latest hook, in milliseconds since 1970.
    pub last_at: i64,
}

/// A finished hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookRun {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The client's name of the event.
    pub event: String,
    /// The session.
    pub session: String,
    /// How long it took.
    pub micros: i64,
    /// What went wrong.
    pub problem: Option<String>,
}

impl Store {
    /// Opens the store in `folder`, making both when they are missing. A damaged file is set aside.
    pub fn open(folder: &Path, now: i64, patience: Duration) -> Result<Store, StoreError> {
        make_private_folder(folder)?;
        let path = folder.join("catchword.db");
        match Store::open_file(&path, patience) {
            Err(error) if error.is_damage() => {
                set_aside(&path, now).map_err(|source| StoreError::Folder { path: path.clone(), source })?;
                Store::open_file(&path, patience)
            }
            other => other,
        }
    }

    /// Opens the store to look at it; `None` when there is none yet.
    pub fn open_existing(folder: &Path, patience: Duration) -> Result<Option<Store>, StoreError> {
        let path = folder.join("catchword.db");
        if !path.exists() {
            return Ok(None);
        }
        Store::open_file(&path, patience).map(Some)
    }

    fn open_file(path: &Path, patience: Duration) -> Result<Store, StoreError> {
        make_private_file(path)?;
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(patience)?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "wal_autocheckpoint", 0)?;
        schema::migrate(&mut connection)?;
        Ok(Store { connection })
    }

    /// What is known of a session.
    pub fn known(&self, session: &str) -> Result<Option<Known>, StoreError> {
        let sql = "SELECT no, offset, line, head_len, head_hash, folded FROM session WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let known = statement.query_row([session], |row| {
            Ok(Known {
                no: row.get(0)?,
                cursor: Cursor {
                    offset: row.get::<_, i64>(1)? as u64,
                    line: row.get(2)?,
                    head_len: row.get::<_, i64>(3)? as u64,
                    head_hash: row.get::<_, i64>(4)? as u64,
                },
                folded: row.get::<_, i64>(5)? as u64,
            })
        });
        Ok(known.optional()?)
    }

    /// The folded session and how far it reaches, where this version can read it.
    pub fn snapshot(&self, session: &str) -> Result<Option<(Cursor, Session)>, StoreError> {
        let sql = "SELECT format, cursor, body FROM snapshot JOIN session ON no = session WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let row = statement.query_row([session], |row| {
            Ok((row.get::<_, u32>(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, Vec<u8>>(2)?))
        });
        let Some((format, cursor, body)) = row.optional()? else { return Ok(None) };
        if format != FOLD_FORMAT {
            return Ok(None);
        }
        Ok(postcard::from_bytes(&cursor).ok().zip(postcard::from_bytes(&body).ok()))
    }

    /// Stores what a pass over the transcript brought, in one transaction. Where another process has got
    /// further meanwhile, its cursor stands; rows count once by line and by id.
    pub fn advance(&mut self, progress: &Progress) -> Result<(), StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let no = write_session(&transaction, progress)?;
        if progress.anew {
            transaction.execute("DELETE FROM entry WHERE session = ?1", [no])?;
            transaction.execute("DELETE FROM snapshot WHERE session = ?1", [no])?;
        }
        write_index(&transaction, no, progress.rows)?;
        if let Some(session) = progress.folded {
            write_snapshot(&transaction, no, &progress.cursor, session)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// A compaction was announced. The client may announce one early and more than once: while its brief has
    /// not been given, it is the same compaction.
    pub fn compaction_begins(&mut self, session: &str, manual: bool, now: i64) -> Result<(), StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let pending = transaction.execute(
            "UPDATE compaction SET manual = ?2, begun_at = ?3,
                    line = (SELECT line FROM session WHERE id = ?1)
             WHERE briefed_at IS NULL AND session = (SELECT no FROM session WHERE id = ?1)",
            params![session, manual, now],
        )?;
        if pending == 0 {
            transaction.execute(
                "INSERT INTO compaction (session, manual, line, begun_at)
                 SELECT no, ?2, line, ?3 FROM session WHERE id = ?1",
                params![session, manual, now],
            )?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Keeps the summary of the compaction under way; false when none is.
    pub fn keep_summary(&mut self, session: &str, summary: &str) -> Result<bool, StoreError> {
        let sql = "UPDATE compaction SET summary = ?2 WHERE no =
            (SELECT max(no) FROM compaction WHERE session = (SELECT no FROM session WHERE id = ?1) AND ended_at IS NULL)";
        Ok(self.connection.execute(sql, params![session, summary])? > 0)
    }

    /// The summary of the compaction under way.
    pub fn summary(&self, session: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT summary FROM compaction WHERE ended_at IS NULL AND briefed_at IS NULL
            AND session = (SELECT no FROM session WHERE id = ?1) ORDER BY no DESC LIMIT 1";
        Ok(self.connection.query_row(sql, [session], |row| row.get(0)).optional()?.flatten())
    }

    /// The brief was handed to the client.
    pub fn briefed(&mut self, session: &str, brief: &str, now: i64) -> Result<(), StoreError> {
        let sql = "UPDATE compaction SET brief = ?2, briefed_at = ?3 WHERE no =
            (SELECT max(no) FROM compaction WHERE session = (SELECT no FROM session WHERE id = ?1) AND briefed_at IS NULL)";
        self.connection.execute(sql, params![session, brief, now])?;
        Ok(())
    }

    /// The compaction is over.
    pub fn compaction_ends(&mut self, session: &str, now: i64) -> Result<(), StoreError> {
        let sql = "UPDATE compaction SET ended_at = ?2, briefed_at = coalesce(briefed_at, ?2) WHERE no =
            (SELECT max(no) FROM compaction WHERE session = (SELECT no FROM session WHERE id = ?1))";
        self.connection.execute(sql, params![session, now])?;
        Ok(())
    }

    /// Notes how a hook went.
    pub fn ran(&mut self, run: &HookRun) -> Result<(), StoreError> {
        self.connection
            .prepare_cached(
                "INSERT INTO hook_run (at, event, session, micros, problem) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![run.at, run.event, run.session, run.micros, run.problem])?;
        Ok(())
    }

    /// The latest hook runs, newest first.
    pub fn runs(&self, most: u32) -> Result<Vec<HookRun>, StoreError> {
        let sql = "SELECT at, event, session, micros, problem FROM hook_run ORDER BY no DESC LIMIT ?1";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([most], |row| {
            Ok(HookRun {
                at: row.get(0)?,
                event: row.get(1)?,
                session: row.get(2)?,
                micros: row.get(3)?,
                problem: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// All sessions, latest first.
    pub fn sessions(&self) -> Result<Vec<Listed>, StoreError> {
        let sql = "SELECT id, transcript, cwd, last_at,
                (SELECT count(*) FROM entry WHERE entry.session = no),
                (SELECT count(*) FROM compaction WHERE compaction.session = session.no AND ended_at IS NOT NULL)
            FROM session ORDER BY last_at DESC, no DESC";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| {
            Ok(Listed {
                id: row.get(0)?,
                transcript: PathBuf::from(row.get::<_, String>(1)?),
                cwd: row.get::<_, Option<String>>(2)?.map(PathBuf::from),
                last_at: row.get(3)?,
                entries: row.get::<_, i64>(4)? as u64,
                compactions: row.get::<_, i64>(5)? as u64,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Work for quiet moments: moves the log into the file and forgets old hook runs.
    pub fn tidy(&mut self) -> Result<(), StoreError> {
        self.connection
            .execute("DELETE FROM hook_run WHERE no <= (SELECT max(no) FROM hook_run) - ?1", [RUNS_KEPT])?;
        self.connection.pragma_update(None, "wal_checkpoint", "PASSIVE").or_else(|error| match error {
            rusqlite::Error::ExecuteReturnedResults => Ok(()),
            other => Err(other),
        })?;
        Ok(())
    }

    /// Whether the file is sound, in SQLite's words.
    pub fn check(&self) -> Result<String, StoreError> {
        Ok(self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?)
    }
}

fn write_session(connection: &Connection, progress: &Progress) -> Result<i64, StoreError> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let cursor = &progress.cursor;
    let sql = "INSERT INTO session (id, agent, transcript, cwd, offset, line, head_len, head_hash, folded, first_at, last_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10)
        ON CONFLICT (id) DO UPDATE SET
            transcript = excluded.transcript, cwd = coalesce(excluded.cwd, cwd), last_at = excluded.last_at,
            line      = CASE WHEN ?11 OR excluded.offset >= offset THEN excluded.line ELSE line END,
            head_len  = CASE WHEN ?11 OR excluded.offset >= offset THEN excluded.head_len ELSE head_len END,
            head_hash = CASE WHEN ?11 OR excluded.offset >= offset THEN excluded.head_hash ELSE head_hash END,
            offset    = CASE WHEN ?11 OR excluded.offset >= offset THEN excluded.offset ELSE offset END,
            folded    = CASE WHEN ?11 OR excluded.folded >= folded THEN excluded.folded ELSE folded END
        RETURNING no";
    let folded = if progress.folded.is_some() { cursor.offset as i64 } else { 0 };
    let mut statement = connection.prepare_cached(sql)?;
    let no = statement.query_row(
        params![
            progress.session,
            progress.agent,
            text(progress.transcript),
            progress.cwd.map(text),
            cursor.offset as i64,
            cursor.line,
            cursor.head_len as i64,
            cursor.head_hash as i64,
            folded,
            progress.now,
            progress.anew,
        ],
        |row| row.get(0),
    )?;
    Ok(no)
}

fn write_index(connection: &Connection, no: i64, rows: &[IndexRow]) -> Result<(), StoreError> {
    let sql = "INSERT OR IGNORE INTO entry (session, line, id, kind, at) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut statement = connection.prepare_cached(sql)?;
    for row in rows {
        statement.execute(params![no, row.place.0, row.id.map(|id| id.0 as i64), row.kind as i64, row.at])?;
    }
    Ok(())
}

/// Keeps the snapshot that reaches further.
fn write_snapshot(
    connection: &Connection,
    no: i64,
    cursor: &Cursor,
    session: &Session,
) -> Result<(), StoreError> {
    let (Ok(cursor_bytes), Ok(body)) = (postcard::to_stdvec(cursor), postcard::to_stdvec(session)) else {
        return Ok(());
    };
    connection
        .prepare_cached(
            "INSERT INTO snapshot (session, format, cursor, body)
             SELECT ?1, ?2, ?3, ?4 WHERE (SELECT folded FROM session WHERE no = ?1) <= ?5
             ON CONFLICT (session) DO UPDATE SET
                format = excluded.format, cursor = excluded.cursor, body = excluded.body",
        )?
        .execute(params![no, FOLD_FORMAT, cursor_bytes, body, cursor.offset as i64])?;
    Ok(())
}

/// Gives a damaged database another name, with what belongs to it.
fn set_aside(path: &Path, now: i64) -> std::io::Result<()> {
    for suffix in ["", "-wal", "-shm"] {
        let from = PathBuf::from(format!("{}{suffix}", path.display()));
        let to = PathBuf::from(format!("{}.damaged-{now}{suffix}", path.display()));
        match std::fs::rename(from, to) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// A folder that only its owner can look into.
pub fn make_private_folder(path: &Path) -> Result<(), StoreError> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|source| StoreError::Folder { path: path.to_owned(), source })
}

/// An empty file that only its owner can read; SQLite gives the files beside it the same rights.
fn make_private_file(path: &Path) -> Result<(), StoreError> {
    if path.exists() {
        return Ok(());
    }
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|source| StoreError::Folder { path: path.to_owned(), source })?;
    Ok(())
}

#[cfg(test)]
mod tests;
