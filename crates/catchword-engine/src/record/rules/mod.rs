//! What changes the state of an observation: one table, one file per rule.
//!
//! After each new observation, and again when a run has ended, every rule sees the log and its indexes. A rule changes
//! only states, only of earlier observations, and only on positive evidence. What failed is compared with every later
//! run by the index of failing runs alone: a rule must not look through the log.

mod again;
mod begun;
mod called_differently;
mod other_value;
mod passed;
mod rerun;
mod taken_back;
mod without_the_work;

use super::Record;

/// One rule.
pub struct StateRule {
    pub name: &'static str,
    pub apply: fn(&mut Record, usize),
}

/// Every rule, in the order in which they see an observation. A rewind is no observation: [`Record::rewound`]; nor is a
/// script that nobody can read: [`Record::anything_ran`].
pub const RULES: &[StateRule] = &[
    StateRule { name: "the next run of the same line overtakes a run", apply: again::apply },
    StateRule { name: "a passing run settles the failures it covers", apply: passed::apply },
    StateRule { name: "a program that never ran was called differently", apply: called_differently::apply },
    StateRule {
        name: "what fails without the work, too, is not its failure",
        apply: without_the_work::apply,
    },
    StateRule { name: "a later run overtakes the failures it repeats", apply: rerun::apply },
    StateRule { name: "a call settles the step that the agent announced", apply: begun::apply },
    StateRule { name: "an exact reversal takes an edit back", apply: taken_back::apply },
    StateRule {
        name: "a later value of the same setting withdraws the earlier one",
        apply: other_value::apply,
    },
];
