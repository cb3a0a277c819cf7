//! `status`: the state of sessions.

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript};
use serde_json::Value;

const BIN: &str = env!("CARGO_BIN_EXE_catchword");

/// The client compacts at 167,000 tokens.
fn env() -> TestEnv {
    let mut env = TestEnv::new();
    env.set_var("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "200000");
    env
}

/// A session with open work, a failing command and a compaction whose summary left out both.
fn at_work(env: &TestEnv) -> Transcript {
    let mut transcript = Transcript::new()
        .cwd(env.project())
        .prompt("Add a parser for the config files. Never touch the lock file, whatever the tests say about it being stale.")
        .says("I'll begin with the lexer.")
        .task_create("write the lexer")
        .task_create("write the grammar")
        .bash("cargo test --test lexer")
        .fails("Exit code 101\nerror: expected `;`");
    let player = HookPlayer::new(env, BIN, SESSION);
    assert!(player.session_start("startup").status.success());
    transcript.write_to(player.transcript_path());
    let _ = player.compaction(&mut transcript, "auto", "Everything is finished.");
    transcript = transcript
        .prompt("Also the docs.")
        .usage(120_000)
        .bash("cargo build")
        .ok("done")
        .task_update(1, "in_progress");
    transcript.write_to(player.transcript_path());
    assert!(player.post_tool_batch(&[]).status.success());
    transcript
}

fn status(env: &TestEnv, args: &[&str]) -> catchword_testkit::CommandOutput {
    env.run(BIN, &[&["status"], args].concat())
}

fn json(env: &TestEnv, args: &[&str]) -> Value {
    serde_json::from_str(&status(env, &[args, &["--json"]].concat()).success().stdout).expect("JSON")
}

#[test]
fn tokens_of_a_session_and_of_each_compaction_are_shown() {
    let env = env();
    let path = env.root().join("t.jsonl");
    let transcript =
        Transcript::new().prompt("a").usage(50_000).says("b").compaction("auto", "s").usage(8_000);
    transcript.says("c").compaction("manual", "t").says("d").write_to(&path);
    let file = ["--transcript", path.to_str().expect("UTF-8")];
    let json = json(&env, &file);
    let timeline = &json[0]["timeline"];
    let tokens = &timeline["tokens"];
    assert_eq!(tokens["answers"], 3, "{json}");
    assert_eq!((&tokens["input"], &tokens["output"]), (&Value::from(66_000), &Value::from(120)), "{json}");
    let sizes: Vec<u64> =
        timeline["fill"].as_array().expect("a list").iter().filter_map(|at| at["tokens"].as_u64()).collect();
    assert_eq!(sizes[..2], [50_040, 3_000], "{json}");
    assert_eq!(timeline["prompts"][0]["line"], "a", "{json}");
    let compactions = timeline["compactions"].as_array().expect("a list");
    assert_eq!(compactions.len(), 2, "{json}");
    for (one, trigger) in compactions.iter().zip(["auto", "manual"]) {
        assert_eq!(one["trigger"], trigger, "{json}");
        assert!(
            one["tokens_before"].as_u64() > one["tokens_after"].as_u64() && one["line"].is_u64(),
            "{json}"
        );
    }
    let shown = status(&env, &file).success().stdout;
    let told = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("tokens 66k in (with what was cached), 120 out, in 3 answers"), "{shown}");
    let of = |at: usize| {
        let one = |name: &str| compactions[at][name].as_u64().expect("a number");
        let kind = if at == 0 { "automatic" } else { "manual" };
        let (before, after) = (one("tokens_before") / 1000, one("tokens_after") / 1000);
        format!("{} L{} {kind}, {before}k → {after}k", at + 1, one("line") + 1)
    };
    assert!(told.contains(&of(0)) && told.contains(&of(1)), "{shown}");
    assert!(json_of_all(&env).iter().all(|one| one["timeline"].is_null()), "only of the one that is named");
}

fn json_of_all(env: &TestEnv) -> Vec<Value> {
    let _ = at_work(env);
    json(env, &[]).as_array().cloned().expect("a list")
}

#[test]
fn status_of_a_working_session_is_a_few_lines() {
    let env = env();
    at_work(&env);
    let output = status(&env, &[]).success();
    assert!(output.stdout.lines().all(|line| line.chars().count() <= 80), "{output}");
    insta::assert_snapshot!(output.stdout);
}

#[test]
fn session_is_waiting_after_its_turn_and_over_after_its_end() {
    let env = TestEnv::new();
    let player = HookPlayer::new(&env, BIN, SESSION);
    let transcript =
        Transcript::new().cwd(env.project()).prompt("Add a parser.").says("Done. Shall I commit?");
    transcript.write_to(player.transcript_path());
    assert!(player.stop("Done. Shall I commit?").status.success());
    assert!(status(&env, &[]).stdout.contains("waiting for you"));
    assert!(player.session_end("other").status.success());
    assert_eq!(json(&env, &[])[0]["state"], "ended");
}

#[test]
fn json_has_the_same_content() {
    let env = env();
    at_work(&env);
    let all = json(&env, &[]);
    let one = &all[0];
    assert_eq!((all.as_array().map(Vec::len), one["id"].as_str()), (Some(1), Some(SESSION)));
    assert_eq!(one["open"].as_array().map(Vec::len), Some(2), "{one:#}");
    assert_eq!(one["failing"][0], "cargo test --test lexer");
    assert_eq!(one["last_compaction"]["trigger"], "auto");
    assert!(one["last_compaction"]["carried"]["lost"].as_u64().is_some_and(|n| n > 0), "{one:#}");
    assert!(one["context"]["left"]["tokens"].as_u64().is_some_and(|left| left < 47_000), "{one:#}");
    let kinds = ["dropped", "contradicted", "mutated", "invented"];
    let counts = kinds.map(|kind| one["last_compaction"][kind].as_u64().unwrap_or(0));
    let findings = one["last_compaction"]["findings"].as_array().map_or(0, Vec::len);
    assert_eq!(findings as u64, counts.iter().sum::<u64>(), "{one:#}");
    assert_eq!(one["last_checkpoint"]["threshold"], "left 30%", "{one:#}");
    assert!(one["handoff"].as_str().is_some_and(|path| path.ends_with(&format!("HANDOFF-{SESSION}.md"))));
}

/// Programs rely on the fields that the help names.
#[test]
fn help_names_every_json_field() {
    let env = env();
    at_work(&env);
    let help = status(&env, &["--help"]).success().stdout;
    let one = json(&env, &[])[0].clone();
    let keys = |value: &Value| -> Vec<String> {
        value.as_object().expect("an object").keys().map(String::to_owned).collect()
    };
    // A compaction is that of `catchword lost`, which docs/audit.md explains.
    let inner = ["context", "last_checkpoint"].map(|key| keys(&one[key]));
    for key in inner.concat().into_iter().chain(keys(&one)) {
        assert!(help.contains(&key), "{key} is not in\n{help}");
    }
}

#[test]
fn rows_that_no_hook_has_seen_count() {
    let env = env();
    let transcript = at_work(&env);
    transcript.usage(150_000).says("Nearly there.").write_to(env.transcript_path(SESSION));
    let context = &json(&env, &[])[0]["context"];
    assert!(context["used"]["tokens"].as_u64().is_some_and(|used| used >= 150_000), "{context:#}");
}

#[test]
fn unknown_model_has_no_context_limit() {
    let env = TestEnv::new();
    let player = HookPlayer::new(&env, BIN, SESSION);
    let transcript = Transcript::new().cwd(env.project()).model("gpt-9").prompt("go").usage(100_000);
    transcript.bash("ls").ok("src").write_to(player.transcript_path());
    assert!(player.post_tool_batch(&[]).status.success());
    assert!(status(&env, &[]).stdout.contains("100k tokens; this model's limit is not known"));
    let context = &json(&env, &[])[0]["context"];
    assert!(context["used"]["tokens"].is_u64() && context["left"].is_null(), "{context:#}");
}

#[test]
fn findings_are_stored_or_computed_again() {
    let env = env();
    let transcript = at_work(&env);
    let of_the_last = || {
        let mut findings = json(&env, &[])[0]["last_compaction"]["findings"].clone();
        for finding in findings.as_array_mut().expect("findings") {
            // Only the transcript has the summary, and what the client keeps.
            (finding["summary_span"], finding["given_back"]) = (Value::Null, Value::Null);
        }
        findings
    };
    let stored = of_the_last();
    std::fs::remove_file(env.transcript_path(SESSION)).expect("it was there");
    assert_eq!(of_the_last(), stored, "without the transcript");
    transcript.write_to(env.transcript_path(SESSION));
    // As a version without stored findings wrote it.
    let db = rusqlite::Connection::open(env.data().join("catchword.db")).expect("a store");
    db.execute_batch("DELETE FROM finding; UPDATE compaction SET audited = NULL").expect("our tables");
    assert_eq!(of_the_last(), stored, "from the transcript");
}

#[cfg(target_os = "linux")]
#[test]
fn session_of_a_killed_client_is_gone() {
    let env = env();
    let mut client = std::process::Command::new("sleep").arg("600").spawn().expect("sleep is there");
    let player = HookPlayer::new(&env, BIN, SESSION).held_by(client.id(), true);
    assert!(player.session_start("startup").status.success());
    let transcript = Transcript::new().cwd(env.project()).prompt("Add a parser.").task_create("write it");
    transcript.write_to(player.transcript_path());
    assert!(player.post_tool_batch(&[]).status.success());
    env.wait(std::time::Duration::from_secs(3_600));
    assert_eq!(json(&env, &[])[0]["state"], "working", "a long step: its client is there");
    client.kill().expect("our child");
    client.wait().expect("our child");
    assert_eq!(json(&env, &[])[0]["state"], "stopped");
    let shown = status(&env, &[]).stdout;
    assert!(shown.contains("stopped unfinished 1 h ago (its client exited)"), "{shown}");
}

/// Old versions of the client do not say that a turn has ended.
#[test]
fn session_whose_last_words_came_after_its_last_call_is_not_unfinished() {
    let env = env();
    let player = HookPlayer::new(&env, BIN, SESSION);
    let at_work =
        Transcript::new().cwd(env.project()).prompt("Ship it.").usage(120_000).bash("git push").ok("done");
    let shown_after = |transcript: Transcript| {
        transcript.write_to(player.transcript_path());
        assert!(env.run(BIN, &["index"]).status.success());
        env.wait(std::time::Duration::from_secs(3 * 86_400));
        (status(&env, &[]).success().stdout, status(&env, &["--all"]).success().stdout)
    };
    let (one, all) = shown_after(at_work.clone());
    assert!(
        one.contains("  stopped unfinished 3 days ago  ") && all.contains("  3 days ago  unfinished  "),
        "{one}{all}"
    );
    let (one, all) = shown_after(at_work.says("Shipped."));
    assert!(one.contains("  ended 6 days ago  ") && all.contains("  6 days ago  ended  "), "{one}{all}");
    assert!(one.contains("  context   120k tokens\n"), "nothing is left until a compaction: {one}");
}

#[test]
fn status_says_what_else_there_is_to_see() {
    let env = env();
    at_work(&env);
    let all = status(&env, &[]).success().stderr;
    for next in ["`catchword status SESSION`", "`catchword brief SESSION`", "`catchword lost SESSION`"] {
        assert!(all.replace('\n', " ").contains(next), "{next}: {all}");
    }
    assert!(status(&env, &[SESSION]).success().stderr.contains("`catchword brief 11111111`"));
    let nothing = status(&env, &["--since", "2099-01-01"]).success();
    insta::assert_snapshot!(nothing.stderr, @"No sessions match; 1 session in all (`catchword status --all`).");
}

#[test]
fn status_without_a_store_says_what_to_do() {
    let env = TestEnv::new();
    let output = status(&env, &[]).success();
    assert!(output.stdout.is_empty() && output.stderr.contains("catchword init"), "{output}");
    assert_eq!(json(&env, &[]), Value::Array(Vec::new()));
    assert!(!env.data().exists(), "nothing is written");
}

#[test]
fn other_projects_are_shown_on_request() {
    let env = env();
    at_work(&env);
    let elsewhere = env.root().join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("our own folder");
    let run = |args: &[&str]| {
        let output =
            env.command(BIN).current_dir(&elsewhere).arg("status").args(args).output().expect("our binary");
        (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (here, hint) = run(&[]);
    assert!(here.is_empty() && hint.contains("status --all"), "{here}{hint}");
    assert!(run(&["--all"]).0.contains("Add a parser for"));
}

#[test]
fn number_of_sessions_on_a_screen_is_limited() {
    let env = TestEnv::new();
    for n in 0..16 {
        let id = format!("{n:02}aaaaaa-0000-4000-8000-000000000000");
        let player = HookPlayer::new(&env, BIN, &id);
        Transcript::new()
            .session(&id)
            .cwd(env.project())
            .prompt("Hello there, agent.")
            .write_to(player.transcript_path());
        assert!(player.stop("x").status.success());
    }
    let shown = status(&env, &[]).success().stdout;
    assert!(
        shown.contains("… and 3 more") && shown.contains("03aaaaaa") && !shown.contains("02aaaaaa"),
        "{shown}"
    );
    assert_eq!(json(&env, &[]).as_array().map(Vec::len), Some(16));
}

#[test]
fn status_without_a_transcript_shows_what_was_recorded() {
    let env = env();
    let transcript = at_work(&env);
    let player = HookPlayer::new(&env, BIN, SESSION);
    transcript.write_to(player.transcript_path());
    assert!(player.stop("x").status.success());
    std::fs::remove_file(player.transcript_path()).expect("it was there");
    let shown = status(&env, &[]).success().stdout;
    assert!(shown.contains("write the grammar") && shown.contains("Add a parser"), "{shown}");
}

#[test]
fn watch_without_a_terminal_shows_one_screen() {
    let env = env();
    at_work(&env);
    let output = status(&env, &["--watch"]).success();
    assert!(
        output.stderr.contains("needs a terminal") && output.stdout.contains("write the grammar"),
        "{output}"
    );
}

#[test]
fn saved_points_are_listed_with_their_reason_outlive_the_compaction_and_can_be_shown() {
    let env = env();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    assert!(status(&env, &["--points"]).stderr.contains("No saved points here yet"));
    let mut transcript =
        Transcript::new().cwd(env.project()).prompt("Add a parser.").task_create("write the lexer");
    let answer = |transcript: Transcript, tokens: u64| {
        let mut grown = transcript.usage(tokens - 40).bash("ls").ok("src");
        grown.append_to(hooks.transcript_path());
        let _ = hooks.post_tool_batch(&[]).success();
        grown
    };
    transcript = answer(transcript, 52_000);
    transcript = answer(transcript.task_create("write the printer"), 120_000);
    let _ = hooks.compaction(&mut transcript, "auto", "1. A parser");
    let _ = answer(transcript, 55_000);
    let shown = status(&env, &["--points"]).success().stdout;
    assert!(shown.contains("50k tokens in the context; 52k used"), "{shown}");
    assert!(shown.contains("30% left before a compaction; 120k used"), "{shown}");
    assert!(shown.contains("; 55k used, after compaction 1"), "{shown}");
    let points = json(&env, &["--points"])[0]["points"].clone();
    let first = &points[0];
    assert_eq!((first["name"].as_str(), first["compaction"].as_u64()), (Some("P1"), Some(0)), "{points:#}");
    let brief = |at: &str| env.run(BIN, &["brief", "--at", at]);
    let then = brief("P1").success().stdout;
    assert!(then.contains("write the lexer") && !then.contains("write the printer"), "{then}");
    let last = brief(points.as_array().unwrap().last().unwrap()["name"].as_str().unwrap()).success().stdout;
    assert!(last.contains("write the printer"), "{last}");
    assert!(brief("P99").stderr.contains("P1 to P"), "{}", brief("P99"));
    assert!(brief("Q1").stderr.contains("status --points"), "{}", brief("Q1"));
}

mod bare {
    const NO_ARGUMENTS: &[&str] = &[];

    use super::*;

    #[test]
    fn without_a_setup_it_names_the_first_steps() {
        let env = TestEnv::new();
        let output = env.run(BIN, NO_ARGUMENTS).success();
        assert!(
            output.stdout.contains("catchword try") && output.stdout.contains("catchword init"),
            "{output}"
        );
        assert!(!output.stdout.contains('\u{1b}') && !env.data().exists(), "{output}");
    }

    #[test]
    fn it_is_the_status_of_this_project() {
        let env = env();
        at_work(&env);
        let timeless = |output: catchword_testkit::CommandOutput| -> Vec<String> {
            output.success().stdout.lines().filter(|line| !line.contains(" ago")).map(str::to_owned).collect()
        };
        assert_eq!(timeless(env.run(BIN, NO_ARGUMENTS)), timeless(status(&env, &[])));
    }

    #[test]
    fn a_client_that_drops_the_arguments_of_a_hook_gets_nothing() {
        let env = env();
        at_work(&env);
        let payload =
            serde_json::json!({"hook_event_name": "UserPromptSubmit", "session_id": SESSION, "prompt": "go"});
        for text in [payload.to_string(), format!("\n {payload:#}\n")] {
            assert!(env.run_with_stdin(BIN, NO_ARGUMENTS, text).is_silent_success());
        }
    }
}

#[test]
fn sessions_that_only_the_history_knows_are_shown_with_their_compactions() {
    let env = env();
    let transcript = Transcript::new()
        .cwd(env.project())
        .prompt("Add a parser for the config files. Never touch the lock file.")
        .task_create("write the grammar")
        .compaction("auto", "Everything is finished.")
        .usage(120_000)
        .says("Going on.");
    transcript.write_to(env.transcript_path(SESSION));
    assert_eq!(json(&env, &[]), Value::Array(Vec::new()), "nothing has read it yet");
    let _ = env.run(BIN, &["index"]).success();
    let one = json(&env, &[])[0].clone();
    assert_eq!((one["id"].as_str(), one["compactions"].as_u64()), (Some(SESSION), Some(1)), "{one:#}");
    assert_eq!(one["open"].as_array().map(Vec::len), Some(1), "{one:#}");
    assert!(one["last_compaction"]["begun_at"].is_i64(), "{one:#}");
    assert!(one["last_compaction"]["carried"]["lost"].as_u64().is_some_and(|n| n > 0), "{one:#}");
}

/// Whatever shows a figure of a session shows the same one.
#[test]
fn every_command_agrees_about_a_session() {
    let env = env();
    let player = HookPlayer::new(&env, BIN, SESSION);
    // The first compaction was before the hooks.
    let mut transcript = Transcript::new()
        .cwd(env.project())
        .prompt("Add a parser for the config files. Never touch the lock file.")
        .task_create("write the lexer")
        .task_create("write the grammar")
        .task_create("write the docs")
        .compaction("auto", "The lexer is under way.")
        .usage(100_000)
        .bash("cargo test --test lexer")
        .fails("Exit code 101\nerror: expected `;`");
    transcript.write_to(player.transcript_path());
    assert!(player.session_start("startup").status.success());
    let _ = player.compaction(&mut transcript, "auto", "Everything is finished.");
    let mut transcript = transcript.task_update(1, "completed").usage(120_000).says("Going on.");
    transcript.append_to(player.transcript_path());
    assert!(player.stop("Going on.").status.success());
    let of = |args: &[&str]| env.run(BIN, args).success().json();
    let one = json(&env, &[])[0].clone();
    let line = serde_json::json!({"session_id": SESSION, "transcript_path": player.transcript_path(),
        "cwd": env.project(), "model": {"id": "claude-sonnet-4-5"}, "context_window": {"context_window_size": 200_000,
        "current_usage": null}});
    let line = env.run_with_stdin(BIN, &["statusline", "claude-code"], line.to_string()).success().stdout;

    let compactions = one["compactions"].as_u64().unwrap();
    assert_eq!(compactions, 2);
    assert_eq!(
        of(&["status", "--transcript", player.transcript_path().to_str().unwrap(), "--json"])[0]["compactions"],
        2
    );
    assert_eq!(of(&["lost", "--json"]).as_array().map(Vec::len), Some(2));
    assert_eq!(of(&["lost", SESSION, "--json"]).as_array().map(Vec::len), Some(2));
    assert!(line.contains("2 compactions"), "{line}");

    let open = one["open"].as_array().unwrap().len();
    assert_eq!(open, 2, "{one:#}");
    assert_eq!(of(&["note", "--json"])["open_tasks"].as_array().map(Vec::len), Some(open));
    assert_eq!(of(&["handoff", "--json"])["unfinished"]["tasks"], open);
    assert!(line.contains(&format!("{open} open")), "{line}");

    let failing = one["failing"].as_array().unwrap();
    assert_eq!(&of(&["handoff", "--json"])["unfinished"]["failing"], &Value::Array(failing.clone()));

    let left = one["context"]["left"]["tokens"].as_u64().unwrap();
    assert!(line.contains(&format!("{}k left", (left + 500) / 1_000)), "{left}: {line}");

    let shown = &one["last_compaction"];
    let lost = of(&["lost", SESSION, "2", "--json"])[0].clone();
    for key in ["carried", "dropped", "contradicted", "findings", "tokens_before", "tokens_after", "trigger"]
    {
        assert_eq!(shown[key], lost[key], "{key}");
    }
}
