//! From a transcript's lines to entries: understood, masked, then cut. The one way from a file to everything else.

use std::io;
use std::path::Path;

use crate::clients::{self, CLIENTS, Client, Understood};
use crate::model::entry::{Entry, Part, Place};
use crate::model::problem::Problem;
use crate::redact::{Mask, UnmaskedEntry};
use crate::text::cut::cut_middle;
use crate::transcript::LineSource;
use crate::transcript::tail::{Cursor, Line, Tail};

/// Longest text kept of a tool's answer, an edit or an agent's message: a fold must not carry megabytes.
const LONGEST_TEXT: usize = 16 * 1024;
/// Longest prompt. People paste logs.
const LONGEST_PROMPT: usize = 64 * 1024;

/// How a transcript is read: whose rows they are, and what is masked in them.
#[derive(Clone, Copy)]
pub struct RowReader<'a> {
    /// The client that writes it.
    pub client: &'a Client,
    /// What is taken out of every text.
    pub mask: &'a Mask,
}

/// Whether a line was written in a folder that is left out; `None` where it does not say where.
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

/// Lines within which a transcript says which client wrote it.
const CLIENT_WITHIN: u32 = 50;

/// The client that wrote these lines. Where none of the first ones tells, it is the first of all clients: it will say
/// that it finds no conversation there.
pub fn client_of(lines: &mut LineSource) -> &'static Client {
    let mut found = None;
    let read = lines(&mut |line, bytes| {
        found = found.or_else(|| clients::of_line(CLIENTS, bytes));
        found.is_none() && line < CLIENT_WITHIN
    });
    // A transcript that cannot be read says so when it is read.
    read.ok().and(found).unwrap_or(CLIENTS[0])
}

/// Hands on the rows after `from` with their lines, until `in_time` says no. The client's bookkeeping is left out. Returns
/// where the next call goes on.
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

/// A line as an entry, long texts cut.
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

/// Queued words do not say where they were typed. They come again when the agent gets them; until then, who leaves
/// folders out does without.
fn is_left_out(entry: &UnmaskedEntry, mask: &Mask) -> bool {
    match entry.real_folder() {
        Some(folder) => is_left_out_folder(mask, folder),
        None => !mask.left_out().is_empty() && entry.is_queued(),
    }
}

/// A line as its client understands it.
pub fn unmasked(client: &Client, line: u32, content: &Line) -> Understood {
    match content {
        Line::Whole(bytes) => (client.entry)(Place(line), bytes),
        Line::TooLong => Err("a line too long to be a row".to_owned()),
    }
}

/// Masked first: half a secret on a cut is recognised by nobody.
fn shortened(entry: UnmaskedEntry, mask: &Mask) -> Entry {
    let mut entry = entry.masked_to_keep(mask, longest);
    for part in &mut entry.parts {
        let longest = longest(part);
        part.map_strings(&mut |text| cut_middle(text, longest));
    }
    entry
}

/// Bytes that are kept of a text. Summaries and what hooks said are compared word by word and stay whole.
fn longest(part: &Part) -> usize {
    match part {
        Part::Summary(_) | Part::Injected { .. } => usize::MAX,
        Part::Prompt { .. } | Part::Delivered { .. } | Part::Queued(_) => LONGEST_PROMPT,
        _ => LONGEST_TEXT,
    }
}

#[cfg(test)]
mod tests;
