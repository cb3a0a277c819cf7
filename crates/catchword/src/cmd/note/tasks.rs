//! The tasks of a session: open, finished, and cold ones with what was done for them.

use catchword_engine::facts::cold_tasks::{self, TaskSummary};
use catchword_engine::model::entry::TaskStatus;
use catchword_engine::quote::quote_foreign;
use catchword_engine::session::Session;
use catchword_engine::session::one_line;
use catchword_engine::session::spans::{Activity, TaskSpan};
use catchword_engine::session::tasks::Task;
use serde::Serialize;

use super::super::target::FoundSession;
use crate::ui::Ui;
use crate::ui::width::wrap;

pub struct SessionTasks<'a> {
    session: &'a Session,
    open: Vec<&'a Task>,
    finished: Vec<&'a TaskSpan>,
    /// With the time at which each was summarised.
    cold: Vec<(TaskSummary, i64)>,
}

impl<'a> SessionTasks<'a> {
    /// The tasks of a session; finished ones are cold after this many turns.
    pub fn of(found: &'a FoundSession, turns: u32) -> SessionTasks<'a> {
        let cold = all_cold(found, turns);
        let is_warm = |span: &&TaskSpan| !cold.iter().any(|(task, _)| task.task == span.id);
        let finished = cold_tasks::finished(&found.session).into_iter().filter(is_warm).collect();
        SessionTasks { session: &found.session, open: found.session.tasks.open(), finished, cold }
    }

    /// Prints what there is.
    pub fn print(&self, ui: &Ui) {
        let heading = |name: &str, count: usize| {
            if count > 0 {
                ui.line(format!("\n## {name} tasks: {count}\n"));
            }
        };
        heading("Open", self.open.len());
        for task in &self.open {
            let number = task.id.as_deref().map(|id| format!("#{id} ")).unwrap_or_default();
            let subject = quote_foreign(&task.subject, 200);
            item(&format!("[{}] {number}{subject} {}", word(task), task.place), ui);
        }
        heading("Finished", self.finished.len());
        for span in &self.finished {
            let end =
                span.end.map(|end| format!("turns {}–{}", span.start.turn, end.turn)).unwrap_or_default();
            let evidence = Activity::of(&self.session.record, span).evidence();
            let evidence = if evidence.is_empty() { String::new() } else { format!(", {evidence}") };
            let subject = quote_foreign(cold_tasks::subject(self.session, span), 200);
            item(&format!("{} {subject} ({end}{evidence})", name(&span.id)), ui);
        }
        heading("Cold", self.cold.len());
        for (task, _) in &self.cold {
            print_cold(task, ui);
        }
    }

    fn subject(&self, span: &TaskSpan) -> String {
        one_line(cold_tasks::subject(self.session, span), 200)
    }

    pub fn open_views(&self) -> Vec<OpenTaskView<'_>> {
        let view = |task: &&'a Task| OpenTaskView {
            task_id: task.id.as_deref(),
            subject: &task.subject,
            status: word(task),
            place: task.place.to_string(),
        };
        self.open.iter().map(view).collect()
    }

    pub fn finished_views(&self) -> Vec<FinishedTaskView> {
        let view = |span: &&'a TaskSpan| FinishedTaskView {
            task_id: span.id.clone(),
            subject: self.subject(span),
            start_turn: span.start.turn,
            end_turn: span.end.map(|end| end.turn),
            evidence: Activity::of(&self.session.record, span).evidence(),
        };
        self.finished.iter().map(view).collect()
    }

    pub fn cold_views<'b>(&'b self, session: &'b str) -> Vec<ColdTaskView<'b>> {
        self.cold.iter().map(|(task, at)| cold_view(session, task, *at)).collect()
    }
}

fn word(task: &Task) -> &'static str {
    if task.status == TaskStatus::InProgress { "in progress" } else { "pending" }
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

fn print_cold(task: &TaskSummary, ui: &Ui) {
    let subject = quote_foreign(&task.subject, 200);
    item(&format!("{} {subject} (turns {}–{})", name(&task.task), task.start_turn, task.end_turn), ui);
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
pub struct OpenTaskView<'a> {
    task_id: Option<&'a str>,
    subject: &'a str,
    status: &'static str,
    place: String,
}

#[derive(Serialize)]
pub struct FinishedTaskView {
    task_id: String,
    subject: String,
    start_turn: u32,
    end_turn: Option<u32>,
    evidence: String,
}

#[derive(Serialize)]
pub struct ColdTaskView<'a> {
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

fn cold_view<'a>(session: &'a str, task: &'a TaskSummary, at: i64) -> ColdTaskView<'a> {
    ColdTaskView {
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
