//! What is installed and whether it works: facts with a verdict, and what to do.
//!
//! The store may be damaged or missing, so this opens it itself, once.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::archive::history::History;
use crate::clients::{Client, strangers};
use crate::store::{HookRun, Store, StoreError};
use crate::text::numbers::{count_of, duration};

/// Hook runs that are looked at.
const RUNS: u32 = 200;

#[derive(Debug, Serialize)]
pub struct DoctorDocument {
    pub version: &'static str,
    /// Where the program is.
    pub program: Option<String>,
    /// No check failed.
    pub ok: bool,
    pub checks: Vec<Check>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was checked, in one word.
    pub id: &'static str,
    /// `ok`, `warning` or `failed`.
    pub state: CheckResult,
    pub says: String,
    /// What to do.
    pub todo: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckResult {
    Ok,
    /// It works, but somebody should look at it.
    #[serde(rename = "warning")]
    Attention,
    /// catchword does not work because of this.
    Failed,
}

impl CheckResult {
    pub fn name(self) -> &'static str {
        match self {
            CheckResult::Ok => "ok",
            CheckResult::Attention => "warning",
            CheckResult::Failed => "failed",
        }
    }
}

impl Check {
    pub fn ok(id: &'static str, says: impl Into<String>) -> Self {
        Check { id, state: CheckResult::Ok, says: says.into(), todo: None }
    }

    pub fn attention(id: &'static str, says: impl Into<String>, todo: impl Into<String>) -> Self {
        Check { id, state: CheckResult::Attention, says: says.into(), todo: Some(todo.into()) }
    }

    pub fn failed(id: &'static str, says: impl Into<String>, todo: impl Into<String>) -> Self {
        Check { id, state: CheckResult::Failed, says: says.into(), todo: Some(todo.into()) }
    }
}

/// What the databases say: how hooks fared, who called, and whether both files are sound. `silent` are the clients that
/// would skip our hooks in silence.
pub fn of_databases(data: &Path, patience: Duration, silent: &[&Client]) -> Vec<Check> {
    let store = Store::open_existing(data, patience);
    let mut checks = vec![match &store {
        Ok(Some(store)) => health(store, data),
        Ok(None) => Check::ok("record", "Nothing yet: no hook has run."),
        Err(error) => damaged(&error.to_string()),
    }];
    let store = store.ok().flatten();
    let sessions = store.as_ref().and_then(|store| store.sessions().ok()).unwrap_or_default();
    let latest = |client: &Client| {
        sessions.iter().filter(|session| session.client == client.name).map(|one| one.last_at).max()
    };
    checks.extend(silent.iter().map(|client| latest_call(client, latest(client))));
    let strangers = store.and_then(|store| store.strangers().ok()).unwrap_or_default();
    checks.extend(strangers.into_iter().map(|(caller, calls, at)| stranger(caller, calls, at)));
    checks.extend(history_health(History::open_existing(data, patience)));
    checks
}

/// The results of the latest hooks, and the integrity of the store.
fn health(store: &Store, data: &Path) -> Check {
    match store.check().and_then(|words| Ok((words, store.runs(RUNS)?, store.newer()?))) {
        Ok((words, _, Some((found, known)))) if words == "ok" => {
            let todo = "Two versions may share it. Update this one.";
            Check::attention("record", format!("{}.", newer_schema(found, known)), todo)
        }
        Ok((words, runs, None)) if words == "ok" => of_runs(&runs, data),
        Ok((words, ..)) => damaged(&words),
        Err(error) => damaged(&error.to_string()),
    }
}

/// The message for a store whose schema `found` is newer than `known`.
pub fn newer_schema(found: u32, known: u32) -> String {
    format!("the store's schema {found} is newer than this version's ({known}); left unchanged")
}

/// When a client that needs an approval has last called.
fn latest_call(client: &Client, at: Option<i64>) -> Check {
    let name = client.phrases.name;
    let when = at.and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    Check::ok(
        "calls",
        match when {
            Some(when) => format!("{name} last called at {when:.0}."),
            None => format!("{name} has not called yet."),
        },
    )
}

/// Another program that calls with a client's settings.
fn stranger(caller: &str, calls: u64, at: i64) -> Check {
    let when = jiff::Timestamp::from_millisecond(at).map(|at| format!(", the last at {at:.0}"));
    let host = strangers::host().phrases.name;
    let says = format!(
        "Called by {caller} {}{}, with the hooks of {host}",
        count_of(calls as usize, "time"),
        when.unwrap_or_default()
    );
    let then = match strangers::client_of(caller) {
        Some(client) => format!(
            "and answered as {}; after `catchword init --agent {}` it calls at more moments.",
            client.phrases.name, client.name
        ),
        None => "not supported yet, so nothing is recorded or answered.".to_owned(),
    };
    Check::ok("calls", format!("{says}; {then}"))
}

/// Whether the history is sound; nothing to say where there is none, or where it is.
fn history_health(history: Result<Option<History>, StoreError>) -> Option<Check> {
    let words = match history.and_then(|history| history.as_ref().map(History::check).transpose()) {
        Ok(None) => return None,
        Ok(Some(words)) if words == "ok" => return None,
        Ok(Some(words)) => words,
        Err(error) => error.to_string(),
    };
    let todo = "`catchword index` sets the file aside and rebuilds it from the transcripts.";
    Some(Check::failed("history", format!("The history cannot be read: {words}."), todo))
}

fn damaged(words: &str) -> Check {
    let todo =
        "The next hook sets the file aside and rebuilds it from the transcripts; notes stay in the old one.";
    Check::failed("record", format!("The store cannot be read: {words}."), todo)
}

fn of_runs(runs: &[HookRun], data: &Path) -> Check {
    let Some(latest) = runs.first() else {
        return Check::ok("record", "Nothing yet: no hook has run.");
    };
    let mut micros: Vec<i64> = runs.iter().map(|run| run.micros).collect();
    micros.sort_unstable();
    let (median, slowest) = (micros[micros.len() / 2], micros[micros.len() - 1]);
    let when = jiff::Timestamp::from_millisecond(latest.at).unwrap_or_default();
    let says = format!(
        "The latest hook, {}, ran at {when:.0}. The last {} took {} (median), {} at most.",
        latest.event,
        runs.len(),
        duration(median),
        duration(slowest),
    );
    let failed: Vec<&HookRun> = runs.iter().filter(|run| run.problem.is_some()).collect();
    match failed.first() {
        None => Check::ok("record", says),
        Some(run) => Check::attention(
            "record",
            format!(
                "{says} {} had a problem, the latest: {}.",
                failed.len(),
                run.problem.as_deref().unwrap_or_default()
            ),
            format!("The client was not affected. Details are in {}.", data.join("hook.log").display()),
        ),
    }
}
