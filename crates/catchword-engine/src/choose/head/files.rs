//! Files that the session changed.

use crate::choose::{Fact, KnownText, Section, Why};
use crate::quote::name;
use crate::session::Session;
use crate::session::files::FileUse;
use crate::session::paths::whole_path;
use crate::session::shown::shown_path;
use crate::text::numbers::count_of;

/// Tool calls after which a committed change is not listed.
const LONG_AGO: u32 = 100;
/// Changed files listed for the summariser.
const MOST_CHANGED: usize = 80;
/// Changed files named in a line about something else.
const MOST_NAMED: usize = 4;

/// Files changed in this session that the model does not know of, the latest change first.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let is_open = |file: &FileUse| is_change(session, file);
    let mut facts = changed(session, known);
    facts.retain(|fact| {
        let path = whole_path(session.root(), &fact.key);
        !known.has(&fact.key) && session.files.get(&path).is_some_and(|file| is_open(&file))
    });
    facts
}

/// "src/a.rs L30, src/b.rs L28 and others", of files in this order. They are not counted: not every change is seen.
pub fn named_files<'a>(session: &Session, files: impl Iterator<Item = (&'a str, FileUse)>) -> String {
    let mut named: Vec<String> = files
        .take(MOST_NAMED + 1)
        .map(|(path, file)| format!("{} {}", name(shown_path(session, path), 160), file.changed_at))
        .collect();
    let others = if named.len() > MOST_NAMED { " and others" } else { "" };
    named.truncate(MOST_NAMED);
    named.join(", ") + others
}

/// Changed files for the summariser, the latest change first.
pub fn changed(session: &Session, _: &KnownText) -> Vec<Fact> {
    let changed = session
        .files
        .iter()
        .filter(|(path, file)| path.len() <= 200 && file.was_changed() && is_told(session, file));
    let mut all: Vec<(&str, FileUse)> =
        changed.map(|(path, file)| (shown_path(session, path), file)).collect();
    all.sort_by_key(|(path, file)| (std::cmp::Reverse(file.changed), *path));
    all.iter().take(MOST_CHANGED).map(|(path, file)| fact(session, path, file)).collect()
}

/// It was changed and not committed since, or not long ago: what was committed long ago is done, and git has it.
fn is_change(session: &Session, file: &FileUse) -> bool {
    let committed = session.record.commits().next_back().map(|commit| commit.clock).max(session.git.settled);
    let is_recent = session.clock.saturating_sub(file.changed) <= LONG_AGO;
    file.was_changed() && (committed.is_none_or(|clock| file.changed > clock) || is_recent)
}

fn fact(session: &Session, path: &str, file: &FileUse) -> Fact {
    let mut text = name(path, 200);
    text.push_str(&use_of(session, path, file));
    Fact::new(Section::Changed, path, text).at(file.changed_at).because(why(session, file))
}

/// A deleted file is shown only if it existed before the session, was changed in it, and was deleted after the latest
/// commit: then whoever looks for the change must know.
fn is_told(session: &Session, file: &FileUse) -> bool {
    let committed = session.record.commits().next_back().map(|commit| commit.clock);
    file.removed.is_none_or(|gone| file.was_changed() && !file.created && Some(gone) > committed)
}

fn why(session: &Session, file: &FileUse) -> Why {
    let (edits, reads) = (u32::from(file.edits) + u32::from(file.writes), u32::from(file.reads));
    Why::Used { edits, reads, age: session.clock.saturating_sub(file.used) }
}

/// The session's latest commit, and whether the file was changed after it.
fn beside_commit<'a>(session: &'a Session, file: &FileUse) -> Option<(&'static str, &'a str)> {
    let commit = session.record.commits().next_back().filter(|_| file.is_changed())?;
    if file.changed < commit.clock {
        return Some(("before", commit.hash));
    }
    let is_later = session.git.settled.is_none_or(|clock| file.changed > clock);
    (is_later && session.saw_all_since(file.changed_at)).then_some(("after", commit.hash))
}

/// What happened to a file, in brackets after its path; empty if it was only read.
fn use_of(session: &Session, path: &str, file: &FileUse) -> String {
    if file.removed.is_some() {
        return " (removed)".to_owned();
    }
    let edits = u32::from(file.edits);
    let writes = u32::from(file.writes).saturating_sub(u32::from(file.created && file.writes > 0));
    let mut notes = Vec::new();
    if file.created {
        notes.push("new".to_owned());
    }
    let former = session.files.former(&whole_path(session.root(), path));
    if let Some(former) = former.filter(|_| !file.created) {
        notes.push(format!("moved from {}", name(shown_path(session, former), 120)));
    }
    if edits > 0 {
        notes.push(count_of(edits as usize, "edit"));
    }
    match writes {
        0 => {}
        1 => notes.push("written".to_owned()),
        writes => notes.push(format!("written {writes} times")),
    }
    if let Some((when, hash)) = beside_commit(session, file) {
        let which = if edits + writes > 1 { "the last " } else { "" };
        notes.push(format!("{which}{when} commit {}", name(hash, 40)));
    }
    if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) }
}
