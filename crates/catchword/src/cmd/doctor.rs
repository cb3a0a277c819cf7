//! `catchword doctor`: what is installed, whether it works, and what to do.

use crate::env::Env;
use crate::exit::Exit;
use crate::ui::Ui;

/// Check that catchword is installed, called and able to write
#[derive(clap::Args)]
pub struct Args {
    /// Print the checks as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the checks and prints them.
#[expect(clippy::unnecessary_wraps, reason = "every command has this shape")]
pub fn run(_args: &Args, _env: &Env, _ui: &Ui) -> anyhow::Result<Exit> {
    Ok(Exit::Ok)
}
