//! `catchword backup`: compressed copies of whole transcripts.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use anyhow::Context;
use catchword_engine::archive::backup::{BackupList, Backups, Original, Pruned};
use catchword_engine::archive::history::TranscriptOwner;
use catchword_engine::clients;
use catchword_engine::ops::index::FoundTranscript;
use catchword_engine::ops::rows;
use catchword_engine::text::numbers::{byte_size, count_of};
use serde::Serialize;

use super::index;
use crate::app::backup::subagents_of;
use crate::app::config::Config;
use crate::app::env::Env;
use crate::app::host;
use crate::app::privacy::LeaveOutRules;
use crate::app::sessions::{self, Databases};
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Keep transcripts, packed, beyond the day the client deletes them
///
/// Hooks do it after every compaction and at the end of a session. This does it now: for one session with its
/// subagents (the latest of this folder when none is named), or for all projects. Only what is new is
/// read and written: run it again at any time, also after it was interrupted.
///
/// Secrets are masked line by line (docs/masking.md); every line keeps its number. Too old backups go, and the largest
/// and oldest where there are too many (`[backup]` in config.toml: `keep_days`, `max_mb`, `keep_last`).
#[derive(clap::Args)]
pub struct Args {
    /// A recorded session, by the start of its id
    #[arg(value_name = "SESSION", conflicts_with = "all")]
    session: Option<String>,
    /// Every transcript of every client
    #[arg(long)]
    all: bool,
    /// List what is kept, and do nothing
    #[arg(long, conflicts_with_all = ["all", "session"])]
    list: bool,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

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
    let (wanted, mut problems) = if args.all { everything(env, &config)? } else { one(args, env)? };
    let lock = backups.lock(true)?;
    let bar = ui.progress_bytes(wanted.iter().map(|one| one.bytes).sum());
    let mut done = Done { found: wanted.len(), ..Done::default() };
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
                    problems.push(format!(
                        "{} is shorter than its backup, which stays as it is",
                        env.show(&one.path)
                    ));
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
    report(args, ui, &done, &pruned)?;
    Ok(if problems.is_empty() { Exit::Ok } else { Exit::Attention })
}

/// One session with its subagents.
fn one(args: &Args, env: &Env) -> anyhow::Result<(Vec<BackupSource>, Vec<String>)> {
    let listed = sessions::recorded(args.session.as_deref(), env)?;
    let path = &listed.transcript;
    anyhow::ensure!(
        path.is_file(),
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
            let bytes = path.metadata().map_or(0, |meta| meta.len());
            BackupSource { thread, path, project: project.clone(), bytes }
        });
    Ok((files.collect(), Vec::new()))
}

/// Every transcript that the limits would not remove again at once.
fn everything(env: &Env, config: &Config) -> anyhow::Result<(Vec<BackupSource>, Vec<String>)> {
    let (found, problems) = index::find(&[], env)?;
    let sessions = Databases::open(env)?.sessions(env)?;
    let projects: HashMap<String, PathBuf> =
        sessions.into_iter().filter_map(|session| Some((session.id, session.cwd?))).collect();
    let longest = Duration::from_secs(u64::from(config.backup.limits.keep_days) * 86_400);
    let now = UNIX_EPOCH + Duration::from_millis(env.now().max(0) as u64);
    let is_old = |path: &PathBuf| {
        let changed = path.metadata().and_then(|meta| meta.modified());
        changed.is_ok_and(|changed| now.duration_since(changed).is_ok_and(|age| age > longest))
    };
    let left_out = LeaveOutRules::load(env);
    let is_wanted = |one: &FoundTranscript| !is_old(&one.path) && !index::is_left_out(&left_out, one);
    let wanted = found.into_iter().filter(is_wanted).map(|one| BackupSource {
        project: projects.get(&one.thread.session).map(|cwd| host::project(env, cwd).root),
        thread: one.thread,
        path: one.path,
        bytes: one.bytes,
    });
    Ok((wanted.collect(), problems))
}

#[derive(Default)]
struct Done {
    found: usize,
    transcripts: usize,
    bytes: u64,
    written: u64,
}

fn report(args: &Args, ui: &Ui, done: &Done, pruned: &Pruned) -> anyhow::Result<()> {
    let Done { found, transcripts, bytes, written } = *done;
    if args.json {
        let view =
            BackupView { found, transcripts, bytes, written, pruned: &pruned.sessions, kept: pruned.left };
        ui.line(serde_json::to_string_pretty(&view)?);
        return Ok(());
    }
    let kept = byte_size(pruned.left);
    if bytes == 0 {
        ui.line(
            ui.paragraph(&format!("Nothing new in {}; backups take {kept}.", count_of(found, "transcript"))),
        );
    } else {
        ui.line(ui.paragraph(&format!(
            "{} of {} backed up in {}; backups take {kept}.",
            byte_size(bytes),
            count_of(transcripts, "transcript"),
            byte_size(written)
        )));
    }
    if !pruned.sessions.is_empty() {
        let (count, bytes) = (count_of(pruned.sessions.len(), "session"), byte_size(pruned.bytes));
        ui.line(ui.paragraph(&format!("Over the limits, so removed: {count}, {bytes}.")));
    }
    Ok(())
}

fn list(args: &Args, backups: &Backups, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let all = backups.all()?;
    if args.json {
        let views: Vec<KeptView> = all.iter().map(KeptView::of).collect();
        ui.line(serde_json::to_string_pretty(&views)?);
        return Ok(Exit::Ok);
    }
    if all.is_empty() {
        ui.say("Nothing is backed up yet; `catchword backup --all` does it.");
    }
    for kept in all {
        let whose = match kept.subagent.as_str() {
            "" => kept.session.clone(),
            id => format!("  subagent {id}"),
        };
        let gone = if kept.path.exists() { "" } else { ", transcript gone" };
        let lines = count_of(kept.lines() as usize, "line");
        ui.line(format!("{whose}  {lines}, {}{gone}", byte_size(kept.packed())));
        if kept.subagent.is_empty() {
            ui.line(ui.dim(&format!("  {}", env.show(&kept.path))));
        }
    }
    Ok(Exit::Ok)
}

#[derive(Serialize)]
struct BackupView<'a> {
    found: usize,
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
            there: kept.path.exists(),
            lines: kept.lines(),
            bytes: kept.bytes(),
            packed: kept.packed(),
            at: kept.at,
        }
    }
}
