//! A transcript row as the client wrote it, with its secrets.

use std::borrow::Cow;
use std::path::Path;

use super::Mask;
use crate::model::entry::{Entry, Part};

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
