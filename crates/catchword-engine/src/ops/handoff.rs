//! A handoff: the session as a document, for when somebody else may have to take over.
//!
//! Only creates the document; front ends know where to write it.

use std::path::{Path, PathBuf};

use crate::brief::handoff as render;
pub use crate::brief::handoff::{
    DEFAULT_BUDGET, END, HandoffContext, HandoffTime, MARK, SHORT, SMALLEST, short,
};
use crate::choose::WorkspaceState;
use crate::clients::Client;
use crate::session::Session;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handoff {
    pub session: String,
    /// The root of its work tree, or its folder.
    pub project: Option<PathBuf>,
    pub text: String,
}

/// What a handoff needs besides the session itself.
#[derive(Clone, Copy)]
pub struct HandoffSource<'a> {
    pub client: &'a Client,
    pub session: &'a str,
    pub transcript: Option<&'a Path>,
    /// The root of its work tree, or its folder.
    pub project: Option<&'a Path>,
    /// Milliseconds since 1970.
    pub now: i64,
}

/// The handoff of a session; `None` if nothing was asked or done.
pub fn handoff(
    session: &Session,
    source: &HandoffSource,
    workspace: &WorkspaceState,
    moment: HandoffTime,
) -> Option<Handoff> {
    let resume = (source.client.phrases.resume)(source.session);
    let about = HandoffContext {
        session: source.session,
        transcript: source.transcript,
        resume: &resume,
        moment,
        now: source.now,
    };
    is_worth_it(session).then(|| Handoff {
        session: source.session.to_owned(),
        project: source.project.map(Path::to_owned),
        text: document(session, &about, workspace, DEFAULT_BUDGET),
    })
}

/// The document, at most `budget` characters (4,000 to 12,000).
pub fn document(
    session: &Session,
    about: &HandoffContext,
    workspace: &WorkspaceState,
    budget: usize,
) -> String {
    render::document(session, about, workspace, budget)
}

/// Whether there is anything to hand over.
pub fn is_worth_it(session: &Session) -> bool {
    session.clock > 0 || session.asked().iter().any(|prompt| !prompt.reads.is_reply)
}
