//! Where a secret is in a text, and the text without it.

/// What every replacement starts with. Text that contains it was masked before.
pub(super) const MARK: &str = "[masked: ";

/// The bytes to replace, and what with.
#[derive(Debug, Clone, Copy)]
pub(super) struct SecretSpan {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: &'static str,
    pub(super) evidence: Evidence,
}

/// How we know. Where spans overlap, the better evidence names the kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Evidence {
    /// The secret's own format.
    Format,
    /// Its position: in a header, an address, behind a flag.
    Place,
    /// The name it is assigned to, nothing else.
    Name,
}

/// Adds what was found.
pub(super) fn push(
    found: &mut Vec<SecretSpan>,
    start: usize,
    end: usize,
    kind: &'static str,
    evidence: Evidence,
) {
    found.push(SecretSpan { start, end, kind, evidence });
}

/// `text` with each span replaced by `[masked: <kind>]`. Spans are in order and do not overlap ([`merged`]).
pub(super) fn replaced(text: &str, spans: Vec<SecretSpan>) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut kept_to = 0;
    for span in spans {
        // Spans should start and end at ASCII. If one ever does not, hide the whole character.
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

/// Sorts spans and joins those that overlap: hiding too much beats leaving the tail of a secret.
pub(super) fn merged(mut found: Vec<SecretSpan>) -> Vec<SecretSpan> {
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
