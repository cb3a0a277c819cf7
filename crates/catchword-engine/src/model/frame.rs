//! The tags that frame what we put into a context.

/// How a brief begins and ends; tests and the delivery check look for these.
pub const OPENING: &str = "<catchword-record";
/// The last line.
pub const CLOSING: &str = "</catchword-record>";
