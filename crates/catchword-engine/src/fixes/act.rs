//! A call as far as it matters for a failure.

use serde::{Deserialize, Serialize};

use super::signature::signature;
use crate::lexicon::programs::Purpose;
use crate::model::entry::Place;
use crate::reading::command::{ShellLine, Step};
use crate::reading::effects::{Effect, FileTarget, effects};
use crate::reading::outcome::Outcome;
use crate::record::RunResult;
use crate::text::cut::one_line;
use crate::text::words::{Word, scan};

/// Characters kept of a command, an error and a path.
const COMMAND_LONG: usize = 300;
const ERROR_LONG: usize = 240;
const PATH_LONG: usize = 300;
/// Names of files kept of an output.
const MOST_NAMED: usize = 60;
/// Longer command lines are scripts: nobody runs them again as they are.
const LONGEST_LINE: usize = 2_000;

/// One call that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Act {
    /// The row of the call.
    pub place: Place,
    /// The row of its answer.
    pub until: Place,
    /// Milliseconds since 1970.
    pub at: Option<i64>,
    pub did: Did,
}

/// What a call did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Did {
    /// A command line ended.
    Ran {
        line: ShellLine,
        ended: Box<RunResult>,
        /// What it changed, if it did not fail.
        deeds: Vec<FixDeed>,
        /// Known again by ([`signature`]); only of a failure that says what went wrong.
        signature: Option<u64>,
        /// The names of files that the output of such a failure has.
        named: Vec<String>,
    },
    /// A tool changed a file.
    Changed(FixDeed),
    /// Something was done that nobody sees here: by a subagent, by the person.
    Unseen,
    /// A tool read a file.
    Read(String),
    /// Any other tool.
    Other,
}

/// A call as a store keeps it: an act, or a call whose answer has not arrived.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActRow {
    /// The row of the call, and its index among the calls of the row.
    pub place: Place,
    pub part: u32,
    /// A hash of the call's id until its answer arrives.
    pub call: Option<u64>,
    pub state: ActState,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ActState {
    Done(Act),
    /// What is known of a call before its answer: kind, title and whether it has a body, as an item has them.
    Waits {
        at: Option<i64>,
        kind: u8,
        title: String,
        body: String,
    },
}

impl ActRow {
    pub fn act(&self) -> Option<&Act> {
        match &self.state {
            ActState::Done(act) => Some(act),
            ActState::Waits { .. } => None,
        }
    }

    pub fn until(&self) -> Option<Place> {
        self.act().map(|act| act.until)
    }

    pub fn signature(&self) -> Option<u64> {
        self.act().and_then(Act::signature)
    }
}

/// Something done between a failure and the run that passed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FixDeed {
    pub place: Place,
    pub kind: DeedKind,
    /// A path, or a command on one line.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeedKind {
    Edited,
    Wrote,
    Deleted,
    Ran,
}

impl DeedKind {
    /// In front of what it was done to.
    pub fn noun(self) -> &'static str {
        match self {
            DeedKind::Edited => "edit of ",
            DeedKind::Wrote => "new text of ",
            DeedKind::Deleted => "removal of ",
            DeedKind::Ran => "",
        }
    }
}

impl FixDeed {
    pub fn of_file(place: Place, kind: DeedKind, path: &str) -> FixDeed {
        FixDeed { place, kind, text: one_line(path, PATH_LONG) }
    }
}

impl Act {
    /// Of a command line that has ended.
    pub fn ran(place: Place, until: Place, at: Option<i64>, typed: &str, outcome: &Outcome) -> Act {
        if typed.len() > LONGEST_LINE {
            return Act { place, until, at, did: Did::Other };
        }
        let line = ShellLine::parse(typed);
        let ended = RunResult::of(&line, outcome);
        let signature = signature(&line, &ended, outcome);
        let deeds = if ended.ok == Some(false) { Vec::new() } else { deeds(place, &line, outcome) };
        let named = if signature.is_some() { named_files(outcome) } else { Vec::new() };
        Act { place, until, at, did: Did::Ran { line, ended: Box::new(ended), deeds, signature, named } }
    }

    /// The signature of a failed run.
    pub fn signature(&self) -> Option<u64> {
        match &self.did {
            Did::Ran { signature, .. } => *signature,
            _ => None,
        }
    }

    /// The command line as typed, if it is one.
    pub fn command(&self) -> String {
        match &self.did {
            Did::Ran { line, .. } => line.text().to_owned(),
            _ => String::new(),
        }
    }

    /// Whether it shows that a command line passes now: it is another run of it, or covers it.
    pub fn passes(&self, line: &ShellLine) -> bool {
        let Did::Ran { line: own, ended, .. } = &self.did else { return false };
        let settles = |step: &Step| own.steps().iter().any(|own| own.settles(step));
        let mut work = line.steps().iter().filter(|step| !step.is_minor()).peekable();
        ended.ok == Some(true) && (own.key() == line.key() || (work.peek().is_some() && work.all(settles)))
    }

    /// Whether it uses a file or command of this name.
    pub fn uses(&self, name: &str) -> bool {
        match &self.did {
            Did::Ran { line, .. } => line.text().contains(name) || line.plain().contains(name),
            Did::Changed(deed) => is_path_of(&deed.text, name),
            Did::Read(path) => is_path_of(path, name),
            Did::Unseen | Did::Other => false,
        }
    }

    /// The line that names the error of a failed run.
    pub fn error(&self) -> String {
        match &self.did {
            Did::Ran { ended, .. } => one_line(ended.error(), ERROR_LONG),
            _ => String::new(),
        }
    }
}

/// Whether two paths may be of the same file: one is the end of the other.
fn is_path_of(path: &str, name: &str) -> bool {
    let is_end = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '\\']))
    };
    !name.is_empty() && (is_end(path, name) || is_end(name, path))
}

/// The command as it is shown: on one line, without what only shortens its output.
pub(super) fn shown(line: &ShellLine) -> String {
    one_line(line.plain(), COMMAND_LONG)
}

/// The names of the files in an output, each once.
fn named_files(outcome: &Outcome) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    scan(outcome.output, |word| {
        if let Word::Path(path) = word {
            let name = file_name(path);
            if names.len() < MOST_NAMED && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    });
    names
}

/// The last part of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// What a line changed: files by name, else the line itself if it is for that.
fn deeds(place: Place, line: &ShellLine, outcome: &Outcome) -> Vec<FixDeed> {
    let path = |target: &FileTarget| {
        let folder = if target.folder.is_empty() { String::new() } else { format!("{}/", target.folder) };
        format!("{folder}{}", target.text)
    };
    let file = |kind: DeedKind, target: &FileTarget| {
        let is_own = |text: &str| text.split('/').any(|part| part == ".git");
        let is_file = target.plain
            && !target.text.starts_with("/dev/")
            && !target.text.starts_with("/tmp/")
            && !is_own(&target.text);
        is_file.then(|| FixDeed::of_file(place, kind, &path(target)))
    };
    let of_effect = |effect: &Effect| match effect {
        Effect::Written(target) => file(DeedKind::Wrote, target),
        Effect::Edited(target) => file(DeedKind::Edited, target),
        Effect::Removed { target, .. } => file(DeedKind::Deleted, target),
        Effect::Read(_) | Effect::Named(_) | Effect::Moved { .. } | Effect::Anything => None,
    };
    let mut all: Vec<FixDeed> = effects(line, true, outcome.output).iter().filter_map(of_effect).collect();
    if line.steps().iter().any(changes_something) {
        all.push(FixDeed { place, kind: DeedKind::Ran, text: shown(line) });
    }
    all
}

/// It installs, starts or sets something that a later command depends on. Commits and pushes record work, and do none.
fn changes_something(step: &Step) -> bool {
    match step.purpose {
        Purpose::Install | Purpose::Serve | Purpose::Deploy => true,
        Purpose::VersionControl => {
            !["commit", "add", "push", "stage", "tag", "clone"].iter().any(|verb| step.is_git(verb))
                && step.program != "gh"
                && step.program != "glab"
        }
        Purpose::Change => {
            !matches!(step.program.as_str(), "sed" | "tee" | "rm" | "touch" | "mkdir" | "cp" | "truncate")
        }
        _ => step.is_git("config") || step.is_git("fetch"),
    }
}
