//! Compressed backups of whole transcripts, because clients delete their own after a while.
//!
//! **What is kept.** Every line of a transcript, masked (`Mask::line`): a backup contains no more secrets than the
//! history does, and has as many lines as the transcript, so that places stay valid. A line that is too long to read
//! becomes an empty line.
//! **How.** Lines are grouped into pieces of about a megabyte. A full piece never changes; it is stored in `pieces/`
//! under the hash of its content, so that two transcripts share what they have in common. The rest after the last full
//! piece is the tail; it is stored beside the list and rewritten as it grows. The list
//! (`sessions/<session>/<thread>.json`) names the pieces and the tail, and says how far the transcript was read.
//! **Safety.** Files are written under a temporary name, synced and renamed; the list comes last. A killed process
//! leaves the old list or the new one, and at most some unreferenced files, which the next pass deletes. A file lock
//! lets one process write at a time; it ends with the process.

mod limits;
mod piece;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::archive::history::TranscriptOwner;
use crate::redact::Mask;
use crate::store::make_private_folder;
use crate::transcript::tail::{Cursor, Line, Tail};
pub use limits::{BackupLimits, Pruned};
use piece::{Name, Piece};

/// Bytes of masked text after which a piece is full. Smaller pieces compress worse (97 MB of transcripts take 13.0 MB,
/// and 19.1 MB in pieces of 64 KiB). Larger ones compress slightly better (11.5 MB at four times the size), but the
/// tail, which is rewritten each time, becomes larger.
const FULL: usize = 1024 * 1024;
/// Pieces after which the list is written. A killed process loses at most this many.
const PIECES_A_LIST: usize = 8;
/// Suffix of files that are being written.
const UNFINISHED: &str = ".new";

#[derive(Debug, Error)]
pub enum BackupError {
    /// The transcript cannot be read.
    #[error("cannot read {path}: {source}")]
    Transcript { path: PathBuf, source: io::Error },
    /// The folder of backups cannot be read or written.
    #[error("backups: {path}: {source}")]
    Folder { path: PathBuf, source: io::Error },
    /// Another process is writing backups.
    #[error("another process is writing backups")]
    Busy,
}

/// The folder of backups.
#[derive(Clone, Debug)]
pub struct Backups {
    folder: PathBuf,
}

/// A transcript to back up.
pub struct Original<'a> {
    /// Whose transcript it is.
    pub thread: &'a TranscriptOwner,
    pub path: &'a Path,
    /// The session's working directory.
    pub project: Option<&'a Path>,
    pub mask: &'a Mask,
    /// Whether a line was written in an excluded folder; `None` if it does not say.
    pub is_left_out: &'a dyn Fn(&[u8]) -> Option<LineFolder>,
}

/// Whether a line was written in an excluded folder, and whether that holds for those behind it that name none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineFolder {
    pub is_left_out: bool,
    pub lasts: bool,
}

/// The list of a backed-up transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupList {
    pub session: String,
    /// The subagent's id; empty for the conversation with the person.
    pub subagent: String,
    /// The path of the transcript, which may be deleted by now.
    pub path: PathBuf,
    /// The session's working directory.
    pub project: Option<PathBuf>,
    /// When something new was last found in it, in milliseconds since 1970.
    pub at: i64,
    /// How far the transcript is backed up.
    cursor: Cursor,
    /// Where in the transcript the tail begins.
    tail_from: Cursor,
    pieces: Vec<Piece>,
    tail: Option<Piece>,
    /// Whether the session was in an excluded folder at the start of the tail.
    #[serde(default)]
    left_out: bool,
}

impl BackupList {
    /// Whose transcript it is.
    pub fn thread(&self) -> TranscriptOwner {
        TranscriptOwner { session: self.session.clone(), subagent: self.subagent.clone() }
    }

    /// Number of lines kept.
    pub fn lines(&self) -> u32 {
        self.cursor.line
    }

    /// Bytes of the transcript that are kept.
    pub fn bytes(&self) -> u64 {
        self.cursor.offset
    }

    /// Size on disk, including shared pieces.
    pub fn packed(&self) -> u64 {
        self.all_pieces().map(|piece| piece.packed).sum()
    }

    fn all_pieces(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().chain(&self.tail)
    }
}

/// The result of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Bytes of the transcript that were added.
    pub bytes: u64,
    /// Compressed bytes written for them.
    pub packed: u64,
    /// The pass reached the end of the transcript.
    pub whole: bool,
    /// The transcript was replaced by one that is shorter than the backup; the backup stays as it is.
    pub shorter: bool,
}

/// A lock that permits writing.
#[must_use = "dropped, it is given back"]
pub struct Lock(#[expect(dead_code, reason = "held open")] File);

impl Backups {
    /// The backups in a data directory; the folder need not exist.
    pub fn at(data: &Path) -> Backups {
        Backups { folder: data.join("backups") }
    }

    /// Waits for the lock; with `wait` off, returns [`BackupError::Busy`] if another process has it.
    pub fn lock(&self, wait: bool) -> Result<Lock, BackupError> {
        let path = self.folder.join("lock");
        make_private_folder(&self.folder)
            .map_err(|error| self.failed(&self.folder, io::Error::other(error)))?;
        let file = private(&path).map_err(|source| self.failed(&path, source))?;
        let locked = if wait { file.lock().map_err(fs::TryLockError::Error) } else { file.try_lock() };
        match locked {
            Ok(()) => Ok(Lock(file)),
            Err(fs::TryLockError::WouldBlock) => Err(BackupError::Busy),
            Err(fs::TryLockError::Error(source)) => Err(self.failed(&path, source)),
        }
    }

    /// Backs up what is new in a transcript until `in_time` returns false; the next pass continues.
    pub fn take(
        &self,
        _: &Lock,
        original: &Original,
        now: i64,
        in_time: &dyn Fn() -> bool,
    ) -> Result<Taken, BackupError> {
        let &Original { thread, path, project, mask, is_left_out } = original;
        let unreadable = |source| BackupError::Transcript { path: path.to_owned(), source };
        let tail = Tail::open(path, mask).map_err(unreadable)?;
        let known = self.find(thread)?;
        let size = tail.ahead(&Cursor::default());
        let kept = match known {
            Some(kept) if tail.holds(&kept.cursor) && self.has_all(&kept) => kept,
            Some(kept) if size < kept.cursor.offset => {
                return Ok(Taken { shorter: true, whole: true, ..Taken::default() });
            }
            _ => BackupList {
                session: thread.session.clone(),
                subagent: thread.subagent.clone(),
                path: path.to_owned(),
                project: None,
                at: now,
                cursor: Cursor::default(),
                tail_from: Cursor::default(),
                pieces: Vec::new(),
                tail: None,
                left_out: false,
            },
        };
        let mut pass = BackupPass { backups: self, kept, taken: Taken::default(), mask, is_left_out, now };
        path.clone_into(&mut pass.kept.path);
        if let Some(project) = project {
            pass.kept.project = Some(project.to_owned());
        }
        pass.run(&tail, in_time, &unreadable)?;
        Ok(pass.taken)
    }

    /// The backup of a transcript, if there is one.
    pub fn find(&self, thread: &TranscriptOwner) -> Result<Option<BackupList>, BackupError> {
        let path = self.list_path(thread);
        match fs::read(&path) {
            // No version of ours writes an invalid list. If it is damaged, the transcript is backed up anew.
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(self.failed(&path, source)),
        }
    }

    /// All backed-up transcripts, each main conversation before its subagents.
    pub fn all(&self) -> Result<Vec<BackupList>, BackupError> {
        let mut found = Vec::new();
        for session in self.entries(&self.sessions())? {
            for list in self.entries(&session)?.into_iter().filter(|path| is_list(path)) {
                let bytes = fs::read(&list).map_err(|source| self.failed(&list, source))?;
                found.extend(serde_json::from_slice::<BackupList>(&bytes).ok());
            }
        }
        found.sort_by(|a, b| (&a.session, &a.subagent).cmp(&(&b.session, &b.subagent)));
        Ok(found)
    }

    /// Passes the lines of a backup on, in order, as long as more are wanted.
    pub fn lines<'a>(
        &'a self,
        kept: &'a BackupList,
    ) -> impl FnMut(&mut crate::transcript::Take) -> io::Result<()> + 'a {
        move |each| {
            let mut number = 0;
            for piece in kept.all_pieces() {
                let text = self.unpacked(kept, piece)?;
                for line in text.split_terminator('\n') {
                    number += 1;
                    if !each(number, line.as_bytes()) {
                        return Ok(());
                    }
                }
            }
            Ok(())
        }
    }

    /// Writes a transcript out again. Lines of damaged or missing pieces become empty, so that places stay valid;
    /// returns the first and last line of each such range.
    pub fn write(&self, kept: &BackupList, to: &mut dyn Write) -> io::Result<Vec<(u32, u32)>> {
        let (mut line, mut missing) = (0, Vec::new());
        for piece in kept.all_pieces() {
            let text = self.unpacked(kept, piece).unwrap_or_else(|_| {
                missing.push((line + 1, line + piece.lines));
                "\n".repeat(piece.lines as usize)
            });
            to.write_all(text.as_bytes())?;
            line += piece.lines;
        }
        Ok(missing)
    }

    /// Whether every piece is there and has its size. Other damage is detected when a piece is read.
    fn has_all(&self, kept: &BackupList) -> bool {
        let size = |piece: &Piece| fs::metadata(self.place(kept, piece)).map(|meta| meta.len());
        kept.all_pieces().all(|piece| size(piece).is_ok_and(|size| size == piece.packed))
    }

    /// Removes the backups of these sessions, if there are any; shared pieces stay.
    pub fn remove(&self, lock: &Lock, sessions: &[&str]) -> Result<(), BackupError> {
        for session in sessions {
            let folder = self.session_folder(session);
            match fs::remove_dir_all(&folder) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(self.failed(&folder, error));
                }
                _ => {}
            }
        }
        self.sweep(lock)
    }

    /// Masks all backups again by the current rules; returns the number of transcripts that changed.
    pub fn mask_again(&self, lock: &Lock, mask: &Mask) -> Result<usize, BackupError> {
        let mut changed = 0;
        for mut kept in self.all()? {
            let before = kept.clone();
            for at in 0..kept.pieces.len() {
                if let Some(masked) = self.masked_again(&kept, &kept.pieces[at], mask)? {
                    kept.pieces[at] = self.put(&piece::path(&self.folder), &masked, "")?;
                }
            }
            if let Some(tail) = kept.tail.clone()
                && let Some(masked) = self.masked_again(&kept, &tail, mask)?
            {
                kept.tail = Some(self.put_tail(&kept, &masked)?);
            }
            if kept != before {
                changed += 1;
                self.write_list(&kept)?;
            }
        }
        self.sweep(lock)?;
        Ok(changed)
    }

    fn masked_again(
        &self,
        kept: &BackupList,
        piece: &Piece,
        mask: &Mask,
    ) -> Result<Option<String>, BackupError> {
        let text = self.unpacked(kept, piece).map_err(|source| self.failed(&self.folder, source))?;
        let masked = masked_lines(&text, mask);
        Ok((masked != text).then_some(masked))
    }

    /// Passes on every text in the folder, decompressed, with its file. Used to prove that something is not there.
    pub fn texts(&self, mut each: impl FnMut(&Path, &str)) -> Result<(), BackupError> {
        let mut folders = vec![self.folder.clone()];
        while let Some(folder) = folders.pop() {
            for path in self.entries(&folder)? {
                if path.is_dir() {
                    folders.push(path);
                } else if let Some(text) = fs::read(&path).ok().and_then(|bytes| piece::unpack(&bytes).ok()) {
                    each(&path, &text);
                }
            }
        }
        Ok(())
    }

    /// Deletes every file that no list names.
    fn sweep(&self, _: &Lock) -> Result<(), BackupError> {
        let kept = self.all()?;
        let named: std::collections::HashSet<&Name> =
            kept.iter().flat_map(BackupList::all_pieces).map(|piece| &piece.name).collect();
        let pieces = piece::path(&self.folder);
        for folder in self.entries(&pieces)?.into_iter().chain(self.entries(&self.sessions())?) {
            for path in self.entries(&folder)? {
                let is_named = piece::name_of(&path).is_some_and(|name| named.contains(&name));
                if !is_named && !is_list(&path) {
                    fs::remove_file(&path).map_err(|source| self.failed(&path, source))?;
                }
            }
            // Fails if the folder is not empty, as it should.
            let _ = fs::remove_dir(&folder);
        }
        Ok(())
    }

    // ---- files

    fn sessions(&self) -> PathBuf {
        self.folder.join("sessions")
    }

    fn session_folder(&self, session: &str) -> PathBuf {
        self.sessions().join(file_name(session))
    }

    fn list_path(&self, thread: &TranscriptOwner) -> PathBuf {
        let stem = match thread.subagent.as_str() {
            "" => "main".to_owned(),
            id => format!("agent-{}", file_name(id)),
        };
        self.session_folder(&thread.session).join(format!("{stem}.json"))
    }

    /// The tail is stored beside its list, with the list's name as prefix.
    fn tail_prefix(&self, kept: &BackupList) -> (PathBuf, String) {
        let list = self.list_path(&kept.thread());
        let stem = list.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (self.session_folder(&kept.session), format!("{stem}."))
    }

    /// The path of a piece.
    fn place(&self, kept: &BackupList, piece: &Piece) -> PathBuf {
        if kept.tail.as_ref() == Some(piece) {
            let (folder, prefix) = self.tail_prefix(kept);
            piece.path_in(&folder, &prefix)
        } else {
            piece.path_in(&piece::path(&self.folder), "")
        }
    }

    fn unpacked(&self, kept: &BackupList, piece: &Piece) -> io::Result<String> {
        let text = piece::unpack(&fs::read(self.place(kept, piece))?)?;
        if Name::of(&text) != piece.name {
            return Err(io::Error::new(ErrorKind::InvalidData, "a piece of the backup is damaged"));
        }
        Ok(text)
    }

    /// Stores a text as a piece, unless an intact one with the same content exists.
    fn put(&self, folder: &Path, text: &str, prefix: &str) -> Result<Piece, BackupError> {
        let (name, lines) = (Name::of(text), text.matches('\n').count() as u32);
        let place = Piece { name, lines, packed: 0 };
        let path = place.path_in(folder, prefix);
        if let Ok(bytes) = fs::read(&path)
            && piece::unpack(&bytes).is_ok_and(|kept| kept == text)
        {
            return Ok(Piece { packed: bytes.len() as u64, ..place });
        }
        let bytes = piece::pack(text).map_err(|source| self.failed(&path, source))?;
        self.write_file(&path, &bytes)?;
        Ok(Piece { packed: bytes.len() as u64, ..place })
    }

    fn put_tail(&self, kept: &BackupList, text: &str) -> Result<Piece, BackupError> {
        let (folder, prefix) = self.tail_prefix(kept);
        self.put(&folder, text, &prefix)
    }

    /// Writes the list, which refers only to files that exist by now, and then deletes files it no longer refers to.
    fn write_list(&self, kept: &BackupList) -> Result<(), BackupError> {
        let path = self.list_path(&kept.thread());
        let bytes = serde_json::to_vec(kept).map_err(|error| self.failed(&path, io::Error::other(error)))?;
        self.write_file(&path, &bytes)?;
        let (folder, prefix) = self.tail_prefix(kept);
        let present = kept.tail.as_ref().map(|tail| tail.path_in(&folder, &prefix));
        for other in self.entries(&folder)? {
            let name = other.file_name().unwrap_or_default().to_string_lossy();
            let is_stale = name.starts_with(&prefix) && other != path && Some(&other) != present.as_ref();
            if is_stale || name.ends_with(UNFINISHED) {
                let _ = fs::remove_file(&other);
            }
        }
        Ok(())
    }

    fn write_file(&self, path: &Path, bytes: &[u8]) -> Result<(), BackupError> {
        let failed = |source| self.failed(path, source);
        let folder = path.parent().unwrap_or(&self.folder);
        make_private_folder(folder).map_err(|error| failed(io::Error::other(error)))?;
        // Only one process writes at a time, so a fixed name is enough; a killed process's leftover is overwritten.
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(UNFINISHED);
        let unfinished = PathBuf::from(unfinished);
        let mut file = private(&unfinished).map_err(failed)?;
        file.set_len(0)
            .and_then(|()| file.write_all(bytes))
            .and_then(|()| file.sync_all())
            .map_err(failed)?;
        fs::rename(&unfinished, path).map_err(failed)
    }

    /// The paths in a folder, sorted; empty if there is no such folder.
    fn entries(&self, folder: &Path) -> Result<Vec<PathBuf>, BackupError> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(self.failed(folder, source)),
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        Ok(paths)
    }

    #[expect(clippy::unused_self, reason = "keeps the calls short")]
    fn failed(&self, path: &Path, source: io::Error) -> BackupError {
        BackupError::Folder { path: path.to_owned(), source }
    }
}

/// One pass over one transcript.
struct BackupPass<'a> {
    backups: &'a Backups,
    kept: BackupList,
    taken: Taken,
    now: i64,
    mask: &'a Mask,
    is_left_out: &'a dyn Fn(&[u8]) -> Option<LineFolder>,
}

impl BackupPass<'_> {
    fn run(
        &mut self,
        tail: &Tail,
        in_time: &dyn Fn() -> bool,
        unreadable: &dyn Fn(io::Error) -> BackupError,
    ) -> Result<(), BackupError> {
        if tail.ahead(&self.kept.cursor) == 0 && self.kept.cursor.offset > 0 {
            self.taken.whole = true;
            return Ok(());
        }
        // The tail is read again from the transcript, together with what is new. If nothing new came, this costs a
        // megabyte of reading at most.
        let before = self.kept.cursor;
        let mut at = self.kept.tail_from;
        let mut unlisted = 0;
        loop {
            let (text, next, left_out) = self.next_piece(tail, at, in_time).map_err(unreadable)?;
            let is_full = text.len() >= FULL;
            if is_full {
                let piece = self.backups.put(&piece::path(&self.backups.folder), &text, "")?;
                self.taken.packed += piece.packed;
                self.kept.pieces.push(piece);
                (self.kept.tail, self.kept.tail_from, self.kept.cursor) = (None, next, next);
                self.kept.left_out = left_out;
                unlisted += 1;
                at = next;
            } else if next.offset > self.kept.cursor.offset {
                let piece = self.backups.put_tail(&self.kept, &text)?;
                self.taken.packed += piece.packed;
                (self.kept.tail, self.kept.tail_from, self.kept.cursor) = (Some(piece), at, next);
                unlisted += 1;
            }
            let goes_on = is_full && in_time();
            if unlisted > 0 && (!goes_on || unlisted >= PIECES_A_LIST) {
                self.kept.at = self.now;
                self.backups.write_list(&self.kept)?;
                unlisted = 0;
            }
            if !goes_on {
                break;
            }
        }
        self.taken.bytes = self.kept.cursor.offset.saturating_sub(before.offset);
        self.taken.whole = in_time();
        Ok(())
    }

    /// The masked lines from `at` up to a full piece, and whether the session was in an excluded folder at its end.
    /// Lines from an excluded folder become empty, so that places stay valid.
    fn next_piece(
        &self,
        tail: &Tail,
        at: Cursor,
        in_time: &dyn Fn() -> bool,
    ) -> io::Result<(String, Cursor, bool)> {
        let text = std::cell::RefCell::new(String::new());
        // The folder of the session, and that of the latest line that names one: what a command printed follows it.
        let (mut lasting, mut latest) = (self.kept.left_out, self.kept.left_out);
        let next = tail.read(
            at,
            || text.borrow().len() < FULL && in_time(),
            |_, _, line| {
                let mut text = text.borrow_mut();
                if let Line::Whole(bytes) = line {
                    let is_left_out = match (self.is_left_out)(bytes) {
                        Some(folder) => {
                            lasting = if folder.lasts { folder.is_left_out } else { lasting };
                            latest = folder.is_left_out;
                            latest
                        }
                        None => lasting || latest,
                    };
                    if !is_left_out {
                        text.push_str(&self.mask.line(bytes));
                    }
                }
                text.push('\n');
            },
        )?;
        Ok((text.into_inner(), next, lasting || latest))
    }
}

fn masked_lines(text: &str, mask: &Mask) -> String {
    let mut masked = String::with_capacity(text.len());
    for line in text.split_terminator('\n') {
        masked.push_str(&mask.line(line.as_bytes()));
        masked.push('\n');
    }
    masked
}

fn is_list(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "json")
}

/// A safe file name for any id.
fn file_name(id: &str) -> String {
    let mut name = String::new();
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') {
            name.push(char::from(byte));
        } else {
            let _ = write!(name, "%{byte:02x}");
        }
    }
    name
}

/// Opens a file that only its owner can read; creates it if it is missing.
fn private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests;
