//! A hook call, in terms that are the same for every client.

use std::path::PathBuf;

use crate::text::cut::first_chars;

/// One call of a hook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookEvent {
    pub kind: EventKind,
    /// Empty if the client did not say.
    pub session: String,
    /// The session's transcript; may not exist yet.
    pub transcript: Option<PathBuf>,
    /// Working directory of the agent.
    pub cwd: Option<PathBuf>,
    /// The subagent in which it happened, if any.
    pub subagent: Option<String>,
    /// The transcript of the subagent that has ended.
    pub subagent_transcript: Option<PathBuf>,
    /// The agent's last words at the end of its turn; the transcript may not have them yet.
    pub last_words: Option<String>,
    /// An extension of ours has put the brief into a request since the event before.
    pub delivered: bool,
    /// Commands that have just failed, as the client passes them on; the transcript may not have them yet.
    pub failed: Vec<FailedCommand>,
    /// The model and the tokens that it can take, where an extension of ours reports that.
    pub window: Option<(String, u64)>,
    /// The client's own name for the event, for the log.
    pub name: String,
}

/// A command line that has failed, and the client's answer to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailedCommand {
    pub typed: String,
    pub answer: String,
}

impl HookEvent {
    /// Whether the session's id is plausible: clients use letters, digits and a few other characters. Anything else is
    /// a mistake or an attack, and nothing is done under such a name.
    pub fn names_a_session(&self) -> bool {
        is_session_id(&self.session)
    }
}

/// Whether this can be a session id.
pub fn is_session_id(id: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(is_allowed) && !id.starts_with('.')
}

/// Digits of an id that are shown.
const SHORT: usize = 8;

/// The part of a session's id that is shown to people, and that every command takes. The first digits of a version 7 UUID
/// and of an id with its kind in front (`ses_…`) are a time, which sessions share: of such an id the last digits are
/// shown.
pub fn short_id(id: &str) -> &str {
    let is_kind = |kind: &str| !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_lowercase());
    let names_kind = id.is_ascii()
        && id.split_once('_').is_some_and(|(kind, rest)| is_kind(kind) && rest.len() > 2 * SHORT);
    if names_kind || begins_with_time(id) { &id[id.len() - SHORT..] } else { first_chars(id, SHORT) }
}

/// Whether `text` names the session: the start of its id, or of what is shown of it.
pub fn is_named(id: &str, text: &str) -> bool {
    id.starts_with(text) || short_id(id).starts_with(text)
}

/// A version 7 UUID.
fn begins_with_time(id: &str) -> bool {
    const HYPHENS: [usize; 4] = [8, 13, 18, 23];
    let is_right = |(at, byte): (usize, u8)| match byte {
        b'-' => HYPHENS.contains(&at),
        b'7' => !HYPHENS.contains(&at),
        byte => byte.is_ascii_hexdigit() && at != 14 && !HYPHENS.contains(&at),
    };
    id.len() == 36 && id.bytes().enumerate().all(is_right)
}

/// Clients use UUIDs or ids of a similar length.
const LONGEST_ID: usize = 128;

/// What happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EventKind {
    /// A session starts or resumes.
    Start(StartKind),
    /// A person sends a prompt.
    Prompt,
    /// A person types a note in place of a prompt; empty if they only typed the command.
    Note { text: String },
    /// Tools have run.
    Tools,
    /// The context is about to be replaced by a summary.
    BeforeCompaction {
        /// Requested by the person.
        manual: bool,
    },
    /// The summary is finished but not in use yet.
    SummaryReady { summary: String },
    /// The compaction is over.
    AfterCompaction {
        /// The summary, if the client passes it.
        summary: Option<String>,
    },
    /// A subagent finished.
    SubagentEnd,
    /// The agent ended its turn.
    TurnEnd,
    /// The session is over.
    End(EndKind),
    /// No action, but new rows are recorded.
    #[default]
    Other,
}

/// How a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndKind {
    /// The person cleared the context; another session follows immediately.
    Clear,
    Other,
}

/// How a session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartKind {
    /// A new session.
    Startup,
    /// An earlier session continues.
    Resume,
    /// The person cleared the context.
    Clear,
    /// After a compaction.
    Compact,
    /// A branch of another session.
    Fork,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_begun_together_are_told_apart_by_what_is_shown() {
        let (one, other) = ("01a1e515-c764-7341-8803-5bc92f285156", "01a1e515-c7ff-7341-8803-5bc92f285157");
        assert_eq!((short_id(one), short_id(other)), ("2f285156", "2f285157"));
        assert!(is_named(one, "2f285156") && is_named(one, "01a1e515") && !is_named(other, "2f285156"));
        // No version 7: the digits are random from the start.
        for id in ["db68d083-c764-4341-8803-5bc92f285156", "db68d083c764734188035bc92f285156", "db68d083"] {
            assert_eq!(short_id(id), "db68d083");
            assert!(is_named(id, "db68"));
        }
        assert_eq!(short_id("x"), "x");
    }
}
