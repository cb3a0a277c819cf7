//! Writing down a line: the one place where a tool changes something.

use super::Fault;
use super::whose::Whose;
use crate::env::Env;

/// Keeps a note of the agent's for a session; `state` names a line of its current state instead. What was kept, in
/// words.
pub fn keep(_session: &Whose, _text: &str, _state: Option<&str>, _env: &Env) -> Result<String, Fault> {
    let todo = "Say it in your answer to the user, or write it into a file of the project.";
    Err(Fault::new("not_available", "Notes are not available in this version.", todo))
}
