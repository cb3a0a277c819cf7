//! `catchword recall`: shows lines of a transcript.

use std::path::PathBuf;

use anyhow::bail;
use catchword_engine::ops::read::recall::{PieceDocument, RecallPlace, explain_nothing, raw, recall};
use catchword_engine::ops::read::{Reader, Which};
use catchword_engine::ops::recall::{RecallAddress, RecallRequest};

use crate::app::env::Env;
use crate::app::read::{fresh_reader, reader_for};
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
    let which = Which::of(address.session.as_deref(), args.transcript.as_deref());
    let reader = match wanted {
        // Everything but notes is read from the transcript itself.
        RecallRequest::Note(_) if args.transcript.is_none() => fresh_reader(env)?,
        _ => reader_for(which, env)?,
    };
    if args.session.is_none() && args.transcript.is_none() {
        refuse_session(&args.place, &reader)?;
    }
    let place = RecallPlace { which, subagent: &address.subagent, wanted, all: args.full };
    if args.raw {
        if let Some(remark) = raw(&reader, &place, |bytes| ui.bytes(bytes))? {
            ui.say(ui.paragraph(&remark));
        }
        return Ok(Exit::Ok);
    }
    let mut recalled = recall(&reader, &place)?;
    if recalled.pieces.is_empty() {
        let step = next_step(wanted, recalled.lines, address.session.as_deref());
        bail!("{}; {step}", explain_nothing(&recalled, wanted));
    }
    for piece in &mut recalled.pieces {
        piece.text = shown(&piece.text, args);
        if let Some(answer) = &mut piece.answer {
            answer.text = shown(&answer.text, args);
        }
    }
    if args.json {
        ui.line(serde_json::to_string_pretty(&recalled)?);
        return Ok(Exit::Ok);
    }
    for piece in &recalled.pieces {
        print(piece, ui);
    }
    for remark in &recalled.remarks {
        ui.say(ui.paragraph(remark));
    }
    if recalled.shortened {
        ui.say("--full shows all of it.");
    }
    Ok(Exit::Ok)
}

/// Refuses the id of a session, which is no place by itself.
fn refuse_session(text: &str, reader: &Reader) -> anyhow::Result<()> {
    let is_id = text.len() >= 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if is_id && reader.listed(text).is_ok() {
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

fn print(piece: &PieceDocument, ui: &Ui) {
    let when = piece.at.and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    let when = when.map(|at| format!("  {at:.0}")).unwrap_or_default();
    ui.line(format!("{}{}", ui.bold(&format!("{} {}", piece.place, piece.what)), ui.dim(&when)));
    print_text(&piece.title, ui);
    print_text(&piece.text, ui);
    if let Some(answer) = &piece.answer {
        let outcome = if answer.ok { String::new() } else { format!(", {}", ui.red("failed")) };
        ui.line(format!("{}{outcome}", ui.bold(&format!("{} answer", answer.place))));
        print_text(&answer.text, ui);
    }
    ui.line("");
}

fn print_text(text: &str, ui: &Ui) {
    for line in text.lines() {
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
