//! Where it stood: working or waiting, the last action, the next step the agent announced.

use super::text::{harmless, quote_foreign, sentences, shown_action};
use super::{Fact, Known, Section};
use crate::session::{Action, Said, Session, one_line};

/// How the agent begins to say what it will do.
const NEXT: [&str; 11] = [
    "now ",
    "next ",
    "next,",
    "next:",
    "i'll ",
    "i will ",
    "let me ",
    "let's ",
    "then ",
    "i need to ",
    "remaining",
];

/// State, last action and next step.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    if session.entries == 0 {
        return Vec::new();
    }
    let state = if session.waiting { waiting(session, known) } else { working(session, known) };
    let next = next_step(session)
        .filter(|step| !known.mentions(&step.bare) && !step.place.is_some_and(|place| known.keeps(place)));
    state.into_iter().chain(next).collect()
}

/// What the user set: that the agent tells them of the compaction, which the client tells it not to mention.
pub fn to_be_announced() -> Fact {
    let text = "The user's setting: they are told, in one line, that the context was compacted";
    Fact::new(Section::Stood, text, text).worth(2.0, "`announce` is set").must()
}

fn waiting(session: &Session, known: &Known) -> Option<Fact> {
    if session.interrupted {
        let action = session.last_action.as_ref().map(|a| format!("; last action: {}", happened(session, a)));
        let fact = Fact::new(
            Section::Stood,
            "interrupted",
            format!("Stopped by the user{}", action.unwrap_or_default()),
        );
        return Some(fact.or("Stopped by the user").worth(0.5, "the user interrupted it").must());
    }
    let last = session.said.back()?;
    let words = last_words(last);
    if known.keeps(last.place) {
        let fact = Fact::new(Section::Stood, &words, "Waiting for the user");
        return Some(fact.worth(0.5, "ended its turn").must());
    }
    let text = format!("Waiting for the user, after the agent's words {}", quote_foreign(&words, 200));
    let fact = Fact::new(Section::Stood, &words, text).at(last.place).or("Waiting for the user");
    Some(fact.worth(0.5, "ended its turn").must())
}

/// The last action, unless the model sees it itself.
fn working(session: &Session, known: &Known) -> Option<Fact> {
    let action = session.last_action.as_ref().filter(|action| !known.keeps(action.place))?;
    let text = format!("Mid-work; last action: {}", happened(session, action));
    let fact = Fact::new(Section::Stood, &action.what, text).at(action.place).or("Mid-work");
    // What did not end well is told even where little is.
    let weight = if action.ok == Some(true) { 0.2 } else { 0.8 };
    Some(fact.worth(weight, "last tool call").must())
}

/// An action and how it ended, as far as the record has it.
fn happened(session: &Session, action: &Action) -> String {
    let outcome = match action.ok {
        _ if action.refused => ", which the user refused",
        Some(true) => "",
        Some(false) => ", which failed",
        None => ", result not recorded yet",
    };
    format!("{}{outcome}", one_line(&harmless(&shown_action(session, &action.what)), 160))
}

/// How the line with the next step begins.
pub const ANNOUNCED: &str = "Announced next: ";

/// The step that the agent announced last, while it works.
pub fn announced(session: &Session) -> Option<(&Said, &str)> {
    if session.waiting {
        return None;
    }
    let said = session.said.back()?;
    let step = sentences(&said.text).into_iter().rev().find(|s| {
        let lower = s.to_lowercase();
        NEXT.iter().any(|cue| lower.starts_with(cue)) && !lower.starts_with("let me know")
    })?;
    Some((said, step))
}

fn next_step(session: &Session) -> Option<Fact> {
    let (said, step) = announced(session)?;
    let fact = Fact::new(Section::Stood, step, format!("{ANNOUNCED}{}", quote_foreign(step, 160)));
    Some(fact.at(said.place).worth(0.1, "its last announced step"))
}

/// The last two lines of a message.
pub fn last_words(said: &Said) -> String {
    let tail: Vec<&str> = said.text.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    tail[tail.len().saturating_sub(2)..].join(" ")
}
