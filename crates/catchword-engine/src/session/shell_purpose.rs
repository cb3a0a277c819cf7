//! The purpose of a command: recurring work, a look, or something done once.

use super::shell::{is_setting, runs_tests, steps};
use crate::text::shell_words::{Quoting, characters};

/// The purpose of one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandRole {
    /// Tests, builds, checks, formats, runs or deploys; worth repeating.
    Work,
    /// Only shows something.
    Look,
    /// Changes something once: moves a file, installs a package.
    Once,
    /// Changes the repository: a commit, a push, a branch.
    Record,
    /// Prepares or annotates the others: `cd`, `export`, `echo`.
    Aside,
    /// An unknown program.
    Unknown,
}

/// Whether somebody who takes over may want to rerun this line; `runs` is how often it ran.
pub fn is_worth_repeating(core: &str, runs: u16) -> bool {
    let steps = steps(core);
    let purposes: Vec<CommandRole> = steps.iter().map(|step| purpose(&step.core)).collect();
    let has = |purpose| purposes.contains(&purpose);
    // Steps done once do not matter next to work, because they prepare it: `mkdir build && make`.
    let works = has(CommandRole::Work)
        || (has(CommandRole::Unknown) && !has(CommandRole::Look) && !has(CommandRole::Once) && runs > 1);
    works && !has(CommandRole::Record)
}

/// The purpose of one command. In a pipe the first program that is not just a source decides.
pub fn purpose(step: &str) -> CommandRole {
    let mut last = CommandRole::Aside;
    for part in piped(step) {
        last = of_program(&part.split_whitespace().collect::<Vec<_>>());
        let feeds = matches!(part.split_whitespace().next(), Some("cat" | "echo" | "printf" | "yes"));
        if !feeds {
            break;
        }
    }
    last
}

/// The programs of a pipe.
fn piped(step: &str) -> Vec<&str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    for (at, c, quoting) in characters(step) {
        if c == '|' && quoting == Quoting::Bare {
            parts.push(&step[from..at]);
            from = at + 1;
        }
    }
    parts.push(&step[from..]);
    parts
}

const ASIDES: [&str; 14] = [
    "cd", "export", "source", ".", "echo", "printf", "sleep", "true", "set", "pushd", "popd", "wait", ":",
    "unset",
];
const LOOKS: [&str; 43] = [
    "ls", "cat", "head", "tail", "grep", "egrep", "rg", "ag", "find", "fd", "sed", "awk", "wc", "pwd",
    "date", "which", "type", "file", "stat", "du", "df", "tree", "diff", "cmp", "jq", "yq", "ps", "pgrep",
    "lsof", "curl", "env", "printenv", "whoami", "uname", "hostname", "less", "more", "sort", "xxd",
    "strings", "test", "[", "man",
];
const ONCE: [&str; 19] = [
    "mkdir", "mv", "cp", "rm", "rmdir", "touch", "chmod", "chown", "ln", "kill", "pkill", "tar", "unzip",
    "wget", "brew", "apt", "apt-get", "tee", "xargs",
];
/// Programs that test, check, format or build whatever they are given.
const WORKERS: [&str; 49] = [
    "make",
    "just",
    "rake",
    "task",
    "ctest",
    "tox",
    "nox",
    "pytest",
    "jest",
    "vitest",
    "mocha",
    "rspec",
    "phpunit",
    "gotestsum",
    "playwright",
    "cypress",
    "mvn",
    "mvnw",
    "gradle",
    "gradlew",
    "bazel",
    "ninja",
    "nx",
    "turbo",
    "ruff",
    "mypy",
    "pyright",
    "black",
    "isort",
    "flake8",
    "pylint",
    "eslint",
    "prettier",
    "biome",
    "tsc",
    "gofmt",
    "golangci-lint",
    "shellcheck",
    "markdownlint",
    "rustfmt",
    "tsx",
    "uvicorn",
    "vite",
    "next",
    "pre-commit",
    "cmake",
    "meson",
    "ssh",
    "rsync",
];
/// Arguments that ask a tool for work, and for a look.
const WORK_WORDS: [&str; 34] = [
    "test",
    "t",
    "build",
    "check",
    "clippy",
    "fmt",
    "run",
    "bench",
    "nextest",
    "vet",
    "generate",
    "start",
    "dev",
    "lint",
    "format",
    "typecheck",
    "serve",
    "preview",
    "ci",
    "up",
    "deploy",
    "apply",
    "plan",
    "publish",
    "compile",
    "verify",
    "package",
    "restart",
    "watch",
    "exec",
    "x",
    "release",
    "migrate",
    "rollout",
];
const LOOK_WORDS: [&str; 33] = [
    "list", "ls", "show", "view", "info", "search", "outdated", "why", "tree", "doc", "env", "version",
    "help", "config", "get", "ps", "logs", "images", "inspect", "status", "log", "diff", "metadata",
    "describe", "explain", "freeze", "audit", "whoami", "pip", "port", "linters", "where", "capture",
];

fn of_program(words: &[&str]) -> CommandRole {
    let words = without_wrappers(words);
    let Some((first, rest)) = words.split_first() else { return CommandRole::Aside };
    if rest.iter().any(|word| matches!(*word, "--help" | "-h" | "--version" | "-V")) {
        return CommandRole::Look;
    }
    let name = first.rsplit('/').next().unwrap_or(first);
    let program = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match program {
        _ if is_script(first) => CommandRole::Work,
        "bash" | "sh" | "zsh" => {
            if rest.iter().any(|word| is_script(word)) {
                CommandRole::Work
            } else {
                CommandRole::Once
            }
        }
        "git" | "jj" | "gh" | "glab" => of_repository(rest),
        "python" | "node" | "ruby" | "perl" | "php" | "deno" | "bun" | "npx" | "bunx" | "uvx" => {
            of_interpreter(rest)
        }
        "uv" | "poetry" | "bundle" | "pipenv" | "hatch" => match rest {
            ["run" | "exec", inner @ ..] => inner_purpose(inner),
            rest => of_words(rest),
        },
        "cargo" | "go" | "npm" | "pnpm" | "yarn" | "dotnet" | "mix" | "swift" | "zig" | "mise" | "docker"
        | "docker-compose" | "podman" | "kubectl" | "helm" | "terraform" | "pulumi" | "fly" | "vercel"
        | "wrangler" | "pip" | "composer" | "gem" | "flutter" | "dart" | "expo" => of_words(rest),
        name if ASIDES.contains(&name) => CommandRole::Aside,
        name if LOOKS.contains(&name) => CommandRole::Look,
        name if ONCE.contains(&name) => CommandRole::Once,
        name if WORKERS.contains(&name) && rest.first().is_some_and(|word| LOOK_WORDS.contains(word)) => {
            CommandRole::Look
        }
        name if WORKERS.contains(&name) => CommandRole::Work,
        _ if runs_tests(&words.join(" ")) => CommandRole::Work,
        _ if rest.first().is_some_and(|word| LOOK_WORDS.contains(word)) => CommandRole::Look,
        _ => CommandRole::Unknown,
    }
}

/// Without variables and programs that run another one.
fn without_wrappers<'a, 'b>(words: &'b [&'a str]) -> &'b [&'a str] {
    let is_wrapper = |word: &str| {
        is_setting(word)
            || matches!(
                word,
                "sudo" | "env" | "time" | "timeout" | "nohup" | "command" | "exec" | "xvfb-run" | "!"
            )
            || word.trim_end_matches(['s', 'm']).bytes().all(|b| b.is_ascii_digit())
    };
    let at = words.iter().position(|word| !is_wrapper(word)).unwrap_or(words.len());
    &words[at..]
}

/// Whether a word is a program of the project: a path outside system and temporary folders.
fn is_script(word: &str) -> bool {
    const OUTSIDE: [&str; 6] = ["/usr/", "/bin/", "/opt/", "/tmp/", "/sbin/", "/dev/"];
    let is_path = word.contains('/') || [".sh", ".py", ".mjs"].iter().any(|end| word.ends_with(end));
    is_path
        && !word.starts_with(['-', '"', '\'', '$'])
        && !OUTSIDE.iter().any(|place| word.contains(place))
        && !word.contains("/bin/")
}

/// Commands on a repository are not worth repeating, except for starting a workflow.
fn of_repository(words: &[&str]) -> CommandRole {
    const SHOWS: [&str; 16] = [
        "status",
        "diff",
        "log",
        "show",
        "branch",
        "fetch",
        "check-ignore",
        "rev-parse",
        "ls-files",
        "blame",
        "remote",
        "tag",
        "view",
        "list",
        "checks",
        "worktree",
    ];
    match words {
        ["workflow", "run", ..] => CommandRole::Work,
        words if words.iter().take(3).any(|word| SHOWS.contains(word)) => CommandRole::Look,
        _ => CommandRole::Record,
    }
}

/// Scripts and modules are work, inline code is done once.
fn of_interpreter(words: &[&str]) -> CommandRole {
    match words {
        ["-m", "pip" | "venv", ..] | ["-c" | "-e" | "-", ..] | [] => CommandRole::Once,
        [first, ..] if first.starts_with("<<") => CommandRole::Once,
        ["-m", "json.tool" | "timeit" | "pdb" | "pydoc", ..] => CommandRole::Look,
        ["-m", rest @ ..] => inner_purpose(rest),
        [first, ..] if first.contains("/tmp/") => CommandRole::Once,
        ["install" | "add" | "i" | "remove", ..] => CommandRole::Once,
        words => {
            let inner: Vec<&str> = words.iter().copied().skip_while(|word| word.starts_with('-')).collect();
            inner_purpose(&inner)
        }
    }
}

/// The purpose of a program started by another one; unknown ones belong to the project.
fn inner_purpose(words: &[&str]) -> CommandRole {
    match of_program(words) {
        CommandRole::Unknown => CommandRole::Work,
        purpose => purpose,
    }
}

/// Decided by the first known argument.
fn of_words(words: &[&str]) -> CommandRole {
    let plain: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with('-')).take(3).collect();
    let part = |word: &str| word.split([':', '-']).next().unwrap_or_default().to_owned();
    let known = plain.iter().find_map(|word| match part(word).as_str() {
        "install" | "add" | "i" | "remove" | "uninstall" | "update" => Some(CommandRole::Once),
        // `pnpm tsc` and `yarn eslint` run a program of the project.
        word if WORK_WORDS.contains(&word) || WORKERS.contains(&word) => Some(CommandRole::Work),
        word if LOOK_WORDS.contains(&word) => Some(CommandRole::Look),
        _ => None,
    });
    known.unwrap_or(CommandRole::Once)
}

/// What a step runs, without what it is given: `uv run ruff check` of `A=1 uv run ruff check --fix src`.
pub fn job(step: &str) -> String {
    const SELECTORS: [&str; 6] = ["--filter", "-F", "-C", "--prefix", "--workspace", "-p"];
    const RUNNERS: [&str; 12] =
        ["python", "python3", "node", "deno", "ruby", "perl", "php", "bash", "sh", "tsx", "run", "exec"];
    let all: Vec<&str> = step.split_whitespace().collect();
    let words = without_wrappers(&all);
    // Of containers the flags say what they are for.
    if words.first().is_some_and(|program| ["docker", "podman", "kubectl"].contains(program)) {
        return words.join(" ");
    }
    let mut job: Vec<&str> = words.iter().copied().take(1).collect();
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        let is_script = job.last().is_some_and(|last| RUNNERS.contains(last)) && !word.starts_with('-');
        // The package that a runner works on is part of the job, and so is the script.
        if SELECTORS.contains(word) {
            job.extend([Some(*word), rest.next().copied()].into_iter().flatten());
        } else if is_script {
            job.push(word);
        } else if word.starts_with('-') || word.contains(['/', '.', '"', '\'', '$', '=', '*']) {
            break;
        } else {
            job.push(word);
        }
    }
    job.join(" ")
}

/// Whether a line works on single tests or files, not on all of them.
pub fn is_narrow(core: &str) -> bool {
    const PICKS: [&str; 6] = [" -run ", " -k ", " --grep ", " -t ", "::", " --test-name"];
    let is_file = |word: &str| {
        let end = word.rsplit(['/', '\\']).next().and_then(|name| name.rsplit_once('.')).map(|(_, end)| end);
        end.is_some_and(|end| !end.is_empty() && end.bytes().all(|b| b.is_ascii_alphanumeric()))
    };
    let job = job(core);
    let is_argument = |word: &&str| !word.starts_with('-') && !job.split(' ').any(|own| own == *word);
    let names_file = || core.split_whitespace().filter(is_argument).any(is_file);
    (runs_tests(core) && PICKS.iter().any(|flag| core.contains(flag))) || names_file()
}

/// Whether all that a line does is to start servers, which checks nothing.
pub fn serves(core: &str) -> bool {
    const SERVES: [&str; 8] = ["dev", "start", "serve", "watch", "preview", "up", "runserver", "http.server"];
    const SERVERS: [&str; 5] = ["uvicorn", "gunicorn", "vite", "nodemon", "ngrok"];
    let is_server = |step: &str| {
        let mut words = step.split_whitespace();
        words.clone().take(1).any(|program| SERVERS.contains(&program))
            || words.any(|word| SERVES.contains(&word))
    };
    let all = steps(core);
    let mut work = all.iter().filter(|step| purpose(&step.core) == CommandRole::Work).peekable();
    work.peek().is_some()
        && work.all(|step| is_server(&job(&step.core)) || step.core.contains(" http.server"))
}

/// Whether a flag changes only the output.
fn is_cosmetic(word: &str) -> bool {
    const FLAGS: [&str; 12] = [
        "-q",
        "-qq",
        "--quiet",
        "-v",
        "-vv",
        "--verbose",
        "--no-header",
        "--no-color",
        "-s",
        "--silent",
        "-x",
        "--no-summary",
    ];
    FLAGS.contains(&word)
        || ["--color", "--tb=", "--reporter", "--log-level"].iter().any(|flag| word.starts_with(flag))
}

/// A command without flags that change only its output, to recognise it as the same. Of an `ssh` call only the target
/// is kept: what runs there varies.
pub fn without_cosmetics(core: &str) -> String {
    if core.starts_with("ssh ") {
        let host = core.find('@').or_else(|| core.find(" \"")).unwrap_or(core.len());
        let end = core[host..].find(' ').map_or(core.len(), |at| host + at);
        return core[..end].to_owned();
    }
    core.split(' ').filter(|word| !is_cosmetic(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_worth_repeating() {
        for core in [
            "cargo test -p x",
            "cargo fmt --check && cargo clippy",
            "npm run lint",
            "uv run pytest -q",
            "make",
            "python -m pytest tests",
            "python scripts/seed.py",
            "./scripts/deploy.sh staging",
            "bash scripts/run.sh",
            "docker compose up -d web",
            "RUST_LOG=debug cargo run",
            "npx tsc --noEmit",
            "pnpm tsc --noEmit -p tsconfig.build.json",
            "yarn eslint src",
            "timeout 60 go test ./...",
            "uv run ruff check . && uv run mypy src",
            "mise run test:ci",
            "cd web && npm test",
            "pnpm --filter api test",
            "rm -rf build && mkdir build && cd build && cmake .. && make",
            "./build/tests/unified --backend cpu",
            "gh workflow run release.yml",
            "cat seed.sql | ./bin.sh load",
        ] {
            assert!(is_worth_repeating(core, 1), "{core}");
        }
        assert!(is_worth_repeating("mytool sync", 2) && !is_worth_repeating("mytool sync", 1));
    }

    #[test]
    fn looks_and_one_off_steps_are_not_worth_repeating() {
        for core in [
            "ls -la src",
            "cat a.rs | grep x",
            "git diff --stat && git status",
            "git push origin main",
            "gh pr checks 3",
            "docker compose logs -f web",
            "docker ps",
            "pip show x",
            "uv pip show x",
            "uv run pip show x",
            "sed -n 1,5p a",
            "curl -s http://localhost:3000/health",
            "cargo tree",
            "go list ./...",
            "npm install left-pad",
            "npm install --save-dev eslint",
            "pnpm --filter web add vitest",
            "npm ls",
            "make --help",
            "cargo --version",
            "python -c 'print(1)'",
            "git add . && git commit -m x && npm test",
            "git tag v1.2 && git push origin v1.2",
            "gh run view 7",
            "git tag v1",
            "rg -n 'make test' docs",
            "cp a b",
            "node -e 'x'",
            "git stash && cargo test",
            "/usr/bin/env",
            "golangci-lint version --json",
            "python3 << 'EOF' print(1)",
            "cat a | python3 -m json.tool",
            "mytool show av-9 --long",
        ] {
            assert!(!is_worth_repeating(core, 3), "{core}");
        }
    }

    #[test]
    fn a_job_is_what_runs_without_what_it_is_given() {
        for (step, expected) in [
            ("go build ./cmd/x/...", "go build"),
            ("A=1 uv run ruff check --fix src", "uv run ruff check"),
            ("timeout 60 cargo test parser", "cargo test parser"),
            ("pnpm --filter api test -- --reporter=verbose", "pnpm --filter api test"),
            ("./bench/run --size 3", "./bench/run"),
            ("mise run test:ci", "mise run test:ci"),
            ("python scripts/import.py --all", "python scripts/import.py"),
            ("go run ./cmd/server -v", "go run ./cmd/server"),
            ("docker build -t app .", "docker build -t app ."),
        ] {
            assert_eq!(job(step), expected);
        }
    }

    #[test]
    fn servers_are_told_from_checks() {
        for core in ["pnpm --filter web dev", "npm start", "uvicorn app:main", "docker compose up -d web"] {
            assert!(serves(core), "{core}");
        }
        for core in [
            "npm test",
            "cargo build",
            "npm start && npm test",
            "make dev-image && make test",
            "pytest tests/start",
        ] {
            assert!(!serves(core), "{core}");
        }
    }

    #[test]
    fn a_run_of_single_tests_or_files_is_narrow() {
        for core in ["go test ./x -run TestA", "ruff check src/a.py", "pytest tests/test_a.py::test_b"] {
            assert!(is_narrow(core), "{core}");
        }
        for core in [
            "go test ./...",
            "ruff check src tests",
            "cargo test",
            "./run.sh",
            "cmake ..",
            "python a.py",
            "make -k all",
        ] {
            assert!(!is_narrow(core), "{core}");
        }
    }

    #[test]
    fn output_flags_do_not_make_another_command() {
        assert_eq!(
            without_cosmetics("pytest -q --no-header tests"),
            without_cosmetics("pytest --no-header -q tests")
        );
        assert_ne!(without_cosmetics("pytest -k a"), without_cosmetics("pytest -k b"));
    }
}
