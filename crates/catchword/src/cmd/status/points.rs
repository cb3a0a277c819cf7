//! `catchword status --points`: the checkpoints of sessions on the way to a compaction, and why they were made.

use catchword_engine::model::event::short_id;
use catchword_engine::ops::read::session::{PointsDocument, saved_points};
use catchword_engine::text::numbers::{ago, rounded};

use super::{Args, IN_DETAIL_JSON};
use crate::app::env::Env;
use crate::app::read::reader;
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::fit_line;

/// Sessions shown.
const SESSIONS_SHOWN: usize = 5;
/// Latest points shown per session.
const POINTS_SHOWN: usize = 12;

/// Prints the points of the latest sessions here.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let most = if args.json { IN_DETAIL_JSON } else { SESSIONS_SHOWN };
    let sessions = saved_points(&reader(env)?, args.session.as_deref(), &args.request(0, most, env)?)?;
    if args.json {
        ui.line(serde_json::to_string_pretty(&sessions)?);
    } else if sessions.is_empty() {
        ui.say(ui.paragraph(
            "No saved points here yet. They are saved on the way to a compaction; `catchword config get checkpoints` says when.",
        ));
    } else {
        let blocks: Vec<String> = sessions.iter().map(|session| block(session, env.now(), ui)).collect();
        ui.line(blocks.join("\n\n"));
    }
    Ok(Exit::Ok)
}

fn block(session: &PointsDocument, now: i64, ui: &Ui) -> String {
    let mut lines = vec![ui.bold(short_id(&session.id))];
    let hidden = session.points.len().saturating_sub(POINTS_SHOWN);
    if hidden > 0 {
        lines.push(ui.dim(&format!("  … {hidden} earlier (--json)")));
    }
    for point in session.points.iter().skip(hidden) {
        let after = match point.compaction {
            0 => String::new(),
            n => format!(", after compaction {n}"),
        };
        let used = point.used.map(|used| format!("; {} used", rounded(used))).unwrap_or_default();
        let text = format!(
            "{:<5} {:<12} L{:<6} {}{used}{after}",
            point.name,
            ago(now - point.at),
            point.line,
            point.reason
        );
        lines.push(format!("  {}", fit_line(&text, ui.width().saturating_sub(2))));
    }
    lines.join("\n")
}
