//! A program that could not be run or was called wrongly, and that a later line calls differently: the call was corrected.

use crate::reading::command::ShellLine;
use crate::reading::report::never_ran;
use crate::record::{Record, Standing};

pub fn apply(log: &mut Record, at: usize) {
    let Some(new) = log.get(at).run().filter(|new| new.ended.is_some() && !new.line.sets_work_aside()) else {
        return;
    };
    let state = Standing::Overtaken(new.place);
    log.settle(at, state, |new, failed, _| {
        let is_slip = failed.ended.is_some_and(|ended| ended.wrong_call) || never_ran(failed.error());
        is_slip && calls_differently(new.line, failed.line)
    });
}

fn calls_differently(new: &ShellLine, failed: &ShellLine) -> bool {
    let work = failed.steps().iter().filter(|step| !step.is_minor());
    work.into_iter()
        .any(|old| new.steps().iter().any(|own| own.program == old.program && own.text != old.text))
}
