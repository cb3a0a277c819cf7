//! How full the context is, and how far the compaction is away: each number with where it comes from.
//!
//! Three sources, none of them enough alone. The transcript says what was used ([`Tally`]), but not how large the
//! window is; the status line says both, but only at a terminal; the environment moves the threshold. What none of
//! them tells stays unknown here rather than guessed. The client's own rules (its table of models, when it
//! compacts) stand in `clients/<client>/`; the thresholds at which something is done in [`plan`].

pub mod plan;
mod tally;

use crate::model::tokens::{ClientLimits, StatusLineTokens, TokenCount, TokenSource};

use crate::clients::Client;
pub use plan::{CheckpointPlan, Reached, Threshold};
pub use tally::{Mark, Tally, marks};

/// The window that every model has had at least, and the next larger one.
pub const SMALL_WINDOW: u64 = 200_000;
const LARGE_WINDOW: u64 = 1_000_000;

/// The gauge at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gauge {
    /// Tokens in the context now.
    pub used: Option<TokenCount>,
    /// Tokens the model can take.
    pub window: Option<TokenCount>,
    /// Tokens at which the client compacts.
    pub threshold: Option<TokenCount>,
}

/// A window the status line or the transcript has told, and for which model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learned {
    /// Tokens.
    pub window: u64,
    /// The model, as `Client::model_key` writes it.
    pub model: String,
}

/// Everything a gauge is read from.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// The client whose rules hold.
    pub client: &'a Client,
    /// What the transcript tells.
    pub tally: &'a Tally,
    /// What the status line tells right now, where it is asked.
    pub status: Option<&'a StatusLineTokens>,
    /// What the status line has told of this session before.
    pub learned: Option<&'a Learned>,
    /// What it has told of the same model elsewhere.
    pub elsewhere: Option<u64>,
    /// The window that environment and settings choose for the model.
    pub chosen: Option<u64>,
    /// What the environment says.
    pub limits: &'a ClientLimits,
}

impl Gauge {
    /// Reads the gauge.
    pub fn read(inputs: &Inputs) -> Gauge {
        let used = used(inputs);
        let model = inputs.status.and_then(|s| s.model.as_deref()).or(inputs.tally.model.as_deref());
        let most = inputs.tally.most.max(used.map_or(0, |u| u.tokens));
        let window = window(inputs, model, most);
        Gauge { used, window, threshold: threshold(inputs, model.unwrap_or_default(), window) }
    }

    /// Tokens until the compaction.
    pub fn left(&self) -> Option<u64> {
        Some(self.threshold?.tokens.saturating_sub(self.used?.tokens))
    }

    /// What is left, in percent of what there is up to the compaction; rounded down.
    pub fn percent_left(&self) -> Option<u64> {
        let threshold = u128::from(self.threshold?.tokens.max(1));
        Some((u128::from(self.left()?) * 100 / threshold) as u64)
    }

    /// Automatic compaction is switched off: the threshold is where the client stops.
    pub fn is_never_compacted(&self) -> bool {
        self.threshold.is_some_and(|threshold| threshold.from == TokenSource::SwitchedOff)
    }
}

fn used(inputs: &Inputs) -> Option<TokenCount> {
    let told = inputs.status.and_then(|status| status.used);
    let told = told.map(|tokens| TokenCount { tokens, from: TokenSource::StatusLine });
    told.or_else(|| inputs.tally.measured())
}

/// What the client says of this model beats the table, and what was really used beats both. Where a larger window may
/// have been chosen and nobody says so, it is not known: a warning by the smaller one would come 800,000 tokens early.
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

/// The window by the model's name; what another session was told holds for models that have only one.
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
    // A window somebody has set holds for a model nobody knows, too.
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
