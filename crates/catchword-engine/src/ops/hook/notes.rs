//! The notes as a document, at quiet moments and before the context is lost.

use super::HookContext;
use crate::brief::notes;
use crate::model::event::EventKind;
use crate::ops::catch_up::{CatchUpError, CaughtUp};

/// The notes of a session, to be written out.
pub struct NotesDocument {
    /// The folder that the session works in.
    pub root: Option<String>,
    /// As Markdown.
    pub text: String,
}

pub(super) fn document(hook: &HookContext, caught: &CaughtUp) -> Result<Option<NotesDocument>, CatchUpError> {
    let is_moment = matches!(
        hook.event.kind,
        EventKind::TurnEnd | EventKind::End(_) | EventKind::BeforeCompaction { .. }
    );
    let Some(session) = caught.session.as_ref().filter(|_| hook.settings.notes && is_moment) else {
        return Ok(None);
    };
    let id = &hook.event.session;
    let notes = notes::of(session, &hook.store.notes(id)?);
    let root = session.root().map(str::to_owned);
    Ok(Some(NotesDocument { root, text: notes::markdown(&notes, id) }))
}
