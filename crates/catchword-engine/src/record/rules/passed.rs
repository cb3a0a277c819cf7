//! A failed run is settled once each of its steps has passed: alone, in another line or in another spelling.

use crate::reading::command::{ShellLine, Step};
use crate::record::read::CommandRun;
use crate::record::{Record, Standing};

pub fn apply(log: &mut Record, at: usize) {
    let Some(new) = log.get(at).run().filter(|new| new.ok() == Some(true) && !new.line.sets_work_aside())
    else {
        return;
    };
    let state = Standing::Settled(new.place);
    log.settle(at, state, is_over);
}

fn is_over(new: CommandRun, failed: CommandRun, step: &Step) -> bool {
    passed(new).any(|passed| passed.settles(step) || (ends_a_merge(passed) && failed.line.merges()))
        || is_same_line(new, failed)
}

/// The steps that have passed: those of the line, and what a task runner said it ran.
fn passed(new: CommandRun<'_>) -> impl Iterator<Item = &Step> {
    let own = |ended: &'_ u16| new.line.steps().get(usize::from(*ended));
    let ended = new.ended.into_iter();
    let echoed = ended.clone().flat_map(|ended| &ended.echoed).flat_map(ShellLine::steps);
    ended.flat_map(|ended| &ended.passed).filter_map(own).chain(echoed)
}

/// The same line has passed, and its tests, if it has any, were seen to: no step of it fails any more, though its exit code
/// is that of the last one.
fn is_same_line(new: CommandRun, failed: CommandRun) -> bool {
    let tests_passed = !new.line.runs_tests() || new.ended.is_some_and(|ended| ended.tests == Some(true));
    let begins = |run: CommandRun<'_>| run.line.work().next().map(|step| step.program.clone());
    // Keys take time, and nearly all lines differ in their program.
    tests_passed && begins(new) == begins(failed) && new.line.key() == failed.line.key()
}

fn ends_a_merge(step: &Step) -> bool {
    step.is_git("commit") || step.has("--continue") || step.has("--abort")
}
