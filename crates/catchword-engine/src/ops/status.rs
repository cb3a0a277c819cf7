//! How sessions stand: what somebody wants to see who has stepped away.
//!
//! Read from the store and from what its transcripts have more; nothing is written.

use std::collections::HashMap;

use super::{checkpoint, history};
use crate::agent::Agent;
use crate::audit::{Audit, Finding};
use crate::extract::{Fact, Known, failures, work};
use crate::gauge::{Gauge, Limits};
use crate::session::Session;
use crate::store::{Checkpoint, Gauged, Held, Listed, Recorded, Store, StoreError};

/// A working session of which nothing was heard for so long, in milliseconds, may have been killed.
const SILENT: i64 = 10 * 60_000;
/// After this time nobody is expected to go on with a session of which nothing else is known.
const LEFT: i64 = 24 * 3_600_000;

/// How a session stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// As it is listed.
    pub listed: Listed,
    /// What it is doing.
    pub state: State,
    /// When it last did something, in milliseconds since 1970.
    pub active_at: i64,
    /// How full its context is.
    pub gauge: Gauge,
    /// What the person asked for first, and last.
    pub asked: Vec<String>,
    /// What is not finished.
    pub open: Vec<String>,
    /// Commands that fail.
    pub failing: Vec<String>,
    /// The latest checkpoint.
    pub checkpoint: Option<Checkpoint>,
    /// Where its handoff lies.
    pub handoff: Option<String>,
    /// The latest compaction.
    pub compaction: Option<Compacted>,
}

/// What a session is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// The agent works.
    Working,
    /// It should be working, and nothing is heard of it.
    Silent,
    /// It waits for the person.
    Waiting,
    /// The person has stopped it.
    Interrupted,
    /// Its client no longer runs and never told of an end, or it stopped in the middle of a turn long ago.
    Gone,
    /// It is over.
    #[default]
    Over,
}

impl State {
    /// As programs read it.
    pub fn word(self) -> &'static str {
        match self {
            State::Working => "working",
            State::Silent => "silent",
            State::Waiting => "waiting",
            State::Interrupted => "interrupted",
            State::Gone => "gone",
            State::Over => "ended",
        }
    }
}

/// A compaction and what it lost.
#[derive(Clone, Debug, PartialEq)]
pub struct Compacted {
    /// As it is recorded.
    pub recorded: Recorded,
    /// Where its summary differs from the record, as far as that is sure enough to be told; `None` where nobody has
    /// looked.
    pub found: Option<Vec<Finding>>,
}

/// What a front end hands in.
pub struct Around<'a> {
    /// The time, in milliseconds since 1970.
    pub now: i64,
    /// What the environment says of the client's limits.
    pub limits: Limits,
    /// Whether a client process still runs; `None` where that cannot be told.
    pub is_alive: &'a dyn Fn(&str) -> Option<bool>,
}

/// What was worked out before and does not change: the findings of a compaction, by session and line.
#[derive(Default)]
pub struct Cache(HashMap<(String, u32), Vec<Finding>>);

/// How these sessions stand. One whose transcript cannot be read stands as the store has it.
pub fn status(
    store: &Store,
    agent: &Agent,
    sessions: Vec<Listed>,
    around: &Around,
    cache: &mut Cache,
) -> Result<Vec<Status>, StoreError> {
    sessions.into_iter().map(|listed| of(store, agent, listed, around, cache)).collect()
}

fn of(
    store: &Store,
    agent: &Agent,
    listed: Listed,
    around: &Around,
    cache: &mut Cache,
) -> Result<Status, StoreError> {
    let snapshot = store.snapshot(&listed.id)?;
    let known = snapshot.as_ref().map(|(_, session)| session.clone());
    let session = history::fold_on(agent, &listed.transcript, snapshot).ok().or(known).unwrap_or_default();
    let held = store.held(&listed.id)?;
    let latest = store.compactions(Some(&listed.id))?.into_iter().next();
    let active_at = session.time.unwrap_or(0).max(listed.last_at);
    Ok(Status {
        state: state(
            session.waiting,
            session.interrupted,
            presence(held.as_ref(), around.is_alive),
            around.now - active_at,
        ),
        active_at,
        gauge: gauge(store, agent, &listed, &around.limits)?,
        asked: asked(&session),
        open: lines(work::facts(&session, &Known::default())),
        failing: failures::open(&session).into_iter().map(|(command, _)| command.to_owned()).collect(),
        checkpoint: store.latest_checkpoint(&listed.id)?,
        handoff: held.and_then(|held| held.handoff),
        compaction: latest.map(|recorded| {
            let found = found(agent, &listed, &recorded, cache);
            Compacted { recorded, found }
        }),
        listed,
    })
}

/// Whether somebody is at a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// Its end was told.
    Over,
    /// Its client no longer runs.
    Gone,
    /// Its client runs.
    There,
    /// Nobody can tell.
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

/// The one answer to how a session stands, for all that show it: whether its turn has ended and how, whether somebody is
/// at it, and how long nothing was heard of it.
pub(super) fn state(waiting: bool, interrupted: bool, presence: Presence, silence: i64) -> State {
    match presence {
        Presence::Over => State::Over,
        Presence::Gone => State::Gone,
        Presence::Unknown if silence > LEFT && (waiting || interrupted) => State::Over,
        Presence::Unknown if silence > LEFT => State::Gone,
        _ if interrupted => State::Interrupted,
        _ if waiting => State::Waiting,
        Presence::Unknown if silence > SILENT => State::Silent,
        _ => State::Working,
    }
}

/// What the store knows of the gauge, and what the transcript has more.
fn gauge(store: &Store, agent: &Agent, listed: &Listed, limits: &Limits) -> Result<Gauge, StoreError> {
    let stored = store.gauged(&listed.id)?;
    let before = match &stored {
        Some(stored) => store.known(&listed.id)?.map(|known| (known.cursor, stored.tally.clone())),
        None => None,
    };
    let stored = stored.unwrap_or_default();
    let tally = history::tally_on(agent, &listed.transcript, before);
    let gauged = Gauged { tally: tally.unwrap_or_else(|_| stored.tally.clone()), ..stored };
    checkpoint::read(Some(store), agent, &gauged, None, limits)
}

fn asked(session: &Session) -> Vec<String> {
    let first = session.prompts.first();
    let last = session.prompts.last().filter(|last| first.is_some_and(|first| first.place != last.place));
    first.into_iter().chain(last).map(|prompt| prompt.text.clone()).collect()
}

fn lines(facts: Vec<Fact>) -> Vec<String> {
    facts.into_iter().map(|fact| fact.text).collect()
}

/// What was found in a compaction's summary: as the store has it, or for one that was recorded before findings were
/// kept, from the transcript, once.
fn found(agent: &Agent, listed: &Listed, recorded: &Recorded, cache: &mut Cache) -> Option<Vec<Finding>> {
    let told = |all: &[Finding]| all.iter().filter(|finding| finding.is_told()).cloned().collect();
    if let Some(stored) = &recorded.findings {
        return Some(told(stored));
    }
    // One that is under way has no summary yet.
    recorded.ended_at?;
    let key = (listed.id.clone(), recorded.line);
    if let Some(known) = cache.0.get(&key) {
        return Some(known.clone());
    }
    let cuts = history::cuts(agent, &listed.transcript).ok()?;
    let cut = cuts.into_iter().find(|cut| cut.lines >= recorded.line && !cut.summary.is_empty())?;
    let before = history::fold(agent, &listed.transcript, Some(cut.lines)).ok()?;
    let found: Vec<Finding> = told(&Audit::new(&before, &cut.summary).findings);
    cache.0.insert(key, found.clone());
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::claude_code::AGENT;
    use catchword_testkit::Transcript;

    #[test]
    fn a_state_is_the_strongest_thing_known() {
        use Presence::{Gone, Over, There, Unknown};
        let cases = [
            (false, false, Unknown, 0, State::Working),
            (false, false, Unknown, SILENT + 1, State::Silent),
            (false, false, Unknown, LEFT + 1, State::Gone),
            (false, false, There, LEFT + 1, State::Working),
            (true, false, Unknown, SILENT + 1, State::Waiting),
            (true, false, Unknown, LEFT + 1, State::Over),
            (true, false, There, LEFT + 1, State::Waiting),
            (true, true, There, 0, State::Interrupted),
            (true, true, Unknown, LEFT + 1, State::Over),
            (true, true, Gone, 0, State::Gone),
            (true, true, Over, 0, State::Over),
        ];
        for (waiting, interrupted, presence, silence, expected) in cases {
            assert_eq!(state(waiting, interrupted, presence, silence), expected, "{presence:?} {silence}");
        }
    }

    #[test]
    fn who_holds_a_session_is_asked_of_its_process_unless_its_end_was_told() {
        let held = |ended| Held { client: Some("one".into()), ended, handoff: None };
        assert_eq!(presence(None, &|_| Some(true)), Presence::Unknown);
        assert_eq!(presence(Some(&held(false)), &|_| Some(true)), Presence::There);
        assert_eq!(presence(Some(&held(false)), &|_| Some(false)), Presence::Gone);
        assert_eq!(presence(Some(&held(false)), &|_| None), Presence::Unknown);
        assert_eq!(presence(Some(&held(true)), &|_| Some(true)), Presence::Over);
    }

    #[test]
    fn going_on_from_a_snapshot_gives_the_same_session() {
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
                    if let Ok(Some(entry)) = crate::ops::rows::understood(&AGENT, line, offset, &content) {
                        half.apply(&entry);
                    }
                },
            )
            .unwrap();
        transcript = transcript.bash("make").ok("fine");
        transcript.write_to(file.path());
        let whole = history::fold(&AGENT, file.path(), None).unwrap();
        assert_eq!(history::fold_on(&AGENT, file.path(), Some((cursor, half.clone()))).unwrap(), whole);
        let all = history::tally(&AGENT, file.path(), None).unwrap();
        let first = history::tally(&AGENT, file.path(), Some(cursor.line)).unwrap();
        assert_ne!(first, all);
        assert_eq!(history::tally_on(&AGENT, file.path(), Some((cursor, first))).unwrap(), all);
        // Another file under the same name is read from its beginning.
        Transcript::new().prompt("something else").write_to(file.path());
        let anew = history::fold(&AGENT, file.path(), None).unwrap();
        assert_eq!(history::fold_on(&AGENT, file.path(), Some((cursor, half))).unwrap(), anew);
    }
}
