//! Tasks that were finished long ago, one line each.
//!
//! They are not needed to continue, so they get leftover space, and each is listed once, at the first compaction after it
//! became cold. An agent that sees that a task was done does not do it again; but a brief that listed all of them would
//! grow with every compaction. The summariser gets the same lines every time, with more weight ([`for_summary`]), so that
//! it need not work them out.

use super::{Fact, KnownText, Section};
use crate::facts::cold_tasks;
use crate::session::{Session, one_line};

/// Most lines for the summariser.
const MAX_COLD: usize = 12;
/// Most lines in a brief.
const MOST_IN_BRIEF: usize = 3;
/// Characters of a line.
const MAX_COLD_TEXT: usize = 320;
/// Characters of a line when space is short.
const MAX_SHORT_COLD_TEXT: usize = 140;

/// Tasks that became cold since the latest compaction and that the summary does not mention.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let is_new = |subject: &str| !known.quotes(subject) && !known.mentions(subject);
    let tasks = cold_tasks::newly_cold(session, MOST_IN_BRIEF, &is_new);
    // Just enough weight per character to be shown: if space is short, files and names come first.
    lines(&tasks, |line| (line.chars().count() as f32 * 1.2e-4).min(0.01))
}

/// The latest cold tasks, for the summariser.
pub fn for_summary(session: &Session, turns: u32) -> Vec<Fact> {
    lines(&cold_tasks::latest(session, turns, MAX_COLD), |_| 2.0)
}

fn lines(tasks: &[cold_tasks::TaskSummary], worth: impl Fn(&str) -> f32) -> Vec<Fact> {
    tasks
        .iter()
        .map(|task| {
            let all = task.all();
            let short = one_line(&all, MAX_SHORT_COLD_TEXT);
            let weight = worth(&short);
            let fact = Fact::new(Section::Cold, &task.subject, one_line(&all, MAX_COLD_TEXT)).or(short);
            fact.worth(weight, "finished, and not spoken of for 20 turns")
        })
        .collect()
}
