//! Notes that a person or the agent wrote since the goal, and what they say the state is.
//!
//! A note is written to be read after a compaction, so it is included: a person's always, the agent's from the reserve.
//! Both are quoted with their author's name, because the agent's notes are not instructions. A state line that somebody
//! set replaces the one derived from the record.

use crate::choose::head::requests::topic_began;
use crate::choose::{Fact, KnownText, Section};
use crate::model::note::NOTE_COMMAND;
use crate::model::note::{Author, Note, StateKey};
use crate::quote::{quote, quote_foreign};
use crate::session::Session;
use crate::text::cut;

/// Latest notes shown per author.
const MAX_NOTES: usize = 6;
/// Characters of a note.
const MAX_NOTE_TEXT: usize = 400;
/// Characters of a note when space is short.
const MAX_SHORT_NOTE_TEXT: usize = 160;

/// Adds the notes to the facts.
pub fn with_notes(mut facts: Vec<Fact>, session: &Session, notes: &[Note], known: &KnownText) -> Vec<Fact> {
    if notes.is_empty() {
        return facts;
    }
    let notes = authors(session, notes);
    let since = topic_began(session);
    for (key, note) in holding(session, &notes) {
        if key == StateKey::Next {
            facts.retain(|fact| {
                !(fact.section == Section::State
                    && fact.text.starts_with(crate::choose::head::state::ANNOUNCED))
            });
        }
        facts.push(state(key, note));
    }
    let written = |author| {
        let all = notes.iter().filter(move |n| n.author == author && n.state.is_none() && n.at >= since);
        let mut all: Vec<&Note> = all.filter(|note| !known.has_all(&note.text)).collect();
        all.drain(..all.len().saturating_sub(MAX_NOTES));
        all
    };
    facts.extend(written(Author::Person).into_iter().map(|note| line(note).beside()));
    facts.extend(written(Author::Agent).into_iter().map(|note| line(note).beside()));
    facts
}

/// A note in quotation marks; one of the agent cannot end them.
pub fn quoted(note: &Note, most: usize) -> String {
    match note.author {
        Author::Person => quote(&note.text, most),
        Author::Agent => quote_foreign(&note.text, most),
    }
}

fn line(note: &Note) -> Fact {
    let form = |most| format!("{}: {}", note.author.name(), quoted(note, most));
    let fact = Fact::new(Section::Notes, &note.text, form(MAX_NOTE_TEXT)).or(form(MAX_SHORT_NOTE_TEXT));
    fact.because(format!("a note of the {}", note.author.name()))
}

fn state(key: StateKey, note: &Note) -> Fact {
    let form = |most| format!("{}, by the {}: {}", key.title(), note.author.name(), quoted(note, most));
    let fact = Fact::new(Section::State, &note.text, form(240)).or(form(120));
    fact.because(format!("set by the {}", note.author.name())).beside()
}

/// Corrects authors: a note that the agent wrote because the person dictated it with the slash command is the person's.
pub fn authors(session: &Session, notes: &[Note]) -> Vec<Note> {
    let squashed = |text: &str| cut::squashed(text.trim().trim_matches(['"', '\'']));
    let typed = session.beside.iter().filter_map(|text| text.strip_prefix(NOTE_COMMAND)?.strip_prefix(' '));
    let typed: Vec<String> = typed.map(squashed).collect();
    let theirs = |note: &Note| note.state.is_none() && typed.contains(&squashed(&note.text));
    let author = |note: &Note| if theirs(note) { Author::Person } else { note.author };
    notes.iter().map(|note| Note { author: author(note), ..note.clone() }).collect()
}

/// State lines that are still valid: the latest of each key since the goal, unless it was cleared. A later request
/// supersedes them, except blockers.
pub fn holding<'a>(session: &Session, notes: &'a [Note]) -> Vec<(StateKey, &'a Note)> {
    let since_goal = topic_began(session);
    let asked = session.prompts.iter().rev().find(|p| !p.reads.is_reply);
    let since_asked = asked.and_then(|prompt| prompt.time).unwrap_or(i64::MIN);
    let latest =
        |key: StateKey| notes.iter().rev().find(|note| note.state == Some(key)).map(|note| (key, note));
    let holds = |(key, note): &(StateKey, &Note)| {
        let since = if *key == StateKey::Blocking { since_goal } else { since_asked };
        note.at >= since && !note.text.is_empty()
    };
    StateKey::ALL.into_iter().filter_map(latest).filter(holds).collect()
}
