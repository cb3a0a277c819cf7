//! Handoffs: the command, the documents that hooks write, and that a kill at any moment leaves no half document.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript, files};
use serde_json::json;

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const MARK: &str = "<!-- catchword handoff of session ";
const END: &str = "<!-- end of the handoff -->\n";

fn a_session(env: &TestEnv) -> Transcript {
    Transcript::new()
        .cwd(env.project())
        .prompt("Add a parser. Never touch the lock file.")
        .task_create("write the parser")
        .bash("cargo test")
        .fails("Exit code 101\nerror: expected `;`")
}

/// The default path of the session's handoff.
fn document(env: &TestEnv) -> PathBuf {
    env.data().join("handoffs").join(format!("HANDOFF-{SESSION}.md"))
}

fn set(env: &TestEnv, config: &str) {
    files::write(env.data().join("config.toml"), config);
}

#[track_caller]
fn assert_whole(text: &str) {
    assert!(text.starts_with(MARK) && text.ends_with(END), "not whole: {text:?}");
}

#[test]
fn session_end_writes_a_private_handoff() {
    let env = TestEnv::new();
    a_session(&env).write_to(env.transcript_path(SESSION));
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    assert!(hooks.session_end("prompt_input_exit").is_silent_success());
    let text = files::read(document(&env));
    assert_whole(&text);
    for needed in [
        "## Goal",
        "Add a parser",
        "Never touch the lock file",
        "write the parser",
        "cargo test",
        "CONTINUE BY",
    ] {
        assert!(text.contains(needed), "{needed} is missing in\n{text}");
    }
    assert!(text.contains(&format!("`claude --resume {SESSION}`")), "{text}");
    let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(document(&env)), mode(env.data().join("handoffs"))), (0o600, 0o700));
}

#[test]
fn compaction_writes_a_handoff_and_the_end_replaces_it() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = a_session(&env);
    let _ = hooks.compaction(&mut transcript, "auto", "1. A parser.");
    assert!(files::read(document(&env)).contains("at a compaction"));
    transcript = transcript.task_update(1, "completed").says("All done.");
    transcript.append_to(env.transcript_path(SESSION));
    assert!(hooks.session_end("other").is_silent_success());
    let text = files::read(document(&env));
    assert_whole(&text);
    assert!(
        text.contains("at the end of the session")
            && text.contains("[completed in the task list] \"write the parser\""),
        "{text}"
    );
}

/// Two steps, the second of which leaves a quarter before the compaction; returns the output of the hook after each.
fn up_to_a_threshold(env: &TestEnv) -> [bool; 2] {
    let hooks = HookPlayer::new(env, BIN, SESSION).with_var("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "200000");
    let mut transcript = a_session(env);
    [60_000, 125_000].map(|tokens| {
        transcript = std::mem::take(&mut transcript).usage(tokens).bash("ls").ok("src");
        transcript.append_to(env.transcript_path(SESSION));
        hooks.post_tool_batch(&[]).success().stdout.contains("until compaction; state is saved")
    })
}

#[test]
fn threshold_with_a_warning_writes_a_handoff() {
    let env = TestEnv::new();
    assert_eq!(up_to_a_threshold(&env), [false, true]);
    let text = files::read(document(&env));
    assert_whole(&text);
    assert!(text.contains("before a compaction") && text.contains("write the parser"), "{text}");
    let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(document(&env)), mode(env.data().join("handoffs"))), (0o600, 0o700));
}

#[test]
fn threshold_without_a_warning_writes_no_handoff() {
    for (config, is_told) in [("handoff.on = false\n", true), ("checkpoints.left = []\n", false)] {
        let env = TestEnv::new();
        set(&env, config);
        assert_eq!(up_to_a_threshold(&env), [false, is_told], "{config}");
        assert!(!document(&env).exists(), "{config}");
    }
}

/// Whether work is left may stand in the agent's words alone, in any language.
#[test]
fn headless_run_that_did_work_leaves_its_last_words() {
    for (calls, is_written) in [(true, true), (false, false)] {
        let env = TestEnv::new();
        let transcript = Transcript::new().cwd(env.project()).prompt("Write importer and exporter.");
        let transcript =
            if calls { transcript.write("/p/importer.py") } else { transcript.read("/p/importer.py") };
        transcript.says("Exporter fehlt noch.").write_to(env.transcript_path(SESSION));
        let hooks = HookPlayer::new(&env, BIN, SESSION).held_by(4_000_000_001, false);
        let _ = hooks.stop("Exporter fehlt noch.").success();
        let _ = hooks.session_end("other").success();
        let path = env.data().join(format!("handoffs/HANDOFF-{SESSION}.md"));
        assert_eq!(path.exists(), is_written, "work: {calls}");
        if is_written {
            let document = files::read(path);
            assert!(document.contains("its last words: \"Exporter fehlt noch.\""), "{document}");
        }
    }
}

#[test]
fn session_without_a_request_writes_no_handoff() {
    let env = TestEnv::new();
    Transcript::new().cwd(env.project()).prompt("hi").says("Hello.").write_to(env.transcript_path(SESSION));
    assert!(HookPlayer::new(&env, BIN, SESSION).session_end("other").is_silent_success());
    assert!(!document(&env).exists());
}

#[test]
fn unattended_run_writes_a_handoff_only_if_it_did_work_or_left_some() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION).held_by(4_000_000_001, false);
    let looked = Transcript::new().cwd(env.project()).prompt("What is in a.rs?").read("/p/a.rs");
    let mut transcript = looked.says("A parser.");
    transcript.append_to(env.transcript_path(SESSION));
    assert!(hooks.session_end("other").is_silent_success());
    assert!(!document(&env).exists());
    transcript = transcript.task_create("write the docs").says("Later.");
    transcript.append_to(env.transcript_path(SESSION));
    assert!(hooks.session_end("other").is_silent_success());
    assert_whole(&files::read(document(&env)));
}

#[test]
fn subagent_writes_no_handoff() {
    let env = TestEnv::new();
    a_session(&env).write_to(env.transcript_path(SESSION));
    let inside = HookPlayer::new(&env, BIN, SESSION).inside_subagent("a1");
    assert!(inside.post_compact("auto", "s").is_silent_success());
    assert!(inside.session_end("other").is_silent_success());
    assert!(!document(&env).exists());
    // Outside it the same session does.
    assert!(HookPlayer::new(&env, BIN, SESSION).session_end("other").is_silent_success());
    assert!(document(&env).exists());
}

#[test]
fn setting_moves_handoffs_into_the_project_or_switches_them_off() {
    let env = TestEnv::new();
    a_session(&env).write_to(env.transcript_path(SESSION));
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    set(&env, "handoff.on = false\n");
    assert!(hooks.session_end("other").is_silent_success());
    assert!(!document(&env).exists());
    set(&env, "[handoff]\ndir = \"notes\"\n");
    std::fs::create_dir_all(env.project().join(".git")).unwrap();
    std::fs::create_dir_all(env.project().join("src/deep")).unwrap();
    assert!(hooks.in_folder(env.project().join("src/deep")).session_end("other").is_silent_success());
    let path = env.project().join(format!("notes/HANDOFF-{SESSION}.md"));
    assert_whole(&files::read(&path));
    // Files that somebody else wrote are not replaced, and the hook only logs it.
    files::write(&path, "mine\n");
    assert!(hooks.session_end("other").is_silent_success());
    assert_eq!(files::read(&path), "mine\n");
    assert!(files::read(env.data().join("hook.log")).contains("was not written by catchword"));
    assert!(!document(&env).exists());
}

#[test]
fn the_short_form_has_the_four_words_in_few_tokens() {
    for long in [
        "with its tests, its manual and a line for each of its options",
        &"连同它的测试和手册以及说明".repeat(9),
    ] {
        let env = TestEnv::new();
        let path = env.transcript_path(SESSION);
        let rules = (0..40).fold(a_session(&env), |t, n| {
            t.prompt(&format!(
                "Split part {n} because billing needs separate logs. Never touch table {n}: {long}."
            ))
            .task_create(&format!("split part {n}, {long}"))
            .says(&format!("I decided to use one file for part {n}, {long}."))
        });
        rules.write_to(&path);
        let handoff = |more: &[&str]| {
            let args = [&["handoff", "--transcript", path.to_str().unwrap()], more].concat();
            env.run(BIN, &args).success().stdout
        };
        let short = handoff(&["--short"]);
        assert_whole(&short);
        for word in ["- WHY: ", "- WHAT: ", "- HOW: ", "- CONTINUE BY: "] {
            assert!(short.contains(word), "{word} is missing in\n{short}");
        }
        assert!(short.len() <= 1_950, "at most 650 tokens: {}", short.len());
        let whole = handoff(&[]);
        assert!(
            whole.contains("because billing needs separate logs") && whole.contains("\n## WHY\n"),
            "{whole}"
        );
    }
}

#[test]
fn handoff_command_prints_or_writes_the_document() {
    let env = TestEnv::new();
    let path = env.transcript_path(SESSION);
    a_session(&env).write_to(&path);
    let missing = env.run(BIN, &["handoff"]);
    assert!(!missing.status.success() && missing.stderr.contains("--transcript"), "{missing}");
    let transcript = path.to_str().unwrap();
    let printed = env.run(BIN, &["handoff", "--transcript", transcript]).success().stdout;
    assert_whole(&printed);
    assert!(HookPlayer::new(&env, BIN, SESSION).stop("Hm.").is_silent_success());
    assert!(!document(&env).exists());

    let said = env.run(BIN, &["handoff", "--write"]).success();
    assert!(said.stdout.is_empty() && said.stderr.contains("HANDOFF-"), "{said}");
    assert_whole(&files::read(document(&env)));
    let _ = env.run(BIN, &["handoff", &SESSION[..8], "--write", "out.md"]).success();
    assert_whole(&files::read(env.project().join("out.md")));
    files::write(env.project().join("mine.md"), "mine\n");
    let refused = env.run(BIN, &["handoff", "--write", "mine.md"]);
    assert!(!refused.status.success() && refused.stderr.contains("left as it is"), "{refused}");
    assert_eq!(files::read(env.project().join("mine.md")), "mine\n");

    let view = env.run(BIN, &["handoff", "--json", "--budget", "4000"]).success().json();
    assert_eq!((&view["session"], &view["unfinished"]["tasks"]), (&json!(SESSION), &json!(1)));
    assert_eq!(view["unfinished"]["failing"], json!(["cargo test"]));
    assert!(view["characters"].as_u64().unwrap() <= 4_000 && view["written"].is_null());
    // The record outlives the transcript.
    std::fs::remove_file(&path).unwrap();
    assert!(env.run(BIN, &["handoff"]).success().stdout.contains("Add a parser"));
}

/// Whenever the end of a session is killed, the document is the old one or the new one, whole. The sweep goes from "not
/// yet started" to "almost done" and widens until it has seen both; every third process is killed the moment it starts
/// to write.
#[test]
fn killed_session_end_leaves_the_old_or_the_new_handoff() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = a_session(&env);
    transcript.append_to(env.transcript_path(SESSION));
    assert!(hooks.session_end("other").is_silent_success());
    let (mut old, mut new, mut step) = (0, 0, 400);
    for round in 0..480_u64 {
        let task = format!("task of round {round}: {}", "long enough to take a while ".repeat(2));
        transcript = std::mem::take(&mut transcript).task_create(&task);
        transcript.append_to(env.transcript_path(SESSION));
        let before = files::read(document(&env));
        let child = hooks.start(&hooks.payload("SessionEnd", json!({"reason": "other"})));
        match round % 3 {
            0 => kill_when_writing(child, &env),
            _ => kill_after(child, round % 60 * step),
        }
        let after = files::read(document(&env));
        assert_whole(&after);
        if after == before {
            old += 1;
        } else {
            new += 1;
        }
        if round % 60 == 59 {
            // A slow machine needs a wider sweep.
            step = if new > 0 { step } else { step * 2 };
        }
        if old >= 40 && new >= 20 && round >= 119 {
            break;
        }
    }
    assert!(old > 0 && new > 0, "the sweep has seen {old} old and {new} new ones");

    // Leftovers of killed processes are deleted once they are old enough.
    env.wait(Duration::from_secs(400 * 86_400));
    assert!(hooks.session_end("other").is_silent_success());
    let names: Vec<String> = std::fs::read_dir(env.data().join("handoffs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names, [format!("HANDOFF-{SESSION}.md")]);
}

fn kill_after(mut child: Child, micros: u64) {
    std::thread::sleep(Duration::from_micros(micros));
    let _ = child.kill();
    let _ = child.wait();
}

/// Kills it as soon as there is another file beside the document, or lets it end.
fn kill_when_writing(mut child: Child, env: &TestEnv) {
    let files = || std::fs::read_dir(env.data().join("handoffs")).map_or(0, Iterator::count);
    let before = files();
    while files() <= before && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[test]
fn user_file_named_like_a_leftover_stays() {
    let env = TestEnv::new();
    a_session(&env).write_to(env.transcript_path(SESSION));
    set(&env, "[handoff]\ndir = \".\"\n");
    let mine = [".catchword-notes.md", ".catchword-abc123", ".catchword-abcdef"];
    for name in mine {
        env.write(name, "mine\n");
    }
    std::fs::create_dir(env.project().join(".catchword-folder")).unwrap();
    let half = format!("{MARK}{SESSION} -->\nhalf of it");
    env.write(".catchword-Ab12Cd", &half);
    env.write(".catchword-Xy34Zw", "");
    env.wait(Duration::from_secs(400 * 86_400));
    assert!(HookPlayer::new(&env, BIN, SESSION).session_end("other").is_silent_success());
    assert_whole(&files::read(env.project().join(format!("HANDOFF-{SESSION}.md"))));
    for name in mine {
        assert_eq!(files::read(env.project().join(name)), "mine\n", "{name}");
    }
    for gone in [".catchword-Ab12Cd", ".catchword-Xy34Zw"] {
        assert!(!env.project().join(gone).exists(), "{gone} is what a stopped write has left");
    }
}

/// The document comes from the transcript alone, so a locked store does not prevent it.
#[test]
fn busy_store_does_not_prevent_the_handoff() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = a_session(&env);
    transcript.append_to(env.transcript_path(SESSION));
    let _ = hooks.pre_compact("auto", None).success();
    let db = rusqlite::Connection::open(env.data().join("catchword.db")).unwrap();
    db.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(hooks.post_compact("auto", "1. A parser.").is_silent_success());
    assert!(files::read(document(&env)).contains("at a compaction"));
    transcript = transcript.says("So far.");
    transcript.append_to(env.transcript_path(SESSION));
    assert!(hooks.session_end("other").is_silent_success());
    let text = files::read(document(&env));
    assert_whole(&text);
    assert!(text.contains("at the end of the session"), "{text}");
    let log = files::read(env.data().join("hook.log"));
    assert!(log.contains("the store is busy; only the handoff was written"), "{log}");
}

#[test]
fn budget_out_of_range_is_an_error() {
    let env = TestEnv::new();
    let path = env.transcript_path(SESSION);
    a_session(&env).write_to(&path);
    let said = |budget: &str| {
        let arguments = ["handoff", "--budget", budget, "--transcript", path.to_str().unwrap()];
        env.run(BIN, &arguments).success().stderr
    };
    assert_eq!(said("5"), "A handoff has 4,000 to 12,000 characters: using 4,000.\n");
    assert_eq!(said("13000"), "A handoff has 4,000 to 12,000 characters: using 12,000.\n");
    assert_eq!((said("4000"), said("12000")), (String::new(), String::new()));
}
