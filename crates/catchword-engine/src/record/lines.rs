//! Cuts texts into the lines that become observations.

use super::TextPart;
use crate::reading::report::says_something;
use crate::reading::statements::{MessageLine, Remark};
use crate::text::cut::{first_chars, squashed};
use crate::text::sentences::sentences;

/// Longer lines are split into sentences.
const LONG_LINE: usize = 300;
/// A sentence is kept whole up to this many characters; what is longer is a blob.
const LONGEST: usize = 1_000;

/// A line that becomes an observation.
pub struct CutLine {
    pub part: TextPart,
    pub words: String,
    /// Which of its sentences say what.
    pub says: Vec<Remark>,
    /// Its author typed it; `false` if it was pasted.
    pub is_typed: bool,
}

/// The lines of an output with their position.
pub fn ends(text: &str, first: usize, last: usize) -> Vec<(TextPart, String)> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let of = lines.len();
    let kept = (0..of).filter(|at| is_end(*at, of, first, last));
    kept.map(|at| (part(at, of, false), squashed(lines[at]))).collect()
}

fn is_end(at: usize, of: usize, first: usize, last: usize) -> bool {
    at < first || at + last >= of
}

fn part(at: usize, of: usize, is_code: bool) -> TextPart {
    let short = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
    TextPart { line: short(at), of: short(of), is_code }
}

/// The lines of a message, long ones split into their sentences. Of a message with more than `first + last` lines those
/// at its ends, and those that say something a reader asks for.
pub fn cut_lines(lines: Vec<MessageLine>, (first, last): (usize, usize)) -> Vec<CutLine> {
    let lines: Vec<MessageLine> =
        lines.into_iter().filter(|line| !line.line.text.trim().is_empty()).collect();
    let of = lines.len();
    let mut cut = Vec::new();
    for (at, MessageLine { line, is_typed, says }) in lines.into_iter().enumerate() {
        if !is_end(at, of, first, last) && says.is_empty() {
            continue;
        }
        cut.extend(said_in(squashed(line.text)).into_iter().filter_map(|words| {
            let found = says.iter();
            let found = found.filter_map(|(said, tells)| Remark::in_line(&words, said, tells.clone()));
            let says: Vec<Remark> = found.collect();
            let is_worth_it = !says.is_empty() || says_something(&words);
            is_worth_it.then(|| CutLine { part: part(at, of, line.is_code), words, says, is_typed })
        }));
    }
    cut
}

/// A line, or the sentences of a long one.
fn said_in(line: String) -> Vec<String> {
    let mut pieces: Vec<String> = if line.chars().count() <= LONG_LINE {
        vec![line]
    } else {
        sentences(&line).into_iter().map(|sentence| sentence.trim().to_owned()).collect()
    };
    pieces.retain(|piece| piece.chars().count() <= LONGEST);
    pieces
}

/// A line of an output: long ones are data, of which the start tells what it is.
pub fn shortened(line: &str) -> String {
    first_chars(line, LONG_LINE).to_owned()
}
