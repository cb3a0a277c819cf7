//! Secrets known by the name they are given: `DB_PASSWORD=…`, `"api_key": "…"`, `X-Auth-Token: …`.
//!
//! Every `=` and `:` is looked at from the middle: back to a name, forward to a value. That way names need no
//! list of their spellings, and text without either sign is passed over at the speed of `memchr`.

use super::bytes::{ALNUM, Set, TOKEN, UPPER, has, one, run_end, run_start};
use super::value::{Promise, Style, is_secret};
use super::{Evidence, Finding, shapes};
use crate::find;

/// Pushes the secret values of assignments, headers and addresses in `bytes`.
pub(super) fn scan(bytes: &[u8], found: &mut Vec<Finding>) {
    find::each_of(b'=', b':', bytes, |at| {
        if bytes[at] == b':' && bytes[at + 1..].starts_with(b"//") {
            shapes::address(bytes, at, found);
        } else if let Some(separator) = Separator::at(bytes, at) {
            assignment(bytes, &separator, found);
        }
    });
}

/// What stands between a name and a value.
struct Separator {
    start: usize,
    end: usize,
    colon: bool,
}

impl Separator {
    /// `=`, `:`, `:=`, `=>`, but no comparison, path or scope.
    fn at(bytes: &[u8], at: usize) -> Option<Self> {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        let next = bytes.get(at + 1);
        let colon = bytes[at] == b':';
        let scope = colon && before == Some(b':') || matches!(next, Some(b':' | b'='));
        let comparison = !colon && before.is_some_and(|byte| b"=!<>~+/|&".contains(&byte));
        if scope || comparison {
            return None;
        }
        let start = if !colon && before == Some(b':') { at - 1 } else { at };
        let end = if !colon && next == Some(&b'>') { at + 2 } else { at + 1 };
        Some(Self { start, end, colon })
    }
}

fn assignment(bytes: &[u8], separator: &Separator, found: &mut Vec<Finding>) {
    let end = name_end(bytes, separator.start);
    // Most signs end here: neither a name nor, before a `=`, a type stands before them.
    let may_mean = may_end_a_name(&bytes[..end]);
    if !may_mean && (separator.colon || !may_end_a_type(&bytes[..end])) {
        return;
    }
    let name = name_to(bytes, end);
    let meaning = if may_mean { Meaning::of(&bytes[name.0..name.1]) } else { None };
    let Some(meaning) = meaning else {
        return typed_literal(bytes, separator, name, found);
    };
    let value = Value::after(bytes, separator.end);
    match meaning {
        Meaning::Secret(promise) => {
            let style = value.style(bytes, separator, name);
            // `--- PASS: TestName/case_2` is the verdict of a test runner.
            if style == Style::Bare && separator.colon && bytes[name.0..name.1].eq_ignore_ascii_case(b"pass")
            {
                return;
            }
            push_if_secret(bytes, &value, promise, style, name, found);
        }
        Meaning::Authorization => shapes::authorization(bytes, value.start, found),
        Meaning::Cookie => shapes::cookies(bytes, value.start, usize::MAX, found),
        Meaning::SetCookie => shapes::cookies(bytes, value.start, 1, found),
        Meaning::Signature => {
            let text = &bytes[value.start..value.end];
            if !separator.colon && text.len() >= 40 && text.iter().all(|&byte| has(SIGNATURE, byte)) {
                found.push(value.finding("signature", Evidence::Place));
            }
        }
    }
}

const SIGNATURE: Set = TOKEN | one(b'%') | one(b'+') | one(b'/');

fn push_if_secret(
    bytes: &[u8],
    value: &Value,
    promise: Promise,
    style: Style,
    name: (usize, usize),
    found: &mut Vec<Finding>,
) {
    if is_secret(&bytes[value.start..value.end], promise, style, &bytes[name.0..name.1]) {
        found.push(value.finding(promise.kind(), Evidence::Name));
    }
}

/// `let password: &str = "…"`: the name stands before the type.
fn typed_literal(bytes: &[u8], separator: &Separator, type_name: (usize, usize), found: &mut Vec<Finding>) {
    const TYPE: Set = TOKEN | one(b' ') | one(b'&') | one(b'\'') | one(b'<') | one(b'>') | one(b'.');
    if separator.colon {
        return;
    }
    let before = run_start(bytes, type_name.0, TYPE, 40);
    if before == 0 || bytes[before - 1] != b':' {
        return;
    }
    let value = Value::after(bytes, separator.end);
    let end = name_end(bytes, before - 1);
    if !value.quoted || !may_end_a_name(&bytes[..end]) {
        return;
    }
    let name = name_to(bytes, end);
    if let Some(Meaning::Secret(promise)) = Meaning::of(&bytes[name.0..name.1]) {
        push_if_secret(bytes, &value, promise, Style::Quoted, name, found);
    }
}

/// Where the name before `at` ends, past spaces, quotes and brackets: `"password"`, `env['TOKEN']`, `**Password**`.
fn name_end(bytes: &[u8], at: usize) -> usize {
    const AROUND: Set = one(b' ') | one(b'"') | one(b'\'') | one(b'`') | one(b'\\') | one(b']') | one(b'*');
    run_start(bytes, at, AROUND, 16)
}

/// The name that ends at `end`.
fn name_to(bytes: &[u8], end: usize) -> (usize, usize) {
    (run_start(bytes, end, TOKEN | one(b'.'), 64), end)
}

/// What a name says about its value.
enum Meaning {
    Secret(Promise),
    Authorization,
    Cookie,
    SetCookie,
    /// Of an address that whoever has it may open.
    Signature,
}

/// Ends of names, without separators and in lower case; the flag asks for a word edge before (`bypass`).
const NAMES: &[(&str, Promise, bool)] = &[
    ("password", Promise::Password, false),
    ("passwd", Promise::Password, false),
    ("passcode", Promise::Password, false),
    ("pwd", Promise::Password, true),
    ("pass", Promise::Password, true),
    ("requirepass", Promise::Password, false),
    ("psk", Promise::Password, true),
    ("passphrase", Promise::Phrase, false),
    ("mnemonic", Promise::Phrase, false),
    ("seedphrase", Promise::Phrase, false),
    ("token", Promise::Token, false),
    ("githubpat", Promise::Token, false),
    ("ghpat", Promise::Token, false),
    ("gitlabpat", Promise::Token, false),
    ("azuredevopsextpat", Promise::Token, false),
    ("secret", Promise::Secret, false),
    ("secretkeybase", Promise::Secret, false),
    ("credential", Promise::Secret, false),
    ("credentials", Promise::Secret, false),
    ("apikey", Promise::Key, false),
    ("secretkey", Promise::Key, false),
    ("accesskey", Promise::Key, false),
    ("privatekey", Promise::Key, false),
    ("accountkey", Promise::Key, false),
    ("masterkey", Promise::Key, false),
    ("signingkey", Promise::Key, false),
    ("encryptionkey", Promise::Key, false),
    ("authkey", Promise::Key, false),
    ("appkey", Promise::Key, true),
    ("applicationkey", Promise::Key, false),
    ("adminkey", Promise::Key, false),
    ("servicekey", Promise::Key, false),
    ("servicerolekey", Promise::Key, false),
    ("licensekey", Promise::Key, false),
    ("integrationkey", Promise::Key, false),
    ("routingkey", Promise::Key, false),
    ("clientkeydata", Promise::Key, false),
];

/// Names that are not in the list above, by their ends.
const OTHER_ENDS: [&str; 5] = ["authorization", "cookie", "sig", "signature", "auth"];

/// For each letter that a name may end in, those that may stand before it.
const ENDS: [Set; 26] = {
    let mut ends = [0; 26];
    let mut number = 0;
    while number < NAMES.len() + OTHER_ENDS.len() {
        let name = if number < NAMES.len() { NAMES[number].0 } else { OTHER_ENDS[number - NAMES.len()] };
        let name = name.as_bytes();
        ends[(name[name.len() - 1] - b'a') as usize] |= one(name[name.len() - 2]);
        number += 1;
    }
    ends
};

/// Types end in many letters (`str`, `String`, `Token`, `bytes`), though not in all.
fn may_end_a_type(text: &[u8]) -> bool {
    text.last().is_some_and(|last| b"negrhydsktcla".contains(&last.to_ascii_lowercase()))
}

/// Whether the last two letters are those of a name that says something. What is no letter may stand between any two.
fn may_end_a_name(text: &[u8]) -> bool {
    let [.., before, last] = text else { return false };
    let (before, last) = (before.to_ascii_lowercase(), last.to_ascii_lowercase());
    last.is_ascii_lowercase() && {
        let ends = ENDS[usize::from(last - b'a')];
        has(ends, before) || ends != 0 && !has(ALNUM, before)
    }
}

/// Tokens of parsers, models and pagination, which open nothing.
const OTHER_TOKENS: &[&str] = &[
    "page",
    "next",
    "continuation",
    "cancellation",
    "cancel",
    "abort",
    "pad",
    "eos",
    "bos",
    "unk",
    "sep",
    "mask",
    "cls",
    "special",
    "sync",
    "eof",
    "stop",
    "start",
    "end",
    "per",
    "first",
    "last",
    "max",
    "min",
    "prev",
    "current",
    "cursor",
    "resume",
    "design",
];

impl Meaning {
    fn of(name: &[u8]) -> Option<Self> {
        let mut buffer = [0; 64];
        let mut length = 0;
        for byte in name.iter().filter(|&&byte| has(ALNUM, byte)) {
            buffer[length] = byte.to_ascii_lowercase();
            length += 1;
        }
        let plain = &buffer[..length];
        match plain {
            b"authorization" | b"proxyauthorization" => return Some(Self::Authorization),
            b"cookie" => return Some(Self::Cookie),
            b"setcookie" => return Some(Self::SetCookie),
            b"sig" | b"xamzsignature" | b"xgoogsignature" => return Some(Self::Signature),
            b"auth" if name == b"_auth" => return Some(Self::Secret(Promise::Token)),
            _ => {}
        }
        let last = plain.last();
        let secret = |(word, _, edge): &&(&str, Promise, bool)| {
            word.as_bytes().last() == last
                && plain.ends_with(word.as_bytes())
                && (!edge || has_edge(name, word.len()))
        };
        let &(word, promise, _) = NAMES.iter().find(secret)?;
        let stem = &plain[..length - word.len()];
        let other = word == "token" && OTHER_TOKENS.iter().any(|other| stem.ends_with(other.as_bytes()));
        (!other).then_some(Self::Secret(promise))
    }
}

/// Whether the last `length` bytes of `name` are a word of their own.
fn has_edge(name: &[u8], length: usize) -> bool {
    let Some(start) = name.len().checked_sub(length) else { return false };
    start == 0 || !has(ALNUM, name[start - 1]) || has(UPPER, name[start]) && !has(UPPER, name[start - 1])
}

/// The value after a separator.
pub(super) struct Value {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quoted: bool,
}

impl Value {
    /// Past spaces and emphasis; between quotes of any escape level, else up to the next space or closing sign.
    pub(super) fn after(bytes: &[u8], separator_end: usize) -> Self {
        let blank = |&&byte: &&u8| matches!(byte, b' ' | b'\t' | b'*');
        let mut start = separator_end + bytes[separator_end..].iter().take_while(blank).count();
        if let [b'b' | b'r' | b'u', b'"' | b'\'', ..] = bytes[start..] {
            start += 1;
        }
        let backslashes = bytes[start..].iter().take_while(|&&byte| byte == b'\\').count();
        match bytes.get(start + backslashes) {
            Some(&quote @ (b'"' | b'\'' | b'`')) => {
                let start = start + backslashes + 1;
                Self { start, end: closing_quote(bytes, start, quote, backslashes), quoted: true }
            }
            _ => Self { start, end: bare_end(bytes, start), quoted: false },
        }
    }

    pub(super) fn finding(&self, kind: &'static str, evidence: Evidence) -> Finding {
        Finding { start: self.start, end: self.end, kind, evidence }
    }

    fn style(&self, bytes: &[u8], separator: &Separator, name: (usize, usize)) -> Style {
        let tight = name.1 == separator.start && bytes.get(separator.end).is_some_and(|byte| *byte != b' ');
        let capitals = bytes[name.0..name.1].iter().all(|byte| !byte.is_ascii_lowercase());
        let called = matches!(bytes.get(self.end), Some(b'(' | b'[' | b'{'));
        if tight && capitals && !separator.colon && !called {
            Style::Env
        } else if self.quoted {
            Style::Quoted
        } else {
            Style::Bare
        }
    }
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

/// Longer than this without a space only machine-made values are, and those are one run of base64.
const MAX_PLAIN: usize = 256;
/// Longer than this nothing is a secret value; a bound, so that hostile text cannot make us read it over and over.
const MAX_QUOTED: usize = 8192;

/// Where a value without quotes ends; at its start when it is none.
fn bare_end(bytes: &[u8], start: usize) -> usize {
    let ends = |byte: &u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'"' | b'\'' | b'`' | b',' | b';' | b'&' | b'|' | b')' | b']' | b'}' | b'\\')
    };
    let plain = &bytes[start..bytes.len().min(start + MAX_PLAIN)];
    let end = match plain.iter().position(ends) {
        Some(length) => start + length,
        None if plain.len() < MAX_PLAIN => bytes.len(),
        None => run_end(bytes, run_end(bytes, start, LONG_VALUE), one(b'=')),
    };
    if bytes.get(end).is_some_and(|byte| !ends(byte)) {
        return start;
    }
    // A sentence may end with the value; an ellipsis says that it is none.
    let value = &bytes[start..end];
    if value.ends_with(b".") && !value.ends_with(b"..") { end - 1 } else { end }
}

const LONG_VALUE: Set = TOKEN | one(b'+') | one(b'/') | one(b'.');
