//! What git printed about the work tree, to find changes that the session's edits do not explain.

use serde::{Deserialize, Serialize};

use super::paths::{is_inside, is_temporary, joined};
use crate::lexicon::programs::{GIT_CHANGES_FILES, Purpose};
use crate::model::entry::Place;
use crate::reading::command::{ShellLine, Step, has};
use crate::reading::effects::folder_of;
use crate::reading::git::{PrintedRow, created_files, printed_commit, says_clean, status_rows};

/// Maximum number of status rows.
const MAX_STATUS_ROWS: usize = 100;
/// Maximum number of untracked files recorded as committed.
const MAX_TAKEN: usize = 8;

/// A file or folder that git reported as changed or untracked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusRow {
    /// Absolute path, without a trailing slash.
    pub path: String,
    pub untracked: bool,
    pub deleted: bool,
}

/// An untracked file that a commit of everything included, although this session had not touched it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenFile {
    /// Absolute path.
    pub path: String,
    pub hash: String,
    /// Row of the commit.
    pub place: Place,
}

/// The state of the work tree, as far as git's output shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GitRecord {
    /// Row of the latest status, and its entries that are not committed yet.
    pub status: Option<(Place, Vec<StatusRow>)>,
    /// Untracked files that a commit of everything included.
    pub taken: Vec<TakenFile>,
    /// Tool calls before everything was last committed, or may have been.
    pub settled: Option<u32>,
    /// Tool calls before the latest commit whose end is not known.
    pub untold: Option<u32>,
    staged: Staged,
}

/// What the next commit includes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Staged {
    paths: Vec<String>,
    tracked: bool,
    untracked: bool,
}

impl GitRecord {
    /// Records a successful command line that ran in `folder`.
    pub fn ran(&mut self, place: Place, clock: u32, line: &ShellLine, cwd: &str, output: &str) {
        // One output of two statuses does not say which row is of which.
        if line.steps().iter().filter(|step| step.is_git("status")).count() > 1 {
            self.status = None;
            return;
        }
        for (at, step) in line.steps().iter().enumerate() {
            let Some(folder) = folder_of(step) else { continue };
            let is_picked = line.steps().get(at + 1).is_some_and(|next| next.is_filter() && next.searches());
            if !(is_picked && step.is_git("status")) {
                self.step(place, clock, step, &joined(cwd, folder), output);
            }
        }
    }

    fn step(&mut self, place: Place, clock: u32, step: &Step, folder: &str, output: &str) {
        match (step.program.as_str(), step.verb.as_deref().unwrap_or_default()) {
            ("git", "status") => {
                let rows = rows_of(output, folder);
                let is_short = ["-s", "--short", "--porcelain"].iter().any(|flag| step.has(flag));
                if rows.is_empty() && says_clean(output, is_short) {
                    self.settled = Some(clock);
                }
                self.status = Some((place, rows));
            }
            ("git", "add" | "stage") => self.staged.add(step, folder),
            ("git", "commit") => self.committed(place, clock, step, output),
            ("git", verb) if has(GIT_CHANGES_FILES, verb) => {
                let untracked = ["-u", "--include-untracked", "-a"].iter().any(|flag| step.has(flag));
                self.left(verb == "clean" || untracked);
            }
            ("jj" | "gt" | "sl", _) if step.purpose == Purpose::VersionControl => self.forget(clock),
            // A project script that commits.
            (program, _) if program != "git" && !step.only_looks() && step.has("commit") => {
                self.forget(clock);
            }
            _ => {}
        }
    }

    /// The work tree was changed by git itself: tracked files may be as they were, untracked ones stay where they are.
    fn left(&mut self, untracked_too: bool) {
        if let Some((_, rows)) = &mut self.status {
            rows.retain(|row| row.untracked && !untracked_too);
        }
        self.status.take_if(|(_, rows)| rows.is_empty());
    }

    /// A command line whose end is not known.
    pub fn may_have_committed(&mut self, clock: u32, line: &ShellLine) {
        let is_commit = |step: &Step| step.purpose == Purpose::VersionControl && step.has("commit");
        if line.steps().iter().any(is_commit) {
            self.forget(clock);
            self.untold = Some(clock);
        }
    }

    fn forget(&mut self, clock: u32) {
        (self.status, self.settled) = (None, Some(clock));
    }

    fn committed(&mut self, place: Place, clock: u32, step: &Step, output: &str) {
        let hash = printed_commit(output).map(|commit| commit.hash.to_owned()).unwrap_or_default();
        self.settled = Some(clock);
        let is_all = |word: &str| word == "--all" || (!word.starts_with("--") && word.starts_with("-a"));
        self.staged.tracked |= step.arguments().any(is_all);
        let staged = std::mem::take(&mut self.staged);
        let Some((_, rows)) = &mut self.status else { return };
        let created: Vec<&str> = created_files(output).collect();
        let took = |row: &StatusRow| staged.takes(row);
        for row in rows.iter().filter(|row| row.untracked && !staged.names(row) && took(row)) {
            let was_created = created.iter().any(|path| row.path.ends_with(&format!("/{path}")));
            if was_created && self.taken.len() < MAX_TAKEN {
                self.taken.push(TakenFile { path: row.path.clone(), hash: hash.clone(), place });
            }
        }
        rows.retain(|row| !took(row));
    }
}

/// The folder for temporary files in which a line that starts in `folder` commits, if it does and the session with this
/// root does not work there: the repository is one made for a trial.
pub fn trial_folder(line: &ShellLine, cwd: &str, root: Option<&str>) -> Option<String> {
    let is_own = |folder: &str| root.is_some_and(|root| is_inside(folder, root) || is_inside(root, folder));
    let folder = commit_folder(line, cwd)?;
    (is_temporary(&format!("{folder}/")) && !is_own(&folder)).then_some(folder)
}

/// The folder in which a line that starts in `cwd` commits.
fn commit_folder(line: &ShellLine, cwd: &str) -> Option<String> {
    let step = line.steps().iter().find(|step| step.is_git("commit"))?;
    Some(joined(cwd, folder_of(step)?))
}

impl Staged {
    fn add(&mut self, step: &Step, folder: &str) {
        for word in step.arguments() {
            match word {
                "-A" | "--all" | "." | "-Av" | ":/" => (self.tracked, self.untracked) = (true, true),
                "-u" | "--update" => self.tracked = true,
                flag if flag.starts_with('-') => {}
                path => self.paths.push(joined(folder, path)),
            }
        }
    }

    fn names(&self, row: &StatusRow) -> bool {
        let is_within =
            |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.paths.iter().any(|path| is_within(&row.path, path) || is_within(path, &row.path))
    }

    fn takes(&self, row: &StatusRow) -> bool {
        self.names(row) || if row.untracked { self.untracked } else { self.tracked }
    }
}

/// The entries of a status that ran in `folder`.
fn rows_of(output: &str, folder: &str) -> Vec<StatusRow> {
    let mut rows: Vec<StatusRow> = Vec::new();
    for PrintedRow { name, untracked, deleted } in status_rows(output) {
        let row = StatusRow { path: joined(folder, name), untracked, deleted };
        if rows.len() < MAX_STATUS_ROWS && !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(record: &GitRecord) -> Vec<&str> {
        record.status.iter().flat_map(|(_, rows)| rows).map(|row| row.path.as_str()).collect()
    }

    #[test]
    fn commit_includes_only_staged_files() {
        let mut git = GitRecord::default();
        git.ran(Place(1), 1, &ShellLine::parse("git status --short"), "/w", " M a.rs\n?? b.wav\n?? c.md");
        git.ran(Place(2), 2, &ShellLine::parse("git add a.rs && git commit -m x"), "/w", "[main 1a2b3c4] x");
        assert_eq!(left(&git), ["/w/b.wav", "/w/c.md"]);
        git.ran(
            Place(3),
            3,
            &ShellLine::parse("git add -A && git commit -m y"),
            "/w",
            "[main 2a2b3c4] y\n create mode 100644 b.wav",
        );
        assert_eq!(left(&git), [""; 0]);
        assert_eq!(
            git.taken,
            [TakenFile { path: "/w/b.wav".into(), hash: "2a2b3c4".into(), place: Place(3) }]
        );
    }

    #[test]
    fn a_line_commits_in_the_folder_it_changes_to() {
        for (command, folder) in [
            ("git add . && git commit -m x", "/w"),
            ("cd web && git commit -m x && cd ..", "/w/web"),
            ("\\\n# Try it\ncd /tmp/clone\ngit add -A && git commit -m x", "/tmp/clone"),
            ("HUSKY=0 git commit -m x && cd /tmp/demo", "/w"),
            ("git -C /tmp/trial commit -m x", "/tmp/trial"),
            ("R=/tmp/r\ncd \"$R\"\ngit init\ngit commit -m init", "/tmp/r"),
        ] {
            assert_eq!(commit_folder(&ShellLine::parse(command), "/w").as_deref(), Some(folder), "{command}");
        }
    }

    #[test]
    fn untracked_files_outlast_a_checkout() {
        let mut git = GitRecord::default();
        git.ran(Place(1), 1, &ShellLine::parse("git status -s"), "/w", " M a.rs\n?? b.md");
        git.ran(Place(2), 2, &ShellLine::parse("git checkout main"), "/w", "Switched to branch 'main'");
        let left = vec![StatusRow { path: "/w/b.md".to_owned(), untracked: true, deleted: false }];
        assert_eq!(git.status, Some((Place(1), left)));
        git.ran(Place(3), 3, &ShellLine::parse("git clean -fd"), "/w", "Removing b.md");
        assert_eq!(git.status, None);
    }

    #[test]
    fn two_statuses_in_one_output_tell_nothing() {
        let mut git = GitRecord::default();
        git.ran(Place(1), 1, &ShellLine::parse("git status -s && git -C /other status -s"), "/w", " M a.rs");
        assert_eq!(left(&git), [""; 0]);
        git.ran(Place(2), 2, &ShellLine::parse("git status -s"), "/w", " M a.rs");
        assert_eq!(left(&git).len(), 1, "one status tells");
    }

    #[test]
    fn stash_invalidates_the_status() {
        let mut git = GitRecord::default();
        git.ran(Place(1), 1, &ShellLine::parse("git status -s"), "/w", "?? b.md");
        git.ran(Place(2), 2, &ShellLine::parse("git stash -u"), "/w", "Saved");
        assert_eq!((git.status.is_some(), git.settled), (false, None));
        git.ran(Place(3), 3, &ShellLine::parse("git status -s"), "/w", "");
        assert_eq!(git.settled, Some(3));
    }
}
