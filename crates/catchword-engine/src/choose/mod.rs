//! What the model is told: every observation is a candidate, the choice comes last.
//!
//! [`candidates`] turns the record into lines that could be shown, each with the features that any project and language
//! has. [`Model`] scores them with fitted weights (`weights.rs`, written by the training program). [`select`] fills a
//! budget with the best, each specific thing once; [`Ranking`] has those of one kind.

mod best;
mod candidate;
mod features;
mod model;
mod select;
#[allow(clippy::unreadable_literal, clippy::approx_constant, reason = "the training program writes it")]
pub mod weights;

pub use best::Ranking;
pub use candidate::{Candidate, Pool, candidates};
pub use features::{FEATURES, Features, MeasuredLine, features};
pub use model::{Model, bin};
pub use select::{RankedLine, Shares, select};
