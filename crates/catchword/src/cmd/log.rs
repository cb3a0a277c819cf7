//! `catchword log`: the record of compactions.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use catchword_engine::model::event::short_id;
use catchword_engine::model::finding::{Finding, FindingKind};
use catchword_engine::store::{Recorded, Store};
use catchword_engine::text::numbers::{duration, rounded};
use jiff::Timestamp;
use serde::Serialize;

use super::audit::FindingView;
use crate::app::env::Env;
use crate::app::sessions;
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// List the compactions that hooks have seen: what the summary lost, what was given back, whether it arrived
///
/// One line each, by session, latest first. "lost" counts what the summary dropped/contradicts/mutated/invented, as
/// far as that is sure enough to be told; `catchword audit` shows it. "items" is how many the brief gave back,
/// "took" what all hooks of the compaction took together. A dash means that it was not recorded.
#[derive(clap::Args)]
pub struct Args {
    /// Only those of one session, by the start of its id
    #[arg(value_name = "SESSION")]
    session: Option<String>,
    /// Print them as JSON, with every finding
    #[arg(long)]
    json: bool,
}

/// Prints a line a compaction.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let folder = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    let session = args.session.as_deref().map(|start| sessions::recorded(Some(start), env)).transpose()?;
    let store = Store::open_existing(folder, Duration::from_secs(2))?;
    let all = store
        .map(|s| s.compactions(session.as_ref().map(|s| s.id.as_str())))
        .transpose()?
        .unwrap_or_default();
    if args.json {
        let views: Vec<CompactionView> = all.iter().map(view).collect();
        ui.line(serde_json::to_string_pretty(&views)?);
    } else if all.is_empty() {
        ui.say("No compaction recorded yet. `catchword try` shows what one would lose.");
    } else {
        table(&all, env, ui);
    }
    Ok(Exit::Ok)
}

/// Sessions in the order of their latest compaction.
fn table(all: &[Recorded], env: &Env, ui: &Ui) {
    let mut sessions: Vec<&str> = Vec::new();
    for compaction in all {
        if !sessions.contains(&compaction.session.as_str()) {
            sessions.push(&compaction.session);
        }
    }
    for (at, session) in sessions.into_iter().enumerate() {
        let of = || all.iter().filter(|c| c.session == session);
        let folder = of().find_map(|c| c.cwd.as_deref()).map(|cwd| env.show(Path::new(cwd)));
        let id = short_id(session);
        ui.line(format!("{}{}  {}", if at > 0 { "\n" } else { "" }, ui.bold(id), folder.unwrap_or_default()));
        ui.line(ui.dim(&columns([
            "when (UTC)",
            "trigger",
            "tokens",
            "summary",
            "lost",
            "items",
            "took",
            "arrived by",
        ])));
        of().for_each(|compaction| ui.line(row(compaction, env.now())));
    }
    ui.say(ui.dim(&ui.paragraph(
        "lost: dropped/contradicted/mutated/invented by the summary; `catchword audit SESSION --at N` shows what. \
         items: given back in the brief.",
    )));
}

fn row(compaction: &Recorded, now: i64) -> String {
    let trigger = if compaction.manual { "manual" } else { "auto" };
    let tokens = match (compaction.before, compaction.after) {
        (Some(before), Some(after)) => format!("{}→{}", rounded(before), rounded(after)),
        (Some(before), None) => rounded(before),
        _ => "–".to_owned(),
    };
    let summary = compaction.summary.map_or("–".to_owned(), |n| rounded(n as u64));
    let lost = compaction.findings.as_deref().map_or("–".to_owned(), |found| {
        let kinds =
            [FindingKind::Dropped, FindingKind::Contradicted, FindingKind::Mutated, FindingKind::Invented];
        kinds.map(|kind| count(found, kind).told.to_string()).join("/")
    });
    let given = compaction.items.map_or("–".to_owned(), |n| n.to_string());
    let took = compaction.micros.map_or("–".to_owned(), duration);
    let when = when(compaction.begun_at, now);
    columns([&when, trigger, &tokens, &summary, &lost, &given, &took, arrived(compaction)])
}

fn columns([when, trigger, tokens, summary, lost, given, took, by]: [&str; 8]) -> String {
    let line =
        format!("{when:<11}  {trigger:<7}  {tokens:<9} {summary:>7}  {lost:<8}{given:>5} {took:>6}  {by}");
    line.trim_end().to_owned()
}

/// To the minute; what is older than half a year by its year instead.
fn when(at: i64, now: i64) -> String {
    const HALF_A_YEAR: i64 = 183 * 24 * 3_600_000;
    let format = if (now - at).abs() < HALF_A_YEAR { "%m-%d %H:%M" } else { "%Y-%m-%d" };
    Timestamp::from_millisecond(at).unwrap_or_default().strftime(format).to_string()
}

/// The event by which it came; one that had to be sent again came by another than the start.
fn arrived(compaction: &Recorded) -> &str {
    match (&compaction.arrived_by, compaction.resent, compaction.brief) {
        (Some(event), ..) => event,
        (None, true, _) => "sent again",
        (None, false, Some(_)) => "not seen yet",
        (None, false, None) => "–",
    }
}

fn count(findings: &[Finding], kind: FindingKind) -> CountView {
    let of = || findings.iter().filter(|f| f.kind == kind);
    CountView { told: of().filter(|f| f.is_told()).count(), all: of().count() }
}

#[derive(Serialize)]
struct CompactionView<'a> {
    session: &'a str,
    cwd: Option<&'a str>,
    begun_at: i64,
    ended_at: Option<i64>,
    trigger: &'static str,
    line: u32,
    tokens_before: Option<u64>,
    tokens_after: Option<u64>,
    summary_characters: Option<usize>,
    dropped: Option<CountView>,
    contradicted: Option<CountView>,
    mutated: Option<CountView>,
    invented: Option<CountView>,
    items_given_back: Option<usize>,
    brief_characters: Option<usize>,
    arrived_by: Option<&'a str>,
    resent: bool,
    told_later_at: Option<i64>,
    micros: Option<i64>,
    findings: Option<Vec<FindingView<'a>>>,
}

/// How many were found, and how many of them are sure enough to be told.
#[derive(Clone, Copy, Serialize)]
struct CountView {
    told: usize,
    all: usize,
}

fn view(compaction: &Recorded) -> CompactionView<'_> {
    let counted = |kind| compaction.findings.as_deref().map(|found| count(found, kind));
    CompactionView {
        session: &compaction.session,
        cwd: compaction.cwd.as_deref(),
        begun_at: compaction.begun_at,
        ended_at: compaction.ended_at,
        trigger: if compaction.manual { "manual" } else { "auto" },
        line: compaction.line,
        tokens_before: compaction.before,
        tokens_after: compaction.after,
        summary_characters: compaction.summary,
        dropped: counted(FindingKind::Dropped),
        contradicted: counted(FindingKind::Contradicted),
        mutated: counted(FindingKind::Mutated),
        invented: counted(FindingKind::Invented),
        items_given_back: compaction.items,
        brief_characters: compaction.brief,
        arrived_by: compaction.arrived_by.as_deref(),
        resent: compaction.resent,
        told_later_at: compaction.late_at,
        micros: compaction.micros,
        findings: compaction.findings.as_ref().map(|all| all.iter().map(FindingView::new).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The longest that a column holds.
    fn largest() -> Recorded {
        let finding = Finding {
            kind: FindingKind::Dropped,
            fact: catchword_engine::model::finding::FindingSubject::Task,
            text: "x".into(),
            place: None,
            summary_quote: None,
            confidence: 0.9,
        };
        Recorded {
            session: "11111111-1111".into(),
            cwd: None,
            begun_at: 1_767_268_800_000,
            ended_at: None,
            manual: true,
            line: 812,
            before: Some(1_234_567),
            after: Some(123_456),
            summary: Some(99_999),
            brief: Some(6_000),
            arrived_by: Some("UserPromptSubmit".into()),
            resent: true,
            items: Some(123),
            micros: Some(876_543),
            findings: Some(vec![finding; 12]),
            late_at: None,
        }
    }

    #[test]
    fn a_line_fits_into_80_columns_and_keeps_its_columns() {
        let now = 1_767_268_800_000;
        let wide = row(&largest(), now);
        assert_eq!(wide, "01-01 12:00  manual   1.2M→123k    100k  12/0/0/0  123 877 ms  UserPromptSubmit");
        assert!(wide.chars().count() <= 80, "{}", wide.chars().count());
        // Recorded by a version that knew nothing of findings.
        let old = Recorded {
            before: None,
            findings: None,
            items: None,
            micros: None,
            arrived_by: None,
            resent: false,
            summary: Some(812),
            ..largest()
        };
        let later = now + 300 * 24 * 3_600_000;
        assert_eq!(
            row(&old, later),
            "2026-01-01   manual   –             812  –           –      –  not seen yet"
        );
    }
}
