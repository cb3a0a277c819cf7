//! Takes transcripts into the history.
//!
//! A transcript is read in stretches, each recorded in one transaction with its cursor. A hook does one file for as
//! long as it has time; `catchword index` does all of them, with a reader on every processor and one writer, which is
//! all that `SQLite` allows. Both go on where the last one stopped, however that ended.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use thiserror::Error;

use super::rows::understood;
use crate::agent::{Agent, Owner};
use crate::history::item::{Reader, Turn};
use crate::history::{Batch, History, Source, Thread};
use crate::store::{Store, StoreError};
use crate::transcript::tail::{Cursor, Line, Tail};

/// Bytes of a transcript that make a batch. Larger ones leave fewer pieces of the index to merge, but hold the lock
/// longer: this many are some 200 items, written in about 10 ms, and the end of a turn waits for 200.
const BATCH: u64 = 2 * 1024 * 1024;
/// Lines in which the owner of a transcript is looked for.
const OWNER_WITHIN: u32 = 50;
/// Batches that wait for the writer: what bounds the memory.
const WAITING: usize = 4;

/// Sessions whose transcripts are looked at before a search.
const REFRESHED: usize = 30;

/// Why a transcript could not be taken in.
#[derive(Debug, Error)]
pub enum IndexError {
    /// It cannot be read.
    #[error("cannot read {path}: {source}")]
    Transcript {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The history refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What was taken in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Indexed {
    /// Transcripts that had something new.
    pub transcripts: usize,
    /// Bytes read.
    pub bytes: u64,
    /// Items recorded.
    pub items: usize,
    /// Everything that was there is in.
    pub whole: bool,
}

/// A transcript to take in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where it lies.
    pub path: PathBuf,
    /// Whose it is.
    pub thread: Thread,
    /// Its size.
    pub bytes: u64,
}

/// Whose a transcript is; a file that does not tell belongs to a session of its own name.
pub fn thread_of(agent: &Agent, path: &Path) -> io::Result<Thread> {
    let mut owner = None;
    let lines = std::cell::Cell::new(0);
    let known = std::cell::Cell::new(false);
    Tail::open(path)?.read(
        Cursor::default(),
        || lines.get() < OWNER_WITHIN && !known.get(),
        |line, _, content| {
            lines.set(line);
            if let Line::Whole(bytes) = content {
                owner = (agent.owner)(path, bytes);
                known.set(owner.is_some());
            }
        },
    )?;
    let unnamed = || {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Thread { session: stem, subagent: String::new() }
    };
    let of = |owner: Owner| Thread { session: owner.session, subagent: owner.subagent.unwrap_or_default() };
    Ok(owner.map_or_else(unnamed, of))
}

/// The folder a transcript's session began in, where its first rows tell.
pub fn folder_of(agent: &Agent, path: &Path) -> io::Result<Option<PathBuf>> {
    let lines = std::cell::Cell::new(0);
    let folder = std::cell::RefCell::new(None);
    Tail::open(path)?.read(
        Cursor::default(),
        || lines.get() < OWNER_WITHIN && folder.borrow().is_none(),
        |line, offset, content| {
            lines.set(line);
            if let Ok(Some(entry)) = understood(agent, line, offset, &content) {
                *folder.borrow_mut() = entry.cwd.as_deref().map(PathBuf::from);
            }
        },
    )?;
    Ok(folder.into_inner())
}

/// Takes in what is new in one transcript, until `go_on` says no.
pub fn transcript(
    history: &mut History,
    agent: &Agent,
    thread: &Thread,
    path: &Path,
    go_on: &dyn Fn() -> bool,
) -> Result<Indexed, IndexError> {
    let unreadable = |source| IndexError::Transcript { path: path.to_owned(), source };
    let mut indexed = Indexed::default();
    let tail = Tail::open(path).map_err(unreadable)?;
    let source = history.source(thread)?;
    if source.as_ref().is_some_and(|known| is_copy(known, path)) {
        return Ok(Indexed { whole: true, ..indexed });
    }
    let mut at = Stretch::after(source.as_ref(), &tail);
    while go_on() {
        let Some(batch) = at.next(agent, thread, path, &tail, go_on).map_err(unreadable)? else {
            indexed.whole = true;
            break;
        };
        if !history.advance(&batch)? {
            // Another process is at it.
            break;
        }
        indexed.add(&batch, at.bytes);
    }
    indexed.transcripts = usize::from(indexed.bytes > 0);
    Ok(indexed)
}

/// Takes in what has come since in the sessions that hooks know, latest first: between two ends of a turn the history
/// lags behind. What cannot be read or is held by another process is left for the next time.
pub fn refresh(
    history: &mut History,
    agent: &Agent,
    sessions: &[crate::store::Listed],
    go_on: &dyn Fn() -> bool,
) -> Result<(), StoreError> {
    for session in sessions.iter().take(REFRESHED) {
        if !go_on() {
            break;
        }
        let thread = Thread { session: session.id.clone(), subagent: String::new() };
        match transcript(history, agent, &thread, &session.transcript, go_on) {
            Err(IndexError::Store(error)) if !error.is_busy() => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Takes in the notes of every session that has some and is in the history; how many were new.
pub fn notes(history: &mut History, store: &Store) -> Result<usize, StoreError> {
    let mut new = 0;
    for session in store.noted_sessions()? {
        new += history.take_notes(&session, &store.numbered_notes(&session)?)?;
    }
    Ok(new)
}

/// What happens while many are taken in.
pub trait Watch: Sync {
    /// That many bytes more are in.
    fn bytes(&self, more: u64);
    /// A transcript could not be taken in.
    fn problem(&self, problem: IndexError);
}

/// Takes in what is new in all of them, oldest first, with `readers` threads, until `go_on` says no.
pub fn transcripts(
    history: &mut History,
    agent: &Agent,
    found: &[Found],
    readers: usize,
    go_on: &(dyn Fn() -> bool + Sync),
    watch: &dyn Watch,
) -> Result<Indexed, IndexError> {
    history.expect_many()?;
    let known: HashMap<Thread, Source> =
        history.sources()?.into_iter().map(|source| (source.thread.clone(), source)).collect();
    let found = without_copies(found, &known, watch);
    let next = AtomicUsize::new(0);
    let mut indexed = Indexed::default();
    let mut touched: HashSet<Thread> = HashSet::new();
    let mut stale: HashSet<Thread> = HashSet::new();
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel::<Read>(WAITING);
        for _ in 0..readers.clamp(1, found.len().max(1)) {
            let (sender, known, found, next) = (sender.clone(), &known, &found, &next);
            scope.spawn(move || {
                while let Some(one) = found.get(next.fetch_add(1, Ordering::Relaxed)).filter(|_| go_on()) {
                    if let Err(source) = read(agent, one, known.get(&one.thread), &sender, go_on) {
                        watch.problem(IndexError::Transcript { path: one.path.clone(), source });
                    }
                }
            });
        }
        drop(sender);
        // The receiver goes with an error, and the readers end.
        for Read { batch, bytes } in receiver {
            if history.advance(&batch)? {
                indexed.add(&batch, bytes);
                touched.insert(batch.thread.clone());
            } else {
                stale.insert(batch.thread.clone());
            }
            watch.bytes(bytes);
        }
        Ok::<_, IndexError>(())
    })?;
    // Somebody else recorded these meanwhile: what is left of them, one by one.
    for one in found.iter().filter(|one| stale.contains(&one.thread)) {
        let more = transcript(history, agent, &one.thread, &one.path, go_on)?;
        indexed.bytes += more.bytes;
        indexed.items += more.items;
        touched.insert(one.thread.clone());
    }
    indexed.transcripts = touched.len();
    indexed.whole = go_on();
    history.tidy()?;
    Ok(indexed)
}

/// A transcript that is recorded under another path, where it still lies, is a copy: taken in, the two would drive each
/// other out for ever.
fn is_copy(known: &Source, path: &Path) -> bool {
    known.path != path && known.path.exists()
}

/// Each thread once; oldest first, so that newer items get higher numbers.
fn without_copies<'a>(
    found: &'a [Found],
    known: &HashMap<Thread, Source>,
    watch: &dyn Watch,
) -> Vec<&'a Found> {
    let mut seen = HashSet::new();
    found
        .iter()
        .filter(|one| {
            let copy = known.get(&one.thread).is_some_and(|known| is_copy(known, &one.path));
            let fresh = !copy && seen.insert(&one.thread);
            if !fresh {
                watch.bytes(one.bytes);
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

/// A batch on its way to the writer.
struct Read {
    batch: Batch,
    bytes: u64,
}

fn read(
    agent: &Agent,
    one: &Found,
    known: Option<&Source>,
    to: &SyncSender<Read>,
    go_on: &(dyn Fn() -> bool + Sync),
) -> io::Result<()> {
    let tail = Tail::open(&one.path)?;
    let mut at = Stretch::after(known, &tail);
    while let Some(batch) = at.next(agent, &one.thread, &one.path, &tail, &|| go_on())? {
        if to.send(Read { batch, bytes: at.bytes }).is_err() || !go_on() {
            break;
        }
    }
    Ok(())
}

/// Where the next batch of a transcript begins.
struct Stretch {
    from: Option<(u64, i64)>,
    anew: bool,
    cursor: Cursor,
    turn: Turn,
    /// Bytes of the latest batch.
    bytes: u64,
}

impl Stretch {
    fn after(known: Option<&Source>, tail: &Tail) -> Stretch {
        let from = known.map(|known| (known.cursor.offset, known.generation));
        match known.filter(|known| tail.holds(&known.cursor)) {
            Some(known) => Stretch { from, anew: false, cursor: known.cursor, turn: known.turn, bytes: 0 },
            None => Stretch {
                from,
                anew: known.is_some(),
                cursor: Cursor::default(),
                turn: Turn::default(),
                bytes: 0,
            },
        }
    }

    /// The next batch; `None` when nothing is new.
    fn next(
        &mut self,
        agent: &Agent,
        thread: &Thread,
        path: &Path,
        tail: &Tail,
        go_on: &dyn Fn() -> bool,
    ) -> io::Result<Option<Batch>> {
        let mut reader = Reader::from(self.turn);
        let end = self.cursor.offset + BATCH;
        let at = std::cell::Cell::new(self.cursor.offset);
        let cursor = tail.read(
            self.cursor,
            || at.get() < end && go_on(),
            |line, offset, content| {
                at.set(offset);
                if let Ok(Some(entry)) = understood(agent, line, offset, &content) {
                    reader.take(&entry);
                }
            },
        )?;
        if cursor.offset == self.cursor.offset && !self.anew {
            return Ok(None);
        }
        let Reader { items, answers, tally, .. } = reader;
        self.bytes = cursor.offset - self.cursor.offset;
        let batch = Batch {
            thread: thread.clone(),
            agent: agent.name,
            path: path.to_owned(),
            from: self.from,
            anew: self.anew,
            cursor,
            items,
            answers,
            tally,
        };
        let generation = self.from.map_or(0, |(_, generation)| generation + i64::from(self.anew));
        (self.from, self.anew, self.cursor) = (Some((cursor.offset, generation)), false, cursor);
        self.turn = batch.tally.turn;
        Ok(Some(batch))
    }
}
