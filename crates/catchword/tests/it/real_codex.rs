//! The real Codex, compacting for real, with the hooks that `catchword init --agent codex` installs.
//!
//! The tests look into the requests the client sent: after a compaction the next one has what the model would lack,
//! once and whole; none before has anything of ours.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use catchword_testkit::{
    BRIEF_START, CodexAnswer, CodexAsked, CodexRequest, CodexScript, FakeAnswer, FakeApi, FakeResponses,
    Provider, RealCodex, Script, TestEnv, ToolMode, files, find_briefs, real_client_or_skip,
    real_codex_or_skip, rollouts,
};
use serde_json::{Value, json};

/// Above the limit for automatic compaction.
const FULL: u64 = 180_000;
const PROMPT: &str = "Port src/parser.txt to the new token table. Never edit vendor/legacy.txt, it belongs to another \
    team. Run ./check.sh when you are done.";
const RULE: &str = "Never edit vendor/legacy.txt";
const STEP: &str = "wire the lexer to the new token table";
const EDITED: &str = "src/parser.txt";
const FAILING: &str = "./check.sh";
const ERROR: &str = "E4417: token table mismatch";
const SUMMARY: &str = "Some work was done and it should go on.";

struct CodexWorld {
    client: RealCodex,
    env: TestEnv,
}

impl CodexWorld {
    /// Installed as a person does it, and approved.
    fn new(client: &RealCodex, api: &FakeResponses, provider: Provider) -> CodexWorld {
        let world = CodexWorld::unapproved(client, api, provider);
        client.approve_hooks(&world.env);
        world
    }

    fn unapproved(client: &RealCodex, api: &FakeResponses, provider: Provider) -> CodexWorld {
        let world = CodexWorld::in_project(TestEnv::new(), client, api, provider);
        let _ = world.catchword(&["init", "--agent", "codex", "--yes"]);
        world
    }

    /// The first answer after a compaction does not reach the client.
    fn losing_the_brief(client: &RealCodex, api: &FakeResponses) -> CodexWorld {
        let world = CodexWorld::unapproved(client, api, Provider::Own);
        let hooks = world.env.home().join(".codex/hooks.json");
        let mut entries: Value = serde_json::from_str(&files::read(&hooks)).unwrap();
        let handler = &mut entries["hooks"]["SessionStart"][0]["hooks"][0]["command"];
        *handler = format!("{} >/dev/null", handler.as_str().unwrap()).into();
        files::write(&hooks, entries.to_string());
        client.approve_hooks(&world.env);
        world
    }

    fn in_project(env: TestEnv, client: &RealCodex, api: &FakeResponses, provider: Provider) -> CodexWorld {
        env.write("src/parser.txt", "table = old\nlexer = old\nend\n");
        env.write("vendor/legacy.txt", "legacy\n");
        env.write("check.sh", "echo 'E4417: token table mismatch in src/parser.txt line 2'\nexit 3\n");
        client.configure(&env, api, provider);
        CodexWorld { client: client.clone(), env }
    }

    fn catchword(&self, args: &[&str]) -> catchword_testkit::CommandOutput {
        self.env.run(env!("CARGO_BIN_EXE_catchword"), args).success()
    }
}

const COMPACTED: [CodexAsked; 2] = [CodexAsked::Summary, CodexAsked::OpaqueSummary];

/// Every whole brief of the first turn after each compaction; none may be anywhere before the first.
#[track_caller]
fn briefs_after_compactions(api: &FakeResponses) -> Vec<String> {
    let requests = api.requests();
    let is_summary = |asked| COMPACTED.contains(&asked);
    let first = requests.iter().position(|request| is_summary(request.asked)).expect("a compaction");
    for before in &requests[..=first] {
        assert!(!before.conversation().contains(BRIEF_START), "nothing is said before a compaction");
    }
    let mut briefs = Vec::new();
    for pair in requests.windows(2).filter(|pair| is_summary(pair[0].asked)) {
        let text = pair[1].conversation();
        let found = find_briefs(&text);
        assert_eq!(found.len(), 1, "one brief after a compaction: {text}");
        for once in [RULE, ERROR] {
            assert_eq!(text.matches(once).count(), 1, "{once:?} is there once: {text}");
        }
        briefs.extend(found);
    }
    briefs
}

/// A plan, an edited file and a failing check; the context is full after it.
fn work() -> CodexScript {
    let steps = [("read the old parser", "completed"), (STEP, "in_progress"), ("rerun check.sh", "pending")];
    CodexScript::new()
        .turn(CodexAnswer::plan(&steps))
        .turn(CodexAnswer::run("cat src/parser.txt"))
        .turn(CodexAnswer::patch(
            "*** Update File: src/parser.txt\n@@\n-table = old\n+table = new\n lexer = old",
        ))
        .turn(CodexAnswer::run("sh ./check.sh"))
        .turn(CodexAnswer::run("ls src vendor").context_tokens(FULL))
        .summary(SUMMARY)
}

#[track_caller]
fn assert_work_is_in(brief: &str) {
    for wanted in [STEP, EDITED, FAILING, ERROR] {
        assert!(brief.contains(wanted), "{wanted:?} is not in {brief}");
    }
    assert_eq!(brief.matches(STEP).count(), 1, "the step is named once: {brief}");
    assert!(!brief.contains(RULE), "the client keeps the person's messages: {brief}");
    assert!(brief.len() <= 9_500, "{} bytes", brief.len());
}

#[test]
fn automatic_compaction_in_a_tool_loop_gives_the_record_back_in_both_tool_modes() {
    let client = real_codex_or_skip!();
    for mode in [ToolMode::Code, ToolMode::Direct] {
        let script = work().turn(CodexAnswer::run("echo after")).turn(CodexAnswer::text("All done."));
        let api = FakeResponses::start(mode, script);
        let world = CodexWorld::new(&client, &api, Provider::Own);
        let thread = world.client.exec(&world.env, &[PROMPT]).success().thread();
        assert_eq!(api.turns_left(), 0, "{mode:?}");
        let briefs = briefs_after_compactions(&api);
        assert_eq!(briefs.len(), 1, "{mode:?}");
        assert_work_is_in(&briefs[0]);
        let status = world.catchword(&["status", "--json"]);
        assert!(status.stdout.contains(&thread), "{status}");
        let arrived = files::read(&rollouts(&world.env)[0]).contains("hooks.additional_context");
        assert!(arrived, "the rollout records what the hook gave");
    }
}

/// Versions before 0.147 or so wrote no items: what they called stands only in the scripts. The same rollout without its
/// items and numbers must tell the same commands, and of each the end that the script prints.
#[test]
fn scripts_tell_what_the_items_of_the_client_tell() {
    let client = real_codex_or_skip!();
    let script = CodexScript::new()
        .turn(CodexAnswer::script(
            "const r = await tools.exec_command({cmd:\"sh ./check.sh\",\"yield_time_ms\":10000}); text(r.output); text(`exit:${r.exit_code}`);",
        ))
        .turn(CodexAnswer::script(
            "const results = await Promise.all([\n  tools.exec_command({cmd:`cat ${'src'}/parser.txt`}),\n  tools.exec_command({cmd: 'ls ' + \"vendor\"})\n]);\n\
             results.forEach((r,i)=>{text(`---RESULT ${i+1}---`); text(r.output); if(r.session_id) text(`ID=${r.session_id}`)});",
        ))
        .turn(CodexAnswer::script("for (const cmd of ['echo one', 'echo two']) text(await tools.exec_command({cmd}));"))
        .turn(CodexAnswer::text("All done."));
    let api = FakeResponses::start(ToolMode::Code, script);
    let world = CodexWorld::new(&client, &api, Provider::Own);
    let _ = world.client.exec(&world.env, &[PROMPT]).success();
    let path = rollouts(&world.env)[0].clone();
    let rows: Vec<Value> =
        files::read(&path).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let items: Vec<&Value> = rows.iter().map(|row| &row["payload"]["item"]).collect();
    let mut ran: Vec<String> = items
        .iter()
        .filter(|item| item["type"] == "CommandExecution")
        .map(|item| item["command"][2].as_str().unwrap().to_owned())
        .collect();
    let mut old = String::new();
    for mut row in rows.into_iter().filter(|row| row["payload"]["type"] != "item_completed") {
        row.as_object_mut().unwrap().remove("ordinal");
        writeln!(old, "{row}").unwrap();
    }
    let name = path.file_name().unwrap();
    let copied = world.env.home().join("old").join(name);
    files::write(&copied, old);
    let replay = world.catchword(&["handoff", "--replay", "--transcript", copied.to_str().unwrap()]).stdout;
    let mut told: Vec<String> =
        ran.iter().filter(|command| replay.contains(&format!("ran `{command}`"))).cloned().collect();
    ran.sort();
    told.sort();
    assert_eq!(ran, ["cat src/parser.txt", "echo one", "echo two", "ls vendor", "sh ./check.sh"]);
    assert_eq!(told, ran, "{replay}");
    let brief = world.catchword(&["brief", "--transcript", copied.to_str().unwrap()]).stdout;
    assert!(brief.contains("`sh ./check.sh` failed") && brief.contains(ERROR), "{brief}");
}

#[test]
fn a_compaction_that_the_person_asks_for_gives_the_record_back_with_their_next_prompt() {
    let client = real_codex_or_skip!();
    let script = work().turn(CodexAnswer::text("Waiting.")).turn(CodexAnswer::text("Going on."));
    let api = FakeResponses::start(ToolMode::Code, never_full(script));
    let world = CodexWorld::new(&client, &api, Provider::Own);
    let mut server = world.client.app_server(&world.env);
    let thread = server.begin(world.env.project());
    server.ask(&thread, PROMPT);
    server.compact(&thread);
    server.ask(&thread, "Go on.");
    drop(server);
    let briefs = briefs_after_compactions(&api);
    assert_work_is_in(&briefs[0]);
    assert_eq!(briefs.len(), 1);
}

/// The client runs the start after a compaction with the next prompt, once, however many compactions came before it.
#[test]
fn two_compactions_before_the_next_prompt_give_one_brief_and_it_is_the_last_ones() {
    let client = real_codex_or_skip!();
    let script = work().turn(CodexAnswer::text("Waiting.")).turn(CodexAnswer::text("Going on."));
    let api = FakeResponses::start(ToolMode::Code, never_full(script));
    let world = CodexWorld::new(&client, &api, Provider::Own);
    let mut server = world.client.app_server(&world.env);
    let thread = server.begin(world.env.project());
    server.ask(&thread, PROMPT);
    server.compact(&thread);
    server.compact(&thread);
    server.ask(&thread, "Go on.");
    server.ask(&thread, "And on.");
    drop(server);
    let turns = api.requests_for(CodexAsked::Turn);
    let with_brief: Vec<String> = turns.iter().map(CodexRequest::conversation).collect();
    let counts: Vec<usize> = with_brief.iter().map(|text| find_briefs(text).len()).collect();
    assert_eq!(counts[counts.len() - 3..], [0, 1, 1], "{counts:?}");
    assert_work_is_in(&find_briefs(&with_brief[counts.len() - 1])[0]);
    let lost = world.catchword(&["lost", &thread, "--json"]).json();
    let arrived: Vec<_> =
        lost.as_array().unwrap().iter().map(|one| (&one["number"], one["arrived_by"].is_string())).collect();
    assert_eq!(arrived, [(&json!(2), true), (&json!(1), false)], "{lost}");
}

/// The first answer is lost on its way: the client never gets what the hook printed.
#[test]
fn a_lost_brief_comes_with_the_next_tool_call_once() {
    let client = real_codex_or_skip!();
    for mode in [ToolMode::Code, ToolMode::Direct] {
        let script = work()
            .turn(CodexAnswer::run("echo after"))
            .turn(CodexAnswer::run("echo later"))
            .turn(CodexAnswer::text("All done."));
        let api = FakeResponses::start(mode, script);
        let world = CodexWorld::losing_the_brief(&client, &api);
        let _ = world.client.exec(&world.env, &[PROMPT]).success();
        assert_eq!(api.turns_left(), 0, "{mode:?}");
        assert_eq!(briefs_since_compaction(&api), [0, 1, 1], "{mode:?}");
        let last = api.requests().pop().expect("a request").conversation();
        assert_work_is_in(&find_briefs(&last)[0]);
    }
}

#[test]
fn a_lost_brief_comes_with_the_next_prompt_once() {
    let client = real_codex_or_skip!();
    let script = work().turn(CodexAnswer::text("Waiting.")).turn(CodexAnswer::text("Going on."));
    let api = FakeResponses::start(ToolMode::Code, never_full(script));
    let world = CodexWorld::losing_the_brief(&client, &api);
    let mut server = world.client.app_server(&world.env);
    let thread = server.begin(world.env.project());
    server.ask(&thread, PROMPT);
    server.compact(&thread);
    for prompt in ["Go on.", "And on.", "And further."] {
        server.ask(&thread, prompt);
    }
    drop(server);
    assert_eq!(briefs_since_compaction(&api), [0, 1, 1]);
    let last = api.requests().pop().expect("a request").conversation();
    assert_work_is_in(&find_briefs(&last)[0]);
}

/// The number of briefs in each request since the last compaction.
fn briefs_since_compaction(api: &FakeResponses) -> Vec<usize> {
    let requests = api.requests();
    let last = requests.iter().rposition(|request| COMPACTED.contains(&request.asked)).expect("a compaction");
    requests[last + 1..].iter().map(|request| find_briefs(&request.conversation()).len()).collect()
}

/// A summary that calls a failing check green: the person hears of it, and where to read both sides.
#[test]
fn the_person_is_told_once_what_the_summary_got_wrong() {
    const FALSE: &str = "The port of src/parser.txt is finished. `sh ./check.sh` passes, all steps are done and \
        nothing is left to do.";
    let client = real_codex_or_skip!();
    for is_manual in [false, true] {
        let tokens = if is_manual { 12_000 } else { FULL };
        let script = never_full(work())
            .turn(CodexAnswer::run("echo more").context_tokens(tokens))
            .turn(CodexAnswer::text("Waiting."))
            .turn(CodexAnswer::text("Going on."))
            .summary(FALSE);
        let api = FakeResponses::start(ToolMode::Direct, script);
        let world = CodexWorld::new(&client, &api, Provider::Own);
        let mut server = world.client.app_server(&world.env);
        let thread = server.begin(world.env.project());
        server.ask(&thread, PROMPT);
        if is_manual {
            assert_eq!(server.shown(), [""; 0]);
            server.compact(&thread);
            server.ask(&thread, "Go on.");
        }
        server.ask(&thread, "And on.");
        let shown = server.shown().to_vec();
        drop(server);
        assert_eq!(shown.len(), 1, "manual: {is_manual}: {shown:?}");
        let command = format!("`catchword lost {} 1`", &thread[thread.len() - 8..]);
        assert!(shown[0].contains("calls an open task finished") && shown[0].contains(&command), "{shown:?}");
        for request in api.requests() {
            assert!(!request.conversation().contains(&command), "the line is the person's");
        }
        let lost = world.catchword(&["lost", &thread, "1"]).stdout;
        assert!(lost.contains(STEP) && lost.contains("all steps are done"), "{lost}");
    }
}

#[test]
fn after_a_compaction_there_is_a_handoff() {
    let client = real_codex_or_skip!();
    let script = work().turn(CodexAnswer::text("All done."));
    let api = FakeResponses::start(ToolMode::Direct, script);
    let world = CodexWorld::new(&client, &api, Provider::Own);
    let mut server = world.client.app_server(&world.env);
    let thread = server.begin(world.env.project());
    server.ask(&thread, PROMPT);
    // The session has not ended: only the compaction can have written it.
    let handoffs = world.env.data().join("handoffs");
    let written: Vec<String> = below(&handoffs).iter().map(files::read).collect();
    drop(server);
    assert_eq!(written.len(), 1, "{written:?}");
    for wanted in [&thread, RULE, STEP, EDITED, FAILING] {
        assert!(written[0].contains(wanted), "{wanted:?} is not in {}", written[0]);
    }
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { below(&path) } else { vec![path] }).collect()
}

/// The plugin, as a person installs it: a marketplace and a plugin in it, and the approval of its hooks.
#[test]
fn the_plugin_calls_us_with_hooks_of_its_own() {
    let client = real_codex_or_skip!();
    let script = work().turn(CodexAnswer::text("All done."));
    let api = FakeResponses::start(ToolMode::Code, script);
    let mut env = TestEnv::new();
    let program = Path::new(env!("CARGO_BIN_EXE_catchword")).parent().unwrap();
    let path = std::env::join_paths([program, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    env.set_var("PATH", path);
    let world = CodexWorld::in_project(env, &client, &api, Provider::Own);
    let marketplace = world.env.root().join("marketplace");
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for part in [".claude-plugin", "plugin"] {
        for file in below(&repository.join(part)) {
            files::write(marketplace.join(file.strip_prefix(&repository).unwrap()), files::read(&file));
        }
    }
    client.add_plugin(&world.env, &marketplace, "catchword@catchword");
    let hooks = client.app_server(&world.env).hooks(world.env.project());
    let commands: Vec<&str> = hooks.iter().filter_map(|hook| hook["command"].as_str()).collect();
    assert_eq!(commands, ["catchword hook codex"; 7], "{hooks:?}");
    let said = world.env.run(env!("CARGO_BIN_EXE_catchword"), &["doctor", "--json"]).stdout;
    assert!(said.contains("nobody has approved"), "{said}");
    client.approve_hooks(&world.env);
    let thread = client.exec(&world.env, &[PROMPT]).success().thread();
    assert_work_is_in(&briefs_after_compactions(&api)[0]);
    let listed = world.catchword(&["status", "--all", "--json"]).stdout;
    assert!(listed.contains(&thread), "{listed}");
    let said = world.env.run(env!("CARGO_BIN_EXE_catchword"), &["doctor", "--json"]).stdout;
    assert!(said.contains("are approved"), "{said}");
}

#[test]
fn with_a_summary_that_only_the_provider_reads_the_record_is_given_back() {
    let client = real_codex_or_skip!();
    let script = work().turn(CodexAnswer::text("All done."));
    let api = FakeResponses::start(ToolMode::Code, script);
    let world = CodexWorld::new(&client, &api, Provider::Vendor);
    let _ = world.client.exec(&world.env, &[PROMPT]).success();
    assert_eq!(api.requests_for(CodexAsked::OpaqueSummary).len(), 1);
    assert_work_is_in(&briefs_after_compactions(&api)[0]);
}

/// With `token_budget` the client starts a fresh window: no summary, none of the person's messages. What the hook gives is
/// all that the next request has of the task. The model may also ask for a fresh window itself.
#[test]
fn where_the_client_keeps_nothing_the_record_carries_the_task() {
    let client = real_codex_or_skip!();
    for (mode, by_itself) in [(ToolMode::Code, false), (ToolMode::Direct, true)] {
        let steps: Vec<String> = (1..=9).map(|n| format!("echo looking at part {n} of the lexer")).collect();
        let script =
            steps.iter().fold(never_full(work()), |script, step| script.turn(CodexAnswer::run(step)));
        let cut = if by_itself {
            CodexAnswer::new_context()
        } else {
            CodexAnswer::run("wc -l src/parser.txt").context_tokens(FULL)
        };
        let script =
            script.turn(cut).turn(CodexAnswer::run("echo after")).turn(CodexAnswer::text("All done."));
        let api = FakeResponses::start(mode, script);
        let world = CodexWorld::unapproved(&client, &api, Provider::Own);
        files::append(world.env.home().join(".codex/config.toml"), "\n[features]\ntoken_budget = true\n");
        client.approve_hooks(&world.env);
        let _ = world.client.exec(&world.env, &[PROMPT]).success();
        assert_eq!(api.turns_left(), 0, "{mode:?}");
        assert_eq!(api.requests_for(CodexAsked::Summary).len(), 0, "{mode:?}");
        let requests: Vec<String> = api.requests().iter().map(CodexRequest::conversation).collect();
        let next = requests.iter().find(|text| text.contains(BRIEF_START)).expect("a brief");
        let brief = find_briefs(next).concat();
        assert!(!next.replace(&brief, "").contains("token table"), "the client keeps nothing: {next}");
        for wanted in [PROMPT, RULE, STEP, "rerun check.sh", EDITED, FAILING, ERROR] {
            assert!(brief.contains(wanted), "{mode:?}: {wanted:?} is not in {brief}");
        }
        let last = if by_itself { &steps[..] } else { &steps[1..] };
        for step in last.iter().map(String::as_str).chain((!by_itself).then_some("wc -l src/parser.txt")) {
            assert!(brief.contains(step), "{mode:?}: {step:?} is not in {brief}");
        }
        let opening = brief.lines().nth(1).expect("a first line");
        assert!(!opening.contains("summary") && opening.contains("nothing of it kept"), "{opening}");
        assert!(brief.len() <= 9_500, "{} bytes", brief.len());
    }
}

#[test]
fn each_of_two_compactions_gives_the_record_back_once_and_a_resumed_session_keeps_the_last() {
    let client = real_codex_or_skip!();
    let script = work()
        .turn(CodexAnswer::run("echo again").context_tokens(FULL))
        .turn(CodexAnswer::text("Paused."))
        .turn(CodexAnswer::text("Resumed."));
    let api = FakeResponses::start(ToolMode::Direct, script);
    let world = CodexWorld::new(&client, &api, Provider::Own);
    let thread = world.client.exec(&world.env, &[PROMPT]).success().thread();
    let briefs = briefs_after_compactions(&api);
    assert_eq!(briefs.len(), 2);
    for brief in &briefs {
        assert_work_is_in(brief);
    }
    let _ = world.client.exec(&world.env, &["resume", &thread, "Go on."]).success();
    let last = api.requests().pop().expect("a request").conversation();
    assert_eq!(find_briefs(&last), [briefs[1].clone()], "the client kept it, and we say nothing new");
}

#[test]
fn a_fork_knows_what_was_done_before_it() {
    let client = real_codex_or_skip!();
    let script = never_full(work())
        .turn(CodexAnswer::text("Paused."))
        .turn(CodexAnswer::run("echo in the fork").context_tokens(FULL))
        .turn(CodexAnswer::text("Done in the fork."));
    let api = FakeResponses::start(ToolMode::Direct, script);
    let world = CodexWorld::new(&client, &api, Provider::Own);
    let thread = world.client.exec(&world.env, &[PROMPT]).success().thread();
    let fork = world.client.exec(&world.env, &["fork", &thread, "Try another way."]).success().thread();
    assert_ne!(thread, fork);
    assert_work_is_in(&briefs_after_compactions(&api)[0]);
}

#[test]
fn what_a_subagent_does_is_not_the_sessions() {
    let client = real_codex_or_skip!();
    let script = work_with_a_helper();
    let api = FakeResponses::start(ToolMode::Code, script);
    let world = CodexWorld::new(&client, &api, Provider::Own);
    let _ = world.client.exec(&world.env, &[PROMPT]).success();
    let briefs = briefs_after_compactions(&api);
    assert_work_is_in(&briefs[0]);
    assert!(!briefs[0].contains("made by the helper"), "{}", briefs[0]);
    for request in api.requests_for(CodexAsked::Subagent) {
        assert!(!request.conversation().contains(BRIEF_START));
    }
}

/// The hits of a search, with whose words they are.
fn found(world: &CodexWorld, words: &[&str]) -> Vec<String> {
    let args = [&["search", "--json"], words].concat();
    let found = world.env.run(env!("CARGO_BIN_EXE_catchword"), &args).json();
    let hits = found["hits"].as_array().cloned().unwrap_or_default();
    hits.iter().map(|hit| format!("{}: {}", hit["kind"], hit["snippet"])).collect()
}

#[test]
fn a_plan_that_the_model_proposes_is_not_approved_by_the_person() {
    let client = real_codex_or_skip!();
    for mode in [ToolMode::Code, ToolMode::Direct] {
        for (said, is_approved) in [("No, do not do that.", false), ("Implement the plan.", true)] {
            let plan =
                "<proposed_plan>\n# Drop the quagga table\n\n- back it up\n- drop it\n</proposed_plan>\n";
            let script = CodexScript::new()
                .turn(CodexAnswer::text(plan))
                .turn(CodexAnswer::text("All right."))
                .turn(CodexAnswer::text("Going on."))
                .summary(SUMMARY);
            let api = FakeResponses::start(mode, script);
            let world = CodexWorld::new(&client, &api, Provider::Own);
            let mut server = world.client.app_server(&world.env);
            let thread = server.begin(world.env.project());
            server.ask_in_mode(&thread, "Plan the cleanup.", "plan", mode.model());
            server.ask_in_mode(&thread, said, "default", mode.model());
            server.compact(&thread);
            server.ask(&thread, "Go on.");
            drop(server);
            let told = api.requests().pop().expect("a request").conversation();
            let handoff = world.catchword(&["handoff", &thread]).stdout;
            let notes = world.catchword(&["note", "--session", &thread]).stdout;
            for text in [&find_briefs(&told).concat(), &handoff, &notes] {
                assert!(is_approved || !text.contains("approved the plan"), "{mode:?}: {text}");
            }
            assert_eq!(notes.contains("approved the plan"), is_approved, "{mode:?}: {notes}");
            assert_eq!(found(&world, &["quagga", "role:user"]), [""; 0], "{mode:?}");
            assert_eq!(found(&world, &["quagga"]).len(), 1, "{mode:?}");
        }
    }
}

#[test]
fn what_the_person_answers_is_theirs() {
    const ANSWER: &str = "Use Postgres 16 with the pgvector extension";
    const GOAL: &str = "Ship the okapi importer. Never touch vendor/.";
    let client = real_codex_or_skip!();
    for mode in [ToolMode::Code, ToolMode::Direct] {
        let script = CodexScript::new()
            .turn(CodexAnswer::ask("db", "Which database?", &["Postgres", "SQLite"]))
            .turn(CodexAnswer::text("Noted."))
            .turn(CodexAnswer::text("Left."))
            .turn(CodexAnswer::reaches_goal())
            .turn(CodexAnswer::text("Reached."))
            .turn(CodexAnswer::text("Going on."))
            .summary(&format!("The user said: \"{ANSWER}\". Work goes on."));
        let api = FakeResponses::start(mode, script);
        let world = CodexWorld::new(&client, &api, Provider::Own);
        let mut server = world.client.app_server(&world.env);
        server.answers("db", &["Postgres", &format!("user_note: {ANSWER}")]);
        let thread = server.begin(world.env.project());
        server.ask_in_mode(&thread, "Plan the storage.", "plan", mode.model());
        server.ask_in_mode(&thread, "Leave it at that.", "default", mode.model());
        server.set_goal(&thread, GOAL);
        server.compact(&thread);
        server.ask(&thread, "Go on.");
        drop(server);
        let told = api.requests().pop().expect("a request").conversation();
        let brief = find_briefs(&told).concat();
        assert!(!brief.contains("no message of this session"), "{mode:?}: {brief}");
        let handoff = world.catchword(&["handoff", &thread]).stdout;
        assert!(handoff.contains(ANSWER), "{mode:?}: {handoff}");
        assert_eq!(found(&world, &["pgvector", "role:user"]).len(), 1, "{mode:?}");
        assert_eq!(found(&world, &["okapi", "role:user"]).len(), 1, "{mode:?}");
        assert_eq!(found(&world, &["okapi"]).len(), 1, "{mode:?}: once, whatever the client repeats");
    }
}

/// With direct tools the order is a message in the person's role, in the subagent's own rollout.
#[test]
fn what_the_model_tells_a_subagent_is_not_the_persons() {
    let client = real_codex_or_skip!();
    let script = CodexScript::new()
        .turn(CodexAnswer::spawn_by_message("Look around and never run the quagga tests."))
        .turn(CodexAnswer::run("sleep 2"))
        .turn(CodexAnswer::text("All done."))
        .subagent(CodexAnswer::text("Looked."));
    let api = FakeResponses::start(ToolMode::Direct, script);
    let world = CodexWorld::new(&client, &api, Provider::Own);
    let thread = world.client.exec(&world.env, &["Find the okapi."]).success().thread();
    let _ = world.catchword(&["index"]);
    assert_eq!(api.requests_for(CodexAsked::Subagent).len(), 1);
    assert_eq!(found(&world, &["quagga", "role:user"]), [""; 0]);
    assert!(found(&world, &["quagga", "role:agent"]).len() == 1, "{:?}", found(&world, &["quagga"]));
    assert_eq!(found(&world, &["okapi", "role:user"]).len(), 1);
    let hits = world.catchword(&["search", "quagga", "role:agent", "--json"]).json();
    assert_eq!(hits["hits"][0]["session"], json!(thread), "{hits}");
    let place = hits["hits"][0]["address"].as_str().expect("a place").to_owned();
    let recalled = world.catchword(&["recall", &place]).stdout;
    assert!(recalled.contains("another agent"), "{recalled}");
}

/// Only what is the person's own is shown: a subagent's start and end are not, nor is anything in the output of a script.
#[test]
fn subagents_and_scripts_show_nothing_of_ours() {
    let client = real_codex_or_skip!();
    let api = FakeResponses::start(ToolMode::Code, never_full(work_with_a_helper()));
    let world = CodexWorld::new(&client, &api, Provider::Own);
    let mut server = world.client.app_server(&world.env);
    let thread = server.begin(world.env.project());
    server.ask(&thread, PROMPT);
    assert_eq!(api.requests_for(CodexAsked::Subagent).len(), 2, "it ran");
    assert_eq!(server.shown(), [""; 0]);
    drop(server);
    // What the first run leaves open is told to the model of the second, and in a terminal also to the person.
    let api = FakeResponses::start(ToolMode::Direct, never_full(work()).turn(CodexAnswer::text("Waiting.")));
    let world = CodexWorld::new(&client, &api, Provider::Own);
    for prompt in [PROMPT, "What is there to do?"] {
        let run = world.client.exec(&world.env, &[prompt]).success();
        assert!(!run.stdout.contains("catchword:") && !run.stderr.contains("catchword:"), "{run:?}");
    }
    let told = api.requests().pop().expect("a request").conversation();
    assert_eq!(find_briefs(&told).len(), 1, "{told}");
}

fn work_with_a_helper() -> CodexScript {
    let start = CodexScript::new()
        .turn(CodexAnswer::spawn("helper", "SUBTASK: look around"))
        .turn(CodexAnswer::wait())
        .subagent(CodexAnswer::run("echo made by the helper; exit 4"))
        .subagent(CodexAnswer::text("Looked."));
    let script = start.then(work());
    script.turn(CodexAnswer::text("All done."))
}

#[test]
fn hooks_that_nobody_approved_do_not_run_and_doctor_says_so() {
    let client = real_codex_or_skip!();
    let script = work().turn(CodexAnswer::text("All done."));
    let api = FakeResponses::start(ToolMode::Direct, script);
    let world = CodexWorld::unapproved(&client, &api, Provider::Own);
    let _ = world.client.exec(&world.env, &[PROMPT]).success();
    assert!(api.requests().iter().all(|request| !request.conversation().contains(BRIEF_START)));
    let doctor =
        |world: &CodexWorld| world.env.run(env!("CARGO_BIN_EXE_catchword"), &["doctor", "--json"]).stdout;
    let said = doctor(&world);
    assert!(said.contains("nobody has approved") && said.contains("Trust all"), "{said}");
    world.client.approve_hooks(&world.env);
    let said = doctor(&world);
    assert!(said.contains("are approved"), "{said}");
    // Somebody changes an entry: the approval no longer holds.
    let hooks = world.env.home().join(".codex/hooks.json");
    let changed = files::read(&hooks).replacen("\"timeout\": 10", "\"timeout\": 11", 1);
    files::write(&hooks, changed);
    let modified = world.client.app_server(&world.env).hooks(world.env.project());
    assert!(modified.iter().any(|hook| hook["trustStatus"] == "modified"), "{modified:?}");
    let said = doctor(&world);
    assert!(said.contains("differ from what was approved"), "{said}");
}

#[test]
fn a_store_that_cannot_be_written_harms_nobody() {
    let client = real_codex_or_skip!();
    let script = work().turn(CodexAnswer::text("All done."));
    let api = FakeResponses::start(ToolMode::Direct, script);
    let world = CodexWorld::new(&client, &api, Provider::Own);
    std::fs::remove_dir_all(world.env.data()).unwrap();
    files::write(world.env.data(), "not a folder");
    let run = world.client.exec(&world.env, &[PROMPT]).success();
    assert!(!run.stderr.contains("hook"), "{}", run.stderr);
    assert_eq!(api.turns_left(), 0);
    assert_work_is_in(&briefs_after_compactions(&api)[0]);
}

#[test]
fn a_note_of_the_agents_is_its_own_sessions() {
    let client = real_codex_or_skip!();
    let note = json!({"text": "the lexer is generated by hand"});
    let script = CodexScript::new().turn(CodexAnswer::server_tool("mcp__catchword__note", note)).then(work());
    let api = FakeResponses::start(ToolMode::Code, script.turn(CodexAnswer::text("All done.")));
    let world = CodexWorld::new(&client, &api, Provider::Own);
    let _ = world.client.exec(&world.env, &[PROMPT]).success();
    let brief = &briefs_after_compactions(&api)[0];
    assert_work_is_in(brief);
    assert!(brief.contains("the lexer is generated by hand"), "{brief}");
}

/// In the person's own file, and in that of a project they trust.
#[test]
fn the_way_to_the_compaction_ends_at_the_limit_that_the_person_set() {
    let client = real_codex_or_skip!();
    for (own, project, expected) in [(150_000, None, 150_000), (150_000, Some(120_000), 120_000)] {
        let script = never_full(work())
            .turn(CodexAnswer::run("echo more").context_tokens(expected - 30_000))
            .turn(CodexAnswer::text("Waiting.").context_tokens(expected - 30_000))
            .turn(CodexAnswer::run("echo full").context_tokens(expected + 1_000))
            .turn(CodexAnswer::text("Done."));
        let api = FakeResponses::start(ToolMode::Direct, script);
        let world = CodexWorld::new(&client, &api, Provider::Own);
        let config = files::read(world.env.home().join(".codex/config.toml"));
        assert!(config.contains(&format!("model_auto_compact_token_limit = {own}")), "{config}");
        if let Some(limit) = project {
            world.env.write(".codex/config.toml", &format!("model_auto_compact_token_limit = {limit}\n"));
        }
        let mut server = world.client.app_server(&world.env);
        let thread = server.begin(world.env.project());
        server.ask(&thread, PROMPT);
        assert!(api.requests_for(CodexAsked::Summary).is_empty(), "not yet");
        let shown = server.shown().to_vec();
        assert!(shown.iter().any(|line| line.contains("about 30k tokens until compaction")), "{shown:?}");
        let status = world.catchword(&["status", &thread, "--json"]).json();
        let threshold = &status[0]["context"]["threshold"];
        assert_eq!(
            (&threshold["tokens"], &threshold["source"]),
            (&json!(expected), &json!("limit")),
            "{status}"
        );
        server.ask(&thread, "Go on.");
        drop(server);
        assert_eq!(api.requests_for(CodexAsked::Summary).len(), 1, "the client compacts there");
    }
}

#[test]
fn a_new_session_shows_the_person_in_one_line_what_the_last_one_left() {
    let client = real_codex_or_skip!();
    let script = never_full(work()).turn(CodexAnswer::text("Waiting."));
    let api = FakeResponses::start(ToolMode::Direct, script);
    let world = CodexWorld::new(&client, &api, Provider::Own);
    let last = world.client.exec(&world.env, &[PROMPT]).success().thread();
    let mut server = world.client.app_server(&world.env);
    let thread = server.begin(world.env.project());
    server.ask(&thread, "What is there to do?");
    server.ask(&thread, "And else?");
    let shown = server.shown().to_vec();
    drop(server);
    let [line] = shown.as_slice() else { panic!("one line: {shown:#?}") };
    assert!(line.starts_with("catchword: the last session here") && line.contains("2 open tasks"), "{line}");
    assert!(line.contains(&format!("`codex resume {last}` goes on with it")), "{line}");
    let told = api.requests().pop().expect("a request").conversation();
    assert_eq!((find_briefs(&told).len(), told.contains(line)), (1, false), "{told}");
}

/// In a repository with a past the first request has what the sessions before it ran and changed, with places.
#[test]
fn first_request_has_what_the_repository_taught() {
    let client = real_codex_or_skip!();
    let patch = |from: &str, to: &str| {
        CodexAnswer::patch(&format!(
            "*** Update File: src/parser.txt\n@@\n-table = {from}\n+table = {to}\n lexer = old"
        ))
    };
    let session = |from, to| {
        CodexScript::new()
            .turn(patch(from, to))
            .turn(CodexAnswer::run("sh lint.sh"))
            .turn(CodexAnswer::text("All is fine."))
    };
    let script = session("old", "new").then(session("new", "newer")).turn(CodexAnswer::text("Hi."));
    let api = FakeResponses::start(ToolMode::Direct, never_full(script));
    let world = CodexWorld::new(&client, &api, Provider::Own);
    world.env.write("lint.sh", "echo fine\n");
    for prompt in ["Check it. Never edit vendor/legacy.txt.", "Check it again."] {
        let _ = world.client.exec(&world.env, &[prompt]).success();
    }
    let mut server = world.client.app_server(&world.env);
    let thread = server.begin(world.env.project());
    server.ask(&thread, "What is there to do?");
    drop(server);
    let asked = api.requests().pop().expect("a request").conversation();
    let told = find_briefs(&asked);
    assert_eq!(told.len(), 1, "{asked}");
    for needed in ["not orders", "\"Never edit vendor/legacy.txt.\"", "`sh lint.sh` (2, ", ":L"] {
        assert!(told[0].contains(needed), "{needed:?} is missing in\n{}", told[0]);
    }
}

/// The client's terminal keeps the slash for its own commands, so the command is typed without it.
#[test]
fn a_note_that_the_person_types_takes_no_turn() {
    const WORDS: &str = "the lexer is generated, never edit it by hand";
    let client = real_codex_or_skip!();
    let api = FakeResponses::start(ToolMode::Code, never_full(work()).turn(CodexAnswer::text("Waiting.")));
    let world = CodexWorld::new(&client, &api, Provider::Own);
    let mut server = world.client.app_server(&world.env);
    let thread = server.begin(world.env.project());
    server.ask(&thread, &format!("catchword:note {WORDS}"));
    assert!(api.requests().is_empty(), "the model is not asked");
    let shown = server.shown().to_vec();
    assert!(shown.len() == 1 && shown[0].starts_with("catchword: noted"), "{shown:?}");
    server.ask(&thread, PROMPT);
    server.compact(&thread);
    server.ask(&thread, "Go on.");
    drop(server);
    let brief = &briefs_after_compactions(&api)[0];
    assert!(brief.contains(&format!("- user: \"{WORDS}\"")), "{brief}");
    for request in api.requests().iter().take_while(|request| request.asked == CodexAsked::Turn) {
        assert!(!request.conversation().contains(WORDS), "until the compaction it is the person's alone");
    }
}

/// Both clients work in one project with one store.
#[test]
fn two_clients_in_one_project_are_kept_apart() {
    let codex = real_codex_or_skip!();
    let claude = real_client_or_skip!();
    let script = work().turn(CodexAnswer::text("All done."));
    let api = FakeResponses::start(ToolMode::Direct, script);
    let world = CodexWorld::new(&codex, &api, Provider::Own);
    let _ = world.catchword(&["init", "--agent", "claude-code", "--yes"]);
    let other =
        FakeApi::start(Script::new().turn(FakeAnswer::bash("echo quagga")).turn(FakeAnswer::text("Seen.")));
    let its = std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let run = claude.start(&world.env, &other).arg("--dangerously-skip-permissions");
            run.prompt("Look for the quagga.").success().session_id()
        });
        let thread = world.client.exec(&world.env, &[PROMPT]).success().thread();
        (thread, other.join().expect("the other client"))
    });
    let brief = &briefs_after_compactions(&api)[0];
    assert_work_is_in(brief);
    assert!(!brief.contains("quagga"), "{brief}");
    let listed = world.catchword(&["status", "--all", "--json"]).stdout;
    assert!(listed.contains(&its.0) && listed.contains(&its.1), "{listed}");
    assert!(listed.contains("codex") && listed.contains("claude-code"), "{listed}");
    let found = world.catchword(&["search", "quagga", "--json"]).json();
    let sessions: Vec<_> =
        found["hits"].as_array().unwrap().iter().map(|hit| hit["session"].clone()).collect();
    assert!(sessions.iter().all(|session| *session == json!(its.1)), "{found}");
}

/// The same work with room to spare: nothing compacts by itself.
fn never_full(script: CodexScript) -> CodexScript {
    script.with_tokens(12_000)
}

#[test]
fn what_init_installs_is_taken_out_to_the_byte() {
    let env = TestEnv::new();
    let config = env.home().join(".codex/config.toml");
    let hooks = env.home().join(".codex/hooks.json");
    let theirs = "# mine\nmodel = \"x\" # why\n\n[mcp_servers.other] # theirs\ncommand = \"o\"\n";
    let their_hooks =
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}]}}\n";
    files::write(&config, theirs);
    files::write(&hooks, their_hooks);
    let run = |args: &[&str]| env.run(env!("CARGO_BIN_EXE_catchword"), args).success();
    let said = run(&["init", "--agent", "codex", "--yes"]);
    assert!(
        said.stdout.contains("You still have to approve it") && said.stdout.contains("Trust all"),
        "{said}"
    );
    let (with, with_hooks) = (files::read(&config), files::read(&hooks));
    assert!(with.starts_with(theirs) && with.contains("[mcp_servers.catchword]"), "{with}");
    assert!(with_hooks.contains("hook codex") && with_hooks.contains("mine"), "{with_hooks}");
    assert!(!with.contains("trusted_hash"), "approval is the person's");
    let again = run(&["init", "--agent", "codex", "--yes"]);
    assert!(again.stdout.contains("Already installed"), "{again}");
    assert_eq!((files::read(&config), files::read(&hooks)), (with, with_hooks));
    let _ = run(&["remove", "--agent", "codex", "--yes"]);
    assert_eq!((files::read(&config).as_str(), files::read(&hooks).as_str()), (theirs, their_hooks));
    assert!(!env.home().join(".codex/skills").exists());
    let mut unused = String::new();
    let _ = write!(unused, "{}", run(&["remove", "--agent", "codex", "--yes"]));
    assert!(unused.contains("No hooks of catchword"), "{unused}");
}

/// What `catchword init` of the first versions wrote, and where the client puts its next tables: before the last comment.
fn between_marks(theirs: &str, half_line: bool, inside: &str) -> String {
    let more = if half_line { ", with the line break above" } else { "" };
    let end_of_line = if half_line { "\n" } else { "" };
    format!(
        "{theirs}{end_of_line}# catchword: begin (`catchword remove` takes this out{more})\n[mcp_servers.catchword]\n\
         command = \"/old/catchword\"\nargs = [\"mcp\"]\n{inside}# catchword: end\n"
    )
}

#[test]
fn what_stands_between_the_marks_of_an_older_installation_is_kept() {
    const STATE: &str =
        "\n[hooks.state]\n\n[hooks.state.\"/h/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n";
    let theirs = "model = \"x\" # why\n\n[features]\nhooks = true\n";
    for (half_line, inside) in [(false, ""), (false, STATE), (true, ""), (true, STATE)] {
        let theirs = if half_line { theirs.trim_end() } else { theirs };
        for again in [false, true] {
            let env = TestEnv::new();
            let config = env.home().join(".codex/config.toml");
            files::write(&config, between_marks(theirs, half_line, inside));
            let run = |args: &[&str]| env.run(env!("CARGO_BIN_EXE_catchword"), args).success();
            if again {
                let _ = run(&["init", "--agent", "codex", "--yes"]);
                let with = files::read(&config);
                assert!(with.starts_with(theirs) && with.contains(inside), "{with}");
                assert!(with.contains("[mcp_servers.catchword]") && !with.contains("/old/"), "{with}");
                assert!(!with.contains("# catchword:"), "{with}");
            }
            let _ = run(&["remove", "--agent", "codex", "--yes"]);
            let end_of_line = if half_line && !inside.is_empty() { "\n" } else { "" };
            assert_eq!(files::read(&config), format!("{theirs}{end_of_line}{inside}"), "{half_line} {again}");
        }
    }
}

#[test]
fn approvals_survive_a_second_init_and_remove() {
    let client = real_codex_or_skip!();
    let script = || work().turn(CodexAnswer::run("echo after")).turn(CodexAnswer::text("All done."));
    let api = FakeResponses::start(ToolMode::Code, script());
    let world = CodexWorld::new(&client, &api, Provider::Own);
    let config = world.env.home().join(".codex/config.toml");
    let approvals = || files::read(&config).matches("trusted_hash").count();
    let approved = approvals();
    assert!(approved >= 7, "{}", files::read(&config));
    // Another data directory: the entry has to change.
    let mut again = world.env.command(env!("CARGO_BIN_EXE_catchword"));
    again.args(["init", "--agent", "codex", "--yes"]).env("CATCHWORD_HOME", world.env.root().join("moved"));
    let _ = world.env.run_command(again, "").success();
    assert_eq!(approvals(), approved, "{}", files::read(&config));
    let _ = world.catchword(&["init", "--agent", "codex", "--yes"]);
    assert_eq!(approvals(), approved, "{}", files::read(&config));
    let _ = world.client.exec(&world.env, &[PROMPT]).success();
    assert_eq!(briefs_after_compactions(&api).len(), 1, "the hooks still run");
    let _ = world.catchword(&["remove", "--agent", "codex", "--yes"]);
    let left = files::read(&config);
    assert_eq!(approvals(), approved, "{left}");
    assert!(!left.contains("mcp_servers.catchword") && left.contains("[projects."), "{left}");
}

#[test]
fn remove_takes_our_server_out_of_a_list_that_the_client_rewrote() {
    let client = real_codex_or_skip!();
    let api = FakeResponses::start(ToolMode::Code, CodexScript::new());
    let world = CodexWorld::new(&client, &api, Provider::Own);
    let mcp = |args: &[&str]| {
        let output =
            world.client.command(&world.env, &[&["mcp"], args].concat()).output().expect("the client");
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    mcp(&["add", "theirs", "--", "/bin/true"]);
    let both = mcp(&["list"]);
    assert!(both.contains("theirs") && both.contains("catchword"), "{both}");
    let _ = world.catchword(&["init", "--agent", "codex", "--yes"]);
    assert_eq!(mcp(&["list"]), both);
    let _ = world.catchword(&["remove", "--agent", "codex", "--yes"]);
    let config = files::read(world.env.home().join(".codex/config.toml"));
    assert!(!config.contains("mcp_servers.catchword") && !config.contains("# catchword"), "{config}");
    let left = mcp(&["list"]);
    assert!(left.contains("theirs") && !left.contains("catchword"), "{left}");
}

/// The hook is not told how a command ended, so the rollout tells it.
#[test]
fn next_request_after_a_known_failure_says_once_how_it_passed_before() {
    const CHECK: &str = "sh ./weigh.sh";
    let client = real_codex_or_skip!();
    for mode in [ToolMode::Code, ToolMode::Direct] {
        let script = CodexScript::new()
            .turn(CodexAnswer::run(CHECK))
            .turn(CodexAnswer::patch("*** Add File: scales.ini\n+plugin = weigh_grams"))
            .turn(CodexAnswer::run(CHECK))
            .turn(CodexAnswer::text("Done."))
            .turn(CodexAnswer::run(CHECK))
            .turn(CodexAnswer::run(CHECK))
            .turn(CodexAnswer::text("It fails."));
        let api = FakeResponses::start(mode, script);
        let world = CodexWorld::new(&client, &api, Provider::Own);
        world.env.write(
            "weigh.sh",
            "test -f scales.ini && echo 'All checks passed' && exit 0\necho \"Error: Cannot resolve plugin 'weigh_grams'\"\nexit 1\n",
        );
        let first = world.client.exec(&world.env, &["Make it pass."]).success().thread();
        std::fs::remove_file(world.env.project().join("scales.ini")).unwrap();
        let _ = world.client.exec(&world.env, &["Run it."]).success();
        assert_eq!(api.turns_left(), 0, "{mode:?}");
        let begins = crate::moments::BEGINS;
        let count = |request: &CodexRequest| request.conversation().matches(begins).count();
        let counts: Vec<usize> = api.requests_for(CodexAsked::Turn).iter().map(count).collect();
        assert_eq!(counts, [0, 0, 0, 0, 0, 1, 1], "{mode:?}");
        let told = api.requests_for(CodexAsked::Turn)[5].conversation();
        let line = &told[told.find(begins).expect("the line")..];
        let short = catchword_engine::model::event::short_id(&first);
        for part in ["weigh.sh", "failed like this", short, "scales.ini"] {
            assert!(line.contains(part), "{mode:?}: {part}: {line}");
        }
    }
}
