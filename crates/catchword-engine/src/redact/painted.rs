//! Secrets that are broken up by what nobody sees: the colours of a terminal (`TOKEN=ESC[33m…`), characters without width,
//! and a backslash that continues the line. Wide letters (`ＴＯＫＥＮ`) read like plain ones.

use super::case_folding::shows_nothing;
use super::span::SecretSpan;
use crate::text::escape;

/// Scans `text` as a reader sees it. Adds nothing when that is the text itself.
pub(super) fn find(text: &str, found: &mut Vec<SecretSpan>, scan: impl FnOnce(&str, &mut Vec<SecretSpan>)) {
    if !is_broken_up(text) {
        return;
    }
    let mut plain = String::with_capacity(text.len());
    // Where each stretch starts, in `plain` and in `text`.
    let mut stretches = vec![(0, 0)];
    let mut kept_to = 0;
    for at in candidates(text) {
        // A character may be part of a sequence that was left out.
        let Some((length, shown)) = unseen(text, at).filter(|_| at >= kept_to) else { continue };
        plain.push_str(&text[kept_to..at]);
        if let Some(shown) = shown {
            stretches.push((plain.len(), at));
            plain.push(shown);
        }
        kept_to = at + length;
        stretches.push((plain.len(), kept_to));
    }
    plain.push_str(&text[kept_to..]);
    let original = |at: usize| {
        let (in_plain, in_text) = stretches[stretches.partition_point(|(start, _)| *start <= at) - 1];
        in_text + (at - in_plain)
    };
    let known = found.len();
    scan(&plain, found);
    for span in &mut found[known..] {
        // What is within a secret is hidden with it; what is around it stays.
        span.end = original(span.end.max(1) - 1) + 1;
        span.start = original(span.start);
    }
}

/// Whether a reader sees another text. Wide punctuation is usual in Chinese and Japanese texts, and hides no secret.
fn is_broken_up(text: &str) -> bool {
    let hides = |at: usize| {
        unseen(text, at).is_some_and(|(_, shown)| shown.is_none_or(|c| c.is_ascii_alphanumeric()))
    };
    candidates(text).any(hides)
}

/// Where something unseen may start: the first bytes of what [`unseen`] knows.
fn candidates(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let escapes = memchr::memchr2_iter(0x1b, b'\\', bytes);
    let mut wide =
        memchr::memchr3_iter(0xc2, 0xe2, 0xef, if text.is_ascii() { b"" } else { bytes }).peekable();
    let mut escapes = escapes.peekable();
    std::iter::from_fn(move || match (escapes.peek(), wide.peek()) {
        (Some(escape), Some(character)) if character < escape => wide.next(),
        (Some(_), _) => escapes.next(),
        _ => wide.next(),
    })
}

/// The length of what is at `at`, if a reader sees nothing there, or the plain character of a wide one.
fn unseen(text: &str, at: usize) -> Option<(usize, Option<char>)> {
    let rest = &text.as_bytes()[at..];
    match rest {
        [b'\\', b'\n', ..] => return Some((2, None)),
        [b'\\', b'\r', b'\n', ..] => return Some((3, None)),
        [0x1b, ..] => return escape::length(rest).map(|length| (length, None)),
        _ => {}
    }
    let c = text.get(at..)?.chars().next()?;
    match c {
        '\u{ff01}'..='\u{ff5e}' => {
            let plain = char::from_u32(u32::from(c) - 0xfee0);
            plain.map(|plain| (c.len_utf8(), Some(plain)))
        }
        c if shows_nothing(c) => Some((c.len_utf8(), None)),
        _ => None,
    }
}
