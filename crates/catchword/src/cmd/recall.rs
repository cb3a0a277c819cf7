//! `catchword recall`: shows lines of a transcript.

use std::path::PathBuf;

use anyhow::bail;
use catchword_engine::ops::recall::{self, RecallAddress, RecallRequest, Recalled, RecalledPiece};
use serde::Serialize;

use crate::app::env::Env;
use crate::app::recall::{ReadFrom, RecallTarget, explain_nothing};
use crate::app::sessions;
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Most characters shown of a text; of a longer one its start and its end.
const MAX_SHOWN: usize = 2_000;
/// Characters of its end.
const SHOWN_AT_END: usize = 500;

/// Show a place in a transcript word for word
///
/// PLACE is a line as briefs name it (`L790`), a range (`L790-L812`), a task (`#3` or `task:3`), a file (`src/a.rs`: the
/// last three times it was touched), a compaction (`compaction:2`: what the second one dropped, its summary, and what was
/// given back), or a note from a search (`note:3`). It may name its session, as `catchword search` does: `db68d083:L812`, or a
/// subagent's `db68d083/ID:L812`.
///
/// Tool calls are shown with their results. Secrets are masked, except with --raw, which prints your own file as it is. If
/// the client has deleted the transcript, its backup is read (`catchword backup`), or else what the history kept.
#[derive(clap::Args)]
pub struct Args {
    /// L790, L790-L812, db68d083:L790, #3, src/a.rs, compaction:2, note:3
    #[arg(value_name = "PLACE")]
    place: String,
    /// A recorded session, by the start of its id [default: the latest of this folder]
    #[arg(long, value_name = "ID", conflicts_with = "transcript")]
    session: Option<String>,
    /// A subagent of that session, by its id
    #[arg(long, value_name = "ID", requires = "session")]
    subagent: Option<String>,
    /// Any transcript file instead
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// Show long texts whole, and every row that a compaction dropped
    #[arg(long)]
    full: bool,
    /// Show long texts from this character on
    #[arg(long, value_name = "N", conflicts_with = "full", default_value_t = 0)]
    from: usize,
    /// Show the lines as they are in the file, not masked
    #[arg(long, conflicts_with = "json")]
    raw: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// For a place that includes its session.
    pub fn at(place: String, json: bool) -> Args {
        Args {
            place,
            session: None,
            subagent: None,
            transcript: None,
            full: false,
            from: 0,
            raw: false,
            json,
        }
    }

    /// The place, session and subagent, from the place or the options.
    fn address(&self) -> anyhow::Result<RecallAddress> {
        let Some(address) = RecallAddress::parse(&self.place) else {
            bail!(
                "`{}` isn't a place: use L790, L790-L812, #3, src/a.rs, compaction:2 or note:3",
                self.place
            );
        };
        match (&address.session, &self.session, &self.transcript) {
            (Some(_), Some(_), _) | (Some(_), _, Some(_)) => {
                bail!("`{}` already names its session: leave out --session and --transcript", self.place)
            }
            (Some(_), None, None) => Ok(address),
            (None, session, _) => Ok(RecallAddress {
                session: session.clone(),
                subagent: self.subagent.clone().unwrap_or_default(),
                ..address
            }),
        }
    }
}

/// Prints what is at the place.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let address = args.address()?;
    let wanted = &address.wanted;
    if args.session.is_none() && args.transcript.is_none() {
        refuse_session(&args.place, env)?;
    }
    let found = find(args, &address, env)?;
    let from = ReadFrom::of(&found, wanted, env)?;
    if args.raw {
        return print_raw(wanted, &found, &from, env, ui);
    }
    let (recalled, remark) = found.recall(&from, wanted, args.full, env)?;
    if let Some(remark) = remark {
        ui.say(ui.paragraph(&remark));
    }
    if recalled.pieces.is_empty() {
        let step = next_step(wanted, recalled.lines, address.session.as_deref());
        bail!("{}; {step}", explain_nothing(&recalled, wanted));
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
            ui.say("--full shows all of it.");
        }
    }
    Ok(Exit::Ok)
}

/// Refuses the id of a session, which is no place by itself.
fn refuse_session(text: &str, env: &Env) -> anyhow::Result<()> {
    let is_id = text.len() >= 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if is_id && sessions::recorded(Some(text), env).is_ok() {
        bail!(
            "{text} is a session: add a place (`catchword recall {text}:L12`), or see `catchword status {text}`"
        );
    }
    Ok(())
}

/// Suggests what to try if nothing was found.
fn next_step(wanted: &RecallRequest, lines: u32, session: Option<&str>) -> String {
    let of = session.map(|id| format!(" {id}")).unwrap_or_default();
    let note =
        session.map_or_else(|| "catchword note".to_owned(), |id| format!("catchword note --session {id}"));
    match wanted {
        RecallRequest::Lines(from, _) if *from > lines => {
            "`catchword search` finds a place by its words".to_owned()
        }
        RecallRequest::Lines(..) => "--raw shows a line as it is".to_owned(),
        RecallRequest::Task(_) => format!("`{note}` lists them"),
        RecallRequest::File(path) => format!("`catchword search 'file:{path}'` looks in all"),
        RecallRequest::Compaction(_) => format!("`catchword lost{of}` lists them"),
        RecallRequest::Note(_) => format!("`{note}` shows them"),
    }
}

fn find(args: &Args, address: &RecallAddress, env: &Env) -> anyhow::Result<RecallTarget> {
    if let Some(path) = &args.transcript {
        if !path.is_file() {
            bail!("there is no transcript {}", path.display());
        }
        return Ok(RecallTarget::file(path.clone()));
    }
    let found = sessions::present(address.session.as_deref(), env)?;
    RecallTarget::recorded(&found, &address.subagent, &address.wanted, env)
}

fn print_raw(
    wanted: &RecallRequest,
    found: &RecallTarget,
    source: &ReadFrom,
    env: &Env,
    ui: &Ui,
) -> anyhow::Result<Exit> {
    let RecallRequest::Lines(from, to) = wanted else {
        bail!("--raw takes a line or a range: L790, L790-L812")
    };
    let each = |bytes: &[u8]| ui.bytes(bytes);
    match source {
        ReadFrom::Record(record) => {
            sessions::say_where_from(record, env, ui);
            recall::raw(&mut |each| record.lines(&env.mask, each), *from, *to, each)?;
        }
        ReadFrom::History => {
            bail!(
                "the transcript {} is gone and was not backed up; leave out --raw to see what the history kept",
                found.path.display()
            )
        }
    }
    Ok(Exit::Ok)
}

fn print(piece: &RecalledPiece, args: &Args, ui: &Ui) {
    let when = piece.at.and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    let when = when.map(|at| format!("  {at:.0}")).unwrap_or_default();
    ui.line(format!("{}{}", ui.bold(&format!("{} {}", piece.place, piece.label())), ui.dim(&when)));
    for text in [&piece.title, &piece.text] {
        print_text(text, args, ui);
    }
    if let Some(answer) = &piece.answer {
        let outcome = if answer.ok { String::new() } else { format!(", {}", ui.red("failed")) };
        ui.line(format!("{}{outcome}", ui.bold(&format!("{} answer", answer.place))));
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
    if left <= MAX_SHOWN {
        return before + &rest;
    }
    let head: String = rest.chars().take(MAX_SHOWN - SHOWN_AT_END).collect();
    let end: String = rest.chars().skip(left - SHOWN_AT_END).collect();
    let cut = left - MAX_SHOWN;
    let next = args.from + MAX_SHOWN - SHOWN_AT_END;
    format!("{before}{head}\n[… {cut} characters left out: --full, or --from {next} …]\n{end}")
}

#[derive(Serialize)]
struct RecalledView<'a> {
    session: Option<&'a str>,
    transcript: String,
    /// `transcript`, or if that is gone `backup` or `history`.
    from: &'static str,
    pieces: Vec<PieceView<'a>>,
    remarks: &'a [String],
}

#[derive(Serialize)]
struct PieceView<'a> {
    place: String,
    at: Option<i64>,
    what: String,
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

fn view<'a>(
    recalled: &'a Recalled,
    found: &'a RecallTarget,
    from: &ReadFrom,
    args: &Args,
) -> RecalledView<'a> {
    let piece = |piece: &'a RecalledPiece| PieceView {
        place: piece.place.to_string(),
        at: piece.at,
        what: piece.label(),
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
