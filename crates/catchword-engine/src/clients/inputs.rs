//! A tool's input of unknown shape, as text.

use serde_json::{Map, Value};

use crate::redact::{NamedPair, names_a_secret, pairs_up};
use crate::text::shell_words::quoted;

/// The arguments of an input, a line each: "url: https://…". If name and value are two fields
/// (`{"name": "DB_PASSWORD", "value": "…"}`), the value follows its name, so that the mask finds the secret.
pub fn arguments_in(input: &Value) -> String {
    let mut found = Vec::new();
    collect("", input, &mut found);
    found.join("\n")
}

fn collect(name: &str, value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) if name.is_empty() => into.push(text.clone()),
        Value::String(_) if names_a_secret(name) => into.push(format!("{name}: {value}")),
        Value::String(text) => into.push(format!("{name}: {text}")),
        Value::Number(number) => into.push(format!("{name}: {number}")),
        Value::Array(items) => collect_list(name, items, into),
        Value::Object(fields) => {
            let secret = secret_name(fields);
            for (name, value) in fields {
                let name = secret.filter(|_| pairs_up(name) == Some(NamedPair::Value)).unwrap_or(name);
                collect(name, value, into);
            }
        }
        Value::Bool(_) | Value::Null => {}
    }
}

/// All strings, each on a line of its own.
pub fn strings(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(strings).collect::<Vec<_>>().join("\n"),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(key, _)| *key != "type").map(|(_, value)| strings(value));
            fields.collect::<Vec<_>>().join("\n")
        }
        Value::Number(number) => number.to_string(),
        Value::Bool(_) | Value::Null => String::new(),
    }
}

/// A list of words is one line, as a shell would get it, so that the mask finds a secret after its flag or name.
fn collect_list(name: &str, items: &[Value], into: &mut Vec<String>) {
    match items.iter().map(Value::as_str).collect::<Option<Vec<&str>>>().as_deref() {
        // `["DB_PASSWORD", "…"]`
        Some([own, _]) if names_a_secret(own) => collect(own, &items[1], into),
        Some(words) if words.iter().any(|word| word.starts_with('-')) => {
            let line: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            into.push(format!("{name}: {}", line.join(" ")));
        }
        _ => items.iter().for_each(|item| collect(name, item, into)),
    }
}

/// What a name field says, if it names a secret.
fn secret_name(fields: &Map<String, Value>) -> Option<&str> {
    let name = fields.iter().find(|(name, _)| pairs_up(name) == Some(NamedPair::Name));
    name.and_then(|(_, value)| value.as_str()).filter(|name| names_a_secret(name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::redact::SECRETS;

    #[test]
    fn a_secret_in_a_list_of_words_is_masked_and_other_words_stay() {
        const SECRET: &str = "Bd0Kh8oOOL8dKLzdocJ2isAj";
        for input in [
            json!({"args": ["--token", SECRET]}),
            json!({"args": ["-a", "--api-key", SECRET]}),
            json!({"args": ["run", "--password", SECRET]}),
            json!({"env": [["DB_PASSWORD", SECRET]]}),
            json!({"headers": [["X-Api-Key", SECRET]]}),
        ] {
            let masked = SECRETS.text(&arguments_in(&input)).into_owned();
            assert!(!masked.contains(SECRET), "{input}: {masked}");
            assert!(masked.contains("[masked"), "{input}: {masked}");
        }
        assert_eq!(
            arguments_in(&json!({"args": ["-n", "a b"], "tags": ["x", "y"]})),
            "args: -n 'a b'\ntags: x\ntags: y"
        );
    }
}
