//! Cuts texts into the lines that become observations.

use super::{TextPart, Written};
use crate::reading::statements::{self, MessageLine, Remark};
use crate::text::cut::{first_chars, head_of, squashed};
use crate::text::sentences::sentences;

/// Longer lines are split into sentences.
const LONG_LINE: usize = 300;
/// A sentence is kept whole up to this many bytes.
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
    kept.map(|at| (part(at, of), squashed(lines[at]))).collect()
}

fn is_end(at: usize, of: usize, first: usize, last: usize) -> bool {
    at < first || at + last >= of
}

fn part(at: usize, of: usize) -> TextPart {
    let short = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
    TextPart { line: short(at), of: short(of), ..TextPart::default() }
}

/// The lines of a message, long ones split into their sentences: all that its author typed, and of what they pasted the
/// first and last lines and those that say something a reader asks for.
pub fn cut_lines(lines: Vec<MessageLine>, (first, last): (usize, usize)) -> Vec<CutLine> {
    let is_blank = |line: &MessageLine| line.line.text.trim().is_empty();
    let of = lines.iter().filter(|line| !is_blank(line)).count();
    let (mut at, mut is_apart, mut cut) = (0, false, Vec::new());
    for line in lines {
        if is_blank(&line) {
            is_apart = true;
            continue;
        }
        let MessageLine { line, is_typed, says } = line;
        let indent =
            line.text.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 });
        let indent = indent.sum::<usize>().min(usize::from(u8::MAX)) as u8;
        let part = TextPart { is_code: line.is_code, is_apart, indent, ..part(at, of) };
        if is_typed || is_end(at, of, first, last) || !says.is_empty() {
            cut.extend(pieces(&squashed(line.text)).into_iter().map(|words| {
                let found = says.iter();
                let found = found.filter_map(|(said, tells)| Remark::in_line(words, said, tells.clone()));
                CutLine { part, says: found.collect(), words: words.to_owned(), is_typed }
            }));
        }
        (at, is_apart) = (at + 1, false);
    }
    cut
}

/// What the sentences of the person's words on one line say.
pub fn remarks_of_prompt(words: &str) -> Vec<Remark> {
    let says = statements::of_prompt(words).into_iter().flat_map(|line| line.says);
    says.filter_map(|(said, tells)| Remark::in_line(words, said, tells)).collect()
}

/// A line, or the sentences of a long one; what has no sentences is cut between words.
fn pieces(line: &str) -> Vec<&str> {
    if line.chars().count() <= LONG_LINE {
        return vec![line];
    }
    let ends = sentences(line)
        .into_iter()
        .map(|sentence| sentence.as_ptr() as usize + sentence.len() - line.as_ptr() as usize);
    let (mut pieces, mut from) = (Vec::new(), 0);
    for end in ends.chain([line.len()]) {
        let mut left = line[from..end].trim();
        while left.len() > LONGEST {
            let head = head_of(left, LONGEST);
            let head = head.rfind(' ').map_or(head, |end| &head[..end]);
            pieces.push(head);
            left = left[head.len()..].trim_start();
        }
        pieces.push(left);
        from = end;
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// The lines that an edit changes, and how. Those at the start and the end that stay only say where it is.
pub fn changed_lines(out: &str, put_in: &str) -> Vec<(Written, String)> {
    let lines = |text: &str| -> Vec<String> {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(squashed).collect()
    };
    let (out, put_in) = (lines(out), lines(put_in));
    let same = |(a, b): &(&String, &String)| a == b;
    let first = out.iter().zip(&put_in).take_while(same).count();
    let last = out[first..].iter().rev().zip(put_in[first..].iter().rev()).take_while(same).count();
    let (out, put_in) = (&out[first..out.len() - last], &put_in[first..put_in.len() - last]);
    match (out, put_in) {
        ([old], [new]) => vec![(Written::Instead(shortened(old)), new.clone())],
        (out, []) => out.iter().map(|line| (Written::TakenOut, line.clone())).collect(),
        (out, put_in) => {
            let is_new = |line: &&String| !out.contains(line);
            put_in.iter().filter(is_new).map(|line| (Written::New, line.clone())).collect()
        }
    }
}

/// A line of an output: long ones are data, of which the start tells what it is.
pub fn shortened(line: &str) -> String {
    first_chars(line, LONG_LINE).to_owned()
}
