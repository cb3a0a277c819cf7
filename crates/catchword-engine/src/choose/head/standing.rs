//! Standing instructions and corrections from the whole session, verbatim and whole, without the withdrawn ones.
//!
//! Conventions and prohibitions are what a summary drops first, and losing them hurts most.

use crate::choose::{Fact, KnownText, Section};
use crate::model::origin::Origin;
use crate::quote::{quote, quote_foreign};
use crate::record::Standing;
use crate::session::Session;
use crate::session::instructions::{Instruction, in_force};

/// Most rules from documents, the latest: these are longer than what people type.
const MAX_WRITTEN: usize = 12;

/// Rules that the person typed and the model lacks, the latest first.
pub fn typed(session: &Session, known: &KnownText) -> Vec<Fact> {
    let lost = |rule: &Instruction| rule.typed && !known.keeps(rule.place) && !known.has(&rule.text);
    let rules = holding(session).into_iter().rev().filter(lost);
    rules.map(|rule| fact(session, &rule, "said as a rule, not withdrawn")).collect()
}

/// All rules, oldest first, those from documents behind those that were typed.
pub fn all(session: &Session) -> Vec<Fact> {
    let (typed, written): (Vec<Instruction>, Vec<Instruction>) =
        holding(session).into_iter().partition(|rule| rule.typed);
    let from = written.len().saturating_sub(MAX_WRITTEN);
    let typed = typed.iter().map(|rule| fact(session, rule, "said as a rule, not withdrawn"));
    typed.chain(written[from..].iter().map(|rule| fact(session, rule, "a rule of a document"))).collect()
}

/// The rules in force whose line still holds.
fn holding(session: &Session) -> Vec<Instruction> {
    let mut rules = in_force(session);
    rules.retain(|rule| {
        let mut lines = session.record.iter().filter(|seen| seen.place == rule.place);
        !lines.any(|seen| matches!(seen.state, Standing::Withdrawn(_)) && seen.words.contains(&rule.text))
    });
    rules
}

fn fact(session: &Session, rule: &Instruction, why: &'static str) -> Fact {
    let text = format!("{}{}", quote(&rule.text, usize::MAX), sender_of(session, rule));
    Fact::new(Section::Standing, &rule.text, text).at(rule.place).because(why)
}

/// Who sent a rule, unless a person typed it.
fn sender_of(session: &Session, rule: &Instruction) -> String {
    let prompt = session.asked().iter().find(|prompt| prompt.place == rule.place);
    match prompt.map(|prompt| &prompt.origin) {
        Some(Origin::Agent(sender)) => format!(" from {}", quote_foreign(sender, 40)),
        _ => String::new(),
    }
}
