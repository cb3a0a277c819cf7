//! Takes secrets out of text before it is stored or shown.
//!
//! Sits between a transcript row understood and everything that keeps or prints it. [`mask`] replaces each
//! secret by `[masked: <kind>]` and leaves what surrounds it, so that a reader still sees which variable, header
//! or address held one. Masking masked text changes nothing.
//!
//! Two passes over the bytes, nothing built at start-up (every table is a constant):
//! `rules` finds what is recognisable by itself (`ghp_…`, a PEM block) through a filter over three-byte
//! windows; `assign` looks at each `=` and `:` for a name that says the value is secret. `shapes` holds the few
//! secrets that need a function, `value` decides whether a value is a secret or a stand-in for one.
//!
//! There is no guessing by entropy: git hashes, uuids, checksums and ids stay, because a brief without them is
//! useless. What is covered and what is not: `docs/masking.md`.

mod assign;
mod bytes;
pub mod forgotten;
mod line;
mod painted;
mod rules;
mod shapes;
#[cfg(test)]
mod tests;
mod value;

use std::borrow::Cow;

pub use line::mask_line;

/// What every replacement starts with; text that holds it was masked before.
const MARK: &str = "[masked: ";

/// One masking can uncover another (the byte before a token was part of a secret), but never a long chain.
const MAX_PASSES: usize = 4;

/// Replaces each secret in `text` by `[masked: <kind>]`; borrowed when there is none.
pub fn mask(text: &str) -> Cow<'_, str> {
    let Some(mut masked) = mask_once(text) else { return Cow::Borrowed(text) };
    for _ in 1..MAX_PASSES {
        let Some(again) = mask_once(&masked) else { break };
        masked = again;
    }
    Cow::Owned(masked)
}

/// A stretch of bytes to replace.
#[derive(Debug, Clone, Copy)]
struct Finding {
    start: usize,
    end: usize,
    kind: &'static str,
    evidence: Evidence,
}

/// How we know; where findings overlap the better evidence names the kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Evidence {
    /// The secret's own format.
    Format,
    /// Where it stands: a header, an address, a flag.
    Place,
    /// Only the name it is assigned to.
    Name,
}

fn mask_once(text: &str) -> Option<String> {
    let mut found = Vec::new();
    scan(text.as_bytes(), &mut found);
    painted::find(text.as_bytes(), &mut found);
    if found.is_empty() {
        return None;
    }
    let mut masked = String::with_capacity(text.len());
    let mut kept_to = 0;
    for finding in merged(found) {
        // Findings begin and end next to ASCII; should one ever not, hide the whole character.
        let is_edge = |at: &usize| text.is_char_boundary(*at);
        let start = (kept_to..=finding.start).rev().find(is_edge).unwrap_or(kept_to);
        let end = (finding.end..text.len()).find(is_edge).unwrap_or(text.len());
        masked.push_str(&text[kept_to..start]);
        masked.push_str(MARK);
        masked.push_str(finding.kind);
        masked.push(']');
        kept_to = end;
    }
    masked.push_str(&text[kept_to..]);
    Some(masked)
}

fn scan(text: &[u8], found: &mut Vec<Finding>) {
    rules::scan(text, found);
    assign::scan(text, found);
    forgotten::scan(text, found);
}

/// Findings in order, overlapping ones joined: hiding too much beats leaving the tail of a secret.
fn merged(mut found: Vec<Finding>) -> Vec<Finding> {
    found.sort_unstable_by_key(|finding| (finding.start, finding.end));
    let mut merged: Vec<Finding> = Vec::with_capacity(found.len());
    for finding in found {
        match merged.last_mut() {
            Some(last) if finding.start < last.end => {
                last.end = last.end.max(finding.end);
                if finding.evidence < last.evidence {
                    last.kind = finding.kind;
                    last.evidence = finding.evidence;
                }
            }
            _ => merged.push(finding),
        }
    }
    merged
}
