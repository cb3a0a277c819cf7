//! `init`, `remove` and `doctor`, run as people run them: the real binary in a private home.
//!
//! The tables of edits to a settings file are beside the editor; here are the files, the messages, and the real
//! client's view.
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use catchword_testkit::{SESSION, Skip, Terminal, TestEnv, Transcript, files};

const BINARY: &str = env!("CARGO_BIN_EXE_catchword");
const SETTINGS: &str = ".claude/settings.json";

/// A home with a project and a `bin` folder that is all of `PATH`, with the binary and a fake client that only prints
/// its version.
struct Home {
    env: TestEnv,
}

impl Home {
    fn new() -> Self {
        // Beside the binary: a hard link puts it into this home without copying it.
        let home = Home { env: TestEnv::within(env!("CARGO_TARGET_TMPDIR")) };
        fs::create_dir(home.path("bin")).unwrap();
        fs::hard_link(BINARY, home.path("bin/catchword")).unwrap();
        home.client("2.1.325");
        home
    }

    fn path(&self, below: &str) -> PathBuf {
        let home = self.env.home();
        if below.is_empty() { home.to_owned() } else { home.join(below) }
    }

    fn client(&self, version: &str) {
        self.script("bin/claude", &format!("#!/bin/sh\necho '{version} (Claude Code)'\n"));
    }

    fn script(&self, path: &str, text: &str) {
        self.put(path, text);
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        files::write(self.path(path), content);
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    fn settings(&self) -> String {
        self.read(SETTINGS)
    }

    fn command(&self, arguments: &str) -> Command {
        self.command_at("bin/catchword", arguments)
    }

    fn command_at(&self, program: &str, arguments: &str) -> Command {
        let mut command = self.env.command(self.path(program));
        command.args(arguments.split_whitespace()).stdin(Stdio::null());
        // The default data directory.
        command.env("PATH", self.path("bin")).env_remove("CATCHWORD_HOME");
        command
    }

    /// Runs `catchword <arguments>`; returns its output and exit code.
    fn run(&self, arguments: &str) -> String {
        self.printed(&mut self.command(arguments))
    }

    fn printed(&self, command: &mut Command) -> String {
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| self.env.normalise(&String::from_utf8_lossy(bytes));
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        let talk =
            if stderr.is_empty() { String::new() } else { format!("------- stderr -------\n{stderr}") };
        format!("{stdout}{talk}[exit {}]\n", output.status.code().unwrap())
    }

    /// The same at a terminal of 80 columns.
    fn at_terminal(&self, arguments: &str) -> Result<Terminal, Skip> {
        let mut command = self.command(arguments);
        command
            .env("PATH", format!("{}:/usr/bin:/bin", self.path("bin").display()))
            .env("SHELL", "/bin/bash")
            .env("NO_COLOR", "1");
        Terminal::of(&command, 80, &self.env)
    }

    /// Runs a command that must succeed.
    fn ok(&self, arguments: &str) {
        let printed = self.run(arguments);
        assert!(printed.ends_with("[exit 0]\n"), "{arguments}: {printed}");
    }

    /// Every file and folder outside our data directory, with mode and content.
    fn everything(&self) -> Vec<(PathBuf, u32, Vec<u8>)> {
        let mut found = Vec::new();
        walk(&self.path(""), &mut found);
        found.retain(|(path, ..)| !path.starts_with(self.path(".local")));
        found
    }
}

fn walk(folder: &Path, found: &mut Vec<(PathBuf, u32, Vec<u8>)>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let mode = fs::symlink_metadata(&path).unwrap().permissions().mode();
        let skip = path.is_dir() || path.ends_with("bin/catchword");
        let content = if skip { Vec::new() } else { fs::read(&path).unwrap_or_default() };
        found.push((path.clone(), mode, content));
        if path.is_dir() {
            walk(&path, found);
        }
    }
}

#[test]
fn dry_run_shows_the_change_and_makes_none() {
    let home = Home::new();
    home.put(SETTINGS, "{\n    \"model\": \"opus\"\n}\n");
    let before = home.everything();
    let printed = home.run("init --dry-run");
    let (settings, laid) = printed.split_once("--- /dev/null").expect("the skill is new");
    for new in ["+++ $HOME/.claude/skills/catchword/SKILL.md", "+++ $HOME/.claude/commands/catchword/note.md"]
    {
        assert!(laid.contains(new), "{laid}");
    }
    assert!(laid.ends_with("------- stderr -------\nNothing was written.\n[exit 0]\n"), "{laid}");
    insta::assert_snapshot!(settings, @r#"
    catchword for Claude Code: these files change
      + ~/.claude/settings.json               9 hooks
      + ~/.claude/skills/catchword/SKILL.md   new: how the agent uses the record
      + ~/.claude/commands/catchword/note.md  new: a command to write a note
      + ~/.claude.json                        tools for the agent (MCP server)

    --- $HOME/.claude/settings.json
    +++ $HOME/.claude/settings.json
    @@ -1,3 +1,14 @@
     {
    -    "model": "opus"
    +    "model": "opus",
    +    "hooks": {
    +        "SessionStart": [{"hooks": [{"type": "command", "command": "$HOME/bin/catchword", "args": ["hook", "claude-code"], "timeout": 10}]}],
    +        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "$HOME/bin/catchword", "args": ["hook", "claude-code"], "timeout": 5}]}],
    +        "UserPromptExpansion": [{"hooks": [{"type": "command", "command": "$HOME/bin/catchword", "args": ["hook", "claude-code"], "timeout": 5}]}],
    +        "PostToolBatch": [{"hooks": [{"type": "command", "command": "$HOME/bin/catchword", "args": ["hook", "claude-code"], "timeout": 5}]}],
    +        "PreCompact": [{"hooks": [{"type": "command", "command": "$HOME/bin/catchword", "args": ["hook", "claude-code"], "timeout": 10}]}],
    +        "SubagentStop": [{"hooks": [{"type": "command", "command": "$HOME/bin/catchword", "args": ["hook", "claude-code"], "timeout": 5}]}],
    +        "PostCompact": [{"hooks": [{"type": "command", "command": "$HOME/bin/catchword", "args": ["hook", "claude-code"], "timeout": 10}]}],
    +        "Stop": [{"hooks": [{"type": "command", "command": "$HOME/bin/catchword", "args": ["hook", "claude-code"], "timeout": 5}]}],
    +        "SessionEnd": [{"hooks": [{"type": "command", "command": "$HOME/bin/catchword", "args": ["hook", "claude-code"], "timeout": 10}]}]
    +    }
     }
    "#);
    assert_eq!(home.everything(), before);
    assert!(!home.path(".local").exists());
    home.ok("init --yes");
    let installed = home.everything();
    let printed = home.run("remove --dry-run");
    assert!(printed.starts_with("catchword for Claude Code: these files change\n  - ~/"), "{printed}");
    let is_of_settings = |diff: &&str| diff.starts_with("$HOME/.claude/settings.json");
    let settings = printed.split("\n--- ").find(is_of_settings).expect("its diff");
    assert_eq!(settings.lines().filter(|line| line.starts_with("-  ")).count(), 12, "{printed}");
    assert_eq!(home.everything(), installed);
}

#[test]
fn init_and_remove_say_what_they_did_and_what_comes_next() {
    let home = Home::new();
    insta::assert_snapshot!(home.run("init --yes"), @r"
    Installed: 9 hooks in ~/.claude/settings.json call `~/bin/catchword hook
    claude-code`.
    Added: ~/.claude/skills/catchword/SKILL.md and
    ~/.claude/commands/catchword/note.md.
    Registered: the agent's tools in ~/.claude.json run `~/bin/catchword mcp`.
    New sessions use it; to use it in a running one, exit and resume it.
    Next: `catchword doctor` checks it; `catchword remove` undoes it.
    [exit 0]
    ");
    insta::assert_snapshot!(home.run("init --yes"), @r"
    Already installed: 9 hooks in ~/.claude/settings.json. `catchword doctor` checks
    it.
    [exit 0]
    ");
    insta::assert_snapshot!(home.run("remove --yes"), @r"
    Deleted, because init created it: ~/.claude.json.
    Deleted, because init created it: ~/.claude/settings.json.
    Deleted: ~/.claude/skills/catchword/SKILL.md and
    ~/.claude/commands/catchword/note.md.
    New sessions run without it; running ones may still call it.
    [exit 0]
    ");
    insta::assert_snapshot!(home.run("remove --yes"), @r"
    No hooks of catchword in ~/.claude/settings.json.
    [exit 0]
    ");
    let _ = home.run("index");
    assert!(home.path(".local/share/catchword/history.db").exists());
    assert!(!home.run("remove --yes").contains("recorded"), "an empty history is not worth a word");
}

#[test]
fn remove_says_of_each_file_whether_it_is_deleted_or_kept() {
    let home = Home::new();
    home.put(".claude.json", "{\"theme\": \"dark\"}");
    home.ok("init --yes");
    let shown = home.run("remove --dry-run");
    assert!(shown.contains("~/.claude.json                        without the agent's tools\n"), "{shown}");
    assert!(shown.contains("~/.claude/settings.json               deleted: init created it\n"), "{shown}");
    assert!(shown.contains("Nothing was changed. `catchword remove` does it, after asking.\n"), "{shown}");
    let removed = home.run("remove --yes");
    assert!(removed.contains("Removed the tools from ~/.claude.json.\n"), "{removed}");
    assert!(home.path(".claude.json").exists() && !home.path(".claude/settings.json").exists());
}

#[test]
fn after_remove_bare_catchword_says_that_no_hooks_are_installed() {
    let home = Home::new();
    let path = home.env.transcript_path(SESSION);
    Transcript::new().cwd(home.env.project()).prompt("Weigh it.").says("Done.").write_to(path);
    let installed = home.run("init --yes");
    assert!(installed.contains("`catchword\nindex` indexes your existing sessions."), "{installed}");
    home.ok("index");
    assert!(!home.run("").contains("Not set up"), "{}", home.run(""));
    assert!(home.run("try").contains("Next: `catchword lost --all`"), "{}", home.run("try"));
    let removed = home.run("remove --yes").replace('\n', " ");
    assert!(removed.contains("What was recorded stays in ~/.local/share/catchword ("), "{removed}");
    assert!(removed.contains("`catchword remove --purge` deletes it."), "{removed}");
    let bare = home.run("");
    assert!(bare.contains("Not set up: no hooks are installed") && bare.contains("Weigh it."), "{bare}");
}

#[test]
fn doctor_does_not_claim_that_it_works_without_a_client() {
    let home = Home::new();
    home.ok("init --yes");
    assert!(!home.run("doctor").contains("client was not found"), "{}", home.run("doctor"));
    fs::remove_file(home.path("bin/claude")).unwrap();
    let printed = home.run("doctor");
    assert!(
        printed.contains("\nSet up, but the client was not found: ") && !printed.contains("Working"),
        "{printed}"
    );
}

#[test]
fn questions_are_asked_on_a_terminal_and_every_answer_counts() {
    const QUESTION: &str = "Make these changes?";
    let home = Home::new();
    Transcript::new().prompt("Weigh the kohlrabi.").says("Done.").write_to(home.env.transcript_path(SESSION));
    let before = home.everything();
    let opened = home.at_terminal("init");
    let Ok(mut terminal) = opened.inspect_err(|skip| skip.say(module_path!())) else { return };
    terminal.answer(QUESTION, "n");
    let screen = terminal.end();
    assert!(
        screen.contains("~/.claude/settings.json") && screen.contains("Nothing was changed."),
        "{screen}"
    );
    assert_eq!(home.everything(), before, "no is no");

    let mut terminal = home.at_terminal("init").expect("it was there a moment ago");
    terminal.answer(QUESTION, "");
    terminal.answer("in the status line?", "y");
    terminal.answer("Index your existing sessions", "yes");
    terminal.answer("Install completions for bash", "n");
    let screen = terminal.end();
    assert!(screen.contains("Added the status line") && screen.contains("Indexed."), "{screen}");
    assert!(screen.lines().all(|line| line.chars().count() <= 80), "{screen}");
    assert!(home.settings().contains("PreCompact") && home.settings().contains("statusLine"));
    assert!(home.run("search kohlrabi").contains("Weigh the"));
    assert!(!home.path(".local/share/bash-completion").exists(), "no is no");

    let mut terminal = home.at_terminal("remove --purge").expect("it was there a moment ago");
    terminal.answer("Remove catchword from these files?", "y");
    terminal.answer("This cannot be undone.", "");
    let screen = terminal.end();
    assert!(screen.contains("The data was kept."), "Return alone deletes nothing: {screen}");
    assert!(!home.path(SETTINGS).exists() && home.path(".local/share/catchword/history.db").exists());
}

#[test]
fn init_without_a_terminal_needs_yes() {
    let home = Home::new();
    home.put(SETTINGS, "{}");
    let printed = home.run("init");
    insta::assert_snapshot!(printed.split("------- stderr -------\n").nth(1).unwrap(), @r"
    catchword: this would change ~/.claude/settings.json and ~/.claude.json, and
    there is no terminal to ask on. Nothing was changed.
    Run it again with --yes, or with --dry-run to see the change first.
    [exit 1]
    ");
    assert_eq!(home.settings(), "{}");
}

#[test]
fn any_settings_file_is_restored_byte_for_byte() {
    let shapes = [
        "",
        " \n",
        "{}",
        "{ }\n",
        "{\n}",
        "{\"hooks\": {}}",
        "{\n\t\"hooks\" : {\"Stop\": [ ],\n\n\"PreCompact\":[\n]} }",
        "{\r\n  \"a\": 1\r\n}",
        "\u{feff}{\"a\":1}\n\n",
        "{\"model\":\"opus\",\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"say\"}]}]}}",
    ];
    for shape in shapes {
        let home = Home::new();
        home.put(SETTINGS, shape);
        let before = home.everything();
        home.ok("init --yes");
        let installed = home.settings();
        home.ok("init --yes");
        assert_eq!(home.settings(), installed, "twice is once: {shape:?}");
        home.ok("remove --yes");
        assert_eq!(home.everything(), before, "{shape:?}");
    }
}

#[test]
fn remove_deletes_what_init_created() {
    for scope in ["", "--project", "--local"] {
        let home = Home::new();
        let before = home.everything();
        home.ok(&format!("init --yes {scope}"));
        assert_ne!(home.everything(), before);
        home.ok(&format!("remove --yes {scope}"));
        assert_eq!(home.everything(), before, "{scope}");
    }
}

const SKILL: &str = ".claude/skills/catchword/SKILL.md";

#[test]
fn changed_or_foreign_skill_stays() {
    let home = Home::new();
    home.ok("init --yes");
    home.put(SKILL, "mine now");
    insta::assert_snapshot!(home.run("init --yes"), @r"
    Already installed: 9 hooks in ~/.claude/settings.json. `catchword doctor` checks
    it.
    ~/.claude/skills/catchword/SKILL.md has been changed, so it is left as it is.
    [exit 0]
    ");
    let removed = home.run("remove --yes");
    assert!(removed.contains("SKILL.md has been changed, so it is left as it is."), "{removed}");
    assert_eq!(home.read(SKILL), "mine now");
    assert!(!home.path(".claude/commands").exists());
    home.ok("init --yes");
    home.ok("remove --yes");
    assert_eq!(home.read(SKILL), "mine now", "one that was never ours");
}

#[test]
fn doctor_reports_a_missing_or_foreign_skill() {
    let home = Home::new();
    let doctor = || home.run("doctor").split_whitespace().collect::<Vec<_>>().join(" ");
    home.ok("init --yes");
    home.put(SKILL, "mine now");
    assert!(doctor().contains("SKILL.md: changed by you, and left as it is."), "{}", doctor());
    std::fs::remove_file(home.path(SKILL)).unwrap();
    let missing = "SKILL.md: missing, or from an older version. → Run `catchword init`.";
    assert!(doctor().contains(missing), "{}", doctor());
    home.ok("init --yes");
    assert!(doctor().contains("The agent's skill is ~/.claude/skills/catchword/SKILL.md."), "{}", doctor());
}

#[test]
fn older_skill_of_ours_is_updated() {
    let home = Home::new();
    home.ok("init --yes");
    let current = home.read(SKILL);
    // As an older version would have left it: the file matches its record.
    let mut kept = Vec::new();
    walk(&home.path(".local/share/catchword/install"), &mut kept);
    for (path, _, content) in kept {
        let text = String::from_utf8_lossy(&content).replace("After a compaction", "Older words");
        files::write(path, text);
    }
    home.put(SKILL, current.replace("After a compaction", "Older words"));
    home.ok("init --yes");
    assert_eq!(home.read(SKILL), current);
    home.ok("remove --yes");
    assert!(!home.path(SKILL).exists());
}

#[test]
fn local_installation_writes_no_shared_files() {
    let home = Home::new();
    home.ok("init --yes --local");
    assert!(!home.path("project/.claude/skills").exists() && !home.path(SKILL).exists());
    assert!(home.path("project/.claude/settings.local.json").exists(), "what is one person's is written");
}

#[test]
fn folder_used_by_others_stays() {
    let home = Home::new();
    home.ok("init --yes");
    home.put(".claude/history.jsonl", "");
    home.ok("remove --yes");
    assert!(!home.path(SETTINGS).exists());
    assert!(home.path(".claude/history.jsonl").exists());
}

#[test]
fn changes_made_after_init_survive_remove() {
    let home = Home::new();
    home.put(SETTINGS, "{\n  \"model\": \"opus\"\n}\n");
    home.ok("init --yes");
    home.put(SETTINGS, home.settings().replace("opus", "haiku"));
    home.ok("remove --yes");
    assert_eq!(home.settings(), "{\n  \"model\": \"haiku\"\n}\n");
}

#[test]
fn settings_file_of_ours_is_removed_even_if_the_client_rewrote_it() {
    let home = Home::new();
    home.ok("init --yes");
    let value: serde_json::Value = serde_json::from_str(&home.settings()).unwrap();
    home.put(SETTINGS, serde_json::to_string_pretty(&value).unwrap());
    home.ok("remove --yes");
    assert!(!home.path(SETTINGS).exists());
}

#[test]
fn moved_binary_updates_the_hooks_and_keeps_the_first_original() {
    let home = Home::new();
    home.put(SETTINGS, "{\"a\":1 }");
    home.ok("init --yes");
    let first = home.settings();
    fs::create_dir(home.path("elsewhere")).unwrap();
    fs::rename(home.path("bin/catchword"), home.path("elsewhere/catchword")).unwrap();
    let moved = |arguments: &str| home.printed(&mut home.command_at("elsewhere/catchword", arguments));
    let doctor = moved("doctor").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(doctor.contains("calls ~/bin/catchword, which is not there."), "{doctor}");
    moved("init --yes");
    assert_eq!(home.settings(), first.replace("bin/catchword", "elsewhere/catchword"));
    moved("remove --yes");
    assert_eq!(home.settings(), "{\"a\":1 }");
}

#[test]
fn uneditable_file_is_left_alone_with_a_helpful_error() {
    let home = Home::new();
    let refused = |text: &str| {
        home.put(SETTINGS, text);
        let printed = home.run("init --yes");
        assert_eq!(home.settings(), text);
        printed
    };
    insta::assert_snapshot!(refused("{\n  \"model\": \"opus\",\n}\n"), @r"
    ------- stderr -------
    catchword: cannot edit ~/.claude/settings.json: it is not valid JSON: trailing
    comma (line 3, column 1). It was not changed; fix that and run this again.
    [exit 1]
    ");
    insta::assert_snapshot!(refused("[1, 2]"), @r"
    ------- stderr -------
    catchword: cannot edit ~/.claude/settings.json: the whole file is an array where
    an object should be. It was not changed; fix that and run this again.
    [exit 1]
    ");
    insta::assert_snapshot!(refused("{\"hooks\": []}"), @r#"
    ------- stderr -------
    catchword: cannot edit ~/.claude/settings.json: "hooks" is an array where an
    object should be. It was not changed; fix that and run this again.
    [exit 1]
    "#);
    assert!(!home.path(".local").exists(), "nothing to put back, so nothing was put aside");
}

#[test]
fn read_only_file_is_left_alone() {
    let home = Home::new();
    home.put(SETTINGS, "{}");
    fs::set_permissions(home.path(SETTINGS), fs::Permissions::from_mode(0o444)).unwrap();
    insta::assert_snapshot!(home.run("init --yes"), @r"
    ------- stderr -------
    catchword: cannot write ~/.claude/settings.json: it is read-only. Make it
    writable and run this again.
    [exit 1]
    ");
    assert_eq!(home.settings(), "{}");
}

#[test]
fn file_that_is_not_text_or_not_regular_is_left_alone() {
    let home = Home::new();
    home.put(SETTINGS, b"{\"a\": \"\xff\"}");
    insta::assert_snapshot!(home.run("init --yes"), @r"
    ------- stderr -------
    catchword: ~/.claude/settings.json is not UTF-8 text. It was left as it is; save
    it as UTF-8 first.
    [exit 1]
    ");
    fs::remove_file(home.path(SETTINGS)).unwrap();
    symlink(home.path("nowhere"), home.path(SETTINGS)).unwrap();
    let printed = home.run("init --yes");
    assert!(printed.contains("is a link to a missing file"), "{printed}");
    fs::remove_file(home.path(SETTINGS)).unwrap();
    fs::create_dir(home.path(SETTINGS)).unwrap();
    assert!(home.run("init --yes").contains("cannot read"));
}

#[test]
fn nothing_is_changed_without_a_backup() {
    let home = Home::new();
    home.put(SETTINGS, "{}");
    home.put(".local/share/catchword", "a file where the folder should be");
    insta::assert_snapshot!(home.run("init --yes"), @r"
    ------- stderr -------
    catchword: cannot keep a backup in ~/.local/share/catchword, so nothing was
    changed: Not a directory (os error 20)
    [exit 1]
    ");
    assert_eq!(home.settings(), "{}");
}

#[test]
fn linked_file_is_changed_in_place() {
    let home = Home::new();
    home.put("dotfiles/claude.json", "{\"a\": 1}\n");
    fs::create_dir(home.path(".claude")).unwrap();
    symlink("../dotfiles/claude.json", home.path(SETTINGS)).unwrap();
    home.ok("init --yes");
    assert!(fs::symlink_metadata(home.path(SETTINGS)).unwrap().is_symlink());
    assert!(home.read("dotfiles/claude.json").contains("SessionStart"));
    home.ok("remove --yes");
    assert_eq!(home.read("dotfiles/claude.json"), "{\"a\": 1}\n");
    assert!(fs::symlink_metadata(home.path(SETTINGS)).unwrap().is_symlink());
}

/// Whoever commits a link must not choose which file of this machine is written.
#[test]
fn links_that_lead_out_of_the_project_are_refused_in_its_scopes() {
    let all = [
        ("CLAUDE.md", "init --yes --project --instructions --agent claude-code"),
        (".claude/settings.json", "init --yes --project --agent claude-code"),
        (".claude/settings.local.json", "init --yes --local --agent claude-code"),
        (".mcp.json", "init --yes --project --agent claude-code"),
        (".claude/skills", "init --yes --project --agent claude-code"),
        ("AGENTS.md", "init --yes --project --instructions --agent codex"),
        (".codex/hooks.json", "init --yes --project --agent codex"),
        (".codex/config.toml", "init --yes --project --agent codex"),
        (".codex", "init --yes --project --agent codex"),
    ];
    for (link, command) in all {
        let home = Home::new();
        fs::create_dir_all(home.path("project/.git")).unwrap();
        fs::create_dir_all(home.path("project").join(link).parent().unwrap()).unwrap();
        let outside = if link.contains("json") { "{}\n" } else { "" };
        let target = home.path("outside");
        if [".codex", ".claude/skills"].contains(&link) {
            fs::create_dir(&target).unwrap();
        } else {
            home.put("outside", outside);
        }
        symlink(&target, home.path("project").join(link)).unwrap();
        let said = home.run(command);
        assert!(said.contains("leads out of the project") && said.contains("[exit 1]"), "{link}: {said}");
        if target.is_dir() {
            assert_eq!(fs::read_dir(&target).unwrap().count(), 0, "{link}");
        } else {
            assert_eq!(home.read("outside"), outside, "{link}");
        }
    }
}

#[test]
fn links_inside_the_project_are_followed_in_its_scopes() {
    let home = Home::new();
    fs::create_dir_all(home.path("project/.git")).unwrap();
    home.put("project/docs/agents.md", "# Ours\n");
    symlink("docs/agents.md", home.path("project/CLAUDE.md")).unwrap();
    home.ok("init --yes --project --instructions --agent claude-code");
    assert!(home.read("project/docs/agents.md").contains("catchword:begin"));
    assert!(fs::symlink_metadata(home.path("project/CLAUDE.md")).unwrap().is_symlink());
}

#[test]
fn permissions_stay_and_backups_are_private() {
    let home = Home::new();
    home.put(SETTINGS, "{\"env\": {\"TOKEN\": \"x\"}}");
    fs::set_permissions(home.path(SETTINGS), fs::Permissions::from_mode(0o640)).unwrap();
    home.ok("init --yes");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home.path(SETTINGS)), 0o640);
    let mut kept = Vec::new();
    walk(&home.path(".local/share/catchword"), &mut kept);
    assert!(kept.iter().any(|(_, _, content)| String::from_utf8_lossy(content).contains("TOKEN")));
    for (path, ..) in kept {
        assert_eq!(mode(&path) & 0o077, 0, "{}", path.display());
    }
}

#[test]
fn parallel_inits_install_once() {
    let home = Home::new();
    home.put(SETTINGS, "{\n  \"model\": \"opus\"\n}\n");
    let mut running: Vec<_> =
        (0..8).map(|_| home.command("init --yes").stdout(Stdio::null()).spawn().unwrap()).collect();
    assert!(running.iter_mut().all(|child| child.wait().unwrap().success()));
    assert_eq!(home.settings().matches("bin/catchword").count(), 9);
    home.ok("remove --yes");
    assert_eq!(home.settings(), "{\n  \"model\": \"opus\"\n}\n");
}

#[test]
fn project_settings_name_the_program_without_a_path() {
    let home = Home::new();
    insta::assert_snapshot!(home.run("init --yes --project"), @r"
    Installed: 9 hooks in ~/project/.claude/settings.json call `catchword hook
    claude-code`.
    Added: ~/project/.claude/skills/catchword/SKILL.md and
    ~/project/.claude/commands/catchword/note.md.
    Registered: the agent's tools in ~/project/.mcp.json run `catchword mcp`.
    Claude Code asks everybody once whether they may be used.
    New sessions use it; to use it in a running one, exit and resume it.
    Everybody who works in this project needs `catchword` on PATH.
    Next: `catchword doctor` checks it; `catchword remove --project` undoes it.
    [exit 0]
    ");
    let settings = home.read("project/.claude/settings.json");
    assert!(settings.contains(r#""command": "catchword""#), "{settings}");
    home.ok("init --yes --local --force");
    let local = home.read("project/.claude/settings.local.json");
    assert!(local.contains("/bin/catchword"), "{local}");
    insta::assert_snapshot!(home.run("remove --yes --local"), @r"
    Deleted, because init created it: ~/project/.claude/settings.local.json.
    New sessions run without it; running ones may still call it.
    ~/project/.claude/settings.json still calls catchword; `catchword remove
    --project` removes that.
    [exit 0]
    ");
}

#[test]
fn init_refuses_if_an_outer_scope_is_installed() {
    let home = Home::new();
    home.ok("init --yes");
    let before = home.everything();
    insta::assert_snapshot!(home.run("init --yes --project"), @r"
    ------- stderr -------
    catchword: ~/.claude/settings.json already calls it, in this project too;
    installed here as well, hooks could run twice.
    There is nothing to do. To have it in this project only, run `catchword remove`
    first.
    [exit 1]
    ");
    assert_eq!(home.everything(), before);
}

#[test]
fn plugin_and_settings_do_not_both_call() {
    let home = Home::new();
    let enabled = "{\"enabledPlugins\": {\"catchword@catchword\": true}}";
    home.put(SETTINGS, enabled);
    insta::assert_snapshot!(home.run("init --yes"), @r"
    ------- stderr -------
    catchword: the plugin catchword@catchword already calls it; installed here as
    well, every hook would run twice.
    Keep the plugin, or run `claude plugin uninstall catchword@catchword` first.
    [exit 1]
    ");
    assert_eq!(home.settings(), enabled);
    home.ok("init --yes --force");
    assert!(home.run("doctor").contains("every hook runs"));
    assert!(home.run("remove --yes").contains("The plugin still calls catchword"));
    assert_eq!(home.settings(), enabled);
}

#[test]
fn tools_are_registered_unless_no_mcp_is_given() {
    let home = Home::new();
    let theirs = "{\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": \"x\"\n    }\n  },\n  \"userID\": \"u\"\n}";
    home.put(".claude.json", theirs);
    fs::set_permissions(home.path(".claude.json"), fs::Permissions::from_mode(0o600)).unwrap();
    home.ok("init --yes --no-mcp");
    assert_eq!(home.read(".claude.json"), theirs);
    assert!(home.run("doctor").contains("The agent has none; `catchword init` registers them."));
    let said = home.run("init --yes");
    assert!(said.starts_with("Already installed: 9 hooks") && said.contains("Registered: "), "{said}");
    let registered = home.read(".claude.json");
    assert!(registered.contains(r#""catchword": {"type": "stdio""#), "{registered}");
    let mode = fs::metadata(home.path(".claude.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let mut kept = Vec::new();
    walk(&home.path(".local/share/catchword"), &mut kept);
    let copied = |content: &[u8]| String::from_utf8_lossy(content).contains("userID");
    assert!(!kept.iter().any(|(_, _, content)| copied(content)), "the client's memory is not copied");
    home.ok("remove --yes");
    assert_eq!(home.read(".claude.json"), theirs);
}

#[test]
fn unreadable_server_list_is_reported_and_does_not_stop_remove() {
    let home = Home::new();
    home.put(".claude.json", "{\"mcpServers\": []}");
    let refused = home.run("init --yes");
    assert!(
        refused.contains("use --no-mcp to leave out the agent's tools") && refused.contains("[exit 1]"),
        "{refused}"
    );
    assert!(!home.path(SETTINGS).exists(), "nothing by halves");
    home.ok("init --yes --no-mcp");
    let removed = home.run("remove --yes");
    assert!(removed.contains("The agent's tools stay registered: cannot edit ~/.claude.json"), "{removed}");
    assert!(removed.contains("Deleted, because init created it"), "{removed}");
}

#[test]
fn moved_configuration_has_its_own_server_list() {
    let home = Home::new();
    let run = |arguments: &str| {
        let mut command = home.command(arguments);
        home.printed(command.env("CLAUDE_CONFIG_DIR", home.path("moved")))
    };
    run("init --yes");
    assert!(home.read("moved/.claude.json").contains("mcpServers"));
    assert!(!home.path(".claude.json").exists());
    run("remove --yes");
    assert!(!home.path("moved").exists(), "what init made is gone");
}

#[test]
fn init_refuses_a_client_that_is_too_old() {
    let home = Home::new();
    home.client("2.1.138");
    insta::assert_snapshot!(home.run("init --yes"), @r"
    ------- stderr -------
    catchword: Claude Code 2.1.138 does not understand these hooks and might ignore
    the whole settings file.
    Update it to 2.1.139 or newer (`claude update`), then run this again.
    [exit 1]
    ");
    assert!(!home.path(SETTINGS).exists());
}

#[test]
fn purge_lists_what_it_deletes() {
    let home = Home::new();
    home.ok("init --yes");
    home.put(".local/share/catchword/catchword.db", "x".repeat(2500));
    insta::assert_snapshot!(home.run("remove --purge --yes"), @r"
    Deleted, because init created it: ~/.claude.json.
    Deleted, because init created it: ~/.claude/settings.json.
    Deleted: ~/.claude/skills/catchword/SKILL.md and
    ~/.claude/commands/catchword/note.md.
    New sessions run without it; running ones may still call it.
    In ~/.local/share/catchword:
      catchword.db             2.5 kB
      install/                 0 bytes
    Deleted ~/.local/share/catchword.
    [exit 0]
    ");
    assert!(!home.path(".local/share/catchword").exists());
}

#[test]
fn purge_refuses_a_data_directory_with_other_files() {
    let home = Home::new();
    let mut command = home.command("remove --purge --yes");
    command.env("CATCHWORD_HOME", home.path(""));
    insta::assert_snapshot!(home.printed(&mut command), @r"
    No hooks of catchword in ~/.claude/settings.json.
    ------- stderr -------
    catchword: ~ holds more than catchword's data and is not deleted. Delete the
    files by hand.
    [exit 1]
    ");
    assert!(home.path("project").exists());
}

#[test]
fn usage_errors_never_exit_with_the_blocking_code() {
    let home = Home::new();
    for arguments in ["nonsense", "init --nonsense"] {
        assert!(home.run(arguments).ends_with("[exit 1]\n"), "{arguments}");
    }
    assert!(home.run("--help").ends_with("[exit 0]\n"));
}

#[test]
fn doctor_reports_missing_hooks_in_a_fresh_home() {
    let home = Home::new();
    insta::assert_snapshot!(home.run("doctor"), @r"
    catchword 0.1.0, ~/bin/catchword
      ok         program  PATH finds this one.
      ok         client   Claude Code 2.1.325.
      failed     hooks    No catchword hooks are installed for Claude Code.
                          → Run `catchword init`.
      ok         data     ~/.local/share/catchword will be created when needed.
      ok         record   Nothing yet: no hook has run.
    Not working: 1 failed check.
    [exit 1]
    ");
    assert!(!home.path(".local").exists(), "looking changes nothing");
}

#[test]
fn doctor_accepts_a_fresh_installation() {
    let home = Home::new();
    home.ok("init --yes");
    let mut state: serde_json::Value = serde_json::from_str(&home.read(".claude.json")).unwrap();
    state["projects"][home.path("project").to_str().unwrap()]["hasTrustDialogAccepted"] = true.into();
    home.put(".claude.json", state.to_string());
    insta::assert_snapshot!(home.run("doctor"), @r"
    catchword 0.1.0, ~/bin/catchword
      ok         program  PATH finds this one.
      ok         client   Claude Code 2.1.325.
      ok         hooks    9 hooks in ~/.claude/settings.json.
      ok         skill    The agent's skill is ~/.claude/skills/catchword/SKILL.md.
      ok         tools    ~/.claude.json has the agent's tools.
      ok         trust    ~/project is trusted.
      ok         data     ~/.local/share/catchword can be written.
      ok         record   Nothing yet: no hook has run.
    All is well.
    [exit 0]
    ");
    let json: serde_json::Value =
        serde_json::from_slice(&home.command("doctor --json").output().unwrap().stdout).unwrap();
    assert_eq!(json["ok"], true);
    assert_eq!(json["checks"][2]["id"], "hooks");
}

#[test]
fn hooks_that_do_not_name_the_client_are_reported_replaced_and_removed() {
    let home = Home::new();
    home.ok("init --yes");
    let wanted = home.read(SETTINGS);
    let old = wanted.replace(r#"["hook", "claude-code"]"#, r#"["hook"]"#);
    assert_ne!(old, wanted);
    home.put(SETTINGS, &old);
    let doctor = home.run("doctor");
    assert!(
        doctor.contains("failed     hooks    ~/.claude/settings.json has hooks that do not name"),
        "{doctor}"
    );
    home.ok("init --yes");
    assert_eq!(home.read(SETTINGS), wanted);
    home.put(SETTINGS, &old);
    home.ok("remove --yes");
    assert!(!home.path(SETTINGS).exists() || !home.read(SETTINGS).contains("catchword"));
}

#[test]
fn doctor_names_every_problem_and_what_to_do() {
    let home = Home::new();
    home.client("2.1.100");
    let handler = |command: &str| {
        format!("{{\"Stop\": [{{\"hooks\": [{{\"type\": \"command\", \"command\": \"{command}\"}}]}}]}}")
    };
    home.put(
        SETTINGS,
        format!(
            "{{\"disableAllHooks\": true, \"enabledPlugins\": {{\"catchword@team\": true}}, \"hooks\": {}}}",
            handler("/gone/catchword hook claude-code")
        ),
    );
    home.put("project/.claude/settings.json", "{\"a\": }");
    let local = format!("{{\"hooks\": {}}}", handler("catchword hook claude-code"));
    home.put("project/.claude/settings.local.json", local);
    home.put(".claude.json", "{}");
    home.put(".local/share", "a file where a folder should be");
    fs::rename(home.path("bin/catchword"), home.path("project/catchword")).unwrap();
    home.script("bin/catchword", "#!/bin/sh\n");
    insta::assert_snapshot!(home.printed(&mut home.command_at("project/catchword", "doctor")), @r#"
    catchword 0.1.0, ~/project/catchword
      warning    program  PATH finds another one first: ~/bin/catchword.
                          → Remove one of the two, or put ~/project first on PATH.
      failed     client   Claude Code 2.1.100 is too old for these hooks.
                          → Update it to 2.1.139 or newer.
      failed     hooks    ~/.claude/settings.json calls /gone/catchword, which is
                          not there.
                          → Run `catchword init`.
      failed     hooks    ~/project/.claude/settings.json: it is not valid JSON:
                          expected value (line 1, column 7).
                          → Fix it: Claude Code ignores the file as it is.
      warning    hooks    ~/project/.claude/settings.local.json calls another one:
                          ~/bin/catchword.
                          → Run `catchword init --local`.
      warning    plugin   catchword@team is enabled but not installed.
                          → Run `claude plugin install catchword@team`.
      warning    skill    ~/.claude/skills/catchword/SKILL.md and
                          ~/.claude/commands/catchword/note.md: missing, or from an
                          older version.
                          → Run `catchword init`.
      warning    hooks    The plugin and the settings both call it: every hook runs
                          twice.
                          → Run `catchword remove`.
      failed     switch   "disableAllHooks" in ~/.claude/settings.json switches the
                          hooks off.
                          → Remove that setting.
      warning    trust    ~/project is not trusted yet: interactive sessions here
                          run no hooks.
                          → Start `claude` here and answer its question (`claude -p`
                          needs no trust).
      failed     data     ~/.local/share/catchword cannot be written (Not a
                          directory (os error 20)).
                          → Make ~/.local/share writable, or set CATCHWORD_HOME to
                          another folder.
      ok         record   Nothing yet: no hook has run.
    Not working: 5 failed checks, 6 warnings.
    [exit 1]
    "#);
}

mod with_the_real_client {
    use super::{Home, Path, PathBuf, fs};
    use catchword_testkit::{FakeAnswer, FakeApi, RealClient, Script, real_client_or_skip};

    fn repository() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
    }

    /// Runs `claude <arguments>`; returns its output and exit code.
    fn claude(home: &Home, client: &RealClient, arguments: &[&str]) -> String {
        let api = FakeApi::start(Script::new());
        home.printed(client.start(&home.env, &api).command().args(arguments))
    }

    #[test]
    fn plugin_and_marketplace_are_valid() {
        let client = real_client_or_skip!();
        let home = Home::new();
        for folder in [repository(), repository().join("plugin")] {
            let folder = folder.to_str().unwrap();
            let printed = claude(&home, &client, &["plugin", "validate", "--strict", folder]);
            assert!(printed.contains("Validation passed") && printed.ends_with("[exit 0]\n"), "{printed}");
        }
    }

    #[test]
    fn installed_plugin_is_noticed() {
        let client = real_client_or_skip!();
        let home = Home::new();
        let plugin = |arguments: &[&str]| {
            let printed = claude(&home, &client, arguments);
            assert!(printed.ends_with("[exit 0]\n"), "{printed}");
        };
        plugin(&["plugin", "marketplace", "add", repository().to_str().unwrap()]);
        plugin(&["plugin", "install", "catchword@catchword"]);
        assert!(home.run("doctor").contains("catchword@catchword 0.1.0 is enabled."));
        assert!(home.run("init --yes").contains("the plugin catchword@catchword already calls it"));
        plugin(&["plugin", "disable", "catchword@catchword"]);
        assert!(home.run("doctor").contains("catchword@catchword is disabled."));
        plugin(&["plugin", "uninstall", "catchword@catchword"]);
        home.ok("init --yes");
        assert!(home.run("doctor").contains("9 hooks in ~/.claude/settings.json"));
    }

    /// How the client calls `catchword` around one prompt: a script in its place records the calls.
    fn calls(home: &Home, client: &RealClient, arguments: &[&str]) -> String {
        fs::remove_file(home.path("bin/catchword")).unwrap();
        let script = format!("#!/bin/sh\necho \"$@\" >> {}\ncat > /dev/null\n", home.path("calls").display());
        home.script("bin/catchword", &script);
        let api = FakeApi::start(Script::new().turn(FakeAnswer::text("Hello.")));
        // The client itself needs the usual tools beside ours.
        let path = format!("{}:/usr/bin:/bin", home.path("bin").display());
        let run = client.start(&home.env, &api).var("PATH", path).arg("--model").arg("claude-sonnet-4-5");
        let _ = arguments.iter().fold(run, |run, argument| run.arg(*argument)).prompt("hello").success();
        home.read("calls")
    }

    #[test]
    fn client_calls_the_plugin_from_plugin_dir() {
        let client = real_client_or_skip!();
        let home = Home::new();
        let plugin = repository().join("plugin");
        let calls = calls(&home, &client, &["--plugin-dir", plugin.to_str().unwrap()]);
        let (hooks, tools): (Vec<&str>, Vec<&str>) =
            calls.lines().partition(|line| *line == "hook claude-code");
        assert!(hooks.len() >= 2 && !tools.is_empty() && tools.iter().all(|line| *line == "mcp"), "{calls}");
    }

    #[test]
    fn the_plugin_says_plainly_that_the_program_is_missing_and_nothing_where_it_is_there() {
        let client = real_client_or_skip!();
        let plugin = repository().join("plugin");
        let told = |path: &str| {
            let env = catchword_testkit::TestEnv::new();
            let api = FakeApi::start(Script::new().turn(FakeAnswer::text("Hello.")));
            let run = client.start(&env, &api).var("PATH", path).arg("--plugin-dir").arg(&plugin);
            let run = run.prompt("hello");
            assert_eq!((run.status.success(), &run.result()["result"]), (true, &"Hello.".into()));
            let transcript = catchword_testkit::files::read(env.transcript_path(&run.session_id()));
            let rows =
                transcript.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
            let messages = rows.filter(|row| row["attachment"]["type"] == "hook_system_message");
            messages
                .map(|row| row["attachment"]["content"].as_str().unwrap_or_default().to_owned())
                .collect::<Vec<_>>()
        };
        let missing = told("/usr/bin:/bin");
        assert_eq!(missing.len(), 1, "{missing:?}");
        assert!(missing[0].contains("not on PATH") && missing[0].contains("cargo install"), "{missing:?}");
        let home = Home::new();
        assert_eq!(told(&format!("{}:/usr/bin:/bin", home.path("bin").display())), [] as [&str; 0]);
    }

    #[test]
    fn client_calls_what_init_wrote() {
        let client = real_client_or_skip!();
        let home = Home::new();
        home.ok("init --yes");
        let calls = calls(&home, &client, &[]);
        let (hooks, tools): (Vec<&str>, Vec<&str>) =
            calls.lines().partition(|line| *line == "hook claude-code");
        assert!(hooks.len() >= 2 && !tools.is_empty() && tools.iter().all(|line| *line == "mcp"), "{calls}");
    }
}

#[test]
fn non_regular_files_are_not_read_and_do_not_block() {
    for name in [".claude/settings.json", ".claude.json"] {
        let env = TestEnv::new();
        let path = env.home().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        for command in [&["init", "--yes"][..], &["init", "--dry-run"], &["remove", "--yes"], &["doctor"]] {
            let mut timed = env.command("timeout");
            timed.arg("20").arg(BINARY).args(command);
            let output = env.run_command(timed, "");
            assert_ne!(output.status.code(), Some(124), "{name}: {command:?} hangs");
        }
    }
}
