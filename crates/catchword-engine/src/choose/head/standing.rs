//! Sentences of the person that sound like rules, verbatim and whole, without those that were taken back. They have a sure
//! place among the words of the user; that they are rules is for the reader to say.
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
        let lines = session.record.iter().filter(|seen| seen.place == rule.place);
        let mut own = lines.filter_map(|seen| Some((seen, seen.words.split_once(&rule.text)?.1)));
        // What a colon ends is the heading of a list, and half of what was said.
        !own.any(|(seen, rest)| matches!(seen.state, Standing::Withdrawn(_)) || rest.starts_with([':', '：']))
    });
    rules
}

fn fact(session: &Session, rule: &Instruction, why: &'static str) -> Fact {
    let text = format!("{}{}", quote(&rule.text, usize::MAX), sender_of(session, rule));
    Fact::new(Section::Person, &rule.text, text).at(rule.place).because(why)
}

/// Who sent a rule, unless a person typed it.
fn sender_of(session: &Session, rule: &Instruction) -> String {
    let prompt = session.asked().iter().find(|prompt| prompt.place == rule.place);
    match prompt.map(|prompt| &prompt.origin) {
        Some(Origin::Agent(sender)) => format!(" from {}", quote_foreign(sender, 40)),
        _ => String::new(),
    }
}
