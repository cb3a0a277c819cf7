//! `catchword try`: simulates a compaction of an existing session. Needs no setup and writes nothing.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use catchword_engine::brief::{Brief, BriefLine};
use catchword_engine::clients::CLIENTS;
use catchword_engine::facts::Section;
use catchword_engine::model::event::short_id;
use catchword_engine::model::finding::{Finding, FindingKind};
use catchword_engine::ops::history::CompactionPoint;
use catchword_engine::ops::lost;
use catchword_engine::ops::preview::{self, LeftOutCount, Preview};
use catchword_engine::ops::record::TranscriptLines;
use catchword_engine::session::one_line;
use catchword_engine::text::numbers::{ago, grouped};
use catchword_engine::text::shell_words::quoted;
use serde::Serialize;

use crate::app::config::Config;
use crate::app::env::Env;
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
        ui.line(serde_json::to_string_pretty(&view(&played))?);
    } else {
        print(&played, args, env, ui);
    }
    Ok(Exit::Ok)
}

/// The newest session with a compaction worth showing, else the newest one as if it were compacted now, else the sample.
/// What cannot be read is passed over.
fn choose(budget: usize, env: &Env) -> anyhow::Result<Played> {
    let deadline = Instant::now() + PATIENCE;
    let (mut read, mut looked) = (0, 0);
    let mut newest: Option<Played> = None;
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
                if is_compacted && !played.preview.brief.text.is_empty() {
                    return Ok(Played { chosen: Some(latest_with_one(looked)), ..played });
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
        Some(newest) if looked == 1 => Played { chosen: Some(format!("{sessions}.")), ..newest },
        Some(newest) => Played { chosen: Some(format!("{sessions}; this is the newest.")), ..newest },
        None => {
            let chosen = Some("There is no session of yours with a conversation.".to_owned());
            Played { chosen, ..play_sample(budget, env)? }
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

/// A simulated compaction.
struct Played {
    name: String,
    /// Which project and how long ago, in parentheses; empty for the sample.
    about: String,
    /// Why this one, if nobody named it.
    chosen: Option<String>,
    /// The number of the compaction and how many there are; `None` if the session had none and its end was used.
    cut: Option<(usize, usize, CompactionPoint)>,
    lines: u32,
    preview: Preview,
    /// Where the summary differs, the costliest first.
    findings: Vec<Finding>,
}

/// `None` if it holds no conversation.
fn play(path: &Path, budget: usize, env: &Env) -> anyhow::Result<Option<Played>> {
    let record = TranscriptLines::of_file(path);
    let cuts = record.cuts(&env.mask).with_context(|| format!("cannot read {}", path.display()))?;
    let number = cuts.len();
    // An earlier compaction has replaced what came before it.
    let replaced = cuts.iter().rev().nth(1).map_or(0, |earlier| earlier.lines);
    let last = cuts.into_iter().next_back();
    let mut session = record.fold(&env.mask, last.as_ref().map(|cut| cut.read))?;
    if last.as_ref().is_some_and(|cut| cut.manual) {
        session.compacts_on_order();
    }
    if session.entries == 0 {
        return Ok(None);
    }
    let summary = last.as_ref().map(|cut| cut.summary.as_str()).filter(|s| !s.is_empty());
    let lines = last.as_ref().map_or(session.entries, |cut| cut.lines.saturating_sub(replaced));
    let preview = preview::preview(&session, summary, budget);
    let compared = summary.map(|summary| lost::compare(&session, summary, None)).unwrap_or_default();
    let findings = compared.findings.into_iter().map(|one| one.finding).filter(Finding::is_told).collect();
    let at = last.as_ref().and_then(|cut| cut.at).or(session.time);
    Ok(Some(Played {
        name: named(path, env),
        about: about(session.root(), at, env),
        chosen: None,
        cut: last.map(|cut| (number, number, cut)),
        lines,
        preview,
        findings,
    }))
}

/// " (parser, 3 h ago)".
fn about(root: Option<&str>, at: Option<i64>, env: &Env) -> String {
    let folder = root.and_then(|root| root.rsplit(['/', '\\']).find(|name| !name.is_empty()));
    let age = at.map(|at| ago(env.now() - at));
    let known: Vec<String> = folder.map(str::to_owned).into_iter().chain(age).collect();
    if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) }
}

fn play_sample(budget: usize, env: &Env) -> anyhow::Result<Played> {
    let mut file = tempfile::NamedTempFile::new().context("cannot make a temporary file")?;
    file.write_all(SAMPLE.as_bytes())?;
    let played = play(file.path(), budget, env)?.context("the sample is empty")?;
    Ok(Played { name: "The bundled sample session".to_owned(), about: String::new(), ..played })
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

fn print(played: &Played, args: &Args, env: &Env, ui: &Ui) {
    for line in ui.paragraph(&what_was_played(played)).lines() {
        ui.line(ui.bold(line));
    }
    if let Some(chosen) = &played.chosen {
        ui.line(ui.dim(&ui.paragraph(chosen)));
    }
    if let Some(finding) = played.findings.iter().find(|finding| finding.summary_quote.is_some()) {
        beside(finding, ui);
    }
    let brief = &played.preview.brief;
    let (size, is_compacted) = (brief.text.chars().count(), played.cut.is_some());
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
        ui.document(&brief.text);
        return next_step(env, ui);
    }
    let title = if is_compacted { "Missing from the summary, or reworded" } else { "What matters most" };
    ui.line(format!("\n{}", ui.bold(title)));
    let shown = most_important(brief);
    for (at, line) in shown.iter().enumerate() {
        let is_first = at == 0 || shown[at - 1].fact.section != line.fact.section;
        if is_first {
            ui.line(format!("  {}", ui.dim(line.fact.section.title())));
        }
        item(line, ui);
    }
    let missing: usize = played.preview.left_out.iter().map(|l| l.missing).sum();
    let all: usize = played.preview.left_out.iter().map(|l| l.all).sum();
    let more = match missing.saturating_sub(shown.len()) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let counted = match missing {
        _ if !is_compacted => String::new(),
        0 => format!("The summary mentions all {all} things worth keeping, if not in these words. "),
        _ => format!(
            "The summary lacks or rewords {missing} of {all} things worth keeping: those above{more}. The agent may find \
             some of them again by itself. "
        ),
    };
    ui.line("");
    ui.line(ui.paragraph(&format!(
        "{counted}With catchword the agent gets a brief of {} characters (about {} tokens); `{}` prints it.",
        grouped(size as u64),
        grouped(size as u64 / 4),
        whole_brief(args)
    )));
    next_step(env, ui);
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
fn beside(finding: &Finding, ui: &Ui) {
    let place = finding.place.map(|place| format!(" ({place})")).unwrap_or_default();
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
fn most_important(brief: &Brief) -> Vec<&BriefLine> {
    let mut lines: Vec<&BriefLine> = brief.valued().into_iter().map(|(line, _)| line).collect();
    // Where the summary differs is shown above.
    lines.retain(|line| !matches!(line.fact.section, Section::State | Section::Differs));
    lines.sort_by(|a, b| a.fact.section.cmp(&b.fact.section).then(b.fact.score.total_cmp(&a.fact.score)));
    let is_first = |at: usize| {
        let section = lines[at].fact.section;
        let most = if section == Section::Asked { REQUESTS } else { 1 };
        lines[..at].iter().filter(|line| line.fact.section == section).count() < most
    };
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|at| !is_first(*at));
    order.truncate(SHOWN);
    order.sort_unstable();
    order.into_iter().map(|at| lines[at]).collect()
}

fn item(line: &BriefLine, ui: &Ui) {
    let fact = &line.fact;
    let place = fact.place.map(|place| format!(" {place}")).unwrap_or_default();
    let text = one_line(line.form().trim_start_matches("- "), LONGEST);
    let text = if text.contains(place.trim()) { text } else { format!("{text}{place}") };
    // A place alone on a line says nothing.
    let text = text.rsplit_once(' ').map_or(text.clone(), |(words, last)| format!("{words}\u{a0}{last}"));
    for line in wrap(&text, ui.width().saturating_sub(4)) {
        ui.line(format!("    {}", line.replace('\u{a0}', " ")));
    }
}

fn what_was_played(played: &Played) -> String {
    let (name, about) = (&played.name, &played.about);
    match &played.cut {
        Some((number, all, cut)) => {
            let which =
                if *all > 1 { format!("compaction {number} of {all}") } else { "the compaction".to_owned() };
            format!(
                "{name}{about}: {which} replaced {} lines of transcript with a summary of {} characters.",
                grouped(played.lines.into()),
                grouped(cut.summary.chars().count() as u64)
            )
        }
        None => {
            format!(
                "{name}{about} has not been compacted yet. This is what the agent would be told if it were compacted now."
            )
        }
    }
}

#[derive(Serialize)]
struct TryView<'a> {
    transcript: &'a str,
    chosen: Option<&'a str>,
    lines: u32,
    summary_characters: Option<usize>,
    left_out: Vec<LeftOutView>,
    brief_characters: usize,
    brief: &'a str,
}

#[derive(Serialize)]
struct LeftOutView {
    kind: &'static str,
    all: usize,
    missing: usize,
}

fn view(played: &Played) -> TryView<'_> {
    let of = |l: &LeftOutCount| LeftOutView { kind: l.section.noun(), all: l.all, missing: l.missing };
    TryView {
        transcript: &played.name,
        chosen: played.chosen.as_deref(),
        lines: played.lines,
        summary_characters: played.cut.as_ref().map(|(_, _, cut)| cut.summary.chars().count()),
        left_out: played.preview.left_out.iter().map(of).collect(),
        brief_characters: played.preview.brief.text.chars().count(),
        brief: &played.preview.brief.text,
    }
}
