//! An entry as the client wrote it, secrets included.

use std::borrow::Cow;
use std::path::Path;

use super::Mask;
use crate::model::entry::{Entry, Part};

/// A transcript row that nobody has masked yet. Clients hand out nothing else, and masking is the only way to the
/// [`Entry`] in it: whatever cuts, stores or shows a row gets it masked, every string of it.
#[derive(Debug)]
pub struct UnmaskedEntry(Entry);

impl UnmaskedEntry {
    /// Wraps what a client read.
    pub fn new(entry: Entry) -> UnmaskedEntry {
        UnmaskedEntry(entry)
    }

    /// The working directory under its real name: to decide something by, never to keep.
    pub fn real_folder(&self) -> Option<&Path> {
        self.0.cwd.as_deref().map(Path::new)
    }

    /// Whether it holds words from the client's queue.
    pub fn is_queued(&self) -> bool {
        self.0.parts.iter().any(|part| matches!(part, Part::Queued(_)))
    }

    /// The entry with every string masked, where only `kept` bytes of a part's texts will be kept: of a text of megabytes
    /// both ends are masked and the rest is left out, so that no row takes longer than a moment.
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
