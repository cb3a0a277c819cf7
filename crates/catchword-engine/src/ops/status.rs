//! How sessions stand: what somebody wants to see who has stepped away.
//!
//! Read from the store and from what its transcripts have more; nothing is written.

use std::collections::HashMap;

use super::history;
use crate::agent::Agent;
use crate::audit;
use crate::extract::{Fact, Known, failures, work};
use crate::session::Session;
use crate::store::{Listed, Recorded, Store, StoreError};

/// A working session of which nothing was heard for so long, in milliseconds, may have been killed.
const SILENT: i64 = 10 * 60_000;

/// How a session stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// As it is listed.
    pub listed: Listed,
    /// What it is doing.
    pub state: State,
    /// When it last did something, in milliseconds since 1970.
    pub active_at: i64,
    /// How full its context is; `None` where the model has not answered yet.
    pub gauge: Option<Gauge>,
    /// What the person asked for first, and last.
    pub asked: Vec<String>,
    /// What is not finished.
    pub open: Vec<String>,
    /// Commands that fail.
    pub failing: Vec<String>,
    /// The latest compaction.
    pub compaction: Option<Compacted>,
}

/// What a session is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The agent works.
    Working,
    /// It should be working, and nothing is heard of it.
    Silent,
    /// It waits for the person.
    Waiting,
    /// The person has stopped it.
    Interrupted,
    /// It is over.
    Over,
}

/// How full a context is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gauge {
    /// Tokens that go with the next request.
    pub used: u64,
    /// Tokens at which it will be compacted.
    pub threshold: u64,
}

/// A compaction and what it lost.
#[derive(Clone, Debug, PartialEq)]
pub struct Compacted {
    /// As it is recorded.
    pub recorded: Recorded,
    /// What the summary got wrong or left out.
    pub findings: Findings,
}

/// Differences between summary and record that are sure enough to be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// What the summary left out.
    pub dropped: usize,
    /// What it contradicts, changed or made up.
    pub wrong: usize,
}

/// What was worked out before and does not change: the findings of a compaction, by session and line.
#[derive(Default)]
pub struct Cache(HashMap<(String, u32), Findings>);

/// How these sessions stand. One whose transcript cannot be read stands as the store has it.
pub fn status(
    store: &Store,
    agent: &Agent,
    sessions: Vec<Listed>,
    now: i64,
    cache: &mut Cache,
) -> Result<Vec<Status>, StoreError> {
    sessions.into_iter().map(|listed| of(store, agent, listed, now, cache)).collect()
}

fn of(
    store: &Store,
    agent: &Agent,
    listed: Listed,
    now: i64,
    cache: &mut Cache,
) -> Result<Status, StoreError> {
    let snapshot = store.snapshot(&listed.id)?;
    let known = snapshot.as_ref().map(|(_, session)| session.clone());
    let session = history::fold_on(agent, &listed.transcript, snapshot).ok().or(known).unwrap_or_default();
    let is_over = store.latest_event(&listed.id)?.is_some_and(|event| (agent.is_end)(&event));
    let latest = store.compactions(Some(&listed.id))?.into_iter().next();
    let active_at = session.time.unwrap_or(0).max(listed.last_at);
    Ok(Status {
        state: state(&session, is_over, now - active_at),
        active_at,
        gauge: gauge(&session),
        asked: asked(&session),
        open: lines(work::facts(&session, &Known::default())),
        failing: failures::open(&session).into_iter().map(|(command, _)| command.to_owned()).collect(),
        compaction: latest.map(|recorded| {
            let findings = findings(agent, &listed, &recorded, cache);
            Compacted { recorded, findings }
        }),
        listed,
    })
}

fn state(session: &Session, is_over: bool, silence: i64) -> State {
    match session {
        _ if is_over => State::Over,
        Session { interrupted: true, .. } => State::Interrupted,
        Session { waiting: true, .. } => State::Waiting,
        _ if silence > SILENT => State::Silent,
        _ => State::Working,
    }
}

/// The one place here that knows how a context is measured: by the latest answer, or by the compaction since.
fn gauge(session: &Session) -> Option<Gauge> {
    let said = session.said.back().map(|said| said.place);
    let acted = session.last_action.as_ref().map(|action| action.place);
    let since = session.compactions.last().filter(|compaction| Some(compaction.place) > said.max(acted));
    let used = match since {
        Some(compaction) => compaction.after?,
        None => session.usage.map(|usage| usage.input + usage.output)?,
    };
    let threshold = if used <= 200_000 { 167_000 } else { 967_000 };
    Some(Gauge { used, threshold })
}

fn asked(session: &Session) -> Vec<String> {
    let first = session.prompts.first();
    let last = session.prompts.last().filter(|last| first.is_some_and(|first| first.place != last.place));
    first.into_iter().chain(last).map(|prompt| prompt.text.clone()).collect()
}

fn lines(facts: Vec<Fact>) -> Vec<String> {
    facts.into_iter().map(|fact| fact.text).collect()
}

/// The findings of a compaction, from its summary and the record before it; worked out once.
fn findings(agent: &Agent, listed: &Listed, recorded: &Recorded, cache: &mut Cache) -> Findings {
    let key = (listed.id.clone(), recorded.line);
    if let Some(known) = cache.0.get(&key) {
        return *known;
    }
    let cut = history::cuts(agent, &listed.transcript).ok().and_then(|mut cuts| cuts.pop());
    let Some(cut) = cut.filter(|cut| !cut.summary.is_empty()) else { return Findings::default() };
    let before = history::fold(agent, &listed.transcript, Some(cut.lines)).unwrap_or_default();
    let told: Vec<_> =
        audit::audit(&before, &cut.summary).into_iter().filter(audit::Finding::is_told).collect();
    let dropped = told.iter().filter(|finding| finding.kind == audit::Kind::Dropped).count();
    let found = Findings { dropped, wrong: told.len() - dropped };
    cache.0.insert(key, found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::claude_code::AGENT;
    use catchword_testkit::Transcript;

    #[test]
    fn a_state_is_the_strongest_thing_known() {
        let session = |waiting, interrupted| {
            let mut session = Session::default();
            (session.waiting, session.interrupted) = (waiting, interrupted);
            session
        };
        let cases = [
            (session(false, false), false, 0, State::Working),
            (session(false, false), false, SILENT + 1, State::Silent),
            (session(true, false), false, SILENT + 1, State::Waiting),
            (session(true, true), false, 0, State::Interrupted),
            (session(true, true), true, 0, State::Over),
        ];
        for (session, is_over, silence, expected) in cases {
            assert_eq!(state(&session, is_over, silence), expected);
        }
    }

    fn folded(transcript: &Transcript) -> Session {
        let file = tempfile::NamedTempFile::new().unwrap();
        transcript.write_to(file.path());
        history::fold(&AGENT, file.path(), None).unwrap()
    }

    #[test]
    fn the_gauge_goes_by_the_latest_answer_or_the_compaction_since() {
        assert_eq!(gauge(&Session::default()), None);
        let answered = Transcript::new().prompt("go").usage(100_000).says("done");
        let before = gauge(&folded(&answered)).unwrap();
        assert!((100_000..101_000).contains(&before.used) && before.threshold == 167_000, "{before:?}");
        let compacted = answered.compaction("auto", "short");
        let after = gauge(&folded(&compacted)).map(|gauge| gauge.used);
        assert!(after.is_none_or(|used| used < before.used), "{after:?}");
        let large = folded(&compacted.usage(300_000).says("on"));
        assert_eq!(gauge(&large).map(|gauge| gauge.threshold), Some(967_000));
    }

    #[test]
    fn going_on_from_a_snapshot_gives_the_same_session() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut transcript = Transcript::new().prompt("go").says("one");
        transcript.write_to(file.path());
        let mut half = Session::default();
        let mut tail = crate::transcript::tail::Tail::open(file.path()).unwrap();
        let cursor = tail
            .read(
                crate::transcript::tail::Cursor::default(),
                || true,
                |line, offset, content| {
                    if let Ok(Some(entry)) = crate::ops::catch_up::understood(&AGENT, line, offset, &content)
                    {
                        half.apply(&entry);
                    }
                },
            )
            .unwrap();
        transcript = transcript.bash("make").ok("fine");
        transcript.write_to(file.path());
        let whole = history::fold(&AGENT, file.path(), None).unwrap();
        assert_eq!(history::fold_on(&AGENT, file.path(), Some((cursor, half.clone()))).unwrap(), whole);
        // Another file under the same name is read from its beginning.
        Transcript::new().prompt("something else").write_to(file.path());
        let anew = history::fold(&AGENT, file.path(), None).unwrap();
        assert_eq!(history::fold_on(&AGENT, file.path(), Some((cursor, half))).unwrap(), anew);
    }
}
