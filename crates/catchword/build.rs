//! Tells the program which commit it is built from: `catchword --version` says so, and a report of a fault with it. And
//! puts the unwinder and what it needs of libm into it, so that a hook need not wait for their libraries.

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
    if let Some(folder) = unwinder() {
        println!("cargo:rustc-link-search=native={folder}");
        println!("cargo:rustc-link-lib=static:-bundle=gcc_eh");
    }
    if is_glibc() {
        println!("cargo:rerun-if-changed=math.c");
        cc::Build::new().file("math.c").opt_level(2).flag("-fno-builtin").compile("catchword_math");
    }
}

/// With glibc every library that is loaded takes a hook a tenth of a millisecond.
fn is_glibc() -> bool {
    let is = |name: &str, value: &str| std::env::var(name).as_deref() == Ok(value);
    is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu")
}

/// Where the compiler keeps an unwinder that can be linked into a program; with glibc alone, where a library of its own is
/// loaded otherwise. That library asks the processor what it can whenever it is loaded, for which virtual machines stop:
/// 0.12 ms of each hook. Nothing is lost where there is none. One of GCC 12 or later needs glibc 2.35; programs for other
/// machines than the one they are built on are linked with musl.
fn unwinder() -> Option<String> {
    println!("cargo:rerun-if-env-changed=RUSTC_LINKER");
    if !is_glibc() {
        return None;
    }
    let linker = std::env::var("RUSTC_LINKER").ok();
    let is_native = std::env::var("HOST") == std::env::var("TARGET");
    let linker = linker.or_else(|| is_native.then(|| "cc".to_owned()))?;
    let file = output(&linker, &["-print-file-name=libgcc_eh.a"])?;
    let file = Path::new(&file);
    file.is_absolute().then(|| file.parent()?.to_str().map(str::to_owned))?
}

/// By whoever builds from an archive.
fn given() -> Option<String> {
    std::env::var("CATCHWORD_COMMIT")
        .ok()
        .filter(|commit| !commit.is_empty())
        .map(|commit| shortened(&commit))
}

/// By cargo, in a package from a registry.
fn packaged() -> Option<String> {
    println!("cargo:rerun-if-changed=.cargo_vcs_info.json");
    let info = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let rest = info.split_once("\"sha1\": \"")?.1;
    rest.split('"').next().map(shortened)
}

/// By git, in a checkout. Only for a release: other builds would be made anew at every commit.
fn checked_out() -> Option<String> {
    if std::env::var("PROFILE").as_deref() != Ok("release") {
        return None;
    }
    // A checkout of something else that has this crate vendored has nothing to say.
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
    output("git", arguments)
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output =
        Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

fn shortened(commit: &str) -> String {
    commit.chars().take(9).collect()
}
