//! Turns a transcript's lines into entries: parsed, masked, then cut. Everything that reads a transcript goes through
//! here.

use std::io;
use std::path::{Path, PathBuf};

use crate::archive::backup::LineFolder;
use crate::clients::{self, CLIENTS, Client, Understood};
use crate::model::entry::{Entry, Lasting, Part, Place, Thread};
use crate::model::problem::Problem;
use crate::redact::{Mask, UnmaskedEntry};
use crate::text::cut::cut_middle;
use crate::transcript::LineSource;
use crate::transcript::tail::{Cursor, Line, Tail};

/// Longest text kept of a tool result, an edit or an agent's message, so that a session stays small.
const LONGEST_TEXT: usize = 16 * 1024;
/// Longest prompt. People paste logs.
const LONGEST_PROMPT: usize = 64 * 1024;

/// How to read a transcript: which client wrote it, and what to mask.
#[derive(Clone, Copy)]
pub struct RowReader<'a> {
    pub client: &'a Client,
    pub mask: &'a Mask,
}

/// Whether a line was written in an excluded folder; `None` if it does not say.
pub fn is_line_left_out(mask: &Mask, line: &[u8]) -> Option<LineFolder> {
    if mask.left_out().is_empty() {
        return None;
    }
    let client = clients::of_line(CLIENTS, line)?;
    let entry = parsed(client, line)?;
    let is_left_out = is_left_out_folder(mask, entry.real_folder()?);
    // Where no row says so of itself, every row does.
    let lasts = entry.lasting().is_some() || client.transcripts.lasting_mark.is_none();
    Some(LineFolder { is_left_out, lasts })
}

/// Whether a folder is left out by its name, or by where the links in it lead.
fn is_left_out_folder(mask: &Mask, folder: &Path) -> bool {
    let left_out = mask.left_out();
    // What no longer exists is judged by the nearest folder above it that does.
    let real = |above: &Path| Some(above.canonicalize().ok()?.join(folder.strip_prefix(above).ok()?));
    !left_out.is_empty()
        && (left_out.covers(folder)
            || folder.ancestors().find_map(real).is_some_and(|folder| left_out.covers(&folder)))
}

/// The client is determined by the first lines.
const CLIENT_WITHIN: u32 = 50;

/// The client that wrote these lines. If none of the first lines says, the first of all clients, which will report that
/// it finds no conversation there.
pub fn client_of(lines: &mut LineSource) -> &'static Client {
    let mut found = None;
    let read = lines(&mut |line, bytes| {
        found = found.or_else(|| clients::of_line(CLIENTS, bytes));
        found.is_none() && line < CLIENT_WITHIN
    });
    // An unreadable transcript is reported by whoever reads it next.
    read.ok().and(found).unwrap_or(CLIENTS[0])
}

/// Calls `each` with the entry of every row after `from` until `in_time` returns false. Rows without content are
/// skipped. Returns the cursor for the next call.
pub fn read(
    reader: RowReader,
    tail: &Tail,
    from: Cursor,
    in_time: &dyn Fn() -> bool,
    mut each: impl FnMut(Place, Result<Entry, Problem>),
) -> io::Result<Cursor> {
    let mut rows = Rows::after(reader, tail, from);
    tail.read(from, in_time, |line, offset, content| {
        if let Some(entry) = rows.understood(line, offset, &content).transpose() {
            each(Place(line), entry);
        }
    })
}

/// The rows of a transcript, read in order. Some say something about those behind them: where they were written, whose
/// conversation they are, whether the person is asked.
pub struct Rows<'a> {
    reader: RowReader<'a>,
    /// Where the first row is, until something of the rows before it is needed.
    before: Option<(&'a Tail, u64)>,
    folder: Option<PathBuf>,
    said: Lasting,
}

impl<'a> Rows<'a> {
    /// From the start of a transcript.
    pub fn new(reader: RowReader<'a>) -> Rows<'a> {
        Rows { reader, before: None, folder: None, said: Lasting::default() }
    }

    /// Those after `from`.
    pub fn after(reader: RowReader<'a>, tail: &'a Tail, from: Cursor) -> Rows<'a> {
        let mut rows = Rows::new(reader);
        if from.offset > 0 && reader.client.transcripts.lasting_mark.is_some() {
            rows.before = Some((tail, from.offset));
            // A transcript is one conversation's, which its first row names.
            let first = tail.first_line(from.offset).and_then(|line| parsed(reader.client, &line));
            rows.said.thread = first.and_then(|first| first.lasting()?.thread.clone());
        }
        rows
    }

    /// Parses the next line into an entry; long texts are cut.
    pub fn understood(&mut self, line: u32, offset: u64, content: &Line) -> Result<Option<Entry>, Problem> {
        let place = Place(line);
        let entry = unmasked(self.reader.client, line, content);
        let entry = entry.map_err(|what| Problem { place, offset, what })?;
        let Some(entry) = entry.map(|entry| self.settled(entry)) else { return Ok(None) };
        let is_kept = !self.is_left_out(&entry);
        Ok(is_kept.then(|| shortened(entry, self.reader.mask)))
    }

    /// Parses the next line with everything that it contains, for people to read.
    pub fn whole(&mut self, line: u32, bytes: &[u8]) -> Option<Entry> {
        let entry = self.reader.client.entry_to_show(Place(line), bytes).ok().flatten()?;
        Some(self.settled(entry).masked(self.reader.mask))
    }

    /// The row, with what those before it say about it.
    fn settled(&mut self, mut entry: UnmaskedEntry) -> UnmaskedEntry {
        if let Some(lasting) = entry.lasting() {
            self.said = laid_over(lasting, &self.said);
            self.folder = entry.real_folder().map(Path::to_owned).or_else(|| self.folder.take());
        }
        if self.said.thread == Some(Thread::Sub) {
            entry.by_subagent();
        }
        if entry.has_refusal() && !self.asks_person() {
            entry.refused_by_client();
        }
        entry
    }

    /// Where no row says it, the client's word that the person refused something is enough.
    fn asks_person(&mut self) -> bool {
        self.look_back();
        self.said.asks_person.unwrap_or(true)
    }

    /// Queued prompts do not say where they were typed. They come again when the agent gets them. Until then they are
    /// skipped if any folder is excluded.
    fn is_left_out(&mut self, entry: &UnmaskedEntry) -> bool {
        let mask = self.reader.mask;
        if mask.left_out().is_empty() {
            return false;
        }
        if entry.real_folder().is_none() {
            self.look_back();
        }
        match entry.real_folder().or(self.folder.as_deref()) {
            Some(folder) => is_left_out_folder(mask, folder),
            None => entry.is_queued(),
        }
    }

    /// What the rows before the first one said last.
    fn look_back(&mut self) {
        let Some((tail, end)) = self.before.take() else { return };
        let client = self.reader.client;
        let read = |line: &[u8]| parsed(client, line).filter(|entry| entry.lasting().is_some());
        let Some(mark) = client.transcripts.lasting_mark else { return };
        let Some(last) = tail.last_before(end, mark, read) else { return };
        if let Some(lasting) = last.lasting() {
            self.said = laid_over(&self.said, lasting);
        }
        self.folder = self.folder.take().or_else(|| last.real_folder().map(Path::to_owned));
    }
}

/// What two rows say together; the later one wins.
fn laid_over(later: &Lasting, earlier: &Lasting) -> Lasting {
    Lasting {
        thread: later.thread.clone().or_else(|| earlier.thread.clone()),
        asks_person: later.asks_person.or(earlier.asks_person),
    }
}

fn parsed(client: &Client, line: &[u8]) -> Option<UnmaskedEntry> {
    (client.entry)(Place(0), line).ok().flatten()
}

/// Parses a line.
pub fn unmasked(client: &Client, line: u32, content: &Line) -> Understood {
    match content {
        Line::Whole(bytes) => (client.entry)(Place(line), bytes),
        Line::TooLong => Err("a line too long to be a row".to_owned()),
    }
}

/// Masks before cutting: no rule recognises half a secret.
fn shortened(entry: UnmaskedEntry, mask: &Mask) -> Entry {
    let mut entry = entry.masked_to_keep(mask, longest);
    for part in &mut entry.parts {
        let longest = longest(part);
        part.map_strings(&mut |text| cut_middle(text, longest));
    }
    entry
}

/// Bytes kept of a text. Summaries and injected texts are compared word by word and stay whole.
fn longest(part: &Part) -> usize {
    match part {
        Part::Summary(_) | Part::Injected { .. } => usize::MAX,
        // What was kept is compared with the prompts.
        Part::Prompt { .. } | Part::Delivered { .. } | Part::Queued(_) | Part::Kept(_) => LONGEST_PROMPT,
        _ => LONGEST_TEXT,
    }
}

#[cfg(test)]
mod tests;
