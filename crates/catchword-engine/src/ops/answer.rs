//! One hook event: take in what is new, and say what is to be said.

use std::path::Path;

use super::active::{self, ActiveNow};
use super::catch_up::{CatchUp, CatchUpError, CaughtUp, Depth, Sign};
use crate::agent::Agent;
use crate::agent::event::{EventKind, HookEvent, StartKind};
use crate::audit;
use crate::extract::project::{self, Project};
use crate::extract::{self, Known, WorkTree};
use crate::mask::mask;
use crate::problem::Problem;
use crate::render;
use crate::session::Session;
use crate::session::active::Registered;
use crate::store::Store;

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
    /// Asks git about a folder; called after a compaction only.
    pub git: &'a dyn Fn(&Path) -> Option<WorkTree>,
    /// Finds the file of a command; called after a compaction only.
    pub look: &'a active::Look<'a>,
    /// Looks at the project around a folder; called after a compaction only.
    pub project: &'a dyn Fn(&Path, &Session) -> Project,
    /// The person's own instructions for summaries.
    pub instructions: Option<&'a str>,
}

impl Surroundings<'_> {
    /// Nothing around, and all the time there is.
    pub fn bare(now: i64) -> Surroundings<'static> {
        Surroundings {
            now,
            budget: render::DEFAULT_BUDGET,
            guide: false,
            go_on: &|| true,
            git: &|_| None,
            look: &|_, _| None,
            project: &|_, _| Project::default(),
            instructions: None,
        }
    }
}

/// What the record does not hold: what lies around the session when its brief is written.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// What git says.
    pub tree: Option<WorkTree>,
    /// The commands it works by, with their files; `None` where only the transcript was asked.
    pub active: Option<ActiveNow>,
    /// The project.
    pub project: Project,
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
    match &event.kind {
        EventKind::Start(StartKind::Compact) => stdout = restore(store, agent, event, around, &mut caught)?,
        // Waiting for a second write after a first in vain would only double the time.
        _ if busy => {}
        EventKind::Start(kind) => {
            store.compactions_are_over(&event.session, around.now)?;
            note_taken_up(store, &event.session, *kind)?;
        }
        EventKind::BeforeCompaction { manual } => {
            store.compaction_begins(&event.session, *manual, around.now)?;
            if around.guide {
                let session = caught.session.take().unwrap_or_default();
                let registered = store.registered(&event.session)?;
                stdout = guide(&session, &registered, around.instructions);
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
    Ok(Answer { stdout, problems: caught.problems, failed: caught.failed, lost })
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

/// What the client's process knows of commands ends where another process has to go on. A fork's rows are copied later,
/// so that all of them count as seen by another.
fn note_taken_up(store: &mut Store, session: &str, kind: StartKind) -> Result<(), CatchUpError> {
    let line = match kind {
        StartKind::Resume => store.known(session)?.map_or(0, |known| known.cursor.line),
        StartKind::Fork => u32::MAX,
        StartKind::Startup | StartKind::Clear | StartKind::Compact => return Ok(()),
    };
    store.taken_up(session, line)?;
    Ok(())
}

/// What the summariser should keep, from the same facts as the brief, after the person's own instructions.
pub fn guide(session: &Session, registered: &[Registered], instructions: Option<&str>) -> String {
    let mut facts = extract::facts(session, &Known::default());
    facts.extend(extract::work::finished(session));
    let facts = extract::active::with_registered(facts, session, registered);
    render::guide(facts, instructions)
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
    let outside = outside(store, agent, event, around, &session)?;
    let brief = brief(&session, summary.as_deref(), &outside, around.budget);
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

/// Looks around the session.
fn outside(
    store: &Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    session: &Session,
) -> Result<Outside, CatchUpError> {
    if session.entries == 0 {
        return Ok(Outside::default());
    }
    let folder = event.cwd.as_deref();
    Ok(Outside {
        tree: folder.and_then(around.git),
        active: Some(active::now(store, &agent.commands, &event.session, session, around.look)?),
        project: folder.map(|folder| (around.project)(folder, session)).unwrap_or_default(),
    })
}

/// The brief of a session against the summary that replaced it. A session nobody knows says nothing, whatever
/// lies around it.
pub fn brief(session: &Session, summary: Option<&str>, outside: &Outside, budget: usize) -> render::Brief {
    let known = summary.map(Known::new).unwrap_or_default();
    let mut facts = extract::facts(session, &known);
    if session.entries == 0 {
        return render::brief(facts, budget);
    }
    if let Some(tree) = &outside.tree {
        facts = extract::git::with_work_tree(facts, tree, &known);
    }
    if let Some(active) = &outside.active {
        facts =
            extract::active::with_files(facts, &active.uses, &active.over, &known, render::clamped(budget));
    }
    facts.extend(project::facts(&outside.project, &known));
    render::brief(facts, budget)
}
