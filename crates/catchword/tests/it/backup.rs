//! `backup`, `restore`, and what hooks keep for when a transcript is gone.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use catchword_engine::archive::backup::{Backups, Original};
use catchword_engine::archive::history::TranscriptOwner;
use catchword_engine::redact::Mask;
use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript, files};
use serde_json::{Value, json};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");

fn a_session(env: &TestEnv) -> Transcript {
    Transcript::new()
        .cwd(env.project())
        .prompt("Add a parser. Never touch the lock file.")
        .bash("cargo test --test lexer")
        .fails("error[E0308]: mismatched types")
        .read("/home/user/project/src/lexer.rs")
        .says("The lexer passes.")
}

fn listed(env: &TestEnv) -> Vec<Value> {
    let list = env.run(BIN, &["backup", "--list", "--json"]).success().json();
    list.as_array().cloned().unwrap_or_default()
}

#[test]
fn list_has_a_line_per_session_and_the_next_step() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    Transcript::new().cwd(env.project()).prompt("Weigh it.").says("Done.").write_to(hooks.transcript_path());
    let _ = hooks.stop("Done.");
    let _ = env.run(BIN, &["backup", SESSION]).success();
    let output = env.run(BIN, &["backup", "--list"]).success();
    let rows: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(rows[0], "session   last backup         lines       size  project", "{output}");
    assert!(rows.len() == 2 && rows[1].starts_with("11111111  2026-01-01 12:0"), "{output}");
    assert!(rows[1].ends_with("  ~/project"), "{output}");
    assert!(
        output.stderr.starts_with("1 backed-up transcript, ") && output.stderr.contains("`catchword restore")
    );
}

#[test]
fn backup_of_all_says_what_it_skips_and_how_to_keep_it() {
    let env = TestEnv::new();
    for (at, days) in [(1, 100), (2, 200), (3, 1)] {
        let path = env.transcript_path(&id(at));
        Transcript::new().cwd(env.project()).prompt("Weigh it.").says("Done.").write_to(&path);
        env.written_days_ago(&path, days);
    }
    let said = |args: &[&str]| {
        let output = env.run(BIN, args).success();
        output.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let first = said(&["backup", "--all"]);
    assert!(first.starts_with("Backed up 1 transcript ("), "{first}");
    assert!(first.contains("Skipped 2 of 3 transcripts: not changed for more than 90 days."), "{first}");
    assert!(first.contains("`catchword config set backup.keep_days 201` keeps them"), "{first}");
    let json = env.run(BIN, &["backup", "--all", "--json"]).success().json();
    assert_eq!((&json["found"], &json["skipped_old"]), (&json!(3), &json!(2)), "{json}");
    let _ = env.run(BIN, &["config", "set", "backup.keep_days", "201"]).success();
    let later = said(&["backup", "--all"]);
    assert!(later.starts_with("Backed up 2 transcripts (") && !later.contains("Skipped"), "{later}");
}

/// Every file below a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() { found.extend(below(&entry.path())) } else { found.push(entry.path()) }
    }
    found
}

#[test]
fn backup_is_made_after_a_compaction_and_at_the_end_only() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = a_session(&env);
    transcript.append_to(hooks.transcript_path());
    assert!(hooks.user_prompt("x").is_silent_success() && hooks.post_tool_batch(&[]).is_silent_success());
    assert!(hooks.stop("done").is_silent_success());
    assert!(!env.data().join("backups").exists());
    let _ = hooks.compaction(&mut transcript, "auto", "The lexer is done.");
    assert!(hooks.post_tool_batch(&[]).is_silent_success());
    assert!(!env.data().join("backups").exists(), "the person waits for the compaction");
    assert!(hooks.stop("done").tells_only_the_person());
    let after_compaction = transcript.line_count();
    assert_eq!(listed(&env)[0]["lines"], after_compaction);
    let mut transcript = transcript.says("Next, the grammar.");
    transcript.append_to(hooks.transcript_path());
    assert!(hooks.stop("done").is_silent_success());
    assert_eq!(listed(&env)[0]["lines"], after_compaction, "once for each compaction");
    let beside = hooks.transcript_path().with_extension("").join("subagents/agent-a1b2.jsonl");
    Transcript::new().as_subagent("a1b2").prompt("Look into it.").write_to(&beside);
    assert!(hooks.subagent_stop("a1b2", "done").is_silent_success());
    assert!(hooks.session_end("other").is_silent_success());
    let kept = listed(&env);
    assert_eq!(
        (kept[0]["lines"].as_u64(), &kept[0]["subagent"]),
        (Some(transcript.line_count() as u64), &Value::Null)
    );
    assert_eq!(kept[1]["subagent"], "a1b2");
    assert_eq!(files::read(env.data().join("hook.log")), "");
}

/// A backup of the session that ran out of time, newer than everything before it.
fn cut_short(env: &TestEnv, transcript: &Path) {
    let backups = Backups::at(env.data());
    let thread = TranscriptOwner { session: SESSION.to_owned(), subagent: String::new() };
    let mask = Mask::default();
    let original =
        Original { thread: &thread, path: transcript, project: None, mask: &mask, is_left_out: &|_| None };
    let lock = backups.lock(false).unwrap();
    let asked = std::cell::Cell::new(0);
    let in_time = || asked.replace(asked.get() + 1) < 4;
    let taken = backups.take(&lock, &original, 2_000_000_000_000, &in_time).unwrap();
    assert!(taken.bytes > 0 && !taken.whole, "{taken:?}");
}

#[test]
fn next_turn_completes_an_incomplete_backup() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = a_session(&env);
    let _ = hooks.compaction(&mut transcript, "auto", "The lexer is done.");
    let lines = || listed(&env)[0]["lines"].as_u64().unwrap() as usize;
    cut_short(&env, hooks.transcript_path());
    assert!(lines() < transcript.line_count());
    assert!(hooks.stop("done").tells_only_the_person());
    let whole = transcript.line_count();
    assert_eq!(lines(), whole);
    let mut transcript = transcript.says("Next, the grammar.");
    transcript.append_to(hooks.transcript_path());
    assert!(hooks.stop("done").is_silent_success());
    assert_eq!(lines(), whole, "and once only");
}

#[test]
fn first_subagent_end_after_a_compaction_updates_history_and_backup() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let beside = hooks.transcript_path().with_extension("").join("subagents/agent-a1b2.jsonl");
    Transcript::new().as_subagent("a1b2").prompt("Look into it.").write_to(&beside);
    let mut transcript = a_session(&env);
    transcript.append_to(hooks.transcript_path());
    let recorded = || {
        let db = rusqlite::Connection::open(env.data().join("history.db")).unwrap();
        let sql = "SELECT coalesce(max(line), 0) FROM source WHERE thread = ''";
        db.query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap() as usize
    };
    let kept = || {
        let of_main = listed(&env).into_iter().find(|kept| kept["subagent"].is_null());
        of_main.map_or(0, |kept| kept["lines"].as_u64().unwrap() as usize)
    };
    assert!(hooks.post_tool_batch(&[]).is_silent_success());
    assert!(hooks.subagent_stop("a1b2", "done").is_silent_success());
    assert_eq!((recorded(), kept()), (0, 0), "without a compaction the end of the turn does it");
    let _ = hooks.compaction(&mut transcript, "auto", "The lexer is done.");
    assert!(hooks.subagent_stop("a1b2", "done").is_silent_success());
    let whole = transcript.line_count();
    assert_eq!((recorded(), kept()), (whole, whole));
    let mut transcript = transcript.prompt("Next, the grammar.");
    transcript.append_to(hooks.transcript_path());
    assert!(hooks.post_tool_batch(&[]).is_silent_success());
    assert!(hooks.subagent_stop("a1b2", "done").is_silent_success());
    assert_eq!((recorded(), kept()), (whole, whole), "once for each compaction");
    // Its own transcript does not exist.
    let _ = hooks.compaction(&mut transcript, "auto", "The grammar is next.");
    assert!(hooks.subagent_stop("c3d4", "done").is_silent_success());
    assert_eq!((recorded(), kept()), (transcript.line_count(), transcript.line_count()));
    assert_eq!(files::read(env.data().join("hook.log")), "");
}

#[test]
fn recall_falls_back_to_the_backup_and_says_so() {
    let env = TestEnv::new();
    let path = env.transcript_path(SESSION);
    a_session(&env).write_to(&path);
    let _ = env.run(BIN, &["index"]).success();
    let _ = env.run(BIN, &["backup"]).success();
    let before = env.run(BIN, &["recall", "L1-L9", "--full"]).success();
    let raw = env.run(BIN, &["recall", "L2", "--raw"]).success();
    std::fs::remove_file(&path).unwrap();
    let after = env.run(BIN, &["recall", "L1-L9", "--full"]).success();
    assert_eq!(after.stdout, before.stdout, "word for word, also what was only read");
    assert!(after.stderr.contains("is gone. This is from its backup"), "{after}");
    assert_eq!(env.run(BIN, &["recall", "L2", "--raw"]).success().stdout, raw.stdout);
    let view = env.run(BIN, &["recall", "L2", "--json"]).success().json();
    assert_eq!(view["from"], "backup");
    std::fs::remove_dir_all(env.data().join("backups")).unwrap();
    let history = env.run(BIN, &["recall", "L2"]).success();
    assert!(history.stderr.contains("was not") && history.stderr.contains("backed up"), "{history}");
}

#[test]
fn commands_fall_back_to_the_backup_and_say_so() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = a_session(&env).task_create("write the grammar");
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.session_start("startup");
    let _ = hooks.compaction(&mut transcript, "auto", "Everything is finished.");
    let mut transcript = transcript.prompt("Go on with the grammar.").says("Which one?");
    transcript.append_to(hooks.transcript_path());
    assert!(hooks.session_end("other").is_silent_success());
    let commands = [
        &["brief"][..],
        &["brief", "--at", "1"],
        &["brief", "--why"],
        &["lost", "1"],
        &["handoff"],
        &["note"],
        &["commands"],
        &["recall", "compaction:1"],
    ];
    let outputs = || commands.map(|args| env.run(BIN, args).success());
    let log = || env.run(BIN, &["lost", SESSION]).success().stdout;
    let (before, logged) = (outputs(), log());
    std::fs::remove_file(hooks.transcript_path()).unwrap();
    for ((args, before), after) in commands.iter().zip(before).zip(outputs()) {
        assert_eq!(after.stdout, before.stdout, "{args:?}");
        assert!(
            !before.stderr.contains("backup") && after.stderr.contains("This is from its backup"),
            "{args:?} {after}"
        );
    }
    assert_eq!(log(), logged);
    std::fs::remove_dir_all(env.data().join("backups")).unwrap();
    let lost = env.run(BIN, &["brief"]);
    let told = lost.stderr.replace('\n', " ");
    assert!(
        !lost.status.success() && told.contains("was not backed up") && told.contains("catchword recall"),
        "{lost}"
    );
}

#[test]
fn recall_shows_the_delivered_brief_of_a_compaction() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    // Compacted once before the hooks were installed.
    let mut transcript =
        a_session(&env).compaction("auto", "An early summary.").task_create("write the grammar");
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.session_start("resume");
    let compaction = hooks.compaction(&mut transcript, "auto", "Everything is finished.");
    let brief = compaction.brief().expect("a brief").clone();
    let early = env.run(BIN, &["recall", "compaction:1"]).success();
    assert!(early.stderr.contains("No hook saw it") && !early.stdout.contains("given back"), "{early}");
    // The client has not recorded the hook's output yet.
    let given = env.run(BIN, &["recall", "compaction:2", "--full"]).success();
    assert!(given.stdout.contains("given back"), "{given}");
    assert!(given.stderr.contains("whether it arrived is not recorded"), "{given}");
    let lines: Vec<&str> = brief.lines().filter(|line| line.len() > 20).collect();
    assert!(lines.len() > 4 && lines.iter().all(|line| given.stdout.contains(line)), "{given}\n{brief}");
    let mut transcript = transcript.hook_context("SessionStart", &brief).prompt("Go on.");
    transcript.append_to(hooks.transcript_path());
    assert!(hooks.user_prompt("Go on.").tells_only_the_person());
    let shown = env.run(BIN, &["recall", "compaction:2", "--full"]).success();
    assert!(shown.stderr.contains("The brief reached the agent by SessionStart"), "{shown}");
    assert!(shown.stdout.contains("given by a hook") && !shown.stdout.contains("given back"), "{shown}");
    assert_eq!(shown.stdout.matches("catchword-record>").count(), 2, "once, in its place: {shown}");
}

#[cfg(unix)]
#[test]
fn restore_writes_everything_and_overwrites_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    let path = env.transcript_path(SESSION);
    let transcript = a_session(&env);
    transcript.write_to(&path);
    let beside = path.with_extension("").join("subagents/agent-a1b2.jsonl");
    Transcript::new().as_subagent("a1b2").prompt("Look into it.").write_to(&beside);
    let sub = files::read(&beside);
    let _ = env.run(BIN, &["backup", "--all"]).success();
    let refused = env.run(BIN, &["restore", SESSION]);
    assert!(!refused.status.success() && refused.stderr.contains("--force"), "{refused}");
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    let restored = env.run(BIN, &["restore", &SESSION[..8]]).success();
    assert!(restored.stderr.contains("--resume"), "{restored}");
    assert_eq!((files::read(&path), files::read(&beside)), (transcript.build(), sub.clone()));
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    files::write(&path, "mine");
    assert!(!env.run(BIN, &["restore", SESSION]).status.success());
    assert_eq!(files::read(&path), "mine");
    let _ = env.run(BIN, &["restore", SESSION, "--to", "copy.jsonl"]).success();
    assert_eq!(files::read(env.project().join("copy.jsonl")), transcript.build());
    assert_eq!(files::read(env.project().join("copy/subagents/agent-a1b2.jsonl")), sub);
    let _ = env.run(BIN, &["restore", SESSION, "--force"]).success();
    assert_eq!(files::read(&path), transcript.build());
    let unknown = env.run(BIN, &["restore", "ffff"]);
    assert!(unknown.stderr.contains("catchword backup --list"), "{unknown}");
}

fn id(n: usize) -> String {
    format!("{n:08}-0000-4000-8000-000000000000")
}

/// Text that compresses badly, so that there is something to write.
fn noise(mut state: u64, length: usize) -> String {
    let mut text = String::new();
    while text.len() < length {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let _ = write!(text, "{:x} ", state >> 32);
    }
    text
}

/// Killed twice while it writes, then run to the end: the files must be the same as after one run.
#[cfg(unix)]
#[test]
fn killed_backup_loses_and_duplicates_nothing() {
    use std::os::unix::process::ExitStatusExt;
    let (env, whole) = (TestEnv::new(), TestEnv::new());
    for n in 0..4 {
        let mut transcript = Transcript::new().session(&id(n)).prompt(&format!("session {n}"));
        for round in 0..40 {
            transcript = transcript.bash("make").ok(&noise((n * 100 + round) as u64, 100_000));
        }
        for world in [&env, &whole] {
            transcript.write_to(world.transcript_path(&id(n)));
        }
    }
    let _ = whole.run(BIN, &["backup", "--all"]).success();
    let pieces = env.data().join("backups/pieces");
    let written = || below(&pieces).len();
    for _ in 0..2 {
        let before = written();
        let mut child = env.command(BIN).args(["backup", "--all"]).spawn().unwrap();
        while written() <= before && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = child.kill();
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(9), "it was killed while it wrote");
        assert!(written() > before, "and had written");
    }
    let done = env.run(BIN, &["backup", "--all", "--json"]).success().json();
    assert!(done["bytes"].as_u64() > Some(0), "something was left to do: {done}");
    let names = |env: &TestEnv| {
        let root = env.data().join("backups");
        let mut names: Vec<PathBuf> =
            below(&root).into_iter().map(|path| path.strip_prefix(&root).unwrap().to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&env), names(&whole));
    for n in 0..4 {
        let copy = format!("{n}.jsonl");
        let _ = env.run(BIN, &["restore", &id(n), "--to", &copy]).success();
        assert_eq!(files::read(env.project().join(copy)), files::read(env.transcript_path(&id(n))));
    }
}

#[test]
fn session_end_prunes_backups_but_not_of_this_project() {
    let env = TestEnv::new();
    files::write(env.data().join("config.toml"), "[backup]\nmax_mb = 0\nkeep_last = 1\n");
    let elsewhere = env.root().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let other = HookPlayer::new(&env, BIN, &id(1)).in_folder(&elsewhere);
    Transcript::new().session(&id(1)).prompt("x").write_to(other.transcript_path());
    assert!(other.pre_compact("auto", None).status.success() && other.stop("x").is_silent_success());
    assert_eq!(listed(&env).len(), 1);
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    a_session(&env).write_to(hooks.transcript_path());
    assert!(hooks.session_end("other").is_silent_success());
    let sessions: Vec<Value> = listed(&env).iter().map(|kept| kept["session"].clone()).collect();
    assert_eq!(sessions, [SESSION]);
}

#[test]
fn backup_problems_are_silent_and_backups_can_be_switched_off() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    a_session(&env).write_to(hooks.transcript_path());
    files::write(env.data().join("config.toml"), "backup.on = false\n");
    assert!(hooks.session_end("other").is_silent_success());
    assert!(!env.data().join("backups").exists());
    files::write(env.data().join("config.toml"), "");
    files::write(env.data().join("backups"), "a file in its place");
    assert!(hooks.session_end("other").is_silent_success());
    assert!(files::read(env.data().join("hook.log")).contains("backups"));
    std::fs::remove_file(env.data().join("backups")).unwrap();
    std::fs::create_dir(env.data().join("backups")).unwrap();
    let held = std::fs::File::create(env.data().join("backups/lock")).unwrap();
    held.lock().unwrap();
    assert!(hooks.event("SessionEnd", json!({"reason": "other"})).is_silent_success());
    assert!(listed(&env).is_empty());
    drop(held);
    assert!(hooks.session_end("other").is_silent_success());
    assert_eq!(listed(&env).len(), 1);
}

/// A damaged piece affects only its own lines, and only until the transcript is backed up again.
#[test]
fn damaged_piece_is_rewritten_and_the_rest_restorable() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = Transcript::new().cwd(env.project()).prompt("Begin with kohlrabi.");
    for n in 0..40 {
        let words: Vec<String> = (0..9_000).map(|m| format!("word{n}x{m}")).collect();
        let text = words.join(" ");
        transcript = transcript.says(&text);
    }
    transcript.append_to(hooks.transcript_path());
    let _ = env.run(BIN, &["backup", "--all"]).success();
    let pieces = env.data().join("backups/pieces");
    let folders = std::fs::read_dir(pieces).unwrap().flatten().map(|folder| folder.path());
    let files_of =
        |folder: std::path::PathBuf| std::fs::read_dir(folder).unwrap().flatten().map(|file| file.path());
    let pieces: Vec<std::path::PathBuf> = folders.flat_map(files_of).collect();
    assert!(pieces.len() > 1, "{pieces:?}");
    for damage in ["", "garbage"] {
        files::write(&pieces[0], damage);
        let partly = env.run(BIN, &["restore", SESSION, "--to", "back.jsonl", "--force"]);
        assert!(!partly.status.success() && partly.stderr.contains("missing"), "{partly}");
        let back = files::read(env.project().join("back.jsonl"));
        assert_eq!(back.lines().count(), transcript.line_count(), "places stay");
        assert!(back.lines().filter(|line| !line.is_empty()).count() > 10);
        let _ = env.run(BIN, &["backup", "--all"]).success();
        let whole = env.run(BIN, &["restore", SESSION, "--to", "back.jsonl", "--force"]).success();
        assert!(files::read(env.project().join("back.jsonl")).contains("kohlrabi"), "{whole}");
    }
}
