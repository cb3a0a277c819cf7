//! The checks of `doctor` on an installation: does the client call us, exactly once, and does it reach this program?
//!
//! Each check is a function from the survey to what it found and what to do; nothing is repaired here.

use std::path::{Path, PathBuf};

use catchword_engine::clients::Client;
use catchword_engine::clients::setup::{Approval, HookPlace, HookState, OUR_NAME, OwnCall, Scope};
pub use catchword_engine::ops::read::doctor::{Check, CheckResult};

use super::laid::{self, LaidPlan};
use super::programs::is_of_project;
use super::section;
use super::servers::{Stands, stands, state_file};
use super::settings::FoundHandler;
use super::survey::{self, PlacedHandler, SettingsSeen, Survey, json};
use super::{client_version, same_file};
use crate::app::env::Env;
use crate::app::files;
use crate::app::process::{is_program, on_path};

/// All checks, in an order in which a failure explains the failures below it.
pub fn run(survey: &Survey, env: &Env) -> Vec<Check> {
    let client = survey.client;
    let mut checks = vec![program(survey, env), version(client, env)];
    checks.extend(survey.settings.iter().filter_map(|seen| settings_file(client, seen, env)));
    checks.extend(plugin(survey));
    checks.extend(survey.calling().filter_map(|(seen, _)| skill(client, seen.scope, env)));
    checks.extend(calls(survey));
    checks.extend(status_line(survey, env));
    checks.extend(tools(survey, env));
    checks.extend(switches(survey, env));
    checks.extend(trust(client, env));
    checks.extend(approvals(survey, env));
    checks.extend(server_environment(client, env));
    checks.extend(instructions(client, env));
    checks.push(data(env));
    checks
}

/// The command line for a scope, as a person would type it.
pub fn with_scope(command: &str, scope: Scope) -> String {
    match scope {
        Scope::User => format!("catchword {command}"),
        Scope::Project => format!("catchword {command} --project"),
        Scope::Local => format!("catchword {command} --local"),
    }
}

fn program(survey: &Survey, env: &Env) -> Check {
    let exe = env.exe.clone().unwrap_or_default();
    let folder = env.show(exe.parent().unwrap_or(Path::new("")));
    match on_path(OUR_NAME, &env.path, None) {
        Some(found) if same_file(&found, &exe) => Check::ok("program", "PATH finds this one."),
        Some(found) => Check::attention(
            "program",
            format!("PATH finds another one first: {}.", env.show(&found)),
            format!("Remove one of the two, or put {folder} first on PATH."),
        ),
        None if named_by_path(survey) => Check::failed(
            "program",
            "Hooks call it by its name, and it is not on PATH.",
            format!("Add {folder} to PATH."),
        ),
        None => Check::attention(
            "program",
            if survey.is_called() {
                "catchword is not on PATH (hooks use its full path)."
            } else {
                "catchword is not on PATH."
            },
            format!("Add {folder} to PATH to use the commands."),
        ),
    }
}

/// Whether something calls us by name and relies on `PATH`.
fn named_by_path(survey: &Survey) -> bool {
    let by_name = |hooks: &[FoundHandler]| hooks.iter().any(|hook| !Path::new(&hook.command).is_absolute());
    survey.active_plugin().is_some() || survey.calling().any(|(_, hooks)| by_name(hooks))
}

fn version(client: &Client, env: &Env) -> Check {
    let (name, setup) = (client.phrases.name, &client.setup);
    let text = |version: [u32; 3]| version.map(|n| n.to_string()).join(".");
    match client_version(client, env) {
        None if is_of_project(client, env) => Check::attention(
            "client",
            format!("`{}` on PATH is a program of this project, so it was not run.", setup.program),
            format!("Add the folder of your own {name} to PATH."),
        ),
        None => Check::attention(
            "client",
            format!("`{0}` is not on PATH, or `{0} --version` failed.", setup.program),
            format!("Install {name} {} or newer, or add it to PATH.", text(setup.oldest)),
        ),
        Some(version) if version < setup.oldest => Check::failed(
            "client",
            format!("{name} {} is too old for these hooks.", text(version)),
            format!("Update it to {} or newer.", text(setup.oldest)),
        ),
        Some(version) => Check::ok("client", format!("{name} {}.", text(version))),
    }
}

/// A settings file that calls us or cannot be parsed; other files do not matter.
fn settings_file(client: &Client, seen: &SettingsSeen, env: &Env) -> Option<Check> {
    let wanted = client.setup.hooks.events;
    let path = env.show(&seen.path);
    let hooks = match &seen.hooks {
        Ok(hooks) if hooks.is_empty() => return None,
        Ok(hooks) => hooks,
        Err(why) => {
            let todo = format!("Fix it: {} ignores the file as it is.", client.phrases.name);
            return Some(Check::failed("hooks", format!("{path}: {why}."), todo));
        }
    };
    let again = format!("Run `{}`.", with_scope("init", seen.scope));
    let lost = hooks.iter().find(|hook| reached(&hook.command, env).is_none());
    let other =
        hooks.iter().filter_map(|hook| reached(&hook.command, env)).find(|found| !is_this(found, env));
    let right = wanted.iter().filter(|want| hooks.iter().any(|h| h.event == want.event && h.current)).count();
    Some(if let Some(lost) = lost {
        Check::failed(
            "hooks",
            format!("{path} calls {}, which is not there.", env.show(Path::new(&lost.command))),
            again,
        )
    } else if hooks.iter().any(|hook| !hook.names_client) {
        let says = format!("{path} has hooks that do not name the client, so they record nothing.");
        Check::failed("hooks", says, again)
    } else if let Some(other) = other {
        Check::attention("hooks", format!("{path} calls another one: {}.", env.show(&other)), again)
    } else if right < wanted.len() || hooks.len() > wanted.len() {
        let says = format!("{path} has {right} of {} hooks as this version wants them.", wanted.len());
        Check::attention("hooks", says, again)
    } else {
        Check::ok("hooks", format!("{} hooks in {path}.", wanted.len()))
    })
}

/// The installed skill and command; the hooks work without them.
fn skill(client: &Client, scope: Scope, env: &Env) -> Option<Check> {
    let (files, data_dir) = (laid::files_of(client, scope, env).ok()?, env.data_dir.as_deref()?);
    let plans: Vec<_> = files.iter().filter_map(|file| file.install(data_dir).ok()).collect();
    let named = |wanted: fn(&LaidPlan) -> bool| {
        let paths: Vec<&str> = plans.iter().filter(|plan| wanted(plan)).map(LaidPlan::shown).collect();
        paths.join(" and ")
    };
    let (due, kept) = (named(|plan| !plan.is_nothing()), named(|plan| plan.kept));
    Some(if plans.is_empty() {
        return None;
    } else if !due.is_empty() {
        let says = format!("{due}: missing, or from an older version.");
        Check::attention("skill", says, format!("Run `{}`.", with_scope("init", scope)))
    } else if !kept.is_empty() {
        Check::ok("skill", format!("{kept}: changed by you, and left as it is."))
    } else {
        Check::ok("skill", format!("The agent's skill is {}.", plans[0].shown()))
    })
}

/// The program that a handler's command runs.
fn reached(command: &str, env: &Env) -> Option<PathBuf> {
    let path = Path::new(command);
    if path.is_absolute() {
        is_program(path).then(|| path.to_owned())
    } else {
        on_path(command, &env.path, None)
    }
}

fn is_this(program: &Path, env: &Env) -> bool {
    env.exe.as_deref().is_some_and(|exe| same_file(program, exe))
}

fn plugin(survey: &Survey) -> Option<Check> {
    let (plugin, setup) = survey.plugin.as_ref().zip(survey.client.setup.plugin.as_ref())?;
    Some(match (&plugin.version, plugin.enabled) {
        (Some(version), true) => Check::ok("plugin", format!("{} {version} is enabled.", plugin.id)),
        // The client keeps no list of what it has fetched.
        (None, true) if setup.installed.is_none() => {
            Check::ok("plugin", format!("{} is enabled.", plugin.id))
        }
        (None, true) => Check::attention(
            "plugin",
            format!("{} is enabled but not installed.", plugin.id),
            format!("Run `{} {}`.", setup.install, plugin.id),
        ),
        (_, false) => Check::ok("plugin", format!("{} is disabled.", plugin.id)),
    })
}

/// Something calls us, and not twice.
fn calls(survey: &Survey) -> Option<Check> {
    let mut commands: Vec<&str> = Vec::new();
    let mut scopes = Vec::new();
    for (seen, hooks) in survey.calling() {
        // The client runs an identical command once, however many files contain it.
        if let Some(hook) = hooks.iter().find(|hook| !commands.contains(&hook.command.as_str())) {
            commands.push(&hook.command);
            scopes.push(seen.scope);
        }
    }
    let plugin = survey.active_plugin();
    match (plugin, scopes.as_slice()) {
        (None, []) => Some(Check::failed(
            "hooks",
            format!("No catchword hooks are installed for {}.", survey.client.phrases.name),
            "Run `catchword init`.",
        )),
        (Some(_), [first, ..]) => Some(Check::attention(
            "hooks",
            "The plugin and the settings both call it: every hook runs twice.",
            format!("Run `{}`.", with_scope("remove", *first)),
        )),
        (None, [.., _, last]) => Some(Check::attention(
            "hooks",
            "Two settings files call it in different ways: every hook runs twice.",
            format!("Run `{}`.", with_scope("remove", *last)),
        )),
        _ => None,
    }
}

/// Our status line, if any file has it; the client shows the one of the last file that has any.
fn status_line(survey: &Survey, env: &Env) -> Option<Check> {
    let exe = env.exe.as_deref().map(|exe| exe.display().to_string()).unwrap_or_default();
    let lines: Vec<(&SettingsSeen, Option<OwnCall>)> = survey.status_lines(&exe).collect();
    let (ours, call) = lines.iter().rev().find_map(|(seen, ours)| Some((*seen, (*ours)?)))?;
    let (shown, _) = lines.last()?;
    let path = env.show(&ours.path);
    let again = format!("Run `{} --statusline`.", with_scope("init", ours.scope));
    Some(if shown.path != ours.path {
        let says = format!(
            "{} has another status line, which is shown instead of the one in {path}.",
            env.show(&shown.path)
        );
        Check::attention("statusline", says, "Remove one of the two, or leave both.")
    } else if reached(call.program, env).is_none() {
        Check::failed("statusline", format!("{path} calls {}, which is not there.", call.program), again)
    } else if !call.names_client {
        let says = format!("{path}: the status line does not name the client, so it shows nothing.");
        Check::failed("statusline", says, again)
    } else {
        Check::ok("statusline", format!("In {path}."))
    })
}

/// The agent's tools: in the user's list of servers or the project's. A plugin brings its own.
fn tools(survey: &Survey, env: &Env) -> Option<Check> {
    let servers = survey.client.setup.servers.as_ref()?;
    let exe = env.exe.as_deref().map(|exe| exe.display().to_string()).unwrap_or_default();
    let lists = state_file(survey.client, env).into_iter().chain([env.cwd.join(servers.project_file)]);
    let found = lists
        .map(|path| (stands(survey.client, &path, &exe), path))
        .find(|(stands, _)| *stands != Stands::Nothing);
    match found {
        Some((Stands::Ours(program), path)) if reached(&program, env).is_none() => Some(Check::attention(
            "tools",
            format!("{} runs {program}, which is not there.", env.show(&path)),
            "Run `catchword init`.",
        )),
        Some((Stands::Ours(_), path)) => {
            Some(Check::ok("tools", format!("{} has the agent's tools.", env.show(&path))))
        }
        Some((_, path)) => Some(Check::attention(
            "tools",
            format!("{} has another server named catchword.", env.show(&path)),
            format!(
                "Rename it and run `catchword init`, or leave it (`{} mcp list` shows it).",
                survey.client.setup.program
            ),
        )),
        None if survey.active_plugin().is_none() && survey.calling().next().is_some() => {
            Some(Check::ok("tools", "The agent has none; `catchword init` registers them."))
        }
        None => None,
    }
}

fn switches(survey: &Survey, env: &Env) -> Vec<Check> {
    let one = |(path, setting): (&Path, &str)| {
        let says = format!("\"{setting}\" in {} switches the hooks off.", env.show(path));
        let managed = survey.managed.iter().any(|(managed, _)| managed == path);
        let todo = if managed { "Ask who administers this machine." } else { "Remove that setting." };
        Check::failed("switch", says, todo)
    };
    survey.switched_off().into_iter().map(one).collect()
}

/// Interactive sessions run no hooks in a folder that the user has not trusted.
fn trust(client: &Client, env: &Env) -> Option<Check> {
    let setup = &client.setup;
    let trust = setup.trust.as_ref()?;
    let state = json(&state_file(client, env)?)?;
    let cwd = env.cwd.canonicalize().unwrap_or_else(|_| env.cwd.clone());
    // The client accepts a trusted parent folder, but only within the repository.
    let trusted = |folder: &Path| (trust.is_given)(&state, &folder.display().to_string());
    let repository = crate::app::host::work_tree(&cwd);
    let inside = |folder: &&Path| repository.is_none_or(|root| folder.starts_with(root));
    if cwd.ancestors().take_while(inside).any(trusted) {
        return Some(Check::ok("trust", format!("{} is trusted.", env.show(&cwd))));
    }
    Some(Check::attention(
        "trust",
        format!("{} is not trusted yet: interactive sessions here run no hooks.", env.show(&cwd)),
        format!(
            "Start `{}` here and answer its question (`{}` needs no trust).",
            setup.program, trust.without
        ),
    ))
}

/// A client's background process keeps the environment of the terminal that started it: hooks may record elsewhere.
fn server_environment(client: &Client, env: &Env) -> Option<Check> {
    let pid = json(&env.config_dir(client)?.join(client.setup.server_file?))?.get("pid")?.as_u64()?;
    let theirs = process_data_dir(&std::fs::read(format!("/proc/{pid}/environ")).ok()?)?;
    let (name, ours) = (client.phrases.name, env.data_dir.as_deref()?);
    if theirs == ours {
        return None;
    }
    let says = format!(
        "{name}'s background process ({pid}) has another environment: its hooks record into {}, not {}.",
        env.show(&theirs),
        env.show(ours)
    );
    Some(Check::attention(
        "server",
        says,
        format!("Leave all sessions of {name}, end process {pid}, and start it again."),
    ))
}

/// The data directory that a process with this environment uses.
fn process_data_dir(environ: &[u8]) -> Option<PathBuf> {
    let variables: Vec<&str> =
        environ.split(|b| *b == 0).filter_map(|v| std::str::from_utf8(v).ok()).collect();
    let of = |name: &str| {
        let value = variables.iter().find_map(|variable| variable.strip_prefix(name)?.strip_prefix('='));
        value.filter(|value| !value.is_empty()).map(PathBuf::from)
    };
    let usual =
        || Some(of("XDG_DATA_HOME").or_else(|| Some(of("HOME")?.join(".local/share")))?.join(OUR_NAME));
    of("CATCHWORD_HOME").or_else(usual)
}

/// Clients that run only approved hooks skip the others in silence.
fn approvals(survey: &Survey, env: &Env) -> Vec<Check> {
    let client = survey.client;
    let Some(approval) = &client.setup.approval else { return Vec::new() };
    let exe = env.exe.as_deref().and_then(Path::to_str).unwrap_or_default();
    let config = survey::config(client, env);
    let of_settings = survey.calling().map(|(seen, _)| {
        let file = seen.path.to_string_lossy();
        let states = seen.handlers(client, exe).into_iter().map(|handler| {
            let PlacedHandler { event, group, index, handler } = handler;
            (
                event.to_owned(),
                (approval.state)(&config, &HookPlace { file: &file, event, group, index }, handler),
            )
        });
        approved(client, approval, &env.show(&seen.path), &states.collect::<Vec<_>>())
    });
    let of_plugin = survey.active_plugin().map(|id| {
        let file = format!("{id}:{}", approval.plugin_hooks);
        let states = client.setup.hooks.events.iter().map(|hook| {
            let place = HookPlace { file: &file, event: hook.event, group: 0, index: 0 };
            let handler =
                serde_json::to_value(client.setup.hooks.handler(hook, OUR_NAME)).unwrap_or_default();
            (hook.event.to_owned(), (approval.state)(&config, &place, &handler))
        });
        approved(client, approval, &format!("the plugin {id}"), &states.collect::<Vec<_>>())
    });
    of_settings.chain(of_plugin).collect()
}

/// What the user has approved of the hooks in one place.
fn approved(client: &Client, approval: &Approval, place: &str, states: &[(String, HookState)]) -> Check {
    let name = client.phrases.name;
    let events = |wanted: HookState| {
        let found = states.iter().filter(|(_, state)| *state == wanted).map(|(event, _)| event.as_str());
        found.collect::<Vec<_>>().join(", ")
    };
    let off = events(HookState::Off);
    let modified = events(HookState::Modified);
    let unapproved = events(HookState::Unapproved);
    if !off.is_empty() {
        let says = format!("Hooks in {place} are switched off: {off}.");
        Check::failed("approval", says, format!("Switch them on in {name} with `/hooks`."))
    } else if !modified.is_empty() {
        let says = format!("{name} skips hooks in {place} that differ from what was approved: {modified}.");
        Check::failed("approval", says, approval.how)
    } else if !unapproved.is_empty() {
        let says = format!("{name} skips hooks in {place} that nobody has approved: {unapproved}.");
        Check::failed("approval", says, approval.how)
    } else {
        Check::ok("approval", format!("All hooks in {place} are approved."))
    }
}

/// Our section in the files of instructions that apply here; where there is none, nothing is missing.
fn instructions(client: &Client, env: &Env) -> Vec<Check> {
    let scopes = [Scope::User, Scope::Project, Scope::Local];
    let mut seen = Vec::new();
    scopes.into_iter().filter_map(|scope| instructions_of(client, scope, env, &mut seen)).collect()
}

fn instructions_of(client: &Client, scope: Scope, env: &Env, seen: &mut Vec<PathBuf>) -> Option<Check> {
    let path = super::instructions_path(client, scope, env).ok().filter(|path| !seen.contains(path))?;
    let text = files::read_text(&path).ok()?;
    let shown = env.show(&path);
    seen.push(path);
    match section::find(&text) {
        Ok(found) => found.map(|_| Check::ok("summary", format!("Compact instructions are in {shown}."))),
        Err(marks) => Some(Check::attention(
            "summary",
            format!("{shown}: {marks}."),
            format!("Fix the marks, then run `{}`.", with_scope("init --instructions", scope)),
        )),
    }
}

fn data(env: &Env) -> Check {
    let Some(dir) = &env.data_dir else {
        return Check::failed("data", "No data directory.", "Set HOME or CATCHWORD_HOME.");
    };
    let shown = env.show(dir);
    let existing = dir.ancestors().find(|folder| folder.exists()).unwrap_or(dir);
    match tempfile::tempfile_in(existing) {
        Err(e) => Check::failed(
            "data",
            format!("{shown} cannot be written ({e})."),
            format!("Make {} writable, or set CATCHWORD_HOME to another folder.", env.show(existing)),
        ),
        Ok(_) if existing != dir => Check::ok("data", format!("{shown} will be created when needed.")),
        Ok(_) if readable_by_others(dir) => Check::attention(
            "data",
            format!("{shown} can be read by others on this machine."),
            format!("Run `chmod 700 {shown}`."),
        ),
        Ok(_) => Check::ok("data", format!("{shown} can be written.")),
    }
}

#[cfg(unix)]
fn readable_by_others(dir: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    dir.metadata().is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn readable_by_others(_dir: &Path) -> bool {
    false
}
