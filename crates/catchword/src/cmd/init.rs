//! `catchword init`: make the client call us.

use anyhow::Result;
use catchword_engine::agent::claude_code::setup::{CLIENT, HOOKS, OLDEST_CLIENT, PROGRAM, RELOAD, Scope};

use super::server;
use crate::env::Env;
use crate::exit::Exit;
use crate::install::checks::with_scope;
use crate::install::{self, Applied, Survey, Target, Wanted};
use crate::ui::Ui;

/// Put the hooks into Claude Code's settings, and the tools for the agent into its list of servers
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub place: Place,
    /// Also show the context, the tokens left and open work in the status line
    ///
    /// A status line you have already stays: it is shown above this one, and `catchword remove` gives it back as it was.
    #[arg(long)]
    statusline: bool,
    /// Do not register the tools for the agent (`catchword mcp`)
    ///
    /// They are otherwise put into the user's list of servers, with --project into .mcp.json, with --local nowhere.
    #[arg(long)]
    no_mcp: bool,
    /// Install although it is there already, or the client is too old
    #[arg(long)]
    force: bool,
}

/// Which settings file, and how much to ask: the same for `init` and `remove`.
#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct Place {
    /// This project, for everybody: .claude/settings.json (default: all projects of yours)
    #[arg(long, conflicts_with = "local")]
    project: bool,
    /// This project, for you alone: .claude/settings.local.json
    #[arg(long)]
    local: bool,
    /// Show the change as a diff and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
}

impl Place {
    /// Others read the file, too.
    pub fn is_shared(&self) -> bool {
        self.scope().file().shared
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

/// Installs the hooks.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> Result<Exit> {
    let scope = args.place.scope();
    let target = Target::new(scope, env)?;
    let survey = Survey::take(env);
    let mut wanted = Wanted { hooks: true, status_line: args.statusline };
    if let Some(reason) = (!args.force).then(|| too_old(env)).flatten() {
        ui.say(ui.paragraph(&format!("catchword: {reason}")));
        return Ok(Exit::Failed);
    }
    if let Some(reason) = (!args.force).then(|| objection(scope, &target, &survey, env)).flatten() {
        if !args.statusline {
            ui.say(ui.paragraph(&format!("catchword: {reason}")));
            return Ok(Exit::Failed);
        }
        // Called already, from elsewhere: there the hooks stay.
        wanted.hooks = false;
    }
    let exit = install(args, wanted, &target, env, ui)?;
    if let Some((seen, _)) = survey.calling().find(|(seen, _)| seen.scope > scope) {
        let remove = with_scope("remove", seen.scope);
        let says = format!("{} has them too; `{remove}` takes them out there.", env.show(&seen.path));
        ui.line(ui.paragraph(&says));
    }
    if exit == Exit::Ok && wanted.hooks && !args.no_mcp {
        return server::register(&args.place, env, ui);
    }
    Ok(exit)
}

/// Why the hooks should not be installed: they would run twice.
fn objection(scope: Scope, target: &Target, survey: &Survey, env: &Env) -> Option<String> {
    if let Some(id) = survey.active_plugin() {
        return Some(format!(
            "the plugin {id} already calls it; installed here as well, every hook would run twice.\n\
             Keep the plugin and do nothing, or run `{PROGRAM} plugin uninstall {id}` first."
        ));
    }
    if let Some((seen, _)) = survey.calling().find(|(seen, _)| seen.scope < scope) {
        return Some(format!(
            "{} already calls it, in this project too; installed here as well, hooks could run twice.\n\
             Nothing has to be done. To have it in this project only, run `{}` first.",
            env.show(&seen.path),
            with_scope("remove", seen.scope)
        ));
    }
    if scope != Scope::User && install::settings_path(Scope::User, env).is_ok_and(|path| path == target.path)
    {
        return Some(
            "here, the project's settings are your own ones. Run `catchword init` for those.".to_owned(),
        );
    }
    None
}

/// The client could not cope with what is installed.
fn too_old(env: &Env) -> Option<String> {
    let version = install::client_version(&env.path).filter(|version| *version < OLDEST_CLIENT)?;
    let text = |version: [u32; 3]| version.map(|n| n.to_string()).join(".");
    Some(format!(
        "{CLIENT} {} does not understand these hooks and might ignore the whole settings file.\n\
         Update it to {} or newer (`{PROGRAM} update`), then run this again.",
        text(version),
        text(OLDEST_CLIENT)
    ))
}

fn install(args: &Args, wanted: Wanted, target: &Target, env: &Env, ui: &Ui) -> Result<Exit> {
    let path = env.show(&target.path);
    let mut agreed = args.place.yes;
    loop {
        let plan = target.install(wanted)?;
        if plan.is_nothing() {
            ui.line(format!("Already installed: {} in {path}.", named(wanted)));
            return Ok(Exit::Ok);
        }
        if args.place.dry_run {
            ui.line(plan.diff().trim_end());
            ui.say("Nothing was written.");
            return Ok(Exit::Ok);
        }
        if !agreed {
            ui.line(plan.diff().trim_end());
            match ui.ask(&format!("Make this change to {path}?")) {
                Some(true) => agreed = true,
                Some(false) => return Ok(declined(ui)),
                None => return Ok(nobody_to_ask(&path, ui)),
            }
        }
        if plan.apply()? == Applied::Done {
            break;
        }
    }
    ui.line(installed(wanted, &path, &target.command));
    ui.line(RELOAD);
    if target.by_name() {
        ui.line(format!("Everybody who works in this project needs `{}` on PATH.", target.command));
    }
    let remove = with_scope("remove", args.place.scope());
    ui.line(format!("Next: `catchword doctor` checks it; `{remove}` undoes it."));
    Ok(Exit::Ok)
}

fn named(wanted: Wanted) -> String {
    match (wanted.hooks, wanted.status_line) {
        (true, true) => format!("{} hooks and the status line", HOOKS.len()),
        (false, _) => "the status line".to_owned(),
        (true, false) => format!("{} hooks", HOOKS.len()),
    }
}

fn installed(wanted: Wanted, path: &str, command: &str) -> String {
    let hooks = format!("{} hooks in {path} call `{command} hook`", HOOKS.len());
    match (wanted.hooks, wanted.status_line) {
        (true, true) => format!("Installed: {hooks}, and the status line is `{command} statusline`."),
        (false, _) => format!("Installed: the status line in {path} is `{command} statusline`."),
        (true, false) => format!("Installed: {hooks}."),
    }
}

/// The person said no: that is an answer, not a fault.
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
