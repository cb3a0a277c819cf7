//! Lessons from failed calls: the call that worked instead, a file that does not exist, what a tool refuses. What the
//! agent itself says it found is in [`super::discoveries`].

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::failures::{target, wrong_call};
use super::one_line;
use super::shell;
use crate::model::entry::Place;

/// Maximum number of lessons.
const MAX_KEPT_LESSONS: usize = 24;
/// Maximum number of failed calls that wait for one that works.
const SLIPS_KEPT: usize = 8;
/// Tool calls within which a working call counts as the correction.
const SOON: u32 = 12;
/// Longer commands are scripts and teach nothing.
const MAX_LESSON_COMMAND: usize = 160;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Lesson {
    /// A call was wrong, and a different one worked.
    Worked {
        failed: Attempt,
        /// Its error message.
        telling: String,
        worked: Attempt,
    },
    /// A file does not exist.
    Missing {
        /// As requested.
        path: Attempt,
        /// A file with the same name elsewhere.
        found: Option<Attempt>,
    },
    /// A file that existed is gone, and nothing here removed it.
    Vanished {
        path: Attempt,
        /// Its latest use before that.
        seen: Place,
    },
    /// The client put the shell back into another folder after a command.
    PutBack {
        /// The client's line.
        telling: String,
        place: Place,
    },
    /// A tool refuses a request.
    Refused {
        /// The request.
        asked: Attempt,
        /// The refusal.
        telling: String,
    },
}

/// A command, path or call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    pub what: String,
    /// Row of the call.
    pub place: Place,
}

/// The lessons of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lessons {
    slips: VecDeque<MadeCall>,
    learned: VecDeque<Lesson>,
}

/// A call, reduced to what is compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct MadeCall {
    call: Attempt,
    clock: u32,
    /// Its error message, if it failed.
    telling: String,
    /// Program, or host of a URL.
    family: String,
    /// Its subcommand and targets.
    words: Vec<String>,
    /// All commands of the line.
    line: Vec<String>,
}

impl Lessons {
    /// Oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Lesson> {
        self.learned.iter()
    }

    /// Records a finished command line.
    pub fn ran(&mut self, command: &str, place: Place, clock: u32, ok: Option<bool>, output: &str) {
        let Some(main) = main_step(command) else { return };
        let mut words = target(&main);
        if words.is_empty() {
            return;
        }
        let call = Attempt { what: one_line(&shell::plain_line(command), MAX_LESSON_COMMAND), place };
        let line = shell::steps(command).into_iter().map(|step| step.core).collect();
        let (family, telling) = (words.remove(0), String::new());
        let made = MadeCall { call, clock, telling, family, words, line };
        let is_short = command.trim().chars().count() <= MAX_LESSON_COMMAND && !command.trim().contains('\n');
        match ok {
            // Behind a pipe the exit code may be 0 although the program complains.
            Some(true) if output.trim_start().starts_with(&format!("{}:", made.family)) => {}
            Some(true) if proves_nothing(command, &main, output) => {}
            Some(true) => self.worked(made, is_short),
            Some(false) if is_short => {
                if let Some(telling) = wrong_call(output) {
                    self.slipped(MadeCall { telling, ..made });
                }
            }
            _ => {}
        }
    }

    /// Records a fetched URL.
    pub fn fetched(&mut self, address: &str, place: Place, clock: u32, ok: bool, output: &str) {
        let Some(host) = address.split_once("://").and_then(|(_, rest)| rest.split('/').next()) else {
            return;
        };
        let call = Attempt { what: one_line(address, MAX_LESSON_COMMAND), place };
        let (family, line) = (host.to_owned(), vec![address.to_owned()]);
        let made = MadeCall { call, clock, telling: String::new(), family, words: Vec::new(), line };
        if ok {
            self.worked(made, true);
        } else {
            let telling = one_line(output.lines().next().unwrap_or_default(), MAX_LESSON_COMMAND);
            self.slipped(MadeCall { telling, ..made });
        }
    }

    fn slipped(&mut self, slip: MadeCall) {
        self.slips.retain(|old| old.family != slip.family);
        self.slips.push_back(slip);
        if self.slips.len() > SLIPS_KEPT {
            self.slips.pop_front();
        }
    }

    /// Records a call that worked. A script teaches nothing, but still resolves the slip.
    fn worked(&mut self, made: MadeCall, is_short: bool) {
        let Some(at) = self.slips.iter().position(|slip| slip.family == made.family && slip.is_about(&made))
        else {
            return;
        };
        let Some(slip) = self.slips.remove(at) else { return };
        if is_short && made.clock <= slip.clock + SOON && slip.is_corrected_by(&made) {
            self.learn(Lesson::Worked { failed: slip.call, telling: slip.telling, worked: made.call });
        }
    }

    /// Records a failed read: the file does not exist, or the tool cannot read such files.
    pub fn not_read(&mut self, path: &str, place: Place, output: &str) {
        let lower = output.to_lowercase();
        let call = |what: &str| Attempt { what: what.to_owned(), place };
        if lower.contains("does not exist") || lower.contains("no such file") {
            self.learn(Lesson::Missing { path: call(path), found: None });
        } else if let Some(telling) = refusal(output) {
            self.learn(Lesson::Refused { asked: call(&format!("reading {path}")), telling });
        }
    }

    /// Records that a file exists. Very common names are not matched with missing files: many folders have one.
    pub fn there(&mut self, path: &str, place: Place) {
        const COMMON: [&str; 10] =
            ["readme", "index", "main", "mod", "lib", "__init__", "package", "config", "types", "utils"];
        let name = file_name(path);
        let stem = name.split('.').next().unwrap_or(name).to_lowercase();
        let is_telling = !COMMON.contains(&stem.as_str());
        let is_it = |lesson: &Lesson| matches!(lesson, Lesson::Missing { path: missing, .. } | Lesson::Vanished { path: missing, .. } if missing.what == path);
        self.learned.retain(|lesson| !is_it(lesson));
        for lesson in &mut self.learned {
            if let Lesson::Missing { path: missing, found } = lesson
                && found.is_none()
                && is_telling
                && file_name(&missing.what) == name
            {
                *found = Some(Attempt { what: path.to_owned(), place });
            }
        }
    }

    /// Records that a command did not find a file that had been used at `seen`.
    pub fn vanished(&mut self, path: &str, place: Place, seen: Place) {
        self.learn(Lesson::Vanished { path: Attempt { what: path.to_owned(), place }, seen });
    }

    /// Records that the client put the shell back into another folder.
    pub fn put_back(&mut self, line: &str, place: Place) {
        self.learn(Lesson::PutBack { telling: one_line(line, MAX_LESSON_COMMAND), place });
    }

    /// Records a call of any other tool that worked: the tool does not refuse every call.
    pub fn tool_worked(&mut self, action: &str) {
        self.learned
            .retain(|lesson| !matches!(lesson, Lesson::Refused { asked, .. } if asked.what == action));
    }

    /// Records a failed call of any other tool.
    pub fn tool_failed(&mut self, action: &str, place: Place, output: &str) {
        if let Some(telling) = refusal(output) {
            self.learn(Lesson::Refused { asked: Attempt { what: action.to_owned(), place }, telling });
        }
    }

    fn learn(&mut self, lesson: Lesson) {
        // Learned again: keep the later row.
        self.learned.retain(|old| !is_same(old, &lesson));
        self.learned.push_back(lesson);
        if self.learned.len() > MAX_KEPT_LESSONS {
            self.learned.pop_front();
        }
    }
}

impl MadeCall {
    /// Whether the two calls share at least half of their words.
    fn is_about(&self, other: &MadeCall) -> bool {
        let shared = self.words.iter().filter(|word| other.words.contains(word)).count();
        shared * 2 >= self.words.len().max(other.words.len())
    }

    /// Whether the other call worked because it was made differently. If both end with the same command, only the
    /// folder can have been wrong; if the folder is the same, it was created in between.
    fn is_corrected_by(&self, other: &MadeCall) -> bool {
        let folder = |line: &[String]| line.iter().find(|core| core.starts_with("cd ")).cloned();
        let same_place = folder(&self.line) == folder(&other.line);
        let is_place =
            self.telling.to_lowercase().contains("no such file") || self.telling.contains("akefile");
        if is_place || self.line.last() == other.line.last() {
            return is_place && !same_place;
        }
        self.line != other.line
    }
}

/// Whether a passing line proves nothing: a pipe hides the exit code of a build or test, and an error line contradicts
/// anything else.
fn proves_nothing(command: &str, main: &str, output: &str) -> bool {
    let is_piped = command.contains('|');
    (is_piped && shell::is_check(main))
        || ((is_piped || command.contains(';')) && output.lines().any(shell::is_error_line))
}

fn is_same(a: &Lesson, b: &Lesson) -> bool {
    match (a, b) {
        (Lesson::Worked { telling: a, .. }, Lesson::Worked { telling: b, .. })
        | (Lesson::PutBack { telling: a, .. }, Lesson::PutBack { telling: b, .. }) => a == b,
        (Lesson::Missing { path: a, .. }, Lesson::Missing { path: b, .. })
        | (Lesson::Vanished { path: a, .. }, Lesson::Vanished { path: b, .. })
        | (Lesson::Refused { asked: a, .. }, Lesson::Refused { asked: b, .. }) => a.what == b.what,
        _ => false,
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The command that a line is about. `None` for reads and searches: finding nothing is a valid answer.
fn main_step(command: &str) -> Option<String> {
    const PREPARATION: [&str; 12] =
        ["cd", "export", "source", "echo", "sleep", "set", "mkdir", "rm", "cp", "mv", "touch", "pwd"];
    let is_preparation = |core: &str| {
        let word = core.split(' ').find(|word| !shell::is_setting(word)).unwrap_or_default();
        PREPARATION.contains(&word)
    };
    let steps = shell::steps(command);
    let main = steps.iter().map(|step| &step.core).find(|core| !is_preparation(core))?;
    // Over `ssh` it may be anything.
    (!shell::looks_around(main) && !main.starts_with("ssh ")).then(|| main.clone())
}

/// The line in which a tool refuses a request.
fn refusal(output: &str) -> Option<String> {
    const SIGNS: [&str; 8] = [
        "cannot read binary",
        "outside allowed",
        "access denied",
        "not allowed",
        "blocked by",
        "hook error",
        "has been denied",
        "can only be used",
    ];
    let line = output.lines().map(str::trim).find(|line| {
        let lower = line.to_lowercase();
        SIGNS.iter().any(|sign| lower.contains(sign))
    })?;
    Some(one_line(line, MAX_LESSON_COMMAND))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(runs: &[(&str, bool, &str)]) -> Vec<Lesson> {
        let mut lessons = Lessons::default();
        for (n, (command, ok, output)) in (1..).zip(runs) {
            lessons.ran(command, Place(n), n, Some(*ok), output);
        }
        lessons.iter().cloned().collect()
    }

    #[test]
    fn failed_call_and_its_correction_make_a_lesson() {
        let runs = [
            ("cd build && make -j8", false, "/bin/bash: line 1: cd: build: No such file or directory"),
            ("ls", true, "build"),
            ("make -j8", true, "done"),
        ];
        let call = |what: &str, line| Attempt { what: what.into(), place: Place(line) };
        let expected = Lesson::Worked {
            failed: call("cd build && make -j8", 1),
            telling: "/bin/bash: line 1: cd: build: No such file or directory".into(),
            worked: call("make -j8", 3),
        };
        assert_eq!(learned(&runs), [expected]);
    }

    #[test]
    fn compiler_errors_and_failed_reads_teach_nothing() {
        let runs: [(&str, bool, &str); 8] = [
            ("cargo test a", false, "error[E0308]: mismatched types"),
            ("cargo test b", true, "ok"),
            ("make", false, "src/a.c:3:10: fatal error: b.h: No such file or directory"),
            ("make all", true, ""),
            ("cat missing.txt", false, "cat: missing.txt: No such file or directory"),
            ("cat other.txt", true, "x"),
            ("cd build && strace ./run", false, "cd: build: No such file or directory"),
            ("strace -e x ./run | head", true, "strace: invalid system call 'x'"),
        ];
        assert_eq!(learned(&runs), []);
    }

    #[test]
    fn a_refusal_is_dropped_once_the_tool_works() {
        let mut lessons = Lessons::default();
        lessons.tool_failed("used upload", Place(1), "upload can only be used in a dialog");
        lessons.tool_failed("used other", Place(2), "access denied");
        lessons.tool_worked("used upload");
        assert_eq!(lessons.iter().count(), 1);
    }

    #[test]
    fn missing_file_is_dropped_once_created_and_linked_once_found_elsewhere() {
        let mut lessons = Lessons::default();
        lessons.not_read("src/a.rs", Place(1), "File does not exist.");
        lessons.not_read("src/b.rs", Place(2), "<tool_use_error>File does not exist.</tool_use_error>");
        lessons.not_read("paper.pdf", Place(3), "This tool cannot read binary files. The file is a .pdf.");
        lessons.there("src/a.rs", Place(4));
        lessons.there("lib/b.rs", Place(5));
        let learned: Vec<_> = lessons.iter().cloned().collect();
        assert_eq!(learned.len(), 2);
        let found = Some(Attempt { what: "lib/b.rs".into(), place: Place(5) });
        assert!(
            matches!(&learned[0], Lesson::Missing { path, found: at } if path.what == "src/b.rs" && *at == found)
        );
        assert!(matches!(&learned[1], Lesson::Refused { asked, .. } if asked.what == "reading paper.pdf"));
    }
}
