//! `catchword search --file`: what was done and decided about a file.

use catchword_engine::ops::read::Reader;
use catchword_engine::ops::read::search::{FileDocument, FileWorkDocument, SearchRequest, about_file};
use catchword_engine::text::numbers::count_of;

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
    reader: &Reader,
    request: &SearchRequest,
    json: bool,
    env: &Env,
    ui: &Ui,
) -> anyhow::Result<Exit> {
    let found = about_file(reader, request)?;
    if json {
        ui.line(serde_json::to_string_pretty(&found)?);
    } else {
        print(&found, request, env, ui);
    }
    Ok(if found.transcripts.is_empty() { Exit::Nothing } else { Exit::Ok })
}

fn print(found: &FileDocument, request: &SearchRequest, env: &Env, ui: &Ui) {
    let path = request.typed;
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
    let shown = request.skip + found.transcripts.len();
    let more = if found.fitting > shown {
        format!("{} have it; --skip {shown} for more. ", count_of(found.fitting, "transcript"))
    } else {
        String::new()
    };
    let place = first.changes.last().or_else(|| first.passages.last().map(|passage| &passage.address));
    let recall = place.map(|place| format!("`catchword recall {place}` shows the lines."));
    ui.say(ui.paragraph(&format!("{more}{}", recall.unwrap_or_default())));
}

fn print_work(work: &FileWorkDocument, ui: &Ui) {
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
        let place = padded(&format!("{} ", passage.place), PLACE);
        let head = format!("  {}{place}", padded(passage.verb.noun(), VERB));
        let indent = " ".repeat(width(&head));
        let lines = marked(&passage.passage, ui.width() - indent.len(), PASSAGE_LINES, ui);
        for (at, line) in lines.iter().enumerate() {
            ui.line(format!("{}{line}", if at == 0 { &head } else { &indent }));
        }
    }
    ui.line("");
}

/// `changed 7 times, last L40, L88; deleted L90; read 2 times; in 4 commands, 1 failed`.
fn done(work: &FileWorkDocument) -> String {
    let mut parts = Vec::new();
    if let Some(last) = work.changes.last() {
        let first = work.changes.len().saturating_sub(CHANGES);
        let places: Vec<&str> = work.changes[first..].iter().map(|address| place_of(address)).collect();
        parts.push(match work.changes.len() {
            1 => format!("changed once, {}", place_of(last)),
            n if first > 0 => format!("changed {n} times, last {}", places.join(", ")),
            n => format!("changed {n} times: {}", places.join(", ")),
        });
    }
    parts.extend(work.deleted.as_ref().map(|address| format!("deleted {}", place_of(address))));
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

/// The place in an address: `L12` of `0a1b2c3d:L12`.
fn place_of(address: &str) -> &str {
    address.rsplit_once(':').map_or(address, |(_, place)| place)
}
