//! Background jobs that have not been seen to end, by id.

use crate::choose::{Fact, KnownText, Section};
use crate::lexicon::programs::Purpose;
use crate::quote::name;
use crate::reading::command::ShellLine;
use crate::session::{RunningJob, Session};

/// Tool calls after which a job that is not a server or watcher is assumed to be over.
const LONG_AGO: u32 = 60;

/// Shells and subagents whose end is not in the transcript.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    session
        .running
        .iter()
        .filter(|(id, job)| !known.has(id) && may_run(job, session.clock))
        .map(|(id, running)| {
            let what = if running.agent { "subagent" } else { "shell" };
            let text =
                format!("{what} {}: {}; started here, no end recorded", name(id, 60), running.shown(160));
            let fact = Fact::new(Section::Running, id, text).at(running.place);
            fact.because("started in the background, no end recorded")
        })
        .collect()
}

/// It was started recently, or is of a kind that runs until somebody stops it.
fn may_run(job: &RunningJob, clock: u32) -> bool {
    let serves = || ShellLine::parse(&job.what).steps().iter().any(|step| step.purpose == Purpose::Serve);
    clock.saturating_sub(job.clock) <= LONG_AGO || (!job.agent && serves())
}
