//! Whole transcripts, packed, for the day the client deletes its own.
//!
//! **What is kept.** Every line of a transcript, masked (`Mask::line`): a backup holds no more secrets than the
//! history does, and has as many lines as the transcript, so that places stay valid. A line too long to be read is an
//! empty one.
//! **How.** Lines are cut into pieces of about a megabyte. A full piece never changes; it lies in `pieces/` under the
//! hash of its content, so that what two transcripts share is stored once. What comes after the last full piece is the
//! tail; it lies beside its list and is written anew as it grows. The list (`sessions/<session>/<thread>.json`) names
//! the pieces and the tail, and how far the transcript was read.
//! **Safety.** Files are written beside their place, synced and renamed; the list comes last. A process that is killed
//! leaves the old list or the new one, and at most a file nobody names, which the next pass clears away. One process
//! writes at a time: the lock goes with the process that held it.

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

/// Bytes of masked text after which a piece is full. Smaller ones pack worse (97 MB of transcripts take 13.0 MB, in
/// pieces of 64 KiB 19.1), larger ones a bit better (11.5 MB at four times the size), but they make the tail, which is
/// written again each time, larger.
const FULL: usize = 1024 * 1024;
/// Pieces after which the list is written: what a killed process has to do again.
const PIECES_A_LIST: usize = 8;
/// How the names of files end that are being written.
const UNFINISHED: &str = ".new";

/// Why a backup failed.
#[derive(Debug, Error)]
pub enum BackupError {
    /// The transcript cannot be read.
    #[error("cannot read {path}: {source}")]
    Transcript {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The folder of backups cannot be read or written.
    #[error("backups: {path}: {source}")]
    Folder {
        /// Where.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another process is writing backups.
    #[error("another process is writing backups")]
    Busy,
}

/// The folder of backups.
#[derive(Clone, Debug)]
pub struct Backups {
    folder: PathBuf,
}

/// A transcript to be kept.
pub struct Original<'a> {
    /// Whose it is.
    pub thread: &'a TranscriptOwner,
    /// Where it lies.
    pub path: &'a Path,
    /// The folder the session works in.
    pub project: Option<&'a Path>,
    /// What is masked in it.
    pub mask: &'a Mask,
    /// Whether a line was written in a folder that is left out; `None` where it does not say.
    pub is_left_out: &'a dyn Fn(&[u8]) -> Option<bool>,
}

/// A backed-up transcript: its list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupList {
    /// The session.
    pub session: String,
    /// The subagent's id; empty for the conversation with the person.
    pub subagent: String,
    /// Where the transcript lies, or lay.
    pub path: PathBuf,
    /// The folder the session worked in.
    pub project: Option<PathBuf>,
    /// When it was last found to have something new, in milliseconds since 1970.
    pub at: i64,
    /// How far the transcript is kept.
    cursor: Cursor,
    /// Where the tail begins in the transcript.
    tail_from: Cursor,
    pieces: Vec<Piece>,
    tail: Option<Piece>,
    /// Whether the session was in a left-out folder where the tail begins.
    #[serde(default)]
    left_out: bool,
}

impl BackupList {
    /// Whose it is.
    pub fn thread(&self) -> TranscriptOwner {
        TranscriptOwner { session: self.session.clone(), subagent: self.subagent.clone() }
    }

    /// Lines that are kept.
    pub fn lines(&self) -> u32 {
        self.cursor.line
    }

    /// Bytes of the transcript that are kept.
    pub fn bytes(&self) -> u64 {
        self.cursor.offset
    }

    /// Bytes it takes on disk; pieces that others share are counted, too.
    pub fn packed(&self) -> u64 {
        self.all_pieces().map(|piece| piece.packed).sum()
    }

    fn all_pieces(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().chain(&self.tail)
    }
}

/// What a pass brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Bytes of the transcript that are new in the backup.
    pub bytes: u64,
    /// Bytes written for them.
    pub packed: u64,
    /// Everything that was there is in.
    pub whole: bool,
    /// The transcript is another one now and shorter than the backup, which stays as it is.
    pub shorter: bool,
}

/// The right to write.
#[must_use = "dropped, it is given back"]
pub struct Lock(#[expect(dead_code, reason = "held open")] File);

impl Backups {
    /// The backups in a data directory, whether there are any or not.
    pub fn at(data: &Path) -> Backups {
        Backups { folder: data.join("backups") }
    }

    /// Waits for the right to write, or with `wait` off is told [`BackupError::Busy`].
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

    /// Keeps what is new in a transcript, until `in_time` says no; what is left comes with the next pass.
    pub fn take(
        &self,
        _: &Lock,
        original: &Original,
        now: i64,
        in_time: &dyn Fn() -> bool,
    ) -> Result<Taken, BackupError> {
        let &Original { thread, path, project, mask, is_left_out } = original;
        let unreadable = |source| BackupError::Transcript { path: path.to_owned(), source };
        let tail = Tail::open(path).map_err(unreadable)?;
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

    /// What is kept of a transcript.
    pub fn find(&self, thread: &TranscriptOwner) -> Result<Option<BackupList>, BackupError> {
        let path = self.list_path(thread);
        match fs::read(&path) {
            // A list that is no list would have been left by no version of ours; its transcript is taken anew.
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(self.failed(&path, source)),
        }
    }

    /// Every transcript that is kept, main conversations before their subagents'.
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

    /// Hands on the lines that are kept, in order, as long as more are wanted.
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

    /// Writes a transcript out again. Lines of pieces that are damaged or gone are empty, so that places stay; gives the
    /// first and the last of each such stretch.
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

    /// Whether every piece is there with its size. What is damaged otherwise shows when it is read.
    fn has_all(&self, kept: &BackupList) -> bool {
        let size = |piece: &Piece| fs::metadata(self.place(kept, piece)).map(|meta| meta.len());
        kept.all_pieces().all(|piece| size(piece).is_ok_and(|size| size == piece.packed))
    }

    /// Removes what is kept of these sessions, whatever of it there is; pieces that others share stay.
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

    /// Masks everything that is kept once more, by the rules of now; the number of transcripts that changed.
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

    /// Every text that lies in the folder, unpacked, with the file it is in: to prove what is not there.
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
            // Fails where something is left in it, as it should.
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

    /// Tails of one transcript lie beside its list, under its name.
    fn tail_prefix(&self, kept: &BackupList) -> (PathBuf, String) {
        let list = self.list_path(&kept.thread());
        let stem = list.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (self.session_folder(&kept.session), format!("{stem}."))
    }

    /// Where a piece lies.
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

    /// A text as a piece of its own; one that is there already, undamaged, is not written again.
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

    /// The list last: it names only what is there. Then what it no longer names goes.
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
        // One process writes at a time, so one name is enough; what a killed one left is written over.
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

    /// What lies in a folder, in order; nothing where there is none.
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

    #[expect(clippy::unused_self, reason = "reads as what it is about")]
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
    is_left_out: &'a dyn Fn(&[u8]) -> Option<bool>,
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
        // The tail is read again from the transcript, with what has come since; and so it is when nothing has, which
        // costs a megabyte at most.
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

    /// The masked lines from `at` on, up to a full piece, and whether the session was in a left-out folder at its end.
    /// A line from there is kept as an empty one, so that places stay.
    fn next_piece(
        &self,
        tail: &Tail,
        at: Cursor,
        in_time: &dyn Fn() -> bool,
    ) -> io::Result<(String, Cursor, bool)> {
        let text = std::cell::RefCell::new(String::new());
        let mut left_out = self.kept.left_out;
        let next = tail.read(
            at,
            || text.borrow().len() < FULL && in_time(),
            |_, _, line| {
                let mut text = text.borrow_mut();
                if let Line::Whole(bytes) = line {
                    left_out = (self.is_left_out)(bytes).unwrap_or(left_out);
                    if !left_out {
                        text.push_str(&self.mask.line(bytes));
                    }
                }
                text.push('\n');
            },
        )?;
        Ok((text.into_inner(), next, left_out))
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

/// An id as a file's name, whatever is in it.
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

/// A file that only its owner can read, made where it is missing.
fn private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests;
