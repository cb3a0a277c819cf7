//! Cuts texts into the lines that become observations.

use super::TextPart;
use crate::text::cut::{first_chars, squashed};
use crate::text::sentences::sentences;

/// Longer lines are split into sentences.
const LONG_LINE: usize = 300;
/// A sentence is kept whole up to this many characters; what is longer is a blob.
const LONGEST: usize = 1_000;

/// The lines of a text with their position. Of a text with more than `first + last` lines those at its ends.
pub fn ends(text: &str, first: usize, last: usize) -> Vec<(TextPart, String)> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let of = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let is_kept = |at: usize| at < first || at + last >= lines.len();
    let kept = lines.iter().enumerate().filter(|(at, _)| is_kept(*at));
    kept.map(|(at, line)| (TextPart { line: at.min(usize::from(u16::MAX)) as u16, of }, squashed(line)))
        .collect()
}

/// The same, with long lines split into their sentences.
pub fn sentences_at_ends(text: &str, first: usize, last: usize) -> Vec<(TextPart, String)> {
    let lines = ends(text, first, last).into_iter();
    lines
        .flat_map(|(part, line)| {
            let pieces: Vec<String> = if line.chars().count() <= LONG_LINE {
                vec![line]
            } else {
                sentences(&line).into_iter().map(|sentence| sentence.trim().to_owned()).collect()
            };
            pieces.into_iter().map(move |piece| (part, piece))
        })
        .filter(|(_, piece)| says_something(piece) && piece.chars().count() <= LONGEST)
        .collect()
}

/// A line of an output: long ones are data, of which the start tells what it is.
pub fn shortened(line: &str) -> String {
    first_chars(line, LONG_LINE).to_owned()
}

/// Rulers, braces and single signs say nothing.
pub fn says_something(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).nth(1).is_some()
}
