//! Events of a subagent. Records only whether its context is being compacted: its summary looks like the session's own.

use super::HookContext;
use crate::model::event::{EventKind, StartKind};
use crate::ops::catch_up::CatchUpError;

pub(super) fn note_compaction(hook: &mut HookContext, subagent: &str) -> Result<(), CatchUpError> {
    let session = &hook.event.session;
    match hook.event.kind {
        EventKind::BeforeCompaction { .. } => {
            hook.store.sub_compaction_begins(session, subagent, hook.now)?;
        }
        EventKind::Start(StartKind::Compact) | EventKind::AfterCompaction { .. } | EventKind::SubagentEnd => {
            hook.store.sub_compaction_ends(session, subagent)?;
        }
        _ => {}
    }
    Ok(())
}
