//! The notes of a session: its current state, and below it what was achieved and decided, with times.
//!
//! Agents hardly ever write notes, so these are generated: [`of`] is a pure function of the folded session and of the
//! few lines that a person or the agent did write. The state is always current and never stored; a state line that
//! somebody set is valid until it is superseded ([`holding`]).

mod document;
mod state;

use crate::brief::cold_tasks;
use crate::choose::Ranking;
use crate::choose::head::notes::{authors, quoted};
use crate::choose::head::{self, answers};
use crate::choose::{Fact, KnownText};
use crate::model::entry::Place;
use crate::model::note::Note;
use crate::quote::{code, name, quote, quote_foreign};
use crate::record::{Deed, Event, Kind};
use crate::session::shown::{shown_action, shown_path};
use crate::session::spans::{Activity, TaskKind, TaskSpan};
use crate::session::{Compaction, Session};
use crate::text::numbers::rounded;

pub use document::{MARKER, markdown};
pub use state::{NotesState, StateLine};

/// Most lines of the agent in the progress log.
const MAX_SAID: usize = 40;

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
        head::work::facts,
        head::state::edits_after_the_last_run,
        head::failures::facts,
        head::agents::facts,
        head::git::open,
    ];
    let all = kinds.into_iter().flat_map(|facts| facts(session, &nothing));
    all.map(|fact| KnownLine { kind: fact.section.title(), text: fact.text, place: fact.place }).collect()
}

fn progress(session: &Session, notes: &[Note]) -> Vec<ProgressLine> {
    let events: Vec<Event> = session.record.events().collect();
    // Runs of the same tests with the same result and nothing in between are told once.
    let mut lines: Vec<ProgressLine> = Vec::new();
    for alike in told_events(events).chunk_by(is_same_result) {
        lines.extend(alike.last().and_then(|last| happened(session, last, alike.len())));
    }
    lines.extend(cold_tasks::finished(session).into_iter().filter_map(|span| finished(session, &span)));
    lines.extend(session.compactions.iter().map(compacted));
    let when = |place: Place| session.record.spoken().find(|said| said.place == place)?.time;
    lines.extend(Ranking::of(session).said(.., MAX_SAID).into_iter().map(|seen| {
        let text = format!("the agent said: {}", quote_foreign(&seen.words, 320));
        ProgressLine { at: when(seen.place), place: Some(seen.place), kind: "said", text }
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

fn written(note: &Note) -> ProgressLine {
    let about = note.state.map(|key| format!(" ({})", key.title().to_lowercase())).unwrap_or_default();
    let text = format!("{}{about}: {}", note.author.name(), quoted(note, 600));
    ProgressLine { at: Some(note.at), place: None, kind: "note", text }
}

/// What the log tells of: not runs without tests, edits, and answers that decide nothing ("yes", "you decide").
fn told_events(mut events: Vec<Event>) -> Vec<Event> {
    events.retain(|event| match &event.seen.what {
        Kind::Ran { .. } => event.seen.ended().is_some_and(|ended| ended.tests.is_some()),
        Kind::Touched(deed) => *deed == Deed::Written { created: true },
        Kind::Answered { .. } => answers::says_something(&event.seen.words),
        // They have lines of their own, from start to end.
        Kind::Task { .. } => false,
        _ => true,
    });
    events
}

fn is_same_result(a: &Event, b: &Event) -> bool {
    let result = |event: &Event| {
        let run = event.seen.run()?;
        Some((run.line.core().to_owned(), run.ended?.tests, run.ended?.counts))
    };
    result(a).is_some() && result(a) == result(b)
}

fn happened(session: &Session, event: &Event, times: usize) -> Option<ProgressLine> {
    let words = event.seen.words.as_str();
    let (kind, text) = match &event.seen.what {
        Kind::Committed { hash, .. } => {
            ("commit", format!("commit {} {}", name(hash, 40), quote_foreign(words, 240)))
        }
        Kind::Ran { line, ended } => {
            let how = if ended.as_ref()?.tests? { "passed" } else { "failed" };
            let counts = ended.as_ref()?.counts.map(|counts| format!(" ({counts})")).unwrap_or_default();
            let again = if times > 1 { format!(", {times} times in a row") } else { String::new() };
            ("tests", format!("tests {how}{counts}{again}: {}", code(line.core(), 120)))
        }
        Kind::Answered { question } => {
            ("decision", format!("the user decided: {} → {}", question.quoted(120), quote(words, 240)))
        }
        Kind::Refused { call, .. } => {
            let reason = if words.is_empty() { String::new() } else { format!(": {}", quote(words, 240)) };
            ("decision", format!("the user refused ({}){reason}", shown_action(session, call, 120)))
        }
        Kind::Approved => ("plan", format!("the user approved the plan {}", quote_foreign(words, 160))),
        Kind::Touched(_) => ("file", format!("created {}", name(shown_path(session, words), 300))),
        _ => return None,
    };
    Some(ProgressLine { at: event.time, place: Some(event.seen.place), kind, text })
}

fn finished(session: &Session, span: &TaskSpan) -> Option<ProgressLine> {
    let end = span.end?;
    let number =
        if span.kind == TaskKind::Todo { String::new() } else { format!("#{} ", name(&span.id, 40)) };
    let evidence = Activity::of(&session.record, span).evidence();
    let evidence = if evidence.is_empty() { String::new() } else { format!(" ({evidence})") };
    let subject = quote_foreign(cold_tasks::subject(session, span), 160);
    let text = format!("listed as completed: {number}{subject}{evidence}");
    Some(ProgressLine { at: end.time, place: Some(end.place), kind: "task", text })
}

fn compacted(compaction: &Compaction) -> ProgressLine {
    let how = if compaction.manual { "manual" } else { "automatic" };
    let tokens = match (compaction.before, compaction.after) {
        (Some(before), Some(after)) => format!(", {} → {} tokens", rounded(before), rounded(after)),
        (Some(before), None) => format!(", at {} tokens", rounded(before)),
        _ => String::new(),
    };
    let (at, place) = (compaction.time, Some(compaction.place));
    ProgressLine { at, place, kind: "compaction", text: format!("compaction ({how}{tokens})") }
}

#[cfg(test)]
mod tests;
