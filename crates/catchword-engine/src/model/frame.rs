//! The tags around what we put into a context and what we print for one.

/// Start of a brief. Tests and the delivery check look for both tags.
pub const OPENING: &str = "<catchword-record";
/// Last line of a brief.
pub const CLOSING: &str = "</catchword-record>";
/// How a replay begins and ends.
pub const REPLAY_OPENING: &str = "<catchword-replay";
pub const REPLAY_CLOSING: &str = "</catchword-replay>";
/// How the first line of every handoff begins: a file without it is somebody else's.
pub const HANDOFF_OPENING: &str = "<!-- catchword handoff of session ";
/// The last line of a handoff.
pub const HANDOFF_CLOSING: &str = "<!-- end of the handoff -->";

/// What begins and ends each of them: a prompt that one was pasted or piped into has more than the person's words.
pub const FRAMED: [(&str, &str); 3] =
    [(OPENING, CLOSING), (REPLAY_OPENING, REPLAY_CLOSING), (HANDOFF_OPENING, HANDOFF_CLOSING)];
