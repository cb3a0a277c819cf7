//! Parses shell command lines and their output: steps, exit codes, test counts, commits.

use serde::{Deserialize, Serialize};

use crate::model::entry::Extra;
use crate::text::cut::{first_chars, squashed};
use crate::text::shell_words::{Quoting, characters, ends_open, first_word};
use crate::text::words::{IDENTIFIERS, words};

/// The part of a command that is the same in every run: without a leading `cd` and without trailing pipes that only
/// shorten the output.
pub fn core(command: &str) -> String {
    let squashed = squashed(without_comment(command));
    let mut rest = squashed.as_str();
    while let Some(after) = after_cd(rest) {
        rest = after;
    }
    without_trimming(rest).to_owned()
}

/// A command on one line, without pipes that only shorten the output.
pub fn plain_line(command: &str) -> String {
    without_trimming(&squashed(without_comment(command))).to_owned()
}

/// A command without leading comment lines.
pub fn without_comment(command: &str) -> &str {
    let mut rest = command.trim();
    while let Some((_, after)) = rest.split_once('\n').filter(|(line, _)| line.starts_with('#')) {
        rest = after.trim_start();
    }
    rest
}

/// The rest after `cd somewhere && ` or `cd somewhere; `.
fn after_cd(command: &str) -> Option<&str> {
    let place = command.strip_prefix("cd ")?;
    let (folder, after) = first_word(place)?;
    if folder.ends_with(';') {
        return Some(after);
    }
    after.strip_prefix("&& ").or_else(|| after.strip_prefix("; "))
}

/// Strips `2>&1`, `| tail -5`, `| head` and `| grep x` from the end.
fn without_trimming(command: &str) -> &str {
    let mut rest = command.trim_end();
    loop {
        let shorter = rest
            .strip_suffix(" 2>&1")
            .or_else(|| rest.strip_suffix(" 2>/dev/null"))
            .or_else(|| without_filter(rest))
            .map(str::trim_end);
        match shorter {
            Some(shorter) => rest = shorter,
            None => return rest,
        }
    }
}

fn without_filter(command: &str) -> Option<&str> {
    let (before, filter) = command.rsplit_once(" | ")?;
    let program = filter.split_whitespace().next()?;
    // A filter followed by another command is not the end of the line.
    let is_last = steps(filter).len() == 1;
    (matches!(program, "tail" | "head" | "grep") && is_last && !ends_open(before)).then_some(before)
}

/// The result of a command.
#[derive(Clone, Copy, Debug)]
pub struct ShellAnswer<'a> {
    /// Neither the client nor the exit code reports a failure.
    pub ok: bool,
    pub output: &'a str,
    exit_code: Option<i32>,
    /// Only the output is known.
    is_untold: bool,
}

impl<'a> ShellAnswer<'a> {
    pub fn new(ok: bool, text: &'a str, extra: &Extra) -> Self {
        ShellAnswer {
            ok: ok && !extra.says_failure(),
            output: extra.output(text),
            exit_code: extra.exit_code,
            is_untold: extra.is_untold,
        }
    }

    /// No output and exit code 1: what `grep` does when nothing matches.
    fn found_nothing(&self) -> bool {
        // Older clients write "Error" if there is no output.
        matches!(self.output.trim(), "" | "Error") && self.exit_code.is_none_or(|code| code == 1)
    }
}

/// One command of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellStep {
    /// As typed, on one line.
    pub whole: String,
    /// Without pipes that only shorten the output.
    pub core: String,
    /// The next step runs only if this one passes (`&&`).
    pub and: bool,
}

/// The commands of a line, in order. Quotes, parentheses and here-documents are not split.
pub fn steps(command: &str) -> Vec<ShellStep> {
    let text = without_here_documents(command);
    let (mut steps, mut from, mut at) = (Vec::new(), 0, 0);
    let (mut open, mut depth) = (None, 0_u32);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let byte = bytes[at];
        let rest = &bytes[at..];
        let joint = match (open, byte) {
            (Some(mark), _) => {
                at += usize::from(byte == b'\\' && mark == b'"');
                open = (byte != mark).then_some(mark);
                None
            }
            (None, b'\\') => {
                at += 1;
                None
            }
            (None, b'"' | b'\'') => {
                open = Some(byte);
                None
            }
            (None, b'(' | b')') => {
                depth = if byte == b'(' { depth + 1 } else { depth.saturating_sub(1) };
                None
            }
            _ if depth > 0 => None,
            _ if rest.starts_with(b"&&") => Some((2, true)),
            _ if rest.starts_with(b"||") => Some((2, false)),
            (None, b';' | b'\n') => Some((1, false)),
            _ if rest.starts_with(b" & ") => Some((3, false)),
            _ => None,
        };
        if let Some((long, and)) = joint {
            steps.extend(step(&text[from..at], and));
            at += long;
            from = at;
        } else {
            at += 1;
        }
    }
    steps.extend(step(text.get(from..).unwrap_or_default(), false));
    steps
}

fn step(text: &str, and: bool) -> Option<ShellStep> {
    let whole = squashed(&text.replace("\\\n", " "));
    let core = without_trimming(&whole).to_owned();
    (!core.is_empty() && !core.starts_with('#')).then_some(ShellStep { whole, core, and })
}

/// A command without the contents of its here-documents.
fn without_here_documents(command: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut end: Option<&str> = None;
    for line in command.lines() {
        match end {
            Some(mark) if line.trim() == mark => end = None,
            Some(_) => {}
            None => {
                kept.push(line);
                end = line.split_once("<<").and_then(|(_, rest)| here_mark(rest));
            }
        }
    }
    kept.join("\n")
}

/// The word that ends a here-document; `<<<` does not start one.
fn here_mark(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches('-').trim_start();
    let mark = rest.trim_start_matches(['\'', '"', '\\']);
    let end = mark.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(mark.len());
    (end > 0 && !rest.starts_with('<')).then(|| &mark[..end])
}

/// The commands that have passed if the line passed: the last one, and those it depended on by `&&`.
pub fn passed_steps(command: &str, output: &str) -> Vec<ShellStep> {
    let mut steps = steps(command);
    // `make; echo $?` always succeeds; the printed code is the result.
    let asks = |step: &ShellStep| step.core.starts_with("echo ") && step.core.contains("$?");
    if steps.last().is_some_and(asks) {
        steps.pop();
        if printed_code(output) != Some(0) {
            return Vec::new();
        }
    }
    let chain = steps.iter().rev().skip(1).take_while(|step| step.and).count() + 1;
    steps.split_off(steps.len().saturating_sub(chain))
}

/// The commands that a task runner prints before running them: `[test] $ go test ./...`, `> tsc --noEmit`.
pub fn echoed(output: &str) -> impl Iterator<Item = &str> {
    output.lines().filter_map(|line| {
        let line = line.trim();
        let behind =
            line.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map_or(line, |(_, rest)| rest);
        let command = behind.strip_prefix("$ ").or_else(|| behind.strip_prefix("> "))?;
        // `> package@1.0.0 test` names the package.
        (!command.split(' ').next().is_some_and(|first| first.contains('@'))).then_some(command)
    })
}

/// The exit code at the end of an output: `exit: 0`, `EXIT_CODE=1`.
fn printed_code(output: &str) -> Option<u32> {
    let last = output.lines().rev().find(|line| !line.trim().is_empty())?.trim();
    let digits = last.len() - last.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    last[last.len() - digits..].parse().ok()
}

/// Whether a command passed; `None` if its result does not say. A shell reports only the last program: with `| tail` a
/// failed test exits with 0, and a `grep` without a match fails.
pub fn passed(command: &str, answer: &ShellAnswer) -> Option<bool> {
    let hidden = hides_exit_code(command);
    match answer.ok {
        // Failed tests are failed tests, even if the output is not all of it.
        true if answer.is_untold => {
            (runs_tests(command) && counted(answer.output)?.failed > 0).then_some(false)
        }
        true if hidden && answer.output.lines().any(reports_failure) => Some(false),
        false if is_answer(command, answer) => None,
        ok => Some(ok),
    }
}

/// Whether exit code 1 is an answer, not a failure: no match, files differ, condition false.
fn is_answer(command: &str, answer: &ShellAnswer) -> bool {
    let steps = steps(command);
    let Some(last) = steps.last() else { return false };
    let last = last.whole.rsplit(" | ").next().unwrap_or_default();
    let mut words = last.split(' ').filter(|word| !is_setting(word) && *word != "!");
    let program = words.next().map(|word| word.rsplit('/').next().unwrap_or(word)).unwrap_or_default();
    let is_one = answer.exit_code.is_none_or(|code| code == 1);
    let git = ["check-ignore", "diff", "show-ref", "rev-parse", "merge-base", "ls-files", "grep"];
    match program {
        "diff" | "cmp" => is_one,
        // In a chain the lines may be of the commands before it.
        "grep" | "egrep" | "rg" | "ag" if steps.len() > 1 => {
            answer.found_nothing() || (is_one && !answer.output.lines().any(is_error_line))
        }
        "grep" | "egrep" | "rg" | "ag" | "test" | "[" | "[[" | "pgrep" | "which" | "command" | "type" => {
            answer.found_nothing()
        }
        "git" => answer.found_nothing() && words.any(|word| git.contains(&word)),
        _ => false,
    }
}

/// Whether a command certainly passed: the exit code is its own or the output says so, and no line reports a failure.
pub fn surely_passed(command: &str, answer: &ShellAnswer) -> bool {
    let shows = || {
        steps(command).iter().filter(|step| !step.core.starts_with("cd ")).count() == 1
            && (counted(answer.output).is_some_and(|counts| counts.passed > 0)
                || answer.output.lines().any(says_passed))
    };
    passed(command, answer) == Some(true)
        && !answer.output.lines().any(|line| reports_failure(line) || did_not_run(line) || is_down(line))
        && (!hides_exit_code(command) || shows())
}

/// Whether a line reports a service as down.
fn is_down(line: &str) -> bool {
    ["Restarting (", "unhealthy", "Exited (", "CrashLoopBackOff"].iter().any(|sign| line.contains(sign))
}

/// Whether there is a pipe, and its last program.
fn last_of_pipe(command: &str) -> (bool, &str) {
    let last = command.rsplit(" | ").next().unwrap_or_default();
    (last.len() < command.len() && !ends_open(&command[..command.len() - last.len()]), last)
}

/// Whether the exit code belongs to something else: a filter after a pipe, or a later command.
fn hides_exit_code(command: &str) -> bool {
    let or_then = command.contains("|| ") || command.contains("; ") || command.trim().contains('\n');
    last_of_pipe(command).0 || or_then
}

/// Whether a test run passed; `None` if unknown. The runner's counts decide; if the exit code is hidden, the output
/// must show that it passed.
pub fn tests_passed(command: &str, ok: Option<bool>, counts: Option<Counts>, output: &str) -> Option<bool> {
    let counts = counts.unwrap_or_default();
    if counts.failed > 0 {
        return Some(false);
    }
    let sign = || counts.passed > 0 || (output.lines().any(says_passed) && !output.lines().any(did_not_run));
    ok.filter(|ok| !ok || !hides_exit_code(command) || sign())
}

fn says_passed(line: &str) -> bool {
    // From builds, checks and runners that print a dot per test.
    const SIGNS: [&str; 8] = [
        "Finished `",
        "Finished dev",
        "All checks passed",
        "Success: no issues",
        "0 errors,",
        "Found 0 errors",
        "test result: ok.",
        "no problems found",
    ];
    let dots = line.trim().strip_suffix("[100%]").map(str::trim_end);
    if dots.is_some_and(|dots| !dots.is_empty() && dots.bytes().all(|b| matches!(b, b'.' | b's' | b'x'))) {
        return true;
    }
    let line = line.trim();
    ["ok ", "ok\t", "PASS"].iter().any(|start| line.starts_with(start))
        || line == "OK"
        || ["0 fail", "0 failed", "0 failures", "0 issues."].contains(&line)
        || SIGNS.iter().any(|sign| line.contains(sign))
        || line.to_lowercase().contains("tests pass")
}

/// Whether a line says that nothing was run, or that it failed.
fn did_not_run(line: &str) -> bool {
    let line = line.trim().to_lowercase();
    line.contains("command not found")
        || line.contains("no such file")
        || line.contains("err_pnpm")
        || line.strip_prefix("exit status ").is_some_and(|code| !code.starts_with('0'))
}

/// Whether a line reports a failure of a test runner, compiler or build tool.
fn reports_failure(line: &str) -> bool {
    const STARTS: [&str; 17] = [
        "malloc(): ",
        "Aborted",
        "Segmentation fault",
        "{\"error\"",
        "panic: ",
        "error:",
        "error[",
        "FAIL",
        "FAILED",
        "--- FAIL",
        "test result: FAILED",
        "make: ***",
        "npm ERR!",
        "npm error",
        "BUILD FAILED",
        "Traceback (most recent call last)",
        "ELIFECYCLE",
    ];
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '✗' | '×' | '=' | '❌'));
    STARTS.iter().any(|start| line.starts_with(start)) || marks_failure(line) || counts_failures(line)
}

/// "add: ❌ FAIL": a verdict in capitals beside what it is about.
fn marks_failure(line: &str) -> bool {
    line.contains('❌')
        || line.split(|c: char| !c.is_alphanumeric()).any(|word| matches!(word, "FAIL" | "FAILED"))
}

/// "3 failed", "2 errors", but not "0 failed".
fn counts_failures(line: &str) -> bool {
    counts_of(line, &[' ', ',', ';', '(', ')', '|']).any(|(n, what)| {
        n > 0 && matches!(what.trim_end_matches('.'), "failed" | "failures" | "failing" | "errors" | "error")
    })
}

/// Whether a line names an error.
pub fn is_error_line(line: &str) -> bool {
    const MARKS: [&str; 10] =
        ["error", "Error", "ERROR", "FAIL", "failed", "panic", "fatal", "not found", "cannot", "Exception"];
    // `my_error_t` is an identifier.
    let is_word =
        |at: usize, mark: &str| !line[..at].ends_with('_') && !line[at + mark.len()..].starts_with('_');
    MARKS.iter().any(|mark| line.match_indices(mark).any(|(at, mark)| is_word(at, mark)))
}

/// Whether a word sets a variable: `RUST_LOG=debug`.
pub fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    })
}

/// Whether a command only reads or lists files.
pub fn looks_around(core: &str) -> bool {
    const LOOKS: [&str; 11] = ["ls", "cat", "grep", "find", "head", "tail", "sed", "echo", "wc", "awk", "rg"];
    core.split(' ').next().is_some_and(|program| LOOKS.contains(&program))
}

/// Whether a command prints the files it finds.
pub fn searches_files(core: &str) -> bool {
    let mut words = core.split(' ');
    match words.next().unwrap_or_default() {
        "grep" | "rg" | "find" | "fd" | "ag" => true,
        "git" => words.next().is_some_and(|word| matches!(word, "grep" | "ls-files")),
        _ => false,
    }
}

/// The pattern of a text search: the first argument that is not an option.
pub fn searched_text(core: &str) -> Option<String> {
    let words = crate::text::shell_words::words(core)?;
    let mut words = words.into_iter();
    let program = words.next()?;
    if program == "git" && words.next()? != "grep" {
        return None;
    }
    matches!(program.as_str(), "grep" | "rg" | "ag" | "git").then_some(())?;
    words.find(|word| !word.starts_with('-'))
}

/// Whether a command is a trivial look that costs nothing to repeat.
pub fn is_look(core: &str) -> bool {
    let mut words = core.split(' ');
    match words.next().unwrap_or_default() {
        "pwd" | "echo" | "sleep" | "true" | "wc" | "date" | "which" | "cd" => true,
        "ls" | "cat" => core.len() < 15,
        "git" => {
            let simple = ["status", "diff", "log", "branch", "show", "add", "stash", "fetch", "pull", "push"];
            words.next().is_some_and(|w| simple.contains(&w)) && core.len() < 32
        }
        _ => false,
    }
}

/// Test counts as printed by the runner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub passed: u32,
    /// Includes errors.
    pub failed: u32,
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

/// Whether a command runs tests, judged by its program, its arguments to a build tool, or the name of its script.
pub fn runs_tests(core: &str) -> bool {
    calls(core).iter().any(|call| is_test_call(&call.trim().split(' ').collect::<Vec<_>>()))
}

/// The programs called in a command line. Quoted text is a message or a script, not a call.
fn calls(core: &str) -> Vec<&str> {
    let (mut calls, mut from) = (Vec::new(), 0);
    for (at, c, quoting) in characters(core) {
        if quoting == Quoting::Bare && matches!(c, ';' | '&' | '|') {
            calls.push(&core[from..at]);
            from = at + 1;
        }
    }
    if !ends_open(core) {
        calls.push(&core[from..]);
    }
    calls
}

/// Programs whose arguments decide whether they build or test.
pub const BUILD_TOOLS: [&str; 27] = [
    "cargo", "go", "npm", "pnpm", "yarn", "bun", "make", "just", "mvn", "gradle", "dotnet", "deno", "mix",
    "swift", "zig", "rake", "bazel", "mise", "task", "nx", "turbo", "bundle", "poetry", "uv", "npx",
    "python", "node",
];

fn is_test_call(words: &[&str]) -> bool {
    const RUNNERS: [&str; 14] = [
        "pytest",
        "py.test",
        "jest",
        "vitest",
        "mocha",
        "ava",
        "ctest",
        "tox",
        "nox",
        "rspec",
        "phpunit",
        "gotestsum",
        "playwright",
        "cypress",
    ];
    const WRAPPERS: [&str; 10] =
        ["sudo", "env", "time", "exec", "bash", "sh", "bunx", "timeout", "xvfb-run", "command"];
    let is_prefix = |word: &str| {
        WRAPPERS.contains(&word)
            || word.starts_with('-')
            || word.contains('=')
            || word.trim_end_matches(['s', 'm']).bytes().all(|b| b.is_ascii_digit())
    };
    let Some(at) = words.iter().position(|word| !is_prefix(word)) else { return false };
    let name = words[at].rsplit('/').next().unwrap_or_default();
    let tool = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end_matches('w');
    let asks = || words[at + 1..].iter().take(5).any(|word| is_test_word(word) || RUNNERS.contains(word));
    RUNNERS.contains(&name)
        || (BUILD_TOOLS.contains(&tool) && asks())
        || (words[at].contains(['/', '.'])
            && name.split(['-', '_', '.']).any(|part| matches!(part, "test" | "tests")))
}

/// `test`, `test:unit`, `tests`, `nextest`, `unittest`, `e2e:test`; not a file or a folder of tests.
fn is_test_word(word: &str) -> bool {
    let first = word.split([':', '-']).next().unwrap_or_default();
    let named = matches!(first, "test" | "tests" | "nextest" | "unittest") || word.ends_with(":test");
    (named && !word.contains(['/', '.'])) || word == "--test"
}

/// The test counts in an output, added up over several runs; `None` if there are none.
pub fn counted(output: &str) -> Option<Counts> {
    let mut counts = Counts::default();
    let mut any = false;
    for line in output.lines().map(str::trim).filter(|line| !counts_suites(line)) {
        if let Some(of_line) = counted_in(line) {
            counts.passed = counts.passed.saturating_add(of_line.passed);
            counts.failed = counts.failed.saturating_add(of_line.failed);
            any = true;
        }
    }
    any.then_some(counts)
}

/// Whether a line counts files or suites instead of tests.
fn counts_suites(line: &str) -> bool {
    ["Test Suites:", "Test Files", "Snapshots:"].iter().any(|start| line.starts_with(start))
}

/// "3 passed, 1 failed", "# pass 3", "Tests run: 4, Failures: 1, Errors: 0".
fn counted_in(line: &str) -> Option<Counts> {
    if let Some(java) = line.find("Tests run:").map(|at| &line[at..]) {
        let n = |name: &str| number_after(java, name);
        let failed = n("Failures:")?.saturating_add(n("Errors:").unwrap_or(0));
        return Some(Counts { passed: n("Tests run:")?.saturating_sub(failed), failed });
    }
    if let Some(rest) = line.strip_prefix(['#', 'ℹ']).map(str::trim) {
        let passed = rest.strip_prefix("pass ").and_then(|n| n.trim().parse().ok());
        let failed = rest.strip_prefix("fail ").and_then(|n| n.trim().parse().ok());
        return (passed.is_some() || failed.is_some())
            .then(|| Counts { passed: passed.unwrap_or(0), failed: failed.unwrap_or(0) });
    }
    let mut counts = Counts::default();
    for (n, what) in counts_of(line, &[' ', ',', ';', '(', ')', '|', '=']) {
        match what.trim_end_matches(['.', ':']) {
            "passed" | "passing" | "pass" => counts.passed = counts.passed.saturating_add(n),
            "failed" | "failing" | "fail" | "failures" | "failure" | "errors" | "error" => {
                counts.failed = counts.failed.saturating_add(n);
            }
            _ => {}
        }
    }
    (counts != Counts::default()).then_some(counts)
}

/// The numbers in a line, each with the word after it.
fn counts_of<'a>(line: &'a str, between: &'a [char]) -> impl Iterator<Item = (u32, &'a str)> {
    let mut words = line.split(between).filter(|word| !word.is_empty());
    let mut before = words.next().unwrap_or_default();
    words.filter_map(move |word| {
        let number =
            before.starts_with(|c: char| c.is_ascii_digit() || c == '+').then(|| before.parse().ok());
        before = word;
        Some((number.flatten()?, word))
    })
}

fn number_after(text: &str, name: &str) -> Option<u32> {
    let rest = text[text.find(name)? + name.len()..].trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// The commit that `git commit` printed: `[main 1a2b3c4] subject`.
pub fn commit_in(command: &str, output: &str) -> Option<(String, String)> {
    if !command.contains("git commit") && !command.contains("git -C") {
        return None;
    }
    output.lines().find_map(|line| {
        let (inside, subject) = line.trim().strip_prefix('[')?.split_once("] ")?;
        let hash = inside.split_whitespace().last()?;
        let is_hash = (7..=40).contains(&hash.len()) && hash.bytes().all(|b| b.is_ascii_hexdigit());
        (is_hash && inside.contains(' ')).then(|| (hash.to_owned(), subject.to_owned()))
    })
}

/// Whether a command is a test, build, linter or server: what an agent runs repeatedly.
pub fn is_check(core: &str) -> bool {
    words(first_chars(core, 60), IDENTIFIERS).any(|(_, word)| {
        matches!(
            word,
            "test"
                | "tests"
                | "build"
                | "lint"
                | "check"
                | "fmt"
                | "format"
                | "make"
                | "pytest"
                | "tsc"
                | "clippy"
                | "vet"
                | "compile"
                | "dev"
                | "start"
                | "serve"
                | "bench"
                | "typecheck"
                | "ci"
                | "e2e"
        )
    })
}

/// Program and subcommand: `cargo test`, `npm run`.
pub fn family(core: &str) -> String {
    let words = core.split(' ').filter(|w| !w.contains('=') && !w.starts_with('-'));
    words.take(2).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_is_the_same_in_every_run() {
        let cases = [
            ("cd /repo && cargo test -p x 2>&1 | tail -20", "cargo test -p x"),
            ("cd a; cd b && make", "make"),
            ("go test ./... 2>&1 | grep FAIL | head -5", "go test ./..."),
            ("cat a | sort", "cat a | sort"),
            ("  npm   run\n build ", "npm run build"),
            ("cd /only/there", "cd /only/there"),
            ("cd \"/a b\" && make", "make"),
            ("cd '/a b'; make", "make"),
            ("rg 'a | head b' src", "rg 'a | head b' src"),
            ("echo \"it's\" | head -1", "echo \"it's\""),
            ("# run them\ncargo test", "cargo test"),
            ("RUST_LOG=debug cargo test | tail -3", "RUST_LOG=debug cargo test"),
            ("make | tail -3 && make test | head -1", "make | tail -3 && make test"),
        ];
        for (typed, expected) in cases {
            assert_eq!(core(typed), expected, "{typed}");
        }
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
            let answer = ShellAnswer::new(ok, output, &extra);
            assert_eq!(passed(command, &answer), expected, "{command}: {output}");
        }
    }

    #[test]
    fn command_surely_passed_only_if_nothing_contradicts_it() {
        let sure = |command: &str, output: &str| {
            surely_passed(command, &ShellAnswer::new(true, output, &Extra::default()))
        };
        assert!(sure("cargo build", "Finished") && sure("pytest | tail -1", "3 passed in 0.1s"));
        assert!(sure("cd x && cargo test 2>&1 | tail -3", "test result: ok. 4 passed; 0 failed"));
        assert!(!sure("make 2>&1 | head -100", "a long compiler log"));
        assert!(!sure("docker compose up -d && docker compose ps", "web  Restarting (1) 2 seconds ago"));
        assert!(!sure("make lint; make test | tail -1", "4 passed"));
        assert!(!sure("cargo build", "error: could not compile"));
    }

    #[test]
    fn line_is_split_into_its_commands() {
        let cores = |command: &str| steps(command).into_iter().map(|s| s.core).collect::<Vec<_>>();
        assert_eq!(cores("cd x && make 2>&1 | tail -3; ./run"), ["cd x", "make", "./run"]);
        assert_eq!(
            cores("git commit -m \"a && b; c\" && git push"),
            ["git commit -m \"a && b; c\"", "git push"]
        );
        assert_eq!(cores("python3 - <<'EOF'\nimport a; b\nEOF\nmake"), ["python3 - <<'EOF'", "make"]);
        assert_eq!(cores("make \\\n  all || (cd y && make)"), ["make all", "(cd y && make)"]);
        assert_eq!(cores("cat <<< 'x'\necho \"it's\""), ["cat <<< 'x'", "echo \"it's\""]);
    }

    #[test]
    fn passing_line_implies_the_steps_it_depended_on() {
        let cores = |command: &str, output: &str| {
            passed_steps(command, output).into_iter().map(|s| s.core).collect::<Vec<_>>()
        };
        assert_eq!(cores("make lint && make test", ""), ["make lint", "make test"]);
        assert_eq!(cores("make lint; make test", ""), ["make test"]);
        assert_eq!(cores("make test; echo \"exit: $?\"", "ok\nexit: 0"), ["make test"]);
        assert_eq!(cores("make test; echo $?", "2"), [""; 0]);
    }

    #[test]
    fn commit_is_parsed_from_git_output() {
        let output = "[feat/x 1a2b3c4] Add the parser\n 2 files changed";
        assert_eq!(commit_in("git commit -m x", output), Some(("1a2b3c4".into(), "Add the parser".into())));
        assert_eq!(commit_in("git commit -m x", "nothing to commit"), None);
        assert_eq!(commit_in("echo '[a 1a2b3c4] b'", output), None);
    }

    #[test]
    fn running_tests_differs_from_naming_them() {
        let runs = [
            "cargo test -p x",
            "RUST_LOG=debug cargo nextest run",
            "pytest -q tests/a.py",
            "python3 -m pytest",
            "python -m unittest discover",
            "npm test",
            "npm run test:unit",
            "pnpm --filter api test",
            "npx vitest run",
            "go vet ./... && go test ./...",
            "timeout 60 make test",
            "sh run-tests.sh",
            "./scripts/test.sh --fast",
            "./gradlew test",
            "mise run test",
            "node --test",
        ];
        for core in runs {
            assert!(runs_tests(core), "{core}");
        }
        let others = [
            "git commit -m \"add a test\"",
            "ls tests",
            "cat tests/a.py",
            "grep -rn test src",
            "cargo build --tests",
            "mkdir -p tests/fixtures",
            "npm install --save-dev jest-extended",
            "git add crates/x/tests/it.rs",
            "gh pr create --body \"run it; go test ./... && cargo test\"",
            "cargo check",
        ];
        for core in others {
            assert!(!runs_tests(core), "{core}");
        }
    }

    #[test]
    fn piped_tests_pass_only_if_the_output_says_so() {
        let cases = [
            ("npx playwright test | tail -5", Some(true), "sh: playwright: command not found", None),
            ("pnpm test | tail", Some(true), "ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL\nExit status 1", None),
            ("pnpm test | tail", Some(true), "a trace without a word on it", None),
            ("go test ./... | tail -3", Some(true), "ok  \tx/y\t0.3s", Some(true)),
            ("pytest | tail -1", Some(true), "3 passed in 0.1s", Some(true)),
            ("pytest | grep -c x", Some(true), "1 failed, 3 passed", Some(false)),
            ("./run_tests.sh", Some(true), "", Some(true)),
            ("./run_tests.sh", Some(false), "", Some(false)),
            ("./run_tests.sh", None, "", None),
        ];
        for (command, ok, output, expected) in cases {
            assert_eq!(tests_passed(command, ok, counted(output), output), expected, "{command}: {output}");
        }
    }

    #[test]
    fn counts_are_parsed_from_every_common_runner() {
        let cases = [
            (
                "test result: ok. 4 passed; 0 failed; 0 ignored\n\ntest result: FAILED. 3 passed; 1 failed;",
                Some((7, 1)),
            ),
            ("Test Suites: 1 failed, 1 total\nTests:       2 failed, 5 passed, 7 total", Some((5, 2))),
            (" Test Files  2 passed (2)\n      Tests  11 passed (11)", Some((11, 0))),
            ("===== 3 passed, 1 error in 0.10s =====", Some((3, 1))),
            ("  12 passing (3s)\n  1 failing", Some((12, 1))),
            ("# pass 3\n# fail 2", Some((3, 2))),
            (" 3 pass\n 1 fail\nRan 4 tests", Some((3, 1))),
            ("[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 0", Some((2, 2))),
            ("Passed!  - ok", None),
            ("ok  \tgithub.com/x/y\t0.3s", None),
            ("compiled 3 files", None),
        ];
        for (output, expected) in cases {
            let expected = expected.map(|(passed, failed)| Counts { passed, failed });
            assert_eq!(counted(output), expected, "{output}");
        }
    }
}
