//! The environment variables of a client, and what they mean.

use crate::model::tokens::ClientLimits;

/// Looks up an environment variable.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Environment {
    /// No variable at all.
    pub const PLAIN: Environment = Environment {
        config_dir: "",
        home_folder: "",
        session: None,
        call: &[],
        process: None,
        in_shell: &[],
        attended: |_| None,
        limits: |_| ClientLimits::default(),
        model: |_| None,
    };
}

/// The names of a client's variables. Hooks, status line and servers inherit the client's environment, so they can read
/// its settings there.
pub struct Environment {
    /// Moves the client's own folder.
    pub config_dir: &'static str,
    /// The client's own folder if that is not set, below the home.
    pub home_folder: &'static str,
    /// The session that a program belongs to: it runs in the session's shell, or its client started it.
    pub session: Option<&'static str>,
    /// Keys of the session in the metadata of an MCP call; the first one present counts.
    pub call: &'static [&'static str],
    /// The client process that calls a hook.
    pub process: Option<&'static str>,
    /// Any of these is set in a shell of the agent's.
    pub in_shell: &'static [&'static str],
    /// Whether a person sits at the client that calls a hook.
    pub attended: fn(Lookup) -> Option<bool>,
    /// Limits that move the client's compaction threshold.
    pub limits: fn(Lookup) -> ClientLimits,
    /// The name of the model that was chosen.
    pub model: fn(Lookup) -> Option<String>,
}
