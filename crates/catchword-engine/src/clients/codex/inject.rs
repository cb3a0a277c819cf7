//! Text for the model and for the person → what Codex accepts on a hook's stdout.
//!
//! Codex checks the output against a schema: a top-level key that it does not know voids all of it. These two are known
//! at every event we answer.

use crate::model::event::HookEvent;

pub fn stdout(event: &HookEvent, brief: &str) -> String {
    both(event, brief, "")
}

/// Without text for either there is no output.
pub fn both(event: &HookEvent, context: &str, message: &str) -> String {
    let mut output = serde_json::Map::new();
    if !context.is_empty() {
        let context = serde_json::json!({ "hookEventName": event.name, "additionalContext": context });
        output.insert("hookSpecificOutput".to_owned(), context);
    }
    if !message.is_empty() {
        output.insert("systemMessage".to_owned(), message.into());
    }
    if output.is_empty() { String::new() } else { serde_json::Value::Object(output).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_has_no_key_but_the_two_that_the_client_knows() {
        let event = HookEvent { name: "SessionStart".to_owned(), ..HookEvent::default() };
        let model = r#""hookSpecificOutput":{"additionalContext":"b","hookEventName":"SessionStart"}"#;
        assert_eq!(stdout(&event, "b"), format!("{{{model}}}"));
        assert_eq!(both(&event, "b", "m"), format!(r#"{{{model},"systemMessage":"m"}}"#));
        assert_eq!(both(&event, "", "m"), r#"{"systemMessage":"m"}"#);
        assert_eq!(both(&event, "", ""), "");
    }
}
