//! The text of our section in CLAUDE.md: what a summary of this project should keep, and what not.
//!
//! The client passes the file to the summariser, with or without hooks. The section includes what can be found out
//! about the project: how its tests are run, where its code is, what its issue keys look like.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use catchword_engine::reading::command::ShellLine;
use catchword_engine::session::Session;
use catchword_engine::store::Store;
use catchword_engine::text::words::words;

use crate::app::env::Env;
use crate::app::git;
use crate::app::workspace;

/// Sessions in which test commands are looked for.
const SESSIONS: usize = 5;
/// Folders that usually contain a project's own code.
const FOLDERS: [&str; 18] = [
    "src", "crates", "packages", "apps", "app", "lib", "cmd", "internal", "pkg", "server", "client",
    "backend", "frontend", "web", "api", "tests", "test", "docs",
];
/// Folders that are named.
const MAX_FOLDERS: usize = 6;
/// Standards and codecs that look like issue keys.
const NOT_ISSUE_KEYS: [&str; 14] =
    ["UTF", "SHA", "ISO", "RFC", "CVE", "MD", "AES", "UCS", "RSA", "HTTP", "TLS", "IEEE", "X", "CP"];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Habits {
    pub tests: Option<String>,
    pub folders: Vec<&'static str>,
    /// An example of an issue key.
    pub issue: Option<String>,
}

impl Habits {
    /// Looks at the project around the working directory and at its recorded sessions.
    pub fn of(env: &Env) -> Habits {
        let root = workspace::root(&env.cwd);
        let folders = FOLDERS.iter().filter(|folder| root.join(folder).is_dir()).take(MAX_FOLDERS).copied();
        let mut words = git::subjects(&root, env);
        words.extend(git::look(&root, env).and_then(|tree| tree.branch));
        Habits {
            tests: tests_in(&sessions(env, &root)).or_else(|| tests_of(&root)),
            folders: folders.collect(),
            issue: issue_in(&words),
        }
    }
}

/// The latest recorded sessions of the project.
fn sessions(env: &Env, root: &Path) -> Vec<Session> {
    let store =
        env.data_dir.as_deref().and_then(|dir| Store::open_existing(dir, Duration::from_secs(2)).ok()?);
    let Some(store) = store else { return Vec::new() };
    let listed = store.sessions().unwrap_or_default();
    let here = listed.iter().filter(|s| s.cwd.as_deref().is_some_and(|cwd| cwd.starts_with(root)));
    here.take(SESSIONS).filter_map(|s| Some(store.snapshot(&s.id).ok()??.1)).collect()
}

/// The test command that was run most often, as typed.
fn tests_in(sessions: &[Session]) -> Option<String> {
    let mut runs: BTreeMap<&str, u32> = BTreeMap::new();
    for run in sessions.iter().flat_map(|session| session.record.runs()).filter(|run| is_test(run.line)) {
        *runs.entry(run.line.core()).or_default() += 1;
    }
    let most = runs
        .into_iter()
        .filter(|(_, runs)| *runs > 1)
        .max_by_key(|(core, runs)| (*runs, usize::MAX - core.len()));
    most.map(|(core, _)| core.to_owned())
}

/// Whether a command runs all tests. One that names a single test is about today's work.
fn is_test(line: &ShellLine) -> bool {
    let core = line.core();
    let few = core.split_whitespace().count() <= 5 && core.len() <= 60;
    let plain = !core.contains(['"', '\'', '`', '|', ';', '&', '>', '$', '/', ':']);
    few && plain && line.runs_tests()
}

/// How tests are usually run in projects of this kind.
fn tests_of(root: &Path) -> Option<String> {
    let has = |file: &str| root.join(file).is_file();
    let known = [("Cargo.toml", "cargo test"), ("go.mod", "go test ./..."), ("mix.exs", "mix test")];
    if has("package.json") {
        let manager =
            [("pnpm-lock.yaml", "pnpm test"), ("yarn.lock", "yarn test"), ("bun.lockb", "bun test")];
        let tests = manager.iter().find(|(lock, _)| has(lock)).map_or("npm test", |(_, tests)| tests);
        return workspace::project::has_test_script(root).then(|| tests.to_owned());
    }
    let python =
        || ["pyproject.toml", "pytest.ini", "tox.ini"].iter().any(|file| has(file)).then_some("pytest");
    let found = known.iter().find(|(file, _)| has(file)).map(|(_, tests)| *tests);
    found.or_else(python).map(str::to_owned)
}

/// The most frequent kind of issue key: `ABC-123` of one project, or `#123`.
fn issue_in(texts: &[String]) -> Option<String> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for (_, word) in texts.iter().flat_map(|text| words(text, &['-', '#'])) {
        if let Some(kind) = issue_kind(word) {
            *counts.entry(kind).or_default() += 1;
        }
    }
    let most = counts.into_iter().filter(|(_, count)| *count > 1).max_by_key(|(_, count)| *count);
    most.map(|(kind, _)| format!("{kind}123"))
}

/// The part of an issue key before its number.
fn issue_kind(word: &str) -> Option<String> {
    let digits = |text: &str| !text.is_empty() && text.len() <= 6 && text.bytes().all(|b| b.is_ascii_digit());
    if let Some(number) = word.strip_prefix('#') {
        return digits(number).then(|| "#".to_owned());
    }
    let mut parts = word.split('-');
    let (key, number) = (parts.next()?, parts.next()?);
    let sound = (2..=10).contains(&key.len())
        && key.starts_with(|c: char| c.is_ascii_uppercase())
        && key.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    (sound && digits(number) && !NOT_ISSUE_KEYS.contains(&key)).then(|| format!("{key}-"))
}

pub fn section(habits: &Habits) -> String {
    let folders: Vec<String> = habits.folders.iter().map(|folder| format!("`{folder}/`")).collect();
    let below =
        if folders.is_empty() { String::new() } else { format!(" (here mostly in {})", folders.join(", ")) };
    let tests = habits.tests.as_ref().map(|tests| format!(", above all `{tests}`")).unwrap_or_default();
    let issues = habits.issue.as_ref().map(|issue| format!(", issues such as {issue}")).unwrap_or_default();
    format!(
        "## Compact Instructions

When this conversation is summarised, keep:

- what the user asked for and every standing instruction, correction and refusal, in the user's own words
- open tasks and plan steps with their state; done is only what a passing run, a commit or the user confirmed
- decisions with their reasons, and the answers the user gave to questions
- commands that fail with their error, and what was tried and given up
- files that were changed{below}, with exact paths
- commands that are run again{tests}, exactly as typed
- ids and numbers exactly as they are: commits, branches, versions, measured values{issues}
- what still runs in the background, by its id, and what is not committed

Do not spend space on file contents that can be read again, the output of commands that passed, how things were searched
for, or long lists of files and names that were only looked at.
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn section_is_adapted_to_the_project() {
        let habits = Habits {
            tests: Some("cargo test --workspace".into()),
            folders: vec!["crates", "docs"],
            issue: Some("ABC-123".into()),
        };
        insta::assert_snapshot!(section(&habits));
        let plain = section(&Habits::default());
        assert!(
            !plain.contains("above all") && !plain.contains("mostly") && !plain.contains("such as"),
            "{plain}"
        );
    }

    #[test]
    fn standards_are_not_issue_keys() {
        let texts = |list: &[&str]| list.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            issue_in(&texts(&["SHOP-12: fix", "feat/SHOP-13-login", "utf: UTF-8, UTF-16"])).as_deref(),
            Some("SHOP-123")
        );
        assert_eq!(issue_in(&texts(&["Fix (#12)", "Merge #13", "SHOP-1"])).as_deref(), Some("#123"));
        assert_eq!(issue_in(&texts(&["SHA-256 and SHA-512", "once ABC-1", "v1-2"])), None);
    }

    #[test]
    fn only_commands_that_run_all_tests_count() {
        for all in ["cargo test --workspace", "npm test", "pytest -q", "pnpm run test", "make check"] {
            assert!(is_test(&ShellLine::parse(all)), "{all}");
        }
        for not in [
            "cargo build",
            "cargo test a::b",
            "pytest tests/test_a.py",
            "npm test -- -t \"x\"",
            "git checkout test | cat",
        ] {
            assert!(!is_test(&ShellLine::parse(not)), "{not}");
        }
    }
}
