//! A run that failed, or whose outcome is not known, takes the place of the failures that it repeats: we never report a
//! failure we are not sure of.

use crate::record::read::LONGEST_COMMAND;
use crate::record::{Record, Standing};

pub fn apply(log: &mut Record, at: usize) {
    let Some(new) = log.get(at).run().filter(|new| new.ended.is_some() && !new.line.sets_work_aside()) else {
        return;
    };
    let state = Standing::Overtaken(new.place);
    match new.ok() {
        Some(true) => {}
        None => log.settle(at, state, |new, _, step| new.line.steps().iter().any(|own| own.settles(step))),
        Some(false) => {
            let work = new.line.steps().iter().enumerate().filter(|(_, step)| !step.is_minor());
            let steps: Vec<u16> = work.map(|(number, _)| number as u16).collect();
            if steps.is_empty() || new.line.core().len() > LONGEST_COMMAND {
                return;
            }
            if new.is_about_the_work() {
                log.settle(at, state, |new, _, step| new.line.steps().iter().any(|own| own.covers(step)));
            }
            log.fails(at, steps);
        }
    }
}
