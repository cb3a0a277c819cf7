//! Programs that read a client's settings and call its hooks with a payload of their own.
//!
//! VS Code, Cursor, Grok Build and GitHub Copilot run the hooks in Claude Code's settings, but for sessions of their own.
//! Such a call is not recorded or answered, unless its caller is a supported client. We recognise it by its payload alone:
//! variables do not help, because a client in a terminal of such a program inherits them.

use std::path::Path;

use super::environment::Lookup;
use super::payload::{Payload, Present};
use super::setup::HookForm;
use super::{CLIENTS, Client, lenient};

pub const VS_CODE: &str = "VS Code";
pub const CURSOR: &str = "Cursor";
pub const GROK: &str = "Grok Build";
pub const GITHUB: &str = "GitHub Copilot";
/// The payload does not show which program it was.
pub const UNKNOWN: &str = "an unknown program";

/// Every caller, by its number in the store.
pub const CALLERS: [&str; 5] = [UNKNOWN, VS_CODE, CURSOR, GROK, GITHUB];

/// Variables that a program sets for its hooks, most specific first.
const VARIABLES: [(&str, &str); 6] = [
    ("GROK_HOOK_EVENT", GROK),
    ("COPILOT_CLI", GITHUB),
    ("COPILOT_PROJECT_DIR", GITHUB),
    ("CURSOR_VERSION", CURSOR),
    ("CURSOR_TRACE_ID", CURSOR),
    ("VSCODE_PID", VS_CODE),
];

/// The program that wrote a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stranger {
    Named(&'static str),
    /// Several programs write such a payload.
    Unnamed,
}

impl Stranger {
    /// The caller's name, from its variables if the payload does not show it.
    pub fn name(self, variable: Lookup) -> &'static str {
        let by_variable = || VARIABLES.iter().find(|(name, _)| variable(name).is_some()).map(|(_, who)| *who);
        match self {
            Stranger::Named(name) => name,
            Stranger::Unnamed => by_variable().unwrap_or(UNKNOWN),
        }
    }
}

/// The supported client that calls by this name.
pub fn client_of(caller: &str) -> Option<&'static Client> {
    CLIENTS.iter().copied().find(|client| client.caller == Some(caller))
}

/// The client whose hooks the others run. They drop the arguments of a handler, and with them its name.
pub fn host() -> &'static Client {
    CLIENTS
        .iter()
        .copied()
        .find(|client| client.setup.hooks.form == HookForm::Arguments)
        .unwrap_or(CLIENTS[0])
}

/// The other program that wrote this payload, if one did.
pub fn stranger(payload: &[u8]) -> Option<Stranger> {
    let payload: Payload = lenient::read(&String::from_utf8_lossy(payload))?;
    of(&payload)
}

/// The same for a payload that has been read.
pub(super) fn of(payload: &Payload) -> Option<Stranger> {
    let cursors =
        [payload.conversation_id, payload.generation_id, payload.cursor_version, payload.workspace_roots];
    let camel = [
        payload.camel_session_id,
        payload.camel_event,
        payload.camel_transcript_path,
        payload.camel_tool_name,
    ];
    let is_ours = payload.session_id.is_some() && payload.hook_event_name.is_some();
    if cursors.contains(&Some(Present)) {
        Some(Stranger::Named(CURSOR))
    } else if camel.contains(&Some(Present)) {
        Some(Stranger::Named(match (is_ours, payload.camel_event.is_some()) {
            (true, _) => GROK,
            (false, true) => VS_CODE,
            (false, false) => GITHUB,
        }))
    } else if payload.timestamp.is_some() && !names_its_transcript(payload) {
        let is_githubs = payload.tool_result.is_some() || payload.initial_prompt.is_some();
        Some(if is_githubs { Stranger::Named(GITHUB) } else { Stranger::Unnamed })
    } else {
        None
    }
}

/// The supported clients name a transcript after its session. So they are still recognised if they add a member that
/// others have.
fn names_its_transcript(payload: &Payload) -> bool {
    let file = payload.transcript_path.as_deref().and_then(|path| Path::new(path).file_stem()?.to_str());
    let session = payload.session_id.as_deref().filter(|session| !session.is_empty());
    file.zip(session).is_some_and(|(file, session)| file.ends_with(session))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(json: &str) -> Option<Stranger> {
        stranger(json.as_bytes())
    }

    const fn named(name: &'static str) -> Stranger {
        Stranger::Named(name)
    }

    /// Events in the shape of each program, as its documentation, its source or a capture has it.
    const STRANGE: &[(&str, Stranger)] = &[
        // VS Code.
        (
            r#"{"timestamp":"t","cwd":"/p","sessionId":"a","hookEventName":"SessionStart","source":"new"}"#,
            named(VS_CODE),
        ),
        (
            r#"{"timestamp":"t","cwd":"/p","sessionId":"a","hookEventName":"SessionStart","transcript_path":"/t/a.json"}"#,
            named(VS_CODE),
        ),
        (
            r#"{"timestamp":"t","cwd":"/p","sessionId":"a","hookEventName":"UserPromptSubmit","prompt":"x"}"#,
            named(VS_CODE),
        ),
        (
            r#"{"timestamp":"t","cwd":"/p","sessionId":"a","hookEventName":"PostToolUse","tool_name":"t","tool_input":{},"tool_response":"x"}"#,
            named(VS_CODE),
        ),
        (
            r#"{"timestamp":"t","cwd":"/p","sessionId":"a","hookEventName":"PreToolUse","tool_name":"t","tool_use_id":"1"}"#,
            named(VS_CODE),
        ),
        (
            r#"{"timestamp":"t","cwd":"/p","sessionId":"a","hookEventName":"PreCompact","trigger":"auto"}"#,
            named(VS_CODE),
        ),
        (
            r#"{"timestamp":"t","cwd":"/p","sessionId":"a","hookEventName":"Stop","stop_hook_active":false}"#,
            named(VS_CODE),
        ),
        (
            r#"{"timestamp":"t","cwd":"/p","sessionId":"a","hookEventName":"SubagentStop","agent_id":"b"}"#,
            named(VS_CODE),
        ),
        // Cursor, in its own words and in Claude Code's.
        (
            r#"{"conversation_id":"a","generation_id":"g","hook_event_name":"preCompact","workspace_roots":["/p"]}"#,
            named(CURSOR),
        ),
        (
            r#"{"conversation_id":"a","hook_event_name":"stop","status":"completed","cursor_version":"3.1"}"#,
            named(CURSOR),
        ),
        (
            r#"{"session_id":"a","hook_event_name":"SessionStart","transcript_path":"/t/a.jsonl","cursor_version":"3.1"}"#,
            named(CURSOR),
        ),
        (
            r#"{"session_id":"a","hook_event_name":"PostToolUse","tool_name":"Bash","workspace_roots":["/p"]}"#,
            named(CURSOR),
        ),
        (r#"{"session_id":"a","hook_event_name":"Stop","generation_id":"g"}"#, named(CURSOR)),
        // Grok Build: both spellings.
        (
            r#"{"session_id":"a","sessionId":"a","hook_event_name":"PreCompact","hookEventName":"PreCompact","cwd":"/p"}"#,
            named(GROK),
        ),
        (
            r#"{"session_id":"a","sessionId":"a","hook_event_name":"PostToolUse","hookEventName":"PostToolUse","toolName":"bash","tool_name":"bash"}"#,
            named(GROK),
        ),
        (
            r#"{"session_id":"a","sessionId":"a","hook_event_name":"SessionStart","source":"startup"}"#,
            named(GROK),
        ),
        (
            r#"{"session_id":"a","hook_event_name":"PostCompact","transcriptPath":"/g/chat_history.jsonl"}"#,
            named(GROK),
        ),
        // GitHub Copilot, in its own spelling.
        (r#"{"sessionId":"a","timestamp":1,"cwd":"/p","source":"new","initialPrompt":"x"}"#, named(GITHUB)),
        (r#"{"sessionId":"a","timestamp":1,"cwd":"/p","prompt":"x"}"#, named(GITHUB)),
        (
            r#"{"sessionId":"a","timestamp":1,"cwd":"/p","toolName":"sql","toolArgs":{},"toolResult":{}}"#,
            named(GITHUB),
        ),
        (
            r#"{"sessionId":"a","timestamp":1,"cwd":"/p","transcriptPath":"/c/a/events.jsonl","trigger":"auto"}"#,
            named(GITHUB),
        ),
        (r#"{"sessionId":"a","timestamp":1,"cwd":"/p","reason":"complete"}"#, named(GITHUB)),
        (
            r#"{"sessionId":"a","timestamp":1,"transcriptPath":"/c/a/events.jsonl","stopReason":"end_turn","stop_hook_active":false}"#,
            named(GITHUB),
        ),
        // GitHub Copilot, in Claude Code's.
        (
            r#"{"hook_event_name":"SessionStart","session_id":"a","timestamp":"t","cwd":"/p","source":"new","initial_prompt":"x"}"#,
            named(GITHUB),
        ),
        (
            r#"{"hook_event_name":"PostToolUse","session_id":"a","timestamp":"t","tool_name":"Bash","tool_input":{},"tool_result":{}}"#,
            named(GITHUB),
        ),
        (
            r#"{"hook_event_name":"UserPromptSubmit","session_id":"a","timestamp":"t","cwd":"/p","prompt":"x"}"#,
            Stranger::Unnamed,
        ),
        (
            r#"{"hook_event_name":"PreToolUse","session_id":"a","timestamp":"t","tool_name":"Edit"}"#,
            Stranger::Unnamed,
        ),
        (
            r#"{"hook_event_name":"PreCompact","session_id":"a","timestamp":"t","transcript_path":"/c/a/events.jsonl","trigger":"auto"}"#,
            Stranger::Unnamed,
        ),
        (
            r#"{"hook_event_name":"Stop","session_id":"a","timestamp":"t","transcript_path":"/c/a/events.jsonl"}"#,
            Stranger::Unnamed,
        ),
        (
            r#"{"hook_event_name":"SessionEnd","session_id":"a","timestamp":"t","reason":"complete"}"#,
            Stranger::Unnamed,
        ),
        // Others that write a time.
        (
            r#"{"hook_event_name":"PreCompress","session_id":"a-b","timestamp":"t","transcript_path":"/g/session-a.json"}"#,
            Stranger::Unnamed,
        ),
    ];

    #[test]
    fn payload_of_another_program_is_told_by_its_shape() {
        assert!(STRANGE.len() >= 30);
        for (json, expected) in STRANGE {
            assert_eq!(shape(json), Some(*expected), "{json}");
            for client in crate::clients::CLIENTS {
                let event = (client.event)(json.as_bytes());
                // In the spelling of others, and called as that client, it is a client's own.
                let is_own =
                    client.name == "copilot" && [named(GITHUB), Stranger::Unnamed].contains(expected);
                assert!(event.is_none() || is_own, "{}: {json}", client.name);
            }
        }
    }

    /// What the real programs sent to the hooks in a `.claude/settings.json`.
    #[test]
    fn captured_payload_names_its_program() {
        let captured = [
            (GROK, include_str!("../../../../fixtures/strangers/grok-1.0.41.jsonl")),
            (GITHUB, include_str!("../../../../fixtures/strangers/copilot-1.0.102.jsonl")),
        ];
        let from_cli = |name: &str| (name == "COPILOT_CLI").then(|| "1".to_owned());
        for (name, lines) in captured {
            assert!(lines.lines().count() > 10);
            for line in lines.lines() {
                assert_eq!(shape(line).map(|by| by.name(&from_cli)), Some(name), "{line}");
                assert_eq!((host().event)(line.as_bytes()), None, "{line}");
                let event = client_of(name).and_then(|client| (client.event)(line.as_bytes()));
                let is_named = line.contains("hook_event_name") && name == GITHUB;
                assert_eq!(event.is_some(), is_named, "{line}");
            }
        }
    }

    /// The same events as the supported clients write them.
    #[test]
    fn payload_of_a_supported_client_is_no_strangers() {
        let claude = r#""session_id":"a1","transcript_path":"/c/projects/p/a1.jsonl","cwd":"/p""#;
        let codex = r#""session_id":"a1","transcript_path":"/x/sessions/rollout-2026-01-01T00-00-00-a1.jsonl","turn_id":"t""#;
        let ephemeral = r#""session_id":"a1","transcript_path":null,"cwd":"/p""#;
        let bare = r#""session_id":"a1""#;
        let future = r#""session_id":"a1","transcript_path":"/c/projects/p/a1.jsonl","timestamp":"t""#;
        let events = [
            r#""SessionStart","source":"startup""#,
            r#""UserPromptSubmit","prompt":"x""#,
            r#""PreToolUse","tool_name":"Bash","tool_input":{"sessionId":"x","timestamp":1}"#,
            r#""PostToolUse","tool_name":"Bash","tool_response":{"hookEventName":"x"}"#,
            r#""PreCompact","trigger":"auto","custom_instructions":"""#,
            r#""Stop","stop_hook_active":false,"last_assistant_message":"sessionId"#,
            r#""SubagentStop","agent_id":"b","agent_transcript_path":"/c/b.jsonl""#,
            r#""SessionEnd","reason":"other""#,
        ];
        for members in [claude, codex, ephemeral, bare, future] {
            for event in events {
                let event =
                    if event.ends_with("sessionId") { format!("{event}\"") } else { event.to_owned() };
                let json = format!("{{{members},\"hook_event_name\":{event}}}");
                assert_eq!(shape(&json), None, "{json}");
                for client in crate::clients::CLIENTS {
                    assert!((client.event)(json.as_bytes()).is_some(), "{}: {json}", client.name);
                }
            }
        }
    }

    #[test]
    fn variables_name_the_caller_only_where_the_shape_does_not() {
        let from_cli = |name: &str| (name == "COPILOT_CLI").then(|| "1".to_owned());
        assert_eq!(Stranger::Unnamed.name(&from_cli), GITHUB);
        assert_eq!(Stranger::Named(VS_CODE).name(&from_cli), VS_CODE);
        assert_eq!(Stranger::Unnamed.name(&|_| None), UNKNOWN);
    }
}
