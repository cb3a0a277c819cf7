//! The tasks of a session: open, finished, and cold ones with what was done for them.

use catchword_engine::ops::read::notes::{ColdTaskDocument, NotesDocument};
use catchword_engine::quote::quote_foreign;
use catchword_engine::session::one_line;

use crate::ui::Ui;
use crate::ui::width::wrap;

/// Prints what there is.
pub fn print(notes: &NotesDocument, ui: &Ui) {
    let heading = |name: &str, count: usize| {
        if count > 0 {
            ui.line(format!("\n## {name} tasks: {count}\n"));
        }
    };
    heading("Open", notes.open_tasks.len());
    for task in &notes.open_tasks {
        let number = task.task_id.as_deref().map(|id| format!("#{id} ")).unwrap_or_default();
        let subject = quote_foreign(&task.subject, 200);
        item(&format!("[{}] {number}{subject} {}", task.status, task.place), ui);
    }
    heading("Finished", notes.finished_tasks.len());
    for task in &notes.finished_tasks {
        let end = task.end_turn.map(|end| format!("turns {}–{end}", task.start_turn)).unwrap_or_default();
        let evidence =
            if task.evidence.is_empty() { String::new() } else { format!(", {}", task.evidence) };
        let subject = quote_foreign(&task.subject, 200);
        item(&format!("{} {subject} ({end}{evidence})", name(&task.task_id)), ui);
    }
    heading("Cold", notes.cold_tasks.len());
    for task in &notes.cold_tasks {
        print_cold(task, ui);
    }
}

fn name(id: &str) -> String {
    if id.starts_with('L') { id.to_owned() } else { format!("#{id}") }
}

fn item(text: &str, ui: &Ui) {
    for (n, line) in wrap(text, ui.width().saturating_sub(4)).iter().enumerate() {
        ui.line(format!("{}{line}", if n == 0 { "- " } else { "  " }));
    }
}

fn print_cold(task: &ColdTaskDocument, ui: &Ui) {
    let subject = quote_foreign(&task.subject, 200);
    item(&format!("{} {subject} (turns {}–{})", name(&task.task_id), task.start_turn, task.end_turn), ui);
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
