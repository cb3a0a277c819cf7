//! Reads the whole new lines of a growing transcript file.
//!
//! Sits between the file system and `agent`: it knows bytes and offsets, not what a line means. A last line
//! without its newline is left for the next call, because clients flush mid-record. A file that is shorter
//! than our offset, or whose start differs, was replaced: the caller starts over. Memory stays bounded
//! whatever is in the file.
//!
//! A transcript that was forked may have no copy of what it goes on from. Then the lines of the other file up to the fork
//! come first, here and for everybody who counts lines: a session is read whole, whichever files it is in. A forgotten
//! session does not come back this way: its fork begins with its own first line.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::cursor::LONGEST_LINE;
pub use super::cursor::{Cursor, Line};
use super::database::{self, RowTail};
use crate::clients::{CLIENTS, ForkBase};
use crate::redact::{Mask, SECRETS};
use crate::text::hash::fnv1a;

/// Number of bytes at the start of the file that identify it.
const HEAD: u64 = 512;

/// An open transcript.
pub struct Tail(TailOf);

enum TailOf {
    File(FileTail),
    Rows(RowTail),
}

/// An open file.
struct FileTail {
    source: TailSource,
    size: u64,
}

/// A file, behind the part of another one that it goes on from.
struct TailSource {
    base: Option<(Box<TailSource>, u64)>,
    file: File,
}

/// Forks of forks that are followed.
const MOST_FORKS: usize = 8;
/// Longest first line that is looked at for what a transcript was forked from.
const FIRST_LINE: usize = 1024 * 1024;

impl Tail {
    /// Opens a regular file. A FIFO or a device could block or never end, so it is rejected before opening.
    pub fn open(path: &Path, mask: &Mask) -> io::Result<Tail> {
        Tail::with_forks(path, MOST_FORKS, mask)
    }

    /// The file alone, without what it goes on from.
    pub fn open_alone(path: &Path) -> io::Result<Tail> {
        Tail::with_forks(path, 0, SECRETS)
    }

    fn with_forks(path: &Path, forks: usize, mask: &Mask) -> io::Result<Tail> {
        if let Some((database, session)) = database::parts(path) {
            return Ok(Tail(TailOf::Rows(RowTail::open(database, session)?)));
        }
        let source = TailSource::open(path, forks, mask)?;
        let size = source.base_len() + source.file.metadata()?.len();
        Ok(Tail(TailOf::File(FileTail { source, size })))
    }

    /// Whether `cursor` still points into this transcript.
    pub fn holds(&self, cursor: &Cursor) -> bool {
        match &self.0 {
            TailOf::File(file) => file.holds(cursor),
            TailOf::Rows(rows) => rows.holds(cursor),
        }
    }

    /// Bytes after `cursor`.
    pub fn ahead(&self, cursor: &Cursor) -> u64 {
        let size = match &self.0 {
            TailOf::File(file) => file.size,
            TailOf::Rows(rows) => rows.size(),
        };
        size.saturating_sub(cursor.offset)
    }

    /// Calls `each` with every whole line after `cursor`, up to the size the transcript had when it was opened, or until
    /// `in_time` returns false. Returns the cursor for the next call.
    pub fn read(
        &self,
        cursor: Cursor,
        in_time: impl FnMut() -> bool,
        each: impl FnMut(u32, u64, Line),
    ) -> io::Result<Cursor> {
        match &self.0 {
            TailOf::File(file) => file.read(cursor, in_time, each),
            TailOf::Rows(rows) => rows.read(cursor, in_time, each),
        }
    }

    /// The first line of the file that a place is in: of this one, or of one that it goes on from.
    pub fn first_line(&self, place: u64) -> Option<Vec<u8>> {
        match &self.0 {
            TailOf::File(file) => file.line_at(file.source.start_of(place)),
            TailOf::Rows(rows) => rows.first_line(),
        }
    }

    /// What `read` makes of the last line before `end` that has `mark` near its start, and that it can read. In a
    /// database every row says by itself what others say of those behind them.
    pub fn last_before<T>(&self, end: u64, mark: &str, read: impl Fn(&[u8]) -> Option<T>) -> Option<T> {
        match &self.0 {
            TailOf::File(file) => file.last_before(end, mark, read),
            TailOf::Rows(_) => None,
        }
    }

    /// `cursor` with the hash that identifies this transcript.
    pub fn marked(&self, cursor: Cursor) -> io::Result<Cursor> {
        match &self.0 {
            TailOf::File(file) => file.marked(cursor),
            TailOf::Rows(rows) => rows.marked(cursor),
        }
    }
}

impl FileTail {
    /// The byte before a cursor is a newline; if it is not, rows were replaced.
    fn holds(&self, cursor: &Cursor) -> bool {
        cursor.offset <= self.size
            && self.head_hash(cursor.head_len).is_ok_and(|hash| hash == cursor.head_hash)
            && (cursor.offset == 0 || self.byte_at(cursor.offset - 1).is_ok_and(|byte| byte == b'\n'))
    }

    fn read(
        &self,
        cursor: Cursor,
        mut in_time: impl FnMut() -> bool,
        mut each: impl FnMut(u32, u64, Line),
    ) -> io::Result<Cursor> {
        let mut next = cursor;
        let mut lines = LineReader::new(&self.source, cursor.offset, self.size);
        while in_time()
            && lines.next(|offset, line| {
                next.line += 1;
                each(next.line, offset, line);
            })?
        {
            next.offset = lines.consumed();
        }
        self.marked(next)
    }

    fn last_before<T>(&self, end: u64, mark: &str, read: impl Fn(&[u8]) -> Option<T>) -> Option<T> {
        const STEP: u64 = 256 * 1024;
        const NEAR: u64 = 512;
        let mut to = end;
        let mut room = Vec::new();
        while to > 0 {
            let from = to.saturating_sub(STEP);
            // A mark may lie across two steps.
            let most = (to + mark.len() as u64 - 1).min(end) - from;
            fill(&self.source, from, &mut room, 0, most as usize).ok()?;
            let found = memchr::memmem::rfind(&room, mark.as_bytes());
            let Some(at) = found.map(|at| from + at as u64) else {
                to = from;
                continue;
            };
            let near = at.saturating_sub(NEAR);
            fill(&self.source, near, &mut room, 0, (at - near) as usize).ok()?;
            let start = match memchr::memrchr(b'\n', &room) {
                Some(newline) => Some(near + newline as u64 + 1),
                None => (near == 0).then_some(0),
            };
            if let Some(found) = start.and_then(|start| self.line_at(start)).and_then(|line| read(&line)) {
                return Some(found);
            }
            to = at;
        }
        None
    }

    fn line_at(&self, offset: u64) -> Option<Vec<u8>> {
        let mut found = None;
        let take = |_, line: Line| {
            if let Line::Whole(line) = line {
                found = Some(line.to_vec());
            }
        };
        LineReader::new(&self.source, offset, self.size).next(take).ok()?;
        found
    }

    fn marked(&self, cursor: Cursor) -> io::Result<Cursor> {
        let head_len = HEAD.min(cursor.offset);
        Ok(Cursor { head_len, head_hash: self.head_hash(head_len)?, ..cursor })
    }

    fn byte_at(&self, offset: u64) -> io::Result<u8> {
        let mut byte = [0];
        match read_at(&self.source, &mut byte, offset)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(byte[0]),
        }
    }

    fn head_hash(&self, len: u64) -> io::Result<u64> {
        let mut head = Vec::new();
        fill(&self.source, 0, &mut head, 0, len as usize)?;
        Ok(fnv1a(&head))
    }
}

impl TailSource {
    fn open(path: &Path, forks: usize, mask: &Mask) -> io::Result<TailSource> {
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let mut source = TailSource { base: None, file: File::open(path)? };
        // Nothing is read of a file without a length: a file of the kernel has none, and reading it may wait forever.
        if forks > 0 && source.file.metadata()?.len() > 0 {
            let base = source.forked_from(path).filter(|fork| !mask.forgets(&fork.session));
            source.base = base.and_then(|fork| fork.opened(forks - 1, mask));
        }
        Ok(source)
    }

    fn base_len(&self) -> u64 {
        self.base.as_ref().map_or(0, |(_, len)| *len)
    }

    /// Where the file begins that a place is in.
    fn start_of(&self, place: u64) -> u64 {
        match &self.base {
            Some((base, len)) if place < *len => base.start_of(place),
            _ => self.base_len(),
        }
    }

    /// What the first line says this goes on from. All lines but those of forks are left unread.
    fn forked_from(&self, path: &Path) -> Option<ForkBase> {
        let mut head = Vec::new();
        fill(self, 0, &mut head, 0, HEAD as usize).ok()?;
        let mut forks = CLIENTS.iter().filter_map(|client| client.transcripts.forks.as_ref());
        let fork = forks.find(|forks| memchr::memmem::find(&head, forks.mark.as_bytes()).is_some())?;
        fill(self, 0, &mut head, 0, FIRST_LINE).ok()?;
        let line = &head[..memchr::memchr(b'\n', &head)?];
        (fork.base)(path, line)
    }
}

impl ForkBase {
    /// The file, if it is there and as long as it was, and the bytes up to the fork.
    fn opened(&self, forks: usize, mask: &Mask) -> Option<(Box<TailSource>, u64)> {
        let source = TailSource::open(&self.path()?, forks, mask).ok()?;
        let is_whole = source.file.metadata().ok()?.len() >= self.end;
        let len = source.base_len() + self.end;
        is_whole.then(|| (Box::new(source), len))
    }

    /// Its transcript, if it is there.
    fn path(&self) -> Option<PathBuf> {
        let files = self.folders.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten());
        files.flatten().map(|entry| entry.path()).find(|path| (self.is_it)(path, &self.session))
    }
}

/// The sessions that a transcript goes on from, nearest first.
pub fn bases(path: &Path) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut next = Some(path.to_owned());
    while let Some(path) = next.filter(|_| found.len() < MOST_FORKS) {
        let base = TailSource::open(&path, 0, SECRETS).ok().and_then(|source| source.forked_from(&path));
        next = base.as_ref().and_then(ForkBase::path);
        found.extend(base.map(|base| base.session));
    }
    found
}

/// Reads what stands at a place of one file or the other; no further than the end of that.
fn read_some(source: &TailSource, room: &mut [u8], at: u64) -> io::Result<usize> {
    match &source.base {
        Some((base, len)) if at < *len => {
            let room_left = room.len().min(usize::try_from(len - at).unwrap_or(usize::MAX));
            read_some(base, &mut room[..room_left], at)
        }
        base => read_file(&source.file, room, at - base.as_ref().map_or(0, |(_, len)| *len)),
    }
}

/// Reads what stands at a place, wherever somebody else reads the same file; as much as comes at once.
#[cfg(unix)]
fn read_file(file: &File, room: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, room, at)
}

#[cfg(windows)]
fn read_file(file: &File, room: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, room, at)
}

/// The same, whatever signal comes in between.
fn read_at(source: &TailSource, room: &mut [u8], at: u64) -> io::Result<usize> {
    loop {
        match read_some(source, room, at) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// Reads what stands at `from`, on behind the first `had` bytes of it until there are `most`, or the file ends; gives how
/// many came. What else stands in the room is written over, never cleared: that would cost as much as half of the reading.
fn fill(source: &TailSource, from: u64, room: &mut Vec<u8>, had: usize, most: usize) -> io::Result<usize> {
    room.resize(most.max(had), 0);
    let mut filled = had;
    while filled < room.len() {
        match read_at(source, &mut room[filled..], from + filled as u64)? {
            0 => break,
            read => filled += read,
        }
    }
    room.truncate(filled);
    Ok(filled - had)
}

/// The lines of a byte range of a file, read through one reused buffer: reading whole files costs five times as much in
/// page faults.
struct LineReader<'a> {
    source: &'a TailSource,
    buffer: Vec<u8>,
    /// Unread part of the buffer.
    start: usize,
    end: usize,
    /// Bytes of the file not yet in the buffer.
    left: u64,
    /// Offset in the file of `buffer[start]`.
    offset: u64,
}

impl<'a> LineReader<'a> {
    const PIECE: usize = 128 * 1024;

    fn new(source: &'a TailSource, from: u64, to: u64) -> Self {
        let left = to.saturating_sub(from);
        LineReader {
            source,
            // A tick reads a row or two.
            buffer: vec![0; left.clamp(1, Self::PIECE as u64) as usize],
            start: 0,
            end: 0,
            left,
            offset: from,
        }
    }

    fn consumed(&self) -> u64 {
        self.offset
    }

    /// Passes the next whole line on; false if there is none.
    fn next(&mut self, mut each: impl FnMut(u64, Line)) -> io::Result<bool> {
        let mut searched = 0;
        loop {
            let unread = &self.buffer[self.start..self.end];
            if let Some(at) = memchr::memchr(b'\n', &unread[searched..]) {
                let length = searched + at;
                let line = if length > LONGEST_LINE { Line::TooLong } else { Line::Whole(&unread[..length]) };
                each(self.offset, line);
                self.start += length + 1;
                self.offset += length as u64 + 1;
                return Ok(true);
            }
            searched = unread.len();
            if searched > LONGEST_LINE {
                return self.skip_line(each);
            }
            if !self.fill()? {
                return Ok(false);
            }
        }
    }

    /// Skips a line that is too long to keep, up to its newline.
    fn skip_line(&mut self, mut each: impl FnMut(u64, Line)) -> io::Result<bool> {
        let at = self.offset;
        loop {
            self.offset += (self.end - self.start) as u64;
            (self.start, self.end) = (0, 0);
            if !self.fill()? {
                // The line is not complete yet; the next call starts at it again.
                self.offset = at;
                return Ok(false);
            }
            if let Some(newline) = memchr::memchr(b'\n', &self.buffer[..self.end]) {
                self.start = newline + 1;
                self.offset += newline as u64 + 1;
                each(at, Line::TooLong);
                self.buffer.truncate(Self::PIECE.max(self.end));
                return Ok(true);
            }
        }
    }

    /// Reads more bytes after the unread ones; false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let room = (self.buffer.len() - self.end).min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let at = self.offset + self.end as u64;
        let read = read_at(self.source, &mut self.buffer[self.end..self.end + room], at)?;
        self.end += read;
        self.left -= read as u64;
        Ok(read > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn read_all(path: &Path, from: Cursor) -> (Vec<String>, Cursor) {
        let mut lines = Vec::new();
        let next = Tail::open(path, SECRETS)
            .unwrap()
            .read(
                from,
                || true,
                |n, offset, line| {
                    lines.push(match line {
                        Line::Whole(bytes) => format!("{n}@{offset} {}", String::from_utf8_lossy(bytes)),
                        Line::TooLong => format!("{n}@{offset} too long"),
                    });
                },
            )
            .unwrap();
        (lines, next)
    }

    fn file_with(content: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content).unwrap();
        file
    }

    #[test]
    fn half_last_line_waits_for_the_next_call() {
        let mut file = file_with(b"one\ntwo\nthr");
        let (lines, cursor) = read_all(file.path(), Cursor::default());
        assert_eq!(lines, ["1@0 one", "2@4 two"]);
        file.write_all(b"ee\n").unwrap();
        assert_eq!(read_all(file.path(), cursor).0, ["3@8 three"]);
    }

    #[test]
    fn lines_longer_than_the_buffer_are_read_whole() {
        let long = "x".repeat(3 * LineReader::PIECE + 7);
        let file = file_with(format!("a\n{long}\nb\n").as_bytes());
        let (lines, cursor) = read_all(file.path(), Cursor::default());
        assert_eq!(lines.len(), 3);
        assert!(lines[1].ends_with(&long));
        assert_eq!(cursor.offset, file.path().metadata().unwrap().len());
    }

    #[test]
    fn too_long_line_is_skipped_but_counted() {
        let mut content = b"a\n".to_vec();
        content.resize(LONGEST_LINE + LineReader::PIECE, b'x');
        content.extend_from_slice(b"\nb\n");
        let (lines, _) = read_all(file_with(&content).path(), Cursor::default());
        assert_eq!(lines[0], "1@0 a");
        assert_eq!(lines[1], "2@2 too long");
        assert!(lines[2].starts_with("3@") && lines[2].ends_with(" b"));
    }

    #[test]
    fn replaced_or_truncated_file_invalidates_the_cursor() {
        let file = file_with(b"one\ntwo\n");
        let (_, cursor) = read_all(file.path(), Cursor::default());
        assert!(Tail::open(file.path(), SECRETS).unwrap().holds(&cursor));
        assert!(!Tail::open(file_with(b"one\n").path(), SECRETS).unwrap().holds(&cursor), "truncated");
        assert!(
            !Tail::open(file_with(b"ONE\ntwo\nmore\n").path(), SECRETS).unwrap().holds(&cursor),
            "replaced"
        );
        let mut long = vec![b'x'; HEAD as usize];
        long.extend_from_slice(b"\none\ntwo\n");
        let (_, cursor) = read_all(file_with(&long).path(), Cursor::default());
        long.truncate(HEAD as usize + 5);
        long.extend_from_slice(b"another row\n");
        assert!(
            !Tail::open(file_with(&long).path(), SECRETS).unwrap().holds(&cursor),
            "its last row replaced"
        );
    }

    #[test]
    fn growing_file_keeps_its_cursor_valid() {
        let mut file = file_with(b"a\n");
        let (_, cursor) = read_all(file.path(), Cursor::default());
        file.write_all(&[b'b'; 2000]).unwrap();
        assert!(Tail::open(file.path(), SECRETS).unwrap().holds(&cursor));
    }

    #[test]
    fn reading_stops_at_the_deadline_and_resumes_there() {
        let file = file_with(b"1\n2\n3\n4\n");
        let mut budget = 2;
        let cursor = Tail::open(file.path(), SECRETS)
            .unwrap()
            .read(
                Cursor::default(),
                || {
                    budget -= 1;
                    budget >= 0
                },
                |_, _, _| {},
            )
            .unwrap();
        assert_eq!((cursor.line, cursor.offset), (2, 4));
        assert_eq!(read_all(file.path(), cursor).0, ["3@4 3", "4@6 4"]);
    }

    #[test]
    fn opening_a_folder_fails() {
        assert!(Tail::open(tempfile::tempdir().unwrap().path(), SECRETS).is_err());
    }
}
