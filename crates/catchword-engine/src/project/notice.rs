//! What a session is told at its start of the repository's past: what can be checked now, each line with its place.
//!
//! Selected, because a memory told wholesale makes agents worse: a few rules, the commands that sessions run again and
//! again, the files they keep changing. Nothing where nothing applies.

use super::commands::in_full;
use super::tree::{of_command, of_file};
use super::{Past, PastCommand, PastFailure, PastFile, PastRule, Tree};
use crate::choose::KnownText;
use crate::quote::{code, name, quote, quote_foreign};
use crate::reading::command::ShellLine;
use crate::text::numbers::ago;

/// Rules told, and the longest of them in characters.
const MOST_RULES: usize = 3;
const LONGEST_RULE: usize = 160;
/// Commands told, and the share of the room they may take.
const MOST_COMMANDS: usize = 10;
const COMMANDS_SHARE: f64 = 0.5;
/// Failing checks told.
const MOST_FAILURES: usize = 2;
/// Files told, by default: more is a wall, and the later half is hardly used (docs/project.md).
pub const MOST_FILES: usize = 20;
/// The share of them that may be files that were only read, and by how many of the sessions each must have been.
const READ_SHARE: f64 = 0.5;
const READ_BY_ONE_IN: usize = 4;
/// A command that only one session ran counts if that session ran it this often.
const OFTEN: usize = 2;

/// What there is to say, in lines: each begins with `- `.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoticeLines {
    pub lines: Vec<String>,
    /// Files and commands that they name.
    pub names: Vec<String>,
}

/// Who is told, and when.
pub struct NoticeRequest<'a> {
    pub past: &'a Past,
    pub tree: &'a dyn Tree,
    /// Milliseconds since 1970.
    pub now: i64,
    /// Characters that the lines may have.
    pub room: usize,
    /// Files that they may name.
    pub files: usize,
    /// A session whose failures are told apart from these.
    pub told_of: Option<&'a str>,
}

/// The lines about the past of a repository.
pub fn lines(request: &NoticeRequest) -> NoticeLines {
    let mut told = NoticeLines::default();
    let known = KnownText::of_page(&request.tree.instructions());
    let mut room = request.room;
    let add = |line: String, room: &mut usize, told: &mut NoticeLines| {
        let length = line.chars().count() + 1;
        if length <= *room {
            *room -= length;
            told.lines.push(line);
        }
    };
    for rule in rules(request.past, &known) {
        let said = request.now - rule.said.at.unwrap_or(request.now);
        let words = quote(&rule.text, LONGEST_RULE);
        add(format!("- The user said {}: {words} {}", ago(said), rule.said.address()), &mut room, &mut told);
    }
    for failure in failures(request) {
        let error = match &failure.error[..] {
            "" => String::new(),
            error => format!(": {}", quote_foreign(error, LONGEST_RULE)),
        };
        let command = in_full(&failure.folder, &failure.line);
        let line =
            format!("- {} failed at its last run{error} {}", code(&command, 200), failure.failed.address());
        add(line, &mut room, &mut told);
        told.names.push(failure.line.clone());
    }
    let share = ((room as f64) * COMMANDS_SHARE) as usize;
    if let Some((line, names)) = commands(request, &known, share) {
        add(line, &mut room, &mut told);
        told.names.extend(names);
    }
    for (line, names) in files(request, &known, room) {
        add(line, &mut room, &mut told);
        told.names.extend(names);
    }
    told
}

/// Rules that hold and that the project's own files do not say.
fn rules<'a>(past: &'a Past, known: &KnownText) -> Vec<&'a PastRule> {
    let held = past.rules.iter().filter(|rule| rule.withdrawn.is_none() && rule.said.is_own);
    let short = held.filter(|rule| rule.text.chars().count() <= LONGEST_RULE);
    short.filter(|rule| !known.has(&rule.text)).take(MOST_RULES).collect()
}

/// Checks that failed in the latest session, unless it is told by itself: of all tests and files rather than of one. What
/// failed before may long be another question.
fn failures<'a>(request: &NoticeRequest<'a>) -> impl Iterator<Item = &'a PastFailure> {
    let latest = request.past.sessions.first().filter(|latest| Some(latest.as_str()) != request.told_of);
    let of_latest = request
        .past
        .failures
        .iter()
        .filter(move |one| latest.is_some_and(|latest| one.failed.session == *latest));
    of_latest.filter(|one| !ShellLine::parse(&one.line).is_narrow()).take(MOST_FAILURES)
}

/// Whether sessions run it again: several did, or one did several times, if it is known what it does. What one session
/// ran of single tests or files was for the occasion.
fn is_repeated(command: &PastCommand) -> bool {
    command.sessions > 1 || (command.runs >= OFTEN && command.is_known && !command.is_narrow)
}

/// One line with the commands that sessions run.
fn commands(request: &NoticeRequest, known: &KnownText, room: usize) -> Option<(String, Vec<String>)> {
    let all = request.past.sessions.len();
    let fits = |command: &&PastCommand| {
        is_repeated(command)
            && command.is_harmless
            && !known.text().contains(&command.line.to_lowercase())
            && of_command(command, request.tree).holds()
    };
    let mut line = match all {
        1 => "- Commands that passed here: ".to_owned(),
        // What ran in a folder that nobody knows is not counted.
        all => format!(
            "- Commands that passed here, and how many of the last {all} sessions ran them at least: "
        ),
    };
    let mut names: Vec<String> = Vec::new();
    let mut shown: Vec<&PastCommand> = Vec::new();
    for command in request.past.commands.iter().filter(fits) {
        // Of what is run alone and together, the form that more sessions used.
        let mut parts = command.line.split(" && ").peekable();
        let is_listed = |part: &str| {
            let alone = shown.iter().find(|one| one.line == part && one.folder == command.folder);
            alone.is_some_and(|one| one.sessions >= command.sessions)
        };
        if command.line.contains(" && ") && parts.all(is_listed) {
            continue;
        }
        let full = command.in_full();
        let ran = if all > 1 { format!("{}, ", command.sessions) } else { String::new() };
        let one = format!("{} ({ran}{})", code(&full, 200), command.passed.address());
        if line.chars().count() + one.chars().count() + 2 > room || names.len() == MOST_COMMANDS {
            continue;
        }
        if !names.is_empty() {
            line.push_str(", ");
        }
        line.push_str(&one);
        names.push(command.line.clone());
        shown.push(command);
    }
    (!names.is_empty()).then_some((line, names))
}

/// A line with the files that sessions read again and again, and one with those that they edited, below their folders.
fn files(request: &NoticeRequest, known: &KnownText, room: usize) -> Vec<(String, Vec<String>)> {
    let all = request.past.sessions.len();
    let holds = |file: &&PastFile| !known.names(&file.path) && of_file(file, request.tree).holds();
    let is_read =
        |file: &&PastFile| file.changed_in == 0 && file.used_in > 1 && file.used_in * READ_BY_ONE_IN >= all;
    let most_read = (request.files as f64 * READ_SHARE) as usize;
    let read: Vec<&PastFile> =
        request.past.files.iter().filter(is_read).filter(holds).take(most_read).collect();
    let is_edited = |file: &&PastFile| file.changed_in > 0;
    let most = request.files - read.len();
    let edited: Vec<&PastFile> =
        request.past.files.iter().filter(is_edited).filter(holds).take(most).collect();
    let sessions = if all > 1 { format!("the last {all} sessions") } else { "the last session".to_owned() };
    let head = format!("- Files that several of {sessions} read, the latest of these at");
    let read = file_line(&head, &read, room);
    let left = room.saturating_sub(read.as_ref().map_or(0, |(line, _)| line.chars().count() + 1));
    let edited = file_line(&format!("- Files edited in {sessions}, the latest of these at"), &edited, left);
    read.into_iter().chain(edited).collect()
}

/// As many of them as there is room for.
fn file_line(head: &str, files: &[&PastFile], room: usize) -> Option<(String, Vec<String>)> {
    (1..=files.len()).rev().find_map(|most| {
        let shown = &files[..most];
        let latest = shown.iter().max_by_key(|file| file.last.at)?;
        let line = format!("{head} {}: {}", latest.last.address(), below_folders(shown));
        let names = shown.iter().map(|file| file.path.clone()).collect();
        (line.chars().count() <= room).then_some((line, names))
    })
}

/// `src/auth/{login.rs,token.rs}, README.md`, folders in the order of their first file.
fn below_folders(files: &[&PastFile]) -> String {
    let mut folders: Vec<(&str, Vec<&str>)> = Vec::new();
    for file in files {
        let (folder, leaf) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        match folders.iter_mut().find(|(known, _)| *known == folder) {
            Some((_, leaves)) => leaves.push(leaf),
            None => folders.push((folder, vec![leaf])),
        }
    }
    let shown = folders.into_iter().map(|(folder, leaves)| match (&leaves[..], folder) {
        (_, "") => leaves.iter().map(|leaf| name(leaf, 80)).collect::<Vec<_>>().join(", "),
        ([leaf], folder) => name(&format!("{folder}/{leaf}"), 160),
        (leaves, folder) => name(&format!("{folder}/{{{}}}", leaves.join(",")), 800),
    });
    shown.collect::<Vec<_>>().join(", ")
}
