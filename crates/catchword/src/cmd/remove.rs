//! `catchword remove`: removes what `init` installed, and with `--purge` everything that was recorded.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use catchword_engine::archive::history::History;
use catchword_engine::clients::setup::Scope;
use catchword_engine::clients::{CLIENTS, Client};
use catchword_engine::store::Store;
use catchword_engine::text::numbers::byte_size;

use super::init::{InstallArgs, declined, nobody_to_ask, say_kept};
use crate::app::env::Env;
use crate::app::sessions::LOCK_WAIT;
use crate::install::checks::with_scope;
use crate::install::completions;
use crate::install::servers::{self, Servers};
use crate::install::{self, Applied, InstallPlan, InstallTarget, Survey, WantedSettings};
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::{padded, width};

/// Remove what `init` set up; --purge also deletes what was recorded
///
/// Removes hooks, status line, skill, tools, compact instructions and completions, and leaves everything else in those files
/// as it was.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    place: InstallArgs,
    /// Remove only the compact instructions
    #[arg(long, conflicts_with = "purge")]
    instructions: bool,
    /// Also delete everything catchword has recorded
    #[arg(long)]
    purge: bool,
}

pub fn run(args: &Args, env: &Env, ui: &Ui) -> Result<Exit> {
    for client in args.place.clients(|client| Survey::take(client, env).is_called()) {
        if let Some(exit) = uninstall(client, args, env, ui)? {
            return Ok(exit);
        }
        if !args.instructions {
            say_who_else_calls(client, args, env, ui);
        }
    }
    if args.instructions {
        return Ok(Exit::Ok);
    }
    if !args.place.dry_run && args.place.scope() == Scope::User {
        for path in completions::remove(env) {
            ui.line(format!("Deleted completions: {}", env.show(&path)));
        }
    }
    if args.purge {
        return purge(args, env, ui);
    }
    if !args.place.dry_run && args.place.scope() == Scope::User {
        say_what_stays(env, ui);
    }
    Ok(Exit::Ok)
}

/// Recorded data is not part of the setup.
fn say_what_stays(env: &Env, ui: &Ui) {
    if let Some(dir) = env.data_dir.as_deref().filter(|dir| has_data(dir)) {
        let (dir, size) = (env.show(dir), byte_size(bytes(dir)));
        ui.line(ui.paragraph(&format!(
            "What was recorded stays in {dir} ({size}); `catchword remove --purge` deletes it."
        )));
    }
}

/// Whether anything was recorded; an empty database is none of the person's data. One that cannot be read may be.
fn has_data(dir: &Path) -> bool {
    let sessions =
        Store::open_existing(dir, LOCK_WAIT).and_then(|store| store.map_or(Ok(vec![]), |s| s.sessions()));
    let sources = History::open_existing(dir, LOCK_WAIT)
        .and_then(|history| history.map_or(Ok(vec![]), |h| h.sources()));
    let is_empty = sessions.is_ok_and(|all| all.is_empty()) && sources.is_ok_and(|all| all.is_empty());
    bytes(dir) > 0 && (!is_empty || bytes(&dir.join("backups")) > 0)
}

/// Removes our entries, after showing all changes and asking once. Returns an exit code if the command ends here,
/// because the person said no or nobody could be asked.
fn uninstall(client: &'static Client, args: &Args, env: &Env, ui: &Ui) -> Result<Option<Exit>> {
    let scope = args.place.scope();
    // The settings come last: their folder may have been created for them, and is removed with them if it is empty.
    let section = InstallTarget::instructions(client, scope, String::new(), env)?;
    let settings = (!args.instructions)
        .then(|| InstallTarget::settings(client, scope, WantedSettings::default(), env))
        .transpose()?;
    let targets: Vec<&InstallTarget> = [&section].into_iter().chain(&settings).collect();
    let servers = if args.instructions { None } else { Servers::of(client, scope, env)? };
    let mut agreed = args.place.yes;
    let mut begun = false;
    loop {
        let plans: Vec<InstallPlan> =
            targets.iter().map(|target| target.uninstall()).collect::<Result<_>>()?;
        let due: Vec<&InstallPlan> = plans.iter().filter(|plan| !plan.is_nothing()).collect();
        let listed = servers.as_ref().and_then(|servers| still_listed(servers, ui));
        if !begun {
            say_none(&plans, settings.is_some(), env, ui);
        }
        if due.is_empty() && listed.is_none() {
            return Ok(None);
        }
        if args.place.dry_run || !agreed {
            show_plan(client, &due, listed.as_ref(), ui);
        }
        if args.place.dry_run || (args.place.diff && !agreed) {
            ui.line("");
            if let Some(plan) = &listed {
                ui.line(plan.diff().trim_end());
            }
            for plan in &due {
                ui.line(plan.diff().trim_end());
            }
        }
        if args.place.dry_run {
            let command = with_scope("remove", scope);
            ui.say(format!("Nothing was changed. `{command}` does it, after asking."));
            return Ok(None);
        }
        if !agreed {
            let list = listed.as_ref().map(servers::ServerPlan::path);
            let names = list.into_iter().chain(due.iter().flat_map(|plan| plan.changes()));
            let names = names.collect::<Vec<_>>().join(" and ");
            match ui.ask("Remove catchword from these files? (`--diff` shows every line)") {
                Some(true) => agreed = true,
                Some(false) => return Ok(Some(declined(ui))),
                None => return Ok(Some(nobody_to_ask(&names, ui))),
            }
        }
        begun = true;
        // The list first: it may be in a folder that init created for the settings.
        if let Some(plan) = &listed {
            if plan.apply()? == Applied::Overtaken {
                continue;
            }
            let done = if plan.deletes() { DELETED } else { "Removed the tools from" };
            ui.line(format!("{done} {}.", plan.path()));
        }
        if take_out(&due, ui)? == Applied::Done {
            if settings.is_some() {
                ui.line("New sessions run without it; running ones may still call it.");
            }
            return Ok(None);
        }
    }
}

/// Plans the removal of our server from the list. A list that cannot be read does not prevent the removal of the hooks.
fn still_listed<'a>(servers: &'a Servers, ui: &Ui) -> Option<servers::ServerPlan<'a>> {
    match servers.uninstall() {
        Ok(plan) => Some(plan).filter(|plan| !plan.is_nothing()),
        Err(error) => {
            ui.say(ui.paragraph(&format!("The agent's tools stay registered: {error:#}")));
            None
        }
    }
}

/// Says that a file is gone.
const DELETED: &str = "Deleted, because init created it:";

/// A line for each file that changes.
fn show_plan(client: &Client, due: &[&InstallPlan], listed: Option<&servers::ServerPlan>, ui: &Ui) {
    let mut rows: Vec<(&str, &str)> = Vec::new();
    let change =
        |deletes: bool, without: &'static str| if deletes { "deleted: init created it" } else { without };
    rows.extend(listed.map(|plan| (plan.path(), change(plan.deletes(), "without the agent's tools"))));
    for plan in due {
        let what = change(plan.deletes(), "without catchword's entries");
        rows.extend(plan.changed().map(|path| (path, what)));
        rows.extend(plan.laid().into_iter().map(|path| (path, "deleted")));
    }
    let columns = rows.iter().map(|(path, _)| width(path)).max().unwrap_or(0);
    ui.line(ui.bold(&format!("catchword for {}: these files change", client.phrases.name)));
    for (path, what) in rows {
        ui.line(format!("  - {}  {what}", padded(path, columns)));
    }
}

/// Reports what was looked for and not found: the settings are the last of the plans, if they are among them.
fn say_none(plans: &[InstallPlan], with_settings: bool, env: &Env, ui: &Ui) {
    let Some(asked) = plans.last() else { return };
    say_kept(plans.iter().filter(|plan| plan.is_nothing()).flat_map(InstallPlan::kept), ui);
    if asked.is_nothing() {
        let what = if with_settings { "hooks" } else { "compact instructions" };
        ui.line(format!("No {what} of catchword in {}.", env.show(asked.path())));
    }
}

/// Applies the changes up to the first that was overtaken, and reports each.
fn take_out(plans: &[&InstallPlan], ui: &Ui) -> Result<Applied> {
    for plan in plans {
        if plan.apply()? == Applied::Overtaken {
            return Ok(Applied::Overtaken);
        }
        if let Some(changed) = plan.changed() {
            let done = if plan.deletes() { DELETED } else { "Removed from" };
            ui.line(format!("{done} {changed}."));
        }
        if !plan.laid().is_empty() {
            ui.line(ui.paragraph(&format!("Deleted: {}.", plan.laid().join(" and "))));
        }
        say_kept(plan.kept(), ui);
    }
    Ok(Applied::Done)
}

/// Reports what else still calls us in this folder.
fn say_who_else_calls(client: &'static Client, args: &Args, env: &Env, ui: &Ui) {
    let survey = Survey::take(client, env);
    for (seen, _) in survey.calling().filter(|(seen, _)| seen.scope != args.place.scope()) {
        let command = with_scope("remove", seen.scope);
        let says = format!("{} still calls catchword; `{command}` removes that.", env.show(&seen.path));
        ui.line(ui.paragraph(&says));
    }
    for scope in [Scope::User, Scope::Project, Scope::Local].into_iter().filter(|s| *s != args.place.scope())
    {
        if let Some(path) = install::instructed(client, scope, env) {
            let command = with_scope("remove --instructions", scope);
            let path = env.show(&path);
            let says = format!("{path} still has compact instructions; `{command}` removes them.");
            ui.line(ui.paragraph(&says));
        }
    }
    if let Some((id, plugin)) = survey.active_plugin().zip(client.setup.plugin.as_ref()) {
        let uninstall = plugin.uninstall;
        let says = format!("The plugin still calls catchword; `{uninstall} {id}` removes it.");
        ui.line(ui.paragraph(&says));
    }
}

/// Deletes the data directory, after listing what is in it.
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
        ui.line(format!("  {} {}", padded(&name, 24), byte_size(bytes)));
    }
    if args.place.dry_run {
        ui.say("Nothing was deleted.");
        return Ok(Exit::Ok);
    }
    if !args.place.yes {
        match ui.ask_before_loss(&format!("Delete all of {shown}? This cannot be undone.")) {
            Some(true) => {}
            Some(false) => {
                ui.say("The data was kept.");
                return Ok(Exit::Ok);
            }
            None => return Ok(nobody_to_ask(&shown, ui)),
        }
    }
    fs::remove_dir_all(dir).with_context(|| format!("cannot delete {}", dir.display()))?;
    remove_empty_parents(dir, env.home.as_deref());
    ui.line(format!("Deleted {shown}."));
    Ok(Exit::Ok)
}

/// The folders in the home that were created for the data directory (`~/.local/share`), unless they have other files.
fn remove_empty_parents(dir: &Path, home: Option<&Path>) {
    let in_home = |folder: &&Path| home.is_some_and(|home| *folder != home && folder.starts_with(home));
    let parents = dir.ancestors().skip(1).take_while(in_home);
    // Fails for a folder that is not empty.
    let _ = parents.map(fs::remove_dir).find(std::io::Result::is_err);
}

/// Refuses a data directory that contains other things, too: `CATCHWORD_HOME=~` must not delete a home.
fn must_be_ours_alone(dir: &Path, env: &Env) -> Result<()> {
    let real = dir.canonicalize().with_context(|| format!("cannot look at {}", dir.display()))?;
    let others = [env.home.as_deref(), Some(env.cwd.as_path()), env.exe.as_deref()];
    let clients = CLIENTS.iter().map(|client| env.config_dir(client));
    for other in others.into_iter().chain(clients).flatten() {
        let other = other.canonicalize().unwrap_or_else(|_| other.to_owned());
        if other.starts_with(&real) {
            let dir = env.show(dir);
            bail!("{dir} holds more than catchword's data and is not deleted. Delete the files by hand.");
        }
    }
    Ok(())
}

/// The entries of `dir` with their sizes; folders are summed up.
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
