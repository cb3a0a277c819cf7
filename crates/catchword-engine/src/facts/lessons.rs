//! Learned the hard way: what failed and what then worked, what does not exist, what is refused.
//!
//! A summary says what was done and omits what it took to find out how, so the next agent makes the same mistakes.

use super::{Fact, KnownText, Section};
use crate::model::entry::Place;
use crate::quote::{code, name, quote_foreign};
use crate::session::Session;
use crate::session::lessons::{Attempt, Lesson};
use crate::session::shown::{shown_action, shown_path};

/// Latest lessons shown per kind.
const MAX_LESSONS: usize = 4;

/// Lessons that the summary lacks.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let lost = |fact: &Fact| !known.has(&fact.key) && !fact.place.is_some_and(|place| known.keeps(place));
    let shown = |lesson: &Lesson| fact_of(session, lesson).filter(lost);
    let is_file = |lesson: &&Lesson| matches!(lesson, Lesson::Missing { .. } | Lesson::Vanished { .. });
    let calls = latest(session.lessons.iter().filter(|lesson| !is_file(lesson)).filter_map(shown));
    let files = latest(session.lessons.iter().filter(is_file).filter_map(shown));
    calls.into_iter().chain(files).collect()
}

fn latest(facts: impl DoubleEndedIterator<Item = Fact>) -> Vec<Fact> {
    let mut facts: Vec<Fact> = facts.rev().take(MAX_LESSONS).collect();
    facts.reverse();
    facts
}

fn is_gone(session: &Session, path: &str) -> bool {
    session.files.get(path).is_some_and(|file| file.removed.is_some())
}

fn fact_of(session: &Session, lesson: &Lesson) -> Option<Fact> {
    let code = |attempt: &Attempt| code(&attempt.what, 160);
    let shown = |attempt: &Attempt| shown_action(session, &attempt.what, 160);
    let fact = |key: &str, text: String, place: Place, weight| {
        Fact::new(Section::Lessons, key, text).at(place).worth(weight, "learned from a call that failed")
    };
    Some(match lesson {
        Lesson::Worked { failed, telling, worked } => {
            let told = quote_foreign(telling, 160);
            let text = format!("{} failed ({told}) {}; {} worked", code(failed), failed.place, code(worked));
            fact(&worked.what, text, worked.place, 0.12)
        }
        // What was found instead is gone, too.
        Lesson::Missing { found: Some(found), .. } if is_gone(session, &found.what) => return None,
        Lesson::Missing { path, found: Some(found) } => {
            let name = |attempt: &Attempt| name(shown_path(session, &attempt.what), 160);
            let text = format!("no file {} {}; opened instead: {}", name(path), path.place, name(found));
            fact(&found.what, text, found.place, 0.06)
        }
        // A wrong guess at a path is worth telling only if something else was found instead.
        Lesson::Missing { .. } => return None,
        Lesson::Vanished { path, seen } => {
            if !is_gone(session, &path.what) {
                return None;
            }
            let name = name(shown_path(session, &path.what), 160);
            let text = format!("{name} was in use at {seen}; a command later found no such file");
            fact(&path.what, text, path.place, 0.2)
        }
        // Told only if it happened for the latest request: earlier it is noise.
        Lesson::PutBack { place, .. }
            if session.asked().last().is_some_and(|prompt| *place < prompt.place) =>
        {
            return None;
        }
        Lesson::PutBack { telling, place } => {
            let text = format!(
                "a `cd` out of the project lasts for one command only: {}",
                quote_foreign(telling, 160)
            );
            fact(telling, text, *place, 0.08)
        }
        Lesson::Refused { asked, telling } => {
            let text = format!("{}: refused, {}", shown(asked), quote_foreign(telling, 160));
            fact(&asked.what, text, asked.place, 0.08)
        }
    })
}
