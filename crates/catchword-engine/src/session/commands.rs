//! Commands the agent ran, and how they ended last.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::heat::Heat;
use super::shell::{Counts, ShellAnswer};
use super::{one_line, shell};
use crate::model::entry::Place;

/// Commands that are always remembered, 500 kB of them; past twice as many the least used go.
const MAX_COMMANDS: usize = 1_000;
/// Longest command that is worth carrying: longer ones are scripts, found again by their place.
const MAX_COMMAND_BYTES: usize = 2_000;

/// One command over all its runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CommandUse {
    /// As last typed.
    pub text: String,
    /// Times run.
    pub runs: u16,
    /// All its runs.
    pub heat: Heat,
    /// Where it last ran.
    pub place: Place,
    /// How it last ended.
    pub outcome: Option<CommandOutcome>,
    /// The folder it last ran in.
    pub folder: Option<String>,
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommandOutcome {
    /// It passed.
    pub ok: bool,
    /// Nothing in its answer contradicts that.
    pub sure: bool,
    /// Tests that it counted.
    pub counts: Option<Counts>,
    /// The telling lines of its output.
    pub telling: String,
}

/// All commands, by what stays the same between runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Commands {
    /// Some of them are no longer remembered.
    pub forgot: bool,
    map: BTreeMap<String, CommandUse>,
}

impl Commands {
    /// A command was started; with its [`shell::core`].
    pub fn ran(&mut self, core: &str, command: &str, clock: u32, place: Place) {
        if core.is_empty() || core.len() > MAX_COMMAND_BYTES {
            return;
        }
        let entry = self.map.entry(core.to_owned()).or_default();
        // A command of several lines is shown on one, which only works for one that was typed on one.
        let command = shell::without_comment(command);
        if !command.contains('\n') || entry.text.is_empty() {
            command.clone_into(&mut entry.text);
        }
        entry.heat.touch(clock);
        entry.runs = entry.runs.saturating_add(1);
        (entry.place, entry.outcome) = (place, None);
        if self.map.len() > 2 * MAX_COMMANDS {
            self.forget_the_least_used();
        }
    }

    /// The folder that a command was started in.
    pub fn ran_in(&mut self, core: &str, folder: Option<&str>) {
        if let Some(entry) = self.map.get_mut(core) {
            entry.folder = folder.map(str::to_owned);
        }
    }

    /// A command has ended; gives how, where its answer tells.
    pub fn answered(&mut self, core: &str, command: &str, answer: &ShellAnswer) -> Option<CommandOutcome> {
        let outcome = shell::passed(command, answer).map(|ok| CommandOutcome {
            ok,
            sure: ok && shell::surely_passed(command, answer),
            counts: shell::counted(answer.output),
            telling: telling(answer.output, ok),
        });
        if let Some(entry) = self.map.get_mut(core) {
            entry.outcome.clone_from(&outcome);
        }
        outcome
    }

    /// A command was not run after all.
    pub fn skipped(&mut self, core: &str) {
        if let Some(entry) = self.map.get_mut(core) {
            entry.runs = entry.runs.saturating_sub(1);
            if entry.runs == 0 {
                self.map.remove(core);
            }
        }
    }

    /// All commands, by their core.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &CommandUse)> {
        self.map.iter().map(|(core, use_)| (core.as_str(), use_))
    }

    fn forget_the_least_used(&mut self) {
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

/// The lines of an output that tell how it went: the error, or the last line.
fn telling(output: &str, ok: bool) -> String {
    let lines = || output.lines().map(str::trim).filter(|l| !l.is_empty());
    let line = if ok {
        lines().next_back()
    } else {
        lines().find(|l| shell::is_error_line(l)).or_else(|| lines().next())
    };
    line.map_or_else(String::new, |l| one_line(l, 240))
}
