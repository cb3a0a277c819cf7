//! What still runs in the background, by the id it is reached with.

use super::text::harmless;
use super::{Fact, Known, Section};
use crate::session::{Session, one_line};

/// Shells and subagents that have not ended.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    session
        .running
        .iter()
        .filter(|(id, _)| !known.has(id))
        .map(|(id, running)| {
            let what = if running.agent { "subagent" } else { "shell" };
            let text = format!(
                "{what} {}: {}",
                one_line(&harmless(id), 60),
                one_line(&harmless(&running.what), 160)
            );
            let fact = Fact::new(Section::Running, id, text).at(running.place);
            fact.worth(1.5, "started in the background, no end recorded")
        })
        .collect()
}
