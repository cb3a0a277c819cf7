//! What does not work: commands whose latest run failed.

use super::text::{harmless, quote_foreign};
use super::{Fact, Known, Section};
use crate::session::commands::CommandUse;
use crate::session::{Session, one_line};

/// Latest failures shown.
const MOST: usize = 3;
/// Of these, shown whatever they cost: a failure that is not told is taken for a success.
const SURE: usize = 2;
/// Tool calls after which a test or build that nobody ran again is history.
const STALE: u32 = 60;
/// The same for anything else: what was called wrongly is called otherwise, or given up.
const SLIPPED: u32 = 15;

/// Commands that failed and have not passed since.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    open(session)
        .into_iter()
        .filter(|(core, _)| !told(known, core))
        .enumerate()
        .map(|(n, (core, c))| {
            let telling = c.outcome.as_ref().map(|o| o.telling.as_str()).unwrap_or_default();
            let command = one_line(&harmless(core), 120);
            let weight = 0.3 + c.heat.freshness(session.clock);
            let fact = Fact::new(
                Section::Failing,
                core,
                format!("`{command}` failed; output: {}", quote_foreign(telling, 160)),
            )
            .at(c.place)
            .or(format!("`{command}` failed"))
            .worth(weight, "its latest run failed");
            if n < SURE && super::commands::is_check(core) { fact.must() } else { fact }
        })
        .collect()
}

/// The summary names the command and speaks of its failing in the same line.
fn told(known: &Known, core: &str) -> bool {
    known.lines_with(core).any(|line| {
        let lower = line.to_lowercase();
        ["fail", "error", "broken", "does not", "doesn't"].iter().any(|word| lower.contains(word))
    })
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
    let age = session.clock.saturating_sub(command.heat.clock);
    command.outcome.as_ref().is_some_and(|o| !o.ok)
        && age <= STALE
        && (age <= SLIPPED || super::commands::is_check(core))
        && !super::commands::is_look(core)
        && !super::commands::looks_around(core)
        && !passed_since(session, core, command)
}

/// A later run shows that it is fixed, or that the agent went on. A test or a build is fixed by a run that takes
/// in the failed one: another test that passes says nothing. Of anything else a run of the same program and
/// subcommand will do: the agent has found out how it is called.
fn passed_since(session: &Session, core: &str, failed: &CommandUse) -> bool {
    let check = super::commands::is_check(core);
    let family = super::commands::family(core);
    session.commands.iter().any(|(other, c)| {
        c.heat.clock > failed.heat.clock
            && c.outcome.as_ref().is_some_and(|o| o.ok)
            && if check { takes_in(other, core) } else { super::commands::family(other) == family }
    })
}

/// Whether `wide` runs all that `narrow` does: whatever it names, the other names too, or something below it.
fn takes_in(wide: &str, narrow: &str) -> bool {
    let (wide, narrow) = (selected(wide), selected(narrow));
    !wide.is_empty()
        && wide.first() == narrow.first()
        && wide.iter().all(|w| narrow.iter().any(|n| is_below(n, w)))
}

/// What a command names: its program, subcommand and what it is to run, without settings, flags and words for
/// "all of it".
fn selected(core: &str) -> Vec<&str> {
    const WRAPPERS: [&str; 6] = ["time", "sudo", "npx", "env", "run", "exec"];
    let mut words: Vec<&str> = core.split(' ').collect();
    if words.first() == Some(&"timeout") {
        words.drain(..words.len().min(2));
    }
    let all = |w: &str| matches!(w, "." | "./..." | "&&" | "all");
    words.retain(|w| !w.starts_with('-') && !WRAPPERS.contains(w) && !all(w) && !is_setting(w));
    words
}

fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'))
}

/// `tests/a.py::test_x` lies below `tests/a.py` and `tests`.
fn is_below(narrow: &str, wide: &str) -> bool {
    let wide = wide.trim_end_matches("/...").trim_end_matches('/');
    narrow.strip_prefix(wide).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_takes_in_what_it_runs_and_no_other() {
        let cases = [
            ("cargo test", "cargo test parse_line", true),
            ("cargo test b", "cargo test a", false),
            ("cargo test -p x", "cargo test -p x parse", true),
            ("cargo test --workspace", "RUST_LOG=debug cargo test -p x", true),
            ("cargo test -p x", "cargo test", false),
            ("pytest tests/a.py", "pytest tests/a.py::test_x -q", true),
            ("pytest tests/b.py", "pytest tests/a.py", false),
            ("go test ./...", "go test ./pkg/x", true),
            ("go test ./pkg/...", "go test ./pkg/x", true),
            ("npm test", "npm run test", true),
            ("npm run lint", "npm run test", false),
            ("timeout 60 make check", "make check", true),
        ];
        for (wide, narrow, expected) in cases {
            assert_eq!(takes_in(wide, narrow), expected, "{wide} / {narrow}");
        }
    }
}
