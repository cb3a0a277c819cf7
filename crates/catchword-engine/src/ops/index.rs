//! Records transcripts in the history.
//!
//! A transcript is read in batches, each recorded in one transaction with its cursor. A hook indexes one file until its
//! deadline; `catchword index` indexes all of them, with one reader per CPU and one writer, which is all that `SQLite`
//! allows. Both continue where the last one stopped, even if it was killed.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use thiserror::Error;

use super::recall;
use super::rows::{self, RowReader, Rows, unmasked};
use crate::archive::history::item::{ItemReader, TranscriptEnd};
use crate::archive::history::{Batch, History, TranscriptOwner, TranscriptSource};
use crate::archive::project;
use crate::clients::{self, Client, Owner};
use crate::redact::{Mask, SECRETS};
use crate::session::compactions::CompactionCounter;
use crate::store::{Store, StoreError};
use crate::transcript;
use crate::transcript::tail::{Cursor, Line, Tail};

/// Bytes of a transcript per batch. Larger batches leave fewer index segments to merge, but hold the lock longer: this
/// many bytes are some 200 items, written in about 10 ms, and the end of a turn waits for at most 200 ms.
const BATCH: u64 = 2 * 1024 * 1024;
/// The owner of a transcript is looked for in this many lines.
const OWNER_WITHIN: u32 = 50;
/// Batches queued for the writer. Bounds the memory.
const MAX_QUEUED_BATCHES: usize = 4;

/// Sessions that are brought up to date before a search.
const MAX_REFRESHED: usize = 30;

#[derive(Debug, Error)]
pub enum IndexError {
    #[error("cannot read {path}: {source}")]
    Transcript { path: PathBuf, source: io::Error },
    /// The history failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The result of indexing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Indexed {
    /// Transcripts that had something new.
    pub transcripts: usize,
    /// Bytes read.
    pub bytes: u64,
    /// Items recorded.
    pub items: usize,
    /// The end of every transcript was reached.
    pub whole: bool,
}

/// A transcript to index.
#[derive(Clone, Debug)]
pub struct FoundTranscript {
    pub path: PathBuf,
    /// Whose transcript it is.
    pub thread: TranscriptOwner,
    pub client: &'static Client,
    pub bytes: u64,
}

impl FoundTranscript {
    pub fn reader<'a>(&self, mask: &'a Mask) -> RowReader<'a> {
        RowReader { client: self.client, mask }
    }

    /// A transcript on disk; its rows say which client and session it belongs to.
    pub fn at(path: &Path, bytes: u64) -> io::Result<FoundTranscript> {
        // Which client wrote it, a fork says by itself.
        let client = rows::client_of(&mut recall::lines_of(path, SECRETS));
        Ok(FoundTranscript { path: path.to_owned(), thread: thread_of(client, path)?, client, bytes })
    }
}

/// Whose transcript a file is; if it does not say, a session with the file's name.
pub fn thread_of(client: &Client, path: &Path) -> io::Result<TranscriptOwner> {
    let mut owner = None;
    let lines = std::cell::Cell::new(0);
    let known = std::cell::Cell::new(false);
    Tail::open_alone(path)?.read(
        Cursor::default(),
        || lines.get() < OWNER_WITHIN && !known.get(),
        |line, _, content| {
            lines.set(line);
            if let Line::Whole(bytes) = content {
                owner = (client.owner)(path, bytes);
                known.set(owner.is_some());
            }
        },
    )?;
    let unnamed = || {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        TranscriptOwner { session: stem, subagent: String::new() }
    };
    let of = |owner: Owner| TranscriptOwner {
        session: owner.session,
        subagent: owner.subagent.unwrap_or_default(),
    };
    Ok(owner.map_or_else(unnamed, of))
}

/// The folder in which a transcript's session started, if its first rows say.
pub fn folder_of(client: &Client, path: &Path) -> io::Result<Option<PathBuf>> {
    let lines = std::cell::Cell::new(0);
    let folder = std::cell::RefCell::new(None);
    Tail::open(path, SECRETS)?.read(
        Cursor::default(),
        || lines.get() < OWNER_WITHIN && folder.borrow().is_none(),
        |line, _, content| {
            lines.set(line);
            // Unmasked, because settings and the file system use the real name.
            if let Ok(Some(entry)) = unmasked(client, line, &content) {
                *folder.borrow_mut() = entry.real_folder().map(Path::to_owned);
            }
        },
    )?;
    Ok(folder.into_inner())
}

/// Indexes what is new in one transcript until `in_time` returns false.
pub fn transcript(
    history: &mut History,
    reader: RowReader,
    thread: &TranscriptOwner,
    path: &Path,
    in_time: &dyn Fn() -> bool,
) -> Result<Indexed, IndexError> {
    let unreadable = |source| IndexError::Transcript { path: path.to_owned(), source };
    let mut indexed = Indexed::default();
    let tail = Tail::open(path, reader.mask).map_err(unreadable)?;
    let source = history.source(thread)?;
    if source.as_ref().is_some_and(|known| is_copy(known, path)) {
        return Ok(Indexed { whole: true, ..indexed });
    }
    let new = if source.is_none() { history.new_generation()? } else { 0 };
    let mut at = Stretch::after(source.as_ref(), &tail, new);
    while in_time() {
        let Some(batch) = at.next(reader, thread, path, &tail, in_time).map_err(unreadable)? else {
            indexed.whole = true;
            break;
        };
        if !history.advance(&batch)? {
            // Another process is indexing it.
            break;
        }
        indexed.add(&batch, at.bytes);
    }
    indexed.transcripts = usize::from(indexed.bytes > 0);
    Ok(indexed)
}

/// Indexes what is new in the sessions that hooks know and in their subagents, latest first: the history is only
/// brought up to date at the end of a turn. A transcript that cannot be read is skipped. A busy history ends it,
/// because the next transcript would have to wait as well.
pub fn refresh(
    history: &mut History,
    mask: &Mask,
    sessions: &[crate::store::SessionRow],
    in_time: &dyn Fn() -> bool,
) -> Result<(), StoreError> {
    for session in sessions.iter().take(MAX_REFRESHED) {
        if !in_time() {
            break;
        }
        let reader = RowReader { client: clients::recorded(&session.client), mask };
        let main = TranscriptOwner { session: session.id.clone(), subagent: String::new() };
        let subagents = history.subagents(&session.id)?.into_iter().map(|known| (known.thread, known.path));
        for (thread, path) in std::iter::once((main, session.transcript.clone())).chain(subagents) {
            match transcript(history, reader, &thread, &path, in_time) {
                Err(IndexError::Store(error)) => return Err(error),
                Err(IndexError::Transcript { .. }) | Ok(_) => {}
            }
        }
    }
    Ok(())
}

/// Records new notes of all sessions in the history; returns their number.
pub fn notes(history: &mut History, store: &Store) -> Result<usize, StoreError> {
    let mut new = 0;
    for session in store.noted_sessions()? {
        new += history.take_notes(&session, &store.numbered_notes(&session)?)?;
    }
    Ok(new)
}

/// Indexes what is new in all transcripts, oldest first, with `readers` threads, until `in_time` returns false. Calls
/// `progress` with the number of bytes of each batch. Returns totals, and the transcripts that could not be read.
pub fn transcripts(
    history: &mut History,
    mask: &Mask,
    found: &[FoundTranscript],
    readers: usize,
    in_time: &(dyn Fn() -> bool + Sync),
    progress: &dyn Fn(u64),
) -> Result<(Indexed, Vec<IndexError>), IndexError> {
    history.prepare_bulk()?;
    let known: HashMap<TranscriptOwner, TranscriptSource> = history
        .sources()?
        .into_iter()
        .filter(TranscriptSource::is_own)
        .map(|source| (source.thread.clone(), source))
        .collect();
    let found = without_copies(found, &known, progress);
    let (next, new) = (AtomicUsize::new(0), history.new_generation()?);
    let (mut indexed, mut problems) = (Indexed::default(), Vec::new());
    let mut touched: HashSet<TranscriptOwner> = HashSet::new();
    let mut stale: HashSet<TranscriptOwner> = HashSet::new();
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel::<Result<Read, IndexError>>(MAX_QUEUED_BATCHES);
        for _ in 0..readers.clamp(1, found.len().max(1)) {
            let (sender, known, found, next) = (sender.clone(), &known, &found, &next);
            scope.spawn(move || {
                while let Some(one) = found.get(next.fetch_add(1, Ordering::Relaxed)).filter(|_| in_time()) {
                    if let Err(source) = read(mask, one, (known.get(&one.thread), new), &sender, in_time) {
                        let path = one.path.clone();
                        let _ = sender.send(Err(IndexError::Transcript { path, source }));
                    }
                }
            });
        }
        drop(sender);
        // An error drops the receiver, which ends the readers.
        for read in receiver {
            let Read { batch, bytes } = match read {
                Ok(read) => read,
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            };
            if history.advance(&batch)? {
                indexed.add(&batch, bytes);
                touched.insert(batch.thread.clone());
            } else {
                stale.insert(batch.thread.clone());
            }
            progress(bytes);
        }
        Ok::<_, IndexError>(())
    })?;
    // Another process advanced these in the meantime: index the rest one by one.
    for one in found.iter().filter(|one| stale.contains(&one.thread)) {
        let more = transcript(history, one.reader(mask), &one.thread, &one.path, in_time)?;
        indexed.bytes += more.bytes;
        indexed.items += more.items;
        touched.insert(one.thread.clone());
    }
    history.find_missing_fixes(&|| in_time())?;
    indexed.transcripts = touched.len();
    indexed.whole = in_time();
    history.tidy()?;
    Ok((indexed, problems))
}

/// Whether a transcript is a copy: it is recorded under another path that still exists. If both were indexed, they
/// would replace each other forever.
fn is_copy(known: &TranscriptSource, path: &Path) -> bool {
    known.path != path && transcript::is_there(&known.path)
}

/// Each thread once; oldest first, so that newer items get higher numbers.
fn without_copies<'a>(
    found: &'a [FoundTranscript],
    known: &HashMap<TranscriptOwner, TranscriptSource>,
    progress: &dyn Fn(u64),
) -> Vec<&'a FoundTranscript> {
    let mut seen = HashSet::new();
    found
        .iter()
        .filter(|one| {
            let copy = known.get(&one.thread).is_some_and(|known| is_copy(known, &one.path));
            let fresh = !copy && seen.insert(&one.thread);
            if !fresh {
                progress(one.bytes);
            }
            fresh
        })
        .collect()
}

impl Indexed {
    fn add(&mut self, batch: &Batch, bytes: u64) {
        self.bytes += bytes;
        self.items += batch.items.len();
    }
}

/// A batch queued for the writer.
struct Read {
    batch: Batch,
    bytes: u64,
}

fn read(
    mask: &Mask,
    one: &FoundTranscript,
    (known, new): (Option<&TranscriptSource>, i64),
    to: &SyncSender<Result<Read, IndexError>>,
    in_time: &(dyn Fn() -> bool + Sync),
) -> io::Result<()> {
    let tail = Tail::open(&one.path, mask)?;
    let mut at = Stretch::after(known, &tail, new);
    while let Some(batch) = at.next(one.reader(mask), &one.thread, &one.path, &tail, &|| in_time())? {
        if to.send(Ok(Read { batch, bytes: at.bytes })).is_err() || !in_time() {
            break;
        }
    }
    Ok(())
}

/// The position in a transcript at which the next batch begins.
struct Stretch {
    from: Option<(u64, i64)>,
    anew: bool,
    generation: i64,
    cursor: Cursor,
    turn: TranscriptEnd,
    counter: CompactionCounter,
    /// Its project is known.
    is_keyed: bool,
    /// Size of the latest batch.
    bytes: u64,
}

impl Stretch {
    /// After what is known; `new` is the generation of a transcript that is not.
    fn after(known: Option<&TranscriptSource>, tail: &Tail, new: i64) -> Stretch {
        let from = known.map(|known| (known.cursor.offset, known.generation));
        match known.filter(|known| tail.holds(&known.cursor)) {
            Some(known) => Stretch {
                from,
                anew: false,
                generation: known.generation,
                cursor: known.cursor,
                turn: known.turn,
                counter: known.counter.clone(),
                is_keyed: known.project_key.is_some(),
                bytes: 0,
            },
            None => Stretch {
                from,
                anew: known.is_some(),
                generation: known.map_or(new, |known| known.generation + 1),
                cursor: Cursor::default(),
                turn: TranscriptEnd::default(),
                counter: CompactionCounter::default(),
                is_keyed: false,
                bytes: 0,
            },
        }
    }

    /// The next batch; `None` if there is nothing new.
    fn next(
        &mut self,
        reader: RowReader,
        thread: &TranscriptOwner,
        path: &Path,
        tail: &Tail,
        in_time: &dyn Fn() -> bool,
    ) -> io::Result<Option<Batch>> {
        let mut items = ItemReader::from(self.turn, self.counter.clone());
        let mut rows = Rows::after(reader, tail, self.cursor);
        let end = self.cursor.offset + BATCH;
        let at = std::cell::Cell::new(self.cursor.offset);
        let cursor = tail.read(
            self.cursor,
            || at.get() < end && in_time(),
            |line, offset, content| {
                at.set(offset);
                if let Ok(Some(entry)) = rows.understood(line, offset, &content) {
                    items.take(&entry);
                }
            },
        )?;
        if cursor.offset == self.cursor.offset && !self.anew {
            return Ok(None);
        }
        let ItemReader { items, answers, tally, .. } = items;
        self.bytes = cursor.offset - self.cursor.offset;
        // Once per transcript: its first rows again, and the repository's settings.
        let folder = if self.is_keyed { None } else { folder_of(reader.client, path)? };
        let project_key = folder.map(|folder| project::key(&folder));
        self.is_keyed |= project_key.is_some();
        let batch = Batch {
            thread: thread.clone(),
            client: reader.client.name,
            path: path.to_owned(),
            from: self.from,
            anew: self.anew,
            generation: self.generation,
            cursor,
            items,
            answers,
            tally,
            project_key,
        };
        (self.from, self.anew, self.cursor) = (Some((cursor.offset, self.generation)), false, cursor);
        (self.turn, self.counter) = (batch.tally.turn, batch.tally.counter.clone());
        Ok(Some(batch))
    }
}
