//! Cuts texts into the lines that become observations.

use super::TextPart;
use crate::reading::report::says_something;
use crate::text::cut::{first_chars, squashed};
use crate::text::passages::{self, passages};
use crate::text::sentences::sentences;

/// Longer lines are split into sentences.
const LONG_LINE: usize = 300;
/// A sentence is kept whole up to this many characters; what is longer is a blob.
const LONGEST: usize = 1_000;

/// The lines of a text with their position. Of a text with more than `first + last` lines those at its ends.
pub fn ends(text: &str, first: usize, last: usize) -> Vec<(TextPart, String)> {
    let lines: Vec<&str> = filled(text).collect();
    parts_at_ends(lines.len(), first, last).map(|(at, part)| (part, squashed(lines[at]))).collect()
}

fn filled(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// Of a text with this many lines, those at its ends.
fn parts_at_ends(count: usize, first: usize, last: usize) -> impl Iterator<Item = (usize, TextPart)> {
    let of = u16::try_from(count).unwrap_or(u16::MAX);
    let kept = (0..count).filter(move |at| *at < first || at + last >= count);
    kept.map(move |at| (at, TextPart { line: at.min(usize::from(u16::MAX)) as u16, of }))
}

/// The same, with long lines split into their sentences.
pub fn sentences_at_ends(text: &str, first: usize, last: usize) -> Vec<(TextPart, String)> {
    let lines = ends(text, first, last).into_iter();
    lines.flat_map(|(part, line)| said_in(line).into_iter().map(move |piece| (part, piece))).collect()
}

/// The same of a prompt that the person sent; each with whether they typed it. What they pasted is somebody else's words,
/// or was written for other readers.
pub fn prompt_at_ends(prompt: &str, first: usize, last: usize) -> Vec<(bool, TextPart, String)> {
    let passages = passages(prompt);
    let lines: Vec<(bool, &str)> = passages
        .iter()
        .flat_map(|passage| {
            filled(passage.text).map(|line| (passage.voice == passages::PassageVoice::Typed, line))
        })
        .collect();
    parts_at_ends(lines.len(), first, last)
        .flat_map(|(at, part)| {
            let (is_typed, line) = lines[at];
            said_in(squashed(line)).into_iter().map(move |piece| (is_typed, part, piece))
        })
        .collect()
}

/// A line, or the sentences of a long one.
fn said_in(line: String) -> Vec<String> {
    let mut pieces: Vec<String> = if line.chars().count() <= LONG_LINE {
        vec![line]
    } else {
        sentences(&line).into_iter().map(|sentence| sentence.trim().to_owned()).collect()
    };
    pieces.retain(|piece| says_something(piece) && piece.chars().count() <= LONGEST);
    pieces
}

/// A line of an output: long ones are data, of which the start tells what it is.
pub fn shortened(line: &str) -> String {
    first_chars(line, LONG_LINE).to_owned()
}
