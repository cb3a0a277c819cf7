//! What agents were told at the moments of a day, and what happened next.

use std::collections::HashMap;

use serde::Serialize;

use super::reader::{ReadError, Reader};
use super::session::{SessionsRequest, fitting};
use crate::ops::search::address;
use crate::store::{ToldKind, ToldRow};

/// What was told in the sessions that are meant, and the sums.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ToldsDocument {
    /// Latest first.
    pub told: Vec<ToldDocument>,
    pub sums: Vec<ToldSum>,
}

/// Something that an agent was told. Times are in milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToldDocument {
    pub session: String,
    /// For `recall`: where it was told.
    pub address: String,
    pub kind: ToldKind,
    pub at: i64,
    pub text: String,
    /// What had failed; null at a start.
    pub command: Option<String>,
    /// The files and commands that it names, and those of them that were used since.
    pub names: Vec<String>,
    pub used: Vec<String>,
    /// The line at which the command passed; null if it did not.
    pub passed: Option<u32>,
    /// Calls since, and within how many it was watched.
    pub calls: u32,
    pub watch: u32,
}

/// The sum of a kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToldSum {
    pub kind: ToldKind,
    pub told: usize,
    /// Of these, where something that was named was used within the calls that were watched.
    pub used: usize,
    /// Of failures, where the command passed within them.
    pub passed: usize,
}

/// What was told in one session, by the start of its id, or in those that are meant.
pub fn told(
    reader: &Reader,
    one: Option<&str>,
    request: &SessionsRequest,
) -> Result<ToldsDocument, ReadError> {
    let sessions = match one {
        Some(start) => vec![reader.listed(start)?],
        None => fitting(reader, request)?.0,
    };
    let Some(store) = &reader.store else { return Ok(ToldsDocument::default()) };
    let mut of_session: HashMap<String, Vec<ToldRow>> = HashMap::new();
    for told in store.told(None)? {
        of_session.entry(told.session.clone()).or_default().push(told);
    }
    let mut all: Vec<ToldRow> =
        sessions.iter().filter_map(|session| of_session.remove(&session.id)).flatten().collect();
    all.sort_by_key(|told| std::cmp::Reverse(told.at));
    let sums = [ToldKind::Start, ToldKind::Failure].into_iter().filter_map(|kind| sum(kind, &all)).collect();
    Ok(ToldsDocument { told: all.into_iter().map(document).collect(), sums })
}

fn sum(kind: ToldKind, all: &[ToldRow]) -> Option<ToldSum> {
    let of_kind = || all.iter().filter(move |told| told.kind == kind);
    let used = of_kind().filter(|told| !told.used.is_empty()).count();
    let passed = of_kind().filter(|told| told.passed.is_some()).count();
    let sum = ToldSum { kind, told: of_kind().count(), used, passed };
    (sum.told > 0).then_some(sum)
}

fn document(told: ToldRow) -> ToldDocument {
    ToldDocument {
        address: address(&told.session, None, &told.line.to_string()),
        session: told.session,
        kind: told.kind,
        at: told.at,
        text: told.text,
        command: Some(told.command).filter(|command| !command.is_empty()),
        names: told.names,
        used: told.used,
        passed: told.passed.map(|place| place.0),
        calls: told.calls,
        watch: told.watch,
    }
}
