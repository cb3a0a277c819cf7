//! What a shell command is, below the way it was typed this time.

/// The part of a command that stays the same between runs: without the `cd` before it and without the
/// pipes behind it that only shorten the output.
pub fn core(command: &str) -> String {
    let squashed = without_comment(command).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = squashed.as_str();
    while let Some(after) = after_cd(rest) {
        rest = after;
    }
    without_trimming(rest).to_owned()
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
    let last = command.rsplit(" | ").next().unwrap_or_default();
    let piped = last.len() < command.len() && !is_inside_quotes(&command[..command.len() - last.len()]);
    let hidden = piped || command.contains("|| ") || command.contains("; ") || command.trim().contains('\n');
    match ok {
        true if hidden && output.lines().any(reports_failure) => Some(false),
        false if piped && last.starts_with("grep") && is_bare_exit(output) => None,
        ok => Some(ok),
    }
}

/// "Exit code 1" and nothing else: what `grep` says when it has found nothing.
fn is_bare_exit(output: &str) -> bool {
    output.trim().is_empty() || output.trim() == "Exit code 1"
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
    let words: Vec<&str> = line.split([' ', ',', ';', '(', ')', '|']).filter(|w| !w.is_empty()).collect();
    words.windows(2).any(|pair| {
        let count = pair[0].parse::<u32>().is_ok_and(|n| n > 0);
        count
            && matches!(pair[1].trim_end_matches('.'), "failed" | "failures" | "failing" | "errors" | "error")
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
}
