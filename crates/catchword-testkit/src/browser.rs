//! Chromium, driven by playwright-core from npm: it runs scripts against a page as people use it.
//!
//! Debian's package `chromium` has the browser; `playwright-core` and `axe-core` are fetched once, checked against the lock
//! file, without install scripts. Where one of them is missing the tests say so and are skipped; never with `CI=true`.

use std::io::Write as _;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value, json};

use crate::real_client::{PinnedClient, Skip, target_dir, wait_in_time};
use crate::{TestEnv, files};

const DRIVER: PinnedClient = PinnedClient {
    folder: "browser",
    package: include_str!("../real-client/browser/package.json"),
    lock: include_str!("../real-client/browser/package-lock.json"),
    program: |modules| Some(modules.join("playwright-core/index.js")).filter(|program| program.is_file()),
};
const DRIVE: &str = include_str!("../real-client/browser/drive.mjs");

/// What the browser is called, and where.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Far above the minute that the longest script takes.
const RUN_LIMIT: Duration = Duration::from_secs(400);

/// Ends the test here, in plain words, where no browser can be had; with `CI=true` it fails instead.
#[macro_export]
macro_rules! browser_or_skip {
    () => {
        match $crate::Browser::get() {
            Ok(browser) => browser,
            Err(skip) => {
                skip.say(module_path!());
                return;
            }
        }
    };
}

/// A browser, and what drives it.
#[derive(Clone, Debug)]
pub struct Browser {
    chromium: PathBuf,
    modules: PathBuf,
}

/// What a script saw.
#[derive(Clone, Debug)]
pub struct Seen {
    /// What it returned.
    pub answer: Value,
    /// Errors of scripts, of the console and of the page's policy, and dialogs.
    pub reported: Vec<String>,
    /// Addresses of other hosts that were asked for.
    pub foreign: Vec<String>,
}

impl Browser {
    /// Looked for, and its driver installed, on first use; tried once per process.
    pub fn get() -> Result<Browser, Skip> {
        static FOUND: OnceLock<Result<Browser, Skip>> = OnceLock::new();
        FOUND.get_or_init(Browser::find).clone()
    }

    fn find() -> Result<Browser, Skip> {
        let is_there = |name: &&&str| {
            let asked =
                Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
            asked.is_ok_and(|status| status.success())
        };
        let found = NAMES.iter().find(is_there);
        let name = found.ok_or_else(|| Skip::because("chromium is missing: apt-get install chromium"))?;
        let which = Command::new("sh").args(["-c", "command -v -- \"$0\"", name]).output();
        let path = which.map(|found| String::from_utf8_lossy(&found.stdout).trim().to_owned());
        let program = DRIVER.install()?;
        let modules = program.ancestors().nth(2).unwrap_or(&program).to_owned();
        files::write(modules.join("../drive.mjs"), DRIVE);
        Ok(Browser { chromium: path.unwrap_or_else(|_| (*name).to_owned()).into(), modules })
    }

    /// Runs a script with what it is given: at least the page's `address`.
    ///
    /// # Panics
    /// If it fails.
    pub fn run(&self, env: &TestEnv, script: &Path, mut given: Value) -> Seen {
        given["chromium"] = json!(self.chromium);
        given["axe"] = json!(self.modules.join("axe-core/axe.min.js"));
        let (said, complaint) = (env.root().join("browser.out"), env.root().join("browser.err"));
        let file = |path: &Path| std::fs::File::create(path).expect("a file in our own folder");
        let mut command = env.command("node");
        command.arg(self.modules.join("../drive.mjs")).arg(&self.modules).arg(script);
        // A cache of its own for all tests: a profile is made anew for each run anyway.
        command.env("XDG_CACHE_HOME", target_dir().join("real-client/browser-cache"));
        command.stdin(Stdio::piped()).stdout(file(&said)).stderr(file(&complaint)).process_group(0);
        let mut child = command.spawn().expect("npm brought node");
        child.stdin.take().expect("piped").write_all(given.to_string().as_bytes()).expect("it reads");
        let status = wait_in_time(child, RUN_LIMIT);
        let complaint = files::read(&complaint);
        assert!(status.is_some_and(|status| status.success()), "{} failed:\n{complaint}", script.display());
        let seen: Value = serde_json::from_str(&files::read(&said)).expect("the driver prints JSON");
        let words = |name: &str| {
            let all = seen[name].as_array().into_iter().flatten();
            all.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Seen { answer: seen["answer"].clone(), reported: words("reported"), foreign: words("foreign") }
    }
}

impl Seen {
    /// What the script returned; nothing may have been reported, and nobody else asked.
    #[track_caller]
    pub fn quiet(self) -> Value {
        assert!(self.reported.is_empty(), "reported: {:#?}", self.reported);
        assert!(self.foreign.is_empty(), "asked: {:#?}", self.foreign);
        self.answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_file_pins_the_driver_and_names_no_registry() {
        let (package, lock): (Value, Value) =
            (serde_json::from_str(DRIVER.package).unwrap(), serde_json::from_str(DRIVER.lock).unwrap());
        for (name, version) in package["dependencies"].as_object().unwrap() {
            assert_eq!(lock["packages"][format!("node_modules/{name}")]["version"], *version, "{name}");
        }
        assert!(!DRIVER.lock.contains("resolved") && !DRIVER.lock.contains("://"));
    }
}
