//! `catchword tasks`: open tasks, finished ones, and what was done for those long finished.

use catchword_engine::facts::cold_tasks::{self, TaskSummary};
use catchword_engine::model::entry::TaskStatus;
use catchword_engine::session::Session;
use catchword_engine::session::one_line;
use serde::Serialize;

use super::target::{FoundSession, Which};
use crate::app::config::Config;
use crate::app::env::Env;
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::wrap;

/// List a session's tasks: open, finished, and cold ones with what was done for them
///
/// A task is cold when it was finished and nobody spoke of it for 20 turns of the agent. Near a compaction cold tasks
/// are summarised from the record and handed to the summariser. A request that was answered and left behind counts as
/// a task where the agent used no task list for it. --json prints the summaries of the cold ones.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// Print the summaries of cold tasks as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let found = args.which.resolve(env, ui)?;
    let cold = all_cold(&found, Config::load(env).0.cold.turns);
    if args.json {
        let views: Vec<TaskView> = cold.iter().map(|(task, at)| view(&found.id, task, *at)).collect();
        ui.line(serde_json::to_string_pretty(&views)?);
        return Ok(Exit::Ok);
    }
    let session = &found.session;
    let finished: Vec<_> = cold_tasks::finished(session)
        .into_iter()
        .filter(|span| !cold.iter().any(|(task, _)| task.task == span.id))
        .collect();
    let open = session.tasks.open();
    if open.is_empty() && finished.is_empty() && cold.is_empty() {
        ui.say("No task was begun or finished, and no request left behind, in this session.");
        return Ok(Exit::Ok);
    }
    let entry = |text: &str| item(text, ui);
    if !open.is_empty() {
        ui.line(ui.bold(&format!("Open: {}", open.len())));
    }
    for task in open {
        let mark = if task.status == TaskStatus::InProgress { "in progress" } else { "pending" };
        let number = task.id.as_deref().map(|id| format!("#{id} ")).unwrap_or_default();
        entry(&format!("[{mark}] {number}{} {}", one_line(&task.subject, 200), task.place));
    }
    if !finished.is_empty() {
        ui.line(ui.bold(&format!("Finished: {}", finished.len())));
    }
    for span in finished {
        let end = span.end.map(|end| format!("turns {}–{}", span.start.turn, end.turn)).unwrap_or_default();
        let evidence = span.done.evidence();
        let evidence = if evidence.is_empty() { String::new() } else { format!(", {evidence}") };
        let subject = one_line(cold_tasks::subject(session, span), 200);
        entry(&format!("{} {subject} ({end}{evidence})", name(&span.id)));
    }
    if !cold.is_empty() {
        ui.line(ui.bold(&format!("Cold: {}", cold.len())));
    }
    for (task, _) in &cold {
        show(task, ui);
    }
    Ok(Exit::Ok)
}

/// Tasks that were summarised when they became cold, and those that are cold now.
fn all_cold(found: &FoundSession, turns: u32) -> Vec<(TaskSummary, i64)> {
    let mut all = found.cold.clone();
    let now = found.session.time.unwrap_or_default();
    for task in cold_tasks::cold(&found.session, turns) {
        if !all.iter().any(|(known, _)| known.task == task.task) {
            all.push((task, now));
        }
    }
    all.retain(|(task, _)| !is_open_again(&found.session, task));
    all.sort_by_key(|(task, _)| (task.end_turn, task.start_turn));
    all
}

fn is_open_again(session: &Session, task: &TaskSummary) -> bool {
    session.spans.open().any(|span| span.id == task.task)
}

fn name(id: &str) -> String {
    if id.starts_with('L') { id.to_owned() } else { format!("#{id}") }
}

fn item(text: &str, ui: &Ui) {
    for (n, line) in wrap(text, ui.width().saturating_sub(4)).iter().enumerate() {
        ui.line(format!("{}{line}", if n == 0 { "- " } else { "  " }));
    }
}

fn show(task: &TaskSummary, ui: &Ui) {
    item(&format!("{} {} (turns {}–{})", name(&task.task), task.subject, task.start_turn, task.end_turn), ui);
    let lists = [
        ("files", &task.files_modified),
        ("ran", &task.commands_run),
        ("outcome", &task.key_outcomes),
        ("resolved", &task.errors_resolved),
    ];
    for (title, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        let separator = if title == "files" { ", " } else { "; " };
        let words = list.iter().map(|one| one_line(one, 160)).collect::<Vec<_>>().join(separator);
        for (n, line) in wrap(&words, ui.width().saturating_sub(14)).iter().enumerate() {
            let title = if n == 0 { title } else { "" };
            ui.line(format!("    {}{line}", ui.dim(&format!("{title:<10}"))));
        }
    }
}

#[derive(Serialize)]
struct TaskView<'a> {
    session_id: &'a str,
    task_id: &'a str,
    subject: &'a str,
    start_turn: u32,
    end_turn: u32,
    compressed_at: i64,
    files_modified: &'a [String],
    commands_run: &'a [String],
    key_outcomes: &'a [String],
    errors_resolved: &'a [String],
}

fn view<'a>(session: &'a str, task: &'a TaskSummary, at: i64) -> TaskView<'a> {
    TaskView {
        session_id: session,
        task_id: &task.task,
        subject: &task.subject,
        start_turn: task.start_turn,
        end_turn: task.end_turn,
        compressed_at: at,
        files_modified: &task.files_modified,
        commands_run: &task.commands_run,
        key_outcomes: &task.key_outcomes,
        errors_resolved: &task.errors_resolved,
    }
}
