//! Bare `catchword`: the status of this project, or the first step where nothing is set up.

use std::io::IsTerminal;

use catchword_engine::clients::CLIENTS;

use super::status;
use crate::app::call::read_stdin;
use crate::app::env::Env;
use crate::app::sessions::{Databases, renew_store};
use crate::install::Survey;
use crate::ui::Ui;
use crate::ui::exit::Exit;

const FIRST_STEPS: &str = "\
catchword gives a coding agent back what a context compaction lost.
It is not set up yet.

  catchword try       see what one of your compactions lost; writes nothing
  catchword init      set it up: shows what changes, and asks first
  catchword --help    all commands";

/// Prints the status, or what to do first. Nothing at all if a client calls it with a hook's payload, having dropped the
/// arguments: whatever we print, the model would read.
pub fn run(env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    if is_called_by_a_client() {
        return Ok(Exit::Ok);
    }
    renew_store(env, ui)?;
    if is_set_up(env)? {
        return status::run(&status::Args::default(), env, ui);
    }
    ui.line(FIRST_STEPS);
    Ok(Exit::Ok)
}

fn is_called_by_a_client() -> bool {
    !std::io::stdin().is_terminal() && read_stdin().trim_ascii_start().starts_with(b"{")
}

/// Whether something is recorded, or a client would call us.
fn is_set_up(env: &Env) -> anyhow::Result<bool> {
    let known = Databases::open(env)?;
    let is_recorded = known.store.is_some() || known.history.is_some();
    Ok(is_recorded || CLIENTS.iter().any(|client| Survey::take(client, env).is_called()))
}
