//! Formats the status: for a screen of 80 columns, and as JSON.

use std::path::PathBuf;

use catchword_engine::clients::{self, CLIENTS};
use catchword_engine::context::Gauge;
use catchword_engine::model::event::short_id;
use catchword_engine::model::finding::{Finding, FindingKind};
use catchword_engine::ops::status::{SessionState, SessionStatus, StatusCompaction};
use catchword_engine::text::numbers::{ago, count_of, rounded};
use serde::Serialize;

use super::Seen;
use crate::app::env::Env;
use crate::cmd::lost::view::FindingView;
use crate::ui::Ui;
use crate::ui::width::fit_line;

/// Columns before a row's text: indent and name.
const NAME: usize = 12;
/// Columns of the bar.
const BAR: usize = 20;
/// Open tasks named.
const TASKS: usize = 4;
/// Differences of the latest summary named.
const FOUND: usize = 2;

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

fn block(status: &SessionStatus, now: i64, env: &Env, ui: &Ui) -> String {
    let id = short_id(&status.listed.id);
    let age = ago(now - status.active_at);
    let place = status.listed.cwd.as_deref().map(|cwd| env.show(cwd)).unwrap_or_default();
    let head = format!("{id}  {}{}, {age}  {place}", mark(&status.listed.client), state(status.state));
    let mut lines = vec![ui.bold(&fit_line(&head, ui.width()))];
    let mut row = |name: &str, text: String| {
        let room = ui.width().saturating_sub(NAME);
        lines.push(format!("  {name:<9} {}", fit_line(&text, room)));
    };
    if let Some(text) = context(&status.gauge) {
        row("context", text);
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
    row("saved", saved(status, now));
    if let Some(compaction) = &status.compaction {
        row("compacted", compacted(compaction, now));
        for (n, finding) in worst(compaction).into_iter().take(FOUND).enumerate() {
            row(if n == 0 { "found" } else { "" }, format!("{}: {}", finding.kind.name(), finding.text));
        }
    }
    lines.join("\n")
}

/// The client, unless it is the one that most people have.
pub fn mark(client: &str) -> String {
    let name = clients::named(client).filter(|client| client.name != CLIENTS[0].name);
    name.map(|client| format!("{}, ", client.phrases.name)).unwrap_or_default()
}

fn state(state: SessionState) -> &'static str {
    match state {
        SessionState::Working => "working",
        SessionState::Silent => "not heard of (killed, or a long step)",
        SessionState::Waiting => "waiting for you",
        SessionState::Interrupted => "stopped by you",
        SessionState::Gone => "gone without an end (killed?)",
        SessionState::Over => "ended",
    }
}

/// `None` before the first answer, and after a compaction of unknown size.
fn context(gauge: &Gauge) -> Option<String> {
    let used = gauge.used?.tokens;
    let Some(threshold) = gauge.threshold.map(|threshold| threshold.tokens) else {
        return Some(format!("{} tokens; how many fit is not known of this model", rounded(used)));
    };
    let filled = (used.min(threshold) * BAR as u64).div_ceil(threshold.max(1)) as usize;
    let bar = format!("{}{}", "█".repeat(filled), "░".repeat(BAR - filled));
    let left = match threshold.saturating_sub(used) {
        0 => "a compaction is due".to_owned(),
        left => format!("{} left until a compaction", rounded(left)),
    };
    Some(format!("{bar} {} of {}, {left}", rounded(used), rounded(threshold)))
}

fn saved(status: &SessionStatus, now: i64) -> String {
    let recorded =
        format!("{}, {}", ago(now - status.listed.last_at), count_of(status.listed.lines as usize, "line"));
    let Some(checkpoint) = &status.checkpoint else { return recorded };
    let at = checkpoint.used.map(|used| format!(" at {}", rounded(used))).unwrap_or_default();
    format!("{recorded}; checkpoint {}{at}", ago(now - checkpoint.at))
}

fn compacted(compaction: &StatusCompaction, now: i64) -> String {
    let recorded = &compaction.recorded;
    let tokens = match (recorded.before, recorded.after) {
        (Some(before), Some(after)) => format!(", {} → {}", rounded(before), rounded(after)),
        _ => String::new(),
    };
    let way = if recorded.manual { " (manual)" } else { "" };
    let brief = match (&recorded.arrived_by, recorded.brief) {
        (Some(_), _) => "; brief arrived",
        (None, Some(_)) => "; brief not seen yet",
        (None, None) => "",
    };
    format!("{}{way}{tokens}{}{brief}", ago(now - recorded.begun_at), lost(compaction))
}

/// How many things the summary left out, and how many it got wrong.
fn counts(found: &[Finding]) -> (usize, usize) {
    let dropped = found.iter().filter(|finding| finding.kind == FindingKind::Dropped).count();
    (dropped, found.len() - dropped)
}

fn lost(compaction: &StatusCompaction) -> String {
    let things = |n: usize| count_of(n, "thing");
    match counts(compaction.found.as_deref().unwrap_or_default()) {
        (0, 0) => String::new(),
        (dropped, 0) => format!("; summary left out {}", things(dropped)),
        (0, wrong) => format!("; summary has {} wrong", things(wrong)),
        (dropped, wrong) => format!("; summary left out {}, {wrong} wrong", things(dropped)),
    }
}

/// Errors before omissions: what is wrong misleads, what is left out is only missing.
fn worst(compaction: &StatusCompaction) -> Vec<&Finding> {
    let mut found: Vec<&Finding> = compaction.found.iter().flatten().collect();
    found.sort_by_key(|finding| finding.kind);
    found
}

#[derive(Serialize)]
pub struct StatusView<'a> {
    id: &'a str,
    client: &'a str,
    cwd: Option<String>,
    project: Option<String>,
    transcript: String,
    state: &'static str,
    active_at: i64,
    recorded_at: i64,
    lines: u64,
    entries: u64,
    context: Option<ContextView>,
    asked: &'a [String],
    open: &'a [String],
    failing: &'a [String],
    last_checkpoint: Option<CheckpointView<'a>>,
    handoff: Option<&'a str>,
    compactions: u64,
    last_compaction: Option<StatusCompactionView<'a>>,
}

#[derive(Serialize)]
struct ContextView {
    used: u64,
    window: Option<u64>,
    threshold: Option<u64>,
    left: Option<u64>,
    percent_left: Option<u64>,
}

#[derive(Serialize)]
struct CheckpointView<'a> {
    at: i64,
    threshold: &'a str,
    used: Option<u64>,
    left: Option<u64>,
}

#[derive(Serialize)]
struct StatusCompactionView<'a> {
    begun_at: i64,
    trigger: &'static str,
    tokens_before: Option<u64>,
    tokens_after: Option<u64>,
    brief_arrived_by: Option<&'a str>,
    left_out: Option<usize>,
    wrong: Option<usize>,
    findings: Option<Vec<FindingView<'a>>>,
}

/// The same for programs.
pub fn json(sessions: &[SessionStatus]) -> Vec<StatusView<'_>> {
    sessions.iter().map(one).collect()
}

fn one(status: &SessionStatus) -> StatusView<'_> {
    let listed = &status.listed;
    let shown = |path: &PathBuf| path.display().to_string();
    StatusView {
        id: &listed.id,
        client: &listed.client,
        cwd: listed.cwd.as_ref().map(shown),
        project: listed.project.as_ref().map(shown),
        transcript: shown(&listed.transcript),
        state: status.state.word(),
        active_at: status.active_at,
        recorded_at: listed.last_at,
        lines: listed.lines,
        entries: listed.entries,
        context: context_view(&status.gauge),
        asked: &status.asked,
        open: &status.open,
        failing: &status.failing,
        last_checkpoint: status.checkpoint.as_ref().map(|checkpoint| CheckpointView {
            at: checkpoint.at,
            threshold: &checkpoint.threshold,
            used: checkpoint.used,
            left: checkpoint.left,
        }),
        handoff: status.handoff.as_deref(),
        compactions: listed.compactions,
        last_compaction: status.compaction.as_ref().map(compaction_view),
    }
}

fn context_view(gauge: &Gauge) -> Option<ContextView> {
    Some(ContextView {
        used: gauge.used?.tokens,
        window: gauge.window.map(|window| window.tokens),
        threshold: gauge.threshold.map(|threshold| threshold.tokens),
        left: gauge.left(),
        percent_left: gauge.percent_left(),
    })
}

fn compaction_view(compaction: &StatusCompaction) -> StatusCompactionView<'_> {
    let recorded = &compaction.recorded;
    let counted = compaction.found.as_deref().map(counts);
    StatusCompactionView {
        begun_at: recorded.begun_at,
        trigger: if recorded.manual { "manual" } else { "auto" },
        tokens_before: recorded.before,
        tokens_after: recorded.after,
        brief_arrived_by: recorded.arrived_by.as_deref(),
        left_out: counted.map(|(dropped, _)| dropped),
        wrong: counted.map(|(_, wrong)| wrong),
        findings: compaction
            .found
            .as_ref()
            .map(|_| worst(compaction).into_iter().map(FindingView::new).collect()),
    }
}

#[cfg(test)]
mod tests {
    use catchword_engine::model::tokens::{TokenCount, TokenSource};

    use super::*;

    fn gauge(used: u64, threshold: Option<u64>) -> Gauge {
        let tokens = |tokens| TokenCount { tokens, from: TokenSource::Rule };
        Gauge { used: Some(tokens(used)), window: None, threshold: threshold.map(tokens) }
    }

    #[test]
    fn bar_never_exceeds_its_width() {
        for used in [0, 1, 83_500, 166_999, 167_000, 900_000] {
            let text = context(&gauge(used, Some(167_000))).unwrap();
            assert_eq!(text.chars().filter(|c| "█░".contains(*c)).count(), BAR, "{text}");
        }
        assert!(context(&gauge(170_000, Some(167_000))).unwrap().contains("is due"));
    }

    #[test]
    fn unknown_values_are_not_drawn() {
        assert_eq!(context(&Gauge::default()), None);
        let unknown = context(&gauge(120_000, None)).unwrap();
        assert_eq!(unknown, "120k tokens; how many fit is not known of this model");
    }
}
