//! What a person or the agent wrote down.

/// The slash command by which a person leaves a note, as clients show it: whoever writes it down for them, the words
/// are theirs.
pub const NOTE_COMMAND: &str = "/catchword:note";

/// A line a person or the agent wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Whose it is.
    pub author: Author,
    /// The line of the state that it sets; an ordinary note sets none.
    pub state: Option<StateKey>,
    /// Their words.
    pub text: String,
}

/// Who wrote a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// A person.
    Person,
    /// The agent.
    Agent,
}

impl Author {
    /// As notes name them.
    pub fn name(self) -> &'static str {
        match self {
            Author::Person => "user",
            Author::Agent => "agent",
        }
    }
}

/// The lines of the state that can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKey {
    /// What is being worked on.
    Active,
    /// The step of it that is under way.
    Step,
    /// What it waits for.
    Blocking,
    /// What comes next.
    Next,
}

impl StateKey {
    /// All of them, in the order they are shown.
    pub const ALL: [StateKey; 4] = [StateKey::Active, StateKey::Step, StateKey::Blocking, StateKey::Next];

    /// As it is typed and stored.
    pub fn name(self) -> &'static str {
        match self {
            StateKey::Active => "active",
            StateKey::Step => "step",
            StateKey::Blocking => "blocking",
            StateKey::Next => "next",
        }
    }

    /// As it is shown.
    pub fn title(self) -> &'static str {
        match self {
            StateKey::Active => "Active work",
            StateKey::Step => "Current step",
            StateKey::Blocking => "Blocking on",
            StateKey::Next => "Next",
        }
    }

    /// The key of this name.
    pub fn named(name: &str) -> Option<StateKey> {
        StateKey::ALL.into_iter().find(|key| key.name() == name)
    }
}
