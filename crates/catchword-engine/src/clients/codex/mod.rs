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

/// In a shell of the agent's: the session, also where a subagent runs it.
const SESSION: &str = "CODEX_SESSION_ID";

/// Codex CLI. What it prints before a compaction reaches nobody, its `PostCompact` comes before the start after a
/// compaction and has no summary, and nothing in its environment tells a limit, a model or whether a person is there.
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
    // Of more than 2,500 tokens, counted as 10,000 bytes, the model gets head and tail; with room to spare.
    room: Room::Bytes(9_500),
    window: window::window,
    threshold: window::threshold,
    compaction_limit: Some(window::LIMIT),
    environment: Environment {
        config_dir: "CODEX_HOME",
        home_folder: FOLDER,
        session: Some(SESSION),
        // The same for a subagent's calls, and else its thread.
        call: &["sessionId", "threadId"],
        in_shell: &[SESSION],
        ..Environment::PLAIN
    },
    commands: COMMANDS,
    setup: setup::SETUP,
    words: names::WORDS,
    ..Client::PLAIN
};

/// Custom prompts and skills; the client puts none of them back after a compaction.
const COMMANDS: CommandFiles = CommandFiles {
    folder: FOLDER,
    files: |name| named_files(name, &["prompts/{}.md", "skills/{}/SKILL.md"]),
    ..CommandFiles::PLAIN
};

fn resume(session: &str) -> String {
    format!("{PROGRAM} resume {session}")
}
