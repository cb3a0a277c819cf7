//! `catchword doctor`: what is installed, whether it works, and what to do.

use std::path::Path;

use std::time::Duration;

use catchword_engine::store::{HookRun, Store};
use serde::Serialize;

use crate::config::Config;
use crate::env::Env;
use crate::exit::Exit;
use crate::install::Survey;
use crate::install::checks::{self, Check, State};
use crate::ui::{self, Ui};

/// Hook runs that are looked at.
const RUNS: u32 = 200;
/// How long to wait for a hook that is writing.
const PATIENCE: Duration = Duration::from_secs(2);

/// Check that catchword is installed, called and able to write
#[derive(clap::Args)]
pub struct Args {
    /// Print the checks as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the checks and prints them.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let mut checks = checks::run(&Survey::take(env), env);
    checks.extend(settings(env));
    checks.extend(env.data_dir.as_deref().map(hook_health));
    if args.json {
        ui.line(serde_json::to_string_pretty(&view(&checks, env))?);
    } else {
        print(&checks, env, ui);
    }
    let failed = checks.iter().any(|check| check.state == State::Failed);
    Ok(if failed { Exit::Attention } else { Exit::Ok })
}

/// What is wrong with the settings; nothing to say when nothing is.
fn settings(env: &Env) -> Option<Check> {
    let (config, problems) = Config::load(env);
    let todo = format!(
        "Mend it in config.toml or the environment; until then a brief has {} characters.",
        config.budget
    );
    (!problems.is_empty()).then(|| Check::attention("settings", format!("{}.", problems.join("; ")), todo))
}

/// How the latest hooks went, and whether the store is sound.
fn hook_health(data_dir: &Path) -> Check {
    let store = match Store::open_existing(data_dir, PATIENCE) {
        Ok(Some(store)) => store,
        Ok(None) => return Check::ok("record", "No record yet: no hook has run."),
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

fn of_newer(store: &Store) -> Check {
    let (found, known) = store.newer().ok().flatten().unwrap_or_default();
    let todo = "Two versions may share it. Update this one, so that it knows all that is there.";
    Check::attention("record", format!("{}.", crate::hook::newer(found, known)), todo)
}

fn damaged(words: &str) -> Check {
    let todo = "The next hook sets a damaged store aside and rebuilds it from the transcripts; notes stay in the old one.";
    Check::failed("record", format!("The store cannot be read: {words}."), todo)
}

fn of_runs(runs: &[HookRun], data_dir: &Path) -> Check {
    let Some(latest) = runs.first() else { return Check::ok("record", "No record yet: no hook has run.") };
    let mut micros: Vec<i64> = runs.iter().map(|run| run.micros).collect();
    micros.sort_unstable();
    let (median, slowest) = (micros[micros.len() / 2], micros[micros.len() - 1]);
    let when = jiff::Timestamp::from_millisecond(latest.at).unwrap_or_default();
    let says = format!(
        "The latest hook, {}, ran at {when:.0}. The last {} took {} in the middle and {} at most.",
        latest.event,
        runs.len(),
        milliseconds(median),
        milliseconds(slowest),
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
            format!("The client was not disturbed. All of it is in {}.", data_dir.join("hook.log").display()),
        ),
    }
}

fn milliseconds(micros: i64) -> String {
    format!("{:.1} ms", micros as f64 / 1_000.0)
}

fn print(checks: &[Check], env: &Env, ui: &Ui) {
    const STATE: usize = 9;
    let id = checks.iter().map(|check| check.id.len() + 2).max().unwrap_or(0).max(9);
    let indent = 2 + STATE + 2 + id;
    let exe = env.exe.as_deref().map(|exe| format!(", {}", env.show(exe))).unwrap_or_default();
    ui.line(ui.bold(&format!("catchword {}{exe}", env!("CARGO_PKG_VERSION"))));
    for check in checks {
        let head = format!("  {:<STATE$}  {:<id$}", check.state.name(), check.id);
        let head = if check.state == State::Ok { ui.dim(&head) } else { ui.bold(&head) };
        let todo = check.todo.iter().flat_map(|todo| ui::wrap(&format!("→ {todo}"), ui.width() - indent));
        let lines: Vec<String> = ui::wrap(&check.says, ui.width() - indent).into_iter().chain(todo).collect();
        ui.line(format!("{head}{}", lines.join(&format!("\n{:indent$}", ""))));
    }
    ui.line(verdict(checks));
}

fn verdict(checks: &[Check]) -> String {
    let count = |state| checks.iter().filter(|check| check.state == state).count();
    match (count(State::Failed), count(State::Attention)) {
        (0, 0) => "All is well.".to_owned(),
        (0, look) => format!("It works; {look} to look at."),
        (failed, 0) => format!("It does not work: {failed} failed."),
        (failed, look) => format!("It does not work: {failed} failed, {look} more to look at."),
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
        ok: checks.iter().all(|check| check.state != State::Failed),
        checks: checks.iter().map(check).collect(),
    }
}
