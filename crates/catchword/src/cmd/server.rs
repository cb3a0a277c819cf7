//! Registering the tools for the agent, as `init` and `remove` do it after the hooks.

use anyhow::Result;
use catchword_engine::agent::claude_code::setup::CLIENT;

use super::init::{Place, declined, nobody_to_ask};
use crate::env::Env;
use crate::exit::Exit;
use crate::install::Applied;
use crate::install::servers::{Plan, Servers};
use crate::ui::Ui;

/// Puts our server into the client's list.
pub fn register(place: &Place, env: &Env, ui: &Ui) -> Result<Exit> {
    let Some(servers) = Servers::of(place.scope(), env)? else { return Ok(Exit::Ok) };
    let path = env.show(&servers.path);
    let question = format!("Register the tools for the agent in {path}?");
    let Some(exit) = change(place, &path, &question, || servers.install(), ui)? else {
        ui.line(format!("Registered: the agent's tools in {path} run `{} mcp`.", servers.command));
        if place.is_shared() {
            ui.line(format!("{CLIENT} asks everybody once whether they may be used."));
        }
        return Ok(Exit::Ok);
    };
    if servers.install().is_ok_and(|plan| plan.taken) {
        ui.line(ui.paragraph(&format!("{path} has another server named catchword, which stays as it is.")));
    }
    Ok(exit)
}

/// Takes it out again.
pub fn unregister(place: &Place, env: &Env, ui: &Ui) -> Result<Exit> {
    let Some(servers) = Servers::of(place.scope(), env)? else { return Ok(Exit::Ok) };
    let path = env.show(&servers.path);
    let question = format!("Take the tools out of {path}?");
    let exit = change(place, &path, &question, || servers.uninstall(), ui)?;
    if exit.is_none() {
        ui.line(format!("Removed the tools from {path}."));
    }
    Ok(exit.unwrap_or(Exit::Ok))
}

/// Shows, asks and makes a change. How it ended where nothing was written.
fn change<'a>(
    place: &Place,
    path: &str,
    question: &str,
    plan: impl Fn() -> Result<Plan<'a>>,
    ui: &Ui,
) -> Result<Option<Exit>> {
    let mut agreed = place.yes;
    loop {
        let plan = plan()?;
        if plan.is_nothing() {
            return Ok(Some(Exit::Ok));
        }
        if place.dry_run || !agreed {
            ui.line(plan.diff().trim_end());
        }
        if place.dry_run {
            return Ok(Some(Exit::Ok));
        }
        if !agreed {
            match ui.ask(question) {
                Some(true) => agreed = true,
                Some(false) => return Ok(Some(declined(ui))),
                None => return Ok(Some(nobody_to_ask(path, ui))),
            }
        }
        if plan.apply()? == Applied::Done {
            return Ok(None);
        }
    }
}
