//! What is at a place of the record, word for word.

use std::path::PathBuf;

use serde::Serialize;

use super::reader::{ChosenSession, ReadError, Reader, Which, unreadable};
use super::rows::RowAuthor;
use super::shared::{self, machine_name, recorded_by};
use crate::archive::asked::SharedQuestion;
use crate::archive::backup::Backups;
use crate::archive::history::{TranscriptOwner, TranscriptSource};
use crate::ops::recall::{self, RecallRequest, Recalled, RecalledPiece};
use crate::ops::record::{RecordLines, TranscriptLines};
use crate::transcript::Take;

/// A place of a session's record.
pub struct RecallPlace<'a> {
    pub which: Which<'a>,
    /// A subagent of that session; empty for the main conversation.
    pub subagent: &'a str,
    pub wanted: &'a RecallRequest,
    /// Every row that a compaction dropped.
    pub all: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecallDocument {
    /// Null for a file that was named.
    pub session: Option<String>,
    pub subagent: Option<String>,
    pub transcript: PathBuf,
    /// `transcript`, or if that is gone `backup` or `history`; `shared` if nothing of it is on this machine.
    pub from: RecallSource,
    pub pieces: Vec<PieceDocument>,
    /// Such as the status of a task, or how many rows were left out.
    pub remarks: Vec<String>,
    /// Not every row that a compaction dropped is shown.
    pub shortened: bool,
    /// Lines read: of a place beyond the end, all there are.
    pub lines: u32,
    /// Whether it is the asking session.
    pub own: bool,
}

/// One thing said or done, with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PieceDocument {
    pub place: String,
    /// Milliseconds since 1970.
    pub at: Option<i64>,
    pub who: RowAuthor,
    /// What it is, for people.
    pub what: String,
    /// The same for a model: says whose words or action it is.
    #[serde(skip)]
    pub for_model: String,
    /// Our brief or another tool's, put into the context.
    pub given: bool,
    /// A command or a path; empty for words.
    pub title: String,
    /// The words, the change, the order.
    pub text: String,
    pub characters: usize,
    pub answer: Option<AnswerDocument>,
}

/// A tool's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AnswerDocument {
    pub place: String,
    pub ok: bool,
    pub text: String,
    pub characters: usize,
}

/// Where a place was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RecallSource {
    Transcript,
    Backup,
    /// The client has deleted the transcript, and it has no backup; or another machine recorded it.
    History,
    /// The shared archive: nothing of it is on this machine.
    Shared,
}

/// What is at a place.
pub fn recall(reader: &Reader, place: &RecallPlace) -> Result<RecallDocument, ReadError> {
    let chosen = match reader.choose(place.which) {
        Err(ReadError::NoSuchSession(start)) => return from_shared(reader, place, start),
        chosen => chosen?,
    };
    let found = find(reader, &chosen, place.subagent, place.wanted)?;
    let (mut recalled, remark) = match &found.record {
        Some(record) => (from_record(reader, record, place)?, reader.remark(record)),
        None => from_history(reader, &found, place.wanted)?,
    };
    if recalled.between.is_some() && place.subagent.is_empty() && !chosen.is_file {
        let given = reader.store.as_ref().map(|store| store.given_back(&chosen.id)).transpose()?;
        recall::add_given(&mut recalled, &given.unwrap_or_default(), reader.mask);
    }
    Ok(RecallDocument {
        session: (!chosen.is_file).then_some(chosen.id),
        subagent: Some(place.subagent.to_owned()).filter(|id| !id.is_empty()),
        transcript: found.path,
        from: match found.record.as_ref().map(|record| &record.lines) {
            Some(RecordLines::File(_)) => RecallSource::Transcript,
            Some(RecordLines::Backup(..)) => RecallSource::Backup,
            None => RecallSource::History,
        },
        pieces: recalled.pieces.iter().map(piece).collect(),
        remarks: remark.into_iter().chain(recalled.remarks).collect(),
        shortened: recalled.shortened,
        lines: recalled.lines,
        own: chosen.is_own,
    })
}

/// Hands on the lines `from` to `to` as they are in the file, not masked; a remark says if it is the backup.
pub fn raw(
    reader: &Reader,
    place: &RecallPlace,
    mut each: impl FnMut(&[u8]),
) -> Result<Option<String>, ReadError> {
    let RecallRequest::Lines(from, to) = place.wanted else { return Err(ReadError::RawNeedsLines) };
    let chosen = reader.choose(place.which)?;
    let found = find(reader, &chosen, place.subagent, place.wanted)?;
    let Some(record) = &found.record else { return Err(ReadError::RawIsGone(found.path)) };
    let mut lines = |take: &mut Take| record.lines(reader.mask, take);
    recall::raw(&mut lines, *from, *to, &mut each).map_err(|error| unreadable(record, error))?;
    Ok(reader.remark(record))
}

/// Why nothing was recalled.
pub fn explain_nothing(document: &RecallDocument, wanted: &RecallRequest) -> String {
    if let Some(remark) = document.remarks.last() {
        return remark.clone();
    }
    match wanted {
        RecallRequest::Lines(from, _) if *from > document.lines => {
            format!("there is no L{from}: the transcript ends at L{}", document.lines)
        }
        RecallRequest::Lines(..) => "there is nothing of the conversation there".to_owned(),
        RecallRequest::Task(task) => format!("no task {task} in this session"),
        RecallRequest::File(path) => format!("no tool touched {path} in this session"),
        RecallRequest::Compaction(number) => format!("no compaction {number} in this session"),
        RecallRequest::Note(number) => format!("no note {number} of this session"),
    }
}

/// A transcript, and what the history has of it.
struct FoundThread {
    path: PathBuf,
    /// `None` if the transcript is gone and was not backed up, or a note is wanted, which only the history has.
    record: Option<TranscriptLines>,
    source: Option<TranscriptSource>,
}

fn find(
    reader: &Reader,
    chosen: &ChosenSession,
    subagent: &str,
    wanted: &RecallRequest,
) -> Result<FoundThread, ReadError> {
    if chosen.is_file {
        let record = Some(reader.record(chosen)?);
        return Ok(FoundThread { path: chosen.transcript.clone(), record, source: None });
    }
    let thread = TranscriptOwner { session: chosen.id.clone(), subagent: subagent.to_owned() };
    let history = reader.history.as_ref();
    let source = history.map(|history| history.source_anywhere(&thread)).transpose()?.flatten();
    let path = match (&source, subagent.is_empty()) {
        (_, true) => chosen.transcript.clone(),
        (Some(source), false) => source.path.clone(),
        (None, false) if is_backed_up(reader, &thread)? => PathBuf::new(),
        (None, false) => return Err(ReadError::NoSubagent(subagent.to_owned())),
    };
    let record = match wanted {
        RecallRequest::Note(_) => None,
        _ => TranscriptLines::find(Some(chosen.client), &path, &thread, reader.data.as_deref())?,
    };
    Ok(FoundThread { path, record, source })
}

fn is_backed_up(reader: &Reader, thread: &TranscriptOwner) -> Result<bool, ReadError> {
    let Some(data) = &reader.data else { return Ok(false) };
    Ok(Backups::at(data).find(thread)?.is_some())
}

fn from_record(
    reader: &Reader,
    record: &TranscriptLines,
    place: &RecallPlace,
) -> Result<Recalled, ReadError> {
    let mut lines = |each: &mut Take| record.lines(reader.mask, each);
    recall::recall(record.reader(reader.mask), &mut lines, place.wanted, place.all)
        .map_err(|error| unreadable(record, error))
}

/// There is neither transcript nor backup, or a note is wanted.
fn from_history(
    reader: &Reader,
    found: &FoundThread,
    wanted: &RecallRequest,
) -> Result<(Recalled, Option<String>), ReadError> {
    let is_note = matches!(wanted, RecallRequest::Note(_));
    let shown = (reader.machine.shown)(&found.path);
    let (Some(history), Some(source)) = (&reader.history, &found.source) else {
        return Err(if is_note { ReadError::NoNotes } else { ReadError::NothingLeft(shown) });
    };
    let kept = "long texts cut, nothing of files that were only read";
    let remark = if source.is_own() {
        format!(
            "The transcript {shown} is gone and was not backed up. This is what the history kept of it: {kept}."
        )
    } else {
        let machine = machine_name(&source.machine, &reader.machine.machines);
        format!("Recorded on {}: {kept}.", recorded_by(&machine, source.person.as_deref()))
    };
    Ok((recall::from_history(history, source, wanted)?, (!is_note).then_some(remark)))
}

/// A place in a session that only the shared archive has.
fn from_shared(reader: &Reader, place: &RecallPlace, start: String) -> Result<RecallDocument, ReadError> {
    let RecallRequest::Lines(from, to) = *place.wanted else { return Err(ReadError::NoSuchSession(start)) };
    let (session, subagent) = (start.clone(), place.subagent.to_owned());
    let (matches, found, state) =
        shared::asked(reader, SharedQuestion::Lines { session, subagent, from, to });
    let Some(source) = matches.first().and_then(|one| one.sources.first()) else {
        return Err(match state.and_then(|state| state.why) {
            Some(why) => ReadError::NotHere(start, why),
            None => ReadError::NoSuchSession(start),
        });
    };
    let machine = machine_name(&source.key.machine, &found.machines);
    let remark = format!(
        "From the shared archive, recorded on {}: long texts cut, nothing of files that were only read.",
        recorded_by(&machine, source.person.as_deref())
    );
    let session = source.key.session.clone();
    let pieces = matches.into_iter().map(|one| piece(&RecalledPiece::from_item(one.item)));
    Ok(RecallDocument {
        session: Some(session),
        subagent: Some(place.subagent.to_owned()).filter(|id| !id.is_empty()),
        transcript: PathBuf::new(),
        from: RecallSource::Shared,
        pieces: pieces.collect(),
        remarks: vec![remark],
        shortened: false,
        lines: to,
        own: false,
    })
}

fn piece(piece: &RecalledPiece) -> PieceDocument {
    PieceDocument {
        place: piece.place.to_string(),
        at: piece.at,
        who: RowAuthor::of(piece),
        what: piece.label(),
        for_model: piece.label_for_model(),
        given: piece.kind.is_given(),
        title: piece.title.clone(),
        text: piece.text.clone(),
        characters: piece.text.chars().count(),
        answer: piece.answer.as_ref().map(|answer| AnswerDocument {
            place: answer.place.to_string(),
            ok: answer.ok,
            text: answer.text.clone(),
            characters: answer.text.chars().count(),
        }),
    }
}
