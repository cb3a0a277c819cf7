//! Hooks and commands on rollouts of Codex, with the real binary: what the real client is not needed for.

use std::path::PathBuf;

use catchword_engine::ops::forget::traces;
use catchword_testkit::{CommandOutput, Rollout, THREAD, TestEnv, files, find_briefs};
use serde_json::{Value, json};

struct Played {
    env: TestEnv,
    path: PathBuf,
    written: usize,
}

impl Played {
    fn new() -> Played {
        let env = TestEnv::new();
        let path =
            env.home().join(format!(".codex/sessions/2026/11/16/rollout-2026-11-16T16-02-07-{THREAD}.jsonl"));
        files::write(&path, "");
        Played { env, path, written: 0 }
    }

    fn catchword(&self, args: &[&str]) -> CommandOutput {
        self.env.run(env!("CARGO_BIN_EXE_catchword"), args)
    }

    /// Appends the rows that a rollout has gained.
    fn write(&mut self, rollout: &Rollout) {
        let text = rollout.build();
        files::append(&self.path, &text[self.written..]);
        self.written = text.len();
    }

    /// A hook's stdout.
    fn hook(&self, event: &str, more: &Value) -> String {
        let mut payload = json!({"hook_event_name": event, "session_id": THREAD, "transcript_path": self.path,
            "cwd": self.env.project()});
        payload.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        let bin = env!("CARGO_BIN_EXE_catchword");
        self.env.run_with_stdin(bin, &["hook", "codex"], payload.to_string()).success().stdout
    }

    /// The brief that the start after a compaction gives.
    fn brief(&self) -> Option<String> {
        context(&self.hook("SessionStart", &json!({"source": "compact"})))
    }
}

/// The text for the model in a hook's output; no other key may be there.
fn context(stdout: &str) -> Option<String> {
    if stdout.is_empty() {
        return None;
    }
    let output: Value = serde_json::from_str(stdout).unwrap_or_else(|e| panic!("{e}: {stdout}"));
    let keys: Vec<&String> = output.as_object().unwrap().keys().collect();
    assert!(
        keys.iter().all(|key| ["hookSpecificOutput", "systemMessage"].contains(&key.as_str())),
        "{keys:?}"
    );
    output["hookSpecificOutput"]["additionalContext"].as_str().map(str::to_owned)
}

const SECOND: &str = "Use the second table.";

fn work() -> Rollout {
    let change = json!({"type": "update", "unified_diff": "@@\n-a\n+b\n", "move_path": null});
    Rollout::new()
        .prompt("Port the parser. Never edit vendor/legacy.txt.")
        .plans("wire the lexer", "in_progress")
        .patches("/home/user/project/src/parser.rs", change)
        .runs("cargo test -p parser", 101, "error[E4417]: token table mismatch\n")
        .says("The table does not match because the lexer is old.")
        .prompt(SECOND)
        .tokens(180_020)
}

#[test]
fn a_brief_that_did_not_arrive_comes_with_the_next_tool_call_once() {
    let mut played = Played::new();
    let rollout = work();
    played.write(&rollout);
    assert_eq!(
        played.hook("PreCompact", &json!({"trigger": "auto"})),
        "",
        "what is printed here reaches nobody"
    );
    let rollout = rollout.compaction("Some work was done.");
    played.write(&rollout);
    let brief = played.brief().expect("a brief");
    assert_eq!(find_briefs(&brief).len(), 1);
    // The agent goes on, and the rollout has no trace of the brief.
    let rollout = rollout.runs("ls", 0, "src\n").tokens(20_020);
    played.write(&rollout);
    let tool = json!({"tool_name": "Bash"});
    assert_eq!(context(&played.hook("PostToolUse", &tool)), Some(brief));
    let rollout = rollout.runs("ls src", 0, "parser.rs\n");
    played.write(&rollout);
    assert_eq!(context(&played.hook("PostToolUse", &tool)), None, "once");
}

#[test]
fn a_brief_that_arrived_is_not_sent_again_even_where_it_arrived_late() {
    let mut played = Played::new();
    let rollout = work();
    played.write(&rollout);
    played.hook("PreCompact", &json!({"trigger": "auto"}));
    let rollout = rollout.compaction("Some work was done.");
    played.write(&rollout);
    let first = played.brief().expect("a brief");
    // The client queues the start of the first compaction until the second is over.
    played.hook("PreCompact", &json!({"trigger": "auto"}));
    let rollout = rollout.compaction("More work was done.").injected(&first);
    played.write(&rollout);
    let second = played.brief().expect("a brief for the second");
    assert_eq!(played.brief(), None, "a queued start more says nothing");
    let rollout = rollout.injected(&second).runs("ls", 0, "src\n").tokens(20_020);
    played.write(&rollout);
    assert_eq!(context(&played.hook("PostToolUse", &json!({}))), None);
    let status = played.catchword(&["status", "--json"]).success().json();
    assert_eq!(status[0]["compactions"], 2, "{status}");
}

#[test]
fn what_the_client_keeps_is_left_out_and_what_it_dropped_is_given_back() {
    for summary in ["Some work was done.", ""] {
        let mut played = Played::new();
        let rollout = work();
        played.write(&rollout);
        played.hook("PreCompact", &json!({"trigger": "auto"}));
        // Only the second message still fits.
        let rollout = rollout.compaction_keeping(summary, &[SECOND.to_owned()]);
        played.write(&rollout);
        let brief = played.brief().expect("a brief");
        assert!(brief.contains("Never edit vendor/legacy.txt"), "{brief}");
        assert!(!brief.contains(SECOND), "{brief}");
        for wanted in ["wire the lexer", "src/parser.rs", "cargo test -p parser", "E4417"] {
            assert!(brief.contains(wanted), "{wanted}: {brief}");
        }
        assert!(!brief.contains("summary is broken"), "{brief}");
    }
}

/// The same facts as the hook gave, from the rollout alone, long after.
#[test]
fn a_past_brief_leaves_out_what_the_compaction_kept() {
    for summary in ["Some work was done.", ""] {
        let mut played = Played::new();
        let rollout = work();
        played.write(&rollout);
        played.hook("PreCompact", &json!({"trigger": "auto"}));
        let rollout = rollout.compaction_keeping(summary, &[SECOND.to_owned()]);
        played.write(&rollout);
        let given = played.brief().expect("a brief");
        let rollout = rollout.injected(&given).runs("ls", 0, "src\n").says("Going on.").ends();
        played.write(&rollout);
        let path = played.path.to_str().unwrap();
        let past = played.catchword(&["brief", "--transcript", path, "--at", "1"]).success().stdout;
        let facts: Vec<&str> = past.lines().filter(|line| line.starts_with("- ")).collect();
        assert!(facts.len() > 3 && facts.iter().all(|fact| given.contains(fact)), "{past}\n{given}");
        assert!(past.contains("Never edit vendor/legacy.txt") && !past.contains(SECOND), "{past}");
    }
}

/// A message of any length, with rules and a list of checks in it, is still in the context.
#[test]
fn a_long_message_that_was_kept_is_not_repeated() {
    let long = format!(
        "Port the parser as the paper below says. Never edit vendor/legacy.txt.\n\nAcceptance criteria:\n\
         - the lexer must read 40 tables\n- every table must round-trip\n\n{}",
        "The paper describes the table of tokens in detail. ".repeat(500)
    );
    let mut played = Played::new();
    let rollout =
        Rollout::new().prompt(&long).runs("cargo test", 101, "error[E4417]: mismatch\n").tokens(180_020);
    played.write(&rollout);
    played.hook("PreCompact", &json!({"trigger": "auto"}));
    played.write(&rollout.compaction(""));
    let brief = played.brief().expect("a brief");
    assert!(brief.contains("E4417"), "{brief}");
    for kept in ["Port the parser", "vendor/legacy.txt", "must read 40 tables"] {
        assert!(!brief.contains(kept), "{kept}: {brief}");
    }
}

/// The first row names the branch of that moment; by the end the agent may be on another, or in another work tree.
#[test]
fn the_branch_of_the_first_row_is_not_told_as_the_present_one() {
    let mut played = Played::new();
    let meta =
        json!({"id": THREAD, "session_id": THREAD, "cwd": "/home/user/project", "git": {"branch": "quokka"}});
    let rollout = Rollout::new().row("session_meta", meta);
    let path = played.path.to_str().unwrap().to_owned();
    played.write(&rollout.prompt("Port the parser."));
    let brief = |played: &Played| played.catchword(&["brief", "--transcript", &path]).success().stdout;
    assert!(brief(&played).contains("branch quokka"));
    let rollout = Rollout::new()
        .row("session_meta", json!({"id": THREAD, "cwd": "/home/user/project", "git": {"branch": "quokka"}}))
        .prompt("Port the parser.")
        .runs("git switch -c wombat", 0, "Switched to a new branch 'wombat'\n");
    files::write(&path, rollout.build());
    assert!(!brief(&played).contains("quokka"));
}

/// In an older rollout no row tells how a command ended that outlived its call, so an earlier failure may be over.
#[test]
fn a_failure_is_not_told_once_the_command_runs_again_and_outlives_its_call() {
    let mut played = Played::new();
    let rollout =
        Rollout::old().prompt("Port the parser.").runs("cargo test -p parser", 101, "error[E4417]: x\n");
    played.write(&rollout);
    let path = played.path.to_str().unwrap().to_owned();
    let brief = |played: &Played| played.catchword(&["brief", "--transcript", &path]).success().stdout;
    assert!(brief(&played).contains("E4417"));
    let arguments = json!({"cmd": "cargo test -p parser"}).to_string();
    let call =
        json!({"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": "c9"});
    let output =
        "Chunk ID: 2\nWall time: 30 seconds\nProcess running with session ID 7\nOutput:\nCompiling\n";
    let output = json!({"type": "function_call_output", "call_id": "c9", "output": output});
    played.write(&rollout.row("response_item", call).row("response_item", output));
    let told = brief(&played);
    assert!(!told.contains("E4417") && told.contains("result not recorded yet"), "{told}");
}

/// What the summary leaves out of a message that the client keeps is not lost, and nobody is told that it is.
#[test]
fn the_audit_of_a_readable_summary_knows_what_the_client_kept() {
    const FALSE: &str =
        "The parser was ported to the second table. `cargo test -p parser` passes and all steps are done.";
    let mut played = Played::new();
    let rollout = work();
    played.write(&rollout);
    played.hook("PreCompact", &json!({"trigger": "auto"}));
    let rollout = rollout.compaction(FALSE);
    played.write(&rollout);
    let brief = played.brief().expect("a brief");
    let rollout = rollout.injected(&brief).says("Going on.").ends();
    played.write(&rollout);
    let stop: Value = serde_json::from_str(&played.hook("Stop", &json!({}))).expect("a line for the person");
    let line = stop["systemMessage"].as_str().unwrap_or_default();
    assert!(line.contains("calls a failing command passing"), "{line}");
    assert!(line.contains(&format!("`catchword lost {} 1`", &THREAD[..8])), "{line}");
    assert!(!line.contains("instruction") && !line.contains("message"), "{line}");
    assert_eq!(played.hook("Stop", &json!({})), "", "once");
    let lost = played.catchword(&["lost", THREAD, "1"]).success().stdout;
    assert!(lost.contains("cargo test -p parser") && !lost.contains("Never edit"), "{lost}");
}

#[test]
fn eval_measures_what_the_kept_messages_lack() {
    let mut played = Played::new();
    played.write(&work().compaction("").runs("cargo test -p parser", 0, "ok\n").ends());
    let measured = played.catchword(&["eval", "--json"]).success().json();
    assert_eq!(measured["compactions"], 1, "{measured}");
    for kind in ["tasks", "commands"] {
        let kind = &measured["total"]["kinds"][kind];
        assert_eq!((&kind["kept"], &kind["with"]), (&json!(0.0), &json!(1.0)), "{measured}");
    }
    assert_eq!(measured["total"]["kinds"]["prompts"]["kept"], 0.5, "one of two is kept: {measured}");
}

#[test]
fn every_command_works_on_a_rollout() {
    let mut played = Played::new();
    let rollout = work().ends();
    played.write(&rollout);
    played.hook("Stop", &json!({}));
    let run = |args: &[&str]| played.catchword(args).success();
    let status = run(&["status", THREAD]);
    assert!(status.stdout.contains("Codex") && status.stdout.contains("180k of 245k"), "{status}");
    assert!(run(&["status", "--all"]).stdout.contains("Codex"));
    assert!(run(&["brief", THREAD]).stdout.contains("wire the lexer"));
    let found = run(&["search", "E4417", "--json"]).json();
    let place = found["hits"][0]["place"].as_str().expect("a place").to_owned();
    assert!(run(&["recall", &place, "--session", THREAD]).stdout.contains("token table mismatch"));
    assert!(run(&["handoff", THREAD]).stdout.contains("wire the lexer"));
    let mut note = played.env.command(env!("CARGO_BIN_EXE_catchword"));
    // As in a shell of the agent's.
    note.env("CODEX_SESSION_ID", THREAD).args(["note", "the lexer is generated"]);
    let noted = played.env.run_command(note, "").success();
    let brief = run(&["brief", THREAD]);
    assert!(brief.stdout.contains("the lexer is generated"), "{noted} {brief}");
    assert!(run(&["backup", "--all"]).status.success());
    std::fs::remove_file(&played.path).unwrap();
    assert!(
        run(&["recall", &place, "--session", THREAD]).stdout.contains("token table mismatch"),
        "from the backup"
    );
    let restored = run(&["restore", THREAD]);
    assert!(restored.to_string().contains("codex resume"), "{restored}");
    assert_eq!(files::read(&played.path), rollout.build());
    let forgotten = run(&["forget", "--session", THREAD, "--yes"]);
    assert!(forgotten.to_string().contains("0 traces"), "{forgotten}");
    let refused = played.catchword(&["run", "--", "codex", "exec", "x"]);
    assert!(!refused.status.success() && refused.stderr.contains("cannot supervise Codex"), "{refused}");
}

#[test]
fn rollouts_from_before_the_installation_are_indexed() {
    let mut played = Played::new();
    played.write(&Rollout::old().prompt("Find the okapi.").runs("ls", 0, "okapi\n").ends());
    let indexed = played.catchword(&["index"]).success();
    let found = played.catchword(&["search", "okapi", "role:user", "--json"]).success().json();
    assert_eq!(found["hits"][0]["session"], THREAD, "{indexed} {found}");
}

#[cfg(target_os = "linux")]
#[test]
fn doctor_tells_that_the_background_process_has_another_environment() {
    let played = Played::new();
    let _ = played.catchword(&["init", "--agent", "codex", "--yes"]).success();
    let mut process = played.env.command("sleep");
    let mut process = process.arg("60").env("CATCHWORD_HOME", "/elsewhere").spawn().unwrap();
    let file = played.env.home().join(".codex/app-server-daemon/daemon.pid");
    files::write(&file, json!({"pid": process.id()}).to_string());
    let said = played.catchword(&["doctor", "--json"]).stdout;
    process.kill().unwrap();
    process.wait().unwrap();
    assert!(said.contains("its hooks record into /elsewhere"), "{said}");
    files::write(&file, json!({"pid": std::process::id()}).to_string());
    assert!(!played.catchword(&["doctor", "--json"]).stdout.contains("/elsewhere"));
}

/// A fork has no copy of what it goes on from: its hooks read the other transcript, which the user may have forgotten.
mod forgotten_base {
    use super::*;

    const FORK: &str = "01a1e515-d687-7442-8407-6a527ca9a350";
    const SECRET_PLAN: &str = "the marzipan merger";

    struct Forked {
        base: Played,
        path: PathBuf,
    }

    /// A session that says something, and a fork of it that says something else.
    fn forked() -> Forked {
        let mut base = Played::new();
        let rollout = Rollout::new().prompt(&format!("Plan {SECRET_PLAN}.")).says("I planned it.");
        base.write(&rollout);
        let meta = json!({"timestamp": "2026-11-16T16:10:00.000Z", "type": "session_meta", "payload": {
            "id": FORK, "forked_from_id": THREAD, "cwd": base.env.project(), "originator": "codex_cli_rs",
            "history_base": {"thread_id": THREAD, "end_byte_offset": base.written}}});
        // The client writes the mark among the first members.
        let meta = meta.to_string().replacen(
            "{\"payload\"",
            &format!("{{\"forked_from_id\":\"{THREAD}\",\"payload\""),
            1,
        );
        let own = Rollout::new().prompt("Now count the teapots.").says("There are four teapots.").lines()
            [2..]
            .join("\n");
        let path = base.path.with_file_name(format!("rollout-2026-11-16T16-10-00-{FORK}.jsonl"));
        files::write(&path, format!("{meta}\n{own}\n"));
        Forked { base, path }
    }

    impl Forked {
        fn hook(&self, event: &str, more: &Value) -> String {
            let mut payload = json!({"hook_event_name": event, "session_id": FORK, "transcript_path": self.path,
                "cwd": self.base.env.project()});
            payload.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
            let bin = env!("CARGO_BIN_EXE_catchword");
            self.base.env.run_with_stdin(bin, &["hook", "codex"], payload.to_string()).success().stdout
        }

        fn record(&self) {
            let _ = self.hook("Stop", &json!({}));
            let _ = self.base.catchword(&["index"]).success();
            let _ = self.base.catchword(&["backup", "--all"]).success();
        }

        fn is_anywhere(&self, text: &str) -> bool {
            let found = traces(self.base.env.data(), &[text.to_owned()], &["config.toml"]);
            !found.unwrap().left.is_empty()
        }
    }

    #[test]
    fn forgetting_a_session_takes_it_out_of_its_forks() {
        let forked = forked();
        let _ = forked.base.hook("Stop", &json!({}));
        forked.record();
        let _ = forked.base.catchword(&["note", "--session", FORK, "ask the aunt about teapots"]).success();
        assert!(forked.is_anywhere(SECRET_PLAN) && forked.is_anywhere("four teapots"));
        let gone = forked.base.catchword(&["forget", "--session", THREAD, "--yes"]).success();
        assert!(gone.stdout.contains("1 fork goes on from it") && gone.stdout.contains(FORK), "{gone}");
        assert!(gone.stdout.contains("\n0 traces in "), "{gone}");
        assert!(!forked.is_anywhere(SECRET_PLAN), "{gone}");
        assert!(
            forked.is_anywhere("four teapots") && forked.is_anywhere("ask the aunt"),
            "the fork's own part stays"
        );
    }

    #[test]
    fn a_forgotten_session_does_not_come_back_through_a_fork() {
        let forked = forked();
        let _ = forked.base.hook("Stop", &json!({}));
        let _ = forked.base.catchword(&["forget", "--session", THREAD, "--yes"]).success();
        forked.record();
        assert!(!forked.is_anywhere(SECRET_PLAN));
        assert!(forked.is_anywhere("four teapots"));
        let shown = forked.base.catchword(&["recall", "L1-L9", "--session", FORK]).success();
        assert!(!shown.stdout.contains("marzipan") && shown.stdout.contains("teapots"), "{shown}");
    }
}
