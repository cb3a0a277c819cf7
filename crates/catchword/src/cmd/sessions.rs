//! `catchword sessions`: what has been recorded.

use std::time::Duration;

use anyhow::Context;
use catchword_engine::store::{Listed, Store};
use serde::Serialize;

use crate::env::Env;
use crate::exit::Exit;
use crate::ui::Ui;

/// List the sessions that hooks have recorded, latest first
#[derive(clap::Args)]
pub struct Args {
    /// Print them as JSON
    #[arg(long)]
    json: bool,
}

/// Prints one line a session.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let folder = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    let store = Store::open_existing(folder, Duration::from_secs(2))?;
    let sessions = store.map(|s| s.sessions()).transpose()?.unwrap_or_default();
    if args.json {
        let views: Vec<SessionView> = sessions.iter().map(view).collect();
        ui.line(serde_json::to_string_pretty(&views)?);
    } else if sessions.is_empty() {
        ui.say("No session recorded yet. `catchword doctor` says whether the hooks are called.");
    } else {
        for session in &sessions {
            ui.line(row(session, env));
        }
    }
    Ok(Exit::Ok)
}

fn row(session: &Listed, env: &Env) -> String {
    let when = jiff::Timestamp::from_millisecond(session.last_at).unwrap_or_default();
    let id: String = session.id.chars().take(8).collect();
    let project = session.cwd.as_deref().map(|cwd| env.show(cwd)).unwrap_or_default();
    let compactions = match session.compactions {
        1 => "1 compaction ".to_owned(),
        n => format!("{n} compactions"),
    };
    format!("{when:.0}  {id:<8}  {:>6} entries  {compactions}  {project}", session.entries)
}

#[derive(Serialize)]
struct SessionView {
    id: String,
    transcript: String,
    cwd: Option<String>,
    entries: u64,
    compactions: u64,
    last_at: i64,
}

fn view(session: &Listed) -> SessionView {
    SessionView {
        id: session.id.clone(),
        transcript: session.transcript.display().to_string(),
        cwd: session.cwd.as_ref().map(|cwd| cwd.display().to_string()),
        entries: session.entries,
        compactions: session.compactions,
        last_at: session.last_at,
    }
}
