//! Hooks and commands on rollouts of Codex, with the real binary: what the real client is not needed for.

use std::path::PathBuf;

use catchword_engine::ops::forget::traces;
use catchword_testkit::{CommandOutput, Rollout, THREAD, TestEnv, files, find_briefs, head_of};
use serde_json::{Value, json};

use crate::privacy::is_nowhere;

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

/// What is shown of the thread: its first digits are a time.
const SHORT: &str = "380e29ea";
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

/// More than a page holds.
fn long_work() -> Rollout {
    let note =
        |n: usize| format!("table {n}: {} rows in src/tables/t{n}.rs, checksum {:08x}\n", n * 37, n * 7_919);
    (0..120).fold(work(), |rollout, n| rollout.runs(&format!("./count.sh t{n}"), 0, &note(n)))
}

#[derive(Clone, Copy, Debug)]
enum Aftermath {
    Readable,
    Opaque,
    Nothing,
}

fn compacted(rollout: Rollout, how: Aftermath) -> Rollout {
    match how {
        Aftermath::Readable => rollout.compaction(
            "The parser is being ported. Its tables were counted one by one with a script, which went without trouble; \
             the counts are in the order of the tables. What comes next is the lexer, and then the check of the whole.",
        ),
        Aftermath::Opaque => rollout.compaction(""),
        Aftermath::Nothing => rollout.compaction_keeping_nothing(),
    }
}

/// What the client keeps decides how much is told, and whether a summary is spoken of; also at a second compaction.
#[test]
fn each_kind_of_aftermath_is_told_what_it_lacks() {
    use Aftermath::{Nothing, Opaque, Readable};
    const STEPS: &str = "## Last steps before the cut\n";
    for (first, second) in [(Readable, Nothing), (Nothing, Readable), (Opaque, Nothing), (Nothing, Opaque)] {
        let mut played = Played::new();
        let mut rollout = long_work();
        for (round, how) in [first, second].into_iter().enumerate() {
            played.write(&rollout);
            played.hook("PreCompact", &json!({"trigger": "auto"}));
            rollout = compacted(rollout, how);
            played.write(&rollout);
            let brief = played.brief().expect("a brief");
            let (opening, size) = (brief.lines().nth(1).expect("a first line"), brief.chars().count());
            let case = format!("{first:?}, {second:?}, compaction {}: {size}\n{brief}", round + 1);
            let is_short = matches!(how, Readable);
            assert!(if is_short { size <= 6_000 } else { (6_001..=9_500).contains(&size) }, "{case}");
            assert!(brief.len() <= 9_500, "{case}");
            let is_bare = matches!(how, Nothing);
            assert_eq!(opening.contains("summary"), !is_bare, "{case}");
            assert_eq!(brief.matches(STEPS).count(), usize::from(is_bare), "{case}");
            if is_bare {
                let steps = brief.split_once(STEPS).expect("the steps").1;
                let steps: Vec<&str> = steps.lines().take_while(|line| line.starts_with("- ")).collect();
                assert_eq!(steps.len(), 10, "{case}");
                let last = if round == 0 { "./count.sh t119" } else { "./more.sh 2" };
                assert!(steps[9].contains(last), "{case}");
                for wanted in [
                    "Port the parser. Never edit vendor/legacy.txt.",
                    SECOND,
                    "wire the lexer",
                    "src/parser.rs",
                    "cargo test -p parser",
                    "error[E4417]",
                ] {
                    assert!(brief.contains(wanted), "{wanted:?} is missing: {case}");
                }
            }
            rollout = (0..3).fold(rollout.injected(&brief), |rollout, n| {
                rollout.runs(&format!("./more.sh {n}"), 0, "more was done\n")
            });
        }
    }
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
    let head = head_of(&told);
    assert!(!head.contains("E4417") && head.contains("result not recorded yet"), "{told}");
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
    let denials = ["no commit", "ran before", "no push"];
    let alone = brief(&edited(Rollout::old()));
    assert!(alone.contains("parser.rs"), "{alone}");

    let run = |command: &str| {
        format!("const r = await tools.exec_command({{cmd:{}}}); text(r.output);", json!(command))
    };
    let tested = edited(Rollout::old()).scripts(&run("cargo test"), &["test result: ok. 5 passed; 0 failed"]);
    let committed = tested.scripts(&run("git commit -am Port"), &["[main 1a2b3c4] Port\n 1 file changed"]);
    let told = brief(&committed);
    assert!(told.contains("commit 1a2b3c4 \"Port\"") && told.contains("1 commit in this record"), "{told}");
    assert!(!denials.iter().any(|denial| told.contains(denial)), "{told}");

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
    assert!(head_of(&brief(&first)).contains("commit 1a2b3c4 \"One\""));
    let goes_on = first.script_that("running with cell ID 18", &commit("Two"), &[]);
    let told = brief(&goes_on);
    assert!(!head_of(&told).contains("1a2b3c4") && told.contains("Port it."), "{told}");
    let wait = json!({"type": "function_call", "name": "wait", "call_id": "w",
        "arguments": json!({"cell_id": "18", "yield_time_ms": 1000}).to_string()});
    let text = |text: &str| json!({"type": "input_text", "text": text});
    let output =
        json!([text("Script completed\nWall time 0.0 seconds\nOutput:\n"), text("[main 5d6e7f8] Two")]);
    let output = json!({"type": "function_call_output", "call_id": "w", "output": output});
    let told = brief(&goes_on.row("response_item", wait).row("response_item", output));
    assert!(head_of(&told).contains("commit 5d6e7f8 \"Two\""), "{told}");
    // The command itself goes on, and what it has printed shows the commit.
    let asks = format!("{} if(r.session_id) text(`ID=${{r.session_id}}`);", commit("Six"));
    let told = brief(&Rollout::old().prompt("Port it.").scripts(&asks, &["[main 9a8b7c6] Six", "ID=84530"]));
    assert!(head_of(&told).contains("commit 9a8b7c6 \"Six\""), "{told}");
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
    assert!(line.contains(&format!("`catchword lost {SHORT} 1`")), "{line}");
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

#[expect(clippy::needless_pass_by_value, reason = "tests hand over `json!` literals")]
fn item(item: Value) -> Value {
    json!({"type": "item_completed", "thread_id": THREAD, "item": item})
}

/// The hits of a search, by their first lines.
fn found(played: &Played, words: &[&str]) -> Vec<String> {
    let found = played.catchword(&[&["search", "--json"], words].concat()).json();
    let hits = found["hits"].as_array().cloned().unwrap_or_default();
    hits.iter().map(|hit| format!("{} {}", hit["kind"], hit["snippet"])).collect()
}

/// The brief after a compaction with this summary, and the handoff.
fn told(played: &mut Played, rollout: Rollout, summary: &str) -> (String, String) {
    played.write(&rollout);
    played.hook("PreCompact", &json!({"trigger": "auto"}));
    let rollout = rollout.compaction_keeping(summary, &[]);
    played.write(&rollout);
    let brief = played.brief().unwrap_or_default();
    played.write(&rollout.says("Going on.").ends());
    played.hook("Stop", &json!({}));
    (brief, played.catchword(&["handoff", THREAD]).success().stdout)
}

#[test]
fn a_plan_is_approved_by_the_person_and_not_by_its_proposal() {
    const PLAN: &str = "# Drop the quagga table\n\n- back up the quagga table\n- drop it\n";
    for (said, is_approved) in [("No, do not do that.", false), ("Implement the plan.", true)] {
        let mut played = Played::new();
        let rollout = Rollout::new()
            .prompt("Plan the cleanup.")
            .row("event_msg", item(json!({"type": "Plan", "id": "t-plan", "text": PLAN})))
            .ends()
            .prompt(said)
            .says("All right.");
        let (brief, handoff) = told(&mut played, rollout, "Some work was done.");
        let notes = played.catchword(&["note", "--session", THREAD]).success().stdout;
        for text in [&brief, &handoff, &notes] {
            assert!(is_approved || !text.contains("approved the plan"), "{text}");
            assert!(!text.contains("waits for approval"), "{text}");
        }
        assert_eq!(brief.contains("approved the plan \"Drop the quagga table\""), is_approved, "{brief}");
        assert_eq!(found(&played, &["quagga", "role:user"]), [""; 0], "the plan is the agent's text");
        assert_eq!(found(&played, &["quagga"]).len(), 1, "and it is found");
    }
}

#[test]
fn a_plan_that_nobody_has_answered_waits() {
    let mut played = Played::new();
    let plan = item(json!({"type": "Plan", "id": "t-plan", "text": "# Drop the quagga table"}));
    played.write(&Rollout::new().prompt("Plan the cleanup.").row("event_msg", plan).ends());
    played.hook("Stop", &json!({}));
    let handoff = played.catchword(&["handoff", THREAD]).success().stdout;
    assert!(handoff.contains("a plan waits for approval"), "{handoff}");
}

#[test]
fn the_persons_answers_and_goals_are_theirs() {
    const ANSWER: &str = "Use Postgres 16 with the pgvector extension";
    let quoting = format!("The user said: \"{ANSWER}\". Work goes on.");
    for (rollout, is_current) in [(Rollout::new(), true), (Rollout::old(), false)] {
        let arguments = json!({"questions": [{"id": "db", "question": "Which database?"}]}).to_string();
        let call = json!({"type": "function_call", "name": "request_user_input", "call_id": "q",
            "arguments": arguments});
        let kept = json!({"type": "verified_answer", "call_id": "q",
            "questions": [{"question": "Which database?", "answer": format!("user_note: {ANSWER}")}]});
        let output = json!({"answers": {"db": {"answers": [format!("user_note: {ANSWER}")]}}}).to_string();
        let output = json!({"type": "function_call_output", "call_id": "q", "output": output});
        let goal = json!({"type": "thread_goal_updated",
            "goal": {"objective": "Ship the okapi importer. Never touch vendor/.", "status": "active"}});
        let mut rollout = rollout.prompt("Plan the storage.").row("response_item", call);
        if is_current {
            rollout = rollout.row("retained_context", kept);
        }
        let rollout = rollout.row("response_item", output).row("event_msg", goal).says("On it.");
        for summary in ["Some work was done.", &quoting] {
            let mut played = Played::new();
            let (brief, handoff) = told(&mut played, rollout.clone(), summary);
            assert!(!brief.contains("no message of this session"), "{brief}");
            assert_eq!(brief.contains(ANSWER), summary != quoting, "once: {brief}");
            assert!(brief.contains("Never touch vendor/"), "{brief}");
            assert!(handoff.contains(ANSWER), "{handoff}");
            assert_eq!(found(&played, &["pgvector", "role:user"]).len(), 1);
            assert_eq!(found(&played, &["okapi", "role:user"]).len(), 1);
        }
    }
}

#[test]
fn a_refusal_is_the_persons_only_where_they_were_asked() {
    let declined = item(json!({"type": "CommandExecution", "id": "x", "status": "declined",
        "command": ["bash", "-lc", "make quagga"], "aggregated_output": ""}));
    for (policy, reviewer, is_asked) in [
        (json!("on-request"), json!("user"), true),
        (json!("untrusted"), Value::Null, true),
        (json!({"granular": {"rules": true}}), json!("user"), true),
        (json!("never"), json!("user"), false),
        (json!("on-request"), json!("auto_review"), false),
        (json!("on-request"), json!("guardian_subagent"), false),
    ] {
        let context = json!({"cwd": "/home/user/project", "model": "gpt-5.5", "approval_policy": policy,
            "approvals_reviewer": reviewer});
        let begun = Rollout::new().row("turn_context", context).prompt("Build it.");
        let mut played = Played::new();
        // The row that says who is asked was read by an earlier call.
        played.write(&begun);
        played.hook("Stop", &json!({}));
        let rollout = begun.row("event_msg", declined.clone()).says("It did not run.");
        let (brief, handoff) = told(&mut played, rollout, "Some work was done.");
        for text in [&brief, &handoff] {
            assert!(is_asked || !text.contains("did not let the agent"), "{policy} {reviewer}: {text}");
        }
        assert_eq!(brief.contains("did not let the agent run"), is_asked, "{policy} {reviewer}: {brief}");
        assert_eq!(found(&played, &["quagga", "role:user"]).len(), usize::from(is_asked), "{policy}");
        assert_eq!(found(&played, &["quagga"]).len(), 1, "{policy}");
    }
}

#[test]
fn the_text_of_a_refused_patch_is_not_the_persons() {
    let mut played = Played::new();
    let context = json!({"cwd": "/home/user/project", "model": "gpt-5.5", "approval_policy": "on-request"});
    let patch = item(json!({"type": "FileChange", "id": "x", "status": "declined",
        "changes": {"/home/user/project/a.txt": {"type": "add", "content": "never feed the quagga\n"}}}));
    played.write(
        &Rollout::new().row("turn_context", context).prompt("Write it down.").row("event_msg", patch).ends(),
    );
    played.hook("Stop", &json!({}));
    assert_eq!(found(&played, &["quagga", "role:user"]), [""; 0]);
    assert_eq!(found(&played, &["a.txt", "role:user"]).len(), 1, "the refusal is");
}

/// Prompts, answers and patches have no folder of their own.
#[test]
fn a_turn_in_a_left_out_folder_is_not_recorded_until_the_session_leaves_it() {
    for splits in [false, true] {
        let mut played = Played::new();
        let secret = played.env.root().join("my proj ü");
        let config = format!("[privacy]\nleave_out = [{secret:?}]\n");
        files::write(played.env.data().join("config.toml"), config);
        let turn = |folder: &std::path::Path| json!({"cwd": folder, "model": "gpt-5.5"});
        let change = json!({"type": "add", "content": "kohlrabi\n"});
        let parts: [&dyn Fn(Rollout) -> Rollout; 6] = [
            &|rows| rows.prompt("Weigh the marzipan.").says("Weighed.").ends(),
            &|rows| {
                rows.row("turn_context", turn(&secret)).prompt("Peel the kohlrabi. Never burn a kohlrabi.")
            },
            // A command elsewhere does not end the turn.
            &|rows| rows.runs("ls", 0, "almonds\n").says("The kohlrabi is peeled."),
            &|rows| rows.patches("/home/user/a.txt", change.clone()),
            &|rows| rows.prompt("And the other kohlrabi.").ends(),
            &|rows| {
                rows.row("turn_context", turn(played.env.project())).prompt("Back to the almonds.").ends()
            },
        ];
        let mut rollout = Rollout::new();
        for part in parts {
            rollout = part(rollout);
            if splits {
                files::write(&played.path, rollout.build());
                for event in ["PostToolUse", "Stop"] {
                    played.hook(event, &json!({}));
                }
            }
        }
        files::write(&played.path, rollout.build());
        played.written = rollout.build().len();
        let (brief, handoff) = told(&mut played, rollout, "Some work was done.");
        for text in [&brief, &handoff] {
            assert!(!text.contains("kohlrabi") && text.contains("almonds"), "{splits}: {text}");
        }
        let _ = played.catchword(&["backup", "--all"]).success();
        assert!(is_nowhere(&played.env, &["kohlrabi"]), "{splits}");
        assert!(!is_nowhere(&played.env, &["marzipan"]) && !is_nowhere(&played.env, &["almonds"]));
    }
}

#[test]
fn a_command_in_a_left_out_folder_with_an_odd_name_is_not_recorded() {
    let mut played = Played::new();
    let secret = played.env.root().join("my proj ü");
    let config = format!("[privacy]\nleave_out = [{secret:?}]\n");
    files::write(played.env.data().join("config.toml"), config);
    let url = format!("file://{}/my%20proj%20%C3%BC", played.env.root().display());
    let ran = |folder: &str, printed: &str| {
        item(json!({"type": "CommandExecution", "id": printed, "status": "completed", "cwd": folder,
            "command": ["bash", "-lc", "ls"], "aggregated_output": printed, "exit_code": 0}))
    };
    played.write(
        &Rollout::new()
            .prompt("List them.")
            .row("event_msg", ran(&url, "kohlrabi"))
            .row("event_msg", ran("file:///home/user/project", "almonds"))
            .ends(),
    );
    played.hook("Stop", &json!({}));
    assert!(is_nowhere(&played.env, &["kohlrabi"]));
    assert!(!is_nowhere(&played.env, &["almonds"]));
}

/// Two sessions that began in the same minute: what a search shows of each is a place that every command takes.
#[test]
fn what_is_shown_of_an_id_names_one_session() {
    const OTHER: &str = "01a1e518-2510-73d1-86af-374d380e0000";
    let mut played = Played::new();
    played.write(&Rollout::new().prompt("Find the okapi.").ends());
    played.hook("Stop", &json!({}));
    let other = played.path.with_file_name(format!("rollout-2026-11-16T16-02-08-{OTHER}.jsonl"));
    files::write(&other, Rollout::new().prompt("Find the quagga.").ends().build().replace(THREAD, OTHER));
    played.hook("Stop", &json!({"session_id": OTHER, "transcript_path": other}));
    for (animal, id) in [("okapi", THREAD), ("quagga", OTHER)] {
        let shown = played.catchword(&["search", animal]).success().stdout;
        let place = shown.split_whitespace().find(|word| word.contains(":L")).expect("a place").to_owned();
        let short = place.split(':').next().unwrap();
        assert!(played.catchword(&["recall", &place]).success().stdout.contains(animal), "{shown}");
        for args in [
            &["status", short][..],
            &["brief", short],
            &["handoff", short],
            &["note", "x", "--session", short],
        ] {
            let _ = played.catchword(args).success();
        }
        assert_eq!(found(&played, &[animal, &format!("session:{short}")]).len(), 1);
        assert_eq!(
            found(&played, &[animal, &format!("session:{}", &id[..13])]).len(),
            1,
            "the start as well"
        );
        assert!(played.catchword(&["status", "--all"]).success().stdout.contains(short));
    }
    let _ = played.catchword(&["backup", "--all"]).success();
    let _ = played.catchword(&["restore", SHORT, "--to", "back.jsonl"]).success();
    let _ = played.catchword(&["forget", "--session", SHORT, "--yes"]).success();
    assert_eq!(found(&played, &["okapi"]), [""; 0]);
    assert_eq!(found(&played, &["quagga"]).len(), 1);
}

/// A subagent's rollout has its orders in the person's role.
#[test]
fn what_a_subagent_is_told_is_not_the_persons() {
    const AGENT: &str = "01a1e518-2600-73d1-86af-374d380e0001";
    for (meta, parent) in [
        (
            json!({"parent_thread_id": THREAD, "thread_source": "subagent",
            "source": {"subagent": {"thread_spawn": {"parent_thread_id": THREAD}}}}),
            THREAD,
        ),
        // The client reviews: no parent is named.
        (json!({"session_id": AGENT, "source": {"subagent": "review"}}), AGENT),
    ] {
        let mut played = Played::new();
        played.write(&Rollout::new().prompt("Find the okapi.").ends());
        let agents = played.path.with_file_name(format!("rollout-2026-11-16T16-02-08-{AGENT}.jsonl"));
        let rollout = Rollout::new().prompt("Look for the quagga.").ends();
        let lines = rollout.lines().into_iter().enumerate().map(|(n, line)| {
            let mut row: Value = serde_json::from_str(&line).unwrap();
            if n == 0 {
                row["payload"]["id"] = AGENT.into();
                row["payload"].as_object_mut().unwrap().remove("thread_source");
                row["payload"].as_object_mut().unwrap().extend(meta.as_object().cloned().unwrap());
            }
            format!("{row}\n")
        });
        let lines: Vec<String> = lines.collect();
        // Indexed in two passes: what its first row says holds for all.
        files::write(&agents, lines[..2].concat());
        let _ = played.catchword(&["index"]).success();
        files::write(&agents, lines.concat());
        let _ = played.catchword(&["index"]).success();
        assert_eq!(found(&played, &["quagga", "role:user"]), [""; 0], "{meta}");
        assert_eq!(found(&played, &["quagga"]).len(), 1, "{meta}");
        assert_eq!(found(&played, &["okapi", "role:user"]).len(), 1, "{meta}");
        let hits = played.catchword(&["search", "quagga", "--json"]).success().json();
        assert_eq!(
            (&hits["hits"][0]["session"], &hits["hits"][0]["subagent"]),
            (&json!(parent), &json!(AGENT))
        );
        let recalled =
            played.catchword(&["recall", "L3", "--transcript", agents.to_str().unwrap()]).success();
        assert!(recalled.stdout.contains("another agent"), "{recalled}");
        let listed = played.catchword(&["status", "--all"]).success().stdout;
        assert!(!listed.contains("quagga") && listed.contains("okapi"), "{listed}");
    }
}

/// The backup of a fork has the rows it goes on from, and so has what is restored from it.
#[test]
fn a_restored_fork_does_not_pass_for_its_base() {
    const FORK: &str = "01a1e518-2600-73d1-86af-374d380e0002";
    let mut played = Played::new();
    let base = Rollout::new().prompt("Find the okapi.").ends();
    played.write(&base.clone().prompt("Only the base has the quagga.").ends());
    let meta = json!({"id": FORK, "session_id": FORK, "forked_from_id": THREAD, "cwd": "/home/user/project"});
    let fork = base.row("session_meta", meta).prompt("Only the fork has the bongo.").ends();
    let restored = played.path.with_file_name(format!("rollout-2026-11-16T16-02-08-{FORK}.jsonl"));
    files::write(&restored, fork.build());
    let _ = played.catchword(&["index"]).success();
    for (animal, id) in [("quagga", THREAD), ("bongo", FORK)] {
        let found = played.catchword(&["search", animal, "--json"]).success().json();
        assert_eq!(found["hits"][0]["session"], id, "{animal}: {found}");
    }
}

#[test]
fn a_prompt_that_was_taken_back_is_no_instruction() {
    let mut played = Played::new();
    let rollout = Rollout::old()
        .prompt("Sort the herd. Never sell the okapi.")
        .says("Sorted.")
        .prompt("Never feed the quagga.")
        .says("It goes hungry.")
        .row("event_msg", json!({"type": "thread_rolled_back", "num_turns": 1}))
        .prompt("Count them.")
        .says("Counted.");
    let (brief, handoff) = told(&mut played, rollout, "Some work was done.");
    for text in [brief, handoff] {
        assert!(text.contains("Never sell the okapi") && !text.contains("quagga"), "{text}");
    }
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
