//! `catchword doctor`: what is installed, whether it works, and what to do.

use std::path::Path;

use serde::Serialize;

use crate::env::Env;
use crate::exit::Exit;
use crate::install::Survey;
use crate::install::checks::{self, Check, State};
use crate::ui::{self, Ui};

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
    checks.extend(env.data_dir.as_deref().map(hook_health));
    if args.json {
        ui.line(serde_json::to_string_pretty(&view(&checks, env))?);
    } else {
        print(&checks, env, ui);
    }
    let failed = checks.iter().any(|check| check.state == State::Failed);
    Ok(if failed { Exit::Attention } else { Exit::Ok })
}

/// How the last hooks went.
// TO FILL IN: from the store and the log in `data_dir`: when the last hooks ran, what they took, whether any
// failed, whether the store is sound.
fn hook_health(_data_dir: &Path) -> Check {
    Check::ok("record", "No record yet.")
}

fn print(checks: &[Check], env: &Env, ui: &Ui) {
    const INDENT: usize = 22;
    let exe = env.exe.as_deref().map(|exe| format!(", {}", env.show(exe))).unwrap_or_default();
    ui.line(ui.bold(&format!("catchword {}{exe}", env!("CARGO_PKG_VERSION"))));
    for check in checks {
        let head = format!("  {:<9}  {:<9}", check.state.name(), check.id);
        let head = if check.state == State::Ok { ui.dim(&head) } else { ui.bold(&head) };
        let todo = check.todo.iter().flat_map(|todo| ui::wrap(&format!("→ {todo}"), ui.width() - INDENT));
        let lines: Vec<String> = ui::wrap(&check.says, ui.width() - INDENT).into_iter().chain(todo).collect();
        ui.line(format!("{head}{}", lines.join(&format!("\n{:INDENT$}", ""))));
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
