//! What subagents say they could not do. What they say they changed is not told here: readers found reports of changes that
//! were never made. Those that have ended are not listed either: none of the five lists in 20 briefs was of use.

use crate::choose::{Fact, KnownText, Section};
use crate::model::entry::Place;
use crate::session::Session;
use crate::session::agents::reports;

/// Requests whose subagents are told.
const MAX_REQUESTS: usize = 4;

/// A suffix for lines that would otherwise count a subagent's work as not done.
pub fn worked_since(session: &Session, place: Place) -> &'static str {
    if session.agents.worked_after(place) {
        " (a subagent worked since; its calls are not in this record)"
    } else {
        ""
    }
}

/// What subagents say they could not do for the latest requests.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
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
