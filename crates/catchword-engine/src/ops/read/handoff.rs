//! A session as a document for whoever takes over, or its important messages.

use std::path::PathBuf;

use serde::Serialize;

use super::reader::{ChosenSession, ReadError, Reader, Which, unreadable};
use crate::brief::replay::Named;
use crate::choose::{Unfinished, WorkspaceState};
use crate::ops;
use crate::ops::handoff::{HandoffContext, HandoffTime};
use crate::session::Session;
use crate::transcript::Take;

/// Which handoff is asked for.
pub struct HandoffRequest<'a> {
    pub which: Which<'a>,
    /// Most characters; `None` for a few lines under each heading.
    pub budget: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HandoffDocument {
    pub session: String,
    pub transcript: PathBuf,
    /// The root of its work tree, or its folder.
    pub project: Option<PathBuf>,
    /// Where it was written, if it was.
    pub written: Option<PathBuf>,
    pub unfinished: UnfinishedDocument,
    pub characters: usize,
    pub text: String,
    /// Where the record was read, if not in the transcript.
    pub remark: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnfinishedDocument {
    pub tasks: usize,
    /// Tests and builds whose latest run failed, the latest first.
    pub failing: Vec<String>,
    /// Stopped in the middle of a turn, by the person or by a crash.
    pub broken_off: bool,
    /// The agent's last words are a question.
    pub asks: bool,
    /// Uncommitted files that this session changed.
    pub uncommitted: usize,
}

/// The handoff of a session as it is now.
pub fn handoff(reader: &Reader, request: &HandoffRequest) -> Result<HandoffDocument, ReadError> {
    let chosen = reader.choose(request.which)?;
    let (session, remark) = read(reader, &chosen)?;
    if session.entries == 0 {
        return Err(ReadError::NoConversation(chosen.transcript));
    }
    let is_named = !chosen.is_file;
    let folder = session.cwd.clone().map(PathBuf::from);
    let tree = folder.as_deref().filter(|_| is_named).and_then(|folder| (reader.machine.tree)(folder));
    let unfinished = Unfinished::of(&session, tree.as_ref());
    let about = HandoffContext {
        session: &chosen.id,
        transcript: Some(&chosen.transcript),
        resume: &(chosen.client.phrases.resume)(&chosen.id),
        moment: HandoffTime::Asked,
        now: reader.now,
    };
    let workspace = WorkspaceState { tree, notes: reader.notes(&chosen)?, ..WorkspaceState::default() };
    let text = match request.budget {
        None => ops::handoff::short(&session, &about, &workspace),
        Some(budget) => ops::handoff::document(&session, &about, &workspace, budget),
    };
    Ok(HandoffDocument {
        project: folder.filter(|folder| folder.is_dir()).map(|folder| (reader.machine.project)(&folder).root),
        written: None,
        unfinished: UnfinishedDocument {
            tasks: unfinished.tasks,
            failing: unfinished.failing,
            broken_off: unfinished.broken_off,
            asks: unfinished.asks,
            uncommitted: unfinished.uncommitted,
        },
        characters: text.chars().count(),
        text,
        remark,
        session: chosen.id,
        transcript: chosen.transcript,
    })
}

/// If the transcript is gone, from its backup, or else from the snapshot in the store.
fn read(reader: &Reader, chosen: &ChosenSession) -> Result<(Session, Option<String>), ReadError> {
    if let Some(record) = reader.find_record(chosen)? {
        let session = record.fold(reader.mask, None).map_err(|error| unreadable(&record, error))?;
        return Ok((session, reader.remark(&record)));
    }
    let kept = reader.store.as_ref().map(|store| store.snapshot(&chosen.id)).transpose()?.flatten();
    let gone = || ReadError::TranscriptGone((reader.machine.shown)(&chosen.transcript));
    kept.map(|(_, session)| (session, None)).ok_or_else(gone)
}

/// Which replay is asked for.
pub struct ReplayRequest<'a> {
    pub which: Which<'a>,
    /// Most characters.
    pub budget: usize,
    /// Only what came before this compaction, counted from 1.
    pub before: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReplayDocument {
    pub session: String,
    pub characters: usize,
    /// Messages that did not fit.
    pub left_out: usize,
    pub messages: Vec<MessageDocument>,
    pub text: String,
    /// Where the record was read, if not in the transcript.
    pub remark: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MessageDocument {
    pub place: String,
    pub who: &'static str,
    pub text: String,
}

/// The important messages of a session, for a new one to read.
pub fn replay(reader: &Reader, request: &ReplayRequest) -> Result<ReplayDocument, ReadError> {
    let chosen = reader.choose(request.which)?;
    let record = reader.record(&chosen)?;
    let lines = match request.before {
        None => None,
        Some(number) => {
            let cuts = record.cuts(reader.mask).map_err(|error| unreadable(&record, error))?;
            let cut = number.checked_sub(1).and_then(|at| cuts.get(at));
            let (whose, all) = (chosen.in_words(), cuts.len());
            Some(cut.ok_or(ReadError::NoCompaction { whose, all, asked: Some(number) })?.lines)
        }
    };
    let named = if chosen.is_file {
        Named::File(chosen.id.clone(), chosen.transcript.display().to_string())
    } else {
        Named::Session(chosen.id.clone())
    };
    let mut from = |each: &mut Take| record.lines(reader.mask, each);
    let replay = ops::replay::of_lines(record.reader(reader.mask), &mut from, lines, &named, request.budget)
        .map_err(|error| unreadable(&record, error))?;
    if replay.messages.is_empty() {
        return Err(ReadError::NoConversation(record.lines.path().to_owned()));
    }
    let message = |message: &crate::brief::replay::ReplayMessage| MessageDocument {
        place: message.place.to_string(),
        who: message.who.word(),
        text: message.text.clone(),
    };
    Ok(ReplayDocument {
        characters: replay.text.chars().count(),
        left_out: replay.left_out,
        messages: replay.messages.iter().map(message).collect(),
        text: replay.text,
        remark: reader.remark(&record),
        session: chosen.id,
    })
}
