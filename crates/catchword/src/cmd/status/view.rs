//! How a status looks: on a screen of 80 columns, and as JSON.

use catchword_engine::ops::status::{Compacted, Findings, Gauge, State, Status};
use catchword_engine::session::one_line;
use serde::Serialize;

use super::Seen;
use crate::env::Env;
use crate::ui::Ui;

/// Columns before a row's text: two of indent and the row's name.
const NAME: usize = 12;
/// Columns of the bar.
const BAR: usize = 20;
/// Open tasks that are named.
const TASKS: usize = 4;

/// Everything on one screen.
pub fn screen(seen: &Seen, env: &Env, ui: &Ui) -> String {
    let mut blocks: Vec<String> =
        seen.sessions.iter().map(|status| block(status, seen.now, env, ui)).collect();
    let older = seen.all - seen.sessions.len();
    if seen.sessions.is_empty() {
        blocks.push("Nothing recorded here yet.".to_owned());
    }
    if older > 0 {
        blocks.push(ui.dim(&format!("{older} older: `catchword sessions` lists them")));
    }
    blocks.join("\n\n")
}

fn block(status: &Status, now: i64, env: &Env, ui: &Ui) -> String {
    let id: String = status.listed.id.chars().take(8).collect();
    let age = ago(now - status.active_at);
    let place = status.listed.cwd.as_deref().map(|cwd| env.show(cwd)).unwrap_or_default();
    let head = format!("{id}  {}, {age}  {place}", state(status.state));
    let mut lines = vec![ui.bold(&one_line(&head, ui.width()))];
    let mut row = |name: &str, text: String| {
        let room = ui.width().saturating_sub(NAME);
        lines.push(format!("  {name:<9} {}", one_line(&text, room)));
    };
    if let Some(gauge) = status.gauge {
        row("context", context(gauge));
    }
    for (name, text) in ["asked", "latest"].into_iter().zip(&status.asked) {
        row(name, text.clone());
    }
    for (n, task) in status.open.iter().take(TASKS).enumerate() {
        row(if n == 0 { "open" } else { "" }, task.clone());
    }
    if status.open.len() > TASKS {
        row("", format!("and {} more", status.open.len() - TASKS));
    }
    if let Some(first) = status.failing.first() {
        let more = status.failing.len() - 1;
        row("failing", if more == 0 { first.clone() } else { format!("{first} (and {more} more)") });
    }
    row("saved", format!("{}, {} entries", ago(now - status.listed.last_at), status.listed.entries));
    if let Some(compaction) = &status.compaction {
        row("compacted", compacted(compaction, now));
    }
    lines.join("\n")
}

fn state(state: State) -> &'static str {
    match state {
        State::Working => "working",
        State::Silent => "not heard of (killed, or a long step)",
        State::Waiting => "waiting for you",
        State::Interrupted => "stopped by you",
        State::Over => "ended",
    }
}

fn context(gauge: Gauge) -> String {
    let Gauge { used, threshold } = gauge;
    let filled = (used.min(threshold) * BAR as u64).div_ceil(threshold.max(1)) as usize;
    let bar = format!("{}{}", "█".repeat(filled), "░".repeat(BAR - filled));
    let left = match threshold.checked_sub(used) {
        Some(left) => format!("{} left until a compaction", thousands(left)),
        None => "a compaction is due".to_owned(),
    };
    format!("{bar} {} of {}, {left}", thousands(used), thousands(threshold))
}

fn thousands(tokens: u64) -> String {
    if tokens < 1_000 { tokens.to_string() } else { format!("{}k", tokens / 1_000) }
}

fn compacted(compaction: &Compacted, now: i64) -> String {
    let recorded = &compaction.recorded;
    let tokens = match (recorded.before, recorded.after) {
        (Some(before), Some(after)) => format!(", {} → {}", thousands(before), thousands(after)),
        _ => String::new(),
    };
    let way = if recorded.manual { " (/compact)" } else { "" };
    let brief = match (&recorded.arrived_by, recorded.brief) {
        (Some(_), _) => "; brief arrived",
        (None, Some(_)) => "; brief not seen yet",
        (None, None) => "",
    };
    format!("{}{way}{tokens}{}{brief}", ago(now - recorded.begun_at), lost(compaction.findings))
}

fn lost(findings: Findings) -> String {
    let things = |n: usize| if n == 1 { "1 thing".to_owned() } else { format!("{n} things") };
    match (findings.dropped, findings.wrong) {
        (0, 0) => String::new(),
        (dropped, 0) => format!("; summary left out {}", things(dropped)),
        (0, wrong) => format!("; summary has {} wrong", things(wrong)),
        (dropped, wrong) => format!("; summary left out {}, {wrong} wrong", things(dropped)),
    }
}

/// A span of milliseconds, for people.
fn ago(millis: i64) -> String {
    let seconds = millis.max(0) / 1_000;
    match seconds {
        0..5 => "just now".to_owned(),
        5..60 => format!("{seconds} s ago"),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..172_800 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

#[derive(Serialize)]
pub struct StatusView<'a> {
    id: &'a str,
    cwd: Option<String>,
    transcript: String,
    state: &'static str,
    active_at: i64,
    recorded_at: i64,
    entries: u64,
    context: Option<ContextView>,
    asked: &'a [String],
    open: &'a [String],
    failing: &'a [String],
    compactions: u64,
    last_compaction: Option<CompactionView<'a>>,
}

#[derive(Serialize)]
struct ContextView {
    used: u64,
    threshold: u64,
    left: u64,
}

#[derive(Serialize)]
struct CompactionView<'a> {
    begun_at: i64,
    trigger: &'static str,
    tokens_before: Option<u64>,
    tokens_after: Option<u64>,
    brief_arrived_by: Option<&'a str>,
    left_out: usize,
    wrong: usize,
}

/// The same for programs.
pub fn json(sessions: &[Status]) -> Vec<StatusView<'_>> {
    sessions.iter().map(one).collect()
}

fn one(status: &Status) -> StatusView<'_> {
    let listed = &status.listed;
    StatusView {
        id: &listed.id,
        cwd: listed.cwd.as_ref().map(|cwd| cwd.display().to_string()),
        transcript: listed.transcript.display().to_string(),
        state: name(status.state),
        active_at: status.active_at,
        recorded_at: listed.last_at,
        entries: listed.entries,
        context: status.gauge.map(|Gauge { used, threshold }| ContextView {
            used,
            threshold,
            left: threshold.saturating_sub(used),
        }),
        asked: &status.asked,
        open: &status.open,
        failing: &status.failing,
        compactions: listed.compactions,
        last_compaction: status.compaction.as_ref().map(|compaction| CompactionView {
            begun_at: compaction.recorded.begun_at,
            trigger: if compaction.recorded.manual { "manual" } else { "auto" },
            tokens_before: compaction.recorded.before,
            tokens_after: compaction.recorded.after,
            brief_arrived_by: compaction.recorded.arrived_by.as_deref(),
            left_out: compaction.findings.dropped,
            wrong: compaction.findings.wrong,
        }),
    }
}

fn name(state: State) -> &'static str {
    match state {
        State::Working => "working",
        State::Silent => "silent",
        State::Waiting => "waiting",
        State::Interrupted => "interrupted",
        State::Over => "ended",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_told_in_its_largest_unit() {
        let cases = [
            (-5, "just now"),
            (4_999, "just now"),
            (59_000, "59 s ago"),
            (3_599_000, "59 min ago"),
            (90_000_000, "25 h ago"),
            (259_200_000, "3 days ago"),
        ];
        for (millis, expected) in cases {
            assert_eq!(ago(millis), expected);
        }
    }

    #[test]
    fn the_bar_never_leaves_its_columns() {
        for used in [0, 1, 83_500, 166_999, 167_000, 900_000] {
            let text = context(Gauge { used, threshold: 167_000 });
            assert_eq!(text.chars().filter(|c| "█░".contains(*c)).count(), BAR, "{text}");
        }
        assert!(context(Gauge { used: 170_000, threshold: 167_000 }).contains("is due"));
    }
}
