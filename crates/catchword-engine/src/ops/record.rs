//! A transcript wherever it is still to be had: the client's file, or its backup once the client has deleted that.

use std::io;
use std::path::{Path, PathBuf};

use super::history::{self, Cut};
use super::recall::{self, Take};
use crate::agent::Agent;
use crate::backup::{BackupError, Backups, Kept};
use crate::history::Thread;
use crate::session::Session;

/// Where the lines of a transcript come from.
pub enum Record {
    /// The client's file.
    File(PathBuf),
    /// Its backup: masked, with as many lines.
    Backup(Backups, Box<Kept>),
}

impl Record {
    /// The file, or where that is gone its backup in the data directory; `None` when there is neither.
    pub fn find(path: &Path, thread: &Thread, data: Option<&Path>) -> Result<Option<Record>, BackupError> {
        if path.is_file() {
            return Ok(Some(Record::File(path.to_owned())));
        }
        let Some(backups) = data.map(Backups::at) else { return Ok(None) };
        let kept = backups.find(thread)?;
        Ok(kept.map(|kept| Record::Backup(backups, Box::new(kept))))
    }

    /// Hands on the lines, in order, as long as more are wanted.
    pub fn lines(&self, each: &mut Take) -> io::Result<()> {
        match self {
            Record::File(path) => recall::lines_of(path)(each),
            Record::Backup(backups, kept) => backups.lines(kept)(each),
        }
    }

    /// The session as it stood after the first `lines` lines, or after all of them.
    pub fn fold(&self, agent: &Agent, lines: Option<u32>) -> io::Result<Session> {
        history::fold_lines(agent, &mut |each| self.lines(each), lines)
    }

    /// Every compaction of the main conversation, in order.
    pub fn cuts(&self, agent: &Agent) -> io::Result<Vec<Cut>> {
        history::cuts_in(agent, &mut |each| self.lines(each))
    }
}
