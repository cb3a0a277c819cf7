//! Settings: `config.toml` in the data directory, over which the environment has the last word.
//!
//! Few keys, each with a default, so that the file may be missing. It is read by commands and after a compaction,
//! never on a tick. A key nobody knows is reported and does no harm; a file that cannot be understood changes
//! nothing and is reported, too.

use serde::Deserialize;

use catchword_engine::render;

use crate::env::Env;

/// What can be set, with what holds now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Characters a brief may have: `budget`, or `CATCHWORD_BUDGET`.
    pub budget: usize,
    /// Whether the summariser is told what to keep: `guide`.
    pub guide: bool,
    /// Whether the agent is to tell the person of a compaction: `announce`.
    pub announce: bool,
    /// The file in the project that mirrors the notes: `mirror` in `[notes]`.
    pub mirror: Option<String>,
}

/// The file as it is written.
#[derive(Default, Deserialize)]
#[serde(default)]
struct WireConfig {
    budget: Option<usize>,
    guide: Option<bool>,
    announce: Option<bool>,
    notes: WireNotes,
    #[serde(flatten)]
    unknown: std::collections::BTreeMap<String, toml::Value>,
}

/// What is set about the notes.
#[derive(Default, Deserialize)]
#[serde(default)]
struct WireNotes {
    mirror: Option<String>,
    #[serde(flatten)]
    unknown: std::collections::BTreeMap<String, toml::Value>,
}

impl Default for Config {
    fn default() -> Self {
        Config { budget: render::DEFAULT_BUDGET, guide: true, announce: false, mirror: None }
    }
}

impl Config {
    /// What holds now, and what is wrong with the file.
    pub fn load(env: &Env) -> (Config, Vec<String>) {
        let (wire, mut problems) = read(env);
        problems.extend(wire.unknown.keys().map(|key| format!("config.toml: nothing is called `{key}`")));
        let notes = wire.notes.unknown.keys();
        problems.extend(notes.map(|key| format!("config.toml: nothing is called `notes.{key}`")));
        let from_env = env.budget.as_deref().map(|text| (text, text.trim().parse().ok()));
        if let Some((text, None)) = from_env {
            problems.push(format!("CATCHWORD_BUDGET is not a number of characters: {text}"));
        }
        let budget =
            from_env.and_then(|(_, budget)| budget).or(wire.budget).unwrap_or(render::DEFAULT_BUDGET);
        let config = Config {
            budget: render::clamped(budget),
            guide: wire.guide.unwrap_or(true),
            announce: wire.announce.unwrap_or(false),
            mirror: wire.notes.mirror.filter(|path| !path.trim().is_empty()),
        };
        (config, problems)
    }
}

fn read(env: &Env) -> (WireConfig, Vec<String>) {
    let Some(folder) = &env.data_dir else { return Default::default() };
    let text = match std::fs::read_to_string(folder.join("config.toml")) {
        Ok(text) => text,
        // A data directory that is no folder is reported by whoever wants to write there.
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
        let (config, problems) = Config::load(&env);
        (config.budget, problems)
    }

    #[test]
    fn the_environment_has_the_last_word_over_the_file() {
        assert_eq!(load(None, None), (6_000, vec![]));
        assert_eq!(load(Some("budget = 4000"), None), (4_000, vec![]));
        assert_eq!(load(Some("budget = 4000"), Some("2000")), (2_000, vec![]));
    }

    #[test]
    fn no_setting_gets_above_the_hard_limit() {
        assert_eq!(load(Some("budget = 100000"), None).0, 9_500);
        assert_eq!(load(None, Some("999999")).0, 9_500);
    }

    #[test]
    fn what_is_wrong_is_reported_and_changes_nothing() {
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
}
