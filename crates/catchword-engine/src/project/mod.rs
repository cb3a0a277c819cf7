//! What one repository's past says: the commands that ran, the files that were changed, the person's rules and
//! decisions, what was looked for in vain. A choice over what the archive has of it, of all clients, work trees and
//! machines.
//!
//! Nothing is concluded: every entry is quoted or counted, and has the place it is from. Whether it holds in the tree as
//! it is now, a [`Tree`] says, which whoever asks hands in: nothing here reads the disk. What does not hold is left out
//! for an agent and shown to a person as stale.

mod absent;
mod commands;
mod files;
pub mod notice;
mod rules;
pub mod tree;

use crate::archive::history::TranscriptSource;
use crate::archive::history::item::{HistoryItem, ItemKind};
use crate::model::entry::Place;
use crate::model::event::short_id;
use crate::reading::command::{Folder, ShellLine};
use crate::session::paths::{is_absolute, is_inside, joined};

pub use absent::PastAbsence;
pub use commands::{PastCommand, PastFailure};
pub use files::{FilesTogether, PastFile};
pub use rules::{PastDecision, PastRule};
pub use tree::{BranchFate, FileThere, NoTree, Tree, TreeCheck};

/// A transcript of the repository with its items, in order.
#[derive(Clone, Debug)]
pub struct PastTranscript {
    pub source: TranscriptSource,
    pub items: Vec<HistoryItem>,
}

/// Where something was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastPlace {
    pub session: String,
    pub subagent: Option<String>,
    pub place: Place,
    /// Milliseconds since 1970.
    pub at: Option<i64>,
    /// Whose transcript it is, if another machine recorded it and says so.
    pub person: Option<String>,
    /// This machine recorded it.
    pub is_own: bool,
}

impl PastPlace {
    fn of(transcript: &PastTranscript, item: &HistoryItem) -> PastPlace {
        let source = &transcript.source;
        PastPlace {
            session: source.thread.session.clone(),
            subagent: Some(source.thread.subagent.clone()).filter(|id| !id.is_empty()),
            place: item.place,
            at: item.at.or(source.last_at),
            person: source.person.clone(),
            is_own: source.is_own(),
        }
    }

    /// What `recall` takes: `0a1b2c3d:L512`.
    pub fn address(&self) -> String {
        let subagent = self.subagent.as_ref().map(|id| format!("/{id}")).unwrap_or_default();
        format!("{}{subagent}:{}", short_id(&self.session), self.place)
    }

    /// By which the later of two is found; what says no time is the earliest.
    fn time(&self) -> i64 {
        self.at.unwrap_or(i64::MIN)
    }
}

/// What the past of a repository says. Each list has what is most worth knowing first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// Sessions that did something, by their latest time.
    pub sessions: Vec<String>,
    pub commands: Vec<PastCommand>,
    /// Checks whose latest run failed, and that nothing has covered since, latest first.
    pub failures: Vec<PastFailure>,
    pub files: Vec<PastFile>,
    pub together: Vec<FilesTogether>,
    /// Those in force, latest first.
    pub rules: Vec<PastRule>,
    pub decisions: Vec<PastDecision>,
    pub absent: Vec<PastAbsence>,
}

impl Past {
    /// `root` is the folder of the repository here; transcripts of other work trees and machines began in their own.
    pub fn of(mut transcripts: Vec<PastTranscript>, root: &str) -> Past {
        transcripts.retain(|one| !one.items.is_empty());
        transcripts.sort_by_key(|one| (one.source.last_at, one.source.no));
        let mut sessions: Vec<String> = Vec::new();
        let is_work = |item: &HistoryItem| matches!(item.kind, ItemKind::Command | ItemKind::File);
        for one in transcripts.iter().rev().filter(|one| one.items.iter().any(is_work)) {
            if !sessions.contains(&one.source.thread.session) {
                sessions.push(one.source.thread.session.clone());
            }
        }
        let (rules, decisions) = (rules::rules(&transcripts), rules::decisions(&transcripts));
        let runs = runs(&transcripts);
        let (commands, failures) = commands::commands(&runs, root);
        let (files, together) = files::files(&transcripts, &runs, &sessions, root);
        Past {
            commands,
            failures,
            absent: absent::absent(&transcripts, root),
            sessions,
            files,
            together,
            rules,
            decisions,
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Past::default()
    }
}

/// A command that ended, parsed once for all who ask.
struct PastRun<'a> {
    transcript: &'a PastTranscript,
    item: &'a HistoryItem,
    line: ShellLine,
    /// It ran where the session began, unless its own line says another folder: no line before it left that folder. A shell
    /// that goes on may stand anywhere.
    is_at_start: bool,
}

/// Longest command line that is read: a longer one is a script.
const LONGEST_LINE: usize = 2_000;

fn runs(transcripts: &[PastTranscript]) -> Vec<PastRun<'_>> {
    let is_run = |item: &&HistoryItem| {
        let is_ended = item.kind == ItemKind::Command && item.until.is_some();
        is_ended && item.title.len() <= LONGEST_LINE && !item.is_own_lookup()
    };
    let mut runs = Vec::new();
    for transcript in transcripts {
        let mut is_at_start = true;
        for item in transcript.items.iter().filter(is_run) {
            let line = ShellLine::parse(&item.title);
            let went = line.steps().last().and_then(|step| step.folder.clone());
            runs.push(PastRun { transcript, item, line, is_at_start });
            is_at_start = match went {
                None => is_at_start,
                Some(Folder::At(folder)) => transcript.source.project.as_deref() == Some(folder.as_str()),
                Some(Folder::Unknown) => false,
            };
        }
    }
    runs
}

/// A path of a transcript as seen from the repository's root; `None` if it lies elsewhere.
fn in_repository(path: &str, source: &TranscriptSource, root: &str) -> Option<String> {
    below_root(path, source.project.as_deref().unwrap_or_default(), root)
}

/// The same of a path in a session that started in this folder.
fn below_root(path: &str, start: &str, root: &str) -> Option<String> {
    let whole = joined(start, path);
    let below = |folder: &str| {
        let folder = joined("", folder);
        let rest = whole.get(folder.len()..).filter(|_| is_inside(&whole, &folder))?;
        Some(rest.trim_start_matches('/').to_owned())
    };
    let found =
        below(root).or_else(|| below(start)).or_else(|| (!is_absolute(&whole)).then(|| whole.clone()))?;
    (!found.is_empty() && !found.starts_with("..")).then_some(found)
}
