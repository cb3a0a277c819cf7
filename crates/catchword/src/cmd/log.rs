//! `catchword log`: the record of compactions.

use std::time::Duration;

use anyhow::Context;
use catchword_engine::store::{Recorded, Store};
use serde::Serialize;

use super::target;
use crate::env::Env;
use crate::exit::Exit;
use crate::ui::Ui;

/// List the compactions that hooks have seen, latest first: size, brief, and whether it arrived
#[derive(clap::Args)]
pub struct Args {
    /// Only those of one session, by the start of its id
    #[arg(value_name = "SESSION")]
    session: Option<String>,
    /// Print them as JSON
    #[arg(long)]
    json: bool,
}

/// Prints a line a compaction.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let folder = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    let session = args.session.as_deref().map(|start| target::recorded(Some(start), env)).transpose()?;
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
        ui.line(ui.dim("when                  session   trigger  tokens         summary  brief  arrived"));
        for compaction in &all {
            ui.line(row(compaction));
        }
    }
    Ok(Exit::Ok)
}

fn row(compaction: &Recorded) -> String {
    let when = jiff::Timestamp::from_millisecond(compaction.begun_at).unwrap_or_default();
    let id: String = compaction.session.chars().take(8).collect();
    let trigger = if compaction.manual { "/compact" } else { "auto" };
    let tokens = match (compaction.before, compaction.after) {
        (Some(before), Some(after)) => format!("{}k → {}k", before / 1_000, after / 1_000),
        (Some(before), None) => format!("{}k", before / 1_000),
        _ => "–".to_owned(),
    };
    let count = |n: Option<usize>| n.map_or("–".to_owned(), |n| n.to_string());
    let (summary, brief) = (count(compaction.summary), count(compaction.brief));
    format!("{when:.0}  {id:<8}  {trigger:<8} {tokens:<13} {summary:>8} {brief:>6}  {}", arrived(compaction))
}

fn arrived(compaction: &Recorded) -> String {
    match (&compaction.arrived_by, compaction.resent, compaction.brief) {
        (Some(event), false, _) => format!("by {event}"),
        (Some(event), true, _) => format!("by {event}, sent again"),
        (None, true, _) => "sent again".to_owned(),
        (None, false, Some(_)) => "not seen yet".to_owned(),
        (None, false, None) => "nothing was given".to_owned(),
    }
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
    brief_characters: Option<usize>,
    arrived_by: Option<&'a str>,
    resent: bool,
}

fn view(compaction: &Recorded) -> CompactionView<'_> {
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
        brief_characters: compaction.brief,
        arrived_by: compaction.arrived_by.as_deref(),
        resent: compaction.resent,
    }
}
