//! Secrets that are recognised by their name: `DB_PASSWORD=…`, `"api_key": "…"`, `X-Auth-Token: …`.
//!
//! The scan stops at every `=`, `:` and `,` and looks back for a name and ahead for a value. So there is no list of all
//! spellings of a name, and text without these characters is skipped at the speed of `memchr`.
//!
//! - `names`: which names promise a secret
//! - `forms`: names and values without one of these characters between them: elements, flags, SQL, `ENV NAME value`

pub(super) mod forms;
mod names;

use super::bytes::{LOWER, Set, TOKEN, UPPER, has, one, run_end, run_start};
use super::shapes;
use super::span::{Evidence, SecretSpan, push};
use super::value::judge::{Promise, Style, is_secret};
use super::value::{ValueSpan, begins_line, is_one_token, next_pair, push_if_secret};
use names::{Meaning, may_end_a_name, name_end, name_to, word_to};

/// Whether this name promises a secret value.
pub fn names_a_secret(name: &str) -> bool {
    let meaning = Meaning::of(name.as_bytes());
    matches!(
        meaning,
        Some(Meaning::Secret(_) | Meaning::Authorization | Meaning::Cookie | Meaning::EncodedLogin)
    )
}

/// Whether a member with this key names the value beside it (`name`, `key`), or is that value (`value`).
pub fn pairs_up(name: &str) -> Option<NamedPair> {
    match Meaning::of(name.as_bytes())? {
        Meaning::FieldName => Some(NamedPair::Name),
        Meaning::FieldValue => Some(NamedPair::Value),
        _ => None,
    }
}

/// Whether a name is a constant, `DB_PASSWORD`: in capitals and of several words.
pub fn is_constant(name: &str) -> bool {
    forms::is_constant(name.as_bytes())
}

/// The two members of `{"name": "DB_PASSWORD", "value": "…"}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedPair {
    /// The member with the name.
    Name,
    /// The member with the value.
    Value,
}

/// Adds the secret values of assignments, headers and addresses in `bytes`.
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
    // "The password is 'x1y2z3'", "密码是x1y2z3".
    let words = if bytes.is_ascii() { &SAYS_IS[..ASCII_SAYS_IS] } else { SAYS_IS };
    for word in words {
        for at in memchr::memmem::find_iter(bytes, word) {
            scan.assignment(&Separator { start: at, end: at + word.len(), colon: true });
        }
    }
}

const WIDE_COLON: &str = "：";

/// What stands between a name and a value in a sentence; ASCII first.
const SAYS_IS: &[&str] =
    &[" is ", " ist ", " lautet ", " est ", " es ", " é ", " è ", "为", "為", "是", "は"];
const ASCII_SAYS_IS: usize = 5;

/// The characters between a name and a value.
struct Separator {
    start: usize,
    end: usize,
    colon: bool,
}

impl Separator {
    /// `=`, `:`, `:=`, `=>`, `:-` (a default in a shell), but not a comparison or a scope (`::`).
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
    /// Cookies are scanned up to here.
    cookies_to: usize,
    found: &'a mut Vec<SecretSpan>,
}

/// The longest distance from a `name:` to its `value:`.
const FIELD_REACH: usize = 300;

impl NameScan<'_> {
    fn assignment(&mut self, separator: &Separator) {
        let bytes = self.bytes;
        let end = name_end(bytes, separator.start);
        // The fast path: no name, and before a `=` no type, can end here.
        let may_mean = may_end_a_name(&bytes[..end]);
        if !may_mean && (separator.colon || !may_end_a_type(&bytes[..end])) {
            return;
        }
        let name = match bytes[separator.start.saturating_sub(1)] {
            b' ' => name_to(bytes, end),
            _ if separator.colon => name_to(bytes, end),
            _ => (word_to(bytes, end), end),
        };
        if is_quoted_type(bytes, name) {
            return;
        }
        let meaning = if may_mean { Meaning::of(&bytes[name.0..name.1]) } else { None };
        match meaning {
            None => typed_literal(bytes, separator, name, self.found),
            Some(meaning) => self.value_of(meaning, separator, name),
        }
    }

    fn value_of(&mut self, meaning: Meaning, separator: &Separator, name: (usize, usize)) {
        let bytes = self.bytes;
        let may_have_spaces = matches!(meaning, Meaning::Secret(Promise::Phrase));
        let value = value_after(bytes, separator, name, may_have_spaces);
        match meaning {
            Meaning::Secret(promise) => {
                let style = style(bytes, &value, separator, name);
                // `--- PASS: TestName/case_2` is output of a test runner.
                let verdict = separator.colon && bytes[name.0..name.1].eq_ignore_ascii_case(b"pass");
                if style != Style::Bare || !verdict {
                    push_if_secret(bytes, &value, promise, style, name, self.found);
                }
            }
            Meaning::Authorization => shapes::authorization(bytes, value.start, self.found),
            // Scan text that repeats `Cookie:` once, not once per repetition.
            Meaning::Cookie | Meaning::SetCookie if value.start < self.cookies_to => {}
            Meaning::Cookie => self.cookies_to = shapes::cookies(bytes, value.start, usize::MAX, self.found),
            Meaning::SetCookie => self.cookies_to = shapes::cookies(bytes, value.start, 1, self.found),
            Meaning::Signature => {
                // Emphasis or a bracket may follow the address.
                let end = run_end(&bytes[..value.end], value.start, SIGNATURE);
                if !separator.colon && end - value.start >= 40 {
                    push(self.found, value.start, end, "signature", Evidence::Place);
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

/// A type or module in quotes, as lists of modules have it: `'Test2::Event::Pass' => 'cpan'`.
fn is_quoted_type(bytes: &[u8], (start, end): (usize, usize)) -> bool {
    let is_type = matches!(bytes[start..end], [first, second, ..] if has(UPPER, first) && has(LOWER, second));
    is_type && bytes[..start].ends_with(b"::") && matches!(bytes.get(end), Some(b'\'' | b'"'))
}

/// The name of the Terraform variable around `at`.
fn variable(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    const OPENS: &[u8] = b"variable \"";
    let floor = at.saturating_sub(FIELD_REACH);
    let start = floor + memchr::memmem::rfind(&bytes[floor..at], OPENS)? + OPENS.len();
    let end = start + memchr::memchr(b'"', &bytes[start..at])?;
    Some((start, end))
}

/// Whether `text` is nearby, roughly in the same object.
fn is_near(bytes: &[u8], at: usize, text: &[u8]) -> bool {
    const REACH: usize = 4096;
    let near = &bytes[at.saturating_sub(REACH)..bytes.len().min(at + REACH)];
    memchr::memmem::find(near, text).is_some()
}

fn value_after(
    bytes: &[u8],
    separator: &Separator,
    name: (usize, usize),
    may_have_spaces: bool,
) -> ValueSpan {
    // A quoted argument `"NAME=value"` ends at its quote, whatever is in it. With spaces it is a command or a connection
    // string that begins with the assignment, and the value is its first word.
    let quote = name.0.checked_sub(1).map(|before| bytes[before]).filter(|byte| b"\"'".contains(byte));
    if let (Some(quote), false, true) = (quote, separator.colon, name.1 == separator.start) {
        let rest = &bytes[separator.end..bytes.len().min(separator.end + 512)];
        let line = memchr::memchr2(b'\n', b'\\', rest).unwrap_or(rest.len());
        // A nested line ends with a literal `\n`.
        let nested = matches!(rest[line..], [b'\\', b'n' | b'r', ..]).then_some(line);
        if let Some(length) = memchr::memchr(quote, &rest[..line]).or(nested).filter(|&length| length > 0) {
            let length = next_pair(&rest[..length]).unwrap_or(length);
            let (start, end) = (separator.end, separator.end + length);
            if !may_have_spaces && bytes[start..end].iter().any(u8::is_ascii_whitespace) {
                return ValueSpan::after(bytes, start);
            }
            return ValueSpan { start, end, quoted: false, below: false };
        }
    }
    if bytes[..name.0].ends_with(b"${") && bytes[separator.start..separator.end].contains(&b'-') {
        // The default of a shell variable ends with its bracket.
        let near = &bytes[separator.end..bytes.len().min(separator.end + 256)];
        if let Some(length) = near.iter().position(|byte| b"}\n".contains(byte)) {
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

fn style(bytes: &[u8], value: &ValueSpan, separator: &Separator, name: (usize, usize)) -> Style {
    let tight = name.1 == separator.start && bytes.get(separator.end).is_some_and(|byte| *byte != b' ');
    let capitals = bytes[name.0..name.1].iter().all(|byte| !byte.is_ascii_lowercase());
    let called = matches!(bytes.get(value.end), Some(b'(' | b'[' | b'{'));
    let assigned = !separator.colon || bytes[..name.0].ends_with(b"${");
    if tight && capitals && assigned && !called && !value.below {
        Style::Env
    } else if value.quoted {
        Style::Quoted
    } else {
        Style::Bare
    }
}

/// `let password: &str = "…"`, where a type is between the name and the value.
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

/// A quick filter by the last letter of a type (`str`, `String`, `Token`, `bytes`).
fn may_end_a_type(text: &[u8]) -> bool {
    text.last().is_some_and(|last| b"negrhydsktcla".contains(&last.to_ascii_lowercase()))
}
