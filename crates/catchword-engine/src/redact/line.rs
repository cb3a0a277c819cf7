//! Secrets out of a line of JSON that stays one line of JSON.
//!
//! A transcript that is kept whole is masked row by row. Masking the raw text would miss what is behind an escape
//! (`\\nghp_…` reads as a word that begins with `n`) and could tear one apart, so the strings are masked one by one, as
//! what they say, and everything between them stays as it is, byte by byte. Some secrets show only beside their
//! neighbours: a value whose name says what it is (its key, the `name` beside a `value`, the flag before it in a list), and
//! a private key that was split into a list of lines.

use std::borrow::Cow;

use super::{MARK, Mask, NamedPair, names_a_secret, pairs_up};

/// Longest value that is looked at together with its name; passwords and keys are far shorter.
const MAX_NAMED_VALUE: usize = 8 * 1024;
/// What stands for a value that cannot be shown in part.
const HIDDEN: &str = "\"[masked: secret]\"";
const HIDDEN_KEY: &str = "\"[masked: private key]\"";

/// A line with its secrets masked; what is no JSON is masked as text. Never holds a line break.
pub(super) fn masked<'a>(mask: &Mask, line: &'a [u8]) -> Cow<'a, str> {
    let text = match String::from_utf8_lossy(line) {
        // A surviving `\r` before the line end is harmless; other breaks cannot be in a line.
        Cow::Borrowed(text) => text,
        Cow::Owned(text) => return Cow::Owned(changed(mask, &text).unwrap_or(text)),
    };
    changed(mask, text).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// `None` where nothing changes.
fn changed(mask: &Mask, text: &str) -> Option<String> {
    let json = masked_strings(mask, text);
    if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        return json;
    }
    // Half a row, or none: what stands between the strings may be a secret, too.
    let so_far = json.as_deref().unwrap_or(text);
    match mask.text(so_far) {
        Cow::Owned(masked) => Some(masked),
        Cow::Borrowed(_) => json,
    }
}

/// `None` where nothing changes.
fn masked_strings(mask: &Mask, text: &str) -> Option<String> {
    let mut out = EditedText { text, kept_to: 0, out: String::new() };
    let mut neighbours = Neighbours::default();
    let mut within_key = false;
    let mut at = 0;
    while let Some(found) = memchr::memchr3(b'"', b'[', b']', &text.as_bytes()[at..]) {
        let start = at + found;
        if text.as_bytes()[start] != b'"' {
            // A key that was split into a list ends with the list at the latest.
            within_key = false;
            at = start + 1;
            continue;
        }
        let Some(end) = string_end(text, start) else { break };
        let string = JsonString { start, end };
        at = end;
        let is_name = text[end..].trim_start().starts_with(':');
        let said = string.said(text);
        let is_key_end = said.contains("-----END ");
        if within_key && !is_name {
            out.replace(string, HIDDEN_KEY);
        } else {
            let masked = match mask.text(&said) {
                Cow::Owned(masked) => Some(quoted(&masked)),
                Cow::Borrowed(_) => neighbours.masked(mask, text, string),
            };
            if let Some(masked) = masked {
                out.replace(string, &masked);
            }
        }
        let begins_key = said.contains("-----BEGIN ") && said.contains("PRIVATE KEY");
        within_key = (within_key || begins_key) && !is_key_end && !is_name;
        neighbours.pass(text, string, is_name, &said);
    }
    out.finish()
}

/// The strings before one that may say what it is.
#[derive(Default)]
struct Neighbours {
    /// Its key.
    key: Option<JsonString>,
    /// The name that the member `name` (or `key`) of the object gave.
    named: Option<String>,
    /// A flag, the item before it in a list.
    flag: Option<String>,
}

impl Neighbours {
    /// The string with its secret masked, where a neighbour tells that it is one.
    fn masked(&self, mask: &Mask, text: &str, string: JsonString) -> Option<String> {
        if string.end - string.start > MAX_NAMED_VALUE {
            return None;
        }
        let Some(key) = self.key else {
            return self.flag.as_deref().and_then(|flag| by_name(mask, &quoted(flag), string.of(text)));
        };
        if text[key.end..string.start].trim() != ":" {
            return None;
        }
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

    /// Remembers a string for those after it.
    fn pass(&mut self, text: &str, string: JsonString, is_name: bool, said: &str) {
        let telling = || (said.len() <= 64 && names_a_secret(said)).then(|| said.to_owned());
        let key = self.key.take();
        self.flag = if key.is_none() && said.starts_with("--") { telling() } else { None };
        if is_name {
            self.key = Some(string);
        } else if key.is_some_and(|key| pairs_up(key.of(text).trim_matches('"')) == Some(NamedPair::Name)) {
            self.named = telling();
        }
    }
}

/// A string of JSON, quotes included.
#[derive(Clone, Copy)]
struct JsonString {
    start: usize,
    end: usize,
}

impl JsonString {
    fn of(self, text: &str) -> &str {
        &text[self.start..self.end]
    }

    /// What it says.
    fn said(self, text: &str) -> Cow<'_, str> {
        let inner = &text[self.start + 1..self.end - 1];
        if !inner.contains('\\') {
            return Cow::Borrowed(inner);
        }
        // Half of a pair of surrogates is no string; as it stands is the best there is.
        serde_json::from_str(&text[self.start..self.end]).map_or(Cow::Borrowed(inner), Cow::Owned)
    }
}

/// Where a string that begins at `start` ends.
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

/// A value with its secret masked, where its name tells that it is one; both as JSON has them.
fn by_name(mask: &Mask, name: &str, value: &str) -> Option<String> {
    let before = format!("{name}:");
    let member = format!("{before}{value}");
    let Cow::Owned(masked) = mask.text(&member) else { return None };
    let shown = masked.strip_prefix(&before).filter(|shown| {
        shown.contains(MARK) && serde_json::from_str::<&serde_json::value::RawValue>(shown).is_ok()
    });
    Some(shown.unwrap_or(HIDDEN).to_owned())
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A text of which some stretches are replaced.
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
    fn a_secret_behind_an_escape_is_found_and_the_line_stays_json() {
        let value = json!({"text": format!("use\n{}\t\"here\"\\", token()), "n": 1.50, "é": [true, null]});
        let expected =
            json!({"text": "use\n[masked: github token]\t\"here\"\\", "n": 1.50, "é": [true, null]});
        assert_eq!(masked(&value), expected);
    }

    #[test]
    fn a_name_tells_what_its_value_is() {
        let value = json!({"input": {"password": "hunter2!Kx", "user": "bob"}, "api_key": "k\"7Gd\\92LmQp4RtVw8YbNc"});
        let masked = masked(&value);
        assert_eq!(masked["input"]["password"], "[masked: password]");
        assert_eq!(masked["input"]["user"], "bob");
        assert!(!masked["api_key"].as_str().unwrap().contains("92LmQp4"), "{masked}");
    }

    #[test]
    fn a_neighbour_tells_what_a_value_is() {
        let value = json!({"env": [{"name": "DB_PASSWORD", "value": "hunter2!Kx"}, {"name": "HOST", "value": "db1host2!X"}],
            "argv": ["tool", "--token", "k7Gd92LmQp4RtVw8YbNc", "--host", "db1"]});
        let masked = masked(&value);
        assert_eq!(masked["env"][0]["value"], "[masked: password]");
        assert_eq!(masked["argv"][2], "[masked: token]");
        assert_eq!((&masked["env"][1]["value"], &masked["argv"][4]), (&json!("db1host2!X"), &json!("db1")));
    }

    #[test]
    fn json_within_json_is_masked_too() {
        let inner = json!({"password": "hunter2!Kx", "note": "x\ny"}).to_string();
        let value = json!({"stdout": json!({"body": inner}).to_string()});
        let masked = masked(&value).to_string();
        assert!(!masked.contains("hunter2"), "{masked}");
    }

    #[test]
    fn a_private_key_split_into_lines_goes_whole_and_its_neighbours_stay() {
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
    fn a_line_without_a_secret_is_borrowed_byte_by_byte() {
        let line = r#"{ "b":1.0,  "a":"x\u00e9\/y", "é": [] }"#;
        assert!(matches!(SECRETS.line(line.as_bytes()), Cow::Borrowed(same) if same == line));
    }

    #[test]
    fn what_is_no_json_is_masked_as_text() {
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
        fn any_json_stays_one_line_of_json_without_the_secret(value in a_value()) {
            let line = value.to_string();
            let masked = SECRETS.line(line.as_bytes()).into_owned();
            prop_assert!(!masked.contains('\n'));
            prop_assert!(serde_json::from_str::<Value>(&masked).is_ok(), "{}", masked);
            prop_assert!(!masked.contains(&token()));
            prop_assert_eq!(SECRETS.line(masked.as_bytes()), masked.as_str());
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>().prop_filter("a line", |b| *b != b'\n'), 0..200)) {
            prop_assert!(!SECRETS.line(&bytes).contains('\n'));
        }
    }
}
