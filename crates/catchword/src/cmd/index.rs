//! `catchword index`: existing transcripts into the history.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use anyhow::Context;
use catchword_engine::agent::claude_code;
use catchword_engine::history::History;
use catchword_engine::ops::index::{self, IndexError, Indexed, Watch};
use catchword_engine::store::Store;
use indicatif::ProgressBar;
use serde::Serialize;

use super::found::Found;
use crate::env::Env;
use crate::exit::Exit;
use crate::privacy::LeftOut;
use crate::ui::{Ui, counted, size_of};

/// How long to wait for a hook that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// Take existing transcripts into the history, for `search` and `recall`
///
/// Hooks keep the history up from the day they were installed. This takes in what was there before, and what no hook was
/// told of. Only what is new is read: run it again at any time, also after it was interrupted.
///
/// Texts are masked (docs/masking.md) and stay on this machine, readable by you alone. They outlive the transcripts,
/// which Claude Code deletes after 30 days.
#[derive(clap::Args)]
pub struct Args {
    /// Transcripts, or folders with some; all of Claude Code's projects when not given
    #[arg(value_name = "PATHS")]
    paths: Vec<PathBuf>,
    /// Also sessions that were forgotten (`catchword forget`); from then on they are recorded again
    #[arg(long)]
    again: bool,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

/// Takes everything in and says how much that was.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let folder = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    let (mut found, problems) = find(&args.paths, env)?;
    let mut left_out = LeftOut::load(env);
    if args.again {
        let sessions: Vec<&str> = found.iter().map(|one| one.thread.session.as_str()).collect();
        left_out.record_again(env, &sessions)?;
    }
    let all = found.len();
    found.retain(|one| !is_left_out(&left_out, one));
    if found.len() < all {
        let kept_out = all - found.len();
        ui.say(ui.paragraph(&format!(
            "Left out, because forgotten (--again takes them in) or of projects under privacy.leave_out in \
             config.toml: {}.",
            counted(kept_out as u64, "transcript")
        )));
    }
    let mut history = History::open(folder, env.now(), PATIENCE)?;
    let watch = Watching {
        bar: ui.progress_bytes(found.iter().map(|one| one.bytes).sum()),
        problems: Mutex::new(problems),
    };
    let readers = std::thread::available_parallelism().map_or(1, NonZero::get);
    let indexed = index::transcripts(&mut history, &claude_code::AGENT, &found, readers, &|| true, &watch)?;
    if let Some(store) = Store::open_existing(folder, PATIENCE)? {
        index::notes(&mut history, &store)?;
    }
    watch.bar.finish_and_clear();
    let problems = watch.problems.into_inner().unwrap_or_default();
    for problem in &problems {
        ui.say(ui.paragraph(&format!("Left out: {problem}")));
    }
    report(args, ui, &found, &indexed, history.size()?)?;
    Ok(if problems.is_empty() { Exit::Ok } else { Exit::Attention })
}

fn report(args: &Args, ui: &Ui, found: &[index::Found], indexed: &Indexed, size: u64) -> anyhow::Result<()> {
    let Indexed { transcripts, bytes, items, .. } = *indexed;
    if args.json {
        let view = IndexView { found: found.len(), transcripts, bytes, items, in_history: size };
        ui.line(serde_json::to_string_pretty(&view)?);
    } else if found.is_empty() {
        ui.say("No transcripts found (files that end in .jsonl). Name one, or a folder with some.");
    } else if bytes == 0 {
        let all = counted(found.len() as u64, "transcript");
        ui.line(format!("Nothing new in {all}; the history holds {}.", counted(size, "item")));
    } else {
        ui.line(ui.paragraph(&format!(
            "{} from {} in {transcripts} of {}; the history holds {size}. `catchword search` looks through them.",
            counted(items as u64, "item"),
            size_of(bytes),
            counted(found.len() as u64, "transcript")
        )));
    }
    Ok(())
}

/// Whether nothing of a transcript is to be kept. Where it worked is in its first rows.
pub fn is_left_out(left_out: &LeftOut, one: &index::Found) -> bool {
    let folder = || index::folder_of(&claude_code::AGENT, &one.path).ok().flatten();
    let cwd = if left_out.has_folders() { folder() } else { None };
    left_out.holds(&one.thread.session, cwd.as_deref())
}

/// Every transcript with its owner, oldest first.
pub fn find(paths: &[PathBuf], env: &Env) -> anyhow::Result<(Vec<index::Found>, Vec<String>)> {
    let mut found = Found::all();
    match (paths, &env.claude_dir) {
        ([], Some(claude)) => {
            let projects = claude.join("projects");
            if projects.exists() {
                found.look(&projects, true);
            }
        }
        ([], None) => anyhow::bail!("no home directory: name transcripts, or a folder with some"),
        // The same file must have the same path wherever it is named from.
        (paths, _) => paths.iter().for_each(|path| found.look(&env.cwd.join(path), true)),
    }
    let mut problems: Vec<String> =
        found.problems.iter().map(|(path, error)| format!("{}: {error}", path.display())).collect();
    let mut transcripts = Vec::new();
    for path in found.transcripts {
        let described = path.metadata().and_then(|m| {
            let thread = index::thread_of(&claude_code::AGENT, &path)?;
            Ok((m.modified()?, index::Found { path: path.clone(), thread, bytes: m.len() }))
        });
        match described {
            Ok(described) => transcripts.push(described),
            Err(error) => problems.push(format!("{}: {error}", path.display())),
        }
    }
    transcripts.sort_by(|one, other| (one.0, &one.1.path).cmp(&(other.0, &other.1.path)));
    Ok((transcripts.into_iter().map(|(_, found)| found).collect(), problems))
}

struct Watching {
    bar: ProgressBar,
    problems: Mutex<Vec<String>>,
}

impl Watch for Watching {
    fn bytes(&self, more: u64) {
        self.bar.inc(more);
    }

    fn problem(&self, problem: IndexError) {
        if let Ok(mut problems) = self.problems.lock() {
            problems.push(problem.to_string());
        }
    }
}

#[derive(Serialize)]
struct IndexView {
    found: usize,
    transcripts: usize,
    bytes: u64,
    items: usize,
    in_history: u64,
}
