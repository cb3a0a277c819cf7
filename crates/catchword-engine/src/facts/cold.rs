//! Tasks that were finished long ago, one line each, for the summariser: so that it need not work them out. The brief leaves
//! them out: they are not needed to continue.

use super::{Fact, Section};
use crate::facts::cold_tasks::{self, ColdPlan, TaskSummary};
use crate::session::{Session, one_line};

/// Characters of a line.
const MAX_COLD_TEXT: usize = 320;
/// Characters of a line when space is short.
const MAX_SHORT_COLD_TEXT: usize = 140;

/// The latest cold tasks, as the plan says.
pub fn for_summary(session: &Session, plan: &ColdPlan) -> Vec<Fact> {
    let tasks = cold_tasks::latest(session, plan.turns, plan.lines);
    let line = |task: &TaskSummary| {
        let all = task.all();
        let short = one_line(&all, MAX_SHORT_COLD_TEXT);
        let why = format!("finished, and not spoken of for {} turns", plan.turns);
        Fact::new(Section::Cold, &task.subject, one_line(&all, MAX_COLD_TEXT)).or(short).because(why)
    };
    tasks.iter().map(line).collect()
}
