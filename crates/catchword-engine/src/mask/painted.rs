//! Secrets in painted output: colours stand between a name and its value (`TOKEN=ESC[33m…`), where no rule looks for them.

use super::{Finding, scan};
use crate::{escape, find};

/// Looks through `text` as it reads on a terminal. Adds nothing where nothing is painted.
pub(super) fn find(text: &[u8], found: &mut Vec<Finding>) {
    if find::byte(0x1b, text).is_none() {
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
    scan(&plain, found);
    for finding in &mut found[known..] {
        // What is painted within a secret goes with it; what is around it stays.
        finding.end = place(finding.end.max(1) - 1) + 1;
        finding.start = place(finding.start);
    }
}
