//! Formats the status for a screen: sessions in detail, and in a line each.

use std::path::Path;

use catchword_engine::clients::{self, CLIENTS};
use catchword_engine::model::event::short_id;
use catchword_engine::ops::history::TokenTotals;
use catchword_engine::ops::read::compaction::{CompactionDocument, FindingDocument};
use catchword_engine::ops::read::session::{
    ContextDocument, SessionDocument, SessionsDocument, TokensDocument,
};
use catchword_engine::ops::sessions::SessionState;
use catchword_engine::session::one_line;
use catchword_engine::text::cut::squashed;
use catchword_engine::text::numbers::{ago, count_of, grouped, rounded};

use super::Args;
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
pub fn screen(seen: &SessionsDocument, args: &Args, env: &Env, ui: &Ui) -> String {
    let mut blocks: Vec<String> = Vec::new();
    if !args.is_one() {
        blocks.push(ui.bold(&heading(seen, args, env)));
    }
    let (detailed, listed): (Vec<_>, Vec<_>) =
        seen.sessions.iter().partition(|session| session.detail.context.is_some());
    blocks.extend(detailed.into_iter().map(|session| block(session, args.is_one(), env, ui)));
    if !listed.is_empty() {
        blocks.push(list(&listed, args.is_everywhere(), env.now(), ui));
    }
    if seen.hidden > 0 {
        blocks.push(
            ui.dim(&format!("… and {} more; `catchword status --all` lists every session", seen.hidden)),
        );
    }
    blocks.join("\n\n")
}

/// How many sessions, and of what.
fn heading(seen: &SessionsDocument, args: &Args, env: &Env) -> String {
    let all = seen.sessions.len() + seen.hidden;
    let place =
        if args.is_everywhere() { String::new() } else { format!(" in {}", squashed(&env.show(&env.cwd))) };
    let order = if all > 1 { ", latest first" } else { "" };
    format!("{}{place}{order}", count_of(all, "session"))
}

fn block(session: &SessionDocument, is_one: bool, env: &Env, ui: &Ui) -> String {
    let (now, detail) = (env.now(), &session.detail);
    let id = short_id(&session.id);
    let age = ago(now - session.active_at);
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
    let context = detail.context.as_ref().and_then(|gauge| context(gauge, is_over(session)));
    let context = context.filter(|_| !(is_one && is_over(session)));
    if let Some(text) = context {
        row("context", &text);
    }
    if is_one {
        for (name, text) in detail.context.iter().flat_map(|gauge| numbers(gauge, is_over(session))) {
            row(name, &text);
        }
    }
    for (name, text) in ["asked", "latest"].into_iter().zip(detail.asked.iter().flatten()) {
        row(name, &one_line(text, LONGEST_QUOTE));
    }
    let tasks = if is_one { usize::MAX } else { TASKS };
    let open = detail.open.as_deref().unwrap_or_default();
    for (n, task) in open.iter().take(tasks).enumerate() {
        row(if n == 0 { "open" } else { "" }, task);
    }
    if open.len() > tasks {
        row("", &format!("and {} more: `catchword status {id}`", open.len() - tasks));
    }
    match detail.failing.as_deref().unwrap_or_default() {
        [] => {}
        failing if is_one => {
            for (n, command) in failing.iter().enumerate() {
                row(if n == 0 { "failing" } else { "" }, command);
            }
        }
        [first] => row("failing", first),
        [first, more @ ..] => row("failing", &format!("{first} (and {} more)", more.len())),
    }
    row("recorded", &counts_of(session, is_one, now));
    if let Some(compaction) = &detail.last_compaction {
        row("compacted", &compacted(session, compaction, now));
    }
    for cut in session.timeline.iter().flat_map(|timeline| &timeline.compactions) {
        row("", &one_compaction(cut));
    }
    if let Some(compaction) = &detail.last_compaction {
        let found = if is_one { usize::MAX } else { FOUND };
        for (n, finding) in worst(compaction).into_iter().take(found).enumerate() {
            row(if n == 0 { "differs" } else { "" }, &format!("{}: {}", finding.kind.name(), finding.text));
        }
    }
    let tokens = session.timeline.as_ref().map(|timeline| timeline.tokens);
    if let Some(tokens) = tokens.filter(|tokens| tokens.answers > 0) {
        row("tokens", &spent(tokens));
    }
    if is_one {
        row("file", &env.show(&session.transcript));
        if let Some(handoff) = &detail.handoff {
            row("handoff", &env.show(Path::new(handoff)));
        }
    }
    lines.join("\n")
}

/// Sessions in a line each: id, age, state, project, title.
fn list(sessions: &[&SessionDocument], everywhere: bool, now: i64, ui: &Ui) -> String {
    let cells: Vec<[String; 4]> = sessions.iter().map(|session| cells(session, everywhere, now)).collect();
    let widths: [usize; 4] =
        std::array::from_fn(|at| cells.iter().map(|row| width(&row[at])).max().unwrap_or(0));
    let line = |(session, row): (&&SessionDocument, &[String; 4])| {
        let mut line = String::new();
        for (cell, columns) in row.iter().zip(widths).filter(|(_, columns)| *columns > 0) {
            line.push_str(&padded(cell, columns));
            line.push_str("  ");
        }
        let gone = where_it_is(session).map(|gone| format!("({gone}) ")).unwrap_or_default();
        let title = session.title.as_deref().unwrap_or("(no request yet)");
        fit(&format!("{line}{}{gone}{}", mark(&session.client), squashed(title)), ui.width())
    };
    sessions.iter().zip(&cells).map(line).collect::<Vec<_>>().join("\n")
}

fn cells(session: &SessionDocument, everywhere: bool, now: i64) -> [String; 4] {
    let state = if is_left(session) { "unfinished" } else { session.state.word() };
    let age = if session.active_at > 0 { ago(now - session.active_at) } else { "–".to_owned() };
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

fn is_left(session: &SessionDocument) -> bool {
    session.unfinished && is_over(session)
}

/// Nobody works in it any more.
fn is_over(session: &SessionDocument) -> bool {
    matches!(session.state, SessionState::Stopped | SessionState::Over)
}

/// The client, unless it is the one that most people have.
fn mark(client: &str) -> String {
    let name = clients::named(client).filter(|client| client.name != CLIENTS[0].name);
    name.map(|client| format!("{}, ", client.phrases.name)).unwrap_or_default()
}

/// "waiting for you, 3 min ago", "stopped unfinished 2 days ago".
fn state(session: &SessionDocument, age: &str) -> String {
    let how = if session.unfinished { " unfinished" } else { "" };
    match session.state {
        SessionState::Working => format!("working, {age}"),
        SessionState::Silent => format!("silent (killed, or a long step), {age}"),
        SessionState::Waiting => format!("waiting for you, {age}"),
        SessionState::Interrupted => format!("interrupted by you, {age}"),
        SessionState::Stopped if session.client_exited => {
            format!("stopped{how} {age} (its client exited)")
        }
        SessionState::Stopped => format!("stopped{how} {age}"),
        SessionState::Over => format!("ended{how} {age}"),
    }
}

/// `None` before the first answer, and after a compaction of unknown size.
fn context(gauge: &ContextDocument, is_over: bool) -> Option<String> {
    let used = gauge.used.as_ref()?.tokens;
    let threshold = gauge.threshold.as_ref().map(|threshold| threshold.tokens).filter(|_| !is_over);
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
fn numbers(gauge: &ContextDocument, is_over: bool) -> Vec<(&'static str, String)> {
    let row = |number: Option<u64>, from: &str| {
        let number = number.map_or_else(|| "unknown".to_owned(), grouped);
        format!("{number:>9}  {from}").trim_end().to_owned()
    };
    let measured = |count: &Option<TokensDocument>, unknown: &str| match count {
        Some(count) => row(Some(count.tokens), &count.from),
        None => row(None, unknown),
    };
    let no_answer =
        if gauge.compacted { "compacted, no answer since" } else { "no answer with a token count yet" };
    let no_window = gauge.model.as_deref().map(|model| {
        let larger = if gauge.may_be_larger { " (a larger one may be in use)" } else { "" };
        format!("not known for {model}{larger}; `catchword init --statusline` would show it")
    });
    if is_over {
        return vec![("used", measured(&gauge.used, no_answer))];
    }
    let left = gauge.left.map(|left| format!("{}% of the threshold", left.percent)).unwrap_or_default();
    vec![
        ("used", measured(&gauge.used, no_answer)),
        ("window", measured(&gauge.window, no_window.as_deref().unwrap_or("no model seen yet"))),
        ("threshold", measured(&gauge.threshold, "the window is not known")),
        ("left", row(gauge.left.map(|left| left.tokens), &left)),
    ]
}

/// Where its transcript is, if not here.
fn where_it_is(session: &SessionDocument) -> Option<String> {
    match &session.machine {
        Some(machine) => Some(format!("on {machine}")),
        None => (!session.transcript_exists).then(|| "transcript gone".to_owned()),
    }
}

fn counts_of(session: &SessionDocument, is_one: bool, now: i64) -> String {
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
    counts.extend(where_it_is(session));
    if let Some(point) = &session.detail.last_checkpoint {
        let at = point.used.map(|used| format!(" at {}", rounded(used))).unwrap_or_default();
        counts.push(format!("state saved {}{at}", ago(now - point.at)));
    }
    counts.join(", ")
}

fn compacted(session: &SessionDocument, compaction: &CompactionDocument, now: i64) -> String {
    let tokens = match (compaction.tokens_before, compaction.tokens_after) {
        // Each is listed below.
        _ if session.timeline.is_some() => String::new(),
        (Some(before), Some(after)) => format!(", {} → {} tokens", rounded(before), rounded(after)),
        (Some(before), None) => format!(" at {} tokens", rounded(before)),
        _ => String::new(),
    };
    let when = compaction
        .begun_at
        .map_or_else(|| count_of(session.compactions as usize, "time"), |at| ago(now - at));
    let way = if compaction.is_manual() { " (manual)" } else { "" };
    let brief = match (&compaction.arrived_by, compaction.brief_characters) {
        (Some(_), _) => "; brief arrived",
        (None, Some(_)) => "; brief not seen",
        (None, None) => "",
    };
    format!("{when}{way}{tokens}{}{brief}", lost(compaction))
}

/// "2  L812  automatic, 170k → 20k tokens".
fn one_compaction(cut: &CompactionDocument) -> String {
    let how = if cut.is_manual() { "manual" } else { "automatic" };
    let size = |tokens: Option<u64>| tokens.map_or_else(|| "?".to_owned(), rounded);
    let tokens = match (cut.tokens_before, cut.tokens_after) {
        (None, None) => String::new(),
        (before, after) => format!(", {} → {} tokens", size(before), size(after)),
    };
    let number = cut.number.map_or_else(|| "–".to_owned(), |number| number.to_string());
    let place = cut.line.map(|line| format!("  L{}", line + 1)).unwrap_or_default();
    format!("{number}{place}  {how}{tokens}")
}

fn spent(totals: TokenTotals) -> String {
    format!(
        "{} in (with what was cached), {} out, in {}",
        rounded(totals.input),
        rounded(totals.output),
        count_of(totals.answers as usize, "answer")
    )
}

/// What the summary left out and got wrong, in the numbers of `catchword lost`.
fn lost(compaction: &CompactionDocument) -> String {
    let left_out = compaction.carried.filter(|carried| carried.lost > 0);
    let left_out =
        left_out.map(|carried| format!("{} of {} left out", carried.lost, carried.kept + carried.lost));
    let differs = match &compaction.summary_broken {
        Some(_) => Some("the summary is broken".to_owned()),
        None => compaction.differs().filter(|differs| *differs > 0).map(|differs| format!("{differs} wrong")),
    };
    let said: Vec<String> = left_out.into_iter().chain(differs).collect();
    if said.is_empty() { String::new() } else { format!("; {}", said.join(", ")) }
}

/// Errors before omissions: what is wrong misleads, what is left out is only missing.
fn worst(compaction: &CompactionDocument) -> Vec<&FindingDocument> {
    let mut found: Vec<&FindingDocument> = compaction.findings.iter().flatten().collect();
    found.sort_by_key(|finding| finding.kind);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gauge(used: u64, threshold: Option<u64>) -> ContextDocument {
        let tokens = |tokens| TokensDocument { tokens, source: "rule", from: String::new(), line: None };
        ContextDocument {
            used: Some(tokens(used)),
            threshold: threshold.map(tokens),
            ..ContextDocument::default()
        }
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
        assert_eq!(context(&ContextDocument::default(), false), None);
        let unknown = context(&gauge(120_000, None), false).unwrap();
        assert_eq!(unknown, "120k tokens; this model's limit is not known");
    }
}
