//! `config`: showing and changing the settings.

use catchword_testkit::{TestEnv, files};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");

#[test]
fn a_setting_is_changed_shown_and_reset() {
    let env = TestEnv::new();
    let path = env.data().join("config.toml");
    let run = |arguments: &[&str]| env.run(BIN, &[&["config"], arguments].concat());
    let get = |key: &str| run(&["get", key]).success().stdout;
    assert_eq!(get("budget"), "6000\n");
    let _ = run(&["set", "budget", "4000"]).success();
    let _ = run(&["set", "projects.\"~/src/shop\".key_files", "PLAN.md,SPEC.md"]).success();
    assert_eq!(get("budget"), "4000\n");
    assert_eq!(
        files::read(&path),
        "budget = 4000\n\n[projects.\"~/src/shop\"]\nkey_files = [\"PLAN.md\", \"SPEC.md\"]\n"
    );
    let all = run(&["get"]).success().stdout;
    assert!(
        all.contains("budget = 4000  # set in config.toml\n") && all.contains("\nguide.lines = 8\n"),
        "{all}"
    );
    let _ = run(&["set", "budget", "--default"]).success();
    assert_eq!(get("budget"), "6000\n");
    assert_eq!(run(&["get", "guide"]).success().stdout, "guide.on = true\nguide.lines = 8\n");
    assert_eq!(run(&["get", "guide", "--json"]).success().json()["guide.lines"], 8);
    assert!(run(&["path"]).success().stdout.trim_end().ends_with("config.toml"));
    assert_eq!(run(&["schema"]).success().json()["properties"]["budget"]["maximum"], 9_500);
}

#[test]
fn what_is_not_valid_is_refused_with_the_next_step() {
    let env = TestEnv::new();
    let path = env.data().join("config.toml");
    let refused = |arguments: &[&str]| {
        let output = env.run(BIN, &[&["config"], arguments].concat());
        assert_eq!(output.code(), Some(1), "{output}");
        output.stderr.replace('\n', " ")
    };
    assert!(refused(&["set", "bugdet", "1"]).contains("unknown key `bugdet`; did you mean `budget`?"));
    assert!(refused(&["get", "guide.line"]).contains("did you mean `guide.lines`?"));
    assert!(refused(&["set", "budget", "7"]).contains("`budget` takes 400 to 9500, not 7"));
    assert!(refused(&["set", "guide", "7"]).contains("`guide` is a table"));
    assert!(!path.exists(), "nothing is written");
    files::write(&path, "budget = = 1\n");
    assert!(refused(&["set", "budget", "4000"]).contains("fix it with `catchword config edit` first"));
    assert_eq!(files::read(&path), "budget = = 1\n");
    files::write(&path, "bugdet = 1\n");
    let doctor = env.run(BIN, &["doctor", "--json"]).stdout;
    assert!(doctor.contains("did you mean `budget`?"), "{doctor}");
}

#[cfg(unix)]
#[test]
fn the_file_is_private_and_the_editor_gets_every_setting_commented_out() {
    use std::os::unix::fs::PermissionsExt;
    let mut env = TestEnv::new();
    let path = env.data().join("config.toml");
    env.set_var("EDITOR", "cat");
    let shown = env.run(BIN, &["config", "edit"]).success().stdout;
    assert!(shown.contains("#budget = 6000") && shown.contains("# Most characters of a brief."), "{shown}");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let _ = env.run(BIN, &["config", "set", "budget", "4000"]).success();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    files::write(&path, "bugdet = 1\n");
    let output = env.run(BIN, &["config", "edit"]);
    assert!(output.code() == Some(1) && output.stderr.contains("did you mean"), "{output}");
}
