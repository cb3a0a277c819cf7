//! `catchword lost`: what compactions lost, and how the person hears of it.

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript, files, model_text};
use serde_json::{Value, json};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const LIE: &str = "7. Pending Tasks:\n   - Write the parser docs: completed";

fn lied_about() -> Transcript {
    Transcript::new()
        .prompt("Add a cache on port 4010.")
        .task_create("Document the cache headers")
        .bash("cargo test cache")
        .ok("ok")
        .compaction("auto", "7. Pending Tasks:\n   - Document the cache headers ✅\n\n8. Current Work:\n   Listening on port 4016.")
        .prompt("Go on.")
}

/// A transcript file, by its path.
fn written(env: &TestEnv, transcript: &Transcript) -> String {
    let file = env.home().join("t.jsonl");
    transcript.write_to(&file);
    file.to_str().expect("temporary paths are UTF-8").to_owned()
}

/// A session whose summary calls an open task completed; what the client shows of its compaction's end.
fn compacted(env: &TestEnv, trigger: &str) -> (Transcript, String) {
    let hooks = HookPlayer::new(env, BIN, SESSION);
    let mut transcript = Transcript::new()
        .cwd(env.project())
        .prompt("Add a parser. Never touch the lock file.")
        .task_create("Write the parser docs");
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.session_start("startup").success();
    let played = hooks.compaction(&mut transcript, trigger, LIE);
    let brief = played.brief().expect("a brief");
    transcript = transcript.hook_context("SessionStart", &brief).says("Going on.");
    transcript.append_to(hooks.transcript_path());
    (transcript, played.post_compact.success().stdout)
}

fn message(output: &str) -> String {
    let answer: Value = serde_json::from_str(output).unwrap_or_default();
    answer["systemMessage"].as_str().unwrap_or_default().to_owned()
}

mod in_detail {
    use super::*;

    #[test]
    fn both_sides_of_each_difference_are_shown() {
        let env = TestEnv::new();
        let path = written(&env, &lied_about());
        let shown = env.run(BIN, &["lost", "--transcript", &path, "--at", "1"]).success().stdout;
        for words in [
            "● called done, but open L2",
            "[pending] Document the cache headers",
            "Document the cache headers ✅",
        ] {
            assert!(shown.contains(words), "{words} in {shown}");
        }
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    }

    #[test]
    fn a_recorded_compaction_reads_like_this() {
        let env = TestEnv::new();
        let _ = compacted(&env, "auto");
        let _ = HookPlayer::new(&env, BIN, SESSION).post_tool_batch(&[]).success();
        let shown = env.run(BIN, &["lost", "1"]).success().stdout;
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
        let took = without_time(&shown, "  hooks took ");
        insta::assert_snapshot!(took);
    }

    /// Times differ from run to run.
    fn without_time(shown: &str, start: &str) -> String {
        let line =
            |line: &str| if line.starts_with(start) { format!("{start}N ms") } else { line.to_owned() };
        shown.lines().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_compaction_is_chosen_by_number_alone_with_its_session_or_by_at() {
        let env = TestEnv::new();
        let _ = compacted(&env, "auto");
        let shown = |args: &[&str]| env.run(BIN, &[&["lost"], args].concat()).success().stdout;
        let one = shown(&["1"]);
        assert!(one.starts_with(&format!("Compaction 1 of session {}", &SESSION[..8])), "{one}");
        for args in [&["--at", "1"][..], &[&SESSION[..8], "1"], &[&SESSION[..8], "--at", "1"]] {
            assert_eq!(shown(args), one, "{args:?}");
        }
        let refused = env.run(BIN, &["lost", "7"]);
        let words = refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        let expected = format!("session {} has 1 compaction, not 7: use 1", &SESSION[..8]);
        assert!(!refused.status.success() && words.contains(&expected), "{refused}");
    }

    /// The latest message that the summary leaves out is named; a changed file need not stand in a summary, and an older
    /// message that was answered need not either.
    #[test]
    fn the_latest_message_that_is_left_out_is_named_and_a_changed_file_is_not() {
        let env = TestEnv::new();
        let messages = ["Add a cache on port 4010.", "Why is the staging certificate renewed by hand?"];
        let transcript = Transcript::new()
            .prompt(messages[0])
            .edit("/home/user/project/src/cache.rs", "a", "b")
            .says("Done.")
            .prompt(messages[1])
            .compaction(
                "auto",
                "6. All user messages:\n   - \"Add a cache on port 4010.\"\n\n8. Current Work:\n   The cache is done.",
            );
        let path = written(&env, &transcript);
        let shown = env.run(BIN, &["lost", "--transcript", &path, "--at", "1", "--all"]).success().stdout;
        assert!(shown.contains("● message not mentioned L5") && shown.contains(messages[1]), "{shown}");
        assert!(!shown.contains("○") && !shown.contains("changed file not mentioned"), "{shown}");
    }

    #[test]
    fn where_the_record_does_not_reach_it_says_not_checked_and_never_that_they_agree() {
        let env = TestEnv::new();
        let path = written(
            &env,
            &Transcript::new().prompt("Hello.").says("Hi.").compaction("auto", "The user said: \"Hello.\""),
        );
        let shown = env.run(BIN, &["lost", "--transcript", &path, "--at", "1"]).success().stdout;
        assert!(shown.contains("No differences in what was checked."), "{shown}");
        assert!(shown.contains("checked      1 user message"), "{shown}");
        let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            words.contains("not checked tasks, standing instructions, commands, changed files, running jobs"),
            "{shown}"
        );
        assert!(!shown.contains("agree"), "{shown}");
    }

    #[test]
    fn a_broken_summary_is_named_and_not_compared() {
        let env = TestEnv::new();
        let path = written(
            &env,
            &Transcript::new()
                .prompt("Hello.")
                .task_create("a")
                .compaction("auto", "API Error: 529 Overloaded"),
        );
        let shown = env.run(BIN, &["lost", "--transcript", &path, "--at", "1"]).success().stdout;
        assert!(shown.contains("The summary is broken") && !shown.contains('●'), "{shown}");
    }

    #[test]
    fn a_session_without_a_compaction_is_refused_with_what_to_do() {
        let env = TestEnv::new();
        let path = written(&env, &Transcript::new().prompt("a"));
        for args in [&["lost", "--transcript", &path][..], &["lost", "--transcript", &path, "--line", "1"]] {
            let refused = env.run(BIN, args);
            assert!(!refused.status.success() && refused.stderr.contains("--summary"), "{}", refused.stderr);
        }
    }

    #[test]
    fn any_text_can_be_compared_with_a_session() {
        let env = TestEnv::new();
        let path = written(&env, &Transcript::new().prompt("a").task_create("Write the parser docs"));
        let summary = env.home().join("s.txt");
        files::write(&summary, LIE);
        let shown = env.run(BIN, &["lost", "--transcript", &path, "--summary", summary.to_str().unwrap()]);
        assert!(shown.success().stdout.contains("[pending] Write the parser docs"));
    }

    #[test]
    fn the_length_of_a_brief_is_not_an_option() {
        let refused = TestEnv::new().run(BIN, &["lost", "--budget", "900"]);
        assert!(!refused.status.success() && refused.stderr.contains("--budget"), "{}", refused.stderr);
    }

    #[test]
    fn a_changed_port_is_found_behind_five_thousand_calls() {
        let env = TestEnv::new();
        let mut transcript =
            Transcript::new().prompt("Build it.").bash("serve").ok("the server listens on port 9300");
        for n in 0..5_000 {
            transcript =
                transcript.bash(&format!("make part_{n}")).ok(&format!("built target_{n} in {n} ms"));
        }
        // Long enough to pass for a summary of as many calls.
        let rest = "What follows says nothing of it. ".repeat(160);
        let summary = format!("8. Current Work:\n   The server listens on port 9301.\n   {rest}");
        let transcript = transcript.compaction("auto", &summary);
        let path = written(&env, &transcript);
        let json = env.run(BIN, &["lost", "--transcript", &path, "--at", "1", "--json"]).success().json();
        let quotes =
            json[0]["findings"].as_array().unwrap().iter().map(|found| found["summary_quote"].to_string());
        assert!(quotes.into_iter().any(|quote| quote.contains("port 9301")), "{json}");
        assert!(!json[0]["cannot_tell"].to_string().contains("numbers"), "{json}");
    }
}

mod as_json {
    use super::*;

    fn names(value: &Value) -> Vec<String> {
        let mut names: Vec<String> = value.as_object().expect("an object").keys().cloned().collect();
        names.sort();
        names
    }

    #[test]
    fn findings_have_these_fields() {
        let env = TestEnv::new();
        let path = written(&env, &lied_about());
        let view = env.run(BIN, &["lost", "--transcript", &path, "--at", "1", "--json"]).success().json();
        let first = &view[0]["findings"][0];
        assert_eq!((&first["kind"], &first["fact"]), (&"contradicted".into(), &"task".into()));
        let expected =
            ["fact", "given_back", "kind", "place", "summary_quote", "summary_span", "text", "verdict"];
        assert_eq!(names(first), expected);
    }

    #[test]
    fn a_list_and_one_compaction_have_the_same_documented_shape() {
        let env = TestEnv::new();
        let _ = compacted(&env, "auto");
        let list = env.run(BIN, &["lost", "--json"]).success().json();
        let one = env.run(BIN, &["lost", "1", "--json"]).success().json();
        assert_eq!(
            (names(&list[0]), names(&list[0]["findings"][0])),
            (names(&one[0]), names(&one[0]["findings"][0]))
        );
        assert_eq!(list[0]["number"], one[0]["number"]);
        let docs = files::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/audit.md"));
        for name in
            names(&one[0]).into_iter().chain(names(&one[0]["findings"][0])).chain(names(&one[0]["checked"]))
        {
            assert!(docs.contains(&format!("`{name}`")), "docs/audit.md does not explain {name}");
        }
    }

    #[test]
    fn nothing_recorded_is_an_empty_list() {
        assert_eq!(TestEnv::new().run(BIN, &["lost", "--json"]).success().json(), json!([]));
    }
}

mod listed {
    use super::*;

    #[test]
    fn without_a_record_it_says_what_to_do() {
        let output = TestEnv::new().run(BIN, &["lost"]).success();
        assert_eq!(output.stdout, "");
        assert!(output.stderr.contains("catchword try"), "{output}");
    }

    #[test]
    fn the_list_of_a_project_reads_like_this() {
        let env = TestEnv::new();
        let (mut transcript, _) = compacted(&env, "manual");
        let hooks = HookPlayer::new(&env, BIN, SESSION);
        let _ = hooks.compaction(&mut transcript, "auto", "Nothing is known.");
        let shown = env.run(BIN, &["lost"]).success();
        assert!(shown.stdout.lines().all(|line| line.chars().count() <= 80), "{shown}");
        insta::assert_snapshot!(shown.stdout);
        assert!(shown.stderr.contains("catchword lost SESSION N"), "{shown}");
    }

    #[test]
    fn the_compactions_of_a_file_are_listed_and_audited() {
        let env = TestEnv::new();
        let path = written(&env, &lied_about().compaction("manual", "Nothing is known."));
        let shown = env.run(BIN, &["lost", "--transcript", &path]).success();
        let numbers: Vec<_> =
            shown.stdout.lines().skip(1).map(|line| line.split_whitespace().nth(3)).collect();
        assert_eq!(numbers, [Some("2"), Some("1")], "{shown}");
        assert!(shown.stderr.contains("`--at N` shows one in full"), "{shown}");
        let json = env.run(BIN, &["lost", "--transcript", &path, "--json"]).success().json();
        assert_eq!(json[1]["contradicted"], 1, "{json}");
    }

    #[test]
    fn other_projects_are_listed_on_request() {
        let env = TestEnv::new();
        let _ = compacted(&env, "auto");
        let elsewhere = env.root().join("elsewhere");
        std::fs::create_dir_all(&elsewhere).unwrap();
        let lost = |args: &[&str]| {
            let mut command = env.command(BIN);
            command.args(args).current_dir(&elsewhere);
            env.run_command(command, "").success()
        };
        let here = lost(&["lost"]);
        let said = here.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        let expected = "No compactions in this project; 1 in others (`catchword lost --all`).";
        assert!(here.stdout.is_empty() && said.contains(expected), "{here}");
        assert!(lost(&["lost", "--all"]).stdout.contains(&SESSION[..8]));
    }

    /// The hooks were installed after the first compaction.
    #[test]
    fn numbers_are_those_of_the_transcript() {
        let env = TestEnv::new();
        let hooks = HookPlayer::new(&env, BIN, SESSION);
        let mut transcript = Transcript::new()
            .cwd(env.project())
            .prompt("Add a parser.")
            .compaction("auto", "First.")
            .task_create("Write the parser docs");
        transcript.append_to(hooks.transcript_path());
        let played = hooks.compaction(&mut transcript, "auto", LIE);
        let told = played.post_compact.success().stdout;
        assert!(told.contains(&format!("`catchword lost {} 2`", &SESSION[..8])), "{told}");
        let list = env.run(BIN, &["lost", "--json"]).success().json();
        assert_eq!((list[0]["number"].as_u64(), list.as_array().map(Vec::len)), (Some(2), Some(2)), "{list}");
        let all = env.run(BIN, &["lost", SESSION, "--json"]).success().json();
        let numbers: Vec<_> =
            all.as_array().unwrap().iter().map(|one| one["number"].as_u64().unwrap()).collect();
        assert_eq!(numbers, [2, 1], "{all}");
        assert!(all[1]["findings"].is_array() && all[1]["brief_characters"].is_null(), "{all}");
    }

    #[test]
    fn a_compaction_is_listed_with_what_was_given_and_whether_it_arrived() {
        let env = TestEnv::new();
        let hooks = HookPlayer::new(&env, BIN, SESSION);
        let mut transcript =
            Transcript::new().prompt("Add a parser. Never touch the lock file.").says("On it.");
        transcript.append_to(hooks.transcript_path());
        let _ = hooks.pre_compact("manual", None).success();
        let _ = hooks.summariser_stop("A parser is wanted.").success();
        let brief = model_text(&hooks.session_start("compact").success().stdout);
        let _ = hooks.post_compact("manual", "A parser is wanted.").success();
        let listed = |env: &TestEnv| env.run(BIN, &["lost", "--json"]).success().json()[0].clone();
        assert_eq!(listed(&env)["arrived_by"], Value::Null);

        transcript =
            transcript.compaction("manual", "A parser is wanted.").hook_context("SessionStart", &brief);
        transcript.append_to(hooks.transcript_path());
        let _ = hooks.post_tool_batch(&[]).success();
        let row = listed(&env);
        assert_eq!(row["arrived_by"], "SessionStart");
        assert_eq!(row["trigger"], "manual");
        assert_eq!(row["brief_characters"], brief.chars().count());
        assert!(row["tokens_before"].as_u64() > row["tokens_after"].as_u64());
        assert_eq!((&row["dropped"], &row["invented"]), (&1.into(), &0.into()), "{row}");
        assert_eq!(row["findings"][0]["text"], "Add a parser. Never touch the lock file.", "{row}");
        assert!(row["items_given_back"].as_u64() > Some(0) && row["micros"].as_u64() > Some(0), "{row}");
        let shown = env.run(BIN, &["lost", &SESSION[..6]]).success().stdout;
        let line = shown.lines().last().unwrap_or_default();
        let start = format!("01-01 12:00  {}    1  20k→3k", &SESSION[..8]);
        let end = format!("  0  {} chars, arrived", brief.chars().count());
        assert!(line.starts_with(&start) && line.ends_with(&end), "{shown}");
        assert!(shown.contains(" left out ") && shown.lines().all(|l| l.chars().count() <= 80), "{shown}");
        let detail = env.run(BIN, &["lost", "1"]).success().stdout;
        assert!(
            detail.contains(" items; arrived by SessionStart") || detail.contains(" item; arrived by"),
            "{detail}"
        );
    }

    /// `lost` and `try` count by the same function.
    #[test]
    fn what_is_left_out_is_the_number_that_try_says() {
        let env = TestEnv::new();
        for trigger in ["manual", "auto"] {
            let transcript = Transcript::new()
                .prompt("Add a cache on port 4010. Never touch the lock file.")
                .task_create("Document the cache headers")
                .edit("/home/user/project/src/cache.rs", "a", "b")
                .bash("cargo test cache")
                .fails("Exit code 1\nexpected 429, got 200")
                .compaction(trigger, "7. Pending Tasks:\n   - Document the cache headers");
            let path = written(&env, &transcript);
            let tried = env.run(BIN, &["try", "--transcript", &path, "--json"]).success().json();
            let expected = &tried["compaction"]["carried"];
            let count = |key: &str| expected[key].as_u64().unwrap();
            let (lost, kept) = (count("lost"), count("kept"));
            assert!(lost > 0 && kept > 0, "{tried}");
            let said = env.run(BIN, &["try", "--transcript", &path]).success().stdout;
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(said.contains(&format!("{lost} of {} things", lost + kept)), "{said}");
            for at in [&[][..], &["--at", "1"]] {
                let args = [&["lost", "--transcript", &path, "--json"], at].concat();
                assert_eq!(env.run(BIN, &args).success().json()[0]["carried"], *expected, "{trigger} {at:?}");
            }
            let shown = env.run(BIN, &["lost", "--transcript", &path]).success().stdout;
            assert!(shown.contains(&format!("  {lost} of {}  ", lost + kept)), "{shown}");
        }
    }

    /// A resumed session begins with copies of its rows: every command counts the same compactions.
    #[test]
    fn every_command_counts_the_same_compactions() {
        let env = TestEnv::new();
        let hooks = HookPlayer::new(&env, BIN, SESSION);
        let once = Transcript::new()
            .cwd(env.project())
            .prompt("Add a parser.")
            .compaction("auto", "A parser is wanted.")
            .prompt("Go on, and write its docs.")
            .old_style_compaction("Docs are wanted, too.")
            .read("/home/user/project/src/parser.rs");
        let lines = once.line_count();
        let twice = (1..=lines).fold(once, Transcript::duplicate_row);
        let all = (1..=lines).fold(twice, Transcript::duplicate_row).prompt("Go on.");
        all.write_to(hooks.transcript_path());
        let _ = env.run(BIN, &["index"]).success();
        let file = hooks.transcript_path().to_str().unwrap().to_owned();
        let json = |args: &[&str]| env.run(BIN, args).success().json();
        for args in [
            &["lost", "--json"][..],
            &["lost", SESSION, "--json"],
            &["lost", "--transcript", &file, "--json"],
        ] {
            assert_eq!(json(args).as_array().map(Vec::len), Some(2), "{args:?}");
        }
        let status = json(&["status", "--json"]);
        assert!(status.to_string().contains("\"compactions\":2"), "{status:#}");
        let status = json(&["status", SESSION, "--json"]);
        assert!(status.to_string().contains("\"compactions\":2"), "{status:#}");
        assert_eq!(json(&["eval", &file, "--json"])["compactions"], 2);
        let tried = env.run(BIN, &["try", "--transcript", &file]).success().stdout;
        assert!(tried.contains("ompaction 2 of 2"), "{tried}");
        for (args, words) in [
            (&["lost", "9"][..], "has 2 compactions, not 9: use 1 or 2"),
            (&["brief", "--at", "9"], "has 2 compactions, not 9: use 1 or 2"),
            (&["recall", "compaction:9"], "this session has 2 compactions, not 9"),
        ] {
            let refused = env.run(BIN, args);
            let said = refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(!refused.status.success() && said.contains(words), "{args:?}: {refused}");
        }
        let elsewhere = env.root().join("elsewhere");
        std::fs::create_dir_all(&elsewhere).unwrap();
        let mut command = env.command(BIN);
        command.arg("lost").current_dir(&elsewhere);
        let said = env.run_command(command, "").success().stderr;
        assert!(said.contains("No compactions in this project; 2 in others"), "{said}");
    }

    #[test]
    fn a_compaction_whose_hooks_run_twice_is_one_line_with_its_findings_once() {
        let env = TestEnv::new();
        let hooks = HookPlayer::new(&env, BIN, SESSION);
        let mut transcript = Transcript::new().prompt("Add a parser.").task_create("Write the parser docs");
        transcript.append_to(hooks.transcript_path());
        let mut told = Vec::new();
        for _ in 0..2 {
            let _ = hooks.pre_compact("auto", None).success();
        }
        for _ in 0..2 {
            let _ = hooks.summariser_stop(LIE).success();
        }
        for _ in 0..2 {
            let _ = hooks.session_start("compact").success();
        }
        for _ in 0..2 {
            told.push(hooks.post_compact("auto", LIE).success().stdout);
        }
        assert!(told[0].contains("calls task 1 finished; given back.") && told[1].is_empty(), "{told:?}");
        let lost = env.run(BIN, &["lost", "--json"]).success().json();
        assert_eq!(lost.as_array().map(Vec::len), Some(1), "{lost}");
        assert_eq!(lost[0]["contradicted"], 1, "{lost}");
        assert_eq!(lost[0]["findings"].as_array().map(Vec::len), Some(1), "{lost}");
    }

    #[test]
    fn installed_twice_the_summariser_is_guided_once_and_again_when_it_is_asked_again() {
        let env = TestEnv::new();
        let hooks = HookPlayer::new(&env, BIN, SESSION);
        let mut transcript = Transcript::new().prompt("Add a parser.").task_create("Write the parser docs");
        transcript.append_to(hooks.transcript_path());
        let guides = || -> usize {
            let both = std::thread::scope(|scope| {
                let threads =
                    [(); 2].map(|()| scope.spawn(|| hooks.pre_compact("auto", None).success().stdout));
                threads.map(|thread| thread.join().unwrap())
            });
            both.iter().filter(|out| out.contains("Write the parser docs")).count()
        };
        assert_eq!(guides(), 1, "announced early");
        // Every command is a second; minutes later the client announces it again.
        for _ in 0..10 {
            let _ = hooks.post_tool_batch(&[]).success();
        }
        assert_eq!(guides(), 1, "and again");
        let _ = hooks.summariser_stop("1. A parser").success();
        let _ = hooks.session_start("compact").success();
        let _ = hooks.post_compact("auto", "1. A parser").success();
        assert_eq!(guides(), 1, "the next compaction");
    }
}

/// After an automatic compaction the client shows nothing of what the hook at its end prints.
mod to_the_person {
    use super::*;

    #[test]
    fn the_line_of_an_automatic_compaction_is_repeated_at_the_end_of_the_turn() {
        let env = TestEnv::new();
        let (_, line) = compacted(&env, "auto");
        assert!(
            line.starts_with("catchword: the summary ") && line.contains("calls task 1 finished"),
            "{line}"
        );
        let hooks = HookPlayer::new(&env, BIN, SESSION);
        assert!(hooks.post_tool_batch(&[]).is_silent_success(), "not in the middle of the work");
        assert_eq!(message(&hooks.stop("Done.").success().stdout), line.trim_end());
        for again in [hooks.stop("Done."), hooks.user_prompt("Go on."), hooks.stop("Done.")] {
            assert!(again.is_silent_success(), "{again}");
        }
        let told = env.run(BIN, &["lost", "--json"]).success().json()[0]["person_told_at"].clone();
        assert!(told.is_i64(), "{told}");
    }

    #[test]
    fn the_line_of_an_automatic_compaction_is_repeated_with_the_next_prompt() {
        let env = TestEnv::new();
        let (_, line) = compacted(&env, "auto");
        let hooks = HookPlayer::new(&env, BIN, SESSION);
        let output = hooks.user_prompt("Go on.").success().stdout;
        assert_eq!((message(&output), model_text(&output)), (line.trim_end().to_owned(), String::new()));
        assert!(hooks.stop("Done.").is_silent_success());
    }

    #[test]
    fn the_line_of_a_manual_compaction_is_not_repeated() {
        let env = TestEnv::new();
        let (_, line) = compacted(&env, "manual");
        assert!(line.contains("calls task 1 finished"), "{line}");
        let hooks = HookPlayer::new(&env, BIN, SESSION);
        for quiet in [hooks.user_prompt("Go on."), hooks.stop("Done.")] {
            assert!(quiet.is_silent_success(), "{quiet}");
        }
    }

    #[test]
    fn of_hooks_that_run_at_the_same_moment_one_tells_it() {
        for round in 0..5 {
            let env = TestEnv::new();
            let _ = compacted(&env, "auto");
            let hooks = HookPlayer::new(&env, BIN, SESSION);
            let told = std::thread::scope(|scope| {
                let stop = || hooks.stop("Done.").success().stdout;
                let prompt = || hooks.user_prompt("Go on.").success().stdout;
                let threads =
                    [scope.spawn(stop), scope.spawn(stop), scope.spawn(prompt), scope.spawn(prompt)];
                threads.map(|thread| message(&thread.join().unwrap()))
            });
            let lines = told.iter().filter(|line| line.contains("calls task 1 finished")).count();
            assert_eq!(lines, 1, "round {round}: {told:?}");
        }
    }
}

/// A device or a pipe that never ends must not take the machine's memory.
#[cfg(unix)]
#[test]
fn a_text_without_end_is_refused_and_one_from_a_pipe_is_read() {
    let env = TestEnv::new();
    let file = written(&env, &lied_about());
    let run = |line: &str| {
        let mut limited = env.command("sh");
        let line = line.replace("catchword", "timeout 60 \"$0\"").replace("FILE", &file);
        limited.args(["-c", &format!("ulimit -v 4000000; {line}"), BIN]);
        env.run_command(limited, "")
    };
    for line in [
        "catchword lost --transcript FILE --summary /dev/zero",
        "yes | catchword brief --transcript FILE --summary /dev/stdin",
    ] {
        let refused = run(line);
        assert_eq!(refused.code(), Some(1), "{line}: {refused}");
        assert!(refused.stderr.contains("more than 16 MB"), "{line}: {refused}");
    }
    let read = run("echo 'Listening on port 4016.' | catchword lost --transcript FILE --summary /dev/stdin")
        .success();
    assert!(read.stdout.contains("4016"), "{read}");
}
