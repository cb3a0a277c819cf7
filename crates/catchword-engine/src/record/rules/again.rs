//! The newer of two alike wins: the latest run of a line, the latest status of a task, the latest place of a text.

use crate::record::{Kind, Observation, Record, Standing};

pub fn apply(log: &mut Record, at: usize) {
    let new = log.get(at);
    // A run counts once it has ended: until then the one before it is the latest word.
    if matches!(new.what, Kind::Ran { ended: None, .. }) {
        return;
    }
    let (Some(key), place) = (new.key_in_log(), new.place) else { return };
    let earlier =
        log.latest.insert(key, at as u32).map(|earlier| earlier as usize).filter(|earlier| *earlier != at);
    // Whether a failure is over takes more than another run of its line: the exit code may be that of `tail`.
    if let Some(earlier) = earlier.filter(|at| log.get(*at).state.holds() && !log.is_failing(*at)) {
        let state = after(log.get(earlier), place);
        log.set(earlier, state);
    }
}

fn after(earlier: &Observation, place: crate::model::entry::Place) -> Standing {
    match earlier.what {
        Kind::Ran { .. } | Kind::Task { .. } => Standing::Overtaken(place),
        _ => Standing::Repeated(place),
    }
}
