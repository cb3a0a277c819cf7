//! Subagents: the ids of those that can be continued, which a summary loses, and what their reports say they changed.

use super::{Fact, KnownText, Section};
use crate::model::entry::Place;
use crate::session::Session;
use crate::session::agents::ReportedChanges;
use crate::session::shown::shown_path;

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
    named(session, known).into_iter().chain(reported(session, known)).collect()
}

/// What subagents say they changed for the latest two requests.
fn reported(session: &Session, known: &KnownText) -> Vec<Fact> {
    let since = session.asked().iter().rev().nth(1).map_or(Place(0), |prompt| prompt.place);
    let is_new = |report: &&ReportedChanges| {
        report.place >= since
            && !known.keeps(report.place)
            && !(report.files.iter().all(|file| known.names_file(file.to_compare()))
                && report.commits.iter().all(|hash| known.has(hash)))
    };
    let fact = |report: &ReportedChanges| {
        let files =
            report.files.iter().map(|file| file.map(|path| shown_path(session, path).to_owned()).named(120));
        let commits = report.commits.iter().map(|hash| format!("commit {hash}"));
        let all: Vec<String> = files.chain(commits).collect();
        let text = format!("a subagent ({}) reports changes: {}", report.what.quoted(60), all.join(", "));
        Fact::new(Section::Running, &all[0], text).at(report.place).worth(0.3, "a subagent's report")
    };
    session.agents.reports().filter(is_new).map(fact).collect()
}

/// One line that lists the subagents.
fn named(session: &Session, known: &KnownText) -> Vec<Fact> {
    // The results of earlier requests are in their answers.
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
