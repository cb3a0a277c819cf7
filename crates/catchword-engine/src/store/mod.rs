//! What catchword keeps: one `SQLite` file in the data directory.
//!
//! **Writing.** The transcript is the truth. The store holds how far it was read (the cursor), an index of
//! its entries, the folded session (a snapshot) and what was said at each compaction (`compaction`). Cursor,
//! index and snapshot move in one transaction, so reading twice records once.
//! **Locking.** Hooks run in parallel. Lines are read and folded outside the transaction; the transaction
//! itself is short, takes the write lock at once (`BEGIN IMMEDIATE`: a read that becomes a write fails under
//! load) and waits for it for a bounded time. Two that read the same rows agree on them; one that read a
//! transcript which was replaced meanwhile is told apart by its generation, and what it brings is dropped.
//! **Compatibility.** Migrations only add, so two versions may share a file. A snapshot of another fold is
//! ignored and rebuilt.
//! **Performance.** WAL without an fsync a commit; checkpoints are left to quiet moments, and in a turn that has
//! none for hours come every sixty ticks or so. Losing the last commits in a power cut loses nothing: they are
//! read again from the transcript.
//! **Damage.** A file that is no database, or a broken one, is set aside under another name and begun anew,
//! when it is opened or when the damage shows later (`damage`).

mod active;
mod compaction;
pub(crate) mod damage;
mod delivery;
mod findings;
pub(crate) mod forget;
mod gauge;
mod notes;
mod presence;
pub(crate) mod schema;
mod snapshot;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, TransactionBehavior, params};
use thiserror::Error;

use crate::agent::entry::{EntryId, Place};
use crate::gauge::Mark;
use crate::session::Session;
use crate::transcript::tail::Cursor;
pub use compaction::{Ending, Given};
use damage::FileId;
pub use delivery::{GivenBack, Late, Missing, Recorded, Sign};
pub use findings::UnderWay;
pub use forget::Trace;
pub use gauge::{Checkpoint, Gauged};
pub use presence::{Held, Holder, Neighbour, Step};
pub use snapshot::Extent;

/// Version of the fold; raised whenever [`Session`] changes shape or meaning, so that old snapshots are
/// rebuilt instead of misread.
const FOLD_FORMAT: u32 = 17;
/// Pages the write-ahead log may have before a tick moves them into the file. The first process to open a store
/// reads the whole log, and a hook is most often the first: without a limit a tick of a turn of 1,500 tool calls
/// took 13 ms instead of 2.6. One tick in sixty pays for it, with 5 to 15 ms.
const LOG_PAGES: u32 = 256;
/// A session of which nothing was heard for this long, in milliseconds, keeps no snapshot.
const SILENT: i64 = 90 * 24 * 3_600_000;
/// Snapshots dropped at the end of one turn.
const PRUNED_AT_ONCE: i64 = 20;
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
    /// `SQLite` refused.
    #[error("store: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

impl StoreError {
    /// Another process held the store for longer than we wait.
    pub fn is_busy(&self) -> bool {
        let StoreError::Sqlite(error) = self else { return false };
        matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }
}

/// An open store.
pub struct Store {
    connection: Connection,
    path: PathBuf,
    patience: Duration,
    file: FileId,
}

/// What is known of a session without unpacking it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// How far its transcript is indexed.
    pub cursor: Cursor,
    /// Offset up to which the stored snapshot is folded, where this version can read it.
    pub folded: u64,
    /// How often its transcript was replaced.
    pub generation: i64,
    /// Something may be on its way to the agent: a brief that is not known to have arrived, or what was found after it.
    pub awaits: bool,
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
    /// The generation this pass went on from; `None` where the session was not known.
    pub generation: Option<i64>,
    /// The transcript was replaced: what is stored of it goes.
    pub anew: bool,
    /// How far it is read now.
    pub cursor: Cursor,
    /// New index rows.
    pub rows: &'a [IndexRow],
    /// What new rows tell of the context.
    pub marks: &'a [Mark],
    /// What they tell of compactions and briefs, with their lines.
    pub signs: &'a [(Place, Sign)],
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
    /// The root of its work tree, or its first folder, where its start or end was told.
    pub project: Option<PathBuf>,
    /// Entries in the index.
    pub entries: u64,
    /// Lines that were read of its transcript.
    pub lines: u64,
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
        let file = FileId::of(&path);
        match Store::open_file(&path, patience) {
            Err(error) if error.is_damage() => Store::set_aside_and_open(&path, &file, now, patience),
            other => other,
        }
    }

    /// A store that lasts as long as this process, where no other can be had: a brief needs one, and not its memory.
    pub fn for_now() -> Result<Store, StoreError> {
        let mut connection = Connection::open_in_memory()?;
        schema::migrate(&mut connection, &schema::STORE, Duration::ZERO)?;
        let (path, file) = (PathBuf::new(), FileId::of(Path::new("")));
        Ok(Store { connection, path, patience: Duration::ZERO, file })
    }

    /// Opens the store to look at it; `None` when there is none yet.
    pub fn open_existing(folder: &Path, patience: Duration) -> Result<Option<Store>, StoreError> {
        let path = folder.join("catchword.db");
        if !path.exists() {
            return Ok(None);
        }
        Store::open_file(&path, patience).map(Some)
    }

    /// Puts a new store in place of this one, in which damage has shown; the damaged one is kept beside it.
    pub fn begin_anew(&mut self, now: i64) -> Result<(), StoreError> {
        // Closed before its file is renamed: not every system allows it the other way round.
        self.connection = Connection::open_in_memory()?;
        *self = Store::set_aside_and_open(&self.path, &self.file, now, self.patience)?;
        Ok(())
    }

    fn set_aside_and_open(
        path: &Path,
        file: &FileId,
        now: i64,
        patience: Duration,
    ) -> Result<Store, StoreError> {
        damage::set_aside(path, file, now, schema::STORE.steps.len())
            .map_err(|source| StoreError::Folder { path: path.to_owned(), source })?;
        Store::open_file(path, patience)
    }

    fn open_file(path: &Path, patience: Duration) -> Result<Store, StoreError> {
        make_private_file(path)?;
        let file = FileId::of(path);
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(patience)?;
        connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
        schema::migrate(&mut connection, &schema::STORE, patience)?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        Ok(Store { connection, path: path.to_owned(), patience, file })
    }

    /// What is known of a session.
    pub fn known(&self, session: &str) -> Result<Option<Known>, StoreError> {
        // A subquery each: a join would be planned for longer than it is asked.
        let sql = "SELECT offset, line, head_len, head_hash, generation,
                (SELECT folded FROM snapshot WHERE snapshot.session = no AND format = ?2),
                EXISTS (SELECT 1 FROM compaction c WHERE c.session = no AND
                    (c.brief IS NOT NULL AND c.arrived_by IS NULL AND c.resent_at IS NULL
                        OR c.late IS NOT NULL AND c.late_at IS NULL))
            FROM session WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let known = statement.query_row(params![session, FOLD_FORMAT], |row| {
            Ok(Known {
                cursor: cursor(row)?,
                generation: row.get(4)?,
                folded: row.get::<_, Option<i64>>(5)?.unwrap_or(0) as u64,
                awaits: row.get(6)?,
            })
        });
        Ok(known.optional()?)
    }

    /// The folded session and how far it reaches, where this version can read it.
    pub fn snapshot(&self, session: &str) -> Result<Option<(Cursor, Session)>, StoreError> {
        self.snapshot_to(session, Extent::Whole)
    }

    /// The same to some extent: one that is not whole is there to be asked, not to be folded on.
    pub fn snapshot_to(
        &self,
        session: &str,
        extent: Extent,
    ) -> Result<Option<(Cursor, Session)>, StoreError> {
        snapshot::read(&self.connection, session, extent)
    }

    /// Stores what a pass over the transcript brought, in one transaction. Where another process has got
    /// further meanwhile, its cursor stands; rows count once by line and by id. Where another has found the
    /// transcript replaced, or has forgotten the session, the pass counts for nothing: the next one reads again.
    /// Gives the gauge where new rows have moved it.
    pub fn advance(&mut self, progress: &Progress) -> Result<Option<Gauged>, StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let present = Present::read(&transaction, progress.session)?;
        if !is_of_present_generation(present.as_ref(), progress) {
            return Ok(None);
        }
        // Lines that another has read meanwhile, in the index or only glanced at.
        let read = present.as_ref().filter(|_| !progress.anew).map_or(0, |present| present.cursor.line);
        let no = match present {
            Some(present) => present.go_on(&transaction, progress)?,
            None => begin_session(&transaction, progress)?,
        };
        if progress.anew {
            transaction.execute("DELETE FROM entry WHERE session = ?1", [no])?;
            transaction.execute("DELETE FROM snapshot WHERE session = ?1", [no])?;
        }
        let known = write_index(&transaction, no, progress.rows.iter().filter(|row| row.place.0 > read))?;
        let is_new = |place: Place| place.0 > read && known.binary_search(&place.0).is_err();
        let marks = progress.marks.iter().filter(|mark| is_new(mark.place()));
        let gauged = gauge::advance(&transaction, no, marks, progress.anew)?;
        for (_, sign) in progress.signs.iter().filter(|(place, _)| is_new(*place)) {
            delivery::note(&transaction, no, sign)?;
        }
        if let Some(session) = progress.folded {
            write_snapshot(&transaction, no, progress, session)?;
        }
        transaction.commit()?;
        Ok(gauged)
    }

    /// Notes how a hook went.
    pub fn ran(&mut self, run: &HookRun) -> Result<(), StoreError> {
        note_run(&self.connection, run)
    }

    /// The same of one of the hooks of a compaction, which took as long.
    pub fn ran_in_compaction(&mut self, run: &HookRun) -> Result<(), StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        note_run(&transaction, run)?;
        compaction::took(&transaction, &run.session, run.micros, run.at)?;
        transaction.commit()?;
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
                (SELECT count(*) FROM compaction WHERE compaction.session = session.no AND ended_at IS NOT NULL),
                (SELECT project FROM presence WHERE presence.session = id), line
            FROM session ORDER BY last_at DESC, no DESC";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| {
            Ok(Listed {
                id: row.get(0)?,
                transcript: PathBuf::from(row.get::<_, String>(1)?),
                cwd: row.get::<_, Option<String>>(2)?.map(PathBuf::from),
                project: row.get::<_, Option<String>>(6)?.map(PathBuf::from),
                last_at: row.get(3)?,
                lines: row.get::<_, u32>(7)?.into(),
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

    /// Drops what nobody will ask for again, a little at a time: the briefs of this session's checkpoints before its
    /// latest compaction, and snapshots of sessions that have long been silent. Those are rebuilt from their transcripts.
    pub fn prune(&mut self, session: &str, now: i64) -> Result<(), StoreError> {
        let sql = "UPDATE checkpoint SET brief = NULL WHERE brief IS NOT NULL
            AND session = (SELECT no FROM session WHERE id = ?1)
            AND compaction < (SELECT compactions FROM gauge WHERE gauge.session = checkpoint.session)";
        self.connection.execute(sql, [session])?;
        let sql = "DELETE FROM snapshot WHERE session IN (SELECT snapshot.session FROM snapshot
            CROSS JOIN session ON session.no = snapshot.session WHERE session.last_at < ?1 LIMIT ?2)";
        self.connection.execute(sql, params![now - SILENT, PRUNED_AT_ONCE])?;
        Ok(())
    }

    /// The shape of a store that a newer version has made, and the one this version knows; `None` where it is ours.
    pub fn newer(&self) -> Result<Option<(usize, usize)>, StoreError> {
        let (found, known) = (schema::version(&self.connection)?, schema::STORE.steps.len());
        Ok((found > known).then_some((found, known)))
    }

    /// Whether the file is sound, in `SQLite`'s words.
    pub fn check(&self) -> Result<String, StoreError> {
        Ok(self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?)
    }
}

/// How far a session was read: the first four columns.
fn cursor(row: &Row) -> rusqlite::Result<Cursor> {
    Ok(Cursor {
        offset: row.get::<_, i64>(0)? as u64,
        line: row.get(1)?,
        head_len: row.get::<_, i64>(2)? as u64,
        head_hash: row.get::<_, i64>(3)? as u64,
    })
}

/// A session's row as it stands while we write. What is new is worked out here and written by number: one statement
/// that inserts or else updates, and tells the number, takes three times as long to prepare and a table of its own.
struct Present {
    no: i64,
    cursor: Cursor,
    generation: i64,
}

impl Present {
    fn read(connection: &Connection, session: &str) -> Result<Option<Present>, StoreError> {
        let sql = "SELECT offset, line, head_len, head_hash, generation, no FROM session WHERE id = ?1";
        let present = connection.prepare_cached(sql)?.query_row([session], |row| {
            Ok(Present { cursor: cursor(row)?, generation: row.get(4)?, no: row.get(5)? })
        });
        Ok(present.optional()?)
    }

    /// Takes `progress` in, and gives the session's number.
    fn go_on(&self, connection: &Connection, progress: &Progress) -> Result<i64, StoreError> {
        let is_further = progress.anew || progress.cursor.offset >= self.cursor.offset;
        let cursor = if is_further { &progress.cursor } else { &self.cursor };
        let sql =
            "UPDATE session SET transcript = ?2, cwd = coalesce(?3, cwd), last_at = ?4, generation = ?5,
                offset = ?6, line = ?7, head_len = ?8, head_hash = ?9 WHERE no = ?1";
        connection.prepare_cached(sql)?.execute(params![
            self.no,
            progress.transcript.to_string_lossy(),
            progress.cwd.map(Path::to_string_lossy),
            progress.now,
            self.generation + i64::from(progress.anew),
            cursor.offset as i64,
            cursor.line,
            cursor.head_len as i64,
            cursor.head_hash as i64,
        ])?;
        Ok(self.no)
    }
}

/// Two that meet a new session at once both read it from its start, so both count.
fn is_of_present_generation(present: Option<&Present>, progress: &Progress) -> bool {
    match present {
        Some(present) => present.generation == progress.generation.unwrap_or(0),
        None => progress.generation.is_none(),
    }
}

fn begin_session(connection: &Connection, progress: &Progress) -> Result<i64, StoreError> {
    let cursor = &progress.cursor;
    let sql = "INSERT INTO session (id, agent, transcript, cwd, offset, line, head_len, head_hash, first_at, last_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)";
    connection
        .prepare_cached(sql)?
        .insert(params![
            progress.session,
            progress.agent,
            progress.transcript.to_string_lossy(),
            progress.cwd.map(Path::to_string_lossy),
            cursor.offset as i64,
            cursor.line,
            cursor.head_len as i64,
            cursor.head_hash as i64,
            progress.now,
        ])
        .map_err(StoreError::from)
}

fn note_run(connection: &Connection, run: &HookRun) -> Result<(), StoreError> {
    let sql = "INSERT INTO hook_run (at, event, session, micros, problem) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut statement = connection.prepare_cached(sql)?;
    statement.execute(params![run.at, run.event, run.session, run.micros, run.problem])?;
    Ok(())
}

/// Adds rows to the index; gives the lines that were known already, by themselves or by the client's id, in order.
fn write_index<'a>(
    connection: &Connection,
    no: i64,
    rows: impl Iterator<Item = &'a IndexRow>,
) -> Result<Vec<u32>, StoreError> {
    let sql = "INSERT OR IGNORE INTO entry (session, line, id, kind, at) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut statement = connection.prepare_cached(sql)?;
    let mut known = Vec::new();
    for row in rows {
        let id = row.id.map(|id| id.0 as i64);
        if statement.execute(params![no, row.place.0, id, row.kind as i64, row.at])? == 0 {
            known.push(row.place.0);
        }
    }
    Ok(known)
}

/// Keeps the snapshot that reaches further; one that cannot be read reaches nowhere.
fn write_snapshot(
    connection: &Connection,
    no: i64,
    progress: &Progress,
    session: &Session,
) -> Result<(), StoreError> {
    let cursor = &progress.cursor;
    let packed = postcard::to_stdvec(cursor).ok().zip(snapshot::packed(cursor, session));
    let Some((cursor_bytes, body)) = packed else { return Ok(()) };
    let sql = "SELECT folded FROM snapshot WHERE session = ?1 AND format = ?2 AND folded > ?3";
    let further = connection.prepare_cached(sql)?.exists(params![no, FOLD_FORMAT, cursor.offset as i64])?;
    if further && snapshot::read(connection, progress.session, Extent::Whole)?.is_some() {
        return Ok(());
    }
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO snapshot (session, format, folded, cursor, body) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![no, FOLD_FORMAT, cursor.offset as i64, cursor_bytes, body])?;
    gauge::note_open_work(connection, no, session.tasks.open().len())
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

/// An empty file that only its owner can read; `SQLite` gives the files beside it the same rights.
pub(crate) fn make_private_file(path: &Path) -> Result<(), StoreError> {
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
