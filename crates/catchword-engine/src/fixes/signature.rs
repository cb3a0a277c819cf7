//! By what a failure is known again: program and verb, and the lines that name the error.
//!
//! Taken out of them: colours, numbers, hashes, times, and the folders of paths (the file's name stays: the same message
//! about another file is another error). What is left must say something that is not in every error of the program, or
//! there is no signature: silence costs nothing, a wrong line costs the trust in the others.

use std::collections::{BTreeSet, HashSet};

use crate::lexicon::outcomes::{LineSign, NO_MESSAGE, NOT_THERE, REASONS, SAYS_LITTLE, STOPPED};
use crate::reading::command::{ShellLine, Step, has};
use crate::reading::outcome::{Outcome, counts_in, is_error_line};
use crate::reading::report::{is_excerpt, names_an_error, never_ran};
use crate::record::RunResult;
use crate::text::hash::fnv1a;
use crate::text::words::is_hash;

/// Error lines that count, the last ones.
const LINES: usize = 3;
/// Bytes of a line that count.
const LINE: usize = 400;
/// Words of a line that say something about this error, where none of them is a name.
const FEWEST_WORDS: usize = 3;
/// A client and a shell say in the first or last lines that a program was stopped.
const ENDS: usize = 2;

/// Of a failed run; `None` if it does not say what went wrong, or if that is not worth remembering.
pub fn signature(line: &ShellLine, ended: &RunResult, outcome: &Outcome) -> Option<u64> {
    if ended.ok != Some(false) || line.sets_work_aside() || was_stopped(outcome) {
        return None;
    }
    let steps: Vec<&Step> = line.steps().iter().filter(|step| !step.is_minor()).collect();
    let failed = |step: &&&Step| outcome.of_step(line, step).passed() == Some(false);
    let mut families: BTreeSet<String> =
        steps.iter().filter(failed).map(|step| step.family().join(" ")).collect();
    if families.is_empty() {
        families = steps.iter().map(|step| step.family().join(" ")).collect();
    }
    let lines = error_lines(line, ended, outcome);
    if families.is_empty() || lines.is_empty() {
        return None;
    }
    let text = families.into_iter().chain(lines).collect::<Vec<_>>().join("\n");
    Some(fnv1a(text.as_bytes()))
}

fn was_stopped(outcome: &Outcome) -> bool {
    let mut lines = outcome.output.lines().filter(|line| !line.trim().is_empty());
    let first = lines.by_ref().take(ENDS).any(is_stop);
    first || lines.rev().take(ENDS).any(is_stop)
}

fn is_stop(line: &str) -> bool {
    has_sign(STOPPED, &line.to_lowercase())
}

/// A file was named that is not there.
pub fn is_not_there(error: &str) -> bool {
    has_sign(NOT_THERE, &error.to_lowercase())
}

fn has_sign(signs: &[LineSign], lower: &str) -> bool {
    signs.iter().any(|one| lower.contains(one.sign))
}

/// The failed tests and the lines that name the error, without what differs from run to run and without lines that say
/// nothing about this one; in the order of the alphabet, because what works in parallel has none.
pub fn error_lines(line: &ShellLine, ended: &RunResult, outcome: &Outcome) -> BTreeSet<String> {
    let known: HashSet<String> =
        line.steps().iter().flat_map(|step| telling_words(&step.text)).map(str::to_lowercase).collect();
    let names = |line: &&str| {
        (is_error_line(line) && names_an_error(line) && counts_in(line).is_none())
            || has_sign(REASONS, &line.to_lowercase())
    };
    let mut lines: BTreeSet<String> = ended.failed_tests.iter().map(|test| plain(test)).collect();
    let mut taken = 0;
    for line in outcome.saying_lines().rev().filter(|line| is_message(line)).filter(names) {
        let found_no_program = never_ran(line) && !is_not_there(line);
        let line = plain(line);
        if taken < LINES && (found_no_program || says_what(&line, &known)) && lines.insert(line) {
            taken += 1;
        }
    }
    lines
}

/// Not code that is shown with a message, nor the name of a test that passed.
fn is_message(line: &str) -> bool {
    let marks = |c: char| matches!(c, '>' | '|' | '│' | ':' | '#') || c.is_whitespace() || c.is_ascii_digit();
    let text = line.trim_start_matches(marks);
    !is_excerpt(line) && !NO_MESSAGE.iter().any(|start| line.starts_with(start) || text.starts_with(start))
}

/// Whether a line says something that is not below every error of the program: a name, or several words that neither the
/// command line has nor every error.
fn says_what(line: &str, known: &HashSet<String>) -> bool {
    let says = |word: &&str| {
        let lower = word.to_lowercase();
        // `error-context.md`, `test-failed-1.png`: a runner's own.
        let is_of_errors = (lower.contains("error") || lower.contains("fail")) && lower.contains(['-', '_']);
        !known.contains(&lower) && !has(SAYS_LITTLE, &lower) && !is_of_errors
    };
    let mut words = telling_words(line).filter(says).peekable();
    words.clone().any(is_name) || words.by_ref().take(FEWEST_WORDS).count() == FEWEST_WORDS
}

/// The words of two letters or more.
fn telling_words(text: &str) -> impl Iterator<Item = &str> + Clone {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let words = text.split(move |c| !joins(c)).map(|word| word.trim_matches(['-', '.', '/']));
    words.filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() >= 2)
}

/// Made up by a programmer: `snake_case`, `camelCase`, `file.rs`.
fn is_name(word: &str) -> bool {
    let has_capital = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    word.contains(['_', '.']) || has_capital
}

/// A line without numbers, times, hashes and the folders of paths.
pub(super) fn plain(line: &str) -> String {
    let mut end = line.len().min(LINE);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let mut out = String::new();
    let is_part =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '\\' | '@' | '+' | '~');
    let mut rest = &line[..end];
    while let Some(c) = rest.chars().next() {
        if is_part(c) {
            let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            word(&rest[..length], &mut out);
            rest = &rest[length..];
        } else {
            if c.is_whitespace() {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            } else {
                out.push(c);
            }
            rest = &rest[c.len_utf8()..];
        }
    }
    out.trim().to_owned()
}

fn word(word: &str, out: &mut String) {
    let name = word.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(word);
    if is_hash(name) || is_id(name) {
        out.push('#');
        return;
    }
    for c in name.chars() {
        if c.is_ascii_digit() {
            if !out.ends_with('#') {
                out.push('#');
            }
        } else {
            out.push(c);
        }
    }
}

/// Mostly digits: a time, a version, a random name.
fn is_id(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    digits * 2 >= word.len() && digits > 0
}
