//! What every client gets, through the program: the same session, written and called in each client's own way. Faults and
//! attacks are in `faults/clients.rs` and `hostile/clients.rs`, the real clients in `real_*.rs`.

use std::os::unix::fs::PermissionsExt;

use catchword_engine::clients::CLIENTS;
use catchword_testkit::secrets::secrets;
use catchword_testkit::{ClientSessions, CommandOutput, SESSIONS, SessionStep, TestEnv, files, find_briefs};
use serde_json::{Value, json};

pub(crate) const BIN: &str = env!("CARGO_BIN_EXE_catchword");
pub(crate) const RULE: &str = "Never touch the lock file.";
pub(crate) const FAILING: &str = "cargo test -p parser";
pub(crate) const ERROR: &str = "error: expected `;`";
pub(crate) const TASK: &str = "write the parser";
const SUMMARY: &str =
    "The defect was looked at and something was done about it, but nobody knows what exactly.";

/// A session of one client, and its hooks.
pub(crate) struct Played<'a> {
    pub(crate) env: &'a TestEnv,
    pub(crate) of: ClientSessions,
    pub(crate) id: String,
}

impl<'a> Played<'a> {
    pub(crate) fn new(env: &'a TestEnv, of: ClientSessions, number: u8) -> Self {
        Played { env, of, id: of.id(number) }
    }

    pub(crate) fn wrote(&self, steps: &[SessionStep]) {
        self.of.write(self.env, &self.id, steps);
    }

    pub(crate) fn payload(&self, event: &str, more: Value) -> String {
        let mut payload = json!({"hook_event_name": event, "session_id": self.id, "cwd": self.env.project(),
            "transcript_path": (self.of.path)(self.env, &self.id), "prompt": "Go on."});
        if let (Value::Object(all), Value::Object(more)) = (&mut payload, more) {
            all.extend(more);
        }
        payload.to_string()
    }

    pub(crate) fn hook(&self, event: &str, more: Value) -> CommandOutput {
        self.env.run_with_stdin(BIN, &["hook", self.of.client], self.payload(event, more)).success()
    }

    /// The event with which the model can be given something after a compaction.
    pub(crate) fn brings(&self) -> (&'static str, Value) {
        let (event, more) = self.of.brings;
        (event, serde_json::from_str(more).expect("JSON"))
    }

    /// What the model gets of a compaction after these steps.
    pub(crate) fn compacted(&self, steps: &[SessionStep]) -> String {
        self.wrote(steps);
        let _ = self.hook("PreCompact", json!({"trigger": "auto"}));
        self.wrote(&[steps, &[SessionStep::Compaction(SUMMARY.into())]].concat());
        let (event, more) = self.brings();
        for_model(&self.hook(event, more))
    }

    /// A tool has run.
    fn tools(&self) -> CommandOutput {
        let batch = ["claude-code", "qwen"].contains(&self.of.client);
        self.hook(if batch { "PostToolBatch" } else { "PostToolUse" }, json!({"tool_name": "x"}))
    }

    fn run(&self, args: &[&str]) -> String {
        self.env.run(BIN, args).success().stdout
    }
}

/// The text for the model in a hook's answer, in whatever form a client takes it.
pub(crate) fn for_model(output: &CommandOutput) -> String {
    let answer: Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    let given = [&answer["hookSpecificOutput"]["additionalContext"], &answer["additionalContext"]];
    given.into_iter().find_map(Value::as_str).unwrap_or_default().to_owned()
}

pub(crate) fn runs(command: &str, exit: i32, printed: &str) -> SessionStep {
    SessionStep::Runs { command: command.into(), exit, printed: printed.into() }
}

/// A request with a rule, a task, and a command that fails.
pub(crate) fn worked() -> Vec<SessionStep> {
    vec![
        SessionStep::Prompt(format!("Add a parser. {RULE}")),
        SessionStep::Task(TASK.into()),
        runs(FAILING, 101, ERROR),
        SessionStep::Says("I go on.".into()),
    ]
}

#[test]
fn a_compaction_is_answered_once_and_recorded_with_what_it_lost() {
    for of in SESSIONS {
        let env = TestEnv::new();
        let played = Played::new(&env, of, 1);
        let brief = played.compacted(&worked());
        let name = of.client;
        assert_eq!(find_briefs(&brief).len(), 1, "{name}: {brief}");
        assert!(brief.contains(FAILING) && brief.contains(ERROR), "{name}: {brief}");
        assert_eq!(brief.contains("## Open work"), of.has_tasks, "{name}: {brief}");
        let status = played.run(&["status", "--all", "--json"]);
        assert!(status.contains(&format!("\"client\": \"{name}\"")) && status.contains(FAILING), "{status}");
        let lost = played.run(&["lost", &played.id, "1"]);
        assert!(lost.contains(FAILING), "{name}: {lost}");
    }
}

/// Its agent notes something, its past is searched, copied, handed over, taken from the copy and forgotten.
#[test]
fn every_command_knows_a_session_of_every_client() {
    for of in SESSIONS {
        let mut env = TestEnv::new();
        let name = of.client;
        let id = of.id(1);
        Played::new(&env, of, 1).wrote(&worked());
        {
            let played = Played::new(&env, of, 1);
            let _ = played.hook("SessionStart", json!({"source": "startup"}));
            let _ = played.hook("Stop", json!({}));
            let run = |args: &[&str]| played.run(args);
            let found = run(&["search", "--json", "lock file"]);
            assert!(found.contains(&id) && found.contains(RULE), "{name}: {found}");
            let place = found.split("\"place\": \"").nth(1).and_then(|rest| rest.split('"').next());
            let place = place.expect("a place");
            assert!(run(&["recall", place, "--session", &id]).contains(RULE), "{name}");
            let handoff = run(&["handoff", &id]);
            assert!(handoff.contains(ERROR) && handoff.contains("## CONTINUE BY"), "{name}: {handoff}");
            let _ = run(&["note", "--session", &id, "The clock is flaky."]);
            assert!(run(&["brief", &id]).contains("The clock is flaky."), "{name}");
            let _ = run(&["backup", "--all"]);
            let backups = run(&["backup", "--list", "--json"]);
            assert!(backups.contains(&id), "{name}: {backups}");
        }
        // The original is gone.
        let path = of.file(&env, &id);
        let moved = path.with_extension("gone");
        std::fs::rename(&path, &moved).expect("the test's own file");
        env.set_var("NO_COLOR", "1");
        let played = Played::new(&env, of, 1);
        let copy = env.root().join("copy.jsonl");
        let restored = env.run(BIN, &["restore", &id, "--to", &copy.to_string_lossy()]);
        assert!(restored.status.success(), "{name}: {restored}");
        assert!(files::read(&copy).contains("Never touch the lock file"), "{name}");
        std::fs::remove_file(&copy).expect("made above");
        std::fs::remove_file(&moved).expect("made above");
        let _ = played.run(&["forget", "--session", &id, "--yes"]);
        assert!(crate::privacy::is_nowhere(&env, &[RULE, "clock is flaky", ERROR]), "{name}");
    }
}

#[test]
fn the_gauge_knows_what_is_used_and_where_the_client_compacts() {
    for of in SESSIONS {
        let env = TestEnv::new();
        let played = Played::new(&env, of, 1);
        played.wrote(&worked());
        let reported = json!({"model": "fake-model", "context_window": 100_000});
        let _ = played.hook("Stop", reported);
        let status: Value = serde_json::from_str(&played.run(&["status", "--json"])).expect("JSON");
        let used = &status[0]["context"]["used"]["tokens"];
        assert!(used.as_u64().is_some_and(|tokens| tokens > 0), "{}: {status:#}", of.client);
        let threshold = &status[0]["context"]["threshold"]["tokens"];
        assert!(threshold.as_u64() > used.as_u64(), "{}: {status:#}", of.client);
    }
}

#[test]
fn the_next_session_is_told_what_the_last_one_left() {
    for of in SESSIONS {
        let env = TestEnv::new();
        let first = Played::new(&env, of, 1);
        first.wrote(&worked());
        let told = for_model(&first.hook("SessionStart", json!({"source": "startup"})));
        assert_eq!(told, "", "{}", of.client);
        let _ = first.hook("Stop", json!({}));
        let _ = first.hook("SessionEnd", json!({"reason": "other"}));
        let next = Played::new(&env, of, 2);
        let told = for_model(&next.hook("SessionStart", json!({"source": "startup"})));
        assert!(told.contains("Add a parser."), "{}: {told}", of.client);
        assert!(told.contains(&first.id[..8]), "{}: {told}", of.client);
    }
}

#[test]
fn a_failure_that_was_solved_before_is_told_once() {
    for of in SESSIONS {
        let env = TestEnv::new();
        let first = Played::new(&env, of, 1);
        let error = "Error: Cannot resolve plugin '@scales/grams'";
        let fails = || runs("npm run build", 1, error);
        first.wrote(&[
            SessionStep::Prompt("Build it.".into()),
            fails(),
            runs("npm i -D @scales/grams", 0, "added 1 package"),
            runs("npm run build", 0, "built in 2s"),
            SessionStep::Says("Done.".into()),
        ]);
        let _ = first.hook("Stop", json!({}));
        let second = Played::new(&env, of, 2);
        second.wrote(&[SessionStep::Prompt("Build it.".into()), fails()]);
        let told = for_model(&second.tools());
        assert!(told.starts_with("catchword, from the record of this repository"), "{}: {told}", of.client);
        assert!(told.contains("npm i -D @scales/grams"), "{}: {told}", of.client);
        assert_eq!(for_model(&second.tools()), "", "{}: once", of.client);
    }
}

/// All at once in one folder and one home, their hooks in turn: each is given its own record.
#[test]
fn sessions_of_all_clients_in_one_project_are_not_mixed() {
    let env = TestEnv::new();
    let own = |of: &ClientSessions| format!("make {}-only", of.client);
    let steps = |of: &ClientSessions| {
        let asked = format!("Please fix the {}-only defect in the parser. {RULE}", of.client);
        vec![SessionStep::Prompt(asked), runs(&own(of), 2, ERROR), SessionStep::Says("I go on.".into())]
    };
    let all: Vec<Played> = SESSIONS.iter().map(|of| Played::new(&env, *of, 1)).collect();
    for event in ["SessionStart", "UserPromptSubmit", "PreCompact"] {
        for played in &all {
            played.wrote(&steps(&played.of));
            let said = for_model(&played.hook(event, json!({"source": "startup", "trigger": "auto"})));
            for other in SESSIONS.iter().filter(|other| other.client != played.of.client) {
                assert!(!said.contains(&own(other)), "{}: {said}", played.of.client);
            }
        }
    }
    for played in &all {
        played.wrote(&[&steps(&played.of)[..], &[SessionStep::Compaction(SUMMARY.into())]].concat());
    }
    for played in &all {
        let (event, more) = played.brings();
        let brief = for_model(&played.hook(event, more));
        assert!(brief.contains(&own(&played.of)), "{}: {brief}", played.of.client);
        for other in SESSIONS.iter().filter(|other| other.client != played.of.client) {
            let (name, of_other) = (played.of.client, own(other));
            assert!(!brief.contains(&of_other), "{name} has {of_other}: {brief}");
        }
    }
    let doctor = env.run(BIN, &["doctor"]).stdout;
    assert!(!doctor.contains("Called by"), "each is known: {doctor}");
}

/// A secret in each place where a session has text is in no file and no answer.
#[test]
fn secrets_are_masked_for_every_client() {
    let all = secrets();
    for of in SESSIONS {
        let env = TestEnv::new();
        let played = Played::new(&env, of, 1);
        let mut steps = worked();
        for (n, secret) in all.iter().enumerate() {
            let text = secret.text.clone();
            steps.push(match n % 6 {
                0 => SessionStep::Prompt(format!("Please remember:\n{text}")),
                1 => SessionStep::Says(format!("It is:\n{text}")),
                2 => runs(&format!("cat page-{n}"), 1, &text),
                3 => SessionStep::Task(format!("use {text}")),
                4 => SessionStep::Reads { path: format!("/home/user/project/{n}.txt"), printed: text },
                _ => SessionStep::Helper(format!("Use\n{text}")),
            });
        }
        let mut said = played.compacted(&steps);
        for event in ["Stop", "SessionEnd"] {
            said.push_str(&played.hook(event, json!({})).stdout);
        }
        for args in [&["handoff", &played.id][..], &["status", "--all", "--json"], &["lost", "--all"]] {
            said.push_str(&played.run(args));
        }
        assert!(said.contains("[masked"), "{}: {said}", of.client);
        for secret in &all {
            assert!(!said.contains(&secret.secret), "{}: {}", of.client, secret.text);
        }
        let hidden: Vec<&str> = all.iter().map(|secret| secret.secret.as_str()).collect();
        assert!(crate::privacy::is_nowhere(&env, &hidden), "{}", of.client);
    }
}

/// Qwen Code keeps the rows of subagents in files of their own, beside the folder with the chats.
#[test]
fn a_subagents_file_of_qwen_belongs_to_its_session() {
    let env = TestEnv::new();
    let of = SESSIONS.into_iter().find(|of| of.client == "qwen").expect("a client");
    let played = Played::new(&env, of, 1);
    played.wrote(&worked());
    let chat = of.file(&env, &played.id);
    let folder = chat.parent().expect("chats").with_file_name("subagents").join(&played.id);
    let row = json!({"uuid": "a", "sessionId": played.id, "type": "user", "cwd": env.project(),
        "agentId": "general-purpose-call_1", "isSidechain": true,
        "message": {"role": "user", "parts": [{"text": "Look for the walrus."}]}});
    files::write(folder.join("agent-general-purpose-call_1.jsonl"), format!("{row}\n"));
    let _ = played.run(&["index"]);
    let listed = env.run(BIN, &["status", "--all", "--json"]).json();
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
    assert_eq!((&listed[0]["client"], &listed[0]["subagents"]), (&"qwen".into(), &1.into()), "{listed}");
    let found = played.run(&["search", "--json", "walrus"]);
    assert!(found.contains("general-purpose-call_1"), "{found}");
    assert!(!played.compacted(&worked()).contains("walrus"), "it is not in the session's own record");
    let _ = played.run(&["forget", "--session", &played.id, "--yes"]);
    assert!(crate::privacy::is_nowhere(&env, &["walrus"]));
}

/// What `init` installs is found, for the version that is there, and so is the call of a hook.
#[test]
fn doctor_knows_the_setup_of_every_client() {
    for client in CLIENTS {
        let mut env = TestEnv::new();
        let folder = env.root().join("bin");
        let program = folder.join(client.setup.program);
        let version = client.setup.oldest.map(|n| n.to_string()).join(".");
        files::write(&program, format!("#!/bin/sh\necho {version}\n"));
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).expect("the test's own file");
        env.set_var("PATH", format!("{}:/usr/bin:/bin", folder.display()));
        let _ = env.run(BIN, &["init", "--agent", client.name, "--yes"]).success();
        let of = SESSIONS.into_iter().find(|of| of.client == client.name).expect("a client");
        let played = Played::new(&env, of, 1);
        played.wrote(&worked());
        let _ = played.hook("Stop", json!({}));
        let doctor = env.run(BIN, &["doctor", "--json"]).json();
        let checks = doctor["checks"].as_array().expect("checks");
        let said = |check: &Value| check["says"].as_str().unwrap_or_default().to_owned();
        let all: Vec<String> = checks.iter().map(said).collect();
        let count = client.setup.hooks.events.len();
        for wanted in [version, format!("{count} hooks in "), "The latest hook, Stop, ran at".to_owned()] {
            assert!(all.iter().any(|says| says.contains(&wanted)), "{}: {wanted}: {all:#?}", client.name);
        }
    }
}
