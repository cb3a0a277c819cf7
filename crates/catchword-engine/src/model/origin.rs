//! Who wrote a text that reaches the agent as a prompt.

use serde::{Deserialize, Serialize};

/// The author of a prompt. Only [`Origin::Typed`] is sure to be the person's own words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// The person typed it.
    #[default]
    Typed,
    /// Another agent sent it; the sender's name, if the client gives it.
    Agent(String),
    /// The agent scheduled it for itself.
    Scheduled,
    /// A hook printed it.
    Hook,
    /// A plan that the client hands over for the person, who has approved it.
    Plan,
    /// The client wrote it: a command of its own, a notice, a continuation.
    Client,
}

impl Origin {
    /// Visits every string.
    pub fn map_strings(&mut self, change: &mut impl FnMut(&mut String)) {
        match self {
            Origin::Agent(sender) => change(sender),
            Origin::Typed | Origin::Scheduled | Origin::Hook | Origin::Plan | Origin::Client => {}
        }
    }
}
