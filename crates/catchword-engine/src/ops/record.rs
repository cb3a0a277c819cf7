//! A transcript, read from the client's file or, once the client has deleted that, from its backup.

use std::io;
use std::path::{Path, PathBuf};

use super::history::{self, CompactionPoint};
use super::recall;
use super::rows::{self, RowReader};
use crate::archive::backup::{BackupError, BackupList, Backups};
use crate::archive::history::TranscriptOwner;
use crate::clients::Client;
use crate::model::entry::Entry;
use crate::redact::{Mask, SECRETS};
use crate::session::Session;
use crate::transcript::{self, Take};

/// The lines of a transcript, and the client that wrote them.
pub struct TranscriptLines {
    pub client: &'static Client,
    pub lines: RecordLines,
}

/// Where the lines of a transcript come from.
pub enum RecordLines {
    /// The client's file.
    File(PathBuf),
    /// Its backup: masked, with the same number of lines.
    Backup(Backups, Box<BackupList>),
}

impl TranscriptLines {
    /// Any transcript file; its rows say which client wrote it.
    pub fn of_file(path: &Path) -> TranscriptLines {
        RecordLines::File(path.to_owned()).by_rows()
    }

    /// The same for a backup.
    pub fn of_backup(backups: Backups, kept: BackupList) -> TranscriptLines {
        RecordLines::Backup(backups, Box::new(kept)).by_rows()
    }

    /// The file, or its backup in the data directory if the file is gone; `None` if there is neither. If `client` is
    /// `None`, the rows say which client wrote them.
    pub fn find(
        client: Option<&'static Client>,
        path: &Path,
        thread: &TranscriptOwner,
        data: Option<&Path>,
    ) -> Result<Option<TranscriptLines>, BackupError> {
        let record = |lines: RecordLines| match client {
            Some(client) => TranscriptLines { client, lines },
            None => lines.by_rows(),
        };
        if transcript::is_there(path) {
            return Ok(Some(record(RecordLines::File(path.to_owned()))));
        }
        let Some(backups) = data.map(Backups::at) else { return Ok(None) };
        let kept = backups.find(thread)?;
        Ok(kept.map(|kept| record(RecordLines::Backup(backups, Box::new(kept)))))
    }

    /// Passes the lines on, in order, as long as more are wanted.
    pub fn lines(&self, mask: &Mask, each: &mut Take) -> io::Result<()> {
        self.lines.hand_on(mask, each)
    }

    pub fn reader<'a>(&self, mask: &'a Mask) -> RowReader<'a> {
        RowReader { client: self.client, mask }
    }

    /// Passes the entries on, in order.
    pub fn entries(&self, mask: &Mask, each: impl FnMut(&Entry)) -> io::Result<()> {
        history::each_entry(self.reader(mask), &mut |take| self.lines(mask, take), None, each)
    }

    /// The session after the first `lines` lines, or after all of them.
    pub fn fold(&self, mask: &Mask, lines: Option<u32>) -> io::Result<Session> {
        history::fold_lines(self.reader(mask), &mut |each| self.lines(mask, each), lines)
    }

    /// The session as it stood after each of these numbers of lines, in one pass; `lines` ascends.
    pub fn moments(&self, mask: &Mask, lines: &[u32], each: impl FnMut(usize, &Session)) -> io::Result<()> {
        history::moments_in(self.reader(mask), &mut |take| self.lines(mask, take), lines, each)
    }

    /// Every compaction of the main conversation, in order.
    pub fn cuts(&self, mask: &Mask) -> io::Result<Vec<CompactionPoint>> {
        history::cuts_in(self.reader(mask), &mut |each| self.lines(mask, each))
    }
}

impl RecordLines {
    fn by_rows(self) -> TranscriptLines {
        TranscriptLines { client: rows::client_of(&mut |each| self.hand_on(SECRETS, each)), lines: self }
    }

    fn hand_on(&self, mask: &Mask, each: &mut Take) -> io::Result<()> {
        match self {
            RecordLines::File(path) => recall::lines_of(path, mask)(each),
            RecordLines::Backup(backups, kept) => backups.lines(kept)(each),
        }
    }

    /// The path of the transcript, even if it is gone.
    pub fn path(&self) -> &Path {
        match self {
            RecordLines::File(path) => path,
            RecordLines::Backup(_, kept) => &kept.path,
        }
    }
}
