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

#[cfg(unix)]
#[test]
fn a_linked_file_is_changed_where_it_is_and_keeps_its_line_ends() {
    let env = TestEnv::new();
    let (path, dotfile) = (env.data().join("config.toml"), env.home().join("dotfiles/catchword.toml"));
    files::write(&dotfile, "# mine\r\nbudget = 4000 # less\r\n\r\n[guide]\r\nlines = 20\r\n");
    std::fs::create_dir_all(env.data()).unwrap();
    std::os::unix::fs::symlink("../../../dotfiles/catchword.toml", &path).unwrap();
    let _ = env.run(BIN, &["config", "set", "budget", "3000"]).success();
    let _ = env.run(BIN, &["config", "set", "guide.on", "false"]).success();
    assert!(std::fs::symlink_metadata(&path).unwrap().is_symlink(), "the link stays");
    let changed = "# mine\r\nbudget = 3000 # less\r\n\r\n[guide]\r\nlines = 20\r\non = false\r\n";
    assert_eq!(files::read(&dotfile), changed);
}

#[cfg(unix)]
#[test]
fn a_read_only_file_and_a_dangling_link_are_left_alone_with_the_next_step() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    let path = env.data().join("config.toml");
    files::write(&path, "budget = 4000\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    let refused = env.run(BIN, &["config", "set", "budget", "3000"]);
    assert_eq!(refused.code(), Some(1), "{refused}");
    assert!(refused.stderr.contains("read-only") && refused.stderr.contains("run this again"), "{refused}");
    assert_eq!(files::read(&path), "budget = 4000\n");
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(env.home().join("nowhere"), &path).unwrap();
    let refused = env.run(BIN, &["config", "set", "budget", "3000"]);
    assert_eq!(refused.code(), Some(1), "{refused}");
    assert!(refused.stderr.contains("link to a missing file"), "{refused}");
    assert!(!env.home().join("nowhere").exists());
}

#[test]
fn parallel_changes_are_all_kept() {
    let env = TestEnv::new();
    let path = env.data().join("config.toml");
    let keys: Vec<String> = (0..8).map(|n| format!("projects.\"~/p{n}\".status")).collect();
    for round in 0..5 {
        let set = |key: &String| {
            let mut command = env.command(BIN);
            command.args(["config", "set", key, &format!("make {round}")]);
            command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap()
        };
        let running: Vec<_> = keys.iter().map(set).collect();
        assert!(running.into_iter().all(|mut child| child.wait().unwrap().success()));
        let text = files::read(&path);
        assert_eq!(text.matches(&format!("make {round}")).count(), keys.len(), "{text}");
    }
}
