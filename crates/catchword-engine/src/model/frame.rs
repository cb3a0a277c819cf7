//! The tags around what we put into a context.

/// Start of a brief. Tests and the delivery check look for both tags.
pub const OPENING: &str = "<catchword-record";
/// Last line of a brief.
pub const CLOSING: &str = "</catchword-record>";
