//! The start after a compaction: the brief.

use super::{HookContext, person};
use crate::audit::{self, AgentReceived, Audit, PersonLine};
use crate::choose::{KnownText, WorkspaceState};
use crate::ops::active;
use crate::ops::brief::brief_beside;
use crate::ops::catch_up::{CatchUpError, CaughtUp};
use crate::session::Session;
use crate::store::Given;

/// The brief, once per compaction. It is given even if the store cannot be written: a duplicate
/// wastes context, but a missing one is a loss. A transcript that was not read to its end is not a true record, though.
pub(super) fn text(hook: &mut HookContext, caught: &mut CaughtUp) -> Result<String, CatchUpError> {
    if caught.cut_short {
        return Ok(String::new());
    }
    let event = hook.event;
    let summary = hook.store.summary(&event.session)?;
    let session = caught.session.get_or_insert_default();
    if hook.store.is_manual(&event.session)? {
        session.compacts_on_order();
    }
    let session = &*session;
    let known = KnownText::audited(session, summary.as_deref());
    let workspace = workspace_state(hook, session)?;
    let brief = brief_beside(&known, session, &workspace, hook.settings.budget, hook.client.room);
    if brief.text.is_empty() {
        return Ok(String::new());
    }
    let audit = summary
        .as_deref()
        .map(|summary| Audit { of: audit::hash_of(summary), findings: known.findings().to_vec() });
    // What the person is told once the compaction is over; empty if nothing was lost.
    let line = match known.broken() {
        Some(what) => {
            let text =
                format!("catchword: the summary is broken: {what}; the agent got the record in its place.");
            Some(PersonLine { text, ..PersonLine::default() })
        }
        None => audit.as_ref().map(|audit| {
            let received = AgentReceived { brief: &brief.text, late: "" };
            let line = audit::line(session, &audit.findings, received);
            line.map(|line| person::with_command(line, &event.session, session)).unwrap_or_default()
        }),
    };
    let given =
        Given { brief: &brief.text, items: brief.items(), audit: audit.as_ref(), line: line.as_ref() };
    match hook.store.claim_brief(&event.session, &given, hook.now) {
        Ok(false) => return Ok(String::new()),
        Ok(true) => {}
        Err(error) if error.is_damage() => return Err(error.into()),
        Err(error) => caught.failed = Some(error.into()),
    }
    Ok(brief.text)
}

fn workspace_state(hook: &HookContext, session: &Session) -> Result<WorkspaceState, CatchUpError> {
    if session.entries == 0 {
        return Ok(WorkspaceState::default());
    }
    let (id, machine) = (&hook.event.session, hook.machine);
    let find = |folder: &_, command: &_| machine.command_file(folder, command);
    let folder = hook.event.cwd.as_deref();
    Ok(WorkspaceState {
        id: Some(id.clone()),
        tree: hook.work_tree(),
        active: Some(active::now(hook.store, &hook.client.commands, id, session, &find)?),
        project: folder.map(|folder| machine.project(folder, session)).unwrap_or_default(),
        notes: hook.store.notes(id)?,
        announce: hook.settings.announce,
    })
}
