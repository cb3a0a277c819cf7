//! `catchword try`: simulates a compaction of an existing session. Needs no setup and writes nothing.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use catchword_engine::brief::with_place;
use catchword_engine::choose::Section;
use catchword_engine::clients::CLIENTS;
use catchword_engine::model::event::short_id;
use catchword_engine::model::finding::FindingKind;
use catchword_engine::ops::read::brief::{BriefDocument, BriefLineDocument};
use catchword_engine::ops::read::compaction::FindingDocument;
use catchword_engine::ops::read::trial::{TrialDocument, trial};
use catchword_engine::ops::read::{ReadError, Which};
use catchword_engine::ops::record::TranscriptLines;
use catchword_engine::session::one_line;
use catchword_engine::text::numbers::{ago, grouped};
use catchword_engine::text::shell_words::quoted;
use catchword_engine::transcript;

use crate::app::config::Config;
use crate::app::env::Env;
use crate::app::read::reader_for;
use crate::app::transcripts;
use crate::install::Survey;
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::wrap;

/// A made-up session whose summary is as careless as real ones.
const SAMPLE: &str = include_str!("sample.jsonl");

/// Things shown without --brief.
const SHOWN: usize = 7;
/// Of them, requests: they hold the rules.
const REQUESTS: usize = 3;
/// Characters of a quotation.
const LONGEST: usize = 240;
/// How long to look for a compaction, and how much to read: a person waits.
const PATIENCE: Duration = Duration::from_secs(2);
const MAX_BYTES: u64 = 200_000_000;

/// See what a compaction lost and what the agent would be told
///
/// Replays the latest compaction of your newest session that has one. If none has, it shows what the agent would be told if
/// your newest session were compacted now; without a session it plays a bundled sample. It needs no setup, writes nothing,
/// and nothing leaves this machine.
#[derive(clap::Args)]
#[command(name = "try")]
pub struct Args {
    /// Another transcript
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// Use the bundled sample session
    #[arg(long, conflicts_with = "transcript")]
    sample: bool,
    /// Print the whole brief: everything the agent would be told
    #[arg(long)]
    brief: bool,
    /// Most characters of the brief, 400 to 9,500
    #[arg(long, value_name = "CHARACTERS", value_parser = super::target::budget)]
    budget: Option<usize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let budget = args.budget.unwrap_or_else(|| Config::load(env).budget);
    let played = match &args.transcript {
        _ if args.sample => play_sample(budget, env)?,
        Some(path) => play(path, budget, env)?.with_context(|| {
            format!(
                "{} holds no conversation: give another file with --transcript, or use --sample",
                path.display()
            )
        })?,
        None => choose(budget, env)?,
    };
    if args.json {
        ui.line(serde_json::to_string_pretty(&played)?);
    } else {
        print(&played, args, env, ui);
    }
    Ok(Exit::Ok)
}

/// The newest session with a compaction worth showing, else the newest one as if it were compacted now, else the sample.
/// What cannot be read is passed over.
fn choose(budget: usize, env: &Env) -> anyhow::Result<TrialDocument> {
    let deadline = Instant::now() + PATIENCE;
    let (mut read, mut looked) = (0, 0);
    let mut newest: Option<TrialDocument> = None;
    let all = transcripts::newest_first(env);
    for (path, bytes) in &all {
        read += bytes;
        if looked > 0 && (read > MAX_BYTES || Instant::now() > deadline) {
            break;
        }
        let cuts = TranscriptLines::of_file(path).cuts(&env.mask).unwrap_or_default();
        let is_compacted = cuts.iter().any(|cut| !cut.summary.is_empty());
        if is_compacted || newest.is_none() {
            let played = play(path, budget, env).ok().flatten();
            if let Some(played) = played {
                if is_compacted && !played.brief.text.is_empty() {
                    return Ok(TrialDocument { chosen: Some(latest_with_one(looked)), ..played });
                }
                newest = newest.or(Some(played));
            }
        }
        looked += 1;
    }
    let sessions = match looked {
        1 => "Your only session has no compaction to show".to_owned(),
        _ if looked < all.len() => format!("None of your {looked} newest sessions has a compaction to show"),
        _ => format!("None of your {looked} sessions has a compaction to show"),
    };
    Ok(match newest {
        Some(newest) if looked == 1 => TrialDocument { chosen: Some(format!("{sessions}.")), ..newest },
        Some(newest) => TrialDocument { chosen: Some(format!("{sessions}; this is the newest.")), ..newest },
        None => {
            let chosen = Some("There is no session of yours with a conversation.".to_owned());
            TrialDocument { chosen, ..play_sample(budget, env)? }
        }
    })
}

fn latest_with_one(newer: usize) -> String {
    let newer = match newer {
        0 => String::new(),
        1 => "; 1 newer session has none to show".to_owned(),
        newer => format!("; {newer} newer sessions have none to show"),
    };
    format!("This is your newest session with a compaction{newer}.")
}

/// A session by its id, any other file by its path.
fn named(path: &Path, env: &Env) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let is_id = stem.len() == 36 && stem.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if is_id { format!("Session {}", short_id(&stem)) } else { env.show(path) }
}

/// `None` if it holds no conversation.
fn play(path: &Path, budget: usize, env: &Env) -> anyhow::Result<Option<TrialDocument>> {
    let reader = reader_for(Which::File(path), env)?;
    if !transcript::is_there(path) {
        return Err(ReadError::NoFile(path.to_owned()).into());
    }
    let played = trial(&reader, path, budget)?;
    Ok(played.map(|played| TrialDocument { transcript: named(path, env), ..played }))
}

/// " (parser, 3 h ago)".
fn about(played: &TrialDocument, env: &Env) -> String {
    let folder =
        played.folder.as_deref().and_then(|root| root.rsplit(['/', '\\']).find(|name| !name.is_empty()));
    let age = played.at.map(|at| ago(env.now() - at));
    let known: Vec<String> = folder.map(str::to_owned).into_iter().chain(age).collect();
    if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) }
}

fn play_sample(budget: usize, env: &Env) -> anyhow::Result<TrialDocument> {
    let mut file = tempfile::NamedTempFile::new().context("cannot make a temporary file")?;
    file.write_all(SAMPLE.as_bytes())?;
    let played = play(file.path(), budget, env)?.context("the sample is empty")?;
    let transcript = "The bundled sample session".to_owned();
    Ok(TrialDocument { transcript, folder: None, at: None, ..played })
}

/// The command that prints the whole brief of the same session.
fn whole_brief(args: &Args) -> String {
    let which = match &args.transcript {
        Some(path) => format!(" --transcript {}", quoted(&path.to_string_lossy())),
        None if args.sample => " --sample".to_owned(),
        None => String::new(),
    };
    format!("catchword try{which} --brief")
}

fn print(played: &TrialDocument, args: &Args, env: &Env, ui: &Ui) {
    for line in ui.paragraph(&what_was_played(played, env)).lines() {
        ui.line(ui.bold(line));
    }
    if let Some(chosen) = &played.chosen {
        ui.line(ui.dim(&ui.paragraph(chosen)));
    }
    let found = played.compaction.iter().filter_map(|compaction| compaction.findings.as_deref()).flatten();
    if let Some(finding) = found.into_iter().find(|found| found.summary_quote.is_some()) {
        beside(finding, ui);
    }
    let (size, is_compacted) = (played.brief.characters, played.compaction.is_some());
    if size == 0 {
        ui.line(if is_compacted {
            "\nNothing to add: the summary mentions everything that the record has."
        } else {
            "\nNothing yet that is worth carrying over."
        });
        return next_step(env, ui);
    }
    if args.brief {
        ui.line(format!("\n{}\n", ui.bold("The agent would be told")));
        ui.document(&played.brief.text);
        return next_step(env, ui);
    }
    let title = if is_compacted { "Missing from the summary, or reworded" } else { "What matters most" };
    ui.line(format!("\n{}", ui.bold(title)));
    let shown = most_important(&played.brief);
    for (at, line) in shown.iter().enumerate() {
        let is_first = at == 0 || shown[at - 1].heading != line.heading;
        if is_first {
            ui.line(format!("  {}", ui.dim(line.heading)));
        }
        item(line, ui);
    }
    ui.line("");
    ui.line(ui.paragraph(&format!(
        "{}With catchword the agent gets a brief of {} characters (about {} tokens); `{}` prints it.",
        counted(played, shown.len()),
        grouped(size as u64),
        grouped(size as u64 / 4),
        whole_brief(args)
    )));
    next_step(env, ui);
}

/// What the summary lacks, in the numbers of `catchword lost`.
fn counted(played: &TrialDocument, shown: usize) -> String {
    let Some(carried) = played.compaction.as_ref().and_then(|compaction| compaction.carried) else {
        return String::new();
    };
    let (missing, all) = (carried.lost, carried.kept + carried.lost);
    let more = match missing.saturating_sub(shown) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    match missing {
        0 => format!("The summary mentions all {all} things worth keeping, if not in these words. "),
        _ => format!(
            "The summary lacks or rewords {missing} of {all} things worth keeping: those above{more}. The agent may find \
             some of them again by itself. "
        ),
    }
}

fn next_step(env: &Env, ui: &Ui) {
    let is_called = CLIENTS.iter().any(|client| Survey::take(client, env).is_called());
    ui.say(if is_called {
        "\nNext: `catchword lost --all` lists your compactions."
    } else {
        "\nNext: `catchword init` sets it up; it shows what changes and asks first."
    });
}

/// The summary's sentence and what the record has instead.
fn beside(finding: &FindingDocument, ui: &Ui) {
    let place = finding.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
    let record = match finding.kind {
        FindingKind::Invented => "no message of the user says so",
        _ => &finding.text,
    };
    ui.line("");
    side(&ui.red("The summary says"), finding.summary_quote.as_deref().unwrap_or_default(), ui);
    side(&ui.green(&format!("The record says{place}")), record, ui);
}

fn side(title: &str, text: &str, ui: &Ui) {
    ui.line(title);
    let lines = wrap(&one_line(text, LONGEST), ui.width().saturating_sub(2));
    for line in lines {
        ui.line(format!("  {line}"));
    }
}

/// The weightiest of each section, then more of them; in the order of the brief.
fn most_important(brief: &BriefDocument) -> Vec<&BriefLineDocument> {
    // Where the summary differs is shown above.
    let is_elsewhere = |line: &&BriefLineDocument| {
        [Section::State, Section::Differs].map(Section::title).contains(&line.heading)
    };
    let lines = brief.lines.as_deref().unwrap_or_default().iter();
    let mut lines: Vec<&BriefLineDocument> = lines.filter(|line| line.shown && !is_elsewhere(line)).collect();
    for section in lines.chunk_by_mut(|a, b| a.heading == b.heading) {
        section.sort_by(|a, b| b.value().total_cmp(&a.value()));
    }
    let is_first = |at: usize| {
        let heading = lines[at].heading;
        let most = if heading == Section::Asked.title() { REQUESTS } else { 1 };
        lines[..at].iter().filter(|line| line.heading == heading).count() < most
    };
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|at| !is_first(*at));
    order.truncate(SHOWN);
    order.sort_unstable();
    order.into_iter().map(|at| lines[at]).collect()
}

fn item(line: &BriefLineDocument, ui: &Ui) {
    let text = one_line(line.text.trim_start_matches("- "), LONGEST);
    let place = line.place.as_ref().filter(|place| !text.contains(place.as_str()));
    let text = place.map_or_else(|| text.clone(), |place| with_place(&text, place));
    // A place alone on a line says nothing.
    let text = text.rsplit_once(' ').map_or(text.clone(), |(words, last)| format!("{words}\u{a0}{last}"));
    for line in wrap(&text, ui.width().saturating_sub(4)) {
        ui.line(format!("    {}", line.replace('\u{a0}', " ")));
    }
}

fn what_was_played(played: &TrialDocument, env: &Env) -> String {
    let (name, about) = (&played.transcript, about(played, env));
    match &played.compaction {
        Some(compaction) => {
            let all = played.compactions;
            let which =
                if all > 1 { format!("compaction {all} of {all}") } else { "the compaction".to_owned() };
            format!(
                "{name}{about}: {which} replaced {} lines of transcript with a summary of {} characters.",
                grouped(played.lines.into()),
                grouped(compaction.summary_characters.unwrap_or_default() as u64)
            )
        }
        None => {
            format!(
                "{name}{about} has not been compacted yet. This is what the agent would be told if it were compacted now."
            )
        }
    }
}
