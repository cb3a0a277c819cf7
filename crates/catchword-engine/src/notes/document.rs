//! The notes as a document.

use super::{Notes, StateKey};

/// The line by which a file is known as ours; a file without it is never written over.
pub const MARKER: &str =
    "<!-- written by catchword: changes made here are lost, `catchword note` adds a line that stays -->";

/// The document of a session's notes.
pub fn markdown(notes: &Notes, session: &str) -> String {
    let mut out = format!("# Notes of session {session}\n\n{MARKER}\n\n## Current State");
    if let Some(at) = notes.as_of {
        out.push_str(&format!(", {} {} UTC", date(at), clock(at)));
    }
    out.push_str("\n\n");
    for (key, line) in notes.state.lines() {
        out.push_str(&match line {
            Some(line) => {
                let place = line.place.map(|place| format!(" {place}")).unwrap_or_default();
                let by = if line.by == "record" { String::new() } else { format!(" (said the {})", line.by) };
                format!("- {}: {}{by}{place}\n", key.title(), line.text)
            }
            None if key == StateKey::Blocking => format!("- {}: nothing\n", key.title()),
            None => format!("- {}: not known\n", key.title()),
        });
    }
    for (title, running) in [("Subagents", &notes.state.subagents), ("Shells", &notes.state.shells)] {
        let listed: Vec<String> = running.iter().map(|(id, what)| format!("{id} ({what})")).collect();
        let listed = if listed.is_empty() { "none running".to_owned() } else { listed.join("; ") };
        out.push_str(&format!("- {title}: {listed}\n"));
    }
    out.push_str("\n## Progress (times in UTC)\n\n");
    if notes.progress.is_empty() {
        out.push_str("Nothing was finished, decided, committed or tested yet.\n");
    }
    let mut day = String::new();
    for line in &notes.progress {
        let (date, clock) =
            line.at.map_or((String::new(), String::new()), |at| (date(at), format!("{} ", clock(at))));
        if date != day {
            out.push_str(&format!("{}### {date}\n\n", if day.is_empty() { "" } else { "\n" }));
            day = date;
        }
        let place = line.place.map(|place| format!(" {place}")).unwrap_or_default();
        out.push_str(&format!("- {clock}{}{place}\n", line.text));
    }
    out
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
