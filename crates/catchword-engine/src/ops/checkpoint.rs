//! Checkpoints before a compaction: the points of the plan are recorded when the gauge reaches them.

use crate::clients::Client;
use crate::context::{CheckpointPlan, Gauge, Inputs, Threshold};
use crate::model::tokens::{ClientLimits, StatusLineTokens};
use crate::store::{Checkpoint, Gauged, Store, StoreError};

/// What a status line reports of a session.
pub struct StatusReport<'a> {
    /// The client that asks for it.
    pub client: &'a Client,
    /// The session's id.
    pub session: &'a str,
    /// What the client tells.
    pub status: &'a StatusLineTokens,
    /// What the store knows already.
    pub gauged: &'a Gauged,
    /// When checkpoints are made.
    pub plan: &'a CheckpointPlan,
    /// What the environment says of the client's limits.
    pub limits: &'a ClientLimits,
    /// Milliseconds since 1970.
    pub now: i64,
}

/// Makes the checkpoints that are due by a status line, which hears of a count before the transcript has it; it says
/// nothing itself. Right after a compaction its numbers may still be those of before, and are not believed.
pub fn from_status(store: &mut Store, report: &StatusReport) -> Result<(), StoreError> {
    let StatusReport { client, status, gauged, .. } = *report;
    if status.used.is_none() || gauged.tally.compacted {
        return Ok(());
    }
    let gauge = read(Some(store), client, gauged, Some(status), report.limits)?;
    let due = report.plan.due(&gauge, &gauged.reached);
    match at(&due, gauged, &gauge, report.now) {
        Some(checkpoint) => store.reach(report.session, &due, &checkpoint),
        None => Ok(()),
    }
}

/// The checkpoint at the most urgent of these points, where there is one.
pub(super) fn at(points: &[Threshold], gauged: &Gauged, gauge: &Gauge, now: i64) -> Option<Checkpoint> {
    points.last().map(|most_urgent| Checkpoint {
        compaction: gauged.tally.compactions,
        threshold: most_urgent.to_string(),
        at: now,
        used: gauge.used.map(|used| used.tokens),
        left: gauge.left(),
    })
}

/// The gauge from what the store knows, the environment and, where it is asked, the status line.
pub fn read(
    store: Option<&Store>,
    client: &Client,
    gauged: &Gauged,
    status: Option<&StatusLineTokens>,
    limits: &ClientLimits,
) -> Result<Gauge, StoreError> {
    let model = status.and_then(|s| s.model.as_deref()).or(gauged.tally.model.as_deref());
    let told = status.and_then(|s| s.window).is_some() || gauged.learned.is_some();
    let elsewhere = match (model, store) {
        (Some(model), Some(store)) if !told && (client.window)(model).is_none() => {
            store.window_of(&(client.model_key)(model))?
        }
        _ => None,
    };
    let (tally, learned) = (&gauged.tally, gauged.learned.as_ref());
    Ok(Gauge::read(&Inputs { client, tally, status, learned, elsewhere, limits }))
}
