//! The head: what is certain, by rules in one table.
//!
//! Every rule gets the session and what the model already has, and finds lines that are a quotation or a state, never a
//! verdict. There are no weights: what does not fit into the head is left out. To add a rule, add one file and one line in
//! [`HEAD`].

pub mod active;
pub mod agents;
pub mod answers;
pub mod command_files;
pub mod contradictions;
pub mod failures;
pub mod files;
pub mod git;
pub mod notes;
pub mod project;
pub mod requests;
pub mod running;
pub mod standing;
pub mod state;
pub mod steps;
pub mod work;
pub mod workspace;

use super::{Fact, KnownText, Section};
use crate::session::Session;

/// One rule of the head: precise enough to stand above everything else, whatever a score says.
pub struct HeadRule {
    /// For the ablation table.
    pub name: &'static str,
    pub finds: fn(&Session, &KnownText) -> Vec<Fact>,
}

/// Every rule, in the order in which they get the room of the head.
pub const HEAD: &[HeadRule] = &[
    rule("contradictions", contradictions::facts),
    rule("requests", requests::facts),
    rule("standing", standing::typed),
    rule("work", work::dated),
    rule("state", state::facts),
    rule("failures", failures::facts),
    rule("running", running::facts),
    rule("git", git::facts),
    rule("answers", answers::facts),
    rule("files", files::facts),
    rule("agents", agents::facts),
    rule("steps", steps::facts),
    rule("active", active::facts),
];

const fn rule(name: &'static str, finds: fn(&Session, &KnownText) -> Vec<Fact>) -> HeadRule {
    HeadRule { name, finds }
}

/// What the rules find, without those whose names are left out.
pub fn found(session: &Session, known: &KnownText, left_out: &[String]) -> Vec<Fact> {
    let wanted = HEAD.iter().filter(|rule| !left_out.iter().any(|name| name == rule.name));
    said_once(wanted.flat_map(|rule| (rule.finds)(session, known)).collect())
}

/// Drops requests that another section shows with the same text and place: a request that is nothing but a rule is
/// shown among the rules.
fn said_once(facts: Vec<Fact>) -> Vec<Fact> {
    let is_asked = |fact: &Fact| fact.section == Section::Asked;
    let same = |a: &Fact, b: &Fact| a.place == b.place && a.text == b.text;
    let is_repeated =
        |fact: &Fact| is_asked(fact) && facts.iter().any(|other| !is_asked(other) && same(fact, other));
    let repeated: Vec<bool> = facts.iter().map(is_repeated).collect();
    facts.into_iter().zip(repeated).filter(|(_, repeated)| !repeated).map(|(fact, _)| fact).collect()
}
