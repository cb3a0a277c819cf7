//! Looking for transcripts on disk.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use catchword_engine::agent::claude_code::setup;

/// Transcripts, and what could not be looked into.
pub struct Found {
    /// Transcripts.
    pub transcripts: BTreeSet<PathBuf>,
    /// What could not be looked into.
    pub problems: Vec<(PathBuf, io::Error)>,
    subagents: bool,
}

impl Found {
    /// Ready to look for the transcripts of conversations with a person.
    pub fn conversations() -> Found {
        Found { transcripts: BTreeSet::new(), problems: Vec::new(), subagents: false }
    }

    /// Ready to look for those of subagents, too.
    pub fn all() -> Found {
        Found { subagents: true, ..Found::conversations() }
    }

    /// Takes in a transcript, or those below a folder. Links are followed where they are named, not where they are
    /// found: a folder that links to itself would never end.
    pub fn look(&mut self, path: &Path, named: bool) {
        let kind = if named { path.metadata() } else { path.symlink_metadata() };
        match kind {
            Err(error) => self.problems.push((path.to_owned(), error)),
            Ok(kind) if kind.is_dir() => self.look_below(path),
            Ok(kind) if named || (kind.is_file() && is_transcript(path)) => {
                self.transcripts.insert(path.to_owned());
            }
            Ok(_) => {}
        }
    }

    fn look_below(&mut self, folder: &Path) {
        if !self.subagents && folder.file_name().is_some_and(|name| name == setup::SUBAGENTS) {
            return;
        }
        match std::fs::read_dir(folder) {
            Ok(entries) => entries.flatten().for_each(|entry| self.look(&entry.path(), false)),
            Err(error) => self.problems.push((folder.to_owned(), error)),
        }
    }
}

fn is_transcript(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "jsonl")
}
