//! One hook event: take in what is new, and say what is to be said.

use std::path::Path;

use super::catch_up::{CatchUp, CatchUpError, CaughtUp, Depth};
use crate::agent::Agent;
use crate::agent::event::{EventKind, HookEvent, StartKind};
use crate::extract::{self, Known, WorkTree};
use crate::mask::mask;
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
}

/// Answers an event. Whatever a subagent does is its own affair: nothing of it is recorded as the main
/// conversation's, and nothing is said. Only the summariser is a subagent we listen to.
pub fn answer(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
) -> Result<Answer, CatchUpError> {
    if let EventKind::SummaryReady { summary } = &event.kind {
        store.keep_summary(&event.session, &mask(summary))?;
        return Ok(Answer::default());
    }
    if event.subagent || event.session.is_empty() {
        return Ok(Answer::default());
    }
    let pass = CatchUp { agent, event, now: around.now, go_on: around.go_on };
    let caught = pass.run(store, depth(&event.kind))?;
    act(store, agent, event, around, caught)
}

fn depth(kind: &EventKind) -> Depth {
    match kind {
        EventKind::BeforeCompaction { .. }
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
    caught: CaughtUp,
) -> Result<Answer, CatchUpError> {
    let mut stdout = String::new();
    match &event.kind {
        EventKind::BeforeCompaction { manual } => {
            store.compaction_begins(&event.session, *manual, around.now)?
        }
        EventKind::Start(StartKind::Compact) => {
            let summary = store.summary(&event.session)?;
            let tree = event.cwd.as_deref().and_then(around.git);
            let session = caught.session.unwrap_or_default();
            let brief = brief(&session, summary.as_deref(), tree.as_ref(), around.budget);
            if !brief.text.is_empty() {
                stdout = (agent.inject)(event, &brief.text);
                store.briefed(&event.session, &brief.text, around.now)?;
            }
        }
        EventKind::AfterCompaction { summary } => {
            if let Some(summary) = summary {
                store.keep_summary(&event.session, &mask(summary))?;
            }
            store.compaction_ends(&event.session, around.now)?;
        }
        EventKind::TurnEnd | EventKind::End => store.tidy()?,
        _ => {}
    }
    Ok(Answer { stdout, problems: caught.problems })
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
