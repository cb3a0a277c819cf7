//! What catchword keeps: one `SQLite` file in the data directory.
//!
//! **Writing.** The transcript is the truth. The store contains how far it was read (the cursor), an index of its
//! entries, the folded session (a snapshot) and what was said at each compaction (`compaction`). Cursor, index and
//! snapshot move in one transaction, so reading twice records once.
//! **Locking.** Hooks run in parallel. Lines are read and folded outside the transaction; the transaction itself is
//! short, takes the write lock at once (`BEGIN IMMEDIATE`: upgrading a read to a write fails under load) and waits for
//! it for a bounded time. Two passes over the same rows agree on them; a pass over a transcript that was replaced
//! meanwhile has another generation, and its result is dropped.
//! **Compatibility.** A file with an older schema is set aside and rebuilt, one with a newer schema is used as far as
//! this version knows it (`schema`). A snapshot of another fold is ignored and rebuilt.
//! **Performance.** WAL without an fsync per commit; checkpoints are left to quiet moments, and in a turn that has none
//! for hours happen about every sixty ticks. Losing the last commits in a power cut loses nothing: they are read again
//! from the transcript.
//! **Damage.** A file that is not a database, or a broken one, is set aside under another name and replaced by a new one,
//! on opening or when the damage is found later (`damage`).

mod active;
mod acts;
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
mod told;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, TransactionBehavior, params};
use thiserror::Error;

use crate::clients::strangers::CALLERS;
use crate::context::Mark;
use crate::fixes::ActRow;
use crate::model::entry::{EntryId, Place};
use crate::session::Session;
use crate::transcript::tail::Cursor;
pub use compaction::{Ending, Given, StoredCompaction, UnderWay};
use damage::FileId;
pub use damage::SET_ASIDE;
pub use delivery::{GivenBack, Late, Missing, Recorded, Sign, Untold};
pub use forget::Trace;
pub use gauge::{Checkpoint, Gauged};
pub use presence::{Held, Holder, Neighbour, PresenceStep};
pub use told::{Telling, ToldKind, ToldRow};

/// Version of the fold; raised whenever [`Session`] changes shape or meaning, so that old snapshots are
/// rebuilt instead of misread.
const FOLD_FORMAT: u32 = 58;
/// Pages the write-ahead log may have before a tick checkpoints it. The first process to open a store reads the whole
/// log, and that is usually a hook: without a limit, a tick in a turn of 1,500 tool calls took 13 ms instead of 2.6.
/// One tick in sixty pays for it, with 5 to 15 ms.
const LOG_PAGES: u32 = 256;
/// A session that was inactive for this long, in milliseconds, keeps no snapshot.
const SILENT: i64 = 90 * 24 * 3_600_000;
/// Snapshots dropped at the end of one turn.
const PRUNED_AT_ONCE: i64 = 20;
/// Hook runs that are kept for `doctor`.
const RUNS_KEPT: i64 = 500;

/// Why the store could not be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The folder cannot be created or written.
    #[error("cannot use the data directory {path}: {source}")]
    Folder { path: PathBuf, source: std::io::Error },
    /// The schema of the file is older than ours.
    #[error("the database was made by an older catchword (schema {found}, this one uses {known})")]
    Outdated { found: u32, known: u32 },
    /// `SQLite` refused.
    #[error("store: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

impl StoreError {
    /// Another process held the lock for longer than we wait.
    pub fn is_busy(&self) -> bool {
        let StoreError::Sqlite(error) = self else { return false };
        matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }
}

/// Whether `SQLite` failed to write a file: usually because the disk is full.
pub fn is_failed_write(error: &(dyn std::error::Error + 'static)) -> bool {
    use rusqlite::ffi;
    const CODES: [i32; 5] = [
        ffi::SQLITE_FULL,
        ffi::SQLITE_IOERR_WRITE,
        ffi::SQLITE_IOERR_TRUNCATE,
        ffi::SQLITE_IOERR_FSYNC,
        // The file beside the database by which processes share it.
        ffi::SQLITE_IOERR_SHMSIZE,
    ];
    let error = error.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error);
    error.is_some_and(|error| CODES.contains(&error.extended_code))
}

/// Tables whose rows no transcript has.
const NOT_IN_TRANSCRIPTS: &[&str] = &["note", "registered", "told"];

/// An open store.
pub struct Store {
    connection: Connection,
    path: PathBuf,
    patience: Duration,
    file: FileId,
    replaced: Option<String>,
}

/// What is known of a session without unpacking its snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionKnown {
    /// How far its transcript is indexed.
    pub cursor: Cursor,
    /// Offset up to which the stored snapshot is folded; 0 if this version cannot read it.
    pub folded: u64,
    /// How often its transcript was replaced.
    pub generation: i64,
    /// Something may be pending for the agent: a brief not known to have arrived, or what was found after it.
    pub awaits: bool,
}

/// An entry of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexRow {
    pub place: Place,
    /// The client's id.
    pub id: Option<EntryId>,
    pub kind: RowKind,
}

/// What an index row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// Any other row of the conversation.
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

/// The result of a pass over the transcript.
pub struct PassProgress<'a> {
    pub session: &'a str,
    pub client: &'a str,
    pub transcript: &'a Path,
    /// The agent's working directory.
    pub cwd: Option<&'a Path>,
    pub now: i64,
    /// The generation this pass started from; `None` if the session was not known.
    pub generation: Option<i64>,
    /// The transcript was replaced: delete what is stored of it.
    pub anew: bool,
    /// How far the transcript is read now.
    pub cursor: Cursor,
    /// New index rows.
    pub rows: &'a [IndexRow],
    /// What new rows say about the context.
    pub marks: &'a [Mark],
    /// What they say about compactions and briefs, with their lines.
    pub signs: &'a [(Place, Sign)],
    /// New calls, and earlier ones that have their answer now.
    pub acts: &'a [ActRow],
    /// What happened since the agent was told something, each with the line up to which that was known before.
    pub followed: &'a [(Place, ToldRow)],
    /// The session folded up to `cursor`.
    pub folded: Option<&'a Session>,
}

/// A session in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    pub id: String,
    /// The name of its client.
    pub client: String,
    pub transcript: PathBuf,
    /// The agent's working directory.
    pub cwd: Option<PathBuf>,
    /// The root of its work tree, or its first folder, if a hook reported its start or end.
    pub project: Option<PathBuf>,
    /// Entries in the index.
    pub entries: u64,
    /// Lines read of its transcript.
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
    pub session: String,
    pub micros: i64,
    /// What went wrong.
    pub problem: Option<String>,
}

impl Store {
    /// Opens the store in `folder`, creating both if missing. A damaged or outdated file is set aside.
    pub fn open(folder: &Path, now: i64, patience: Duration) -> Result<Store, StoreError> {
        make_private_folder(folder)?;
        let path = folder.join("catchword.db");
        let open = || Store::open_file(&path, patience);
        let (store, set_aside) = damage::open_or_replace(&path, now, &schema::STORE, open)?;
        if let Some(set_aside) = &set_aside {
            damage::take_over(&store.connection, &set_aside.kept, NOT_IN_TRANSCRIPTS)?;
        }
        Ok(Store { replaced: set_aside.map(|set_aside| set_aside.why), ..store })
    }

    /// An in-memory store for when no other can be opened: a brief needs a store, but not its contents.
    pub fn for_now() -> Result<Store, StoreError> {
        let mut connection = Connection::open_in_memory()?;
        schema::create(&mut connection, &schema::STORE, Duration::ZERO)?;
        let (path, file) = (PathBuf::new(), FileId::of(Path::new("")));
        Ok(Store { connection, path, patience: Duration::ZERO, file, replaced: None })
    }

    /// Whether what is stored outlives this process.
    pub fn lasts(&self) -> bool {
        !self.path.as_os_str().is_empty()
    }

    /// Opens the store for reading; `None` if there is none yet.
    pub fn open_existing(folder: &Path, patience: Duration) -> Result<Option<Store>, StoreError> {
        let path = folder.join("catchword.db");
        if !path.exists() {
            return Ok(None);
        }
        Store::open_file(&path, patience).map(Some)
    }

    /// Replaces this damaged store by a new one and keeps the damaged file beside it.
    pub fn begin_anew(&mut self, now: i64) -> Result<(), StoreError> {
        // Close the file before renaming it: not every system can rename an open file.
        self.connection = Connection::open_in_memory()?;
        let kept = damage::set_aside(&self.path, &self.file, now, &schema::STORE)?;
        *self = Store::open_file(&self.path, self.patience)?;
        if let Some(kept) = kept {
            damage::take_over(&self.connection, &kept, NOT_IN_TRANSCRIPTS)?;
        }
        Ok(())
    }

    /// Why opening this file replaced another one, and where the old one is; for the log.
    pub fn replaced(&self) -> Option<&str> {
        self.replaced.as_deref()
    }

    fn open_file(path: &Path, patience: Duration) -> Result<Store, StoreError> {
        make_private_file(path)?;
        let file = FileId::of(path);
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(patience)?;
        connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
        schema::create(&mut connection, &schema::STORE, patience)?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        Ok(Store { connection, path: path.to_owned(), patience, file, replaced: None })
    }

    pub fn known(&self, session: &str) -> Result<Option<SessionKnown>, StoreError> {
        // Subqueries, because planning a join takes longer than running it.
        let sql = "SELECT offset, line, head_len, head_hash, generation,
                (SELECT folded FROM snapshot WHERE snapshot.session = no AND format = ?2),
                EXISTS (SELECT 1 FROM compaction c WHERE c.session = no AND
                    (c.brief IS NOT NULL AND c.arrived_by IS NULL AND c.resent_at IS NULL
                        OR c.late IS NOT NULL AND c.late_at IS NULL))
            FROM session WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let known = statement.query_row(params![session, FOLD_FORMAT], |row| {
            Ok(SessionKnown {
                cursor: cursor(row)?,
                generation: row.get(4)?,
                folded: row.get::<_, Option<i64>>(5)?.unwrap_or(0) as u64,
                awaits: row.get(6)?,
            })
        });
        Ok(known.optional()?)
    }

    /// The folded session and how far it reaches, if this version can read it.
    pub fn snapshot(&self, session: &str) -> Result<Option<(Cursor, Session)>, StoreError> {
        snapshot::read(&self.connection, session)
    }

    /// Stores the result of a pass over the transcript, in one transaction. If another process has got further
    /// meanwhile, its cursor stays; rows count once by line and by id. If another process has found the transcript
    /// replaced, or has forgotten the session, the result is dropped: the next pass reads again. Returns the gauge if
    /// new rows moved it.
    pub fn advance(&mut self, progress: &PassProgress) -> Result<Option<Gauged>, StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let present = PresentRow::read(&transaction, progress.session)?;
        if !is_of_present_generation(present.as_ref(), progress) {
            return Ok(None);
        }
        // Lines that another process has read meanwhile.
        let read = present.as_ref().filter(|_| !progress.anew).map_or(0, |present| present.cursor.line);
        let no = match present {
            Some(present) => present.in_time(&transaction, progress)?,
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
        let is_act = |act: &&ActRow| act.until().is_some_and(|until| until.0 > read) || is_new(act.place);
        let mut acts = progress.acts.iter().filter(is_act);
        acts::write(&transaction, no, &mut acts, progress.cursor.line, progress.anew)?;
        for (before, told) in progress.followed {
            told::follow(&transaction, *before, told)?;
        }
        if let Some(session) = progress.folded {
            write_snapshot(&transaction, no, progress, session)?;
        }
        transaction.commit()?;
        Ok(gauged)
    }

    /// Records a hook run.
    pub fn ran(&mut self, run: &HookRun) -> Result<(), StoreError> {
        note_run(&self.connection, run)
    }

    /// The same for a hook of a compaction, and adds its time to the compaction's.
    pub fn ran_in_compaction(&mut self, run: &HookRun) -> Result<(), StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        note_run(&transaction, run)?;
        compaction::took(&transaction, &run.session, run.micros, run.at)?;
        transaction.commit()?;
        Ok(())
    }

    /// Counts a call of a program that is not supported.
    pub fn stranger_called(&mut self, caller: &str, now: i64) -> Result<(), StoreError> {
        let number = CALLERS.iter().position(|known| *known == caller).unwrap_or(0) as i64;
        let sql = "INSERT INTO stranger (caller, calls, last_at) VALUES (?1, 1, ?2)
            ON CONFLICT (caller) DO UPDATE SET calls = calls + 1, last_at = ?2";
        self.connection.execute(sql, params![number, now])?;
        Ok(())
    }

    /// Programs that are not supported and called: how often, and when last.
    pub fn strangers(&self) -> Result<Vec<(&'static str, u64, i64)>, StoreError> {
        let mut statement =
            self.connection.prepare("SELECT caller, calls, last_at FROM stranger ORDER BY caller")?;
        let rows = statement.query_map([], |row| {
            let caller = CALLERS.get(row.get::<_, i64>(0)? as usize).unwrap_or(&CALLERS[0]);
            Ok((*caller, row.get::<_, i64>(1)?.unsigned_abs(), row.get(2)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
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
    pub fn sessions(&self) -> Result<Vec<SessionRow>, StoreError> {
        let sql = "SELECT id, transcript, cwd, last_at,
                (SELECT count(*) FROM entry WHERE entry.session = no),
                (SELECT count(*) FROM compaction WHERE compaction.session = session.no AND ended_at IS NOT NULL),
                (SELECT project FROM presence WHERE presence.session = id), line, client
            FROM session ORDER BY last_at DESC, no DESC";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| {
            Ok(SessionRow {
                id: row.get(0)?,
                client: row.get(8)?,
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

    /// Work for quiet moments: checkpoints the log and deletes old hook runs.
    pub fn tidy(&mut self) -> Result<(), StoreError> {
        self.connection
            .execute("DELETE FROM hook_run WHERE no <= (SELECT max(no) FROM hook_run) - ?1", [RUNS_KEPT])?;
        self.connection.pragma_update(None, "wal_checkpoint", "PASSIVE").or_else(|error| match error {
            rusqlite::Error::ExecuteReturnedResults => Ok(()),
            other => Err(other),
        })?;
        Ok(())
    }

    /// Closes the store without a checkpoint, which is left to [`Self::tidy`]: closing the last connection would
    /// otherwise move the log into the file and delete it.
    pub fn close_leaving_log(self) {
        // If refused, closing only takes longer.
        let _ = self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    }

    /// Drops snapshots of sessions that were inactive for long, a few at a time. They are rebuilt from their
    /// transcripts.
    pub fn prune(&mut self, now: i64) -> Result<(), StoreError> {
        let sql = "DELETE FROM snapshot WHERE session IN (SELECT snapshot.session FROM snapshot
            CROSS JOIN session ON session.no = snapshot.session WHERE session.last_at < ?1 LIMIT ?2)";
        self.connection.execute(sql, params![now - SILENT, PRUNED_AT_ONCE])?;
        let sql = "DELETE FROM act WHERE session IN (SELECT no FROM session WHERE last_at < ?1)";
        self.connection.execute(sql, [now - SILENT])?;
        Ok(())
    }

    /// The store's schema and ours, if a newer version created it; `None` if it has ours.
    pub fn newer(&self) -> Result<Option<(u32, u32)>, StoreError> {
        let (found, known) = (schema::version(&self.connection)?, schema::STORE.version);
        Ok((found > known).then_some((found, known)))
    }

    /// `SQLite`'s integrity check, in its own words.
    pub fn check(&self) -> Result<String, StoreError> {
        Ok(self.connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?)
    }
}

/// A session's cursor, from the first four columns.
fn cursor(row: &Row) -> rusqlite::Result<Cursor> {
    Ok(Cursor {
        offset: row.get::<_, i64>(0)? as u64,
        line: row.get(1)?,
        head_len: row.get::<_, i64>(2)? as u64,
        head_hash: row.get::<_, i64>(3)? as u64,
    })
}

/// A session's current row. We decide here whether to insert or update: one upsert that also returns the number takes
/// three times as long to prepare and a table of its own.
struct PresentRow {
    no: i64,
    cursor: Cursor,
    generation: i64,
}

impl PresentRow {
    fn read(connection: &Connection, session: &str) -> Result<Option<PresentRow>, StoreError> {
        let sql = "SELECT offset, line, head_len, head_hash, generation, no FROM session WHERE id = ?1";
        let present = connection.prepare_cached(sql)?.query_row([session], |row| {
            Ok(PresentRow { cursor: cursor(row)?, generation: row.get(4)?, no: row.get(5)? })
        });
        Ok(present.optional()?)
    }

    /// Updates the row with `progress` and returns the session's number.
    fn in_time(&self, connection: &Connection, progress: &PassProgress) -> Result<i64, StoreError> {
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

/// Two passes that find a new session at the same time both read it from its start, so both count.
fn is_of_present_generation(present: Option<&PresentRow>, progress: &PassProgress) -> bool {
    match present {
        Some(present) => present.generation == progress.generation.unwrap_or(0),
        None => progress.generation.is_none(),
    }
}

fn begin_session(connection: &Connection, progress: &PassProgress) -> Result<i64, StoreError> {
    let cursor = &progress.cursor;
    let sql = "INSERT INTO session (id, client, transcript, cwd, offset, line, head_len, head_hash, last_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    connection
        .prepare_cached(sql)?
        .insert(params![
            progress.session,
            progress.client,
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

/// Adds rows to the index; returns the lines that were known already, by line or by the client's id, in order.
fn write_index<'a>(
    connection: &Connection,
    no: i64,
    rows: impl Iterator<Item = &'a IndexRow>,
) -> Result<Vec<u32>, StoreError> {
    let sql = "INSERT OR IGNORE INTO entry (session, line, id, kind) VALUES (?1, ?2, ?3, ?4)";
    let mut statement = connection.prepare_cached(sql)?;
    let mut known = Vec::new();
    for row in rows {
        let id = row.id.map(|id| id.0 as i64);
        if statement.execute(params![no, row.place.0, id, row.kind as i64])? == 0 {
            known.push(row.place.0);
        }
    }
    Ok(known)
}

/// Keeps the snapshot that reaches further; an unreadable one does not count.
fn write_snapshot(
    connection: &Connection,
    no: i64,
    progress: &PassProgress,
    session: &Session,
) -> Result<(), StoreError> {
    let cursor = &progress.cursor;
    let Some(body) = snapshot::packed(cursor, session) else { return Ok(()) };
    let sql = "SELECT folded FROM snapshot WHERE session = ?1 AND format = ?2 AND folded > ?3";
    let further = connection.prepare_cached(sql)?.exists(params![no, FOLD_FORMAT, cursor.offset as i64])?;
    if further && snapshot::read(connection, progress.session)?.is_some() {
        return Ok(());
    }
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO snapshot (session, format, folded, body) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![no, FOLD_FORMAT, cursor.offset as i64, body])?;
    gauge::note_open_work(connection, no, session.tasks.open().len())
}

/// Creates a folder that only its owner can open.
pub fn make_private_folder(path: &Path) -> Result<(), StoreError> {
    if let Ok(found) = path.metadata()
        && found.is_dir()
    {
        close_to_others(path, &found);
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|source| StoreError::Folder { path: path.to_owned(), source })
}

/// A folder made by hand, or copied, may be open to others. If we may not change its permissions, it is used as it is.
#[cfg(unix)]
fn close_to_others(path: &Path, found: &std::fs::Metadata) {
    use std::os::unix::fs::PermissionsExt;
    if found.permissions().mode() & 0o077 != 0 {
        let _ = std::fs::set_permissions(path, PermissionsExt::from_mode(0o700));
    }
}

#[cfg(not(unix))]
fn close_to_others(_path: &Path, _found: &std::fs::Metadata) {}

/// Creates an empty file that only its owner can read; `SQLite` gives the files beside it the same permissions.
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
