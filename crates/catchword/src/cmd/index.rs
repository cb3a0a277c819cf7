//! `catchword index`: adds existing transcripts to the history.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use catchword_engine::archive::history::History;
use catchword_engine::ops::index::{self, IndexError, Indexed};
use catchword_engine::store::Store;
use catchword_engine::text::numbers::{byte_size, count_of};
use catchword_engine::transcript;
use serde::Serialize;

use crate::app::env::Env;
use crate::app::privacy::LeaveOutRules;
use crate::app::transcripts::{self, FoundTranscripts};
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// How long to wait for a hook that is writing.
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// Index existing transcripts, for `search`, `status` and `lost`
///
/// Hooks keep the history up to date from the day they were installed. This takes in what was there before, and what no
/// hook saw. Only what is new is read; run it again at any time, even after an interruption.
///
/// Texts are masked (docs/masking.md) and stay on this machine, readable by you alone. They outlive the transcripts,
/// which Claude Code deletes after 30 days.
#[derive(clap::Args)]
pub struct Args {
    /// Transcripts, or folders with transcripts [default: those of all clients]
    #[arg(value_name = "PATHS")]
    paths: Vec<PathBuf>,
    /// Include sessions that were forgotten (`catchword forget`); from then on they are recorded again
    #[arg(long)]
    again: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Indexes everything and prints the totals.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let folder = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    let (mut found, mut problems) = find(&args.paths, env)?;
    if args.again {
        let sessions: Vec<&str> = found.iter().map(|one| one.thread.session.as_str()).collect();
        LeaveOutRules::record_again(env, &sessions)?;
    }
    let left_out = LeaveOutRules::load(env);
    let all = found.len();
    found.retain(|one| !is_left_out(&left_out, one));
    if found.len() < all {
        let kept_out = all - found.len();
        ui.say(ui.paragraph(&format!(
            "Left out because they were forgotten (--again includes them) or by privacy.leave_out in \
             config.toml: {}.",
            count_of(kept_out, "transcript")
        )));
    }
    let mut history = intact_history(folder, env, ui)?;
    let (indexed, unread) = take(&mut history, &found, folder, env, ui)?;
    problems.extend(unread.iter().map(ToString::to_string));
    for problem in &problems {
        ui.say(ui.paragraph(&format!("Left out: {problem}")));
    }
    report(args, ui, &found, &indexed, history.size()?)?;
    Ok(if problems.is_empty() { Exit::Ok } else { Exit::Attention })
}

/// The history. Damaged indexes are written anew from the stored texts; if that is not enough, the file is set aside and
/// replaced, because a transcript recorded to its end would not be read again. What can be read of it is taken over.
fn intact_history(folder: &Path, env: &Env, ui: &Ui) -> anyhow::Result<History> {
    let mut history = History::open(folder, env.now(), LOCK_WAIT)?;
    if let Err(words) = sound(&history)? {
        if history.index_again().is_ok() && sound(&history)?.is_ok() {
            ui.say("The index of history.db was damaged; it was written anew.");
            return Ok(history);
        }
        drop(history);
        History::set_aside(folder, env.now())?;
        ui.say(ui.paragraph(&format!(
            "history.db is damaged ({words}). It was set aside and is rebuilt from the transcripts."
        )));
        history = History::open(folder, env.now(), LOCK_WAIT)?;
    }
    let saved = history.salvage(folder)?;
    if saved.items > 0 {
        let items = count_of(saved.items, "item");
        let transcripts = count_of(saved.transcripts, "transcript");
        ui.say(ui.paragraph(&format!("{items} of {transcripts} could be read in what was set aside.")));
    }
    Ok(history)
}

/// What is wrong with a history, if anything.
fn sound(history: &History) -> anyhow::Result<Result<(), String>> {
    match history.check() {
        Ok(words) if words == "ok" => Ok(Ok(())),
        Ok(words) => Ok(Err(words)),
        Err(error) if error.is_damage() => Ok(Err(error.to_string())),
        Err(error) => Err(error.into()),
    }
}

/// Reads every transcript of the client again, silently.
pub fn rebuild(env: &Env, ui: &Ui) -> anyhow::Result<()> {
    let folder = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    let (mut found, _) = find(&[], env)?;
    let left_out = LeaveOutRules::load(env);
    found.retain(|one| !is_left_out(&left_out, one));
    let mut history = History::open(folder, env.now(), LOCK_WAIT)?;
    take(&mut history, &found, folder, env, ui)?;
    Ok(())
}

/// Adds these transcripts and the notes.
fn take(
    history: &mut History,
    found: &[index::FoundTranscript],
    folder: &Path,
    env: &Env,
    ui: &Ui,
) -> anyhow::Result<(Indexed, Vec<IndexError>)> {
    let bar = ui.progress_bytes(found.iter().map(|one| one.bytes).sum());
    let readers = std::thread::available_parallelism().map_or(1, NonZero::get);
    let done = index::transcripts(history, &env.mask, found, readers, &|| true, &|bytes| bar.inc(bytes))?;
    if let Some(store) = Store::open_existing(folder, LOCK_WAIT)? {
        index::notes(history, &store)?;
    }
    bar.finish_and_clear();
    Ok(done)
}

fn report(
    args: &Args,
    ui: &Ui,
    found: &[index::FoundTranscript],
    indexed: &Indexed,
    size: u64,
) -> anyhow::Result<()> {
    let Indexed { transcripts, bytes, items, .. } = *indexed;
    if args.json {
        let view = IndexView { found: found.len(), transcripts, bytes, items, in_history: size };
        ui.line(serde_json::to_string_pretty(&view)?);
    } else if found.is_empty() {
        ui.say("No transcripts found (files that end in .jsonl). Name a file, or a folder.");
    } else if bytes == 0 {
        let all = count_of(found.len(), "transcript");
        ui.line(format!("Nothing new in {all}; the history has {}.", count_of(size as usize, "item")));
    } else {
        ui.line(ui.paragraph(&format!(
            "Indexed {} from {transcripts} of {} ({}); the history has {}.",
            count_of(items, "item"),
            count_of(found.len(), "transcript"),
            byte_size(bytes),
            count_of(size as usize, "item"),
        )));
        ui.say(ui.paragraph(
            "`catchword search` finds what was said and done, `catchword status --all` lists the sessions, `catchword lost --all` \
             their compactions.",
        ));
    }
    Ok(())
}

/// Whether a transcript must not be recorded.
pub fn is_left_out(left_out: &LeaveOutRules, one: &index::FoundTranscript) -> bool {
    left_out.holds(&one.thread.session, None, Some(&one.path))
}

/// Every transcript with its owner, oldest first.
pub fn find(paths: &[PathBuf], env: &Env) -> anyhow::Result<(Vec<index::FoundTranscript>, Vec<String>)> {
    let mut found = FoundTranscripts::all();
    if paths.is_empty() {
        let folders = transcripts::folders(env)?;
        folders.iter().filter(|folder| folder.exists()).for_each(|folder| found.look(folder, true));
    }
    // The same file must have the same path from wherever it is named.
    for path in paths {
        found.look(&env.cwd.join(path), true);
    }
    let mut problems: Vec<String> =
        found.problems.iter().map(|(path, error)| format!("{}: {error}", path.display())).collect();
    let mut transcripts = Vec::new();
    for path in found.transcripts {
        let described = transcript::extent(&path)
            .and_then(|it| Ok((it.changed, index::FoundTranscript::at(&path, it.bytes)?)));
        match described {
            Ok(described) => transcripts.push(described),
            Err(error) => problems.push(format!("{}: {error}", path.display())),
        }
    }
    transcripts.sort_by(|one, other| (one.0, &one.1.path).cmp(&(other.0, &other.1.path)));
    Ok((transcripts.into_iter().map(|(_, found)| found).collect(), problems))
}

#[derive(Serialize)]
struct IndexView {
    found: usize,
    transcripts: usize,
    bytes: u64,
    items: usize,
    in_history: u64,
}
