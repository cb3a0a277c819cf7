//! A command fails as it failed before: the agent is told, once, how it passed then; what it was told is recorded with what
//! happened next.

use catchword_testkit::{HookPlayer, TestEnv, Transcript, files, model_text};
use serde_json::json;

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const FIRST: &str = "00000001-0000-4000-8000-000000000000";
const SECOND: &str = "00000002-0000-4000-8000-000000000000";
const ERROR: &str = "Exit code 1\nError: Cannot resolve plugin '@scales/grams'";
/// How every such line begins.
pub const BEGINS: &str = "catchword, from the record of this repository";

fn session(env: &TestEnv, id: &str) -> Transcript {
    Transcript::new().session(id).cwd(env.project()).prompt("Build it.")
}

fn fails(transcript: Transcript) -> Transcript {
    transcript.bash("npm run build").fails(ERROR)
}

/// Fails, and passes after a package was installed and a file edited.
fn solved(env: &TestEnv, transcript: Transcript) -> Transcript {
    let config = env.project().join("scales.config.ts");
    fails(transcript)
        .bash("npm i -D @scales/grams")
        .ok("added 1 package")
        .edit(&config.to_string_lossy(), "[]", "[grams]")
        .bash("npm run build")
        .ok("built in 2s")
}

/// A session of this project solved it, and its turn has ended.
fn with_past(env: &TestEnv) {
    let hooks = HookPlayer::new(env, BIN, FIRST);
    solved(env, session(env, FIRST)).says("Done.").write_to(hooks.transcript_path());
    let _ = hooks.stop("Done.").success();
}

/// What the agent is told after the latest calls.
fn told(hooks: &HookPlayer) -> String {
    model_text(&hooks.post_tool_batch(&[]).success().stdout)
}

/// The second session fails in the same way; what its agent is told.
fn told_in_second(env: &TestEnv) -> String {
    let hooks = HookPlayer::new(env, BIN, SECOND);
    let mut transcript = session(env, SECOND);
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.session_start("startup").success();
    fails(transcript).append_to(hooks.transcript_path());
    told(&hooks)
}

#[test]
fn a_failure_of_an_earlier_session_is_told_once_with_how_it_passed() {
    let env = TestEnv::new();
    with_past(&env);
    let hooks = HookPlayer::new(&env, BIN, SECOND);
    let mut transcript = session(&env, SECOND);
    transcript.append_to(hooks.transcript_path());
    assert_eq!(told(&hooks), "");
    transcript = fails(transcript);
    transcript.append_to(hooks.transcript_path());
    let line = told(&hooks);
    for part in [
        BEGINS,
        "\"npm run build\" failed like this",
        "(00000001:L2)",
        "passed at L8",
        "npm i -D @scales/grams",
    ] {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert!(line.contains("edit of scales.config.ts") && line.chars().count() <= 500, "{line}");
    assert_eq!(line.lines().count(), 1);
    transcript = fails(transcript);
    transcript.append_to(hooks.transcript_path());
    assert_eq!(told(&hooks), "", "once per error and session");
    // What happened next is recorded.
    transcript = transcript.read(&env.project().join("scales.config.ts").to_string_lossy());
    transcript = transcript.bash("npm run build").ok("built in 2s");
    transcript.append_to(hooks.transcript_path());
    assert_eq!(told(&hooks), "");
    let status = env.run(BIN, &["status", "--told", "--json"]).success().json();
    let one = &status["told"][0];
    assert_eq!((one["kind"].as_str(), one["session"].as_str()), (Some("failure"), Some(SECOND)), "{status}");
    assert_eq!(one["passed"], 8, "{one}");
    assert_eq!(one["used"], json!(["scales.config.ts"]), "{one}");
    assert_eq!(status["sums"][0]["passed"], 1);
    let shown = env.run(BIN, &["status", "--told"]).success();
    assert!(shown.stdout.contains("passed at L8") && shown.stdout.contains(BEGINS), "{shown}");
}

#[test]
fn a_failure_of_this_session_is_told_before_its_turn_has_ended() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, FIRST);
    let mut transcript = session(&env, FIRST);
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.user_prompt("Build it.").success();
    transcript = solved(&env, transcript);
    transcript.append_to(hooks.transcript_path());
    assert_eq!(told(&hooks), "", "nothing had failed before");
    transcript = fails(transcript);
    transcript.append_to(hooks.transcript_path());
    let line = told(&hooks);
    for part in ["for the second time in this session", "the first time (L2) it passed at L8"] {
        assert!(line.contains(part), "{part}: {line}");
    }
}

/// The client passes a failure on; its row may be in the transcript by then.
#[test]
fn a_failure_whose_row_has_arrived_is_counted_once() {
    for has_arrived in [false, true] {
        let env = TestEnv::new();
        let hooks = HookPlayer::new(&env, BIN, FIRST);
        let mut transcript = solved(&env, session(&env, FIRST));
        transcript.append_to(hooks.transcript_path());
        assert_eq!(told(&hooks), "");
        if has_arrived {
            fails(transcript).append_to(hooks.transcript_path());
        }
        let call = json!({"tool_name": "Bash", "tool_use_id": "t", "tool_response": ERROR,
            "tool_input": {"command": "npm run build"}});
        let line = model_text(&hooks.post_tool_batch(&[call]).success().stdout);
        assert!(line.contains("for the second time in this session"), "{has_arrived}: {line}");
    }
}

/// The row of the call was read by one hook, that of the answer by the next.
#[test]
fn a_call_whose_answer_comes_later_is_one_failure() {
    let env = TestEnv::new();
    with_past(&env);
    let hooks = HookPlayer::new(&env, BIN, SECOND);
    let whole = fails(session(&env, SECOND));
    let text = whole.build();
    let answer = text.trim_end().rfind('\n').expect("several rows") + 1;
    files::write(hooks.transcript_path(), &text[..answer]);
    assert_eq!(told(&hooks), "");
    files::write(hooks.transcript_path(), &text);
    assert!(told(&hooks).contains("(00000001:L2)"));
}

#[test]
fn nothing_is_told_if_it_is_switched_off_left_out_or_forgotten() {
    let off = TestEnv::new();
    with_past(&off);
    files::write(off.data().join("config.toml"), "told.failures = false\n");
    assert_eq!(told_in_second(&off), "");
    let left_out = TestEnv::new();
    with_past(&left_out);
    let config = format!("privacy.leave_out = [{:?}]\n", left_out.project().to_string_lossy());
    files::write(left_out.data().join("config.toml"), config);
    assert_eq!(told_in_second(&left_out), "");
    let forgotten = TestEnv::new();
    with_past(&forgotten);
    let _ = forgotten.run(BIN, &["forget", "--session", FIRST, "--yes"]).success();
    assert_eq!(told_in_second(&forgotten), "");
    // The same without any of it.
    let env = TestEnv::new();
    with_past(&env);
    assert!(told_in_second(&env).contains(BEGINS));
}

#[test]
fn a_session_is_told_of_three_failures_at_most() {
    let env = TestEnv::new();
    let names = ["grams", "ounces", "stones", "carats"];
    let error = |name: &str| format!("Exit code 1\nError: Cannot resolve plugin 'weigh_{name}'");
    let hooks = HookPlayer::new(&env, BIN, FIRST);
    let past = names.iter().fold(session(&env, FIRST), |t, name| {
        let t = t.bash("npm run build").fails(&error(name)).bash(&format!("npm i weigh_{name}")).ok("added");
        t.bash("npm run build").ok("built")
    });
    past.says("Done.").write_to(hooks.transcript_path());
    let _ = hooks.stop("Done.").success();
    let hooks = HookPlayer::new(&env, BIN, SECOND);
    let mut transcript = session(&env, SECOND);
    let mut lines = Vec::new();
    for name in names {
        transcript = transcript.bash("npm run build").fails(&error(name));
        transcript.append_to(hooks.transcript_path());
        lines.push(told(&hooks));
    }
    let is_told: Vec<bool> = lines.iter().map(|line| line.contains(BEGINS)).collect();
    assert_eq!(is_told, [true, true, true, false], "{lines:?}");
}

#[test]
fn a_replay_of_the_same_sessions_tells_the_same() {
    let env = TestEnv::new();
    with_past(&env);
    let later = fails(session(&env, SECOND).pause(3_600)).bash("npm i -D @scales/grams").ok("added");
    later.bash("npm run build").ok("built").write_to(env.transcript_path(SECOND));
    let figures = env.run(BIN, &["eval", "--moments", "--json"]).success().json();
    assert_eq!(figures["total"]["told"], 1, "{figures}");
    assert_eq!(figures["total"]["passed"], 1, "{figures}");
    assert!(figures["lines"][0]["text"].as_str().unwrap().contains("(00000001:L2)"), "{figures}");
}
