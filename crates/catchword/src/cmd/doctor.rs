//! `catchword doctor`: checks what is installed and whether it works, and says what to do.

use std::path::{Path, PathBuf};

use catchword_engine::clients::{CLIENTS, Client};
use catchword_engine::ops::read::doctor::{self, DoctorDocument};
use catchword_engine::store::SET_ASIDE;
use catchword_engine::text::numbers::count_of;

use crate::app::archive::SyncLag;
use crate::app::config;
use crate::app::env::Env;
use crate::app::sessions::LOCK_WAIT;
use crate::install::checks::{self, Check, CheckResult};
use crate::install::{Survey, is_installed};
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::wrap;

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
    if let Some(data) = env.data_dir.as_deref() {
        checks.extend(doctor::of_databases(data, LOCK_WAIT, &silent(env)));
    }
    checks.extend(env.data_dir.as_deref().and_then(|folder| set_aside(folder, env)));
    checks.extend(SyncLag::look(env).map(|lag| shared_archive(&lag, env)));
    let document = DoctorDocument {
        version: env!("CARGO_PKG_VERSION"),
        program: env.exe.as_deref().map(|exe| exe.display().to_string()),
        ok: checks.iter().all(|check| check.state != CheckResult::Failed),
        checks,
    };
    if args.json {
        ui.line(serde_json::to_string_pretty(&document)?);
    } else {
        print(&document.checks, env, ui);
    }
    Ok(if document.ok { Exit::Ok } else { Exit::Attention })
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

/// The clients that call us and would skip hooks in silence: they need an approval.
fn silent(env: &Env) -> Vec<&'static Client> {
    let called =
        |client: &&'static Client| client.setup.approval.is_some() && Survey::take(client, env).is_called();
    CLIENTS.iter().copied().filter(called).collect()
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

/// How far behind the shared archive is, and why.
fn shared_archive(lag: &SyncLag, env: &Env) -> Check {
    let says = lag.in_words(env.now());
    if lag.state.failed_at.is_some() {
        return Check::attention("archive", says, "`catchword sync` tries again and says what is wrong.");
    }
    Check::ok("archive", says)
}

fn print(checks: &[Check], env: &Env, ui: &Ui) {
    const STATE: usize = 9;
    let id = checks.iter().map(|check| check.id.len() + 2).max().unwrap_or(0).max(9);
    let indent = 2 + STATE + 2 + id;
    let exe = env.exe.as_deref().map(|exe| format!(", {}", env.show(exe))).unwrap_or_default();
    ui.line(ui.bold(&format!("catchword {}{exe}", env!("CARGO_PKG_VERSION"))));
    for check in checks {
        let state = format!("{:<STATE$}", check.state.name());
        let head = match check.state {
            CheckResult::Ok => format!("  {}{}", ui.green(&state), ui.dim(&format!("  {:<id$}", check.id))),
            CheckResult::Attention => ui.bold(&format!("  {state}  {:<id$}", check.id)),
            CheckResult::Failed => {
                format!("  {}{}", ui.red(&state), ui.bold(&format!("  {:<id$}", check.id)))
            }
        };
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
