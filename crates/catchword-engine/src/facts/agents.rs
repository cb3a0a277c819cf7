//! Subagents of this session that can be asked again, by their ids: a summary keeps what they said and loses the id.

use super::{Fact, KnownText, Section};
use crate::model::entry::Place;
use crate::session::Session;

/// Subagents that are named, the latest ones.
const MAX_NAMED_AGENTS: usize = 5;

/// One line with all of them.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    // What was searched for an earlier request is in its answer.
    let since = session.asked().iter().rev().nth(1).map_or(Place(0), |prompt| prompt.place);
    let is_running = |id: &str| session.running.contains_key(id);
    let wanted = session
        .agents
        .latest_first()
        .filter(|agent| agent.place >= since)
        .filter(|agent| !known.has(agent.id.to_compare()) && !is_running(agent.id.to_compare()))
        .take(MAX_NAMED_AGENTS);
    let mut wanted: Vec<_> = wanted.collect();
    wanted.reverse();
    let Some(last) = wanted.last() else { return Vec::new() };
    let named: Vec<String> =
        wanted.iter().map(|agent| format!("{} {}", agent.id.named(40), agent.what.quoted(60))).collect();
    let text = format!("subagents that can be asked again by id: {}", named.join(", "));
    vec![
        Fact::new(Section::Running, &named[named.len() - 1], text)
            .at(last.place)
            .worth(0.4, "a summary loses the ids"),
    ]
}
