//! Files in flight: changed, read, or pointed at by a command.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::context::{Context, probability};
use super::text::{Series, harmless, shown_under};
use super::{Fact, Known, Section, Why};
use crate::session::files::FileUse;
use crate::session::{Session, one_line};

/// Candidates handed on.
const MOST: usize = 200;
/// The same for the summariser, who is told of changed ones alone.
const MOST_CHANGED: usize = 80;

/// Files likely to be needed again.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    ranked(session, known).into_iter().map(|(p, path, file)| fact(session, p, path, &file)).collect()
}

/// Those that were changed, for the summariser: by what tools have done with them alone, the latest first.
pub fn changed(session: &Session, _: &Known) -> Vec<Fact> {
    let changed = session
        .files
        .opened()
        .filter(|(path, file)| path.len() <= 200 && file.was_changed() && is_told(session, file));
    let mut all = merged(session, changed);
    all.sort_by_key(|(path, file)| (std::cmp::Reverse(file.changed), *path));
    let worth = |file: &FileUse| probability(-2.8 + 0.8 * file.heat.freshness(session.clock));
    all.iter().take(MOST_CHANGED).map(|(path, file)| fact(session, worth(file), path, file)).collect()
}

/// The best candidates, each with the probability that it is needed.
fn ranked<'a>(session: &'a Session, known: &Known) -> Vec<(f32, &'a str, FileUse)> {
    // Names and commands are weighed by it, too, perhaps on another thread, which then need not wait.
    let context = known.context(session);
    let files = merged(session, session.files.iter());
    let mut ranked: Vec<(f32, &str, FileUse)> = files
        .into_iter()
        .filter(|(path, file)| path.len() <= 200 && !known.has_word(path) && is_told(session, file))
        // An attached file does not tell that it was changed.
        .filter(|(path, file)| file.was_changed() || !known.attaches(path))
        .map(|(path, file)| (probability(log_odds(session, context, path, &file)), path, file))
        .collect();
    ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let mut series = Series::default();
    ranked.retain(|(_, path, file)| file.was_changed() || series.admits(path));
    ranked.truncate(MOST);
    ranked
}

fn fact(session: &Session, p: f32, path: &str, file: &FileUse) -> Fact {
    let section = if file.was_changed() { Section::Changed } else { Section::Files };
    let mut text = one_line(&harmless(path), 200);
    text.push_str(&use_of(file));
    if let Some(hash) = since_commit(session, file) {
        text.push_str(" after ");
        text.push_str(hash);
    }
    Fact::new(section, path, text).at(file.place).worth(p, why(session, file))
}

/// A file that is gone is told only where it was there before the session, was changed in it, and no commit has it
/// yet: then whoever looks for the change must know.
fn is_told(session: &Session, file: &FileUse) -> bool {
    let committed = session.commits.last().map(|commit| commit.clock);
    file.removed.is_none_or(|gone| file.was_changed() && !file.created && Some(gone) > committed)
}

fn log_odds(session: &Session, context: &Context, path: &str, file: &FileUse) -> f32 {
    let now = session.clock;
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let one = |mark: bool| if mark { 1.0 } else { 0.0 };
    let seen_only = !file.called && !file.said;
    -4.8 + 0.6 * file.heat.level(now)
        + 0.8 * file.heat.freshness(now)
        + 0.8 * one(file.called)
        + 1.2 * context.fit(name)
        - one(seen_only)
        - one(seen_only && is_absolute(path))
}

/// Outside the project: files inside are shown relative to it.
fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '~']) || path.get(1..2) == Some(":")
}

/// Uses of the same file under different paths, added up: absolute and relative ones, and a bare or partial
/// path with the longer one it is the end of (the one in use last, where there are several). A path that a tool
/// has opened is the file's own: a longer one that nothing opened is what a build server or a log calls it.
fn merged<'a>(
    session: &'a Session,
    files: impl Iterator<Item = (&'a str, FileUse)>,
) -> Vec<(&'a str, FileUse)> {
    let root = session.root();
    let mut all: Vec<Merging> =
        files.map(|(path, file)| Merging { path: shown_under(root, path), file, is_left: true }).collect();
    all.sort_by_key(|one| one.path);
    all.dedup_by(|later, first| {
        let same = later.path == first.path;
        if same {
            first.file.add(&later.file);
        }
        same
    });
    let mut by_name: HashMap<&str, Vec<usize>, RandomState> = HashMap::default();
    for (at, one) in all.iter().enumerate() {
        by_name.entry(one.path.rsplit(['/', '\\']).next().unwrap_or(one.path)).or_default().push(at);
    }
    for places in by_name.into_values().filter(|places| places.len() > 1) {
        merge_ends(&mut all, places);
    }
    all.into_iter().filter(|one| one.is_left).map(|one| (one.path, one.file)).collect()
}

/// A path while it is compared with the others.
struct Merging<'a> {
    path: &'a str,
    file: FileUse,
    /// It has not been added to another one.
    is_left: bool,
}

/// Merges those of the same name, which stand at these places.
fn merge_ends(all: &mut [Merging], mut places: Vec<usize>) {
    places.sort_by_key(|at| all[*at].path.len());
    for (at, short) in places.iter().copied().enumerate() {
        let is_longer = |long: &usize| all[*long].is_left && is_end_of(all[short].path, all[*long].path);
        let rank = |long: &usize| {
            let file = &all[*long].file;
            (file.removed.is_none(), file.called || file.said, file.heat.clock)
        };
        let longer = places[at + 1..].iter().copied().filter(is_longer);
        let Some(best) = longer.max_by_key(rank) else { continue };
        // One that is gone is not the other that is there.
        let (a, b) = (all[short].file, all[best].file);
        let (gone, best_gone) = (a.removed.is_some(), b.removed.is_some());
        if gone != best_gone && (gone || a.is_opened()) {
            continue;
        }
        let own = a.is_opened() && !b.is_opened();
        let (from, to, uses) = if own { (best, short, b) } else { (short, best, a) };
        all[from].is_left = false;
        all[to].file.add(&uses);
    }
}

/// Slashes of either kind: on Windows tools use one and shells the other.
fn is_end_of(short: &str, long: &str) -> bool {
    let same = |(a, b): (u8, u8)| a == b || (matches!(a, b'/' | b'\\') && matches!(b, b'/' | b'\\'));
    let at = long.len() - short.len();
    at > 0
        && matches!(long.as_bytes()[at - 1], b'/' | b'\\')
        && long.bytes().skip(at).zip(short.bytes()).all(same)
}

fn why(session: &Session, file: &FileUse) -> Why {
    let (edits, reads) = (u32::from(file.edits) + u32::from(file.writes), u32::from(file.reads));
    Why::Used { edits, reads, age: session.clock.saturating_sub(file.heat.clock) }
}

/// The session's latest commit, where the file was changed after it.
fn since_commit<'a>(session: &'a Session, file: &FileUse) -> Option<&'a str> {
    let commit = session.commits.last()?;
    (file.is_changed() && file.changed > commit.clock).then_some(commit.hash.as_str())
}

/// `new` for a file this session created, `×3` for three changes; the heading says so.
fn use_of(file: &FileUse) -> String {
    if file.removed.is_some() {
        return " removed".to_owned();
    }
    let all = u32::from(file.edits) + u32::from(file.writes);
    let edits = all.saturating_sub(u32::from(file.created));
    let new = if file.created { " new" } else { "" };
    if edits > 0 { format!("{new} ×{edits}") } else { new.to_owned() }
}
