//! The arguments of a tool: their schema, and reading them. A number written as text is accepted. An unknown argument
//! name is an error, because an answer about the wrong session is worse than none.

use std::sync::Arc;

use catchword_engine::redact::Mask;
use catchword_engine::session::one_line;
use catchword_engine::text::cut::head_of;
use catchword_engine::text::numbers::grouped;
use serde_json::{Map, Value, json};

use super::Fault;

/// Longest argument, in bytes. Nobody means more, and masking and searching megabytes would take seconds.
const MAX_ARGUMENT: usize = 100_000;

pub struct Argument {
    pub name: &'static str,
    /// Empty if the name says it.
    pub about: &'static str,
    /// Whether the tool needs it.
    pub required: bool,
    pub kind: ArgumentKind,
}

pub enum ArgumentKind {
    /// Any text.
    Text,
    /// A number from 1.
    Number,
}

/// The JSON schema of a tool's arguments.
pub fn schema(arguments: &[Argument]) -> Arc<Map<String, Value>> {
    let mut properties = Map::new();
    for argument in arguments {
        let mut property = Map::new();
        property.insert(
            "type".to_owned(),
            json!(match argument.kind {
                ArgumentKind::Text => "string",
                ArgumentKind::Number => "integer",
            }),
        );
        if !argument.about.is_empty() {
            property.insert("description".to_owned(), json!(argument.about));
        }
        properties.insert(argument.name.to_owned(), Value::Object(property));
    }
    let required: Vec<&str> =
        arguments.iter().filter(|argument| argument.required).map(|argument| argument.name).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("additionalProperties".to_owned(), json!(false));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    Arc::new(schema)
}

pub struct Arguments<'a> {
    tool: &'a str,
    given: Map<String, Value>,
    mask: &'a Mask,
}

impl<'a> Arguments<'a> {
    /// Fails if the tool does not accept an argument.
    pub fn new(
        tool: &'a str,
        accepted: &[Argument],
        given: Map<String, Value>,
        mask: &'a Mask,
    ) -> Result<Arguments<'a>, Fault> {
        let names: Vec<&str> = accepted.iter().map(|argument| argument.name).collect();
        for (name, value) in &given {
            let name = one_line(&mask.text(head_of(name, MAX_ARGUMENT)), 40);
            if !names.contains(&name.as_str()) {
                let message = format!("{tool} has no argument {name:?}.");
                return Err(Fault::new("bad_argument", message, format!("It takes {}.", names.join(", "))));
            }
            let bytes = value.as_str().map_or(0, str::len);
            if bytes > MAX_ARGUMENT {
                let message = format!("`{name}` is too long: {} bytes.", grouped(bytes as u64));
                let todo = format!("Give at most {} bytes.", grouped(MAX_ARGUMENT as u64));
                return Err(Fault::new("bad_argument", message, todo));
            }
            if value.as_str().is_some_and(|text| text.contains(char::REPLACEMENT_CHARACTER)) {
                let message =
                    format!("`{name}` contains a broken character (U+FFFD or half a surrogate pair).");
                return Err(Fault::new("bad_argument", message, "Leave that character out."));
            }
            if matches!(value, Value::Array(_) | Value::Object(_) | Value::Bool(_)) {
                let message = format!("`{name}` is neither a text nor a number.");
                return Err(Fault::new("bad_argument", message, "Give it as a text."));
            }
        }
        Ok(Arguments { tool, given, mask })
    }

    /// Whether it was given, even as an empty text.
    pub fn has(&self, name: &str) -> bool {
        self.given.get(name).is_some_and(|value| !value.is_null())
    }

    /// A text, masked, so that no answer repeats a secret from the question; `None` if it is missing or empty.
    pub fn text(&self, name: &str) -> Option<String> {
        self.verbatim(name).map(|text| self.mask.text(&text).into_owned())
    }

    /// The same, unmasked.
    pub fn verbatim(&self, name: &str) -> Option<String> {
        let text = match self.given.get(name)? {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        (!text.is_empty()).then_some(text)
    }

    /// A required text.
    pub fn needed(&self, name: &str, example: &str) -> Result<String, Fault> {
        self.text(name).ok_or_else(|| {
            let message = format!("{} needs `{name}`.", self.tool);
            Fault::new("missing_argument", message, format!("Call it again with {example}."))
        })
    }

    /// A number from 1; `None` if it is missing.
    pub fn number(&self, name: &str) -> Result<Option<usize>, Fault> {
        let Some(text) = self.text(name) else { return Ok(None) };
        match text.parse() {
            Ok(number) if number > 0 => Ok(Some(number)),
            _ => {
                let message = format!("`{name}` is {text:?} where a number from 1 should be.");
                Err(Fault::new("bad_argument", message, "Leave it out, or give a number."))
            }
        }
    }
}
