//! Numbers of tokens, each with where it comes from, and what limits them.

use std::fmt;

use super::entry::Place;

/// A number of tokens and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenCount {
    /// Tokens.
    pub tokens: u64,
    /// Where the number comes from.
    pub from: TokenSource,
}

/// Where a number comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenSource {
    /// The usage of the answer in this row.
    Usage(Place),
    /// The client's own count after the compaction in this row.
    Compaction(Place),
    /// What the status line was given.
    StatusLine,
    /// What the client writes into the transcript.
    Transcript,
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

impl TokenSource {
    /// As it is written in JSON.
    pub fn name(self) -> &'static str {
        match self {
            TokenSource::Usage(_) => "usage",
            TokenSource::Compaction(_) => "compaction",
            TokenSource::StatusLine => "status-line",
            TokenSource::Transcript => "transcript",
            TokenSource::Model => "model",
            TokenSource::OtherSession => "other-session",
            TokenSource::Exceeded => "exceeded",
            TokenSource::Rule => "rule",
            TokenSource::Configured => "configured",
            TokenSource::Refusal => "refusal",
            TokenSource::SwitchedOff => "switched-off",
            TokenSource::Before => "before",
        }
    }

    /// The row of the transcript it stands in.
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
            TokenSource::OtherSession => f.write_str("the status line of another session with this model"),
            TokenSource::Exceeded => f.write_str("more was used than a smaller window holds"),
            TokenSource::Rule => f.write_str("the client's rule for this window"),
            TokenSource::Configured => f.write_str("the client's rule for the window set in the environment"),
            TokenSource::Refusal => {
                f.write_str("the client compacts this model when the API refuses a request")
            }
            TokenSource::SwitchedOff => f.write_str("automatic compaction is off; the client stops here"),
            TokenSource::Before => f.write_str("the client has compacted this session there before"),
        }
    }
}

/// What the environment says of the client's limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClientLimits {
    /// The window up to which the client lets the context grow.
    pub window: Option<u64>,
    /// Share of the window, in percent, at which it compacts early.
    pub percent: Option<f64>,
    /// Tokens an answer may have.
    pub output: Option<u64>,
    /// Automatic compaction is switched off.
    pub off: bool,
}

/// What a status line is given, as far as the gauge goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusLineTokens {
    /// The model's id.
    pub model: Option<String>,
    /// Tokens the model can take.
    pub window: Option<u64>,
    /// Tokens in the context; none before the first answer and right after a compaction.
    pub used: Option<u64>,
}
