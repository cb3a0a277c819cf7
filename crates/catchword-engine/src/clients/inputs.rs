//! A tool's input whose shape nobody knows, as text.

use serde_json::Value;

use crate::redact::{NamedPair, names_a_secret, pairs_up};

/// All strings of an input. A name that tells the mask of a secret stays with its value.
pub fn strings_in(input: &Value) -> String {
    let mut found = Vec::new();
    collect(input, &mut found);
    found.join("\n")
}

fn collect(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|v| collect(v, into)),
        Value::Object(fields) => {
            // `{"name": "DB_PASSWORD", "value": "…"}`.
            let said = |of: NamedPair| {
                fields
                    .iter()
                    .find(|(name, _)| pairs_up(name) == Some(of))
                    .and_then(|(_, value)| value.as_str())
            };
            let named = said(NamedPair::Name).filter(|name| names_a_secret(name));
            for (name, value) in fields {
                let name = named.filter(|_| pairs_up(name) == Some(NamedPair::Value)).unwrap_or(name);
                match value {
                    Value::String(_) if names_a_secret(name) => into.push(format!("{name}: {value}")),
                    _ => collect(value, into),
                }
            }
        }
        _ => {}
    }
}
