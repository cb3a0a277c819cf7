//! What was learned the hard way: a call that failed and the different one that then worked, a file that does not
//! exist, what a tool refuses. What the agent found out is in its words, see [`super::discoveries`].

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::failures::{never_ran, target};
use super::one_line;
use super::shell;
use crate::model::entry::Place;

/// Lessons that are remembered.
const MAX_KEPT_LESSONS: usize = 24;
/// Calls that failed and may yet turn out to be called otherwise.
const SLIPS_KEPT: usize = 8;
/// Tool calls within which another way is found.
const SOON: u32 = 12;
/// Longest command in a lesson: longer ones are scripts.
const MAX_LESSON_COMMAND: usize = 160;

/// Something learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Lesson {
    /// A call failed for the way it was made, and another one worked.
    Worked {
        /// What failed.
        failed: Attempt,
        /// What it said.
        telling: String,
        /// What worked.
        worked: Attempt,
    },
    /// A file that is not there.
    Missing {
        /// As it was asked for.
        path: Attempt,
        /// The same name, found elsewhere.
        found: Option<Attempt>,
    },
    /// A tool that does not do what it was asked.
    Refused {
        /// What it was asked.
        asked: Attempt,
        /// Its answer.
        telling: String,
    },
}

/// A command, path or call, and where it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// What was called.
    pub what: String,
    /// Where.
    pub place: Place,
}

/// What was learned so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lessons {
    slips: VecDeque<MadeCall>,
    learned: VecDeque<Lesson>,
}

/// A call, as far as it is compared with another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct MadeCall {
    call: Attempt,
    clock: u32,
    /// What it said, if it failed.
    telling: String,
    /// The program, or the host of an address.
    family: String,
    /// What it is about, besides.
    words: Vec<String>,
    /// The commands of its line.
    line: Vec<String>,
}

impl Lessons {
    /// All of them, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Lesson> {
        self.learned.iter()
    }

    /// A command line ended.
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
            // Behind a pipe a program may end well and complain all the same.
            Some(true) if output.trim_start().starts_with(&format!("{}:", made.family)) => {}
            Some(true) if hides_its_end(command, &main, output) => {}
            Some(true) => self.worked(made, is_short),
            Some(false) if is_short => {
                if let Some(telling) = wrong_call(output) {
                    self.slipped(MadeCall { telling, ..made });
                }
            }
            _ => {}
        }
    }

    /// A page was asked for.
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

    /// Another call of the same kind worked. One of a script says nothing, but the slip is over.
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

    /// A file could not be read, because there is none, or because the tool does not read such files.
    pub fn not_read(&mut self, path: &str, place: Place, output: &str) {
        let lower = output.to_lowercase();
        let call = |what: &str| Attempt { what: what.to_owned(), place };
        if lower.contains("does not exist") || lower.contains("no such file") {
            self.learn(Lesson::Missing { path: call(path), found: None });
        } else if let Some(telling) = refusal(output) {
            self.learn(Lesson::Refused { asked: call(&format!("reading {path}")), telling });
        }
    }

    /// A file is there: it was read or written. Many folders have a file of the commonest names.
    pub fn there(&mut self, path: &str, place: Place) {
        const COMMON: [&str; 10] =
            ["readme", "index", "main", "mod", "lib", "__init__", "package", "config", "types", "utils"];
        let name = file_name(path);
        let stem = name.split('.').next().unwrap_or(name).to_lowercase();
        let is_telling = !COMMON.contains(&stem.as_str());
        self.learned.retain(
            |lesson| !matches!(lesson, Lesson::Missing { path: missing, .. } if missing.what == path),
        );
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

    /// Any other tool failed.
    pub fn tool_failed(&mut self, action: &str, place: Place, output: &str) {
        if let Some(telling) = refusal(output) {
            self.learn(Lesson::Refused { asked: Attempt { what: action.to_owned(), place }, telling });
        }
    }

    fn learn(&mut self, lesson: Lesson) {
        // Learned again: the latest place is told.
        self.learned.retain(|old| !is_same(old, &lesson));
        self.learned.push_back(lesson);
        if self.learned.len() > MAX_KEPT_LESSONS {
            self.learned.pop_front();
        }
    }
}

impl MadeCall {
    /// One call names most of what the other does.
    fn is_about(&self, other: &MadeCall) -> bool {
        let shared = self.words.iter().filter(|word| other.words.contains(word)).count();
        shared * 2 >= self.words.len().max(other.words.len())
    }

    /// The other call is made in another way, and that is why it works. Where both run the same, only the place can
    /// have been wrong; and a folder that is there now was made since.
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

/// Behind a pipe nobody knows how a build or a test ended, and an error in the output speaks against anything else.
fn hides_its_end(command: &str, main: &str, output: &str) -> bool {
    let is_piped = command.contains('|');
    (is_piped && shell::is_check(main))
        || ((is_piped || command.contains(';')) && output.lines().any(shell::is_error_line))
}

fn is_same(a: &Lesson, b: &Lesson) -> bool {
    match (a, b) {
        (Lesson::Worked { telling: a, .. }, Lesson::Worked { telling: b, .. }) => a == b,
        (Lesson::Missing { path: a, .. }, Lesson::Missing { path: b, .. })
        | (Lesson::Refused { asked: a, .. }, Lesson::Refused { asked: b, .. }) => a.what == b.what,
        _ => false,
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The command of a line that it is there for. One that only looks for something is none: that it is not there is an
/// answer.
fn main_step(command: &str) -> Option<String> {
    const AROUND: [&str; 12] =
        ["cd", "export", "source", "echo", "sleep", "set", "mkdir", "rm", "cp", "mv", "touch", "pwd"];
    let first = |core: &str| {
        let word = core.split(' ').find(|word| !shell::is_setting(word)).unwrap_or_default();
        AROUND.contains(&word)
    };
    let steps = shell::steps(command);
    let main = steps.iter().map(|step| &step.core).find(|core| !first(core))?;
    // On another machine anything may be run.
    (!shell::looks_around(main) && !main.starts_with("ssh ")).then(|| main.clone())
}

/// The line by which a program says that it was called wrongly or cannot do this here; `None` for one that did its work
/// and found errors.
pub fn wrong_call(output: &str) -> Option<String> {
    const SIGNS: [&str; 30] = [
        "unknown option",
        "unknown flag",
        "unknown shorthand",
        "unknown argument",
        "unknown subcommand",
        "unrecognized",
        "unrecognised",
        "invalid option",
        "invalid argument",
        "illegal option",
        "unexpected argument",
        "accepts at most",
        "requires at least",
        "not in this context",
        "no module named",
        "cannot find module",
        "not a git repository",
        "permission denied",
        "is not recognized",
        "did not match any",
        "does not exist",
        "not supported",
        "unsupported",
        "already used by",
        "externally-managed",
        "no such option",
        "not installed",
        "access denied",
        "operation not permitted",
        "gitignore",
    ];
    let is_sign = |line: &&str| {
        let lower = line.to_lowercase();
        let is_sign =
            never_ran(&lower) || lower.starts_with("fatal:") || SIGNS.iter().any(|sign| lower.contains(sign));
        is_sign && !lower.starts_with("warn")
    };
    // A compiler that misses a header was called well.
    let is_finding = |line: &&str| line.contains("error:") && line.split(':').nth(2).is_some_and(is_number);
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let head = || lines().take(4);
    let line = head().find(is_sign).filter(|_| !head().any(|line| is_finding(&line)))?;
    Some(one_line(line, MAX_LESSON_COMMAND))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The sentence by which a tool says that it does not do such a thing.
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
    let plain = output.replace("<tool_use_error>", "").replace("</tool_use_error>", "");
    let line = plain.lines().map(str::trim).find(|line| {
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
    fn a_call_that_failed_and_the_one_that_worked_are_one_lesson() {
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
    fn errors_that_were_found_and_looks_in_vain_teach_nothing() {
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
    fn a_missing_file_is_forgotten_when_it_comes_and_known_by_where_it_is() {
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
