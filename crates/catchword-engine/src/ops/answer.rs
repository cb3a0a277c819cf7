//! One hook event: take in what is new, and say what is to be said.

use std::path::Path;

use super::catch_up::{CatchUp, CatchUpError, CaughtUp, Depth, Sign};
use crate::agent::Agent;
use crate::agent::event::{EventKind, HookEvent, StartKind};
use crate::audit;
use crate::cold;
use crate::extract::{self, Fact, Known, Section, WorkTree};
use crate::mask::mask;
use crate::notes::{self, Note};
use crate::problem::Problem;
use crate::render;
use crate::session::Session;
use crate::store::Store;

/// What a front end hands in with an event.
pub struct Surroundings<'a> {
    /// The time, in milliseconds since 1970.
    pub now: i64,
    /// Characters a brief may have.
    pub budget: usize,
    /// The summariser is told what to keep.
    pub guide: bool,
    /// The agent is to tell the person of the compaction.
    pub announce: bool,
    /// The notes are wanted as a document, at the moments they are written out.
    pub mirror: bool,
    /// False when the time is up.
    pub go_on: &'a dyn Fn() -> bool,
    /// Asks git about a folder; called after a compaction only.
    pub git: &'a dyn Fn(&Path) -> Option<WorkTree>,
}

/// What a hook prints and what it has to report.
#[derive(Default)]
pub struct Answer {
    /// For the client's stdout; empty most of the time.
    pub stdout: String,
    /// Rows that could not be understood.
    pub problems: Vec<Problem>,
    /// What could not be done, where the answer stands all the same.
    pub failed: Option<CatchUpError>,
    /// The brief had not arrived and is sent again with this answer.
    pub lost: bool,
    /// The notes as a document, where they are to be written out, and the folder the session is in.
    pub notes: Option<Document>,
}

/// The notes of a session, to be written out.
pub struct Document {
    /// The folder that the session works in.
    pub root: Option<String>,
    /// The text.
    pub text: String,
}

/// What a brief is made of besides session and summary.
#[derive(Clone, Copy, Default)]
pub struct Beside<'a> {
    /// What git says.
    pub tree: Option<&'a WorkTree>,
    /// What was written down for the session.
    pub notes: &'a [Note],
    /// The agent is to tell the person of the compaction.
    pub announce: bool,
}

/// Answers an event. A store in which damage shows is begun anew, and the event answered from that one: the
/// transcript still has everything.
pub fn answer(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
) -> Result<Answer, CatchUpError> {
    let damage = match answer_from(store, agent, event, around) {
        Err(error) if error.is_damage() => error,
        other => return other,
    };
    store.begin_anew(around.now)?;
    let mut answer = answer_from(store, agent, event, around)?;
    answer.failed.get_or_insert(damage);
    Ok(answer)
}

/// Whatever a subagent does is its own affair: nothing of it is recorded as the main conversation's, and nothing
/// is said. Only the summariser is a subagent we listen to.
fn answer_from(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
) -> Result<Answer, CatchUpError> {
    if !event.names_a_session() {
        return Ok(Answer::default());
    }
    if let EventKind::SummaryReady { summary } = &event.kind {
        store.keep_summary(&event.session, &mask(summary), around.now)?;
        return Ok(Answer::default());
    }
    if let Some(subagent) = &event.subagent {
        note_subagent(store, event, subagent, around.now)?;
        return Ok(Answer::default());
    }
    let pass = CatchUp { agent, event, now: around.now, go_on: around.go_on };
    let caught = pass.run(store, depth(&event.kind))?;
    act(store, agent, event, around, caught)
}

/// All that is kept of a subagent is whether its own context is being compacted: its summary looks like ours.
fn note_subagent(store: &mut Store, event: &HookEvent, subagent: &str, now: i64) -> Result<(), CatchUpError> {
    match event.kind {
        EventKind::BeforeCompaction { .. } => {
            store.sub_compaction_begins(&event.session, subagent, now)?;
        }
        EventKind::Start(StartKind::Compact) | EventKind::AfterCompaction { .. } | EventKind::SubagentEnd => {
            store.sub_compaction_ends(&event.session, subagent)?;
        }
        _ => {}
    }
    Ok(())
}

fn depth(kind: &EventKind) -> Depth {
    match kind {
        EventKind::BeforeCompaction { .. }
        | EventKind::AfterCompaction { .. }
        | EventKind::Start(StartKind::Compact)
        | EventKind::TurnEnd
        | EventKind::End => Depth::Fold,
        _ => Depth::Index,
    }
}

fn act(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    mut caught: CaughtUp,
) -> Result<Answer, CatchUpError> {
    let mut stdout = String::new();
    let whole_is_needed = event.kind == EventKind::Start(StartKind::Compact);
    if !whole_is_needed && matches!(caught.failed, Some(CatchUpError::Time(_))) {
        // The next hook goes on from there.
        caught.failed = None;
    }
    let busy = caught.failed.as_ref().is_some_and(CatchUpError::is_busy);
    if !busy {
        note_signs(store, event, &caught.signs)?;
    }
    let mut lost = false;
    let mut notes = None;
    if let Some(session) = caught.session.as_ref().filter(|_| !busy) {
        keep_cold(store, event, around, session, caught.turns_before)?;
        if around.mirror && is_moment_to_mirror(&event.kind) {
            notes = Some(document(store, event, session)?);
        }
    }
    match &event.kind {
        EventKind::Start(StartKind::Compact) => stdout = restore(store, agent, event, around, &mut caught)?,
        // Waiting for a second write after a first in vain would only double the time.
        _ if busy => {}
        EventKind::Start(_) => store.compactions_are_over(&event.session, around.now)?,
        EventKind::BeforeCompaction { manual } => {
            store.compaction_begins(&event.session, *manual, around.now)?;
            if around.guide {
                stdout = guide(&caught.session.take().unwrap_or_default());
            }
        }
        EventKind::Prompt | EventKind::Tools => {
            if let Some(missing) = store.missing(&event.session)? {
                lost = store.claim_resend(&missing, around.now)?;
                stdout = if lost { (agent.inject)(event, &missing.brief) } else { String::new() };
            }
        }
        EventKind::AfterCompaction { summary } => {
            let summary = summary.as_deref().map(mask);
            store.compaction_ends(&event.session, summary.as_deref(), around.now)?;
            if let (Some(session), Some(summary)) = (&caught.session, &summary) {
                // Here stdout is the person's: the model has its brief.
                stdout = audit::line(&audit::audit(session, summary)).unwrap_or_default();
            }
        }
        EventKind::TurnEnd | EventKind::End => store.tidy()?,
        _ => {}
    }
    Ok(Answer { stdout, problems: caught.problems, failed: caught.failed, lost, notes })
}

/// Summarises the tasks that have become cold: every few turns near a compaction, and before each one.
fn keep_cold(
    store: &mut Store,
    event: &HookEvent,
    around: &Surroundings,
    session: &Session,
    turns_before: u32,
) -> Result<(), CatchUpError> {
    let last_chance = matches!(event.kind, EventKind::BeforeCompaction { .. });
    if !last_chance && !cold::is_time(turns_before, session) {
        return Ok(());
    }
    let tasks = cold::cold(session);
    if !tasks.is_empty() {
        store.keep_cold(&event.session, &tasks, around.now)?;
    }
    Ok(())
}

/// The quiet moments, and the one before the context goes.
fn is_moment_to_mirror(kind: &EventKind) -> bool {
    matches!(kind, EventKind::TurnEnd | EventKind::End | EventKind::BeforeCompaction { .. })
}

fn document(store: &Store, event: &HookEvent, session: &Session) -> Result<Document, CatchUpError> {
    let notes = notes::of(session, &store.notes(&event.session)?);
    let root = session.root().map(str::to_owned);
    Ok(Document { root, text: notes::markdown(&notes, &event.session) })
}

/// Notes what new rows tell of compactions, and whether a brief has arrived.
fn note_signs(store: &mut Store, event: &HookEvent, signs: &[Sign]) -> Result<(), CatchUpError> {
    for sign in signs {
        match sign {
            Sign::Compacted { before, after } => store.compaction_written(&event.session, *before, *after)?,
            Sign::Injected { event: by, text } => store.injected(&event.session, by, text)?,
        }
    }
    Ok(())
}

/// What the summariser should keep, from the same facts as the brief.
pub fn guide(session: &Session) -> String {
    let mut facts = extract::facts(session, &Known::default());
    facts.retain(|fact| fact.section != Section::Cold);
    let cold = extract::cold::for_summary(session);
    let is_cold = |fact: &Fact| cold.iter().any(|task| task.bare == fact.bare);
    facts.extend(extract::work::finished(session).into_iter().filter(|fact| !is_cold(fact)));
    facts.extend(cold);
    render::guide(facts)
}

/// The brief as the client takes it, once a compaction. A store that cannot be written does not keep it back:
/// given twice it wastes room, not given it is missed. What was not read to its end is no true record, though.
fn restore(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    caught: &mut CaughtUp,
) -> Result<String, CatchUpError> {
    if matches!(caught.failed, Some(CatchUpError::Time(_))) {
        return Ok(String::new());
    }
    let summary = store.summary(&event.session)?;
    let session = caught.session.take().unwrap_or_default();
    let tree = event.cwd.as_deref().and_then(around.git);
    let notes = store.notes(&event.session)?;
    let beside = Beside { tree: tree.as_ref(), notes: &notes, announce: around.announce };
    let brief = brief(&session, summary.as_deref(), &beside, around.budget);
    if brief.text.is_empty() {
        return Ok(String::new());
    }
    match store.claim_brief(&event.session, &brief.text, around.now) {
        Ok(false) => return Ok(String::new()),
        Ok(true) => {}
        Err(error) if error.is_damage() => return Err(error.into()),
        Err(error) => caught.failed = Some(error.into()),
    }
    Ok((agent.inject)(event, &brief.text))
}

/// The brief of a session against the summary that replaced it. A session nobody knows says nothing, whatever
/// git or a note has to tell.
pub fn brief(session: &Session, summary: Option<&str>, beside: &Beside, budget: usize) -> render::Brief {
    let known = summary.map(Known::new).unwrap_or_default();
    let mut facts = extract::facts(session, &known);
    if session.entries > 0 {
        if let Some(tree) = beside.tree {
            facts = extract::git::with_work_tree(facts, tree, &known);
        }
        facts = extract::notes::with_notes(facts, session, beside.notes, &known);
        facts.extend(beside.announce.then(extract::stood::to_be_announced));
    }
    render::brief(facts, budget)
}
