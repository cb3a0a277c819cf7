//! Where the value of a name begins and ends: behind a sign, on the next line, between quotes, in a YAML block.

use super::judge::is_words;
use crate::redact::bytes::{LOWER, Set, TOKEN, UPPER, has, one, run_end, run_start};
use crate::redact::{Evidence, SecretSpan};

/// The value of a name.
#[derive(Debug, Clone, Copy)]
pub(in crate::redact) struct ValueSpan {
    pub(in crate::redact) start: usize,
    pub(in crate::redact) end: usize,
    pub(in crate::redact) quoted: bool,
    /// It stands on a line of its own, below its name.
    pub(in crate::redact) below: bool,
}

/// Longer than this without a space only machine-made values are, and those are one run of base64.
const MAX_PLAIN: usize = 256;
/// Longer than this nothing is a secret value; a bound, so that hostile text cannot make us read it over and over.
const MAX_QUOTED: usize = 8192;
/// A YAML block is read so far.
const MAX_BLOCK: usize = 2048;

impl ValueSpan {
    /// Past spaces and emphasis; between quotes of any escape level, else up to the next space or closing sign.
    pub(in crate::redact) fn after(bytes: &[u8], at: usize) -> ValueSpan {
        ValueSpan::starting(bytes, skip_blank(bytes, at), false)
    }

    /// The same for a line that consists of a name and its value, as in env files and YAML: the value is the rest of the
    /// line when that is one word, whatever signs are in it. It may also stand below the name.
    pub(in crate::redact) fn of_line(bytes: &[u8], at: usize) -> ValueSpan {
        let is_empty = at > 0 && bytes[at - 1] == b'=';
        let start = skip_blank(bytes, at);
        if let Some(block) = block(bytes, start) {
            return block;
        }
        match line_break(bytes, start) {
            // `NAME=` alone on its line has no value; behind `NAME = \` it goes on.
            Some(next) if is_empty && start == at => {
                ValueSpan { start: next, end: next, quoted: false, below: true }
            }
            Some(next) => below(bytes, next),
            None => ValueSpan::starting(bytes, start, true),
        }
    }

    fn starting(bytes: &[u8], start: usize, whole_line: bool) -> ValueSpan {
        let quote_at = start + literal_prefix(&bytes[start..]);
        let backslashes = bytes[quote_at..].iter().take_while(|&&byte| byte == b'\\').count();
        if let Some(&quote @ (b'"' | b'\'' | b'`')) = bytes.get(quote_at + backslashes) {
            let inner = quote_at + backslashes + 1;
            // `"""…"""`: the first two are an empty string before the third.
            let triple = backslashes == 0 && bytes[inner..].starts_with(&[quote, quote]);
            let start = if triple { inner + 2 } else { inner };
            let end = closing_quote(bytes, start, quote, backslashes);
            return ValueSpan { start, end, quoted: true, below: false };
        }
        let word = if whole_line { rest_of_line(bytes, start) } else { None };
        let end = word.unwrap_or_else(|| bare_end(bytes, start));
        ValueSpan { start, end, quoted: false, below: false }
    }

    pub(in crate::redact) fn text<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.start..self.end]
    }

    pub(in crate::redact) fn span(&self, kind: &'static str, evidence: Evidence) -> SecretSpan {
        SecretSpan { start: self.start, end: self.end, kind, evidence }
    }
}

fn skip_blank(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|&&byte| matches!(byte, b' ' | b'\t' | b'*')).count()
}

/// `b"…"`, `rb'…'`, `f"…"`, `@"…"`, `N'…'`: how long what is before the quote is.
fn literal_prefix(text: &[u8]) -> usize {
    let is_prefix = |byte: &u8| b"bBrRuUfFLN@$".contains(byte);
    match text {
        [a, b'"' | b'\'' | b'`', ..] if is_prefix(a) => 1,
        [a, b, b'"' | b'\'' | b'`', ..] if is_prefix(a) && is_prefix(b) => 2,
        _ => 0,
    }
}

/// Where the next line begins, when this one ends at `at`. Text inside text has its line breaks as `\n`.
fn line_break(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes[at..] {
        [b'\n', ..] => Some(at + 1),
        [b'\r' | b'\\', b'\n', ..] | [b'\\', b'n', ..] => Some(at + 2),
        [b'\\', b'r', b'\\', b'n', ..] => Some(at + 4),
        _ => None,
    }
}

fn is_line_end(bytes: &[u8], at: usize) -> bool {
    at >= bytes.len() || bytes[at] == b'\r' || line_break(bytes, at).is_some() || is_tag(&bytes[at..])
}

/// An element begins or ends here: `</bash-stdout>`, `<br>`. The names of those that begin are of small letters only:
/// passwords have `<` in them, too.
fn is_tag(text: &[u8]) -> bool {
    let (name, set) = match text {
        [b'<', b'/', name @ ..] => (name, TOKEN | one(b':')),
        [b'<', name @ ..] => (name, LOWER | one(b'-')),
        _ => return false,
    };
    let length = run_end(&name[..name.len().min(40)], 0, set);
    length > 0
        && (name[length..].starts_with(b">")
            || name[length..].starts_with(b"/>")
            || length > 1 && name[length..].starts_with(b" "))
}

/// A value on the line below: between quotes, or alone there.
fn below(bytes: &[u8], line: usize) -> ValueSpan {
    let start = skip_blank(bytes, line);
    let value = ValueSpan::starting(bytes, start, true);
    let alone = is_line_end(bytes, skip_blank(bytes, value.end));
    let name = run_end(bytes, start, TOKEN | one(b'.'));
    let another = matches!(bytes.get(name), Some(b'=' | b':')) && is_words(&bytes[start..name]);
    let end = if value.quoted || alone && !another { value.end } else { start };
    ValueSpan { end, below: true, ..value }
}

/// A YAML block: `|` or `>`, then lines further in than the name.
fn block(bytes: &[u8], at: usize) -> Option<ValueSpan> {
    let [b'|' | b'>', ..] = bytes[at..] else { return None };
    let marks = bytes[at + 1..].iter().take_while(|byte| matches!(byte, b'-' | b'+' | b'0'..=b'9')).count();
    let first = line_break(bytes, skip_blank(bytes, at + 1 + marks))?;
    let start = skip_blank(bytes, first);
    let indent = start - first;
    let mut end = start;
    let mut line = first;
    while line < bytes.len().min(start + MAX_BLOCK) {
        let text = skip_blank(bytes, line);
        let line_end = (text..bytes.len()).find(|&at| is_line_end(bytes, at)).unwrap_or(bytes.len());
        if indent == 0 || text - line < indent || line_end == text {
            break;
        }
        end = line_end;
        let Some(next) =
            line_break(bytes, if bytes.get(line_end) == Some(&b'\r') { line_end + 1 } else { line_end })
        else {
            break;
        };
        line = next;
    }
    Some(ValueSpan { start, end, quoted: false, below: true })
}

/// Where the one word ends that is the rest of a line, a comment aside.
fn rest_of_line(bytes: &[u8], start: usize) -> Option<usize> {
    let near = bytes.len().min(start + MAX_PLAIN);
    let is_end = |&at: &usize| matches!(bytes[at], b' ' | b'\t') || is_line_end(bytes, at);
    let word = (start..near).find(is_end).or((near == bytes.len()).then_some(near))?;
    let after = skip_blank(bytes, word);
    let comment = after > word && matches!(bytes[after..], [b'#' | b';', ..] | [b'/', b'/', ..]);
    if !comment && !is_line_end(bytes, after) {
        return None;
    }
    let word = next_pair(&bytes[start..word]).map_or(word, |length| start + length);
    Some(start + without_closers(&bytes[start..word]))
}

/// Where another pair begins in `a&b=c` or `a;B=c`.
pub(super) fn next_pair(word: &[u8]) -> Option<usize> {
    memchr::memchr2_iter(b'&', b';', word).find(|&at| {
        let name = run_end(word, at + 1, ALPHA | one(b'_'));
        name > at + 3 && word.get(name) == Some(&b'=')
    })
}

/// Without what closes or separates in code, where nothing in the word was opened: `secret),`.
fn without_closers(word: &[u8]) -> usize {
    let mut length = word.len();
    while let Some(&last) = word[..length].last() {
        let opens = match last {
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            b',' | b';' => 0,
            _ => break,
        };
        if opens != 0 && word[..length].contains(&opens) {
            break;
        }
        length -= 1;
    }
    length
}

/// Where the quote of this escape level (or the line) ends, before the backslashes that belong to it; at the start
/// when that is too far.
fn closing_quote(bytes: &[u8], start: usize, quote: u8, backslashes: usize) -> usize {
    let mut seen = 0;
    for (offset, &byte) in bytes[start..].iter().take(MAX_QUOTED).enumerate() {
        match byte {
            b'\\' => seen += 1,
            b'\n' => return start + offset,
            _ if byte == quote && closes(seen, backslashes) => return start + offset - seen.min(backslashes),
            _ => seen = 0,
        }
    }
    if bytes.len() - start <= MAX_QUOTED { bytes.len() } else { start }
}

/// At the outermost level an odd backslash escapes the quote; inside, fewer or as many as opened it close it.
fn closes(seen: usize, opened: usize) -> bool {
    if opened == 0 { seen.is_multiple_of(2) } else { seen <= opened }
}

const ALPHA: Set = LOWER | UPPER;
const LONG_VALUE: Set = TOKEN | one(b'+') | one(b'/') | one(b'.');

/// Where a value without quotes ends; at its start when it is none.
fn bare_end(bytes: &[u8], start: usize) -> usize {
    let ends = |at: usize| {
        let byte = bytes[at];
        byte.is_ascii_whitespace()
            || matches!(byte, b'"' | b'\'' | b'`' | b',' | b';' | b'&' | b'|' | b')' | b']' | b'}' | b'\\')
            || byte == b'<' && is_tag(&bytes[at..])
    };
    let near = bytes.len().min(start + MAX_PLAIN);
    let end = match (start..near).find(|&at| ends(at)) {
        Some(end) => end,
        None if near == bytes.len() => near,
        None => run_end(bytes, run_end(bytes, start, LONG_VALUE), one(b'=')),
    };
    if end < bytes.len() && !ends(end) {
        return start;
    }
    // A sentence may end with the value; an ellipsis says that it is none.
    let value = &bytes[start..end];
    if value.ends_with(b".") && !value.ends_with(b"..") { end - 1 } else { end }
}

/// Whether only what may precede a name in a file is before it on its line: indentation, the sign of a list or a diff, a
/// line's number, `export`.
pub(super) fn begins_line(bytes: &[u8], name: usize) -> bool {
    let floor = name.saturating_sub(40);
    let is_break =
        |at: usize| bytes[at] == b'\n' || bytes[at] == b'>' || at + 1 < name && bytes[at..at + 2] == *b"\\n";
    let start = (floor..name).rev().find(|&at| is_break(at));
    let before = match start {
        Some(at) => &bytes[at + if bytes[at] == b'\\' { 2 } else { 1 }..name],
        None if floor == 0 => &bytes[..name],
        None => return false,
    };
    let word =
        run_start(before, before.trim_ascii_end().len(), LOWER | one(b'E') | one(b'N') | one(b'V'), 12);
    let before = match before[word..].trim_ascii_end() {
        b"export" | b"set" | b"setx" | b"ENV" | b"const" | b"let" | b"var" | b"local" | b"final" => {
            &before[..word]
        }
        _ => before,
    };
    // `→` is what the client's own reader puts behind a line's number.
    before.iter().all(|byte| b" \t+-#$|".contains(byte) || byte.is_ascii_digit() || *byte >= 128)
}

/// A run of what tokens are made of, for values that must be one.
pub(super) fn is_one_token(text: &[u8]) -> bool {
    text.iter().all(|&byte| has(LONG_VALUE | one(b'='), byte))
}
