//! What the agent is told about a session: the record combined with the state of its workspace, within a budget.

use super::active;
use crate::brief::cold_tasks::{self, ColdPlan};
use crate::brief::{self, Brief, Compacted, GuideSource};
use crate::choose::Model;
use crate::choose::weights::FITTED;
use crate::choose::{self, Fact, KnownText, WorkTree, WorkspaceState};
use crate::clients::{Client, Room};
use crate::session::Session;
use crate::session::active::Registered;
use crate::store::{Store, StoreError};

/// The brief of a session, given the summary that replaced it. Empty for an unknown session, whatever its workspace
/// contains.
pub fn brief(session: &Session, summary: Option<&str>, workspace: &WorkspaceState, budget: usize) -> Brief {
    let known = summary.map(|summary| KnownText::audited(session, Some(summary))).unwrap_or_default();
    let room = Room::Characters(usize::MAX);
    brief_beside(&known, session, workspace, budget, room)
}

/// The same for a model that has `known`, and no longer than the client passes on.
pub fn brief_beside(
    known: &KnownText,
    session: &Session,
    workspace: &WorkspaceState,
    budget: usize,
    room: Room,
) -> Brief {
    brief_by(&FITTED, known, session, workspace, budget, room)
}

/// The same with other weights, for the training program.
pub fn brief_by(
    model: &Model,
    known: &KnownText,
    session: &Session,
    workspace: &WorkspaceState,
    budget: usize,
    room: Room,
) -> Brief {
    let budget = budget_for(known, budget);
    let facts = choose::choose(model, session, known, workspace, brief::clamped(budget));
    let compacted = Compacted { session: workspace.id.as_deref(), left: known.left() };
    brief::fit_room(room, budget, |budget| brief::brief_of(facts.clone(), budget, compacted))
}

/// The budget of a brief: the maximum where nothing else that we could read tells the model what happened.
pub fn budget_for(known: &KnownText, budget: usize) -> usize {
    if known.stands_alone() { brief::HARD_LIMIT } else { budget }
}

/// The facts of record and workspace together.
pub fn facts(session: &Session, known: &KnownText, workspace: &WorkspaceState, budget: usize) -> Vec<Fact> {
    choose::choose(&FITTED, session, known, workspace, brief::clamped(budget))
}

/// Limits of what the summariser is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuideLimits {
    /// Total lines.
    pub lines: usize,
    /// Whether the person sees them.
    pub shown: bool,
    /// Which finished tasks are shortened, and how many of them are told.
    pub cold: ColdPlan,
}

impl Default for GuideLimits {
    fn default() -> Self {
        GuideLimits { lines: brief::GUIDE_LINES, shown: false, cold: ColdPlan::default() }
    }
}

/// What the summariser should keep, after the person's own instructions.
pub fn guide(
    session: &Session,
    registered: &[Registered],
    tree: Option<&WorkTree>,
    instructions: Option<&str>,
    limits: GuideLimits,
) -> String {
    let GuideLimits { lines, shown, cold } = limits;
    // A short guide has no room for them.
    let is_long = lines > brief::GUIDE_LINES;
    let cold = if is_long { cold_tasks::latest(session, cold.turns, cold.lines) } else { Vec::new() };
    brief::guide(&GuideSource { session, tree, registered, cold: &cold, instructions, lines, shown })
}

/// The parts of a workspace that are in the store: opens no files and runs no programs.
pub fn stored_workspace(
    store: &Store,
    client: &Client,
    id: &str,
    session: &Session,
) -> Result<WorkspaceState, StoreError> {
    let active = active::now(store, &client.commands, id, session, &|_, _| None)?;
    Ok(WorkspaceState { active: Some(active), notes: store.notes(id)?, ..WorkspaceState::default() })
}
