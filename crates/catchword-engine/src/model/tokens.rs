//! Token counts with their source, and token limits.

use std::fmt;

use super::entry::Place;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenCount {
    pub tokens: u64,
    pub from: TokenSource,
}

/// Where a token count comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenSource {
    /// The usage of the answer in this row.
    Usage(Place),
    /// The client's own count after the compaction in this row.
    Compaction(Place),
    /// The client's input to the status line.
    StatusLine,
    /// What the client writes into the transcript.
    Transcript,
    /// The table of models.
    Model,
    /// The model's name as the client asked for it, in the row of the latest answer.
    Requested,
    /// The model's name as the environment or the client's settings choose it.
    Chosen,
    /// The status line of another session with the same model.
    OtherSession,
    /// More tokens were used than the smaller window holds.
    Exceeded,
    /// The client's rule for this window.
    Rule,
    /// The client's rule for a smaller window set by configuration.
    Configured,
    /// A limit that the user set in the client's configuration.
    Limit,
    /// A model that the client compacts only when the API refuses a request: the window itself.
    Refusal,
    /// Automatic compaction is off; from this point on the client accepts no more prompts.
    SwitchedOff,
    /// An earlier compaction of this session happened at this count.
    Before,
}

impl TokenSource {
    /// The name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            TokenSource::Usage(_) => "usage",
            TokenSource::Compaction(_) => "compaction",
            TokenSource::StatusLine => "status-line",
            TokenSource::Transcript => "transcript",
            TokenSource::Model => "model",
            TokenSource::Requested => "requested",
            TokenSource::Chosen => "chosen",
            TokenSource::OtherSession => "other-session",
            TokenSource::Exceeded => "exceeded",
            TokenSource::Rule => "rule",
            TokenSource::Configured => "configured",
            TokenSource::Limit => "limit",
            TokenSource::Refusal => "refusal",
            TokenSource::SwitchedOff => "switched-off",
            TokenSource::Before => "before",
        }
    }

    /// The transcript row the count comes from.
    pub fn place(self) -> Option<Place> {
        match self {
            TokenSource::Usage(place) | TokenSource::Compaction(place) => Some(place),
            _ => None,
        }
    }
}

impl fmt::Display for TokenSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenSource::Usage(place) => write!(f, "the usage of the latest answer, {place}"),
            TokenSource::Compaction(place) => write!(f, "the client's count after the compaction, {place}"),
            TokenSource::StatusLine => f.write_str("the status line"),
            TokenSource::Transcript => f.write_str("what the client writes down"),
            TokenSource::Model => {
                f.write_str("the model's usual window; the status line would tell for sure")
            }
            TokenSource::Requested => f.write_str("the model the client asked for"),
            TokenSource::Chosen => f.write_str("the model that environment or settings choose"),
            TokenSource::OtherSession => f.write_str("the status line of another session with this model"),
            TokenSource::Exceeded => f.write_str("more was used than a smaller window holds"),
            TokenSource::Rule => f.write_str("the client's rule for this window"),
            TokenSource::Configured => f.write_str("the client's rule for the window set in the environment"),
            TokenSource::Limit => f.write_str("the limit set in the client's configuration"),
            TokenSource::Refusal => {
                f.write_str("the client compacts this model when the API refuses a request")
            }
            TokenSource::SwitchedOff => f.write_str("automatic compaction is off; the client stops here"),
            TokenSource::Before => f.write_str("the client has compacted this session there before"),
        }
    }
}

/// The client's limits as its environment and configuration set them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClientLimits {
    /// Tokens at which the client compacts, if it is sooner than by its rule.
    pub compaction: Option<u64>,
    /// The window up to which the client lets the context grow.
    pub window: Option<u64>,
    /// Percentage of the window at which the client compacts early.
    pub percent: Option<f64>,
    /// Longest answer, in tokens.
    pub output: Option<u64>,
    /// Automatic compaction is off.
    pub off: bool,
    /// Larger windows are switched off.
    pub small: bool,
}

/// The parts of a status line's input that the gauge uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusLineTokens {
    pub model: Option<String>,
    /// The model's context window.
    pub window: Option<u64>,
    /// Tokens in the context; `None` before the first answer and right after a compaction.
    pub used: Option<u64>,
}
