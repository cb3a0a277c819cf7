//! Stores a note: the only tool that changes something.

use catchword_engine::model::event::short_id;
use catchword_engine::model::note::{Author, LONGEST_NOTE, StateKey};

use super::Fault;
use crate::app::env::Env;
use crate::app::notes;

/// Stores a note of the agent for the client's session. With `state` it sets that line of the current state instead; an
/// empty text clears the line. Returns a confirmation.
pub fn keep(session: &str, text: &str, state: Option<&str>, env: &Env) -> Result<String, Fault> {
    let state = state.map(line).transpose()?;
    let characters = text.chars().count();
    if characters > LONGEST_NOTE {
        let message = format!("A note has at most {LONGEST_NOTE} characters, this one has {characters}.");
        return Err(Fault::new("too_long", message, "Say it shorter, or put it into a file and note where."));
    }
    notes::keep(session, &[(state, text)], Author::Agent, env)?;
    let kept = match state {
        None => "Noted, as the agent's. It stands in the brief after a compaction.".to_owned(),
        Some(line) if text.is_empty() => format!("\"{}\" is taken back.", line.title()),
        Some(line) => format!("\"{}\" is set, until the user asks for something else.", line.title()),
    };
    let hidden = if *env.mask.text(text) == *text { "" } else { " A secret in it was masked." };
    Ok(format!("Session {}: {kept}{hidden}", short_id(session)))
}

fn line(name: &str) -> Result<StateKey, Fault> {
    StateKey::named(&name.to_lowercase()).ok_or_else(|| {
        let message = format!("The state has no line {name:?}.");
        Fault::new("bad_argument", message, "It is active, step, blocking or next; a plain note has none.")
    })
}
