//! What does not work: commands whose latest run failed, and what was changed since.

use super::files::named_files;
use crate::choose::{Fact, KnownText, Section};
use crate::quote::{code, names, quote_foreign};
use crate::reading::command::ShellLine;
use crate::record::CommandRun;
use crate::session::Session;

/// Commands that failed and have not passed since.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    // A sentence that calls it done does not tell of the failure.
    let known = known.left_open();
    session
        .failing()
        .filter(|failure| !told(&known, *failure))
        .map(|failure| fact_of(session, failure))
        .collect()
}

fn fact_of(session: &Session, failure: CommandRun) -> Fact {
    let core = failure.line.core();
    let ended = if failure.line.merges() { "stopped and was not completed since" } else { "failed" };
    let command = format!("{} {ended}", code(core, 120));
    let cut = if failure.ended.is_some_and(|ended| ended.cut) {
        " (the output is cut: others may have failed)"
    } else {
        ""
    };
    let output = match (failure.failed_tests(), failure.error()) {
        ([], "") => String::new(),
        ([], telling) => format!(": {}{cut}", quote_foreign(telling, 160)),
        (tests, _) => {
            let (named, more) = names(tests.iter().map(String::as_str), 320);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!(": {named}{more}{cut}")
        }
    };
    let since = format!("{}{}", edited_since(session, failure.clock), passed_since(session, failure));
    let fact = Fact::new(Section::Failing, core, format!("{command}{output}{since}"));
    fact.at(failure.place).or(format!("{command}{since}")).because("its latest run failed")
}

/// "; passed since: `make lib` L40": another command of the same program, which may cover a part of this one.
fn passed_since(session: &Session, failure: CommandRun) -> String {
    // The targets of `make` are parts of one build; `cargo test` says nothing about `cargo clippy`.
    let first = |line: &ShellLine| {
        let step = line.work().next()?;
        let words = if matches!(step.program.as_str(), "make" | "ninja") { 1 } else { 2 };
        Some(step.family().into_iter().take(words).map(str::to_owned).collect::<Vec<_>>())
    };
    let own = first(failure.line);
    let later = session.record.latest_runs().filter(|run| run.clock > failure.clock && run.surely_passed());
    let later = later.filter(|CommandRun { line, .. }| {
        // A run of other tests or files says nothing about these.
        let is_other = failure.line.is_narrow() && line.is_narrow();
        line.is_check() && first(line) == own && !is_other
    });
    later.max_by_key(|run| run.place).map_or_else(String::new, |run| {
        format!("; passed since: {} {}", code(run.line.core(), 80), run.place)
    })
}

/// "; edited since: src/a.rs L30, src/b.rs L28".
fn edited_since(session: &Session, clock: u32) -> String {
    let named = named_files(session, session.changed_since(clock).into_iter());
    if named.is_empty() { named } else { format!("; edited since: {named}") }
}

/// The summary names the failed tests, or the command and its failure on one line.
fn told(known: &KnownText, failure: CommandRun) -> bool {
    let tests = failure.failed_tests();
    let has_tests = !tests.is_empty() && tests.iter().all(|test| known.has(test));
    has_tests || known.has_run(failure.line, failure.error())
}
