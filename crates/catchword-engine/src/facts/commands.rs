//! Commands worth repeating: exactly as typed, with their folder and the result of their last run.

use std::collections::BTreeMap;

use super::context::probability;
use super::failures::changed_since;
use super::{Fact, KnownText, Section, Why};
use crate::lexicon::programs::Purpose;
use crate::reading::command::{ShellLine, Step};
use crate::reading::effects::first_folder;
use crate::reading::report::complains;
use crate::session::Session;
use crate::session::commands::{CommandOutcome, CommandUse};
use crate::session::failures::fails_since;
use crate::session::files::FileUse;
use crate::session::paths::joined;
use crate::session::shown::shown_path;
use crate::text::quote::{code, name};

/// Most candidates passed on.
const MAX_COMMAND_CANDIDATES: usize = 10;
/// Tool calls after which a command that ran at most this often is no longer worth repeating.
const OLD: u32 = 100;
const FEW: u16 = 2;
/// The same for a run of single tests or files, which matter only while they are worked on.
const OLD_NARROW: u32 = 40;
/// Longest command shown; longer ones are scripts.
const MAX_COMMAND: usize = 300;

/// Commands likely to be run again. Failing ones are listed with the failures.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let mut latest: BTreeMap<String, &CommandUse> = BTreeMap::new();
    for (_, command) in session.commands.iter().filter(|(_, command)| is_shown(session, command)) {
        let same = latest.entry(command.line.key()).or_insert(command);
        if command.place > same.place {
            *same = command;
        }
    }
    let is_recent = |command: &&CommandUse| {
        let age = session.clock.saturating_sub(command.heat.clock);
        if command.line.is_narrow() { age <= OLD_NARROW } else { age <= OLD || command.runs > FEW }
    };
    let all: Vec<&CommandUse> = latest.into_values().filter(is_recent).collect();
    let (gone, there): (Vec<_>, Vec<_>) = session.files.iter().partition(|(_, file)| file.removed.is_some());
    let paths =
        |files: &[(&str, FileUse)]| files.iter().map(|(path, _)| (*path).to_owned()).collect::<Vec<_>>();
    let (gone, there) = (paths(&gone), paths(&there));
    let missing = all.iter().filter(|command| {
        !needs_one_of(&gone, &there, command)
            && !known.has(command.line.core())
            && !known.has(&command.line.key())
            && !is_covered(session, command, &all)
    });
    let mut facts: Vec<Fact> = missing.map(|command| fact(session, command)).collect();
    facts.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    facts.truncate(MAX_COMMAND_CANDIDATES);
    facts
}

/// The command names a deleted file, or runs what was built from a deleted source: `build/bench` from `bench.c`.
fn needs_one_of(gone: &[String], there: &[String], command: &CommandUse) -> bool {
    let folder = folder_of(command);
    let is_it = |path: &str, name: &str| {
        if name.starts_with('/') { path == name } else { path.ends_with(&format!("{folder}/{name}")) }
    };
    let is_source = |path: &str, program: &str| {
        let (stem, name) = (path.rsplit_once('.').map_or("", |(stem, _)| stem), last_part(program));
        last_part(stem) == name
    };
    let is_gone = |name: &str, runs: bool| {
        let name = name.trim_start_matches("./");
        let names_file = name.contains(['/', '.']) && gone.iter().any(|path| is_it(path, name));
        let is_built = runs && gone.iter().any(|path| is_source(path, name));
        names_file || (is_built && !there.iter().any(|path| is_source(path, name)))
    };
    command.line.steps().iter().any(|step| {
        let builds = matches!(step.program.as_str(), "make" | "ninja");
        // A program of the project, or the target of a build.
        is_gone(&step.called, step.called.contains('/'))
            || step.texts().any(|word| is_gone(word, builds && !word.starts_with('-')))
    })
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Later lines did everything that this line does, for the same files or more.
fn is_covered(session: &Session, command: &CommandUse, all: &[&CommandUse]) -> bool {
    let folder = |command: &CommandUse| {
        let folder = folder_of(command);
        if folder.is_empty() { session.root().unwrap_or_default().to_owned() } else { folder }
    };
    let later = || {
        let later = all.iter().filter(|other| other.place > command.place);
        later.filter(|other| folder(other) == folder(command)).flat_map(|other| other.line.work())
    };
    // `ruff check src tests` does what `ruff check src/a.py` does.
    let is_wider =
        |other: &Step, step: &Step| step.is_narrow() && !other.is_narrow() && other.family() == step.family();
    let is_done = |step: &Step| later().any(|other| other.covers(step) || is_wider(other, step));
    command.line.work().all(is_done)
}

/// Whether somebody who takes over may want to rerun this line, which ran `runs` times. Steps done once do not matter next
/// to work, because they prepare it: `mkdir build && make`.
fn is_worth_repeating(line: &ShellLine, runs: u16) -> bool {
    let has = |is: &dyn Fn(&Step) -> bool| line.work().any(is);
    let works = |step: &Step| (step.is_work() || step.is_elsewhere) && !step.is_one_off();
    let is_unknown = |step: &Step| step.purpose == Purpose::Unknown;
    let others = |step: &Step| !works(step) && !is_unknown(step);
    (has(&works) || (runs > 1 && has(&is_unknown) && !has(&others)))
        && !has(&|step| step.purpose == Purpose::VersionControl)
}

fn is_shown(session: &Session, command: &CommandUse) -> bool {
    let line = &command.line;
    let has_worked = |outcome: &CommandOutcome| outcome.ok && (outcome.sure || !complains(&outcome.telling));
    // A job in the background has no outcome; a server that is over may have failed.
    let is_running = || !line.serves() || session.running.values().any(|job| job.what == line.text());
    (4..=MAX_COMMAND).contains(&line.core().len())
        && !line.text().contains('\n')
        && !command.is_gone
        && command.outcome.as_ref().map_or_else(is_running, has_worked)
        && is_worth_repeating(line, command.runs)
}

fn fact(session: &Session, command: &CommandUse) -> Fact {
    let core = command.line.core();
    let age = session.clock.saturating_sub(command.heat.clock);
    let why = Why::Run { times: u32::from(command.runs), age };
    let folder = shown_folder(session, command).map(|folder| format!("in {folder}; ")).unwrap_or_default();
    let line = format!("{} ({folder}{})", code(core, MAX_COMMAND), last_run(session, command));
    let fact = Fact::new(Section::Commands, core, line).at(command.place);
    fact.worth(probability(log_odds(session, command)), why)
}

/// The result of the last run, and whether files have changed since.
fn last_run(session: &Session, command: &CommandUse) -> String {
    let (clock, place) = (command.heat.clock, command.place);
    let sure = command
        .outcome
        .as_ref()
        .filter(|outcome| outcome.sure && !fails_since(session, &command.line, clock));
    let is_elsewhere = command.line.steps().iter().any(|step| step.is_elsewhere);
    // What runs on another machine passes no check of these files.
    let Some(outcome) = sure.filter(|_| !is_elsewhere) else { return format!("ran at {place}") };
    // Other programs print numbers of what passed, too.
    let counts = outcome.counts.filter(|_| command.line.is_check());
    let what = counts.map_or_else(|| "passed".to_owned(), |counts| counts.to_string());
    format!("{what} at {place}{}", changed_since(session, clock))
}

/// The folder it ran in, unless that is the session's own or the command changes to it itself.
fn shown_folder(session: &Session, command: &CommandUse) -> Option<String> {
    let folder = folder_of(command);
    let shown = shown_path(session, &folder);
    let is_elsewhere = session.root() != Some(&folder) && !command.line.core().starts_with("cd ");
    (is_elsewhere && !shown.is_empty()).then(|| name(shown, 80))
}

/// A line that starts with `cd` ran there, wherever the shell was.
fn folder_of(command: &CommandUse) -> String {
    let folder = joined(command.folder.as_deref().unwrap_or_default(), &first_folder(&command.line));
    folder.trim_end_matches('/').to_owned()
}

/// An argument in quotes is mostly for one run. What a line echoes is not an argument.
fn has_quotes(line: &ShellLine) -> bool {
    line.work().any(|step| step.text.contains(['"', '\'']))
}

fn log_odds(session: &Session, command: &CommandUse) -> f32 {
    let line = &command.line;
    let now = session.clock;
    let one = |mark: bool| if mark { 1.0 } else { 0.0 };
    -1.3 + 1.7 * command.heat.level(now) + 1.2 * command.heat.freshness(now)
        - 0.65 * (line.core().len() as f32).log2()
        + 1.1 * one(line.is_check())
        - 1.4 * one(has_quotes(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(line: &str, runs: u16) -> bool {
        is_worth_repeating(&ShellLine::parse(line), runs)
    }

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
            assert!(worth(core, 1), "{core}");
        }
        assert!(worth("mytool sync", 2) && !worth("mytool sync", 1));
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
            assert!(!worth(core, 3), "{core}");
        }
    }
}
