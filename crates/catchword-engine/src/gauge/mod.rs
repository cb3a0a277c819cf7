//! How full the context is, and how far the compaction is away: each number with where it comes from.
//!
//! Three sources, none of them enough alone. The transcript says what was used ([`Tally`]), but not how large the
//! window is; the status line says both, but only at a terminal; the environment moves the threshold. What none of
//! them tells stays unknown here rather than guessed. The client's own rules (its table of models, when it
//! compacts) stand in `agent/<client>/`; the thresholds at which something is done in [`plan`].

pub mod plan;
mod tally;

use std::fmt;

use crate::agent::Agent;
use crate::agent::entry::Place;
pub use plan::{Plan, Reached, Threshold};
pub use tally::{Mark, Tally, marks};

/// The window that every model has had at least, and the next larger one.
pub const SMALL_WINDOW: u64 = 200_000;
const LARGE_WINDOW: u64 = 1_000_000;

/// The gauge at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gauge {
    /// Tokens in the context now.
    pub used: Option<Measured>,
    /// Tokens the model can take.
    pub window: Option<Measured>,
    /// Tokens at which the client compacts.
    pub threshold: Option<Measured>,
}

/// A number of tokens and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Tokens.
    pub tokens: u64,
    /// Where the number comes from.
    pub from: Source,
}

/// Where a number comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The usage of the answer in this row.
    Usage(Place),
    /// The client's own count after the compaction in this row.
    Compaction(Place),
    /// What the status line was given.
    StatusLine,
    /// The table of models.
    Model,
    /// The status line of another session with the same model.
    OtherSession,
    /// More was used than the smaller window holds.
    Exceeded,
    /// The client's rule for this window.
    Rule,
    /// The client's rule for a smaller window that somebody has set.
    Configured,
    /// A model that the client compacts only when the API refuses a request: the window itself.
    Refusal,
    /// Automatic compaction is switched off; from here on the client takes no more prompts.
    SwitchedOff,
    /// The client has compacted this session there before.
    Before,
}

impl Source {
    /// As it is written in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Source::Usage(_) => "usage",
            Source::Compaction(_) => "compaction",
            Source::StatusLine => "status-line",
            Source::Model => "model",
            Source::OtherSession => "other-session",
            Source::Exceeded => "exceeded",
            Source::Rule => "rule",
            Source::Configured => "configured",
            Source::Refusal => "refusal",
            Source::SwitchedOff => "switched-off",
            Source::Before => "before",
        }
    }

    /// The row of the transcript it stands in.
    pub fn place(self) -> Option<Place> {
        match self {
            Source::Usage(place) | Source::Compaction(place) => Some(place),
            _ => None,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Usage(place) => write!(f, "the usage of the latest answer, {place}"),
            Source::Compaction(place) => write!(f, "the client's count after the compaction, {place}"),
            Source::StatusLine => f.write_str("the status line"),
            Source::Model => f.write_str("the model's usual window; the status line would tell for sure"),
            Source::OtherSession => f.write_str("the status line of another session with this model"),
            Source::Exceeded => f.write_str("more was used than a smaller window holds"),
            Source::Rule => f.write_str("the client's rule for this window"),
            Source::Configured => f.write_str("the client's rule for the window set in the environment"),
            Source::Refusal => f.write_str("the client compacts this model when the API refuses a request"),
            Source::SwitchedOff => f.write_str("automatic compaction is off; the client stops here"),
            Source::Before => f.write_str("the client has compacted this session there before"),
        }
    }
}

/// What the environment says of the client's limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// The window up to which the client lets the context grow.
    pub window: Option<u64>,
    /// Share of the window, in percent, at which it compacts early.
    pub percent: Option<f64>,
    /// Tokens an answer may have.
    pub output: Option<u64>,
    /// Automatic compaction is switched off.
    pub off: bool,
}

/// A window the status line has told, and for which model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learned {
    /// Tokens.
    pub window: u64,
    /// The model, as [`model_key`] writes it.
    pub model: String,
}

/// Everything a gauge is read from.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// The client whose rules hold.
    pub agent: &'a Agent,
    /// What the transcript tells.
    pub tally: &'a Tally,
    /// What the status line tells right now, where it is asked.
    pub status: Option<&'a Status>,
    /// What the status line has told of this session before.
    pub learned: Option<&'a Learned>,
    /// What it has told of the same model elsewhere.
    pub elsewhere: Option<u64>,
    /// What the environment says.
    pub limits: &'a Limits,
}

/// What a status line is given, as far as the gauge goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The model's id.
    pub model: Option<String>,
    /// Tokens the model can take.
    pub window: Option<u64>,
    /// Tokens in the context; none before the first answer and right after a compaction.
    pub used: Option<u64>,
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
        self.threshold.is_some_and(|threshold| threshold.from == Source::SwitchedOff)
    }
}

fn used(inputs: &Inputs) -> Option<Measured> {
    let told = inputs.status.and_then(|status| status.used);
    let told = told.map(|tokens| Measured { tokens, from: Source::StatusLine });
    told.or_else(|| inputs.tally.measured())
}

/// What the client says of this model beats the table, and what was really used beats both.
fn window(inputs: &Inputs, model: Option<&str>, most: u64) -> Option<Measured> {
    if let Some(tokens) = inputs.status.and_then(|status| status.window) {
        return Some(Measured { tokens, from: Source::StatusLine });
    }
    let key = model.map(model_key);
    let learned = inputs.learned.filter(|learned| key.as_deref() == Some(&learned.model));
    let known = learned
        .map(|learned| Measured { tokens: learned.window, from: Source::StatusLine })
        .or_else(|| Some(Measured { tokens: (inputs.agent.window)(model?)?, from: Source::Model }))
        .or_else(|| Some(Measured { tokens: inputs.elsewhere?, from: Source::OtherSession }));
    match known {
        Some(known) if most <= known.tokens => Some(known),
        None if most <= SMALL_WINDOW => None,
        _ => Some(Measured { tokens: most.max(LARGE_WINDOW), from: Source::Exceeded }),
    }
}

fn threshold(inputs: &Inputs, model: &str, window: Option<Measured>) -> Option<Measured> {
    // A window somebody has set holds for a model nobody knows, too.
    let size = window.map(|window| window.tokens).or(inputs.limits.window);
    let by_rule = size.map(|size| (inputs.agent.threshold)(size, model, inputs.limits));
    let before = inputs
        .tally
        .compacted_at
        .filter(|_| !inputs.limits.off)
        .map(|tokens| Measured { tokens, from: Source::Before });
    match (by_rule, before) {
        (Some(rule), Some(before)) if before.tokens < rule.tokens => Some(before),
        (None, before) => before,
        (rule, _) => rule,
    }
}

/// A model's name without what differs between the places that name it: the provider's prefix, the date, the mark
/// of a larger window.
pub fn model_key(model: &str) -> String {
    let bare = model.split('[').next().unwrap_or(model);
    let bare = bare.find("claude-").map_or(bare, |at| &bare[at..]);
    let bare = bare.split(['@', ':']).next().unwrap_or(bare);
    let parts: Vec<&str> = bare.split('-').collect();
    let dated = |part: &&str| part.len() == 8 && part.bytes().all(|b| b.is_ascii_digit());
    let end = parts.iter().position(dated).unwrap_or(parts.len());
    parts[..end].join("-").to_lowercase()
}

/// Tokens as people read them: `950`, `12k`, `167k`, `1.2M`.
pub fn short(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..999_500 => format!("{}k", (tokens + 500) / 1_000),
        _ => {
            let tenths = tokens.saturating_add(50_000) / 100_000;
            if tenths.is_multiple_of(10) {
                format!("{}M", tenths / 10)
            } else {
                format!("{}.{}M", tenths / 10, tenths % 10)
            }
        }
    }
}

#[cfg(test)]
mod tests;
