//! What does not work: commands whose latest run failed, and what was changed since.

use super::{Fact, KnownText, Section};
use crate::quote::{code, names, quote_foreign};
use crate::session::Session;
use crate::session::failures::{Failure, is_merge, open};
use crate::session::heat::{COOLING, freshness};
use crate::session::shell::{is_check, steps};
use crate::session::shell_purpose::is_narrow;
use crate::text::numbers::count_of;

/// This many are shown whatever they cost: an unreported failure is taken for a success.
const SURE: usize = 2;

/// Commands that failed and have not passed since.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let lost = open(session).into_iter().filter(|failure| !told(known, failure));
    lost.enumerate()
        .map(|(n, failure)| {
            let fact = fact_of(session, failure);
            if n < SURE && is_check(&failure.core) { fact.must() } else { fact }
        })
        .collect()
}

fn fact_of(session: &Session, failure: &Failure) -> Fact {
    let ended = if is_merge(&failure.core) { "stopped and was not completed since" } else { "failed" };
    let command = format!("{} {ended}", code(&failure.core, 120));
    let cut = if failure.cut { " (the output is cut: others may have failed)" } else { "" };
    let output = match (failure.tests.as_slice(), failure.telling.as_str()) {
        ([], "") => String::new(),
        ([], telling) => format!(": {}{cut}", quote_foreign(telling, 160)),
        (tests, _) => {
            let (named, more) = names(tests.iter().map(String::as_str), 320);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!(": {named}{more}{cut}")
        }
    };
    let since = format!("{}{}", changed_since(session, failure.clock), passed_since(session, failure));
    let freshness = freshness(failure.clock, session.clock, COOLING);
    let fact = Fact::new(Section::Failing, &failure.core, format!("{command}{output}{since}"));
    fact.at(failure.place).or(format!("{command}{since}")).worth(0.3 + freshness, "its latest run failed")
}

/// "; `make lib` passed at L40 since": another command of the same program, which may cover a part of this one.
fn passed_since(session: &Session, failure: &Failure) -> String {
    let program =
        |core: &str| steps(core).into_iter().map(|step| step.core).find(|core| !core.starts_with("cd "));
    // The targets of `make` are parts of one build; `cargo test` says nothing about `cargo clippy`.
    let first = |core: &str| {
        let core = program(core)?;
        let words = if core.starts_with("make") || core.starts_with("ninja") { 1 } else { 2 };
        Some(core.split(' ').take(words).collect::<Vec<_>>().join(" "))
    };
    let own = first(&failure.core);
    let later = session.commands.iter().filter(|(core, run)| {
        let passed = run.outcome.as_ref().is_some_and(|outcome| outcome.sure);
        // A run of other tests or files says nothing about these.
        let is_other = is_narrow(&failure.core) && is_narrow(core);
        run.heat.clock > failure.clock && passed && is_check(core) && first(core) == own && !is_other
    });
    later
        .max_by_key(|(_, run)| run.place)
        .map_or_else(String::new, |(core, run)| format!("; {} passed at {} since", code(core, 80), run.place))
}

/// "; 2 files edited since".
pub fn changed_since(session: &Session, clock: u32) -> String {
    // What subagents, formatters and installers edit is not counted.
    const REWRITES: [&str; 5] = ["fmt", "format", "fix", " add ", "install"];
    let rewrites = |core: &str| REWRITES.iter().any(|word| core.contains(word)) && !core.contains("--check");
    let others = session.commands.iter().any(|(core, run)| run.heat.clock > clock && rewrites(core));
    let least = if others || session.agents.have_worked() { "at least " } else { "" };
    match session.changed_since(clock) {
        0 => String::new(),
        files => format!("; {least}{} edited since", count_of(files, "file")),
    }
}

/// The summary names the failed tests, or the command and its failure on one line.
fn told(known: &KnownText, failure: &Failure) -> bool {
    let has_tests = !failure.tests.is_empty() && failure.tests.iter().all(|test| known.has(test));
    let in_words = |lower: &str| {
        ["fail", "error", "broken", "conflict", "does not", "doesn't"].iter().any(|word| lower.contains(word))
    };
    has_tests || known.lines_with(&failure.core).any(|line| in_words(&line.to_lowercase()))
}
