//! Qwen Code: everything that knows its names.

mod chat;
mod names;
mod replay;
mod setup;

use super::commands::{CommandFiles, named_files};
use super::environment::Environment;
use super::hook_protocol::{self, Payload};
use super::{Client, Delivery, Guide, Phrases, Room, SubagentFolder, Summaries, Transcripts};
use crate::model::event::EventKind;
use crate::model::tokens::{ClientLimits, TokenCount, TokenSource};

const NAME: &str = "qwen";
const PROGRAM: &str = "qwen";
/// Its folder in the home, and in a project.
const FOLDER: &str = ".qwen";
/// In a shell of the agent's, and in a server's environment.
const SESSION: &str = "QWEN_CODE_SESSION_ID";

/// Qwen Code. What it is given at the start after a compaction is not in the conversation: it is gone after a resume. What
/// comes with a tool result reaches the model in the same request, and stays.
pub const CLIENT: Client = Client {
    name: NAME,
    phrases: Phrases {
        name: "Qwen Code",
        compact: "/compress",
        clear: None,
        resume: |session| format!("{PROGRAM} --resume {session}"),
        tags: names::TAGS,
    },
    event: |payload| hook_protocol::event(payload, kind),
    entry: chat::entry,
    replay: replay::row,
    is_row: chat::is_row,
    owner: chat::owner,
    transcripts: Transcripts {
        folder: "projects",
        subagents: Some(SubagentFolder { name: chat::SUBAGENTS, of: chat::subagents_of }),
        project: Some(chat::project),
        ..Transcripts::PLAIN
    },
    // Elsewhere it goes to a log for the client's makers.
    shows_line: |event| event.kind == EventKind::TurnEnd,
    // No limit was met: 60,000 characters came whole.
    room: Room::Characters(9_500),
    delivery: Delivery::WithNextEvent,
    guide: Some(Guide { say: |event, text| hook_protocol::say(event, text, ""), characters: 4_000 }),
    threshold,
    environment: Environment {
        config_dir: "QWEN_HOME",
        home_folder: FOLDER,
        session: Some(SESSION),
        in_shell: &[SESSION],
        ..Environment::PLAIN
    },
    commands: CommandFiles {
        files: |name| named_files(name, &["commands/{}.md", "skills/{}/SKILL.md"]),
        ..CommandFiles::PLAIN
    },
    setup: setup::SETUP,
    summaries: Summaries {
        around: names::AROUND_SUMMARY,
        tags: Some(("scratchpad", "state_snapshot")),
        ..Summaries::PLAIN
    },
    words: names::WORDS,
    ..Client::PLAIN
};

/// The summary is known before the brief is given. A prompt without text is the client's own: it goes on after tools.
fn kind(name: &str, payload: &Payload) -> Option<EventKind> {
    match name {
        "PostToolUseFailure" | "PostToolBatch" => Some(EventKind::Tools),
        "UserPromptSubmit" if payload.prompt.as_deref().is_some_and(str::is_empty) => Some(EventKind::Other),
        "PostCompact" => {
            let summary = payload.compact_summary.clone().filter(|summary| !summary.is_empty())?;
            Some(EventKind::SummaryReady { summary })
        }
        _ => None,
    }
}

/// It compacts at 85% of the window, and always with room for 33,000 tokens; read in 0.24.4, and measured at 100,000.
fn threshold(window: u64, _: &str, _: &ClientLimits) -> TokenCount {
    let tokens = (window / 100 * 85).min(window.saturating_sub(33_000));
    TokenCount { tokens, from: TokenSource::Rule }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_without_text_is_no_prompt_and_the_summary_is_kept() {
        let read = |json: &str| (CLIENT.event)(json.as_bytes()).unwrap().kind;
        let of = |members: &str| {
            read(&format!(
                r#"{{"session_id":"a","transcript_path":"/q/a.jsonl","timestamp":"t","hook_event_name":{members}}}"#
            ))
        };
        assert_eq!(of(r#""UserPromptSubmit","prompt":"""#), EventKind::Other);
        assert_eq!(of(r#""UserPromptSubmit","prompt":"x""#), EventKind::Prompt);
        assert_eq!(of(r#""PostToolBatch","tool_calls":[]"#), EventKind::Tools);
        let summary = "<state_snapshot>x</state_snapshot>".to_owned();
        assert_eq!(
            of(&format!(r#""PostCompact","compact_summary":"{summary}""#)),
            EventKind::SummaryReady { summary }
        );
        assert_eq!(of(r#""PostCompact""#), EventKind::Other);
    }

    #[test]
    fn the_client_compacts_where_it_was_seen_to() {
        let at = |window| threshold(window, "", &ClientLimits::default()).tokens;
        assert_eq!((at(100_000), at(1_000_000), at(10_000)), (67_000, 850_000, 0));
    }
}
