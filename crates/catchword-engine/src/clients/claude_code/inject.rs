//! Words for the model and for the person → what Claude Code takes on a hook's stdout.

use crate::model::event::HookEvent;

/// The model gets `additionalContext`, and only under the very name of the event that is being answered.
pub fn stdout(event: &HookEvent, brief: &str) -> String {
    both(event, brief, "")
}

/// The person gets `systemMessage`, and the model does not see it; a hook's stdout is one object, so what goes to both
/// goes out together. Without words for either there is no output.
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
    fn words_for_the_model_and_for_the_person_go_out_in_one_object() {
        let event = HookEvent { name: "PostToolBatch".to_owned(), ..HookEvent::default() };
        let model = r#""hookSpecificOutput":{"additionalContext":"b","hookEventName":"PostToolBatch"}"#;
        assert_eq!(stdout(&event, "b"), format!("{{{model}}}"));
        assert_eq!(both(&event, "b", "m"), format!(r#"{{{model},"systemMessage":"m"}}"#));
        assert_eq!(both(&event, "", "m"), r#"{"systemMessage":"m"}"#);
        assert_eq!(both(&event, "", ""), "");
    }
}
