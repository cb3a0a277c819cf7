//! Hooks and commands on rollouts of Codex, with the real binary: what the real client is not needed for.

use std::path::PathBuf;

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

/// Code mode of 0.144: two commits, test runs and a push stood only in scripts, and the brief denied them.
#[test]
fn what_ran_in_scripts_is_not_denied() {
    let change = json!({"type": "update", "unified_diff": "@@\n-a\n+b\n", "move_path": null});
    let edited = |rollout: Rollout| {
        let branch = json!({"cwd": "/home/user/project", "git": {"branch": "main"}, "id": THREAD, "thread_source": "user"});
        rollout
            .row("session_meta", branch)
            .prompt("Port the parser.")
            .patches("/home/user/project/src/parser.rs", change.clone())
    };
    let brief = |rollout: &Rollout| {
        let mut played = Played::new();
        played.write(rollout);
        let path = played.path.to_str().unwrap().to_owned();
        played.catchword(&["brief", "--transcript", &path]).success().stdout
    };
    let denials = ["no commit seen", "no build, test or check was seen", "no push seen"];
    let alone = brief(&edited(Rollout::old()));
    assert!(alone.contains(denials[0]) && alone.contains(denials[1]), "{alone}");

    let run = |command: &str| {
        format!("const r = await tools.exec_command({{cmd:{}}}); text(r.output);", json!(command))
    };
    let tested = edited(Rollout::old()).scripts(&run("cargo test"), &["test result: ok. 5 passed; 0 failed"]);
    let committed = tested.scripts(&run("git commit -am Port"), &["[main 1a2b3c4] Port\n 1 file changed"]);
    let told = brief(&committed);
    assert!(told.contains("commit 1a2b3c4 Port") && told.contains(denials[2]), "{told}");
    assert!(!told.contains(denials[0]) && !told.contains(denials[1]), "{told}");

    // A script that cannot be read may have done all of it, one that failed any of its calls.
    let loops = "for (const cmd of steps()) { const r = await tools.exec_command({cmd}); text(r.output); }";
    let last = "const a = await tools.exec_command({cmd:'cargo test'}); await tools.exec_command({cmd:'git commit -qam x'}); text(a.output)";
    let committed = edited(Rollout::old()).scripts(&run("git commit -am Port"), &["[main 1a2b3c4] Port"]);
    for rollout in [
        committed.scripts(loops, &["a", "b"]),
        edited(Rollout::old()).script_that("failed", last, &["Script error:\nboom"]),
        edited(Rollout::old()).script_that("running with cell ID 4", last, &[]),
    ] {
        let told = brief(&rollout);
        assert!(told.contains("parser.rs") || told.contains("Port the parser"), "{told}");
        assert!(!denials.iter().any(|denial| told.contains(denial)), "{told}");
    }
}

/// A commit whose end nobody told may be the latest; the one before it is not shown as if it were.
#[test]
fn commit_of_a_script_that_goes_on_is_found_where_the_agent_waits_for_it() {
    let brief = |rollout: &Rollout| {
        let mut played = Played::new();
        played.write(rollout);
        let path = played.path.to_str().unwrap().to_owned();
        played.catchword(&["brief", "--transcript", &path]).success().stdout
    };
    let commit = |subject: &str| {
        format!("const r = await tools.exec_command({{cmd:'git commit -am {subject}'}}); text(r.output);")
    };
    let first = Rollout::old().prompt("Port it.").scripts(&commit("One"), &["[main 1a2b3c4] One"]);
    assert!(brief(&first).contains("commit 1a2b3c4 One"));
    let goes_on = first.script_that("running with cell ID 18", &commit("Two"), &[]);
    let told = brief(&goes_on);
    assert!(!told.contains("1a2b3c4") && told.contains("Port it."), "{told}");
    let wait = json!({"type": "function_call", "name": "wait", "call_id": "w",
        "arguments": json!({"cell_id": "18", "yield_time_ms": 1000}).to_string()});
    let text = |text: &str| json!({"type": "input_text", "text": text});
    let output =
        json!([text("Script completed\nWall time 0.0 seconds\nOutput:\n"), text("[main 5d6e7f8] Two")]);
    let output = json!({"type": "function_call_output", "call_id": "w", "output": output});
    let told = brief(&goes_on.row("response_item", wait).row("response_item", output));
    assert!(told.contains("commit 5d6e7f8 Two"), "{told}");
    // The command itself goes on, and what it has printed shows the commit.
    let asks = format!("{} if(r.session_id) text(`ID=${{r.session_id}}`);", commit("Six"));
    let told = brief(&Rollout::old().prompt("Port it.").scripts(&asks, &["[main 9a8b7c6] Six", "ID=84530"]));
    assert!(told.contains("commit 9a8b7c6 Six"), "{told}");
}

/// Only the output of a command is known, not its end: it did neither pass nor fail.
#[test]
fn the_end_of_a_command_is_told_only_if_the_script_prints_it() {
    let script =
        |more: &str| format!("const r = await tools.exec_command({{cmd:'make lib'}}); text(r.output);{more}");
    let brief = |rollout: &Rollout| {
        let mut played = Played::new();
        played.write(rollout);
        let path = played.path.to_str().unwrap().to_owned();
        played.catchword(&["brief", "--transcript", &path]).success().stdout
    };
    let code = script(" text(`exit:${r.exit_code}`);");
    let failed = Rollout::old().prompt("Port it.").scripts(&code, &["E4417: mismatch", "exit:2"]);
    assert!(brief(&failed).contains("`make lib` failed: \"E4417: mismatch\""), "{}", brief(&failed));
    let mut played = Played::new();
    played.write(&failed);
    let path = played.path.to_str().unwrap();
    let shown = played.catchword(&["recall", "--transcript", path, "L5-L6"]).success().stdout;
    assert_eq!((shown.matches("make lib").count(), shown.matches("E4417").count()), (1, 1), "{shown}");
    let untold = failed.scripts(&script(""), &["E4417: mismatch"]);
    let told = brief(&untold);
    assert!(!told.contains("failed") && !told.contains("passed") && told.contains("Port it"), "{told}");
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
