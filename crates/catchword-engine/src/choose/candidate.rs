//! The lines that could be shown.

use crate::model::entry::Place;
use crate::reading::command::ShellLine;
use crate::reading::report::says_something;
use crate::record::{Deed, Kind, Observation, Record, RunResult, Source, Standing, Voice};
use crate::text::cut::one_line;

/// A kind of line. Each has a share of the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pool {
    /// What the person sent: prompts with what they pasted into them, answers, reasons of refusals.
    Person,
    /// Prompts that are not the person's words.
    Delivered,
    /// Commands with their outcome, calls, commits.
    Run,
    /// What commands printed.
    Output,
    /// What other tools and subagents answered.
    Answer,
    /// What the agent said and planned.
    Agent,
    /// What an earlier summary said.
    Summary,
    /// Documents that were read.
    Document,
    /// What was written into files, and which.
    File,
}

impl Pool {
    pub const ALL: [Pool; 9] = [
        Pool::Person,
        Pool::Delivered,
        Pool::Run,
        Pool::Output,
        Pool::Answer,
        Pool::Agent,
        Pool::Summary,
        Pool::Document,
        Pool::File,
    ];
}

/// A line that could be shown.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    pub pool: Pool,
    pub seen: &'a Observation,
    /// What it says, without quotation marks and place.
    pub text: String,
    /// The run that printed it was overtaken by a later one.
    pub is_stale: bool,
}

impl Candidate<'_> {
    pub fn place(&self) -> Place {
        self.seen.place
    }
}

/// Every observation that may be shown, oldest first. What was withdrawn or stands again later is not.
pub fn candidates(record: &Record) -> Vec<Candidate<'_>> {
    let stale: std::collections::HashSet<Place> = record
        .iter()
        .filter(|seen| matches!(seen.what, Kind::Ran { .. }) && !seen.state.holds())
        .map(|seen| seen.place)
        .collect();
    record.iter().filter_map(|seen| candidate(seen, &stale)).collect()
}

fn candidate<'a>(seen: &'a Observation, stale: &std::collections::HashSet<Place>) -> Option<Candidate<'a>> {
    if matches!(seen.state, Standing::Withdrawn(_) | Standing::Repeated(_)) || !says_something(&seen.words) {
        return None;
    }
    // A former status of a task says nothing of the present one.
    if matches!(seen.what, Kind::Task { .. }) && !seen.state.holds() {
        return None;
    }
    let is_person = matches!(seen.who, Voice::Person | Voice::Pasted);
    let words = || seen.words.clone();
    let (pool, text) = match &seen.what {
        Kind::Asked(_) => (if is_person { Pool::Person } else { Pool::Delivered }, words()),
        Kind::Answered { question } => {
            (Pool::Person, format!("{} → {}", one_line(question.to_compare(), 160), seen.words))
        }
        Kind::Refused { call, .. } => {
            (Pool::Person, format!("refused `{}`: {}", one_line(call, 160), seen.words))
        }
        Kind::Said(_) | Kind::Planned(_) | Kind::Task { .. } => (Pool::Agent, words()),
        Kind::Ran { line, ended } => (Pool::Run, run(line, ended.as_deref())),
        Kind::Called { .. } => (Pool::Run, words()),
        Kind::Committed { hash } => (Pool::Run, format!("commit {hash} {}", seen.words)),
        Kind::Printed { by: Source::Document, .. } => (Pool::Document, words()),
        Kind::Printed { by: Source::Shell, .. } => (Pool::Output, words()),
        Kind::Printed { .. } => (Pool::Answer, words()),
        Kind::Touched(deed) => (Pool::File, touched(*deed, &seen.words)?),
        Kind::Wrote { .. } => (Pool::File, words()),
        Kind::Summarised(_) => (Pool::Summary, words()),
        // The plan has its own lines.
        Kind::Approved => return None,
    };
    let is_stale = match seen.what {
        Kind::Printed { of, .. } => stale.contains(&of),
        _ => !seen.state.holds(),
    };
    // An error that a later run has overtaken or settled is over.
    let was_failure = seen.is_failed_run() || matches!(seen.what, Kind::Printed { failed: true, .. });
    (!(is_stale && was_failure)).then_some(Candidate { pool, seen, text, is_stale })
}

/// `$ cargo test → 3 passed`
fn run(line: &ShellLine, ended: Option<&RunResult>) -> String {
    let command = one_line(line.text(), 400);
    match ended {
        Some(end) if end.telling.is_empty() && end.ok == Some(false) => format!("$ {command} → failed"),
        Some(end) if !end.telling.is_empty() => {
            let all = end.in_all().map(|all| format!(" ({all})")).unwrap_or_default();
            format!("$ {command} → {}{all}", end.telling)
        }
        _ => format!("$ {command}"),
    }
}

fn touched(deed: Deed, path: &str) -> Option<String> {
    (deed != Deed::Read).then(|| format!("{} {path}", deed.word()))
}
