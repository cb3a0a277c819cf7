//! One hook event: take in what is new, and say what is to be said.

use std::path::Path;

use super::catch_up::{CatchUp, CatchUpError, CaughtUp, Depth, Sign};
use super::handoff::{self, Handoff, Moment, Source};
use super::start::{self, Host};
use crate::agent::Agent;
use crate::agent::event::{EndKind, EventKind, HookEvent, StartKind};
use crate::audit;
use crate::extract::{self, Known, Unfinished, WorkTree};
use crate::mask::mask;
use crate::problem::Problem;
use crate::render;
use crate::session::Session;
use crate::store::{Step, Store};

/// What a front end hands in with an event.
pub struct Surroundings<'a> {
    /// The time, in milliseconds since 1970.
    pub now: i64,
    /// Characters a brief may have.
    pub budget: usize,
    /// The summariser is told what to keep.
    pub guide: bool,
    /// False when the time is up.
    pub go_on: &'a dyn Fn() -> bool,
    /// Asks git about a folder; called at starts, after a compaction and at the end only.
    pub git: &'a dyn Fn(&Path) -> Option<WorkTree>,
    /// Handoffs are written after a compaction and at the end.
    pub handoff: bool,
    /// A session is told of another one at its start, unless that was last heard of longer ago than this, in
    /// milliseconds; `None` switches all of it off.
    pub next_start: Option<i64>,
    /// The client and the disk.
    pub host: Host<'a>,
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
    /// A document to put where it belongs.
    pub handoff: Option<Handoff>,
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
        | EventKind::Start(StartKind::Compact | StartKind::Resume)
        | EventKind::TurnEnd
        | EventKind::End(_) => Depth::Fold,
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
    let is_whole = !matches!(caught.failed, Some(CatchUpError::Time(_)));
    if !whole_is_needed && !is_whole {
        // The next hook goes on from there.
        caught.failed = None;
    }
    let busy = caught.failed.as_ref().is_some_and(CatchUpError::is_busy);
    if !busy {
        note_signs(store, event, &caught.signs)?;
    }
    let mut lost = false;
    let mut document = None;
    match &event.kind {
        EventKind::Start(StartKind::Compact) => stdout = restore(store, agent, event, around, &mut caught)?,
        // Waiting for a second write after a first in vain would only double the time.
        _ if busy => {}
        EventKind::Start(kind) => {
            store.compactions_are_over(&event.session, around.now)?;
            let resumed = caught.session.as_ref().filter(|_| is_whole);
            stdout = start::told(store, agent, event, around, *kind, resumed)?;
        }
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
            if let Some(session) = caught.session.as_ref().filter(|_| is_whole && around.handoff) {
                let tree = event.cwd.as_deref().and_then(around.git);
                document = hand_over(agent, event, around, session, tree.as_ref(), Moment::Compaction);
            }
        }
        EventKind::TurnEnd => {
            start::note(store, event, around, Step::GoesOn)?;
            store.tidy()?;
        }
        EventKind::End(kind) => {
            let session = caught.session.as_ref().filter(|_| is_whole);
            document = end(store, agent, event, around, *kind, session)?;
            store.tidy()?;
        }
        _ => {}
    }
    Ok(Answer { stdout, problems: caught.problems, failed: caught.failed, lost, handoff: document })
}

/// Notes the end before anything that takes time, then what git says, and makes the handoff.
fn end(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    kind: EndKind,
    session: Option<&Session>,
) -> Result<Option<Handoff>, CatchUpError> {
    let cleared = kind == EndKind::Clear;
    let project = start::note(store, event, around, Step::Ends { cleared, head: None })?;
    let Some(session) = session else { return Ok(None) };
    let tree = project.filter(|p| p.is_work_tree && (around.go_on)()).and_then(|p| (around.git)(&p.root));
    if let Some(head) = tree.as_ref().and_then(|tree| tree.head.as_deref()) {
        start::note(store, event, around, Step::Ends { cleared, head: Some(head) })?;
    }
    // Scripts run by the thousand: theirs are kept where something is left to do.
    let wanted = around.host.attended != Some(false) || Unfinished::of(session, tree.as_ref()).is_left();
    Ok((around.handoff && wanted)
        .then(|| hand_over(agent, event, around, session, tree.as_ref(), Moment::End))
        .flatten())
}

/// The handoff of the session that sent the event; checkpoints make theirs with it, too.
pub fn hand_over(
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    session: &Session,
    tree: Option<&WorkTree>,
    moment: Moment,
) -> Option<Handoff> {
    let project = event.cwd.as_deref().map(|cwd| (around.host.project)(cwd).root);
    let source = Source {
        agent,
        session: &event.session,
        transcript: event.transcript.as_deref(),
        project: project.as_deref(),
        now: around.now,
    };
    handoff::handoff(session, &source, tree, moment)
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
    facts.extend(extract::work::finished(session));
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
    let brief = brief(&session, summary.as_deref(), tree.as_ref(), around.budget);
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
/// git has to tell.
pub fn brief(
    session: &Session,
    summary: Option<&str>,
    tree: Option<&WorkTree>,
    budget: usize,
) -> render::Brief {
    let known = summary.map(Known::new).unwrap_or_default();
    let facts = extract::facts(session, &known);
    let facts = match tree {
        Some(tree) if session.entries > 0 => extract::git::with_work_tree(facts, tree, &known),
        _ => facts,
    };
    render::brief(facts, budget)
}
