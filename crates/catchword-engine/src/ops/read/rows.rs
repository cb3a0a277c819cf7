//! The conversation of a session, row by row: who did what, in one line each. `recall` shows a row in full.

use serde::Serialize;

use super::reader::{ReadError, Reader, Which, unreadable};
use crate::archive::history::{TranscriptOwner, TranscriptSource};
use crate::ops::recall::{self, PieceAnswer, PieceKind, RecallRequest, RecalledPiece};
use crate::ops::record::TranscriptLines;
use crate::reading::command::ShellLine;
use crate::reading::outcome::{Outcome, RunEnd, is_error_line};
use crate::reading::report::names_an_error;
use crate::text::cut::one_line;

/// Characters of a row's line.
const LINE: usize = 240;
/// Characters of an order that tell a subagent from others; the history keeps no more of it.
const ORDER: usize = 120;

/// Rows of a transcript.
pub struct RowsRequest<'a> {
    pub which: Which<'a>,
    /// A subagent of that session; empty for the main conversation.
    pub subagent: &'a str,
    /// The first line, counted from 1.
    pub from: u32,
    /// The last line.
    pub to: u32,
    /// With their whole texts.
    pub in_full: bool,
    /// Otherwise most characters of what was said, as it was written.
    pub words: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowsDocument {
    pub session: String,
    pub subagent: Option<String>,
    pub rows: Vec<RowDocument>,
    /// Lines read: of a range that goes beyond the end, all there are.
    pub lines: u32,
}

/// One thing said or done, with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowDocument {
    /// `L812`.
    pub place: String,
    /// Milliseconds since 1970.
    pub at: Option<i64>,
    pub who: RowAuthor,
    /// What it is, in a few words.
    pub kind: &'static str,
    /// It in one line: the command, the path, the beginning of the words.
    pub line: String,
    /// A command or a path; empty for words.
    pub title: Option<String>,
    /// The words, the change, the order. Unless whole texts were asked for, only words, and no more than were asked for.
    pub text: Option<String>,
    /// Characters of that text.
    pub characters: usize,
    pub answer: Option<RowAnswer>,
    /// The subagent that this call started, if its transcript is in the history.
    pub subagent: Option<String>,
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowAnswer {
    pub place: String,
    pub ok: bool,
    /// The line of it that tells most.
    pub line: String,
    /// Null unless whole texts were asked for.
    pub text: Option<String>,
    pub characters: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RowAuthor {
    Person,
    Agent,
    /// A subagent, in the file of the main conversation.
    Subagent,
    /// Somebody else: another agent, or nobody known.
    Other,
    /// The client itself.
    Client,
    /// Our hook, or another tool's.
    Hook,
}

impl RowAuthor {
    pub(super) fn of(piece: &RecalledPiece) -> RowAuthor {
        match piece.kind {
            _ if piece.by_subagent => RowAuthor::Subagent,
            PieceKind::User | PieceKind::UserShell | PieceKind::UserNote | PieceKind::Decision => {
                RowAuthor::Person
            }
            PieceKind::Queued | PieceKind::BesideAnswer | PieceKind::Delivered | PieceKind::Note => {
                RowAuthor::Other
            }
            PieceKind::Compaction
            | PieceKind::Summary
            | PieceKind::Context
            | PieceKind::Bookkeeping
            | PieceKind::BackgroundEnd => RowAuthor::Client,
            PieceKind::GivenByHook | PieceKind::GivenBack | PieceKind::ToldLater => RowAuthor::Hook,
            _ => RowAuthor::Agent,
        }
    }
}

/// The rows of a range of lines, from the transcript, its backup, or what the history kept.
pub fn rows(reader: &Reader, request: &RowsRequest) -> Result<RowsDocument, ReadError> {
    let chosen = reader.choose(request.which)?;
    let wanted = RecallRequest::Lines(request.from.max(1), request.to);
    let thread = TranscriptOwner { session: chosen.id.clone(), subagent: request.subagent.to_owned() };
    let source = match &reader.history {
        Some(history) if !chosen.is_file => history.source_anywhere(&thread)?,
        _ => None,
    };
    if source.is_none() && !request.subagent.is_empty() {
        return Err(ReadError::NoSubagent(request.subagent.to_owned()));
    }
    let record = match &source {
        Some(source) if !request.subagent.is_empty() => {
            TranscriptLines::find(Some(chosen.client), &source.path, &thread, reader.data.as_deref())?
        }
        _ => reader.find_record(&chosen)?,
    };
    let recalled = match (&record, &reader.history, &source) {
        (Some(record), ..) => {
            let mut lines = |each: &mut crate::transcript::Take| record.lines(reader.mask, each);
            recall::recall(record.reader(reader.mask), &mut lines, &wanted, true)
                .map_err(|error| unreadable(record, error))?
        }
        (None, Some(history), Some(source)) => recall::from_history(history, source, &wanted)?,
        (None, ..) => return Err(ReadError::TranscriptGone((reader.machine.shown)(&chosen.transcript))),
    };
    let mut started = match &reader.history {
        Some(history) if !chosen.is_file && request.subagent.is_empty() => {
            StartedSubagents(history.subagents(&chosen.id)?)
        }
        _ => StartedSubagents::default(),
    };
    let row = |piece: &RecalledPiece| RowDocument { subagent: started.by(piece), ..row(piece, request) };
    Ok(RowsDocument {
        session: chosen.id,
        subagent: Some(request.subagent.to_owned()).filter(|id| !id.is_empty()),
        rows: recalled.pieces.iter().map(row).collect(),
        lines: recalled.lines,
    })
}

/// Subagents whose call was not seen yet.
#[derive(Default)]
struct StartedSubagents(Vec<TranscriptSource>);

impl StartedSubagents {
    /// The subagent that a call started: its transcript begins with the order.
    fn by(&mut self, piece: &RecalledPiece) -> Option<String> {
        let order = (piece.kind == PieceKind::Subagent).then(|| one_line(&piece.text, ORDER))?;
        let begins = |source: &TranscriptSource| {
            source.title.as_ref().is_some_and(|title| !title.is_empty() && one_line(title, ORDER) == order)
        };
        let at = self.0.iter().position(begins)?;
        Some(self.0.remove(at).thread.subagent)
    }
}

/// A pipe hides the exit code of what failed; then the output tells, as it does for a brief.
fn has_failed(piece: &RecalledPiece, answer: &PieceAnswer) -> bool {
    let ended = |line| Outcome::read(answer.ok, None, &answer.text).of_line(line);
    !answer.ok || piece.kind == PieceKind::Command && ended(&ShellLine::parse(&piece.title)) == RunEnd::Failed
}

/// The line of an answer that tells most: of a failure one that names it, or what it begins with (`Exit code 1`).
fn telling(answer: &PieceAnswer, ok: bool) -> String {
    let says = |line: &&str| line.chars().any(char::is_alphanumeric);
    let mut lines = answer.text.lines().map(str::trim).filter(says);
    if ok {
        return lines.next_back().map(|line| one_line(line, LINE)).unwrap_or_default();
    }
    let told = Outcome::read(false, None, &answer.text).telling(Some(false));
    let names = is_error_line(&told) || names_an_error(&told);
    if names { told } else { lines.next().map(|line| one_line(line, LINE)).unwrap_or(told) }
}

fn row(piece: &RecalledPiece, request: &RowsRequest) -> RowDocument {
    let in_full = request.in_full;
    let told = piece.answer.as_ref().map(|answer| (answer, !has_failed(piece, answer)));
    let answer = told.map(|(answer, ok)| RowAnswer {
        place: answer.place.to_string(),
        ok,
        line: telling(answer, ok),
        text: in_full.then(|| answer.text.clone()),
        characters: answer.text.chars().count(),
    });
    let line = if piece.title.is_empty() { &piece.text } else { &piece.title };
    let words = || match piece.text.char_indices().nth(request.words) {
        Some((end, _)) => piece.text[..end].to_owned(),
        None => piece.text.clone(),
    };
    RowDocument {
        place: piece.place.to_string(),
        at: piece.at,
        who: RowAuthor::of(piece),
        kind: piece.kind.words(),
        line: one_line(line, LINE),
        title: Some(piece.title.clone()).filter(|title| !title.is_empty() && in_full),
        text: if in_full { Some(piece.text.clone()) } else { piece.title.is_empty().then(words) },
        characters: piece.text.chars().count(),
        answer,
        subagent: None,
    }
}
