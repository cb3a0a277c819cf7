//! Formats the status for a screen: sessions in detail, and in a line each.

use std::path::Path;

use catchword_engine::clients::{self, CLIENTS};
use catchword_engine::context::Gauge;
use catchword_engine::model::event::short_id;
use catchword_engine::model::finding::{Finding, FindingKind};
use catchword_engine::model::tokens::TokenCount;
use catchword_engine::ops::history::{CompactionPoint, TokenTotals};
use catchword_engine::ops::sessions::{ListedSession, Presence, SessionState};
use catchword_engine::ops::status::{SessionStatus, StatusCompaction};
use catchword_engine::session::one_line;
use catchword_engine::text::cut::squashed;
use catchword_engine::text::numbers::{ago, count_of, grouped, rounded};

use super::Seen;
use crate::app::env::Env;
use crate::ui::Ui;
use crate::ui::width::{fit, fit_line, padded, width, wrap};

/// Columns before a row's text: indent and name.
const NAME: usize = 12;
/// Columns of a number and the space after it.
const NUMBER: usize = 11;
/// Columns of the bar.
const BAR: usize = 20;
/// Open tasks named.
const TASKS: usize = 4;
/// Differences of the latest summary named.
const FOUND: usize = 2;
/// Characters quoted from a request.
const LONGEST_QUOTE: usize = 400;
/// Columns of a project's name in a list of all projects.
const PROJECT: usize = 14;

/// Everything on one screen; of one session, also where the numbers come from.
pub fn screen(seen: &Seen, is_one: bool, env: &Env, ui: &Ui) -> String {
    let mut blocks: Vec<String> = Vec::new();
    if !is_one {
        blocks.push(ui.bold(&heading(seen, env)));
    }
    blocks.extend(seen.detailed.iter().map(|status| block(status, is_one, seen.now, env, ui)));
    if !seen.listed.is_empty() {
        blocks.push(list(&seen.listed, seen.everywhere, seen.now, ui));
    }
    if seen.hidden > 0 {
        blocks.push(
            ui.dim(&format!("… and {} more; `catchword status --all` lists every session", seen.hidden)),
        );
    }
    blocks.join("\n\n")
}

/// How many sessions, and of what.
fn heading(seen: &Seen, env: &Env) -> String {
    let all = seen.detailed.len() + seen.listed.len() + seen.hidden;
    let place =
        if seen.everywhere { String::new() } else { format!(" in {}", squashed(&env.show(&env.cwd))) };
    let order = if all > 1 { ", latest first" } else { "" };
    format!("{}{place}{order}", count_of(all, "session"))
}

fn block(status: &SessionStatus, is_one: bool, now: i64, env: &Env, ui: &Ui) -> String {
    let session = &status.listed;
    let id = short_id(&session.id);
    let age = ago(now - session.last_at);
    let place = session.cwd.as_deref().map(|cwd| squashed(&env.show(cwd))).unwrap_or_default();
    let head = format!("{id}  {}{}  {place}", mark(&session.client), state(session, &age));
    let mut lines = vec![ui.bold(&fit(&head, ui.width()))];
    let room = ui.width().saturating_sub(NAME);
    let mut row = |name: &str, text: &str| {
        // What follows a number is continued below itself.
        let lead = if text.starts_with(' ') { NUMBER } else { 0 };
        let (number, words) = text.split_at(lead.min(text.len()));
        let texts = if is_one { wrap(words, room - lead) } else { vec![fit_line(text, room)] };
        for (at, text) in texts.iter().enumerate() {
            let (name, number) = if at == 0 { (name, number) } else { ("", "") };
            let shown = format!("{name:<9}");
            let shown = if matches!(name, "failing" | "differs") { ui.red(&shown) } else { shown };
            lines.push(format!("  {shown} {number:<lead$}{text}").trim_end().to_owned());
        }
    };
    // In full, an ended session has nothing to add to what it used.
    let context = context(&status.gauge, is_over(session)).filter(|_| !(is_one && is_over(session)));
    if let Some(text) = context {
        row("context", &text);
    }
    if is_one {
        for (name, text) in numbers(status) {
            row(name, &text);
        }
    }
    for (name, text) in ["asked", "latest"].into_iter().zip(&status.asked) {
        row(name, &one_line(text, LONGEST_QUOTE));
    }
    let tasks = if is_one { usize::MAX } else { TASKS };
    for (n, task) in status.open.iter().take(tasks).enumerate() {
        row(if n == 0 { "open" } else { "" }, task);
    }
    if status.open.len() > tasks {
        row("", &format!("and {} more: `catchword status {id}`", status.open.len() - tasks));
    }
    match status.failing.as_slice() {
        [] => {}
        failing if is_one => {
            for (n, command) in failing.iter().enumerate() {
                row(if n == 0 { "failing" } else { "" }, command);
            }
        }
        [first] => row("failing", first),
        [first, more @ ..] => row("failing", &format!("{first} (and {} more)", more.len())),
    }
    row("recorded", &counts_of(status, is_one, now));
    if let Some(compaction) = &status.compaction {
        row("compacted", &compacted(status, compaction, now));
    }
    for (at, cut) in status.tokens.iter().flat_map(|(_, cuts)| cuts).enumerate() {
        row("", &one_compaction(at + 1, cut));
    }
    if let Some(compaction) = &status.compaction {
        let found = if is_one { usize::MAX } else { FOUND };
        for (n, finding) in worst(compaction).into_iter().take(found).enumerate() {
            row(if n == 0 { "differs" } else { "" }, &format!("{}: {}", finding.kind.name(), finding.text));
        }
    }
    if let Some((totals, _)) = status.tokens.as_ref().filter(|(totals, _)| totals.answers > 0) {
        row("tokens", &spent(totals));
    }
    if is_one {
        row("file", &env.show(&session.transcript));
        if let Some(handoff) = &status.handoff {
            row("handoff", &env.show(Path::new(handoff)));
        }
    }
    lines.join("\n")
}

/// Sessions in a line each: id, age, state, project, title.
fn list(sessions: &[ListedSession], everywhere: bool, now: i64, ui: &Ui) -> String {
    let cells: Vec<[String; 4]> = sessions.iter().map(|session| cells(session, everywhere, now)).collect();
    let widths: [usize; 4] =
        std::array::from_fn(|at| cells.iter().map(|row| width(&row[at])).max().unwrap_or(0));
    let line = |(session, row): (&ListedSession, &[String; 4])| {
        let mut line = String::new();
        for (cell, columns) in row.iter().zip(widths).filter(|(_, columns)| *columns > 0) {
            line.push_str(&padded(cell, columns));
            line.push_str("  ");
        }
        let gone = if session.there { "" } else { "(transcript gone) " };
        let title = session.title.as_deref().unwrap_or("(no request yet)");
        fit(&format!("{line}{}{gone}{}", mark(&session.client), squashed(title)), ui.width())
    };
    sessions.iter().zip(&cells).map(line).collect::<Vec<_>>().join("\n")
}

fn cells(session: &ListedSession, everywhere: bool, now: i64) -> [String; 4] {
    let state = if is_left(session) { "unfinished" } else { session.state.word() };
    let age = if session.last_at > 0 { ago(now - session.last_at) } else { "–".to_owned() };
    let project = session.cwd.as_deref().filter(|_| everywhere).map(project).unwrap_or_default();
    [short_id(&session.id).to_owned(), age, state.to_owned(), project]
}

/// The name of a folder; with the one above it if it says little ("3").
fn project(cwd: &Path) -> String {
    let path = cwd.to_string_lossy();
    // A transcript may come from another machine.
    let mut names = path.rsplit(['/', '\\']).filter(|name| !name.is_empty());
    match (names.next(), names.next()) {
        (Some(own), Some(above)) if own.len() < 3 => fit_line(&format!("{above}/{own}"), PROJECT),
        (own, _) => fit_line(own.unwrap_or_default(), PROJECT),
    }
}

fn is_left(session: &ListedSession) -> bool {
    session.unfinished && is_over(session)
}

/// Nobody works in it any more.
fn is_over(session: &ListedSession) -> bool {
    matches!(session.state, SessionState::Stopped | SessionState::Over)
}

/// The client, unless it is the one that most people have.
fn mark(client: &str) -> String {
    let name = clients::named(client).filter(|client| client.name != CLIENTS[0].name);
    name.map(|client| format!("{}, ", client.phrases.name)).unwrap_or_default()
}

/// "waiting for you, 3 min ago", "stopped unfinished 2 days ago".
fn state(session: &ListedSession, age: &str) -> String {
    let how = if session.unfinished { " unfinished" } else { "" };
    match session.state {
        SessionState::Working => format!("working, {age}"),
        SessionState::Silent => format!("silent (killed, or a long step), {age}"),
        SessionState::Waiting => format!("waiting for you, {age}"),
        SessionState::Interrupted => format!("interrupted by you, {age}"),
        SessionState::Stopped if session.presence == Presence::Gone => {
            format!("stopped{how} {age} (its client exited)")
        }
        SessionState::Stopped => format!("stopped{how} {age}"),
        SessionState::Over => format!("ended{how} {age}"),
    }
}

/// `None` before the first answer, and after a compaction of unknown size.
fn context(gauge: &Gauge, is_over: bool) -> Option<String> {
    let used = gauge.used?.tokens;
    let threshold = gauge.threshold.map(|threshold| threshold.tokens).filter(|_| !is_over);
    let Some(threshold) = threshold else {
        let unknown = if is_over { "" } else { "; this model's limit is not known" };
        return Some(format!("{} tokens{unknown}", rounded(used)));
    };
    let filled = (used.min(threshold) * BAR as u64).div_ceil(threshold.max(1)) as usize;
    let bar = format!("{}{}", "█".repeat(filled), "░".repeat(BAR - filled));
    let left = match threshold.saturating_sub(used) {
        0 => "compaction due".to_owned(),
        left => format!("{} left until compaction", rounded(left)),
    };
    Some(format!("{bar} {} of {}, {left}", rounded(used), rounded(threshold)))
}

/// The gauge's numbers with their sources.
fn numbers(status: &SessionStatus) -> Vec<(&'static str, String)> {
    let SessionStatus { gauge, tally, listed, .. } = status;
    let row = |number: Option<u64>, from: &str| {
        let number = number.map_or_else(|| "unknown".to_owned(), grouped);
        format!("{number:>9}  {from}").trim_end().to_owned()
    };
    let measured = |count: Option<TokenCount>, unknown: &str| match count {
        Some(count) => row(Some(count.tokens), &count.from.to_string()),
        None => row(None, unknown),
    };
    let no_answer =
        if tally.compacted { "compacted, no answer since" } else { "no answer with a token count yet" };
    let client = clients::recorded(&listed.client);
    let no_window = tally.model.as_deref().map(|model| {
        let larger = if (client.has_larger)(model) { " (a larger one may be in use)" } else { "" };
        format!("not known for {model}{larger}; `catchword init --statusline` would show it")
    });
    let left =
        gauge.percent_left().map_or_else(String::new, |percent| format!("{percent}% of the threshold"));
    if is_over(listed) {
        return vec![("used", measured(gauge.used, no_answer))];
    }
    vec![
        ("used", measured(gauge.used, no_answer)),
        ("window", measured(gauge.window, no_window.as_deref().unwrap_or("no model seen yet"))),
        ("threshold", measured(gauge.threshold, "the window is not known")),
        ("left", row(gauge.left(), &left)),
    ]
}

fn counts_of(status: &SessionStatus, is_one: bool, now: i64) -> String {
    let session = &status.listed;
    let mut counts = vec![count_of(session.lines as usize, "line")];
    if is_one && session.prompts > 0 {
        counts.push(count_of(session.prompts as usize, "prompt"));
    }
    if is_one && session.calls > 0 {
        counts.push(count_of(session.calls as usize, "tool call"));
    }
    if session.subagents > 0 {
        counts.push(count_of(session.subagents as usize, "subagent"));
    }
    counts.push(count_of(session.compactions as usize, "compaction"));
    if !session.there {
        counts.push("transcript gone".to_owned());
    }
    if let Some(point) = &status.checkpoint {
        let at = point.used.map(|used| format!(" at {}", rounded(used))).unwrap_or_default();
        counts.push(format!("state saved {}{at}", ago(now - point.at)));
    }
    counts.join(", ")
}

fn compacted(status: &SessionStatus, compaction: &StatusCompaction, now: i64) -> String {
    let tokens = match compaction.tokens {
        // Each is listed below.
        _ if status.tokens.is_some() => String::new(),
        (Some(before), Some(after)) => format!(", {} → {} tokens", rounded(before), rounded(after)),
        (Some(before), None) => format!(" at {} tokens", rounded(before)),
        _ => String::new(),
    };
    let when = compaction
        .at
        .map_or_else(|| count_of(status.listed.compactions as usize, "time"), |at| ago(now - at));
    let way = if compaction.manual { " (manual)" } else { "" };
    let brief = match compaction.recorded.as_ref().map(|recorded| (&recorded.arrived_by, recorded.brief)) {
        Some((Some(_), _)) => "; brief arrived",
        Some((None, Some(_))) => "; brief not seen yet",
        Some((None, None)) | None => "",
    };
    format!("{when}{way}{tokens}{}{brief}", lost(compaction))
}

/// "2  L812  automatic, 170k → 20k tokens".
fn one_compaction(number: usize, cut: &CompactionPoint) -> String {
    let how = if cut.manual { "manual" } else { "automatic" };
    let size = |tokens: Option<u64>| tokens.map_or_else(|| "?".to_owned(), rounded);
    let tokens = match (cut.before, cut.after) {
        (None, None) => String::new(),
        (before, after) => format!(", {} → {} tokens", size(before), size(after)),
    };
    format!("{number}  L{}  {how}{tokens}", cut.lines + 1)
}

fn spent(totals: &TokenTotals) -> String {
    format!(
        "{} in (with what was cached), {} out, in {}",
        rounded(totals.input),
        rounded(totals.output),
        count_of(totals.answers as usize, "answer")
    )
}

/// How many things the summary left out, and how many it got wrong.
pub fn counts(found: &[Finding]) -> (usize, usize) {
    let dropped = found.iter().filter(|finding| finding.kind == FindingKind::Dropped).count();
    (dropped, found.len() - dropped)
}

fn lost(compaction: &StatusCompaction) -> String {
    match counts(compaction.found.as_deref().unwrap_or_default()) {
        (0, 0) => String::new(),
        (dropped, 0) => format!("; {dropped} left out"),
        (0, wrong) => format!("; {wrong} wrong"),
        (dropped, wrong) => format!("; {dropped} left out, {wrong} wrong"),
    }
}

/// Errors before omissions: what is wrong misleads, what is left out is only missing.
pub fn worst(compaction: &StatusCompaction) -> Vec<&Finding> {
    let mut found: Vec<&Finding> = compaction.found.iter().flatten().collect();
    found.sort_by_key(|finding| finding.kind);
    found
}

#[cfg(test)]
mod tests {
    use catchword_engine::model::tokens::TokenSource;

    use super::*;

    fn gauge(used: u64, threshold: Option<u64>) -> Gauge {
        let tokens = |tokens| TokenCount { tokens, from: TokenSource::Rule };
        Gauge { used: Some(tokens(used)), window: None, threshold: threshold.map(tokens) }
    }

    #[test]
    fn bar_never_exceeds_its_width() {
        for used in [0, 1, 83_500, 166_999, 167_000, 900_000] {
            let text = context(&gauge(used, Some(167_000)), false).unwrap();
            assert_eq!(text.chars().filter(|c| "█░".contains(*c)).count(), BAR, "{text}");
        }
        assert!(context(&gauge(170_000, Some(167_000)), false).unwrap().contains("compaction due"));
        assert_eq!(context(&gauge(170_000, Some(167_000)), true).unwrap(), "170k tokens");
    }

    #[test]
    fn unknown_values_are_not_drawn() {
        assert_eq!(context(&Gauge::default(), false), None);
        let unknown = context(&gauge(120_000, None), false).unwrap();
        assert_eq!(unknown, "120k tokens; this model's limit is not known");
    }
}
