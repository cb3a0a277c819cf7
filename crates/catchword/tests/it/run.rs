//! `run`: several sessions of the client, one output.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};

use catchword_testkit::{CommandOutput, TestEnv, Transcript, files};
use serde_json::Value;

mod real;

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const GOAL: &str = "Add a parser. Never touch the lock file.";

fn args<'a>(ours: &[&'a str], theirs: &[&'a str]) -> Vec<&'a str> {
    [&["run"], ours, &["--", "./claude", "-p"], theirs].concat()
}

/// A project with a fake client that does what `scene` says.
struct Stage {
    env: TestEnv,
}

impl Stage {
    fn new(scene: &str) -> Self {
        let env = TestEnv::new();
        env.write("claude", include_str!("run/claude.sh"));
        let program = env.project().join("claude");
        std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).expect("our own file");
        env.write("scene", &format!("turn() {{\n{scene}\n}}\n"));
        for session in 1..=3 {
            let transcript = Transcript::new()
                .prompt(GOAL)
                .task_create(&format!("write part {session}"))
                .bash("make")
                .ok("fine");
            transcript.write_to(env.project().join(format!("t{session}.jsonl")));
        }
        Stage { env }
    }

    fn run(&self, ours: &[&str], theirs: &[&str]) -> CommandOutput {
        self.env.run(BIN, &args(ours, theirs))
    }

    /// With rows on stdin, which stays open until the returned child is waited for.
    fn start(&self, ours: &[&str], theirs: &[&str]) -> Child {
        let mut command = self.env.command(BIN);
        command.args(args(ours, theirs)).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("our own binary")
    }

    fn file(&self, name: &str) -> String {
        files::read(self.env.project().join(name))
    }

    /// The prompts that a session got.
    fn prompts(&self, session: u32) -> Vec<String> {
        let heard = self.file(&format!("heard.{session}"));
        let rows = heard.lines().map(|line| serde_json::from_str::<Value>(line).expect("we say JSON"));
        rows.filter(|row| row["type"] == "user").map(|row| row["message"]["content"].to_string()).collect()
    }

    fn sessions(&self) -> u32 {
        self.file("count").trim().parse().unwrap_or(0)
    }
}

/// Full at its first step, done in the second session.
const ONE_RESET: &str = "case $n in
1) used 90000; boundary || return ;;
esac
used 20000
result 'All done.'";

#[test]
fn full_session_is_followed_by_a_new_one_with_goal_and_handoff() {
    let stage = Stage::new(ONE_RESET);
    let output = stage.run(&[], &[GOAL, "--resume", "abc", "--model", "x"]);
    assert_eq!(output.stdout, "All done.\n", "{output}");
    assert!(output.status.success(), "{output}");
    // The handoff names the folder, whose length depends on the machine.
    let (told, length) = output.stderr.split_once("; its handoff has ").expect("one line");
    insta::assert_snapshot!(told, @"catchword: fresh session (reset 1 of at most 10): s1 had used 90k of 100k tokens");
    assert!(length.ends_with(" characters\n") && length.lines().count() == 1, "{output}");
    assert!(stage.file("args.1").contains("--resume abc --model x"), "{}", stage.file("args.1"));
    assert!(!stage.file("args.2").contains("--resume") && stage.file("args.2").contains("--model x"));
    let prompts = stage.prompts(2);
    assert_eq!(prompts.len(), 1);
    for part in [GOAL, "write part 1", "Please go on", "catchword-handoff", "CONTINUE BY"] {
        assert!(prompts[0].contains(part), "{part} is missing in {}", prompts[0]);
    }
    let handoff = files::read(stage.env.data().join("handoffs/HANDOFF-s1.md"));
    assert!(handoff.contains("write part 1") && handoff.contains("Never touch the lock file"), "{handoff}");
    let given: Value = serde_json::from_str(&prompts[0]).expect("blocks");
    assert!(
        given.to_string().contains(&serde_json::to_string(handoff.trim_end()).unwrap()[1..600]),
        "the same text"
    );
}

#[test]
fn run_that_never_fills_up_is_one_session() {
    let stage = Stage::new("used 79999; boundary || return; used 79999; boundary || return; result Done.");
    let output = stage.run(&[], &[GOAL]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output}");
    assert_eq!((output.stdout.as_str(), stage.sessions()), ("Done.\n", 1));
}

#[test]
fn agent_that_ends_its_turn_is_done_however_full_it_is() {
    let stage = Stage::new("used 99000; result Done.");
    let output = stage.run(&[], &[GOAL]);
    assert_eq!((output.stdout.as_str(), stage.sessions()), ("Done.\n", 1), "{output}");
}

#[test]
fn later_handoff_covers_all_earlier_sessions() {
    let stage = Stage::new(
        "case $n in\n3) used 20000; result Done. ;;\n*) used 20000; boundary; used 90000; boundary ;;\nesac",
    );
    let output = stage.run(&[], &[GOAL]);
    assert_eq!((output.stdout.as_str(), stage.sessions()), ("Done.\n", 3), "{output}");
    let third = &stage.prompts(3)[0];
    assert!(third.contains("write part 1") && third.contains("write part 2"), "{third}");
    assert_eq!(output.stderr.lines().count(), 2, "{output}");
}

mod formats {
    use super::*;

    #[test]
    fn json_output_is_the_last_result_verbatim() {
        let stage = Stage::new(ONE_RESET);
        let output = stage.run(&[], &[GOAL, "--output-format", "json"]);
        assert_eq!(output.stdout.lines().count(), 1, "{output}");
        let row: Value = serde_json::from_str(&output.stdout).expect("one object");
        assert_eq!((row["result"].as_str(), row["session_id"].as_str()), (Some("All done."), Some("s2")));
    }

    #[test]
    fn verbose_json_output_has_every_row() {
        let stage = Stage::new(ONE_RESET);
        let output = stage.run(&[], &[GOAL, "--output-format", "json", "--verbose"]);
        let rows: Vec<Value> = serde_json::from_str(&output.stdout).expect("a list");
        let kinds: Vec<&str> = rows.iter().filter_map(|row| row["type"].as_str()).collect();
        assert_eq!(kinds, ["system", "assistant", "system", "assistant", "result"]);
    }

    #[test]
    fn stream_json_omits_our_control_messages() {
        let stage =
            Stage::new(&ONE_RESET.replace("result", "row '{\"type\":\"unknown\",\"x\":  1}'; result"));
        let output = stage.run(&[], &[GOAL, "--output-format", "stream-json", "--verbose"]);
        insta::assert_snapshot!(output.stdout, @r#"
{"type":"system","subtype":"init","session_id":"s1"}
{"type":"assistant","message":{"usage":{"input_tokens":90000}},"parent_tool_use_id":null,"session_id":"s1"}
{"resets":1,"session_id":"s1","subtype":"catchword_reset","threshold":100000,"type":"system","used":90000}
{"type":"system","subtype":"init","session_id":"s2"}
{"type":"assistant","message":{"usage":{"input_tokens":20000}},"parent_tool_use_id":null,"session_id":"s2"}
{"type":"unknown","x":  1}
{"type":"result","subtype":"success","is_error":false,"result":"All done.","terminal_reason":"completed","session_id":"s2","num_turns":2,"total_cost_usd":0.25}
"#);
    }

    #[test]
    fn prompts_are_replayed_only_on_request() {
        let stage = Stage::new("used 5; result Done.");
        let output = stage.run(&[], &[GOAL, "--output-format", "stream-json", "--replay-user-messages"]);
        assert_eq!(output.stdout.matches("isReplay").count(), 1, "{output}");
    }

    /// As the client prints it when a background job has ended and started another turn.
    #[test]
    fn text_output_has_the_answers_of_all_turns() {
        let agent = r#"{"task_type":"local_agent","description":"look"}"#;
        let stage = Stage::new(&format!(
            "background '{agent}'; used 5; result One.; background ''; used 6; result Two."
        ));
        assert_eq!(stage.run(&[], &[GOAL]).stdout, "One.\n\nTwo.\n");
    }

    #[test]
    fn piped_input_is_part_of_the_prompt() {
        let stage = Stage::new("used 5; result Done.");
        let output = stage.env.run_with_stdin(BIN, &args(&[], &["Explain this:"]), "a log\n");
        assert!(output.status.success(), "{output}");
        assert_eq!(stage.prompts(1), ["\"Explain this:\\na log\\n\""]);
    }
}

mod ends {
    use super::*;

    #[test]
    fn exit_code_is_the_clients() {
        let stage = Stage::new("code=3; used 5; result Done.");
        let output = stage.run(&[], &[GOAL]);
        assert_eq!((output.status.code(), output.stdout.as_str()), (Some(3), "Done.\n"), "{output}");
    }

    #[test]
    fn exit_code_reflects_the_signal_that_killed_the_client() {
        let stage = Stage::new("kill -9 $$");
        assert_eq!(stage.run(&[], &[GOAL]).status.code(), Some(128 + 9));
    }

    #[test]
    fn client_that_dies_before_any_output_is_a_failure() {
        let stage = Stage::new("exit 1");
        let output = stage.run(&[], &[GOAL]);
        assert_eq!((output.status.code(), output.stdout.as_str()), (Some(1), ""), "{output}");
    }

    /// Sends `signal` to `run` once the client has started to work.
    fn signalled(signal: &str, scene: &str) -> (Stage, Option<i32>) {
        let stage = Stage::new(scene);
        let mut child = stage.start(&[], &[GOAL, "--output-format", "stream-json", "--verbose"]);
        drop(child.stdin.take());
        let mut rows = BufReader::new(child.stdout.take().expect("piped")).lines();
        assert!(rows.any(|row| row.expect("text").contains("assistant")), "the client works");
        let kill = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(kill.expect("kill is there").success());
        rows.for_each(drop);
        (stage, child.wait().expect("our child").code())
    }

    #[test]
    fn signals_reach_the_client_and_its_children() {
        let scene = "trap 'echo told >told; exit 9' TERM\nsh -c 'trap \"echo child >child; exit 0\" TERM; echo $$ >pid; while :; do sleep 0.05; done' &\nwhile [ ! -s pid ]; do sleep 0.05; done\nused 5; wait";
        let (stage, code) = signalled("-TERM", scene);
        assert_eq!((code, stage.file("told").trim()), (Some(9), "told"));
        let pid = stage.file("pid");
        let alive = || {
            std::process::Command::new("kill")
                .args(["-0", pid.trim()])
                .stderr(Stdio::null())
                .status()
                .expect("kill")
                .success()
        };
        while alive() {
            std::thread::yield_now();
        }
        assert_eq!(stage.file("child").trim(), "child");
    }

    #[test]
    fn interrupt_ends_the_run_without_another_session() {
        let scene = "trap 'result stopped; code=0; exit 0' INT\nused 95000; while :; do sleep 0.05; done";
        let (stage, code) = signalled("-INT", scene);
        assert_eq!((code, stage.sessions()), (Some(0), 1));
    }

    /// The first session was stopped and takes its time to end.
    #[test]
    fn signal_between_two_sessions_ends_the_run() {
        let stage = Stage::new("used 90000; boundary || { echo >stopped; while :; do sleep 0.05; done; }");
        let mut child = stage.start(&[], &[GOAL]);
        drop(child.stdin.take());
        while !stage.env.project().join("stopped").exists() {
            std::thread::yield_now();
        }
        let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(kill.expect("kill is there").success());
        let output = child.wait_with_output().expect("our child");
        assert_eq!((output.status.code(), stage.sessions()), (Some(128 + 2), 1), "{output:?}");
    }

    #[test]
    fn closed_stdout_ends_the_client() {
        let stage = Stage::new("while :; do used 5; sleep 0.05; done");
        let mut child = stage.start(&[], &[GOAL, "--output-format", "stream-json"]);
        drop(child.stdin.take());
        let mut rows = BufReader::new(child.stdout.take().expect("piped")).lines();
        assert!(rows.any(|row| row.expect("text").contains("assistant")));
        drop(rows);
        assert_eq!(child.wait().expect("our child").code(), Some(128 + 15));
    }

    #[test]
    fn uncaught_signal_yields_the_shells_exit_code() {
        let (_, code) = signalled("-TERM", "used 5; while :; do sleep 0.05; done");
        assert_eq!(code, Some(128 + 15));
    }
}

mod prompts {
    use super::*;

    fn say(child: &mut Child, text: &str) {
        let row = serde_json::json!({"type": "user", "message": {"role": "user", "content": text}});
        writeln!(child.stdin.as_mut().expect("open"), "{row}").expect("the run listens");
    }

    const ROWS: [&str; 4] = ["--input-format", "stream-json", "--output-format", "stream-json"];

    fn finished(child: Child) -> String {
        let output = child.wait_with_output().expect("our child");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// A row that goes straight to the client: once the client has it, the run has read everything before it.
    const MARK: &str = r#"{"type":"control_request","request_id":"mark","request":{"subtype":"other"}}"#;
    /// Waits for it in a scene.
    const AWAIT_MARK: &str = "while hear; do case $line in *'\"mark\"'*) break ;; esac; done";

    fn mark(child: &mut Child) {
        writeln!(child.stdin.as_mut().expect("open"), "{MARK}").expect("the run listens");
    }

    /// The second prompt comes while the first session works on its last step.
    #[test]
    fn prompt_in_flight_at_a_reset_reaches_the_next_session_once() {
        let stage = Stage::new(&format!(
            "case $n in\n1) used 90000; {AWAIT_MARK}; boundary || return ;;\n2) used 20000; boundary || return ;;\nesac\nused 30000\nresult Done."
        ));
        let mut child = stage.start(&[], &ROWS);
        say(&mut child, GOAL);
        say(&mut child, "Use tabs.");
        mark(&mut child);
        let rows = finished(child);
        assert_eq!(rows.matches("\"result\":\"Done.\"").count(), 1, "{rows}");
        let count = |session| stage.prompts(session).iter().filter(|p| p.contains("Use tabs.")).count();
        assert_eq!((count(1), count(2), stage.sessions()), (0, 1, 2), "{}", stage.file("heard.2"));
    }

    #[test]
    fn prompt_during_work_is_sent_at_the_next_step() {
        let stage =
            Stage::new(&format!("used 10000; {AWAIT_MARK}; boundary; used 11000; boundary; result Done."));
        let mut child = stage.start(&[], &ROWS);
        say(&mut child, GOAL);
        say(&mut child, "And more.");
        mark(&mut child);
        let rows = finished(child);
        assert_eq!((stage.prompts(1).len(), rows.matches("\"type\":\"result\"").count()), (2, 1), "{rows}");
        let heard = stage.file("heard.1");
        let (more, answer) = (heard.find("And more."), heard.find("\"request_id\":\"q1\""));
        assert!(more < answer, "before the agent goes on:\n{heard}");
    }

    #[test]
    fn full_idle_session_is_reset_at_the_next_prompt() {
        let stage = Stage::new("used $((90000 / n)); result \"Done $n.\"");
        let mut child = stage.start(&[], &ROWS);
        say(&mut child, GOAL);
        let mut rows = BufReader::new(child.stdout.take().expect("piped")).lines();
        assert!(rows.any(|row| row.expect("text").contains("Done 1.")));
        assert_eq!(stage.sessions(), 1, "nothing to do, nothing to start");
        say(&mut child, "Now the docs.");
        drop(child.stdin.take());
        let rest: Vec<String> = rows.map_while(Result::ok).collect();
        assert!(rest.iter().any(|row| row.contains("Done 2.")), "{rest:?}");
        assert!(rest[0].contains("catchword_reset"), "{rest:?}");
        assert!(child.wait().expect("our child").success());
        let prompt = &stage.prompts(2)[0];
        let (goal, next) =
            (prompt.find(GOAL).expect("the goal"), prompt.find("Now the docs.").expect("the next"));
        assert!(goal < next, "{prompt}");
        assert!(prompt.contains("write part 1"), "the record: {prompt}");
    }

    #[test]
    fn another_program_can_drive_the_client() {
        let stage = Stage::new("used 5; boundary; result Done.");
        let mut child = stage.start(&[], &ROWS);
        let hello = r#"{"type":"control_request","request_id":"1","request":{"subtype":"initialize","hooks":{"Stop":[{"hookCallbackIds":["a"]}]}}}"#;
        writeln!(child.stdin.as_mut().expect("open"), "{hello}").expect("open");
        say(&mut child, GOAL);
        finished(child);
        let first: Value =
            serde_json::from_str(stage.file("heard.1").lines().next().expect("a line")).expect("JSON");
        assert_eq!(
            (first["request_id"].as_str(), &first["request"]["hooks"]["Stop"][0]["hookCallbackIds"][0]),
            (Some("1"), &Value::from("a"))
        );
        assert!(first["request"]["hooks"]["PostToolBatch"].is_array(), "{first}");
    }
}

mod limits {
    use super::*;

    #[test]
    fn client_continues_as_usual_after_the_last_reset() {
        let stage = Stage::new(
            "used 20000; boundary || return; used 90000; boundary || return; used 95000; boundary || return; result Done.",
        );
        let output = stage.run(&["--max-resets", "1"], &[GOAL]);
        assert_eq!((output.stdout.as_str(), stage.sessions()), ("Done.\n", 2), "{output}");
        assert_eq!(output.stderr.matches("no further reset").count(), 1, "{output}");
    }

    #[test]
    fn session_that_starts_full_is_not_reset() {
        let stage =
            Stage::new("used 90000; boundary || return; used 91000; boundary || return; result Done.");
        let output = stage.run(&[], &[GOAL]);
        assert_eq!((output.stdout.as_str(), stage.sessions()), ("Done.\n", 2), "{output}");
        assert_eq!(output.stderr.matches("began nearly full").count(), 1, "{output}");
    }

    #[test]
    fn run_at_its_time_limit_stops_at_the_next_step() {
        let stage = Stage::new("used 5; sleep 1.1; boundary || return; result Done.");
        let output = stage.run(&["--max-time", "1s"], &[GOAL]);
        assert_eq!((output.status.code(), stage.sessions()), (Some(124), 1), "{output}");
        assert!(output.stderr.contains("claude --resume s1"), "{output}");
    }

    #[test]
    fn working_subagent_delays_a_reset() {
        let agent = r#"{"task_type":"local_agent","description":"look"}"#;
        let stage = Stage::new(&format!(
            "[ $n = 2 ] && used 5 && result Done. && return\nbackground '{agent}'; used 90000; boundary || {{ result lost; return; }}; background ''; used 91000; boundary"
        ));
        let output = stage.run(&[], &[GOAL]);
        assert_eq!((output.stdout.as_str(), stage.sessions()), ("Done.\n", 2), "{output}");
        assert!(output.stderr.contains("91k"), "{output}");
    }

    #[test]
    fn background_shell_ends_with_its_session_and_the_next_one_is_told() {
        let shell = r#"{"task_type":"local_bash","description":"pnpm dev"}"#;
        let stage = Stage::new(&format!(
            "[ $n = 2 ] && used 5 && result Done. && return\ntrap 'exit 143' TERM; background '{shell}'; used 96000; boundary || while :; do sleep 0.05; done"
        ));
        let output = stage.run(&[], &[GOAL]);
        assert_eq!((output.stdout.as_str(), output.status.code()), ("Done.\n", Some(0)), "{output}");
        assert!(stage.prompts(2)[0].contains("pnpm dev"), "{}", stage.prompts(2)[0]);
    }
}

#[test]
fn dry_run_says_what_would_happen_and_starts_nothing() {
    let stage = Stage::new("result never");
    let output = stage
        .run(&["--dry-run", "--max-time", "90m"], &["Add it's parser", "--resume", "abc", "--model", "x"]);
    assert!(output.status.success(), "{output}");
    insta::assert_snapshot!(output.stdout, @r"
Would start:
  ./claude -p --input-format stream-json --output-format stream-json --verbose --replay-user-messages --resume abc --model x
and after a reset:
  ./claude -p --input-format stream-json --output-format stream-json --verbose --replay-user-messages --model x
with the prompt (and what is on stdin):
  Add it's parser
Would begin a fresh session at a step's end with 133,600 or more of 167,000
tokens used (less than 20% left), at most 10 times, and end after 1h30m. That is
for a window of 200,000 tokens; the running client is asked for its own.
Nothing was started.
");
    assert_eq!(stage.sessions(), 0);
    let large = stage.run(&["--dry-run"], &["go", "--model=claude-opus-4-7"]).stdout;
    assert!(large.contains("773,600 or more of 967,000") && large.contains("for claude-opus-4-7"), "{large}");
}

#[test]
fn unsupported_commands_are_rejected_with_a_reason() {
    let env = TestEnv::new();
    let cases: [(&[&str], &str); 7] = [
        (&["run"], "COMMAND"),
        (&["run", "--", "node", "x.js"], "is not Claude Code"),
        (&["run", "--", "./missing/claude", "-p", "do it"], "is Claude Code installed"),
        (&["run", "--", "claude", "do it"], "add -p"),
        (&["run", "--", "claude", "-p"], "no prompt"),
        (&["run", "--reset-at", "95%", "--", "claude", "-p", "x"], "1% to 90%"),
        (&["run", "--", "claude", "-p", "x", "--worktree"], "make one first"),
    ];
    for (args, part) in cases {
        let output = env.run(BIN, args);
        assert!(!output.status.success() && output.stdout.is_empty(), "{args:?}: {output}");
        assert!(output.stderr.contains(part), "{args:?}: {output}");
    }
}

/// The client has left; what it started in the background keeps the same pipe open, or goes on writing into it.
#[test]
fn run_does_not_wait_for_what_the_client_left_behind() {
    for left in ["sleep 30", "for n in $(seq 600); do sleep 0.05; echo '{}'; done"] {
        let stage = Stage::new(&format!("used 2000\nresult 'All done.'\n({left}) 2>/dev/null &"));
        let begun = std::time::Instant::now();
        let output = stage.run(&[], &[GOAL]);
        assert_eq!(output.stdout, "All done.\n", "{output}");
        assert!(begun.elapsed().as_secs() < 20, "{left}: it waited for the end of the pipe");
    }
}
