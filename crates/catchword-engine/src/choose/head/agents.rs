//! Subagents: the ids of those that can be continued, which a summary loses, and what they say they could not do. What
//! they say they changed is not told here: readers found reports of changes that were never made.

use crate::choose::{Fact, KnownText, Section};
use crate::model::entry::Place;
use crate::session::Session;
use crate::session::agents::reports;

/// Requests whose subagents are told.
const MAX_REQUESTS: usize = 4;
/// Tool calls after which a subagent is no longer worth asking.
const MAX_AGE: u32 = 60;
/// Subagents listed, the latest ones.
const MAX_NAMED_AGENTS: usize = 5;

/// A suffix for lines that would otherwise count a subagent's work as not done.
pub fn worked_since(session: &Session, place: Place) -> &'static str {
    if session.agents.worked_after(place) {
        " (a subagent worked since; its calls are not in this record)"
    } else {
        ""
    }
}

pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    named(session, known).into_iter().chain(problems(session, known)).collect()
}

/// What subagents say they could not do for the latest requests.
fn problems(session: &Session, known: &KnownText) -> Vec<Fact> {
    let since = latest_requests(session);
    let mut reports = reports(&session.record, since);
    reports.retain(|report| !known.keeps(report.place));
    let all = reports.iter().flat_map(|report| report.problems.iter().map(move |problem| (report, problem)));
    let lost = all.filter(|(_, problem)| !known.has(problem.to_compare()));
    lost.map(|(report, problem)| {
        let text = format!("a subagent ({}) reports: {}", report.what.quoted(60), problem.quoted(300));
        let fact = Fact::new(Section::Running, problem.to_compare(), text).at(report.place);
        fact.because("a subagent says what it could not do")
    })
    .collect()
}

/// Where the latest requests begin whose subagents still matter.
fn latest_requests(session: &Session) -> Place {
    let requests = session.asked().iter().filter(|prompt| !prompt.reads.is_reply);
    requests.rev().nth(MAX_REQUESTS - 1).map_or(Place(0), |prompt| prompt.place)
}

/// One line that lists the subagents.
fn named(session: &Session, known: &KnownText) -> Vec<Fact> {
    // The results of earlier requests are in their answers.
    let since = latest_requests(session);
    let is_running = |id: &str| session.running.contains_key(id);
    let wanted = session
        .agents
        .latest_first()
        .filter(|agent| agent.place >= since && session.clock.saturating_sub(agent.clock) <= MAX_AGE)
        .filter(|agent| !known.has(agent.id.to_compare()) && !is_running(agent.id.to_compare()))
        .take(MAX_NAMED_AGENTS);
    let mut wanted: Vec<_> = wanted.collect();
    wanted.reverse();
    let Some(last) = wanted.last() else { return Vec::new() };
    let named: Vec<String> =
        wanted.iter().map(|agent| format!("{} {}", agent.id.named(40), agent.what.quoted(60))).collect();
    let text = format!("the latest subagents, by id: {}", named.join(", "));
    vec![
        Fact::new(Section::Running, &named[named.len() - 1], text)
            .at(last.place)
            .because("a summary loses the ids"),
    ]
}
