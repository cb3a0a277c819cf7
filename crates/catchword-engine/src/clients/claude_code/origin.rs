//! Who wrote the text of a `user` row, judged by the text itself.
//!
//! Claude Code puts many things into the user's role: notices, its own commands, output of hooks, messages of other
//! agents. Only the start of a text counts, so that a prompt that mentions any of this is still a prompt.

use serde::Deserialize;

use super::machine_text::{SETTINGS, between, is_machine_text};
use super::wire;
use crate::model::origin::Origin;

/// Sentences of the client, verbatim.
const NOTICES: [&str; 3] = [
    "Continue from where you left off.",
    "No response requested.",
    "Your previous response was interrupted.",
];

/// How the client opens a message of another session. The message follows in a tag.
const FROM_A_SESSION: &str = "Another Claude session sent a message:";
/// Tags around a message of another agent, each with the attribute that names the sender.
const MESSAGES: [(&str, &str); 4] = [
    ("teammate-message", "teammate_id"),
    ("cross-session-message", "from-name"),
    ("agent-message", "from"),
    ("channel", "source"),
];

/// The client's answer to a question that nobody answered in time.
const NOBODY_ANSWERED: &str = "No response after ";

/// How the client opens a plan that it hands over.
const PLAN_OPENING: &str = "Implement the following plan:";
/// What the client appends to a plan that it hands over.
const PLAN_HINT: &str = "If you need specific details from before exiting plan mode";

/// Who wrote `text`; [`Origin::Typed`] unless something shows that it was not the person.
pub fn of_text(text: &str) -> Origin {
    let text = text.trim_start();
    if is_client_notice(text) || is_client_command(text) || is_machine_text(text) {
        Origin::Client
    } else if is_hook_output(text) {
        Origin::Hook
    } else if text.starts_with(PLAN_OPENING) {
        Origin::Plan
    } else {
        Origin::Typed
    }
}

/// The messages of other agents in a text that begins with one, each with its sender.
pub fn messages(text: &str) -> Vec<(String, String)> {
    let text = text.trim_start();
    let mut rest = text.strip_prefix(FROM_A_SESSION).unwrap_or(text).trim_start();
    let mut found = Vec::new();
    while let Some((sender, body, behind)) = first_message(rest) {
        found.extend(assignment(body).map(|body| (sender.to_owned(), body)));
        rest = behind.trim_start();
    }
    found
}

/// Sender, body and the text after a message.
fn first_message(text: &str) -> Option<(&str, &str, &str)> {
    let (tag, attribute) = MESSAGES.iter().find(|(tag, _)| {
        text.strip_prefix('<')
            .and_then(|rest| rest.strip_prefix(tag))
            .is_some_and(|rest| rest.starts_with([' ', '>', '/', '\n']))
    })?;
    let (head, body) = text.split_once('>')?;
    let sender = between(head, &format!("{attribute}=\""), "\"").or_else(|| between(head, "from=\"", "\""));
    let (body, behind) = body.split_once(&format!("</{tag}>")).unwrap_or((body, ""));
    Some((sender.unwrap_or("another agent"), body.trim(), behind))
}

/// What a message asks for. Notices of the team are JSON and ask for nothing, unless they assign a task.
fn assignment(body: &str) -> Option<String> {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Notice {
        #[serde(rename = "type", deserialize_with = "wire::lenient")]
        kind: Option<String>,
        #[serde(deserialize_with = "wire::lenient")]
        subject: Option<String>,
        #[serde(deserialize_with = "wire::lenient")]
        description: Option<String>,
    }
    if !body.starts_with('{') {
        return Some(body.to_owned()).filter(|body| !body.is_empty());
    }
    let notice: Notice = wire::read(body)?;
    let task = [notice.subject, notice.description].into_iter().flatten().collect::<Vec<_>>().join("\n");
    (notice.kind.as_deref() == Some("task_assignment") && !task.is_empty()).then_some(task)
}

/// Nobody answered the agent's question in time.
pub fn is_time_out(answer: &str) -> bool {
    answer.trim_start().starts_with(NOBODY_ANSWERED)
}

/// A plan that the client hands over, without the hint behind it.
pub fn without_plan_hint(text: &str) -> &str {
    let hint = text.rfind(PLAN_HINT).filter(|at| text[..*at].ends_with('\n'));
    hint.map_or(text, |at| text[..at].trim_end())
}

pub(super) fn is_client_notice(text: &str) -> bool {
    NOTICES.contains(&text.trim_end())
}

/// A command that the client carries out itself, written as plain text.
fn is_client_command(text: &str) -> bool {
    let name = text.split_whitespace().next().unwrap_or_default();
    // A command is one line.
    SETTINGS.contains(&name) && !text.trim_end().contains('\n')
}

/// "Stop hook feedback: …", "Operation stopped by hook: …": the text behind the colon is the hook's.
fn is_hook_output(text: &str) -> bool {
    // Each with the words before it: the event, and what was stopped.
    const MARKS: [(&str, usize); 4] =
        [("hook feedback:", 1), ("hook error:", 1), ("stopped by hook:", 1), ("blocked by hook:", 2)];
    let head = text.lines().next().unwrap_or_default();
    let opens = |mark: &str, words: usize| {
        head.split_once(mark).is_some_and(|(before, _)| before.split_whitespace().count() == words)
    };
    head.starts_with(|c: char| c.is_ascii_uppercase())
        && MARKS.iter().any(|(mark, words)| opens(mark, *words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_commands_and_hook_output_are_not_typed() {
        for text in
            ["/compact", "/compact keep the schema", "Continue from where you left off.", "/model opus"]
        {
            assert_eq!(of_text(text), Origin::Client, "{text}");
        }
        for text in [
            "Stop hook feedback:\nRun the linter first.",
            "Operation stopped by hook: another session is open",
            "UserPromptSubmit operation blocked by hook: never push",
            "PreToolUse:Bash hook error: always ask",
        ] {
            assert_eq!(of_text(text), Origin::Hook, "{text}");
        }
    }

    #[test]
    fn a_prompt_that_speaks_of_them_is_typed() {
        for text in [
            "why does /compact lose my rules?",
            "/review the parser",
            "Continue from where you left off. Then run the tests.",
            "The stop hook error is back: it prints nothing",
            "Fix the hook feedback: it repeats itself",
            "/compact is broken:\nit hangs",
        ] {
            assert_eq!(of_text(text), Origin::Typed, "{text}");
        }
    }

    #[test]
    fn messages_of_other_agents_come_with_their_sender() {
        let text = "<teammate-message teammate_id=\"lead\" color=\"blue\">\nPort the lexer.\n</teammate-message>\n\
                    <teammate-message teammate_id=\"qa\">\n{\"type\":\"idle_notification\"}\n</teammate-message>";
        assert_eq!(messages(text), [("lead".to_owned(), "Port the lexer.".to_owned())]);
        let peer = "Another Claude session sent a message:\n<cross-session-message from=\"uds:/x\" \
                    from-name=\"docs\">\nRename it.\n</cross-session-message>";
        assert_eq!(messages(peer), [("docs".to_owned(), "Rename it.".to_owned())]);
        let task = "<teammate-message teammate_id=\"lead\">{\"type\":\"task_assignment\",\"subject\":\"Port it\",\
                    \"description\":\"Never touch v1.\"}</teammate-message>";
        assert_eq!(messages(task), [("lead".to_owned(), "Port it\nNever touch v1.".to_owned())]);
        assert_eq!(messages("what is <teammate-message teammate_id=\"x\">?"), []);
    }

    #[test]
    fn the_hint_behind_a_plan_is_the_clients() {
        let plan = "Implement the following plan:\n\n# Cache\n- add it\n\n\nIf you need specific details from before \
                    exiting plan mode (like code), read the full transcript at: /x.jsonl";
        assert_eq!(without_plan_hint(plan), "Implement the following plan:\n\n# Cache\n- add it");
    }
}
