//! Claude Code: everything that knows its field names.

pub mod hook;
pub mod inject;
pub mod replay;
pub mod setup;
pub mod skills;
pub mod transcript;
mod wire;

use super::Agent;

/// Claude Code.
pub const AGENT: Agent = Agent {
    name: "claude-code",
    event: hook::event,
    entry: transcript::entry,
    replay: replay::row,
    inject: inject::stdout,
    commands: skills::COMMANDS,
};
