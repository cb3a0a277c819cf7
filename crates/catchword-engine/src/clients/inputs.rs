//! A tool's input of unknown shape, as text.

use serde_json::{Map, Value};

use crate::redact::{NamedPair, names_a_secret, pairs_up};

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
        Value::Array(items) => items.iter().for_each(|item| collect(name, item, into)),
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

/// What a name field says, if it names a secret.
fn secret_name(fields: &Map<String, Value>) -> Option<&str> {
    let name = fields.iter().find(|(name, _)| pairs_up(name) == Some(NamedPair::Name));
    name.and_then(|(_, value)| value.as_str()).filter(|name| names_a_secret(name))
}
