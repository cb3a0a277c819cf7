//! One question, one answer: every front end shows the same documents, and an agent sees the same by its tools and in its
//! shell.

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript, files};
use serde_json::{Value, json};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const LIE: &str = "7. Pending Tasks:\n   - Write the parser docs: completed";
const BROKEN: &str = "API Error: 529 Overloaded";
/// What only a compaction in full has.
const IN_FULL: [&str; 4] = ["summary", "lines", "handed", "remark"];

/// A session that hooks saw compacted, with this summary.
fn compacted(env: &TestEnv, summary: &str) {
    let hooks = HookPlayer::new(env, BIN, SESSION);
    let mut transcript = Transcript::new()
        .cwd(env.project())
        .prompt("Add a parser. Never touch the lock file.")
        .task_create("Write the parser docs")
        .edit("/home/user/project/src/lexer.rs", "fn old()", "fn fresh()")
        .bash("cargo test --test lexer")
        .fails("Exit code 101\nerror[E0308]: mismatched types");
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.session_start("startup").success();
    let played = hooks.compaction(&mut transcript, "auto", summary);
    let brief = played.brief().expect("a brief");
    transcript = transcript.hook_context("SessionStart", &brief).says("Going on.");
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.post_tool_batch(&[]).success();
}

/// The answer of a tool: its text, and its document.
fn tool(env: &TestEnv, tool: &str, arguments: &Value) -> (String, Value) {
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": tool, "arguments": arguments, "_meta": {"catchword/document": true}}});
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let output = env.run_with_stdin(BIN, &["mcp"], format!("{begin}\n{ready}\n{call}\n")).success();
    let answers = output.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let answer = answers.into_iter().find(|answer| answer["id"] == 2).expect("an answer");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    (text, answer["result"]["structuredContent"].clone())
}

fn json_of(env: &TestEnv, args: &[&str]) -> Value {
    env.run(BIN, &[args, &["--json"]].concat()).success().json()
}

/// A compaction as every list has it.
fn listed(mut compaction: Value) -> Value {
    let fields = compaction.as_object_mut().expect("a compaction");
    for field in IN_FULL {
        fields.remove(field);
    }
    compaction
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn one_compaction_has_one_answer_in_every_front_end() {
    for summary in [LIE, BROKEN] {
        let env = TestEnv::new();
        compacted(&env, summary);
        let one = json_of(&env, &["lost", "1"])[0].clone();
        assert!(one["handed"]["text"].as_str().unwrap_or_default().contains("lock file"), "{one}");
        let (said, document) = tool(&env, "what_was_lost", &json!({}));
        assert_eq!(document, one, "the tool");
        let one = listed(one);
        for args in [&["lost"][..], &["lost", "--all"], &["lost", SESSION]] {
            assert_eq!(listed(json_of(&env, args)[0].clone()), one, "{args:?}");
        }
        for args in [&["status"][..], &["status", "--all"], &["status", SESSION]] {
            assert_eq!(listed(json_of(&env, args)[0]["last_compaction"].clone()), one, "{args:?}");
        }
        let session = json_of(&env, &["status", SESSION]);
        assert_eq!(listed(session[0]["timeline"]["compactions"][0].clone()), one, "the timeline");
        // In words: the same numbers, and that the summary is none.
        let (lost, kept) =
            (one["carried"]["lost"].as_u64().unwrap(), one["carried"]["kept"].as_u64().unwrap());
        assert!(lost > 0, "{one}");
        let left_out = format!("{lost} of {}", lost + kept);
        let shown = |args: &[&str]| one_line(&env.run(BIN, args).success().stdout);
        let texts = [
            one_line(&said),
            shown(&["lost", "1"]),
            shown(&["lost"]),
            shown(&["lost", "--all"]),
            shown(&["lost", SESSION]),
            shown(&["status"]),
            shown(&["status", SESSION]),
        ];
        for text in &texts {
            assert!(text.contains(&left_out), "{left_out} in {text}");
            assert_eq!(text.contains("broken"), summary == BROKEN, "{text}");
        }
        assert_eq!(one["summary_broken"].is_null(), summary != BROKEN);
        assert_eq!(one["findings"].is_null(), summary == BROKEN, "{one}");
    }
}

#[test]
fn tools_and_commands_answer_with_the_same_document() {
    let env = TestEnv::new();
    compacted(&env, LIE);
    for (name, arguments, args) in [
        ("recall", json!({"place": "L1"}), &["recall", "L1"][..]),
        ("recall", json!({"place": "compaction:1"}), &["recall", "compaction:1"]),
        ("search", json!({"query": "parser", "limit": 10}), &["search", "parser"]),
    ] {
        let (text, mut document) = tool(&env, name, &arguments);
        assert!(text.contains("parser"), "{text}");
        let mut printed = json_of(&env, args);
        let both = [&mut document, &mut printed].into_iter();
        for hit in both.filter_map(|found| found["hits"].as_array_mut()).flatten() {
            // A model gets longer passages, and what is recent scores higher.
            for field in ["snippet", "matches", "spans", "score"] {
                hit[field] = Value::Null;
            }
        }
        for found in [&mut document, &mut printed] {
            // The tool's client holds the session; a person's shell only stands in its folder.
            found["own"] = Value::Null;
        }
        assert_eq!(document, printed, "{name} {arguments}");
    }
    // Without the mark a model gets the text alone.
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "brief", "arguments": {}}});
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let output = env.run_with_stdin(BIN, &["mcp"], format!("{begin}\n{ready}\n{call}\n")).success();
    assert!(output.stdout.contains("lock file") && !output.stdout.contains("structuredContent"), "{output}");
}

mod left_out {
    use super::*;

    const SECRET: &str = "zeppelin";
    const OTHER: &str = "22222222-2222-4222-8222-222222222222";

    /// A session of this project, and one of a project that was recorded and is left out since.
    fn world() -> TestEnv {
        let env = TestEnv::new();
        compacted(&env, LIE);
        let hooks = HookPlayer::new(&env, BIN, OTHER);
        Transcript::new()
            .cwd(acme(&env))
            .prompt("Rewrite the zeppelin parser of acme.")
            .task_create("Paint the zeppelin")
            .edit("/srv/acme/zeppelin.rs", "a", "b")
            .bash("make zeppelin")
            .fails("Exit code 2\nerror: zeppelin is not a target")
            .bash("make zeppelin")
            .ok("built")
            .compaction("auto", "The zeppelin.")
            .says("The zeppelin flies.")
            .append_to(hooks.transcript_path());
        let _ = env.run(BIN, &["index"]).success();
        let _ = env.run(BIN, &["note", "--session", OTHER, "the zeppelin leaks"]).success();
        env
    }

    fn leave_out(env: &TestEnv) {
        files::write(env.data().join("config.toml"), "[privacy]\nleave_out = [\"acme\"]\n");
    }

    fn acme(env: &TestEnv) -> std::path::PathBuf {
        let folder = env.root().join("acme");
        std::fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    /// Everything that a command prints in a shell of the agent's.
    fn printed(env: &TestEnv, args: &[&str]) -> String {
        let mut command = env.command(BIN);
        command.args(args).env("CLAUDECODE", "1");
        let output = env.run_command(command, "");
        format!("{}{}", output.stdout, output.stderr)
    }

    /// The agent's shell says `told` as long as the project is not left out, and nothing of it from then on.
    #[track_caller]
    fn assert_hidden(args: &[&str], told: &str) {
        let env = world();
        let before = printed(&env, args);
        assert!(before.contains(told), "{args:?} says {told:?} before: {before}");
        leave_out(&env);
        let after = printed(&env, args);
        // The words of the question may come back.
        let is_asked = |word: &str| args.iter().any(|argument| argument.contains(word));
        for word in [SECRET, &OTHER[..8], "flies", "Paint", "leaks", "Rewrite", "not a target", "acme"] {
            assert!(is_asked(word) || !after.contains(word), "{args:?} shows {word:?}: {after}");
        }
    }

    #[test]
    fn status_does_not_list_it() {
        assert_hidden(&["status", "--all"], "Rewrite the zeppelin");
        assert_hidden(&["status", "--all", "--json"], OTHER);
    }

    #[test]
    fn status_does_not_show_it() {
        assert_hidden(&["status", OTHER], "Rewrite the zeppelin");
    }

    #[test]
    fn points_do_not_name_it() {
        let env = world();
        assert!(printed(&env, &["status", "--points", OTHER]).contains("No saved points"));
        leave_out(&env);
        assert!(printed(&env, &["status", "--points", OTHER]).contains("no recorded session begins"));
    }

    #[test]
    fn lost_does_not_list_it() {
        assert_hidden(&["lost", "--all"], &OTHER[..8]);
    }

    #[test]
    fn lost_does_not_show_it() {
        assert_hidden(&["lost", OTHER], &OTHER[..8]);
        assert_hidden(&["lost", OTHER, "1", "--json"], OTHER);
    }

    #[test]
    fn search_does_not_find_it() {
        assert_hidden(&["search", "zeppelin"], "flies");
        assert_hidden(&["search", "zeppelin", "--open", "1"], "zeppelin");
    }

    #[test]
    fn search_for_a_file_does_not_find_it() {
        assert_hidden(&["search", "--file", "zeppelin.rs"], "changed once");
    }

    #[test]
    fn search_for_a_fix_does_not_find_it() {
        assert_hidden(&["search", "--fix", "zeppelin is not a target"], "make");
    }

    #[test]
    fn recall_does_not_show_it() {
        assert_hidden(&["recall", &format!("{OTHER}:note:1")], "leaks");
        assert_hidden(&["recall", "L1", "--session", OTHER], "Rewrite the zeppelin");
    }

    #[test]
    fn project_does_not_tell_it() {
        let env = world();
        let told = |args: &[&str]| {
            let mut command = env.command(BIN);
            command.args(args).env("CLAUDECODE", "1").current_dir(acme(&env));
            let output = env.run_command(command, "");
            format!("{}{}", output.stdout, output.stderr)
        };
        assert!(told(&["project"]).contains("1 session"), "{}", told(&["project"]));
        leave_out(&env);
        for args in [&["project"][..], &["project", "--json"], &["project", "--file", "zeppelin.rs"]] {
            let after = told(args);
            assert!(after.contains("nothing of this session is kept") && !after.contains("flies"), "{after}");
        }
    }

    #[test]
    fn brief_does_not_tell_it() {
        assert_hidden(&["brief", OTHER], "Paint the zeppelin");
    }

    #[test]
    fn notes_do_not_show_it() {
        assert_hidden(&["note", "--session", OTHER], "Paint the zeppelin");
    }

    #[test]
    fn commands_do_not_show_it() {
        assert_hidden(&["commands", OTHER], "1 open task");
    }

    #[test]
    fn handoff_does_not_show_it() {
        assert_hidden(&["handoff", OTHER], "Paint the zeppelin");
        assert_hidden(&["handoff", OTHER, "--replay"], "Rewrite the zeppelin");
    }

    #[test]
    fn backups_do_not_list_it_and_are_not_restored() {
        let kept = |env: &TestEnv| env.run(BIN, &["backup", "--all"]).success();
        let to = |env: &TestEnv| env.root().join("copy.jsonl");
        let restore = |env: &TestEnv| {
            printed(env, &["restore", OTHER, "--force", "--to", to(env).to_str().expect("UTF-8")])
        };
        let env = world();
        let _ = kept(&env);
        assert!(printed(&env, &["backup", "--list"]).contains(&OTHER[..8]));
        assert!(restore(&env).contains("lines") && files::read(to(&env)).contains(SECRET));
        std::fs::remove_file(to(&env)).expect("a copy");
        leave_out(&env);
        for args in [&["backup", "--list"][..], &["backup", "--list", "--json"], &["backup", "--all"]] {
            let after = printed(&env, args);
            assert!(!after.contains(&OTHER[..8]) && !after.contains("acme"), "{args:?}: {after}");
        }
        assert!(restore(&env).contains("no backed-up session begins with"));
        assert!(!to(&env).exists(), "nothing was written");
    }

    #[test]
    fn forget_does_not_name_it() {
        assert_hidden(&["forget", "--session", &OTHER[..13], "--dry-run"], "acme");
        assert_hidden(&["forget", "--before", "2027-01-01", "--dry-run"], "acme");
        let env = world();
        leave_out(&env);
        let said = printed(&env, &["forget", "--session", OTHER, "--yes"]);
        assert!(said.contains("nothing recorded begins with"), "{said}");
        let mut as_person = env.command(BIN);
        as_person.args(["status", "--all"]);
        assert!(env.run_command(as_person, "").stdout.contains(&OTHER[..8]), "it is still there");
    }

    #[test]
    fn measurements_and_trials_do_not_read_it() {
        let env = world();
        let measured =
            |env: &TestEnv| serde_json::from_str::<Value>(&printed(env, &["eval", "--json"])).expect("JSON");
        assert_eq!(measured(&env)["transcripts"], 2);
        leave_out(&env);
        let after = measured(&env);
        assert_eq!(after["transcripts"], 1);
        assert!(!after.to_string().contains("acme"), "{after}");
        let path = HookPlayer::new(&env, BIN, OTHER).transcript_path().to_str().expect("UTF-8").to_owned();
        assert!(!printed(&env, &["try", "--transcript", &path]).contains(SECRET));
        assert!(!printed(&env, &["try"]).contains(SECRET));
    }

    #[test]
    fn no_page_shows_it() {
        let env = world();
        leave_out(&env);
        let said = printed(&env, &["export", OTHER, "--html", "out.html"]);
        assert!(said.contains("no recorded session begins with"), "{said}");
        assert!(!env.project().join("out.html").exists());
        let refused = printed(&env, &["serve", "--no-open"]);
        assert!(refused.contains("for a person") && !refused.contains("token="), "{refused}");
    }

    /// What says nothing about sessions, whoever asks.
    const OF_NO_SESSION: &[&str] = &["init", "remove", "doctor", "config", "index", "sync", "archive", "run"];

    #[test]
    fn every_command_is_asked_or_says_nothing_about_sessions() {
        let env = world();
        let help = env.run(BIN, &["--help"]).success().stdout;
        let listed =
            help.lines().skip_while(|line| !line.ends_with(':')).take_while(|line| *line != "Options:");
        let commands: Vec<&str> = listed
            .filter(|line| line.starts_with("  "))
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        assert!(commands.len() > 15, "{commands:?}");
        for command in commands {
            let is_asked = include_str!("documents.rs").contains(&format!("&[\"{command}\""));
            assert!(is_asked || OF_NO_SESSION.contains(&command), "`{command}` needs a test of its own here");
        }
        for args in [&["doctor"][..], &["index"], &["index", "--json"]] {
            let said = printed(&env, args);
            assert!(!said.contains(SECRET) && !said.contains(&OTHER[..8]), "{args:?}: {said}");
        }
    }

    /// A file that is named is hidden like its session.
    #[test]
    fn a_transcript_of_it_is_not_read() {
        let env = world();
        let path = HookPlayer::new(&env, BIN, OTHER).transcript_path().to_str().expect("UTF-8").to_owned();
        let all = [&["lost"][..], &["brief"], &["handoff"], &["note"], &["recall", "L1"], &["status"]];
        let shown = |args: &[&str]| printed(&env, &[args, &["--transcript", &path]].concat());
        for args in all {
            assert!(!shown(args).contains("there is no transcript"), "{args:?}: {}", shown(args));
        }
        leave_out(&env);
        for args in all {
            assert!(shown(args).contains("there is no transcript"), "{args:?}: {}", shown(args));
        }
    }

    #[test]
    fn tools_do_not_show_it() {
        let env = world();
        let (text, _) = tool(&env, "search", &json!({"query": "flies"}));
        assert!(text.contains("The zeppelin flies"), "{text}");
        leave_out(&env);
        for (name, arguments) in [
            ("search", json!({"query": "flies"})),
            ("recall", json!({"place": "L1", "session": OTHER})),
            ("brief", json!({"session": OTHER})),
            ("open_work", json!({"session": OTHER})),
            ("what_was_lost", json!({"session": OTHER})),
        ] {
            let (text, document) = tool(&env, name, &arguments);
            let code = if name == "search" { "nothing_found" } else { "no_session" };
            assert_eq!(document["error"], code, "{name}: {text}");
        }
    }
}
