//! Records what is new in a transcript: index, cursor and snapshot, in one transaction.
//!
//! A tick after a tool call only indexes the new rows; loading and storing a whole session for one row would cost more
//! than the row. The fold catches up when the session is needed, or when it lags so far behind that the next fold would
//! take noticeably long.

use std::path::Path;

use thiserror::Error;

use super::acts::{self, NewActs};
use super::rows::{self, RowReader};
use crate::clients::Client;
use crate::context::{self, Mark};
use crate::fixes::{Act, ActRow};
use crate::model::entry::{Entry, Part, Place, Thread};
use crate::model::event::HookEvent;
use crate::model::problem::Problem;
use crate::redact::Mask;
use crate::session::Session;
use crate::store::{Gauged, IndexRow, PassProgress, RowKind, Sign, Store, StoreError};
use crate::transcript::tail::{Cursor, Tail};

/// Bytes that the fold may lag behind the index: folding them takes about a millisecond.
const LAG: u64 = 256 * 1024;
/// On the first pass only this many of the last rows are indexed; nothing looks up older ones.
const MAX_FIRST_ROWS: usize = 500;
/// Bytes of a transcript that is first seen whose calls are kept; those of a longer one are looked up in the history.
const LONGEST_UNSEEN: u64 = 1024 * 1024;
/// Problems reported per pass, so that a file of garbage does not fill the log.
const MAX_PROBLEMS: usize = 5;

/// How much work a pass does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Only index the new rows.
    Index,
    /// Also fold the session up to now.
    Fold,
}

/// The result of a pass.
#[derive(Default)]
pub struct CaughtUp {
    /// `None` if it was not folded.
    pub session: Option<Session>,
    /// The agent's turns before the new rows, if the session was folded.
    pub turns_before: u32,
    /// Rows that could not be parsed.
    pub problems: Vec<Problem>,
    /// Nothing is waiting to be delivered to the agent, which saves a tick two queries.
    pub nothing_awaited: bool,
    /// The gauge, if new rows changed it.
    pub gauged: Option<Gauged>,
    /// What could not be read or stored; the session contains everything up to there.
    pub failed: Option<CatchUpError>,
    /// The deadline passed before the end of the transcript.
    pub cut_short: bool,
    /// The commands that failed in the new rows and say what went wrong.
    pub failures: Vec<Act>,
    /// Up to where it was read, if there was something new.
    pub line: Place,
}

impl CaughtUp {
    /// The session, if it was read to its end.
    pub fn whole_session(&self) -> Option<&Session> {
        self.session.as_ref().filter(|_| !self.cut_short)
    }
}

#[derive(Debug, Error)]
pub enum CatchUpError {
    /// The transcript cannot be read.
    #[error("cannot read the transcript {path}: {source}")]
    Transcript { path: String, source: std::io::Error },
    /// The deadline passed before the end of the transcript.
    #[error("the transcript is read up to {0} only: no time for the rest")]
    Time(Place),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CatchUpError {
    /// The store is damaged: [`Store::begin_anew`] and a retry will help.
    pub fn is_damage(&self) -> bool {
        matches!(self, CatchUpError::Store(error) if error.is_damage())
    }

    /// The store is locked: nothing can be written for now.
    pub fn is_busy(&self) -> bool {
        matches!(self, CatchUpError::Store(error) if error.is_busy())
    }
}

/// A pass over one session's transcript.
pub struct CatchUp<'a> {
    pub client: &'a Client,
    pub mask: &'a Mask,
    pub event: &'a HookEvent,
    /// Milliseconds since 1970.
    pub now: i64,
    /// False once the deadline has passed.
    pub in_time: &'a dyn Fn() -> bool,
}

impl CatchUp<'_> {
    /// Reads what is new and stores it. A session without a transcript has nothing new. If the store or the transcript
    /// fails midway, the partial result is returned together with the error.
    pub fn run(&self, store: &mut Store, depth: Depth) -> Result<CaughtUp, CatchUpError> {
        let Some(path) = &self.event.transcript else { return Ok(CaughtUp::default()) };
        let tail = match open(path, self.mask) {
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

    /// The transcript is missing or cannot be read: what was folded before is still valid.
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

    /// The cursor and session from which the fold continues.
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
        // What came before a session is first seen is in the history.
        let mut acts = (indexed.line > 0 || tail.ahead(&indexed) <= LONGEST_UNSEEN).then(NewActs::default);
        // If nothing new follows, the snapshot need not be written again.
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
                            if let Some(acts) = &mut acts {
                                acts.take(&entry);
                            }
                        }
                        if let Some(session) = &mut session {
                            session.apply(&entry);
                        }
                    }
                    Err(problem) if fresh && problems.len() < MAX_PROBLEMS => problems.push(problem),
                    Err(_) => {}
                }
            },
        )
        .map_err(|source| unreadable(path, source))?;
        if indexed.line == 0 {
            rows.drain(..rows.len().saturating_sub(MAX_FIRST_ROWS));
        }
        let acts = acts.map_or_else(|| Ok(Vec::new()), |acts| acts.rows(store, &self.event.session))?;
        let watched = if acts.is_empty() { Vec::new() } else { store.watched(&self.event.session)? };
        let followed = acts::followed(watched, &acts);
        // Checked before the store, whose lock may take a while.
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
            acts: &acts,
            followed: &followed,
            folded: session.as_ref().filter(|_| !has_snapshot || cursor.offset > from.offset),
        });
        let (gauged, failed) = match stored {
            Err(error) if error.is_damage() => return Err(error.into()),
            Err(error) => (None, Some(CatchUpError::Store(error))),
            Ok(gauged) if cut_short => (gauged, Some(CatchUpError::Time(Place(cursor.line)))),
            Ok(gauged) => (gauged, None),
        };
        let failures = acts.iter().filter(|row| row.signature().is_some()).filter_map(ActRow::act).cloned();
        Ok(CaughtUp {
            session,
            turns_before,
            problems,
            gauged,
            failed,
            cut_short,
            failures: failures.collect(),
            line: Place(cursor.line),
            ..CaughtUp::default()
        })
    }
}

/// A relative path depends on the working directory, and only shells expand `~`. No client sends either.
fn open(path: &Path, mask: &Mask) -> std::io::Result<Tail> {
    if !path.is_absolute() {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "not an absolute path"));
    }
    Tail::open(path, mask)
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

/// A compaction or an injected text, if the part is one.
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
