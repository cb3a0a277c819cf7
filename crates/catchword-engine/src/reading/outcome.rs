//! How a command line ended, read once from its exit code and its output.
//!
//! A shell reports the exit code of the last program only: `cargo test | tail` passes with failing tests. Then the
//! runner's own counts and verdicts decide, and where there are none nothing is known.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::command::{Joint, ShellLine, Step};
use crate::lexicon::outcomes::{
    COUNT_WORDS, CountRole, DOWN, ERROR_WORDS, NOT_TESTS, NOTHING_TO_DO, RUNNING_TOTALS, VERDICTS,
};
use crate::lexicon::programs::Purpose;
use crate::model::entry::Extra;
use crate::text::escape;
use crate::text::trigrams::Trigrams;

/// How a step or a line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    Passed,
    Failed,
    /// Neither exit code nor output say.
    Unknown,
}

impl RunEnd {
    /// Whether it passed, if that is known.
    pub fn passed(self) -> Option<bool> {
        match self {
            RunEnd::Passed => Some(true),
            RunEnd::Failed => Some(false),
            RunEnd::Unknown => None,
        }
    }
}

/// What a test runner counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub passed: u32,
    /// Includes errors.
    pub failed: u32,
    pub skipped: u32,
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.passed, self.failed) {
            (passed, 0) => write!(f, "{passed} passed"),
            // Filters often keep only the failures.
            (0, failed) => write!(f, "{failed} failed"),
            (passed, failed) => write!(f, "{passed} passed, {failed} failed"),
        }
    }
}

/// What the output and the exit code of a line say.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a remark of its own")]
pub struct Outcome<'a> {
    /// Neither the client nor the exit code reports a failure.
    pub ok: bool,
    pub output: &'a str,
    exit_code: Option<i32>,
    /// Only the output is known.
    is_untold: bool,
    /// A part of the output was left out.
    pub is_cut: bool,
    pub counts: Option<Counts>,
    /// The last line with counts, as printed: of lines that add up, one that failed.
    pub count_line: Option<&'a str>,
    /// How many lines the counts are the sum of.
    pub reports: u16,
    /// A line of the tables says that something passed, or failed.
    says_passed: bool,
    says_failed: bool,
    /// A line names an error.
    pub names_error: bool,
    had_nothing_to_do: bool,
    is_empty: bool,
}

impl<'a> Outcome<'a> {
    /// Of a call's answer.
    pub fn of(ok: bool, text: &'a str, extra: &Extra) -> Self {
        let read = Outcome::read(ok, extra.exit_code, extra.output(text));
        Outcome { is_untold: extra.is_untold, is_cut: extra.is_cut, ..read }
    }

    pub fn read(ok: bool, exit_code: Option<i32>, output: &'a str) -> Self {
        let mut outcome = Outcome {
            ok: ok && exit_code.is_none_or(|code| code == 0),
            output,
            exit_code,
            is_untold: false,
            is_cut: false,
            counts: None,
            count_line: None,
            reports: 0,
            says_passed: false,
            says_failed: false,
            names_error: output.lines().any(is_error_line),
            had_nothing_to_do: output
                .lines()
                .any(|line| NOTHING_TO_DO.iter().any(|said| line.starts_with(said))),
            // Older clients write "Error" if there is no output.
            is_empty: matches!(output.trim(), "" | "Error"),
        };
        for line in output.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()) {
            if let Some(verdict) = verdict(line) {
                outcome.says_passed |= verdict;
                outcome.says_failed |= !verdict;
            }
            outcome.count(line);
        }
        outcome
    }

    fn count(&mut self, line: &'a str) {
        let Some(counts) = counts_in(line) else { return };
        // A total of the lines above it, or of all so far.
        let sums_up = self.reports > 1
            && self.counts.is_some_and(|sum| (sum.passed, sum.failed) == (counts.passed, counts.failed));
        let replaces = sums_up || RUNNING_TOTALS.iter().any(|start| line.starts_with(start));
        let before = self.counts.filter(|_| !replaces).unwrap_or_default();
        // A suite without tests says nothing beside one with tests, and one that passed nothing beside one that failed.
        let shown = self.count_line.filter(|_| !replaces).and_then(counts_in).unwrap_or_default();
        if counts.failed > 0 || (shown.failed == 0 && (counts.passed > 0 || shown.passed == 0)) {
            self.count_line = Some(line);
        }
        self.reports =
            if replaces { 1 } else { self.reports.saturating_add(u16::from(counts != Counts::default())) };
        self.counts = Some(Counts {
            passed: before.passed.saturating_add(counts.passed),
            failed: before.failed.saturating_add(counts.failed),
            skipped: before.skipped.saturating_add(counts.skipped),
        });
    }

    /// The exit code says nothing about the work. It is 1 and of a program that answers with it: nothing matches, files
    /// differ; what was printed may be of the steps before it, unless a line names an error. Or it is of a step that only
    /// shows what the work printed, and that shows no failure.
    fn is_answer(&self, line: &ShellLine) -> bool {
        let shows_failure = self.says_failed || self.counts.is_some_and(|counts| counts.failed > 0);
        if line.last().is_some_and(Step::shows_its_input) && !shows_failure {
            return true;
        }
        let is_one = self.exit_code.is_none_or(|code| code == 1);
        line.last().is_some_and(|last| {
            let may_print = matches!(last.program.as_str(), "diff" | "cmp");
            let printed_before = line.steps().len() > 1 && !self.names_error;
            let is_idle = last.purpose == Purpose::VersionControl && self.had_nothing_to_do;
            let is_yes_or_no =
                last.answers_with_exit_code() && (self.is_empty || may_print || printed_before);
            is_one && (is_idle || is_yes_or_no)
        })
    }

    /// How the line as a whole ended.
    pub fn of_line(&self, line: &ShellLine) -> RunEnd {
        if !self.ok {
            return if self.is_answer(line) { RunEnd::Unknown } else { RunEnd::Failed };
        }
        let failed = self.counts.is_some_and(|counts| counts.failed > 0);
        if self.is_untold {
            // Failed tests are failed tests, even if the output is not all of it.
            return if failed && line.runs_tests() { RunEnd::Failed } else { RunEnd::Unknown };
        }
        let is_hidden = |step: &Step| line.hides(step) && reports(step);
        if (failed || self.says_failed) && line.steps().iter().any(is_hidden) {
            RunEnd::Failed
        } else {
            RunEnd::Passed
        }
    }

    /// Nothing says that the line stopped before its end.
    pub fn is_done(&self, line: &ShellLine) -> bool {
        self.ok && !(self.is_untold && self.of_line(line) == RunEnd::Failed)
    }

    /// How the tests of the line ended. The runner's counts decide; if the exit code is hidden, the output must show that
    /// they passed.
    pub fn of_tests(&self, line: &ShellLine) -> RunEnd {
        if self.counts.is_some_and(|counts| counts.failed > 0) {
            return RunEnd::Failed;
        }
        let mut tests = line.steps().iter().filter(|step| step.purpose == Purpose::Test);
        match self.of_line(line) {
            RunEnd::Passed if !tests.all(|step| self.of_step(line, step) == RunEnd::Passed) => {
                RunEnd::Unknown
            }
            end => end,
        }
    }

    /// The line certainly passed: each of its programs did, and nothing reports that a service is down.
    pub fn surely_passed(&self, line: &ShellLine) -> bool {
        self.of_line(line) == RunEnd::Passed
            && !self.says_failed
            && line.work().all(|step| self.of_step(line, step) == RunEnd::Passed)
            && !self.output.lines().any(|line| DOWN.iter().any(|sign| line.contains(sign)))
    }

    /// The steps that have passed if the line passed, by number: those that the last one needed, and what fed a pipe. A
    /// test run needs a sign of it.
    pub fn passed_steps(&self, line: &ShellLine) -> Vec<u16> {
        let mut steps = line.steps();
        // `make; echo $?` always succeeds; the printed code is the result.
        if let Some((_, before)) = steps.split_last().filter(|(last, _)| last.prints_exit_code()) {
            steps = if self.printed_code() == Some(0) { before } else { &[] };
        }
        let is_chained = |step: &Step| matches!(step.joint, Joint::And | Joint::Pipe);
        let chain = steps.iter().rev().take_while(|step| is_chained(step)).count() + 1;
        let first = steps.len().saturating_sub(chain);
        let chain = &steps[first..];
        let feeds_pipe = |at: usize| chain.get(at + 1).is_some_and(|next| next.joint == Joint::Pipe);
        let is_shown = |at: usize, step: &Step| {
            step.purpose != Purpose::Test || !feeds_pipe(at) || self.of_step(line, step) == RunEnd::Passed
        };
        let passed = chain.iter().enumerate().filter(|(at, step)| !step.is_filter() && is_shown(*at, step));
        passed.map(|(at, _)| (first + at) as u16).collect()
    }

    /// The exit code that the last line prints: `exit: 0`, `EXIT_CODE=1`.
    fn printed_code(&self) -> Option<u32> {
        let last = self.output.trim_end().lines().next_back()?;
        let digits = last.len() - last.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        last[last.len() - digits..].parse().ok()
    }

    /// The commands that a task runner prints before running them: `[test] $ go test ./...`, `> tsc --noEmit`.
    pub fn echoed(&self) -> impl Iterator<Item = ShellLine> {
        self.output.lines().filter_map(|line| {
            let line = line.trim();
            let behind =
                line.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map_or(line, |(_, rest)| rest);
            let command = behind.strip_prefix("$ ").or_else(|| behind.strip_prefix("> "))?;
            // `> package@1.0.0 test` names the package.
            let is_package = command.split(' ').next().is_some_and(|first| first.contains('@'));
            (!is_package).then(|| ShellLine::parse(command))
        })
    }

    /// How one step of the line ended.
    pub fn of_step(&self, line: &ShellLine, step: &Step) -> RunEnd {
        let alone = line.checks().count() <= 1;
        let tests = line.checks().filter(|check| check.purpose == Purpose::Test).count();
        // The counts are those of the only test run.
        if step.is_check() && (alone || (tests == 1 && step.purpose == Purpose::Test)) {
            match self.counts {
                Some(counts) if counts.failed > 0 => return RunEnd::Failed,
                Some(counts) if counts.passed > 0 && self.ok => return RunEnd::Passed,
                _ => {}
            }
        }
        if self.ok {
            let shown = step.is_check() && alone && self.says_passed && !self.says_failed;
            return match (line.hides(step) || step.is_conditional, shown) {
                (false, _) | (true, true) => RunEnd::Passed,
                (true, false) if self.says_failed && reports(step) && alone => RunEnd::Failed,
                (true, false) => RunEnd::Unknown,
            };
        }
        let mut work = line.work();
        let is_only = work.next().is_some_and(|first| std::ptr::eq(first, step)) && work.next().is_none();
        let is_piped = line.steps().iter().any(|other| other.joint == Joint::Pipe);
        if is_only && !self.is_answer(line) && (!is_piped || self.says_failed) {
            RunEnd::Failed
        } else {
            RunEnd::Unknown
        }
    }
}

/// Whether a line names an error.
pub fn is_error_line(line: &str) -> bool {
    static BEGINNINGS: LazyLock<Trigrams> = LazyLock::new(|| {
        let three = ERROR_WORDS.iter().filter_map(|word| word.get(..3));
        Trigrams::of(&three.collect::<Vec<_>>().join("\n\n"))
    });
    // `my_error_t` is an identifier.
    let is_word = |at: usize, mark: &str| {
        line[at..].starts_with(mark)
            && !line[..at].ends_with('_')
            && !line[at + mark.len()..].starts_with('_')
    };
    BEGINNINGS.starts_in(line).any(|at| ERROR_WORDS.iter().any(|mark| is_word(at, mark)))
}

/// A program whose output can report on the work: not one that shows or moves other texts.
fn reports(step: &Step) -> bool {
    !matches!(step.purpose, Purpose::Look | Purpose::Prepare | Purpose::Change | Purpose::VersionControl)
        && !step.is_filter()
}

/// Whether a line of the tables says that something passed or failed.
pub fn verdict(line: &str) -> Option<bool> {
    let plain = escape::without(line);
    let line = plain.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '✗' | '×' | '=' | '❌' | '✔' | '✅' | '>')
    });
    // `a.ts(3,1): error TS2304: …`
    let compiler = || line.split_once(": error TS").map(|_| false);
    VERDICTS
        .iter()
        .find(|verdict| line.starts_with(verdict.start))
        .map(|verdict| verdict.passed)
        .or_else(compiler)
}

/// "3 passed, 1 failed", "# pass 3", "Tests run: 4, Failures: 1", "[ FAIL 7 | WARN 0 | SKIP 1 | PASS 21 ]".
pub fn counts_in(line: &str) -> Option<Counts> {
    // Every line of an output is asked, and most have no number.
    if !line.bytes().any(|b| b.is_ascii_digit()) || NOT_TESTS.iter().any(|start| line.starts_with(start)) {
        return None;
    }
    let line = &*escape::without(line);
    // `9 passed | 1 skipped (10)`: a number in brackets is the total.
    let in_brackets = |word: &str| word.strip_prefix('(').and_then(|word| number(word.strip_suffix(')')?));
    let marks = |c: char| matches!(c, ',' | ';' | '(' | ')' | '|' | '=' | '[' | ']' | ':' | '#' | 'ℹ');
    let words: Vec<&str> = line
        .split_whitespace()
        .filter(|word| in_brackets(word).is_none())
        .flat_map(|word| word.split(marks))
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| !word.is_empty())
        .collect();
    let roles: Vec<Option<CountRole>> = words.iter().map(|word| role_of(word)).collect();
    if !roles.iter().any(|role| role.is_some_and(|role| role != CountRole::Total)) {
        return None;
    }
    let numbers: Vec<Option<u32>> = words.iter().map(|word| number(word)).collect();
    // `Task 2 failed: 101`: of one word between two numbers nobody knows which it counts.
    let mut named = (0..words.len()).filter(|at| roles[*at].is_some());
    if let (Some(at), None) = (named.next(), named.next())
        && at > 0
        && numbers[at - 1].is_some()
        && numbers.get(at + 1).is_some_and(Option::is_some)
    {
        return None;
    }
    let (mut counts, mut total, mut found) = (Counts::default(), None, 0);
    let mut take = |role: CountRole, n: u32| {
        found += usize::from(role != CountRole::Total);
        match role {
            CountRole::Passed => counts.passed = counts.passed.saturating_add(n),
            CountRole::Failed => counts.failed = counts.failed.saturating_add(n),
            CountRole::Skipped => counts.skipped = counts.skipped.saturating_add(n),
            CountRole::Total => total = Some(n),
        }
    };
    // `3 passed, 1 failed`, or, where more names stand before a number than behind one, `FAIL 2 | PASS 3`.
    let pairs = |first: bool| {
        let (named, counted) = if first { (0, 1) } else { (1, 0) };
        let all = roles[named..].iter().zip(&numbers[counted..]);
        all.filter_map(|(role, number)| Some(((*role)?, (*number)?)))
    };
    let first = pairs(true).count() > pairs(false).count();
    for (role, n) in pairs(first) {
        take(role, n);
    }
    if let (true, Some(total)) = (first && counts.passed == 0 && line.contains("ests run"), total) {
        counts.passed = total.saturating_sub(counts.failed).saturating_sub(counts.skipped);
    }
    // A sentence that mentions a number of tests is no report.
    let is_report = found > 0 && (words.len() <= 4 + 3 * numbers.iter().flatten().count());
    // A line that only says what was skipped lists it; the report counts it.
    let counts_runs = counts.passed > 0 || counts.failed > 0 || found > 1;
    (is_report && counts_runs).then_some(counts)
}

/// What a number beside this word counts.
fn role_of(word: &str) -> Option<CountRole> {
    static ROLES: LazyLock<Vec<(&str, CountRole)>> = LazyLock::new(|| {
        COUNT_WORDS.iter().flat_map(|count| count.words.split(' ').map(|word| (word, count.counts))).collect()
    });
    ROLES.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, role)| *role)
}

fn number(word: &str) -> Option<u32> {
    word.trim_start_matches('+').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_line(line: &str, code: i32, output: &str) -> RunEnd {
        Outcome::read(code == 0, Some(code), output).of_line(&ShellLine::parse(line))
    }

    #[test]
    fn exit_codes_of_make_count_nothing() {
        assert_eq!(counts_in("make[1]: *** [CMakeFiles/Makefile2:125: all] Error 2"), None);
        assert_eq!(counts_in("make: *** [Makefile:101: all] Error 2"), None);
        assert_eq!(counts_in("3 passed, 1 failed").map(|counts| counts.failed), Some(1));
    }

    #[test]
    fn a_total_in_brackets_is_no_count() {
        let counts = counts_in("Tests  9 passed | 1 skipped (10)");
        assert_eq!(counts, Some(Counts { passed: 9, failed: 0, skipped: 1 }));
    }

    #[test]
    fn every_example_of_the_tables_holds() {
        for verdict_of in VERDICTS {
            assert_eq!(verdict(verdict_of.example.trim()), Some(verdict_of.passed), "{}", verdict_of.example);
        }
        for word in COUNT_WORDS.iter().filter(|word| word.counts != CountRole::Total) {
            assert!(counts_in(&format!("{}, 3 passed", word.example)).is_some(), "{}", word.example);
        }
    }

    #[test]
    fn counts_are_those_of_the_end_of_the_run() {
        let cases = [
            (
                "test result: ok. 4 passed; 0 failed; 0 ignored\n\ntest result: FAILED. 3 passed; 1 failed;",
                Some((7, 1, 0)),
            ),
            ("Test Suites: 1 failed, 1 total\nTests:       2 failed, 5 passed, 7 total", Some((5, 2, 0))),
            (" Test Files  2 passed (2)\n      Tests  11 passed (11)", Some((11, 0, 0))),
            ("===== 3 passed, 1 error in 0.10s =====", Some((3, 1, 0))),
            ("  12 passing (3s)\n  1 failing", Some((12, 1, 0))),
            ("# pass 3\n# fail 2", Some((3, 2, 0))),
            (" 426 pass\n 0 fail\nRan 426 tests", Some((426, 0, 0))),
            (" 3 pass\n 1 fail\nRan 4 tests", Some((3, 1, 0))),
            ("[14:28:50.643] [Limiter] Task 2 failed: 101 | });\n 1274 pass\n 0 fail", Some((1274, 0, 0))),
            ("\u{1b}[30;42mOK (23 tests, 27 assertions)\u{1b}[0m\n\n=== Done ===", Some((23, 0, 0))),
            ("[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 0", Some((2, 2, 0))),
            (
                "[ FAIL 0 | WARN 0 | SKIP 0 | PASS 0 ]\r[ FAIL 4 | WARN 0 | SKIP 1 | PASS 21 ]",
                Some((21, 4, 1)),
            ),
            ("SKIPPED [1] a.py:3: slow\n2320 passed, 1 skipped, 1 warning in 12.3s", Some((2320, 0, 1))),
            ("0 errors, 1 warning, 0 informations", None),
            ("Passed!  - ok", None),
            ("ok  \tgithub.com/x/y\t0.3s", None),
            ("compiled 3 files", None),
            ("They WILL FAIL in v10.0.0 and 3 failed attempts before that were noted in the log file", None),
        ];
        for (output, expected) in cases {
            let expected = expected.map(|(passed, failed, skipped)| Counts { passed, failed, skipped });
            assert_eq!(Outcome::read(true, None, output).counts, expected, "{output}");
        }
    }

    #[test]
    fn a_failure_behind_a_pipe_is_seen_only_in_a_report() {
        use RunEnd::{Failed, Passed, Unknown};
        for (line, code, output, expected) in [
            ("cargo test 2>&1 | tail -5", 0, "test result: FAILED. 3 passed; 1 failed", Failed),
            ("cargo test 2>&1 | tail -5", 0, "test result: ok. 4 passed; 0 failed", Passed),
            ("npx jest | tail", 0, "Tests:       2 failed, 5 passed, 7 total", Failed),
            ("make || true", 0, "make: *** [all] Error 2", Failed),
            ("git commit -m x 2>&1 | tail -3", 0, "They WILL FAIL in v10.0.0", Passed),
            ("git log | head -3", 0, "FAILED tests/a.py::b", Passed),
            ("cargo clippy 2>&1 | grep -E '^error'", 1, "", Unknown),
            ("cargo test", 0, "3 failed", Passed),
            ("cargo test", 101, "", Failed),
            ("rg 'a | b'", 0, "error: in a file that was found", Passed),
            ("git check-ignore -v build/", 1, "", Unknown),
            ("diff a.txt b.txt", 1, "1c1\n< a", Unknown),
            ("diff a.txt c.txt", 2, "", Failed),
            ("cd x && [ -f a.txt ]", 1, "", Unknown),
            ("git show HEAD | /usr/bin/grep x", 1, "", Unknown),
            ("grep x missing.txt", 2, "", Failed),
            ("git commit -m x", 1, "On branch main\nnothing to commit, working tree clean", Unknown),
            ("git commit -m x", 1, "error: gpg failed to sign the data", Failed),
        ] {
            assert_eq!(of_line(line, code, output), expected, "{line}: {output}");
        }
    }

    #[test]
    fn a_step_has_passed_or_failed_only_where_something_shows_it() {
        let of_step = |line: &str, at: usize, code: i32, output: &str| {
            let parsed = ShellLine::parse(line);
            Outcome::read(code == 0, Some(code), output).of_step(&parsed, &parsed.steps()[at])
        };
        assert_eq!(of_step("cargo test | tail -1", 0, 0, "a trace without a word on it"), RunEnd::Unknown);
        assert_eq!(
            of_step("cargo test | tail -1", 0, 0, "test result: ok. 4 passed; 0 failed"),
            RunEnd::Passed
        );
        assert_eq!(of_step("make lint; make test", 0, 0, ""), RunEnd::Unknown);
        assert_eq!(of_step("make lint && make test", 0, 0, ""), RunEnd::Passed);
        assert_eq!(of_step("make lint && make test", 0, 2, "make: *** [x] Error 1"), RunEnd::Unknown);
        assert_eq!(of_step("cd x && make test", 1, 2, ""), RunEnd::Failed);
        assert_eq!(of_step("go test ./... | tail -3", 0, 0, "ok  \tx/y\t0.3s"), RunEnd::Passed);
        assert_eq!(of_step("pytest | grep -c x", 0, 0, "1 failed, 3 passed"), RunEnd::Failed);
    }

    #[test]
    fn output_shows_failures_that_a_pipe_hides() {
        let cases = [
            ("cargo test 2>&1 | tail -5", true, "test result: FAILED. 3 passed; 1 failed", Some(false)),
            ("cargo test 2>&1 | tail -5", true, "test result: ok. 4 passed; 0 failed", Some(true)),
            ("npx jest | tail", true, "Tests:       2 failed, 5 passed, 7 total", Some(false)),
            ("pytest -q | tail -1", true, "3 passed, 1 error in 0.1s", Some(false)),
            ("make || true", true, "make: *** [all] Error 2", Some(false)),
            ("cargo clippy 2>&1 | grep -E '^error'", false, "exit 1", None),
            ("cargo clippy 2>&1 | grep -E '^error'", true, "error: unused variable", Some(false)),
            ("cargo test", true, "3 failed is what the fixture prints", Some(true)),
            ("cargo test", false, "exit 101", Some(false)),
            ("cargo test", true, "exit 101", Some(false)),
            ("rg 'a | b'", true, "error: in a file that was found", Some(true)),
            ("git check-ignore -v build/", false, "exit 1", None),
            ("diff a.txt b.txt", false, "1c1\n< a", None),
            ("diff a.txt c.txt", false, "exit 2", Some(false)),
            ("cd x && [ -f a.txt ]", false, "exit 1", None),
            ("git show HEAD | /usr/bin/grep x", false, "exit 1", None),
            ("grep x missing.txt", false, "exit 2", Some(false)),
            ("make && grep x log", false, "make: *** [all] Error 1", Some(false)),
        ];
        for (command, ok, output, expected) in cases {
            let code = output.strip_prefix("exit ").and_then(|code| code.parse().ok());
            let extra = Extra { exit_code: code, heading_lines: code.iter().len(), ..Extra::default() };
            let ended = Outcome::of(ok, output, &extra).of_line(&ShellLine::parse(command));
            assert_eq!(ended.passed(), expected, "{command}: {output}");
        }
    }

    #[test]
    fn command_surely_passed_only_if_nothing_contradicts_it() {
        let sure = |command: &str, output: &str| {
            Outcome::read(true, None, output).surely_passed(&ShellLine::parse(command))
        };
        assert!(sure("cargo build", "Finished") && sure("pytest | tail -1", "3 passed in 0.1s"));
        assert!(sure("cd x && cargo test 2>&1 | tail -3", "test result: ok. 4 passed; 0 failed"));
        assert!(!sure("make 2>&1 | head -100", "a long compiler log"));
        assert!(!sure("docker compose up -d && docker compose ps", "web  Restarting (1) 2 seconds ago"));
        assert!(!sure("make lint; make test | tail -1", "4 passed"));
        assert!(!sure("cargo build", "error: could not compile"));
    }

    #[test]
    fn passing_line_implies_the_steps_it_depended_on() {
        let cores = |command: &str, output: &str| {
            let line = ShellLine::parse(command);
            let passed = Outcome::read(true, None, output).passed_steps(&line);
            passed.iter().map(|at| line.steps()[usize::from(*at)].text.clone()).collect::<Vec<_>>()
        };
        assert_eq!(cores("make lint && make test", ""), ["make lint", "make test"]);
        assert_eq!(cores("make lint; make test", ""), ["make test"]);
        assert_eq!(cores("make test; echo \"exit: $?\"", "ok\nexit: 0"), ["make test"]);
        assert_eq!(cores("make test; echo $?", "2"), [""; 0]);
    }

    #[test]
    fn piped_tests_pass_only_if_the_output_says_so() {
        let cases = [
            ("npx playwright test | tail -5", Some(true), "sh: playwright: command not found", None),
            ("pnpm test | tail", Some(true), "ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL\nExit status 1", Some(false)),
            ("pnpm test | tail", Some(true), "a trace without a word on it", None),
            ("go test ./... | tail -3", Some(true), "ok  \tx/y\t0.3s", Some(true)),
            ("pytest | tail -1", Some(true), "3 passed in 0.1s", Some(true)),
            ("pytest | grep -c x", Some(true), "1 failed, 3 passed", Some(false)),
            ("./run_tests.sh", Some(true), "", Some(true)),
            ("./run_tests.sh", Some(false), "", Some(false)),
            ("./run_tests.sh", None, "", None),
        ];
        for (command, ok, output, expected) in cases {
            let line = ShellLine::parse(command);
            let read = Outcome::read(ok != Some(false), None, output);
            let ended = Outcome { is_untold: ok.is_none(), ..read }.of_tests(&line);
            assert_eq!(ended.passed(), expected, "{command}: {output}");
        }
    }
}
