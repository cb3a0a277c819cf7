//! GitHub Copilot CLI: everything that knows its names.

mod events;
mod names;
mod replay;
mod setup;
mod todos;

use std::path::PathBuf;

use super::commands::{CommandFiles, named_files};
use super::environment::Environment;
use super::hook_protocol::{self, Payload};
use super::strangers::{self, Stranger};
use super::{Client, Delivery, Phrases, Room, Summaries, Transcripts};
use crate::model::event::HookEvent;
use crate::model::tokens::{ClientLimits, TokenCount, TokenSource};

const NAME: &str = "copilot";
const PROGRAM: &str = "copilot";
/// Its folder in the home.
const FOLDER: &str = ".copilot";
/// The folder of a session's files, each session in a folder of its own, and the file with its rows.
const SESSIONS: &str = "session-state";
const ROWS: &str = "events.jsonl";
/// In a server's environment: the session whose agent calls it.
const SESSION: &str = "COPILOT_AGENT_SESSION_ID";

/// GitHub Copilot CLI. It compacts in the background, beside the turn, and reports nothing after it: the brief goes with
/// the first tool result or prompt after the announcement, which stays in the context that the summary opens.
pub const CLIENT: Client = Client {
    name: NAME,
    phrases: Phrases {
        name: "Copilot CLI",
        compact: "/compact",
        clear: None,
        resume: |session| format!("{PROGRAM} --resume {session}"),
        tags: names::TAGS,
    },
    caller: Some(strangers::GITHUB),
    event: |payload| hook_protocol::event_of(payload, |_, _| None, is_own),
    entry: events::entry,
    replay: replay::row,
    is_row: events::is_row,
    owner: events::owner,
    transcripts: Transcripts {
        folder: SESSIONS,
        is_of: |path, session| events::session_of(path) == Some(session),
        path: Some(|session| PathBuf::from(SESSIONS).join(session).join(ROWS)),
        ..Transcripts::PLAIN
    },
    say,
    shows_line: |_| false,
    // The client silently cuts after 10,240 characters; this leaves a margin.
    room: Room::Characters(9_500),
    delivery: Delivery::WithNextEvent,
    threshold,
    environment: Environment {
        config_dir: "COPILOT_HOME",
        home_folder: FOLDER,
        session: Some(SESSION),
        in_shell: &[SESSION],
        ..Environment::PLAIN
    },
    commands: CommandFiles {
        files: |name| named_files(name, &["skills/{}/SKILL.md"]),
        ..CommandFiles::PLAIN
    },
    setup: setup::SETUP,
    summaries: Summaries {
        around: names::AROUND_SUMMARY,
        tags: Some(("checkpoint_title", "summary")),
        ..Summaries::PLAIN
    },
    words: names::WORDS,
    ..Client::PLAIN
};

/// Other programs that read this client's hooks write members that it does not.
fn is_own(payload: &Payload) -> bool {
    matches!(strangers::of(payload), None | Some(Stranger::Named(strangers::GITHUB) | Stranger::Unnamed))
}

/// Text for the model is a member of the answer itself; the client reads `hookSpecificOutput` only before a tool runs.
/// Nothing that a hook prints is shown to the person.
fn say(_: &HookEvent, context: &str, _: &str) -> String {
    if context.is_empty() {
        return String::new();
    }
    serde_json::json!({ "additionalContext": context }).to_string()
}

/// It compacts at 80% of the tokens that a prompt may have; measured at 100,000, where 79,000 did nothing and 81,000 did.
fn threshold(window: u64, _: &str, _: &ClientLimits) -> TokenCount {
    TokenCount { tokens: window / 100 * 80, from: TokenSource::Rule }
}
