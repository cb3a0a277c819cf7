//! Commands worth repeating: exactly as typed, with their folder and the result of their last run.

use std::collections::BTreeMap;

use super::context::probability;
use super::failures::changed_since;
use super::{Fact, KnownText, Section, Why};
use crate::quote::{code, name};
use crate::session::Session;
use crate::session::commands::{CommandOutcome, CommandUse, complains};
use crate::session::failures::fails_since;
use crate::session::files::FileUse;
use crate::session::shell::{ShellStep, is_check, steps};
use crate::session::shell_purpose::{
    CommandRole, is_narrow, is_worth_repeating, job, purpose, serves, without_cosmetics,
};
use crate::session::shown::shown_path;

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
    let mut latest: BTreeMap<String, (&str, &CommandUse)> = BTreeMap::new();
    for (core, command) in session.commands.iter().filter(|(core, c)| is_shown(session, core, c)) {
        let same = latest.entry(without_cosmetics(core)).or_insert((core, command));
        if command.place > same.1.place {
            *same = (core, command);
        }
    }
    let is_recent = |core: &str, command: &CommandUse| {
        let age = session.clock.saturating_sub(command.heat.clock);
        if is_narrow(core) { age <= OLD_NARROW } else { age <= OLD || command.runs > FEW }
    };
    let all: Vec<(&str, &CommandUse)> =
        latest.into_values().filter(|(core, command)| is_recent(core, command)).collect();
    let (gone, there): (Vec<_>, Vec<_>) = session.files.iter().partition(|(_, file)| file.removed.is_some());
    let paths =
        |files: &[(&str, FileUse)]| files.iter().map(|(path, _)| (*path).to_owned()).collect::<Vec<_>>();
    let (gone, there) = (paths(&gone), paths(&there));
    let missing = all.iter().filter(|(core, c)| {
        !needs_one_of(&gone, &there, core, c)
            && !known.has(core)
            && !known.has(&without_cosmetics(core))
            && !is_covered(session, core, c, &all)
    });
    let mut facts: Vec<Fact> = missing.map(|(core, command)| fact(session, core, command)).collect();
    facts.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    facts.truncate(MAX_COMMAND_CANDIDATES);
    facts
}

/// The command names a deleted file, or runs what was built from a deleted source: `build/bench` from `bench.c`.
fn needs_one_of(gone: &[String], there: &[String], core: &str, command: &CommandUse) -> bool {
    let folder = folder_of(command).unwrap_or_default();
    let is_it = |path: &str, name: &str| {
        if name.starts_with('/') { path == name } else { path.ends_with(&format!("{folder}/{name}")) }
    };
    let is_source = |path: &str, program: &str| {
        let (stem, name) = (path.rsplit_once('.').map_or("", |(stem, _)| stem), last_part(program));
        last_part(stem) == name
    };
    let builds = ["make ", "ninja "].iter().any(|program| core.contains(program));
    let steps = steps(core);
    let mut words = steps.iter().flat_map(|step| step.core.split_whitespace().enumerate());
    words.any(|(at, word)| {
        let name = word.trim_matches(['"', '\'']).trim_start_matches("./");
        let names_file = name.contains(['/', '.']) && gone.iter().any(|path| is_it(path, name));
        // A program of the project, or the target of a build.
        let runs = (at == 0 && word.contains('/')) || (at > 0 && builds && !word.starts_with('-'));
        let is_built = runs && gone.iter().any(|path| is_source(path, name));
        names_file || (is_built && !there.iter().any(|path| is_source(path, name)))
    })
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a job begins with the words of another.
fn is_start(start: &str, job: &str) -> bool {
    job.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Later lines did everything that this line does, for the same files or more.
fn is_covered(session: &Session, core: &str, command: &CommandUse, all: &[(&str, &CommandUse)]) -> bool {
    let is_later = |other: &(&str, &CommandUse)| {
        let folder = |command| folder_of(command).or(session.root());
        other.1.place > command.place && folder(other.1) == folder(command)
    };
    let later: Vec<(bool, String)> = all
        .iter()
        .filter(|other| is_later(other))
        .flat_map(|(core, _)| steps(core).into_iter().map(|step| (is_narrow(&step.core), job(&step.core))))
        .collect();
    let is_done = |step: &ShellStep| {
        let (narrow, job) = (is_narrow(&step.core), job(&step.core));
        later.iter().any(|(other_narrow, other)| {
            // `cargo test` runs what `cargo test parser` runs; `ruff check src` what `ruff check src/a.py` does.
            let is_wider = is_start(other, &job) && (narrow || !other_narrow);
            is_wider || (narrow && !other_narrow && is_start(&job, other))
        })
    };
    // What a line echoes is not a run.
    steps(core).iter().filter(|step| purpose(&step.core) != CommandRole::Aside).all(is_done)
}

fn is_shown(session: &Session, core: &str, command: &CommandUse) -> bool {
    let has_worked = |outcome: &CommandOutcome| outcome.ok && (outcome.sure || !complains(&outcome.telling));
    // A job in the background has no outcome; a server that is over may have failed.
    let is_running = || !serves(core) || session.running.values().any(|job| job.what == command.text);
    (4..=MAX_COMMAND).contains(&core.len())
        && !command.text.contains('\n')
        && !command.is_gone
        && command.outcome.as_ref().map_or_else(is_running, has_worked)
        && is_worth_repeating(core, command.runs)
}

fn fact(session: &Session, core: &str, command: &CommandUse) -> Fact {
    let age = session.clock.saturating_sub(command.heat.clock);
    let why = Why::Run { times: u32::from(command.runs), age };
    let folder = folder(session, core, command).map(|folder| format!("in {folder}; ")).unwrap_or_default();
    let line = format!("{} ({folder}{})", code(core, MAX_COMMAND), last_run(session, core, command));
    let fact = Fact::new(Section::Commands, core, line).at(command.place);
    fact.worth(probability(log_odds(session, core, command)), why)
}

/// The result of the last run, and whether files have changed since.
fn last_run(session: &Session, core: &str, command: &CommandUse) -> String {
    let (clock, place) = (command.heat.clock, command.place);
    let sure = command.outcome.as_ref().filter(|outcome| outcome.sure && !fails_since(session, core, clock));
    // What runs on another machine passes no check of these files.
    let Some(outcome) = sure.filter(|_| !core.starts_with("ssh ")) else { return format!("ran at {place}") };
    // Other programs print numbers of what passed, too.
    let counts = outcome.counts.filter(|_| is_check(core));
    let what = counts.map_or_else(|| "passed".to_owned(), |counts| counts.to_string());
    format!("{what} at {place}{}", changed_since(session, clock))
}

/// The folder it ran in, unless that is the session's own or the command changes to it itself.
fn folder(session: &Session, core: &str, command: &CommandUse) -> Option<String> {
    let folder = folder_of(command)?;
    let shown = shown_path(session, folder);
    let is_elsewhere = session.root() != Some(folder) && !core.starts_with("cd ") && !shown.is_empty();
    is_elsewhere.then(|| name(shown, 80))
}

/// A line that starts with `cd` ran there, wherever the shell was.
fn folder_of(command: &CommandUse) -> Option<&str> {
    changed_to(&command.text).or(command.folder.as_deref())
}

/// The folder that a line changes to first.
fn changed_to(line: &str) -> Option<&str> {
    let (folder, _) = line.trim_start().strip_prefix("cd ")?.split_once("&&")?;
    Some(folder.trim().trim_matches(['"', '\'']).trim_end_matches('/')).filter(|folder| !folder.is_empty())
}

/// An argument in quotes is mostly for one run. What a check echoes is not an argument.
fn has_quotes(core: &str) -> bool {
    let is_quoted = |step: &str| step.contains(['"', '\'']);
    if !is_check(core) {
        return is_quoted(core);
    }
    steps(core).iter().any(|step| !step.core.starts_with("echo ") && is_quoted(&step.core))
}

fn log_odds(session: &Session, core: &str, command: &CommandUse) -> f32 {
    let now = session.clock;
    let one = |mark: bool| if mark { 1.0 } else { 0.0 };
    -1.3 + 1.7 * command.heat.level(now) + 1.2 * command.heat.freshness(now)
        - 0.65 * (core.len() as f32).log2()
        + 1.1 * one(is_check(core))
        - 1.4 * one(has_quotes(core))
}
