//! Settings: `config.toml` in the data directory; the environment overrides it.
//!
//! Few keys, each with a default, so the file may be missing. Read by commands, around a compaction, at the start and
//! end of a session, by the status line, and on a tick only if the token count has moved. What can be set is
//! documented in `defaults.toml` ([`super::schema`]).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use catchword_engine::archive::backup::BackupLimits;
use catchword_engine::brief;
use catchword_engine::brief::cold_tasks::ColdPlan;
use catchword_engine::context::CheckpointPlan;
use catchword_engine::ops::hook::HeadlessStart;
use catchword_engine::ops::start::START_CHARACTERS;

use super::env::Env;
use super::schema;
use crate::app::files;

/// Older sessions are not offered.
const MAX_AGE_DAYS: u32 = 7;
/// Backups: days they are kept, megabytes they may take, sessions of the current project that are always kept.
const KEEP_DAYS: u32 = 90;
const MAX_MB: u64 = 2_000;
const KEEP_LAST: usize = 5;

/// All settings, with their effective values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct Config {
    /// Most characters of a brief: `budget`, or `CATCHWORD_BUDGET`.
    pub budget: usize,
    /// Whether the summariser is told what to keep: `guide`.
    pub guide: bool,
    /// Most lines for the summariser: `guide.lines`.
    pub guide_lines: usize,
    /// When finished tasks are summarised: `cold`.
    pub cold: ColdPlan,
    /// Where checkpoints are made before a compaction: `checkpoints`.
    pub plan: CheckpointPlan,
    /// What the status line shows: `statusline.segments`.
    pub segments: Option<Vec<String>>,
    /// Whether the status line has colours: `statusline.colour`.
    pub colour: bool,
    /// Handoff documents: `handoff`.
    pub handoff: HandoffConfig,
    /// What a session is told at its start: `next_start`.
    pub next_start: NextStartConfig,
    /// Tell the agent how a failure was solved before: `told.failures`.
    pub failures: bool,
    /// Backups of transcripts: `backup`.
    pub backup: BackupConfig,
    /// What the user wants from every summary: `instructions`.
    pub instructions: Option<String>,
    /// Folders searched first for commands and skills: `commands.path`.
    pub commands_path: Vec<PathBuf>,
    /// The command that prints the project's status: `project.status`.
    pub status: Option<String>,
    /// Files to look at first: `project.key_files`.
    pub key_files: Vec<String>,
    /// The shared archive: `archive`.
    pub archive: ArchiveConfig,
    pub sync: SyncConfig,
    /// Overrides for single projects, by folder: `projects."~/shop"`.
    pub projects: Vec<(PathBuf, ProjectTable)>,
    /// Whether the agent should tell the person about a compaction: `announce`.
    pub announce: bool,
    /// The file in the project that mirrors the notes: `mirror` in `[notes]`.
    pub mirror: Option<String>,
}

/// Settings for one project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ProjectTable {
    /// What the user wants from summaries there, in addition to the general instructions.
    pub instructions: Option<String>,
    /// Replaces the general status command.
    pub status: Option<String>,
    /// Replaces the general key files.
    pub key_files: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupConfig {
    /// Whether hooks make them.
    pub on: bool,
    /// How much is kept: `keep_days`, `max_mb`, `keep_last`.
    pub limits: BackupLimits,
}

/// Where the shared archive is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ArchiveConfig {
    pub address: String,
    pub password_file: PathBuf,
    pub password_command: String,
    pub authority: PathBuf,
    /// Milliseconds that `search` and `recall` wait for it.
    pub wait_ms: u32,
    /// Days that `archive migrate` keeps sessions there; 0 for ever.
    pub keep_days: u32,
}

impl Default for ArchiveConfig {
    fn default() -> ArchiveConfig {
        ArchiveConfig {
            address: String::new(),
            password_file: PathBuf::new(),
            password_command: String::new(),
            authority: PathBuf::new(),
            wait_ms: 300,
            keep_days: 0,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandoffConfig {
    /// Whether they are written.
    pub on: bool,
    /// Where to, if not the data directory: `dir`; relative to the root of the project.
    pub dir: Option<PathBuf>,
}

/// What a session is told at its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextStartConfig {
    pub on: bool,
    /// Sessions inactive for longer are not offered: `max_age_days`.
    pub max_age_days: u32,
    /// What sessions without a person are told, and whether people are told about them: `headless`, or
    /// `CATCHWORD_NEXT_START`.
    pub headless: HeadlessStart,
    /// Most characters: `characters`.
    pub characters: usize,
}

impl NextStartConfig {
    /// The oldest session that is offered, in milliseconds; `None` if offers are off.
    pub fn longest(&self) -> Option<i64> {
        self.on.then(|| i64::from(self.max_age_days) * 86_400_000)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct SyncConfig {
    /// Whether the end of a session starts a sync.
    pub auto: bool,
}

/// The file as written. Unknown keys are skipped here; [`problems`] reports them.
#[derive(Default, Deserialize)]
#[serde(default)]
struct WireConfig {
    budget: Option<usize>,
    announce: bool,
    instructions: String,
    guide: WireGuide,
    checkpoints: WireCheckpoints,
    cold: WireCold,
    statusline: WireStatusline,
    handoff: WireHandoff,
    next_start: WireNextStart,
    told: WireTold,
    backup: WireBackup,
    archive: ArchiveConfig,
    sync: SyncConfig,
    notes: WireNotes,
    commands: WireCommands,
    project: WireProject,
    projects: BTreeMap<PathBuf, ProjectTable>,
    privacy: WirePrivacy,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireGuide {
    on: Option<bool>,
    lines: Option<usize>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireCheckpoints {
    on: Option<bool>,
    left: Option<Vec<u8>>,
    from: Option<u64>,
    every: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireCold {
    turns: Option<u32>,
    every: Option<u32>,
    from: Option<u8>,
    lines: Option<usize>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireStatusline {
    segments: Option<Vec<String>>,
    colour: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireHandoff {
    on: Option<bool>,
    dir: PathBuf,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireNextStart {
    on: Option<bool>,
    max_age_days: Option<u32>,
    headless: Option<String>,
    characters: Option<usize>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireTold {
    failures: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireBackup {
    on: Option<bool>,
    keep_days: Option<u32>,
    max_mb: Option<u64>,
    keep_last: Option<usize>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireNotes {
    mirror: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireCommands {
    path: Vec<PathBuf>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireProject {
    status: String,
    key_files: Vec<String>,
}

/// A misspelt key here must not pass for "leave nothing out": the file counts as not understood.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WirePrivacy {
    leave_out: Vec<String>,
}

impl WireBackup {
    fn limits(&self) -> BackupLimits {
        BackupLimits {
            keep_days: self.keep_days.unwrap_or(KEEP_DAYS),
            max_bytes: self.max_mb.unwrap_or(MAX_MB).saturating_mul(1_000_000),
            keep_last: self.keep_last.unwrap_or(KEEP_LAST),
        }
    }
}

impl WireCheckpoints {
    fn plan(self) -> CheckpointPlan {
        if self.on == Some(false) {
            return CheckpointPlan::none();
        }
        let usual = CheckpointPlan::default();
        let mut left = self.left.unwrap_or(usual.left);
        // A checkpoint at 0 or 100 percent means nothing.
        left.retain(|percent| (1..=99).contains(percent));
        CheckpointPlan {
            left,
            from: self.from.unwrap_or(usual.from),
            every: self.every.unwrap_or(usual.every),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Config {
            budget: brief::DEFAULT_BUDGET,
            guide: true,
            guide_lines: brief::GUIDE_LINES,
            cold: ColdPlan::default(),
            plan: CheckpointPlan::default(),
            segments: None,
            colour: true,
            handoff: HandoffConfig { on: true, dir: None },
            next_start: NextStartConfig {
                on: true,
                max_age_days: MAX_AGE_DAYS,
                headless: HeadlessStart::Off,
                characters: START_CHARACTERS,
            },
            failures: true,
            backup: BackupConfig { on: true, limits: WireBackup::default().limits() },
            instructions: None,
            commands_path: Vec::new(),
            status: None,
            key_files: Vec::new(),
            projects: Vec::new(),
            announce: false,
            archive: ArchiveConfig::default(),
            sync: SyncConfig::default(),
            mirror: None,
        }
    }
}

impl Config {
    /// The effective settings. What is not valid is ignored; [`problems`] says what.
    pub fn load(env: &Env) -> Config {
        let wire = read(env).unwrap_or_default();
        let budget = env.budget.as_deref().and_then(|text| text.trim().parse().ok()).or(wire.budget);
        let cold = ColdPlan::default();
        let set = |text: String| Some(text).filter(|text| !text.trim().is_empty());
        Config {
            budget: brief::clamped(budget.unwrap_or(brief::DEFAULT_BUDGET)),
            guide: wire.guide.on.unwrap_or(true),
            guide_lines: within(wire.guide.lines, brief::GUIDE_LINES, 4..=60),
            cold: ColdPlan {
                turns: within(wire.cold.turns, cold.turns, 1..=1_000),
                every: within(wire.cold.every, cold.every, 1..=1_000),
                from: within(wire.cold.from, cold.from, 0..=100),
                lines: within(wire.cold.lines, cold.lines, 0..=40),
            },
            plan: wire.checkpoints.plan(),
            segments: wire.statusline.segments,
            colour: wire.statusline.colour.unwrap_or(true),
            handoff: HandoffConfig {
                on: wire.handoff.on.unwrap_or(true),
                dir: Some(wire.handoff.dir).filter(|dir| !dir.as_os_str().is_empty()),
            },
            next_start: NextStartConfig {
                on: wire.next_start.on.unwrap_or(true),
                max_age_days: wire.next_start.max_age_days.unwrap_or(MAX_AGE_DAYS),
                headless: headless(wire.next_start.headless.as_deref(), env.next_start.as_deref()),
                characters: wire.next_start.characters.unwrap_or(START_CHARACTERS),
            },
            failures: wire.told.failures.unwrap_or(true),
            backup: BackupConfig { on: wire.backup.on.unwrap_or(true), limits: wire.backup.limits() },
            instructions: set(wire.instructions),
            commands_path: wire.commands.path,
            status: set(wire.project.status),
            key_files: wire.project.key_files,
            projects: wire.projects.into_iter().collect(),
            archive: wire.archive,
            sync: wire.sync,
            announce: wire.announce,
            mirror: set(wire.notes.mirror),
        }
    }
}

/// What is wrong with the file and with our variables.
pub fn problems(env: &Env) -> Vec<String> {
    let mut problems = match text(env) {
        Ok(text) => text.map(|text| schema::problems(&text)).unwrap_or_default(),
        Err(problem) => vec![problem],
    };
    if let Some(text) = env.budget.as_deref().filter(|text| text.trim().parse::<usize>().is_err()) {
        problems.push(format!("CATCHWORD_BUDGET takes a number of characters, not `{text}`"));
    }
    if let Some(word) = env.next_start.as_deref().map(str::trim)
        && !word.is_empty()
        && headless_word(word).is_none()
    {
        problems.push(format!("CATCHWORD_NEXT_START takes off, offer or brief, not `{word}`"));
    }
    problems
}

impl Config {
    /// The settings for the project with this root.
    pub fn of_project(&self, root: &Path, env: &Env) -> Option<&ProjectTable> {
        self.entry_of(root, env).map(|(_, table)| table)
    }

    /// The folder under which the settings have this project.
    pub fn folder_of_project(&self, root: &Path, env: &Env) -> Option<&Path> {
        self.entry_of(root, env).map(|(folder, _)| folder.as_path())
    }

    fn entry_of(&self, root: &Path, env: &Env) -> Option<&(PathBuf, ProjectTable)> {
        let folder = |path: &Path| match (path.strip_prefix("~"), &env.home) {
            (Ok(below), Some(home)) => home.join(below),
            _ => path.to_owned(),
        };
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let root = real(root);
        self.projects.iter().find(|(path, _)| real(&folder(path)) == root)
    }

    /// The user's own instructions for summaries in this project: the general ones, then its own.
    pub fn instructions_in(&self, root: Option<&Path>, env: &Env) -> Option<String> {
        let own =
            root.and_then(|root| self.of_project(root, env)).and_then(|table| table.instructions.clone());
        let all: Vec<String> = self.instructions.iter().cloned().chain(own).collect();
        Some(all.join("\n")).filter(|text| !text.trim().is_empty())
    }
}

/// A number in its range, or else the default.
fn within<T: PartialOrd + Copy>(set: Option<T>, usual: T, range: std::ops::RangeInclusive<T>) -> T {
    set.filter(|set| range.contains(set)).unwrap_or(usual)
}

/// The variable overrides the file; an unknown word is ignored.
fn headless(file: Option<&str>, variable: Option<&str>) -> HeadlessStart {
    variable.and_then(headless_word).or_else(|| headless_word(file?)).unwrap_or_default()
}

fn headless_word(word: &str) -> Option<HeadlessStart> {
    match word.trim() {
        "off" => Some(HeadlessStart::Off),
        "offer" => Some(HeadlessStart::Offer),
        "brief" => Some(HeadlessStart::Brief),
        _ => None,
    }
}

/// Projects that are not recorded, `privacy.leave_out`; `None` if the file cannot be parsed, which must not mean that
/// there are none.
pub fn leave_out(env: &Env) -> Option<Vec<String>> {
    read(env).map(|wire| wire.privacy.leave_out)
}

/// The file of settings; `None` without a data directory.
pub fn path(env: &Env) -> Option<PathBuf> {
    env.data_dir.as_ref().map(|folder| folder.join("config.toml"))
}

/// The file's text; `None` if there is no file.
pub fn text(env: &Env) -> Result<Option<String>, String> {
    let Some(path) = path(env) else { return Ok(None) };
    match files::read_text(&path) {
        Ok(text) => Ok(Some(text)),
        // If the data directory is not a folder, whoever writes there reports it.
        Err(error)
            if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        Err(error) => Err(format!("config.toml cannot be read: {error}")),
    }
}

/// `None` if the file cannot be read or parsed.
fn read(env: &Env) -> Option<WireConfig> {
    text(env).ok()?.map_or_else(|| Some(WireConfig::default()), |text| toml::from_str(&text).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::schema::{DEFAULTS, Limit, settings};

    fn loaded(file: Option<&str>, variable: Option<&str>) -> (Config, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        if let Some(text) = file {
            let path = folder.path().join("config.toml");
            files::replace(&path, text.as_bytes(), files::Access::Private).unwrap();
        }
        let env = Env {
            data_dir: Some(folder.path().to_owned()),
            budget: variable.map(str::to_owned),
            ..Env::default()
        };
        (Config::load(&env), problems(&env))
    }

    fn load(text: &str) -> Config {
        loaded(Some(text), None).0
    }

    /// Hooks do not read `defaults.toml`; the code must say the same.
    #[test]
    fn the_defaults_in_the_code_are_those_of_the_file() {
        // The status line has the same default, which its own test compares.
        let usual = Config { segments: load(DEFAULTS).segments, ..Config::default() };
        assert_eq!(load(DEFAULTS), usual);
        assert_eq!(loaded(None, None), (Config::default(), vec![]));
    }

    #[test]
    fn every_documented_limit_holds() {
        let text = |key: &str, value: &str| format!("{key} = {value}");
        for setting in settings() {
            let key = setting.key.as_str();
            let Some(Limit::Range(least, most)) = setting.limit else { continue };
            let value = |n: i64| if setting.default.is_array() { format!("[{n}]") } else { n.to_string() };
            for n in [least, most] {
                let (config, problems) = loaded(Some(&text(key, &value(n))), None);
                assert!(problems.is_empty(), "{key} {n}: {problems:?}");
                let is_default = setting.default.as_integer() == Some(n);
                assert_eq!(config == Config::default(), is_default, "{key} = {n} is used");
            }
            for n in [least - 1, most + 1] {
                let (_, problems) = loaded(Some(&text(key, &value(n))), None);
                assert_eq!(problems.len(), 1, "{key} {n}: {problems:?}");
            }
        }
        let out_of_range = "[cold]\nturns = 0\nevery = 0\nfrom = 101\nlines = 41\n[guide]\nlines = 3\n[checkpoints]\nleft = [0, 40, 100]\n";
        let config = load(out_of_range);
        assert_eq!((config.cold, config.guide_lines), (ColdPlan::default(), brief::GUIDE_LINES));
        assert_eq!(config.plan.left, [40]);
        assert_eq!([load("budget = 100000").budget, load("budget = 1").budget], [9_500, 400]);
        assert_eq!(loaded(None, Some("999999")).0.budget, 9_500);
    }

    #[test]
    fn features_are_switched_off_and_configured() {
        let off = load(
            "handoff.on = false\nnext_start.on = false\nguide.on = false\nbackup.on = false\ncheckpoints.on = false",
        );
        assert_eq!((off.handoff.on, off.next_start.longest(), off.guide), (false, None, false));
        assert_eq!((off.backup.on, off.plan), (false, CheckpointPlan::none()));
        let set = load(
            "[handoff]\ndir = \"notes\"\n[next_start]\nmax_age_days = 2\n[backup]\nkeep_days = 7\n[checkpoints]\nleft = [40, 10]\nevery = 0",
        );
        assert_eq!(set.handoff, HandoffConfig { on: true, dir: Some("notes".into()) });
        assert_eq!(set.next_start.longest(), Some(2 * 86_400_000));
        assert_eq!(set.backup.limits, BackupLimits { keep_days: 7, max_bytes: 2_000_000_000, keep_last: 5 });
        assert_eq!(set.plan, CheckpointPlan { left: vec![40, 10], from: 50_000, every: 0 });
    }

    #[test]
    fn environment_overrides_the_file() {
        let budget = |file, variable| loaded(file, variable).0.budget;
        assert_eq!(budget(None, None), 6_000);
        assert_eq!(budget(Some("budget = 4000"), None), 4_000);
        assert_eq!(budget(Some("budget = 4000"), Some("2000")), 2_000);
    }

    #[test]
    fn unknown_keys_are_reported_and_the_rest_holds() {
        let text = "instructions = \"Keep SQL.\"\ncommands.path = [\"~/kit\"]\n[project]\nstatus = \"make status\"\n\
                    key_files = [\"PLAN.md\"]\nkeyfiles = 1\n";
        let (config, problems) = loaded(Some(text), None);
        assert_eq!(config.instructions.as_deref(), Some("Keep SQL."));
        assert_eq!(config.commands_path, [PathBuf::from("~/kit")]);
        assert_eq!((config.status.as_deref(), config.key_files.len()), (Some("make status"), 1));
        assert_eq!(
            problems,
            ["config.toml: unknown key `project.keyfiles`; did you mean `project.key_files`?"]
        );
    }

    #[test]
    fn invalid_settings_are_reported_and_ignored() {
        for (file, variable) in [(Some("budget = \"much\""), None), (Some("= ["), None), (None, Some("lots"))]
        {
            let (config, problems) = loaded(file, variable);
            assert_eq!((config.budget, problems.len()), (6_000, 1), "{file:?} {variable:?}: {problems:?}");
        }
    }

    #[test]
    fn headless_start_is_off_offer_or_brief() {
        assert_eq!(headless(Some(""), None), HeadlessStart::Off);
        assert_eq!(headless(Some("offer"), None), HeadlessStart::Offer);
        assert_eq!(headless(Some("offer"), Some("brief")), HeadlessStart::Brief);
        assert_eq!(headless(Some("brief"), Some("off")), HeadlessStart::Off);
        assert_eq!(headless(Some("all"), None), HeadlessStart::Off);
        assert_eq!(headless(Some("offer"), Some("yes")), HeadlessStart::Offer);
    }
}
