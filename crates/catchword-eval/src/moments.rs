//! What an agent would have been told at the failures of past sessions, and what happened next.
//!
//! Replays the sessions of each project in the order in which things happened: at each failed command the same function as
//! in the hook decides, and it sees only what came before. Once per error and session, at most three a session. The files
//! of the work tree are not looked at: a corpus is read far from them.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use catchword_engine::archive::history::fixes::{StoredFix, act_of, is_act};
use catchword_engine::archive::history::item::ItemReader;
use catchword_engine::fixes::{Act, Did, FixPair, pairs};
use catchword_engine::ops::index::thread_of;
use catchword_engine::ops::record::TranscriptLines;
use catchword_engine::ops::solved::{SolvedLine, solved};
use catchword_engine::redact::Mask;

/// Calls after a line within which the command may pass and a named file be opened.
pub const WATCHED: usize = 10;
/// Lines told in a session.
pub const MOST_LINES: usize = 3;

/// A session as the replay sees it.
pub struct ReplayedSession {
    pub path: PathBuf,
    pub id: String,
    /// The folder it started in.
    pub folder: Option<String>,
    pub first_at: Option<i64>,
    pub acts: Vec<Act>,
    pub fixes: Vec<FixPair>,
}

impl ReplayedSession {
    fn stored(&self, fix: &FixPair) -> StoredFix {
        StoredFix {
            source: 0,
            session: self.id.clone(),
            thread: String::new(),
            project: self.folder.clone(),
            path: self.path.clone(),
            machine: String::new(),
            person: None,
            fix: fix.clone(),
        }
    }
}

/// One line that would have been told.
pub struct ToldLine {
    pub path: PathBuf,
    pub session: String,
    /// What failed.
    pub failed: Act,
    pub line: SolvedLine,
    /// Where the session that it quotes is, if another.
    pub from: Option<PathBuf>,
    /// The command, or one that covers it, passed within the next calls.
    pub passed: bool,
    /// A file or command that the line names was used within them.
    pub used: bool,
}

/// The figures of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct MomentFigures {
    pub sessions: usize,
    /// Sessions with an earlier one of the same project.
    pub with_past: usize,
    pub commands: usize,
    pub failed: usize,
    /// Failures that say what went wrong.
    pub signed: usize,
    /// Of these, those that happened before in the project.
    pub again: usize,
    /// Proven pairs.
    pub pairs: usize,
    pub told: usize,
    /// Of these, from another session.
    pub told_elsewhere: usize,
    pub passed: usize,
    pub used: usize,
    /// The same of failures about which nothing was told.
    pub silent: usize,
    pub silent_passed: usize,
}

/// What a replay tells: the figures of each project and of all, and the lines.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct MomentsDocument {
    pub projects: BTreeMap<String, MomentFigures>,
    pub total: MomentFigures,
    pub lines: Vec<MomentLine>,
}

/// A line, and the call after which it would have been told.
#[derive(Clone, Debug, serde::Serialize)]
pub struct MomentLine {
    pub session: String,
    pub line: u32,
    pub text: String,
    pub passed: bool,
    pub used: bool,
}

/// Reads a transcript.
pub fn read(path: &Path, mask: &Mask) -> io::Result<ReplayedSession> {
    let lines = TranscriptLines::of_file(path);
    let mut items = ItemReader::default();
    lines.entries(mask, |entry| items.take(entry))?;
    let acts: Vec<Act> = items.items.iter().filter(|item| is_act(item)).map(act_of).collect();
    let id = thread_of(lines.client, path)?.session;
    let (folder, first_at) = (items.tally.project, items.tally.first_at);
    Ok(ReplayedSession { path: path.to_owned(), id, folder, first_at, fixes: pairs(&acts), acts })
}

/// Replays the sessions of one project, given in the order of their beginning.
pub fn replay(sessions: &[ReplayedSession]) -> (MomentFigures, Vec<ToldLine>) {
    let mut figures = MomentFigures { sessions: sessions.len(), ..MomentFigures::default() };
    let mut lines = Vec::new();
    for (at, session) in sessions.iter().enumerate() {
        figures.with_past += usize::from(at > 0);
        figures.pairs += session.fixes.len();
        let mut told: HashSet<u64> = HashSet::new();
        let mut by_answer: Vec<&Act> = session.acts.iter().collect();
        by_answer.sort_by_key(|act| (act.until, act.place));
        for (now, failed) in by_answer.iter().enumerate() {
            let Did::Ran { line: command, ended, .. } = &failed.did else { continue };
            figures.commands += 1;
            if ended.ok != Some(false) {
                continue;
            }
            figures.failed += 1;
            let Some(signature) = failed.signature() else { continue };
            figures.signed += 1;
            let is_before = |fix: &&FixPair| fix.signature == signature && fix.passed_at < failed.at;
            let others =
                sessions.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
            let pairs_of = |other: &'_ ReplayedSession| {
                other.fixes.iter().filter(is_before).map(|fix| other.stored(fix)).collect::<Vec<_>>()
            };
            let mut stored: Vec<StoredFix> = others.clone().flat_map(pairs_of).collect();
            stored.sort_by_key(|fix| std::cmp::Reverse(fix.fix.failed_at));
            let earlier: Vec<Act> = by_answer[..now].iter().copied().cloned().collect();
            let is_again = earlier.iter().any(|act| act.signature() == Some(signature))
                || others.clone().any(|other| {
                    other.acts.iter().any(|act| act.at < failed.at && act.signature() == Some(signature))
                });
            figures.again += usize::from(is_again);
            let next = &by_answer[now + 1..];
            let passed = next.iter().take(WATCHED).any(|act| act.passes(command));
            if told.len() >= MOST_LINES || told.contains(&signature) {
                continue;
            }
            let line = solved(signature, &earlier, || stored, session.folder.as_deref());
            let Some(line) = line else {
                figures.silent += 1;
                figures.silent_passed += usize::from(passed);
                continue;
            };
            told.insert(signature);
            let used = next.iter().take(WATCHED).any(|act| line.names.iter().any(|name| act.uses(name)));
            figures.told += 1;
            figures.told_elsewhere += usize::from(line.session.is_some());
            figures.passed += usize::from(passed);
            figures.used += usize::from(used);
            let from = line
                .session
                .as_ref()
                .and_then(|id| sessions.iter().find(|other| other.id == *id).map(|other| other.path.clone()));
            lines.push(ToldLine {
                path: session.path.clone(),
                session: session.id.clone(),
                failed: (*failed).clone(),
                line,
                from,
                passed,
                used,
            });
        }
    }
    (figures, lines)
}

/// The figures of several projects as one.
pub fn sum(all: &BTreeMap<String, MomentFigures>) -> MomentFigures {
    all.values().fold(MomentFigures::default(), |sum, one| MomentFigures {
        sessions: sum.sessions + one.sessions,
        with_past: sum.with_past + one.with_past,
        commands: sum.commands + one.commands,
        failed: sum.failed + one.failed,
        signed: sum.signed + one.signed,
        again: sum.again + one.again,
        pairs: sum.pairs + one.pairs,
        told: sum.told + one.told,
        told_elsewhere: sum.told_elsewhere + one.told_elsewhere,
        passed: sum.passed + one.passed,
        used: sum.used + one.used,
        silent: sum.silent + one.silent,
        silent_passed: sum.silent_passed + one.silent_passed,
    })
}
