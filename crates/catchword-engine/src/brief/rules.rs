//! The person's rules, for the summariser and the handoff.

use crate::facts::{Fact, Section};
use crate::model::origin::Origin;
use crate::quote::{quote, quote_foreign};
use crate::reading::statements::LONG_RULE;
use crate::session::Session;
use crate::session::instructions::{Instruction, in_force};

/// Most rules of documents, the latest: these are longer than what people type.
const MAX_WRITTEN: usize = 12;

/// What the person said as a rule and did not take back, whole. What they typed comes before what they pasted.
pub(super) fn rules(session: &Session) -> Vec<Fact> {
    let (typed, written): (Vec<Instruction>, Vec<Instruction>) =
        in_force(session).into_iter().partition(|rule| rule.typed);
    let from = written.len().saturating_sub(MAX_WRITTEN);
    let fact = |rule: &Instruction| {
        let text = format!("{}{}", quote(&rule.text, LONG_RULE), sender_of(session, rule));
        Fact::new(Section::Person, &rule.text, text).at(rule.place)
    };
    typed.iter().chain(&written[from..]).map(fact).collect()
}

/// Who sent a rule, unless a person did.
fn sender_of(session: &Session, rule: &Instruction) -> String {
    let prompt = session.asked().iter().find(|prompt| prompt.place == rule.place);
    match prompt.map(|prompt| &prompt.origin) {
        Some(Origin::Agent(sender)) => format!(" from {}", quote_foreign(sender, 40)),
        _ => String::new(),
    }
}
