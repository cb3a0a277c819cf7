//! Takes secrets out of text before it is stored or shown.
//!
//! Sits between a transcript row understood and everything that keeps or prints it. [`Mask::text`] replaces each
//! secret by `[masked: <kind>]` and leaves what surrounds it, so that a reader still sees which variable, header
//! or address held one. Masking masked text changes nothing.
//!
//! Two passes over the bytes, nothing built at start-up (every table is a constant):
//!
//! - `rules` finds what is recognisable by itself (`ghp_…`, a PEM block), through a filter over three-byte windows;
//!   the table of providers' formats is `rules/formats.rs`
//! - `named` looks at each `=`, `:` and `,` for a name that says the value is secret; the table is `named/names.rs`
//!
//! `line` masks a row of JSON, `unmasked` an entry, `painted` looks through the colours of a terminal, and `forgotten` has
//! the texts that a person wants gone.
//!
//! There is no guessing by entropy: git hashes, uuids, checksums and ids stay, because a brief without them is
//! useless. What is covered and what is not: `docs/masking.md`.

mod bytes;
pub mod case_folding;
pub mod folders;
pub mod forgotten;
mod line;
mod named;
mod painted;
mod rules;
#[cfg(test)]
mod tests;
mod unmasked;

use std::borrow::Cow;

use crate::text::cut::{head_of, tail_of};
use folders::Folders;
use forgotten::Forgotten;
pub use named::{NamedPair, names_a_secret, pairs_up};
pub use unmasked::UnmaskedEntry;

/// What every replacement starts with; text that holds it was masked before.
const MARK: &str = "[masked: ";

/// One masking can uncover another (the byte before a token was part of a secret), but never a long chain.
const MAX_PASSES: usize = 4;

/// Bytes beside what is kept of a long text that are masked with it: secrets are known by what is around them.
const MARGIN: usize = 64 * 1024;
/// Longest secret of which half may be left where a text was torn off.
const MAX_TORN: usize = 16 * 1024;

/// What is taken out of everything that is read: secrets of every kind we know, texts that a person wants forgotten, and
/// rows that were written in folders the person leaves out.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    forgotten: Vec<Forgotten>,
    left_out: Folders,
}

/// The mask of somebody who has forgotten nothing.
pub const SECRETS: &Mask = &Mask { forgotten: Vec::new(), left_out: Folders::NONE };

#[cfg(test)]
thread_local! {
    /// Bytes that this thread has looked through.
    pub static SCANNED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl Mask {
    /// Masks these texts, too.
    pub fn new(forgotten: Vec<Forgotten>) -> Mask {
        Mask { forgotten, left_out: Folders::NONE }
    }

    /// Takes out what was written in these folders, too.
    #[must_use]
    pub fn leaving_out(self, left_out: Folders) -> Mask {
        Mask { left_out, ..self }
    }

    /// The folders whose rows are taken out.
    pub fn left_out(&self) -> &Folders {
        &self.left_out
    }

    /// Replaces each secret in `text` by `[masked: <kind>]`; borrowed when there is none.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let Some(mut masked) = self.once(text) else { return Cow::Borrowed(text) };
        for _ in 1..MAX_PASSES {
            let Some(again) = self.once(&masked) else { break };
            masked = again;
        }
        Cow::Owned(masked)
    }

    /// Both ends of a text that is far longer than the `most` bytes that will be kept of it, masked; `None` where it is not.
    /// They are masked with more than is kept around them, and where they were torn off half a secret may be left: that
    /// stretch goes, too.
    pub fn ends(&self, text: &str, most: usize) -> Option<String> {
        if text.len() <= most.saturating_add(4 * MARGIN) {
            return None;
        }
        let head = self.text(head_of(text, most + MARGIN));
        let tail = self.text(tail_of(text, most + MARGIN));
        let head = head_of(&head, head.len().saturating_sub(MAX_TORN));
        let tail = tail_of(&tail, tail.len().saturating_sub(MAX_TORN));
        Some(format!("{head}\n…\n{tail}"))
    }

    /// A line of JSON with its secrets masked, still a line of JSON; anything else is masked as text.
    pub fn line<'a>(&self, line: &'a [u8]) -> Cow<'a, str> {
        line::masked(self, line)
    }

    /// Whether these bytes contain a forgotten text.
    pub fn has_forgotten(&self, bytes: &[u8]) -> bool {
        forgotten::is_any_in(&self.forgotten, bytes)
    }

    fn once(&self, text: &str) -> Option<String> {
        #[cfg(test)]
        SCANNED.set(SCANNED.get() + text.len());
        let mut found = Vec::new();
        self.scan(text, &mut found);
        painted::find(self, text, &mut found);
        (!found.is_empty()).then(|| replaced(text, merged(found)))
    }

    fn scan(&self, text: &str, found: &mut Vec<SecretSpan>) {
        rules::scan(text.as_bytes(), found);
        named::scan(text.as_bytes(), found);
        forgotten::scan(&self.forgotten, text, found);
    }
}

/// Whether something was masked in this text.
pub fn is_masked(text: &str) -> bool {
    text.contains(MARK)
}

/// A stretch of bytes to replace.
#[derive(Debug, Clone, Copy)]
struct SecretSpan {
    start: usize,
    end: usize,
    kind: &'static str,
    evidence: Evidence,
}

/// How we know; where spans overlap the better evidence names the kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Evidence {
    /// The secret's own format.
    Format,
    /// Where it stands: a header, an address, a flag.
    Place,
    /// Only the name it is assigned to.
    Name,
}

fn replaced(text: &str, spans: Vec<SecretSpan>) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut kept_to = 0;
    for span in spans {
        // SecretSpans begin and end next to ASCII; should one ever not, hide the whole character.
        let is_edge = |at: &usize| text.is_char_boundary(*at);
        let start = (kept_to..=span.start).rev().find(is_edge).unwrap_or(kept_to);
        let end = (span.end..text.len()).find(is_edge).unwrap_or(text.len());
        masked.push_str(&text[kept_to..start]);
        masked.push_str(MARK);
        masked.push_str(span.kind);
        masked.push(']');
        kept_to = end;
    }
    masked.push_str(&text[kept_to..]);
    masked
}

/// Spans in order, overlapping ones joined: hiding too much beats leaving the tail of a secret.
fn merged(mut found: Vec<SecretSpan>) -> Vec<SecretSpan> {
    found.sort_unstable_by_key(|span| (span.start, span.end));
    let mut merged: Vec<SecretSpan> = Vec::with_capacity(found.len());
    for span in found {
        match merged.last_mut() {
            Some(last) if span.start < last.end => {
                last.end = last.end.max(span.end);
                if span.evidence < last.evidence {
                    last.kind = span.kind;
                    last.evidence = span.evidence;
                }
            }
            _ => merged.push(span),
        }
    }
    merged
}
