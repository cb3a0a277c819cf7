//! Secrets in painted output: colours stand between a name and its value (`TOKEN=ESC[33m…`), where no rule looks for them.

use super::{Mask, SecretSpan};
use crate::text::escape;

/// Looks through `text` as it reads on a terminal. Adds nothing where nothing is painted.
pub(super) fn find(mask: &Mask, text: &str, found: &mut Vec<SecretSpan>) {
    let text = text.as_bytes();
    if memchr::memchr(0x1b, text).is_none() {
        return;
    }
    let mut plain = Vec::with_capacity(text.len());
    // Where each stretch begins in `plain`, and where in `text`.
    let mut stretches = Vec::new();
    for (at, stretch) in escape::between(text) {
        stretches.push((plain.len(), at));
        plain.extend_from_slice(stretch);
    }
    let place = |at: usize| {
        let (begins, stands) = stretches[stretches.partition_point(|(begins, _)| *begins <= at) - 1];
        stands + (at - begins)
    };
    let known = found.len();
    // Escapes are ASCII: what is between them is whole characters.
    mask.scan(&String::from_utf8_lossy(&plain), found);
    for span in &mut found[known..] {
        // What is painted within a secret goes with it; what is around it stays.
        span.end = place(span.end.max(1) - 1) + 1;
        span.start = place(span.start);
    }
}
