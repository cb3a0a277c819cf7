//! OpenCode: everything that knows its names.

pub(super) mod database;
pub(super) mod events;
mod names;
mod replay;
pub(super) mod setup;

use super::commands::{CommandFiles, named_files};
use super::environment::Environment;
use super::{Client, Delivery, Guide, Phrases, Room, Summaries, Transcripts, hook_protocol};
use crate::model::tokens::{ClientLimits, TokenCount, TokenSource};

const NAME: &str = "opencode";
const PROGRAM: &str = "opencode";

/// OpenCode. It calls no programs: a plugin of ours, in its own process, calls us as other clients call their hooks. Its
/// sessions are in one database.
pub const CLIENT: Client = Client {
    name: NAME,
    phrases: Phrases {
        name: "OpenCode",
        compact: "/compact",
        clear: None,
        resume: |session| format!("{PROGRAM} --session {session}"),
        tags: &[],
    },
    entry: events::entry,
    replay: replay::row,
    is_row: |line| events::is_row(line, NAME),
    owner: events::owner,
    transcripts: Transcripts {
        database: Some(database::database("opencode/opencode.db", database::rows!("opencode"))),
        ..Transcripts::PLAIN
    },
    // No limit was met.
    room: Room::Characters(9_500),
    delivery: Delivery::InEveryRequest,
    // The plugin adds it to the prompt for the summariser.
    guide: Some(Guide { say: |event, text| hook_protocol::say(event, text, ""), characters: 4_000 }),
    threshold,
    environment: Environment {
        config_dir: "OPENCODE_CONFIG_DIR",
        home_folder: ".config/opencode",
        process: Some("OPENCODE_PID"),
        in_shell: &["OPENCODE"],
        ..Environment::PLAIN
    },
    commands: CommandFiles {
        files: |name| named_files(name, &["command/{}.md", "commands/{}.md"]),
        ..CommandFiles::PLAIN
    },
    setup: setup::SETUP,
    summaries: Summaries { around: names::AROUND_SUMMARY, ..Summaries::PLAIN },
    words: names::WORDS,
    ..Client::PLAIN
};

/// It keeps room for an answer, of at most 32,000 tokens. Measured at a window of 100,000 with answers of 8,000.
fn threshold(window: u64, _: &str, _: &ClientLimits) -> TokenCount {
    TokenCount { tokens: window.saturating_sub(32_000), from: TokenSource::Rule }
}
