//! Secrets in coloured output, where an escape sequence separates a name from its value (`TOKEN=ESC[33m…`).

use super::span::SecretSpan;
use crate::text::escape;

/// Scans `text` without its escape sequences. Adds nothing when there are none.
pub(super) fn find(text: &str, found: &mut Vec<SecretSpan>, scan: impl FnOnce(&str, &mut Vec<SecretSpan>)) {
    let text = text.as_bytes();
    if memchr::memchr(0x1b, text).is_none() {
        return;
    }
    let mut plain = Vec::with_capacity(text.len());
    // Where each stretch starts, in `plain` and in `text`.
    let mut stretches = Vec::new();
    for (at, stretch) in escape::between(text) {
        stretches.push((plain.len(), at));
        plain.extend_from_slice(stretch);
    }
    let original = |at: usize| {
        let (in_plain, in_text) = stretches[stretches.partition_point(|(start, _)| *start <= at) - 1];
        in_text + (at - in_plain)
    };
    let known = found.len();
    // Escape sequences are ASCII, so whole characters are between them.
    scan(&String::from_utf8_lossy(&plain), found);
    for span in &mut found[known..] {
        // Colours within a secret are hidden with it; those around it stay.
        span.end = original(span.end.max(1) - 1) + 1;
        span.start = original(span.start);
    }
}
