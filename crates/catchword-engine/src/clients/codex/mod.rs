//! Codex CLI: everything that knows its names.

mod names;
mod patch;
mod replay;
mod rollout;
mod script;
mod setup;
mod window;

use std::path::PathBuf;

use super::commands::CommandFiles;
use super::environment::Environment;
use super::{Client, Phrases, Room, Summaries, Transcripts, hook_protocol};

const NAME: &str = "codex";
const PROGRAM: &str = "codex";
/// Its folder in the home, and in a project.
const FOLDER: &str = ".codex";

/// In a shell of the agent's: the session, also where a subagent runs it.
const SESSION: &str = "CODEX_SESSION_ID";

/// Codex CLI.
pub const CLIENT: Client = Client {
    name: NAME,
    phrases: Phrases { name: "Codex", compact: "/compact", clear: None, resume, tags: names::TAGS },
    // Its `PostCompact` comes before the start after a compaction and has no summary: there is nothing to say at it.
    event: |payload| hook_protocol::event(payload, |_, _| None),
    entry: rollout::entry,
    entry_with_marked_changes: rollout::entry_with_marked_changes,
    replay: replay::row,
    is_row: rollout::is_row,
    owner: rollout::owner,
    transcripts: Transcripts {
        folder: "sessions",
        subagents: None,
        is_of: rollout::is_of,
        project: None,
        fork_mark: "\"forked_from_id\"",
        fork_base: rollout::fork_base,
        lasting_mark: rollout::LASTING,
    },
    inject: hook_protocol::inject,
    say: hook_protocol::say,
    stop_prompt: hook_protocol::stop_prompt,
    // Of more than 2,500 tokens, counted as 10,000 bytes, the model gets head and tail; with room to spare.
    room: Room { characters: usize::MAX, bytes: 9_500 },
    // What a hook prints before a compaction reaches nobody.
    reads_guide: false,
    status: |_| None,
    window: window::window,
    has_larger: |_| false,
    chosen: |_, _| None,
    threshold: window::threshold,
    compaction_limit: Some(window::LIMIT),
    model_key: str::to_owned,
    environment: Environment {
        config_dir: "CODEX_HOME",
        home_folder: FOLDER,
        session: Some(SESSION),
        // The same for a subagent's calls, and else its thread.
        call: &["sessionId", "threadId"],
        process: None,
        in_shell: &[SESSION],
        attended: window::attended,
        limits: window::limits,
        // Its rows tell the window of every answer.
        model: |_| None,
    },
    commands: COMMANDS,
    setup: setup::SETUP,
    headless: None,
    // Its summaries are encrypted.
    summaries: Summaries { around: &[], tags: None, sections: &[], errors: &[] },
    words: names::WORDS,
};

/// Custom prompts and skills; the client puts none of them back after a compaction.
const COMMANDS: CommandFiles = CommandFiles {
    folder: FOLDER,
    files: |name| {
        let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', ':', '\0']);
        let files = [format!("prompts/{name}.md"), format!("skills/{name}/SKILL.md")];
        files.into_iter().filter(|_| is_plain).map(PathBuf::from).collect()
    },
    namespaces: &[],
    plugin: |_| None,
    installed: "",
    installed_at: |_, _| None,
    origins: "",
    checkouts: |_| Vec::new(),
    manifests: &[],
    source_at: |_, _| None,
    given_back: 0,
    given_back_in_all: 0,
};

fn resume(session: &str) -> String {
    format!("{PROGRAM} resume {session}")
}
