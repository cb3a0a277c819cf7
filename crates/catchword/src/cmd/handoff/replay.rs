//! `catchword handoff --replay`: the important messages of a session, for a new one.

use catchword_engine::brief::replay::DEFAULT_BUDGET;
use catchword_engine::ops::read::Which;
use catchword_engine::ops::read::handoff::{ReplayRequest, replay};

use super::Args;
use crate::app::env::Env;
use crate::app::read::reader_for;
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Prints the replay.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let which = Which::of(args.session.as_deref(), args.transcript.as_deref());
    let budget = args.budget.unwrap_or(DEFAULT_BUDGET);
    let replay = replay(&reader_for(which, env)?, &ReplayRequest { which, budget, before: args.at })?;
    if let Some(remark) = &replay.remark {
        ui.say(ui.paragraph(remark));
    }
    if args.json {
        ui.line(serde_json::to_string_pretty(&replay)?);
    } else {
        ui.line(replay.text.trim_end());
    }
    Ok(Exit::Ok)
}
