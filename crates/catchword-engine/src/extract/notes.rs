//! What a person or the agent wrote down since the goal, and what they say the state is.
//!
//! A note is written to be read after a compaction, so it goes in: a person's always, the agent's from the reserve.
//! Both are quoted under their author's name, because what the agent wrote is nobody's order. A line of the state that
//! somebody set replaces the one the record would guess.

use super::requests::goal_of;
use super::text::{quote, quote_foreign};
use super::{Fact, Known, Section};
use crate::notes::{Author, Note, StateKey, authors, holding};
use crate::session::Session;

/// Latest notes of a person, and of the agent, that are shown.
const MOST: usize = 6;
/// Characters of one.
const LONG: usize = 400;
/// The same when space is short.
const SHORT: usize = 160;

/// The facts with the notes among them.
pub fn with_notes(mut facts: Vec<Fact>, session: &Session, notes: &[Note], known: &Known) -> Vec<Fact> {
    if notes.is_empty() {
        return facts;
    }
    let notes = authors(session, notes);
    let since = goal_of(session).and_then(|prompt| prompt.time).unwrap_or(i64::MIN);
    for (key, note) in holding(session, &notes) {
        if key == StateKey::Next {
            facts.retain(|fact| {
                !(fact.section == Section::Stood && fact.text.starts_with(super::stood::ANNOUNCED))
            });
        }
        facts.push(state(key, note));
    }
    let written = |author| {
        let all = notes.iter().filter(move |n| n.author == author && n.state.is_none() && n.at >= since);
        let mut all: Vec<&Note> = all.filter(|note| !known.quotes(&note.text)).collect();
        all.drain(..all.len().saturating_sub(MOST));
        all
    };
    facts.extend(written(Author::Person).into_iter().enumerate().map(|(n, note)| line(note, n).must()));
    facts.extend(written(Author::Agent).into_iter().enumerate().map(|(n, note)| line(note, n).reserved()));
    facts
}

fn quoted(note: &Note, most: usize) -> String {
    match note.author {
        Author::Person => quote(&note.text, most),
        Author::Agent => quote_foreign(&note.text, most),
    }
}

/// The newest have the first claim.
fn line(note: &Note, n: usize) -> Fact {
    let form = |most| format!("{}: {}", note.author.name(), quoted(note, most));
    let fact = Fact::new(Section::Notes, &note.text, form(LONG)).or(form(SHORT));
    fact.worth(2.0 + n as f32 * 0.01, format!("a note of the {}", note.author.name()))
}

fn state(key: StateKey, note: &Note) -> Fact {
    let form = |most| format!("{}, by the {}: {}", key.title(), note.author.name(), quoted(note, most));
    let fact = Fact::new(Section::Stood, &note.text, form(240)).or(form(120));
    fact.worth(1.5, format!("set by the {}", note.author.name())).must()
}
