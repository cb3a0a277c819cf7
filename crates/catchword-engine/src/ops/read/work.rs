//! What of a session is not finished.

use serde::Serialize;

use super::reader::{ReadError, Reader, Which};
use crate::brief::HARD_LIMIT;
use crate::choose::{KnownText, Section, Unfinished, WorkspaceState};
use crate::ops;

/// The sections that tell it, each with what it is called here.
const SECTIONS: [(Section, &str); 5] = [
    (Section::Work, "Open tasks"),
    (Section::Failing, "Commands that failed at their latest run"),
    (Section::Running, "Running in the background"),
    (Section::State, "Where it stood"),
    (Section::Notes, "Notes, each under its author's name"),
];

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorkDocument {
    pub session: String,
    /// Whether it is the asking session.
    pub own: bool,
    /// All of it in a few words; empty if nothing is known to be open.
    pub unfinished: String,
    pub sections: Vec<WorkSection>,
    /// Where the record was read, if not in the transcript.
    pub remark: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorkSection {
    pub heading: &'static str,
    pub lines: Vec<WorkLine>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorkLine {
    pub text: String,
    pub place: Option<String>,
}

/// What is not finished in a session as it stands.
pub fn open_work(reader: &Reader, which: Which) -> Result<WorkDocument, ReadError> {
    let chosen = reader.choose(which)?;
    let (session, record) = reader.fold_on(&chosen)?;
    let workspace = WorkspaceState { notes: reader.notes(&chosen)?, ..WorkspaceState::default() };
    let facts = ops::brief::facts(&session, &KnownText::default(), &workspace, HARD_LIMIT);
    let section = |(section, heading): (Section, &'static str)| {
        let of_it = facts.iter().filter(|fact| fact.section == section);
        let line = |fact: &crate::choose::Fact| WorkLine {
            text: fact.text.clone(),
            place: fact.place.map(|place| place.to_string()),
        };
        WorkSection { heading, lines: of_it.map(line).collect() }
    };
    let mut sections: Vec<WorkSection> = SECTIONS.into_iter().map(section).collect();
    sections.retain(|section| !section.lines.is_empty());
    Ok(WorkDocument {
        unfinished: Unfinished::of(&session, None).in_words(),
        sections,
        own: chosen.is_own,
        remark: reader.remark(&record),
        session: chosen.id,
    })
}
