//! Takes in what is new in a transcript: index, cursor and snapshot, in one transaction.
//!
//! A tick after a tool call only indexes the new rows; unfolding and folding a whole session for one row
//! would cost more than the row. The fold catches up when the session is needed, or when it lags so far
//! behind that the next one would feel it.

use std::path::Path;

use thiserror::Error;

use super::rows::{self, RowReader};
use crate::clients::Client;
use crate::context::{self, Mark};
use crate::model::entry::{Entry, Part, Place, Thread};
use crate::model::event::HookEvent;
use crate::model::problem::Problem;
use crate::redact::Mask;
use crate::session::Session;
use crate::store::{Gauged, IndexRow, PassProgress, RowKind, Sign, Store, StoreError};
use crate::transcript::tail::{Cursor, Tail};

/// Bytes the fold may lag behind the index: folding them takes about a millisecond.
const LAG: u64 = 256 * 1024;
/// Rows of a transcript nobody has read yet that are indexed: it is its end that the index is asked about.
const MAX_FIRST_ROWS: usize = 500;
/// Problems reported of one pass; a file of garbage must not fill the log.
const MOST_PROBLEMS: usize = 5;

/// How much is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The new rows in the index.
    Index,
    /// The session folded up to now.
    Fold,
}

/// What a pass brought.
#[derive(Default)]
pub struct CaughtUp {
    /// The session, where it was folded.
    pub session: Option<Session>,
    /// The agent's turns before what is new, where the session was folded.
    pub turns_before: u32,
    /// Rows that could not be understood.
    pub problems: Vec<Problem>,
    /// Nothing is on its way to the agent: two questions that a tick need not ask.
    pub nothing_awaited: bool,
    /// The gauge, where new rows have moved it.
    pub gauged: Option<Gauged>,
    /// What could not be read or stored; the session is as far as it got.
    pub failed: Option<CatchUpError>,
    /// The time was up before the end, whatever else failed.
    pub cut_short: bool,
}

impl CaughtUp {
    /// The session, where it was read to its end.
    pub fn whole_session(&self) -> Option<&Session> {
        self.session.as_ref().filter(|_| !self.cut_short)
    }
}

/// Why a pass failed.
#[derive(Debug, Error)]
pub enum CatchUpError {
    /// The transcript cannot be read.
    #[error("cannot read the transcript {path}: {source}")]
    Transcript {
        /// Which.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The time was up before the end.
    #[error("the transcript is read up to {0} only: no time for the rest")]
    Time(Place),
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CatchUpError {
    /// The store is broken: [`Store::begin_anew`] and another try will help.
    pub fn is_damage(&self) -> bool {
        matches!(self, CatchUpError::Store(error) if error.is_damage())
    }

    /// The store is in use: nothing more can be written for now.
    pub fn is_busy(&self) -> bool {
        matches!(self, CatchUpError::Store(error) if error.is_busy())
    }
}

/// A pass over one session's transcript.
pub struct CatchUp<'a> {
    /// The client.
    pub client: &'a Client,
    /// What is masked.
    pub mask: &'a Mask,
    /// The event that brought us here.
    pub event: &'a HookEvent,
    /// The time.
    pub now: i64,
    /// False when the time is up.
    pub in_time: &'a dyn Fn() -> bool,
}

impl CatchUp<'_> {
    /// Reads what is new and stores it. A session without a transcript yet has nothing new. Where the store or
    /// the transcript fails on the way, what could be had is returned with the failure.
    pub fn run(&self, store: &mut Store, depth: Depth) -> Result<CaughtUp, CatchUpError> {
        let Some(path) = &self.event.transcript else { return Ok(CaughtUp::default()) };
        let tail = match open(path) {
            Ok(tail) => tail,
            Err(source) => return self.without_transcript(store, depth, path, source),
        };
        let known = store.known(&self.event.session)?;
        let nothing_awaited = known.as_ref().is_some_and(|known| !known.awaits);
        let valid = known.as_ref().filter(|k| tail.holds(&k.cursor));
        let anew = known.is_some() && valid.is_none();
        let indexed = valid.map(|k| k.cursor).unwrap_or_default();
        let folded = Cursor { offset: valid.map_or(0, |k| k.folded), ..Cursor::default() };
        if depth == Depth::Index && tail.ahead(&indexed) == 0 && valid.is_some() {
            return Ok(CaughtUp { nothing_awaited, ..CaughtUp::default() });
        }
        let fold = depth == Depth::Fold || tail.ahead(&folded) > LAG;
        let (from, session) = if fold { self.snapshot(store, &tail, anew)? } else { (indexed, None) };
        let generation = known.map(|k| k.generation);
        let caught =
            self.read_on(store, &tail, path, CatchUpPass { indexed, from, session, anew, generation })?;
        Ok(CaughtUp { nothing_awaited, ..caught })
    }

    /// The transcript is gone or not written yet, or cannot be read: what was folded of it still stands.
    fn without_transcript(
        &self,
        store: &Store,
        depth: Depth,
        path: &Path,
        source: std::io::Error,
    ) -> Result<CaughtUp, CatchUpError> {
        let session = match depth {
            Depth::Fold => store.snapshot(&self.event.session)?.map(|(_, session)| session),
            Depth::Index => None,
        };
        let missing = source.kind() == std::io::ErrorKind::NotFound;
        let failed = (!missing).then(|| unreadable(path, source));
        Ok(CaughtUp { session, failed, ..CaughtUp::default() })
    }

    /// Where the fold goes on, and from what.
    fn snapshot(
        &self,
        store: &Store,
        tail: &Tail,
        anew: bool,
    ) -> Result<(Cursor, Option<Session>), CatchUpError> {
        let stored = if anew { None } else { store.snapshot(&self.event.session)? };
        let (cursor, session) = stored.filter(|(cursor, _)| tail.holds(cursor)).unwrap_or_default();
        Ok((cursor, Some(session)))
    }

    fn read_on(
        &self,
        store: &mut Store,
        tail: &Tail,
        path: &Path,
        pass: CatchUpPass,
    ) -> Result<CaughtUp, CatchUpError> {
        let CatchUpPass { indexed, from, mut session, anew, generation } = pass;
        let turns_before = session.as_ref().map_or(0, |session| session.turns);
        let mut rows = Vec::new();
        let mut signs = Vec::new();
        let mut marks: Vec<Mark> = Vec::new();
        let mut problems = Vec::new();
        // A snapshot that nothing has come behind is as it should be.
        let has_snapshot = from.offset > 0;
        let cursor = rows::read(
            RowReader { client: self.client, mask: self.mask },
            tail,
            from,
            self.in_time,
            |place, entry| {
                let fresh = place.0 > indexed.line;
                match entry {
                    Ok(entry) => {
                        if fresh {
                            rows.push(index_row(&entry));
                            signs.extend(entry.parts.iter().filter_map(sign).map(|sign| (entry.place, sign)));
                            marks.extend(context::marks(&entry));
                        }
                        if let Some(session) = &mut session {
                            session.apply(&entry);
                        }
                    }
                    Err(problem) if fresh && problems.len() < MOST_PROBLEMS => problems.push(problem),
                    Err(_) => {}
                }
            },
        )
        .map_err(|source| unreadable(path, source))?;
        if indexed.line == 0 {
            rows.drain(..rows.len().saturating_sub(MAX_FIRST_ROWS));
        }
        // Asked before the store, for which there may be a wait.
        let cut_short = tail.ahead(&cursor) > 0 && !(self.in_time)();
        let stored = store.advance(&PassProgress {
            session: &self.event.session,
            client: self.client.name,
            transcript: path,
            cwd: self.event.cwd.as_deref(),
            now: self.now,
            generation,
            anew,
            cursor,
            rows: &rows,
            marks: &marks,
            signs: &signs,
            folded: session.as_ref().filter(|_| !has_snapshot || cursor.offset > from.offset),
        });
        let (gauged, failed) = match stored {
            Err(error) if error.is_damage() => return Err(error.into()),
            Err(error) => (None, Some(CatchUpError::Store(error))),
            Ok(gauged) if cut_short => (gauged, Some(CatchUpError::Time(Place(cursor.line)))),
            Ok(gauged) => (gauged, None),
        };
        Ok(CaughtUp { session, turns_before, problems, gauged, failed, cut_short, ..CaughtUp::default() })
    }
}

/// A relative path means another file in every folder, and `~` is a shell's word: no client sends either.
fn open(path: &Path) -> std::io::Result<Tail> {
    if !path.is_absolute() {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "not an absolute path"));
    }
    Tail::open(path)
}

fn unreadable(path: &Path, source: std::io::Error) -> CatchUpError {
    CatchUpError::Transcript { path: path.display().to_string(), source }
}

struct CatchUpPass {
    indexed: Cursor,
    from: Cursor,
    session: Option<Session>,
    anew: bool,
    generation: Option<i64>,
}

/// What a part of a row tells of a compaction or of a brief.
fn sign(part: &Part) -> Option<Sign> {
    match part {
        Part::Compaction { before, after, .. } => Some(Sign::Compacted { before: *before, after: *after }),
        Part::Summary(text) => Some(Sign::Summarised(text.clone())),
        Part::Injected { event, text } => Some(Sign::Injected { event: event.clone(), text: text.clone() }),
        _ => None,
    }
}

fn index_row(entry: &Entry) -> IndexRow {
    IndexRow { place: entry.place, id: entry.id, kind: kind(entry) }
}

fn kind(entry: &Entry) -> RowKind {
    if entry.thread == Thread::Sub {
        return RowKind::Sub;
    }
    entry
        .parts
        .iter()
        .find_map(|part| match part {
            Part::Prompt { .. } | Part::Slash { .. } | Part::Typed(_) => Some(RowKind::Prompt),
            Part::Text(_) => Some(RowKind::Text),
            Part::Call { .. } => Some(RowKind::Call),
            Part::Result { .. } => Some(RowKind::Result),
            Part::Compaction { .. } | Part::Summary(_) => Some(RowKind::Compaction),
            _ => None,
        })
        .unwrap_or(RowKind::Other)
}
