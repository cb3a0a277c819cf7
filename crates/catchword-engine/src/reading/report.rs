//! The lines of an output that tell something: what went wrong, which tests failed, that a call was wrong.

use super::command::{Joint, ShellLine};
use super::outcome::{Outcome, is_error_line, verdict};
use crate::lexicon::outcomes::{
    ASIDES, FAILED_TESTS, FailedTestLine, LineSign, MISSING, NAMING, NEVER_RAN, REFUSALS, RESULT_WORDS,
    SAME_FOR_EVERY_ERROR, WRONG_CALL_STARTS, WRONG_CALLS,
};
use crate::text::cut::one_line;
use crate::text::words::is_path;

/// Characters kept of a line that tells how a run went.
const MAX_TELLING: usize = 240;
/// Maximum number of failed tests named, and characters of a name.
const MAX_FAILED_TESTS: usize = 6;
const MAX_TEST_NAME: usize = 120;
/// Characters kept of the line that reports a wrong call or a refusal.
const MAX_SIGN_LINE: usize = 160;
/// One character in so many may be broken: then a line can still be read.
const BROKEN: usize = 20;
/// A wrong call is reported in the first lines.
const WRONG_CALL_WITHIN: usize = 4;

impl<'a> Outcome<'a> {
    /// The line that tells how a run went: the last one with counts; else, if it failed, the last one that names an error;
    /// else the last one that begins with a result; else the last one that is more than a hint, a progress bar or an item
    /// of a list of packages. (Of 20 briefs that strangers read, six quoted such a line instead of the result.)
    pub fn telling(&self, ok: Option<bool>) -> String {
        let lines = || self.saying_lines();
        let errors = || lines().rev().filter(|line| ok == Some(false) && is_error_line(line));
        // The path of a screenshot says nothing.
        let named = || errors().find(|line| line.contains(' ') && names_an_error(line));
        let line = self
            .count_line
            .or_else(named)
            // Of lines that every failure has the first: npm says what is wrong, then where its log is.
            .or_else(|| errors().next_back())
            .or_else(|| lines().rfind(|line| is_result(line)))
            .or_else(|| lines().rfind(|line| !is_aside(line)))
            .or_else(|| lines().next_back());
        line.map_or_else(String::new, |line| one_line(line, MAX_TELLING))
    }

    /// What a line that has a word for either end says itself: `curl -s x && echo up || echo down`. A server that it starts may
    /// print more below.
    pub fn said_by(&self, line: &ShellLine) -> Option<String> {
        let words = |joint: Joint| {
            let echoes =
                line.steps().iter().filter(move |step| step.joint == joint && step.program == "echo");
            echoes.map(|step| step.texts().collect::<Vec<_>>().join(" ").trim().to_owned())
        };
        let all: Vec<String> =
            words(Joint::And).chain(words(Joint::Or)).filter(|said| !said.is_empty()).collect();
        let is_verdict = words(Joint::And).next().is_some() && words(Joint::Or).next().is_some();
        let said =
            self.saying_lines().rev().find(|printed| all.iter().any(|said| printed.ends_with(said.as_str())));
        said.filter(|_| is_verdict).map(|said| one_line(said, MAX_TELLING))
    }

    /// The lines of the output that say something. What a task runner echoes before it runs it is no outcome.
    pub fn saying_lines(&self) -> impl DoubleEndedIterator<Item = &'a str> {
        let says = |line: &&str| says_something(line) && !line.starts_with("$ ") && !line.contains("] $ ");
        // A progress bar overwrites its line.
        self.output.split(['\n', '\r']).map(str::trim).filter(says)
    }

    /// The line that names the error, where that is another one than [`Outcome::telling`].
    pub fn error(&self) -> Option<String> {
        let names = |line: &&str| NAMING.iter().any(|one| line.contains(one.sign));
        self.output.lines().map(str::trim).find(names).map(|line| one_line(line, MAX_TELLING))
    }

    /// The tests that are listed as failed.
    pub fn failed_tests(&self) -> Vec<String> {
        let mut tests: Vec<String> = Vec::new();
        for name in self.output.lines().filter_map(failed_test) {
            if tests.len() < MAX_FAILED_TESTS && !tests.contains(&name) {
                tests.push(name);
            }
        }
        tests
    }

    /// The line in which a program says that it was called wrongly or cannot run here; `None` if it ran and found errors.
    pub fn wrong_call(&self) -> Option<String> {
        let is_sign = |line: &&str| {
            let lower = line.to_lowercase();
            let begins = || WRONG_CALL_STARTS.iter().any(|start| lower.starts_with(start));
            (has_sign(NEVER_RAN, &lower) || has_sign(WRONG_CALLS, &lower) || begins())
                && !lower.starts_with("warn")
        };
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        // A compiler that reports a missing header was called correctly.
        let is_finding =
            |line: &str| line.contains("error:") && line.split(':').nth(2).is_some_and(is_number);
        let head = || {
            let lines = self.output.lines().map(str::trim).filter(|line| !line.is_empty());
            lines.take(WRONG_CALL_WITHIN)
        };
        let line = head().find(is_sign).filter(|_| !head().any(is_finding))?;
        Some(one_line(line, MAX_SIGN_LINE))
    }
}

fn has_sign(signs: &[LineSign], lower: &str) -> bool {
    signs.iter().any(|one| lower.contains(one.sign))
}

/// Whether a line begins with how something went: "SUCCESS: 3 rows written".
fn is_result(line: &str) -> bool {
    let first = line.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty()).unwrap_or_default();
    let (head, rest) = first.split_at(first.chars().next().map_or(0, char::len_utf8));
    let is_cased =
        head == head.to_uppercase() && (rest == rest.to_lowercase() || rest == rest.to_uppercase());
    verdict(line).is_some() || (is_cased && RESULT_WORDS.contains(&first.to_uppercase().as_str()))
}

/// Whether a line stands below the result: a hint, a progress bar, an item of a list of packages, a line of the code that a
/// compiler shows.
fn is_aside(line: &str) -> bool {
    let lower = line.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '[').to_lowercase();
    // An item of a list, a line of a box or a tree.
    line.starts_with(['•', '│', '├', '└', '┌', '╭', '╰'])
        || ASIDES.iter().any(|one| lower.starts_with(one.sign))
        || is_progress(line)
        || is_package(line)
        || is_excerpt(line)
}

/// `91 | static int shrink(void) {`, `   |        ^~~~~~`.
pub fn is_excerpt(line: &str) -> bool {
    let behind = line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    behind.strip_prefix('|').is_some_and(|code| code.is_empty() || code.starts_with(' '))
        && !line.ends_with('|')
}

/// `45%|████▌     | 9/20`, `[=====>    ] 45%`: a share and a bar of one sign. `76% (23068/30352)`: a share of all.
fn is_progress(line: &str) -> bool {
    let signs: Vec<char> = line.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace()).collect();
    let has_bar = || signs.windows(3).any(|three| three[0] == three[1] && three[1] == three[2]);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let counts = |(_, rest): (&str, &str)| {
        let inside = rest.split(')').next().unwrap_or_default();
        inside.split_once('/').is_some_and(|(done, all)| is_number(done) && is_number(all))
    };
    line.contains('%') && (has_bar() || line.split_once("% (").is_some_and(counts))
}

/// `+ react 18.2.0`, ` + zstandard==0.2`, `- lodash@4.17.21`.
fn is_package(line: &str) -> bool {
    let Some(item) = line.strip_prefix(['+', '-', '~']) else { return false };
    let mut words =
        item.split(|c: char| c.is_whitespace() || matches!(c, '@' | '=')).filter(|word| !word.is_empty());
    let version = words
        .nth(1)
        .is_some_and(|word| word.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit()));
    version && words.next().is_none()
}

/// Rulers, braces and single signs say nothing, and what was read in the wrong encoding nobody can read.
pub fn says_something(line: &str) -> bool {
    let broken = line.matches(char::REPLACEMENT_CHARACTER).count();
    line.chars().filter(|c| c.is_alphanumeric()).nth(1).is_some() && broken * BROKEN <= line.chars().count()
}

/// Whether a line says that nothing was run.
pub fn never_ran(line: &str) -> bool {
    has_sign(NEVER_RAN, &line.to_lowercase())
}

/// Whether an answer says that what was looked for is not there.
pub fn names_missing(answer: &str) -> bool {
    has_sign(MISSING, &answer.to_lowercase())
}

/// The paths that an output reports as missing: `cat: src/a.rs: No such file or directory`.
pub fn missing_paths(output: &str) -> impl Iterator<Item = &str> {
    output.lines().take(400).filter_map(|line| {
        let lower = line.to_ascii_lowercase();
        let at = MISSING.iter().find_map(|one| lower.find(one.sign))?;
        let words = line[..at].split([' ', '\'', '"', '`', '‘', '’', ',']).rev();
        words.map(|word| word.trim_end_matches(':')).find(|word| is_path(word))
    })
}

/// Whether a line says what went wrong.
pub fn names_an_error(line: &str) -> bool {
    !line.is_empty() && !has_sign(SAME_FOR_EVERY_ERROR, &line.to_lowercase())
}

/// The line in which a tool refuses a request.
pub fn refusal(output: &str) -> Option<String> {
    let line = output.lines().map(str::trim).find(|line| has_sign(REFUSALS, &line.to_lowercase()))?;
    Some(one_line(line, MAX_SIGN_LINE))
}

fn failed_test(line: &str) -> Option<String> {
    let line = line.trim();
    let listed = |kind: &FailedTestLine| {
        let rest = line.strip_prefix(kind.start)?.strip_suffix(kind.end)?;
        let name = if kind.is_word { rest.split_whitespace().next()? } else { rest.trim() };
        (name.contains(kind.has) && !name.ends_with(':')).then_some(name)
    };
    let name = FAILED_TESTS.iter().find_map(listed).or_else(|| numbered_test(line))?;
    Some(one_line(name, MAX_TEST_NAME)).filter(|name| !name.is_empty())
}

/// `✘ 3 [chromium] › a.spec.ts:4:1 › Login › keeps the session (1.2s)`; skipped tests begin with `-`.
fn numbered_test(line: &str) -> Option<&str> {
    let (mark, rest) = line.split_once(" › ")?;
    let is_numbered = mark.split_once(") [").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    let timed = rest.trim_end_matches(['─', ' ']);
    let name =
        timed.rsplit_once(" (").filter(|(_, time)| time.ends_with("s)")).map_or(timed, |(name, _)| name);
    (mark.starts_with('✘') || is_numbered).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_files_are_parsed_from_error_messages() {
        let output = "cat: src/a.py: No such file or directory\nls: cannot access 'b/c.ts': No such file\n\
                      fatal: pathspec 'd.md' did not match any files\nok src/e.py";
        assert_eq!(missing_paths(output).collect::<Vec<_>>(), ["src/a.py", "b/c.ts", "d.md"]);
    }

    #[test]
    fn every_example_of_the_tables_holds() {
        let told = |output: &str| Outcome::read(false, None, output).wrong_call().is_some();
        for one in NEVER_RAN.iter().chain(WRONG_CALLS) {
            assert!(one.example.to_lowercase().contains(one.sign) && told(one.example), "{}", one.example);
        }
        assert!(NEVER_RAN.iter().all(|one| never_ran(one.example)));
        for one in ASIDES {
            assert!(is_aside(one.example) && !is_result(one.example), "{}", one.example);
        }
        assert!(
            REFUSALS
                .iter()
                .all(|one| refusal(one.example).is_some() && one.example.to_lowercase().contains(one.sign))
        );
        assert!(MISSING.iter().all(|one| one.example.to_lowercase().contains(one.sign)));
        assert!(SAME_FOR_EVERY_ERROR.iter().all(|one| !names_an_error(one.example)));
        for one in NAMING {
            let output = format!("it failed\n{}", one.example);
            assert_eq!(
                Outcome::read(false, None, &output).error().as_deref(),
                Some(one_line(one.example, 240).as_str())
            );
        }
        for one in FAILED_TESTS {
            assert_eq!(failed_test(one.example.0).as_deref(), Some(one.example.1), "{}", one.example.0);
        }
    }

    #[test]
    fn what_stands_below_the_result_does_not_hide_it() {
        for (output, expected) in [
            (
                "FAIL login keeps it\nFAIL login rejects it\nFAIL logout\nQuality is no accident.",
                "FAIL logout",
            ),
            (
                "Success: deployed to staging\n\nHint: use --watch to follow the logs",
                "Success: deployed to staging",
            ),
            ("Wrote 12 rows\n100%|██████████| 12/12 [00:03<00:00, 3.9it/s]", "Wrote 12 rows"),
            ("Wrote 12 rows\n[====>     ] 40%\r[==========] 100%", "Wrote 12 rows"),
            (
                "Installed 21 packages in 12ms\n + attrs==23.1.0\n + zstandard==0.22.0",
                "Installed 21 packages in 12ms",
            ),
            (
                "Need to get 3 archives.\nUnpacking x (1.2) ...\nSetting up x (1.2) ...",
                "Need to get 3 archives.",
            ),
            (
                "Built target core\nshrink.c:91:7: warning: unused 'shrink' [-Wunused-function]\n   91 | static int \
                 shrink(void) {\n      |            ^~~~~~",
                "shrink.c:91:7: warning: unused 'shrink' [-Wunused-function]",
            ),
            ("Everything is in place\nall of it", "all of it"),
            ("+ react 18.2.0", "+ react 18.2.0"),
            (
                "add   ❌ FAIL\nscale 2.87x\nSummary: 2.1x on average\n\nADVANTAGES:\n  • Speed: up to 2.1x faster",
                "Summary: 2.1x on average",
            ),
            (
                "app:  DONE  Packaged: a.vsix\n\n Tasks:    5 successful, 5 total\nCached:    3 cached, 5 total\n  Time:    7.754s",
                "Tasks: 5 successful, 5 total",
            ),
            (
                "added 268 packages in 9s\n\nTo address all issues, run:\n  npm audit fix",
                "added 268 packages in 9s",
            ),
            (
                "✔ Generated Client in 70ms\n│  npm i client@latest  │\n└────────┘",
                "✔ Generated Client in 70ms",
            ),
            (
                "Receiving objects\nUpdating files:  75% (9/12)\rUpdating files:  76% (10/12)",
                "Receiving objects",
            ),
        ] {
            assert_eq!(Outcome::read(true, Some(0), output).telling(Some(true)), expected, "{output}");
        }
    }

    #[test]
    fn of_a_failed_run_the_line_that_says_why_is_told() {
        for (output, expected) in [
            (
                "npm error Missing script: \"build\"\nnpm error\nnpm error To see a list of scripts, run:\n\
                 npm error   npm run\nnpm error A complete log of this run can be found in: /home/user/.npm/_logs/x.log",
                "npm error Missing script: \"build\"",
            ),
            (
                "src/a.ts(3,1): error TS2304: Cannot find name 'x'.\nnpm error code 2",
                "src/a.ts(3,1): error TS2304: Cannot find name 'x'.",
            ),
        ] {
            assert_eq!(Outcome::read(false, Some(1), output).telling(Some(false)), expected, "{output}");
        }
        let shown = "x.ValidationError: 1 validation error\n  Input should be a valid URL [type=url_parsing]\n    \
                     For further information visit https://errors.example/url_parsing";
        let told = Outcome::read(true, None, shown).telling(None);
        assert_eq!(told, "Input should be a valid URL [type=url_parsing]");
    }

    #[test]
    fn of_several_reports_the_total_is_told() {
        let each: Vec<String> = (1..=21).map(|n| format!("part {n}: 10 passed, 0 failed")).collect();
        let with_total = format!("{}\nTotal: 210 passed, 0 failed", each.join("\n"));
        let outcome = Outcome::read(true, Some(0), &with_total);
        assert_eq!(
            (outcome.telling(Some(true)).as_str(), outcome.reports),
            ("Total: 210 passed, 0 failed", 1)
        );
        assert_eq!(outcome.counts.map(|counts| counts.passed), Some(210));
        let without = each.join("\n");
        let outcome = Outcome::read(true, Some(0), &without);
        assert_eq!(
            (outcome.telling(Some(true)).as_str(), outcome.reports),
            ("part 21: 10 passed, 0 failed", 21)
        );
    }

    #[test]
    fn failed_tests_are_named_in_the_form_of_their_runner() {
        for (line, expected) in [
            ("  ✘ 3 [chromium] › a.spec.ts:4:1 › keeps it (1.2s)", Some("a.spec.ts:4:1 › keeps it")),
            ("  1) [chromium] › a.spec.ts:4:1 › keeps it ────", Some("a.spec.ts:4:1 › keeps it")),
            ("  - 3 [chromium] › a.spec.ts:4:1 › skipped", None),
            ("FAILED to connect", None),
            ("● Console:", None),
            ("✕ x", None),
        ] {
            assert_eq!(failed_test(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn a_compiler_that_reports_a_missing_file_was_called_correctly() {
        let told = |output: &str| Outcome::read(false, None, output).wrong_call();
        assert_eq!(told("src/a.c:3:10: fatal error: b.h: No such file or directory"), None);
        assert_eq!(told("error[E0308]: mismatched types"), None);
        assert_eq!(told("warning: x is not supported"), None);
        assert!(told("accepts at most 1 arg(s), received 2").is_some());
    }
}
