//! The status of sessions, for a person who stepped away.
//!
//! Read from the store and from newer rows in the transcripts; writes nothing.

use std::collections::HashMap;
use std::path::Path;

use super::checkpoint::{self, GaugeSettings};
use super::history::{self, CompactionPoint, TokenTotals};
use super::rows::RowReader;
use super::sessions::{ListedSession, is_unfinished, state};
use crate::audit::Audit;
use crate::clients::{self, Client};
use crate::context::{Gauge, Tally};
use crate::facts::{Fact, KnownText, work};
use crate::model::finding::Finding;
use crate::model::tokens::ClientLimits;
use crate::redact::Mask;
use crate::session::Session;
use crate::store::{Checkpoint, Gauged, Recorded, Store, StoreError};

#[derive(Clone, Debug, PartialEq)]
pub struct SessionStatus {
    /// The session; its state, counts and times are those of the transcript now, which may be ahead of the list.
    pub listed: ListedSession,
    /// How full its context is.
    pub gauge: Gauge,
    /// What the gauge was read from.
    pub tally: Tally,
    /// The person's first and last requests.
    pub asked: Vec<String>,
    pub open: Vec<String>,
    /// Commands that fail.
    pub failing: Vec<String>,
    pub checkpoint: Option<Checkpoint>,
    /// The path of its handoff.
    pub handoff: Option<String>,
    pub compaction: Option<StatusCompaction>,
    /// Tokens of the whole conversation and its compactions, if all was asked for and the transcript is there.
    pub tokens: Option<(TokenTotals, Vec<CompactionPoint>)>,
}

/// The latest compaction: what the transcript says about it, what hooks add, and what it lost.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusCompaction {
    /// When it began, in milliseconds since 1970, if known.
    pub at: Option<i64>,
    /// Requested by the person.
    pub manual: bool,
    /// Tokens before and after, if known.
    pub tokens: (Option<u64>, Option<u64>),
    /// What hooks recorded; `None` if none saw it.
    pub recorded: Option<Recorded>,
    /// Where its summary differs from the record, if certain enough to be reported; `None` if it was not audited.
    pub found: Option<Vec<Finding>>,
}

/// What a front end passes in.
pub struct StatusInputs<'a> {
    /// Milliseconds since 1970.
    pub now: i64,
    /// Also what takes a look at every row.
    pub in_full: bool,
    /// The client's limits for a session in this folder.
    pub limits: &'a dyn Fn(&Client, Option<&Path>) -> ClientLimits,
    /// The models that environment and settings choose for a session in this folder.
    pub chosen: &'a dyn Fn(&Client, Option<&Path>) -> Vec<String>,
}

/// Results that do not change: the findings of a compaction, by session and line.
#[derive(Default)]
pub struct Cache(HashMap<(String, u32), Audited>);

/// The status of a session. If its transcript cannot be read, the status is what store and history know.
pub fn status(
    store: Option<&Store>,
    mask: &Mask,
    mut listed: ListedSession,
    inputs: &StatusInputs,
    cache: &mut Cache,
) -> Result<SessionStatus, StoreError> {
    let reader = RowReader { client: clients::recorded(&listed.client), mask };
    let id = &listed.id;
    let snapshot = store.map(|store| store.snapshot(id)).transpose()?.flatten();
    let known = snapshot.as_ref().map(|(_, session)| session.clone());
    let session = history::fold_on(reader, &listed.transcript, snapshot).ok().or(known);
    let held = store.map(|store| store.held(id)).transpose()?.flatten();
    let recorded = store.map(|store| store.compactions(Some(id))).transpose()?.unwrap_or_default();
    let (gauge, tally) = gauge(store, reader, &listed, inputs)?;
    let transcript = &listed.transcript;
    let tokens =
        || Some((history::totals(reader, transcript).ok()?, history::cuts(reader, transcript).ok()?));
    let tokens = if inputs.in_full { tokens() } else { None };
    let compaction = latest(reader, &listed, session.as_ref(), recorded.into_iter().next(), cache);
    if let Some(session) = &session {
        listed.last_at = listed.last_at.max(session.time.unwrap_or(0));
        let silence = inputs.now - listed.last_at;
        let at_rest = session.waiting || session.spoke_last();
        listed.state = state(session.waiting, at_rest, session.interrupted, listed.presence, silence);
        listed.unfinished = is_unfinished(session);
        listed.compactions = session.compactions.len() as u64;
    }
    let session = session.unwrap_or_default();
    Ok(SessionStatus {
        gauge,
        tally,
        asked: asked(&session),
        open: lines(work::facts(&session, &KnownText::default())),
        failing: session.failing().map(|failure| failure.line.core().to_owned()).collect(),
        checkpoint: store.map(|store| store.latest_checkpoint(id)).transpose()?.flatten(),
        handoff: held.and_then(|held| held.handoff),
        compaction,
        tokens,
        listed,
    })
}

/// The latest compaction: the last one in the transcript, or one that hooks announced and that is not in it yet.
fn latest(
    reader: RowReader,
    listed: &ListedSession,
    session: Option<&Session>,
    recorded: Option<Recorded>,
    cache: &mut Cache,
) -> Option<StatusCompaction> {
    let all = session.map(|session| session.compactions.as_slice()).unwrap_or_default();
    let last = all.last();
    // It is announced before its row is written; a second row after it means that hooks missed one.
    let recorded = recorded.filter(|one| all.iter().filter(|c| c.place.0 > one.line).count() <= 1);
    let Some(recorded) = recorded else {
        let last = last?;
        let found = found(reader, listed, last.place.0.saturating_sub(1), cache);
        let (at, found) = found.map_or((None, None), |found| (found.at, Some(found.findings)));
        let tokens = (last.before, last.after);
        return Some(StatusCompaction { at, manual: last.manual, tokens, recorded: None, found });
    };
    let found = match recorded.findings.as_deref() {
        Some(stored) => Some(told(stored)),
        // A compaction in progress has no summary yet.
        None if recorded.ended_at.is_none() => None,
        None => found(reader, listed, recorded.line, cache).map(|found| found.findings),
    };
    Some(StatusCompaction {
        at: Some(recorded.begun_at),
        manual: recorded.manual,
        tokens: (recorded.before, recorded.after),
        found,
        recorded: Some(recorded),
    })
}

/// The gauge, and the tally it is read from: the one in the store, brought up to date with newer rows of the transcript.
fn gauge(
    store: Option<&Store>,
    reader: RowReader,
    listed: &ListedSession,
    inputs: &StatusInputs,
) -> Result<(Gauge, Tally), StoreError> {
    let stored = store.map(|store| store.gauged(&listed.id)).transpose()?.flatten();
    let before = match (store, &stored) {
        (Some(store), Some(stored)) => {
            store.known(&listed.id)?.map(|known| (known.cursor, stored.tally.clone()))
        }
        _ => None,
    };
    let stored = stored.unwrap_or_default();
    let tally = history::tally_on(reader, &listed.transcript, before);
    let gauged = Gauged { tally: tally.unwrap_or_else(|_| stored.tally.clone()), ..stored };
    let limits = (inputs.limits)(reader.client, listed.cwd.as_deref());
    let chosen = || (inputs.chosen)(reader.client, listed.cwd.as_deref());
    let settings = GaugeSettings { limits: &limits, chosen: &chosen };
    let gauge = checkpoint::read(store, reader.client, &gauged, None, &settings)?;
    Ok((gauge, gauged.tally))
}

fn asked(session: &Session) -> Vec<String> {
    let first = session.asked().first();
    let last = session.asked().last().filter(|last| first.is_some_and(|first| first.place != last.place));
    first.into_iter().chain(last).map(|prompt| prompt.text.clone()).collect()
}

fn lines(facts: Vec<Fact>) -> Vec<String> {
    facts.into_iter().map(|fact| fact.text).collect()
}

/// What an audit of a summary finds that is certain enough to be reported.
#[derive(Clone)]
struct Audited {
    /// When the compaction was, if its row says so.
    at: Option<i64>,
    findings: Vec<Finding>,
}

fn told(all: &[Finding]) -> Vec<Finding> {
    all.iter().filter(|finding| finding.is_told()).cloned().collect()
}

/// Audits the first summary from this line on. Cached.
fn found(reader: RowReader, listed: &ListedSession, line: u32, cache: &mut Cache) -> Option<Audited> {
    let key = (listed.id.clone(), line);
    if let Some(known) = cache.0.get(&key) {
        return Some(known.clone());
    }
    let cuts = history::cuts(reader, &listed.transcript).ok()?;
    let cut = cuts.into_iter().find(|cut| cut.lines >= line && !cut.summary.is_empty())?;
    let before = history::fold(reader, &listed.transcript, Some(cut.lines)).ok()?;
    let findings = told(&Audit::new(&before, &cut.summary).findings);
    let audited = Audited { at: cut.at, findings };
    cache.0.insert(key, audited.clone());
    Some(audited)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::tests::READER;
    use catchword_testkit::Transcript;

    #[test]
    fn continuing_from_a_snapshot_gives_the_same_session() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut transcript = Transcript::new().prompt("go").says("one");
        transcript.write_to(file.path());
        let mut half = Session::default();
        let tail = crate::transcript::tail::Tail::open(file.path(), crate::redact::SECRETS).unwrap();
        let mut rows = crate::ops::rows::Rows::new(READER);
        let cursor = tail
            .read(
                crate::transcript::tail::Cursor::default(),
                || true,
                |line, offset, content| {
                    if let Ok(Some(entry)) = rows.understood(line, offset, &content) {
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
