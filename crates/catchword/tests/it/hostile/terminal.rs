//! No command lets a transcript control the terminal.

use catchword_engine::quote::is_shown;
use catchword_testkit::{CommandOutput, HookPlayer, SESSION, TestEnv, Transcript, files};
use serde_json::json;

use super::{BIN, CARRIERS, Told, told};

/// Title, clipboard, screen, colours, links, cursor, bell, C1 controls, backspaces, text direction, invisible
/// characters.
pub const EVIL: &str = "needle \u{1b}]0;pwned\u{7}\u{1b}]52;c;cm0gLXJm\u{7}\u{1b}[2J\u{1b}[1m\u{1b}[8mhidden\u{1b}[0m\
    \u{1b}]8;;http://evil\u{1b}\\link\u{1b}]8;;\u{1b}\\ \u{9b}31m\u{90}q\u{9c}\u{8}\u{8}\u{7f}\rover\u{202e}txt.exe\u{2066}\u{200b}\u{fdd0}1\u{e0041}";

#[track_caller]
fn assert_plain(name: &str, output: &CommandOutput) {
    for text in [&output.stdout, &output.stderr] {
        let bad: Vec<char> = text.chars().filter(|c| !matches!(c, '\n' | '\t') && !is_shown(*c)).collect();
        assert!(bad.is_empty(), "{name}: {bad:?}\n{text:?}");
    }
}

/// A session with the text in every possible place, including its notes and the settings.
fn evil_session() -> Told {
    let told = told(
        |t| {
            let t = CARRIERS.iter().fold(t, |t, carrier| (carrier.carry)(t, EVIL));
            t.prompt(EVIL)
                .slash(EVIL, EVIL)
                .ask(EVIL, EVIL)
                .plan(EVIL)
                .queued(EVIL)
                .task_update(1, "completed")
        },
        &format!("The user said \"{EVIL}\". Task 1 is finished. {EVIL}"),
    );
    let env = &told.env;
    for said in &told.said {
        assert!(!said.contains(|c: char| c != '\n' && !is_shown(c)), "{said:?}");
    }
    let _ = env.run(BIN, &["note", EVIL, "--session", SESSION]);
    let _ = env.run(BIN, &["note", "--state", &format!("next={EVIL}"), "--session", SESSION]);
    let _ = env.run(BIN, &["commands", "add", EVIL, EVIL, "--session", SESSION]);
    files::write(env.data().join("config.toml"), format!("budget = \"{}\"\nx = 1", EVIL.escape_debug()));
    told
}

#[track_caller]
fn assert_all_plain(env: &TestEnv, commands: &[&[&str]], at_least: usize) {
    let mut shown = 0;
    for args in commands {
        let output = env.run(BIN, args);
        assert!(!output.stderr.contains("panicked"), "{args:?}\n{output}");
        assert_plain(&format!("{args:?}"), &output);
        shown += usize::from(output.stdout.contains("pwned"));
    }
    assert!(shown >= at_least, "only {shown} of the commands showed the text at all");
}

#[test]
fn no_command_prints_escape_sequences() {
    let commands: &[&[&str]] = &[
        &["brief", SESSION][..],
        &["brief", SESSION, "--why", "--all"],
        &["brief", "--why", SESSION, "--at", "1"],
        &["status", SESSION],
        &["lost"],
        &["lost", SESSION],
        &["lost", SESSION, "1"],
        &["lost", SESSION, "--at", "1"],
        &["status", "--all"],
        &["handoff", SESSION],
        &["status"],
        &["status", "--all"],
        &["commands", SESSION],
        &["note", "--session", SESSION],
        &["note", "--session", SESSION],
        &["search", "needle"],
        &["search", "role:user", "needle"],
        &["search", "error:", "needle"],
        &["search", EVIL],
        &["search", &format!("since:{EVIL}")],
        &["recall", "L1-L30", "--session", SESSION, "--full"],
        &["recall", "L30-L90", "--session", SESSION, "--full"],
        &["recall", "#1", "--session", SESSION],
        &["recall", "compaction:1", "--session", SESSION, "--full"],
        &["recall", EVIL, "--session", SESSION],
        &["recall", "L1", "--session", EVIL],
        &["brief", EVIL],
        &["brief", "--transcript", EVIL],
        &["handoff", EVIL],
        &["lost", EVIL],
        &["note", "--session", EVIL],
        &["note", "--session", EVIL],
        &["lost", EVIL, "1"],
        &["commands", "remove", EVIL, "--session", SESSION],
        &["eval", EVIL],
        &["index", EVIL],
        &["index"],
        &["try", SESSION],
        &["try", "--sample"],
        &["doctor"],
        &["init", "--dry-run"],
        &[EVIL],
        &["brief", &format!("--{EVIL}")],
        &["search", "--json", "needle"],
        &["brief", SESSION, "--json"],
        &["recall", "L1-L30", "--session", SESSION, "--json"],
        &["status", "--all", "--json"],
        &["status", "--all", "--json"],
        &["lost", SESSION, "1", "--json"],
        &["lost", "--json"],
    ];
    assert_all_plain(&evil_session().env, commands, 15);
}

#[test]
fn writing_commands_print_no_escape_sequences() {
    let commands: &[&[&str]] = &[
        &["handoff", "--replay", SESSION],
        &["handoff", "--replay", SESSION, "--at", "1"],
        &["handoff", "--replay", SESSION, "--json"],
        &["handoff", "--replay", EVIL],
        &["handoff", "--replay", "--transcript", EVIL],
        &["status", "--project", EVIL],
        &["status", "--all", "--since", EVIL],
        &["status", EVIL],
        &["backup", SESSION],
        &["backup", SESSION, "--json"],
        &["backup", EVIL],
        &["backup", "--all"],
        &["backup", "--list"],
        &["backup", "--list", "--json"],
        &["restore", SESSION],
        &["restore", SESSION, "--to", EVIL],
        &["restore", SESSION, "--to", "evil\u{1b}]0;pwned\u{7}\u{202e}.jsonl"],
        &["restore", EVIL],
        // The preview first, then the removal; the session last.
        &["forget", "--session", SESSION, "--dry-run"],
        &["forget", "--session", EVIL],
        &["forget", "--project", EVIL],
        &["forget", "--before", EVIL],
        &["forget", "--pattern", EVIL, "--dry-run"],
        &["forget", "--pattern", EVIL, "--yes"],
        &["forget", "--session", SESSION, "--yes"],
    ];
    assert_all_plain(&evil_session().env, commands, 4);
}

#[test]
fn status_line_prints_only_its_own_escape_sequences() {
    let told = told(|t| t.task_create(EVIL), "nothing");
    files::write(told.env.project().join(".git/HEAD"), format!("ref: refs/heads/{EVIL}\n"));
    let asked = json!({"session_id": SESSION, "cwd": told.env.project(), "model": {"id": EVIL, "display_name": EVIL},
        "transcript_path": told.env.transcript_path(SESSION)});
    let mut command = told.env.command(BIN);
    command.args(["statusline", "claude-code"]).env("NO_COLOR", "1");
    let output = told.env.run_command(command, asked.to_string()).success();
    assert!(output.stdout.contains("pwned"), "{output}");
    assert_plain("statusline", &output);
}

/// Names of files, folders and sessions come from elsewhere, too.
#[test]
fn folder_names_are_shown_without_escape_sequences() {
    let told = told(Transcript::interrupt, "nothing");
    let folder = told.env.home().join(".claude/projects").join("evil\u{1b}]0;pwned\u{7}\u{202e}");
    Transcript::new().session("evil").prompt("needle").write_to(folder.join("evil\u{1b}[2J.jsonl"));
    let path = folder.join("evil\u{1b}[2J.jsonl").display().to_string();
    for args in [
        &["index"][..],
        &["search", "needle"],
        &["status", "--all"],
        &["eval", &path],
        &["brief", "--transcript", &path],
    ] {
        assert_plain(&format!("{args:?}"), &told.env.run(BIN, args));
    }
}

/// A project's folder, its branch, and the start of a session, which becomes its title.
#[test]
fn project_names_are_shown_without_escape_sequences() {
    const NAME: &str = "evil\u{1b}]0;pwned\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{200b}name";
    let env = TestEnv::new();
    let folder = env.home().join(NAME);
    files::write(folder.join(".git/HEAD"), format!("ref: refs/heads/{NAME}\n"));
    let hooks = HookPlayer::new(&env, BIN, SESSION).in_folder(&folder);
    let mut transcript = Transcript::new()
        .cwd(&folder)
        .prompt(NAME)
        .task_create(NAME)
        .bash("git status")
        .ok(&format!("On branch {NAME}"));
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.session_start("startup").success();
    let _ = hooks.compaction(&mut transcript, "auto", NAME);
    let _ = hooks.stop(NAME).success();
    let _ = hooks.session_end("other").success();
    let run = |args: &[&str]| {
        let mut command = env.command(BIN);
        command.args(args).current_dir(&folder);
        let output = env.run_command(command, "");
        assert_plain(&format!("{args:?}"), &output);
        assert!(!output.stderr.contains("panicked"), "{args:?}\n{output}");
        output.to_string()
    };
    let _ = run(&["note", NAME]);
    let shown = [
        &["status"][..],
        &["status", "--all"],
        &["status", "--json"],
        &["status", "--all"],
        &["status", "--project", "."],
        &["status", "--all", "--json"],
        &["lost"],
        &["lost", SESSION],
        &["note"],
        &["handoff", "--replay"],
        &["handoff", "--replay", "--json"],
        &["backup", SESSION],
        &["backup", "--list"],
        &["backup", "--list", "--json"],
        &["restore", SESSION],
        &["restore", SESSION, "--force"],
        &["handoff"],
        &["doctor"],
        &["forget", "--session", SESSION, "--dry-run"],
        &["forget", "--project", ".", "--dry-run"],
        &["forget", "--project", ".", "--yes"],
    ]
    .map(|args| run(args).contains("pwned"));
    let shown = shown.iter().filter(|shown| **shown).count();
    assert!(shown >= 8, "only {shown} of the commands showed a name at all");
}
