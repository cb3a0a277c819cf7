//! Commands that matter: exactly as typed, with their latest result.

use super::context::probability;
use super::text::harmless;
use super::{Fact, Known, Section, Why};
use crate::session::Session;
use crate::session::commands::CommandUse;
pub use crate::session::shell::{is_look, looks_around};

/// Longest command shown; longer ones are scripts.
const LONG: usize = 300;

/// Commands likely to be run again.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    session
        .commands
        .iter()
        .filter(|(core, c)| {
            (8..=LONG).contains(&core.len()) && !is_look(core) && !c.text.contains('\n') && !known.has(core)
        })
        .map(|(core, c)| {
            let age = session.clock.saturating_sub(c.heat.clock);
            let why = Why::Run { times: u32::from(c.runs), age };
            Fact::new(Section::Commands, core, [result(c), " ", &harmless(core)].concat())
                .at(c.place)
                .worth(probability(log_odds(session, core, c)), why)
        })
        .collect()
}

fn result(command: &CommandUse) -> &'static str {
    match command.outcome.as_ref().map(|o| o.ok) {
        Some(true) => "✓",
        Some(false) => "✗",
        None => "…",
    }
}

fn log_odds(session: &Session, core: &str, command: &CommandUse) -> f32 {
    let now = session.clock;
    let one = |mark: bool| if mark { 1.0 } else { 0.0 };
    -1.3 + 1.7 * command.heat.level(now) + 1.2 * command.heat.freshness(now)
        - 0.65 * (core.len() as f32).log2()
        + 1.1 * one(is_check(core))
        - 1.4 * one(core.contains(['"', '\'']))
        - 0.6 * one(looks_around(core))
}

/// Tests, builds, linters, servers: what an agent runs again and again.
pub fn is_check(core: &str) -> bool {
    names_any(core, 60, true, &|word| {
        matches!(
            word,
            "test"
                | "tests"
                | "build"
                | "lint"
                | "check"
                | "fmt"
                | "format"
                | "make"
                | "pytest"
                | "tsc"
                | "clippy"
                | "vet"
                | "compile"
                | "dev"
                | "start"
                | "serve"
                | "bench"
                | "typecheck"
                | "ci"
                | "e2e"
        )
    })
}

/// Whether one of the words in the first `most` characters of a command `is` it; `joined` where `_` is a letter.
/// Every command of a session is asked, several times.
pub fn names_any(core: &str, most: usize, joined: bool, is: &dyn Fn(&str) -> bool) -> bool {
    let letter = |c: char| c.is_alphanumeric() || (joined && c == '_');
    if !core.is_ascii() {
        let end = core.char_indices().nth(most).map_or(core.len(), |(at, _)| at);
        return core[..end].split(|c| !letter(c)).any(is);
    }
    let head = &core[..core.len().min(most)];
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || (joined && byte == b'_');
    let mut start = 0;
    for (at, byte) in head.bytes().enumerate() {
        if !is_letter(byte) {
            if at > start && is(&head[start..at]) {
                return true;
            }
            start = at + 1;
        }
    }
    start < head.len() && is(&head[start..])
}

/// Program and subcommand: `cargo test`, `npm run`.
pub fn family(core: &str) -> String {
    let words = core.split(' ').filter(|w| !w.contains('=') && !w.starts_with('-'));
    words.take(2).collect::<Vec<_>>().join(" ")
}
