//! Parses shell command lines and their output: steps, exit codes, test counts, commits.

use crate::lexicon::outcomes::DOWN;
use crate::lexicon::programs::Purpose;
use crate::model::entry::Extra;
use crate::reading::command::{ShellLine, Step};
pub use crate::reading::outcome::{Counts, is_error_line};
use crate::reading::outcome::{Outcome, RunEnd};
use crate::text::cut::squashed;
use crate::text::shell_words::{ends_open, first_word};

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

    /// What it says.
    pub fn outcome(&self) -> Outcome<'a> {
        Outcome::read(self.ok, self.exit_code, self.output)
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

/// Whether a command passed; `None` if its result does not say.
pub fn passed(command: &str, answer: &ShellAnswer) -> Option<bool> {
    let (line, outcome) = (ShellLine::parse(command), answer.outcome());
    if answer.ok && answer.is_untold {
        // Failed tests are failed tests, even if the output is not all of it.
        return (runs_tests(command) && outcome.counts?.failed > 0).then_some(false);
    }
    match outcome.of_line(&line) {
        RunEnd::Passed => Some(true),
        RunEnd::Failed => Some(false),
        RunEnd::Unknown => None,
    }
}

/// Whether a command certainly passed: each of its programs did, and no line reports that a service is down.
pub fn surely_passed(command: &str, answer: &ShellAnswer) -> bool {
    let (line, outcome) = (ShellLine::parse(command), answer.outcome());
    let works = |step: &&Step| step.purpose != Purpose::Prepare && !step.is_filter();
    outcome.of_line(&line) == RunEnd::Passed
        && !outcome.says_failed
        && line.steps.iter().filter(works).all(|step| outcome.of_step(&line, step) == RunEnd::Passed)
        && !answer.output.lines().any(|line| DOWN.iter().any(|sign| line.contains(sign)))
}

/// Whether a test run passed; `None` if unknown. The runner's counts decide; if the exit code is hidden, the output
/// must show that it passed.
pub fn tests_passed(command: &str, ok: Option<bool>, output: &str) -> Option<bool> {
    let (line, outcome) = (ShellLine::parse(command), Outcome::read(ok != Some(false), None, output));
    if outcome.counts.is_some_and(|counts| counts.failed > 0) {
        return Some(false);
    }
    let shown = || {
        let tests = line.steps.iter().filter(|step| step.purpose == Purpose::Test);
        tests.into_iter().all(|step| outcome.of_step(&line, step) == RunEnd::Passed)
    };
    ok.filter(|ok| !ok || shown())
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

/// Whether a command runs tests.
pub fn runs_tests(core: &str) -> bool {
    ShellLine::parse(core).steps.iter().any(|step| step.purpose == Purpose::Test)
}

/// The test counts in an output; `None` if there are none.
pub fn counted(output: &str) -> Option<Counts> {
    Outcome::read(true, None, output).counts
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

/// Whether a command tests, builds, formats or looks for mistakes: what an agent runs repeatedly.
pub fn is_check(core: &str) -> bool {
    ShellLine::parse(core).checks().next().is_some()
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
            assert_eq!(tests_passed(command, ok, output), expected, "{command}: {output}");
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
            let expected = expected.map(|(passed, failed)| Counts { passed, failed, skipped: 0 });
            assert_eq!(counted(output), expected, "{output}");
        }
    }
}
