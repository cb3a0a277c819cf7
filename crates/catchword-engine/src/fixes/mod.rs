//! What failed, and what was done until it passed: pure, over the calls of one conversation.
//!
//! An [`Act`] is a call as far as that matters: a command with its outcome, a file that was changed. Whoever has calls (the
//! history its items, a hook the rows of its session) turns them into acts; [`pairs`] finds in them the failures that were
//! proven to be over. A pair is proven if the record counts the failure as settled ([`crate::record::rules`]), the run that
//! settled it covers everything that failed, and something that was done in between can be named. Everything less is no
//! pair: whoever is told a wrong one trusts none of them.
//!
//! A failure is known again by its [`signature`]: the program, its verb, and the lines that name the error, without what
//! differs from run to run.

mod act;
mod pair;
mod signature;

pub use act::{Act, ActRow, ActState, DeedKind, Did, FixDeed};
pub use pair::{FixPair, LONGEST_PAIR, pairs};
pub use signature::{error_lines, signature};

#[cfg(test)]
mod tests;
