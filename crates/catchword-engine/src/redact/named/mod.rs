//! Secrets known by the name they are given: `DB_PASSWORD=…`, `"api_key": "…"`, `X-Auth-Token: …`.
//!
//! Every `=`, `:` and `,` is looked at from the middle: back to a name, forward to a value. That way names need no
//! list of their spellings, and text without any of these signs is passed over at the speed of `memchr`.
//!
//! - `names` — which names say that their value is secret
//! - `value` — where the value begins and ends
//! - `judge` — whether the value is one, or a stand-in, a type, a label
//! - `forms` — names and values without a sign between them: elements, flags, SQL, `ENV NAME value`

pub(super) mod forms;
pub(super) mod judge;
mod names;
pub(super) mod value;

use super::bytes::{ALNUM, Set, TOKEN, has, one, run_start};
use super::rules::shapes;
use super::{Evidence, SecretSpan};
use judge::{Promise, Style, is_secret};
use names::{LONGEST_NAME, Meaning, may_end_a_name};
use value::{ValueSpan, begins_line, is_one_token, next_pair};

/// Whether a value of this name is a secret, whatever it looks like.
pub fn names_a_secret(name: &str) -> bool {
    let meaning = Meaning::of(name.as_bytes());
    matches!(
        meaning,
        Some(Meaning::Secret(_) | Meaning::Authorization | Meaning::Cookie | Meaning::EncodedLogin)
    )
}

/// Whether a member of this name is the name of its neighbour's value (`name`, `key`), or that value (`value`).
pub fn pairs_up(name: &str) -> Option<NamedPair> {
    match Meaning::of(name.as_bytes())? {
        Meaning::FieldName => Some(NamedPair::Name),
        Meaning::FieldValue => Some(NamedPair::Value),
        _ => None,
    }
}

/// The two members of `{"name": "DB_PASSWORD", "value": "…"}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedPair {
    /// The one that has the name.
    Name,
    /// The one that has the value.
    Value,
}

/// Pushes the secret values of assignments, headers and addresses in `bytes`.
pub(super) fn scan(bytes: &[u8], found: &mut Vec<SecretSpan>) {
    let mut scan = NameScan { bytes, field: None, cookies_to: 0, found };
    for at in memchr::memchr3_iter(b'=', b':', b',', bytes) {
        if bytes[at] == b',' {
            forms::beside(bytes, at, scan.found);
        } else if bytes[at] == b':' && bytes[at + 1..].starts_with(b"//") {
            shapes::address(bytes, at, scan.found);
        } else if let Some(separator) = Separator::at(bytes, at) {
            scan.assignment(&separator);
        }
    }
    if !bytes.is_ascii() {
        // The colon of Chinese and Japanese texts.
        for at in memchr::memmem::find_iter(bytes, WIDE_COLON) {
            scan.assignment(&Separator { start: at, end: at + WIDE_COLON.len(), colon: true });
        }
    }
}

const WIDE_COLON: &str = "：";

/// What is between a name and a value.
struct Separator {
    start: usize,
    end: usize,
    colon: bool,
}

impl Separator {
    /// `=`, `:`, `:=`, `=>`, `:-` (a shell's default), but no comparison, path or scope.
    fn at(bytes: &[u8], at: usize) -> Option<Self> {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        let next = bytes.get(at + 1);
        let colon = bytes[at] == b':';
        let scope = colon && before == Some(b':') || matches!(next, Some(b':' | b'='));
        let comparison = !colon && before.is_some_and(|byte| b"=!<>~+/|&".contains(&byte));
        if scope || comparison {
            return None;
        }
        let start = if !colon && matches!(before, Some(b':' | b'?')) { at - 1 } else { at };
        let arrow = !colon && next == Some(&b'>') || colon && next == Some(&b'-');
        Some(Self { start, end: if arrow { at + 2 } else { at + 1 }, colon })
    }
}

struct NameScan<'a> {
    bytes: &'a [u8],
    /// The value of the last `name:` or `key:`, and where it ended.
    field: Option<ValueSpan>,
    /// How far cookies were read.
    cookies_to: usize,
    found: &'a mut Vec<SecretSpan>,
}

/// How far a `value:` may be from its `name:`.
const FIELD_REACH: usize = 300;

impl NameScan<'_> {
    fn assignment(&mut self, separator: &Separator) {
        let bytes = self.bytes;
        let end = name_end(bytes, separator.start);
        // Most signs end here: neither a name nor, before a `=`, a type is before them.
        let may_mean = may_end_a_name(&bytes[..end]);
        if !may_mean && (separator.colon || !may_end_a_type(&bytes[..end])) {
            return;
        }
        let name = match bytes[separator.start.saturating_sub(1)] {
            b' ' => name_to(bytes, end),
            _ if separator.colon => name_to(bytes, end),
            _ => (word_to(bytes, end), end),
        };
        let meaning = if may_mean { Meaning::of(&bytes[name.0..name.1]) } else { None };
        match meaning {
            None => typed_literal(bytes, separator, name, self.found),
            Some(meaning) => self.value_of(meaning, separator, name),
        }
    }

    fn value_of(&mut self, meaning: Meaning, separator: &Separator, name: (usize, usize)) {
        let bytes = self.bytes;
        let value = value_after(bytes, separator, name);
        match meaning {
            Meaning::Secret(promise) => {
                let style = style(bytes, &value, separator, name);
                // `--- PASS: TestName/case_2` is the verdict of a test runner.
                let verdict = separator.colon && bytes[name.0..name.1].eq_ignore_ascii_case(b"pass");
                if style != Style::Bare || !verdict {
                    push_if_secret(bytes, &value, promise, style, name, self.found);
                }
            }
            Meaning::Authorization => shapes::authorization(bytes, value.start, self.found),
            // Text made of nothing but `Cookie:` is read once, not once for each.
            Meaning::Cookie | Meaning::SetCookie if value.start < self.cookies_to => {}
            Meaning::Cookie => self.cookies_to = shapes::cookies(bytes, value.start, usize::MAX, self.found),
            Meaning::SetCookie => self.cookies_to = shapes::cookies(bytes, value.start, 1, self.found),
            Meaning::Signature => {
                let text = value.text(bytes);
                if !separator.colon && text.len() >= 40 && text.iter().all(|&byte| has(SIGNATURE, byte)) {
                    self.found.push(value.span("signature", Evidence::Place));
                }
            }
            Meaning::EncodedLogin => {
                let text = value.text(bytes);
                let npm = bytes[name.0..name.1] == *b"_auth";
                if npm && is_secret(text, Promise::Token, Style::Quoted, b"")
                    || shapes::is_encoded_login(text)
                {
                    self.found.push(value.span("credentials", Evidence::Place));
                }
            }
            Meaning::JwkMember => {
                let text = value.text(bytes);
                if value.quoted
                    && text.len() >= 16
                    && is_one_token(text)
                    && is_near(bytes, name.0, b"\"kty\"")
                {
                    self.found.push(value.span("private key", Evidence::Place));
                }
            }
            Meaning::FieldName => self.field = Some(value),
            Meaning::FieldValue => self.field_value(&value),
        }
    }

    /// `value: …` below `name: DB_PASSWORD`, `default = …` in a `variable "db_password"`.
    fn field_value(&mut self, value: &ValueSpan) {
        let bytes = self.bytes;
        let near = self.field.filter(|field| {
            (field.end..field.end + FIELD_REACH).contains(&value.start) && field.end > field.start
        });
        let Some((start, end)) =
            near.map(|field| (field.start, field.end)).or_else(|| variable(bytes, value.start))
        else {
            return;
        };
        match Meaning::of(&bytes[start..end]) {
            Some(Meaning::Secret(promise)) => {
                let capitals = !bytes[start..end].iter().any(u8::is_ascii_lowercase);
                let style = if value.quoted {
                    Style::Quoted
                } else if capitals {
                    Style::Env
                } else {
                    Style::Bare
                };
                push_if_secret(bytes, value, promise, style, (start, end), self.found);
            }
            Some(Meaning::Authorization) => shapes::authorization(bytes, value.start, self.found),
            _ => {}
        }
    }
}

/// The name of the Terraform variable that `at` is in.
fn variable(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    const OPENS: &[u8] = b"variable \"";
    let floor = at.saturating_sub(FIELD_REACH);
    let start = floor + memchr::memmem::rfind(&bytes[floor..at], OPENS)? + OPENS.len();
    let end = start + memchr::memchr(b'"', &bytes[start..at])?;
    Some((start, end))
}

/// Whether `text` is within the same object, more or less.
fn is_near(bytes: &[u8], at: usize, text: &[u8]) -> bool {
    const REACH: usize = 4096;
    let near = &bytes[at.saturating_sub(REACH)..bytes.len().min(at + REACH)];
    memchr::memmem::find(near, text).is_some()
}

fn value_after(bytes: &[u8], separator: &Separator, name: (usize, usize)) -> ValueSpan {
    // `"NAME=value"` as an argument ends with its quote, whatever is in it.
    let quote = name.0.checked_sub(1).map(|before| bytes[before]).filter(|byte| b"\"'".contains(byte));
    if let (Some(quote), false, true) = (quote, separator.colon, name.1 == separator.start) {
        let rest = &bytes[separator.end..bytes.len().min(separator.end + 512)];
        let line = memchr::memchr2(b'\n', b'\\', rest).unwrap_or(rest.len());
        if let Some(length) = memchr::memchr(quote, &rest[..line]).filter(|&length| length > 0) {
            let length = next_pair(&rest[..length]).unwrap_or(length);
            let (start, end) = (separator.end, separator.end + length);
            return ValueSpan { start, end, quoted: false, below: false };
        }
    }
    if begins_line(bytes, before_quotes(bytes, name.0)) {
        ValueSpan::of_line(bytes, separator.end)
    } else {
        ValueSpan::after(bytes, separator.end)
    }
}

fn before_quotes(bytes: &[u8], at: usize) -> usize {
    run_start(bytes, at, one(b'"') | one(b'\'') | one(b'*') | one(b'\\'), 4)
}

const SIGNATURE: Set = TOKEN | one(b'%') | one(b'+') | one(b'/');

fn push_if_secret(
    bytes: &[u8],
    value: &ValueSpan,
    promise: Promise,
    style: Style,
    name: (usize, usize),
    found: &mut Vec<SecretSpan>,
) {
    let text = value.text(bytes);
    // Of a block of several lines the first one tells.
    let first = text.split(|&byte| byte == b'\n').next().unwrap_or(text).trim_ascii_end();
    let judged = if value.below && !value.quoted { first } else { text };
    if is_secret(judged, promise, style, &bytes[name.0..name.1]) {
        found.push(value.span(promise.kind(), Evidence::Name));
    }
}

fn style(bytes: &[u8], value: &ValueSpan, separator: &Separator, name: (usize, usize)) -> Style {
    let tight = name.1 == separator.start && bytes.get(separator.end).is_some_and(|byte| *byte != b' ');
    let capitals = bytes[name.0..name.1].iter().all(|byte| !byte.is_ascii_lowercase());
    let called = matches!(bytes.get(value.end), Some(b'(' | b'[' | b'{'));
    if tight && capitals && !separator.colon && !called && !value.below {
        Style::Env
    } else if value.quoted {
        Style::Quoted
    } else {
        Style::Bare
    }
}

/// `let password: &str = "…"`: the name is before the type.
fn typed_literal(
    bytes: &[u8],
    separator: &Separator,
    type_name: (usize, usize),
    found: &mut Vec<SecretSpan>,
) {
    const TYPE: Set = TOKEN | one(b' ') | one(b'&') | one(b'\'') | one(b'<') | one(b'>') | one(b'.');
    if separator.colon {
        return;
    }
    let before = run_start(bytes, type_name.0, TYPE, 40);
    if before == 0 || bytes[before - 1] != b':' {
        return;
    }
    let value = ValueSpan::after(bytes, separator.end);
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

/// The name that ends at `end`: one word, or several where only the last is common (`API key`, `mot de passe`).
fn name_to(bytes: &[u8], end: usize) -> (usize, usize) {
    let mut start = word_to(bytes, end);
    let goes_on = |text: &[u8]| LAST_WORDS.iter().any(|last| text.eq_ignore_ascii_case(last));
    if goes_on(&bytes[start..end]) {
        for _ in 0..2 {
            if start >= 2 && bytes[start - 1] == b' ' && has(ALNUM, bytes[start - 2]) {
                start = word_to(bytes, start - 1);
            }
        }
    }
    (start.max(end.saturating_sub(LONGEST_NAME)), end)
}

fn word_to(bytes: &[u8], end: usize) -> usize {
    let floor = end.saturating_sub(LONGEST_NAME);
    let is_name = |byte: &u8| has(TOKEN | one(b'.'), *byte) || *byte >= 128;
    bytes[floor..end].iter().rposition(|byte| !is_name(byte)).map_or(floor, |at| floor + at + 1)
}

/// Last words of names that are written with spaces.
const LAST_WORDS: &[&[u8]] = &[b"key", b"passe", b"phrase"];

/// Types end in many letters (`str`, `String`, `Token`, `bytes`), though not in all.
fn may_end_a_type(text: &[u8]) -> bool {
    text.last().is_some_and(|last| b"negrhydsktcla".contains(&last.to_ascii_lowercase()))
}
