//! What the client and a person do between two sessions.

use catchword_testkit::Terminal;
use catchword_testkit::terminal::{ENTER, plan_file};

use super::*;

/// `/clear` after some work, then a prompt: the requests of the new conversation, and the ids of both sessions.
fn cleared(world: &World, more: &[&str]) -> (Vec<Request>, String, String) {
    let script = work(world).turn(FakeAnswer::text("Waiting.")).turn(FakeAnswer::text("A fresh start."));
    let api = FakeApi::start(script.never_full());
    let results = world.run(&api, more).conversation(&[PROMPT, "/clear", "What is left?"]);
    let id = |n: usize| results[n]["session_id"].as_str().expect("a result names its session").to_owned();
    assert_eq!((results[2]["result"].as_str(), api.turns_left()), (Some("A fresh start."), 0));
    let is_new = |r: &Request| r.conversation().contains("What is left?");
    let (new, old): (Vec<_>, Vec<_>) = rounds(&api).concat().into_iter().partition(is_new);
    assert!(old.iter().all(|request| briefs_in(request) == 0), "nothing before the clearing");
    (new, id(0), id(2))
}

#[test]
fn prompt_after_clear_has_the_brief_of_the_cleared_session() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let (requests, old, new) = cleared(&world, &[]);
    assert_ne!(old, new);
    assert!(!requests.is_empty());
    for request in requests {
        let text = request.conversation();
        let whole = find_briefs(&text);
        assert_eq!((briefs_in(&request), whole.len()), (1, 1), "{text}");
        assert_work_is_in(&whole[0]);
        assert!(whole[0].contains(&format!("session=\"{old}\"")), "{}", whole[0]);
        let rest = text.replace(&whole[0], "");
        assert!(!rest.contains(PROMPT), "the conversation itself is gone:\n{rest}");
    }
    let handoff = world.env.data().join("handoffs").join(format!("HANDOFF-{old}.md"));
    let document = files::read(handoff);
    assert_work_is_in(&document);
    assert!(document.contains(PROMPT) && document.ends_with("<!-- end of the handoff -->\n"), "{document}");
}

#[test]
fn prompt_after_clear_has_one_brief_even_if_installed_twice() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::CatchwordTwice);
    let (requests, ..) = cleared(&world, &[]);
    assert!(!requests.is_empty() && requests.iter().all(|request| briefs_in(request) == 1));
}

#[test]
fn prompt_after_clear_has_no_brief_if_switched_off() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    files::write(world.env.data().join("config.toml"), "next_start.on = false\nhandoff.on = false\n");
    let (requests, ..) = cleared(&world, &[]);
    assert!(!requests.is_empty() && requests.iter().all(|request| briefs_in(request) == 0));
    assert!(!world.env.data().join("handoffs").exists());
}

#[test]
fn resumed_session_is_told_only_what_changed_in_the_meantime() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let _ = with_neighbours(&world);
    let api = FakeApi::start(work(&world).turn(FakeAnswer::text("Waiting.")).never_full());
    let session = world.run(&api, &[]).prompt(PROMPT).success().session_id();
    let told = |prompt: &str| {
        let api = FakeApi::start(Script::new().turn(FakeAnswer::text("Going on.")));
        let run = world.run(&api, &["--resume", &session]).prompt(prompt).success();
        world.assert_no_hook_complaint(&run);
        let asked = api.requests_for(&Asked::Turn);
        find_briefs(&asked.last().expect("the model is asked").conversation())
    };
    assert_eq!(told("Go on."), [] as [&str; 0]);
    let lib = std::fs::File::options().append(true).open(world.env.project().join(EDITED)).unwrap();
    let modified = lib.metadata().unwrap().modified().unwrap();
    lib.set_modified(modified + std::time::Duration::from_secs(3_600)).unwrap();
    git(&world, &["commit", "-q", "--allow-empty", "-m", "Somebody else's work"]);
    let briefs = told("Go on once more.");
    assert_eq!(briefs.len(), 1);
    for needed in ["changed from outside", EDITED, "Somebody else's work"] {
        assert!(briefs[0].contains(needed), "{needed:?} is missing in\n{}", briefs[0]);
    }
}

fn git(world: &World, arguments: &[&str]) {
    let mut git = world.env.command("git");
    git.args(["-c", "user.name=dev", "-c", "user.email=dev@example.com"]).args(arguments);
    assert!(git.status().expect("git is there").success(), "git {arguments:?}");
}

/// The project as a repository with a second work tree beside it, and another project.
fn with_neighbours(world: &World) -> [PathBuf; 2] {
    git(world, &["init", "-q"]);
    git(world, &["add", "-A"]);
    git(world, &["commit", "-qm", "First"]);
    git(world, &["worktree", "add", "-q", "../linked"]);
    let [linked, other] = ["linked", "other"].map(|name| world.env.home().join(name));
    std::fs::create_dir(&other).unwrap();
    [linked, other]
}

#[test]
fn clear_gives_nothing_to_another_project_or_work_tree() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let neighbours = with_neighbours(&world);
    let api = FakeApi::start(work(&world).turn(FakeAnswer::text("Waiting.")).never_full());
    let results = world.run(&api, &[]).conversation(&[PROMPT, "/clear"]);
    assert_eq!(results.len(), 2);
    for folder in neighbours {
        let api =
            FakeApi::start(Script::new().turn(FakeAnswer::text("Hi.")).turn(FakeAnswer::text("Hi again.")));
        let run = world.run(&api, &[]).in_folder(&folder);
        let results = run.conversation(&["Look around.", "/clear", "And again."]);
        assert_eq!(results.len(), 3);
        assert!(api.requests().iter().all(|request| briefs_in(request) == 0), "{}", folder.display());
    }
}

/// In a terminal the client tells its hooks that a person is present.
#[test]
fn interactive_start_offers_the_last_unfinished_session_of_the_work_tree() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let neighbours = with_neighbours(&world);
    let project = world.env.project().to_owned();
    let api = FakeApi::start(work(&world).turn(FakeAnswer::text("Waiting.")).never_full());
    let Some(mut terminal) = sit_down(&world, &project, &api) else { return };
    terminal.ask(&api, PROMPT);
    terminal.leave();
    let offers = |folder: &std::path::Path| {
        let api = FakeApi::start(Script::new().turn(FakeAnswer::text("Hi.")));
        let mut terminal = sit_down(&world, folder, &api).expect("it was there a moment ago");
        terminal.ask(&api, "Look around.");
        let asked = api.requests_for(&Asked::Turn);
        terminal.leave();
        find_briefs(&asked[0].conversation())
    };
    for folder in neighbours {
        assert_eq!(offers(&folder), [] as [&str; 0], "{}", folder.display());
    }
    let api = FakeApi::start(Script::new().turn(FakeAnswer::text("Hi.")));
    let _ = world.run(&api, &[]).prompt("Look around.").success();
    assert!(api.requests().iter().all(|request| briefs_in(request) == 0), "nobody sits at a script");
    let offers = offers(&project);
    assert_eq!(offers.len(), 1);
    for needed in [OPEN_TASK, "The last session here", "not orders", "HANDOFF-"] {
        assert!(offers[0].contains(needed), "{needed:?} is missing in\n{}", offers[0]);
    }
    assert!(offers[0].chars().count() <= 1_500);
    let lines = shown_in_all(&world);
    let [line] = lines.as_slice() else { panic!("the person sees one line: {lines:#?}") };
    assert!(line.contains("stopped with 1 open task") && line.contains("claude --resume"), "{line}");
}

/// In a repository with a past the first request has what the sessions before it ran and changed, with places.
#[test]
fn first_request_has_what_the_repository_taught() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    world.env.write("check.sh", "echo fine\n");
    files::write(world.env.data().join("config.toml"), "next_start.headless = \"offer\"\n");
    let lib = world.env.project().join(EDITED);
    let mut ids = Vec::new();
    let edits = [("a - b", "a + b"), ("a + b", "b + a")];
    for (prompt, (old, new)) in
        ["Check it. Never edit vendor/legacy.txt.", "Check it again."].into_iter().zip(edits)
    {
        let edit = json!({"file_path": lib, "old_string": old, "new_string": new});
        let script = Script::new()
            .turn(FakeAnswer::tool("Read", json!({"file_path": lib})))
            .turn(FakeAnswer::tool("Edit", edit))
            .turn(FakeAnswer::bash("sh check.sh"))
            .turn(FakeAnswer::text("All is fine."));
        let api = FakeApi::start(script.never_full());
        let run = world.run(&api, &[]).prompt(prompt).success();
        world.assert_no_hook_complaint(&run);
        ids.push(run.session_id());
    }
    let api = FakeApi::start(Script::new().turn(FakeAnswer::text("Hi.")));
    let _ = world.run(&api, &[]).prompt("Look around.").success();
    let told = find_briefs(&api.requests_for(&Asked::Turn)[0].conversation());
    assert_eq!(told.len(), 1);
    for needed in [
        "not orders",
        "\"Never edit vendor/legacy.txt.\"",
        "`sh check.sh` (2, ",
        EDITED,
        &format!("{}:L", &ids[1][..8]),
    ] {
        assert!(told[0].contains(needed), "{needed:?} is missing in\n{}", told[0]);
    }
}

/// What the client showed to the person, in any session.
fn shown_in_all(world: &World) -> Vec<String> {
    let projects = std::fs::read_dir(world.env.home().join(".claude/projects")).unwrap();
    let inside = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = projects.flatten().flat_map(|project| inside(project.path())).map(|file| file.path());
    let transcripts = files.filter(|file| file.extension().is_some_and(|end| end == "jsonl"));
    transcripts.flat_map(|transcript| told_in(&transcript)).collect()
}

/// A way to start the client without a person.
#[derive(Clone, Copy, Debug)]
enum Headless {
    Print,
    StreamJson,
    /// As the SDK starts it.
    Sdk,
}

/// What a script left unfinished: the next script gets what the setting or the variable says.
#[test]
fn without_a_person_the_next_start_is_as_the_setting_says() {
    let client = real_client_or_skip!();
    let (offer, brief) = (Some("The last session here"), Some("left unfinished here"));
    let cases = [
        (Headless::Print, "", None, None),
        (Headless::StreamJson, "next_start.headless = \"brief\"\n", Some("off"), None),
        (Headless::Print, "", Some("offer"), offer),
        (Headless::StreamJson, "next_start.headless = \"offer\"\n", None, offer),
        (Headless::Print, "next_start.headless = \"brief\"\n", None, brief),
        (Headless::Sdk, "", Some("brief"), brief),
    ];
    for (how, config, variable, needed) in cases {
        let world = World::new(&client, &Hook::Catchword);
        files::write(world.env.data().join("config.toml"), config);
        let start = |api: &FakeApi, prompt: &str| {
            let run = world.run(api, &[]);
            let run = variable.iter().fold(run, |run, value| run.var("CATCHWORD_NEXT_START", *value));
            match how {
                Headless::Print => drop(run.prompt(prompt).success()),
                Headless::StreamJson => drop(run.conversation(&[prompt])),
                Headless::Sdk => drop(run.var("CLAUDE_CODE_ENTRYPOINT", "sdk-ts").conversation(&[prompt])),
            }
        };
        let api = FakeApi::start(work(&world).turn(FakeAnswer::text("Waiting.")).never_full());
        start(&api, PROMPT);
        assert!(api.requests().iter().all(|request| briefs_in(request) == 0), "nothing was there before");
        let api = FakeApi::start(Script::new().turn(FakeAnswer::text("Hi.")));
        start(&api, "Look around.");
        let asked = api.requests_for(&Asked::Turn)[0].conversation();
        let told = find_briefs(&asked);
        let case = format!("{how:?} {config} {variable:?}");
        assert_eq!(told.len(), usize::from(needed.is_some()), "{case}: {asked}");
        for needed in needed.iter().flat_map(|needed| [*needed, OPEN_TASK]) {
            assert!(told[0].contains(needed), "{case}: {needed:?} is missing in\n{}", told[0]);
        }
    }
}

#[test]
fn what_a_script_left_is_offered_to_a_person_and_vice_versa_unless_the_setting_is_off() {
    let client = real_client_or_skip!();
    for (config, offers) in [("", 0), ("next_start.headless = \"offer\"\n", 1)] {
        for script_first in [true, false] {
            let world = World::new(&client, &Hook::Catchword);
            files::write(world.env.data().join("config.toml"), config);
            let project = world.env.project().to_owned();
            let in_terminal = |api: &FakeApi, prompt: &str| {
                let Some(mut terminal) = sit_down(&world, &project, api) else { return false };
                terminal.ask(api, prompt);
                terminal.leave();
                true
            };
            let in_script = |api: &FakeApi, prompt: &str| drop(world.run(api, &[]).prompt(prompt).success());
            let leaving = FakeApi::start(work(&world).turn(FakeAnswer::text("Waiting.")).never_full());
            let coming = FakeApi::start(Script::new().turn(FakeAnswer::text("Hi.")));
            let has_terminal = if script_first {
                in_script(&leaving, PROMPT);
                in_terminal(&coming, "Look around.")
            } else {
                let sat = in_terminal(&leaving, PROMPT);
                in_script(&coming, "Look around.");
                sat
            };
            if !has_terminal {
                return;
            }
            let asked = coming.requests_for(&Asked::Turn)[0].conversation();
            let told = find_briefs(&asked);
            // What the repository's past says is no offer.
            let offered = told.iter().filter(|offer| offer.contains(OPEN_TASK)).count();
            assert_eq!(offered, offers, "{config} {script_first}: {asked}");
        }
    }
}

/// What nothing but the agent's last words says is left, in a bot that answers several threads in one folder.
#[test]
fn last_words_of_a_headless_run_are_handed_over_to_its_own_thread_only() {
    const LAST: &str = "Der Importer läuft. Exporter is still missing, the docs as well.";
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    files::write(world.env.data().join("config.toml"), "next_start.headless = \"offer\"\n");
    let file = world.env.project().join("importer.py");
    let write = FakeAnswer::tool("Write", json!({"file_path": file, "content": "pass\n"}));
    let api = FakeApi::start(Script::new().turn(write).turn(FakeAnswer::text(LAST)).never_full());
    let run = |api: &FakeApi, thread: Option<&str>, prompt: &str| {
        let run = world.run(api, &[]);
        let run = thread.iter().fold(run, |run, thread| run.var("CATCHWORD_THREAD", *thread));
        let _ = run.prompt(prompt).success();
    };
    run(&api, Some("C1/17.5"), "Write the importer and the exporter.");
    let handoffs = world.env.data().join("handoffs");
    let written: Vec<_> = std::fs::read_dir(&handoffs).expect("handoffs").flatten().collect();
    assert_eq!(written.len(), 1, "{written:?}");
    let document = files::read(written[0].path());
    assert!(document.contains("Exporter is still missing, the docs as well."), "{document}");
    for (thread, is_told) in [(Some("C1/99.9"), false), (None, false), (Some("C1/17.5"), true)] {
        let api = FakeApi::start(Script::new().turn(FakeAnswer::text("Hi.")));
        run(&api, thread, "And now?");
        let asked = api.requests_for(&Asked::Turn)[0].conversation();
        assert_eq!(asked.contains("Exporter is still missing"), is_told, "{thread:?}: {asked}");
    }
}

/// `catchword handoff --replay | claude -p "…"`: the client puts both into one prompt.
#[test]
fn a_replay_piped_behind_a_prompt_is_not_taken_for_the_persons_words() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let script = Script::new()
        .turn(
            FakeAnswer::text("Root cause: the ledger is locked twice.")
                .and_tool("Bash", json!({"command": "cat src/lib.rs", "description": "Look"})),
        )
        .turn(FakeAnswer::text("Waiting."));
    let api = FakeApi::start(script.never_full());
    let _ = world.run(&api, &[]).prompt(PROMPT).success();
    let replay = world.env.run(env!("CARGO_BIN_EXE_catchword"), &["handoff", "--replay"]).success().stdout;
    assert!(replay.contains(PROMPT) && replay.contains("agent: Root cause: the ledger"), "{replay}");
    world.env.write("replay.txt", &replay);
    let script = Script::new()
        .turn(FakeAnswer::bash("cat src/lib.rs"))
        .turn(FakeAnswer::bash("echo full").context_tokens(FULL))
        .turn(FakeAnswer::bash("echo after"))
        .turn(FakeAnswer::text("All done."));
    let api = FakeApi::start(script.summary(SUMMARY));
    let run = world.run(&api, &[]).through(&["/bin/sh", "-c", "exec \"$@\" <replay.txt", "sh"]);
    let run = run.prompt("Write the exporter.").success();
    let asked = api.requests_for(&Asked::Turn)[0].conversation();
    assert!(asked.contains("Write the exporter.") && asked.contains(INSTRUCTION), "it was piped: {asked}");
    let brief = the_one_brief(&api, SUMMARY).unwrap();
    assert!(brief.contains("\"Write the exporter.\""), "{brief}");
    assert!(!brief.contains(INSTRUCTION) && !brief.contains("ledger"), "{brief}");
    world.assert_no_hook_complaint(&run);
}

#[test]
fn brief_does_not_repeat_an_approved_plan_that_the_client_restores() {
    const STEP: &str = "Weigh every sum twice";
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let project = world.env.project().to_owned();
    let script = Script::new()
        .turn(FakeAnswer::bash("while ! test -e planned; do sleep 0.1; done"))
        .turn(FakeAnswer::tool("ExitPlanMode", json!({})))
        .turn(FakeAnswer::bash("touch approved"))
        .turn(FakeAnswer::text("Half of it is done."))
        .turn(FakeAnswer::text("Going on."))
        .summary(SUMMARY);
    let api = FakeApi::start(script.never_full());
    let Some(mut terminal) = sit_down(&world, &project, &api) else { return };
    terminal.line("/plan");
    terminal.line(PROMPT);
    terminal.wait("the first turn", || api.turns_left() == 4);
    files::write(plan_file(&world.env, &api), format!("# Sound sums\n\n1. Turn the sign\n2. {STEP}\n"));
    world.env.write("planned", "");
    terminal.wait("the plan", || api.turns_left() == 3);
    terminal.press_until(ENTER, "the approval", || project.join("approved").exists());
    terminal.wait("the end of the turn", || api.turns_left() == 1);
    terminal.line("/compact");
    terminal.wait("the summary", || !api.requests_for(&Asked::Summary).is_empty());
    terminal.ask(&api, "Go on.");
    let asked = api.requests_for(&Asked::Turn).pop().expect("the model is asked").conversation();
    terminal.leave();
    let briefs = find_briefs(&asked);
    assert_eq!(briefs.len(), 1, "{asked}");
    assert!(
        briefs[0].contains("approved the plan \"Sound sums\"") && !briefs[0].contains(STEP),
        "{}",
        briefs[0]
    );
    assert!(!briefs[0].contains("no output"), "the client's words are no output: {}", briefs[0]);
    let (mine, own) = (asked.find(&briefs[0]).expect("it was found there"), asked.find(STEP));
    assert!(own.is_some_and(|own| own < mine), "the client brings the plan:\n{asked}");
}

/// Opens the client in a terminal in this folder; `None` without a terminal, with a message.
fn sit_down(world: &World, folder: &std::path::Path, api: &FakeApi) -> Option<Terminal> {
    let opened = Terminal::open(world.run(api, &[]).in_folder(folder));
    let mut terminal = opened.inspect_err(|skip| skip.say(module_path!())).ok()?;
    terminal.wait_for_prompt();
    Some(terminal)
}
