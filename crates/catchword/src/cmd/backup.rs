//! `catchword backup`: compressed copies of whole transcripts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::Context;
use catchword_engine::archive::backup::{BackupList, Backups, Original, Pruned};
use catchword_engine::archive::history::TranscriptOwner;
use catchword_engine::clients;
use catchword_engine::model::event::short_id;
use catchword_engine::ops::rows;
use catchword_engine::text::numbers::{byte_size, count_of, grouped};
use catchword_engine::transcript;
use serde::Serialize;

use super::index;
use crate::app::backup::subagents_of;
use crate::app::config::Config;
use crate::app::env::Env;
use crate::app::host;
use crate::app::privacy::LeaveOutRules;
use crate::app::read::{reader, viewer};
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::{fit_end, width};

/// Back up transcripts, which the client deletes after a while
///
/// Hooks do it after every compaction and at the end of a session. This does it now: for one session with its subagents
/// (by default the latest of this folder), or for all. Only what is new is read and written; run it again at any time,
/// even after an interruption.
///
/// Secrets are masked line by line (docs/masking.md); every line keeps its number. `backup.keep_days`, `backup.max_mb` and
/// `backup.keep_last` in the settings limit what is kept.
#[derive(clap::Args)]
pub struct Args {
    /// A recorded session, by the start of its id
    #[arg(value_name = "SESSION", conflicts_with = "all")]
    session: Option<String>,
    /// Every transcript of every client
    #[arg(long)]
    all: bool,
    /// List the backups
    #[arg(long, conflicts_with_all = ["all", "session"])]
    list: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Seconds of a day.
const DAY: u64 = 86_400;

/// A transcript to back up.
struct BackupSource {
    thread: TranscriptOwner,
    path: PathBuf,
    project: Option<PathBuf>,
    bytes: u64,
}

/// Backs up, then applies the limits.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let data = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    let backups = Backups::at(data);
    if args.list {
        return list(args, &backups, env, ui);
    }
    let config = Config::load(env);
    let (wanted, mut problems, skipped) = if args.all { everything(env, &config)? } else { one(args, env)? };
    let lock = backups.lock(true)?;
    let bar = ui.progress_bytes(wanted.iter().map(|one| one.bytes).sum());
    let mut done = Done { wanted: wanted.len(), ..Done::default() };
    for one in &wanted {
        let project = one.project.as_deref();
        let is_left_out = |line: &[u8]| rows::is_line_left_out(&env.mask, line);
        let original = Original {
            thread: &one.thread,
            path: &one.path,
            project,
            mask: &env.mask,
            is_left_out: &is_left_out,
        };
        match backups.take(&lock, &original, env.now(), &|| true) {
            Ok(taken) => {
                done.transcripts += usize::from(taken.bytes > 0);
                done.bytes += taken.bytes;
                done.written += taken.packed;
                if taken.shorter {
                    problems
                        .push(format!("{} is shorter than its backup, which is kept", env.show(&one.path)));
                }
            }
            Err(error) => problems.push(error.to_string()),
        }
        bar.inc(one.bytes);
    }
    bar.finish_and_clear();
    let here = host::project(env, &env.cwd).root;
    let pruned = backups.prune(&lock, &config.backup.limits, Some(&here), env.now())?;
    for problem in &problems {
        ui.say(ui.paragraph(&format!("Left out: {problem}")));
    }
    report(args, ui, &done, &skipped, &pruned, config.backup.limits.keep_days)?;
    Ok(if problems.is_empty() { Exit::Ok } else { Exit::Attention })
}

/// One session with its subagents.
fn one(args: &Args, env: &Env) -> anyhow::Result<(Vec<BackupSource>, Vec<String>, Skipped)> {
    let reader = reader(env)?;
    let listed = match args.session.as_deref() {
        Some(start) => reader.listed(start)?,
        None => reader.latest_here()?,
    };
    let path = &listed.transcript;
    anyhow::ensure!(
        transcript::is_there(path),
        "the transcript {} is gone: it can no longer be backed up",
        env.show(path)
    );
    anyhow::ensure!(
        !LeaveOutRules::load(env).holds(&listed.id, listed.cwd.as_deref(), Some(path)),
        "its project is left out (privacy.leave_out in config.toml), so nothing of it is backed up"
    );
    let project = listed.cwd.as_deref().map(|cwd| host::project(env, cwd).root);
    let main = TranscriptOwner { session: listed.id.clone(), subagent: String::new() };
    let files = std::iter::once((main, path.clone()))
        .chain(subagents_of(clients::recorded(&listed.client), &listed.id, path))
        .map(|(thread, path)| {
            let bytes = transcript::extent(&path).map_or(0, |extent| extent.bytes);
            BackupSource { thread, path, project: project.clone(), bytes }
        });
    Ok((files.collect(), Vec::new(), Skipped::default()))
}

/// Every transcript that the limits would not remove again at once.
fn everything(env: &Env, config: &Config) -> anyhow::Result<(Vec<BackupSource>, Vec<String>, Skipped)> {
    let (found, problems) = index::find(&[], env)?;
    let sessions = reader(env)?.sessions()?;
    let projects: HashMap<String, PathBuf> =
        sessions.into_iter().filter_map(|session| Some((session.id, session.cwd?))).collect();
    let now = UNIX_EPOCH + Duration::from_millis(env.now().max(0) as u64);
    let age = |path: &Path| now.duration_since(path.metadata().ok()?.modified().ok()?).ok();
    let longest = Duration::from_secs(u64::from(config.backup.limits.keep_days) * DAY);
    let left_out = LeaveOutRules::load(env);
    let mut skipped = Skipped::default();
    let mut wanted = Vec::new();
    for one in found {
        let age = age(&one.path).unwrap_or_default();
        if index::is_left_out(&left_out, &one) {
            skipped.left_out += 1;
        } else if age > longest {
            skipped.old += 1;
            skipped.oldest = skipped.oldest.max(age.as_secs() / DAY);
        } else {
            wanted.push(BackupSource {
                project: projects.get(&one.thread.session).map(|cwd| host::project(env, cwd).root),
                thread: one.thread,
                path: one.path,
                bytes: one.bytes,
            });
        }
    }
    Ok((wanted, problems, skipped))
}

/// Transcripts that are not backed up.
#[derive(Default)]
struct Skipped {
    /// Older than backups are kept.
    old: usize,
    /// The age of the oldest of them, in days.
    oldest: u64,
    /// Their projects are left out.
    left_out: usize,
}

#[derive(Default)]
struct Done {
    wanted: usize,
    transcripts: usize,
    bytes: u64,
    written: u64,
}

fn report(
    args: &Args,
    ui: &Ui,
    done: &Done,
    skipped: &Skipped,
    pruned: &Pruned,
    keep_days: u32,
) -> anyhow::Result<()> {
    let Done { wanted, transcripts, bytes, written } = *done;
    let found = wanted + skipped.old + skipped.left_out;
    if args.json {
        let view = BackupView {
            found,
            skipped_old: skipped.old,
            skipped_left_out: skipped.left_out,
            transcripts,
            bytes,
            written,
            pruned: &pruned.sessions,
            kept: pruned.left,
        };
        ui.line(serde_json::to_string_pretty(&view)?);
        return Ok(());
    }
    let kept = byte_size(pruned.left);
    if bytes == 0 {
        ui.line(ui.paragraph(&format!(
            "Nothing new in {}; all backups take {kept}.",
            count_of(wanted, "transcript")
        )));
    } else {
        ui.line(ui.paragraph(&format!(
            "Backed up {} ({}, compressed to {}); all backups take {kept}.",
            count_of(transcripts, "transcript"),
            byte_size(bytes),
            byte_size(written)
        )));
    }
    let of_all = |count: usize| format!("Skipped {count} of {}", count_of(found, "transcript"));
    if skipped.old > 0 {
        ui.line(ui.paragraph(&format!(
            "{}: not changed for more than {}. `catchword config set backup.keep_days {}` keeps them.",
            of_all(skipped.old),
            count_of(keep_days as usize, "day"),
            skipped.oldest + 1
        )));
    }
    if skipped.left_out > 0 {
        let why = "of projects that are left out (privacy.leave_out in config.toml)";
        ui.line(ui.paragraph(&format!("{}: {why}.", of_all(skipped.left_out))));
    }
    if !pruned.sessions.is_empty() {
        let (count, bytes) = (count_of(pruned.sessions.len(), "session"), byte_size(pruned.bytes));
        ui.line(ui.paragraph(&format!("Removed because of the limits: {count}, {bytes}.")));
    }
    Ok(())
}

fn list(args: &Args, backups: &Backups, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let all = seen_backups(backups, env)?;
    if args.json {
        let views: Vec<KeptView> = all.iter().map(KeptView::of).collect();
        ui.line(serde_json::to_string_pretty(&views)?);
        return Ok(Exit::Ok);
    }
    if all.is_empty() {
        ui.say("No backups yet; `catchword backup --all` makes them.");
        return Ok(Exit::Ok);
    }
    let mut sessions: Vec<&[BackupList]> = all.chunk_by(|one, other| one.session == other.session).collect();
    sessions.sort_by_key(|kept| std::cmp::Reverse(kept.iter().map(|one| one.at).max()));
    ui.line(ui.bold("session   last backup         lines       size  project"));
    for kept in sessions {
        ui.line(row(kept, env, ui));
    }
    let sum = byte_size(all.iter().map(BackupList::packed).sum());
    ui.say(ui.paragraph(&format!(
        "{}, {sum}. `catchword restore SESSION` writes one back to disk.",
        count_of(all.len(), "backed-up transcript")
    )));
    Ok(Exit::Ok)
}

/// The backups that whoever asks may see.
pub fn seen_backups(backups: &Backups, env: &Env) -> anyhow::Result<Vec<BackupList>> {
    let (mut all, viewer) = (backups.all()?, viewer(env));
    all.retain(|one| viewer.sees(&one.session, one.project.as_deref(), Some(&one.path)));
    Ok(all)
}

/// One session: its conversation, or what is kept of it, with its subagents.
fn row(kept: &[BackupList], env: &Env, ui: &Ui) -> String {
    let main = kept.iter().find(|one| one.subagent.is_empty());
    let at = kept.iter().map(|one| one.at).max().unwrap_or_default();
    let at = jiff::Timestamp::from_millisecond(at).unwrap_or_default().strftime("%Y-%m-%d %H:%M");
    let lines = grouped(kept.iter().map(|one| u64::from(one.lines())).sum());
    let size = byte_size(kept.iter().map(BackupList::packed).sum());
    let place = kept[0].project.as_deref().or_else(|| kept[0].path.parent());
    let place = place.map(|place| env.show(place)).unwrap_or_default();
    let gone =
        if main.is_some_and(|main| !transcript::is_there(&main.path)) { " (transcript gone)" } else { "" };
    let others = match kept.iter().filter(|one| !one.subagent.is_empty()).count() {
        0 => String::new(),
        n => format!(" with {}", count_of(n, "subagent")),
    };
    let row = format!("{:<8}  {at}  {lines:>7}  {size:>9}  ", short_id(&kept[0].session));
    let rest = format!("{gone}{others}");
    let room = ui.width().saturating_sub(width(&row) + width(&rest));
    format!("{row}{}{}", fit_end(&place, room), ui.dim(&rest))
}

#[derive(Serialize)]
struct BackupView<'a> {
    found: usize,
    skipped_old: usize,
    skipped_left_out: usize,
    transcripts: usize,
    bytes: u64,
    written: u64,
    pruned: &'a [String],
    kept: u64,
}

#[derive(Serialize)]
struct KeptView {
    session: String,
    subagent: Option<String>,
    transcript: PathBuf,
    there: bool,
    lines: u32,
    bytes: u64,
    packed: u64,
    at: i64,
}

impl KeptView {
    fn of(kept: &BackupList) -> KeptView {
        KeptView {
            session: kept.session.clone(),
            subagent: Some(kept.subagent.clone()).filter(|id| !id.is_empty()),
            transcript: kept.path.clone(),
            there: transcript::is_there(&kept.path),
            lines: kept.lines(),
            bytes: kept.bytes(),
            packed: kept.packed(),
            at: kept.at,
        }
    }
}
