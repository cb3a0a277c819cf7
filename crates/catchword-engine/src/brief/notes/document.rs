//! The notes as a document.

use super::{Notes, ProgressLine, StateLine};
use crate::model::note::StateKey;
use crate::quote;

/// Marks a file as ours; a file without this line is never overwritten.
pub const MARKER: &str =
    "<!-- written by catchword: changes made here are lost, `catchword note` adds a line that stays -->";

/// The document of a session's notes.
pub fn markdown(notes: &Notes, session: &str) -> String {
    let as_of = notes.as_of.map(|at| format!(", {} {} UTC", date(at), clock(at))).unwrap_or_default();
    let mut lines = vec![format!("# Notes of session {session}\n\n{MARKER}\n\n## Current State{as_of}\n")];
    lines.extend(notes.state.lines().map(|(key, line)| state_line(key, line)));
    for (title, running) in [("Subagents", &notes.state.subagents), ("Shells", &notes.state.shells)] {
        let listed: Vec<String> = running
            .iter()
            .map(|(id, what)| quote::line(&format!("{} ({what})", quote::name(id, 60))))
            .collect();
        let listed = if listed.is_empty() { "none running".to_owned() } else { listed.join("; ") };
        lines.push(format!("- {title}: {listed}"));
    }
    if !notes.known.is_empty() {
        lines.push("\n## Open and learned\n".to_owned());
    }
    for line in &notes.known {
        let place = line.place.map(|place| format!(" {place}")).unwrap_or_default();
        lines.push(format!("- {}: {}{place}", line.kind, quote::line(&line.text)));
    }
    lines.push("\n## Progress (times in UTC)".to_owned());
    if notes.progress.is_empty() {
        lines.push("\nNothing was finished, decided, committed or tested yet.".to_owned());
    }
    for day in notes.progress.chunk_by(|a, b| a.at.map(date) == b.at.map(date)) {
        lines.push(day[0].at.map_or(String::new(), |at| format!("\n### {}\n", date(at))));
        lines.extend(day.iter().map(progress_line));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn state_line(key: StateKey, line: Option<&StateLine>) -> String {
    let says = match line {
        Some(line) => {
            let place = line.place.map(|place| format!(" {place}")).unwrap_or_default();
            let by = if line.by == "record" { String::new() } else { format!(" (said the {})", line.by) };
            format!("{}{by}{place}", quote::line(&line.text))
        }
        None if key == StateKey::Blocking => "nothing".to_owned(),
        None => "not known".to_owned(),
    };
    format!("- {}: {says}", key.title())
}

fn progress_line(line: &ProgressLine) -> String {
    let at = line.at.map(|at| format!("{} ", clock(at))).unwrap_or_default();
    let place = line.place.map(|place| format!(" {place}")).unwrap_or_default();
    format!("- {at}{}{place}", quote::line(&line.text))
}

/// `2026-01-01`.
fn date(milliseconds: i64) -> String {
    timestamp(milliseconds).strftime("%Y-%m-%d").to_string()
}

/// `12:00`.
fn clock(milliseconds: i64) -> String {
    timestamp(milliseconds).strftime("%H:%M").to_string()
}

fn timestamp(milliseconds: i64) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(milliseconds).unwrap_or_default()
}
