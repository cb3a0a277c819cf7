//! A hook that dies in the middle of a write, at every write it makes.
//!
//! `ulimit -f` kills a process at the write that would make a file longer than the limit, without a chance to clean up:
//! like `kill -9`, but to the byte where we want it. Raising the limit step by step covers all writes of a hook. (Kills
//! by time, with eight parallel hooks, are in `concurrency.rs`.)

use std::os::unix::process::ExitStatusExt;

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript};
use serde_json::{Value, json};

use super::{BIN, index, limited};

/// The unit of `ulimit -f`.
const BLOCK: u64 = 512;
/// One page of the WAL is eight blocks and a bit, so that no page is skipped and the cut moves through it.
const STEP: u64 = 7;

/// A session whose hooks have run up to here, and the next payload.
struct Scene {
    name: &'static str,
    before: fn(&HookPlayer, Transcript) -> Transcript,
    event: &'static str,
    fields: fn() -> Value,
}

const SCENES: [Scene; 4] = [
    Scene {
        name: "the first hook of a machine",
        before: |_, transcript| transcript,
        event: "Stop",
        fields: || json!({"last_assistant_message": "Done."}),
    },
    Scene {
        name: "a tick",
        before: a_turn_later,
        event: "PostToolBatch",
        fields: || json!({"tool_calls": []}),
    },
    Scene {
        name: "a brief",
        before: |hooks, transcript| {
            let transcript = grown(hooks, transcript);
            let _ = hooks.pre_compact("auto", None).success();
            let _ = hooks.summariser_stop("The user wants a parser.").success();
            transcript
        },
        event: "SessionStart",
        fields: || json!({"source": "compact"}),
    },
    Scene {
        name: "the end",
        before: a_turn_later,
        event: "SessionEnd",
        fields: || json!({"reason": "other"}),
    },
];

fn a_turn_later(hooks: &HookPlayer, transcript: Transcript) -> Transcript {
    let _ = hooks.stop("Done.").success();
    grown(hooks, transcript)
}

fn grown(hooks: &HookPlayer, transcript: Transcript) -> Transcript {
    let mut transcript = transcript.says("more").bash("cargo test").ok("ok").says("and more");
    transcript.append_to(hooks.transcript_path());
    transcript
}

fn session() -> Transcript {
    let mut transcript = Transcript::new().prompt("Add a parser. Never touch the lock file.");
    for n in 0..12 {
        transcript = transcript.task_create(&format!("task {n}")).bash(&format!("make {n}")).ok("fine");
    }
    transcript
}

/// Plays a scene with the last hook limited to files of `blocks`; returns whether it was killed.
fn play(scene: &Scene, blocks: u64) -> bool {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = session();
    transcript.append_to(hooks.transcript_path());
    let mut transcript = (scene.before)(&hooks, transcript);
    // Without a core dump, to which the limit would apply as well.
    let command = limited(&env, &format!("ulimit -c 0; ulimit -f {blocks}"));
    let output = env.run_command(command, hooks.payload(scene.event, (scene.fields)()).to_string());
    let killed = output.status.signal().is_some();
    let name = format!("{}, files of {blocks} blocks", scene.name);
    assert!(killed || output.status.success(), "{name}:\n{output}");

    // Meanwhile the client has continued, and its next hook finds everything in order.
    transcript = transcript.says("the last word");
    transcript.append_to(hooks.transcript_path());
    let stop = hooks.stop("Done.");
    // Once a brief was given, the person may hear what the summary lost.
    assert!(stop.is_silent_success() || stop.tells_only_the_person(), "{name}:\n{stop}");
    let rows: Vec<(String, i64)> =
        (1..=transcript.line_count()).map(|line| (format!("{SESSION}:{line}"), 1)).collect();
    assert_eq!(index(&env), rows, "{name}: every row once");
    let _ = hooks.pre_compact("auto", None).success();
    let brief = hooks.session_start("compact").success().stdout;
    assert!(brief.contains("Never touch the lock file") && brief.contains("task 11"), "{name}:\n{brief}");
    assert_eq!(super::set_aside(env.data()), 0, "{name}: a kill is not damage");
    killed
}

#[test]
fn store_survives_a_hook_killed_at_any_write() {
    for scene in &SCENES {
        let mut kills = 0;
        let mut blocks = 0;
        while play(scene, blocks) {
            kills += 1;
            blocks += STEP;
        }
        // From the first byte to beyond the largest file: several files, many pages.
        assert!(kills >= 6, "{}: {kills} kills only, up to {} bytes", scene.name, blocks * BLOCK);
    }
}

/// The same by system call, with strace: the process is killed at the n-th call of each kind.
#[test]
#[ignore = "needs strace and some minutes; the results are in docs/reliability.md"]
fn store_survives_a_hook_killed_at_any_writing_system_call() {
    let mut all = 0;
    for scene in &SCENES {
        for call in ["pwrite64", "write", "ftruncate", "unlink", "fdatasync", "fsync", "rename", "openat"] {
            let mut nth = 1;
            while play_by_call(scene, call, nth) {
                nth += 1;
            }
            all += nth - 1;
        }
    }
    assert!(all > 100, "{all} kills");
    // Visible with --nocapture.
    #[expect(clippy::print_stderr, reason = "the figure is what it is run for")]
    {
        eprintln!("{all} kills");
    }
}

fn play_by_call(scene: &Scene, call: &str, nth: u32) -> bool {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = session();
    transcript.append_to(hooks.transcript_path());
    let mut transcript = (scene.before)(&hooks, transcript);
    let mut command = env.command("strace");
    command.args(["-qq", "-o", "/dev/null", "-e"]).arg(format!("trace={call}"));
    command.arg("-e").arg(format!("inject={call}:signal=KILL:when={nth}")).args([BIN, "hook", "claude-code"]);
    let output = env.run_command(command, hooks.payload(scene.event, (scene.fields)()).to_string());
    let name = format!("{}, {call} number {nth}", scene.name);
    transcript = transcript.says("the last word");
    transcript.append_to(hooks.transcript_path());
    super::assert_silent(&name, &hooks.stop("Done."));
    let rows: Vec<(String, i64)> =
        (1..=transcript.line_count()).map(|line| (format!("{SESSION}:{line}"), 1)).collect();
    assert_eq!(index(&env), rows, "{name}: every row once");
    assert_eq!(super::set_aside(env.data()), 0, "{name}: a kill is not damage");
    output.status.signal().is_some()
}
