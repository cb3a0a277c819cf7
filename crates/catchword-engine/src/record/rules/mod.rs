//! What changes the state of an observation: one table, one file per rule.
//!
//! After each new observation every rule sees the log and its index. A rule changes only states, only of earlier
//! observations, and only on positive evidence.

mod again;
mod passed;
mod taken_back;

use super::Record;

/// One rule.
pub struct StateRule {
    pub name: &'static str,
    pub apply: fn(&mut Record, usize),
}

/// Every rule, in the order in which they see an observation. A rewind is no observation: [`Record::rewound`].
pub const RULES: &[StateRule] = &[
    StateRule { name: "the next run of the same line overtakes a run", apply: again::apply },
    StateRule { name: "a passing run settles the failures it covers", apply: passed::apply },
    StateRule { name: "an exact reversal takes an edit back", apply: taken_back::apply },
];
