//! Claude Code: everything that knows its field names.

pub mod arguments;
pub mod hook;
pub mod inject;
pub mod replay;
mod scan;
pub mod setup;
pub mod skills;
pub mod status;
pub mod stream;
pub mod transcript;
pub mod window;
mod wire;

use super::Agent;

/// Claude Code.
pub const AGENT: Agent = Agent {
    name: "claude-code",
    event: hook::event,
    entry: transcript::entry,
    glance: transcript::glance,
    calls: transcript::calls,
    whole: transcript::whole,
    owner: transcript::owner,
    replay: replay::row,
    inject: inject::stdout,
    say: inject::both,
    status: status::status,
    window: window::window,
    threshold: window::threshold,
    resume: setup::resume,
    commands: skills::COMMANDS,
};
