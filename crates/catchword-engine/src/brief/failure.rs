//! What the agent is told when a command fails as it failed before: one line, a record of what was done then.
//!
//! Nothing in it is an order or the person's words: paths and commands are quoted, and every claim has its place.

use crate::fixes::{DeedKind, FixDeed, FixPair};
use crate::model::event::short_id;
use crate::quote::{name, quote_foreign};

/// Most characters of the line.
pub const MOST: usize = 500;
/// Characters of a command, of the name of a file and of whoever did it.
const COMMAND_LONG: usize = 100;
const PATH_LONG: usize = 100;
const PERSON_LONG: usize = 40;

/// A failure that was over later, and where that was.
pub struct Solved<'a> {
    pub fix: &'a FixPair,
    /// Where its session started: paths are shown as seen from there.
    pub folder: Option<&'a str>,
    pub place: SolvedIn<'a>,
}

/// The conversation in which it was over.
pub enum SolvedIn<'a> {
    /// This session has seen the failure so often, this time included; which time it was that passed later.
    Here { times: usize, solved: usize },
    /// Another session of this repository.
    Session { id: &'a str, subagent: &'a str, person: Option<&'a str> },
}

/// The line. What does not fit is counted.
pub fn line(solved: &Solved) -> String {
    let done: Vec<String> = solved.fix.steps.iter().map(|step| shown(step, solved.folder)).collect();
    (0..=done.len())
        .rev()
        .map(|most| with_done(solved, &done, most))
        .find(|line| line.chars().count() <= MOST)
        .unwrap_or_default()
}

/// The files and commands that the line names, for what is recorded of it.
pub fn named(fix: &FixPair, folder: Option<&str>) -> Vec<String> {
    let steps = fix.steps.iter().map(|step| below(folder, &step.text).to_owned());
    steps.chain(fix.passed_as.clone()).collect()
}

fn with_done(solved: &Solved, done: &[String], most: usize) -> String {
    let fix = solved.fix;
    let command = quote_foreign(&fix.command, COMMAND_LONG);
    let then = match (&fix.passed_as, done.is_empty()) {
        (Some(call), true) => format!("as {}", quote_foreign(call, COMMAND_LONG)),
        (Some(call), false) => {
            format!("as {} after: {}", quote_foreign(call, COMMAND_LONG), list(done, most))
        }
        (None, _) => format!("after: {}", list(done, most)),
    };
    let told = match &solved.place {
        SolvedIn::Here { times, solved } => format!(
            "{command} failed like this for the {} time in this session; the {} time ({}) it passed at {} {then}",
            ordinal(*times),
            ordinal(*solved),
            fix.failed,
            fix.passed,
        ),
        SolvedIn::Session { id, subagent, person } => {
            let on = fix.failed_at.and_then(day).map(|day| format!(" on {day}")).unwrap_or_default();
            let by = person.map(|person| format!("{}, ", name(person, PERSON_LONG))).unwrap_or_default();
            let thread =
                if subagent.is_empty() { String::new() } else { format!("/{}", name(subagent, PERSON_LONG)) };
            format!(
                "{command} failed like this{on} ({by}{}{thread}:{}); it passed at {} {then}",
                short_id(id),
                fix.failed,
                fix.passed,
            )
        }
    };
    format!("catchword, from the record of this repository (what was done then, not what to do now): {told}.")
}

fn list(done: &[String], most: usize) -> String {
    let left = done.len().saturating_sub(most);
    let mut shown: Vec<String> = done.iter().take(most).cloned().collect();
    if left > 0 {
        shown.push(if most > 0 { format!("{left} more") } else { format!("{left} things") });
    }
    shown.join(", ")
}

fn shown(step: &FixDeed, folder: Option<&str>) -> String {
    match step.kind {
        DeedKind::Ran => quote_foreign(&step.text, COMMAND_LONG),
        kind => format!("{}{}", kind.noun(), name(below(folder, &step.text), PATH_LONG)),
    }
}

fn below<'a>(folder: Option<&str>, path: &'a str) -> &'a str {
    let rest = folder.and_then(|folder| path.strip_prefix(folder.trim_end_matches(['/', '\\'])));
    rest.and_then(|rest| rest.strip_prefix(['/', '\\'])).unwrap_or(path)
}

fn day(at: i64) -> Option<String> {
    let moment = jiff::Timestamp::from_millisecond(at).ok()?;
    Some(moment.to_zoned(jiff::tz::TimeZone::UTC).strftime("%-d %b %Y").to_string())
}

fn ordinal(number: usize) -> String {
    let end = match (number % 10, number % 100) {
        (1, n) if n != 11 => "st",
        (2, n) if n != 12 => "nd",
        (3, n) if n != 13 => "rd",
        _ => "th",
    };
    match number {
        1 => "first".to_owned(),
        2 => "second".to_owned(),
        3 => "third".to_owned(),
        _ => format!("{number}{end}"),
    }
}
