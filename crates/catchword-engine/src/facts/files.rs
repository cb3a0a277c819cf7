//! Files in use: changed, read, or pointed at by a command.

use std::collections::HashMap;

use super::context::{SessionTopics, probability};
use super::{Fact, KnownText, Section, Why};
use crate::quote::{Series, name};
use crate::session::Session;
use crate::session::files::FileUse;
use crate::session::paths::{is_absolute, is_by_product, whole_path};
use crate::session::shown::shown_path;
use crate::text::reply::is_reply;

/// Most candidates passed on.
const MAX_FILE_CANDIDATES: usize = 200;
/// Files of one name that were found but not opened; more than this are search results.
const MAX_OF_ONE_NAME: usize = 2;
/// Tool calls after which a committed change is not listed.
const LONG_AGO: u32 = 100;
/// Tool calls that count as for the latest request even if they came just before it.
const JUST_BEFORE: u32 = 30;
/// Changed files listed for the summariser.
const MOST_CHANGED: usize = 80;
/// Minimum probability that an unchanged file is needed again: readers called three of four listed files noise.
const MIN_FILE_USE: f32 = 0.05;

/// Files likely to be needed again.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    ranked(session, known).into_iter().map(|(p, path, file)| fact(session, p, path, &file)).collect()
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
    let worth = |file: &FileUse| probability(-2.8 + 0.8 * file.heat.freshness(session.clock));
    all.iter().take(MOST_CHANGED).map(|(path, file)| fact(session, worth(file), path, file)).collect()
}

/// The best candidates, each with the probability that it is needed.
fn ranked<'a>(session: &'a Session, known: &KnownText) -> Vec<(f32, &'a str, FileUse)> {
    let context = SessionTopics::new(session, known);
    let mut ranked: Vec<(f32, &str, FileUse)> = session
        .files
        .iter()
        .filter(|(path, file)| {
            is_change(session, file) || (!file.was_changed() && is_looked_at(session, path, file))
        })
        .map(|(path, file)| (shown_path(session, path), file))
        .filter(|(path, file)| path.len() <= 200 && !known.names_file(path) && is_told(session, file))
        // An attached file does not show that it was changed.
        .filter(|(path, file)| file.was_changed() || !known.attaches(path))
        .map(|(path, file)| (probability(log_odds(session, &context, path, &file)), path, file))
        .filter(|(p, _, file)| file.was_changed() || *p >= MIN_FILE_USE)
        .collect();
    ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let mut series = Series::default();
    ranked.retain(|(_, path, file)| file.was_changed() || series.admits(path));
    let mut alike: HashMap<&str, usize> = HashMap::new();
    ranked.retain(|(_, path, file)| {
        let met = alike.entry(path.rsplit('/').next().unwrap_or(path)).or_default();
        *met += usize::from(!file.called);
        file.called || *met <= MAX_OF_ONE_NAME
    });
    ranked.truncate(MAX_FILE_CANDIDATES);
    ranked
}

/// It was changed and not committed since, or not long ago: what was committed long ago is done, and git has it.
fn is_change(session: &Session, file: &FileUse) -> bool {
    let committed = session.commits.last().map(|commit| commit.clock).max(session.git.settled);
    let is_recent = session.clock.saturating_sub(file.changed) <= LONG_AGO;
    file.was_changed() && (committed.is_none_or(|clock| file.changed > clock) || is_recent)
}

/// It was read for the latest request or just before; earlier ones are hardly ever needed. What a subagent says it
/// changed was not only looked at.
fn is_looked_at(session: &Session, path: &str, file: &FileUse) -> bool {
    let latest = session.asked().iter().rfind(|prompt| !is_reply(&prompt.text));
    let since = latest.map_or(0, |prompt| prompt.clock.min(session.clock.saturating_sub(JUST_BEFORE)));
    file.reads > 0
        && file.heat.clock >= since
        && !is_by_product(path)
        && !session.agents.report_change_of(path)
}

fn fact(session: &Session, p: f32, path: &str, file: &FileUse) -> Fact {
    let section = if file.was_changed() { Section::Changed } else { Section::Files };
    let mut text = name(path, 200);
    text.push_str(&use_of(session, path, file));
    let place = if file.was_changed() { file.changed_at } else { file.place };
    Fact::new(section, path, text).at(place).worth(p, why(session, file))
}

/// A deleted file is shown only if it existed before the session, was changed in it, and was deleted after the latest
/// commit: then whoever looks for the change must know.
fn is_told(session: &Session, file: &FileUse) -> bool {
    let committed = session.commits.last().map(|commit| commit.clock);
    file.removed.is_none_or(|gone| file.was_changed() && !file.created && Some(gone) > committed)
}

fn log_odds(session: &Session, context: &SessionTopics, path: &str, file: &FileUse) -> f32 {
    let now = session.clock;
    let name = path.rsplit('/').next().unwrap_or(path);
    let outside = if is_absolute(path) { 1.0 } else { 0.0 };
    let not_opened = if file.called { 0.0 } else { 1.4 };
    -4.0 + 0.6 * file.heat.level(now) + 0.8 * file.heat.freshness(now) + 1.2 * context.fit(name)
        - outside
        - not_opened
}

fn why(session: &Session, file: &FileUse) -> Why {
    let (edits, reads) = (u32::from(file.edits) + u32::from(file.writes), u32::from(file.reads));
    Why::Used { edits, reads, age: session.clock.saturating_sub(file.heat.clock) }
}

/// The session's latest commit, if the file was changed after it.
fn since_commit<'a>(session: &'a Session, file: &FileUse) -> Option<&'a str> {
    let commit = session.commits.last()?;
    let is_later =
        session.git.settled.is_none_or(|clock| file.changed > clock) && file.changed > commit.clock;
    (file.is_changed() && is_later && session.saw_all_since(file.changed_at)).then_some(commit.hash.as_str())
}

/// What happened to a file, in brackets after its path; empty if it was only read.
fn use_of(session: &Session, path: &str, file: &FileUse) -> String {
    if file.removed.is_some() {
        return " (removed)".to_owned();
    }
    let all = u32::from(file.edits) + u32::from(file.writes);
    let edits = all.saturating_sub(u32::from(file.created));
    let mut notes = Vec::new();
    if file.created {
        notes.push("new".to_owned());
    }
    let former = session.files.former(&whole_path(session.root(), path));
    if let Some(former) = former.filter(|_| !file.created) {
        notes.push(format!("moved from {}", name(shown_path(session, former), 120)));
    }
    match edits {
        0 => {}
        1 => notes.push("1 edit".to_owned()),
        edits => notes.push(format!("{edits} edits")),
    }
    if let Some(hash) = since_commit(session, file) {
        let which = if edits > 1 { "the last " } else { "" };
        notes.push(format!("{which}after commit {}", name(hash, 40)));
    }
    if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) }
}
