//! Open work: tasks and to-dos that are not finished. The client does not give its list back.

use super::text::harmless;
use super::{Fact, Known, Section};
use crate::agent::entry::TaskStatus;
use crate::session::{Session, one_line};

/// Tasks that are not finished, all of them: one that is missing is one called done.
pub fn facts(session: &Session, _known: &Known) -> Vec<Fact> {
    let open = session.tasks.open();
    open.iter()
        .map(|task| {
            let status = if task.status == TaskStatus::InProgress { "in progress" } else { "pending" };
            let number = task.id.as_deref().map(|id| format!("#{id} ")).unwrap_or_default();
            let line = |most| format!("[{status}] {number}{}", one_line(&harmless(&task.subject), most));
            let weight = if task.status == TaskStatus::InProgress { 3.0 } else { 2.5 };
            let fact = Fact::new(Section::Work, &task.subject, line(400)).at(task.place).or(line(160));
            fact.worth(weight, format!("task {status}")).must()
        })
        .collect()
}
