//! `catchword mcp`: the server of tools for the agent.

use crate::env::Env;
use crate::exit::Exit;
use crate::mcp;
use crate::ui::Ui;

/// Serve the record as tools for the agent (called by Claude Code, not by people)
///
/// Speaks the Model Context Protocol on stdin and stdout. Its tools are recall, search, brief, note, `open_work` and
/// `what_was_lost`; all but note only read. `catchword init` registers it, `catchword doctor` says whether it is.
#[derive(clap::Args)]
pub struct Args {}

/// Serves until the client is gone.
pub fn run(env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    if ui.is_terminal() {
        ui.say("Waiting for a client on stdin; Ctrl-D ends. `catchword init` registers it with Claude Code.");
    }
    mcp::run(env.clone())?;
    Ok(Exit::Ok)
}
