//! Checkpoints before a compaction: recorded when the gauge reaches a threshold of the plan.

use crate::clients::Client;
use crate::context::{CheckpointPlan, Gauge, Inputs, Threshold};
use crate::model::tokens::{ClientLimits, StatusLineTokens};
use crate::store::{Checkpoint, Gauged, Store, StoreError};

/// What a status line reports about a session.
pub struct StatusReport<'a> {
    pub client: &'a Client,
    pub session: &'a str,
    /// The client's input.
    pub status: &'a StatusLineTokens,
    /// What the store knows already.
    pub gauged: &'a Gauged,
    pub plan: &'a CheckpointPlan,
    /// The client's limits as the environment sets them.
    pub limits: &'a ClientLimits,
    /// Milliseconds since 1970.
    pub now: i64,
}

/// What a gauge depends on besides the session.
#[derive(Clone, Copy)]
pub struct GaugeSettings<'a> {
    /// The client's limits as the environment sets them.
    pub limits: &'a ClientLimits,
    /// The models that environment and settings choose, highest precedence first. Called only if the transcript does
    /// not show which window was chosen.
    pub chosen: &'a dyn Fn() -> Vec<String>,
}

impl<'a> GaugeSettings<'a> {
    /// For callers that know the window, such as the status line.
    pub fn of(limits: &'a ClientLimits) -> Self {
        GaugeSettings { limits, chosen: &Vec::new }
    }
}

/// Records the checkpoints that a status line makes due; it gets token counts before the transcript does. Prints
/// nothing. Right after a compaction its counts may be out of date, so they are ignored.
pub fn from_status(store: &mut Store, report: &StatusReport) -> Result<(), StoreError> {
    let StatusReport { client, status, gauged, .. } = *report;
    if status.used.is_none() || gauged.tally.compacted {
        return Ok(());
    }
    let gauge = read(Some(store), client, gauged, Some(status), &GaugeSettings::of(report.limits))?;
    let due = report.plan.due(&gauge, &gauged.reached);
    match at(&due, gauged, &gauge, report.now) {
        Some(checkpoint) => store.reach(report.session, &due, &checkpoint),
        None => Ok(()),
    }
}

/// A checkpoint at the most urgent of these thresholds, if any.
pub(super) fn at(points: &[Threshold], gauged: &Gauged, gauge: &Gauge, now: i64) -> Option<Checkpoint> {
    points.last().map(|most_urgent| Checkpoint {
        compaction: gauged.tally.compactions,
        threshold: most_urgent.to_string(),
        at: now,
        used: gauge.used.map(|used| used.tokens),
        left: gauge.left(),
        // The store fills it in.
        line: 0,
    })
}

/// Reads the gauge from the store, the environment and, if given, the status line.
pub fn read(
    store: Option<&Store>,
    client: &Client,
    gauged: &Gauged,
    status: Option<&StatusLineTokens>,
    settings: &GaugeSettings,
) -> Result<Gauge, StoreError> {
    let model = status.and_then(|s| s.model.as_deref()).or(gauged.tally.model.as_deref());
    let told = status.and_then(|s| s.window).or(gauged.tally.window).is_some() || gauged.learned.is_some();
    let model = model.filter(|_| !told);
    let elsewhere = match (model, store) {
        (Some(model), Some(store)) if (client.window)(model).is_none() => {
            store.window_of(&(client.model_key)(model))?
        }
        _ => None,
    };
    let chosen = model
        .filter(|model| (client.has_larger)(model))
        .and_then(|model| (settings.chosen)().iter().find_map(|name| (client.chosen)(name, model)));
    let (tally, learned, limits) = (&gauged.tally, gauged.learned.as_ref(), settings.limits);
    Ok(Gauge::read(&Inputs { client, tally, status, learned, elsewhere, chosen, limits }))
}
