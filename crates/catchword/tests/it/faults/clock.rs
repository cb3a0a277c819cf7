//! A wrong clock: what is recorded does not depend on it, and nobody is told nonsense.

use catchword_testkit::SESSION;
use serde_json::json;

use super::{BIN, index};
use crate::hook::{Stage, a_session};

/// Milliseconds since 1970: zero, a day long before the transcript, and one that no calendar has.
const TIMES: [&str; 4] = ["0", "1000000000000", "253402300800000", "9007199254740991"];

#[test]
fn clock_that_jumps_back_loses_and_repeats_no_row() {
    let stage = Stage::new();
    let hooks = stage.hooks();
    super::assert_silent("before", &hooks.stop("Done."));
    let mut transcript = a_session();
    for (n, now) in TIMES.into_iter().chain(TIMES.into_iter().rev()).enumerate() {
        transcript = transcript.says(&format!("step {n}"));
        transcript.write_to(hooks.transcript_path());
        let then = hooks.with_var("CATCHWORD_NOW", now);
        super::assert_silent(now, &then.post_tool_batch(&[]));
        super::assert_silent(now, &then.stop("Done."));
        let lines = transcript.line_count();
        assert_eq!(index(&stage.env).len(), lines, "at {now}");
    }
    assert_eq!(stage.log(), "");
}

#[test]
fn compaction_is_answered_whatever_the_clock_says() {
    for before in TIMES {
        for after in TIMES {
            let stage = Stage::new();
            let (first, then) = (
                stage.hooks().with_var("CATCHWORD_NOW", before),
                stage.hooks().with_var("CATCHWORD_NOW", after),
            );
            let _ = first.session_start("startup").success();
            let _ = first.pre_compact("auto", None).success();
            let _ = then.summariser_stop("The user wants a parser.").success();
            let brief = then.session_start("compact").success().stdout;
            assert!(brief.contains("write the parser"), "{before} → {after}:\n{brief}");
            let _ = first.post_compact("auto", "The user wants a parser.").success();
            let _ = first.session_end("other").success();
            assert_eq!(stage.log(), "", "{before} → {after}");
        }
    }
}

#[test]
fn commands_cope_with_impossible_times() {
    let stage = Stage::new();
    for now in TIMES {
        let hooks = stage.hooks().with_var("CATCHWORD_NOW", now);
        let _ = hooks.pre_compact("auto", None).success();
        let _ = hooks.session_start("compact").success();
        let _ = hooks.post_compact("auto", "A parser.").success();
        let _ = hooks.stop("Done.").success();
        for args in [
            &["status"][..],
            &["status", "--all"],
            &["lost"],
            &["lost", "1"],
            &["brief", SESSION],
            &["note", "--session", SESSION],
            &["note", "--session", SESSION],
            &["handoff", SESSION],
            &["status", SESSION],
            &["search", "parser", "since:2d"],
            &["doctor"],
        ] {
            let mut command = stage.env.command(BIN);
            command.args(args).env("CATCHWORD_NOW", now);
            let output = stage.env.run_command(command, "");
            assert!(!output.stderr.contains("panicked"), "{now} {args:?}:\n{output}");
            assert!(output.status.code().is_some_and(|code| code < 2), "{now} {args:?}:\n{output}");
        }
        let asked = json!({"session_id": SESSION, "cwd": stage.env.project()}).to_string();
        let mut command = stage.env.command(BIN);
        command.args(["statusline", "claude-code"]).env("CATCHWORD_NOW", now);
        let _ = stage.env.run_command(command, asked).success();
    }
}
