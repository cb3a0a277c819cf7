//! What the client itself restores after a compaction: the latest round verbatim, a few of the opened files, or the
//! person's messages.

use serde::{Deserialize, Serialize};

use crate::model::entry::{EntryId, KeptByClient, Part, Place};
use crate::text::cut::head_of;
use crate::text::hash::fnv1a;

/// Files recorded: more than any client reattaches.
const FILES: usize = 16;
/// Bytes kept of one message, call or result.
const PIECE: usize = 2_000;
/// Bytes kept of a round. The brief may repeat what is cut, which costs room and loses nothing.
const ROUND: usize = 12_000;

/// What the latest compaction put in the place of the conversation, beside what the client keeps verbatim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Aftermath {
    /// A summary, as far as anybody knows.
    #[default]
    Summary,
    /// A summary that only the model reads.
    Opaque,
    Nothing,
}

/// Of a message, by which it is known again.
pub fn hash_of(message: &str) -> u64 {
    fnv1a(message.trim().as_bytes())
}

/// The latest round, and the files opened since the latest compaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecentRound {
    by: KeptByClient,
    message: Option<EntryId>,
    begins: Option<Place>,
    round: String,
    files: Vec<String>,
    /// Hashes of the person's messages that the latest compaction kept.
    messages: Vec<u64>,
    /// The latest compaction's row says what it kept, and the agent has not gone on since.
    is_just_compacted: bool,
    aftermath: Aftermath,
}

impl RecentRound {
    /// Sets what the client that writes the transcript restores.
    pub(super) fn by(&mut self, keeps: &KeptByClient) {
        if self.by != *keeps {
            self.by = keeps.clone();
        }
    }

    /// The client keeps the latest round.
    pub fn is_kept(&self) -> bool {
        self.by.round
    }

    /// The session is at the compaction whose row it has last: the client wrote it before the start that follows.
    pub fn is_just_compacted(&self) -> bool {
        self.is_just_compacted
    }

    /// What stands in the place of the conversation; a row written only later does not say it yet.
    pub fn aftermath(&self) -> Aftermath {
        if self.is_just_compacted { self.aftermath } else { Aftermath::Summary }
    }

    /// Adds a part. A round is the latest message of the model and everything since.
    pub(super) fn note(&mut self, place: Place, part: &Part) {
        match part {
            Part::Kept(_) => self.is_just_compacted = true,
            Part::Text(_) | Part::Call { .. } | Part::Compaction { .. } => self.is_just_compacted = false,
            _ => {}
        }
        match part {
            Part::Compaction { .. } => self.aftermath = Aftermath::Nothing,
            Part::OpaqueSummary => self.aftermath = Aftermath::Opaque,
            Part::Summary(_) => self.aftermath = Aftermath::Summary,
            _ => {}
        }
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
            Part::Kept(messages) => {
                self.messages = messages.iter().map(|text| hash_of(text)).collect();
            }
            Part::Compaction { .. } => {
                self.round.clear();
                self.files.clear();
                self.messages.clear();
                self.begins = None;
            }
            _ => {}
        }
    }

    /// The latest compaction kept this message of the person's.
    pub fn has_message(&self, hash: u64) -> bool {
        self.by.messages || self.messages.contains(&hash)
    }

    /// Adds a file that was read, changed or written.
    pub(super) fn opened(&mut self, path: &str) {
        if self.files.len() < FILES && !self.files.iter().any(|file| file == path) {
            self.files.push(path.to_owned());
        }
    }

    /// The text of the round, or empty if the client does not restore it.
    pub fn round(&self) -> &str {
        if self.by.round { &self.round } else { "" }
    }

    pub fn begins(&self) -> Option<Place> {
        self.begins.filter(|_| self.by.round)
    }

    /// The files that are certain to be restored: none if more were opened than the client reattaches.
    pub fn files(&self) -> Vec<String> {
        let is_among = |path: &&String| {
            let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
            !self.by.not_files.iter().any(|not| not == name)
        };
        let files: Vec<String> = self.files.iter().filter(is_among).cloned().collect();
        if files.len() <= self.by.files { files } else { Vec::new() }
    }

    fn add(&mut self, text: &str) {
        let room = ROUND.saturating_sub(self.round.len()).min(PIECE);
        self.round.push_str(head_of(text, room));
        self.round.push('\n');
    }
}
