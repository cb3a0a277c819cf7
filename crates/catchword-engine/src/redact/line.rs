//! Masks a line of JSON, which stays one line of JSON.
//!
//! Backups keep whole transcripts and mask them row by row. Masking the raw text would miss a secret behind an escape
//! (in `\\nghp_…` the token seems to start with `n`) and could break the escape, so each string is decoded and masked by
//! itself, and the bytes between strings stay. A string that is JSON is masked the same way, then as text. Some secrets
//! show only by their neighbours: the key of a value, the `name` beside a `value`, the flag or name before an argument, and
//! what was split into a list of lines.

use std::borrow::Cow;

use super::named::{NamedPair, is_constant, names_a_secret, pairs_up};
use super::span::{MARK, SecretSpan, replaced};
use super::{MAX_PASSES, Mask};

/// The longest value that is judged by its name. Passwords and keys are far shorter.
const MAX_NAMED_VALUE: usize = 8 * 1024;
/// Replaces a value that cannot be shown in part.
const HIDDEN: &str = "\"[masked: secret]\"";

impl Mask {
    /// A line of JSON with its secrets masked, still one line of JSON. Anything else is masked as text.
    pub fn line<'a>(&self, line: &'a [u8]) -> Cow<'a, str> {
        match String::from_utf8_lossy(line) {
            Cow::Borrowed(text) => changed(self, text).map_or(Cow::Borrowed(text), Cow::Owned),
            Cow::Owned(text) => Cow::Owned(changed(self, &text).unwrap_or(text)),
        }
    }
}

/// `None` where nothing changes.
fn changed(mask: &Mask, text: &str) -> Option<String> {
    let json = masked_strings(mask, text);
    // Not JSON, or half a row: there may be a secret between the strings, too.
    if is_json(text) { json } else { as_text(mask, text, json) }
}

/// A string of a row: JSON in it is masked string by string, too, because its quotes and escapes hide where a value ends.
/// `None` where nothing changes.
fn masked_string(mask: &Mask, text: &str) -> Option<String> {
    let is_nested = text.trim_start().starts_with(['{', '[']) && is_json(text);
    as_text(mask, text, if is_nested { masked_strings(mask, text) } else { None })
}

/// Masks the text, of which `so_far` is masked already.
fn as_text(mask: &Mask, text: &str, so_far: Option<String>) -> Option<String> {
    match mask.text(so_far.as_deref().unwrap_or(text)) {
        Cow::Owned(masked) => Some(masked),
        Cow::Borrowed(_) => so_far,
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// `None` where nothing changes.
fn masked_strings(mask: &Mask, text: &str) -> Option<String> {
    let mut out = EditedText { text, kept_to: 0, out: String::new() };
    let mut neighbours = Neighbours::default();
    let mut listed = Vec::new();
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'"', b'[', &text.as_bytes()[at..]) {
        let start = at + found;
        if text.as_bytes()[start] == b'[' {
            at = start + 1;
            listed = masked_list(mask, text, at);
            listed.reverse();
            continue;
        }
        let Some(end) = string_end(text, start) else { break };
        let string = JsonString { start, end };
        at = end;
        let is_name = text[end..].trim_start().starts_with(':');
        let decoded = string.decoded(text);
        let masked = match listed.pop_if(|(item, _)| *item == string) {
            Some((_, masked)) => Some(quoted(&masked)),
            None => masked_string(mask, &decoded)
                .map(|masked| quoted(&masked))
                .or_else(|| neighbours.masked(mask, text, string)),
        };
        if let Some(masked) = masked {
            out.replace(string, &masked);
        }
        neighbours.remember(text, string, is_name, &decoded);
    }
    out.finish()
}

/// The strings of a list that are masked because of the strings around them: tools report changed files as lists of
/// lines, and a secret may be on another line than its name. `at` is behind the bracket.
fn masked_list(mask: &Mask, text: &str, mut at: usize) -> Vec<(JsonString, String)> {
    let (mut items, mut lines) = (Vec::new(), Vec::new());
    let skip_blank = |at: usize| text.len() - text[at..].trim_start().len();
    while text[skip_blank(at)..].starts_with('"') {
        let start = skip_blank(at);
        let Some(end) = string_end(text, start) else { break };
        let string = JsonString { start, end };
        lines.push(string.decoded(text).into_owned());
        items.push(string);
        let next = skip_blank(end);
        if !text[next..].starts_with(',') {
            break;
        }
        at = next + 1;
    }
    if items.len() < 2 {
        return Vec::new();
    }
    let before = lines.clone();
    for _ in 0..MAX_PASSES {
        if !mask_lines(mask, &mut lines) {
            break;
        }
    }
    let is_changed = |((_, line), before): &((JsonString, String), String)| line != before;
    let masked = items.into_iter().zip(lines).zip(before).filter(is_changed);
    masked.map(|((item, line), _)| (item, masked_string(mask, &line).unwrap_or(line))).collect()
}

/// Masks lines as one text. Returns whether anything changed.
fn mask_lines(mask: &Mask, lines: &mut [String]) -> bool {
    let spans = mask.spans(&lines.join("\n"));
    let mut start = 0;
    for line in lines.iter_mut() {
        let end = start + line.len();
        let within = spans.iter().filter(|span| span.start < end && span.end > start);
        let clipped = within.map(|span| SecretSpan {
            start: span.start.max(start) - start,
            end: span.end.min(end) - start,
            ..*span
        });
        *line = replaced(line, clipped.collect());
        start = end + 1;
    }
    !spans.is_empty()
}

/// Earlier strings that may say what the next one is.
#[derive(Default)]
struct Neighbours {
    /// Its key.
    key: Option<JsonString>,
    /// The value of the member `name` (or `key`) of the same object.
    named: Option<String>,
    /// The item before it in a list, if that is a flag, or a constant that begins the list: `["DB_PASSWORD", "…"]`.
    flag: Option<String>,
}

impl Neighbours {
    /// The masked string, if a neighbour says that it is a secret.
    fn masked(&self, mask: &Mask, text: &str, string: JsonString) -> Option<String> {
        if string.end - string.start > MAX_NAMED_VALUE {
            return None;
        }
        let Some(key) = self.key_of(text, string) else {
            return self.flag.as_deref().and_then(|flag| by_name(mask, &quoted(flag), string.of(text)));
        };
        let key = key.of(text);
        let named = match pairs_up(key.trim_matches('"')) {
            Some(NamedPair::Value) => self.named.as_deref(),
            _ => None,
        };
        match named {
            Some(name) => by_name(mask, &quoted(name), string.of(text)),
            None => by_name(mask, key, string.of(text)),
        }
    }

    /// The key of this string, if it is a member's value.
    fn key_of(&self, text: &str, string: JsonString) -> Option<JsonString> {
        self.key.filter(|key| text[key.end..string.start].trim() == ":")
    }

    /// Remembers a string for the next ones.
    fn remember(&mut self, text: &str, string: JsonString, is_name: bool, decoded: &str) {
        let secret_name = || (decoded.len() <= 64 && names_a_secret(decoded)).then(|| decoded.to_owned());
        let key = self.key_of(text, string);
        self.key = None;
        let begins_list = || text[..string.start].trim_end().ends_with('[');
        let names_next = decoded.starts_with("--") || is_constant(decoded) && begins_list();
        self.flag = if key.is_none() && names_next { secret_name() } else { None };
        if is_name {
            self.key = Some(string);
        } else if key.is_some_and(|key| pairs_up(key.of(text).trim_matches('"')) == Some(NamedPair::Name)) {
            self.named = secret_name();
        }
    }
}

/// A JSON string with its quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct JsonString {
    start: usize,
    end: usize,
}

impl JsonString {
    fn of(self, text: &str) -> &str {
        &text[self.start..self.end]
    }

    /// The decoded text.
    fn decoded(self, text: &str) -> Cow<'_, str> {
        let inner = &text[self.start + 1..self.end - 1];
        if !inner.contains('\\') {
            return Cow::Borrowed(inner);
        }
        // Half a surrogate pair cannot be decoded: use it as it is.
        serde_json::from_str(&text[self.start..self.end]).map_or(Cow::Borrowed(inner), Cow::Owned)
    }
}

/// The end of the string that starts at `start`.
fn string_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// The masked value, if its name says that it is a secret. Both are JSON.
fn by_name(mask: &Mask, name: &str, value: &str) -> Option<String> {
    let before = format!("{name}:");
    let member = format!("{before}{value}");
    let Cow::Owned(masked) = mask.text(&member) else { return None };
    // Found without the name, and only in the escaped text: an escape or the closing quote was taken for a part of it.
    if !names_a_secret(name.trim_matches('"')) && matches!(mask.text(value), Cow::Owned(_)) {
        return None;
    }
    let shown = masked.strip_prefix(&before).filter(|shown| {
        shown.contains(MARK) && serde_json::from_str::<&serde_json::value::RawValue>(shown).is_ok()
    });
    Some(shown.unwrap_or(HIDDEN).to_owned())
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A text with replaced parts.
struct EditedText<'a> {
    text: &'a str,
    kept_to: usize,
    out: String,
}

impl EditedText<'_> {
    fn replace(&mut self, string: JsonString, by: &str) {
        self.out.push_str(&self.text[self.kept_to..string.start]);
        self.out.push_str(by);
        self.kept_to = string.end;
    }

    fn finish(mut self) -> Option<String> {
        (self.kept_to > 0).then(|| {
            self.out.push_str(&self.text[self.kept_to..]);
            self.out
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::SECRETS;
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn token() -> String {
        ["ghp", "x7Kd92LmQp4RtVw8YbNc3FhJs6ZaGe1Uo5Ti"].join("_")
    }

    fn masked(value: &Value) -> Value {
        serde_json::from_str(&SECRETS.line(value.to_string().as_bytes())).expect("still JSON")
    }

    #[test]
    fn a_secret_behind_an_escape_is_masked_and_the_line_stays_json() {
        let value = json!({"text": format!("use\n{}\t\"here\"\\", token()), "n": 1.50, "é": [true, null]});
        let expected =
            json!({"text": "use\n[masked: github token]\t\"here\"\\", "n": 1.50, "é": [true, null]});
        assert_eq!(masked(&value), expected);
    }

    #[test]
    fn a_value_is_masked_by_its_key() {
        let value = json!({"input": {"password": "hunter2!Kx", "user": "bob"}, "api_key": "k\"7Gd\\92LmQp4RtVw8YbNc"});
        let masked = masked(&value);
        assert_eq!(masked["input"]["password"], "[masked: password]");
        assert_eq!(masked["input"]["user"], "bob");
        assert!(!masked["api_key"].as_str().unwrap().contains("92LmQp4"), "{masked}");
    }

    /// What is no secret as it reads is none because of its escapes or its closing quote.
    #[test]
    fn text_that_ends_in_a_type_or_code_stays() {
        for text in [
            "share(\n  ownerPrivateKey: Uint8Array,",
            "fn open(\n    token: AccessToken2,",
            "  password: string;",
            "const x = {\n  apiKey: config.key1,\n",
        ] {
            let value = json!({"content": text, "list": ["a", text], "file": {"new_string": text}});
            assert_eq!(masked(&value), value);
            assert_eq!(masked(&json!({"nested": value.to_string()})), json!({"nested": value.to_string()}));
        }
    }

    #[test]
    fn a_value_is_masked_by_the_name_or_flag_beside_it() {
        let value = json!({"env": [{"name": "DB_PASSWORD", "value": "hunter2!Kx"}, {"name": "HOST", "value": "db1host2!X"}],
            "argv": ["tool", "--token", "k7Gd92LmQp4RtVw8YbNc", "--host", "db1"]});
        let masked = masked(&value);
        assert_eq!(masked["env"][0]["value"], "[masked: password]");
        assert_eq!(masked["argv"][2], "[masked: token]");
        assert_eq!((&masked["env"][1]["value"], &masked["argv"][4]), (&json!("db1host2!X"), &json!("db1")));
    }

    #[test]
    fn a_value_is_masked_by_the_constant_before_it_in_a_pair() {
        let value = json!({"env": [["DB_PASSWORD", "hunter2!Kx"], ["HOST", "db1host2!X"]],
            "names": ["DB_PASSWORD", "API_TOKEN", "HOST"], "first": ["API_TOKEN", "DB_PASSWORD"]});
        let expected = json!({"env": [["DB_PASSWORD", "[masked: password]"], ["HOST", "db1host2!X"]],
            "names": ["DB_PASSWORD", "API_TOKEN", "HOST"], "first": ["API_TOKEN", "DB_PASSWORD"]});
        assert_eq!(masked(&value), expected);
    }

    #[test]
    fn json_in_a_string_is_masked_string_by_string() {
        let command =
            json!({"cmd": "DB_PASSWORD=Zq7)x&t]Kp\nPORT=1", "prompt": "input('Password: ')", "n": 1});
        let row = json!({"arguments": command.to_string()});
        let inner: Value = serde_json::from_str(masked(&row)["arguments"].as_str().unwrap()).unwrap();
        assert_eq!(inner["prompt"], "input('Password: ')");
        assert_eq!(inner["n"], 1);
        assert!(!inner["cmd"].as_str().unwrap().contains("Zq7"), "{inner}");
        let twice = json!({"arguments": json!({"body": command.to_string()}).to_string()});
        assert!(!masked(&twice).to_string().contains("Zq7"));
    }

    #[test]
    fn a_secret_on_another_line_of_a_list_than_its_name_is_masked() {
        let value = json!({"lines": ["+- name: DB_PASSWORD", "+  value: hunter2!Kx", " api_token: |", "   k7Gd92LmQp4RtVw8YbNc", " host: db1host2!X"]});
        let expected = json!({"lines": ["+- name: DB_PASSWORD", "+  value: [masked: password]", " api_token: |", "   [masked: token]", " host: db1host2!X"]});
        assert_eq!(masked(&value), expected);
    }

    #[test]
    fn nested_json_is_masked() {
        let inner = json!({"password": "hunter2!Kx", "note": "x\ny"}).to_string();
        let value = json!({"stdout": json!({"body": inner}).to_string()});
        let masked = masked(&value).to_string();
        assert!(!masked.contains("hunter2") && masked.contains("[masked: "), "{masked}");
        assert!(masked.contains("note") && masked.contains("password"), "the rest stays: {masked}");
    }

    #[test]
    fn a_private_key_split_into_a_list_is_masked_whole_and_its_neighbours_stay() {
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
        let begin = ["+-----BEGIN", "PRIVATE KEY-----"].join(" ");
        let lines = json!([" a", begin, format!("+{body}"), "+-----END PRIVATE KEY-----", "+after"]);
        let masked = masked(&json!({"patch": [{"lines": lines}], "next": "stays"}));
        let text = masked.to_string();
        assert!(!text.contains(body) && text.contains("+after") && text.contains(" a"), "{text}");
        assert_eq!(masked["next"], "stays");
        let cut =
            super::changed(SECRETS, &json!({"lines": [begin, body], "next": "stays"}).to_string()).unwrap();
        assert!(!cut.contains(body) && cut.contains("stays"), "{cut}");
    }

    #[test]
    fn a_line_without_a_secret_is_returned_unchanged_and_uncopied() {
        let line = r#"{ "b":1.0,  "a":"x\u00e9\/y", "é": [] }"#;
        assert!(matches!(SECRETS.line(line.as_bytes()), Cow::Borrowed(same) if same == line));
    }

    #[test]
    fn a_line_that_is_not_json_is_masked_as_text() {
        let line = format!("no row {} \"open", token());
        assert_eq!(SECRETS.line(line.as_bytes()), "no row [masked: github token] \"open");
        let line = format!("{{\"a\": \"\\n{}\", {} \"b\"", token(), token());
        assert!(!SECRETS.line(line.as_bytes()).contains(&token()), "half a row");
        assert!(SECRETS.line(b"\xff\xfe {\"a\":\"b\"}").contains("{\"a\":\"b\"}"));
    }

    fn a_value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            3 => "\\PC{0,12}|[\"\\\\\\n\\t ]{0,6}",
            1 => Just(token()),
            1 => Just(format!("a\n{}\"", token())),
            1 => Just("PASSWORD=hunter2!Kx".to_owned()),
            1 => Just(["-----BEGIN", "RSA PRIVATE KEY-----"].join(" ")),
        ];
        let name = prop_oneof![Just("password".to_owned()), Just("api_key".to_owned()), "\\PC{0,6}"];
        let leaf = prop_oneof![
            text.prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            Just(Value::Null),
            Just(Value::from("k7Gd92LmQp4RtVw8YbNc")),
        ];
        leaf.prop_recursive(3, 24, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((name.clone(), inner), 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_json_stays_one_line_of_json_and_loses_its_secrets(value in a_value()) {
            let line = value.to_string();
            let masked = SECRETS.line(line.as_bytes()).into_owned();
            prop_assert!(!masked.contains('\n'));
            prop_assert!(serde_json::from_str::<Value>(&masked).is_ok(), "{}", masked);
            prop_assert!(!masked.contains(&token()));
            prop_assert_eq!(SECRETS.line(masked.as_bytes()), masked.as_str());
        }

        #[test]
        fn any_bytes_give_one_line(bytes in prop::collection::vec(any::<u8>().prop_filter("a line", |b| *b != b'\n'), 0..200)) {
            prop_assert!(!SECRETS.line(&bytes).contains('\n'));
        }
    }
}
