//! `catchword lost`: what compactions lost, and what was given back.
//!
//! Without an argument that picks one it lists compactions, otherwise it compares that summary with the record.
//! [`view`] formats the result.

pub mod view;

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, bail};
use catchword_engine::clients;
use catchword_engine::model::finding::Finding;
use catchword_engine::ops::history::CompactionPoint;
use catchword_engine::ops::lost::{self, Compared};
use catchword_engine::ops::record::TranscriptLines;
use catchword_engine::store::{Recorded, SessionRow, Store};

use super::target::Target;
use crate::app::env::Env;
use crate::app::sessions::{ChosenSession, Here, LOCK_WAIT};
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Points programs to the documented fields.
const JSON: &str =
    "--json prints a list of compactions, with a moment a list of one; docs/audit.md has its fields.";

/// List what compactions lost; with a number, show one: the summary beside the record
///
/// Bare, a line for each compaction of this project, newest first. `catchword lost 2` shows the second compaction of this
/// folder's latest session, `catchword lost 1f2e` lists those of a session, `catchword lost 1f2e 2` shows one of them. It
/// shows both sides of each difference, where the record has it, whether it was given back to the agent, what was checked
/// and what was not. Differences marked with ● are certain enough to be told to the agent; those marked with ○ are for you
/// to judge.
#[derive(clap::Args)]
#[command(after_help = JSON)]
pub struct Args {
    #[command(flatten)]
    target: Target,
    /// The same as --at N; also in place of SESSION
    #[arg(value_name = "N", conflicts_with_all = ["at", "line"])]
    number: Option<usize>,
    /// Compactions of other projects, too
    #[arg(long, conflicts_with_all = ["session", "transcript"])]
    all: bool,
    /// Print them as JSON
    #[arg(long)]
    json: bool,
}

/// A compaction, from the transcript and from hooks.
pub struct LostCompaction {
    /// Its session, or the name of its file.
    session: String,
    /// Its number in the transcript, counted from 1, if known.
    number: Option<usize>,
    /// According to the transcript.
    point: Option<CompactionPoint>,
    /// According to hooks.
    recorded: Option<Recorded>,
    /// The comparison of its summary with the record, if made now.
    compared: Option<Compared>,
}

impl LostCompaction {
    /// When it was announced, or else recorded, in milliseconds since 1970.
    fn at(&self) -> Option<i64> {
        self.recorded.as_ref().map(|one| one.begun_at).or_else(|| self.point.as_ref()?.at)
    }

    /// Where the summary differs; `None` if it was not audited.
    fn findings(&self) -> Option<Vec<&Finding>> {
        match &self.compared {
            Some(compared) => Some(compared.findings.iter().map(|one| &one.finding).collect()),
            None => Some(self.recorded.as_ref()?.findings.as_ref()?.iter().collect()),
        }
    }
}

/// Prints a list, or one in detail.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let target = args.target.at_number(args.number);
    let is_one = target.has_moment();
    let (all, elsewhere) = if is_one {
        (vec![one(&target, env, ui)?], 0)
    } else if target.is_named() {
        (of_one_transcript(&target, env, ui)?, 0)
    } else {
        recorded_here(args.all, env)?
    };
    if args.json {
        let views: Vec<_> = all.iter().map(view::compaction).collect();
        ui.line(serde_json::to_string_pretty(&views)?);
    } else if all.is_empty() {
        ui.say(ui.paragraph(&nothing(elsewhere)));
    } else if is_one {
        view::detail(&all[0], env, ui);
    } else {
        let one = if target.is_file() { "--at N" } else { "catchword lost SESSION N" };
        view::list(&all, one, env.now(), ui);
    }
    Ok(Exit::Ok)
}

fn nothing(elsewhere: usize) -> String {
    match elsewhere {
        0 => "No compaction recorded yet. `catchword try` shows what one would lose; `catchword doctor` says whether \
              hooks are called."
            .to_owned(),
        n => format!("No compaction recorded in this project; {n} elsewhere (`catchword lost --all`)."),
    }
}

/// The chosen compaction, compared with the record now.
fn one(target: &Target, env: &Env, ui: &Ui) -> anyhow::Result<LostCompaction> {
    let found = target.resolve_compaction(env, ui)?;
    let store = match (&found.id, &found.number, env.data_dir.as_deref()) {
        (Some(id), Some(number), Some(folder)) => {
            Store::open_existing(folder, LOCK_WAIT)?.map(|store| (store, id, *number))
        }
        _ => None,
    };
    let (mut recorded, mut given) = (None, None);
    if let Some((store, id, number)) = store {
        let is_it = |line: u32| lost::number_in(line, &found.cuts) == Some(number);
        recorded = store.compactions(Some(id))?.into_iter().find(|one| is_it(one.line));
        given = store.given_back(id)?.into_iter().rev().find(|one| is_it(one.line));
    }
    let point = found.number.and_then(|number| found.cuts.get(number - 1)).cloned();
    Ok(LostCompaction {
        session: found.id.unwrap_or(found.name),
        number: found.number,
        point,
        recorded,
        compared: Some(lost::compare(&found.session, &found.summary, given.as_ref())),
    })
}

/// Every compaction in a session's transcript or in a file, newest first. Those that hooks did not audit are audited now.
fn of_one_transcript(target: &Target, env: &Env, ui: &Ui) -> anyhow::Result<Vec<LostCompaction>> {
    let (recorded, chosen) = match target.chosen(env)? {
        Some(chosen) => (recorded_of(&chosen.id, env)?, Some(chosen)),
        None => (Vec::new(), None),
    };
    // What hooks recorded is available without the transcript.
    let record = match &chosen {
        Some(chosen) if !recorded.is_empty() => chosen.find(env)?,
        _ => Some(target.record(env, ui)?.0),
    };
    let name = match (&chosen, &record) {
        (Some(chosen), _) => chosen.id.clone(),
        (None, Some(record)) => file_name(record.lines.path()),
        (None, None) => String::new(),
    };
    let cuts = record.as_ref().map(|record| cuts(record, env)).transpose()?.unwrap_or_default();
    let mut all: Vec<LostCompaction> = Vec::new();
    for one in recorded.into_iter().rev() {
        let number = lost::number_in(one.line, &cuts);
        let point = number.and_then(|number| cuts.get(number - 1)).cloned();
        // A cancelled compaction that was announced again is the same one.
        all.retain(|earlier| number.is_none() || earlier.number != number);
        all.push(LostCompaction {
            session: name.clone(),
            number,
            point,
            recorded: Some(one),
            compared: None,
        });
    }
    for (at, point) in cuts.iter().enumerate() {
        let number = Some(at + 1);
        if !all.iter().any(|one| one.number == number) {
            let point = Some(point.clone());
            all.push(LostCompaction { session: name.clone(), number, point, recorded: None, compared: None });
        }
    }
    // One without a number is in progress.
    all.sort_by_key(|one| std::cmp::Reverse(one.number.unwrap_or(usize::MAX)));
    if let Some(record) = &record {
        audit_missing(&mut all, record, env)?;
    }
    if all.is_empty() {
        bail!("{name} was not compacted; compare it with a summary of yours (--summary FILE)");
    }
    Ok(all)
}

fn audit_missing(all: &mut [LostCompaction], record: &TranscriptLines, env: &Env) -> anyhow::Result<()> {
    let mut missing: Vec<&mut LostCompaction> = all
        .iter_mut()
        .rev()
        .filter(|one| one.findings().is_none())
        .filter(|one| one.point.as_ref().is_some_and(|point| !point.summary.is_empty()))
        .collect();
    let lines: Vec<u32> =
        missing.iter().filter_map(|one| one.point.as_ref()).map(|point| point.read).collect();
    if lines.is_empty() {
        return Ok(());
    }
    let mut compared = Vec::new();
    let summaries: Vec<&str> =
        missing.iter().filter_map(|one| one.point.as_ref()).map(|point| point.summary.as_str()).collect();
    record
        .moments(&env.mask, &lines, |at, session| compared.push(lost::compare(session, summaries[at], None)))
        .with_context(|| format!("cannot read {}", record.lines.path().display()))?;
    for (one, compared) in missing.iter_mut().zip(compared) {
        one.compared = Some(compared);
    }
    Ok(())
}

/// What hooks recorded for this project, newest first, and the number for other projects.
fn recorded_here(everywhere: bool, env: &Env) -> anyhow::Result<(Vec<LostCompaction>, usize)> {
    let folder = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    let Some(store) = Store::open_existing(folder, LOCK_WAIT)? else { return Ok((Vec::new(), 0)) };
    let here = Here::new(env);
    let sessions: HashMap<String, SessionRow> =
        store.sessions()?.into_iter().map(|session| (session.id.clone(), session)).collect();
    let is_here = |one: &Recorded| {
        let session = sessions.get(&one.session);
        session.is_some_and(|s| everywhere || here.has_or_holds(s.project.as_deref(), s.cwd.as_deref()))
    };
    let (recorded, others): (Vec<Recorded>, Vec<Recorded>) =
        store.compactions(None)?.into_iter().partition(is_here);
    let mut numbers: HashMap<&str, Vec<Option<usize>>> = HashMap::new();
    let mut ids: Vec<&str> = recorded.iter().map(|one| one.session.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        let of_it: Vec<Recorded> = recorded.iter().rev().filter(|one| one.session == id).cloned().collect();
        let counted = store.gauged(id)?.map(|gauged| gauged.tally.compactions);
        let cuts = || sessions.get(id).and_then(|session| compactions_of(session, env));
        numbers.insert(id, lost::numbers(&of_it, counted, cuts));
    }
    let all = recorded.iter().map(|one| LostCompaction {
        session: one.session.clone(),
        // Newest first, so take from the end.
        number: numbers.get_mut(one.session.as_str()).and_then(Vec::pop).flatten(),
        point: None,
        recorded: Some(one.clone()),
        compared: None,
    });
    Ok((all.collect(), others.len()))
}

fn recorded_of(id: &str, env: &Env) -> anyhow::Result<Vec<Recorded>> {
    let Some(folder) = env.data_dir.as_deref() else { return Ok(Vec::new()) };
    let store = Store::open_existing(folder, LOCK_WAIT)?;
    Ok(store.map(|store| store.compactions(Some(id))).transpose()?.unwrap_or_default())
}

/// The compactions in a transcript; `None` if it cannot be read, which only costs their numbers.
fn compactions_of(session: &SessionRow, env: &Env) -> Option<Vec<CompactionPoint>> {
    let chosen = ChosenSession {
        id: session.id.clone(),
        client: clients::recorded(&session.client),
        transcript: session.transcript.clone(),
        cwd: None,
    };
    cuts(&chosen.find(env).ok()??, env).ok()
}

fn cuts(record: &TranscriptLines, env: &Env) -> anyhow::Result<Vec<CompactionPoint>> {
    record.cuts(&env.mask).with_context(|| format!("cannot read {}", record.lines.path().display()))
}

fn file_name(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}
