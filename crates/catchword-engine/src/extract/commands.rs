//! Commands that matter: exactly as typed, with their latest result.

use super::text::harmless;
use super::{Fact, Known, Section};
use crate::session::commands::CommandUse;
use crate::session::{Session, one_line};

/// Longest command shown; longer ones are scripts.
const LONG: usize = 300;

/// Commands likely to be run again.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    session
        .commands
        .iter()
        .filter(|(core, c)| {
            (8..=LONG).contains(&core.len()) && !is_look(core) && !c.text.contains("<<") && !known.has(core)
        })
        .map(|(core, c)| {
            let why =
                format!("run {} times, last {} calls ago", c.runs, session.clock.saturating_sub(c.clock));
            Fact::new(Section::Commands, core, format!("`{}`{}", harmless(core), result(c)))
                .at(c.place)
                .or(format!("`{}`", one_line(&harmless(core), LONG)))
                .worth(weight(session, core, c), why)
        })
        .collect()
}

fn result(command: &CommandUse) -> &'static str {
    match command.outcome.as_ref().map(|o| o.ok) {
        Some(true) => " ok",
        Some(false) => " failed",
        None => "",
    }
}

fn weight(session: &Session, core: &str, command: &CommandUse) -> f32 {
    let age = session.clock.saturating_sub(command.clock) as f32;
    let again = if command.runs > 1 { 1.0 } else { 0.35 };
    let kind = if is_check(core) { 1.5 } else { 0.7 };
    again * kind * f32::from(command.runs).sqrt() * 0.5_f32.powf(age / 80.0)
}

/// Tests, builds, linters, servers, deployments.
fn is_check(core: &str) -> bool {
    const WORDS: [&str; 14] = [
        "test", "build", "lint", "check", "fmt", "clippy", "run", "deploy", "make", "tsc", "pytest", "vet",
        "compile", "start",
    ];
    core.split([' ', ':', '/']).any(|word| WORDS.contains(&word))
}

/// A command that only looks around; running it again costs nothing.
pub fn is_look(core: &str) -> bool {
    let mut words = core.split(' ');
    match words.next().unwrap_or_default() {
        "ls" | "pwd" | "cat" | "echo" | "sleep" | "true" | "wc" | "date" | "which" | "cd" | "head"
        | "tail" => true,
        "git" => {
            matches!(
                words.next(),
                Some("status" | "diff" | "log" | "branch" | "show" | "add" | "stash" | "fetch")
            ) && core.len() < 32
        }
        "grep" | "rg" | "find" => core.len() < 20,
        _ => false,
    }
}

/// Program and subcommand: `cargo test`, `npm run build`.
pub fn family(core: &str) -> String {
    let words = core.split(' ').filter(|w| !w.contains('=') && !w.starts_with('-'));
    words.take(2).collect::<Vec<_>>().join(" ")
}
