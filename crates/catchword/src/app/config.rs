//! Settings: `config.toml` in the data directory; the environment overrides it.
//!
//! Few keys, each with a default, so the file may be missing. Read by commands, around a compaction, at the start and
//! end of a session, by the status line, and on a tick only if the token count has moved. An unknown key is reported
//! and otherwise ignored; so is a file that cannot be parsed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use catchword_engine::archive::backup::BackupLimits;
use catchword_engine::brief;
use catchword_engine::context::CheckpointPlan;
use catchword_engine::facts::cold_tasks::ColdPlan;
use catchword_engine::ops::hook::HeadlessStart;

use super::env::Env;
use crate::app::files;

/// Older sessions are not offered.
const MAX_AGE_DAYS: u32 = 7;
/// Backups: days they are kept, megabytes they may take, sessions of the current project that are always kept.
const KEEP_DAYS: u32 = 90;
const MAX_MB: u64 = 2_000;
const KEEP_LAST: usize = 5;

/// The segments that `statusline.segments` may name, in the default order.
pub const SEGMENT_NAMES: [&str; 7] = ["model", "context", "left", "compactions", "work", "lost", "branch"];

/// All settings, with their effective values.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// `handoff = false`, or a table.
    pub handoff: HandoffConfig,
    /// What a session is told at its start: `next_start = false`, or a table.
    pub next_start: NextStartConfig,
    /// Backups of transcripts: `backup = false`, or a table.
    pub backup: BackupConfig,
    /// What the user wants from every summary: `instructions`.
    pub instructions: Option<String>,
    /// Folders searched first for commands and skills: `commands.path`.
    pub commands_path: Vec<PathBuf>,
    /// The command that prints the project's status: `project.status`.
    pub status: Option<String>,
    /// Files to look at first: `project.key_files`.
    pub key_files: Vec<String>,
    /// Overrides for single projects, by folder: `projects."~/shop"`.
    pub projects: Vec<(PathBuf, ProjectTable)>,
    /// Whether the agent should tell the person about a compaction: `announce`.
    pub announce: bool,
    /// The file in the project that mirrors the notes: `mirror` in `[notes]`.
    pub mirror: Option<String>,
}

/// Settings for one project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
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
}

impl NextStartConfig {
    /// The oldest session that is offered, in milliseconds; `None` if offers are off.
    pub fn longest(&self) -> Option<i64> {
        self.on.then(|| i64::from(self.max_age_days) * 86_400_000)
    }
}

/// A boolean, or a table, which implies true.
#[derive(Deserialize)]
#[serde(untagged)]
enum Switch<T> {
    Plain(bool),
    Table(T),
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireHandoff {
    dir: Option<PathBuf>,
    #[serde(flatten)]
    unknown: Unknown,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireNextStart {
    max_age_days: Option<u32>,
    headless: Option<String>,
    #[serde(flatten)]
    unknown: Unknown,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireBackup {
    on: Option<bool>,
    keep_days: Option<u32>,
    max_mb: Option<u64>,
    keep_last: Option<usize>,
    #[serde(flatten)]
    unknown: BTreeMap<String, toml::Value>,
}

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

impl<T: Default> Switch<T> {
    /// Whether it is on, and the table.
    fn parts(switch: Option<Self>) -> (bool, T) {
        match switch {
            None => (true, T::default()),
            Some(Switch::Plain(on)) => (on, T::default()),
            Some(Switch::Table(table)) => (true, table),
        }
    }
}

/// The file as written.
#[derive(Default, Deserialize)]
#[serde(default)]
struct WireConfig {
    budget: Option<usize>,
    guide: Option<Switch<WireGuide>>,
    cold: WireCold,
    checkpoints: Option<WireCheckpoints>,
    statusline: Option<WireStatusline>,
    handoff: Option<Switch<WireHandoff>>,
    next_start: Option<Switch<WireNextStart>>,
    backup: Option<Switch<WireBackup>>,
    privacy: Option<WirePrivacy>,
    instructions: Option<String>,
    commands: WireCommands,
    project: WireProject,
    projects: BTreeMap<PathBuf, ProjectTable>,
    announce: Option<bool>,
    notes: WireNotes,
    #[serde(flatten)]
    unknown: Unknown,
}

/// `[guide]`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct WireGuide {
    lines: Option<usize>,
    #[serde(flatten)]
    unknown: Unknown,
}

/// `[cold]`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct WireCold {
    turns: Option<u32>,
    every: Option<u32>,
    from: Option<u8>,
    lines: Option<usize>,
    #[serde(flatten)]
    unknown: Unknown,
}

/// `[notes]`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct WireNotes {
    mirror: Option<String>,
    #[serde(flatten)]
    unknown: Unknown,
}

/// Unknown keys.
type Unknown = BTreeMap<String, toml::Value>;

/// `[commands]`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct WireCommands {
    path: Vec<PathBuf>,
    #[serde(flatten)]
    unknown: Unknown,
}

/// `[project]`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct WireProject {
    status: Option<String>,
    key_files: Vec<String>,
    #[serde(flatten)]
    unknown: Unknown,
}

/// `checkpoints = false`, or a table.
#[derive(Deserialize)]
#[serde(untagged, expecting = "`checkpoints` is true, false, or a table with `left`, `from` and `every`")]
enum WireCheckpoints {
    Switch(bool),
    Table(WirePlan),
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WirePlan {
    left: Option<Vec<u8>>,
    from: Option<u64>,
    every: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WireStatusline {
    segments: Option<Vec<String>>,
    colour: Option<bool>,
}

impl WireCheckpoints {
    fn plan(self) -> CheckpointPlan {
        let usual = CheckpointPlan::default();
        match self {
            WireCheckpoints::Switch(true) => usual,
            WireCheckpoints::Switch(false) => CheckpointPlan::none(),
            WireCheckpoints::Table(table) => CheckpointPlan {
                left: table.left.unwrap_or(usual.left),
                from: table.from.unwrap_or(usual.from),
                every: table.every.unwrap_or(usual.every),
            },
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
            },
            backup: BackupConfig { on: true, limits: WireBackup::default().limits() },
            instructions: None,
            commands_path: Vec::new(),
            status: None,
            key_files: Vec::new(),
            projects: Vec::new(),
            announce: false,
            mirror: None,
        }
    }
}

impl Config {
    /// The effective settings, and what is wrong with the file.
    pub fn load(env: &Env) -> (Config, Vec<String>) {
        let (wire, mut problems) = read(env);
        let (handoff_on, handoff) = Switch::parts(wire.handoff);
        let (start_on, start) = Switch::parts(wire.next_start);
        let (guide_on, guide) = Switch::parts(wire.guide);
        let (backup_on, backup) = Switch::parts(wire.backup);
        for (table, keys) in [
            ("", &wire.unknown),
            ("guide.", &guide.unknown),
            ("cold.", &wire.cold.unknown),
            ("handoff.", &handoff.unknown),
            ("next_start.", &start.unknown),
            ("backup.", &backup.unknown),
            ("commands.", &wire.commands.unknown),
            ("project.", &wire.project.unknown),
            ("notes.", &wire.notes.unknown),
        ] {
            problems.extend(keys.keys().map(|key| format!("config.toml: nothing is called `{table}{key}`")));
        }
        let long = wire.instructions.as_ref().is_some_and(|i| i.chars().count() > brief::INSTRUCTIONS_MOST);
        if long {
            let most = brief::INSTRUCTIONS_MOST;
            problems.push(format!(
                "config.toml: only the first {most} characters of `instructions` are passed on"
            ));
        }
        let from_env = env.budget.as_deref().map(|text| (text, text.trim().parse().ok()));
        if let Some((text, None)) = from_env {
            problems.push(format!("CATCHWORD_BUDGET is not a number of characters: {text}"));
        }
        let budget = from_env.and_then(|(_, budget)| budget).or(wire.budget).unwrap_or(brief::DEFAULT_BUDGET);
        let headless = headless(start.headless.as_deref(), env.next_start.as_deref(), &mut problems);
        let cold = ColdPlan::default();
        let cold = ColdPlan {
            turns: within("cold.turns", wire.cold.turns, cold.turns, 1..=1_000, &mut problems),
            every: within("cold.every", wire.cold.every, cold.every, 1..=1_000, &mut problems),
            from: within("cold.from", wire.cold.from, cold.from, 0..=100, &mut problems),
            lines: within("cold.lines", wire.cold.lines, cold.lines, 0..=40, &mut problems),
        };
        let lines = within("guide.lines", guide.lines, brief::GUIDE_LINES, 10..=60, &mut problems);
        let plan = checked(wire.checkpoints.map(WireCheckpoints::plan).unwrap_or_default(), &mut problems);
        let statusline = wire.statusline.unwrap_or_default();
        let known = |name: &&String| SEGMENT_NAMES.contains(&name.as_str());
        let unknown = statusline.segments.iter().flatten().filter(|name| !known(name));
        problems.extend(unknown.map(|name| format!("config.toml: no segment is called `{name}`")));
        let config = Config {
            budget: brief::clamped(budget),
            guide: guide_on,
            guide_lines: lines,
            cold,
            plan,
            segments: statusline.segments,
            colour: statusline.colour.unwrap_or(true),
            handoff: HandoffConfig { on: handoff_on, dir: handoff.dir.filter(|d| !d.as_os_str().is_empty()) },
            next_start: NextStartConfig {
                on: start_on,
                max_age_days: start.max_age_days.unwrap_or(MAX_AGE_DAYS),
                headless,
            },
            backup: BackupConfig { on: backup_on && backup.on.unwrap_or(true), limits: backup.limits() },
            instructions: wire.instructions.filter(|text| !text.trim().is_empty()),
            commands_path: wire.commands.path,
            status: wire.project.status.filter(|command| !command.trim().is_empty()),
            key_files: wire.project.key_files,
            projects: wire.projects.into_iter().collect(),
            announce: wire.announce.unwrap_or(false),
            mirror: wire.notes.mirror.filter(|path| !path.trim().is_empty()),
        };
        (config, problems)
    }
}

impl Config {
    /// The settings for the project with this root.
    pub fn of_project(&self, root: &Path, env: &Env) -> Option<&ProjectTable> {
        let folder = |path: &Path| match (path.strip_prefix("~"), &env.home) {
            (Ok(below), Some(home)) => home.join(below),
            _ => path.to_owned(),
        };
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let root = real(root);
        self.projects.iter().find(|(path, _)| real(&folder(path)) == root).map(|(_, table)| table)
    }

    /// The user's own instructions for summaries in this project: the general ones, then its own.
    pub fn instructions_in(&self, root: Option<&Path>, env: &Env) -> Option<String> {
        let own =
            root.and_then(|root| self.of_project(root, env)).and_then(|table| table.instructions.clone());
        let all: Vec<String> = self.instructions.iter().cloned().chain(own).collect();
        Some(all.join("\n")).filter(|text| !text.trim().is_empty())
    }
}

/// A number in its range; any other is reported and ignored.
fn within<T: PartialOrd + std::fmt::Display + Copy>(
    name: &str,
    set: Option<T>,
    usual: T,
    range: std::ops::RangeInclusive<T>,
    problems: &mut Vec<String>,
) -> T {
    let Some(set) = set else { return usual };
    if range.contains(&set) {
        return set;
    }
    let (least, most) = (range.start(), range.end());
    problems.push(format!("config.toml: `{name}` is {set}; it takes {least} to {most}, so {usual} holds"));
    usual
}

/// Drops 0 and 100 percent and anything above: such a checkpoint means nothing.
fn checked(mut plan: CheckpointPlan, problems: &mut Vec<String>) -> CheckpointPlan {
    let (sound, other): (Vec<u8>, Vec<u8>) =
        plan.left.iter().partition(|percent| (1..=99).contains(*percent));
    problems.extend(other.iter().map(|percent| {
        format!("config.toml: `checkpoints.left` takes percentages from 1 to 99, so {percent} does not count")
    }));
    plan.left = sound;
    plan
}

/// The variable overrides the file; an unknown word is reported and ignored.
fn headless(file: Option<&str>, variable: Option<&str>, problems: &mut Vec<String>) -> HeadlessStart {
    let mut read = |name: &str, word: Option<&str>| match word?.trim() {
        "off" => Some(HeadlessStart::Off),
        "offer" => Some(HeadlessStart::Offer),
        "brief" => Some(HeadlessStart::Brief),
        "" => None,
        other => {
            problems.push(format!("{name} is `off`, `offer` or `brief`, not `{other}`"));
            None
        }
    };
    let file = read("config.toml: `next_start.headless`", file);
    read("CATCHWORD_NEXT_START", variable).or(file).unwrap_or_default()
}

/// Projects that are not recorded, `privacy.leave_out`; `None` if the file cannot be parsed, which must not mean that
/// there are none.
pub fn leave_out(env: &Env) -> Option<Vec<String>> {
    let (wire, problems) = read(env);
    problems.is_empty().then(|| wire.privacy.unwrap_or_default().leave_out)
}

fn read(env: &Env) -> (WireConfig, Vec<String>) {
    let Some(folder) = &env.data_dir else { return Default::default() };
    let text = match files::read_text(&folder.join("config.toml")) {
        Ok(text) => text,
        // If the data directory is not a folder, whoever writes there reports it.
        Err(error)
            if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            return Default::default();
        }
        Err(error) => return (WireConfig::default(), vec![format!("config.toml cannot be read: {error}")]),
    };
    match toml::from_str(&text) {
        Ok(wire) => (wire, Vec::new()),
        Err(error) => {
            (WireConfig::default(), vec![format!("config.toml is not understood: {}", error.message())])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(file: Option<&str>, variable: Option<&str>) -> (usize, Vec<String>) {
        let (config, problems) = load_all(file, variable);
        (config.budget, problems)
    }

    fn load_all(file: Option<&str>, variable: Option<&str>) -> (Config, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        if let Some(text) = file {
            use std::io::Write;
            std::fs::File::create(folder.path().join("config.toml"))
                .unwrap()
                .write_all(text.as_bytes())
                .unwrap();
        }
        let env = Env {
            data_dir: Some(folder.path().to_owned()),
            budget: variable.map(str::to_owned),
            ..Env::default()
        };
        Config::load(&env)
    }

    #[test]
    fn feature_is_disabled_by_false_and_configured_by_a_table() {
        let (config, problems) = load_all(Some("handoff = false\nnext_start = false"), None);
        assert_eq!((config.handoff.on, config.next_start.longest(), problems), (false, None, vec![]));
        let (config, problems) =
            load_all(Some("[handoff]\ndir = \"notes\"\n[next_start]\nmax_age_days = 2\nmax_age = 1"), None);
        assert_eq!(config.handoff, HandoffConfig { on: true, dir: Some("notes".into()) });
        assert_eq!(config.next_start.longest(), Some(2 * 86_400_000));
        assert_eq!(problems, ["config.toml: nothing is called `next_start.max_age`"]);
        let (config, problems) = load_all(Some("handoff = \"notes\""), None);
        assert_eq!((config, problems.len()), (Config::default(), 1));
    }

    #[test]
    fn backups_are_on_with_limits_by_default() {
        let backup = |text: &str| load_all(Some(text), None).0.backup;
        let usual = BackupLimits { keep_days: 90, max_bytes: 2_000_000_000, keep_last: 5 };
        assert_eq!(backup(""), BackupConfig { on: true, limits: usual.clone() });
        assert_eq!(backup("backup = false"), BackupConfig { on: false, limits: usual.clone() });
        let limits = BackupLimits { keep_days: 7, ..usual };
        assert_eq!(backup("[backup]\non = false\nkeep_days = 7"), BackupConfig { on: false, limits });
    }

    #[test]
    fn environment_overrides_the_file() {
        assert_eq!(load(None, None), (6_000, vec![]));
        assert_eq!(load(Some("budget = 4000"), None), (4_000, vec![]));
        assert_eq!(load(Some("budget = 4000"), Some("2000")), (2_000, vec![]));
    }

    #[test]
    fn unknown_keys_in_tables_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let text = "instructions = \"Keep SQL.\"\ncommands.path = [\"~/kit\"]\n[project]\nstatus = \"make status\"\n\
                    key_files = [\"PLAN.md\"]\nkeyfiles = 1\n";
        crate::app::files::replace(
            &folder.path().join("config.toml"),
            text.as_bytes(),
            crate::app::files::Access::Private,
        )
        .unwrap();
        let env = Env { data_dir: Some(folder.path().to_owned()), ..Env::default() };
        let (config, problems) = Config::load(&env);
        assert_eq!(config.instructions.as_deref(), Some("Keep SQL."));
        assert_eq!(config.commands_path, [PathBuf::from("~/kit")]);
        assert_eq!((config.status.as_deref(), config.key_files.len()), (Some("make status"), 1));
        assert_eq!(problems, ["config.toml: nothing is called `project.keyfiles`"]);
    }

    #[test]
    fn no_setting_exceeds_the_hard_limit() {
        assert_eq!(load(Some("budget = 100000"), None).0, 9_500);
        assert_eq!(load(None, Some("999999")).0, 9_500);
    }

    #[test]
    fn invalid_settings_are_reported_and_ignored() {
        for (file, variable) in [(Some("budget = \"much\""), None), (Some("= ["), None), (None, Some("lots"))]
        {
            let (budget, problems) = load(file, variable);
            assert_eq!((budget, problems.len()), (6_000, 1), "{file:?} {variable:?}: {problems:?}");
        }
        let (budget, problems) = load(Some("budget = 3000\nbugdet = 1"), None);
        assert_eq!(
            (budget, problems.as_slice()),
            (3_000, &["config.toml: nothing is called `bugdet`".to_owned()][..])
        );
    }

    #[test]
    fn limits_can_be_set_and_numbers_out_of_range_are_reported_and_ignored() {
        let text = "[cold]\nturns = 5\nevery = 3\nfrom = 50\nlines = 2\n[guide]\nlines = 20\n[checkpoints]\nleft = [40]\n";
        let (config, problems) = load_all(Some(text), None);
        assert_eq!(config.cold, ColdPlan { turns: 5, every: 3, from: 50, lines: 2 });
        assert_eq!((config.guide, config.guide_lines, config.plan.left), (true, 20, vec![40]));
        assert_eq!(problems, [] as [&str; 0]);
        let text = "[cold]\nturns = 0\nevery = 0\nfrom = 101\nlines = 41\nturn = 1\n[guide]\nlines = 3\nline = 1\n[checkpoints]\nleft = [0, 40, 100]\n";
        let (config, problems) = load_all(Some(text), None);
        assert_eq!((config.cold, config.guide_lines), (ColdPlan::default(), brief::GUIDE_LINES));
        assert_eq!((config.plan.left, problems.len()), (vec![40], 9), "{problems:?}");
        assert!(!load_all(Some("guide = false"), None).0.guide);
    }

    #[test]
    fn headless_start_is_off_offer_or_brief() {
        let read = |file: &str, variable: Option<&str>| {
            let mut problems = Vec::new();
            (headless(Some(file), variable, &mut problems), problems.len())
        };
        assert_eq!(read("", None), (HeadlessStart::Off, 0));
        assert_eq!(read("offer", None), (HeadlessStart::Offer, 0));
        assert_eq!(read("offer", Some("brief")), (HeadlessStart::Brief, 0));
        assert_eq!(read("brief", Some("off")), (HeadlessStart::Off, 0));
        assert_eq!(read("all", None), (HeadlessStart::Off, 1));
        assert_eq!(read("offer", Some("yes")), (HeadlessStart::Offer, 1));
    }

    #[test]
    fn checkpoints_can_be_moved_and_switched_off() {
        let plan =
            |text: &str| toml::from_str::<WireConfig>(text).map(|wire| wire.checkpoints.unwrap().plan());
        assert_eq!(plan("checkpoints = false"), Ok(CheckpointPlan::none()));
        assert_eq!(plan("checkpoints = true"), Ok(CheckpointPlan::default()));
        let moved = plan("[checkpoints]\nleft = [40, 10]\nevery = 0").unwrap();
        assert_eq!(moved, CheckpointPlan { left: vec![40, 10], from: 50_000, every: 0 });
        for wrong in ["checkpoints = 7", "checkpoints.lefft = [1]", "checkpoints.left = [300]"] {
            assert!(plan(wrong).is_err_and(|e| e.message().contains("`checkpoints` is true")), "{wrong}");
        }
    }
}
