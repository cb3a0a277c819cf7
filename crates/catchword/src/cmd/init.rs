//! `catchword init`: makes the client call us.

use anyhow::{Context, Result};
use catchword_engine::clients::setup::{HOOK_COMMAND, STATUS_LINE_COMMAND, Scope};
use catchword_engine::clients::{CLIENTS, Client, named};
use clap::builder::PossibleValuesParser;

use super::index;
use crate::app::env::Env;
use crate::app::transcripts;
use crate::install::checks::with_scope;
use crate::install::completions;
use crate::install::instructions::{self, Habits};
use crate::install::servers::{self, Servers};
use crate::install::{self, Applied, InstallPlan, InstallTarget, Survey, WantedSettings};
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::width;

/// Set up the hooks, the skill and the tools in the agent's settings
///
/// Shows which files change and asks before it writes. On a terminal it then offers the status line, the index of existing
/// sessions, and completions for your shell. Without a terminal it needs --yes. `catchword remove` undoes all of it.
#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct Args {
    #[command(flatten)]
    pub place: InstallArgs,
    /// Add a status line: context, tokens left, open work
    ///
    /// An existing status line is kept: it is shown above this one, and `catchword remove` restores it.
    #[arg(long)]
    statusline: bool,
    /// Add a section "Compact Instructions" to CLAUDE.md or AGENTS.md: what a summary should keep, and what not
    ///
    /// With --project it is adapted to the project: its tests, folders and issue keys. Run again to update it.
    /// `catchword remove --instructions` removes it alone.
    #[arg(long)]
    instructions: bool,
    /// Do not register the agent's tools (`catchword mcp`)
    ///
    /// Otherwise they are registered in your list of MCP servers, with --project in .mcp.json, with --local nowhere.
    #[arg(long)]
    no_mcp: bool,
    /// Install even if another file calls catchword already, or the client is too old
    #[arg(long)]
    force: bool,
}

/// Which settings file, and whether to ask: the same for `init` and `remove`.
#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct InstallArgs {
    /// For everybody in this project: .claude/settings.json or .codex/hooks.json [default: for you, in all projects]
    #[arg(long, conflicts_with = "local")]
    project: bool,
    /// For you, in this project: .claude/settings.local.json (Codex has no such file)
    #[arg(long)]
    local: bool,
    /// Which client [default: each that is installed]
    #[arg(long, value_name = "CLIENT", value_parser = client_names())]
    agent: Option<String>,
    /// Show every changed line, not just a line per file
    #[arg(long)]
    pub diff: bool,
    /// Show every changed line and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
}

/// Every client.
const ALL: &str = "all";

fn client_names() -> PossibleValuesParser {
    PossibleValuesParser::new(CLIENTS.iter().map(|client| client.name).chain([ALL]))
}

impl InstallArgs {
    /// The clients that are meant: the named one, or those of which `is_wanted` holds. The first, where none is left.
    pub fn clients(&self, is_wanted: impl Fn(&'static Client) -> bool) -> Vec<&'static Client> {
        let wanted: Vec<&'static Client> = match self.agent.as_deref() {
            Some(ALL) => CLIENTS.to_vec(),
            Some(name) => named(name).into_iter().collect(),
            None => {
                let has_scope = |client: &Client| client.setup.settings_file(self.scope()).is_some();
                CLIENTS.iter().copied().filter(|client| has_scope(client) && is_wanted(client)).collect()
            }
        };
        if wanted.is_empty() { vec![CLIENTS[0]] } else { wanted }
    }

    /// The settings file that is meant.
    pub fn scope(&self) -> Scope {
        match (self.project, self.local) {
            (true, _) => Scope::Project,
            (_, true) => Scope::Local,
            _ => Scope::User,
        }
    }
}

impl Args {
    /// Whether questions follow the setup.
    fn offers(&self, ui: &Ui) -> bool {
        !self.place.yes && ui.can_ask()
    }
}

pub fn run(args: &Args, command: &mut clap::Command, env: &Env, ui: &Ui) -> Result<Exit> {
    install::refuse_passing(env.exe.as_deref())?;
    let clients = args.place.clients(|client| install::is_installed(client, env));
    let exits = clients.iter().map(|client| set_up(client, args, env, ui)).collect::<Result<Vec<Exit>>>()?;
    let exit = exits.into_iter().find(|exit| *exit != Exit::Ok).unwrap_or(Exit::Ok);
    let is_called = |client: &&&'static Client| Survey::take(client, env).is_called();
    let called: Vec<&'static Client> = clients.iter().filter(is_called).copied().collect();
    if !called.is_empty() && !args.place.dry_run && args.offers(ui) {
        offer(&called, args, command, env, ui)?;
    }
    Ok(exit)
}

/// Offers what goes with the hooks, once they are there.
fn offer(
    clients: &[&'static Client],
    args: &Args,
    command: &mut clap::Command,
    env: &Env,
    ui: &Ui,
) -> Result<()> {
    let wanted = WantedSettings { hooks: false, status_line: true };
    for client in clients.iter().filter(|client| client.setup.status_line.is_some() && !args.statusline) {
        let target = InstallTarget::settings(client, args.place.scope(), wanted, env)?;
        if !target.install()?.is_nothing()
            && ui.ask("Show context, tokens left and open work in the status line?") == Some(true)
        {
            while target.install()?.apply()? == Applied::Overtaken {}
            ui.line(format!("Added the status line in {}.", env.show(&target.path)));
        }
    }
    if has_unindexed(env) {
        if ui.ask("Index your existing sessions, so that you can search them?") == Some(true) {
            index::rebuild(env, ui)?;
            let next = "`catchword search` finds what was said and done, `catchword status --all` lists the sessions.";
            ui.line(ui.paragraph(&format!("Indexed. {next}")));
        } else {
            ui.line("Later: `catchword index`.");
        }
    }
    if let Some(file) = completions::of_shell(env).filter(|file| !file.is_there()) {
        let path = env.show(&file.path);
        if ui.ask(&format!("Install completions for {} in {path}?", file.shell)) == Some(true) {
            file.write(command).with_context(|| format!("cannot write {path}"))?;
            ui.line(format!("Installed completions in {path}. {}", file.todo.unwrap_or_default()).trim_end());
        }
    }
    say_next(args, env, ui);
    Ok(())
}

/// Whether there are sessions, and no history of any.
fn has_unindexed(env: &Env) -> bool {
    let has_history = env.data_dir.as_ref().is_some_and(|folder| folder.join("history.db").exists());
    !has_history && !transcripts::newest_first(env).is_empty()
}

/// A line for each file that changes.
fn show_plan(
    due: &[&InstallPlan],
    listed: Option<&servers::ServerPlan>,
    wanted: WantedSettings,
    files: &InstallFiles,
    ui: &Ui,
) {
    let is_section = |plan: &InstallPlan| files.instructions.as_ref().is_some_and(|t| t.path == plan.path());
    let mut rows: Vec<(&str, String)> = Vec::new();
    for plan in due {
        let what = if is_section(plan) {
            "section \"Compact Instructions\"".to_owned()
        } else {
            settings_words(files.client, wanted)
        };
        rows.extend(plan.changed().map(|path| (path, what)));
        rows.extend(plan.laid().into_iter().map(|path| (path, laid_words(path).to_owned())));
    }
    rows.extend(listed.map(|plan| (plan.path(), "tools for the agent (MCP server)".to_owned())));
    let columns = rows.iter().map(|(path, _)| width(path)).max().unwrap_or(0);
    ui.line(ui.bold(&format!("catchword for {}: these files change", files.client.phrases.name)));
    for (path, what) in rows {
        let is_short = columns + width(&what) + 6 <= ui.width();
        let gap = if is_short { " ".repeat(columns - width(path) + 2) } else { "\n      ".to_owned() };
        ui.line(format!("  {} {path}{gap}{what}", ui.green("+")));
    }
}

/// What a file is for that only we write.
fn laid_words(path: &str) -> &'static str {
    if path.ends_with("SKILL.md") {
        "new: how the agent uses the record"
    } else {
        "new: a command to write a note"
    }
}

/// What goes into the client's settings.
fn settings_words(client: &Client, wanted: WantedSettings) -> String {
    let events = client.setup.hooks.events.len();
    match (wanted.hooks, wanted.status_line) {
        (true, true) => format!("{events} hooks and the status line"),
        (false, _) => "the status line".to_owned(),
        (true, false) => format!("{events} hooks"),
    }
}

fn set_up(client: &'static Client, args: &Args, env: &Env, ui: &Ui) -> Result<Exit> {
    let scope = args.place.scope();
    let survey = Survey::take(client, env);
    let has_line = client.setup.status_line.is_some();
    if args.statusline && !has_line {
        ui.say(format!("{} has no status line that a program can fill.", client.phrases.name));
    }
    let mut wanted = WantedSettings { hooks: true, status_line: args.statusline && has_line };
    if let Some(reason) = (!args.force).then(|| too_old(client, env)).flatten() {
        ui.say(ui.paragraph(&format!("catchword: {reason}")));
        return Ok(Exit::Failed);
    }
    if let Some(reason) = (!args.force).then(|| objection(scope, &survey, env)).flatten() {
        if !args.statusline && !args.instructions {
            ui.say(ui.paragraph(&format!("catchword: {reason}")));
            return Ok(Exit::Failed);
        }
        // Another file calls us already: the hooks stay there.
        wanted.hooks = false;
    }
    let exit = install(client, args, wanted, env, ui)?;
    if let Some((seen, _)) = survey.calling().find(|(seen, _)| wanted.hooks && seen.scope > scope) {
        let remove = with_scope("remove", seen.scope);
        let says = format!("{} has them too; `{remove}` removes them there.", env.show(&seen.path));
        ui.line(ui.paragraph(&says));
    }
    Ok(exit)
}

/// Why the hooks should not be installed: they would run twice.
fn objection(scope: Scope, survey: &Survey, env: &Env) -> Option<String> {
    if let Some((id, plugin)) = survey.active_plugin().zip(survey.client.setup.plugin.as_ref()) {
        return Some(format!(
            "the plugin {id} already calls it; installed here as well, every hook would run twice.\n\
             Keep the plugin, or run `{} {id}` first.",
            plugin.uninstall
        ));
    }
    if let Some((seen, _)) = survey.calling().find(|(seen, _)| seen.scope < scope) {
        return Some(format!(
            "{} already calls it, in this project too; installed here as well, hooks could run twice.\n\
             There is nothing to do. To have it in this project only, run `{}` first.",
            env.show(&seen.path),
            with_scope("remove", seen.scope)
        ));
    }
    let path = |scope| install::settings_path(survey.client, scope, env).ok();
    if scope != Scope::User && path(Scope::User) == path(scope) {
        return Some(
            "here, the project's settings file is your own. Run `catchword init` without --project."
                .to_owned(),
        );
    }
    None
}

/// Why this client cannot use what is installed.
fn too_old(client: &Client, env: &Env) -> Option<String> {
    let setup = &client.setup;
    let version = install::client_version(client, env).filter(|version| *version < setup.oldest)?;
    let text = |version: [u32; 3]| version.map(|n| n.to_string()).join(".");
    Some(format!(
        "{} {} does not understand these hooks and might ignore the whole settings file.\n\
         Update it to {} or newer (`{}`), then run this again.",
        client.phrases.name,
        text(version),
        text(setup.oldest),
        setup.update
    ))
}

/// The files to change, in the order in which they are shown and written.
struct InstallFiles {
    client: &'static Client,
    settings: Option<InstallTarget>,
    instructions: Option<InstallTarget>,
    servers: Option<Servers>,
}

impl InstallFiles {
    fn new(client: &'static Client, args: &Args, wanted: WantedSettings, env: &Env) -> Result<Self> {
        let scope = args.place.scope();
        let settings = (wanted != WantedSettings::default())
            .then(|| InstallTarget::settings(client, scope, wanted, env));
        let section = || {
            let habits = if scope == Scope::User { Habits::default() } else { Habits::of(env) };
            InstallTarget::instructions(client, scope, instructions::section(&habits), env)
        };
        let instructions = args.instructions.then(section).transpose()?;
        let servers = if wanted.hooks && !args.no_mcp { Servers::of(client, scope, env)? } else { None };
        Ok(InstallFiles { client, settings: settings.transpose()?, instructions, servers })
    }

    fn all(&self) -> impl Iterator<Item = &InstallTarget> {
        self.settings.iter().chain(&self.instructions)
    }
}

/// Shows the whole change, asks once, and applies it.
fn install(client: &'static Client, args: &Args, wanted: WantedSettings, env: &Env, ui: &Ui) -> Result<Exit> {
    let files = InstallFiles::new(client, args, wanted, env)?;
    let (mut agreed, mut begun) = (args.place.yes, false);
    let (mut changed, mut registered) = (false, false);
    let (mut beside, mut kept): (Vec<String>, Vec<String>) = Default::default();
    loop {
        let plans: Vec<InstallPlan> = files.all().map(InstallTarget::install).collect::<Result<_>>()?;
        add(&mut kept, plans.iter().flat_map(InstallPlan::kept));
        let due: Vec<&InstallPlan> = plans.iter().filter(|plan| !plan.is_nothing()).collect();
        let listed = files.servers.as_ref().map(Servers::install).transpose()?;
        let taken = listed.as_ref().is_some_and(|plan| plan.taken);
        let listed = listed.filter(|plan| !plan.is_nothing());
        if due.is_empty() && listed.is_none() && !begun {
            let present = present(wanted, &files, env);
            ui.line(ui.paragraph(&format!("Already installed: {present}. `catchword doctor` checks it.")));
            say_kept(kept.iter().map(String::as_str), ui);
            say_taken(&files, taken, env, ui);
            return Ok(Exit::Ok);
        }
        if !agreed || args.place.dry_run {
            show_plan(&due, listed.as_ref(), wanted, &files, ui);
        }
        if args.place.dry_run || (args.place.diff && !agreed) {
            ui.line("");
            for plan in &due {
                ui.line(plan.diff().trim_end());
            }
            if let Some(plan) = &listed {
                ui.line(plan.diff().trim_end());
            }
        }
        if args.place.dry_run {
            ui.say("Nothing was written.");
            return Ok(Exit::Ok);
        }
        let list = listed.as_ref().map(servers::ServerPlan::path);
        let names = due.iter().flat_map(|plan| plan.changes()).chain(list).collect::<Vec<_>>().join(" and ");
        if !agreed {
            match ui.ask("Make these changes? (`--diff` shows every line)") {
                Some(true) => agreed = true,
                Some(false) => return Ok(declined(ui)),
                None => return Ok(nobody_to_ask(&names, ui)),
            }
        }
        begun = true;
        add(&mut beside, due.iter().flat_map(|plan| plan.laid()));
        registered |= listed.is_some();
        changed |= !due.is_empty();
        if apply(&due)? == Applied::Done
            && listed.map_or(Ok(Applied::Done), |plan| plan.apply())? == Applied::Done
        {
            say_taken(&files, taken, env, ui);
            break;
        }
    }
    if changed {
        report(args, wanted, &files, &beside, registered, env, ui);
        if let Some(approval) = client.setup.approval.as_ref().filter(|_| wanted.hooks) {
            ui.line(
                ui.paragraph(&format!("You still have to approve it: {} {}", approval.why, approval.how)),
            );
        }
    } else {
        ui.line(ui.paragraph(&format!("Already installed: {}.", present(wanted, &files, env))));
        say_registered(args, &files, env, ui);
        ui.line(client.setup.reload);
    }
    say_kept(kept.iter().map(String::as_str), ui);
    Ok(Exit::Ok)
}

fn say_registered(args: &Args, files: &InstallFiles, env: &Env, ui: &Ui) {
    let Some(servers) = &files.servers else { return };
    let path = env.show(&servers.path);
    let says = format!("Registered: the agent's tools in {path} run `{} mcp`.", shown(&servers.command, env));
    ui.line(ui.paragraph(&says));
    if args.place.scope().is_shared() {
        ui.line(format!("{} asks everybody once whether they may be used.", files.client.phrases.name));
    }
}

/// Somebody else's server has our name.
fn say_taken(files: &InstallFiles, taken: bool, env: &Env, ui: &Ui) {
    if let Some(servers) = files.servers.as_ref().filter(|_| taken) {
        let path = env.show(&servers.path);
        ui.line(ui.paragraph(&format!("{path} has another server named catchword, which is left as it is.")));
    }
}

/// Adds paths that are not in the list yet: a change that was overtaken is planned again.
fn add<'a>(paths: &mut Vec<String>, more: impl Iterator<Item = &'a str>) {
    for path in more {
        if !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
}

/// Applies the plans up to the first that was overtaken.
fn apply(plans: &[&InstallPlan]) -> Result<Applied> {
    for plan in plans {
        if plan.apply()? == Applied::Overtaken {
            return Ok(Applied::Overtaken);
        }
    }
    Ok(Applied::Done)
}

/// What is installed already.
fn present(wanted: WantedSettings, files: &InstallFiles, env: &Env) -> String {
    let settings = files.settings.iter().map(|target| {
        let what = settings_words(files.client, wanted);
        format!("{what} in {}", env.show(&target.path))
    });
    let section = files
        .instructions
        .iter()
        .map(|target| format!("up-to-date compact instructions in {}", env.show(&target.path)));
    settings.chain(section).collect::<Vec<_>>().join(" and ")
}

fn report(
    args: &Args,
    wanted: WantedSettings,
    files: &InstallFiles,
    beside: &[String],
    registered: bool,
    env: &Env,
    ui: &Ui,
) {
    let scope = args.place.scope();
    if let Some(target) = &files.settings {
        let says = installed(files.client, wanted, &env.show(&target.path), &shown(&target.command, env));
        ui.line(ui.paragraph(&says));
    }
    if !beside.is_empty() {
        ui.line(ui.paragraph(&format!("Added: {}.", beside.join(" and "))));
    }
    if registered {
        say_registered(args, files, env, ui);
    }
    if let Some(target) = &files.instructions {
        ui.line(format!("Written: compact instructions in {}.", env.show(&target.path)));
    }
    let Some(target) = &files.settings else {
        let remove = with_scope("remove --instructions", scope);
        ui.line(format!("Edit around the marks as you like; `{remove}` removes the section."));
        return;
    };
    ui.line(files.client.setup.reload);
    if target.by_name() {
        ui.line(format!("Everybody who works in this project needs `{}` on PATH.", target.command));
    }
    if !args.offers(ui) {
        say_next(args, env, ui);
    }
}

fn say_next(args: &Args, env: &Env, ui: &Ui) {
    let remove = with_scope("remove", args.place.scope());
    let index = if args.place.yes && has_unindexed(env) {
        " `catchword index` indexes your existing sessions."
    } else {
        ""
    };
    ui.line(ui.paragraph(&format!("Next: `catchword doctor` checks it; `{remove}` undoes it.{index}")));
}

/// The program as hooks call it.
fn shown(command: &str, env: &Env) -> String {
    env.show(std::path::Path::new(command))
}

fn installed(client: &Client, wanted: WantedSettings, path: &str, command: &str) -> String {
    let (name, events) = (client.name, client.setup.hooks.events.len());
    let hooks = format!("{events} hooks in {path} call `{command} {HOOK_COMMAND} {name}`");
    let line = format!("{STATUS_LINE_COMMAND} {name}");
    match (wanted.hooks, wanted.status_line) {
        (true, true) => format!("Installed: {hooks}, and the status line is `{command} {line}`."),
        (false, _) => format!("Installed: the status line in {path} is `{command} {line}`."),
        (true, false) => format!("Installed: {hooks}."),
    }
}

/// Reports files that have the name of ours and are somebody else's.
pub fn say_kept<'a>(paths: impl IntoIterator<Item = &'a str>, ui: &Ui) {
    for path in paths {
        ui.line(ui.paragraph(&format!("{path} has been changed, so it is left as it is.")));
    }
}

/// The person said no, which is not an error.
pub fn declined(ui: &Ui) -> Exit {
    ui.say("Nothing was changed.");
    Exit::Ok
}

/// Nobody can be asked, and nobody said yes beforehand.
pub fn nobody_to_ask(path: &str, ui: &Ui) -> Exit {
    ui.say(ui.paragraph(&format!(
        "catchword: this would change {path}, and there is no terminal to ask on. Nothing was changed.\n\
         Run it again with --yes, or with --dry-run to see the change first."
    )));
    Exit::Failed
}
