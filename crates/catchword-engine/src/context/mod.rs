//! How full the context is and how far away the next compaction; every number carries its source.
//!
//! No single source is enough. The transcript has the usage ([`Tally`]) but not the size of the window; the status line
//! has both, but only in a terminal; the environment can move the threshold. What no source gives stays unknown instead
//! of being guessed. The client's own rules (its table of models, when it compacts) are in `clients/<client>/`, our
//! checkpoint thresholds in [`plan`].

pub mod plan;
mod tally;

use crate::model::tokens::{ClientLimits, StatusLineTokens, TokenCount, TokenSource};

use crate::clients::Client;
pub use plan::{CheckpointPlan, Reached, Threshold};
pub use tally::{Mark, Tally, marks};

/// The smallest window of any model, and the next larger one.
pub const SMALL_WINDOW: u64 = 200_000;
const LARGE_WINDOW: u64 = 1_000_000;

/// The gauge at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gauge {
    /// Tokens in the context.
    pub used: Option<TokenCount>,
    /// Size of the model's context window.
    pub window: Option<TokenCount>,
    /// Tokens at which the client compacts.
    pub threshold: Option<TokenCount>,
}

/// A window size reported by the status line or the transcript, and its model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learned {
    /// In tokens.
    pub window: u64,
    /// The model it is for, as `Client::model_key` writes it.
    pub model: String,
}

/// Everything a gauge is computed from.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    pub client: &'a Client,
    /// From the transcript.
    pub tally: &'a Tally,
    /// From the status line, if this is a status line call.
    pub status: Option<&'a StatusLineTokens>,
    /// What the status line reported earlier in this session.
    pub learned: Option<&'a Learned>,
    /// What it reported for the same model in other sessions.
    pub elsewhere: Option<u64>,
    /// The window that environment and settings select for the model.
    pub chosen: Option<u64>,
    /// Limits set in the environment.
    pub limits: &'a ClientLimits,
}

impl Gauge {
    pub fn read(inputs: &Inputs) -> Gauge {
        let used = used(inputs);
        let model = inputs.status.and_then(|s| s.model.as_deref()).or(inputs.tally.model.as_deref());
        let most = inputs.tally.most.max(used.map_or(0, |u| u.tokens));
        let window = window(inputs, model, most);
        Gauge { used, window, threshold: threshold(inputs, model.unwrap_or_default(), window) }
    }

    /// Tokens left until the compaction.
    pub fn left(&self) -> Option<u64> {
        Some(self.threshold?.tokens.saturating_sub(self.used?.tokens))
    }

    /// What is left until the compaction, in percent of the threshold, rounded down.
    pub fn percent_left(&self) -> Option<u64> {
        let threshold = u128::from(self.threshold?.tokens.max(1));
        Some((u128::from(self.left()?) * 100 / threshold) as u64)
    }

    /// Whether automatic compaction is off; the threshold is then where the client stops.
    pub fn is_never_compacted(&self) -> bool {
        self.threshold.is_some_and(|threshold| threshold.from == TokenSource::SwitchedOff)
    }
}

fn used(inputs: &Inputs) -> Option<TokenCount> {
    let told = inputs.status.and_then(|status| status.used);
    let told = told.map(|tokens| TokenCount { tokens, from: TokenSource::StatusLine });
    told.or_else(|| inputs.tally.measured())
}

/// What the client reports for this model overrides the table, and actual usage overrides both. If a larger window may
/// be selected and no source says so, the window is unknown: assuming the smaller one would warn 800,000 tokens early.
fn window(inputs: &Inputs, model: Option<&str>, most: u64) -> Option<TokenCount> {
    if let Some(tokens) = inputs.status.and_then(|status| status.window) {
        return Some(TokenCount { tokens, from: TokenSource::StatusLine });
    }
    let told_by = match inputs.client.setup.status_line {
        Some(_) => TokenSource::StatusLine,
        None => TokenSource::Transcript,
    };
    let key = model.map(inputs.client.model_key);
    let learned = inputs.learned.filter(|learned| key.as_deref() == Some(&learned.model));
    let known = learned
        .map(|learned| TokenCount { tokens: learned.window, from: told_by })
        .or_else(|| by_name(inputs, model?));
    let requested = inputs.tally.window.filter(|_| inputs.status.is_none_or(|status| status.model.is_none()));
    let requested = requested.map(|tokens| TokenCount { tokens, from: TokenSource::Requested });
    let known = requested.or(known);
    match known {
        Some(known) if most <= known.tokens => Some(known),
        None if most <= SMALL_WINDOW => None,
        _ => Some(TokenCount { tokens: most.max(LARGE_WINDOW), from: TokenSource::Exceeded }),
    }
}

/// The window by model name. What other sessions reported applies only to models that have a single window size.
fn by_name(inputs: &Inputs, model: &str) -> Option<TokenCount> {
    let usual = (inputs.client.window)(model);
    if !(inputs.client.has_larger)(model) {
        let usual = usual.map(|tokens| TokenCount { tokens, from: TokenSource::Model });
        return usual
            .or_else(|| Some(TokenCount { tokens: inputs.elsewhere?, from: TokenSource::OtherSession }));
    }
    let chosen = if inputs.limits.small { usual } else { inputs.chosen };
    chosen.map(|tokens| TokenCount { tokens, from: TokenSource::Chosen })
}

fn threshold(inputs: &Inputs, model: &str, window: Option<TokenCount>) -> Option<TokenCount> {
    // A configured window applies even if the model is unknown.
    let size = window.map(|window| window.tokens).or(inputs.limits.window);
    let by_rule = size.map(|size| (inputs.client.threshold)(size, model, inputs.limits));
    let before = inputs
        .tally
        .compacted_at
        .filter(|_| !inputs.limits.off)
        .map(|tokens| TokenCount { tokens, from: TokenSource::Before });
    match (by_rule, before) {
        (Some(rule), Some(before)) if before.tokens < rule.tokens => Some(before),
        (None, before) => before,
        (rule, _) => rule,
    }
}

#[cfg(test)]
mod tests;
