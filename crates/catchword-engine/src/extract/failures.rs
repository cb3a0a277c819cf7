//! What does not work: commands whose latest run failed.

use super::text::{harmless, quote};
use super::{Fact, Known, Section};
use crate::session::commands::CommandUse;
use crate::session::{Session, one_line};

/// Latest failures shown.
const MOST: usize = 4;
/// Of these, shown whatever they cost: a failure that is not told is taken for a success.
const SURE: usize = 2;
/// Tool calls after which a failure nobody returned to is history.
const STALE: u32 = 60;

/// Commands that failed and have not passed since.
pub fn facts(session: &Session, _known: &Known) -> Vec<Fact> {
    open(session)
        .into_iter()
        .enumerate()
        .map(|(n, (core, c))| {
            let telling = c.outcome.as_ref().map(|o| o.telling.as_str()).unwrap_or_default();
            let command = one_line(&harmless(core), 200);
            let weight = 0.3 + c.heat.freshness(session.clock);
            let fact = Fact::new(
                Section::Failing,
                core,
                format!("`{command}` failed; output: {}", quote(telling, 240)),
            )
            .at(c.place)
            .or(format!("`{command}` failed"))
            .worth(weight, "its latest run failed");
            if n < SURE && super::commands::is_check(core) { fact.must() } else { fact }
        })
        .collect()
}

/// The latest commands that failed and have not passed since, the latest first.
pub fn open(session: &Session) -> Vec<(&str, &CommandUse)> {
    let mut failed: Vec<(&str, &CommandUse)> =
        session.commands.iter().filter(|(core, c)| is_open(session, core, c)).collect();
    failed.sort_by_key(|(_, c)| std::cmp::Reverse(c.heat.clock));
    failed.truncate(MOST);
    failed
}

fn is_open(session: &Session, core: &str, command: &CommandUse) -> bool {
    let failed = command.outcome.as_ref().is_some_and(|o| !o.ok);
    failed
        && session.clock.saturating_sub(command.heat.clock) <= STALE
        && !super::commands::is_look(core)
        && !super::commands::looks_around(core)
        && !passed_since(session, core, command)
}

/// A run of the same program and subcommand has passed since: the failure is fixed, or the agent went on.
fn passed_since(session: &Session, core: &str, failed: &CommandUse) -> bool {
    let family = super::commands::family(core);
    session.commands.iter().any(|(other, c)| {
        c.heat.clock > failed.heat.clock
            && c.outcome.as_ref().is_some_and(|o| o.ok)
            && super::commands::family(other) == family
    })
}
