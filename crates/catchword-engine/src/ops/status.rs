//! The status of sessions, for a person who stepped away.
//!
//! Read from the store and from newer rows in the transcripts; writes nothing.

use std::collections::HashMap;
use std::path::Path;

use super::checkpoint::{self, GaugeSettings};
use super::history;
use super::rows::RowReader;
use crate::audit::Audit;
use crate::clients::{self, Client};
use crate::context::Gauge;
use crate::facts::{Fact, KnownText, work};
use crate::model::finding::Finding;
use crate::model::tokens::ClientLimits;
use crate::redact::Mask;
use crate::session::{Session, failures};
use crate::store::{Checkpoint, Gauged, Held, Recorded, SessionRow, Store, StoreError};

/// A working session without a sign of life for this many milliseconds may have been killed.
const SILENT: i64 = 10 * 60_000;
/// After this time nobody is expected to continue a session about which nothing else is known.
const LEFT: i64 = 24 * 3_600_000;

#[derive(Clone, Debug, PartialEq)]
pub struct SessionStatus {
    pub listed: SessionRow,
    pub state: SessionState,
    /// When it was last active, in milliseconds since 1970.
    pub active_at: i64,
    /// How full its context is.
    pub gauge: Gauge,
    /// The person's first and last requests.
    pub asked: Vec<String>,
    pub open: Vec<String>,
    /// Commands that fail.
    pub failing: Vec<String>,
    pub checkpoint: Option<Checkpoint>,
    /// The path of its handoff.
    pub handoff: Option<String>,
    pub compaction: Option<StatusCompaction>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionState {
    /// The agent works.
    Working,
    /// It should be working, but shows no sign of life.
    Silent,
    /// It waits for the person.
    Waiting,
    /// The person stopped it.
    Interrupted,
    /// Its client no longer runs and never reported an end, or it stopped in the middle of a turn long ago.
    Gone,
    /// The client reported its end.
    #[default]
    Over,
}

impl SessionState {
    /// The name used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            SessionState::Working => "working",
            SessionState::Silent => "silent",
            SessionState::Waiting => "waiting",
            SessionState::Interrupted => "interrupted",
            SessionState::Gone => "gone",
            SessionState::Over => "ended",
        }
    }
}

/// A compaction and what it lost.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusCompaction {
    pub recorded: Recorded,
    /// Where its summary differs from the record, if certain enough to be reported; `None` if it was not audited.
    pub found: Option<Vec<Finding>>,
}

/// What a front end passes in.
pub struct StatusInputs<'a> {
    /// Milliseconds since 1970.
    pub now: i64,
    /// The client's limits as the environment sets them.
    pub limits: &'a dyn Fn(&Client) -> ClientLimits,
    /// The models that environment and settings choose for a session in this folder.
    pub chosen: &'a dyn Fn(&Client, Option<&Path>) -> Vec<String>,
    /// Whether a client process still runs; `None` if unknown.
    pub is_alive: &'a dyn Fn(&str) -> Option<bool>,
}

/// Results that do not change: the findings of a compaction, by session and line.
#[derive(Default)]
pub struct Cache(HashMap<(String, u32), Vec<Finding>>);

/// The status of these sessions. If a transcript cannot be read, the status is what the store knows.
pub fn status(
    store: &Store,
    mask: &Mask,
    sessions: Vec<SessionRow>,
    inputs: &StatusInputs,
    cache: &mut Cache,
) -> Result<Vec<SessionStatus>, StoreError> {
    sessions
        .into_iter()
        .map(|listed| {
            let reader = RowReader { client: clients::recorded(&listed.client), mask };
            of(store, reader, listed, inputs, cache)
        })
        .collect()
}

fn of(
    store: &Store,
    reader: RowReader,
    listed: SessionRow,
    inputs: &StatusInputs,
    cache: &mut Cache,
) -> Result<SessionStatus, StoreError> {
    let snapshot = store.snapshot(&listed.id)?;
    let known = snapshot.as_ref().map(|(_, session)| session.clone());
    let session = history::fold_on(reader, &listed.transcript, snapshot).ok().or(known).unwrap_or_default();
    let held = store.held(&listed.id)?;
    let latest = store.compactions(Some(&listed.id))?.into_iter().next();
    let active_at = session.time.unwrap_or(0).max(listed.last_at);
    Ok(SessionStatus {
        state: state(
            session.waiting,
            session.interrupted,
            presence(held.as_ref(), inputs.is_alive),
            inputs.now - active_at,
        ),
        active_at,
        gauge: gauge(store, reader, &listed, inputs)?,
        asked: asked(&session),
        open: lines(work::facts(&session, &KnownText::default())),
        failing: failures::open(&session).into_iter().map(|failure| failure.core.clone()).collect(),
        checkpoint: store.latest_checkpoint(&listed.id)?,
        handoff: held.and_then(|held| held.handoff),
        compaction: latest.map(|recorded| {
            let found = found(reader, &listed, &recorded, cache);
            StatusCompaction { recorded, found }
        }),
        listed,
    })
}

/// Whether a client uses the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// Its end was reported.
    Over,
    /// Its client no longer runs.
    Gone,
    /// Its client runs.
    There,
    Unknown,
}

pub(super) fn presence(held: Option<&Held>, is_alive: &dyn Fn(&str) -> Option<bool>) -> Presence {
    let Some(held) = held else { return Presence::Unknown };
    match held.client.as_deref().and_then(is_alive) {
        _ if held.ended => Presence::Over,
        Some(true) => Presence::There,
        Some(false) => Presence::Gone,
        None => Presence::Unknown,
    }
}

/// The state of a session, for everything that shows it: from whether and how its turn ended, whether a client uses it,
/// and the time since its last sign of life.
pub(super) fn state(waiting: bool, interrupted: bool, presence: Presence, silence: i64) -> SessionState {
    match presence {
        Presence::Over => SessionState::Over,
        Presence::Gone => SessionState::Gone,
        Presence::Unknown if silence > LEFT && (waiting || interrupted) => SessionState::Over,
        Presence::Unknown if silence > LEFT => SessionState::Gone,
        _ if interrupted => SessionState::Interrupted,
        _ if waiting => SessionState::Waiting,
        Presence::Unknown if silence > SILENT => SessionState::Silent,
        _ => SessionState::Working,
    }
}

/// The gauge in the store, brought up to date with newer rows of the transcript.
fn gauge(
    store: &Store,
    reader: RowReader,
    listed: &SessionRow,
    inputs: &StatusInputs,
) -> Result<Gauge, StoreError> {
    let stored = store.gauged(&listed.id)?;
    let before = match &stored {
        Some(stored) => store.known(&listed.id)?.map(|known| (known.cursor, stored.tally.clone())),
        None => None,
    };
    let stored = stored.unwrap_or_default();
    let tally = history::tally_on(reader, &listed.transcript, before);
    let gauged = Gauged { tally: tally.unwrap_or_else(|_| stored.tally.clone()), ..stored };
    let limits = (inputs.limits)(reader.client);
    let chosen = || (inputs.chosen)(reader.client, listed.cwd.as_deref());
    let settings = GaugeSettings { limits: &limits, chosen: &chosen };
    checkpoint::read(Some(store), reader.client, &gauged, None, &settings)
}

fn asked(session: &Session) -> Vec<String> {
    let first = session.asked().first();
    let last = session.asked().last().filter(|last| first.is_some_and(|first| first.place != last.place));
    first.into_iter().chain(last).map(|prompt| prompt.text.clone()).collect()
}

fn lines(facts: Vec<Fact>) -> Vec<String> {
    facts.into_iter().map(|fact| fact.text).collect()
}

/// The findings of a compaction's audit: from the store, or, if it was recorded before findings were stored, from the
/// transcript. Cached.
fn found(
    reader: RowReader,
    listed: &SessionRow,
    recorded: &Recorded,
    cache: &mut Cache,
) -> Option<Vec<Finding>> {
    let told = |all: &[Finding]| all.iter().filter(|finding| finding.is_told()).cloned().collect();
    if let Some(stored) = &recorded.findings {
        return Some(told(stored));
    }
    // A compaction in progress has no summary yet.
    recorded.ended_at?;
    let key = (listed.id.clone(), recorded.line);
    if let Some(known) = cache.0.get(&key) {
        return Some(known.clone());
    }
    let cuts = history::cuts(reader, &listed.transcript).ok()?;
    let cut = cuts.into_iter().find(|cut| cut.lines >= recorded.line && !cut.summary.is_empty())?;
    let before = history::fold(reader, &listed.transcript, Some(cut.lines)).ok()?;
    let found: Vec<Finding> = told(&Audit::new(&before, &cut.summary).findings);
    cache.0.insert(key, found.clone());
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::tests::READER;
    use catchword_testkit::Transcript;

    #[test]
    fn state_follows_the_strongest_evidence() {
        use Presence::{Gone, Over, There, Unknown};
        let cases = [
            (false, false, Unknown, 0, SessionState::Working),
            (false, false, Unknown, SILENT + 1, SessionState::Silent),
            (false, false, Unknown, LEFT + 1, SessionState::Gone),
            (false, false, There, LEFT + 1, SessionState::Working),
            (true, false, Unknown, SILENT + 1, SessionState::Waiting),
            (true, false, Unknown, LEFT + 1, SessionState::Over),
            (true, false, There, LEFT + 1, SessionState::Waiting),
            (true, true, There, 0, SessionState::Interrupted),
            (true, true, Unknown, LEFT + 1, SessionState::Over),
            (true, true, Gone, 0, SessionState::Gone),
            (true, true, Over, 0, SessionState::Over),
        ];
        for (waiting, interrupted, presence, silence, expected) in cases {
            assert_eq!(state(waiting, interrupted, presence, silence), expected, "{presence:?} {silence}");
        }
    }

    #[test]
    fn presence_depends_on_the_process_unless_the_end_was_reported() {
        let held = |ended| Held { client: Some("one".into()), ended, handoff: None };
        assert_eq!(presence(None, &|_| Some(true)), Presence::Unknown);
        assert_eq!(presence(Some(&held(false)), &|_| Some(true)), Presence::There);
        assert_eq!(presence(Some(&held(false)), &|_| Some(false)), Presence::Gone);
        assert_eq!(presence(Some(&held(false)), &|_| None), Presence::Unknown);
        assert_eq!(presence(Some(&held(true)), &|_| Some(true)), Presence::Over);
    }

    #[test]
    fn continuing_from_a_snapshot_gives_the_same_session() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut transcript = Transcript::new().prompt("go").says("one");
        transcript.write_to(file.path());
        let mut half = Session::default();
        let tail = crate::transcript::tail::Tail::open(file.path()).unwrap();
        let cursor = tail
            .read(
                crate::transcript::tail::Cursor::default(),
                || true,
                |line, offset, content| {
                    if let Ok(Some(entry)) = crate::ops::rows::understood(READER, line, offset, &content) {
                        half.apply(&entry);
                    }
                },
            )
            .unwrap();
        transcript = transcript.bash("make").ok("fine");
        transcript.write_to(file.path());
        let whole = history::fold(READER, file.path(), None).unwrap();
        assert_eq!(history::fold_on(READER, file.path(), Some((cursor, half.clone()))).unwrap(), whole);
        let all = history::tally(READER, file.path(), None).unwrap();
        let first = history::tally(READER, file.path(), Some(cursor.line)).unwrap();
        assert_ne!(first, all);
        assert_eq!(history::tally_on(READER, file.path(), Some((cursor, first))).unwrap(), all);
        // A different file with the same name is read from its beginning.
        Transcript::new().prompt("something else").write_to(file.path());
        let anew = history::fold(READER, file.path(), None).unwrap();
        assert_eq!(history::fold_on(READER, file.path(), Some((cursor, half))).unwrap(), anew);
    }
}
