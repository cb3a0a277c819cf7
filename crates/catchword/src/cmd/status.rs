//! `catchword status`: the sessions of this project, or of all, and how each stands.

mod points;
mod told;
mod view;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use catchword_engine::archive::history::query::{moment, not_a_time};
use catchword_engine::model::event::short_id;
use catchword_engine::ops::read::Which;
use catchword_engine::ops::read::compaction::Comparisons;
use catchword_engine::ops::read::session::{
    SessionScope, SessionsDocument, SessionsRequest, session, sessions,
};
use catchword_engine::text::numbers::count_of;

use crate::app::archive::SyncLag;
use crate::app::env::Env;
use crate::app::page::ServedPage;
use crate::app::read::{fresh_reader, reader_for};
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Sessions shown in detail.
const IN_DETAIL: usize = 3;
/// Sessions listed below them.
const LISTED: usize = 10;
/// Most sessions with details in JSON: each costs a look into its transcript.
const IN_DETAIL_JSON: usize = 50;
/// Refresh interval of `--watch`.
const EVERY: Duration = Duration::from_secs(2);
/// The documented fields.
const JSON: &str = "\
With --json, a list of sessions, latest first. Times are in milliseconds since
1970; null means not known.
  id, client, cwd, project  the session and where it runs
  transcript                its file; transcript_exists says whether it is there
  title                     the first request
  state, unfinished         working, silent, waiting, interrupted, stopped
                            (client_exited: its client ended) or ended
  first_at, active_at       when it began, and last did something
  machine, person           the machine that recorded it, and whose it is; null
                            for this one
  lines, entries, prompts, calls, compactions, subagents
                            how many; entries: indexed items
The latest 50 also have (the others: null):
  context                   model; used, window and threshold, each with tokens,
                            source, from and line; left, with tokens and percent;
                            compacted (no answer since), may_be_larger (window)
  branch                    the git branch that its latest rows name
  asked                     the first request and the latest
  open, failing             unfinished work, commands that fail
  last_checkpoint           the latest of --points
  handoff                   path of the handoff
  last_compaction           as in `catchword lost --json`
With SESSION or --transcript also (else null):
  timeline                  tokens of all answers: input (with what was cached),
                            output, answers; fill of the context, each with line,
                            at and tokens; compactions as in `catchword lost
                            --json`, prompts and subagents, oldest first

With --points --json, a list of sessions with id and points: name, at, threshold
(`left 15%`), reason, used, left, line, compaction.

With --told --json, told (latest first: session, address, kind, at, text,
command, names, used, passed, calls, watch) and the sums of each kind.";

/// Show this project's sessions: state, context, open work
///
/// The latest three in detail, earlier ones in a line each. With SESSION or --transcript, everything about that one,
/// including where each number of its context comes from.
///
/// A session is working, silent (no sign of work for ten minutes in the middle of a turn), waiting for you, interrupted by
/// you, stopped (its client exited without ending it, or it broke off a day or more ago) or ended. One that was left in the
/// middle of a turn, or with open tasks, is unfinished.
///
/// "This project" is the work tree you are in; outside of one, this folder and those below it. How far off a
/// compaction is depends on environment variables of the client: run `catchword status` in the shell that starts it.
#[derive(clap::Args, Default)]
#[command(after_long_help = JSON)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Args {
    /// One session, by the start of its id
    #[arg(value_name = "SESSION", conflicts_with_all = ["transcript", "all", "project", "since"])]
    session: Option<String>,
    /// Any transcript file instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["all", "project", "since", "points"])]
    transcript: Option<PathBuf>,
    /// Every session of every project, in a line each
    #[arg(long, conflicts_with = "project")]
    all: bool,
    /// Sessions whose folder has this in its path
    #[arg(long, value_name = "PATH")]
    project: Option<String>,
    /// Sessions that did something since then (2d, 3h, 2026-11-01)
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Refresh every two seconds until Ctrl-C
    #[arg(long)]
    watch: bool,
    /// List the points at which the state was saved, and why; `catchword brief --at P3` shows one
    #[arg(long, conflicts_with = "watch")]
    points: bool,
    /// List what agents were told at starts and failures, and what happened next
    #[arg(long, conflicts_with_all = ["watch", "points", "transcript"])]
    told: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "watch")]
    json: bool,
}

/// Prints one screen, or a new one again and again.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    if args.points {
        return points::run(args, env, ui);
    }
    if args.told {
        return told::run(args, env, ui);
    }
    let mut compared = Comparisons::default();
    if args.watch && ui.is_terminal() {
        loop {
            let seen = look(args, env, &mut compared)?;
            let screen = if seen.sessions.is_empty() {
                nothing(&seen, args)
            } else {
                view::screen(&seen, args, env, ui)
            };
            ui.redraw(&format!("{screen}\n\n{}", ui.dim("refreshed every 2 s; Ctrl-C to stop")));
            std::thread::sleep(EVERY);
        }
    }
    if args.watch {
        ui.say("--watch needs a terminal; showing the status once.");
    }
    let seen = look(args, env, &mut compared)?;
    if args.json {
        ui.line(serde_json::to_string_pretty(&seen.sessions)?);
    } else if seen.sessions.is_empty() {
        ui.say(ui.paragraph(&nothing(&seen, args)));
    } else {
        ui.line(view::screen(&seen, args, env, ui));
        ui.say(format!("\n{}", ui.paragraph(&next_steps(&seen, args))));
        // An agent that knew the address could read other projects.
        if let Some(page) = ServedPage::running(env).filter(|_| !env.in_agent) {
            let one = seen.sessions.first().filter(|_| args.is_one());
            let view = one.map_or_else(|| "/".to_owned(), |one| format!("/session/{}", one.id));
            ui.say(format!("The page: {}", page.address(&view)));
        }
    }
    for (caller, calls) in seen.strangers.iter().filter(|_| !args.json) {
        let calls = count_of(*calls as usize, "time");
        ui.say(ui.paragraph(&format!("Called by {caller} {calls}; not supported yet.")));
    }
    if let Some(lag) = SyncLag::look(env).filter(|_| !args.json && !args.is_one()) {
        ui.say(ui.paragraph(&lag.in_words(env.now())));
    }
    Ok(Exit::Ok)
}

impl Args {
    /// Whether one session is meant.
    fn is_one(&self) -> bool {
        self.session.is_some() || self.transcript.is_some()
    }

    /// Whether sessions may be from several projects.
    fn is_everywhere(&self) -> bool {
        self.all || self.project.is_some()
    }

    /// Which sessions are meant.
    fn request(&self, detailed: usize, most: usize, env: &Env) -> anyhow::Result<SessionsRequest> {
        let scope = match &self.project {
            _ if self.all => SessionScope::Everywhere,
            Some(part) if part != "." => SessionScope::Folder(part.clone()),
            _ => SessionScope::Here,
        };
        let since = self.since.as_deref().map(|text| since(text, env)).transpose()?;
        Ok(SessionsRequest { scope, since, detailed, most })
    }
}

/// `compared` is handed from one look to the next.
fn look(args: &Args, env: &Env, compared: &mut Comparisons) -> anyhow::Result<SessionsDocument> {
    if args.is_one() {
        let which = Which::of(args.session.as_deref(), args.transcript.as_deref());
        let reader = if args.transcript.is_some() { reader_for(which, env)? } else { fresh_reader(env)? };
        let sessions = vec![session(&reader, which)?];
        return Ok(SessionsDocument { sessions, ..SessionsDocument::default() });
    }
    let (detailed, most) = match () {
        () if args.json => (IN_DETAIL_JSON, usize::MAX),
        () if args.all => (0, usize::MAX),
        () => (IN_DETAIL, IN_DETAIL + LISTED),
    };
    let reader = fresh_reader(env)?;
    reader.compared.replace(std::mem::take(compared));
    let seen = sessions(&reader, &args.request(detailed, most, env)?)?;
    *compared = reader.compared.into_inner();
    Ok(seen)
}

fn since(text: &str, env: &Env) -> anyhow::Result<i64> {
    moment(text, env.now()).with_context(|| not_a_time(text))
}

/// What else there is to see.
fn next_steps(seen: &SessionsDocument, args: &Args) -> String {
    match seen.sessions.as_slice() {
        [one] if args.session.is_some() => {
            let id = short_id(&one.id);
            format!("`catchword brief {id}` shows what its agent would be told, `catchword lost {id}` what its compactions lost.")
        }
        _ if args.transcript.is_some() => "`catchword brief --transcript FILE` shows what its agent would be told.".to_owned(),
        _ => "`catchword status SESSION` shows one in full, `catchword brief SESSION` what its agent would be told, \
              `catchword lost SESSION` what its compactions lost."
            .to_owned(),
    }
}

fn nothing(seen: &SessionsDocument, args: &Args) -> String {
    let none = if args.since.is_some() || args.project.is_some() {
        "No sessions match"
    } else {
        "No sessions in this folder"
    };
    match seen.others {
        0 => "No session recorded yet. `catchword init` sets up the hooks, `catchword index` takes in existing \
              transcripts, `catchword doctor` checks whether hooks are called."
            .to_owned(),
        n => format!("{none}; {} in all (`catchword status --all`).", count_of(n, "session")),
    }
}
