//! Web addresses that the user gave, and those that the session's own pushes and deployments printed.
//!
//! A summary names the tool or the pull request and drops its address; nothing else in the project has it.

use super::{Fact, KnownText, Section};
use crate::quote::{code, name};
use crate::session::Session;
use crate::session::links::{Link, addresses};
use crate::text::passages::{Voice, passages};

/// Latest ones shown of each kind.
const MAX_SHOWN: usize = 4;
/// A longer prompt may contain a paste.
const LONG: usize = 1_500;
/// Requests whose addresses still matter.
const RECENT: usize = 10;

pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    given(session, known).into_iter().chain(printed(session, known)).collect()
}

/// Addresses that the user typed. Those in a pasted log or page are not theirs.
fn given(session: &Session, known: &KnownText) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    for prompt in session.prompts.iter().rev().take(RECENT).filter(|prompt| !known.keeps(prompt.place)) {
        // An address in a prompt with a paste may be the paste's.
        let parts = passages(&prompt.text);
        if parts.iter().any(|part| part.voice != Voice::Typed) || prompt.text.len() > LONG {
            continue;
        }
        for address in addresses(&prompt.text) {
            let is_new = !known.has(address) && facts.iter().all(|fact| fact.key != address);
            if is_new && facts.len() < MAX_SHOWN {
                let text = format!("given by the user: {}", name(address, 240));
                let fact = Fact::new(Section::Links, address, text).at(prompt.place);
                facts.push(fact.worth(0.15, "the user gave it"));
            }
        }
    }
    facts.reverse();
    facts
}

fn printed(session: &Session, known: &KnownText) -> Vec<Fact> {
    let is_new = |link: &&Link| !known.has(&link.address) && !known.keeps(link.place);
    let mut facts: Vec<Fact> = session.links.iter().rev().filter(is_new).take(MAX_SHOWN).map(fact).collect();
    facts.reverse();
    facts
}

fn fact(link: &Link) -> Fact {
    let text = format!("printed by {}: {}", code(&link.command, 60), name(&link.address, 240));
    let fact = Fact::new(Section::Links, &link.address, text);
    fact.at(link.place).worth(0.15, "the session published something there")
}
