//! A run on the state before the work (`git stash && make test`) says nothing about the work, except that what fails there,
//! too, is not its fault.

use crate::reading::command::Step;
use crate::reading::report::names_an_error;
use crate::record::read::CommandRun;
use crate::record::{Record, Standing};

pub fn apply(log: &mut Record, at: usize) {
    let Some(new) = log.get(at).run().filter(|new| new.failed() && new.line.sets_work_aside()) else {
        return;
    };
    let state = Standing::Overtaken(new.place);
    log.settle(at, state, |new, failed, step| repeats(new, step) && fails_alike(new, failed));
}

fn repeats(new: CommandRun, failed: &Step) -> bool {
    new.line.steps().iter().any(|own| own.covers(failed))
}

fn fails_alike(new: CommandRun, failed: CommandRun) -> bool {
    if failed.failed_tests().is_empty() {
        names_an_error(failed.error()) && new.error() == failed.error()
    } else {
        failed.failed_tests().iter().all(|test| new.failed_tests().contains(test))
    }
}
