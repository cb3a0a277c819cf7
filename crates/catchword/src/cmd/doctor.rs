//! `catchword doctor`: checks what is installed and whether it works, and says what to do.

use std::path::{Path, PathBuf};

use std::time::Duration;

use catchword_engine::archive::history::History;
use catchword_engine::clients::{CLIENTS, Client};
use catchword_engine::store::{HookRun, SET_ASIDE, Store};
use catchword_engine::text::numbers::{count_of, duration};
use serde::Serialize;

use crate::app::config;
use crate::app::env::Env;
use crate::app::sessions::newer_schema;
use crate::install::checks::{self, Check, CheckResult};
use crate::install::{Survey, is_installed};
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::wrap;

/// Hook runs that are checked.
const RUNS: u32 = 200;
/// How long to wait for a hook that is writing.
const LOCK_WAIT: Duration = Duration::from_secs(2);

/// Check the setup, and say what to fix
#[derive(clap::Args)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let mut checks = clients(env);
    checks.extend(settings(env));
    checks.extend(env.data_dir.as_deref().map(hook_health));
    checks.extend(latest_calls(env));
    checks.extend(strangers(env));
    checks.extend(env.data_dir.as_deref().and_then(history_health));
    checks.extend(env.data_dir.as_deref().and_then(|folder| set_aside(folder, env)));
    if args.json {
        ui.line(serde_json::to_string_pretty(&view(&checks, env))?);
    } else {
        print(&checks, env, ui);
    }
    let failed = checks.iter().any(|check| check.state == CheckResult::Failed);
    Ok(if failed { Exit::Attention } else { Exit::Ok })
}

/// The checks of every client that calls us; where none does, of those that are installed.
fn clients(env: &Env) -> Vec<Check> {
    let surveys: Vec<Survey> = CLIENTS.iter().map(|client| Survey::take(client, env)).collect();
    let (called, others): (Vec<&Survey>, Vec<&Survey>) =
        surveys.iter().partition(|survey| survey.is_called());
    let installed: Vec<&Survey> =
        others.into_iter().filter(|survey| is_installed(survey.client, env)).collect();
    let offer = |survey: &&Survey| {
        let (name, agent) = (survey.client.phrases.name, survey.client.name);
        let says = format!(
            "{name} is installed but does not call catchword; `catchword init --agent {agent}` sets it up."
        );
        Check::ok("client", says)
    };
    match (called.as_slice(), installed.as_slice()) {
        ([], []) => checks::run(&surveys[0], env),
        ([], installed) => installed.iter().flat_map(|survey| checks::run(survey, env)).collect(),
        (called, installed) => called
            .iter()
            .flat_map(|survey| checks::run(survey, env))
            .chain(installed.iter().map(offer))
            .collect(),
    }
}

/// What is wrong with the settings; nothing to say when nothing is.
fn settings(env: &Env) -> Option<Check> {
    let problems = config::problems(env);
    let todo = "Fix it with `catchword config edit`, or in the environment; until then the default holds.";
    (!problems.is_empty()).then(|| Check::attention("settings", format!("{}.", problems.join("; ")), todo))
}

/// The results of the latest hooks, and the integrity of the store.
fn hook_health(data_dir: &Path) -> Check {
    let store = match Store::open_existing(data_dir, LOCK_WAIT) {
        Ok(Some(store)) => store,
        Ok(None) => return Check::ok("record", "Nothing yet: no hook has run."),
        Err(error) => return damaged(&error.to_string()),
    };
    match store.check().and_then(|words| Ok((words, store.runs(RUNS)?))) {
        Ok((words, _)) if words == "ok" && store.newer().is_ok_and(|newer| newer.is_some()) => {
            of_newer(&store)
        }
        Ok((words, runs)) if words == "ok" => of_runs(&runs, data_dir),
        Ok((words, _)) => damaged(&words),
        Err(error) => damaged(&error.to_string()),
    }
}

/// When each client that needs an approval has last called: it would skip hooks in silence.
fn latest_calls(env: &Env) -> Vec<Check> {
    let store =
        env.data_dir.as_deref().and_then(|folder| Store::open_existing(folder, LOCK_WAIT).ok().flatten());
    let sessions = store.and_then(|store| store.sessions().ok()).unwrap_or_default();
    let silent = CLIENTS.iter().filter(|client| client.setup.approval.is_some());
    let called = silent.filter(|client| Survey::take(client, env).is_called());
    let check = |client: &&Client| {
        let name = client.phrases.name;
        let latest = sessions.iter().filter(|session| session.client == client.name).map(|s| s.last_at).max();
        let when = latest.and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
        Check::ok(
            "calls",
            match when {
                Some(when) => format!("{name} last called at {when:.0}."),
                None => format!("{name} has not called yet."),
            },
        )
    };
    called.map(check).collect()
}

/// Programs that are not supported and call with a client's settings.
fn strangers(env: &Env) -> Vec<Check> {
    let store =
        env.data_dir.as_deref().and_then(|folder| Store::open_existing(folder, LOCK_WAIT).ok().flatten());
    let called = store.and_then(|store| store.strangers().ok()).unwrap_or_default();
    let check = |(caller, calls, at): (&str, u64, i64)| {
        let when = jiff::Timestamp::from_millisecond(at).map(|at| format!(", the last at {at:.0}"));
        let says = format!(
            "{} of {caller}{}: it reads the settings of a supported client. It gets no answer, and nothing of it is recorded.",
            count_of(calls as usize, "call"),
            when.unwrap_or_default()
        );
        Check::ok("calls", says)
    };
    called.into_iter().map(check).collect()
}

/// Whether the history is sound; nothing to say where there is none, or where it is.
fn history_health(data_dir: &Path) -> Option<Check> {
    let checked = History::open_existing(data_dir, LOCK_WAIT)
        .and_then(|history| history.as_ref().map(History::check).transpose());
    let words = match checked {
        Ok(None) => return None,
        Ok(Some(words)) if words == "ok" => return None,
        Ok(Some(words)) => words,
        Err(error) => error.to_string(),
    };
    let todo = "`catchword index` sets the file aside and rebuilds it from the transcripts.";
    Some(Check::failed("history", format!("The history cannot be read: {words}."), todo))
}

fn of_newer(store: &Store) -> Check {
    let (found, known) = store.newer().ok().flatten().unwrap_or_default();
    let todo = "Two versions may share it. Update this one.";
    Check::attention("record", format!("{}.", newer_schema(found, known)), todo)
}

fn damaged(words: &str) -> Check {
    let todo =
        "The next hook sets the file aside and rebuilds it from the transcripts; notes stay in the old one.";
    Check::failed("record", format!("The store cannot be read: {words}."), todo)
}

/// Databases that were replaced. They stay, because notes are not in any transcript.
fn set_aside(data_dir: &Path, env: &Env) -> Option<Check> {
    let files = std::fs::read_dir(data_dir).ok()?.flatten().map(|entry| entry.path());
    let is_database = |path: &PathBuf| {
        let name = path.to_string_lossy();
        name.contains(SET_ASIDE) && !name.ends_with("-wal") && !name.ends_with("-shm")
    };
    let mut kept: Vec<String> = files.filter(is_database).map(|path| env.show(&path)).collect();
    kept.sort_unstable();
    let says = format!(
        "Replaced by new ones and kept: {}. Delete them if none of your notes is missing.",
        kept.join(", ")
    );
    (!kept.is_empty()).then(|| Check::ok("old databases", says))
}

fn of_runs(runs: &[HookRun], data_dir: &Path) -> Check {
    let Some(latest) = runs.first() else {
        return Check::ok("record", "Nothing yet: no hook has run.");
    };
    let mut micros: Vec<i64> = runs.iter().map(|run| run.micros).collect();
    micros.sort_unstable();
    let (median, slowest) = (micros[micros.len() / 2], micros[micros.len() - 1]);
    let when = jiff::Timestamp::from_millisecond(latest.at).unwrap_or_default();
    let says = format!(
        "The latest hook, {}, ran at {when:.0}. The last {} took {} (median), {} at most.",
        latest.event,
        runs.len(),
        duration(median),
        duration(slowest),
    );
    let failed: Vec<&HookRun> = runs.iter().filter(|run| run.problem.is_some()).collect();
    match failed.first() {
        None => Check::ok("record", says),
        Some(run) => Check::attention(
            "record",
            format!(
                "{says} {} had a problem, the latest: {}.",
                failed.len(),
                run.problem.as_deref().unwrap_or_default()
            ),
            format!("The client was not affected. Details are in {}.", data_dir.join("hook.log").display()),
        ),
    }
}

fn print(checks: &[Check], env: &Env, ui: &Ui) {
    const STATE: usize = 9;
    let id = checks.iter().map(|check| check.id.len() + 2).max().unwrap_or(0).max(9);
    let indent = 2 + STATE + 2 + id;
    let exe = env.exe.as_deref().map(|exe| format!(", {}", env.show(exe))).unwrap_or_default();
    ui.line(ui.bold(&format!("catchword {}{exe}", env!("CARGO_PKG_VERSION"))));
    for check in checks {
        let head = format!("  {:<STATE$}  {:<id$}", check.state.name(), check.id);
        let head = if check.state == CheckResult::Ok { ui.dim(&head) } else { ui.bold(&head) };
        let todo = check.todo.iter().flat_map(|todo| wrap(&format!("→ {todo}"), ui.width() - indent));
        let lines: Vec<String> = wrap(&check.says, ui.width() - indent).into_iter().chain(todo).collect();
        ui.line(format!("{head}{}", lines.join(&format!("\n{:indent$}", ""))));
    }
    ui.line(verdict(checks));
}

fn verdict(checks: &[Check]) -> String {
    let count = |state| checks.iter().filter(|check| check.state == state).count();
    match (count(CheckResult::Failed), count(CheckResult::Attention)) {
        (0, 0) => "All is well.".to_owned(),
        (0, warnings) if checks.iter().any(|c| c.id == "client" && c.state == CheckResult::Attention) => {
            format!("Set up, but the client was not found: {}.", count_of(warnings, "warning"))
        }
        (0, warnings) => format!("Working, {}.", count_of(warnings, "warning")),
        (failed, 0) => format!("Not working: {}.", count_of(failed, "failed check")),
        (failed, warnings) => {
            format!("Not working: {}, {}.", count_of(failed, "failed check"), count_of(warnings, "warning"))
        }
    }
}

#[derive(Serialize)]
struct DoctorView<'a> {
    version: &'static str,
    program: Option<String>,
    ok: bool,
    checks: Vec<CheckView<'a>>,
}

#[derive(Serialize)]
struct CheckView<'a> {
    id: &'a str,
    state: &'static str,
    says: &'a str,
    todo: Option<&'a str>,
}

fn view<'a>(checks: &'a [Check], env: &Env) -> DoctorView<'a> {
    let check = |check: &'a Check| CheckView {
        id: check.id,
        state: check.state.name(),
        says: &check.says,
        todo: check.todo.as_deref(),
    };
    DoctorView {
        version: env!("CARGO_PKG_VERSION"),
        program: env.exe.as_deref().map(|exe| exe.display().to_string()),
        ok: checks.iter().all(|check| check.state != CheckResult::Failed),
        checks: checks.iter().map(check).collect(),
    }
}
