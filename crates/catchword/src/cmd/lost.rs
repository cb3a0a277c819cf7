//! `catchword lost`: what compactions lost, and what was given back.
//!
//! Without an argument that picks one it lists compactions, otherwise it compares that summary with the record.
//! [`view`] formats the result.

pub mod view;

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, bail};
use catchword_engine::model::event::short_id;
use catchword_engine::model::finding::Finding;
use catchword_engine::ops::history::CompactionPoint;
use catchword_engine::ops::lost::{self, Compared};
use catchword_engine::ops::preview;
use catchword_engine::ops::record::TranscriptLines;
use catchword_engine::session::Session;
use catchword_engine::store::{Recorded, Store};
use catchword_engine::text::numbers::count_of;

use super::target::Target;
use crate::app::config::Config;
use crate::app::env::Env;
use crate::app::sessions::{ChosenSession, Databases, Here, LOCK_WAIT};
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Compactions listed.
const LISTED: usize = 20;
/// Points programs to the documented fields.
const JSON: &str =
    "--json prints a list of compactions, or with a number a list of one; docs/audit.md has its fields.";

/// List what compactions lost; with a number, show one in full
///
/// Bare, it lists the compactions of this project, newest first. `catchword lost 2` shows the second compaction of this
/// folder's latest session, `catchword lost 1f2e` lists those of a session, `catchword lost 1f2e 2` shows one of them: both
/// sides of each difference, where it is in the transcript, whether it was given back to the agent, and what was
/// checked. Differences marked ● are sure enough to tell the agent; those marked ○ are for you to judge.
#[derive(clap::Args)]
#[command(after_help = JSON)]
pub struct Args {
    #[command(flatten)]
    target: Target,
    /// The same as --at N; SESSION may be left out
    #[arg(value_name = "N", conflicts_with_all = ["at", "line"])]
    number: Option<usize>,
    /// Include other projects; with N, also what is probably no difference
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A compaction, from the transcript and from hooks.
#[derive(Clone)]
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
    /// How many things worth carrying over the summary does not mention, and how many there are.
    left_out: Option<(usize, usize)>,
    /// Those things, a line each; only for one compaction.
    left_out_lines: Vec<String>,
}

impl LostCompaction {
    /// One of which only the session is known.
    fn unknown(session: &str) -> LostCompaction {
        LostCompaction {
            session: session.to_owned(),
            number: None,
            point: None,
            recorded: None,
            compared: None,
            left_out: None,
            left_out_lines: Vec::new(),
        }
    }

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
    let listed = if is_one {
        Listed { all: vec![one(&target, env, ui)?], ..Listed::default() }
    } else if target.is_named() {
        Listed { all: of_one_transcript(&target, env, ui)?, ..Listed::default() }
    } else {
        of_project(args.all, if args.json { usize::MAX } else { LISTED }, env)?
    };
    if args.json {
        let views: Vec<_> = listed.all.iter().map(view::compaction).collect();
        ui.line(serde_json::to_string_pretty(&views)?);
    } else if listed.all.is_empty() {
        ui.say(ui.paragraph(&nothing(listed.elsewhere)));
    } else if is_one {
        let one = &listed.all[0];
        view::detail(one, args.all, ui);
        if let (Some(number), false) = (one.number, target.is_file()) {
            let brief = format!("catchword brief {} --at {number}", short_id(&one.session));
            ui.say(ui.dim(&format!("`{brief}` prints what it left out.")));
        }
    } else {
        let one = if target.is_file() { "--at N" } else { "catchword lost SESSION N" };
        view::list(&listed.all, one, env.now(), ui);
        if listed.hidden > 0 {
            let hidden = count_of(listed.hidden, "earlier compaction");
            ui.say(ui.dim(&format!("… and {hidden}: `catchword lost SESSION` lists one session's.")));
        }
    }
    Ok(Exit::Ok)
}

/// What is listed.
#[derive(Default)]
struct Listed {
    /// Newest first.
    all: Vec<LostCompaction>,
    /// Earlier ones that are not listed.
    hidden: usize,
    /// Those of other projects.
    elsewhere: usize,
}

fn nothing(elsewhere: usize) -> String {
    match elsewhere {
        0 => "No compaction recorded yet. `catchword try` shows what one would lose, `catchword index` takes in \
              existing sessions, `catchword doctor` checks whether hooks are called."
            .to_owned(),
        _ => format!("No compactions in this project; {elsewhere} in others (`catchword lost --all`)."),
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
    let is_manual = point.as_ref().is_some_and(|point| point.manual);
    Ok(LostCompaction {
        session: found.id.unwrap_or(found.name),
        number: found.number,
        point,
        recorded,
        compared: Some(lost::compare(&found.session, &found.summary, given.as_ref())),
        left_out_lines: preview::left_out_lines(&found.session, &found.summary, Config::load(env).budget),
        left_out: Some(left_out(found.session, &found.summary, is_manual, env)),
    })
}

/// Every compaction in a session's transcript or in a file, newest first.
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
    let all = of_record(&name, record.as_ref(), recorded, env)?;
    if all.is_empty() {
        bail!("{name} was not compacted; to compare it with a summary of yours, give --summary FILE");
    }
    Ok(all)
}

/// Every compaction of a record and those that hooks saw, newest first. Those that hooks did not audit are audited now.
fn of_record(
    name: &str,
    record: Option<&TranscriptLines>,
    recorded: Vec<Recorded>,
    env: &Env,
) -> anyhow::Result<Vec<LostCompaction>> {
    let cuts = record.map(|record| cuts(record, env)).transpose()?.unwrap_or_default();
    let mut all: Vec<LostCompaction> = Vec::new();
    for one in recorded.into_iter().rev() {
        let number = lost::number_in(one.line, &cuts);
        let point = number.and_then(|number| cuts.get(number - 1)).cloned();
        // A cancelled compaction that was announced again is the same one.
        all.retain(|earlier| number.is_none() || earlier.number != number);
        all.push(LostCompaction {
            session: name.to_owned(),
            number,
            point,
            recorded: Some(one),
            compared: None,
            left_out: None,
            left_out_lines: Vec::new(),
        });
    }
    for (at, point) in cuts.iter().enumerate() {
        let number = Some(at + 1);
        if !all.iter().any(|one| one.number == number) {
            let point = Some(point.clone());
            all.push(LostCompaction {
                session: name.to_owned(),
                number,
                point,
                recorded: None,
                compared: None,
                left_out: None,
                left_out_lines: Vec::new(),
            });
        }
    }
    // One without a number is in progress.
    all.sort_by_key(|one| std::cmp::Reverse(one.number.unwrap_or(usize::MAX)));
    if let Some(record) = record {
        look_into(&mut all, record, env)?;
    }
    Ok(all)
}

/// Counts what each summary leaves out, and compares those that hooks did not audit.
fn look_into(all: &mut [LostCompaction], record: &TranscriptLines, env: &Env) -> anyhow::Result<()> {
    let has_summary = |point: &&CompactionPoint| !point.summary.is_empty();
    let mut known: Vec<(&mut LostCompaction, CompactionPoint)> = Vec::new();
    for one in all.iter_mut().rev() {
        if let Some(point) = one.point.as_ref().filter(has_summary).cloned() {
            known.push((one, point));
        }
    }
    let lines: Vec<u32> = known.iter().map(|(_, point)| point.read).collect();
    if lines.is_empty() {
        return Ok(());
    }
    record
        .moments(&env.mask, &lines, |at, session| {
            let (one, point) = &mut known[at];
            if one.findings().is_none() {
                one.compared = Some(lost::compare(session, &point.summary, None));
            }
            one.left_out = Some(left_out(session.clone(), &point.summary, point.manual, env));
        })
        .with_context(|| format!("cannot read {}", record.lines.path().display()))
}

/// How many things worth carrying over the summary does not mention, and how many there are; as `try` counts them.
fn left_out(mut session: Session, summary: &str, is_manual: bool, env: &Env) -> (usize, usize) {
    if is_manual {
        session.compacts_on_order();
    }
    preview::left_out(&session, summary, Config::load(env).budget)
}

/// The compactions of this project, newest first, at most `most`: those that hooks saw and those in the history.
fn of_project(everywhere: bool, most: usize, env: &Env) -> anyhow::Result<Listed> {
    let known = Databases::open_fresh(env)?;
    let here = Here::new(env);
    let mut recorded: HashMap<String, Vec<Recorded>> = HashMap::new();
    for one in known.store.as_ref().map(|store| store.compactions(None)).transpose()?.unwrap_or_default() {
        recorded.entry(one.session.clone()).or_default().push(one);
    }
    let mut listed = Listed::default();
    for session in known.sessions(env)? {
        let seen = recorded.remove(&session.id).unwrap_or_default();
        let count = (session.compactions as usize).max(seen.len());
        if !(everywhere || here.has_or_holds(session.project.as_deref(), session.cwd.as_deref())) {
            listed.elsewhere += count;
        } else if listed.all.len() >= most {
            listed.hidden += count;
        } else if count > 0 {
            let chosen = ChosenSession::from(session);
            let record = chosen.find(env)?;
            let mut all = of_record(&chosen.id, record.as_ref(), seen, env)?;
            if record.is_none() {
                // The history knows how many there were.
                all.extend((all.len()..count).map(|_| LostCompaction::unknown(&chosen.id)));
            }
            listed.all.extend(all);
        }
    }
    listed.all.sort_by_key(|one| std::cmp::Reverse(one.at()));
    listed.hidden += listed.all.len().saturating_sub(most);
    listed.all.truncate(most);
    Ok(listed)
}

fn recorded_of(id: &str, env: &Env) -> anyhow::Result<Vec<Recorded>> {
    let Some(folder) = env.data_dir.as_deref() else { return Ok(Vec::new()) };
    let store = Store::open_existing(folder, LOCK_WAIT)?;
    Ok(store.map(|store| store.compactions(Some(id))).transpose()?.unwrap_or_default())
}

fn cuts(record: &TranscriptLines, env: &Env) -> anyhow::Result<Vec<CompactionPoint>> {
    record.cuts(&env.mask).with_context(|| format!("cannot read {}", record.lines.path().display()))
}

fn file_name(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}
