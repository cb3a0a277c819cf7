//! A step that the agent announced is over with the next call that does something, a look with the next call.

use crate::reading::statements::Tells;
use crate::record::{Deed, Kind, Observation, Record, Standing, Voice};

pub fn apply(log: &mut Record, at: usize) {
    let new = log.get(at);
    let Some(acts) = acts(new) else { return };
    let state = Standing::Settled(new.place);
    let Some(said) = log.messages.iter().rfind(|message| message.who == Voice::Agent) else { return };
    for line in said.from as usize..said.to as usize {
        let seen = log.get(line);
        let mut steps = seen.says.iter().filter_map(|one| match one.tells {
            Tells::Announced => Some(acts),
            Tells::AnnouncedLook => Some(true),
            _ => None,
        });
        if seen.state.holds() && steps.clone().next().is_some() && steps.all(|is_over| is_over) {
            log.set(line, state);
        }
    }
}

/// Whether a call does more than look; `None` for what is no call.
fn acts(seen: &Observation) -> Option<bool> {
    match &seen.what {
        Kind::Ran { line, .. } => Some(!line.only_looks()),
        Kind::Called { looks, .. } => Some(!looks),
        Kind::Touched(deed) => Some(*deed != Deed::Read),
        Kind::Planned(_) => Some(true),
        _ => None,
    }
}
