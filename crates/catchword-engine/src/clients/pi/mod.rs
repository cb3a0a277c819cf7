//! pi: everything that knows its names.

mod names;
mod replay;
mod session;
mod setup;

use super::environment::Environment;
use super::{Client, Delivery, Phrases, Room, Transcripts};
use crate::model::tokens::{ClientLimits, TokenCount, TokenSource};

const NAME: &str = "pi";
const PROGRAM: &str = "pi";

/// pi. It calls no programs: an extension of ours, in its own process, calls us as other clients call their hooks.
pub const CLIENT: Client = Client {
    name: NAME,
    phrases: Phrases {
        name: "pi",
        compact: "/compact",
        clear: None,
        resume: |session| format!("{PROGRAM} --session {session}"),
        tags: &[],
    },
    entry: session::entry,
    replay: replay::row,
    is_row: session::is_row,
    owner: session::owner,
    transcripts: Transcripts {
        folder: "sessions",
        is_of: |path, id| session::id_in(path) == Some(id),
        ..Transcripts::PLAIN
    },
    shows_line: |_| false,
    // No limit was met.
    room: Room::Characters(9_500),
    delivery: Delivery::InEveryRequest,
    threshold,
    environment: Environment {
        config_dir: "PI_CODING_AGENT_DIR",
        home_folder: ".pi/agent",
        in_shell: &["PI_CODING_AGENT"],
        ..Environment::PLAIN
    },
    setup: setup::SETUP,
    words: names::WORDS,
    ..Client::PLAIN
};

/// It keeps room for an answer.
fn threshold(window: u64, _: &str, _: &ClientLimits) -> TokenCount {
    TokenCount { tokens: window.saturating_sub(16_384), from: TokenSource::Rule }
}
