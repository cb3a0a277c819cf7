//! Sixty-four sessions with eight hooks each, all on one store.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use catchword_testkit::{HookPlayer, TestEnv, Transcript};

use super::{BIN, index};

const SESSIONS: usize = 64;
const HOOKS: usize = 8;
/// The longest time a tick may take by its own limits: reading, waiting for the store twice, and recording the run. A
/// machine that runs hundreds of processes on two cores adds to it; a hook that hangs is far beyond.
const BOUND: Duration = Duration::from_secs(60);

struct Growing<'a> {
    hooks: HookPlayer<'a>,
    id: String,
    transcript: Mutex<Transcript>,
}

struct Report {
    hooks: u64,
    worst: Duration,
    noted: Vec<i64>,
}

/// Runs hooks of all sessions until `time` is over, each at least once.
fn storm(time: Duration) -> Report {
    let env = TestEnv::new();
    let sessions: Vec<Growing> = (0..SESSIONS)
        .map(|n| {
            let id = format!("{n:08}-0000-4000-8000-000000000000");
            let mut transcript = Transcript::new().session(&id).cwd(env.project()).prompt("Count.");
            let hooks = HookPlayer::new(&env, BIN, &id);
            transcript.append_to(hooks.transcript_path());
            Growing { hooks, id, transcript: Mutex::new(transcript) }
        })
        .collect();
    let (count, worst) = (AtomicU64::new(0), AtomicU64::new(0));
    let until = Instant::now() + time;
    std::thread::scope(|scope| {
        for worker in 0..SESSIONS * HOOKS {
            let (session, count, worst) = (&sessions[worker % SESSIONS], &count, &worst);
            scope.spawn(move || {
                let mut round = 0;
                while round == 0 || Instant::now() < until {
                    session.grow(worker, round);
                    let begun = Instant::now();
                    let output = session.hooks.post_tool_batch(&[]);
                    worst.fetch_max(begun.elapsed().as_micros() as u64, Ordering::Relaxed);
                    count.fetch_add(1, Ordering::Relaxed);
                    super::assert_silent(&session.id, &output);
                    round += 1;
                }
            });
        }
    });
    // A tick that found the store busy has left its rows to the next hook, which is this one.
    for session in &sessions {
        super::assert_silent(&session.id, &session.hooks.stop("Done."));
    }
    let expected: Vec<(String, i64)> = sessions
        .iter()
        .flat_map(|s| {
            let lines = s.transcript.lock().expect("nobody panicked").line_count();
            (1..=lines).map(|line| (format!("{}:{line}", s.id), 1))
        })
        .collect();
    assert_eq!(index(&env), expected, "every row once");
    let db = rusqlite::Connection::open(env.data().join("catchword.db")).expect("a store");
    let mut statement = db.prepare("SELECT micros FROM hook_run ORDER BY micros").expect("our own table");
    let noted = statement.query_map([], |row| row.get(0)).expect("our own rows");
    Report {
        hooks: count.into_inner(),
        worst: Duration::from_micros(worst.into_inner()),
        noted: noted.collect::<Result<_, _>>().expect("our own rows"),
    }
}

impl Growing<'_> {
    /// Appends one row, as the client's only writer would.
    fn grow(&self, worker: usize, round: usize) {
        let mut transcript = self.transcript.lock().expect("nobody panicked");
        *transcript = std::mem::take(&mut *transcript).says(&format!("worker {worker}, round {round}"));
        transcript.append_to(self.hooks.transcript_path());
    }
}

#[test]
fn five_hundred_parallel_hooks_record_every_row_once() {
    let report = storm(Duration::ZERO);
    assert_eq!(report.hooks, (SESSIONS * HOOKS) as u64);
    assert!(report.worst < BOUND, "the longest took {:?}", report.worst);
}

#[test]
#[ignore = "a minute with all processors; the results are in docs/reliability.md"]
fn a_minute_of_five_hundred_parallel_hooks_records_every_row_once() {
    let report = storm(Duration::from_secs(60));
    let noted = report.noted;
    let at = |part: usize| noted[(noted.len() - 1) * part / 1_000] / 1_000;
    #[expect(clippy::print_stderr, reason = "the figures are what it is run for")]
    {
        eprintln!(
            "{} hooks, the longest process {:?}; by their own clock: {} ms in the middle, {} ms at 99 %, {} ms at most",
            report.hooks,
            report.worst,
            at(500),
            at(990),
            at(1_000)
        );
    }
    assert!(report.worst < BOUND, "the longest took {:?}", report.worst);
}
