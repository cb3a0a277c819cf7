//! Bare `catchword`: the status of this project, or the first step where nothing is set up.

use catchword_engine::clients::CLIENTS;

use super::status;
use crate::app::env::Env;
use crate::app::read::reader;
use crate::app::sessions::renew_store;
use crate::install::Survey;
use crate::ui::Ui;
use crate::ui::exit::Exit;

const FIRST_STEPS: &str = "\
catchword gives a coding agent back what a context compaction lost.
It is not set up yet.

  catchword try       see what a compaction lost; writes nothing
  catchword init      set it up: shows what changes, and asks first
  catchword --help    all commands";

const NO_HOOKS: &str =
    "Not set up: no hooks are installed, so agents get nothing back. `catchword init` sets it up.";

/// Prints the status, or what to do first.
pub fn run(env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    renew_store(env, ui)?;
    let known = reader(env)?;
    let is_recorded = known.store.is_some() || known.history.is_some();
    let is_called = CLIENTS.iter().any(|client| Survey::take(client, env).is_called());
    if !is_recorded && !is_called {
        ui.line(FIRST_STEPS);
        return Ok(Exit::Ok);
    }
    if !is_called {
        ui.say(format!("{}\n", ui.paragraph(NO_HOOKS)));
    }
    status::run(&status::Args::default(), env, ui)
}
