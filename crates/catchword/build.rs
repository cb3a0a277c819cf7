//! Tells the program which commit it is built from, for `catchword --version` and bug reports.

#![expect(clippy::disallowed_methods, reason = "cargo speaks to a build script through the environment")]

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CATCHWORD_COMMIT");
    let version = env!("CARGO_PKG_VERSION");
    let commit = given().or_else(packaged).or_else(checked_out);
    let version = commit.map_or(version.to_owned(), |commit| format!("{version} ({commit})"));
    println!("cargo:rustc-env=CATCHWORD_VERSION={version}");
}

/// Given by whoever builds from an archive.
fn given() -> Option<String> {
    std::env::var("CATCHWORD_COMMIT")
        .ok()
        .filter(|commit| !commit.is_empty())
        .map(|commit| shortened(&commit))
}

/// Given by cargo, in a package from a registry.
fn packaged() -> Option<String> {
    println!("cargo:rerun-if-changed=.cargo_vcs_info.json");
    let info = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let rest = info.split_once("\"sha1\": \"")?.1;
    rest.split('"').next().map(shortened)
}

/// Given by git, in a checkout. Only for a release: other builds would be rebuilt at every commit.
fn checked_out() -> Option<String> {
    if std::env::var("PROFILE").as_deref() != Ok("release") {
        return None;
    }
    // A checkout of another project that vendors this crate does not count.
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    for moves in ["logs/HEAD", "index"] {
        let file = git(&["rev-parse", "--git-path", moves])?;
        if Path::new(&file).exists() {
            println!("cargo:rerun-if-changed={file}");
        }
    }
    git(&["describe", "--always", "--dirty", "--abbrev=9", "--exclude", "*"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

fn shortened(commit: &str) -> String {
    commit.chars().take(9).collect()
}
