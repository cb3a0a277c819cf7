//! `catchword status --points`: the checkpoints of sessions on the way to a compaction, and why they were made.

use catchword_engine::context::Threshold;
use catchword_engine::model::event::short_id;
use catchword_engine::store::Checkpoint;
use catchword_engine::text::numbers::{ago, rounded};
use serde::Serialize;

use super::{Args, IN_DETAIL_JSON, matching};
use crate::app::env::Env;
use crate::app::sessions::Databases;
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::fit_line;

/// Sessions shown.
const SESSIONS_SHOWN: usize = 5;
/// Latest points shown per session.
const POINTS_SHOWN: usize = 12;

/// Prints the points of the latest sessions here.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let known = Databases::open(env)?;
    let mut sessions = Vec::new();
    if let Some(store) = &known.store {
        let most = if args.json { IN_DETAIL_JSON } else { SESSIONS_SHOWN };
        for session in matching(args, &known, env)?.0.into_iter().take(most) {
            let points = store.checkpoints(&session.id)?;
            if !points.is_empty() {
                sessions.push((session.id, points));
            }
        }
    }
    if args.json {
        let views: Vec<PointsView> = sessions.iter().map(|(id, points)| view(id, points)).collect();
        ui.line(serde_json::to_string_pretty(&views)?);
    } else if sessions.is_empty() {
        ui.say(ui.paragraph(
            "No saved points here yet. They are saved on the way to a compaction; `catchword config get checkpoints` says when.",
        ));
    } else {
        let blocks: Vec<String> =
            sessions.iter().map(|(id, points)| block(id, points, env.now(), ui)).collect();
        ui.line(blocks.join("\n\n"));
    }
    Ok(Exit::Ok)
}

fn block(id: &str, points: &[Checkpoint], now: i64, ui: &Ui) -> String {
    let mut lines = vec![ui.bold(short_id(id))];
    let hidden = points.len().saturating_sub(POINTS_SHOWN);
    if hidden > 0 {
        lines.push(ui.dim(&format!("  … {hidden} earlier (--json)")));
    }
    for (n, point) in points.iter().enumerate().skip(hidden) {
        let name = format!("P{}", n + 1);
        let after = match point.compaction {
            0 => String::new(),
            n => format!(", after compaction {n}"),
        };
        let used = point.used.map(|used| format!("; {} used", rounded(used))).unwrap_or_default();
        let text = format!(
            "{name:<5} {:<12} L{:<6} {}{used}{after}",
            ago(now - point.at),
            point.line,
            reason(point)
        );
        lines.push(format!("  {}", fit_line(&text, ui.width().saturating_sub(2))));
    }
    lines.join("\n")
}

/// Why a checkpoint was made, in words.
fn reason(point: &Checkpoint) -> String {
    match Threshold::parse(&point.threshold) {
        Some(Threshold::Left(percent)) => format!("{percent}% left before a compaction"),
        Some(Threshold::Used(tokens)) => format!("{} tokens in the context", rounded(tokens)),
        None => point.threshold.clone(),
    }
}

#[derive(Serialize)]
struct PointsView<'a> {
    id: &'a str,
    points: Vec<PointView>,
}

#[derive(Serialize)]
struct PointView {
    name: String,
    at: i64,
    reason: String,
    used: Option<u64>,
    left: Option<u64>,
    line: u32,
    compaction: u32,
}

fn view<'a>(id: &'a str, points: &[Checkpoint]) -> PointsView<'a> {
    let one = |(n, point): (usize, &Checkpoint)| PointView {
        name: format!("P{}", n + 1),
        at: point.at,
        reason: reason(point),
        used: point.used,
        left: point.left,
        line: point.line,
        compaction: point.compaction,
    };
    PointsView { id, points: points.iter().enumerate().map(one).collect() }
}
