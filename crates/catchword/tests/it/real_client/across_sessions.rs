//! What the client and a person at it do between two sessions.

use super::*;

/// `/clear` after some work, then a prompt: the requests of the new conversation, and the ids of both sessions.
fn cleared(world: &World, more: &[&str]) -> (Vec<Request>, String, String) {
    let script = work(world).turn(Turn::text("Waiting.")).turn(Turn::text("A fresh start."));
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
fn after_clear_the_next_prompt_carries_the_brief_of_the_session_before() {
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
fn installed_twice_it_carries_the_brief_once() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::CatchwordTwice);
    let (requests, ..) = cleared(&world, &[]);
    assert!(!requests.is_empty() && requests.iter().all(|request| briefs_in(request) == 1));
}

#[test]
fn switched_off_it_carries_nothing() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    files::write(world.env.data().join("config.toml"), "next_start = false\nhandoff = false\n");
    let (requests, ..) = cleared(&world, &[]);
    assert!(!requests.is_empty() && requests.iter().all(|request| briefs_in(request) == 0));
    assert!(!world.env.data().join("handoffs").exists());
}

#[test]
fn a_resumed_session_hears_of_what_was_changed_meanwhile_and_of_nothing_else() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let _ = with_neighbours(&world);
    let api = FakeApi::start(work(&world).turn(Turn::text("Waiting.")).never_full());
    let session = world.run(&api, &[]).prompt(PROMPT).success().session_id();
    let told = |prompt: &str| {
        let api = FakeApi::start(Script::new().turn(Turn::text("Going on.")));
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
fn a_second_project_and_a_second_work_tree_get_nothing_of_it_after_clear() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let neighbours = with_neighbours(&world);
    let api = FakeApi::start(work(&world).turn(Turn::text("Waiting.")).never_full());
    let results = world.run(&api, &[]).conversation(&[PROMPT, "/clear"]);
    assert_eq!(results.len(), 2);
    for folder in neighbours {
        let api = FakeApi::start(Script::new().turn(Turn::text("Hi.")).turn(Turn::text("Hi again.")));
        let run = world.run(&api, &[]).in_folder(&folder);
        let results = run.conversation(&["Look around.", "/clear", "And again."]);
        assert_eq!(results.len(), 3);
        assert!(api.requests().iter().all(|request| briefs_in(request) == 0), "{}", folder.display());
    }
}

/// At a terminal a person sits: the client says so to its hooks.
#[test]
fn at_a_terminal_the_last_unfinished_session_of_this_work_tree_is_offered() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let neighbours = with_neighbours(&world);
    let project = world.env.project().to_owned();
    let first = work(&world).turn(Turn::text("Waiting.")).never_full();
    let Some(mut terminal) = Terminal::open(&world, &project, first) else { return };
    terminal.ask(PROMPT);
    terminal.leave();
    let offers = |folder: &std::path::Path| {
        let hello = Script::new().turn(Turn::text("Hi."));
        let mut terminal = Terminal::open(&world, folder, hello).expect("it was there a moment ago");
        terminal.ask("Look around.");
        let asked = terminal.api.requests_for(&Asked::Turn);
        terminal.leave();
        find_briefs(&asked[0].conversation())
    };
    for folder in neighbours {
        assert_eq!(offers(&folder), [] as [&str; 0], "{}", folder.display());
    }
    let api = FakeApi::start(Script::new().turn(Turn::text("Hi.")));
    let _ = world.run(&api, &[]).prompt("Look around.").success();
    assert!(api.requests().iter().all(|request| briefs_in(request) == 0), "nobody sits at a script");
    let offers = offers(&project);
    assert_eq!(offers.len(), 1);
    for needed in [OPEN_TASK, "claude --resume", "not orders", "HANDOFF-"] {
        assert!(offers[0].contains(needed), "{needed:?} is missing in\n{}", offers[0]);
    }
    assert!(offers[0].chars().count() <= 1_200);
}

#[test]
fn an_approved_plan_comes_back_with_the_client_and_not_once_more_with_us() {
    const STEP: &str = "Weigh every sum twice";
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let project = world.env.project().to_owned();
    let script = Script::new()
        .turn(Turn::bash("while ! test -e planned; do sleep 0.1; done"))
        .turn(Turn::tool("ExitPlanMode", json!({})))
        .turn(Turn::bash("touch approved"))
        .turn(Turn::text("Half of it is done."))
        .turn(Turn::text("Going on."))
        .summary(SUMMARY);
    let Some(mut terminal) = Terminal::open(&world, &project, script.never_full()) else { return };
    terminal.line("/plan");
    terminal.line(PROMPT);
    terminal.wait("the first turn", |api| api.turns_left() == 4);
    files::write(plan_file(&world, &terminal.api), format!("# Sound sums\n\n1. Turn the sign\n2. {STEP}\n"));
    world.env.write("planned", "");
    terminal.wait("the plan", |api| api.turns_left() == 3);
    terminal.press_until("\r", "the approval", |_| project.join("approved").exists());
    terminal.wait("the end of the turn", |api| api.turns_left() == 1);
    terminal.line("/compact");
    terminal.wait("the summary", |api| !api.requests_for(&Asked::Summary).is_empty());
    terminal.ask("Go on.");
    let asked = terminal.api.requests_for(&Asked::Turn).pop().expect("the model is asked").conversation();
    terminal.leave();
    let briefs = find_briefs(&asked);
    assert_eq!(briefs.len(), 1, "{asked}");
    assert!(
        briefs[0].contains("approved the plan \"Sound sums\"") && !briefs[0].contains(STEP),
        "{}",
        briefs[0]
    );
    let (mine, own) = (asked.find(&briefs[0]).expect("it was found there"), asked.find(STEP));
    assert!(own.is_some_and(|own| own < mine), "the client brings the plan:\n{asked}");
}

/// The file that the client has named for the plan; the model would write it.
fn plan_file(world: &World, api: &FakeApi) -> PathBuf {
    let told = api.requests().iter().map(Request::conversation).collect::<String>();
    let folder = world.env.home().join(".claude/plans/");
    let start = told.find(folder.to_str().expect("temporary paths are UTF-8")).expect("a plan file is named");
    let end = start + told[start..].find(".md").expect("plans are Markdown") + ".md".len();
    PathBuf::from(&told[start..end])
}

/// The client in a pseudo-terminal, made by `script`, and somebody at the keys.
struct Terminal {
    api: FakeApi,
    child: std::process::Child,
    keys: std::process::ChildStdin,
    screen: PathBuf,
}

impl Terminal {
    /// Starts the client in a trusted folder; nothing where there is no `script`, which is said.
    fn open(world: &World, folder: &std::path::Path, script: Script) -> Option<Terminal> {
        use std::process::{Command, Stdio};
        let found = Command::new("script").arg("--version").stdout(Stdio::null()).status();
        if !found.is_ok_and(|status| status.success()) {
            catchword_testkit::Skip::because("util-linux's `script` is missing").say(module_path!());
            return None;
        }
        let api = FakeApi::start(script);
        let folder = folder.to_str().expect("temporary paths are UTF-8");
        let trusted = json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
        let config = json!({"hasCompletedOnboarding": true, "theme": "dark", "primaryApiKey": "dummy",
            "bypassPermissionsModeAccepted": true,
            "customApiKeyResponses": {"approved": ["dummy"], "rejected": []}, "projects": {folder: trusted}});
        files::write(world.env.home().join(".claude.json"), config.to_string());
        let client = world.run(&api, &[]).command();
        let words: Vec<_> = client.get_args().map(|arg| format!("'{}'", arg.to_string_lossy())).collect();
        let line = format!(
            "stty rows 50 cols 150; exec '{}' {}",
            client.get_program().to_string_lossy(),
            words.join(" ")
        );
        let mut command = Command::new("script");
        command.args(["-qfec", &line, "/dev/null"]).env_clear().current_dir(folder);
        command.env("TERM", "xterm-256color");
        command.envs(client.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let screen = world.env.root().join("screen.txt");
        let output = std::fs::File::create(&screen).expect("a file of our own");
        command.stdin(Stdio::piped()).stdout(output).stderr(Stdio::null());
        let mut child = command.spawn().expect("it answered a moment ago");
        let keys = child.stdin.take().expect("stdin is piped");
        let mut terminal = Terminal { api, child, keys, screen };
        // Keys typed before the prompt is drawn are lost.
        let screen = terminal.screen.clone();
        terminal.wait("the prompt", |_| files::read(&screen).contains('❯'));
        Some(terminal)
    }

    /// Asks, and waits until the script of the model is through.
    fn ask(&mut self, prompt: &str) {
        self.line(prompt);
        self.wait("the end of the turn", |api| api.turns_left() == 0);
    }

    /// Typed as a person would: a whole line at once counts as pasted, and Enter in it as a newline.
    fn line(&mut self, text: &str) {
        use std::io::Write;
        for keys in [text, "\r"] {
            std::thread::sleep(std::time::Duration::from_millis(700));
            self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).expect("the client runs");
        }
    }

    /// Keys that the client may not be ready for, again and again.
    fn press_until(&mut self, keys: &str, what: &str, reached: impl Fn(&FakeApi) -> bool) {
        use std::io::Write;
        for _ in 0..30 {
            std::thread::sleep(std::time::Duration::from_secs(1));
            if reached(&self.api) {
                return;
            }
            self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).expect("the client runs");
        }
        panic!("waited for {what} in vain:\n{}", self.tail());
    }

    fn wait(&mut self, what: &str, reached: impl Fn(&FakeApi) -> bool) {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while !reached(&self.api) {
            assert!(std::time::Instant::now() < end, "waited for {what} in vain:\n{}", self.tail());
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }

    fn leave(&mut self) {
        self.line("/exit");
        let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while self.child.try_wait().expect("a child we started").is_none() {
            assert!(std::time::Instant::now() < end, "the client does not end:\n{}", self.tail());
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }

    fn tail(&self) -> String {
        let screen: Vec<char> = files::read(&self.screen).chars().collect();
        screen[screen.len().saturating_sub(2_000)..].iter().collect()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
