//! `try`, `brief`, `sessions`: inspecting what the agent would be told.

use std::path::PathBuf;

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript, files};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");

/// Two compactions; the first summary keeps the rule, the second keeps nothing.
fn a_session() -> Transcript {
    Transcript::new()
        .prompt("Add a parser for the config files. Never touch the lock file.")
        .says("I'll begin with the lexer.")
        .task_create("write the lexer")
        .write("/home/user/project/src/lexer.rs")
        .bash("cargo test --test lexer")
        .fails("Exit code 101\nerror: expected `;`")
        .compaction("auto", "The user said: \"Never touch the lock file.\" The lexer is under way.")
        .bash("cargo test --test lexer")
        .ok("test result: ok. 3 passed")
        .task_update(1, "completed")
        .task_create("write the grammar")
        .compaction("auto", "Things were done.")
        .says("Going on.")
}

fn written(env: &TestEnv, transcript: &Transcript) -> String {
    let path = env.root().join("t.jsonl");
    transcript.write_to(&path);
    path.to_str().expect("UTF-8").to_owned()
}

fn brief(env: &TestEnv, args: &[&str]) -> String {
    let all: Vec<&str> = ["brief"].iter().chain(args).copied().collect();
    env.run(BIN, &all).success().stdout
}

#[test]
fn try_without_a_session_uses_the_sample_and_writes_nothing() {
    let env = TestEnv::new();
    let output = env.run(BIN, &["try"]).success();
    assert!(
        output.stdout.contains("The bundled sample session") && output.stderr.contains("`catchword init`"),
        "{output}"
    );
    insta::assert_snapshot!(output.stdout);
    let whole = env.run(BIN, &["try", "--brief"]).success();
    assert!(whole.stdout.contains("</catchword-record>"), "{whole}");
    assert!(!env.data().exists(), "nothing is written");
}

#[test]
fn try_uses_the_newest_session_and_its_latest_compaction() {
    let env = TestEnv::new();
    a_session().write_to(env.transcript_path(SESSION));
    let output = env.run(BIN, &["try"]).success().stdout;
    let head = output.lines().take(2).collect::<Vec<_>>().join(" ");
    let (session, rest) = head.split_once(" (project, ").expect("it names the project");
    assert!(session == "Session 11111111" && rest.contains(" ago): compaction 2 of 2 replaced"), "{output}");
    assert!(output.contains("write the grammar") && !output.contains("[pending] #1"), "{output}");
    assert!(!env.data().exists(), "nothing is written");
}

#[test]
fn try_on_a_session_that_was_never_compacted_says_so() {
    let env = TestEnv::new();
    let path = written(&env, &Transcript::new().prompt("Add a parser.").says("Done."));
    let output = env.run(BIN, &["try", "--transcript", &path]).success().stdout;
    assert!(output.contains("has not been compacted yet") && output.contains("Add a parser."), "{output}");
    let told = output.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("`catchword try --transcript ") && told.contains("t.jsonl --brief` prints it"),
        "{output}"
    );
    let sample = env.run(BIN, &["try", "--sample"]).success().stdout;
    let told = sample.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("`catchword try --sample --brief` prints it"), "{sample}");
}

#[test]
fn brief_can_be_shown_at_any_compaction_or_line() {
    let env = TestEnv::new();
    let path = written(&env, &a_session());
    let first = brief(&env, &["--transcript", &path, "--at", "1"]);
    assert!(first.contains("[pending] #1 \"write the lexer\"") && !first.contains("## Standing"), "{first}");
    let second = brief(&env, &["--transcript", &path, "--at", "2"]);
    assert!(
        second.contains("#2 \"write the grammar\"") && second.contains("Never touch the lock file."),
        "{second}"
    );
    let line = brief(&env, &["--transcript", &path, "--line", "L1"]);
    assert_eq!(line, brief(&env, &["--transcript", &path, "--line", "1"]), "a line as the brief names it");
    assert!(line.contains("Goal:") && !line.contains("lexer.rs"), "{line}");
    let summary = env.root().join("summary.txt");
    files::write(&summary, "The user said: Add a parser for the config files. Never touch the lock file.");
    let known =
        brief(&env, &["--transcript", &path, "--line", "1", "--summary", summary.to_str().expect("UTF-8")]);
    assert!(!known.contains("## Standing"), "{known}");
    let small = brief(&env, &["--transcript", &path, "--budget", "400"]);
    assert!(small.trim_end().chars().count() <= 400, "{small}");
}

#[test]
fn brief_finds_the_recorded_session_of_this_folder() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript =
        Transcript::new().cwd(env.project()).prompt("Add a parser. Never touch the lock file.");
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.stop("Waiting.").success();
    let json = env.run(BIN, &["brief", "--json"]).success().json();
    assert!(json["text"].as_str().is_some_and(|text| text.contains("Never touch the lock file.")), "{json}");
    assert_eq!(env.run(BIN, &["status", "--all", "--json"]).success().json()[0]["entries"], 1);
}

#[test]
fn why_explains_every_line_and_what_would_come_next() {
    let env = TestEnv::new();
    let path = written(&env, &a_session());
    let why = env.run(BIN, &["brief", "--why", "--transcript", &path, "--json"]).success().json();
    let lines = why["lines"].as_array().expect("a list");
    assert!(lines.iter().all(|line| line["why"].as_str().is_some_and(|why| !why.is_empty())), "{lines:?}");
    let of_text = |text: &str| lines.iter().find(|line| line["text"] == text).expect("it is a line");
    let rule = of_text("\"Never touch the lock file.\"");
    assert_eq!(
        (&rule["shown"], &rule["priority"], &rule["place"]),
        (&true.into(), &"always".into(), &"L1".into())
    );
    assert!(rule["value"].as_f64() > Some(0.0), "{rule}");
    let shown: Vec<bool> = lines.iter().map(|line| line["shown"] == true).collect();
    assert!(shown.is_sorted_by(|a, b| a >= b) && shown.contains(&true), "what is in comes first: {lines:?}");
    let plain = env.run(BIN, &["brief", "--transcript", &path, "--json"]).success().json();
    assert!(plain["text"] == why["text"] && plain.get("lines").is_none(), "{plain}");
}

#[test]
fn why_wraps_to_the_terminal_width() {
    let env = TestEnv::new();
    let things =
        "parser lexer printer linker loader cache index queue router panel ledger mailbox journal roster";
    let long = things.split(' ').fold(a_session(), |t, thing| {
        let wish = format!(
            "Give the {thing} a name that says what the {thing} is for, and a page about the {thing}. "
        );
        t.prompt(&wish.repeat(4)).says("Done.")
    });
    let path = written(&env, &long);
    let page = |more: &[&str]| {
        env.run(BIN, &[&["brief", "--why", "--budget", "1500", "--transcript", &path], more].concat())
            .success()
            .stdout
    };
    let text = page(&[]);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.lines().count() <= 50, "{text}");
    assert!(text.contains("Standing instructions\n") && text.contains("said as a rule"), "{text}");
    let next = text.split_once("Left out: ").expect("something is").1;
    assert!(next.contains("requests") && next.contains("more (--all)"), "{text}");
    assert!(!text.contains("not in the summary"), "there is none: {text}");
    assert!(page(&["--all"]).lines().count() > text.lines().count() && !page(&["--all"]).contains("(--all)"));
}

#[test]
fn bad_input_gets_an_error_with_a_next_step() {
    let env = TestEnv::new();
    let path = written(&env, &a_session());
    let empty = env.root().join("empty.jsonl");
    files::write(&empty, "");
    let empty = empty.to_str().expect("UTF-8");
    let missing = PathBuf::from("/no/such/file.jsonl");
    let missing = missing.to_str().expect("UTF-8");
    let cases: &[(&[&str], &str)] = &[
        (&["brief"], "nothing is recorded yet: `catchword index`"),
        (
            &["brief", "--session", "abc"],
            "tip: a session is named without an option: catchword brief SESSION\n",
        ),
        (&["search", "--since", "2d", "x"], "tip: write it as a filter: catchword search since:… WORDS\n"),
        (&["search", "--limit", "0", "x"], "takes 1 to 1000\n"),
        (&["search", "--open", "0", "x"], "takes the number of a hit, from 1\n"),
        (&["brief", "--line", "P1"], "takes the number of a line (12 or L12)\n"),
        (&["brief", "--budget", "3"], "takes 400 to 9500"),
        (&["try", "--budget", "20000"], "takes 400 to 9500"),
        (&["statuz"], "tip: a similar subcommand exists: 'status'\n"),
        (&["config", "set", "guide.on", "maybe"], "`guide.on` takes true or false, not `maybe`\n"),
        (&["brief", "abc"], "no recorded session begins with abc"),
        (&["brief", "--transcript", missing], "cannot read"),
        (&["brief", "--transcript", &path, "--at", "7"], "2 compactions, not 7: use 1 or 2"),
        (&["brief", "--transcript", empty], "holds no conversation"),
        (&["try", "--transcript", empty], "--sample"),
        (&["try", "--transcript", missing], "cannot read"),
        (&["brief", "--why", "--transcript", &path, "--summary", missing], "cannot read"),
        (&["lost", "abc"], "no recorded session begins with abc"),
    ];
    for (args, expected) in cases {
        let output = env.run(BIN, args);
        assert!(!output.status.success() && output.stdout.is_empty(), "{args:?}: {output}");
        assert!(output.stderr.contains(expected), "{args:?}: {output}");
        assert!(
            !output.stderr.contains("--version") && !output.stderr.contains("-- --"),
            "{args:?}: {output}"
        );
    }
}

#[test]
fn missing_compaction_is_an_error() {
    let env = TestEnv::new();
    let path = written(&env, &Transcript::new().prompt("Add a parser."));
    let output = env.run(BIN, &["brief", "--why", "--transcript", &path, "--at", "1"]);
    assert!(output.code() == Some(1) && output.stderr.contains("was not compacted: leave out"), "{output}");
}

#[test]
fn every_command_has_json_output() {
    let env = TestEnv::new();
    let path = written(&env, &a_session());
    for args in [
        &["brief", "--json", "--transcript", &path][..],
        &["brief", "--why", "--json", "--transcript", &path],
        &["try", "--json", "--sample"],
        &["status", "--all", "--json"],
        &["lost", "--json"],
        &["doctor", "--json"],
    ] {
        let output = env.run(BIN, args);
        assert!(serde_json::from_str::<serde_json::Value>(&output.stdout).is_ok(), "{args:?}: {output}");
    }
}

/// The agent changes folders; its session still belongs to the project it works in.
#[test]
fn session_of_a_project_is_found_from_any_folder_of_it() {
    let env = TestEnv::new();
    std::fs::create_dir_all(env.project().join(".git")).unwrap();
    std::fs::create_dir_all(env.project().join("sub/deep")).unwrap();
    std::fs::create_dir_all(env.project().join("other")).unwrap();
    let home_session = "00000009-0000-4000-8000-000000000000";
    let work = Transcript::new().cwd(env.project()).prompt("Add a parser to the project.").says("On it.");
    work.write_to(env.transcript_path(SESSION));
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let _ = hooks.session_start("startup").success();
    let _ = hooks.in_folder(env.project().join("sub/deep")).stop("So far.").success();
    env.wait(std::time::Duration::from_secs(60));
    let talk =
        Transcript::new().session(home_session).cwd(env.home()).prompt("Tell me of home.").says("Well.");
    talk.write_to(env.transcript_path(home_session));
    let at_home = HookPlayer::new(&env, BIN, home_session).in_folder(env.home());
    let _ = at_home.session_start("startup").success();
    let _ = at_home.stop("Well.").success();
    for folder in ["", "sub", "other"] {
        for command in ["brief", "handoff"] {
            let mut here = env.command(BIN);
            here.arg(command).current_dir(env.project().join(folder));
            let shown = env.run_command(here, "").success().stdout;
            assert!(shown.contains("Add a parser to the project."), "{command} in {folder:?}:\n{shown}");
        }
    }
    let mut there = env.command(BIN);
    there.arg("brief").current_dir(env.home());
    let shown = env.run_command(there, "").success().stdout;
    assert!(shown.contains("Tell me of home."), "{shown}");
}

/// Said on the way, none of it in the summary. Guide, brief, handoff, notes and replay have the same facts.
#[test]
fn findings_decisions_and_errors_are_in_guide_brief_handoff_notes_and_replay() {
    let said = [
        "Root cause: the session cookie is dropped on redirect.",
        "The importer is not affected; I checked.",
        "Fixed: the retry loop no longer swallows the first error.",
        "It turns out CACHE_DIR is read before the settings are loaded.",
        "What remains: the changelog entry.",
        "Decided to use PKCE flow for public clients.",
        "Chose HS256 over RS256.",
    ];
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let asked = Transcript::new().cwd(env.project()).prompt("Fix the login.");
    let worked = said.iter().fold(asked, |session, words| session.says(words).bash("git log -1").ok("x"));
    let mut transcript = worked.bash("cargo test -p login").fails("Exit code 101\nerror: no such cookie");
    let played = hooks.compaction(
        &mut transcript,
        "auto",
        "1. Primary Request and Intent:\n   The login is worked on.",
    );
    let run = |args: &[&str]| env.run(BIN, args).success().stdout;
    for (name, told) in [
        ("guide", played.pre_compact.stdout.clone()),
        ("brief", played.brief().expect("a brief")),
        ("handoff", run(&["handoff"])),
        ("notes", run(&["note"])),
        ("replay", run(&["handoff", "--replay"])),
    ] {
        // Notes are wrapped.
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        for words in said.into_iter().chain(["error: no such cookie"]) {
            assert!(told.contains(words), "{words} is missing in the {name}:\n{told}");
        }
    }
}
