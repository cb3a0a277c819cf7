//! Commands the agent ran, with their latest outcome.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::heat::Heat;
use super::paths::joined;
use super::shell::{Counts, ShellAnswer};
use super::{one_line, shell};
use crate::model::entry::Place;

/// Commands kept when pruning (about 500 kB); pruning starts at twice as many and drops the least used.
const MAX_COMMANDS: usize = 1_000;
/// Longer commands are scripts and are not recorded; the transcript still has them.
const MAX_COMMAND_BYTES: usize = 2_000;

/// One command over all its runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CommandUse {
    /// As last typed.
    pub text: String,
    /// Times run.
    pub runs: u16,
    pub heat: Heat,
    /// Row of the latest run.
    pub place: Place,
    /// Outcome of the latest run.
    pub outcome: Option<CommandOutcome>,
    /// Working directory of the latest run.
    pub folder: Option<String>,
    /// Its program was moved or removed since.
    pub is_gone: bool,
    /// The run before the latest one.
    earlier: Option<EarlierRun>,
}

/// What is restored when the latest run turns out not to have happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct EarlierRun {
    heat: Heat,
    place: Place,
    outcome: Option<CommandOutcome>,
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommandOutcome {
    pub ok: bool,
    /// Nothing in the output contradicts `ok`.
    pub sure: bool,
    /// Test counts, if it ran tests.
    pub counts: Option<Counts>,
    /// The line of the output that says how it went.
    pub telling: String,
}

/// All commands, by their [`shell::core`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Commands {
    /// Whether any were pruned.
    pub forgot: bool,
    map: BTreeMap<String, CommandUse>,
}

impl Commands {
    /// Records the start of a command.
    pub fn ran(&mut self, core: &str, command: &str, clock: u32, place: Place) {
        if core.is_empty() || core.len() > MAX_COMMAND_BYTES {
            return;
        }
        let entry = self.map.entry(core.to_owned()).or_default();
        // The brief shows a command on one line, so prefer a run that was typed on one line.
        let command = shell::without_comment(command);
        if !command.contains('\n') || entry.text.is_empty() {
            command.clone_into(&mut entry.text);
        }
        let earlier = EarlierRun { heat: entry.heat, place: entry.place, outcome: entry.outcome.take() };
        entry.earlier = (entry.runs > 0).then_some(earlier);
        entry.heat.touch(clock);
        entry.runs = entry.runs.saturating_add(1);
        (entry.place, entry.is_gone) = (place, false);
        if self.map.len() > 2 * MAX_COMMANDS {
            self.drop_least_used();
        }
    }

    /// Records the working directory of a command.
    pub fn ran_in(&mut self, core: &str, folder: Option<&str>) {
        if let Some(entry) = self.map.get_mut(core) {
            entry.folder = folder.map(str::to_owned);
        }
    }

    /// Records the end of a command. Returns its outcome, or `None` if the output does not say.
    pub fn answered(&mut self, core: &str, command: &str, answer: &ShellAnswer) -> Option<CommandOutcome> {
        let outcome = shell::passed(command, answer).map(|ok| CommandOutcome {
            ok,
            sure: ok && shell::surely_passed(command, answer),
            counts: shell::counted(answer.output),
            telling: telling(answer, ok),
        });
        if let Some(entry) = self.map.get_mut(core) {
            entry.outcome.clone_from(&outcome);
        }
        outcome
    }

    /// Takes back the latest run: the client skipped the call, or the person did not let it run.
    pub fn skipped(&mut self, core: &str) {
        let Some(entry) = self.map.get_mut(core) else { return };
        match entry.earlier.take() {
            Some(EarlierRun { heat, place, outcome }) => {
                entry.runs -= 1;
                (entry.heat, entry.place, entry.outcome) = (heat, place, outcome);
            }
            None => _ = self.map.remove(core),
        }
    }

    /// Something unknown ran: what failed may have passed since.
    pub fn failures_forgotten(&mut self) {
        for command in self.map.values_mut() {
            command.outcome.take_if(|outcome| !outcome.ok);
        }
    }

    /// Marks the commands whose program was moved or removed.
    pub fn lost_program(&mut self, path: &str) {
        let runs_it = |command: &CommandUse| {
            let folder = command.folder.as_deref().unwrap_or_default();
            let programs = shell::steps(&command.text).into_iter().filter_map(|step| {
                let program = step.core.split(' ').find(|word| !shell::is_setting(word))?;
                program.contains('/').then(|| joined(folder, program))
            });
            programs.into_iter().any(|program| program == path)
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        for command in self.map.values_mut() {
            command.is_gone |= command.text.contains(name) && runs_it(command);
        }
    }

    /// All commands, by their core.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &CommandUse)> {
        self.map.iter().map(|(core, use_)| (core.as_str(), use_))
    }

    fn drop_least_used(&mut self) {
        self.forgot = true;
        let mut all: Vec<(String, CommandUse)> = std::mem::take(&mut self.map).into_iter().collect();
        all.sort_by(|a, b| {
            (b.1.runs.min(3), b.1.heat.clock)
                .cmp(&(a.1.runs.min(3), a.1.heat.clock))
                .then_with(|| a.0.cmp(&b.0))
        });
        all.truncate(MAX_COMMANDS);
        self.map = all.into_iter().collect();
    }
}

/// Whether a line of output says that something went wrong.
pub fn complains(line: &str) -> bool {
    shell::is_error_line(line) || line.contains(": invalid ")
}

/// The last line with counts. Else the first error line if it failed, else the only line or the first one if it
/// complains, else the last.
fn telling(answer: &ShellAnswer, ok: bool) -> String {
    let output = answer.output;
    if let Some(counts) = answer.outcome().count_line {
        return one_line(counts, 240);
    }
    let lines = || output.lines().map(str::trim).filter(|l| !l.is_empty());
    let line = if ok {
        lines().next().filter(|line| complains(line)).or_else(|| lines().next_back())
    } else {
        // The path of a screenshot says nothing.
        let mut errors = lines().filter(|l| shell::is_error_line(l));
        errors.clone().find(|l| l.contains(' ')).or_else(|| errors.next()).or_else(|| lines().next())
    };
    line.map_or_else(String::new, |l| one_line(l, 240))
}
