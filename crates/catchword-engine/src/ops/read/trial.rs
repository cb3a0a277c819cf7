//! A compaction of a transcript played again: what it lost, and what the agent would be told.

use std::path::Path;

use serde::Serialize;

use super::brief::{BriefDocument, BriefMoment, BriefRequest, brief};
use super::compaction::{CompactionAt, CompactionDocument, CompactionRequest, compaction};
use super::reader::{ReadError, Reader, Which, unreadable};
use crate::ops::record::TranscriptLines;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrialDocument {
    /// As people know it.
    pub transcript: String,
    /// Why this one, if nobody named it.
    pub chosen: Option<String>,
    /// Lines that the summary replaced; without a compaction, all.
    pub lines: u32,
    /// How many compactions the transcript has.
    pub compactions: usize,
    /// The latest; null if there is none and the end of the session was used.
    pub compaction: Option<CompactionDocument>,
    /// What the agent would be told, with the reason for each line.
    pub brief: BriefDocument,
    /// The folder that the session began in.
    pub folder: Option<String>,
    /// When the compaction was, or the end of the session.
    pub at: Option<i64>,
}

/// Plays the latest compaction of a transcript, or its end as if it were compacted now. `None` if it holds no
/// conversation.
pub fn trial(reader: &Reader, path: &Path, budget: usize) -> Result<Option<TrialDocument>, ReadError> {
    let which = Which::File(path);
    let record = TranscriptLines::of_file(path);
    let cuts = record.cuts(reader.mask).map_err(|error| unreadable(&record, error))?;
    let session = record.fold(reader.mask, None).map_err(|error| unreadable(&record, error))?;
    if session.entries == 0 {
        return Ok(None);
    }
    let number = cuts.len();
    let at = if number > 0 { BriefMoment::Compaction(number) } else { BriefMoment::Now };
    let compaction = match number {
        0 => None,
        _ => Some(compaction(reader, &CompactionRequest { which, at: CompactionAt::Latest, summary: None })?),
    };
    // An earlier compaction has replaced what came before it.
    let replaced = cuts.iter().rev().nth(1).map_or(0, |earlier| earlier.lines);
    let last = cuts.last();
    Ok(Some(TrialDocument {
        transcript: path.display().to_string(),
        chosen: None,
        lines: last.map_or(session.entries, |cut| cut.lines.saturating_sub(replaced)),
        compactions: number,
        compaction,
        brief: brief(reader, &BriefRequest { which, at, summary: None, budget, with_reasons: true })?,
        folder: session.root().map(str::to_owned),
        at: last.and_then(|cut| cut.at).or(session.time),
    }))
}
