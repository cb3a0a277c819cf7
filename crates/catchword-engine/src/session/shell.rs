//! What a shell command is, below the way it was typed this time.

/// The part of a command that stays the same between runs: without the `cd` before it and without the
/// pipes behind it that only shorten the output.
pub fn core(command: &str) -> String {
    let squashed = command.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = squashed.as_str();
    while let Some(after) = after_cd(rest) {
        rest = after;
    }
    without_trimming(rest).to_owned()
}

/// `cd somewhere && ` or `cd somewhere; ` taken off.
fn after_cd(command: &str) -> Option<&str> {
    let (folder, after) = command.strip_prefix("cd ")?.split_once(' ')?;
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
    matches!(program, "tail" | "head" | "grep").then_some(before)
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
        ];
        for (typed, expected) in cases {
            assert_eq!(core(typed), expected, "{typed}");
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
