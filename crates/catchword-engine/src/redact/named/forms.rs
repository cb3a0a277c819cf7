//! Names and values without `=` or `:` between them: elements, argument lists, flags, defaults, SQL, cookie jars.
//!
//! All but [`beside`] are in the table of `rules`. Each function gets the position of its anchor and adds what it finds.

use super::names::{Meaning, may_end_a_name, name_end, name_to};
use crate::redact::arguments::command;
use crate::redact::bytes::{ALNUM, LOWER, LOWER_NUM, TOKEN, contains, has, one, run_end};

use crate::redact::span::{Evidence, SecretSpan, push};
use crate::redact::value::judge::{Promise, Style, is_placeholder, is_secret};
use crate::redact::value::{ValueSpan, begins_line, push_if_secret};

fn promise_of(name: &[u8]) -> Option<Promise> {
    match Meaning::of(name)? {
        Meaning::Secret(promise) => Some(promise),
        _ => None,
    }
}

/// At a comma: `define('DB_PASSWORD', '…')`, `getenv("TOKEN", "…")`, `["--token", "…"]`.
pub(super) fn beside(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let Some(quote) = at.checked_sub(1).map(|before| bytes[before]) else { return };
    if !matches!(quote, b'"' | b'\'' | b'`') {
        return csv_line(bytes, at, found);
    }
    let end = name_end(bytes, at);
    if !may_end_a_name(&bytes[..end]) {
        return;
    }
    let name = name_to(bytes, end);
    let Some(promise) = promise_of(&bytes[name.0..name.1]) else { return };
    let value = ValueSpan::of_line(bytes, at + 1);
    if !value.quoted {
        return;
    }
    // After a constant or a flag comes its value. After a word there may just be the next item of a list.
    let text = &bytes[name.0..name.1];
    let style = if is_constant(text) || text.starts_with(b"--") { Style::Quoted } else { Style::Listed };
    push_if_secret(bytes, &value, promise, style, name, found);
}

/// At a comma without quotes: `DB_PASSWORD,…`, a line of a CSV file with names and values.
fn csv_line(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    if !may_end_a_name(&bytes[..at]) {
        return;
    }
    let name = name_to(bytes, at);
    if !is_constant(&bytes[name.0..name.1]) || !begins_line(bytes, name.0) {
        return;
    }
    let value = ValueSpan::after(bytes, at + 1);
    let ends_line = matches!(bytes.get(value.end), None | Some(b'\n' | b'\r' | b',' | b'<'));
    if let Some(promise) = promise_of(&bytes[name.0..name.1])
        && ends_line
    {
        push_if_secret(bytes, &value, promise, Style::Bare, name, found);
    }
}

/// A name in capitals, of several words: `DB_PASSWORD`.
pub(super) fn is_constant(name: &[u8]) -> bool {
    name.contains(&b'_') && !name.iter().any(u8::is_ascii_lowercase)
}

/// Between two cells of a table: `| DB_PASSWORD | … |`. Without a bar before the name it may be a pipe of a shell, so the
/// name must be a constant.
pub(in crate::redact) fn table_cell(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let bar = at + 1;
    let end = name_end(bytes, at);
    if !may_end_a_name(&bytes[..end]) {
        return;
    }
    let name = name_to(bytes, end);
    let text = &bytes[name.0..name.1];
    let before = bytes[..name.0].iter().rev().find(|byte| !b" `*\"'".contains(byte));
    if before != Some(&b'|') && !(is_constant(text) && begins_line(bytes, name.0)) {
        return;
    }
    let value = ValueSpan::after(bytes, bar + 1);
    let style = if value.quoted { Style::Listed } else { Style::Bare };
    if let Some(promise) = promise_of(text) {
        push_if_secret(bytes, &value, promise, style, name, found);
    }
}

/// `public string ApiKey { get; set; } = "…"`; `at` is the last semicolon within the braces.
pub(in crate::redact) fn property(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let floor = at.saturating_sub(60);
    let Some(open) = memchr::memrchr(b'{', &bytes[floor..at]).map(|open| floor + open) else { return };
    let end = name_end(bytes, open);
    let value = ValueSpan::after(bytes, at + b"; } =".len());
    if !value.quoted || !may_end_a_name(&bytes[..end]) {
        return;
    }
    let name = name_to(bytes, end);
    if let Some(promise) = promise_of(&bytes[name.0..name.1]) {
        push_if_secret(bytes, &value, promise, Style::Quoted, name, found);
    }
}

/// `gh secret set NAME --body …`, `az keyvault secret set --name x --value …`: the command names the secret, or says that
/// it is one.
pub(in crate::redact) fn command_value(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let flag = run_end(bytes, at + 1, TOKEN);
    let value = match bytes.get(flag) {
        Some(b' ' | b'=') => ValueSpan::after(bytes, flag + 1),
        _ => return,
    };
    let command = command(bytes, at);
    let mut words = command.split(|byte| !has(TOKEN | one(b'.') | one(b'/'), *byte));
    let is_named = |word: &[u8]| may_end_a_name(word) && promise_of(word).is_some();
    if words.any(|word| word == b"secret" || word == b"secrets" || is_named(word)) {
        let style = if value.quoted { Style::Quoted } else { Style::Bare };
        push_if_secret(bytes, &value, Promise::Secret, style, (at, flag), found);
    }
}

/// `process.env.TOKEN || '…'`, `ENV["TOKEN"] ?? "…"`, `getenv("TOKEN") or "…"`; `at` is before the operator.
pub(in crate::redact) fn fallback(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let sign = run_end(bytes, at, one(b' '));
    let after = run_end(bytes, sign, one(b'|') | one(b'?') | LOWER);
    let value = ValueSpan::after(bytes, after);
    let closed = bytes[..at].iter().rev().take_while(|byte| b" )]".contains(byte)).count();
    let end = name_end(bytes, at - closed);
    if !value.quoted || !may_end_a_name(&bytes[..end]) {
        return;
    }
    let name = name_to(bytes, end);
    if let Some(promise) = promise_of(&bytes[name.0..name.1]) {
        push_if_secret(bytes, &value, promise, Style::Quoted, name, found);
    }
}

/// `.password("…")`, `setToken('…')`; `at` is the parenthesis.
pub(in crate::redact) fn argument(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    if !may_end_a_name(&bytes[..at]) {
        return;
    }
    let name = name_to(bytes, at);
    let value = ValueSpan::after(bytes, at + 1);
    if let Some(promise) = promise_of(&bytes[name.0..name.1])
        && value.quoted
    {
        push_if_secret(bytes, &value, promise, Style::Listed, name, found);
    }
}

/// At `</`: `<password>…</password>`, `<add-on apiKey="x"><authToken>…</authToken>`, and `<key>password</key>
/// <string>…</string>`.
pub(in crate::redact) fn element(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let tag = &bytes[at + 2..run_end(bytes, at + 2, TOKEN | one(b':') | one(b'.'))];
    let Some((start, end)) = content_before(bytes, at) else { return };
    let promise = if may_end_a_name(&bytes[..at + 2 + tag.len()]) { promise_of(tag) } else { None };
    let (promise, name) = match promise {
        Some(promise) => (promise, tag),
        None if CONTENTS.contains(&tag) => {
            let Some(name) = named_before(bytes, start) else { return };
            let Some(promise) = promise_of(name) else { return };
            (promise, name)
        }
        None => return,
    };
    if is_secret(&bytes[start..end], promise, Style::Quoted, name) {
        push(found, start, end, promise.kind(), Evidence::Place);
    }
}

/// Elements that are named by an attribute, or by the element before.
const CONTENTS: &[&[u8]] = &[b"string", b"value", b"entry", b"property", b"prop", b"item", b"param"];

/// The trimmed content of the element that ends at `at`.
fn content_before(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    const DATA: &[u8] = b"<![CDATA[";
    let floor = at.saturating_sub(600);
    let close = bytes[..at].strip_suffix(b"]]>").map_or(at, <[u8]>::len);
    let open = floor
        + match memchr::memmem::rfind(&bytes[floor..close], DATA).filter(|_| close < at) {
            Some(data) => data + DATA.len(),
            None => memchr::memrchr(b'>', &bytes[floor..close])? + 1,
        };
    let trimmed = bytes[open..close].trim_ascii();
    let start = open + (bytes[open..close].len() - bytes[open..close].trim_ascii_start().len());
    (!trimmed.is_empty()).then_some((start, start + trimmed.len()))
}

/// The name of an element's content: `<string name="api_key">` or `<key>api_key</key><string>`.
fn named_before(bytes: &[u8], content: usize) -> Option<&[u8]> {
    let floor = content.saturating_sub(300);
    let open = floor + memchr::memrchr(b'<', &bytes[floor..content])?;
    let tag = &bytes[open..content];
    for attribute in [&b"name=\""[..], b"key=\"", b"name='", b"key='"] {
        if let Some(start) = memchr::memmem::find(tag, attribute).map(|at| at + attribute.len()) {
            let quote = attribute[attribute.len() - 1];
            return memchr::memchr(quote, &tag[start..]).map(|length| &tag[start..start + length]);
        }
    }
    let before = bytes[floor..open].trim_ascii_end().strip_suffix(b"</key>")?;
    let start = memchr::memrchr(b'>', before)? + 1;
    Some(&before[start..])
}

/// `--password …`, `--api-key …`; `at` is before the dashes.
pub(in crate::redact) fn named_flag(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let name = at + 3;
    let end = run_end(bytes, name, LOWER_NUM | one(b'-') | one(b'_'));
    let after = run_end(bytes, end, one(b'"') | one(b'\''));
    if !may_end_a_name(&bytes[..end]) {
        return;
    }
    let Some(promise) = promise_of(&bytes[name..end]) else { return };
    let value = match bytes.get(after) {
        Some(b' ') if after == end => ValueSpan::after(bytes, end),
        // In YAML a flag and its value may be two list items.
        Some(b'\n') => {
            let item = run_end(bytes, after + 1, one(b' '));
            if !bytes[item..].starts_with(b"- ") {
                return;
            }
            ValueSpan::of_line(bytes, item + 2)
        }
        _ => return,
    };
    let style = if value.quoted { Style::Quoted } else { Style::Bare };
    let text = value.text(bytes);
    if !text.starts_with(b"-") && is_secret(text, promise, style, &bytes[name - 2..end]) {
        push(found, value.start, value.end, promise.kind(), Evidence::Name);
    }
}

/// `ENV NAME value`, `setx NAME value`, `config set name value`.
pub(in crate::redact) fn set_word(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let word = at + bytes[at..].iter().position(|byte| *byte == b' ').unwrap_or_default();
    let name = run_end(bytes, word, one(b' '));
    let end = run_end(bytes, name, TOKEN | one(b'.') | one(b'/') | one(b':'));
    if bytes.get(end) != Some(&b' ') || !may_end_a_name(&bytes[..end]) {
        return;
    }
    let start = name_to(bytes, end).0.max(name);
    if let Some(promise) = promise_of(&bytes[start..end]) {
        let value = ValueSpan::of_line(bytes, end);
        // `set` also occurs in prose.
        let constant =
            !bytes[at..].starts_with(b"set ") && !bytes[start..end].iter().any(u8::is_ascii_lowercase);
        let style = if value.quoted {
            Style::Quoted
        } else if constant {
            Style::Env
        } else {
            Style::Bare
        };
        push_if_secret(bytes, &value, promise, style, (start, end), found);
    }
}

/// `requirepass …` in a Redis configuration.
pub(in crate::redact) fn redis_password(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let value = ValueSpan::of_line(bytes, at + b"requirepass ".len());
    if is_secret(value.text(bytes), Promise::Password, Style::Env, b"requirepass") {
        push(found, value.start, value.end, "password", Evidence::Place);
    }
}

/// `ALTER USER bob PASSWORD '…'`, `IDENTIFIED BY '…'`; `at` is within the keyword.
pub(in crate::redact) fn sql_password(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let keyword = run_end(bytes, at, ALNUM);
    let by = bytes[keyword..].starts_with(b" BY ") || bytes[keyword..].starts_with(b" by ");
    let value = ValueSpan::after(bytes, if by { keyword + 4 } else { run_end(bytes, keyword, one(b'(')) });
    let statement = &bytes[at.saturating_sub(160)..at];
    let lower = statement.to_ascii_lowercase();
    let words: &[&[u8]] =
        if by { &[b"identif"] } else { &[b"user", b"role", b"login", b"alter", b"create", b"set "] };
    let is_sql = words.iter().any(|word| contains(&lower, word));
    let text = value.text(bytes);
    let style = if value.quoted { Style::Quoted } else { Style::Bare };
    let is_string = value.quoted && bytes[value.start - 1] != b'`';
    let is_capital = by && bytes[keyword + 1] == b'B';
    if is_sql
        && (is_string || is_capital && !value.quoted)
        && is_secret(text, Promise::Password, style, b"password")
    {
        push(found, value.start, value.end, "password", Evidence::Place);
    }
}

/// A line of a cookie jar: domain, flag, path, flag, time, name and value, separated by tabs. `at` is before the first
/// flag.
pub(in crate::redact) fn cookie_jar(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let window = &bytes[at..bytes.len().min(at + 8192)];
    let line = &window[..memchr::memchr(b'\n', window).unwrap_or(window.len())];
    let fields: Vec<&[u8]> = line.splitn(7, |&byte| byte == b'\t').collect();
    let [_, flag, path, secure, time, name, value] = fields[..] else { return };
    let is_flag = |field: &[u8]| matches!(field, b"TRUE" | b"FALSE");
    let is_time = !time.is_empty() && time.iter().all(u8::is_ascii_digit);
    let value = value.trim_ascii_end();
    if is_flag(flag) && is_flag(secure) && path.starts_with(b"/") && is_time && value.len() >= 6 {
        let start = at + fields[..6].iter().map(|field| field.len() + 1).sum::<usize>();
        if !is_placeholder(value) && !name.is_empty() {
            push(found, start, start + value.len(), "cookie", Evidence::Place);
        }
    }
}
