//! `catchword remove`: take out what `init` put in, and with `--purge` everything that was recorded.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use catchword_engine::agent::claude_code::setup::{PROGRAM, RELOAD_WITHOUT};

use super::init::{Place, declined, nobody_to_ask};
use super::server;
use crate::env::Env;
use crate::exit::Exit;
use crate::install::checks::with_scope;
use crate::install::{Applied, Survey, Target};
use crate::ui::Ui;

/// Take the hooks out of Claude Code's settings, and the tools out of its list of servers
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    place: Place,
    /// Also delete everything catchword has recorded
    #[arg(long)]
    purge: bool,
}

/// Uninstalls the hooks.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> Result<Exit> {
    let target = Target::new(args.place.scope(), env)?;
    // First: it may lie in a folder that init made for the settings.
    let exit = server::unregister(&args.place, env, ui)?;
    if exit != Exit::Ok {
        return Ok(exit);
    }
    if let Some(exit) = uninstall(args, &target, env, ui)? {
        return Ok(exit);
    }
    say_who_else_calls(args, env, ui);
    if args.purge { purge(args, env, ui) } else { Ok(Exit::Ok) }
}

/// Takes the hooks out; an exit where the person, or the lack of one, ends the matter here.
fn uninstall(args: &Args, target: &Target, env: &Env, ui: &Ui) -> Result<Option<Exit>> {
    let path = env.show(&target.path);
    let mut agreed = args.place.yes;
    loop {
        let plan = target.uninstall()?;
        if plan.is_nothing() {
            ui.line(format!("No hooks of catchword in {path}."));
            return Ok(None);
        }
        if args.place.dry_run {
            ui.line(plan.diff().trim_end());
            ui.say("Nothing was written.");
            return Ok(None);
        }
        if !agreed {
            ui.line(plan.diff().trim_end());
            match ui.ask(&format!("Take catchword out of {path}?")) {
                Some(true) => agreed = true,
                Some(false) => return Ok(Some(declined(ui))),
                None => return Ok(Some(nobody_to_ask(&path, ui))),
            }
        }
        if plan.apply()? == Applied::Done {
            let done = if plan.deletes() { "Removed, with the file that init made:" } else { "Removed from" };
            ui.line(format!("{done} {path}."));
            ui.line(RELOAD_WITHOUT);
            return Ok(None);
        }
    }
}

/// What else still calls us, in this folder.
fn say_who_else_calls(args: &Args, env: &Env, ui: &Ui) {
    let survey = Survey::take(env);
    for (seen, _) in survey.calling().filter(|(seen, _)| seen.scope != args.place.scope()) {
        let command = with_scope("remove", seen.scope);
        let says = format!("{} still calls it; `{command}` takes that out.", env.show(&seen.path));
        ui.line(ui.paragraph(&says));
    }
    if let Some(id) = survey.active_plugin() {
        let says = format!("The plugin still calls it; `{PROGRAM} plugin uninstall {id}` takes that out.");
        ui.line(ui.paragraph(&says));
    }
}

/// Deletes the data directory, after saying what is in it.
fn purge(args: &Args, env: &Env, ui: &Ui) -> Result<Exit> {
    let dir = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    let shown = env.show(dir);
    if !dir.exists() {
        ui.line(format!("No data: {shown} is not there."));
        return Ok(Exit::Ok);
    }
    must_be_ours_alone(dir, env)?;
    ui.line(format!("In {shown}:"));
    for (name, bytes) in contents(dir)? {
        ui.line(format!("  {name:<24} {}", size(bytes)));
    }
    if args.place.dry_run {
        ui.say("Nothing was deleted.");
        return Ok(Exit::Ok);
    }
    if !args.place.yes {
        match ui.ask_before_loss(&format!("Delete all of {shown}? It cannot be brought back.")) {
            Some(true) => {}
            Some(false) => {
                ui.say("The data was kept.");
                return Ok(Exit::Ok);
            }
            None => return Ok(nobody_to_ask(&shown, ui)),
        }
    }
    fs::remove_dir_all(dir).with_context(|| format!("cannot delete {}", dir.display()))?;
    ui.line(format!("Deleted {shown}."));
    Ok(Exit::Ok)
}

/// Refuses a data directory that also holds other things: `CATCHWORD_HOME=~` must not cost a home.
fn must_be_ours_alone(dir: &Path, env: &Env) -> Result<()> {
    let real = dir.canonicalize().with_context(|| format!("cannot look at {}", dir.display()))?;
    let others: [Option<&PathBuf>; 4] =
        [env.home.as_ref(), env.claude_dir.as_ref(), Some(&env.cwd), env.exe.as_ref()];
    for other in others.into_iter().flatten() {
        let other = other.canonicalize().unwrap_or_else(|_| other.clone());
        if other.starts_with(&real) {
            let dir = env.show(dir);
            bail!("{dir} holds more than catchword's data and is not deleted. Delete the files by hand.");
        }
    }
    Ok(())
}

/// What lies in `dir`, with sizes, folders summed up.
fn contents(dir: &Path) -> Result<Vec<(String, u64)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).with_context(|| format!("cannot look into {}", dir.display()))? {
        let entry = entry?;
        let slash = if entry.path().is_dir() { "/" } else { "" };
        found.push((format!("{}{slash}", entry.file_name().display()), bytes(&entry.path())));
    }
    found.sort();
    Ok(found)
}

fn bytes(path: &Path) -> u64 {
    let Ok(meta) = fs::symlink_metadata(path) else { return 0 };
    if !meta.is_dir() {
        return meta.len();
    }
    fs::read_dir(path).into_iter().flatten().flatten().map(|entry| bytes(&entry.path())).sum()
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
