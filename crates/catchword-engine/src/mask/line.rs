//! Secrets out of a line of JSON that stays one line of JSON.
//!
//! A transcript that is kept whole is masked row by row. Masking the raw text would miss what stands behind an escape
//! (`\nghp_…` reads as a word that begins with `n`) and could tear one apart, so the strings are masked one by one, as
//! what they say, and everything between them stays as it is, byte by byte. Two secrets show only beside their
//! neighbours: a value whose name says what it is, and a private key that was split into a list of lines.

use std::borrow::Cow;

use super::{MARK, mask};

/// Longest value that is looked at together with its name; passwords and keys are far shorter.
const NAMED: usize = 8 * 1024;
/// What stands for a value that cannot be shown in part.
const HIDDEN: &str = "\"[masked: secret]\"";
const HIDDEN_KEY: &str = "\"[masked: private key]\"";

/// A line with its secrets masked; what is no JSON is masked as text. Never holds a line break.
pub fn mask_line(line: &[u8]) -> Cow<'_, str> {
    let text = match String::from_utf8_lossy(line) {
        // A surviving `\r` before the line end is harmless; other breaks cannot be in a line.
        Cow::Borrowed(text) => text,
        Cow::Owned(text) => return Cow::Owned(masked(&text).unwrap_or(text)),
    };
    masked(text).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// `None` where nothing changes.
fn masked(text: &str) -> Option<String> {
    let json = masked_strings(text);
    if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        return json;
    }
    // Half a row, or none: what stands between the strings may be a secret, too.
    let so_far = json.as_deref().unwrap_or(text);
    match mask(so_far) {
        Cow::Owned(masked) => Some(masked),
        Cow::Borrowed(_) => json,
    }
}

/// `None` where nothing changes.
fn masked_strings(text: &str) -> Option<String> {
    let mut out = Changed { text, kept_to: 0, out: String::new() };
    let mut name: Option<Literal> = None;
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
        let Some(end) = literal_end(text, start) else { break };
        let literal = Literal { start, end };
        at = end;
        let is_name = text[end..].trim_start().starts_with(':');
        let said = literal.said(text);
        let is_key_end = said.contains("-----END ");
        if within_key && !is_name {
            out.replace(literal, HIDDEN_KEY);
        } else {
            let masked = match mask(&said) {
                Cow::Owned(masked) => Some(quoted(&masked)),
                Cow::Borrowed(_) => name.and_then(|name| by_name(text, name, literal)),
            };
            if let Some(masked) = masked {
                out.replace(literal, &masked);
            }
        }
        let begins_key = said.contains("-----BEGIN ") && said.contains("PRIVATE KEY");
        within_key = (within_key || begins_key) && !is_key_end && !is_name;
        name = is_name.then_some(literal);
    }
    out.finish()
}

/// A string of JSON, quotes included.
#[derive(Clone, Copy)]
struct Literal {
    start: usize,
    end: usize,
}

impl Literal {
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
fn literal_end(text: &str, start: usize) -> Option<usize> {
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

/// The value with its secret masked, where its name tells that it is one.
fn by_name(text: &str, name: Literal, value: Literal) -> Option<String> {
    if value.end - value.start > NAMED || !text[name.end..value.start].trim().eq(":") {
        return None;
    }
    let member = &text[name.start..value.end];
    let Cow::Owned(masked) = mask(member) else { return None };
    let before = &text[name.start..value.start];
    let shown = masked.strip_prefix(before).filter(|shown| {
        shown.contains(MARK) && serde_json::from_str::<&serde_json::value::RawValue>(shown).is_ok()
    });
    Some(shown.unwrap_or(HIDDEN).to_owned())
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A text of which some stretches are replaced.
struct Changed<'a> {
    text: &'a str,
    kept_to: usize,
    out: String,
}

impl Changed<'_> {
    fn replace(&mut self, literal: Literal, by: &str) {
        self.out.push_str(&self.text[self.kept_to..literal.start]);
        self.out.push_str(by);
        self.kept_to = literal.end;
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
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn token() -> String {
        ["ghp", "x7Kd92LmQp4RtVw8YbNc3FhJs6ZaGe1Uo5Ti"].join("_")
    }

    fn masked(value: &Value) -> Value {
        serde_json::from_str(&mask_line(value.to_string().as_bytes())).expect("still JSON")
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
        let cut = super::masked(&json!({"lines": [begin, body], "next": "stays"}).to_string()).unwrap();
        assert!(!cut.contains(body) && cut.contains("stays"), "{cut}");
    }

    #[test]
    fn a_line_without_a_secret_is_borrowed_byte_by_byte() {
        let line = r#"{ "b":1.0,  "a":"x\u00e9\/y", "é": [] }"#;
        assert!(matches!(mask_line(line.as_bytes()), Cow::Borrowed(same) if same == line));
    }

    #[test]
    fn what_is_no_json_is_masked_as_text() {
        let line = format!("no row {} \"open", token());
        assert_eq!(mask_line(line.as_bytes()), "no row [masked: github token] \"open");
        let line = format!("{{\"a\": \"\\n{}\", {} \"b\"", token(), token());
        assert!(!mask_line(line.as_bytes()).contains(&token()), "half a row");
        assert!(mask_line(b"\xff\xfe {\"a\":\"b\"}").contains("{\"a\":\"b\"}"));
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
            let masked = mask_line(line.as_bytes()).into_owned();
            prop_assert!(!masked.contains('\n'));
            prop_assert!(serde_json::from_str::<Value>(&masked).is_ok(), "{}", masked);
            prop_assert!(!masked.contains(&token()));
            prop_assert_eq!(mask_line(masked.as_bytes()), masked.as_str());
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>().prop_filter("a line", |b| *b != b'\n'), 0..200)) {
            prop_assert!(!mask_line(&bytes).contains('\n'));
        }
    }
}
