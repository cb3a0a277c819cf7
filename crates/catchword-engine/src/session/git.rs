//! What git printed about the work tree, to find changes that the session's edits do not explain.

use serde::{Deserialize, Serialize};

use super::paths::{is_inside, is_temporary, joined};
use super::shell::{self, ShellStep};
use crate::model::entry::Place;

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
    /// It is not known that anything was.
    pub is_unsure: bool,
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
    pub fn ran(&mut self, place: Place, clock: u32, command: &str, folder: &str, output: &str) {
        if !["git ", "jj ", "commit"].iter().any(|word| command.contains(word)) {
            return;
        }
        let mut folder = folder.to_owned();
        let steps = shell::steps(command);
        // One output of two statuses does not say which row is of which.
        let is_status = |step: &&ShellStep| {
            step.core.starts_with("git ") && step.core.split(' ').any(|word| word == "status")
        };
        if steps.iter().filter(is_status).count() > 1 {
            self.status = None;
            return;
        }
        for step in &steps {
            if let Some(to) = step.core.strip_prefix("cd ") {
                folder = joined(&folder, to.trim_matches(['"', '\'']));
            }
            self.step(place, clock, step, &folder, output);
        }
    }

    fn step(&mut self, place: Place, clock: u32, step: &ShellStep, folder: &str, output: &str) {
        let mut words = step.core.split(' ');
        let program = words.next().unwrap_or_default();
        let (verb, arguments) = (words.next().unwrap_or_default(), words.collect::<Vec<_>>());
        match (program, verb) {
            ("git", "status") if !step.whole.contains("| grep") => {
                let rows = status_rows(output, folder);
                if rows.is_empty() && says_clean(output, &arguments) {
                    (self.settled, self.is_unsure) = (Some(clock), false);
                }
                self.status = Some((place, rows));
            }
            ("git", "add" | "stage") => self.staged.add(&arguments, folder),
            ("git", "commit") => self.committed(place, clock, &arguments, output),
            (
                "jj" | "gt" | "sl",
                "commit" | "describe" | "squash" | "new" | "create" | "modify" | "amend",
            ) => {
                self.forget(clock);
            }
            (
                "git",
                "stash" | "checkout" | "switch" | "reset" | "clean" | "merge" | "rebase" | "pull" | "restore",
            ) => {
                self.left(
                    verb == "clean"
                        || arguments.iter().any(|word| matches!(*word, "-u" | "--include-untracked" | "-a")),
                );
            }
            // A project script that commits.
            (program, _)
                if !matches!(program, "git" | "echo" | "grep" | "rg") && arguments.contains(&"commit") =>
            {
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
    pub fn may_have_committed(&mut self, clock: u32, command: &str) {
        let commits = |step: &ShellStep| {
            let mut words = step.core.split(' ');
            words.any(|word| matches!(word, "git" | "jj" | "gt" | "sl")) && words.any(|word| word == "commit")
        };
        if shell::steps(command).iter().any(commits) {
            self.forget(clock);
            self.untold = Some(clock);
        }
    }

    fn forget(&mut self, clock: u32) {
        (self.status, self.settled, self.is_unsure) = (None, Some(clock), true);
    }

    fn committed(&mut self, place: Place, clock: u32, arguments: &[&str], output: &str) {
        let hash = shell::commit_in("git commit", output).map(|(hash, _)| hash).unwrap_or_default();
        (self.settled, self.is_unsure) = (Some(clock), hash.is_empty());
        let is_all = |word: &&&str| **word == "--all" || (!word.starts_with("--") && word.starts_with("-a"));
        self.staged.tracked |= arguments.iter().any(|word| is_all(&word));
        let staged = std::mem::take(&mut self.staged);
        let Some((_, rows)) = &mut self.status else { return };
        let created: Vec<&str> = output.lines().filter_map(created_path).collect();
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
pub fn trial_folder(command: &str, folder: &str, root: Option<&str>) -> Option<String> {
    let is_own = |folder: &str| root.is_some_and(|root| is_inside(folder, root) || is_inside(root, folder));
    // Most lines do not commit.
    command.contains("commit").then_some(())?;
    let folder = commit_folder(command, folder)?;
    (is_temporary(&format!("{folder}/")) && !is_own(&folder)).then_some(folder)
}

/// The folder in which a line that starts in `folder` commits.
fn commit_folder(command: &str, folder: &str) -> Option<String> {
    let steps = shell::steps(command);
    let value = |name: &str| {
        let set = format!("{}=", name.trim_matches(['$', '{', '}']));
        let value = steps.iter().find_map(|step| step.core.strip_prefix(&set));
        value.map(|value| value.trim_matches(['"', '\'']))
    };
    let to = |folder: &str, to: &str| {
        let to = to.trim_matches(['"', '\'']);
        joined(folder, if to.starts_with('$') { value(to).unwrap_or(to) } else { to })
    };
    let mut folder = folder.to_owned();
    for step in &steps {
        if let Some(into) = step.core.strip_prefix("cd ") {
            folder = to(&folder, into);
        }
        let words: Vec<&str> = step.core.split(' ').skip_while(|word| shell::is_setting(word)).collect();
        match words.as_slice() {
            ["git", "commit", ..] => return Some(folder),
            ["git", "-C", elsewhere, "commit", ..] => return Some(to(&folder, elsewhere)),
            _ => {}
        }
    }
    None
}

impl Staged {
    fn add(&mut self, arguments: &[&str], folder: &str) {
        for word in arguments {
            match *word {
                "-A" | "--all" | "." | "-Av" | ":/" => (self.tracked, self.untracked) = (true, true),
                "-u" | "--update" => self.tracked = true,
                flag if flag.starts_with('-') => {}
                path => self.paths.push(joined(folder, path.trim_matches(['"', '\'']))),
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

/// Whether the work tree is clean: git says so or, in short format, prints nothing.
fn says_clean(output: &str, arguments: &[&str]) -> bool {
    let is_short = arguments.iter().any(|word| matches!(*word, "-s" | "--short" | "--porcelain"));
    output.contains("working tree clean") || (is_short && output.trim().is_empty())
}

/// The entries of a status, in short or long format.
fn status_rows(output: &str, folder: &str) -> Vec<StatusRow> {
    let mut untracked = false;
    let mut rows: Vec<StatusRow> = Vec::new();
    for line in output.lines() {
        if line.ends_with(':') && !line.starts_with([' ', '\t']) {
            untracked = line.starts_with("Untracked files");
        }
        let found = short_row(line).or_else(|| long_row(line, untracked));
        let Some((name, is_new, deleted)) = found else { continue };
        let name = name.rsplit(" -> ").next().unwrap_or(name).trim_matches('"').trim_end_matches('/');
        let row = StatusRow { path: joined(folder, name), untracked: is_new, deleted };
        if rows.len() < MAX_STATUS_ROWS && !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows
}

/// ` M src/a.rs`, `?? notes.md`.
fn short_row(line: &str) -> Option<(&str, bool, bool)> {
    let (marks, name) = (line.get(..2)?, line.get(3..)?);
    let is_mark = |mark: char| " MADRCTU?!".contains(mark);
    let is_row = line.as_bytes()[2] == b' '
        && marks.chars().all(is_mark)
        && marks.trim() != ""
        && !marks.contains('!');
    (is_row && !name.starts_with(' ') && !name.is_empty()).then_some((
        name,
        marks == "??",
        marks.contains('D'),
    ))
}

/// `        modified:   src/a.rs`, and the lines below "Untracked files".
fn long_row(line: &str, untracked: bool) -> Option<(&str, bool, bool)> {
    let inner = line.strip_prefix('\t').or_else(|| line.strip_prefix("        "))?;
    let marked = ["modified:", "new file:", "deleted:", "renamed:", "both modified:"];
    let name = marked.iter().find_map(|mark| inner.strip_prefix(mark)).map(str::trim);
    match name {
        Some(name) => Some((name, false, inner.starts_with("deleted:"))),
        None if untracked && !inner.contains(": ") => Some((inner.trim(), true, false)),
        None => None,
    }
}

/// ` create mode 100644 notes.md` of a commit.
fn created_path(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("create mode ")?.split_once(' ').map(|(_, path)| path.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(record: &GitRecord) -> Vec<&str> {
        record.status.iter().flat_map(|(_, rows)| rows).map(|row| row.path.as_str()).collect()
    }

    #[test]
    fn short_and_long_status_are_parsed() {
        let gone = |output| status_rows(output, "/w").iter().filter(|row| row.deleted).count();
        assert_eq!((gone(" D a.rs\n M b.rs"), gone("\tdeleted:    a.rs\n\tmodified:   b.rs")), (1, 1));
        let short = " M src/a.rs\n?? notes/\nR  old.md -> new.md\n";
        let long = "On branch x\nChanges not staged for commit:\n  (use \"git add\")\n\tmodified:   src/a.rs\n\n\
                    Untracked files:\n  (use \"git add\")\n\tnotes/\n\nno changes added";
        let of = |output| {
            status_rows(output, "/w").into_iter().map(|row| (row.path, row.untracked)).collect::<Vec<_>>()
        };
        assert_eq!(
            of(short),
            [("/w/src/a.rs".into(), false), ("/w/notes".into(), true), ("/w/new.md".into(), false)]
        );
        assert_eq!(of(long), [("/w/src/a.rs".into(), false), ("/w/notes".into(), true)]);
    }

    #[test]
    fn commit_includes_only_staged_files() {
        let mut git = GitRecord::default();
        git.ran(Place(1), 1, "git status --short", "/w", " M a.rs\n?? b.wav\n?? c.md");
        git.ran(Place(2), 2, "git add a.rs && git commit -m x", "/w", "[main 1a2b3c4] x");
        assert_eq!(left(&git), ["/w/b.wav", "/w/c.md"]);
        git.ran(
            Place(3),
            3,
            "git add -A && git commit -m y",
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
            assert_eq!(commit_folder(command, "/w").as_deref(), Some(folder), "{command}");
        }
    }

    #[test]
    fn untracked_files_outlast_a_checkout() {
        let mut git = GitRecord::default();
        git.ran(Place(1), 1, "git status -s", "/w", " M a.rs\n?? b.md");
        git.ran(Place(2), 2, "git checkout main", "/w", "Switched to branch 'main'");
        let left = vec![StatusRow { path: "/w/b.md".to_owned(), untracked: true, deleted: false }];
        assert_eq!(git.status, Some((Place(1), left)));
        git.ran(Place(3), 3, "git clean -fd", "/w", "Removing b.md");
        assert_eq!(git.status, None);
    }

    #[test]
    fn two_statuses_in_one_output_tell_nothing() {
        let mut git = GitRecord::default();
        git.ran(Place(1), 1, "git status -s && git -C /other status -s", "/w", " M a.rs");
        assert_eq!(left(&git), [""; 0]);
    }

    #[test]
    fn stash_invalidates_the_status() {
        let mut git = GitRecord::default();
        git.ran(Place(1), 1, "git status -s", "/w", "?? b.md");
        git.ran(Place(2), 2, "git stash -u", "/w", "Saved");
        assert_eq!((git.status.is_some(), git.settled), (false, None));
        git.ran(Place(3), 3, "git status -s", "/w", "");
        assert_eq!(git.settled, Some(3));
    }
}
