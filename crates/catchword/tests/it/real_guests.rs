//! Scenes that every newer client plays: the real Copilot CLI, Qwen Code, pi, OpenCode and Kilo, each with what
//! `catchword init` installs. What only one of them does is in `real_chat.rs` and `real_opencode.rs`.

use catchword_testkit::{
    ChatAnswer, ChatRequest, ChatScript, FakeChat, RealCopilot, RealOpenCode, RealPi, RealQwen, Skip,
    TestEnv, files, find_briefs,
};
use serde_json::json;

use super::moments::BEGINS;
use super::real_chat::{
    ERROR, FAILING, FULL, PROMPT, ROWS_ARE_WRITTEN, RULE, after_summary, catchword, project,
};

/// A real client, called in one way.
enum Guest {
    Copilot(RealCopilot),
    Qwen(RealQwen),
    Pi(RealPi),
    Log(RealOpenCode),
}

impl Guest {
    fn name(&self) -> &'static str {
        match self {
            Guest::Copilot(_) => "copilot",
            Guest::Qwen(_) => "qwen",
            Guest::Pi(_) => "pi",
            Guest::Log(client) => client.name,
        }
    }

    /// The agent runs this. Some clients write their rows late.
    fn shell(&self, command: &str) -> ChatAnswer {
        let input = json!({"command": command, "description": "d", "is_background": false});
        match self {
            Guest::Copilot(_) => ChatAnswer::call("bash", input).after(ROWS_ARE_WRITTEN),
            Guest::Qwen(_) => ChatAnswer::call("run_shell_command", input),
            Guest::Pi(_) => ChatAnswer::call("bash", json!({"command": command})),
            Guest::Log(_) => ChatAnswer::call("bash", json!({"command": command, "description": "d"})),
        }
    }

    /// What the summariser answers, as the client wants it.
    fn script(&self) -> ChatScript {
        let words = "Some work was done and it should go on.";
        ChatScript::new(&match self {
            Guest::Copilot(_) => {
                format!("<overview>{words}</overview><checkpoint_title>Porting</checkpoint_title>")
            }
            Guest::Qwen(_) => {
                format!("<state_snapshot><overall_goal>{words}</overall_goal></state_snapshot>")
            }
            Guest::Pi(_) | Guest::Log(_) => words.to_owned(),
        })
    }

    /// A home with the client and what `init` installs, and the API.
    fn stage(&self, env: &TestEnv, script: ChatScript) -> FakeChat {
        let api = FakeChat::start(script);
        match self {
            Guest::Copilot(_) => {}
            Guest::Qwen(client) => client.configure(env),
            Guest::Pi(client) => client.configure(env, &api),
            Guest::Log(client) => client.configure(env, &api),
        }
        let _ = catchword(env, &["init", "--agent", self.name(), "--yes"]);
        api
    }

    fn prompt(&self, env: &TestEnv, api: &FakeChat, args: &[&str], prompt: &str) -> String {
        match self {
            Guest::Copilot(client) => client.prompt(env, api, args, prompt),
            Guest::Qwen(client) => client.prompt(env, api, args, prompt),
            Guest::Pi(client) => client.prompt(env, args, prompt),
            Guest::Log(client) => client.prompt(env, args, prompt),
        }
    }
}

/// Runs a scene with each of these clients, in tests of their own.
macro_rules! scenes {
    ($($scene:ident: $($test:ident = $guest:expr),+ $(,)?;)+) => {$($(
        #[test]
        fn $test() {
            match $guest {
                Ok(guest) => $scene(&guest),
                Err(skip) => Skip::say(&skip, module_path!()),
            }
        }
    )+)+};
}

scenes! {
    each_of_two_compactions_is_answered:
        copilot_is_given_the_record_of_each_of_two_compactions = RealCopilot::get().map(Guest::Copilot),
        qwen_is_given_the_record_of_each_of_two_compactions = RealQwen::get().map(Guest::Qwen);
    works_without_a_store:
        a_store_that_cannot_be_written_harms_nobody_in_copilot = RealCopilot::get().map(Guest::Copilot),
        a_store_that_cannot_be_written_harms_nobody_in_qwen = RealQwen::get().map(Guest::Qwen),
        a_store_that_cannot_be_written_harms_nobody_in_pi = RealPi::get().map(Guest::Pi),
        a_store_that_cannot_be_written_harms_nobody_in_kilo = RealOpenCode::kilo().map(Guest::Log);
    the_next_session_is_told:
        the_next_copilot_session_is_told_of_the_last_one = RealCopilot::get().map(Guest::Copilot),
        the_next_qwen_session_is_told_of_the_last_one = RealQwen::get().map(Guest::Qwen),
        the_next_pi_session_is_told_of_the_last_one = RealPi::get().map(Guest::Pi),
        the_next_opencode_session_is_told_of_the_last_one = RealOpenCode::get().map(Guest::Log);
    a_fork_goes_on_with_one_record:
        a_fork_of_qwen_goes_on_with_one_record = RealQwen::get().map(Guest::Qwen),
        a_fork_of_pi_goes_on_with_one_record = RealPi::get().map(Guest::Pi),
        a_fork_of_opencode_goes_on_with_one_record = RealOpenCode::get().map(Guest::Log);
    tools_write_into_the_session:
        tools_of_copilot_write_into_its_session = RealCopilot::get().map(Guest::Copilot),
        tools_of_opencode_write_into_its_session = RealOpenCode::get().map(Guest::Log);
    a_note_takes_no_turn:
        a_note_typed_in_copilot_takes_no_turn = RealCopilot::get().map(Guest::Copilot),
        a_note_typed_in_qwen_takes_no_turn = RealQwen::get().map(Guest::Qwen),
        a_note_typed_in_pi_takes_no_turn = RealPi::get().map(Guest::Pi);
}

fn each_of_two_compactions_is_answered(guest: &Guest) {
    let env = project();
    let script = guest
        .script()
        .turn(guest.shell("sh ./check.sh"))
        .turn(guest.shell("ls src vendor").context_tokens(FULL))
        .turn(guest.shell("echo after the first"))
        .turn(guest.shell("echo later"))
        .turn(guest.shell("ls vendor").context_tokens(FULL))
        .turn(guest.shell("echo after the second"))
        .turn(guest.shell("echo still later"))
        .turn(ChatAnswer::text("All done."));
    let api = guest.stage(&env, script);
    let _ = guest.prompt(&env, &api, &[], PROMPT);
    assert_eq!(api.turns_left(), 0);
    let requests = api.requests();
    let summaries: Vec<usize> = (0..requests.len()).filter(|at| requests[*at].is_summary).collect();
    assert_eq!(summaries.len(), 2);
    for (at, from) in summaries.iter().enumerate() {
        let until = summaries.get(at + 1).copied().unwrap_or(requests.len());
        let last = requests[from + 1..until].last().expect("requests after a summary").conversation();
        let briefs = find_briefs(&last);
        assert_eq!(briefs.len(), 1, "compaction {at}: {last}");
        assert!(briefs[0].contains(FAILING) && briefs[0].contains(ERROR), "compaction {at}: {last}");
        assert_eq!(last.matches(RULE).count(), 1, "compaction {at}: {last}");
    }
    let given = catchword(&env, &["lost", "--all", "--json"]).stdout;
    assert!(!given.contains("not seen"), "the transcript shows that both arrived: {given}");
}

fn works_without_a_store(guest: &Guest) {
    let mut env = project();
    let script = guest
        .script()
        .turn(guest.shell("sh ./check.sh"))
        .turn(guest.shell("seq 1 300").context_tokens(FULL))
        .turn(guest.shell("echo after"))
        .turn(ChatAnswer::text("All done."));
    let api = guest.stage(&env, script);
    // A file where the directory should be: that stops even root.
    let blocked = env.root().join("blocked");
    files::write(&blocked, "");
    env.set_var("CATCHWORD_HOME", &blocked);
    let printed = guest.prompt(&env, &api, &[], PROMPT);
    assert!(printed.contains("All done."), "{printed}");
    assert_eq!(api.turns_left(), 0);
    let after = after_summary(&api);
    assert!(after.iter().all(|request| find_briefs(&request.conversation()).len() <= 1));
}

/// What the last one left, at the start; and how a failure was solved there, with the first that is the same.
fn the_next_session_is_told(guest: &Guest) {
    let env = project();
    env.write(
        "weigh.sh",
        "test -f scales.ini && echo 'All checks passed' && exit 0\necho \"Error: Cannot resolve plugin 'weigh_grams'\"\nsleep 0.5\nexit 1\n",
    );
    let script = guest
        .script()
        .turn(guest.shell("sh ./weigh.sh"))
        .turn(guest.shell("cp src/parser.txt scales.ini"))
        .turn(guest.shell("sh ./weigh.sh"))
        .turn(guest.shell("sh ./check.sh"))
        .turn(ChatAnswer::text("The check fails still.").after(ROWS_ARE_WRITTEN))
        .turn(guest.shell("rm scales.ini"))
        .turn(guest.shell("sh ./weigh.sh"))
        .turn(guest.shell("echo next"))
        .turn(guest.shell("echo and next"))
        .turn(ChatAnswer::text("It fails."));
    let api = guest.stage(&env, script);
    let _ = guest.prompt(&env, &api, &[], PROMPT);
    let before = api.requests().len();
    let _ = guest.prompt(&env, &api, &[], "Weigh it again.");
    assert_eq!(api.turns_left(), 0);
    let requests = &api.requests()[before..];
    let whole = |request: &ChatRequest| request.body.to_string();
    let at_start = whole(&requests[0]);
    for told in ["From earlier sessions in this repository", RULE, "`sh ./weigh.sh`"] {
        assert!(at_start.contains(told), "{}: {told} in {at_start}", guest.name());
    }
    let last = whole(requests.last().expect("requests"));
    assert_eq!(last.matches(BEGINS).count(), 1, "{}: {last}", guest.name());
    assert!(last.contains("after: new text of scales.ini"), "{}: {last}", guest.name());
}

fn a_fork_goes_on_with_one_record(guest: &Guest) {
    let env = project();
    let script = guest
        .script()
        .turn(guest.shell("sh ./check.sh"))
        .turn(guest.shell("seq 1 300").context_tokens(FULL))
        .turn(guest.shell("echo after"))
        .turn(guest.shell("echo later"))
        .turn(ChatAnswer::text("All done."))
        .turn(guest.shell("echo in the fork"))
        .turn(ChatAnswer::text("Forked."));
    let api = guest.stage(&env, script);
    let _ = guest.prompt(&env, &api, &[], PROMPT);
    let listed = catchword(&env, &["status", "--all", "--json"]).json();
    let id = listed[0]["id"].as_str().expect("a session").to_owned();
    let args: &[&str] = match guest {
        Guest::Pi(_) => &["--fork", &id],
        Guest::Log(_) => &["--continue", "--fork"],
        _ => &["--continue", "--fork-session"],
    };
    let _ = guest.prompt(&env, &api, args, "Go on in the fork.");
    assert_eq!(api.turns_left(), 0);
    let last = api.requests().last().expect("requests").conversation();
    let briefs = find_briefs(&last);
    assert_eq!(briefs.len(), 1, "{last}");
    assert!(briefs[0].contains(FAILING) && briefs[0].contains(ERROR), "{last}");
    let listed = catchword(&env, &["status", "--all", "--json"]).json();
    assert_eq!(listed.as_array().map(Vec::len), Some(2), "the fork is a session of its own: {listed}");
}

fn a_note_takes_no_turn(guest: &Guest) {
    let env = project();
    let api = guest.stage(&env, guest.script().turn(ChatAnswer::text("Hello.")));
    let _ = guest.prompt(&env, &api, &[], PROMPT);
    let before = api.requests().len();
    let (args, note) = (&["--continue"][..], "catchword:note the clock is flaky");
    let _ = match guest {
        Guest::Copilot(client) => client.stopped_prompt(&env, &api, args, note),
        _ => guest.prompt(&env, &api, args, note),
    };
    assert_eq!(api.requests().len(), before, "no request");
    let notes = catchword(&env, &["note", "--json"]).stdout;
    assert!(notes.contains(r#""user: \"the clock is flaky\"""#), "{notes}");
}

/// Each has its own failure, and none of another's.
#[test]
fn real_clients_in_one_project_are_kept_apart() {
    let env = project();
    let guests = [
        RealCopilot::get().map(Guest::Copilot),
        RealQwen::get().map(Guest::Qwen),
        RealPi::get().map(Guest::Pi),
        RealOpenCode::get().map(Guest::Log),
        RealOpenCode::kilo().map(Guest::Log),
    ];
    let mut guests_there = Vec::new();
    for guest in guests {
        match guest {
            Ok(guest) => guests_there.push(guest),
            Err(skip) => return Skip::say(&skip, module_path!()),
        }
    }
    let error = |guest: &Guest| format!("E-{}: token table mismatch", guest.name());
    for guest in &guests_there {
        let check = format!("check-{}.sh", guest.name());
        env.write(&check, &format!("echo '{}'\nsleep 0.5\nexit 3\n", error(guest)));
        let script = guest
            .script()
            .turn(guest.shell(&format!("sh ./{check}")))
            .turn(guest.shell("seq 1 300").context_tokens(FULL))
            .turn(guest.shell("echo after"))
            .turn(guest.shell("echo later"))
            .turn(ChatAnswer::text("All done."));
        let api = guest.stage(&env, script);
        let _ = guest.prompt(&env, &api, &[], PROMPT);
        let last = api.requests().last().expect("requests").conversation();
        let briefs = find_briefs(&last);
        assert!(briefs.iter().any(|brief| brief.contains(&error(guest))), "{}: {last}", guest.name());
        let mut compacted = briefs.iter().filter(|brief| brief.contains(&error(guest)));
        let brief = compacted.next().expect("looked for above");
        for other in guests_there.iter().filter(|other| other.name() != guest.name()) {
            assert!(!brief.contains(&error(other)), "{} has {}: {brief}", guest.name(), other.name());
        }
    }
    let listed = catchword(&env, &["status", "--all", "--json"]).json();
    let marked: std::collections::BTreeSet<&str> =
        listed.as_array().into_iter().flatten().filter_map(|one| one["client"].as_str()).collect();
    assert_eq!(marked, guests_there.iter().map(Guest::name).collect(), "{listed}");
}

/// The agent notes something with our server's tool, after another session was here.
fn tools_write_into_the_session(guest: &Guest) {
    let env = project();
    let tool = match guest {
        Guest::Copilot(_) => "catchword-note",
        _ => "catchword_note",
    };
    let script = guest
        .script()
        .turn(ChatAnswer::text("The first."))
        .turn(guest.shell("ls"))
        .turn(ChatAnswer::call(tool, json!({"text": "the clock is flaky"})))
        .turn(ChatAnswer::text("Noted."));
    let api = guest.stage(&env, script);
    let _ = guest.prompt(&env, &api, &[], "Say hello.");
    let _ = guest.prompt(&env, &api, &[], PROMPT);
    assert_eq!(api.turns_left(), 0);
    let listed = catchword(&env, &["status", "--all", "--json"]).json();
    let ids: Vec<&str> =
        listed.as_array().into_iter().flatten().filter_map(|one| one["id"].as_str()).collect();
    let noted = ids.iter().map(|id| catchword(&env, &["note", "--session", id, "--json"]).stdout);
    let noted: Vec<bool> = noted.map(|notes| notes.contains("the clock is flaky")).collect();
    let last = api.requests().last().expect("requests").body.to_string();
    assert_eq!(noted.first(), Some(&true), "the latest is the first of the list: {last}");
    assert!(!noted[1..].contains(&true), "{last}");
}
