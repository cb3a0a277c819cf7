//! `index`, `search`, `recall`, `sessions` and what hooks keep for them.

use std::path::Path;
use std::time::Duration;

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript, files};
use serde_json::{Value, json};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");

fn a_session() -> Transcript {
    a_session_in(Path::new("/home/user/project"))
}

fn a_session_in(folder: &Path) -> Transcript {
    Transcript::new()
        .cwd(folder)
        .prompt("Add a parser for the config files. Never touch the lock file.")
        .says("I'll begin with the lexer.")
        .task_create("write the lexer")
        .edit("/home/user/project/src/lexer.rs", "fn old()", "fn fresh()")
        .bash("cargo test --test lexer")
        .fails("Exit code 101\nerror[E0308]: mismatched types")
        .compaction("auto", "The lexer is under way.")
        .bash("cargo test --test lexer")
        .ok("test result: ok. 3 passed")
        .says("The lexer passes.")
}

fn search(env: &TestEnv, words: &[&str]) -> Value {
    let all: Vec<&str> = ["search", "--json"].iter().chain(words).copied().collect();
    env.run(BIN, &all).success().json()
}

fn places(found: &Value) -> Vec<&str> {
    found["hits"].as_array().into_iter().flatten().filter_map(|hit| hit["place"].as_str()).collect()
}

#[test]
fn the_end_of_a_turn_makes_it_searchable() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = a_session_in(env.project());
    transcript.append_to(hooks.transcript_path());
    assert!(hooks.post_tool_batch(&[]).is_silent_success());
    assert!(!env.data().join("history.db").exists(), "a tick does not open the history");
    assert!(hooks.stop("The lexer passes.").is_silent_success());
    assert!(env.data().join("history.db").exists());
    let found = search(&env, &["E0308", "lexer"]);
    assert_eq!(found["hits"][0]["kind"], "command", "{found}");
    assert_eq!(found["hits"][0]["failed"], true);
    assert_eq!(found["hits"][0]["asked"]["place"], "L1");
    assert!(hooks.session_end("other").is_silent_success());
    let sessions = env.run(BIN, &["status", "--all", "--json"]).success().json();
    assert_eq!(sessions[0]["state"], "ended", "{sessions}");
    assert_eq!(sessions[0]["unfinished"], true, "its task is open: {sessions}");
    assert_eq!(sessions[0]["title"], "Add a parser for the config files. Never touch the lock file.");
    assert_eq!(sessions[0]["compactions"], 1);
}

#[test]
fn a_search_in_the_middle_of_a_turn_finds_what_was_just_said() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = Transcript::new().prompt("Look for the needle.");
    transcript.append_to(hooks.transcript_path());
    assert!(hooks.post_tool_batch(&[]).is_silent_success());
    assert_eq!(places(&search(&env, &["needle"])), ["L1"]);
}

/// The hooks of a compaction leave the history alone: a search or a recall right after it must not miss anything.
#[test]
fn nothing_is_missing_between_a_compaction_and_the_next_stop() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let beside = hooks.transcript_path().with_extension("").join("subagents/agent-a1b2.jsonl");
    let mut subagent = Transcript::new().as_subagent("a1b2").prompt("Do some needlework.");
    subagent.append_to(&beside);
    assert!(hooks.subagent_stop("a1b2", "done").is_silent_success());
    subagent.says("Every stitch counts.").append_to(&beside);
    let mut transcript = Transcript::new().cwd(env.project()).prompt("Weigh the kohlrabi.");
    let _ = hooks.compaction(&mut transcript, "auto", "Things were weighed.");
    let _ = env.run(BIN, &["note", "the scales are new"]).success();
    let recalled = env.run(BIN, &["recall", "note:1"]).success();
    assert!(recalled.stdout.contains("the scales are new"), "{recalled}");
    assert!(env.run(BIN, &["recall", "L1"]).success().stdout.contains("Weigh the kohlrabi."));
    assert_eq!(places(&search(&env, &["kohlrabi"])), ["L1"]);
    assert_eq!(places(&search(&env, &["stitch"])), ["L2"]);
    assert_eq!(files::read(env.data().join("hook.log")), "");
}

#[test]
fn a_search_in_a_busy_history_answers_with_what_is_there() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = a_session_in(env.project());
    transcript.append_to(hooks.transcript_path());
    assert!(hooks.stop("x").is_silent_success());
    let _ = hooks.compaction(&mut transcript.says("the needle"), "auto", "s");
    let database = rusqlite::Connection::open(env.data().join("history.db")).unwrap();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = std::time::Instant::now();
    let output = env.run(BIN, &["search", "E0308", "--json"]).success();
    assert!(begun.elapsed() < crate::hook::SOON);
    assert_eq!((places(&output.json()).len(), output.stderr.as_str()), (1, ""));
}

#[test]
fn index_takes_in_what_was_there_before_with_subagents_as_such() {
    let env = TestEnv::new();
    let path = env.transcript_path(SESSION);
    a_session_in(env.project()).write_to(&path);
    let beside = path.with_extension("").join("subagents/agent-a1b2.jsonl");
    Transcript::new().as_subagent("a1b2").prompt("Look into the needlework.").write_to(&beside);
    let done = env.run(BIN, &["index", "--json"]).success().json();
    assert_eq!((done["found"].as_u64(), done["transcripts"].as_u64()), (Some(2), Some(2)), "{done}");
    let again = env.run(BIN, &["index", "--json"]).success().json();
    assert_eq!(again["bytes"], 0, "only what is new is read: {again}");
    let found = search(&env, &["needlework"]);
    assert_eq!(found["hits"][0]["subagent"], "a1b2", "{found}");
    assert_eq!(found["hits"][0]["session"], SESSION);
    let sessions = env.run(BIN, &["status", "--all", "--json"]).success().json();
    assert_eq!(sessions.as_array().map(Vec::len), Some(1), "a subagent is no session: {sessions}");
    assert_eq!(sessions[0]["subagents"], 1);
    let recalled = env.run(BIN, &["recall", "L1", "--session", SESSION, "--subagent", "a1b2"]).success();
    assert!(recalled.stdout.contains("needlework"), "{recalled}");
}

#[test]
fn the_end_of_a_subagent_makes_its_work_searchable_and_what_it_writes_after_that_comes_later() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    a_session_in(env.project()).write_to(hooks.transcript_path());
    assert!(hooks.stop("x").is_silent_success());
    let beside = hooks.transcript_path().with_extension("").join("subagents/agent-a1b2.jsonl");
    let mut subagent = Transcript::new().as_subagent("a1b2").prompt("Do some needlework.");
    subagent.append_to(&beside);
    assert!(hooks.subagent_stop("a1b2", "done").is_silent_success());
    let found = search(&env, &["needlework"]);
    assert_eq!(found["hits"][0]["subagent"], "a1b2", "{found}");
    let listed = env.run(BIN, &["backup", "--list", "--json"]).success().json();
    assert_eq!((&listed[0]["subagent"], listed.as_array().map(Vec::len)), (&json!("a1b2"), Some(1)));
    let mut subagent = subagent.says("Every stitch counts.");
    subagent.append_to(&beside);
    assert!(hooks.session_end("other").is_silent_success());
    assert_eq!(places(&search(&env, &["stitch"])), ["L2"]);
    let listed = env.run(BIN, &["backup", "--list", "--json"]).success().json();
    assert_eq!((&listed[1]["subagent"], &listed[1]["lines"]), (&json!("a1b2"), &json!(2)), "{listed}");
    let before = contents(&env);
    let _ = env.run(BIN, &["index"]).success();
    assert_eq!(contents(&env), before, "`index` meets the same transcripts");
}

#[test]
fn a_note_is_found_where_it_was_written_and_recalled_by_its_number() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    a_session_in(env.project()).write_to(hooks.transcript_path());
    let _ = env.run(BIN, &["note", "--session", SESSION, "before everything: marzipan"]);
    assert!(hooks.stop("x").is_silent_success());
    let _ = env.run(BIN, &["note", "the staging vault is kohlrabi"]).success();
    let _ = env.run(BIN, &["note", "--state", "next=peel the kohlrabi"]).success();
    let history = || rusqlite::Connection::open(env.data().join("history.db")).unwrap();
    let kept = |sql: &str| history().query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(kept("SELECT count(*) FROM item WHERE kind = 9"), 2, "before any search");
    let found = search(&env, &["kohlrabi", "role:note"]);
    let mut handles = places(&found);
    handles.sort_unstable();
    assert_eq!(handles, ["note:1", "note:2"], "{found}");
    assert!(found["hits"].as_array().unwrap().iter().all(|hit| hit["author"] == "user"), "{found}");
    let recalled = env.run(BIN, &["recall", "note:1"]).success();
    assert!(
        recalled.stdout.contains("user's note")
            && recalled.stdout.contains("the staging vault is kohlrabi")
            && recalled.stderr.is_empty(),
        "{recalled}"
    );
    let state = env.run(BIN, &["recall", "note:2"]).success();
    assert!(state.stdout.contains("next") && state.stdout.contains("peel"), "{state}");
    assert!(!env.run(BIN, &["recall", "note:9"]).status.success());
    for _ in 0..2 {
        assert!(hooks.stop("x").is_silent_success());
        let _ = env.run(BIN, &["index"]).success();
    }
    assert_eq!(kept("SELECT count(*) FROM item WHERE kind = 9"), 2, "once, however often they are met");
    // The transcript is replaced: its items go, the notes come again.
    files::write(hooks.transcript_path(), Transcript::new().cwd(env.project()).prompt("Anew.").build());
    let _ = env.run(BIN, &["index"]).success();
    assert_eq!(places(&search(&env, &["staging"])), ["note:1"]);
}

#[test]
fn a_session_has_the_same_state_in_the_list_and_in_detail() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let same = |expected: &str| {
        let listed = env.run(BIN, &["status", "--all"]).success().stdout;
        let detailed = env.run(BIN, &["status", "--json"]).success().json()[0]["state"].clone();
        assert!(listed.split_whitespace().any(|word| word == expected), "{listed}");
        assert_eq!(detailed, json!(expected));
    };
    let mut transcript = Transcript::new().cwd(env.project()).prompt("Add a parser.").bash("make").ok("fine");
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.session_start("startup");
    assert!(hooks.post_tool_batch(&[]).is_silent_success());
    same("working");
    env.wait(Duration::from_secs(11 * 60));
    same("silent");
    let mut transcript = transcript.says("Done. Shall I commit?");
    transcript.append_to(hooks.transcript_path());
    assert!(hooks.stop("x").is_silent_success());
    same("waiting");
    let mut transcript = transcript.prompt("Yes.").says("I begin").interrupt();
    transcript.append_to(hooks.transcript_path());
    assert!(hooks.stop("x").is_silent_success());
    same("interrupted");
    assert!(hooks.session_end("other").is_silent_success());
    same("ended");
}

/// Killed twice while it writes, then run to the end: the same history as one run gives.
#[cfg(unix)]
#[test]
fn a_killed_index_goes_on_without_losing_or_doubling_anything() {
    use std::os::unix::process::ExitStatusExt;
    let env = TestEnv::new();
    let folder = env.root().join("transcripts");
    for n in 0..40 {
        let mut transcript = Transcript::new().session(&id(n)).prompt(&format!("session {n}"));
        for round in 0..120 {
            transcript = transcript.says(&format!("round{round}")).bash("make").ok(&"output ".repeat(300));
        }
        transcript.write_to(folder.join(format!("{}.jsonl", id(n))));
    }
    let whole = TestEnv::new();
    let folder = folder.to_str().unwrap();
    let _ = whole.run(BIN, &["index", folder]).success();
    let all = contents(&whole).len();
    assert_eq!(all, 40 * (1 + 120 * 2));
    let written = || {
        let database = rusqlite::Connection::open(env.data().join("history.db")).ok()?;
        database.query_row("SELECT count(*) FROM item", [], |row| row.get::<_, i64>(0)).ok()
    };
    let mut before = 0;
    for _ in 0..2 {
        let mut child = env.command(BIN).args(["index", folder]).spawn().unwrap();
        while !env.data().join("history.db").exists() || written().is_none_or(|now| now <= before) {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it wrote");
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = child.kill();
        assert_eq!(child.wait().unwrap().signal(), Some(9), "killed while it wrote");
        let after = contents(&env).len();
        assert!(after > before as usize && after < all, "{before} < {after} < {all}: work is left");
        before = after as i64;
    }
    let _ = env.run(BIN, &["index", folder]).success();
    assert_eq!(contents(&env), contents(&whole));
}

fn id(n: usize) -> String {
    format!("{n:08}-0000-4000-8000-000000000000")
}

/// Every item, and how many of the index's rows there are for it.
fn contents(env: &TestEnv) -> Vec<(String, u32, u32, u32)> {
    let database = rusqlite::Connection::open(env.data().join("history.db")).unwrap();
    let sound: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    let sql = "SELECT session, item.line, part, (SELECT count(*) FROM words_docsize WHERE id = item.no)
        FROM item JOIN source ON source.no = item.source ORDER BY session, item.line, part";
    let mut statement = database.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)));
    rows.unwrap().map(Result::unwrap).collect()
}

#[test]
fn hooks_and_index_at_once_record_every_row_once() {
    let env = TestEnv::new();
    let sessions: Vec<String> = (0..3).map(id).collect();
    std::thread::scope(|scope| {
        for session in &sessions {
            let env = &env;
            scope.spawn(move || {
                let hooks = HookPlayer::new(env, BIN, session);
                let mut transcript = Transcript::new().session(session).prompt("Count.");
                for round in 0..15 {
                    transcript = transcript.says(&format!("round {round}")).bash("make").ok("fine");
                    transcript.append_to(hooks.transcript_path());
                    assert!(hooks.stop("Next.").is_silent_success());
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..8 {
                    let _ = env.run(BIN, &["index"]).success();
                }
            });
        }
    });
    let _ = env.run(BIN, &["index"]).success();
    let contents = contents(&env);
    assert_eq!(contents.len(), 3 * (1 + 15 * 2));
    assert!(contents.iter().all(|(.., words)| *words == 1));
    assert_eq!(files::read(env.data().join("hook.log")), "", "no hook had anything to report");
}

#[test]
fn secrets_reach_no_byte_of_the_history() {
    let env = TestEnv::new();
    let secrets = [
        ["ghp", "x7Kd92LmQp4RtVw8YbNc3FhJs6ZaGe1Uo5Ti"].join("_"),
        ["sk-ant", "api03-Zq8Rw2Lk5Tn9Xc4Vb7Mp1Hd6Gf3Js0Ya-Qe2Uo8Ik"].join("-"),
        ["AKIA", "Q3EGRZ5TYH7WJ2KX"].concat(),
    ];
    let [github, anthropic, aws] = &secrets;
    Transcript::new()
        .prompt(&format!("Use {github} to push."))
        .bash(&format!("curl -H 'x-api-key: {anthropic}' https://example.com"))
        .fails(&format!("403 for {aws}\n{}", "more output ".repeat(50)))
        .edit("/home/user/project/.env", "A=1", &format!("GITHUB_TOKEN={github}"))
        .compaction("auto", &format!("The token is {github}."))
        .write_to(env.transcript_path(SESSION));
    let _ = env.run(BIN, &["index"]).success();
    for entry in std::fs::read_dir(env.data()).unwrap().flatten() {
        let bytes = std::fs::read(entry.path()).unwrap();
        for secret in &secrets {
            // The index cuts words at `_` and `-`, so its longest part is looked for in any case.
            let tail = secret.rsplit(['_', '-']).next().unwrap().to_lowercase();
            let text = String::from_utf8_lossy(&bytes).to_lowercase();
            assert!(!text.contains(&tail), "{}: {tail}", entry.path().display());
        }
    }
    let printed = env.run(BIN, &["recall", "L1-L9", "--session", SESSION, "--full"]).success();
    let found = env.run(BIN, &["search", "token", "--json"]).success();
    for secret in &secrets {
        assert!(!printed.stdout.contains(secret) && !found.stdout.contains(secret));
    }
    assert!(printed.stdout.contains("[masked: "), "{printed}");
    let raw = env.run(BIN, &["recall", "L1", "--session", SESSION, "--raw"]).success();
    assert!(raw.stdout.contains(github), "raw is the person's own file");
}

#[cfg(unix)]
#[test]
fn the_history_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    a_session().write_to(env.transcript_path(SESSION));
    let _ = env.run(BIN, &["index"]).success();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(env.data()), 0o700);
    for entry in std::fs::read_dir(env.data()).unwrap().flatten() {
        assert_eq!(mode(&entry.path()), 0o600, "{}", entry.path().display());
    }
}

#[test]
fn any_query_is_answered_and_nothing_found_comes_with_help() {
    let env = TestEnv::new();
    a_session().write_to(env.transcript_path(SESSION));
    let _ = env.run(BIN, &["index"]).success();
    for odd in ["\"a", "AND", "a:b:c", "NEAR(", "foo* OR \"", "file:\"", "}{^x", "'; DROP TABLE item; --"] {
        let output = env.run(BIN, &["search", odd]);
        assert!(
            matches!(output.status.code(), Some(0 | 1)) && !output.stderr.contains("error:"),
            "{odd}: {output}"
        );
    }
    let help = env.run(BIN, &["search", "lexre", "since:1h"]);
    assert_eq!((help.status.code(), help.stdout.as_str()), (Some(1), ""));
    assert!(help.stderr.contains("lexer") && help.stderr.contains("To widen the search"), "{help}");
    let filtered = env.run(BIN, &["search", "lexer", "project:nowhere"]);
    assert!(
        filtered.status.code() == Some(1) && filtered.stderr.contains("Without the filters"),
        "{filtered}"
    );
    for wordless in ["&&", "\"", "* :", "}{^"] {
        let output = env.run(BIN, &["search", wordless]);
        assert!(!output.status.success() && output.stderr.contains("no word"), "{output}");
    }
}

#[test]
fn a_question_is_answered_with_the_best_partial_matches_and_says_so() {
    let env = TestEnv::new();
    a_session().write_to(env.transcript_path(SESSION));
    let _ = env.run(BIN, &["index"]).success();
    let asked = "which files did I forbid you to touch in the beginning?";
    let output = env.run(BIN, &["search", asked]).success();
    assert!(output.stderr.contains("No passage has all of these words. Best partial matches"), "{output}");
    assert!(output.stdout.contains("11111111:L1 ") && output.stdout.contains("lock file"), "{output}");
    let found = search(&env, &[asked]);
    assert_eq!(
        (&found["hits"][0]["tier"], &found["hits"][0]["number"]),
        (&json!("partial"), &json!(1)),
        "{found}"
    );
    assert_eq!(search(&env, &["lexer"])["hits"][0]["tier"], "all");
}

#[test]
fn a_hit_is_opened_by_its_address_and_by_its_number() {
    let env = TestEnv::new();
    let path = env.transcript_path(SESSION);
    a_session().write_to(&path);
    let beside = path.with_extension("").join("subagents/agent-a1b2.jsonl");
    Transcript::new()
        .as_subagent("a1b2")
        .prompt("Look into the needlework.")
        .says("Knitted.")
        .write_to(&beside);
    let _ = env.run(BIN, &["index"]).success();
    for (words, expected) in
        [(&["E0308"][..], "error[E0308]"), (&["how", "was", "it", "knitting"], "Knitted.")]
    {
        let found = search(&env, words);
        let address = found["hits"][0]["address"].as_str().unwrap().to_owned();
        let recalled = env.run(BIN, &["recall", &address]).success();
        assert!(recalled.stdout.contains(expected), "{address}: {recalled}");
        let shown = env.run(BIN, &[&["search"][..], words].concat()).success();
        assert!(shown.stderr.replace('\n', " ").contains(&format!("recall {address}")), "{shown}");
        let opened = env.run(BIN, &[&["search", "--open", "1"][..], words].concat()).success();
        assert_eq!(opened.stdout, recalled.stdout);
    }
    assert_eq!(search(&env, &["knitted"])["hits"][0]["address"], "11111111/a1b2:L2");
    let none = env.run(BIN, &["search", "--open", "9", "E0308"]);
    assert!(!none.status.success() && none.stderr.contains("there is 1 hit"), "{none}");
    let twice = env.run(BIN, &["recall", "11111111:L1", "--session", "11111111"]);
    assert!(!twice.status.success() && twice.stderr.contains("already names its session"), "{twice}");
}

#[test]
fn without_a_history_search_says_what_to_do() {
    let output = TestEnv::new().run(BIN, &["search", "x"]);
    assert!(!output.status.success() && output.stderr.contains("catchword index"), "{output}");
}

#[test]
fn a_damaged_history_is_set_aside_and_rebuilt_by_the_command_that_meets_it() {
    let env = TestEnv::new();
    a_session().write_to(env.transcript_path(SESSION));
    files::write(env.data().join("history.db"), "no database at all, and long enough to be taken for one");
    let output = env.run(BIN, &["search", "lexer"]).success();
    assert!(output.stderr.contains("history.db is damaged") && !output.stdout.is_empty(), "{output}");
    assert!(!places(&search(&env, &["lexer"])).is_empty());
}

#[test]
fn hits_fit_the_terminal_and_carry_no_escapes() {
    let env = TestEnv::new();
    let evil = format!("needle \u{1b}]0;pwned\u{7}\u{1b}[2J {} tail", "x".repeat(300));
    Transcript::new().prompt(&evil).bash("echo needle").ok(&evil).write_to(env.transcript_path(SESSION));
    let _ = env.run(BIN, &["index"]).success();
    for args in [&["search", "needle"][..], &["recall", "L1-L3", "--session", SESSION], &["status", "--all"]]
    {
        let output = env.run(BIN, args).success();
        assert!(!output.stdout.contains(['\u{1b}', '\u{7}']), "{output}");
        let fits = |line: &str| line.chars().count() <= 80;
        assert!(args[0] == "recall" || output.stdout.lines().all(fits), "{output}");
    }
}

#[test]
fn what_search_prints_reads_like_this() {
    let env = TestEnv::new();
    a_session().write_to(env.transcript_path(SESSION));
    let _ = env.run(BIN, &["index"]).success();
    let output = env.run(BIN, &["search", "lexer", "--limit", "3"]).success();
    insta::assert_snapshot!(format!("{}---\n{}", output.stdout, output.stderr));
    let output = env.run(BIN, &["recall", "L6-L9", "--session", SESSION]).success();
    insta::assert_snapshot!("what_recall_prints_reads_like_this", output.stdout);
    let output = env.run(BIN, &["status", "--all"]).success();
    insta::assert_snapshot!("what_sessions_prints_reads_like_this", output.stdout);
}

/// A failing test that a change fixes, and a decision about the changed file.
fn a_fixed_session() -> Transcript {
    Transcript::new()
        .cwd("/home/user/project")
        .prompt("Add a parser for the config files. Never touch the lock file.")
        .read("/home/user/project/src/lexer.rs")
        .edit("/home/user/project/src/lexer.rs", "fn old()", "fn fresh()")
        .bash("cargo test --test lexer")
        .fails("Exit code 101\nerror[E0308]: mismatched types\n --> src/lexer.rs:12:9")
        .says("Decided to keep src/lexer.rs free of serde because the parser has to build without it.")
        .bash("rustc --explain E0308")
        .ok("Expected type did not match the received type.")
        .edit("/home/user/project/src/lexer.rs", "u32", "usize")
        .bash("cargo test --test lexer")
        .ok("test result: ok. 3 passed")
        .says("The position was a u32, and every caller has a usize.")
        .prompt("Rename the tokens.")
        .edit("/home/user/project/src/lexer.rs", "Tok", "Token")
}

#[test]
fn what_was_done_about_a_file_reads_like_this() {
    let env = TestEnv::new();
    a_fixed_session().write_to(env.transcript_path(SESSION));
    let _ = env.run(BIN, &["index"]).success();
    let output = env.run(BIN, &["search", "--file", "src/lexer.rs"]).success();
    insta::assert_snapshot!(format!("{}---\n{}", output.stdout, output.stderr));
    assert!(output.stdout.lines().all(|line| line.chars().count() <= 80), "{output}");
    let found = env.run(BIN, &["search", "--file", "src/lexer.rs", "--json"]).success().json();
    let work = &found["transcripts"][0];
    assert_eq!((&work["reads"], work["changes"].as_array().map(Vec::len)), (&json!(1), Some(3)), "{found}");
    let address = work["changes"][1].as_str().unwrap();
    assert!(env.run(BIN, &["recall", address]).success().stdout.contains("usize"));
    let nothing = env.run(BIN, &["search", "--file", "src/parser.rs"]);
    assert_eq!((nothing.status.code(), nothing.stdout.as_str()), (Some(1), ""), "{nothing}");
    assert!(nothing.stderr.contains("To widen it"), "{nothing}");
    let filtered = env.run(BIN, &["search", "--file", "src/lexer.rs", "project:nowhere"]);
    assert_eq!(filtered.status.code(), Some(1), "{filtered}");
    let nameless = env.run(BIN, &["search", "--file", "since:2d"]);
    assert!(!nameless.status.success() && nameless.stderr.contains("name the file"), "{nameless}");
}

#[test]
fn what_fixed_an_error_reads_like_this() {
    let env = TestEnv::new();
    a_fixed_session().write_to(env.transcript_path(SESSION));
    let _ = env.run(BIN, &["index"]).success();
    let output = env.run(BIN, &["search", "--fix", "E0308", "mismatched"]).success();
    insta::assert_snapshot!(format!("{}---\n{}", output.stdout, output.stderr));
    assert!(output.stdout.lines().all(|line| line.chars().count() <= 80), "{output}");
    let found = env.run(BIN, &["search", "--fix", "E0308", "--json"]).success().json();
    let passed = found["fixes"][0]["passed"]["address"].as_str().unwrap();
    assert!(env.run(BIN, &["recall", passed]).success().stdout.contains("3 passed"), "{found}");
    let nothing = env.run(BIN, &["search", "--fix", "E0499"]);
    assert_eq!((nothing.status.code(), nothing.stdout.as_str()), (Some(1), ""), "{nothing}");
    assert!(
        nothing.stderr.contains("No failed call has these words. `catchword search E0499` looks"),
        "{nothing}"
    );
    let similar = env.run(BIN, &["search", "--fix", "mismatched", "types", "expected"]).success();
    assert!(similar.stderr.starts_with("No failed call has all of these words. Similar errors"), "{similar}");
}

#[test]
fn a_search_that_is_not_understood_is_an_error() {
    let env = TestEnv::new();
    a_session_in(env.project()).write_to(env.transcript_path(SESSION));
    let _ = env.run(BIN, &["index"]).success();
    for (words, expected) in [
        (
            ["lexer", "since:2026-13-45"],
            "`2026-13-45` isn't a valid time: use 2d, 3h, 2026-11-01 or yesterday",
        ),
        (["lexer", "roll:user"], "`roll:` isn't a filter; did you mean `role:`?"),
        (["lexer", "role:boss"], "`boss` isn't a role: use user, agent, tool, summary or note"),
    ] {
        let output = env.run(BIN, &[&["search"], &words[..]].concat());
        assert_eq!((output.code(), output.stdout.as_str()), (Some(1), ""), "{output}");
        assert!(output.stderr.contains(expected), "{output}");
    }
    let sentence = env.run(BIN, &["search", "why was the lexer passing?"]).success();
    assert!(!sentence.stderr.contains("No passage has all"), "`why was the` does not count: {sentence}");
    let partial = env.run(BIN, &["search", "lexer", "kohlrabi"]).success();
    assert!(partial.stderr.contains("No passage has all of these words."), "{partial}");
}

#[test]
fn recall_says_what_a_place_is() {
    let env = TestEnv::new();
    a_session_in(env.project()).write_to(env.transcript_path(SESSION));
    let _ = env.run(BIN, &["index"]).success();
    let said = |place: &str| {
        let output = env.run(BIN, &["recall", place]);
        assert!(!output.status.success() && output.stdout.is_empty(), "{output}");
        output.stderr.replace('\n', " ")
    };
    let session = said("11111111");
    assert!(
        session.contains("11111111 is a session: add a place (`catchword recall 11111111:L12`)"),
        "{session}"
    );
    let line = said("L999");
    assert!(
        line.contains("there is no L999: the transcript ends at L") && line.contains("`catchword search`"),
        "{line}"
    );
}

#[test]
fn fixes_and_files_show_hostile_text_as_text() {
    let env = TestEnv::new();
    let evil = format!("needle \u{1b}]0;pwned\u{7}\u{1b}[2J {} tail", "x".repeat(300));
    Transcript::new()
        .prompt(&format!("About needle.rs: {evil}"))
        .edit("/home/user/project/needle.rs", "a", &evil)
        .bash(&format!("make {evil}"))
        .fails(&evil)
        .bash(&format!("make {evil}"))
        .ok("fine")
        .write_to(env.transcript_path(SESSION));
    let _ = env.run(BIN, &["index"]).success();
    for args in [["search", "--fix", "needle"], ["search", "--file", "needle.rs"]] {
        let output = env.run(BIN, &args).success();
        assert!(!output.stdout.contains(['\u{1b}', '\u{7}']), "{output}");
        assert!(output.stdout.lines().all(|line| line.chars().count() <= 80), "{output}");
    }
}

#[test]
fn recall_works_from_the_history_when_the_transcript_is_gone_and_says_so() {
    let env = TestEnv::new();
    let path = env.transcript_path(SESSION);
    a_session_in(env.project()).write_to(&path);
    let _ = env.run(BIN, &["index"]).success();
    std::fs::remove_file(&path).unwrap();
    for (place, expected) in
        [("L7", "error[E0308]"), ("src/lexer.rs", "fn fresh()"), ("compaction:1", "The lexer is under way.")]
    {
        let output = env.run(BIN, &["recall", place]).success();
        assert!(output.stdout.contains(expected), "{place}: {output}");
        assert!(output.stderr.contains("is gone"), "{output}");
    }
    let sessions = env.run(BIN, &["status", "--all"]).success();
    assert!(sessions.stdout.contains("transcript gone"), "{sessions}");
    let raw = env.run(BIN, &["recall", "L7", "--raw"]);
    assert!(!raw.status.success(), "{raw}");
}

#[test]
fn a_place_out_of_the_brief_is_a_place_to_recall() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = Transcript::new()
        .cwd(env.project())
        .prompt("Never touch the lock file. Make the tests pass.")
        .bash("cargo test --test grammar")
        .fails("error: the grammar is ambiguous");
    transcript.append_to(hooks.transcript_path());
    let brief = hooks.compaction(&mut transcript, "auto", "Things were done.").brief().expect("a brief");
    let line = brief.lines().find(|line| line.contains("lock file")).expect("the rule is in it");
    let place = line.split_whitespace().rev().find(|word| word.starts_with('L')).expect("with its place");
    let output = env.run(BIN, &["recall", place]).success();
    assert!(output.stdout.contains("Never touch the lock file."), "{place}: {output}");
    let given = env.run(BIN, &["recall", "compaction:1", "--json"]).success().json();
    let what: Vec<&str> =
        given["pieces"].as_array().unwrap().iter().filter_map(|piece| piece["what"].as_str()).collect();
    assert!(what.contains(&"user") && what.contains(&"summary"), "{what:?}");
}

#[test]
fn long_texts_are_cut_with_a_way_to_the_rest() {
    let env = TestEnv::new();
    let output = format!("first {} middle {} last", "a".repeat(3_000), "b".repeat(3_000));
    let path = env.root().join("t.jsonl");
    Transcript::new().bash("print").ok(&output).write_to(&path);
    let recall = |args: &[&str]| {
        let all: Vec<&str> =
            ["recall", "L1", "--transcript", path.to_str().unwrap()].iter().chain(args).copied().collect();
        env.run(BIN, &all).success().stdout
    };
    let cut = recall(&[]);
    assert!(cut.contains("first") && cut.contains("last") && !cut.contains("middle"), "{cut}");
    assert!(cut.contains("--from 1500"), "{cut}");
    assert!(recall(&["--full"]).contains("middle"));
    assert!(recall(&["--from", "3000"]).contains("middle"));
}

#[test]
fn sessions_are_filtered_by_project_and_time() {
    let env = TestEnv::new();
    for (n, cwd) in ["/home/user/app", "/home/user/library"].into_iter().enumerate() {
        Transcript::new()
            .session(&id(n))
            .cwd(cwd)
            .prompt(&format!("request {n}"))
            .write_to(env.transcript_path(&id(n)));
    }
    let _ = env.run(BIN, &["index"]).success();
    let count = |args: &[&str]| {
        let all: Vec<&str> = ["status", "--json"].iter().chain(args).copied().collect();
        env.run(BIN, &all).success().json().as_array().map_or(0, Vec::len)
    };
    assert_eq!(count(&[]), 0, "neither is of this folder");
    assert_eq!(count(&["--all"]), 2);
    assert_eq!(count(&["--project", "libr"]), 1);
    assert_eq!(count(&["--all", "--since", "2d"]), 2);
    assert_eq!(count(&["--all", "--since", "1h"]), 0);
    assert!(!env.run(BIN, &["status", "--all", "--since", "whenever"]).status.success());
}

#[test]
fn a_busy_history_does_not_disturb_a_hook() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = a_session();
    transcript.append_to(hooks.transcript_path());
    assert!(hooks.stop("x").is_silent_success());
    let database = rusqlite::Connection::open(env.data().join("history.db")).unwrap();
    database.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let mut more = std::mem::take(&mut transcript).says("the needle");
    more.append_to(hooks.transcript_path());
    assert!(hooks.event("Stop", json!({"stop_hook_active": false})).is_silent_success());
    database.execute_batch("ROLLBACK").unwrap();
    drop(database);
    assert!(hooks.stop("x").is_silent_success());
    assert_eq!(places(&search(&env, &["needle"])).len(), 1);
    assert_eq!(files::read(env.data().join("hook.log")), "");
}

/// Wherever a page of the history is bad: `doctor` says so, and whoever needs it sets the file aside and reads the
/// transcripts again.
#[test]
fn any_bad_page_of_the_history_is_seen_and_mended() {
    const PAGE: usize = 4096;
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = Transcript::new().cwd(env.project());
    for n in 0..200 {
        transcript =
            transcript.prompt(&format!("Weigh marzipan number{n} and almond{}", n * 7)).says("Weighed.");
    }
    transcript.append_to(hooks.transcript_path());
    let _ = env.run(BIN, &["index"]).success();
    let path = env.data().join("history.db");
    let sound = std::fs::read(&path).unwrap();
    assert!(sound.len() / PAGE > 15, "{} pages", sound.len() / PAGE);
    let aside = || {
        let names = std::fs::read_dir(env.data()).unwrap().flatten().map(|entry| entry.path());
        names.filter(|path| path.to_string_lossy().contains("history.db.set-aside")).collect::<Vec<_>>()
    };
    let mut mended = 0;
    for page in 0..sound.len() / PAGE {
        let fresh = || {
            for old in aside() {
                std::fs::remove_file(old).unwrap();
            }
            for end in ["-wal", "-shm"] {
                let _ = std::fs::remove_file(env.data().join(format!("history.db{end}")));
            }
            let mut damaged = sound.clone();
            damaged[page * PAGE..(page + 1) * PAGE].fill(0xa5);
            files::write(&path, damaged);
        };
        fresh();
        let told = env.run(BIN, &["doctor", "--json"]).json();
        let checks = told["checks"].as_array().unwrap();
        let seen = checks.iter().any(|check| check["id"] == "history" && check["state"] == "failed");
        let found = env.run(BIN, &["search", "number159", "--json"]);
        assert!(found.status.success(), "page {page}: {found}");
        let hits = found.json()["hits"].as_array().map_or(0, Vec::len);
        assert!(hits > 0, "page {page}: {found}");
        assert!(seen || aside().is_empty(), "page {page}: doctor does not see it");
        if !seen {
            continue;
        }
        mended += 1;
        fresh();
        let indexed = env.run(BIN, &["index"]).success();
        assert!(!indexed.stdout.contains("Nothing new"), "page {page}: {indexed}");
        assert_eq!(aside().len(), 1, "page {page}: the old file is kept");
        let found = env.run(BIN, &["search", "number159", "--json"]).success().json();
        assert!(found["hits"].as_array().is_some_and(|hits| !hits.is_empty()), "page {page}: {found}");
    }
    assert!(mended > 10, "{mended}");
}
