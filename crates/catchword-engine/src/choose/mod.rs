//! What the model is told: every observation is a candidate, the choice comes last.
//!
//! [`candidates`] turns the record into lines that could be shown, each with the features that any project and language
//! has. [`Model`] scores them with fitted weights (`weights.rs`, written by the training program). [`select`] fills a
//! budget with the best, each specific thing once; [`Ranking`] has those of one kind.

mod best;
mod candidate;
mod fact;
mod features;
pub mod head;
mod joins;
mod known;
mod model;
pub mod reference;
mod section;
mod select;
mod shown;
mod unfinished;
#[allow(clippy::unreadable_literal, clippy::approx_constant, reason = "the training program writes it")]
pub mod weights;

pub use best::Ranking;
pub use candidate::{Candidate, Pool, candidates};
pub use fact::{Fact, SINCE, Why};
pub use features::{FEATURES, Features, MeasuredLine, features};
pub use head::git::{DiffStat, WorkTree};
pub use head::workspace::WorkspaceState;
pub use head::{HEAD, HeadRule};
pub use joins::Join;
pub use known::{KnownText, Left};
pub use model::{Model, bin};
pub use section::Section;
pub use select::{RankedLine, Shares, select};
pub use shown::shown;
pub use unfinished::Unfinished;

use crate::session::Session;
use weights::FITTED;

/// Where a line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// It is certain, and stands above everything else.
    Head,
    /// Beside the head, with a limit of its own: the latest request, notes, commands in force.
    Beside,
    /// A verbatim line, by its score within the share of its pool.
    Reference(Pool),
}

/// What the verbatim lines are called among the kinds.
pub const REFERENCE: &str = "reference";

/// Head and reference of a session in its workspace: everything worth carrying over that `known` does not already say, for
/// a page of `budget` characters.
pub fn choose(
    model: &Model,
    session: &Session,
    known: &KnownText,
    workspace: &WorkspaceState,
    budget: usize,
) -> Vec<Fact> {
    let mut facts = of_record(model, session, known, &[]);
    if session.entries == 0 {
        return facts;
    }
    if let Some(tree) = &workspace.tree {
        facts = head::git::with_work_tree(facts, tree, known);
    }
    if let Some(active) = &workspace.active {
        facts = head::active::with_files(facts, active, known, budget);
    }
    facts.extend(head::project::facts(&workspace.project, known));
    facts = head::notes::with_notes(facts, session, &workspace.notes, known);
    if workspace.announce && !facts.is_empty() {
        facts.push(head::state::compaction_announcement(session));
    }
    facts
}

/// What the record alone has.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    of_record(&FITTED, session, known, &[])
}

/// [`facts`] without some kinds, to measure what each contributes.
pub fn facts_without(session: &Session, known: &KnownText, left_out: &[String]) -> Vec<Fact> {
    of_record(&FITTED, session, known, left_out)
}

fn of_record(model: &Model, session: &Session, known: &KnownText, left_out: &[String]) -> Vec<Fact> {
    let mut facts = head::found(session, known, left_out);
    if !left_out.iter().any(|name| name == REFERENCE) {
        facts.extend(reference::facts(model, session, known));
    }
    facts
}
