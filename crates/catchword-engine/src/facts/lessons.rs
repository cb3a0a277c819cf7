//! Learned the hard way: what failed and what then worked, what does not exist, what is refused, which cause was found.
//!
//! A summary tells what was done and leaves out what it cost to find out how; the next agent pays again.

use super::{Fact, KnownText, Section};
use crate::model::entry::Place;
use crate::session::lessons::{Attempt, Lesson, causes};
use crate::session::shown::shown_action;
use crate::session::{AgentText, Session, one_line};
use crate::text::quote::{harmless, quote_foreign};
use crate::text::stems::{share, stem_set};

/// Latest lessons of each kind that are shown.
const MAX_LESSONS: usize = 4;

/// Lessons that the summary does not have.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let lost = |fact: &Fact| !known.has(&fact.key) && !fact.place.is_some_and(|place| known.keeps(place));
    let shown = |lesson: &Lesson| fact_of(session, lesson).filter(lost);
    let calls =
        latest(session.lessons.iter().filter(|l| !matches!(l, Lesson::Missing { .. })).filter_map(shown));
    let files =
        latest(session.lessons.iter().filter(|l| matches!(l, Lesson::Missing { .. })).filter_map(shown));
    let is_new = |said: &AgentText, sentence: &str| {
        !known.keeps(said.place)
            && !known.mentions(sentence)
            && !known.names_all_of(sentence)
            && !session.was_said_by_person(sentence, said.place)
    };
    let found = latest_of_each(&causes(session, MAX_LESSONS, is_new)).into_iter().map(|(said, sentence)| {
        let fact = Fact::new(
            Section::Lessons,
            sentence,
            format!("found by the agent: {}", quote_foreign(&sentence.replace("**", ""), 320)),
        );
        fact.at(said.place).worth(0.1, "the agent named a cause")
    });
    calls.into_iter().chain(files).chain(found).collect()
}

/// Without causes that a later one names again, more exactly as a rule.
fn latest_of_each<'a>(found: &[(&'a AgentText, &'a str)]) -> Vec<(&'a AgentText, &'a str)> {
    let is_again = |at: usize| {
        let words = stem_set(found[at].1);
        found[at + 1..].iter().any(|(_, later)| share(&words, &stem_set(later)) >= 0.4)
    };
    (0..found.len()).filter(|at| !is_again(*at)).map(|at| found[at]).collect()
}

fn latest(facts: impl DoubleEndedIterator<Item = Fact>) -> Vec<Fact> {
    let mut facts: Vec<Fact> = facts.rev().take(MAX_LESSONS).collect();
    facts.reverse();
    facts
}

fn fact_of(session: &Session, lesson: &Lesson) -> Option<Fact> {
    let code = |attempt: &Attempt| format!("`{}`", one_line(&harmless(&attempt.what), 160));
    let shown = |attempt: &Attempt| one_line(&harmless(&shown_action(session, &attempt.what)), 160);
    let fact = |key: &str, text: String, place: Place, weight| {
        Fact::new(Section::Lessons, key, text).at(place).worth(weight, "learned from a call that failed")
    };
    Some(match lesson {
        Lesson::Worked { failed, telling, worked } => {
            let told = quote_foreign(telling, 160);
            let text = format!("{} failed ({told}) {}; {} worked", code(failed), failed.place, code(worked));
            fact(&worked.what, text, worked.place, 0.12)
        }
        Lesson::Missing { path, found: Some(found) } => {
            let text = format!("no file {} {}; opened instead: {}", shown(path), path.place, shown(found));
            fact(&found.what, text, found.place, 0.06)
        }
        // A guess in vain, unless something is to be there.
        Lesson::Missing { .. } => return None,
        Lesson::Refused { asked, telling } => {
            let text = format!("{}: refused, {}", shown(asked), quote_foreign(telling, 160));
            fact(&asked.what, text, asked.place, 0.08)
        }
    })
}
