//! Commands the agent ran, with their latest outcome.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::heat::Heat;
use super::paths::joined;
use crate::model::entry::Place;
use crate::reading::command::ShellLine;
use crate::reading::outcome::{Counts, Outcome};

/// Commands kept when pruning (about 500 kB); pruning starts at twice as many and drops the least used.
const MAX_COMMANDS: usize = 1_000;
/// Longer commands are scripts and are not recorded; the transcript still has them.
const MAX_COMMAND_BYTES: usize = 2_000;

/// One command over all its runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CommandUse {
    /// As last typed.
    pub line: ShellLine,
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

/// All commands, by their [`ShellLine::core`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Commands {
    /// Whether any were pruned.
    pub forgot: bool,
    map: BTreeMap<String, CommandUse>,
}

impl Commands {
    /// Records the start of a command.
    pub fn ran(&mut self, line: &ShellLine, clock: u32, place: Place, folder: Option<&str>) {
        let core = line.core();
        if core.is_empty() || core.len() > MAX_COMMAND_BYTES {
            return;
        }
        let entry = self.map.entry(core.to_owned()).or_default();
        // The brief shows a command on one line, so prefer a run that was typed on one line.
        if !line.text().contains('\n') || entry.runs == 0 {
            entry.line = line.clone();
        }
        let earlier = EarlierRun { heat: entry.heat, place: entry.place, outcome: entry.outcome.take() };
        entry.earlier = (entry.runs > 0).then_some(earlier);
        entry.heat.touch(clock);
        entry.runs = entry.runs.saturating_add(1);
        (entry.place, entry.is_gone, entry.folder) = (place, false, folder.map(str::to_owned));
        if self.map.len() > 2 * MAX_COMMANDS {
            self.drop_least_used();
        }
    }

    /// Records the end of a command. Returns its outcome, or `None` if the output does not say.
    pub fn answered(&mut self, line: &ShellLine, outcome: &Outcome) -> Option<CommandOutcome> {
        let ended = outcome.of_line(line).passed().map(|ok| CommandOutcome {
            ok,
            sure: ok && outcome.surely_passed(line),
            counts: outcome.counts,
            telling: outcome.telling(ok),
        });
        if let Some(entry) = self.map.get_mut(line.core()) {
            entry.outcome.clone_from(&ended);
        }
        ended
    }

    /// Takes back the latest run: the client skipped the call, or the person did not let it run.
    pub fn skipped(&mut self, line: &ShellLine) {
        let Some(entry) = self.map.get_mut(line.core()) else { return };
        match entry.earlier.take() {
            Some(EarlierRun { heat, place, outcome }) => {
                entry.runs -= 1;
                (entry.heat, entry.place, entry.outcome) = (heat, place, outcome);
            }
            None => _ = self.map.remove(line.core()),
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
            let mut programs = command.line.steps().iter().map(|step| step.called.as_str());
            programs.any(|program| program.contains('/') && joined(folder, program) == path)
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        for command in self.map.values_mut() {
            command.is_gone |= command.line.text().contains(name) && runs_it(command);
        }
    }

    /// All commands, by their core.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &CommandUse)> {
        self.map.iter().map(|(core, command)| (core.as_str(), command))
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
