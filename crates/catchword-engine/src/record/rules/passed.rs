//! A failed run is settled by a later one that passed and ran the same or more.

use crate::reading::command::Step;
use crate::record::{Kind, Record, Standing};

/// The same line run again is the rule before this one; here a line in other words is compared step by step.
pub fn apply(record: &mut Record, at: usize) {
    let new = record.get(at);
    let Kind::Ran { line, ended: Some(end) } = &new.what else { return };
    if end.ok != Some(true) {
        return;
    }
    let passed: Vec<Step> =
        line.passed_with_line().into_iter().filter(|step| step.is_work()).cloned().collect();
    let place = new.place;
    for earlier in 0..at {
        let seen = record.get(earlier);
        let Kind::Ran { line: failed, .. } = &seen.what else { continue };
        let is_over = |step: &Step| passed.iter().any(|wide| wide.covers(step));
        if seen.is_failed_run()
            && seen.state.holds()
            && failed.work().count() > 0
            && failed.work().all(is_over)
        {
            record.set(earlier, Standing::Settled(place));
        }
    }
}
