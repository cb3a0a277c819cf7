//! Codex CLI: everything that knows its names.

mod names;
mod patch;
mod replay;
mod rollout;
mod script;
mod setup;
mod window;

use super::commands::{CommandFiles, named_files};
use super::environment::Environment;
use super::{Client, Forks, Phrases, Room, Transcripts};

const NAME: &str = "codex";
const PROGRAM: &str = "codex";
/// Its folder in the home, and in a project.
const FOLDER: &str = ".codex";

/// Set in the agent's shell: the session, also for subagents.
const SESSION: &str = "CODEX_SESSION_ID";

/// Codex CLI. Output of a hook before a compaction is dropped, `PostCompact` comes before the start after a compaction
/// and has no summary, and the environment has no limit, no model and no sign of a person.
pub const CLIENT: Client = Client {
    name: NAME,
    phrases: Phrases { name: "Codex", compact: "/compact", clear: None, resume, tags: names::TAGS },
    entry: rollout::entry,
    marked_entry: Some(rollout::entry_with_marked_changes),
    replay: replay::row,
    is_row: rollout::is_row,
    owner: rollout::owner,
    transcripts: Transcripts {
        folder: "sessions",
        is_of: rollout::is_of,
        forks: Some(Forks { mark: "\"forked_from_id\"", base: rollout::fork_base }),
        lasting_mark: Some(rollout::LASTING),
        ..Transcripts::PLAIN
    },
    // Above 2,500 tokens, counted as 10,000 bytes, the model gets only head and tail; this leaves a margin.
    room: Room::Bytes(9_500),
    window: window::window,
    threshold: window::threshold,
    compaction_limit: Some(window::LIMIT),
    environment: Environment {
        config_dir: "CODEX_HOME",
        home_folder: FOLDER,
        session: Some(SESSION),
        // Also in a subagent's calls; otherwise its thread.
        call: &["sessionId", "threadId"],
        in_shell: &[SESSION],
        ..Environment::PLAIN
    },
    commands: COMMANDS,
    setup: setup::SETUP,
    words: names::WORDS,
    ..Client::PLAIN
};

/// Custom prompts and skills; the client restores none of them after a compaction.
const COMMANDS: CommandFiles = CommandFiles {
    files: |name| named_files(name, &["prompts/{}.md", "skills/{}/SKILL.md"]),
    ..CommandFiles::PLAIN
};

fn resume(session: &str) -> String {
    format!("{PROGRAM} resume {session}")
}
