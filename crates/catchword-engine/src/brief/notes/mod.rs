//! The notes of a session: its current state, and below it what was achieved and decided, with times.
//!
//! Agents hardly ever write notes, so these are generated: [`of`] is a pure function of the folded session and of the
//! few lines that a person or the agent did write. The state is always current and never stored; a state line that
//! somebody set is valid until it is superseded ([`holding`]).

mod document;
mod state;

use crate::facts::notes::{authors, quoted};
use crate::facts::{self, Fact, KnownText, answers};
use crate::model::entry::Place;
use crate::model::note::Note;
use crate::quote::{code, name, quote, quote_foreign};
use crate::session::log::{Happened, LogEvent};
use crate::session::shown::{shown_action, shown_path};
use crate::session::{Session, decisions, discoveries};
use crate::text::numbers::rounded;

pub use document::{MARKER, markdown};
pub use state::{NotesState, StateLine};

/// The notes of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Notes {
    /// Time of the latest row, in milliseconds since 1970.
    pub as_of: Option<i64>,
    pub state: NotesState,
    /// What is open, unchecked or learned, by kind.
    pub known: Vec<KnownLine>,
    /// What was achieved and decided, oldest first.
    pub progress: Vec<ProgressLine>,
}

/// Something that is open, unchecked or learned.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownLine {
    /// What kind of line it is, as the brief calls it.
    pub kind: &'static str,
    pub text: String,
    pub place: Option<Place>,
}

/// A line of the progress log.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgressLine {
    /// Milliseconds since 1970, if known.
    pub at: Option<i64>,
    /// `None` for notes, which have no place in the transcript.
    pub place: Option<Place>,
    /// What kind of line it is, in one word.
    pub kind: &'static str,
    pub text: String,
}

/// The notes of a session, including those that somebody wrote.
pub fn of(session: &Session, notes: &[Note]) -> Notes {
    let notes = authors(session, notes);
    let (state, known, progress) = (state::of(session, &notes), known(session), progress(session, &notes));
    Notes { as_of: session.time, state, known, progress }
}

/// Facts of a brief that state and progress do not cover: what is not done, unchecked, unpushed, asked for without a
/// trace, learned, and which subagents can be continued.
fn known(session: &Session) -> Vec<KnownLine> {
    let nothing = KnownText::default();
    let kinds: [fn(&Session, &KnownText) -> Vec<Fact>; 5] = [
        facts::work::facts,
        facts::state::edits_after_the_last_run,
        facts::failures::facts,
        facts::agents::facts,
        facts::git::open,
    ];
    let all = kinds.into_iter().flat_map(|facts| facts(session, &nothing));
    all.map(|fact| KnownLine { kind: fact.section.title(), text: fact.text, place: fact.place }).collect()
}

fn progress(session: &Session, notes: &[Note]) -> Vec<ProgressLine> {
    let mut lines: Vec<ProgressLine> =
        session.log.iter().filter(|event| is_told(event)).map(|event| happened(session, event)).collect();
    lines.extend(session.said.iter().flat_map(|said| {
        let line = |kind, text| ProgressLine { at: said.time, place: Some(said.place), kind, text };
        let decided = decisions::decided_in(&said.text).into_iter();
        let found = discoveries::in_text(&said.text).into_iter();
        let decided =
            decided.map(move |s| line("decision", format!("the agent decided: {}", quote_foreign(s, 320))));
        decided
            .chain(found.map(move |s| line("finding", format!("the agent found: {}", quote_foreign(s, 320)))))
    }));
    lines.sort_by_key(|line| line.place);
    // A row without a time gets that of the row before it.
    let mut now = None;
    for line in &mut lines {
        now = line.at.max(now);
        line.at = now;
    }
    lines.extend(notes.iter().filter(|note| !note.text.is_empty()).map(written));
    lines.sort_by_key(|line| line.at);
    lines
}

/// False for answers that decide nothing ("yes", "you decide").
fn is_told(event: &LogEvent) -> bool {
    !matches!(&event.what, Happened::Answered { answer, .. } if !answers::says_something(answer))
}

fn written(note: &Note) -> ProgressLine {
    let about = note.state.map(|key| format!(" ({})", key.title().to_lowercase())).unwrap_or_default();
    let text = format!("{}{about}: {}", note.author.name(), quoted(note, 600));
    ProgressLine { at: Some(note.at), place: None, kind: "note", text }
}

fn happened(session: &Session, event: &LogEvent) -> ProgressLine {
    let (kind, text) = match &event.what {
        Happened::Finished { task, subject, evidence } => ("task", finished(task, subject, evidence)),
        Happened::Committed { hash, subject } => {
            ("commit", format!("commit {} {}", name(hash, 40), subject.quoted(300)))
        }
        Happened::Tested { command, ok, counts, times } => {
            let how = if *ok { "passed" } else { "failed" };
            let counts = counts.map(|counts| format!(" ({counts})")).unwrap_or_default();
            let again = if *times > 1 { format!(", {times} times in a row") } else { String::new() };
            ("tests", format!("tests {how}{counts}{again}: {}", code(command, 120)))
        }
        Happened::Answered { question, answer } => {
            ("decision", format!("the user decided: {} → {}", question.quoted(120), quote(answer, 240)))
        }
        Happened::Refused { what, reason } => {
            let reason = if reason.is_empty() { String::new() } else { format!(": {}", quote(reason, 240)) };
            let what = shown_action(session, what, 120);
            ("decision", format!("the user refused ({what}){reason}"))
        }
        Happened::Approved { plan } => ("plan", format!("the user approved the plan {}", plan.quoted(160))),
        Happened::Created { path } => {
            ("file", format!("created {}", path.map(|path| shown_path(session, path).to_owned()).named(300)))
        }
        Happened::Compacted { manual, before, after } => ("compaction", compacted(*manual, *before, *after)),
    };
    ProgressLine { at: event.at.time, place: Some(event.at.place), kind, text }
}

fn finished(task: &str, subject: &str, evidence: &str) -> String {
    let number = if task.starts_with('L') { String::new() } else { format!("#{} ", name(task, 40)) };
    let evidence = if evidence.is_empty() { "by the task list alone" } else { evidence };
    format!("finished {number}{} ({evidence})", quote_foreign(subject, 160))
}

fn compacted(manual: bool, before: Option<u64>, after: Option<u64>) -> String {
    let how = if manual { "manual" } else { "automatic" };
    let tokens = match (before, after) {
        (Some(before), Some(after)) => format!(", {} → {} tokens", rounded(before), rounded(after)),
        (Some(before), None) => format!(", at {} tokens", rounded(before)),
        _ => String::new(),
    };
    format!("compaction ({how}{tokens})")
}

#[cfg(test)]
mod tests;
