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
    // How many lines fit, and how long they are, changes with the weights.
    let (shown, counts) = output.stdout.split_once("The summary lacks").expect("it counts");
    let counts = counts.replace(|c: char| c.is_ascii_digit(), "#");
    insta::assert_snapshot!(format!("{shown}The summary lacks{counts}"));
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

/// Writes a session that was changed `days` ago.
fn session(env: &TestEnv, id: &str, days: u64, transcript: &Transcript) {
    let path = env.transcript_path(id);
    transcript.write_to(&path);
    env.written_days_ago(&path, days);
}

const OLDER: &str = "22222222-2222-4222-8222-222222222222";
const OLDEST: &str = "33333333-3333-4333-8333-333333333333";

fn squashed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn try_looks_for_the_newest_compaction_and_says_which_it_took() {
    let env = TestEnv::new();
    session(&env, SESSION, 0, &Transcript::new().prompt("Say hello.").says("Hello."));
    session(&env, OLDER, 1, &Transcript::new());
    session(&env, OLDEST, 2, &a_session());
    let shown = env.run(BIN, &["try"]).success().stdout;
    let told = squashed(&shown);
    assert!(told.starts_with("Session 33333333 (project, "), "{shown}");
    assert!(told.contains("): compaction 2 of 2 replaced "), "{shown}");
    assert!(
        told.contains("This is your newest session with a compaction; 1 newer session has none to show."),
        "{shown}"
    );
    let json = env.run(BIN, &["try", "--json"]).success().json();
    assert!(json["transcript"].as_str().unwrap().contains("33333333"), "{json}");
    assert!(json["chosen"].as_str().unwrap().contains("1 newer session"), "{json}");
}

#[test]
fn try_without_a_compaction_briefs_the_newest_session_as_if_it_were_compacted_now() {
    let env = TestEnv::new();
    session(&env, SESSION, 0, &Transcript::new());
    let asked =
        Transcript::new().prompt("Add a parser. Never touch the lock file.").says("I read the lexer.");
    session(&env, OLDER, 1, &asked);
    session(&env, OLDEST, 2, &Transcript::new().prompt("Say hello.").says("Hello."));
    let shown = env.run(BIN, &["try"]).success().stdout;
    let told = squashed(&shown);
    assert!(told.starts_with("Session 22222222 (project, "), "{shown}");
    assert!(
        told.contains("None of your 2 sessions has a compaction to show; this is the newest.")
            && told.contains("if it were compacted now"),
        "{shown}"
    );
    assert!(told.contains("Never touch the lock file.") && !told.contains("The summary"), "{shown}");
}

#[test]
fn try_says_nothing_about_a_summary_where_there_is_none() {
    let env = TestEnv::new();
    let row = r#"{"type":"assistant","uuid":"a1","message":{"role":"assistant","content":[{"type":"text","text":"Hi."}]}}"#;
    files::write(env.transcript_path(SESSION), format!("{row}\n"));
    let shown = env.run(BIN, &["try"]).success().stdout;
    assert!(
        shown.contains("Nothing yet that is worth carrying over.") && !shown.contains("summary"),
        "{shown}"
    );
}

#[test]
fn try_falls_back_to_the_sample_if_no_session_has_a_conversation() {
    let env = TestEnv::new();
    session(&env, SESSION, 0, &Transcript::new());
    let shown = env.run(BIN, &["try"]).success().stdout;
    let told = squashed(&shown);
    assert!(told.contains("The bundled sample session") && told.contains("no session of yours"), "{shown}");
}

#[test]
fn try_shows_each_heading_once() {
    let env = TestEnv::new();
    let rules = "Never touch the lock file. Always use pnpm. Never push to main. Don't edit the schema.";
    let tasks = ["write the lexer", "write the grammar", "write the printer"];
    let worked = tasks.iter().fold(Transcript::new().prompt(rules), |t, task| t.task_create(task));
    session(&env, SESSION, 0, &worked.says("Fine.").compaction("auto", "Things were done."));
    let shown = env.run(BIN, &["try"]).success().stdout;
    for heading in ["Asked by the user", "Open work"] {
        let headings = shown.lines().filter(|line| line.trim() == heading).count();
        assert_eq!(headings, 1, "{heading}: {shown}");
    }
    assert!(shown.matches("[pending] #").count() > 1 && squashed(&shown).contains(rules), "{shown}");
}

/// Text without colours and other escape sequences.
fn plain(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + part.split_once('m').map_or("", |(_, rest)| rest))
}

#[test]
fn colour_marks_what_fails_and_what_passes_and_is_never_the_only_sign() {
    const RED: &str = "\u{1b}[31m";
    const GREEN: &str = "\u{1b}[32m";
    let env = TestEnv::new();
    let failed = Transcript::new().cwd(env.project()).prompt("Go. Never push.").bash("make test");
    let edited = failed.fails("Exit code 2\nerror: expected zebra").edit("/home/user/project/a.rs", "a", "b");
    let passed = edited.bash("make test").ok("3 passed").bash("make lint").fails("Exit code 1\nerror: no");
    let mut transcript = passed;
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    transcript.write_to(hooks.transcript_path());
    let _ = hooks.compaction(&mut transcript, "auto", "All tests pass, and lint passes.");
    let _ = hooks.stop("Done.");
    let screens: [(&[&str], &[&str]); 7] = [
        (&["doctor"], &[RED, GREEN]),
        (&["lost", "1"], &[RED]),
        (&["status", "11111111"], &[RED]),
        (&["search", "expected", "zebra"], &[RED]),
        (&["search", "--fix", "zebra"], &[RED, GREEN]),
        (&["recall", "11111111:L2"], &[RED]),
        (&["try", "--sample"], &[RED, GREEN]),
    ];
    for (args, colours) in screens {
        let shown = |variables: &[&str]| {
            let mut command = env.command(BIN);
            command.args(args).env("COLUMNS", "80").env("CATCHWORD_NOW", "1767272400000");
            for name in variables {
                command.env(name, "1");
            }
            env.run_command(command, "").stdout
        };
        let bare = shown(&["NO_COLOR"]);
        assert!(!bare.contains('\u{1b}') && !bare.is_empty(), "{args:?}: {bare}");
        for quiet in [shown(&[]), shown(&["NO_COLOR", "CLICOLOR_FORCE"])] {
            assert_eq!(quiet, bare, "{args:?}");
        }
        let coloured = shown(&["CLICOLOR_FORCE"]);
        assert_eq!(plain(&coloured), bare, "{args:?}: the words say it, too");
        for colour in colours {
            assert!(coloured.contains(colour), "{args:?}: {colour:?} in {coloured:?}");
        }
    }
}

/// Pairs of lines that cannot both be true: work called unchecked beside a later run, a task in two states, a command
/// that last ran at two places, commits without a push beside a push.
fn contradictions(brief: &str) -> Vec<(&str, &str)> {
    let lines: Vec<&str> = brief.lines().filter(|line| line.starts_with("- ")).collect();
    let mut found = Vec::new();
    for one in &lines {
        for other in &lines {
            let unchecked = || {
                let edited: u32 = between(one, "at L", ";")?.parse().ok()?;
                let ran: u32 = other.rsplit_once(" L")?.1.parse().ok()?;
                let is_run = other.contains("` failed") || other.contains("` passed");
                (one.contains("was seen since") && is_run && ran > edited).then_some(())
            };
            let tasks = || {
                let (state, task) = (between(one, "[", "]")?, between(one, "] #", " ")?);
                (between(other, "] #", " ")? == task && between(other, "[", "]")? != state).then_some(())
            };
            let last_run = || {
                let command = between(one, "`", "` last ran at L")?;
                let at: u32 = between(one, "last ran at L", " ")?.parse().ok()?;
                let again = other.strip_prefix("- `")?.strip_prefix(command)?.rsplit_once(" L")?;
                (again.1.parse::<u32>().ok()? > at).then_some(())
            };
            let pushed = || (one.contains("no push seen") && other.contains("pushed")).then_some(());
            if [unchecked(), tasks(), last_run(), pushed()].iter().any(Option::is_some) {
                found.push((*one, *other));
            }
        }
    }
    found
}

/// The text between the first `start` and the `end` after it.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let rest = text.split_once(start)?.1;
    rest.split_once(end).map(|(inside, _)| inside)
}

#[test]
fn no_two_lines_of_the_samples_brief_contradict() {
    let env = TestEnv::new();
    let brief = env.run(BIN, &["try", "--sample", "--brief"]).success().stdout;
    assert!(brief.lines().filter(|line| line.starts_with("- ")).count() > 10, "{brief}");
    assert_eq!(contradictions(&brief), [], "{brief}");
    for lines in [
        "- a.rs was edited at L9; no build, test or check was seen since; the last was `make` at L2\n- `make` failed: no L11",
        "- [pending] #3 the lexer L2\n- [in progress] #3 the lexer L7",
        "- the record: \"`make` last ran at L2 and passed\" L5\n- `make` failed: no L11",
        "- 1 commit in this record, no push seen since\n- pushed to origin L9",
    ] {
        assert!(!contradictions(lines).is_empty(), "{lines}");
    }
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
    let with = |text: &str| {
        let is_it = |line: &&serde_json::Value| line["text"].as_str().is_some_and(|line| line.contains(text));
        lines.iter().find(is_it).expect("it is a line")
    };
    let asked = with("Never touch the lock file.\"");
    assert_eq!(
        (&asked["shown"], &asked["tier"], &asked["place"]),
        (&true.into(), &"beside".into(), &"L1".into())
    );
    assert!(asked.get("score").is_none(), "what is certain has no score: {asked}");
    let quoted = lines.iter().filter(|line| line["shown"] == true && line["tier"] == "reference");
    assert!(quoted.clone().all(|line| line["score"].is_f64()), "{lines:?}");
    assert!(quoted.clone().count() > 0 && quoted.clone().all(|line| line["place"].is_string()), "{lines:?}");
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
    assert!(text.contains("Asked by the user\n") && text.contains("latest request"), "{text}");
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
        (&["brief", "--transcript", missing], "there is no transcript /no/such/file.jsonl"),
        (&["brief", "--transcript", &path, "--at", "7"], "2 compactions, not 7: use 1 or 2"),
        (&["brief", "--transcript", empty], "holds no conversation"),
        (&["try", "--transcript", empty], "--sample"),
        (&["try", "--transcript", missing], "there is no transcript /no/such/file.jsonl"),
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

/// Said on the way, none of it in the summary. Brief, handoff, notes and replay have the same facts; the summariser, who
/// has the conversation, is told what is decided, open and failing.
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
    files::write(env.data().join("config.toml"), "guide.lines = 60\n");
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
        let said = if name == "guide" { &said[4..] } else { &said[..] };
        for words in said.iter().chain(&["error: no such cookie"]) {
            assert!(told.contains(words), "{words} is missing in the {name}:\n{told}");
        }
    }
}
