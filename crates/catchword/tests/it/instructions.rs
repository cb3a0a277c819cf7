//! `init --instructions` and `remove`: our section in CLAUDE.md, with the rest of the file untouched.

use std::path::PathBuf;

use catchword_testkit::{
    Asked, FakeAnswer, FakeApi, HookPlayer, SESSION, Script, TestEnv, Transcript, files, real_client_or_skip,
};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const HEADING: &str = "## Compact Instructions";

struct Stage {
    env: TestEnv,
}

impl Stage {
    fn new() -> Self {
        Stage { env: TestEnv::new() }
    }

    fn project_file(&self) -> PathBuf {
        self.env.project().join("CLAUDE.md")
    }

    fn user_file(&self) -> PathBuf {
        self.env.home().join(".claude/CLAUDE.md")
    }

    fn run(&self, arguments: &str) -> String {
        let words: Vec<&str> = arguments.split(' ').collect();
        self.env.run(BIN, &words).success().stdout
    }

    fn git(&self, arguments: &[&str]) {
        let git = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"];
        let _ = self.env.run("git", &[&git, arguments].concat()).success();
    }
}

#[test]
fn dry_run_shows_the_section_and_writes_nothing() {
    let stage = Stage::new();
    stage.env.write("CLAUDE.md", "# Project\n");
    let shown = stage.run("init --instructions --project --dry-run");
    assert!(shown.contains(&format!("+{HEADING}")) && shown.contains(" # Project"), "{shown}");
    assert_eq!(files::read(stage.project_file()), "# Project\n");
    let silent = stage.env.run(BIN, &["init", "--instructions", "--project"]);
    assert!(!silent.status.success(), "nobody was asked and nobody said yes");
    assert!(
        silent.stdout.contains("section \"Compact Instructions\"") && silent.stderr.contains("--yes"),
        "{silent}"
    );
    assert_eq!(files::read(stage.project_file()), "# Project\n");
}

#[test]
fn any_instruction_file_is_restored_byte_for_byte() {
    let cases = [
        "",
        "# A\n",
        "# A",
        "# A\r\n\r\ntext\r\n",
        "\u{feff}# A\r\nno end",
        "\n\n",
        "## Compact Instructions\nmine\n",
    ];
    for text in cases {
        let stage = Stage::new();
        stage.env.write("CLAUDE.md", text);
        stage.run("init --instructions --project --yes");
        let with = files::read(stage.project_file());
        assert!(with.starts_with(text) && with.contains("catchword:begin"), "{text:?}: {with}");
        let mixed = with.replace("\r\n", "").contains('\n');
        assert_eq!(mixed, !text.contains("\r\n"), "{text:?}: one kind of line end");
        assert!(stage.run("init --instructions --project --yes").starts_with("Already installed"));
        assert_eq!(files::read(stage.project_file()), with);
        stage.run("remove --instructions --project --yes");
        assert_eq!(files::read(stage.project_file()), text);
    }
}

#[test]
fn missing_file_is_created_and_deleted() {
    let stage = Stage::new();
    stage.run("init --instructions --yes");
    assert!(files::read(stage.user_file()).contains(HEADING));
    assert!(!stage.project_file().exists());
    let said = stage.run("remove --instructions --yes");
    assert!(said.contains("because init created it"), "{said}");
    assert!(!stage.user_file().exists());
    assert!(stage.env.home().join(".claude/settings.json").exists(), "the hooks stay");
    assert!(stage.run("remove --instructions --yes").starts_with("No compact instructions"));
    stage.run("init --instructions --yes");
    stage.run("remove --yes");
    assert!(!stage.env.home().join(".claude").exists());
}

#[test]
fn changes_around_the_section_survive_remove() {
    let stage = Stage::new();
    stage.env.write("CLAUDE.md", "# A\n");
    stage.run("init --instructions --project --yes");
    let with = files::read(stage.project_file());
    stage.env.write("CLAUDE.md", &format!("# New\n{with}# Below\n"));
    stage.run("remove --instructions --project --yes");
    assert_eq!(files::read(stage.project_file()), "# New\n# A\n# Below\n");
}

#[test]
fn remove_takes_out_hooks_and_section_but_init_alone_keeps_the_section() {
    let stage = Stage::new();
    stage.run("init --yes --force");
    stage.run("init --instructions --yes");
    let doctor = stage.env.run(BIN, &["doctor"]).stdout;
    assert!(doctor.contains("Compact instructions are in ~/.claude/CLAUDE.md"), "{doctor}");
    stage.run("remove --yes");
    assert!(!stage.user_file().exists());
    stage.run("init --yes --force");
    assert!(!stage.user_file().exists());
}

#[test]
fn hooks_status_line_and_section_are_shown_as_one_change() {
    let stage = Stage::new();
    stage.env.write("CLAUDE.md", "# Project\n");
    let shown = stage.run("init --statusline --instructions --dry-run");
    for part in ["+++ ", "\"PreCompact\"", "\"statusLine\"", HEADING] {
        assert!(shown.contains(part), "{part} is missing in\n{shown}");
    }
    assert!(!stage.env.home().join(".claude").exists());
    let said = stage.run("init --statusline --instructions --yes");
    assert!(
        said.replace('\n', " ").contains("the status line is") && said.contains("compact instructions in"),
        "{said}"
    );
    let again = stage.run("init --statusline --instructions --yes");
    assert!(again.starts_with("Already installed: 9 hooks and the status line in"), "{again}");
}

#[test]
fn project_gets_only_the_section_if_already_called() {
    let stage = Stage::new();
    stage.run("init --yes");
    let said = stage.run("init --instructions --project --yes");
    assert!(said.starts_with("Written: compact instructions in"), "{said}");
    assert!(files::read(stage.project_file()).contains(HEADING));
    assert!(!stage.env.project().join(".claude").exists());
    let removed = stage.run("remove --yes").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(removed.contains("`catchword remove --instructions --project` removes them."), "{removed}");
}

#[test]
fn unbalanced_markers_are_left_alone_with_a_helpful_error() {
    let stage = Stage::new();
    stage.env.write("CLAUDE.md", "# A\n<!-- catchword:begin -->\nx\n");
    let refused = stage.env.run(BIN, &["init", "--instructions", "--project", "--yes"]);
    assert!(!refused.status.success());
    let words = refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("begins in line 2") && words.contains("It was not changed"), "{words}");
    let doctor = stage.env.run(BIN, &["doctor", "--json"]).json();
    let check = doctor["checks"].as_array().unwrap().iter().find(|check| check["id"] == "summary").unwrap();
    assert_eq!(check["state"], "warning", "{check}");
}

#[test]
fn section_is_adapted_to_the_project() {
    let stage = Stage::new();
    stage.env.write("src/lib.rs", "");
    stage.env.write("Cargo.toml", "[package]\nname = \"a\"\n");
    stage.git(&["init", "-q"]);
    for n in 1..4 {
        stage.git(&["commit", "-q", "--allow-empty", "-m", &format!("SHOP-{n}: fix UTF-8")]);
    }
    let shown = stage.run("init --instructions --project --dry-run");
    for known in ["`cargo test`", "`src/`", "issues such as SHOP-123"] {
        assert!(shown.contains(known), "{known} is missing in\n{shown}");
    }
    // What is really run takes precedence over the default.
    let mut rows = Transcript::new().cwd(stage.env.project()).prompt("Fix it.");
    for _ in 0..3 {
        rows = rows.bash("cargo test --workspace").ok("test result: ok. 3 passed");
    }
    rows.says("done").write_to(stage.env.transcript_path(SESSION));
    assert!(HookPlayer::new(&stage.env, BIN, SESSION).stop("done").is_silent_success());
    let shown = stage.run("init --instructions --project --dry-run");
    assert!(shown.contains("`cargo test --workspace`"), "{shown}");
    let general = stage.run("init --instructions --dry-run");
    assert!(
        !general.contains("SHOP") && !general.contains("cargo"),
        "all projects, no project's habits: {general}"
    );
}

#[test]
fn section_goes_to_the_existing_file_at_the_repository_root() {
    let stage = Stage::new();
    stage.git(&["init", "-q"]);
    stage.env.write("src/lib.rs", "");
    stage.env.write(".claude/CLAUDE.md", "# There\n");
    let mut command = stage.env.command(BIN);
    command
        .args(["init", "--instructions", "--project", "--yes"])
        .current_dir(stage.env.project().join("src"));
    assert!(command.output().unwrap().status.success());
    assert!(files::read(stage.env.project().join(".claude/CLAUDE.md")).contains(HEADING));
    assert!(!stage.project_file().exists());
}

#[test]
fn real_summariser_reads_the_section() {
    let client = real_client_or_skip!();
    let stage = Stage::new();
    stage.run("init --yes");
    stage.run("init --instructions --project --yes");
    let script = Script::new()
        .turn(FakeAnswer::bash("echo one"))
        .turn(FakeAnswer::bash("echo full").context_tokens(190_000));
    let api = FakeApi::start(script.turn(FakeAnswer::text("Done.")).summary("The user wants it."));
    let run = client.start(&stage.env, &api).arg("--model").arg("claude-sonnet-4-5");
    let _ = run.arg("--dangerously-skip-permissions").prompt("Go.").success();
    let asked = &api.requests_for(&Asked::Summary)[0];
    assert!(asked.conversation().contains("When this conversation is summarised, keep:"));
}
