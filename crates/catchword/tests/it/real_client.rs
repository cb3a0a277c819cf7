//! The real Claude Code, compacting for real, with `catchword hook claude-code` in its settings.
//!
//! The tests inspect the requests that the client sent, because that is what a model would have read: the brief is in
//! the first request after a compaction, once, whole and after the summary, and nowhere before.

mod across_sessions;
mod failures;
mod from_nothing;
mod gauge;
mod long_sessions;
mod long_summaries;
mod lost;
mod summaries;

use std::path::PathBuf;

use catchword_engine::clients::CLIENTS;
use catchword_testkit::fake_api::Request;
use catchword_testkit::{
    Asked, BRIEF_END, BRIEF_START, ClientOutput, FakeAnswer, FakeApi, RealClient, Script, TestEnv, files,
    find_briefs, head_of, real_client_or_skip,
};
use serde_json::{Map, Value, json};

/// Above the threshold of a 200,000-token window: the client compacts before its next request.
const FULL: u64 = 190_000;

const PROMPT: &str = "Make add in src/lib.rs add. Never touch Cargo.toml.";
const INSTRUCTION: &str = "Never touch Cargo.toml";
const OPEN_TASK: &str = "Write a test for add";
const EDITED: &str = "src/lib.rs";
const FAILING: &str = "sh run-tests.sh";
const SUMMARY: &str = "1. Primary Request and Intent:\n   The user wants add to add.";

#[test]
fn automatic_compaction_in_a_tool_loop_gives_the_brief() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let api = FakeApi::start(
        work(&world)
            .turn(FakeAnswer::bash("echo after"))
            .turn(FakeAnswer::text("All done."))
            .summary(SUMMARY),
    );
    let run = world.run(&api, &[]).prompt(PROMPT).success();
    assert_eq!(run.result()["result"], "All done.");
    assert_eq!(api.turns_left(), 0);
    let brief = the_one_brief(&api, SUMMARY).unwrap();
    assert_work_is_in(&brief);
    let first = brief.lines().nth(1).expect("a first line");
    for part in [
        "was compacted",
        &run.session_id()[..8],
        "Where a summary says otherwise, this is the record",
        "catchword recall L12",
    ] {
        assert!(first.contains(part), "{part}: {first}");
    }
    world.assert_no_hook_complaint(&run);
}

/// Without task tools nothing but the agent's own words says what is left.
#[test]
fn the_summariser_is_not_told_that_half_a_request_is_finished() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let parser = world.env.project().join("src/parser.rs");
    let mut script = Script::new()
        .turn(FakeAnswer::tool("Write", json!({"file_path": parser, "content": "// parser\n"})))
        .turn(FakeAnswer::text("The parser works. Exporter and docs not started."));
    for step in 0..22 {
        script = script.turn(FakeAnswer::bash(&format!("echo step {step}")));
    }
    let script = script.turn(FakeAnswer::text("It is called Kestrel."));
    let api = FakeApi::start(script.never_full().summary(SUMMARY));
    let asked = "Write the parser, the exporter and the docs";
    let session = world.run(&api, &[]).prompt(asked).success().session_id();
    let resumed = || world.run(&api, &["--resume", &session]);
    let _ = resumed().prompt("Now name the release.").success();
    let compacted = resumed().prompt("/compact").success();
    let told = api.requests_for(&Asked::Summary)[0].conversation();
    let guide = told.split_once("Keep in the summary, verbatim").expect("the guide").1;
    assert!(!guide.to_lowercase().contains("finished") && !guide.contains("Completed"), "{guide}");
    assert!(guide.contains("Exporter and docs not started"), "{guide}");
    world.assert_no_hook_complaint(&compacted);
}

/// The same after the compaction: the model is told what is open, and nowhere that the request is done.
#[test]
fn half_a_request_stays_open_in_the_brief() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let parser = world.env.project().join("src/parser.rs");
    let script = Script::new()
        .turn(FakeAnswer::tool("Write", json!({"file_path": parser, "content": "// parser\n"})))
        .turn(FakeAnswer::text("The parser works. Exporter and docs not started."))
        // Not in the last rounds, which the client keeps verbatim.
        .turn(FakeAnswer::bash("echo Kestrel"))
        .turn(FakeAnswer::bash("cat src/lib.rs"))
        .turn(FakeAnswer::text("It is called Kestrel."))
        .turn(FakeAnswer::text("Going on."));
    let api = FakeApi::start(script.never_full().summary(SUMMARY));
    let asked = "Write the parser, the exporter and the docs";
    let session = world.run(&api, &[]).prompt(asked).success().session_id();
    let resumed = || world.run(&api, &["--resume", &session]);
    let _ = resumed().prompt("Now name the release.").success();
    let _ = resumed().prompt("/compact").success();
    let run = resumed().prompt("Go on.").success();
    let guide = api.requests_for(&Asked::Summary)[0].conversation();
    let guide = guide.split_once("Keep in the summary, verbatim").expect("the guide").1;
    assert!(!guide.to_lowercase().contains("finished") && !guide.contains("Completed"), "{guide}");
    let brief = the_one_brief(&api, SUMMARY).unwrap();
    assert!(brief.contains(asked) && brief.contains("Exporter and docs not started"), "{brief}");
    let called_done = |line: &&str| line.contains("exporter") && line.to_lowercase().contains("finished");
    assert_eq!(brief.lines().find(called_done), None, "{brief}");
    for command in ["handoff", "note"] {
        let told = world.env.run(env!("CARGO_BIN_EXE_catchword"), &[command]).success().stdout;
        assert!(told.contains("Exporter and docs not started"), "{told}");
        assert_eq!(told.lines().find(called_done), None, "{told}");
    }
    world.assert_no_hook_complaint(&run);
}

/// Identity and protocol: the first line of the brief in the next request, and what the agent is to say, if anything.
#[test]
fn the_next_request_says_who_it_is_and_announces_only_if_set() {
    let client = real_client_or_skip!();
    for (settings, announces) in [("", false), ("announce = true\n", true)] {
        let world = World::new(&client, &Hook::Catchword);
        files::write(world.env.data().join("config.toml"), settings);
        let script = work(&world).turn(FakeAnswer::bash("echo after")).turn(FakeAnswer::text("All done."));
        let api = FakeApi::start(script.summary(SUMMARY));
        let run = world.run(&api, &[]).prompt(PROMPT).success();
        let brief = the_one_brief(&api, SUMMARY).unwrap();
        let first = brief.lines().nth(1).expect("a first line");
        let session = run.session_id();
        let which = "Where a summary says otherwise, this is the record";
        for part in ["compacted", &session[..8], which, "catchword recall L12"] {
            assert!(first.contains(part), "{part}: {first}");
        }
        assert_eq!(first.matches(". ").count(), 2, "three short sentences: {first}");
        let line = "the next answer begins with one line that says: context compacted, and going on with";
        let said = brief.lines().find(|told| told.contains(line));
        assert_eq!(said.is_some(), announces, "{brief}");
        assert!(said.is_none_or(|said| said.contains(OPEN_TASK) || said.contains("Make add")), "{said:?}");
        world.assert_no_hook_complaint(&run);
    }
}

#[test]
fn real_session_can_be_searched_and_recalled_after_its_end() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let script = Script::new()
        .turn(FakeAnswer::bash("echo marzipan weighs nothing"))
        .turn(FakeAnswer::text("It is weighed."));
    let api = FakeApi::start(script.never_full());
    let run = world.run(&api, &[]).prompt("Weigh the kohlrabi, please.").success();
    let session = run.session_id();
    let catchword = |args: &[&str]| world.env.run(env!("CARGO_BIN_EXE_catchword"), args).success();
    // As the client's hooks left it: nothing is indexed by hand, and the client's files are moved away.
    let transcript = world.env.transcript_path(&session);
    let lines = files::read(&transcript);
    let away = world.env.root().join("away.jsonl");
    std::fs::rename(&transcript, &away).unwrap();
    let found = catchword(&["search", "weigh", "kohlrabi", "role:user", "--json"]).json();
    let hit = &found["hits"][0];
    assert_eq!((&hit["session"], &hit["kind"]), (&json!(session), &json!("prompt")), "{found}");
    let place = hit["place"].as_str().expect("a place");
    let line: usize = place.trim_start_matches('L').parse().expect("a line");
    assert!(lines.lines().nth(line - 1).is_some_and(|row| row.contains("Weigh the kohlrabi")), "{place}");
    let from_backup = catchword(&["recall", place, "--session", &session]);
    assert!(from_backup.stdout.contains("Weigh the kohlrabi, please."), "{from_backup}");
    assert!(from_backup.stderr.contains("from its backup"), "{from_backup}");
    std::fs::rename(&away, &transcript).unwrap();
    let recalled = catchword(&["recall", place, "--session", &session]);
    assert_eq!((recalled.stdout.as_str(), recalled.stderr.as_str()), (from_backup.stdout.as_str(), ""));
    let command = catchword(&["search", "marzipan", "command:echo", "--json"]).json();
    assert_eq!(command["hits"][0]["kind"], "command", "{command}");
    world.assert_no_hook_complaint(&run);
}

/// The client ends right after the compaction, without another turn.
#[test]
fn client_that_ends_after_a_compaction_leaves_handoff_backup_and_history() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let script = work(&world).turn(FakeAnswer::text("Waiting."));
    let api = FakeApi::start(script.never_full().summary(SUMMARY));
    let session = world.run(&api, &[]).prompt(PROMPT).success().session_id();
    let compacted = world.run(&api, &["--resume", &session]).prompt("/compact").success();
    let handoff = world.env.data().join("handoffs").join(format!("HANDOFF-{session}.md"));
    assert!(files::read(&handoff).contains(OPEN_TASK));
    let catchword = |args: &[&str]| world.env.run(env!("CARGO_BIN_EXE_catchword"), args).success();
    let list = catchword(&["backup", "--list", "--json"]).json();
    assert!(list.as_array().is_some_and(|all| all.iter().any(|kept| kept["session"] == session.as_str())));
    assert!(catchword(&["search", "Never", "touch", "role:user"]).stdout.contains("Cargo.toml"));
    world.assert_no_hook_complaint(&compacted);
}

#[test]
fn compact_command_with_resume_gives_the_brief() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let script = work(&world).turn(FakeAnswer::text("Waiting.")).turn(FakeAnswer::text("Going on."));
    // Low usage throughout: only the command compacts.
    let api = FakeApi::start(script.never_full().summary(SUMMARY));
    let session = world.run(&api, &[]).prompt(PROMPT).success().session_id();
    let compacted = world.run(&api, &["--resume", &session]).prompt("/compact focus on the tests").success();
    let run = world.run(&api, &["--resume", &session]).prompt("Go on.").success();
    let summary = &api.requests_for(&Asked::Summary)[0];
    assert!(
        summary.conversation().contains("focus on the tests"),
        "the person's focus reached the summariser"
    );
    assert_work_is_in(&the_one_brief(&api, SUMMARY).unwrap());
    world.assert_no_hook_complaint(&compacted);
    world.assert_no_hook_complaint(&run);
}

#[test]
fn each_of_two_compactions_gives_its_brief_once() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let script = work(&world)
        .turn(FakeAnswer::bash("echo between"))
        .turn(FakeAnswer::bash("echo full again").context_tokens(FULL))
        .turn(FakeAnswer::bash("echo after"))
        .turn(FakeAnswer::text("All done."));
    let api =
        FakeApi::start(script.summary(SUMMARY).summary("1. Primary Request and Intent:\n   Second summary."));
    let run = world.run(&api, &[]).prompt(PROMPT).success();
    assert_eq!(api.turns_left(), 0);
    let rounds = rounds(&api);
    assert_eq!(rounds.len(), 3, "two compactions");
    assert!(rounds[0].iter().all(|request| briefs_in(request) == 0));
    let first = brief_of_round(&rounds[1], SUMMARY).unwrap();
    let second = brief_of_round(&rounds[2], "Second summary.").unwrap();
    assert_work_is_in(&first);
    assert_work_is_in(&second);
    world.assert_no_hook_complaint(&run);
}

#[test]
fn brief_is_given_once_even_if_installed_twice() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::CatchwordTwice);
    let script = work(&world).turn(FakeAnswer::bash("echo after")).turn(FakeAnswer::text("All done."));
    let api = FakeApi::start(script.summary(SUMMARY));
    let run = world.run(&api, &[]).prompt(PROMPT).success();
    assert_work_is_in(&the_one_brief(&api, SUMMARY).unwrap());
    world.assert_no_hook_complaint(&run);
}

#[test]
fn largest_brief_arrives_whole() {
    let client = real_client_or_skip!();
    let mut world = World::new(&client, &Hook::Catchword);
    world.env.set_var("CATCHWORD_BUDGET", "999999");
    let subject =
        |n: usize| format!("Task {n}: {}", "keep the \"quoted\" words\tand \\slashes of this one ".repeat(7));
    let create = |n| json!({"subject": subject(n), "description": "x", "activeForm": "x"});
    let many = (1..60)
        .fold(FakeAnswer::tool("TaskCreate", create(0)), |turn, n| turn.and_tool("TaskCreate", create(n)));
    let script = work_after(Script::new().turn(many), &world);
    let api = FakeApi::start(
        script.turn(FakeAnswer::bash("echo after")).turn(FakeAnswer::text("All done.")).summary(SUMMARY),
    );
    let run = world.run(&api, &[]).prompt(PROMPT).success();
    let brief = the_one_brief(&api, SUMMARY).unwrap();
    let size = brief.chars().count();
    assert!((9_000..=9_500).contains(&size), "{size} characters");
    world.assert_no_hook_complaint(&run);
}

#[test]
fn brief_contradicts_a_wrong_summary() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let lie = format!(
        "1. Primary Request and Intent:\n   The user wants add to add.\n7. Pending Tasks:\n   - {OPEN_TASK}: completed\n\
         8. Current Work:\n   All tests pass now."
    );
    let script = work(&world).turn(FakeAnswer::bash("echo after")).turn(FakeAnswer::text("All done."));
    let api = FakeApi::start(script.summary(&lie));
    let run = world.run(&api, &[]).prompt(PROMPT).success();
    let brief = the_one_brief(&api, "The user wants add to add.").unwrap();
    assert_work_is_in(&brief);
    let at =
        brief.find("## The summary differs").unwrap_or_else(|| panic!("no difference is told in\n{brief}"));
    assert!(brief.find("## Asked").is_none_or(|asked| at < asked), "it comes first:\n{brief}");
    assert!(brief.contains("the summary says"), "both sides are quoted:\n{brief}");
    world.assert_no_hook_complaint(&run);
}

#[test]
fn ten_compactions_give_a_brief_each_that_does_not_grow() {
    const ROUNDS: usize = 10;
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::CatchwordTwice);
    let summary =
        |n: usize| format!("1. Primary Request and Intent:\n   Summary number {n}, which kept little.");
    let mut script = work(&world).summary(&summary(1));
    for n in 2..=ROUNDS {
        // The client gives up when the context is full again within three turns, three times in a row.
        for part in 1..=4 {
            script = script.turn(FakeAnswer::bash(&format!("echo part {n}.{part}")));
        }
        let full = FakeAnswer::bash(&format!("echo full {n}")).context_tokens(FULL);
        script = script.turn(full).summary(&summary(n));
    }
    let api = FakeApi::start(script.turn(FakeAnswer::bash("echo after")).turn(FakeAnswer::text("All done.")));
    let run = world.run(&api, &[]).prompt(PROMPT).success();
    assert_eq!(api.turns_left(), 0);
    let rounds = rounds(&api);
    assert_eq!(rounds.len(), ROUNDS + 1, "ten compactions");
    assert_eq!(files::read(world.env.data().join("hook.log")), "", "no brief got lost");
    let briefs: Vec<String> =
        (1..=ROUNDS).map(|n| brief_of_round(&rounds[n], &format!("Summary number {n},")).unwrap()).collect();
    // The reference has room to fill; the head does not grow.
    let sizes: Vec<usize> = briefs.iter().map(|brief| head_of(brief).chars().count()).collect();
    for (n, brief) in briefs.iter().enumerate() {
        assert_work_is_in(brief);
        assert!(sizes[n] <= sizes[0] + sizes[0] / 4, "the head grows: {sizes:?}\n{brief}");
        assert!(brief.chars().count() <= 6_000, "{brief}");
    }
    for request in api.requests_for(&Asked::Summary) {
        let guides = request.conversation().matches("Keep in the summary, verbatim").count();
        assert_eq!(guides, 1, "installed twice, the summariser is told once");
    }
    world.assert_no_hook_complaint(&run);
}

#[test]
fn brief_does_not_repeat_a_faithful_summary() {
    let client = real_client_or_skip!();
    let brief = |summary: &str, mark: &str| {
        let world = World::new(&client, &Hook::Catchword);
        let script =
            much_work(&world).turn(FakeAnswer::bash("echo after")).turn(FakeAnswer::text("All done."));
        let api = FakeApi::start(script.summary(summary));
        let _ = world.run(&api, &[]).prompt(MUCH).success();
        // An empty brief would be right, too.
        let after = rounds(&api).pop().expect("a round after the compaction");
        if briefs_in(&after[0]) == 0 { String::new() } else { the_one_brief(&api, mark).unwrap() }
    };
    let lie = format!(
        "1. Primary Request and Intent:\n   Something was wanted.\n7. Pending Tasks:\n   - {OPEN_TASK}: completed\n\
         8. Current Work:\n   All tests pass now."
    );
    let tasks: String = TASKS
        .iter()
        .enumerate()
        .fold(String::new(), |all, (n, task)| format!("{all}   - Task #{} (pending): {task}\n", n + 3));
    let files: String =
        FILES.iter().fold(String::new(), |all, file| format!("{all}   - `{file}` (written)\n"));
    let faithful = format!(
        "1. Primary Request and Intent:\n   The user asked: \"{MUCH}\"\n\
         3. Files and Code Sections:\n   - `{EDITED}` (edited): add now adds; read with `cat src/lib.rs`\n{files}\
         4. Errors and fixes:\n   - `{FAILING}` fails: test add_adds ... FAILED\n\
         6. All user messages:\n   - \"{MUCH}\"\n\
         7. Pending Tasks:\n   - Task #2 (pending): {OPEN_TASK}\n{tasks}   - Task #1 is completed: Fix add\n\
         8. Current Work:\n   Running the tests with `{FAILING}`, then `cat src/lib.rs` and `echo full`."
    );
    let (against_lie, against_truth) =
        (brief(&lie, "Something was wanted."), brief(&faithful, "The user asked:"));
    let (long, short) = (against_lie.chars().count(), against_truth.chars().count());
    assert!(against_lie.contains("the summary says"), "{against_lie}");
    assert!(short * 3 <= long, "{short} of {long} characters:\n{against_truth}\n\n{against_lie}");
}

#[test]
fn brief_does_not_repeat_what_the_client_keeps() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let name = |n: usize| format!("notes/part{n}.md");
    let content = |n: usize| format!("Beans of kind {n} are counted twice.");
    let mut script = work(&world).never_full();
    for n in 1..=4 {
        world.env.write(&name(n), &content(n));
        script =
            script.turn(FakeAnswer::tool("Read", json!({"file_path": world.env.project().join(name(n))})));
    }
    let last =
        FakeAnswer::text("Next I will weigh the beans.").and_tool("Bash", json!({"command": "echo full"}));
    let script = script.turn(FakeAnswer::bash("echo between")).turn(last.context_tokens(FULL));
    let api = FakeApi::start(
        script.turn(FakeAnswer::bash("echo after")).turn(FakeAnswer::text("All done.")).summary(SUMMARY),
    );
    let run = world.run(&api, &[]).prompt(PROMPT).success();
    let brief = the_one_brief(&api, SUMMARY).unwrap();
    let after = rounds(&api).pop().expect("a round after the compaction")[0].conversation();
    assert!(after.contains("Next I will weigh the beans."), "the client keeps the round:\n{after}");
    assert!(!brief.contains("weigh the beans") && !brief.contains("echo full"), "{brief}");
    for n in 1..=4 {
        assert!(after.contains(&content(n)), "part {n} is attached again:\n{after}");
        let is_there = brief.contains(&name(n)) || brief.contains(&content(n));
        assert!(!is_there, "part {n} is given back twice:\n{brief}");
    }
    assert_work_is_in(&brief);
    world.assert_no_hook_complaint(&run);
}

#[test]
fn summariser_gets_the_guide() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let script = work(&world).turn(FakeAnswer::bash("echo after")).turn(FakeAnswer::text("All done."));
    let api = FakeApi::start(script.summary(SUMMARY));
    let run = world.run(&api, &[]).prompt(PROMPT).success();
    let asked = api.requests_for(&Asked::Summary)[0].conversation();
    let guide =
        asked.split_once("Keep in the summary, verbatim").expect("the guide reached the summariser").1;
    for kept in [INSTRUCTION, OPEN_TASK, FAILING] {
        assert!(guide.contains(kept), "{kept:?} is missing in\n{guide}");
    }
    let turns = rounds(&api);
    let told = |request: &Request| request.body.to_string().contains("Keep in the summary, verbatim");
    assert!(!turns.iter().flatten().any(told), "after an automatic compaction nobody else reads it");
    world.assert_no_hook_complaint(&run);
}

#[test]
fn lost_brief_is_resent_once_with_another_event() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Muted);
    let mut script = work(&world);
    for n in 0..5 {
        script = script.turn(FakeAnswer::bash(&format!("sleep 0.2; echo after {n}")));
    }
    let api = FakeApi::start(script.turn(FakeAnswer::text("All done.")).summary(SUMMARY));
    let run = world.run(&api, &[]).prompt(PROMPT).success();
    let after = rounds(&api).pop().expect("a round after the compaction");
    assert_eq!(briefs_in(&after[0]), 0, "the first way is closed");
    let last = after.last().expect("requests after the compaction");
    let whole = find_briefs(&last.conversation());
    assert_eq!((briefs_in(last), whole.len()), (1, 1), "once, and whole");
    assert_work_is_in(&whole[0]);
    let log = files::read(world.env.data().join("hook.log"));
    assert_eq!(log.matches("the brief had not arrived; sent again").count(), 1, "{log}");
    world.assert_no_hook_complaint(&run);
}

#[test]
fn unwritable_store_does_not_disturb_the_client() {
    let client = real_client_or_skip!();
    let mut world = World::new(&client, &Hook::Catchword);
    // A file where the directory should be: that stops even root.
    let blocked = world.env.root().join("blocked");
    files::write(&blocked, "");
    world.env.set_var("CATCHWORD_HOME", &blocked);
    let api = FakeApi::start(
        work(&world)
            .turn(FakeAnswer::bash("echo after"))
            .turn(FakeAnswer::text("All done."))
            .summary(SUMMARY),
    );
    let run = world.run(&api, &[]).prompt(PROMPT).success();
    assert_eq!(run.result()["result"], "All done.");
    assert_eq!(api.turns_left(), 0);
    // The transcript has what was done, so the agent still gets its brief.
    let briefs: Vec<usize> = api.requests().iter().map(briefs_in).collect();
    assert_eq!(briefs.iter().max(), Some(&1), "{briefs:?}");
    assert_eq!(files::read(&blocked), "");
    world.assert_no_hook_complaint(&run);
}

#[test]
fn subagent_does_not_disturb_the_brief() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let agent = json!({"description": "Look around", "subagent_type": "general-purpose",
        "prompt": "SUBAGENT-ONE: look around. Never whisper."});
    let inner = vec![
        FakeAnswer::bash("cat file-only-the-subagent-misses"),
        // Full enough for the client to compact the subagent itself.
        FakeAnswer::bash("echo inside").context_tokens(FULL),
        FakeAnswer::bash("echo inside again"),
        FakeAnswer::text("Nothing found."),
    ];
    let script = Script::new().turn(FakeAnswer::tool("Agent", agent)).turn(FakeAnswer::bash("sleep 3"));
    let script =
        work_after(script, &world).turn(FakeAnswer::bash("echo after")).turn(FakeAnswer::text("All done."));
    let api = FakeApi::start(script.subagent("SUBAGENT-ONE", inner).summary(SUMMARY));
    let run = world.run(&api, &[]).prompt(PROMPT).success();
    assert_eq!(api.turns_left(), 0);

    let marker = "SUBAGENT-ONE".to_owned();
    assert_eq!(
        api.requests_for(&Asked::SubagentSummary(marker.clone())).len(),
        1,
        "the subagent compacts, too"
    );
    let inside = api.requests_for(&Asked::Subagent(marker));
    assert!(!inside.is_empty() && inside.iter().all(|request| briefs_in(request) == 0));
    let brief = the_one_brief(&api, SUMMARY).unwrap();
    assert_work_is_in(&brief);
    for foreign in ["Never whisper", "file-only-the-subagent-misses"] {
        assert!(!brief.contains(foreign), "{foreign} is the subagent's:\n{brief}");
    }
    world.assert_no_hook_complaint(&run);
}

/// Checks the checks above: with hooks that are right and hooks that are wrong.
mod checks_notice {
    use super::*;

    /// What a correct hook would print.
    fn brief() -> String {
        format!("{BRIEF_START} v=\"1\">\n{INSTRUCTION}\n{OPEN_TASK}\n{EDITED}\n{FAILING}\n{BRIEF_END}")
    }

    fn play(client: &RealClient, on_compact: &str, on_startup: &str) -> FakeApi {
        let stub = Stub { on_compact, on_startup };
        let world = World::new(client, &Hook::Stub(&stub));
        let script = work(&world).turn(FakeAnswer::bash("echo after")).turn(FakeAnswer::text("All done."));
        let api = FakeApi::start(script.summary(SUMMARY));
        let run = world.run(&api, &[]).prompt(PROMPT).success();
        world.assert_no_hook_complaint(&run);
        api
    }

    #[test]
    fn a_right_brief() {
        let client = real_client_or_skip!();
        let api = play(&client, &brief(), "");
        assert_work_is_in(&the_one_brief(&api, SUMMARY).unwrap());
    }

    #[test]
    fn a_brief_that_is_early_doubled_cut_or_missing() {
        let client = real_client_or_skip!();
        let problem = |on_compact: &str, on_startup: &str| {
            the_one_brief(&play(&client, on_compact, on_startup), SUMMARY).unwrap_err()
        };
        assert_eq!(problem(&brief(), &brief()), "a brief before the compaction");
        assert!(problem(&format!("{0}\n{0}", brief()), "").starts_with("2 briefs begin and 2 are whole"));
        // Above 10,000 characters the client passes the model a preview and a path.
        let long = brief().replace(OPEN_TASK, &format!("{OPEN_TASK}\n{}", "long ".repeat(2_100)));
        assert!(problem(&long, "").starts_with("1 briefs begin and 0 are whole"));
        assert!(problem("", "").starts_with("0 briefs begin"));
    }
}

/// The turns up to the one that fills the context: an open task, an edited file, a failing command.
fn work(world: &World) -> Script {
    work_after(Script::new(), world)
}

/// A request with constraints, and work of which a summary can keep much or little.
const MUCH: &str = "Make add in src/lib.rs add, and give the crate a command line with subcommands for adding, \
    subtracting and printing a table of sums. Never touch Cargo.toml. Always run the tests with run-tests.sh. \
    Don't add dependencies.";
const TASKS: [&str; 6] = [
    "Parse the arguments of the add subcommand by hand",
    "Parse the arguments of the subtract subcommand by hand",
    "Print the table of sums with right-aligned columns",
    "Describe every subcommand in the help text",
    "Write an integration test for the table",
    "Explain the exit codes in the manual",
];
const FILES: [&str; 6] =
    ["src/main.rs", "src/arguments.rs", "src/table.rs", "src/help.rs", "tests/table.rs", "docs/manual.md"];

fn much_work(world: &World) -> Script {
    let task = |subject: &str| json!({"subject": subject, "description": subject, "activeForm": subject});
    let create = |subject: &str| FakeAnswer::tool("TaskCreate", task(subject));
    let lib = world.env.project().join(EDITED);
    let mut script = Script::new()
        .turn(create("Fix add").and_tool("TaskCreate", task(OPEN_TASK)))
        .turn(
            TASKS[1..]
                .iter()
                .fold(create(TASKS[0]), |turn, subject| turn.and_tool("TaskCreate", task(subject))),
        )
        .turn(FakeAnswer::tool("Read", json!({"file_path": lib})))
        .turn(FakeAnswer::tool(
            "Edit",
            json!({"file_path": lib, "old_string": "a - b", "new_string": "a + b"}),
        ))
        .turn(FakeAnswer::tool("TaskUpdate", json!({"taskId": "1", "status": "completed"})));
    for file in FILES {
        let path = world.env.project().join(file);
        script = script.turn(FakeAnswer::tool("Write", json!({"file_path": path, "content": "later\n"})));
    }
    script
        .turn(FakeAnswer::bash(FAILING))
        .turn(FakeAnswer::bash("cat src/lib.rs"))
        .turn(FakeAnswer::bash("echo full").context_tokens(FULL))
}

fn work_after(script: Script, world: &World) -> Script {
    let lib = world.env.project().join(EDITED);
    let task = |subject: &str| json!({"subject": subject, "description": subject, "activeForm": subject});
    script
        .turn(FakeAnswer::tool("TaskCreate", task("Fix add")).and_tool("TaskCreate", task(OPEN_TASK)))
        .turn(FakeAnswer::tool("Read", json!({"file_path": lib})))
        .turn(FakeAnswer::tool(
            "Edit",
            json!({"file_path": lib, "old_string": "a - b", "new_string": "a + b"}),
        ))
        .turn(FakeAnswer::tool("TaskUpdate", json!({"taskId": "1", "status": "completed"})))
        .turn(
            FakeAnswer::text("Now the tests.")
                .and_tool("Bash", json!({"command": FAILING, "description": "Run tests"})),
        )
        // Not in the last round, which the client keeps verbatim.
        .turn(FakeAnswer::bash("cat src/lib.rs"))
        .turn(FakeAnswer::bash("echo full").context_tokens(FULL))
}

/// A home with a project, and settings that call the hook under test on every event that catchword answers.
struct World {
    client: RealClient,
    env: TestEnv,
    settings: PathBuf,
}

impl World {
    fn new(client: &RealClient, hook: &Hook) -> Self {
        let env = TestEnv::new();
        env.write(EDITED, "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n");
        env.write("run-tests.sh", "echo 'test add_adds ... FAILED'\nexit 101\n");
        let settings = env.root().join("settings.json");
        files::write(&settings, json!({"hooks": hook.events(&env)}).to_string());
        World { client: client.clone(), env, settings }
    }

    fn run<'a>(&'a self, api: &'a FakeApi, more: &[&str]) -> catchword_testkit::ClientRun<'a> {
        let run = self.client.start(&self.env, api).settings(&self.settings);
        let run = run.arg("--model").arg("claude-sonnet-4-5").arg("--dangerously-skip-permissions");
        more.iter().fold(run, |run, arg| run.arg(*arg)).var("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1")
    }

    /// The client records in its transcript whatever a hook did wrong: an exit code, output on stderr, a time-out.
    #[track_caller]
    fn assert_no_hook_complaint(&self, run: &ClientOutput) {
        let transcript = files::read(self.env.transcript_path(&run.session_id()));
        assert!(!transcript.is_empty(), "the client keeps a transcript");
        for line in transcript.lines() {
            let row: Value = serde_json::from_str(line).expect("the client writes JSON");
            let attachment = &row["attachment"];
            let kind = attachment["type"].as_str().unwrap_or_default();
            let complaint = kind.starts_with("hook_") && (kind.contains("error") || kind.contains("cancel"));
            assert!(!complaint, "a hook failed: {line}");
            if kind == "hook_success" {
                assert_eq!(attachment["stderr"], "", "a hook wrote to stderr: {line}");
            }
            let errors = row["hookErrors"].as_array().map_or(0, Vec::len);
            assert_eq!(errors, 0, "a hook failed: {line}");
        }
    }
}

/// The program under test, as the settings name it.
enum Hook<'a> {
    Catchword,
    /// As a plugin *and* in the settings.
    CatchwordTwice,
    /// Its output at `SessionStart` is lost.
    Muted,
    Stub(&'a Stub<'a>),
}

/// A hook that prints fixed texts at the start and after a compaction.
struct Stub<'a> {
    on_compact: &'a str,
    on_startup: &'a str,
}

impl Hook<'_> {
    const EVENTS: [&'static str; 12] = [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "PreCompact",
        "PostCompact",
        "SubagentStart",
        "SubagentStop",
        "Stop",
        "SessionEnd",
    ];

    fn events(&self, env: &TestEnv) -> Map<String, Value> {
        let hook = |command: &str, args: &[&str]| json!({"type": "command", "command": command, "args": args, "timeout": 10});
        let bin = env!("CARGO_BIN_EXE_catchword");
        let hooks = match self {
            Hook::Catchword => vec![hook(bin, &["hook", "claude-code"])],
            // The client runs identical lines only once.
            Hook::CatchwordTwice => {
                vec![hook(bin, &["hook", "claude-code"]), hook(bin, &["hook", "claude-code", "again"])]
            }
            Hook::Muted => vec![hook("/bin/sh", &[&write_muting_script(env, bin)])],
            Hook::Stub(stub) => vec![hook("/bin/sh", &[&stub.write_script(env)])],
        };
        Self::EVENTS.iter().map(|event| ((*event).to_owned(), json!([{"hooks": hooks}]))).collect()
    }
}

/// Runs catchword and swallows its answer to `SessionStart`.
fn write_muting_script(env: &TestEnv, bin: &str) -> String {
    let script = env.root().join("muted.sh");
    let body = format!(
        "payload=$(cat)\nanswer=$(printf %s \"$payload\" | '{bin}' hook claude-code)\ncase $payload in\n*'\"hook_event_name\":\"SessionStart\"'*) ;;\n*) printf %s \"$answer\" ;;\nesac\n"
    );
    files::write(&script, body);
    script.to_str().expect("temporary paths are UTF-8").to_owned()
}

impl Stub<'_> {
    fn write_script(&self, env: &TestEnv) -> String {
        let root = env.root();
        files::write(root.join("on-compact.txt"), self.on_compact);
        files::write(root.join("on-startup.txt"), self.on_startup);
        let script = root.join("stub.sh");
        let body = format!(
            "payload=$(cat)\ncase $payload in\n*'\"source\":\"compact\"'*) cat {0}/on-compact.txt ;;\n*'\"source\":\"startup\"'*) cat {0}/on-startup.txt ;;\nesac\n",
            root.display()
        );
        files::write(&script, body);
        script.to_str().expect("temporary paths are UTF-8").to_owned()
    }
}

/// The lines of ours that the client has shown to the person.
fn shown_to_the_person(world: &World, run: &ClientOutput) -> Vec<String> {
    told_in(&world.env.transcript_path(&run.session_id()))
}

fn told_in(transcript: &std::path::Path) -> Vec<String> {
    let transcript = files::read(transcript);
    let rows = transcript.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let messages = rows.filter(|row| row["attachment"]["type"] == "hook_system_message");
    let words = messages.map(|row| row["attachment"]["content"].as_str().unwrap_or_default().to_owned());
    // A message may have several lines.
    let lines = words.flat_map(|words| words.lines().map(str::to_owned).collect::<Vec<_>>());
    lines.filter(|line| line.starts_with("catchword:")).collect()
}

/// The main thread's requests, parted at its summaries.
fn rounds(api: &FakeApi) -> Vec<Vec<Request>> {
    let mut rounds = vec![Vec::new()];
    for request in api.requests() {
        match request.asked {
            Asked::Turn => rounds.last_mut().expect("never empty").push(request),
            Asked::Summary => rounds.push(Vec::new()),
            _ => {}
        }
    }
    rounds
}

/// The brief of a session with one compaction, or what is wrong with its position.
fn the_one_brief(api: &FakeApi, summary: &str) -> Result<String, String> {
    let rounds = rounds(api);
    if rounds.len() != 2 {
        return Err(format!("{} compactions instead of one", rounds.len() - 1));
    }
    let summariser = &api.requests_for(&Asked::Summary)[0];
    if rounds[0].iter().chain([summariser]).any(|request| briefs_in(request) > 0) {
        return Err("a brief before the compaction".into());
    }
    brief_of_round(&rounds[1], summary)
}

/// The one brief that every request after a compaction has, whole and after the summary.
fn brief_of_round(round: &[Request], summary: &str) -> Result<String, String> {
    let mut found = Vec::new();
    for request in round {
        let text = request.conversation();
        let (count, mut whole) = (briefs_in(request), find_briefs(&text));
        if (count, whole.len()) != (1, 1) {
            return Err(format!("{count} briefs begin and {} are whole in\n{text}", whole.len()));
        }
        if text.find(summary).is_none_or(|at| Some(at) > text.find(BRIEF_START)) {
            return Err(format!("no summary before the brief in\n{text}"));
        }
        found.append(&mut whole);
    }
    found.dedup();
    match found.as_slice() {
        [brief] => Ok(brief.clone()),
        [] => Err("the model is not asked again after the compaction".into()),
        _ => Err(format!("the brief changes from request to request: {found:#?}")),
    }
}

/// How often a brief starts anywhere in the request, including system prompt and tools.
fn briefs_in(request: &Request) -> usize {
    request.body.to_string().matches(BRIEF_START).count()
}

#[track_caller]
fn assert_work_is_in(brief: &str) {
    for needed in [INSTRUCTION, OPEN_TASK, EDITED, FAILING] {
        assert!(brief.contains(needed), "{needed:?} is missing in\n{brief}");
    }
}
