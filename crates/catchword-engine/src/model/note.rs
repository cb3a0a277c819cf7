//! Notes of a person or the agent.

/// The slash command with which a person leaves a note, as clients show it. The words are the person's even if the
/// agent writes the note.
pub const NOTE_COMMAND: &str = "/catchword:note";

/// Most characters of a note. Anything longer belongs in a file that the note names.
pub const LONGEST_NOTE: usize = 2_000;

/// The text of a note, if the person typed one as their prompt: the command, also without its slash, which some clients
/// keep for commands of their own, and what stands behind it. Empty if nothing does.
pub fn typed(prompt: &str) -> Option<&str> {
    let prompt = prompt.trim();
    let command = NOTE_COMMAND.trim_start_matches('/');
    let text = prompt.strip_prefix('/').unwrap_or(prompt).strip_prefix(command)?;
    (text.is_empty() || text.starts_with(char::is_whitespace)).then(|| text.trim())
}

/// A line that a person or the agent wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Milliseconds since 1970.
    pub at: i64,
    pub author: Author,
    /// The state line that this note sets; `None` for an ordinary note.
    pub state: Option<StateKey>,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    Person,
    Agent,
}

impl Author {
    /// The name that notes use.
    pub fn name(self) -> &'static str {
        match self {
            Author::Person => "user",
            Author::Agent => "agent",
        }
    }
}

/// The state lines that a note can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKey {
    /// The current work.
    Active,
    /// The current step.
    Step,
    /// What blocks the work.
    Blocking,
    /// What comes next.
    Next,
}

impl StateKey {
    /// In the order in which they are shown.
    pub const ALL: [StateKey; 4] = [StateKey::Active, StateKey::Step, StateKey::Blocking, StateKey::Next];

    /// As typed and stored.
    pub fn name(self) -> &'static str {
        match self {
            StateKey::Active => "active",
            StateKey::Step => "step",
            StateKey::Blocking => "blocking",
            StateKey::Next => "next",
        }
    }

    /// As shown.
    pub fn title(self) -> &'static str {
        match self {
            StateKey::Active => "Active work",
            StateKey::Step => "Current step",
            StateKey::Blocking => "Blocking on",
            StateKey::Next => "Next",
        }
    }

    pub fn named(name: &str) -> Option<StateKey> {
        StateKey::ALL.into_iter().find(|key| key.name() == name)
    }
}
