//! `catchword recall`: back to the lines.

use std::path::PathBuf;

use anyhow::{Context, bail};
use catchword_engine::agent::claude_code;
use catchword_engine::backup::Backups;
use catchword_engine::history::{Source as Recorded, Thread};
use catchword_engine::ops::recall::{self, Piece, Recalled, Wanted};
use catchword_engine::ops::record::Record;
use serde::Serialize;

use super::target::{self, Known, Present};
use crate::env::Env;
use crate::exit::Exit;
use crate::ui::{Ui, counted};

/// Characters of one text that are shown; of a longer one its start and its end.
const SHOWN: usize = 2_000;
/// Of them, those at the end.
const END: usize = 500;

/// Show what stands at a place of a transcript, word for word
///
/// PLACE is a line as it stands in a brief (`L790`), a range (`L790-L812`), a task (`#3` or `task:3`), a file
/// (`src/a.rs`: the last three times it was touched), a compaction (`compaction:2`: what was dropped at the second one,
/// its summary, and what was given back), or a note out of a search (`note:3`).
///
/// Tool calls stand with their answers. Secrets are masked, except with --raw, which gives the bytes of your own file.
/// Where Claude Code has deleted that, its backup is read (`catchword backup`), else what the history kept.
#[derive(clap::Args)]
pub struct Args {
    /// L790, L790-L812, #3, src/a.rs, compaction:2, note:3
    #[arg(value_name = "PLACE")]
    place: String,
    /// A recorded session, by the start of its id; the latest of this folder when not given
    #[arg(long, value_name = "ID", conflicts_with = "transcript")]
    session: Option<String>,
    /// A subagent of that session, by its id
    #[arg(long, value_name = "ID", requires = "session")]
    subagent: Option<String>,
    /// Any transcript file instead
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// Long texts whole, and every row that a compaction dropped
    #[arg(long)]
    full: bool,
    /// Long texts from this character on
    #[arg(long, value_name = "N", conflicts_with = "full", default_value_t = 0)]
    from: usize,
    /// The lines as they are in the file, not masked
    #[arg(long, conflicts_with = "json")]
    raw: bool,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// Prints what stands there.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let Some(wanted) = Wanted::parse(&args.place) else {
        bail!("`{}` is no place: give L790, L790-L812, #3, src/a.rs, compaction:2 or note:3", args.place);
    };
    let found = find(args, env)?;
    let from = Source::of(&found, &wanted, env)?;
    if args.raw {
        return print_raw(&wanted, &found, &from, env, ui);
    }
    let (recalled, remark) = found.recall(&from, &wanted, args.full, env)?;
    if let Some(remark) = remark {
        ui.say(ui.paragraph(&remark));
    }
    if recalled.pieces.is_empty() {
        let step = next_step(&wanted, args.session.as_deref());
        bail!("{}; {step}", explain_nothing(&recalled, &wanted));
    }
    if args.json {
        ui.line(serde_json::to_string_pretty(&view(&recalled, &found, &from, args))?);
    } else {
        for piece in &recalled.pieces {
            print(piece, args, ui);
        }
        for remark in &recalled.remarks {
            ui.say(ui.paragraph(remark));
        }
        if recalled.shortened {
            ui.say("--full gives all.");
        }
    }
    Ok(Exit::Ok)
}

/// What stands at a place of a recorded session or a subagent of it, and what is to be known of where it was read.
pub fn of_session(
    session: &Present,
    subagent: &str,
    wanted: &Wanted,
    all: bool,
    env: &Env,
) -> anyhow::Result<(Recalled, Option<String>)> {
    let target = Target::recorded(session, subagent, env)?;
    target.recall(&Source::of(&target, wanted, env)?, wanted, all, env)
}

/// Why nothing was recalled.
pub fn explain_nothing(recalled: &Recalled, wanted: &Wanted) -> String {
    if let Some(remark) = recalled.remarks.first() {
        return remark.clone();
    }
    match wanted {
        Wanted::Lines(from, _) if *from > recalled.lines => {
            format!("the transcript has {}; there is no L{from}", counted(u64::from(recalled.lines), "line"))
        }
        Wanted::Lines(..) => "nothing of the conversation stands there".to_owned(),
        Wanted::Task(task) => format!("no task {task} in this session"),
        Wanted::File(path) => format!("no tool touched {path} in this session"),
        Wanted::Compaction(number) => format!("no compaction {number} in this session"),
        Wanted::Note(number) => format!("no note {number} of this session"),
    }
}

/// What a person can do then.
fn next_step(wanted: &Wanted, session: Option<&str>) -> String {
    let of = session.map(|id| format!(" {id}")).unwrap_or_default();
    match wanted {
        Wanted::Lines(..) => "--raw gives a line as it is, `catchword search` finds others".to_owned(),
        Wanted::Task(_) => format!("`catchword tasks{of}` lists them"),
        Wanted::File(path) => format!("`catchword search 'file:{path}'` looks in all"),
        Wanted::Compaction(_) => "`catchword sessions` says how many each has".to_owned(),
        Wanted::Note(_) => format!("`catchword notes{of}` shows them"),
    }
}

/// A transcript, and what the history has of it.
struct Target {
    path: PathBuf,
    known: Option<(Known, Recorded)>,
    thread: Option<Thread>,
}

/// Where the lines come from.
enum Source {
    Record(Record),
    /// The client deletes transcripts after 30 days, and this one has no backup.
    History,
}

impl Source {
    fn of(found: &Target, wanted: &Wanted, env: &Env) -> anyhow::Result<Source> {
        if matches!(wanted, Wanted::Note(_)) {
            return Ok(Source::History);
        }
        let Some(thread) = &found.thread else { return Ok(Source::Record(Record::File(found.path.clone()))) };
        let record = Record::find(&found.path, thread, env.data_dir.as_deref())?;
        Ok(record.map_or(Source::History, Source::Record))
    }

    fn word(&self) -> &'static str {
        match self {
            Source::Record(Record::File(_)) => "transcript",
            Source::Record(Record::Backup(..)) => "backup",
            Source::History => "history",
        }
    }
}

fn find(args: &Args, env: &Env) -> anyhow::Result<Target> {
    if let Some(path) = &args.transcript {
        if !path.is_file() {
            bail!("there is no transcript {}", path.display());
        }
        return Ok(Target { path: path.clone(), known: None, thread: None });
    }
    let found = target::present(args.session.as_deref(), env)?;
    Target::recorded(&found, args.subagent.as_deref().unwrap_or_default(), env)
}

impl Target {
    fn recorded(found: &Present, subagent: &str, env: &Env) -> anyhow::Result<Target> {
        let known = Known::open(env)?;
        let thread = Thread { session: found.id.clone(), subagent: subagent.to_owned() };
        let source = known.history.as_ref().map(|history| history.source(&thread)).transpose()?.flatten();
        let path = match (&source, subagent.is_empty()) {
            (_, true) => found.transcript.clone(),
            (Some(source), false) => source.path.clone(),
            (None, false) if is_backed_up(env, &thread)? => PathBuf::new(),
            (None, false) => bail!(
                "no subagent {subagent} of this session is in the history; `catchword index` takes their transcripts in"
            ),
        };
        Ok(Target { path, known: source.map(|source| (known, source)), thread: Some(thread) })
    }

    /// What stands there, and what is to be known of where it was read.
    fn recall(
        &self,
        from: &Source,
        wanted: &Wanted,
        all: bool,
        env: &Env,
    ) -> anyhow::Result<(Recalled, Option<String>)> {
        let (mut recalled, remark) = match from {
            Source::Record(record) => {
                let recalled =
                    recall::recall(&claude_code::AGENT, &mut |each| record.lines(each), wanted, all)
                        .with_context(|| format!("cannot read {}", self.path.display()))?;
                (recalled, target::where_from(record, env))
            }
            Source::History => self.out_of_history(wanted, env)?,
        };
        add_given(&mut recalled, self, env)?;
        Ok((recalled, remark))
    }

    /// Neither transcript nor backup; or a note, which stands in none.
    fn out_of_history(&self, wanted: &Wanted, env: &Env) -> anyhow::Result<(Recalled, Option<String>)> {
        let gone = format!("The transcript {} is gone and was not backed up", env.show(&self.path));
        let is_note = matches!(wanted, Wanted::Note(_));
        let Some((Known { history: Some(history), .. }, source)) = &self.known else {
            anyhow::ensure!(
                !is_note,
                "nothing of this session is in the history; `catchword notes` shows its notes"
            );
            bail!("{gone}; nothing of it is in the history either");
        };
        let kept =
            "This is what the history kept of it: long texts cut, nothing of files that were only read.";
        let remark = (!is_note).then(|| format!("{gone}. {kept}"));
        Ok((recall::from_history(history, source, wanted)?, remark))
    }
}

fn is_backed_up(env: &Env, thread: &Thread) -> anyhow::Result<bool> {
    let Some(data) = &env.data_dir else { return Ok(false) };
    Ok(Backups::at(data).find(thread)?.is_some())
}

/// What hooks recorded of a compaction beside the transcript.
fn add_given(recalled: &mut Recalled, found: &Target, env: &Env) -> anyhow::Result<()> {
    let main = found.thread.as_ref().filter(|thread| thread.subagent.is_empty());
    let (Some(thread), true) = (main, recalled.between.is_some()) else { return Ok(()) };
    let given = Known::open(env)?.store.map(|store| store.given_back(&thread.session)).transpose()?;
    recall::add_given(recalled, &given.unwrap_or_default());
    Ok(())
}

fn print_raw(wanted: &Wanted, found: &Target, source: &Source, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let Wanted::Lines(from, to) = wanted else { bail!("--raw takes a line or a range: L790, L790-L812") };
    let each = |bytes: &[u8]| ui.bytes(bytes);
    match source {
        Source::Record(record) => {
            target::say_where_from(record, env, ui);
            recall::raw(&mut |each| record.lines(each), *from, *to, each)?;
        }
        Source::History => {
            bail!(
                "the transcript {} is gone and was not backed up; without --raw the history is asked",
                found.path.display()
            )
        }
    }
    Ok(Exit::Ok)
}

fn print(piece: &Piece, args: &Args, ui: &Ui) {
    let when = piece.at.and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    let when = when.map(|at| format!("  {at:.0}")).unwrap_or_default();
    ui.line(format!("{}{}", ui.bold(&format!("{} {}", piece.place, piece.what)), ui.dim(&when)));
    for text in [&piece.title, &piece.text] {
        print_text(text, args, ui);
    }
    if let Some(answer) = &piece.answer {
        let outcome = if answer.ok { "" } else { ", failed" };
        ui.line(ui.bold(&format!("{} answer{outcome}", answer.place)));
        print_text(&answer.text, args, ui);
    }
    ui.line("");
}

fn print_text(text: &str, args: &Args, ui: &Ui) {
    if text.is_empty() {
        return;
    }
    for line in shown(text, args).lines() {
        ui.line(format!("  {line}"));
    }
}

/// The part of a text that is shown.
fn shown(text: &str, args: &Args) -> String {
    let all = text.chars().count();
    if args.full || all <= args.from {
        return if args.full || args.from == 0 { text.to_owned() } else { String::new() };
    }
    let rest: String = text.chars().skip(args.from).collect();
    let left = all - args.from;
    let before = if args.from > 0 { format!("[from character {}]\n", args.from) } else { String::new() };
    if left <= SHOWN {
        return before + &rest;
    }
    let head: String = rest.chars().take(SHOWN - END).collect();
    let end: String = rest.chars().skip(left - END).collect();
    let cut = left - SHOWN;
    let next = args.from + SHOWN - END;
    format!("{before}{head}\n[… {cut} characters left out: --full, or --from {next} …]\n{end}")
}

#[derive(Serialize)]
struct RecalledView<'a> {
    session: Option<&'a str>,
    transcript: String,
    /// `transcript`, or where it is gone `backup` or `history`.
    from: &'static str,
    pieces: Vec<PieceView<'a>>,
    remarks: &'a [String],
}

#[derive(Serialize)]
struct PieceView<'a> {
    place: String,
    at: Option<i64>,
    what: &'a str,
    title: &'a str,
    text: String,
    characters: usize,
    answer: Option<AnswerView>,
}

#[derive(Serialize)]
struct AnswerView {
    place: String,
    ok: bool,
    text: String,
    characters: usize,
}

fn view<'a>(recalled: &'a Recalled, found: &'a Target, from: &Source, args: &Args) -> RecalledView<'a> {
    let piece = |piece: &'a Piece| PieceView {
        place: piece.place.to_string(),
        at: piece.at,
        what: &piece.what,
        title: &piece.title,
        text: shown(&piece.text, args),
        characters: piece.text.chars().count(),
        answer: piece.answer.as_ref().map(|answer| AnswerView {
            place: answer.place.to_string(),
            ok: answer.ok,
            text: shown(&answer.text, args),
            characters: answer.text.chars().count(),
        }),
    };
    RecalledView {
        session: found.thread.as_ref().map(|thread| thread.session.as_str()),
        transcript: found.path.display().to_string(),
        from: from.word(),
        pieces: recalled.pieces.iter().map(piece).collect(),
        remarks: &recalled.remarks,
    }
}
