//! A handoff: the session as a document, at a moment at which somebody else may have to take over.
//!
//! Here it is made; front ends put it where it belongs, because only they know where that is.

use std::path::{Path, PathBuf};

use crate::brief::handoff as render;
pub use crate::brief::handoff::{
    DEFAULT_BUDGET, END, HandoffContext, HandoffTime, MARK, SHORT, SMALLEST, short,
};
use crate::clients::Client;
use crate::facts::WorkspaceState;
use crate::session::Session;
use crate::text::reply::is_reply;

/// A finished document and where it belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handoff {
    /// The session's id.
    pub session: String,
    /// The root of its work tree, or its folder.
    pub project: Option<PathBuf>,
    /// The document.
    pub text: String,
}

/// What a handoff is made from, besides the session itself.
#[derive(Clone, Copy)]
pub struct HandoffSource<'a> {
    /// The client.
    pub client: &'a Client,
    /// The session's id.
    pub session: &'a str,
    /// Its transcript.
    pub transcript: Option<&'a Path>,
    /// The root of its work tree, or its folder.
    pub project: Option<&'a Path>,
    /// The time, in milliseconds since 1970.
    pub now: i64,
}

/// The handoff of a session; none where nothing was asked and nothing done.
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

/// The document, at most `budget` characters of it (4,000 to 12,000).
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
    session.clock > 0 || session.asked().iter().any(|prompt| !is_reply(&prompt.text))
}
