//! Standing instructions and corrections from the whole session, verbatim, without the withdrawn ones.
//!
//! Conventions and prohibitions are what a summary drops first, and losing them hurts most.

use super::{Fact, KnownText, Section};
use crate::model::origin::Origin;
use crate::quote::{quote, quote_foreign};
use crate::reading::statements::LONG_RULE;
use crate::session::Session;
use crate::session::instructions::{Instruction, in_force};

/// Most rules from documents. Typed ones come first.
const WRITTEN: usize = 12;
/// Most rules in total, the latest ones; sessions have fewer.
const MAX_RULES: usize = 40;
/// Characters that all rules share when space is short, and the minimum for one of them.
const SHARED: usize = 900;
const LEAST: usize = 48;

/// The instructions in force.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let mut standing = in_force(session);
    standing.retain(|rule| !known.keeps_message(rule.place) && !known.quotes(&rule.text));
    let standing = typed_first(standing);
    let share = (SHARED / standing.len().max(1)).clamp(LEAST, 160);
    let facts = standing.iter().map(|rule| {
        let sender = sender_of(session, rule);
        Fact::new(Section::Standing, &rule.text, format!("{}{sender}", quote(&rule.text, LONG_RULE)))
            .at(rule.place)
            .or(format!("{}{sender}", quote(&rule.text, share)))
            .worth(4.0, if rule.typed { "said as a rule, not withdrawn" } else { "a rule of a document" })
            .must()
    });
    facts.collect()
}

/// Who sent a rule, unless a person typed it.
fn sender_of(session: &Session, rule: &Instruction) -> String {
    let prompt = session.asked().iter().find(|prompt| prompt.place == rule.place);
    match prompt.map(|prompt| &prompt.origin) {
        Some(Origin::Agent(sender)) => format!(" from {}", quote_foreign(sender, 40)),
        _ => String::new(),
    }
}

/// Typed rules, oldest first, then those from documents.
fn typed_first(standing: Vec<Instruction>) -> Vec<Instruction> {
    let (mut typed, written): (Vec<Instruction>, Vec<Instruction>) =
        standing.into_iter().partition(|rule| rule.typed);
    typed.drain(..typed.len().saturating_sub(MAX_RULES));
    typed.extend(latest_prompts_first(written));
    typed
}

/// At most [`WRITTEN`] of them, oldest first: each prompt keeps its first ones, later prompts before earlier ones.
fn latest_prompts_first(standing: Vec<Instruction>) -> Vec<Instruction> {
    let mut ranked: Vec<(usize, Instruction)> = Vec::new();
    for rule in standing {
        let rank = ranked.last().filter(|(_, last)| last.place == rule.place).map_or(0, |(rank, _)| rank + 1);
        ranked.push((rank, rule));
    }
    ranked.sort_by_key(|(rank, rule)| (*rank, std::cmp::Reverse(rule.place)));
    ranked.truncate(WRITTEN);
    ranked.sort_by_key(|(rank, rule)| (rule.place, *rank));
    ranked.into_iter().map(|(_, rule)| rule).collect()
}
