//! `catchword status`: the state of this project's sessions.

mod points;
mod view;

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use catchword_engine::clients::Client;
use catchword_engine::ops::status::{self, Cache, SessionStatus, StatusInputs};
use catchword_engine::store::{SessionRow, Store};

use crate::app::env::Env;
use crate::app::sessions::Here;
use crate::app::{host, models};
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Sessions on a screen.
const SESSIONS_SHOWN: usize = 5;
/// Most sessions in JSON.
const MAX_SESSIONS: usize = 50;
/// Refresh interval of `--watch`.
const EVERY: Duration = Duration::from_secs(2);
/// The documented fields.
const JSON: &str = "\
With --points --json, a list of sessions with id and points (name, at, reason, used, left, line, compaction).

With --json, a list of sessions, the latest first (times: milliseconds since 1970; null: not known):
  id, cwd, project, transcript  the session and where it is
  state                         working, silent, waiting, interrupted, gone, ended
  active_at, recorded_at        when it last did something, and was last recorded
  lines, entries, compactions   how many; entries are those in the index
  context                       used, window, threshold, left, percent_left
  asked                         the first request and the latest
  open, failing                 unfinished work, commands that fail
  last_checkpoint               at, threshold (`left 15%`, `used 120000`), used, left
  handoff                       the file
  last_compaction               begun_at, trigger, tokens_before, tokens_after, brief_arrived_by,
                                left_out, wrong, findings (as in `catchword lost --json`)";

/// Show how this project's sessions stand: working or waiting, context, open work, last compaction
///
/// For each of the latest sessions of this work tree (outside of one: of this folder and those below it): whether the
/// agent works or waits for you, how far the next compaction is, what was asked, what is open or failing, when it was
/// last recorded, the last checkpoint, and what the last compaction lost. How far a compaction is goes by the variables
/// of this shell: run it where the client was started.
#[derive(clap::Args)]
#[command(after_help = JSON)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Args {
    /// Sessions of other projects, too
    #[arg(long)]
    all: bool,
    /// Print them as JSON
    #[arg(long, conflicts_with = "watch")]
    json: bool,
    /// Draw it again every two seconds, until Ctrl-C
    #[arg(long)]
    watch: bool,
    /// List the points at which the state was saved, and why; `catchword brief --at P3` shows one
    #[arg(long, conflicts_with = "watch")]
    points: bool,
}

/// Prints one screen, or a new one again and again.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    if args.points {
        return points::run(args, env, ui);
    }
    let mut cache = Cache::default();
    if args.watch && ui.is_terminal() {
        loop {
            let screen = view::screen(&look(args, env, SESSIONS_SHOWN, &mut cache)?, env, ui);
            ui.redraw(&format!("{screen}\n\n{}", ui.dim("every 2 s; Ctrl-C ends")));
            std::thread::sleep(EVERY);
        }
    }
    if args.watch {
        ui.say("--watch needs a terminal; this is how it stands now.");
    }
    let most = if args.json { MAX_SESSIONS } else { SESSIONS_SHOWN };
    let seen = look(args, env, most, &mut cache)?;
    if args.json {
        ui.line(serde_json::to_string_pretty(&view::json(&seen.sessions))?);
    } else if seen.sessions.is_empty() {
        ui.say(ui.paragraph(&nothing(&seen)));
    } else {
        ui.line(view::screen(&seen, env, ui));
    }
    Ok(Exit::Ok)
}

/// What is shown.
pub struct Seen {
    sessions: Vec<SessionStatus>,
    /// Sessions that match, shown or not.
    all: usize,
    /// Sessions of other projects.
    elsewhere: usize,
    now: i64,
}

fn look(args: &Args, env: &Env, most: usize, cache: &mut Cache) -> anyhow::Result<Seen> {
    let folder = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    let now = env.now();
    let Some(store) = Store::open_existing(folder, Duration::from_secs(2))? else {
        return Ok(Seen { sessions: Vec::new(), all: 0, elsewhere: 0, now });
    };
    let (mut fitting, others) = listed(args, &store, env)?;
    let all = fitting.len();
    fitting.truncate(most);
    let limits = |client: &Client| env.of(client).limits;
    let chosen = |client: &Client, folder: Option<&Path>| models::chosen(env, client, folder);
    let inputs = StatusInputs { now, limits: &limits, chosen: &chosen, is_alive: &host::is_alive };
    let sessions = status::status(&store, &env.mask, fitting, &inputs, cache)?;
    Ok(Seen { sessions, all, elsewhere: others.len(), now })
}

/// The sessions that match, and the others.
fn listed(args: &Args, store: &Store, env: &Env) -> anyhow::Result<(Vec<SessionRow>, Vec<SessionRow>)> {
    let here = Here::new(env);
    let is_here = |s: &SessionRow| here.has_or_holds(s.project.as_deref(), s.cwd.as_deref());
    Ok(store.sessions()?.into_iter().partition(|s| args.all || is_here(s)))
}

fn nothing(seen: &Seen) -> String {
    match seen.elsewhere {
        0 => "Nothing recorded here yet. `catchword init` sets up the hooks; `catchword doctor` says whether they are called.".to_owned(),
        1 => "Nothing recorded of this folder; 1 session elsewhere (`catchword status --all`).".to_owned(),
        n => format!("Nothing recorded of this folder; {n} sessions elsewhere (`catchword status --all`)."),
    }
}
