//! Where the value of a name starts and ends: after a separator, on the next line, between quotes, in a YAML block.

pub(super) mod judge;

use super::bytes::{LOWER, Set, TOKEN, UPPER, has, one, run_end, run_start};
use super::span::{Evidence, SecretSpan};
use judge::{Promise, Style, is_secret, is_words};

/// The value of a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueSpan {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quoted: bool,
    /// It is on a line of its own, below its name.
    pub(super) below: bool,
}

/// Unquoted values that are longer than this are generated, and consist of base64 only.
const MAX_PLAIN: usize = 256;
/// No secret value is longer. The limit keeps hostile text from being scanned again and again.
const MAX_QUOTED: usize = 8192;
/// How much of a YAML block is read.
const MAX_BLOCK: usize = 2048;

impl ValueSpan {
    /// After spaces and emphasis: between quotes of any escape level, or up to the next space or closing character.
    pub(super) fn after(bytes: &[u8], at: usize) -> ValueSpan {
        ValueSpan::starting(bytes, skip_blank(bytes, at), false)
    }

    /// The same for a line that consists of a name and its value, as in env files and YAML: if the rest of the line is one
    /// word, that is the value, whatever characters it has. It may also be on the next line.
    pub(super) fn of_line(bytes: &[u8], at: usize) -> ValueSpan {
        let is_empty = at > 0 && bytes[at - 1] == b'=';
        let start = skip_blank(bytes, at);
        if let Some(block) = block(bytes, start) {
            return block;
        }
        match line_break(bytes, start) {
            // `NAME=` at the end of a line has no value; `NAME = \` continues on the next one.
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
            // `"""…"""`: the first two quotes look like an empty string.
            let triple = backslashes == 0 && bytes[inner..].starts_with(&[quote, quote]);
            let start = if triple { inner + 2 } else { inner };
            let end = closing_quote(bytes, start, quote, backslashes);
            return ValueSpan { start, end, quoted: true, below: false };
        }
        let word = if whole_line { rest_of_line(bytes, start) } else { None };
        let end = word.unwrap_or_else(|| bare_end(bytes, start));
        ValueSpan { start, end, quoted: false, below: false }
    }

    pub(super) fn text<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.start..self.end]
    }

    pub(super) fn span(&self, kind: &'static str, evidence: Evidence) -> SecretSpan {
        SecretSpan { start: self.start, end: self.end, kind, evidence }
    }
}

fn skip_blank(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|&&byte| matches!(byte, b' ' | b'\t' | b'*')).count()
}

/// The length of the prefix of a literal: `b"…"`, `rb'…'`, `f"…"`, `@"…"`, `N'…'`.
fn literal_prefix(text: &[u8]) -> usize {
    let is_prefix = |byte: &u8| b"bBrRuUfFLN@$".contains(byte);
    match text {
        [a, b'"' | b'\'' | b'`', ..] if is_prefix(a) => 1,
        [a, b, b'"' | b'\'' | b'`', ..] if is_prefix(a) && is_prefix(b) => 2,
        _ => 0,
    }
}

/// The start of the next line, if this one ends at `at`. In nested text a line break is a literal `\n`.
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

/// Whether an element starts or ends here: `</bash-stdout>`, `<br>`. Opening tags must be lower case, because passwords
/// contain `<`, too.
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

/// A value on the next line: between quotes, or alone on its line.
fn below(bytes: &[u8], line: usize) -> ValueSpan {
    let start = skip_blank(bytes, line);
    let value = ValueSpan::starting(bytes, start, true);
    let alone = is_line_end(bytes, skip_blank(bytes, value.end));
    let name = run_end(bytes, start, TOKEN | one(b'.'));
    let another = matches!(bytes.get(name), Some(b'=' | b':')) && is_words(&bytes[start..name]);
    let end = if value.quoted || alone && !another { value.end } else { start };
    ValueSpan { end, below: true, ..value }
}

/// A YAML block: `|` or `>`, then lines with a deeper indent than the name.
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

/// The end of the word, if the rest of the line is one word and maybe a comment.
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
    let word = string_end(&bytes[start..word]).map_or(word, |length| start + length);
    Some(start + without_closers(&bytes[start..word]))
}

/// Where a JSON string ends that the value is the last word of: behind the quote in `word","next":…`.
fn string_end(word: &[u8]) -> Option<usize> {
    let goes_on =
        |rest: &[u8]| [&b",\""[..], b"},", b"],", b",\\\""].iter().any(|next| rest.starts_with(next));
    memchr::memchr_iter(b'"', word).map(|at| at + 1).find(|&after| goes_on(&word[after..]))
}

/// Where the next pair starts in `a&b=c` or `a;B=c`.
pub(super) fn next_pair(word: &[u8]) -> Option<usize> {
    memchr::memchr2_iter(b'&', b';', word).find(|&at| {
        let name = run_end(word, at + 1, ALPHA | one(b'_'));
        name > at + 3 && word.get(name) == Some(&b'=')
    })
}

/// The length without closing brackets, separators and quotes of the text around it: `secret),`, `secret\"}`.
fn without_closers(word: &[u8]) -> usize {
    let mut length = word.len();
    while let Some(&last) = word[..length].last() {
        let has_opened = |open: u8| word[..length].contains(&open);
        let closes = match last {
            b')' => !has_opened(b'('),
            b']' => !has_opened(b'['),
            b'}' => !has_opened(b'{'),
            b',' | b';' => true,
            b'"' => memchr::memchr_iter(last, &word[..length]).count() % 2 == 1,
            // The escape of such a quote.
            b'\\' => word.get(length) == Some(&b'"'),
            _ => false,
        };
        if !closes {
            break;
        }
        length -= 1;
    }
    length
}

/// The end of the quoted text (or of the line), before the backslashes that escape the closing quote; the start if that
/// is too far away.
fn closing_quote(bytes: &[u8], start: usize, quote: u8, backslashes: usize) -> usize {
    // In `input('Password: ')` the quote closes a text. No other one follows.
    let unclosed = |end: usize| if bytes.get(start) == Some(&b')') { start } else { end };
    let mut seen = 0;
    for (offset, &byte) in bytes[start..].iter().take(MAX_QUOTED).enumerate() {
        match byte {
            b'\\' => seen += 1,
            b'\n' => return unclosed(start + offset),
            _ if byte == quote && closes(seen, backslashes) => return start + offset - seen.min(backslashes),
            _ => seen = 0,
        }
    }
    if bytes.len() - start <= MAX_QUOTED { unclosed(bytes.len()) } else { start }
}

/// Without escapes, an odd number of backslashes escapes the quote. In nested text, at most as many as opened it close it.
fn closes(seen: usize, opened: usize) -> bool {
    if opened == 0 { seen.is_multiple_of(2) } else { seen <= opened }
}

const ALPHA: Set = LOWER | UPPER;
const LONG_VALUE: Set = TOKEN | one(b'+') | one(b'/') | one(b'.');

/// The end of an unquoted value; the start if there is none.
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
    // A sentence may end after the value. An ellipsis means a placeholder.
    let value = &bytes[start..end];
    if value.ends_with(b".") && !value.ends_with(b"..") { end - 1 } else { end }
}

/// Whether the name is the first thing on its line, after indentation, list or diff markers, a line number, `export`.
pub(super) fn begins_line(bytes: &[u8], name: usize) -> bool {
    let floor = name.saturating_sub(40);
    let is_break =
        |at: usize| bytes[at] == b'\n' || bytes[at] == b'>' || at + 1 < name && bytes[at..at + 2] == *b"\\n";
    let start = (floor..name).rev().find(|&at| is_break(at));
    let before = match start {
        Some(at) => &bytes[at + if bytes[at] == b'\\' { 2 } else { 1 }..name],
        None => &bytes[floor..name],
    };
    let is_whole = start.is_some() || floor == 0;
    let word =
        run_start(before, before.trim_ascii_end().len(), LOWER | one(b'E') | one(b'N') | one(b'V'), 12);
    let before = match before[word..].trim_ascii_end() {
        b"export" | b"set" | b"setx" | b"ENV" | b"const" | b"let" | b"var" | b"local" | b"final" => {
            &before[..word]
        }
        _ => before,
    };
    // `path:12:` as grep prints it.
    let before = match before.strip_suffix(b":") {
        Some(rest) if rest.last().is_some_and(u8::is_ascii_digit) && rest.contains(&b':') => b"",
        _ => before,
    };
    // Clients print `→` after a line number.
    (is_whole || before.is_empty())
        && before.iter().all(|byte| b" \t+-#$|".contains(byte) || byte.is_ascii_digit() || *byte >= 128)
}

/// Whether the text has only characters of a token.
pub(super) fn is_one_token(text: &[u8]) -> bool {
    text.iter().all(|&byte| has(LONG_VALUE | one(b'='), byte))
}

/// Adds the value when it is a secret for a name that promises one.
pub(super) fn push_if_secret(
    bytes: &[u8],
    value: &ValueSpan,
    promise: Promise,
    style: Style,
    name: (usize, usize),
    found: &mut Vec<SecretSpan>,
) {
    let text = value.text(bytes);
    // The first line of a block decides.
    let first = text.split(|&byte| byte == b'\n').next().unwrap_or(text).trim_ascii_end();
    let judged = if value.below && !value.quoted { first } else { text };
    if is_secret(judged, promise, style, &bytes[name.0..name.1]) {
        found.push(value.span(promise.kind(), Evidence::Name));
    }
}
