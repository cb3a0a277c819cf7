//! Tasks that were finished long ago, a line each.
//!
//! Nobody needs them to go on, so they get what is left over, and each is told once: at the first compaction after it
//! has become cold. An agent that reads what was done for a task does not do it again, and a brief that told of all of
//! them would grow from one compaction to the next. The summariser gets the same lines each time, with more weight
//! ([`for_summary`]): what stands in them it need not work out.

use super::{Fact, KnownText, Section};
use crate::facts::cold_tasks;
use crate::session::{Session, one_line};

/// Latest ones shown.
const MAX_COLD: usize = 12;
/// The same in a brief.
const MOST_IN_BRIEF: usize = 3;
/// Characters of one.
const MAX_COLD_TEXT: usize = 320;
/// The same when space is short.
const MAX_SHORT_COLD_TEXT: usize = 140;

/// Tasks that have become cold since the latest compaction, and that the summary does not speak of.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let is_new = |subject: &str| !known.quotes(subject) && !known.mentions(subject);
    let tasks = cold_tasks::newly_cold(session, MOST_IN_BRIEF, &is_new);
    // Each of its characters just worth being shown: where space is short, files and names come first.
    lines(&tasks, |line| (line.chars().count() as f32 * 1.2e-4).min(0.01))
}

/// All of them, for the summariser.
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
