//! What the model is told: every observation is a candidate, the choice comes last.
//!
//! [`candidates`] turns the record into lines that could be shown, each with the features that any project and language
//! has. [`Model`] scores them with fitted weights (`weights.rs`, written by the training program). [`select`] fills a
//! budget with the best, each specific thing once; [`Ranking`] has those of one kind.

mod best;
mod candidate;
mod features;
mod joins;
mod known;
mod model;
mod select;
#[allow(clippy::unreadable_literal, clippy::approx_constant, reason = "the training program writes it")]
pub mod weights;

pub use best::Ranking;
pub use candidate::{Candidate, Pool, candidates};
pub use features::{FEATURES, Features, MeasuredLine, features};
pub use joins::Join;
pub use known::KnownText;
pub use model::{Model, bin};
pub use select::{RankedLine, Shares, select};

/// Where a line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// It is certain, and stands above everything else.
    Head,
    /// Beside the head, with a limit of its own: the latest request, notes, commands in force.
    Beside,
    /// A verbatim line, by its score within the share of its pool.
    Reference(Pool),
}
