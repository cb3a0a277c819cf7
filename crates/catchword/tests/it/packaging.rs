//! The parts of a release: the version, completions, manual pages, the archive and the npm packages.

use std::path::{Path, PathBuf};
use std::process::Command;

use catchword_testkit::{NpmRegistry, TestEnv, files};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const VERSION: &str = env!("CARGO_PKG_VERSION");

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the checkout is there")
}

fn told(command: &mut Command) -> String {
    let output = command.output().expect("the program is there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn shell_accepts_the_completions_of_every_command() {
    let env = TestEnv::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = told(env.command(BIN).args(["completions", shell]));
        assert!(script.contains("recall") && script.contains("doctor"), "{shell}");
    }
    let script = env.root().join("catchword.bash");
    files::write(&script, told(env.command(BIN).args(["completions", "bash"])));
    let asks = "source \"$0\"; COMP_WORDS=(catchword rec); COMP_CWORD=1; _catchword catchword rec catchword; \
                echo \"${COMPREPLY[@]}\"";
    let offered = told(env.command("bash").args(["--norc", "-c", asks]).arg(&script));
    assert_eq!(offered.trim(), "recall");
    let wrong = env.run(BIN, &["completions", "tcsh"]);
    assert!(!wrong.status.success() && wrong.stderr.contains("possible values"), "{}", wrong.stderr);
}

#[test]
fn manual_has_a_page_for_every_command() {
    let env = TestEnv::new();
    let page = told(env.command(BIN).arg("man"));
    assert!(page.starts_with(".ie") && page.contains(".TH catchword 1"), "{page}");
    let pages = env.root().join("man1");
    told(env.command(BIN).args(["man", "--dir"]).arg(&pages));
    for name in ["catchword.1", "catchword-recall.1", "catchword-init.1"] {
        assert!(files::read(pages.join(name)).contains(".SH NAME"), "{name}");
    }
    let blocked = env.root().join("blocked");
    files::write(&blocked, "");
    let failed = env.run(BIN, &["man", "--dir", blocked.to_str().expect("UTF-8")]);
    assert!(failed.stderr.contains("cannot write manual pages into"), "{}", failed.stderr);
}

#[test]
fn archive_matches_its_checksum_and_runs() {
    let env = TestEnv::new();
    let out = env.root().join("dist");
    let script = repository().join("packaging/archive");
    told(env.command("bash").arg(script).args(["x86_64-test", BIN]).arg(&out));
    let name = format!("catchword-{VERSION}-x86_64-test");
    told(env.command("sha256sum").current_dir(&out).args(["--check", &format!("{name}.tar.gz.sha256")]));
    told(env.command("tar").current_dir(&out).args(["-xzf", &format!("{name}.tar.gz")]));
    let laid = out.join(&name);
    assert!(told(env.command(laid.join("catchword")).arg("--version")).contains(VERSION));
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "completions/catchword.zsh", "man/catchword.1"]
    {
        assert!(laid.join(file).exists(), "{file}");
    }
}

#[test]
fn cargo_binstall_finds_the_program_in_the_archive() {
    let manifest: toml::Table =
        files::read(repository().join("crates/catchword/Cargo.toml")).parse().expect("a manifest");
    let described = &manifest["package"]["metadata"]["binstall"];
    let filled = |key: &str| {
        let text = described[key].as_str().expect("a template").replace("{ version }", VERSION);
        let text = text.replace("{ target }", "x86_64-test").replace("{ bin }", "catchword");
        text.replace("{ repo }", env!("CARGO_PKG_REPOSITORY")).replace("{ binary-ext }", "")
    };
    let env = TestEnv::new();
    let script = repository().join("packaging/archive");
    told(env.command("bash").arg(script).args(["x86_64-test", BIN]).arg(env.root()));
    let url = filled("pkg-url");
    let archive =
        url.strip_prefix(&format!("{}/releases/download/v{VERSION}/", env!("CARGO_PKG_REPOSITORY")));
    let archive = env.root().join(archive.expect("an address of a release"));
    let listed = told(env.command("tar").arg("-tzf").arg(archive));
    assert!(listed.lines().any(|path| path == filled("bin-dir")), "{listed}");
}

/// Where the archive of a release for this machine lies.
fn released(env: &TestEnv) -> PathBuf {
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let out = env.root().join("dist");
    told(env.command("bash").arg(repository().join("packaging/archive")).args([&target, BIN]).arg(&out));
    out
}

#[test]
#[cfg(target_os = "linux")]
fn the_installer_installs_the_archive_and_refuses_one_with_a_wrong_checksum() {
    let env = TestEnv::new();
    let dist = released(&env);
    let installer = env.root().join("install.sh");
    files::write(
        &installer,
        told(env.command("bash").arg(repository().join("packaging/installer")).arg(VERSION)),
    );
    let install = || {
        let mut command = env.command("sh");
        command.arg(&installer).env("CATCHWORD_FROM", format!("file://{}", dist.display()));
        command.output().expect("sh is there")
    };
    let said = install();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    assert!(String::from_utf8_lossy(&said.stdout).contains("to your PATH"), "{said:?}");
    let program = env.home().join(".local/bin/catchword");
    assert!(told(env.command(&program).arg("--version")).contains(VERSION));

    std::fs::remove_file(&program).expect("it was just run");
    for entry in std::fs::read_dir(&dist).expect("our own folder") {
        let path = entry.expect("our own folder").path();
        if path.extension().is_some_and(|end| end == "gz") {
            files::write(&path, "another archive");
        }
    }
    let refused = install();
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("checksum"), "{refused:?}");
    assert!(!program.exists(), "nothing of an unknown archive is installed");
}

/// The installer, told to download from `dist`.
#[cfg(target_os = "linux")]
fn installer(env: &TestEnv, dist: &Path) -> Command {
    let installer = env.root().join("install.sh");
    files::write(
        &installer,
        told(env.command("bash").arg(repository().join("packaging/installer")).arg(VERSION)),
    );
    let mut command = env.command("sh");
    command.arg(&installer).env("CATCHWORD_FROM", format!("file://{}", dist.display()));
    command
}

#[test]
#[cfg(target_os = "linux")]
fn the_installer_takes_a_relative_folder_and_refuses_one_in_place_of_the_program() {
    let env = TestEnv::new();
    let dist = released(&env);
    let said = told(installer(&env, &dist).env("CATCHWORD_BIN", "tools/bin"));
    let program = env.project().join("tools/bin/catchword");
    assert!(said.contains(&format!("is in {}", env.project().join("tools/bin").display())), "{said}");
    assert!(told(env.command(&program).arg("--version")).contains(VERSION));
    std::fs::remove_file(&program).expect("it was just run");
    std::fs::create_dir(&program).expect("our own folder");
    let refused = installer(&env, &dist).env("CATCHWORD_BIN", "tools/bin").output().expect("sh is there");
    assert!(!refused.status.success(), "{refused:?}");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("is a folder"), "{refused:?}");
    assert_eq!(std::fs::read_dir(&program).expect("our own folder").count(), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn the_installer_compares_the_checksum_of_the_archive_and_of_nothing_else() {
    let env = TestEnv::new();
    let dist = released(&env);
    let sums = std::fs::read_dir(&dist).expect("our own folder").map(|entry| entry.expect("an entry").path());
    let sums = sums.into_iter().find(|path| path.extension().is_some_and(|end| end == "sha256"));
    let sums = sums.expect("a checksum");
    let right = files::read(&sums);
    let of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let wrong = [
        format!("{of_nothing}  /dev/null\n"),
        String::new(),
        format!("{of_nothing}  {right}"),
        format!("\n{right}"),
    ];
    for sum in wrong {
        files::write(&sums, &sum);
        let refused = installer(&env, &dist).output().expect("sh is there");
        assert!(!refused.status.success(), "{sum:?}: {refused:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains("checksum"), "{refused:?}");
        assert!(!env.home().join(".local/bin/catchword").exists(), "{sum:?}");
    }
    files::write(&sums, right);
    told(&mut installer(&env, &dist));
}

/// With a curl that only notes how it was called.
#[test]
#[cfg(target_os = "linux")]
fn the_installer_downloads_over_https_alone_unless_it_is_told_another_place() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    let curl = env.root().join("bin/curl");
    files::write(&curl, "#!/bin/sh\necho \"$*\" >>\"$HOME/called\"\nexit 1\n");
    std::fs::set_permissions(&curl, PermissionsExt::from_mode(0o755)).expect("our own file");
    let mut command = installer(&env, Path::new("/nowhere"));
    command
        .env_remove("CATCHWORD_FROM")
        .env("PATH", format!("{}:/usr/bin:/bin", env.root().join("bin").display()));
    assert!(!command.output().expect("sh is there").status.success());
    let called = files::read(env.home().join("called"));
    assert!(called.contains("https://"), "{called}");
    assert!(called.lines().all(|line| line.contains("--proto =https")), "{called}");
}

#[test]
fn the_formula_names_every_archive_with_its_checksum() {
    let env = TestEnv::new();
    let targets = ["aarch64-apple-darwin", "x86_64-apple-darwin", "aarch64-unknown-linux-musl"];
    let targets = [&targets[..], &["x86_64-unknown-linux-musl"]].concat();
    for (n, target) in targets.iter().enumerate() {
        let name = format!("catchword-{VERSION}-{target}.tar.gz");
        files::write(env.root().join(format!("{name}.sha256")), format!("{n:064}  {name}\n"));
    }
    let formula = repository().join("packaging/formula");
    let text = told(env.command("bash").arg(&formula).arg(VERSION).arg(env.root()));
    for (n, target) in targets.iter().enumerate() {
        let address = format!("/releases/download/v{VERSION}/catchword-{VERSION}-{target}.tar.gz\"");
        let at = text.find(&address).unwrap_or_else(|| panic!("{target}: {text}"));
        assert!(text[at..].lines().nth(1).is_some_and(|line| line.contains(&format!("{n:064}"))), "{text}");
    }
    let missing =
        env.command("bash").arg(&formula).args([VERSION, "/nowhere"]).output().expect("bash is there");
    assert!(!missing.status.success(), "a formula without checksums is worse than none");
}

/// Our packages in a registry, and npm's variables for it; nothing where there is no npm, which is said.
fn published() -> Option<(TestEnv, NpmRegistry)> {
    let mut env = TestEnv::new();
    let registry = match NpmRegistry::with(&repository().join("npm/pack.mjs"), Path::new(BIN)) {
        Ok(registry) => registry,
        Err(skip) => {
            skip.say(module_path!());
            return None;
        }
    };
    for (name, value) in registry.variables(&env) {
        env.set_var(name, value);
    }
    Some((env, registry))
}

#[test]
fn npx_runs_the_program_and_leaves_nothing_in_the_home() {
    let Some((env, _registry)) = published() else { return };
    let tried = env.run("npx", &["--yes", "catchword", "try", "--sample"]).success();
    assert!(tried.stdout.contains("bundled sample session"), "{tried}");
    let left: Vec<_> = std::fs::read_dir(env.home()).expect("a home").map(|of| of.unwrap().path()).collect();
    assert_eq!(left, [env.project()], "the home had a project and nothing else");
}

#[test]
fn npm_installs_without_scripts_and_passes_on_the_exit_code() {
    let Some((env, _registry)) = published() else { return };
    let installed = env.run("npm", &["install", "-g", "catchword"]).success();
    assert_eq!(
        installed.stderr, "",
        "npm warns of packages with install scripts, and will stop running them"
    );
    let program = NpmRegistry::bin(&env).join("catchword");
    assert!(env.run(&program, &["--version"]).success().stdout.contains(VERSION));
    let wrong = env.run(&program, &["no-such-command"]);
    assert_eq!(wrong.code(), Some(1), "{wrong}");
    assert!(wrong.stderr.contains("no-such-command"), "{wrong}");
    let wrapper = env.root().join("npm/lib/node_modules/catchword");
    let platforms = wrapper.join("node_modules/@catchword");
    let platform = std::fs::read_dir(platforms).expect("npm took one").next().expect("npm took one");
    for package in [wrapper, platform.expect("a folder").path()] {
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(package.join(licence).exists(), "{licence} in {}", package.display());
        }
    }
}

#[test]
fn npm_wrapper_without_its_program_says_what_to_do() {
    let Some((env, _registry)) = published() else { return };
    let _ = env.run("npm", &["install", "-g", "catchword"]).success();
    let program = NpmRegistry::bin(&env).join("catchword");
    std::fs::remove_dir_all(env.root().join("npm/lib/node_modules/catchword/node_modules"))
        .expect("npm made it");
    let refused = env.run(program, &["try"]);
    assert_eq!(refused.code(), Some(1), "{refused}");
    assert!(refused.stderr.contains("npm install -g --include=optional catchword"), "{refused}");
}

/// Hooks run at every turn, and node takes many times as long to start as the program.
#[test]
fn hooks_of_an_npm_installation_do_not_start_node() {
    let Some((env, _registry)) = published() else { return };
    let _ = env.run("npm", &["install", "-g", "catchword"]).success();
    let program = NpmRegistry::bin(&env).join("catchword");
    let _ = env.run(&program, &["init", "--yes", "--agent", "claude-code"]).success();
    let settings = files::read(env.home().join(".claude/settings.json"));
    let settings: serde_json::Value = serde_json::from_str(&settings).expect("settings");
    let command = settings["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().expect("a hook");
    let head = std::fs::read(command).unwrap_or_else(|e| panic!("{command}: {e}"));
    assert_ne!(&head[..2], b"#!", "{command} is a script");
}

#[test]
fn init_refuses_to_install_from_the_npx_cache() {
    let env = TestEnv::new();
    let program = env.root().join("cache/_npx/1a2b/node_modules/catchword/bin/catchword");
    std::fs::create_dir_all(program.parent().expect("it has one")).expect("a folder of our own");
    std::fs::copy(BIN, &program).expect("a file of our own");
    let refused = env.run(&program, &["init", "--yes"]);
    assert!(
        !refused.status.success() && refused.stderr.contains("npm install -g catchword"),
        "{}",
        refused.stderr
    );
    assert!(!env.home().join(".claude/settings.json").exists());
}
