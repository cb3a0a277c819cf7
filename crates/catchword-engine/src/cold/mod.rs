//! Cold tasks: finished, and not spoken of for twenty turns. What was done for each, in a few lines.
//!
//! A summariser that is handed a whole session spends its words on what was finished long ago. So these tasks are
//! summarised before it is asked, from the record: files changed, commands run, outcomes and decisions, errors and how
//! they were resolved, each with its place. The lines go to the summariser as they are and, where there is room, into
//! the brief. A pure function of the session; when it is done say [`is_due`] and [`is_near`], and where it is kept is the
//! store's affair.

use std::cell::OnceCell;

use crate::agent::entry::Place;
use crate::extract::decisions;
use crate::extract::text::{harmless, quote, sentences, shown_path, shown_under};
use crate::find;
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

/// Finished tasks that are looked at for those to tell of: a dozen at most are told.
const LOOKED_AT: usize = 40;

/// Outcomes that a line tells.
const TOLD: usize = 2;
/// Files that it names.
const NAMED: usize = 4;

/// How much is taken up of what was done.
#[derive(Clone, Copy)]
struct Most {
    files: usize,
    commands: usize,
    /// Outcomes and errors.
    outcomes: usize,
}

impl Most {
    const ALL: Most = Most { files: usize::MAX, commands: usize::MAX, outcomes: usize::MAX };
    /// As far as a line tells.
    const LINE: Most = Most { files: NAMED, commands: 0, outcomes: TOLD };
}

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
    /// How many more there are.
    pub more_files: usize,
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
    let cold = spans(session, (usize::MAX, usize::MAX), 0, |_, _| true);
    cold.into_iter().map(|span| summary(session, span, Most::ALL)).collect()
}

/// The latest of them, as far as a line tells.
pub fn latest(session: &Session, most: usize) -> Vec<Summary> {
    told(session, spans(session, (most, LOOKED_AT), 0, |_, _| true))
}

/// Those that have become cold since the latest compaction, the latest `most` whose subject `is_wanted`, as far as a line
/// tells: a brief tells of each once.
pub fn newly_cold(session: &Session, most: usize, is_wanted: &dyn Fn(&str) -> bool) -> Vec<Summary> {
    let is_compaction = |event: &&Event| matches!(event.what, Happened::Compacted { .. });
    let since = session.log.iter().rev().find(is_compaction).map_or(0, |event| event.at.turn);
    // Which of the turns before was the last to speak of it makes no difference.
    let from = since.saturating_sub(COLD);
    let cold = spans(session, (most, LOOKED_AT), from, |span, last_word| {
        last_word >= from && is_wanted(&shown_subject(session, span))
    });
    told(session, cold)
}

/// The latest `most` tasks that are cold and wanted, given the turn in which each was last spoken of, as far as that was
/// `from` a turn on. They are looked at from the end, as far as needed and at most so many.
fn spans(
    session: &Session,
    (most, looked_at): (usize, usize),
    from: u32,
    is_wanted: impl Fn(&Span, u32) -> bool,
) -> Vec<&Span> {
    let is_old = |turn: u32| session.turns.saturating_sub(turn) > COLD;
    let old: Vec<&Span> =
        finished(session).into_iter().filter(|span| span.end.is_some_and(|end| is_old(end.turn))).collect();
    if old.is_empty() {
        return Vec::new();
    }
    let talk = Talk::of(session);
    let cold = old.into_iter().rev().take(looked_at).filter(|span| {
        let last_word = last_word(session, &talk, span, from);
        is_old(last_word) && is_wanted(span, last_word)
    });
    let mut cold: Vec<&Span> = cold.take(most).collect();
    cold.reverse();
    cold
}

/// What a line tells of them.
fn told(session: &Session, spans: Vec<&Span>) -> Vec<Summary> {
    spans.into_iter().map(|span| summary(session, span, Most::LINE)).collect()
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
        .filter(|span| span.kind != Kind::Request || (!span.idle && !by_tasks(span)))
        .collect()
}

/// What a task is about; one that was created late is named by the list.
pub fn subject<'a>(session: &'a Session, span: &'a Span) -> &'a str {
    if span.subject.is_empty() { session.tasks.subject(&span.id).unwrap_or_default() } else { &span.subject }
}

/// What was said and asked, in its order: it is looked through for every task.
struct Talk<'a> {
    said: Vec<Heard<'a>>,
    asked: Vec<Heard<'a>>,
}

struct Heard<'a> {
    place: Place,
    turn: u32,
    text: &'a str,
    lower: OnceCell<String>,
}

impl Heard<'_> {
    /// In lower case, made once and only where it is looked through.
    fn lower(&self) -> &str {
        self.lower.get_or_init(|| {
            if self.text.is_ascii() { self.text.to_ascii_lowercase() } else { self.text.to_lowercase() }
        })
    }

    /// A number may be in it: `#7`, `task 7`.
    fn is_numbered(&self) -> bool {
        let lower = self.lower();
        find::byte(b'#', lower.as_bytes()).is_some() || find::has(lower, "task ")
    }
}

impl Talk<'_> {
    fn of(session: &Session) -> Talk<'_> {
        fn heard(place: Place, turn: u32, text: &str) -> Heard<'_> {
            Heard { place, turn, text, lower: OnceCell::new() }
        }
        Talk {
            said: session.said.iter().map(|said| heard(said.place, said.turn, &said.text)).collect(),
            asked: session.prompts.iter().map(|p| heard(p.place, p.turn, &p.text)).collect(),
        }
    }
}

/// The turn in which anybody last spoke of a task after its end, `from` a turn on, or its end.
fn last_word(session: &Session, talk: &Talk, span: &Span, from: u32) -> u32 {
    let Some(end) = span.end else { return session.turns };
    let names = Names::of(span, subject(session, span));
    // The words that ended it are the end itself: the answer, or what was said beside the list.
    let late = |heard: &&Heard| heard.turn >= from && heard.place > end.place;
    let mut said = talk.said.iter().rev().take_while(|said| late(said) && said.turn > end.turn + 1);
    let mut asked = talk.asked.iter().rev().take_while(late);
    let is_of_it = |heard: &&Heard| names.are_in(heard);
    let latest = [said.find(is_of_it), asked.find(is_of_it)];
    latest.into_iter().flatten().map(|heard| heard.turn).fold(end.turn, u32::max)
}

/// The ways to speak of a task: its number, or most of the telling words of its subject.
struct Names {
    /// `#7` and `task 7`.
    number: Option<[String; 2]>,
    words: Vec<String>,
}

impl Names {
    fn of(span: &Span, subject: &str) -> Names {
        let mut words: Vec<String> = telling(subject).collect();
        words.sort();
        words.dedup();
        // Long ones are rare: the sooner enough are missing, the better.
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        let number =
            (span.kind == Kind::Task).then(|| [format!("#{}", span.id), format!("task {}", span.id)]);
        Names { number, words }
    }

    /// Whether words speak of it.
    fn are_in(&self, heard: &Heard) -> bool {
        let lower = heard.lower();
        let numbered = self.number.as_ref().filter(|_| heard.is_numbered());
        let numbered = numbered.is_some_and(|ways| ways.iter().any(|number| has_word(lower, number)));
        if numbered || self.words.is_empty() {
            return numbered;
        }
        // Subjects are short; a long request is spoken of by a few of its words, which also stand elsewhere.
        let enough = (self.words.len().min(12) * 2).div_ceil(3).max(2);
        let mut missing = 0;
        let mut there = 0;
        for word in &self.words {
            *(if find::has(lower, word) { &mut there } else { &mut missing }) += 1;
            if there >= enough || self.words.len() - missing < enough {
                break;
            }
        }
        there >= enough
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

fn shown_subject(session: &Session, span: &Span) -> String {
    one_line(&harmless(subject(session, span)), 200)
}

/// With the first of what was done.
fn summary(session: &Session, span: &Span, most: Most) -> Summary {
    let (done, root) = (&*span.done, session.root());
    let files = done.files.iter().take(most.files);
    let commands = done.commands.iter().take(most.commands);
    let mark = |ok: &Option<bool>| match ok {
        Some(true) => "✓",
        Some(false) => "✗",
        None => "…",
    };
    Summary {
        task: span.id.clone(),
        subject: shown_subject(session, span),
        start_turn: span.start.turn,
        end_turn: span.end.map_or(span.start.turn, |end| end.turn),
        files_modified: files.map(|path| harmless(shown_under(root, path)).into_owned()).collect(),
        more_files: done.files.len().saturating_sub(most.files),
        commands_run: commands.map(|(c, ok)| format!("{} {}", mark(ok), harmless(c))).collect(),
        key_outcomes: outcomes(session, span, most.outcomes),
        errors_resolved: done
            .resolved
            .iter()
            .take(most.outcomes)
            .map(|failure| resolved(session, failure))
            .collect(),
    }
}

/// What it ended by, and then the first `most` at least.
fn outcomes(session: &Session, span: &Span, most: usize) -> Vec<String> {
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
    if all.len() <= most {
        all.extend(decided(session, span));
    }
    if all.len() <= most {
        all.extend(closing(session, span));
    }
    all
}

/// Decisions of the agent within the span.
fn decided(session: &Session, span: &Span) -> Vec<String> {
    let end = span.end.map_or(Place(0), |end| end.place);
    let within = session.said.iter().filter(|said| (span.start.place..=end).contains(&said.place));
    let found =
        within.flat_map(|said| decisions::decided_in(&said.text).into_iter().map(move |s| (said.place, s)));
    found.take(3).map(|(place, sentence)| format!("decided: {} {place}", quote(sentence, 200))).collect()
}

/// How a request was answered: the first sentence of the agent's last words on it.
fn closing(session: &Session, span: &Span) -> Option<String> {
    let end = span.end.filter(|_| span.kind == Kind::Request)?.place;
    let last = session.said.iter().rev().find(|said| said.place <= end && said.place >= span.start.place)?;
    let first = sentences(&last.text).into_iter().find(|s| s.chars().count() > 12)?;
    Some(format!("the agent's answer: {} {}", quote(first, 160), last.place))
}

fn resolved(session: &Session, failure: &crate::session::spans::Resolved) -> String {
    let edited: Vec<_> = failure.edited.iter().map(|path| harmless(shown_path(session, path))).collect();
    let how =
        if edited.is_empty() { String::new() } else { format!(" after changing {}", edited.join(", ")) };
    let said =
        if failure.error.is_empty() { String::new() } else { format!(" ({})", quote(&failure.error, 120)) };
    format!("`{}` failed{said}, passed{how} {}", harmless(&failure.command), failure.place)
}

impl Summary {
    /// All of it on one line, at most `most` characters.
    pub fn line(&self, most: usize) -> String {
        one_line(&self.all(), most)
    }

    /// All of it, however long.
    pub fn all(&self) -> String {
        let number = if self.task.starts_with('L') { String::new() } else { format!("#{} ", self.task) };
        let mut parts = vec![self.files_line()];
        parts.extend(
            self.key_outcomes.iter().skip(1).filter(|o| !o.starts_with("the agent's")).take(TOLD).cloned(),
        );
        parts.extend(self.errors_resolved.first().cloned());
        let did: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let did = if did.is_empty() { String::new() } else { format!(": {}", did.join("; ")) };
        let (start, end) = (self.start_turn, self.end_turn);
        format!("{number}{} (turns {start}–{end}){did}", one_line(&self.subject, 100))
    }

    fn files_line(&self) -> String {
        match self.files_modified.as_slice() {
            [] => String::new(),
            files => {
                let (named, left) = files.split_at(files.len().min(NAMED));
                let (named, more) = (named.join(", "), left.len() + self.more_files);
                if more > 0 { format!("changed {named} and {more} more") } else { format!("changed {named}") }
            }
        }
    }
}

#[cfg(test)]
mod tests;
