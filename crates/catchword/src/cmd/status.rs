//! `catchword status`: the sessions of this project, or of all, and how each stands.

mod json;
mod points;
mod view;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use catchword_engine::archive::history::query::{moment, not_a_time};
use catchword_engine::clients::Client;
use catchword_engine::model::event::short_id;
use catchword_engine::model::tokens::ClientLimits;
use catchword_engine::ops::history;
use catchword_engine::ops::record::TranscriptLines;
use catchword_engine::ops::sessions::{ListedSession, is_unfinished};
use catchword_engine::ops::status::{self, Cache, SessionStatus, StatusInputs};
use catchword_engine::store::Store;
use catchword_engine::text::numbers::count_of;

use crate::app::env::Env;
use crate::app::sessions::{Databases, Here, recorded};
use crate::app::{limits, models};
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
                            or ended
  first_at, active_at       when it began, and last did something
  lines, entries, prompts, calls, compactions, subagents
                            how many; entries: indexed items
The latest 50 also have (the others: null):
  context                   model; used, window and threshold, each with tokens,
                            source, from and line; left, with tokens and percent
  asked                     the first request and the latest
  open, failing             unfinished work, commands that fail
  last_checkpoint           at, used, left, threshold (`left 15%`)
  handoff                   path of the handoff
  last_compaction           begun_at, trigger, tokens_before, tokens_after,
                            brief_arrived_by, left_out, wrong, findings (as in
                            `catchword lost --json`)
With SESSION or --transcript also (else null):
  tokens                    of all answers: input (with what was cached), output,
                            answers; compactions, each with line, at, trigger,
                            before and after (what the client says, else the
                            nearest count)

With --points --json, a list of sessions with id and points: name, at, reason,
used, left, line, compaction.";

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
    /// Print JSON
    #[arg(long, conflicts_with = "watch")]
    json: bool,
}

/// Prints one screen, or a new one again and again.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    if args.points {
        return points::run(args, env, ui);
    }
    let mut cache = Cache::default();
    if args.watch && ui.is_terminal() {
        loop {
            let seen = look(args, env, &mut cache)?;
            let screen = if seen.is_empty() {
                nothing(&seen, args)
            } else {
                view::screen(&seen, is_one(args), env, ui)
            };
            ui.redraw(&format!("{screen}\n\n{}", ui.dim("refreshed every 2 s; Ctrl-C to stop")));
            std::thread::sleep(EVERY);
        }
    }
    if args.watch {
        ui.say("--watch needs a terminal; showing the status once.");
    }
    let seen = look(args, env, &mut cache)?;
    if args.json {
        ui.line(serde_json::to_string_pretty(&json::views(&seen))?);
    } else if seen.is_empty() {
        ui.say(ui.paragraph(&nothing(&seen, args)));
    } else {
        ui.line(view::screen(&seen, is_one(args), env, ui));
        ui.say(format!("\n{}", ui.paragraph(&next_steps(&seen, args))));
    }
    Ok(Exit::Ok)
}

fn is_one(args: &Args) -> bool {
    args.session.is_some() || args.transcript.is_some()
}

/// What is shown.
#[derive(Default)]
pub struct Seen {
    /// The latest, in detail.
    detailed: Vec<SessionStatus>,
    /// Those after them.
    listed: Vec<ListedSession>,
    /// How many more match.
    hidden: usize,
    /// Sessions that do not match.
    others: usize,
    /// Whether they may be from several projects.
    everywhere: bool,
    now: i64,
}

impl Seen {
    fn is_empty(&self) -> bool {
        self.detailed.is_empty() && self.listed.is_empty()
    }
}

fn look(args: &Args, env: &Env, cache: &mut Cache) -> anyhow::Result<Seen> {
    let known = Databases::open_fresh(env)?;
    let (mut matching, others) = matching(args, &known, env)?;
    let in_detail = match () {
        () if args.json => IN_DETAIL_JSON,
        () if args.all => 0,
        () => IN_DETAIL,
    };
    let mut listed = matching.split_off(in_detail.min(matching.len()));
    let hidden = if args.json || args.all { 0 } else { listed.len().saturating_sub(LISTED) };
    listed.truncate(listed.len() - hidden);
    let detail = |listed| detail(known.store.as_ref(), listed, is_one(args), env, cache);
    let detailed = matching.into_iter().map(detail).collect::<Result<_, _>>()?;
    let everywhere = args.all || args.project.is_some();
    Ok(Seen { detailed, listed, hidden, others, everywhere, now: env.now() })
}

fn detail(
    store: Option<&Store>,
    listed: ListedSession,
    in_full: bool,
    env: &Env,
    cache: &mut Cache,
) -> anyhow::Result<SessionStatus> {
    let limits = |client: &Client, folder: Option<&Path>| {
        let compaction = limits::compaction(env, client, folder);
        ClientLimits { compaction, ..env.of(client).limits }
    };
    let chosen = |client: &Client, folder: Option<&Path>| models::chosen(env, client, folder);
    let inputs = StatusInputs { now: env.now(), in_full, limits: &limits, chosen: &chosen };
    Ok(status::status(store, &env.mask, listed, &inputs, cache)?)
}

/// The sessions that match, latest first, and how many others there are.
fn matching(args: &Args, known: &Databases, env: &Env) -> anyhow::Result<(Vec<ListedSession>, usize)> {
    if let Some(path) = &args.transcript {
        return Ok((vec![of_file(path, env)?], 0));
    }
    if let Some(start) = &args.session {
        return Ok((vec![recorded(Some(start), env)?], 0));
    }
    let since = args.since.as_deref().map(|text| since(text, env)).transpose()?;
    let here = Here::new(env);
    let (matching, others): (Vec<_>, Vec<_>) = known.sessions(env)?.into_iter().partition(|s| {
        let is_meant = match &args.project {
            _ if args.all => true,
            Some(part) if part != "." => is_below(s, part),
            _ => here.has_or_holds(s.project.as_deref(), s.cwd.as_deref()),
        };
        is_meant && since.is_none_or(|since| s.last_at >= since)
    });
    Ok((matching, others.len()))
}

fn since(text: &str, env: &Env) -> anyhow::Result<i64> {
    moment(text, env.now()).with_context(|| not_a_time(text))
}

fn is_below(session: &ListedSession, part: &str) -> bool {
    let part = part.trim_end_matches('/').to_lowercase();
    session.cwd.as_ref().is_some_and(|cwd| cwd.to_string_lossy().to_lowercase().contains(&part))
}

/// A session of which only the file is known.
fn of_file(path: &Path, env: &Env) -> anyhow::Result<ListedSession> {
    let record = TranscriptLines::of_file(path);
    let session = record.fold(&env.mask, None).with_context(|| format!("cannot read {}", path.display()))?;
    anyhow::ensure!(session.entries > 0, "{} holds no conversation; is it a transcript?", path.display());
    Ok(ListedSession {
        id: path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
        client: record.client.name.to_owned(),
        title: session.asked().first().map(|prompt| prompt.text.clone()),
        transcript: path.to_owned(),
        there: true,
        lines: history::lines(path, &env.mask).unwrap_or(0).into(),
        prompts: session.asked().len() as u64,
        cwd: session.cwd.as_deref().map(PathBuf::from),
        last_at: session.time.unwrap_or_default(),
        unfinished: is_unfinished(&session),
        ..ListedSession::default()
    })
}

/// What else there is to see.
fn next_steps(seen: &Seen, args: &Args) -> String {
    match seen.detailed.as_slice() {
        [one] if args.session.is_some() => {
            let id = short_id(&one.listed.id);
            format!("`catchword brief {id}` shows what its agent would be told, `catchword lost {id}` what its compactions lost.")
        }
        _ if args.transcript.is_some() => "`catchword brief --transcript FILE` shows what its agent would be told.".to_owned(),
        _ => "`catchword status SESSION` shows one in full, `catchword brief SESSION` what its agent would be told, \
              `catchword lost SESSION` what its compactions lost."
            .to_owned(),
    }
}

fn nothing(seen: &Seen, args: &Args) -> String {
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
