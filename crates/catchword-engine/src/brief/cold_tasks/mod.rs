//! Cold tasks: finished, and not mentioned for some turns. What was done for each, in a few lines.
//!
//! A summariser that gets a whole session spends its words on what was finished long ago. So these tasks are summarised
//! beforehand, from the record: files changed, commands run, outcomes and decisions, errors and how they were resolved,
//! each with its place. The summariser gets the lines verbatim. A pure function of the session; [`is_due`] and [`is_near`] decide when it runs, and the store keeps the result.

use std::collections::HashSet;

use crate::choose::Ranking;
use crate::context::Gauge;
use crate::model::entry::Place;
use crate::quote::{code, harmless, name, quote_foreign};
use crate::session::shown::shown_path;
use crate::session::spans::{Activity, Resolved, TaskKind, TaskSpan, TaskSpans};
use crate::session::{Session, one_line};
use crate::text::words::{IDENTIFIERS, words};

/// When finished tasks are summarised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColdPlan {
    /// Turns without a mention after which a finished task is cold.
    pub turns: u32,
    /// Turns between two checks.
    pub every: u32,
    /// How much of the context must be used before a check is worthwhile, in percent of the compaction threshold.
    pub from: u8,
    /// Most tasks that the summariser is told.
    pub lines: usize,
}

impl Default for ColdPlan {
    fn default() -> Self {
        ColdPlan { turns: 20, every: 10, from: 70, lines: 40 }
    }
}

/// Finished tasks considered.
const MAX_FINISHED: usize = 40;

/// Lines of the agent told of a task.
const MAX_SAID: usize = 3;
/// Latest commits told of a task.
const MAX_COMMITS: usize = 8;
/// Files named per line.
const MAX_FILES_NAMED: usize = 4;

/// What was done for a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSummary {
    /// The client's number; for to-dos and requests their line in the transcript.
    pub task: String,
    pub subject: String,
    /// The turn in which it was started.
    pub start_turn: u32,
    /// The turn in which it was finished.
    pub end_turn: u32,
    pub files_modified: Vec<String>,
    /// Commands run, with ✓ or ✗ for their last result.
    pub commands_run: Vec<String>,
    /// How it ended, tests, commits, decisions.
    pub key_outcomes: Vec<String>,
    /// Failures that were fixed, and the change that fixed each.
    pub errors_resolved: Vec<String>,
}

/// Whether enough turns have passed since `before` for another check.
pub fn is_due(before: u32, session: &Session, every: u32) -> bool {
    let every = every.max(1);
    session.turns / every > before / every
}

/// Whether the context is full enough. If that is unknown, turns alone decide.
pub fn is_near(gauge: &Gauge, from: u8) -> bool {
    match (gauge.used, gauge.threshold) {
        (Some(used), Some(threshold)) => used.tokens * 100 >= threshold.tokens * u64::from(from),
        _ => true,
    }
}

/// The cold tasks of a session, in the order they ended, without those that are `summarised` already.
pub fn cold(session: &Session, turns: u32, summarised: &[TaskSummary]) -> Vec<TaskSummary> {
    let is_new = |span: &TaskSpan| {
        let is_it =
            |task: &TaskSummary| task.task == span.id && span.end.is_none_or(|end| end.turn <= task.end_turn);
        !summarised.iter().any(is_it)
    };
    summaries(session, turns, usize::MAX, usize::MAX, is_new)
}

/// The latest cold tasks.
pub fn latest(session: &Session, turns: u32, most: usize) -> Vec<TaskSummary> {
    summaries(session, turns, most, MAX_FINISHED, |_| true)
}

/// The latest `most` cold tasks among the latest `looked_at` that ended long enough ago. `turns` are counted from the last
/// mention.
fn summaries(
    session: &Session,
    turns: u32,
    most: usize,
    looked_at: usize,
    is_wanted: impl Fn(&TaskSpan) -> bool,
) -> Vec<TaskSummary> {
    let is_old = |turn: u32| session.turns.saturating_sub(turn) > turns;
    let is_over = |span: &TaskSpan| span.end.is_some_and(|end| is_old(end.turn)) && is_wanted(span);
    let old = finished(session).into_iter().filter(is_over);
    let talk = Talk::of(session);
    let cold = old.rev().take(looked_at).filter(|span| is_old(last_mention(session, &talk, span)));
    let cold: Vec<TaskSpan> = cold.take(most).collect();
    if cold.is_empty() {
        return Vec::new();
    }
    let ranking = Ranking::of(session);
    cold.iter().rev().map(|span| summary(session, span, &ranking)).collect()
}

/// Finished tasks, cold or not, in the order they ended. Only the task list calls something finished: a request that
/// was answered may be half done.
pub fn finished(session: &Session) -> Vec<TaskSpan> {
    let mut finished = TaskSpans::of(&session.record).finished;
    finished.retain(|span| !subject(session, span).is_empty() && !is_contradicted(session, span));
    finished
}

/// The agent said later that part of it is not done.
fn is_contradicted(session: &Session, span: &TaskSpan) -> bool {
    let subject = subject(session, span).to_lowercase();
    let is_of_it = |names: &[String]| names.iter().any(|name| subject.contains(name.as_str()));
    let end = span.end.map(|end| end.place);
    session.record.remaining().iter().any(|work| Some(work.place) > end && is_of_it(&work.untouched))
}

/// What a task is about. If the span has no subject, the task list has it.
pub fn subject<'a>(session: &'a Session, span: &'a TaskSpan) -> &'a str {
    if span.subject.is_empty() { session.tasks.subject(&span.id).unwrap_or_default() } else { &span.subject }
}

/// What was said and asked, in order: computed once, and searched for every task.
struct Talk {
    said: Vec<TaskMentions>,
    asked: Vec<TaskMentions>,
}

struct TaskMentions {
    place: Place,
    turn: u32,
    /// In lower case.
    text: String,
}

impl Talk {
    fn of(session: &Session) -> Talk {
        let heard = |place, turn, text: &str| TaskMentions { place, turn, text: text.to_lowercase() };
        Talk {
            said: session.record.spoken().map(|said| heard(said.place, said.turn, &said.text())).collect(),
            asked: session.prompts.iter().map(|p| heard(p.place, p.turn, &session.text_of(p))).collect(),
        }
    }
}

/// The turn in which a task was last mentioned after its end, or else the turn of its end.
fn last_mention(session: &Session, talk: &Talk, span: &TaskSpan) -> u32 {
    let Some(end) = span.end else { return session.turns };
    let names = TaskNames::of(span, subject(session, span));
    // The text that ended it does not count as a mention: the answer, or what was said beside the list.
    let late = |heard: &&TaskMentions| heard.place > end.place;
    let mut said = talk.said.iter().rev().take_while(|said| late(said) && said.turn > end.turn + 1);
    let mut asked = talk.asked.iter().rev().take_while(late);
    let is_of_it = |heard: &&TaskMentions| names.occur_in(&heard.text);
    let latest = [said.find(is_of_it), asked.find(is_of_it)];
    latest.into_iter().flatten().map(|heard| heard.turn).fold(end.turn, u32::max)
}

/// How people refer to a task: its number, or most of the significant words of its subject.
struct TaskNames {
    /// `#7` and `task 7`.
    number: Option<[String; 2]>,
    words: HashSet<String>,
}

impl TaskNames {
    fn of(span: &TaskSpan, subject: &str) -> TaskNames {
        let number =
            (span.kind == TaskKind::Task).then(|| [format!("#{}", span.id), format!("task {}", span.id)]);
        TaskNames { number, words: telling(subject).collect() }
    }

    /// Whether a text in lower case refers to it.
    fn occur_in(&self, lower: &str) -> bool {
        let numbered = self.number.iter().flatten().any(|number| has_word(lower, number));
        // Subjects are short; a long request is referred to by few of its words, and those also occur elsewhere.
        let enough = (self.words.len().min(12) * 2).div_ceil(3).max(2);
        numbered || self.words.iter().filter(|word| lower.contains(word.as_str())).count() >= enough
    }
}

fn telling(text: &str) -> impl Iterator<Item = String> {
    let long = words(text, IDENTIFIERS).filter(|(_, word)| word.chars().count() > 3);
    long.map(|(_, word)| word.to_lowercase())
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let after = text[at + word.len()..].chars().next();
        !after.is_some_and(char::is_alphanumeric)
    })
}

fn shown_subject(session: &Session, span: &TaskSpan) -> String {
    one_line(&harmless(subject(session, span)), 200)
}

fn summary(session: &Session, span: &TaskSpan, ranking: &Ranking) -> TaskSummary {
    let done = Activity::of(&session.record, span);
    let mark = |ok: &Option<bool>| match ok {
        Some(true) => "✓",
        Some(false) => "✗",
        None => "…",
    };
    TaskSummary {
        task: span.id.clone(),
        subject: shown_subject(session, span),
        start_turn: span.start.turn,
        end_turn: span.end.map_or(span.start.turn, |end| end.turn),
        files_modified: done
            .files
            .iter()
            .map(|path| harmless(shown_path(session, path)).into_owned())
            .collect(),
        commands_run: done
            .commands
            .iter()
            .map(|(command, ok)| format!("{} {}", mark(ok), harmless(&one_line(command, 200))))
            .collect(),
        key_outcomes: outcomes(span, &done, ranking),
        errors_resolved: done.resolved.iter().map(|failure| resolved(session, failure)).collect(),
    }
}

/// How it ended, and the results.
fn outcomes(span: &TaskSpan, done: &Activity, ranking: &Ranking) -> Vec<String> {
    let end = span.end.map_or(Place(0), |end| end.place);
    let mut all = vec![format!("completed in the task list {end}")];
    all.extend(done.tested.map(|tests| {
        let how = if tests.ok { "passed" } else { "failed" };
        let counts = tests.counts.map_or_else(|| how.to_owned(), |counts| counts.to_string());
        format!("last test run: {counts} {}", tests.place)
    }));
    let latest = done.commits.len().saturating_sub(MAX_COMMITS);
    all.extend(
        done.commits[latest..]
            .iter()
            .map(|(hash, subject)| format!("commit {} {}", name(hash, 40), quote_foreign(subject, 100))),
    );
    all.extend(said_within(ranking, span));
    all
}

/// What the agent said within the span, the lines with the highest scores: decisions and outcomes in any words.
fn said_within(ranking: &Ranking, span: &TaskSpan) -> Vec<String> {
    let end = span.end.map_or(Place(0), |end| end.place);
    let said = ranking.said(span.start.place..=end, MAX_SAID);
    said.iter().map(|seen| format!("said: {} {}", quote_foreign(&seen.words, 1_000), seen.place)).collect()
}

fn resolved(session: &Session, failure: &Resolved) -> String {
    let edited: Vec<_> = failure.edited.iter().map(|path| name(shown_path(session, path), 120)).collect();
    let how =
        if edited.is_empty() { String::new() } else { format!(" after changing {}", edited.join(", ")) };
    let said = if failure.error.is_empty() {
        String::new()
    } else {
        format!(" ({})", quote_foreign(failure.error, 120))
    };
    format!("{} failed{said}, passed{how} {}", code(failure.command, 200), failure.place)
}

impl TaskSummary {
    /// In full, however long.
    pub fn all(&self) -> String {
        let number =
            if self.task.starts_with('L') { String::new() } else { format!("#{} ", name(&self.task, 40)) };
        let mut parts = vec![self.files_line()];
        // The label says that the task list has it as completed.
        parts.extend(self.key_outcomes.iter().skip(1).cloned());
        parts.extend(self.errors_resolved.iter().cloned());
        let did: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let did = if did.is_empty() { String::new() } else { format!(": {}", did.join("; ")) };
        format!("{number}{}{did}", quote_foreign(&self.subject, 200))
    }

    fn files_line(&self) -> String {
        match self.files_modified.as_slice() {
            [] => String::new(),
            files => {
                let (named, left) = files.split_at(files.len().min(MAX_FILES_NAMED));
                let more = if left.is_empty() { String::new() } else { format!(" and {} more", left.len()) };
                let named: Vec<String> = named.iter().map(|path| name(path, 120)).collect();
                format!("changed {}{more}", named.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests;
