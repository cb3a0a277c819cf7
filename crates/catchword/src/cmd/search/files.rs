//! `catchword search --file`: what was done and decided about a file.

use anyhow::bail;
use catchword_engine::archive::history::History;
use catchword_engine::archive::history::query::Query;
use catchword_engine::ops::search::Options;
use catchword_engine::ops::search::files::{FileHistory, FilePassage, FileWork, about_file};
use catchword_engine::text::numbers::count_of;
use serde::Serialize;

use super::{date, marked, print_session};
use crate::app::env::Env;
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::{fit, padded, width};

/// Columns of a verb and of a place.
const VERB: usize = 9;
const PLACE: usize = 8;
/// Most lines of a passage, paths of a transcript and places of changes.
const PASSAGE_LINES: usize = 3;
const PATHS: usize = 5;
const CHANGES: usize = 5;

/// Prints what each transcript has about the file, the latest first.
pub fn run(
    history: &History,
    query: &Query,
    options: &Options,
    json: bool,
    env: &Env,
    ui: &Ui,
) -> anyhow::Result<Exit> {
    let path: Vec<&str> = query.terms.iter().map(|term| term.text.as_str()).collect();
    let path = path.join(" ");
    if path.is_empty() {
        bail!("name the file: `catchword search --file src/main.rs`");
    }
    let found = about_file(history, &path, &query.filter, options)?;
    if json {
        ui.line(serde_json::to_string_pretty(&view(&found))?);
    } else {
        print(&found, &path, options, env, ui);
    }
    Ok(if found.transcripts.is_empty() { Exit::Nothing } else { Exit::Ok })
}

fn print(found: &FileHistory, path: &str, options: &Options, env: &Env, ui: &Ui) {
    let Some(first) = found.transcripts.first() else {
        ui.say(ui.paragraph(&match found.fitting {
            0 => format!("`{path}` was neither touched nor named. To widen it: the name of the file alone, or fewer filters."),
            _ => "No more.".to_owned(),
        }));
        return;
    };
    for work in &found.transcripts {
        let about = work.about.as_deref().filter(|_| work.subagent.is_none());
        print_session(&work.session, work.project.as_deref(), about, env, ui);
        print_work(work, ui);
    }
    let shown = options.skip + found.transcripts.len();
    let more = if found.fitting > shown {
        format!("{} have it; --skip {shown} for more. ", count_of(found.fitting, "transcript"))
    } else {
        String::new()
    };
    let place = first.changes.last().map(ToString::to_string);
    let place = place.or_else(|| first.passages.last().map(FilePassage::handle));
    let recall = place.map(|place| format!("`catchword recall {}` shows the lines.", first.address(&place)));
    ui.say(ui.paragraph(&format!("{more}{}", recall.unwrap_or_default())));
}

fn print_work(work: &FileWork, ui: &Ui) {
    let paths = work.paths.iter().take(PATHS).map(String::as_str);
    let more = work.paths.len().saturating_sub(PATHS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let when = work.at.map(date).unwrap_or_default();
    let subagent = work.subagent.as_ref().map(|id| format!("  (subagent {id})")).unwrap_or_default();
    let paths = format!("{}{more}", paths.collect::<Vec<_>>().join(", "));
    let head = if paths.is_empty() { format!("named {when}") } else { format!("{paths}  {when}") };
    ui.line(format!("  {}", fit(&format!("{head}{subagent}"), ui.width() - 2)));
    let done = done(work);
    if !done.is_empty() {
        ui.line(format!("  {}", fit(&done, ui.width() - 2)));
    }
    for passage in &work.passages {
        let place = padded(&format!("{} ", passage.handle()), PLACE);
        let head = format!("  {}{place}", padded(passage.verb.noun(), VERB));
        let indent = " ".repeat(width(&head));
        let lines = marked(&passage.text, ui.width() - indent.len(), PASSAGE_LINES, ui);
        for (at, line) in lines.iter().enumerate() {
            ui.line(format!("{}{line}", if at == 0 { &head } else { &indent }));
        }
    }
    ui.line("");
}

/// `changed 7 times, last L40, L88; deleted L90; read 2 times; in 4 commands, 1 failed`.
fn done(work: &FileWork) -> String {
    let mut parts = Vec::new();
    if let Some(last) = work.changes.last() {
        let first = work.changes.len().saturating_sub(CHANGES);
        let places: Vec<String> = work.changes[first..].iter().map(ToString::to_string).collect();
        parts.push(match work.changes.len() {
            1 => format!("changed once, {last}"),
            n if first > 0 => format!("changed {n} times, last {}", places.join(", ")),
            n => format!("changed {n} times: {}", places.join(", ")),
        });
    }
    parts.extend(work.deleted.map(|place| format!("deleted {place}")));
    match work.reads {
        0 => {}
        1 => parts.push("read once".to_owned()),
        n => parts.push(format!("read {n} times")),
    }
    if work.commands > 0 {
        let failed = if work.failed_commands > 0 {
            format!(", {} failed", work.failed_commands)
        } else {
            String::new()
        };
        parts.push(format!("in {}{failed}", count_of(work.commands, "command")));
    }
    parts.join("; ")
}

#[derive(Serialize)]
struct FileHistoryView<'a> {
    transcripts: Vec<FileWorkView<'a>>,
    fitting: usize,
}

#[derive(Serialize)]
struct FileWorkView<'a> {
    session: &'a str,
    subagent: Option<&'a str>,
    project: Option<&'a str>,
    at: Option<i64>,
    paths: &'a [String],
    /// Arguments of `recall`.
    changes: Vec<String>,
    deleted: Option<String>,
    reads: usize,
    commands: usize,
    failed_commands: usize,
    passages: Vec<PassageView<'a>>,
}

#[derive(Serialize)]
struct PassageView<'a> {
    address: String,
    at: Option<i64>,
    verb: &'static str,
    text: &'a str,
}

fn view(found: &FileHistory) -> FileHistoryView<'_> {
    FileHistoryView { transcripts: found.transcripts.iter().map(work_view).collect(), fitting: found.fitting }
}

fn work_view(work: &FileWork) -> FileWorkView<'_> {
    FileWorkView {
        session: &work.session,
        subagent: work.subagent.as_deref(),
        project: work.project.as_deref(),
        at: work.at,
        paths: &work.paths,
        changes: work.changes.iter().map(|place| work.address(&place.to_string())).collect(),
        deleted: work.deleted.map(|place| work.address(&place.to_string())),
        reads: work.reads,
        commands: work.commands,
        failed_commands: work.failed_commands,
        passages: work
            .passages
            .iter()
            .map(|passage| PassageView {
                address: work.address(&passage.handle()),
                at: passage.at,
                verb: passage.verb.noun(),
                text: &passage.text.text,
            })
            .collect(),
    }
}
