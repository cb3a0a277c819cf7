//! Files that the sessions of a repository change, and those that change together.

use std::collections::{BTreeMap, BTreeSet};

use super::{PastPlace, PastRun, PastTranscript, in_repository};
use crate::archive::history::item::ItemKind;
use crate::lexicon::programs::NOT_WORKED_ON;
use crate::reading::command::has;
use crate::reading::effects::{Effect, effects};
use crate::redact::is_masked;
use crate::session::paths::{is_by_product, joined};
use crate::text::words::is_path;

/// Files changed for one request beyond which none belongs to another: a rename through the whole tree.
const MOST_OF_A_REQUEST: usize = 12;
/// Requests that must have changed both for them to be told.
const FEWEST_TOGETHER: usize = 3;
/// Pairs kept.
const MOST_PAIRS: usize = 40;
/// What a session counts that only read a file, beside one that changed it, and how much less each earlier session counts.
const READ: f64 = 0.5;
const FADING: f64 = 0.5;

/// A file that was changed or read.
#[derive(Clone, Debug, PartialEq)]
pub struct PastFile {
    /// Below the root.
    pub path: String,
    /// Sessions that changed it.
    pub changed_in: usize,
    /// The latest session changed it.
    pub in_latest: bool,
    /// Sessions that read or changed it.
    pub used_in: usize,
    pub changes: usize,
    pub reads: usize,
    /// Its latest change, or else its latest reading.
    pub last: PastPlace,
    /// Where it was deleted, if that was the last that was done to it.
    pub deleted: bool,
}

/// Two files that were changed for the same requests.
#[derive(Clone, Debug, PartialEq)]
pub struct FilesTogether {
    pub one: String,
    pub other: String,
    /// Requests that changed both.
    pub times: usize,
    pub last: PastPlace,
}

#[derive(Default)]
struct Uses<'a> {
    changed_in: BTreeSet<&'a str>,
    used_in: BTreeSet<&'a str>,
    changes: usize,
    reads: usize,
    changed: Option<PastPlace>,
    read: Option<PastPlace>,
    deleted: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum FileUsage {
    Read,
    Changed,
    Deleted,
}

impl<'a> Uses<'a> {
    fn add(&mut self, what: FileUsage, session: &'a str, seen: PastPlace) {
        self.used_in.insert(session);
        self.deleted = what == FileUsage::Deleted;
        if what == FileUsage::Read {
            self.reads += 1;
            self.read = Some(seen);
        } else {
            self.changes += 1;
            self.changed_in.insert(session);
            self.changed = Some(seen);
        }
    }

    /// When it was last changed or read.
    fn latest(&self) -> i64 {
        self.changed.iter().chain(&self.read).map(PastPlace::time).max().unwrap_or(i64::MIN)
    }

    /// Sessions that used it, the later ones counting more: what the latest ones worked on is what the next one needs.
    fn weight(&self, sessions: &[String]) -> f64 {
        let of = |(rank, session): (usize, &String)| {
            let kind = match session.as_str() {
                session if self.changed_in.contains(session) => 1.0,
                session if self.used_in.contains(session) => READ,
                _ => 0.0,
            };
            kind / (1.0 + FADING * rank as f64)
        };
        sessions.iter().enumerate().map(of).sum()
    }
}

/// Files, those that the most and the latest sessions used first, and the pairs among them.
pub(super) fn files(
    transcripts: &[PastTranscript],
    runs: &[PastRun],
    sessions: &[String],
    root: &str,
) -> (Vec<PastFile>, Vec<FilesTogether>) {
    let mut found: BTreeMap<String, Uses> = BTreeMap::new();
    let mut pairs: BTreeMap<(String, String), (usize, PastPlace)> = BTreeMap::new();
    for transcript in transcripts {
        let mut of_request: BTreeMap<String, PastPlace> = BTreeMap::new();
        for item in &transcript.items {
            if item.kind == ItemKind::Prompt {
                count_pairs(&mut pairs, std::mem::take(&mut of_request));
                continue;
            }
            if item.kind != ItemKind::File || item.failed || item.until.is_none() {
                continue;
            }
            let Some(path) = shown(&item.title, transcript, root) else { continue };
            let seen = PastPlace::of(transcript, item);
            let what = match &item.body[..] {
                "" => FileUsage::Read,
                "deleted" => FileUsage::Deleted,
                _ => FileUsage::Changed,
            };
            if what == FileUsage::Changed {
                of_request.insert(path.clone(), seen.clone());
            }
            found.entry(path).or_default().add(what, &transcript.source.thread.session, seen);
        }
        count_pairs(&mut pairs, of_request);
    }
    for run in runs.iter().filter(|run| !run.item.failed && run.is_at_start) {
        for effect in effects(&run.line, true, "") {
            let (target, what) = match effect {
                Effect::Removed { target, .. } | Effect::Moved { from: target, .. } => {
                    let path = shown(&joined(&target.folder, &target.text), run.transcript, root);
                    let time = PastPlace::of(run.transcript, run.item).time();
                    let uses = path.and_then(|path| found.get_mut(&path));
                    if let Some(uses) = uses.filter(|uses| uses.latest() < time) {
                        uses.deleted = true;
                    }
                    continue;
                }
                Effect::Read(target) => (target, FileUsage::Read),
                Effect::Written(target) | Effect::Edited(target) => (target, FileUsage::Changed),
                _ => continue,
            };
            let path = joined(&target.folder, &target.text);
            let Some(path) = shown(&path, run.transcript, root).filter(|_| target.plain) else { continue };
            let seen = PastPlace::of(run.transcript, run.item);
            found.entry(path).or_default().add(what, &run.transcript.source.thread.session, seen);
        }
    }
    let mut weighed: Vec<(f64, PastFile)> = Vec::new();
    for (path, uses) in found {
        let weight = uses.weight(sessions);
        let in_latest = sessions.first().is_some_and(|latest| uses.changed_in.contains(latest.as_str()));
        let (changed_in, used_in) = (uses.changed_in.len(), uses.used_in.len());
        let Uses { changes, reads, deleted, changed, read, .. } = uses;
        let Some(last) = changed.or(read) else { continue };
        weighed
            .push((weight, PastFile { path, changed_in, in_latest, used_in, changes, reads, last, deleted }));
    }
    let uses = |file: &PastFile| (file.changes + file.reads, file.last.time());
    weighed.sort_by(|(one, a), (other, b)| other.total_cmp(one).then_with(|| uses(b).cmp(&uses(a))));
    let mut together: Vec<FilesTogether> = pairs
        .into_iter()
        .filter(|(_, (times, _))| *times >= FEWEST_TOGETHER)
        .map(|((one, other), (times, last))| FilesTogether { one, other, times, last })
        .collect();
    together.sort_by_key(|pair| std::cmp::Reverse((pair.times, pair.last.time())));
    together.truncate(MOST_PAIRS);
    (weighed.into_iter().map(|(_, file)| file).collect(), together)
}

/// A path below the root that somebody works on: neither generated nor masked, and named like a file.
fn shown(path: &str, transcript: &PastTranscript, root: &str) -> Option<String> {
    let path = in_repository(path, &transcript.source, root)?;
    (!is_by_product(&path) && !is_masked(&path) && is_path(&path) && is_worked_on(&path)).then_some(path)
}

/// Neither git's own, nor settings with secrets, nor what a program or a drawing tool makes.
fn is_worked_on(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    !path.split('/').any(|part| part == ".git") && !name.starts_with(".env") && !has(NOT_WORKED_ON, end)
}

fn count_pairs(
    pairs: &mut BTreeMap<(String, String), (usize, PastPlace)>,
    changed: BTreeMap<String, PastPlace>,
) {
    if changed.len() > MOST_OF_A_REQUEST {
        return;
    }
    let changed: Vec<(String, PastPlace)> = changed.into_iter().collect();
    for (at, (one, _)) in changed.iter().enumerate() {
        for (other, seen) in &changed[at + 1..] {
            let pair = pairs.entry((one.clone(), other.clone())).or_insert((0, seen.clone()));
            *pair = (pair.0 + 1, seen.clone());
        }
    }
}
