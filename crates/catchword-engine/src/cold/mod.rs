//! Cold tasks: finished, and not spoken of for twenty turns. What was done for each, in a few lines.
//!
//! A summariser that is handed a whole session spends its words on what was finished long ago. So these tasks are
//! summarised before it is asked, from the record: files changed, commands run, outcomes and decisions, errors and how
//! they were resolved, each with its place. The lines go to the summariser as they are and, where there is room, into
//! the brief. A pure function of the session; when it is done say [`is_due`] and [`is_near`], and where it is kept is the
//! store's affair.

use crate::agent::entry::Place;
use crate::extract::decisions;
use crate::extract::text::{harmless, quote, sentences, shown_path};
use crate::gauge::Gauge;
use crate::session::log::{Event, Happened};
use crate::session::spans::{Kind, Span};
use crate::session::{Session, one_line};

/// Turns without a word of it after which a finished task is cold.
pub const COLD: u32 = 20;
/// Turns between two looks.
const EVERY: u32 = 10;
/// The part of the way to a compaction from which on it is worth it, in percent.
const FROM: u64 = 70;

/// What was done for a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The client's number; for to-dos and requests their line in the transcript.
    pub task: String,
    /// What was to be done.
    pub subject: String,
    /// The turn in which it was begun.
    pub start_turn: u32,
    /// The turn in which it was finished.
    pub end_turn: u32,
    /// Files changed.
    pub files_modified: Vec<String>,
    /// Commands run, with ✓ or ✗ for their last result.
    pub commands_run: Vec<String>,
    /// What came of it: what it ended by, tests, commits, decisions.
    pub key_outcomes: Vec<String>,
    /// Failures that were overcome, and by which change.
    pub errors_resolved: Vec<String>,
}

/// Whether enough turns have passed since `before` for another look.
pub fn is_due(before: u32, session: &Session) -> bool {
    session.turns / EVERY > before / EVERY
}

/// Whether enough of the way to the compaction is gone. Where nobody knows how long that way is, turns alone decide.
pub fn is_near(gauge: &Gauge) -> bool {
    match (gauge.used, gauge.threshold) {
        (Some(used), Some(threshold)) => used.tokens * 100 >= threshold.tokens * FROM,
        _ => true,
    }
}

/// The cold tasks of a session, in the order they ended.
pub fn cold(session: &Session) -> Vec<Summary> {
    spans(session).into_iter().map(|span| summary(session, span)).collect()
}

/// Those that have become cold since the latest compaction: a brief tells of each once.
pub fn newly_cold(session: &Session) -> Vec<Summary> {
    let is_compaction = |event: &&Event| matches!(event.what, Happened::Compacted { .. });
    let since = session.log.iter().rev().find(is_compaction).map_or(0, |event| event.at.turn);
    let is_new = |span: &&Span| last_word(session, span) + COLD >= since;
    spans(session).into_iter().filter(is_new).map(|span| summary(session, span)).collect()
}

/// Tasks that are finished, cold or not, in the order they ended: requests only where no task tool was used for them.
pub fn finished(session: &Session) -> Vec<&Span> {
    let tracked: Vec<Place> = session
        .spans
        .finished()
        .filter(|span| span.kind != Kind::Request)
        .map(|span| span.start.place)
        .collect();
    let by_tasks = |span: &Span| {
        let end = span.end.map_or(Place(u32::MAX), |end| end.place);
        tracked.iter().any(|start| (span.start.place..=end).contains(start))
    };
    session
        .spans
        .finished()
        .filter(|span| !subject(session, span).is_empty())
        .filter(|span| span.kind != Kind::Request || (!span.done.is_empty() && !by_tasks(span)))
        .collect()
}

/// A task that ended in turn `end` and is cold now.
pub fn is_cold(session: &Session, span: &Span) -> bool {
    span.end.is_some_and(|end| session.turns.saturating_sub(end.turn) > COLD)
        && session.turns.saturating_sub(last_word(session, span)) > COLD
}

fn spans(session: &Session) -> Vec<&Span> {
    finished(session).into_iter().filter(|span| is_cold(session, span)).collect()
}

/// What a task is about; one that was created late is named by the list.
pub fn subject<'a>(session: &'a Session, span: &'a Span) -> &'a str {
    if span.subject.is_empty() { session.tasks.subject(&span.id).unwrap_or_default() } else { &span.subject }
}

/// The turn in which anybody last spoke of a task after its end, or its end.
fn last_word(session: &Session, span: &Span) -> u32 {
    let Some(end) = span.end else { return session.turns };
    let names = Names::of(span, subject(session, span));
    // The words that ended it are the end itself: the answer, or what was said beside the list.
    let said =
        session.said.iter().rev().take_while(|said| said.place > end.place && said.turn > end.turn + 1);
    let asked = session.prompts.iter().rev().take_while(|p| p.place > end.place);
    let said = said.filter(|said| names.are_in(&said.text)).map(|said| said.turn);
    let asked = asked.filter(|prompt| names.are_in(&prompt.text)).map(|prompt| prompt.turn);
    said.chain(asked).max().unwrap_or(end.turn).max(end.turn)
}

/// The ways to speak of a task: its number, or most of the telling words of its subject.
struct Names {
    number: Option<String>,
    words: Vec<String>,
}

impl Names {
    fn of(span: &Span, subject: &str) -> Names {
        let mut words: Vec<String> = telling(subject).collect();
        words.sort();
        words.dedup();
        Names { number: (span.kind == Kind::Task).then(|| span.id.clone()), words }
    }

    fn are_in(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        let numbered = self
            .number
            .as_deref()
            .is_some_and(|n| has_word(&lower, &format!("#{n}")) || has_word(&lower, &format!("task {n}")));
        if numbered || self.words.is_empty() {
            return numbered;
        }
        // Subjects are short; a long request is spoken of by a few of its words, which also stand elsewhere.
        let there = self.words.iter().filter(|word| lower.contains(word.as_str())).count();
        there >= 2 && there * 3 >= self.words.len().min(12) * 2
    }
}

fn telling(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| w.chars().count() > 3);
    words.map(str::to_lowercase)
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let after = text[at + word.len()..].chars().next();
        !after.is_some_and(char::is_alphanumeric)
    })
}

fn summary(session: &Session, span: &Span) -> Summary {
    let done = &span.done;
    let mark = |ok: &Option<bool>| match ok {
        Some(true) => "✓",
        Some(false) => "✗",
        None => "…",
    };
    Summary {
        task: span.id.clone(),
        subject: one_line(&harmless(subject(session, span)), 200),
        start_turn: span.start.turn,
        end_turn: span.end.map_or(span.start.turn, |end| end.turn),
        files_modified: done.files.iter().map(|path| harmless(shown_path(session, path))).collect(),
        commands_run: done.commands.iter().map(|(c, ok)| format!("{} {}", mark(ok), harmless(c))).collect(),
        key_outcomes: outcomes(session, span),
        errors_resolved: done.resolved.iter().map(|failure| resolved(session, failure)).collect(),
    }
}

fn outcomes(session: &Session, span: &Span) -> Vec<String> {
    let end = span.end.map_or(Place(0), |end| end.place);
    let by = match span.kind {
        Kind::Task | Kind::Todo => format!("finished by the task list {end}"),
        Kind::Request => format!("answered {end}, then something else was asked"),
    };
    let mut all = vec![by];
    all.extend(span.done.tested.map(|tests| {
        let how = if tests.ok { "passed" } else { "failed" };
        let counts = tests.counts.map(|counts| format!(": {counts}")).unwrap_or_default();
        format!("tests {how}{counts} {}", tests.place)
    }));
    let commits = span.done.commits.iter();
    all.extend(commits.map(|(hash, subject)| format!("commit {hash} {}", one_line(&harmless(subject), 100))));
    all.extend(decided(session, span));
    all.extend(closing(session, span));
    all
}

/// Decisions of the agent within the span.
fn decided(session: &Session, span: &Span) -> Vec<String> {
    let end = span.end.map_or(Place(0), |end| end.place);
    let within = session.said.iter().filter(|said| (span.start.place..=end).contains(&said.place));
    let found =
        within.flat_map(|said| decisions::decided_in(&said.text).into_iter().map(move |s| (said.place, s)));
    let mut found: Vec<String> =
        found.map(|(place, sentence)| format!("decided: {} {place}", quote(sentence, 200))).collect();
    found.truncate(3);
    found
}

/// How a request was answered: the first sentence of the agent's last words on it.
fn closing(session: &Session, span: &Span) -> Option<String> {
    let end = span.end.filter(|_| span.kind == Kind::Request)?.place;
    let last = session.said.iter().rev().find(|said| said.place <= end && said.place >= span.start.place)?;
    let first = sentences(&last.text).into_iter().find(|s| s.chars().count() > 12)?;
    Some(format!("the agent's answer: {} {}", quote(first, 160), last.place))
}

fn resolved(session: &Session, failure: &crate::session::spans::Resolved) -> String {
    let edited: Vec<String> = failure.edited.iter().map(|path| harmless(shown_path(session, path))).collect();
    let how =
        if edited.is_empty() { String::new() } else { format!(" after changing {}", edited.join(", ")) };
    let said =
        if failure.error.is_empty() { String::new() } else { format!(" ({})", quote(&failure.error, 120)) };
    format!("`{}` failed{said}, passed{how} {}", harmless(&failure.command), failure.place)
}

impl Summary {
    /// All of it on one line, at most `most` characters.
    pub fn line(&self, most: usize) -> String {
        let number = if self.task.starts_with('L') { String::new() } else { format!("#{} ", self.task) };
        let mut parts = vec![self.files_line()];
        parts.extend(
            self.key_outcomes.iter().skip(1).filter(|o| !o.starts_with("the agent's")).take(2).cloned(),
        );
        parts.extend(self.errors_resolved.first().cloned());
        let did: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let did = if did.is_empty() { String::new() } else { format!(": {}", did.join("; ")) };
        let (start, end) = (self.start_turn, self.end_turn);
        one_line(&format!("{number}{} (turns {start}–{end}){did}", one_line(&self.subject, 100)), most)
    }

    fn files_line(&self) -> String {
        match self.files_modified.as_slice() {
            [] => String::new(),
            files => {
                let more = files.len().saturating_sub(4);
                let named = files[..files.len() - more].join(", ");
                if more > 0 { format!("changed {named} and {more} more") } else { format!("changed {named}") }
            }
        }
    }
}

#[cfg(test)]
mod tests;
