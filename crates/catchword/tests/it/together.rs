//! Several sessions at once, across all front ends: nothing of one is shown, reported or counted as another's.

use std::path::{Path, PathBuf};
use std::process::Command;

use catchword_testkit::{CommandOutput, HookPlayer, SESSIONS, SessionStep, TestEnv, Transcript, files};
use serde_json::Value;

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const MAIN: &str = "aaaaaaaa-0000-4000-8000-000000000000";
const SECOND: &str = "bbbbbbbb-0000-4000-8000-000000000000";
const LINKED: &str = "cccccccc-0000-4000-8000-000000000000";

/// A repository with a work tree inside it, and three sessions: two in the one, one in the other.
struct Stage {
    env: TestEnv,
    linked: PathBuf,
}

/// What is unique to each: a request, a task, the size of its context.
const OWN: [(&str, &str, &str, u64); 3] = [
    (MAIN, "Add a parser for main.", "lexer-of-main", 60_000),
    (SECOND, "Write docs for second.", "chapter-of-second", 120_000),
    (LINKED, "Port linked to windows.", "paths-of-linked", 160_000),
];

impl Stage {
    fn new() -> Self {
        let mut env = TestEnv::new();
        env.set_var("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "200000");
        let git = |args: &[&str]| {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=A", "-c", "user.email=a@example.com"]);
            let output = git.arg("-C").arg(env.project()).args(args).output().expect("git is there");
            assert!(output.status.success(), "{output:?}");
        };
        git(&["init", "-q", "-b", "main"]);
        git(&["commit", "-q", "--allow-empty", "-m", "first"]);
        let linked = env.project().join(".worktrees/linked");
        git(&["worktree", "add", "-q", linked.to_str().expect("UTF-8")]);
        Stage { env, linked }
    }

    fn folder(&self, session: &str) -> &Path {
        if session == LINKED { &self.linked } else { self.env.project() }
    }

    fn hooks(&self, session: &str) -> HookPlayer<'_> {
        HookPlayer::new(&self.env, BIN, session).in_folder(self.folder(session))
    }

    /// A step of every session in turn, so that their hooks alternate; the last one sets the size of its context.
    fn play(&self) -> Vec<CommandOutput> {
        let mut transcripts: Vec<Transcript> =
            OWN.iter().map(|(id, ..)| Transcript::new().session(id).cwd(self.folder(id))).collect();
        let mut said = Vec::new();
        for step in 0..3 {
            for (transcript, (id, asked, task, tokens)) in transcripts.iter_mut().zip(OWN) {
                let now = std::mem::take(transcript);
                *transcript = match step {
                    0 => now.prompt(asked),
                    1 => now.task_create(task).bash(&format!("make {task}")).fails("Exit code 2\nno rule"),
                    // A subagent of the first session has the fullest context, and work of its own.
                    _ if id == MAIN => now
                        .as_subagent("a1")
                        .usage(165_000)
                        .task_create("task-of-a-subagent")
                        .bash("make subagent")
                        .fails("Exit code 2")
                        .main_thread()
                        .usage(tokens - 40)
                        .bash("ls")
                        .ok("src"),
                    _ => now.usage(tokens - 40).bash("ls").ok("src"),
                };
                let hooks = self.hooks(id);
                transcript.append_to(hooks.transcript_path());
                said.push(match step {
                    0 => {
                        assert!(hooks.session_start("startup").is_silent_success());
                        hooks.user_prompt(asked).success()
                    }
                    _ => hooks.post_tool_batch(&[]).success(),
                });
            }
            let inside = self.hooks(MAIN).inside_subagent("a1");
            assert!(inside.post_tool_batch(&[]).is_silent_success());
        }
        said
    }

    fn run(&self, folder: &Path, args: &[&str]) -> String {
        let mut command = self.env.command(BIN);
        command.current_dir(folder).args(args);
        self.env.run_command(command, "").success().stdout
    }

    fn json(&self, folder: &Path, args: &[&str]) -> Value {
        serde_json::from_str(&self.run(folder, args)).expect("JSON")
    }
}

/// Everything of this session, nothing of another one and nothing of a subagent.
#[track_caller]
fn assert_only_of(session: &str, text: &str) {
    for (id, asked, task, _) in OWN {
        assert_eq!(text.contains(task), id == session, "{task} of {id} in what is {session}'s:\n{text}");
        assert!(id == session || !text.contains(asked), "{asked} in what is {session}'s:\n{text}");
    }
    assert!(!text.contains("subagent"), "{text}");
}

#[test]
fn status_shows_the_sessions_of_its_work_tree() {
    let stage = Stage::new();
    stage.play();
    let ids = |value: &Value| -> Vec<String> {
        value
            .as_array()
            .expect("a list")
            .iter()
            .map(|s| s["id"].as_str().expect("an id").to_owned())
            .collect()
    };
    let here = stage.json(stage.env.project(), &["status", "--json"]);
    assert_eq!(ids(&here), [SECOND, MAIN]);
    let linked = stage.json(&stage.linked, &["status", "--json"]);
    assert_eq!(ids(&linked), [LINKED]);
    let all = stage.json(&stage.linked, &["status", "--all", "--json"]);
    assert_eq!(ids(&all), [LINKED, SECOND, MAIN]);
    for one in all.as_array().expect("a list") {
        let (id, asked, _, tokens) = OWN.into_iter().find(|own| one["id"] == own.0).expect("one of ours");
        assert_only_of(id, &one.to_string().replace("\"subagents\":0", ""));
        assert_eq!(
            (one["asked"][0].as_str(), one["context"]["used"]["tokens"].as_u64()),
            (Some(asked), Some(tokens))
        );
        assert_eq!(one["open"].as_array().map(Vec::len), Some(1), "{one:#}");
        assert_eq!(one["failing"].as_array().map(Vec::len), Some(1), "{one:#}");
    }
    let screen = stage.run(stage.env.project(), &["status"]);
    assert!(screen.contains("lexer-of-main") && screen.contains("chapter-of-second"), "{screen}");
    assert!(!screen.contains("paths-of-linked") && !screen.contains("subagent"), "{screen}");
}

#[test]
fn warnings_concern_only_the_own_session() {
    let stage = Stage::new();
    let said = stage.play();
    let told: Vec<bool> = said.iter().map(|output| output.stdout.contains("until compaction")).collect();
    // Of the last three: 60k is far from it, 120k is past 30 %, 160k past 5 %.
    assert_eq!(told, [false, false, false, false, false, false, false, true, true]);
    assert_only_of(SECOND, &said[7].stdout);
    assert_only_of(LINKED, &said[8].stdout);
    let handoffs = stage.env.data().join("handoffs");
    for (id, path) in [SECOND, LINKED].map(|id| (id, handoffs.join(format!("HANDOFF-{id}.md")))) {
        assert_only_of(id, &files::read(path));
    }
    assert!(
        !handoffs.join(format!("HANDOFF-{MAIN}.md")).exists(),
        "a subagent's context is not the session's"
    );
}

#[test]
fn latest_session_depends_on_the_folder() {
    let stage = Stage::new();
    stage.play();
    for (folder, id) in [(stage.env.project(), SECOND), (stage.linked.as_path(), LINKED)] {
        assert_eq!(stage.json(folder, &["status", "--json"])[0]["id"], id);
        assert_only_of(id, &stage.run(folder, &["brief"]));
        assert_only_of(id, &stage.run(folder, &["handoff"]));
    }
    let below = stage.env.project().join("src");
    std::fs::create_dir(&below).expect("our own folder");
    assert_eq!(stage.json(&below, &["status", "--json"])[0]["id"], SECOND, "anywhere in the work tree");
}

#[test]
fn each_compaction_gives_back_its_own_session() {
    let stage = Stage::new();
    stage.play();
    let all: Vec<(&str, String)> = std::thread::scope(|scope| {
        let running: Vec<_> = OWN
            .map(|(id, ..)| {
                let hooks = stage.hooks(id);
                scope.spawn(move || {
                    assert!(hooks.pre_compact("auto", None).status.success());
                    (id, hooks.session_start("compact").success().stdout)
                })
            })
            .into_iter()
            .collect();
        running.into_iter().map(|one| one.join().expect("no panic")).collect()
    });
    for (id, brief) in all {
        assert_only_of(id, &brief);
    }
}

/// A session of every client in one home, which hooks never saw.
#[test]
fn sessions_of_every_client_in_one_home_are_found_measured_and_not_mixed() {
    let env = TestEnv::new();
    let asked = |client: &str| format!("Please fix the {client}-only defect in the parser.");
    let summary = "The defect was looked at and something was done about it, but nobody knows what exactly.";
    let printed = "error: expected `;`";
    for of in SESSIONS {
        let steps = [
            SessionStep::Prompt(asked(of.client)),
            SessionStep::Runs { command: "cargo test -p parser".into(), exit: 101, printed: printed.into() },
            SessionStep::Compaction(summary.into()),
            SessionStep::Says("On it.".into()),
        ];
        of.write(&env, &of.id(1), &steps);
    }
    let run = |args: &[&str]| env.run(BIN, args).success();
    let _ = run(&["index"]);
    for of in SESSIONS {
        let (client, id) = (of.client, of.id(1));
        let found = run(&["search", "--json", &format!("{client}-only defect")]).stdout;
        let first = found.find("\"session\"").map_or("", |at| &found[at..]);
        assert!(first.contains(&id), "{client}: {found}");
        let brief = run(&["brief", &id]).stdout;
        assert!(brief.contains(&asked(client)) && brief.contains(printed), "{client}: {brief}");
        for other in SESSIONS.iter().filter(|other| other.client != client) {
            assert!(!brief.contains(&asked(other.client)), "{client} has words of {}: {brief}", other.client);
        }
    }
    let figures: Value = serde_json::from_str(&run(&["eval", "--json"]).stdout).unwrap();
    assert_eq!(figures["transcripts"], SESSIONS.len(), "{figures}");
    let listed: Value = serde_json::from_str(&run(&["status", "--all", "--json"]).stdout).unwrap();
    let listed = listed.as_array().expect("a list");
    for of in SESSIONS {
        let of_it = listed.iter().filter(|session| session["client"] == of.client);
        let ids: Vec<&str> = of_it.filter_map(|session| session["id"].as_str()).collect();
        assert_eq!(ids, [of.id(1)], "{}", of.client);
    }
    assert_eq!(listed.len(), SESSIONS.len(), "{listed:?}");
    let tried = run(&["try"]).stdout;
    assert!(tried.contains("newest session"), "{tried}");
}
