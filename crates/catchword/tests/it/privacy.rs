//! What may be kept nowhere: secrets, what was forgotten, projects that are left out.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use catchword_engine::ops::forget::{Traces, traces};
use catchword_testkit::secrets::{Secret, secrets};
use catchword_testkit::{HookPlayer, Output, SESSION, TestEnv, Transcript, files};
use serde_json::json;

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const OTHER: &str = "2a2a2a2a-2222-4333-8444-555555555555";

/// Where these texts are in the data directory, also in what is packed there.
fn left(env: &TestEnv, texts: &[&str]) -> Traces {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    traces(env.data(), &texts, &["config.toml"]).unwrap()
}

fn is_nowhere(env: &TestEnv, texts: &[&str]) -> bool {
    left(env, texts).left.is_empty()
}

/// A session that meets a secret in every way a text can get into one.
fn meeting(transcript: Transcript, number: usize, secret: &Secret) -> Transcript {
    let text = &secret.text;
    let file = format!("/home/user/project/file{number}.txt");
    match number % 6 {
        0 => transcript.prompt(&format!("Please remember:\n{text}")).says(&format!("You gave me:\n{text}")),
        1 => transcript.bash(&format!("echo start\n{text}")).ok(&format!("out\n{text}\ndone")),
        2 => transcript.bash("make deploy").fails(&format!("Exit code 1\nerror: {text}")),
        3 => transcript.edit(&file, "old line", &format!("new\n{text}")),
        4 => transcript.call("Write", json!({"file_path": file, "content": text})).ok("written"),
        _ => transcript
            .ask(&format!("Is this right?\n{text}"), &format!("No, it is\n{text}"))
            .call("mcp__vault__put", json!({"note": text, "lines": text.lines().collect::<Vec<_>>()}))
            .ok(&json!({"result": text, "password": secret.secret}).to_string()),
    }
}

#[test]
fn planted_secrets_of_sixty_kinds_are_in_no_file_and_in_nothing_that_is_said() {
    let secrets = secrets();
    let kinds: BTreeSet<&str> = secrets.iter().map(|secret| secret.kind).collect();
    assert!(kinds.len() >= 60 && kinds.len() == secrets.len(), "{} kinds", kinds.len());
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript =
        Transcript::new().cwd(env.project()).prompt("Set up the deployment. Never push to main.");
    let mut said: Vec<Output> = vec![hooks.session_start("startup")];
    let mut summary = String::from("We set things up.\n");
    let beside = hooks.transcript_path().with_extension("").join("subagents/agent-a1b2.jsonl");
    let mut subagent = Transcript::new().as_subagent("a1b2").prompt("Look into it.");
    // Every secret in every way, in as many rounds as there are ways.
    for way in 0..6 {
        for (n, secret) in secrets.iter().enumerate() {
            transcript = meeting(transcript, n + way, secret);
            if way == 0 {
                subagent = meeting(subagent, n, secret);
                let _ = writeln!(summary, "{}", secret.text);
            }
        }
        transcript = transcript
            .queued(&format!("and do not forget\n{}", secrets[way].text))
            .task_create(&format!("rotate {}", secrets[way].text))
            .usage(60_000 + 12_000 * way as u64)
            .says("Going on.");
        transcript.append_to(hooks.transcript_path());
        let text = &secrets[way * 7].text;
        said.push(hooks.user_prompt(text));
        said.push(hooks.post_tool_use("t1", "Bash", &json!({"command": text}), &json!({"stdout": text})));
        said.push(hooks.post_tool_use_failure("t2", "Bash", &json!({"command": text}), text));
        said.push(hooks.post_tool_batch(&[json!({"tool_input": {"command": text}})]));
        said.push(hooks.stop(text));
    }
    subagent.write_to(&beside);
    let compaction = hooks.compaction(&mut transcript, "auto", &summary);
    assert!(compaction.brief().is_some(), "there is something to leak");
    said.extend([
        compaction.pre_compact,
        compaction.summariser_stop,
        compaction.session_start,
        compaction.post_compact,
    ]);
    said.push(hooks.user_prompt("Go on."));
    said.push(hooks.session_end("other"));
    said.push(HookPlayer::new(&env, BIN, OTHER).session_start("startup"));
    for args in [
        &["index"][..],
        &["backup", "--all"],
        &["backup", "--list"],
        &["sessions"],
        &["status"],
        &["log", "--json"],
        &["show", SESSION],
        &["explain", SESSION],
        &["audit", SESSION],
        &["handoff", SESSION],
        &["search", "error", "--json"],
        &["search", "deploy"],
        &["recall", "L1-L400", "--session", SESSION, "--full"],
        &["recall", "compaction:1", "--session", SESSION, "--full"],
        &["restore", SESSION, "--to", "restored.jsonl"],
    ] {
        said.push(env.run(BIN, args));
    }
    for name in ["catchword.db", "history.db", "backups/pieces", "handoffs"] {
        assert!(env.data().join(name).exists(), "{name}");
    }
    let mut leaks = Vec::new();
    let restored = files::read(env.project().join("restored.jsonl"));
    assert_eq!(restored.lines().count(), transcript.line_count(), "every line is there");
    for secret in &secrets {
        let texts: Vec<&str> = vec![&secret.secret];
        let word = secret.longest_word();
        let looked = left(&env, &texts.into_iter().chain(word.as_deref()).collect::<Vec<_>>());
        assert!(looked.files > 4);
        leaks.extend(looked.left.iter().map(|path| format!("{} in {}", secret.kind, path.display())));
        let printed = said
            .iter()
            .any(|said| said.stdout.contains(&secret.secret) || said.stderr.contains(&secret.secret));
        leaks.extend(printed.then(|| format!("{} was printed", secret.kind)));
        leaks.extend(restored.contains(&secret.secret).then(|| format!("{} was restored", secret.kind)));
    }
    assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), leaks.join("\n"));
    assert!(
        files::read(hooks.transcript_path()).contains(&secrets[0].secret),
        "the transcript itself is not ours"
    );
}

/// Two sessions with a compaction, an end and a handoff each, in the folders of two projects.
fn two_sessions(env: &TestEnv) -> [Transcript; 2] {
    let elsewhere = env.root().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    [(SESSION, env.project(), "marzipan"), (OTHER, elsewhere.as_path(), "kohlrabi")].map(
        |(id, folder, word)| {
            let hooks = HookPlayer::new(env, BIN, id).in_folder(folder);
            let mut transcript = Transcript::new()
                .session(id)
                .cwd(folder)
                .prompt(&format!("Weigh the {word}. Never touch the {word} file."))
                .task_create(&format!("find the {word}"))
                .bash(&format!("grep {word} list"))
                .fails(&format!("no {word} here"));
            let _ = hooks.session_start("startup");
            let _ = hooks.compaction(&mut transcript, "auto", &format!("About {word}."));
            assert!(hooks.session_end("other").is_silent_success());
            // Something for the log.
            let _ =
                hooks.send(&json!({"hook_event_name": "Stop", "session_id": id, "transcript_path": folder}));
            transcript
        },
    )
}

#[test]
fn a_forgotten_session_is_gone_from_every_file_and_does_not_come_again() {
    let env = TestEnv::new();
    let [_, transcript] = two_sessions(&env);
    let _ = env.run(BIN, &["index"]).success();
    assert!(files::read(env.data().join("hook.log")).contains(OTHER), "the log speaks of it");
    let found = left(&env, &[OTHER]).left;
    assert!(found.len() >= 4, "store, history, backup, handoff, log: {found:?}");
    let dry = env.run(BIN, &["forget", "--session", &OTHER[..8], "--dry-run"]).success();
    assert!(dry.stdout.contains("1 session:") && !is_nowhere(&env, &[OTHER]), "{dry}");
    let unasked = env.run(BIN, &["forget", "--session", OTHER]);
    assert!(!unasked.status.success() && unasked.stderr.contains("--yes"), "{unasked}");
    let forgotten = env.run(BIN, &["forget", "--session", OTHER, "--yes"]).success();
    assert!(forgotten.stdout.contains("\n0 traces in "), "{forgotten}");
    assert!(forgotten.stderr.contains("Claude Code still has it"), "{forgotten}");
    assert!(is_nowhere(&env, &[OTHER, "kohlrabi"]), "{:?}", left(&env, &[OTHER, "kohlrabi"]));
    let kept = env.run(BIN, &["search", "marzipan", "--json"]).success().json();
    assert!(kept["hits"].as_array().is_some_and(|hits| !hits.is_empty()), "the other one stays: {kept}");

    let elsewhere = env.root().join("elsewhere");
    let hooks = HookPlayer::new(&env, BIN, OTHER).in_folder(&elsewhere);
    let mut more = transcript.says("More kohlrabi.");
    more.append_to(hooks.transcript_path());
    for output in [
        hooks.session_start("resume"),
        hooks.post_tool_batch(&[]),
        hooks.stop("x"),
        hooks.session_end("other"),
    ] {
        assert!(output.is_silent_success(), "{output}");
    }
    let indexed = env.run(BIN, &["index"]).success();
    assert!(indexed.stderr.contains("1 transcripts are left out"), "{indexed}");
    let _ = env.run(BIN, &["backup", "--all"]).success();
    assert!(is_nowhere(&env, &[OTHER, "kohlrabi"]), "{:?}", left(&env, &[OTHER, "kohlrabi"]));
    let _ = env.run(BIN, &["index", "--again"]).success();
    let again = env.run(BIN, &["search", "kohlrabi", "--json"]).success().json();
    assert!(
        again["hits"].as_array().is_some_and(|hits| !hits.is_empty()),
        "asked for, it comes back: {again}"
    );
}

#[test]
fn sessions_are_forgotten_by_project_and_by_age_and_nothing_else_goes() {
    let env = TestEnv::new();
    two_sessions(&env);
    let none = env.run(BIN, &["forget", "--before", "30d", "--yes"]).success();
    assert!(none.stdout.contains("Nothing is recorded"), "{none}");
    let elsewhere = env.root().join("elsewhere");
    let gone = env.run(BIN, &["forget", "--project", elsewhere.to_str().unwrap(), "--yes"]).success();
    assert!(gone.stdout.contains("1 session:") && gone.stdout.contains("\n0 traces in "), "{gone}");
    assert!(is_nowhere(&env, &[OTHER, "kohlrabi"]) && !is_nowhere(&env, &["marzipan"]));
    env.wait(std::time::Duration::from_secs(40 * 86_400));
    let old = env.run(BIN, &["forget", "--before", "30d", "--yes"]).success();
    assert!(old.stdout.contains("1 session:"), "{old}");
    assert!(is_nowhere(&env, &[SESSION, "marzipan"]), "{:?}", left(&env, &[SESSION, "marzipan"]));
    let wrong = env.run(BIN, &["forget", "--before", "whenever", "--yes"]);
    assert!(!wrong.status.success() && wrong.stderr.contains("no date"), "{wrong}");
    assert!(!env.run(BIN, &["forget"]).status.success(), "something must be named");
}

#[test]
fn another_sessions_words_about_a_forgotten_one_lose_its_id() {
    let env = TestEnv::new();
    let _ = two_sessions(&env);
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let more = Transcript::new().cwd(env.project()).prompt(&format!("Compare with {OTHER}, please."));
    let text = files::read(hooks.transcript_path()) + &more.build();
    files::write(hooks.transcript_path(), text);
    let _ = hooks.session_end("other");
    let gone = env.run(BIN, &["forget", "--session", OTHER, "--yes"]).success();
    assert!(gone.stdout.contains("\n0 traces in "), "{gone}");
    assert!(is_nowhere(&env, &[OTHER]));
    let found = env.run(BIN, &["search", "compare", "--json"]).success();
    assert!(found.stdout.contains("[masked: forgotten]"), "{found}");
}

#[test]
fn a_forgotten_text_is_masked_everywhere_and_stays_so_when_the_transcript_is_read_again() {
    let env = TestEnv::new();
    let [transcript, _] = two_sessions(&env);
    let _ = env.run(BIN, &["index"]).success();
    let text = "Weigh the Marzipan";
    let dry = env.run(BIN, &["forget", "--pattern", text, "--dry-run"]).success();
    assert!(dry.stdout.replace('\n', " ").contains("in 1 of Claude Code's 2 transcripts"), "{dry}");
    assert!(!is_nowhere(&env, &[text]));
    let gone = env.run(BIN, &["forget", "--pattern", text, "--yes"]).success();
    assert!(
        gone.stdout.contains("\n0 traces in ") && gone.stderr.contains("Claude Code still has it"),
        "{gone}"
    );
    assert!(is_nowhere(&env, &[text]), "{:?}", left(&env, &[text]));
    assert!(!is_nowhere(&env, &["marzipan"]), "what stands around it stays");

    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut more = transcript.prompt("Again: weigh the marzipan!").says("I weigh the marzipan.");
    more.append_to(hooks.transcript_path());
    let _ = hooks.post_tool_batch(&[]);
    let compaction = hooks.compaction(&mut more, "auto", "They weigh the marzipan.");
    let brief = compaction.brief().expect("a brief").to_lowercase();
    assert!(!brief.contains("weigh the marzipan") && brief.contains("[masked: forgotten]"), "{brief}");
    assert!(hooks.session_end("other").is_silent_success());
    let _ = env.run(BIN, &["index"]).success();
    let _ = env.run(BIN, &["backup", "--all"]).success();
    assert!(is_nowhere(&env, &[text]), "{:?}", left(&env, &[text]));
    let recalled = env.run(BIN, &["recall", "L1", "--session", SESSION]).success();
    assert!(recalled.stdout.contains("[masked: forgotten]"), "{recalled}");
    let short = env.run(BIN, &["forget", "--pattern", "abc", "--yes"]);
    assert!(!short.status.success() && short.stderr.contains("too short"), "{short}");
}

#[test]
fn a_project_that_is_left_out_leaves_no_trace() {
    let env = TestEnv::new();
    let secret = env.root().join("client-7/app");
    std::fs::create_dir_all(&secret).unwrap();
    files::write(env.data().join("config.toml"), "[privacy]\nleave_out = [\"client-*\"]\n");
    let hooks = HookPlayer::new(&env, BIN, OTHER).in_folder(&secret);
    let mut transcript =
        Transcript::new().session(OTHER).cwd(&secret).prompt("Weigh the kohlrabi. Never rest.");
    transcript.append_to(hooks.transcript_path());
    for output in [
        hooks.session_start("startup"),
        hooks.user_prompt("Weigh the kohlrabi."),
        hooks.post_tool_batch(&[]),
        hooks.stop("done"),
    ] {
        assert!(output.is_silent_success(), "{output}");
    }
    let compaction = hooks.compaction(&mut transcript, "auto", "About kohlrabi.");
    assert_eq!(compaction.brief(), None);
    assert!(hooks.session_end("other").is_silent_success());
    let status = json!({"session_id": OTHER, "transcript_path": hooks.transcript_path(), "cwd": secret,
        "model": {"id": "claude-sonnet-4-5", "display_name": "Sonnet 4.5"},
        "context_window": {"context_window_size": 200_000}});
    let _ = env.run_with_stdin(BIN, &["statusline"], status.to_string()).success();
    for args in [&["index"][..], &["backup", "--all"], &["sessions"]] {
        let _ = env.run(BIN, args);
    }
    assert!(is_nowhere(&env, &[OTHER, "kohlrabi"]), "{:?}", left(&env, &[OTHER, "kohlrabi"]));
    let own = |path: &Path| files::read(path);
    assert!(own(&env.data().join("hook.log")).is_empty());

    // Another project is recorded as ever, and this one again once it is no longer left out.
    let other = HookPlayer::new(&env, BIN, SESSION);
    Transcript::new().cwd(env.project()).prompt("Weigh the marzipan.").write_to(other.transcript_path());
    assert!(other.stop("x").is_silent_success());
    assert!(!is_nowhere(&env, &[SESSION]));
    files::write(env.data().join("config.toml"), "");
    assert!(hooks.stop("x").is_silent_success());
    assert!(!is_nowhere(&env, &[OTHER]));
}
