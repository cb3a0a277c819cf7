//! Secrets that cannot be described by a prefix and an alphabet: headers, addresses, key files, and tokens whose
//! distinctive part is in the middle.
//!
//! The table of `rules`, or `named` at a separator, calls these functions with the position of an anchor. They add what they
//! find.

use super::bytes::{
    ALNUM, BASE64, DIGIT, HEX, LOWER, Set, TOKEN, UPPER_NUM, contains, ends_word, has, one, run_end,
    run_start, starts_word,
};
use super::span::{Evidence, SecretSpan, push};
use super::value::ValueSpan;
use super::value::judge::{is_path, is_placeholder, is_words};

/// How far to look for the rest of a token or line. The limit is for text that consists of anchors only.
const REACH: usize = 200;

/// The start and end of the run of `set` around `at`.
fn around(bytes: &[u8], at: usize, set: Set) -> (usize, usize) {
    (run_start(bytes, at, set, REACH), run_end(&bytes[..bytes.len().min(at + REACH)], at, set))
}

/// Where a run that starts at `start` really starts: the `n` of a literal `\n`, the `3D` of `%3D` and the `u0022` of
/// `\u0022` belong to an escape.
fn without_escape(bytes: &[u8], start: usize) -> usize {
    let hex = |range: std::ops::Range<usize>| {
        bytes.get(range).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    match (bytes[..start].last(), bytes.get(start)) {
        (Some(b'%'), _) if hex(start..start + 2) => start + 2,
        (Some(b'\\'), Some(b'u')) if hex(start + 1..start + 5) => start + 5,
        (Some(b'\\'), Some(b'n' | b'r' | b't')) => start + 1,
        _ => start,
    }
}

fn push_if_long(
    bytes: &[u8],
    at: usize,
    set: Set,
    before: std::ops::RangeInclusive<usize>,
    after: std::ops::RangeInclusive<usize>,
    kind: &'static str,
    found: &mut Vec<SecretSpan>,
) {
    let (start, end) = around(bytes, at, set);
    let start = without_escape(bytes, start);
    let random = || !is_placeholder(&bytes[start..end]) && !is_words(&bytes[start..end]);
    if before.contains(&(at - start)) && after.contains(&(end - at)) && starts_word(bytes, start) && random()
    {
        push(found, start, end, kind, Evidence::Format);
    }
}

/// Three characters, a digit and `Q~` in the middle of forty.
pub(super) fn azure_client_secret(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let set = TOKEN | one(b'.') | one(b'~');
    if let Some(at) = at.checked_sub(1).filter(|&digit| bytes[digit].is_ascii_digit()) {
        push_if_long(bytes, at, set, 3..=3, 30..=40, "azure client secret", found);
    }
}

/// Six characters, 29 more and `_mmk`.
pub(super) fn maxmind(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    push_if_long(bytes, at, ALNUM | one(b'_'), 36..=36, 4..=4, "maxmind key", found);
}

/// `AZDO` near the end of 84 characters.
pub(super) fn azure_devops(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    push_if_long(bytes, at, ALNUM, 70..=80, 6..=10, "azure devops token", found);
}

/// Keys of Azure services since 2024 contain `JQQJ99`.
pub(super) fn azure_key(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    push_if_long(bytes, at, ALNUM, 50..=54, 20..=36, "azure key", found);
}

/// Forty characters that end in `NRAL`.
pub(super) fn new_relic_licence(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    push_if_long(bytes, at, ALNUM, 34..=38, 4..=4, "new relic key", found);
}

/// Fourteen characters, `.atlasv1.`, sixty and more.
pub(super) fn terraform(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let start = without_escape(bytes, run_start(bytes, at, ALNUM, 20));
    let near = &bytes[..bytes.len().min(at + REACH)];
    let end = run_end(near, at, TOKEN | one(b'.') | one(b'='));
    let is_token = at - start == 14 && (50..=100).contains(&(end - at)) && starts_word(bytes, start);
    if is_token && !is_placeholder(&bytes[start..end]) {
        push(found, start, end, "terraform token", Evidence::Format);
    }
}

/// 32 hexadecimal digits and the data centre.
pub(super) fn mailchimp(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let start = without_escape(bytes, run_start(bytes, at, HEX, 34));
    let end = run_end(bytes, at + 3, DIGIT);
    if at - start == 32
        && (at + 4..=at + 5).contains(&end)
        && ends_word(bytes, end)
        && starts_word(bytes, start)
    {
        push(found, start, end, "mailchimp key", Evidence::Format);
    }
}

/// The bot's number, a colon and 35 characters that start with `AA`.
pub(super) fn telegram(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let start = run_start(bytes, at, DIGIT, 13);
    let end = run_end(bytes, at + 1, TOKEN);
    let bot = bytes[..start].ends_with(b"bot");
    if (8..=12).contains(&(at - start))
        && (30..=40).contains(&(end - at))
        && (bot || starts_word(bytes, start))
    {
        push(found, start, end, "telegram token", Evidence::Format);
    }
}

/// A private key from its first to its last line, or as much as was printed: `-----BEGIN … PRIVATE KEY-----`, or
/// `---- BEGIN SSH2 … PRIVATE KEY ----`.
pub(super) fn pem(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let Some(start) = at.checked_sub(5) else { return };
    let (rule, closes) = match &bytes[start..at] {
        b"-----" => (&b"-----"[..], &b"-----END "[..]),
        b"---- " => (&b" ----"[..], &b"---- END "[..]),
        _ => return,
    };
    let title = |at: usize| {
        &bytes[at..at + bytes[at..run_end(bytes, at, UPPER_NUM | one(b' '))].trim_ascii_end().len()]
    };
    let title_end = at + title(at).len();
    let private = title(at).ends_with(b"PRIVATE KEY") || title(at).ends_with(b"PRIVATE KEY BLOCK");
    if !private || !bytes[title_end..].starts_with(rule) {
        return;
    }
    let body = title_end + rule.len();
    let rest = &bytes[body..bytes.len().min(body + MAX_KEY)];
    let close = memchr::memmem::find(rest, closes).map(|close| body + close);
    let end = match close {
        Some(close) => {
            let title_end = close + closes.len() + title(close + closes.len()).len();
            if bytes[title_end..].starts_with(rule) { title_end + rule.len() } else { title_end }
        }
        None => body + printed_key(rest, usize::MAX),
    };
    if has_base64(&bytes[body..close.unwrap_or(end)]) {
        push(found, start, end, "private key", Evidence::Format);
    }
}

const MAX_KEY: usize = 16 * 1024;

fn has_base64(key: &[u8]) -> bool {
    key.split(|&byte| !has(BASE64, byte)).any(|line| line.len() >= 16 && !is_words(line))
}

/// The private part of a key of `PuTTY`: as many lines as `Private-Lines` says.
pub(super) fn putty_key(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let number = at + b"Private-Lines: ".len();
    let body = run_end(bytes, number, DIGIT);
    let lines = std::str::from_utf8(&bytes[number..body]).ok().and_then(|number| number.parse().ok());
    let rest = &bytes[body..bytes.len().min(body + MAX_KEY)];
    // The rest of the line with the number is empty.
    let end = body + printed_key(rest, lines.unwrap_or(0usize).saturating_add(1));
    if has_base64(&bytes[body..end]) {
        let start = body + bytes[body..end].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        push(found, start, end, "private key", Evidence::Format);
    }
}

/// How much of `rest` consists of at most `most` lines of base64. A line number or diff marker may be before each, and the
/// line break may be a literal `\n`.
fn printed_key(rest: &[u8], most: usize) -> usize {
    let mut key = 0;
    let mut at = 0;
    let mut lines = 0;
    while at < rest.len() && lines < most {
        lines += 1;
        let line_end =
            rest[at..].iter().position(|byte| matches!(byte, b'\n' | b'\\')).map_or(rest.len(), |n| at + n);
        let line = rest[at..line_end].trim_ascii_end();
        let word = run_start(line, line.len(), BASE64, line.len());
        let header = line.is_empty() || contains(line, b": ");
        if line.len() - word >= 4 && !contains(&line[word..], b" ") {
            key = at + line.len();
        } else if !header {
            break;
        }
        at = line_end + 1;
        if rest.get(line_end) == Some(&b'\\') && matches!(rest.get(at), Some(b'n' | b'r')) {
            at += 1;
        }
    }
    key
}

pub(super) fn bearer(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let start = run_end(bytes, at + b"Bearer ".len(), one(b' ') | one(b'\t'));
    credential(bytes, start, 16, "bearer token", found);
}

const MAX_CREDENTIAL: usize = 4096;
const CREDENTIAL: Set = BASE64 | TOKEN | one(b'.') | one(b'~') | one(b':') | one(b'|') | one(b'%');

fn credential(bytes: &[u8], start: usize, min: usize, kind: &'static str, found: &mut Vec<SecretSpan>) {
    let mut end = run_end(bytes, start, CREDENTIAL);
    while end > start && matches!(bytes[end - 1], b'.' | b':' | b'|') {
        end -= 1;
    }
    let text = &bytes[start..end];
    let mixed = |set: Set| text.iter().any(|&byte| has(set, byte));
    // Of ten thousand random tokens of this length, one has no digit, and none has only one case.
    let random = mixed(DIGIT) || text.len() >= 24 && mixed(LOWER) && mixed(UPPER_NUM);
    let open = matches!(bytes.get(end), Some(b'$' | b'{' | b'(' | b'[' | b'*'));
    if text.len() >= min && random && !open && !is_placeholder(text) && !is_words(text) && !is_path(text) {
        push(found, start, end, kind, Evidence::Place);
    }
}

/// `Basic` and base64 of `user:password`. The word alone is too common.
pub(super) fn basic(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let start = at + b"Basic ".len();
    let end = run_end(bytes, start, BASE64);
    if is_encoded_login(&bytes[start..end]) {
        push(found, start, end, "basic credentials", Evidence::Place);
    }
}

/// Base64 of `user:password`.
pub(super) fn is_encoded_login(text: &[u8]) -> bool {
    let plain = decode_base64(text);
    let readable =
        text.iter().all(|&byte| has(BASE64, byte)) && plain.iter().all(|byte| (32..127).contains(byte));
    readable && plain.len() >= 5 && plain[1..plain.len() - 1].contains(&b':')
}

fn decode_base64(text: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits = text.iter().take_while(|&&byte| byte != b'=').take(512);
    let (mut bits, mut count, mut plain) = (0u32, 0, Vec::new());
    for &byte in digits {
        bits = bits << 6 | u32::from(digit(byte));
        count += 6;
        if count >= 8 {
            count -= 8;
            plain.push((bits >> count & 0xff) as u8);
        }
    }
    plain
}

/// `Authorization: <scheme> <credentials>`, or only the credentials.
pub(super) fn authorization(bytes: &[u8], start: usize, found: &mut Vec<SecretSpan>) {
    let scheme_end = run_end(bytes, start, TOKEN);
    let start = match bytes.get(scheme_end) {
        Some(b' ') if is_words(&bytes[start..scheme_end]) => scheme_end + 1,
        _ => start,
    };
    let name_end = run_end(bytes, start, LOWER);
    let start = if bytes[start..name_end] == *b"token" && bytes.get(name_end) == Some(&b'=') {
        ValueSpan::after(bytes, name_end + 1).start
    } else {
        start
    };
    // Repeated `authorization:` is one long run; the limit keeps it from being scanned once per repetition.
    let near = &bytes[..bytes.len().min(start + MAX_CREDENTIAL)];
    credential(near, start, 8, "credentials", found);
}

/// The values of `name=value; …` from `start`, at most `limit` of them. Names and attributes stay. Returns the end.
pub(super) fn cookies(bytes: &[u8], start: usize, limit: usize, found: &mut Vec<SecretSpan>) -> usize {
    const ENDS: &[u8] = b"\"'`\n\\";
    let window = &bytes[start..bytes.len().min(start + MAX_CREDENTIAL)];
    let end = start + window.iter().position(|byte| ENDS.contains(byte)).unwrap_or(window.len());
    let mut at = start;
    for pair in bytes[start..end].split(|&byte| byte == b';').take(limit) {
        if let Some(sign) = memchr::memchr(b'=', pair) {
            let value = pair[sign + 1..].trim_ascii();
            let one_word = !value.iter().any(u8::is_ascii_whitespace);
            if value.len() >= 8
                && one_word
                && !is_attribute(&pair[..sign])
                && !is_placeholder(value)
                && !is_words(value)
            {
                push(found, at + sign + 1, at + sign + 1 + value.len(), "cookie", Evidence::Place);
            }
        }
        at += pair.len() + 1;
    }
    end
}

fn is_attribute(name: &[u8]) -> bool {
    const ATTRIBUTES: &[&[u8]] = &[b"path", b"domain", b"expires", b"max-age", b"samesite", b"priority"];
    ATTRIBUTES.iter().any(|attribute| name.trim_ascii().eq_ignore_ascii_case(attribute))
}

/// At `://`: the password of `scheme://user:password@host`, or a token alone before the `@`.
pub(super) fn address(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let start = at + 3;
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"/?#\"'`<>\\,(){}[]".contains(byte);
    let window = &bytes[start..bytes.len().min(start + 512)];
    let authority = &window[..window.iter().position(ends).unwrap_or(window.len())];
    let Some(host) = memchr::memrchr(b'@', authority) else { return };
    let user = &authority[..host];
    let scheme = run_start(bytes, at, ALNUM | one(b'+'), 20);
    match memchr::memchr(b':', user) {
        Some(colon) => {
            let password = &user[colon + 1..];
            if !is_placeholder(password) && !ENVIRONMENT_NAMES.contains(&password) {
                push(found, start + colon + 1, start + host, "password", Evidence::Place);
            }
        }
        // Not `==`: a diff marker may be before it, and `git+https` is a scheme, too.
        None if bytes[scheme..at].ends_with(b"http") || bytes[scheme..at].ends_with(b"https") => {
            let digit = user.iter().any(u8::is_ascii_digit);
            if user.len() >= 20 && digit && !is_placeholder(user) && !is_words(user) {
                push(found, start, start + host, "token", Evidence::Place);
            }
        }
        None => {}
    }
}

const ENVIRONMENT_NAMES: &[&[u8]] = &[b"PASSWORD", b"PASS", b"PWD", b"TOKEN", b"x-oauth-basic"];

/// `machine host login name password …` in a `.netrc`, on one line or several.
pub(super) fn netrc(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let before = &bytes[at.saturating_sub(300)..at];
    let Some(login) = memchr::memmem::rfind(before, b"login ") else { return };
    let machine =
        contains(&before[..login], b"machine ") || before[..login].trim_ascii_end().ends_with(b"default");
    let words: Vec<&[u8]> =
        before[login..].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    // "login and password for …" is prose.
    if !machine || words.len() != 2 || matches!(words[1], b"and" | b"or") || !starts_word(bytes, at) {
        return;
    }
    let value = ValueSpan::after(bytes, at + b"password ".len());
    if !is_placeholder(&bytes[value.start..value.end]) {
        push(found, value.start, value.end, "password", Evidence::Place);
    }
}

/// At the port of `host:port:database:user:password`, a line of a `.pgpass`.
pub(super) fn pgpass(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let floor = at.saturating_sub(REACH);
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'' | b'`');
    let is_edge = |byte: &u8| byte.is_ascii_whitespace() || is_quote(byte);
    let host = bytes[floor..at].iter().rposition(is_edge).map_or(floor, |edge| floor + edge + 1);
    // A quoted line ends with its quote, or at an escape.
    let quoted = host > 0 && is_quote(&bytes[host - 1]);
    let ends = |byte: &u8| byte.is_ascii_whitespace() || (quoted && (is_quote(byte) || *byte == b'\\'));
    let window = &bytes[host..bytes.len().min(at + REACH)];
    let line = &window[..window.iter().position(ends).unwrap_or(window.len())];
    let mut fields = line.splitn(5, |&byte| byte == b':');
    let place = (0..4).map(|_| fields.next().map_or(0, |field| field.len() + 1)).sum::<usize>();
    let port_is_second = memchr::memchr(b':', line) == Some(at - host);
    let Some(password) = fields.next().filter(|_| port_is_second) else { return };
    if !is_placeholder(password) && !contains(line, b"/") && !password.starts_with(b"*") {
        push(found, host + place, host + place + password.len(), "password", Evidence::Place);
    }
}
