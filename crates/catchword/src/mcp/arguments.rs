//! What a tool is called with: its schema, and reading it. A model that writes a number as text means the number; one
//! that calls an argument by a wrong name is told, because an answer about another session than it meant is worse than
//! none.

use std::sync::Arc;

use catchword_engine::redact::Mask;
use catchword_engine::session::one_line;
use catchword_engine::text::cut::head_of;
use catchword_engine::text::numbers::grouped;
use serde_json::{Map, Value, json};

use super::Fault;
use super::tools::McpTool;

/// Bytes of an argument. Nobody means more, and masking and searching for megabytes would take seconds.
const MAX_ARGUMENT: usize = 100_000;

/// One argument of a tool.
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// What it is; empty where the name says it.
    pub about: &'static str,
    /// The tool does nothing without it.
    pub required: bool,
    /// What it may be.
    pub kind: ArgumentKind,
}

/// What an argument may be.
pub enum ArgumentKind {
    /// Any text.
    Text,
    /// A number from 1.
    Number,
}

/// The JSON schema of a tool's arguments.
pub fn schema(tool: &McpTool) -> Arc<Map<String, Value>> {
    let mut properties = Map::new();
    for argument in tool.arguments {
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
        tool.arguments.iter().filter(|argument| argument.required).map(|argument| argument.name).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("additionalProperties".to_owned(), json!(false));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    Arc::new(schema)
}

/// The arguments of one call.
pub struct Arguments<'a> {
    tool: &'a McpTool,
    given: Map<String, Value>,
    mask: &'a Mask,
}

impl<'a> Arguments<'a> {
    /// As they were given, unless the tool does not take them.
    pub fn new(tool: &'a McpTool, given: Map<String, Value>, mask: &'a Mask) -> Result<Arguments<'a>, Fault> {
        let names: Vec<&str> = tool.arguments.iter().map(|argument| argument.name).collect();
        for (name, value) in &given {
            let name = one_line(&mask.text(head_of(name, MAX_ARGUMENT)), 40);
            if !names.contains(&name.as_str()) {
                let message = format!("{} has no argument {name:?}.", tool.name);
                return Err(Fault::new("bad_argument", message, format!("It takes {}.", names.join(", "))));
            }
            let bytes = value.as_str().map_or(0, str::len);
            if bytes > MAX_ARGUMENT {
                let message = format!("`{name}` is too long: {} bytes.", grouped(bytes as u64));
                let todo = format!("Give at most {} bytes.", grouped(MAX_ARGUMENT as u64));
                return Err(Fault::new("bad_argument", message, todo));
            }
            if matches!(value, Value::Array(_) | Value::Object(_) | Value::Bool(_)) {
                let message = format!("`{name}` is neither a text nor a number.");
                return Err(Fault::new("bad_argument", message, "Give it as a text."));
            }
        }
        Ok(Arguments { tool, given, mask })
    }

    /// Given, if only as an empty text.
    pub fn has(&self, name: &str) -> bool {
        self.given.get(name).is_some_and(|value| !value.is_null())
    }

    /// A text, masked, so that no answer repeats a secret that was asked about; none where it is missing or empty.
    pub fn text(&self, name: &str) -> Option<String> {
        self.verbatim(name).map(|text| self.mask.text(&text).into_owned())
    }

    /// The same as it was given.
    pub fn verbatim(&self, name: &str) -> Option<String> {
        let text = match self.given.get(name)? {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        (!text.is_empty()).then_some(text)
    }

    /// A text without which there is no answer.
    pub fn needed(&self, name: &str, example: &str) -> Result<String, Fault> {
        self.text(name).ok_or_else(|| {
            let message = format!("{} needs `{name}`.", self.tool.name);
            Fault::new("missing_argument", message, format!("Call it again with {example}."))
        })
    }

    /// A number from 1; none where it is missing.
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
