//! What the client gives the model back by itself after a compaction: the latest round word for word, and a few of the
//! files that were opened.

use serde::{Deserialize, Serialize};

use super::head_of;
use crate::agent::entry::{EntryId, Part, Place};

/// Files that the client attaches again. Of more it takes those with the latest change on disk, which no row tells.
const FILES: usize = 5;
/// Bytes of one thing said or done that are looked at.
const PIECE: usize = 2_000;
/// Bytes of a round. What is not kept here is told once more, which costs room and loses nothing.
const ROUND: usize = 12_000;
/// Files that have their own way back, or none.
const NOT_ATTACHED: [&str; 3] = ["CLAUDE.md", "CLAUDE.local.md", "MEMORY.md"];

/// The latest round, and the files opened since the latest compaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// The client that writes the transcript is one that keeps them.
    pub is_kept: bool,
    message: Option<EntryId>,
    begins: Option<Place>,
    round: String,
    files: Vec<String>,
}

impl Kept {
    /// Takes in something said or done. A round is a message of the model and everything since.
    pub(super) fn note(&mut self, place: Place, part: &Part) {
        match part {
            Part::Message(id) => {
                if id.is_none() || self.message != *id {
                    self.round.clear();
                    self.begins = Some(place);
                }
                self.message = *id;
            }
            Part::Text(text) | Part::Result { text, .. } => self.add(text),
            Part::Call { tool, .. } => tool.each_text(|text| self.add(text)),
            Part::Compaction { .. } => {
                self.round.clear();
                self.files.clear();
                self.begins = None;
            }
            _ => {}
        }
    }

    /// Takes in a file that was read, changed or written.
    pub(super) fn opened(&mut self, path: &str) {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let is_new = !NOT_ATTACHED.contains(&name) && !self.files.iter().any(|file| file == path);
        if is_new && self.files.len() <= FILES {
            self.files.push(path.to_owned());
        }
    }

    /// What was said and done in the round that stays.
    pub fn round(&self) -> &str {
        if self.is_kept { &self.round } else { "" }
    }

    /// Where that round begins.
    pub fn begins(&self) -> Option<Place> {
        self.begins.filter(|_| self.is_kept)
    }

    /// The files that are sure to come back.
    pub fn files(&self) -> &[String] {
        if self.is_kept && self.files.len() <= FILES { &self.files } else { &[] }
    }

    fn add(&mut self, text: &str) {
        let room = ROUND.saturating_sub(self.round.len()).min(PIECE);
        self.round.push_str(head_of(text, room));
        self.round.push('\n');
    }
}
