//! A transcript row as the client wrote it, with its secrets.

use std::borrow::Cow;
use std::path::Path;

use super::Mask;
use crate::model::entry::{Entry, Lasting, Part, Thread};

/// A transcript row that is not masked yet. Clients return nothing else, and masking is the only way to get the [`Entry`]:
/// code that cuts, stores or shows a row only ever sees masked strings.
#[derive(Debug)]
pub struct UnmaskedEntry(Entry);

impl UnmaskedEntry {
    /// Wraps what a client parsed.
    pub fn new(entry: Entry) -> UnmaskedEntry {
        UnmaskedEntry(entry)
    }

    /// The unmasked working directory, for decisions only: never store it.
    pub fn real_folder(&self) -> Option<&Path> {
        self.0.cwd.as_deref().map(Path::new)
    }

    /// Whether it has text from the client's queue.
    pub fn is_queued(&self) -> bool {
        self.0.parts.iter().any(|part| matches!(part, Part::Queued(_)))
    }

    /// What it says about the rows behind it.
    pub fn lasting(&self) -> Option<&Lasting> {
        self.0.lasting.as_ref()
    }

    /// Whether a call was refused.
    pub fn has_refusal(&self) -> bool {
        self.0.parts.iter().any(|part| matches!(part, Part::Result { extra, .. } if extra.refused.is_some()))
    }

    /// The same row as one of a subagent's conversation.
    pub fn by_subagent(&mut self) {
        self.0.thread = Thread::Sub;
    }

    /// The same row where nobody asked the person: the client refused the calls by itself.
    pub fn refused_by_client(&mut self) {
        for part in &mut self.0.parts {
            if let Part::Result { extra, .. } = part
                && extra.refused.take().is_some()
            {
                extra.skipped = true;
            }
        }
    }

    /// The entry with every string masked, for a caller that keeps at most `kept` bytes of each text of a part. Of a text of
    /// megabytes only both ends are masked and the middle is dropped, so that no row takes long.
    pub fn masked_to_keep(mut self, mask: &Mask, kept: impl Fn(&Part) -> usize) -> Entry {
        for part in &mut self.0.parts {
            let most = kept(part);
            part.map_strings(&mut |text| {
                if let Some(ends) = mask.ends(text, most) {
                    *text = ends;
                }
            });
        }
        self.masked(mask)
    }

    /// The entry with every string masked.
    pub fn masked(mut self, mask: &Mask) -> Entry {
        self.0.map_strings(|text| {
            if let Cow::Owned(masked) = mask.text(text) {
                *text = masked;
            }
        });
        self.0
    }
}
