//! What a shell command is, below the way it was typed this time.

use memchr::memmem;
use serde::{Deserialize, Serialize};

/// The part of a command that stays the same between runs: without the `cd` before it and without the
/// pipes behind it that only shorten the output.
pub fn core(command: &str) -> String {
    let squashed = squashed(without_comment(command));
    let mut rest = squashed.as_str();
    while let Some(after) = after_cd(rest) {
        rest = after;
    }
    without_trimming(rest).to_owned()
}

/// A text with one space wherever it has several, or a line's end.
fn squashed(text: &str) -> String {
    let mut squashed = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !squashed.is_empty() {
            squashed.push(' ');
        }
        squashed.push_str(word);
    }
    squashed
}

/// A command without the lines of comment before it.
pub fn without_comment(command: &str) -> &str {
    let mut rest = command.trim();
    while let Some((_, after)) = rest.split_once('\n').filter(|(line, _)| line.starts_with('#')) {
        rest = after.trim_start();
    }
    rest
}

/// `cd somewhere && ` or `cd somewhere; ` taken off.
fn after_cd(command: &str) -> Option<&str> {
    let place = command.strip_prefix("cd ")?;
    let quoted = place.chars().next().filter(|c| matches!(c, '"' | '\''));
    let end = quoted.and_then(|mark| Some(place[1..].find(mark)? + 1)).unwrap_or(0);
    let space = end + place[end..].find(' ')?;
    let (folder, after) = (&place[..space], &place[space + 1..]);
    if folder.ends_with(';') {
        return Some(after);
    }
    after.strip_prefix("&& ").or_else(|| after.strip_prefix("; "))
}

/// `2>&1`, `| tail -5`, `| head`, `| grep x` taken off the end.
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
    (matches!(program, "tail" | "head" | "grep") && !is_inside_quotes(before)).then_some(before)
}

/// A text that ends inside a quotation.
fn is_inside_quotes(text: &str) -> bool {
    let mut open = None;
    for c in text.chars() {
        match open {
            None if matches!(c, '"' | '\'') => open = Some(c),
            Some(mark) if mark == c => open = None,
            _ => {}
        }
    }
    open.is_some()
}

/// How a command ended, as far as its answer tells; `None` where it does not. The shell reports the last program
/// only: behind `| tail` a failed test ends well, and a `grep` that finds nothing fails.
pub fn passed(command: &str, ok: bool, output: &str) -> Option<bool> {
    let ok = ok && !says_failure(output);
    let (piped, last) = last_of_pipe(command);
    let hidden = hides_its_end(command);
    match ok {
        true if hidden && lines_with(output, &FAILURE_WORDS).any(reports_failure) => Some(false),
        false if piped && last.starts_with("grep") && is_bare_exit(output) => None,
        ok => Some(ok),
    }
}

/// The last program of a pipe, and whether there is one.
fn last_of_pipe(command: &str) -> (bool, &str) {
    let last = command.rsplit(" | ").next().unwrap_or_default();
    (last.len() < command.len() && !is_inside_quotes(&command[..command.len() - last.len()]), last)
}

/// A command whose exit code is that of something else: of a filter behind it, or of what came after it.
fn hides_its_end(command: &str) -> bool {
    let or_then = command.contains("|| ") || command.contains("; ") || command.trim().contains('\n');
    last_of_pipe(command).0 || or_then
}

/// How a run of tests ended: what the runner counted has the last word, and where the exit code is hidden "passed"
/// needs a sign of it. `None` where nobody can tell.
pub fn tests_passed(command: &str, ok: Option<bool>, counts: Option<Counts>, output: &str) -> Option<bool> {
    let counts = counts.unwrap_or_default();
    if counts.failed > 0 {
        return Some(false);
    }
    let sign = || counts.passed > 0 || (output.lines().any(says_passed) && !output.lines().any(did_not_run));
    ok.filter(|ok| !ok || !hides_its_end(command) || sign())
}

fn says_passed(line: &str) -> bool {
    let line = line.trim();
    ["ok ", "ok\t", "PASS"].iter().any(|start| line.starts_with(start))
        || line == "OK"
        || line.to_lowercase().contains("tests pass")
}

/// A line by which a shell or a package manager says that nothing was run, or that it ended badly.
fn did_not_run(line: &str) -> bool {
    let line = line.trim().to_lowercase();
    line.contains("command not found")
        || line.contains("no such file")
        || line.contains("err_pnpm")
        || line.strip_prefix("exit status ").is_some_and(|code| !code.starts_with('0'))
}

/// "Exit code 1" and nothing else: what `grep` says when it has found nothing.
fn is_bare_exit(output: &str) -> bool {
    output.trim().is_empty() || output.trim() == "Exit code 1"
}

/// A word, and whether it says something behind what stands before it.
type Sign = (&'static str, fn(&[u8]) -> bool);

fn anywhere(_: &[u8]) -> bool {
    true
}

/// One of these stands in every line by which somebody says that they failed.
const FAILURE_WORDS: [Sign; 7] = [
    ("error", anywhere),
    ("fail", anywhere),
    ("FAIL", anywhere),
    ("make: ***", anywhere),
    ("npm ERR!", anywhere),
    ("Traceback", anywhere),
    ("ELIFECYCLE", anywhere),
];
/// One of these stands in every line that counts tests.
const COUNTING_WORDS: [Sign; 4] =
    [("pass", may_count), ("fail", may_count), ("error", may_count), ("Tests run:", anywhere)];

/// A line can only count something where a number stands before the word for it, or where it begins with the sign by
/// which some runners begin theirs.
fn may_count(before: &[u8]) -> bool {
    let word = before.iter().rev().find(|byte| !b" ,;()|=".contains(byte));
    word.is_none_or(|byte| byte.is_ascii_digit() || *byte == b'#' || !byte.is_ascii())
}

/// The lines in which one of the signs stands, each once, in their order. Most outputs have few of them, and are never
/// taken apart into lines.
fn lines_with<'a>(text: &'a str, signs: &[Sign]) -> impl Iterator<Item = &'a str> {
    let bytes = text.as_bytes();
    let mut starts = Vec::new();
    for (word, is_sign) in signs {
        let finder = memmem::Finder::new(word);
        let mut from = 0;
        while let Some(at) = finder.find(&bytes[from..]).map(|found| from + found) {
            from = at + word.len();
            if !is_sign(&bytes[..at]) {
                continue;
            }
            starts.push(memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |newline| newline + 1));
            from = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |newline| at + newline);
        }
    }
    starts.sort_unstable();
    starts.dedup();
    starts.into_iter().filter_map(|start| text[start..].lines().next())
}

/// A line by which test runners, compilers and build tools say that they failed.
fn reports_failure(line: &str) -> bool {
    const STARTS: [&str; 12] = [
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
    STARTS.iter().any(|start| line.starts_with(start)) || counts_failures(line)
}

/// "3 failed", "2 errors", but not "0 failed".
fn counts_failures(line: &str) -> bool {
    counts_of(line, &[' ', ',', ';', '(', ')', '|']).any(|(n, what)| {
        n > 0 && matches!(what.trim_end_matches('.'), "failed" | "failures" | "failing" | "errors" | "error")
    })
}

/// An output that says "Exit code 1" is a failure even where the client does not mark it.
pub fn says_failure(output: &str) -> bool {
    output.strip_prefix("Exit code ").is_some_and(|rest| !rest.starts_with('0'))
}

/// A line that names an error.
pub fn is_error_line(line: &str) -> bool {
    const MARKS: [&str; 10] =
        ["error", "Error", "ERROR", "FAIL", "failed", "panic", "fatal", "not found", "cannot", "Exception"];
    MARKS.iter().any(|mark| line.contains(mark))
}

/// Reads files or lists them.
pub fn looks_around(core: &str) -> bool {
    const LOOKS: [&str; 11] = ["ls", "cat", "grep", "find", "head", "tail", "sed", "echo", "wc", "awk", "rg"];
    core.split(' ').next().is_some_and(|program| LOOKS.contains(&program))
}

/// A command that only looks around in the simplest way; typing it again costs nothing.
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

/// Tests that passed and failed, as the runner counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// That passed.
    pub passed: u32,
    /// That failed, errors included.
    pub failed: u32,
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.passed, self.failed) {
            (passed, 0) => write!(f, "{passed} passed"),
            // Filters often leave the failures only.
            (0, failed) => write!(f, "{failed} failed"),
            (passed, failed) => write!(f, "{passed} passed, {failed} failed"),
        }
    }
}

/// Whether a command runs tests: by its program, by what it asks of a build tool, or by the script's name.
pub fn runs_tests(core: &str) -> bool {
    // Nothing that is looked for below does without one of these.
    const SIGNS: [&str; 10] =
        ["test", "jest", "mocha", "ava", "tox", "nox", "rspec", "phpunit", "playwright", "cypress"];
    if !SIGNS.iter().any(|sign| memmem::find(core.as_bytes(), sign.as_bytes()).is_some()) {
        return false;
    }
    let mut from = 0;
    let ends = core.match_indices([';', '&', '|']).map(|(at, _)| at).chain([core.len()]);
    ends.into_iter().any(|end| {
        // What stands in quotation marks is a message or a script, not a call.
        if is_inside_quotes(&core[..end]) {
            return false;
        }
        let part = core[from..end].trim_start_matches([';', '&', '|', ' ']).trim_end();
        from = end;
        is_test_call(&part.split(' ').collect::<Vec<_>>())
    })
}

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
    const TOOLS: [&str; 27] = [
        "cargo", "go", "npm", "pnpm", "yarn", "bun", "make", "just", "mvn", "gradle", "dotnet", "deno",
        "mix", "swift", "zig", "rake", "bazel", "mise", "task", "nx", "turbo", "bundle", "poetry", "uv",
        "npx", "python", "node",
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
        || (TOOLS.contains(&tool) && asks())
        || (words[at].contains(['/', '.'])
            && name.split(['-', '_', '.']).any(|part| matches!(part, "test" | "tests")))
}

/// `test`, `test:unit`, `tests`, `nextest`, `unittest`, `e2e:test`; not a file or a folder of tests.
fn is_test_word(word: &str) -> bool {
    let first = word.split([':', '-']).next().unwrap_or_default();
    let named = matches!(first, "test" | "tests" | "nextest" | "unittest") || word.ends_with(":test");
    (named && !word.contains(['/', '.'])) || word == "--test"
}

/// What a test runner counted; `None` where its output names no numbers. Several runs in one output are added up.
pub fn counted(output: &str) -> Option<Counts> {
    let mut counts = Counts::default();
    let mut any = false;
    let lines = lines_with(output, &COUNTING_WORDS).map(str::trim);
    for line in lines.filter(|line| !counts_suites(line)) {
        if let Some(of_line) = counted_in(line) {
            counts.passed = counts.passed.saturating_add(of_line.passed);
            counts.failed = counts.failed.saturating_add(of_line.failed);
            any = true;
        }
    }
    any.then_some(counts)
}

/// Lines that count files or suites, where the next one counts tests.
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
            "passed" | "passing" => counts.passed = counts.passed.saturating_add(n),
            "failed" | "failing" | "failures" | "failure" | "errors" | "error" => {
                counts.failed = counts.failed.saturating_add(n);
            }
            _ => {}
        }
    }
    (counts != Counts::default()).then_some(counts)
}

/// The numbers of a line with the words behind them.
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

/// The commit that `git commit` reported: `[main 1a2b3c4] subject`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_of_a_command_is_what_stays_between_runs() {
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
        ];
        for (typed, expected) in cases {
            assert_eq!(core(typed), expected, "{typed}");
        }
    }

    #[test]
    fn what_a_pipe_hides_is_read_from_the_output() {
        let cases = [
            ("cargo test 2>&1 | tail -5", true, "test result: FAILED. 3 passed; 1 failed", Some(false)),
            ("cargo test 2>&1 | tail -5", true, "test result: ok. 4 passed; 0 failed", Some(true)),
            ("npx jest | tail", true, "Tests:       2 failed, 5 passed, 7 total", Some(false)),
            ("pytest -q | tail -1", true, "3 passed, 1 error in 0.1s", Some(false)),
            ("make || true", true, "make: *** [all] Error 2", Some(false)),
            ("cargo clippy 2>&1 | grep -E '^error'", false, "Exit code 1", None),
            ("cargo clippy 2>&1 | grep -E '^error'", true, "error: unused variable", Some(false)),
            ("cargo test", true, "3 failed is what the fixture prints", Some(true)),
            ("cargo test", false, "Exit code 101", Some(false)),
            ("cargo test", true, "Exit code 101", Some(false)),
            ("rg 'a | b'", true, "error: in a file that was found", Some(true)),
        ];
        for (command, ok, output, expected) in cases {
            assert_eq!(passed(command, ok, output), expected, "{command}: {output}");
        }
    }

    #[test]
    fn a_commit_is_read_from_what_git_prints() {
        let output = "[feat/x 1a2b3c4] Add the parser\n 2 files changed";
        assert_eq!(commit_in("git commit -m x", output), Some(("1a2b3c4".into(), "Add the parser".into())));
        assert_eq!(commit_in("git commit -m x", "nothing to commit"), None);
        assert_eq!(commit_in("echo '[a 1a2b3c4] b'", output), None);
    }

    #[test]
    fn a_command_that_runs_tests_is_told_from_one_that_names_them() {
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
    fn behind_a_pipe_tests_pass_only_where_something_says_so() {
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
    fn counts_are_read_from_every_common_runner() {
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

    proptest::proptest! {
        #[test]
        fn only_lines_that_are_looked_at_say_anything(
            words in proptest::collection::vec(
                "(3|12|0|passed|failing|failures|FAILED|error|errors\\.|error\\[|Tests run: 4,|Failures: 1|# pass|npm ERR!|make: \\*\\*\\*|Traceback \\(most recent call last\\)|ELIFECYCLE|✗|--- FAIL|ok|\n|\r\n|[a-z]{3}) ?",
                0..40,
            )
        ) {
            let output = words.concat();
            let failing: Vec<&str> = output.lines().filter(|line| reports_failure(line)).collect();
            let looked_at: Vec<&str> = lines_with(&output, &FAILURE_WORDS).filter(|line| reports_failure(line)).collect();
            proptest::prop_assert_eq!(failing, looked_at);
            let counting: Vec<&str> = output.lines().filter(|line| counted_in(line.trim()).is_some()).collect();
            let looked_at: Vec<&str> =
                lines_with(&output, &COUNTING_WORDS).filter(|line| counted_in(line.trim()).is_some()).collect();
            proptest::prop_assert_eq!(counting, looked_at);
        }
    }
}
