//! Whether what the past says holds in the tree as it is now.
//!
//! Only what can be looked up counts: a file is there, a program is found, a script or target is written down, a name of a
//! branch resolves. What cannot be looked up is not doubted.

use super::{PastAbsence, PastCommand, PastFile, below_root};
use crate::fixes::{DeedKind, FixDeed, FixPair};
use crate::lexicon::programs::{INTERPRETERS, Purpose, SCRIPT_FILES, ScriptForm};
use crate::reading::command::{ShellLine, Step, has};
use crate::redact::is_masked;
use crate::session::paths::joined;

/// The tree of a repository, as whoever asks sees it.
pub trait Tree {
    /// Whether a file or folder is there, by its path below the root.
    fn has(&self, path: &str) -> FileThere;
    /// The text of a small file, by its path below the root.
    fn text(&self, path: &str) -> Option<String>;
    /// Whether a program can be started; `None` if unknown.
    fn has_program(&self, name: &str) -> Option<bool>;
    /// The branch that is checked out.
    fn branch(&self) -> Option<String>;
    /// What became of another branch.
    fn fate_of(&self, branch: &str) -> BranchFate;
    /// What the project's own files for agents say.
    fn instructions(&self) -> String;
}

/// What became of a branch that is not checked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchFate {
    /// It is there.
    Open,
    /// Everything on it is in the commit that is checked out.
    Merged,
    Gone,
    Unknown,
}

impl BranchFate {
    /// Behind the name of the branch.
    pub fn in_words(self) -> &'static str {
        match self {
            BranchFate::Open | BranchFate::Unknown => "",
            BranchFate::Merged => ", which is merged",
            BranchFate::Gone => ", which is gone",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileThere {
    Yes,
    No,
    Unknown,
}

/// A tree that nobody can look at: nothing is doubted.
pub struct NoTree;

impl Tree for NoTree {
    fn has(&self, _: &str) -> FileThere {
        FileThere::Unknown
    }

    fn text(&self, _: &str) -> Option<String> {
        None
    }

    fn has_program(&self, _: &str) -> Option<bool> {
        None
    }

    fn branch(&self) -> Option<String> {
        None
    }

    fn fate_of(&self, _: &str) -> BranchFate {
        BranchFate::Unknown
    }

    fn instructions(&self) -> String {
        String::new()
    }
}

/// Whether something still holds, or what is known against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeCheck {
    Holds,
    /// Why not, in a few words.
    Stale(String),
}

impl TreeCheck {
    pub fn holds(&self) -> bool {
        *self == TreeCheck::Holds
    }

    fn stale(why: impl Into<String>) -> TreeCheck {
        TreeCheck::Stale(why.into())
    }
}

/// Whether a file is still there.
pub fn of_file(file: &PastFile, tree: &dyn Tree) -> TreeCheck {
    match tree.has(&file.path) {
        FileThere::No => TreeCheck::stale("the file is gone"),
        FileThere::Unknown if file.deleted => TreeCheck::stale("it was deleted"),
        FileThere::Yes | FileThere::Unknown => TreeCheck::Holds,
    }
}

/// Whether the files are still there whose change was followed by the run that passed.
pub fn of_fix(fix: &FixPair, start: &str, root: &str, tree: &dyn Tree) -> TreeCheck {
    let mut changed = fix.steps.iter().filter(|step| matches!(step.kind, DeedKind::Edited | DeedKind::Wrote));
    let is_gone = |step: &FixDeed| {
        let path = below_root(&step.text, start, root).filter(|path| !is_masked(path));
        path.is_some_and(|path| tree.has(&path) == FileThere::No)
    };
    if changed.any(is_gone) { TreeCheck::stale("a file it names is gone") } else { TreeCheck::Holds }
}

/// Whether a file is still not there.
pub fn of_absence(absent: &PastAbsence, tree: &dyn Tree) -> TreeCheck {
    match tree.has(&absent.path) {
        FileThere::Yes => TreeCheck::stale("it is there now"),
        FileThere::No | FileThere::Unknown => TreeCheck::Holds,
    }
}

/// Whether a command can still be run: its folder, its files, its program, its script.
pub fn of_command(command: &PastCommand, tree: &dyn Tree) -> TreeCheck {
    if !command.folder.is_empty() && tree.has(&command.folder) == FileThere::No {
        return TreeCheck::stale("its folder is gone");
    }
    let line = ShellLine::parse(&command.line);
    let mut doubts = line.steps().iter().filter(|step| step.purpose != Purpose::Prepare);
    doubts.find_map(|step| doubt(step, &command.folder, tree)).map_or(TreeCheck::Holds, TreeCheck::stale)
}

/// What is known against a step.
fn doubt(step: &Step, folder: &str, tree: &dyn Tree) -> Option<&'static str> {
    let below = |path: &str| joined(folder, path);
    let is_gone = |path: &str| {
        let is_plain =
            !path.contains(['*', '?', '$', '{', '[', '~']) && !path.contains("://") && !is_masked(path);
        is_plain && tree.has(&below(path)) == FileThere::No
    };
    if step.called.contains('/') {
        if is_gone(&step.called) {
            return Some("its program is gone");
        }
    } else if tree.has_program(&step.program) == Some(false) && step.wrappers.is_empty() {
        return Some("its program is not installed");
    }
    if has(INTERPRETERS, &step.program) {
        let script = step.texts().find(|word| !word.starts_with('-'));
        let is_path = |word: &&str| {
            word.contains('/') || word.rsplit_once('.').is_some_and(|(name, _)| !name.is_empty())
        };
        if step.texts().next() == script && script.filter(is_path).is_some_and(is_gone) {
            return Some("its script is gone");
        }
    }
    if lacks_script(step, folder, tree) {
        return Some("its script is gone");
    }
    // A file that it names with its folder: `pytest tests/test_a.py::test_b`.
    let named = step.texts().filter(|word| !word.starts_with('-') && word.contains('/'));
    let named = named.map(|word| word.split("::").next().unwrap_or(word));
    let has_end = |path: &&str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').is_some_and(|(stem, end)| {
            !stem.is_empty() && (1..=5).contains(&end.len()) && end.bytes().all(|b| b.is_ascii_alphabetic())
        })
    };
    named.filter(has_end).any(is_gone).then_some("a file it names is gone")
}

/// The script or target that it names is not in the file it would stand in.
fn lacks_script(step: &Step, folder: &str, tree: &dyn Tree) -> bool {
    let Some(file) = SCRIPT_FILES.iter().find(|file| has(file.programs, &step.program)) else { return false };
    // An option may name another folder or file.
    if step.texts().any(|word| file.elsewhere.split(' ').any(|option| word.split('=').next() == Some(option)))
    {
        return false;
    }
    let words: Vec<&str> =
        step.texts().filter(|word| !word.starts_with('-') && !word.contains('=')).collect();
    let script = match (&words[..], file.before) {
        ([script, ..], _) if has(file.alone, script) => *script,
        ([before, script, ..], words) if !words.is_empty() && has(words, before) => *script,
        ([script, ..], "") => *script,
        _ => return false,
    };
    let found = file.names.iter().map(|name| joined(folder, name)).find_map(|name| tree.text(&name));
    found.is_some_and(|text| match file.form {
        ScriptForm::Json => is_missing_in_json(&text, script),
        ScriptForm::Rules => is_missing_in_rules(&text, script),
    })
}

fn is_missing_in_json(text: &str, script: &str) -> bool {
    let package: Option<serde_json::Value> = serde_json::from_str(text).ok();
    package.is_some_and(|package| package["scripts"].get(script).is_none())
}

/// What is included, and what a pattern makes, stands elsewhere.
fn is_missing_in_rules(text: &str, target: &str) -> bool {
    let mut lines = text.lines();
    lines.all(|line| {
        let begins = |word: &str| line.trim_start_matches('-').starts_with(word);
        let names = line.split(':').next().unwrap_or_default();
        // A recipe may have parameters behind its name.
        let is_it =
            line.contains(':') && names.split_whitespace().any(|name| name.trim_matches('@') == target);
        !is_it
            && !names.contains(['%', '$'])
            && !begins("include ")
            && !begins("import ")
            && !begins("mod ")
            && !begins("alias ")
            && !begins("!include ")
    })
}
