//! Compactions that another machine recorded: what its hooks found there came with the transcript, or is in the shared
//! archive. Nothing is compared again here, because the transcript is not here.

use super::{CompactionAt, CompactionDocument, CompactionRequest, Draft};
use crate::archive::asked::SharedQuestion;
use crate::archive::history::TranscriptOwner;
use crate::archive::history::compactions::{self, HistoryCut};
use crate::model::event::short_id;
use crate::ops::history::CompactionPoint;
use crate::ops::read::reader::{ChosenSession, ReadError, Reader};
use crate::ops::read::shared::{self, machine_name, recorded_by};

/// The compactions of a session of another machine, oldest first.
pub(super) struct FetchedCompactions {
    session: String,
    cwd: Option<String>,
    machine: String,
    person: Option<String>,
    cuts: Vec<HistoryCut>,
    is_here: bool,
}

/// Those of a session that was fetched; `None` if this machine recorded it.
pub(super) fn fetched(
    reader: &Reader,
    chosen: &ChosenSession,
) -> Result<Option<FetchedCompactions>, ReadError> {
    let Some(history) = reader.history.as_ref().filter(|_| !chosen.is_file) else { return Ok(None) };
    let thread = TranscriptOwner { session: chosen.id.clone(), subagent: String::new() };
    let source = history.source_anywhere(&thread)?.filter(|source| !source.is_own());
    let Some(source) = source else { return Ok(None) };
    let cuts = history.cuts(source.no)?;
    Ok(Some(FetchedCompactions {
        session: chosen.id.clone(),
        cwd: source.project,
        machine: machine_name(&source.machine, &reader.machine.machines),
        person: source.person,
        cuts,
        is_here: true,
    }))
}

/// Those of a session that only the shared archive has.
pub(super) fn from_shared(reader: &Reader, start: String) -> Result<FetchedCompactions, ReadError> {
    let (matches, found, state) =
        shared::asked(reader, SharedQuestion::Compactions { session: start.clone() });
    let Some(source) = matches.first().and_then(|one| one.sources.first()).cloned() else {
        return Err(match state.and_then(|state| state.why) {
            Some(why) => ReadError::NotHere(start, why),
            None => ReadError::NoSuchSession(start),
        });
    };
    Ok(FetchedCompactions {
        session: source.key.session,
        cwd: source.project,
        machine: machine_name(&source.key.machine, &found.machines),
        person: source.person,
        cuts: compactions::cuts(matches.into_iter().map(|one| one.item).collect()),
        is_here: false,
    })
}

impl FetchedCompactions {
    /// For a list, newest first.
    pub fn in_short(&self) -> Vec<CompactionDocument> {
        (0..self.cuts.len()).rev().map(|at| self.marked(self.draft(at).in_short())).collect()
    }

    /// The one that is asked for, with its summary.
    pub fn one(&self, request: &CompactionRequest) -> Result<CompactionDocument, ReadError> {
        let all = self.cuts.len();
        let at = match request.at {
            CompactionAt::Number(number) => number.checked_sub(1).filter(|at| *at < all),
            CompactionAt::Line(line) => self.cuts.iter().position(|cut| cut.place.0 == line + 1),
            CompactionAt::Latest => all.checked_sub(1),
        };
        let asked = match request.at {
            CompactionAt::Number(number) => Some(number),
            _ => None,
        };
        let whose = || format!("session {}", short_id(&self.session));
        let at = at.ok_or_else(|| ReadError::NoCompaction { whose: whose(), all, asked })?;
        let by = recorded_by(&self.machine, self.person.as_deref());
        let from = if self.is_here { "" } else { "From the shared archive, " };
        let remark =
            format!("{from}recorded on {by}: what its hooks found then; nothing is compared again here.");
        let remark = remark[..1].to_uppercase() + &remark[1..];
        let document = self.marked(self.draft(at).in_full(None, None));
        Ok(CompactionDocument { remark: Some(remark), ..document })
    }

    fn draft(&self, at: usize) -> Draft {
        let cut = &self.cuts[at];
        let lines = cut.place.0.saturating_sub(1);
        let body = cut.boundary.as_ref().map(|item| item.body.as_str()).unwrap_or_default();
        let recorded = compactions::from_text(body, &self.session, self.cwd.clone(), lines);
        let point = CompactionPoint {
            lines,
            read: lines,
            summary: cut.summary.as_ref().map(|item| item.body.clone()).unwrap_or_default(),
            summary_line: cut.summary.as_ref().map(|item| item.place.0),
            manual: recorded.as_ref().is_some_and(|one| one.manual),
            at: cut.boundary.as_ref().or(cut.summary.as_ref()).and_then(|item| item.at),
            ..CompactionPoint::default()
        };
        Draft {
            number: Some(at + 1),
            of: self.cuts.len(),
            point: Some(point),
            recorded,
            ..Draft::unknown(&self.session)
        }
    }

    fn marked(&self, document: CompactionDocument) -> CompactionDocument {
        CompactionDocument {
            cwd: self.cwd.clone(),
            machine: Some(self.machine.clone()),
            person: self.person.clone(),
            ..document
        }
    }
}
