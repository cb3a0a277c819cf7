//! The lines that could be shown.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::joins::{Join, answers, joins};
use crate::model::entry::{Place, TaskStatus};
use crate::reading::command::ShellLine;
use crate::reading::report::says_something;
use crate::reading::statements::{Remark, Tells};
use crate::record::{Deed, Kind, Observation, Record, RunResult, Source, Standing, Voice, Written};
use crate::text::cut::one_line;

/// Lines of a prompt that make it a long one.
const LONG: usize = 8;

/// A kind of line. Each has a share of the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pool {
    /// What the person typed into the first prompt and into long ones: what is wanted, and under which conditions.
    Briefing,
    /// What else the person sent: prompts with what they pasted into them, answers, reasons of refusals.
    Person,
    /// Prompts that are not the person's words.
    Delivered,
    /// Commands with their outcome, calls, commits.
    Run,
    /// What commands printed.
    Output,
    /// What other tools and subagents answered.
    Answer,
    /// What the agent decided, left undone or gave a reason for, as far as its words say so.
    Concluded,
    /// What else the agent said, and what it planned.
    Agent,
    /// What an earlier summary said.
    Summary,
    /// Documents that were read.
    Document,
    /// What was written into files, and which.
    File,
}

impl Pool {
    pub const ALL: [Pool; 11] = [
        Pool::Briefing,
        Pool::Person,
        Pool::Delivered,
        Pool::Run,
        Pool::Output,
        Pool::Answer,
        Pool::Concluded,
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
    pub text: Cow<'a, str>,
    /// The run that printed it was overtaken by a later one.
    pub is_stale: bool,
    /// A task that no other row has as open.
    pub is_done_at_once: bool,
    /// What other rows add to it.
    pub join: Option<Join>,
}

impl Candidate<'_> {
    pub fn place(&self) -> Place {
        self.seen.place
    }
}

/// Every observation and every join that may be shown, oldest first. What was withdrawn or stands again later is not.
pub fn candidates(record: &Record) -> Vec<Candidate<'_>> {
    let stale: HashSet<Place> = record
        .iter()
        .filter(|seen| matches!(seen.what, Kind::Ran { .. }) && !seen.state.holds())
        .map(|seen| seen.place)
        .collect();
    let rows = RowsBeside::of(record, stale);
    let mut all: Vec<Candidate> =
        record.iter().filter_map(|seen| candidate(seen, &rows)).chain(joins(record)).collect();
    all.sort_by_key(Candidate::place);
    all
}

/// What other rows say of a line.
struct RowsBeside<'a> {
    /// Runs that a later one has overtaken.
    stale: HashSet<Place>,
    briefings: HashSet<Place>,
    answers: HashMap<Place, &'a str>,
    /// What stands beside the call that printed it.
    outcomes: HashSet<(Place, &'a str)>,
    /// Tasks that were seen before they were completed.
    begun: HashSet<&'a str>,
}

impl<'a> RowsBeside<'a> {
    fn of(record: &'a Record, stale: HashSet<Place>) -> RowsBeside<'a> {
        let answers = answers(record);
        let tellings = record.runs().map(|run| (run.seen.place, run.telling()));
        let outcomes = tellings.chain(answers.iter().map(|(place, said)| (*place, *said))).collect();
        let is_begun = |seen: &&Observation| matches!(seen.what, Kind::Task { status, .. } if status != TaskStatus::Completed);
        let begun = record.iter().filter(is_begun).map(|seen| seen.words.as_str()).collect();
        RowsBeside { stale, briefings: briefings(record), answers, outcomes, begun }
    }
}

/// The first prompt of the person, and long ones.
fn briefings(record: &Record) -> HashSet<Place> {
    let is_typed = |seen: &&Observation| matches!(seen.what, Kind::Asked(_)) && seen.who == Voice::Person;
    let typed: Vec<&Observation> = record.iter().filter(is_typed).collect();
    let rows = typed.chunk_by(|a, b| a.place == b.place);
    rows.enumerate().filter(|(at, row)| *at == 0 || row.len() >= LONG).map(|(_, row)| row[0].place).collect()
}

fn candidate<'a>(seen: &'a Observation, rows: &RowsBeside) -> Option<Candidate<'a>> {
    if matches!(seen.state, Standing::Withdrawn(_) | Standing::Repeated(_)) || !says_something(&seen.words) {
        return None;
    }
    // A former status of a task says nothing of the present one.
    if matches!(seen.what, Kind::Task { .. }) && !seen.state.holds() {
        return None;
    }
    // The announcement of what the agent has begun since.
    if matches!(seen.what, Kind::Said(_)) && !seen.state.holds() && seen.only_announces() {
        return None;
    }
    // It stands beside its call already.
    if matches!(seen.what, Kind::Printed { of, .. } if rows.outcomes.contains(&(of, seen.words.as_str()))) {
        return None;
    }
    let is_person = matches!(seen.who, Voice::Person | Voice::Pasted);
    let words = || Cow::Borrowed(seen.words.as_str());
    let answer = rows.answers.get(&seen.place).filter(|_| matches!(seen.what, Kind::Called { .. }));
    let (pool, text) = match &seen.what {
        Kind::Asked(_) if seen.who == Voice::Person && rows.briefings.contains(&seen.place) => {
            (Pool::Briefing, words())
        }
        Kind::Asked(_) => (if is_person { Pool::Person } else { Pool::Delivered }, words()),
        Kind::Answered { question } => {
            (Pool::Person, format!("{} → {}", one_line(question.to_compare(), 160), seen.words).into())
        }
        Kind::Refused { call, .. } => {
            (Pool::Person, format!("refused `{}`: {}", one_line(call, 160), seen.words).into())
        }
        Kind::Said(_) if concludes(seen) => (Pool::Concluded, words()),
        Kind::Said(_) | Kind::Planned(_) | Kind::Task { .. } => (Pool::Agent, words()),
        Kind::Ran { line, ended } => (Pool::Run, run(line, ended.as_deref()).into()),
        Kind::Called { .. } => {
            (Pool::Run, answer.map_or_else(words, |said| format!("{} → {said}", seen.words).into()))
        }
        Kind::Committed { hash, .. } => (Pool::Run, format!("commit {hash} {}", seen.words).into()),
        Kind::Printed { by: Source::Document, .. } => (Pool::Document, words()),
        Kind::Printed { by: Source::Shell, .. } => (Pool::Output, words()),
        Kind::Printed { .. } => (Pool::Answer, words()),
        Kind::Touched(deed) => (Pool::File, touched(*deed, &seen.words)?.into()),
        Kind::Wrote { how: Written::Instead(old), .. } => {
            (Pool::File, format!("{old} → {}", seen.words).into())
        }
        Kind::Wrote { .. } => (Pool::File, words()),
        Kind::Summarised(_) => (Pool::Summary, words()),
        // The plan has its own lines.
        Kind::Approved => return None,
    };
    let is_stale = match seen.what {
        Kind::Printed { of, .. } => rows.stale.contains(&of),
        Kind::Said(_) => false,
        _ => !seen.state.holds(),
    };
    // An error that a later run has overtaken or settled is over.
    let was_failure = seen.is_failed_run() || matches!(seen.what, Kind::Printed { failed: true, .. });
    (!(is_stale && was_failure)).then(|| {
        let join = answer.map(|said| Join::Answer((*said).to_owned()));
        let is_done_at_once = matches!(seen.what, Kind::Task { status: TaskStatus::Completed, .. })
            && !rows.begun.contains(seen.words.as_str());
        Candidate { pool, seen, text, is_stale, is_done_at_once, join }
    })
}

/// A sentence of it says what was decided or not done, or why something is so.
fn concludes(seen: &Observation) -> bool {
    let tells = |said: &Remark| {
        matches!(
            said.tells,
            Tells::Decision | Tells::NotDone | Tells::OpenList | Tells::Reason | Tells::Unsettled
        )
    };
    seen.says.iter().any(tells)
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
