//! What git prints: the commit it made, the state of the work tree.

/// A row of `git status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintedRow<'a> {
    /// As printed, without a trailing slash.
    pub name: &'a str,
    pub untracked: bool,
    pub deleted: bool,
}

/// A commit that git printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintedCommit<'a> {
    /// `None` on a detached head.
    pub branch: Option<&'a str>,
    pub hash: &'a str,
    pub subject: &'a str,
}

/// The first commit in an output: `[main 1a2b3c4] subject`, `[main (root-commit) 1a2b3c4] subject`.
pub fn printed_commit(output: &str) -> Option<PrintedCommit<'_>> {
    output.lines().find_map(|line| {
        let (inside, subject) = line.trim().strip_prefix('[')?.split_once("] ")?;
        let (on, hash) = inside.trim_end().rsplit_once(' ')?;
        let branch = on.split(' ').next().filter(|_| on != "detached HEAD");
        let is_hash = (7..=40).contains(&hash.len()) && hash.bytes().all(|b| b.is_ascii_hexdigit());
        is_hash.then_some(PrintedCommit { branch, hash, subject })
    })
}

/// The new files of a commit: ` create mode 100644 notes.md`.
pub fn created_files(output: &str) -> impl Iterator<Item = &str> {
    output.lines().filter_map(|line| {
        line.trim_start().strip_prefix("create mode ")?.split_once(' ').map(|(_, path)| path.trim())
    })
}

/// A status says that the work tree is clean: in words or, in short form, by printing nothing.
pub fn says_clean(output: &str, is_short: bool) -> bool {
    output.contains("working tree clean") || (is_short && output.trim().is_empty())
}

/// The rows of a status, in short or long form.
pub fn status_rows(output: &str) -> Vec<PrintedRow<'_>> {
    let mut untracked = false;
    let mut rows = Vec::new();
    for line in output.lines() {
        if line.ends_with(':') && !line.starts_with([' ', '\t']) {
            untracked = line.starts_with("Untracked files");
        }
        let Some(row) = short_row(line).or_else(|| long_row(line, untracked)) else { continue };
        let name = row.name.rsplit(" -> ").next().unwrap_or(row.name).trim_matches('"').trim_end_matches('/');
        rows.push(PrintedRow { name, ..row });
    }
    rows
}

/// ` M src/a.rs`, `?? notes.md`.
fn short_row(line: &str) -> Option<PrintedRow<'_>> {
    let (marks, name) = (line.get(..2)?, line.get(3..)?);
    let is_row = line.as_bytes()[2] == b' '
        && marks.chars().all(|mark| " MADRCTU?".contains(mark))
        && !marks.trim().is_empty()
        && !name.starts_with(' ')
        && !name.is_empty();
    is_row.then(|| PrintedRow { name, untracked: marks == "??", deleted: marks.contains('D') })
}

/// `        modified:   src/a.rs`, and the lines below "Untracked files".
fn long_row(line: &str, untracked: bool) -> Option<PrintedRow<'_>> {
    const MARKS: [&str; 5] = ["modified:", "new file:", "deleted:", "renamed:", "both modified:"];
    let inner = line.strip_prefix('\t').or_else(|| line.strip_prefix("        "))?;
    match MARKS.iter().find_map(|mark| inner.strip_prefix(mark)) {
        Some(name) => {
            let deleted = inner.starts_with("deleted:");
            Some(PrintedRow { name: name.trim(), untracked: false, deleted })
        }
        None if untracked && !inner.contains(": ") => {
            Some(PrintedRow { name: inner.trim(), untracked: true, deleted: false })
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commit_is_parsed_from_git_output() {
        let output = "[feat/x 1a2b3c4] Add the parser\n 2 files changed";
        let commit = |branch, subject| Some(PrintedCommit { branch, hash: "1a2b3c4", subject });
        assert_eq!(printed_commit(output), commit(Some("feat/x"), "Add the parser"));
        assert_eq!(printed_commit("[main (root-commit) 1a2b3c4] Begin"), commit(Some("main"), "Begin"));
        assert_eq!(printed_commit("[detached HEAD 1a2b3c4] Try"), commit(None, "Try"));
        assert_eq!(printed_commit("nothing to commit"), None);
    }

    #[test]
    fn short_and_long_status_are_parsed() {
        let gone = |output| status_rows(output).iter().filter(|row| row.deleted).count();
        assert_eq!((gone(" D a.rs\n M b.rs"), gone("\tdeleted:    a.rs\n\tmodified:   b.rs")), (1, 1));
        let short = " M src/a.rs\n?? notes/\nR  old.md -> new.md\n";
        let long = "On branch x\nChanges not staged for commit:\n  (use \"git add\")\n\tmodified:   src/a.rs\n\n\
                    Untracked files:\n  (use \"git add\")\n\tnotes/\n\nno changes added";
        let of = |output| status_rows(output).iter().map(|row| (row.name, row.untracked)).collect::<Vec<_>>();
        assert_eq!(of(short), [("src/a.rs", false), ("notes", true), ("new.md", false)]);
        assert_eq!(of(long), [("src/a.rs", false), ("notes", true)]);
    }
}
