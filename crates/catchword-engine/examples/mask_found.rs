//! Prints what would be masked in files of yours, and how long that takes: `mask_found FILE…`.
//!
//! Lines of JSON are masked as backups are, each string with its neighbours, anything else as one text. To look for false
//! alarms, and for what a change of the rules finds more or less.

#![expect(clippy::print_stdout, reason = "the list is what it is for")]

use std::borrow::Cow;
use std::time::{Duration, Instant};

use catchword_engine::redact::SECRETS;
use serde::de::IgnoredAny;

/// Characters shown before a masked stretch.
const CONTEXT: usize = 60;

#[derive(Default)]
struct Found {
    texts: usize,
    bytes: usize,
    stretches: usize,
    took: Duration,
}

fn main() {
    let mut found = Found::default();
    for path in std::env::args().skip(1) {
        let content = std::fs::read(&path).unwrap_or_default();
        let content = String::from_utf8_lossy(&content);
        if content.lines().take(1).any(|line| serde_json::from_str::<IgnoredAny>(line).is_ok()) {
            content.lines().for_each(|line| found.look_at(line, |line| SECRETS.line(line.as_bytes())));
        } else {
            found.look_at(&content, |text| SECRETS.text(text));
        }
    }
    let nanos = found.took.as_nanos() as f64 / found.bytes.max(1) as f64;
    println!(
        "{} stretches in {} texts, {} bytes, {nanos:.1} ns/byte",
        found.stretches, found.texts, found.bytes
    );
}

impl Found {
    fn look_at<'a>(&mut self, text: &'a str, mask: impl Fn(&'a str) -> Cow<'a, str>) {
        let begun = Instant::now();
        let masked = mask(text);
        self.took += begun.elapsed();
        (self.texts, self.bytes) = (self.texts + 1, self.bytes + text.len());
        let Cow::Owned(masked) = masked else { return };
        for (at, _) in masked.match_indices("[masked: ") {
            let start = masked[..at].char_indices().rev().take(CONTEXT).last().map_or(at, |(start, _)| start);
            let end = masked[at..].find(']').map_or(masked.len(), |end| at + end + 1);
            println!("{:?}", &masked[start..end]);
            self.stretches += 1;
        }
    }
}
