//! Where in the log something stands: positions, no copies.

use serde::{Deserialize, Serialize};

use super::Voice;
use crate::model::entry::Place;

/// The position of an event, and when it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct EventAt {
    pub at: u32,
    pub time: Option<i64>,
    pub turn: u32,
}

/// The positions of what somebody said in one go, from the first line up to but without `to`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct MessageAt {
    pub place: Place,
    pub clock: u32,
    pub who: Voice,
    pub from: u32,
    pub to: u32,
    pub time: Option<i64>,
    pub turn: u32,
}

/// The position of a failed run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct FailingAt {
    pub at: u32,
    /// The steps of its line that may have failed and have not passed since. A line does not say which one failed.
    pub steps: Vec<u16>,
}
