//! Turns a transcript's lines into entries: parsed, masked, then cut. Everything that reads a transcript goes through
//! here.

use std::io;
use std::path::Path;

use crate::clients::{self, CLIENTS, Client, Understood};
use crate::model::entry::{Entry, Part, Place};
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
pub fn is_line_left_out(mask: &Mask, line: &[u8]) -> Option<bool> {
    if mask.left_out().is_empty() {
        return None;
    }
    let client = clients::of_line(CLIENTS, line)?;
    let entry = (client.entry)(Place(0), line).ok().flatten()?;
    entry.real_folder().map(|folder| is_left_out_folder(mask, folder))
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
    tail.read(from, in_time, |line, offset, content| {
        if let Some(entry) = understood(reader, line, offset, &content).transpose() {
            each(Place(line), entry);
        }
    })
}

/// Parses a line into an entry; long texts are cut.
pub fn understood(
    reader: RowReader,
    line: u32,
    offset: u64,
    content: &Line,
) -> Result<Option<Entry>, Problem> {
    let place = Place(line);
    let entry = unmasked(reader.client, line, content);
    let entry = entry.map_err(|what| Problem { place, offset, what })?;
    let is_kept = |entry: &UnmaskedEntry| !is_left_out(entry, reader.mask);
    Ok(entry.filter(is_kept).map(|entry| shortened(entry, reader.mask)))
}

/// Queued prompts do not say where they were typed. They come again when the agent gets them. Until then they are
/// skipped if any folder is excluded.
fn is_left_out(entry: &UnmaskedEntry, mask: &Mask) -> bool {
    match entry.real_folder() {
        Some(folder) => is_left_out_folder(mask, folder),
        None => !mask.left_out().is_empty() && entry.is_queued(),
    }
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
