//! `catchword sessions`: lists recorded sessions.

use catchword_engine::archive::history::query::moment;
use catchword_engine::model::event::short_id;
use catchword_engine::ops::sessions::ListedSession;
use catchword_engine::ops::status::SessionState;
use catchword_engine::text::numbers::count_of;
use serde::Serialize;

use crate::app::env::Env;
use crate::app::sessions::Databases;
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::{fit, width};

/// Sessions that are listed by default.
const MAX_LISTED: usize = 30;

/// List sessions, latest first: what was asked, where, how long, how it stands
///
/// Those that hooks have recorded and those that `catchword index` took in. How each stands is
/// what `catchword status` says of it: working; silent, which should be working and is not heard of; waiting for you;
/// interrupted by you; gone, whose client no longer runs and never told of an end; ended. Those of the last two kinds
/// that were left in the middle of a turn, or with open tasks, are marked unfinished.
#[derive(clap::Args)]
pub struct Args {
    /// Only those whose folder has this in its path; `.` for this folder
    #[arg(long, value_name = "PATH")]
    project: Option<String>,
    /// Only those that something was heard of since (2d, 3h, 2026-11-01)
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// List all of them, not only the latest 30
    #[arg(long)]
    all: bool,
    /// Print them as JSON
    #[arg(long)]
    json: bool,
}

/// Prints two lines per session.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let since = args.since.as_deref().map(|text| since(text, env)).transpose()?;
    let sessions = Databases::open_fresh(env)?.sessions(env)?;
    let known = sessions.len();
    let fits = |session: &ListedSession| {
        since.is_none_or(|since| session.last_at >= since)
            && args.project.as_deref().is_none_or(|project| is_of(session, project, env))
    };
    let mut fitting: Vec<ListedSession> = sessions.into_iter().filter(fits).collect();
    let hidden = if args.all || args.json { 0 } else { fitting.len().saturating_sub(MAX_LISTED) };
    fitting.truncate(fitting.len() - hidden);
    if args.json {
        let views: Vec<SessionView> = fitting.iter().map(view).collect();
        ui.line(serde_json::to_string_pretty(&views)?);
    } else if known == 0 {
        ui.say(ui.paragraph(
            "No session recorded yet. `catchword doctor` says whether the hooks are called, `catchword index` takes in \
             transcripts that are there already.",
        ));
    } else if fitting.is_empty() {
        ui.say(format!("None of {known} sessions fits. Leave out --project or --since to see them."));
    }
    if !args.json {
        for session in &fitting {
            print(session, env, ui);
        }
        if hidden > 0 {
            ui.say(format!("… and {hidden} more (--all)"));
        }
    }
    Ok(Exit::Ok)
}

fn since(text: &str, env: &Env) -> anyhow::Result<i64> {
    moment(text, env.now())
        .ok_or_else(|| anyhow::anyhow!("`{text}` is no time: give 2d, 3h, 2026-11-01, yesterday"))
}

fn is_of(session: &ListedSession, project: &str, env: &Env) -> bool {
    let Some(cwd) = &session.cwd else { return false };
    match project {
        "." => cwd.starts_with(&env.cwd) || env.cwd.starts_with(cwd),
        part => cwd.to_string_lossy().to_lowercase().contains(&part.trim_end_matches('/').to_lowercase()),
    }
}

fn print(session: &ListedSession, env: &Env, ui: &Ui) {
    let when = jiff::Timestamp::from_millisecond(session.last_at).unwrap_or_default().to_string();
    let when = when.get(..16).unwrap_or(&when).replace('T', " ");
    let id = short_id(&session.id);
    let project = session.cwd.as_deref().map(|cwd| env.show(cwd)).unwrap_or_default();
    let is_left = matches!(session.state, SessionState::Gone | SessionState::Over) && session.unfinished;
    let left = if is_left { ", unfinished" } else { "" };
    let gone = if session.there { "" } else { ", transcript gone" };
    let head = format!("{when}  {id:<8}  {:<11}  ", session.state.word());
    let room = ui.width().saturating_sub(width(&head));
    ui.line(format!("{}{}", ui.bold(&head), fit(&project, room)));
    let title = session.title.as_deref().unwrap_or("(nothing asked yet)");
    ui.line(format!("  {}", fit(title, ui.width() - 2)));
    let subagents = match session.subagents {
        0 => String::new(),
        n => format!(", {}", count_of(n as usize, "subagent")),
    };
    ui.line(ui.dim(&format!(
        "  {}, {}, {}, {}{subagents}{left}{gone}",
        count_of(session.lines as usize, "line"),
        count_of(session.prompts as usize, "prompt"),
        count_of(session.calls as usize, "call"),
        count_of(session.compactions as usize, "compaction"),
    )));
}

#[derive(Serialize)]
struct SessionView {
    id: String,
    title: Option<String>,
    state: &'static str,
    unfinished: bool,
    transcript: String,
    transcript_exists: bool,
    cwd: Option<String>,
    lines: u64,
    entries: u64,
    prompts: u64,
    calls: u64,
    compactions: u64,
    subagents: u64,
    first_at: Option<i64>,
    last_at: i64,
}

fn view(session: &ListedSession) -> SessionView {
    SessionView {
        id: session.id.clone(),
        title: session.title.clone(),
        state: session.state.word(),
        unfinished: session.unfinished,
        transcript: session.transcript.display().to_string(),
        transcript_exists: session.there,
        cwd: session.cwd.as_ref().map(|cwd| cwd.display().to_string()),
        lines: session.lines,
        entries: session.entries,
        prompts: session.prompts,
        calls: session.calls,
        compactions: session.compactions,
        subagents: session.subagents,
        first_at: session.first_at,
        last_at: session.last_at,
    }
}
