//! VS Code, Cursor, Grok Build and GitHub Copilot call the hooks in Claude Code's settings with payloads of their own.

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript, files};
use serde_json::{Value, json};

use crate::hook::BIN;

/// The shapes of the four programs: what they leave out of Claude Code's payload, what they have beside it, and the
/// variable that they set.
const SHAPES: [(&str, &[&str], &str, &str); 6] = [
    (
        "VS Code",
        &["session_id", "hook_event_name"],
        r#"{"sessionId":"S","hookEventName":"E","timestamp":"t"}"#,
        "",
    ),
    ("Cursor", &[], r#"{"conversation_id":"S","generation_id":"g","cursor_version":"3.1"}"#, ""),
    ("Grok Build", &["transcript_path"], r#"{"sessionId":"S","hookEventName":"E"}"#, "GROK_HOOK_EVENT"),
    (
        "GitHub Copilot",
        &["session_id", "hook_event_name"],
        r#"{"sessionId":"S","timestamp":1}"#,
        "COPILOT_CLI",
    ),
    ("GitHub Copilot", &["transcript_path"], r#"{"timestamp":"t"}"#, "COPILOT_CLI"),
    ("an unknown program", &["transcript_path"], r#"{"timestamp":"t"}"#, ""),
];

const EVENTS: [(&str, &str); 6] = [
    ("SessionStart", r#"{"source":"startup"}"#),
    ("UserPromptSubmit", r#"{"prompt":"Never push."}"#),
    ("PostToolUse", r#"{"tool_name":"Bash","tool_input":{}}"#),
    ("PreCompact", r#"{"trigger":"auto"}"#),
    ("Stop", r#"{"stop_hook_active":false}"#),
    ("SessionEnd", r#"{"reason":"other"}"#),
];

fn fields(json: &str, event: &str) -> Value {
    let json = json.replace("\"S\"", &format!("\"{SESSION}\"")).replace("\"E\"", &format!("\"{event}\""));
    serde_json::from_str(&json).expect("JSON")
}

fn merged(mut payload: Value, more: &Value) -> Value {
    if let (Value::Object(all), Value::Object(more)) = (&mut payload, more) {
        all.extend(more.clone());
    }
    payload
}

/// A session with a transcript, as both tests have it.
fn stage(env: &TestEnv) -> HookPlayer<'_> {
    let hooks = HookPlayer::new(env, BIN, SESSION);
    let transcript = Transcript::new().cwd(env.project()).prompt("Add a parser. Never push.").says("Yes.");
    transcript.write_to(hooks.transcript_path());
    hooks
}

#[test]
fn call_of_another_program_records_nothing_and_gets_no_answer() {
    let env = TestEnv::new();
    let hooks = stage(&env);
    for (_, left_out, more, variable) in SHAPES {
        for (event, own) in EVENTS {
            let mut payload = merged(hooks.payload(event, fields(own, event)), &fields(more, event));
            for name in left_out {
                payload.as_object_mut().expect("an object").remove(*name);
            }
            let player = HookPlayer::new(&env, BIN, SESSION);
            let player = if variable.is_empty() { player } else { player.with_var(variable, "1") };
            // They drop the arguments of a handler.
            for player in [player.with_args(&[]), player] {
                let output = player.send(&payload).success();
                assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""), "{payload}");
            }
        }
    }
    assert!(!env.data().join("hook.log").exists(), "{}", files::read(env.data().join("hook.log")));
    let sessions = env.run(BIN, &["status", "--all", "--json"]);
    assert!(!sessions.stdout.contains(SESSION), "{sessions}");
    let found = env.run(BIN, &["search", "--json", "parser"]);
    assert!(!found.stdout.contains(SESSION), "{found}");
    let doctor = env.run(BIN, &["doctor", "--json"]).json();
    let said: Vec<&str> =
        doctor["checks"].as_array().expect("checks").iter().filter_map(|c| c["says"].as_str()).collect();
    for (caller, calls) in [
        ("VS Code", 12),
        ("Cursor", 12),
        ("Grok Build", 12),
        ("GitHub Copilot", 24),
        ("an unknown program", 12),
    ] {
        let expected = format!("Called by {caller} {calls} times, the last at ");
        assert!(said.iter().any(|says| says.starts_with(&expected)), "{expected}: {said:#?}");
    }
}

/// What the real programs sent.
#[test]
fn captured_call_of_another_program_records_nothing_and_gets_no_answer() {
    let env = TestEnv::new();
    let hooks = stage(&env);
    let captured = [
        include_str!("../../../../fixtures/strangers/grok-1.0.41.jsonl"),
        include_str!("../../../../fixtures/strangers/copilot-1.0.102.jsonl"),
    ];
    let payloads: Vec<&str> = captured.into_iter().flat_map(str::lines).collect();
    assert!(payloads.len() >= 30);
    for payload in payloads {
        let payload: Value = serde_json::from_str(payload).expect("JSON");
        let output = hooks.with_args(&[]).with_var("COPILOT_CLI", "1").send(&payload).success();
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""), "{payload}");
    }
    assert!(!env.data().join("hook.log").exists(), "{}", files::read(env.data().join("hook.log")));
    let sessions = env.run(BIN, &["status", "--all", "--json"]);
    assert!(!sessions.stdout.contains("00000000-0000-4000-8000-000000000001"), "{sessions}");
    let doctor = env.run(BIN, &["doctor"]).stdout;
    assert!(doctor.contains("Called by Grok Build 11 times"), "{doctor}");
    let status = env.run(BIN, &["status"]).stderr;
    assert!(status.contains("Called by Grok Build 11 times; not supported yet."), "{status}");
}

/// The same events in Claude Code's own shape, also where such a program's variables are inherited.
#[test]
fn call_of_the_client_is_recorded_in_the_terminal_of_another_program() {
    let env = TestEnv::new();
    let hooks =
        stage(&env).with_var("COPILOT_CLI", "1").with_var("CURSOR_TRACE_ID", "1").with_var("VSCODE_PID", "1");
    for (event, own) in EVENTS {
        let _ = hooks.event(event, fields(own, event)).success();
    }
    let _ = hooks
        .event("PostToolUse", json!({"tool_name": "x", "tool_response": {"sessionId": "y", "timestamp": 1}}));
    let sessions = env.run(BIN, &["status", "--all", "--json"]).success();
    assert!(sessions.stdout.contains(SESSION), "{sessions}");
    let doctor = env.run(BIN, &["doctor"]).stdout;
    assert!(!doctor.contains("Called by"), "{doctor}");
}
