//! Where Claude Code keeps slash commands, skills and plugins.
//!
//! Seen with 2.1.325: `/git:ship` is `commands/git/ship.md`, a skill is `skills/<name>/SKILL.md`, both in `.claude` of
//! the project or in the client's own folder; what a plugin brings is called `plugin:name` and lies in the same two
//! folders of the plugin. After a compaction the client puts back what was called, each up to 5,000 tokens, 25,000 in
//! all, the latest first.

use std::path::PathBuf;

use serde_json::Value;

use super::setup::INSTALLED_PLUGINS;
use crate::clients::commands::{CommandFiles, PluginCommands};

/// Characters the client takes for a token when it measures texts.
const CHARACTERS_PER_TOKEN: usize = 4;

/// Checkouts that are asked for a plugin.
const MOST_CHECKOUTS: usize = 8;

/// Claude Code's commands.
pub const COMMANDS: CommandFiles = CommandFiles {
    files,
    namespaces: &["commands"],
    plugins: Some(PluginCommands {
        named: plugin,
        installed: INSTALLED_PLUGINS,
        installed_at,
        origins: "plugins/known_marketplaces.json",
        checkouts,
        manifests: &[".claude-plugin/plugin.json", ".claude-plugin/marketplace.json"],
        source_at,
    }),
    given_back: 5_000 * CHARACTERS_PER_TOKEN,
    given_back_in_all: 25_000 * CHARACTERS_PER_TOKEN,
};

/// The parts of a name; `None` where one of them could lead out of its folder.
fn parts(name: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = name.split(':').collect();
    let sound = |part: &&str| {
        !part.is_empty() && !part.starts_with('.') && !part.contains(['/', '\\', '\0']) && part.len() <= 100
    };
    (parts.len() <= 6 && parts.iter().all(sound)).then_some(parts)
}

fn files(name: &str) -> Vec<PathBuf> {
    let Some(parts) = parts(name) else { return Vec::new() };
    let nested: PathBuf = parts.iter().collect();
    let command = PathBuf::from("commands").join(&nested);
    vec![
        // Not `with_extension`: a name may have a dot in it.
        PathBuf::from(format!("{}.md", command.display())),
        PathBuf::from("skills").join(&nested).join("SKILL.md"),
        command.join("SKILL.md"),
    ]
}

fn plugin(name: &str) -> Option<(&str, &str)> {
    name.split_once(':').filter(|_| parts(name).is_some())
}

/// `{"plugins": {"name@marketplace": [{"installPath": …}]}}`.
fn installed_at(list: &[u8], plugin: &str) -> Option<PathBuf> {
    let list: Value = serde_json::from_slice(list).ok()?;
    let plugins = list.get("plugins")?.as_object()?;
    let (_, copies) = plugins.iter().find(|(id, _)| id.split('@').next() == Some(plugin))?;
    let copy = copies.get(0).unwrap_or(copies);
    Some(PathBuf::from(copy.get("installPath")?.as_str()?)).filter(|path| path.is_absolute())
}

/// `{"name": {"source": {"source": "directory", "path": …}}}`; those fetched from elsewhere are copies.
fn checkouts(list: &[u8]) -> Vec<PathBuf> {
    let Ok(Value::Object(list)) = serde_json::from_slice(list) else { return Vec::new() };
    let here = |origin: &Value| {
        let source = origin.get("source")?;
        let path = PathBuf::from(source.get("path")?.as_str()?);
        (source.get("source")? == "directory" && path.is_absolute()).then_some(path)
    };
    list.values().filter_map(here).take(MOST_CHECKOUTS).collect()
}

/// A plugin's own manifest, or a list of plugins with the folder of each.
fn source_at(manifest: &[u8], plugin: &str) -> Option<PathBuf> {
    let manifest: Value = serde_json::from_slice(manifest).ok()?;
    if let Some(plugins) = manifest.get("plugins").and_then(Value::as_array) {
        let named = |entry: &&Value| entry.get("name").and_then(Value::as_str) == Some(plugin);
        let source = plugins.iter().find(named)?.get("source")?.as_str()?;
        let path = PathBuf::from(source);
        let inside = path.is_relative() && !path.components().any(|c| c == std::path::Component::ParentDir);
        return inside.then_some(path);
    }
    (manifest.get("name").and_then(Value::as_str) == Some(plugin)).then(PathBuf::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(name: &str) -> Vec<String> {
        files(name).iter().map(|path| path.display().to_string().replace('\\', "/")).collect()
    }

    #[test]
    fn a_name_leads_to_a_handful_of_files() {
        assert_eq!(shown("tdd"), ["commands/tdd.md", "skills/tdd/SKILL.md", "commands/tdd/SKILL.md"]);
        assert_eq!(shown("git:ship.v2")[0], "commands/git/ship.v2.md");
    }

    #[test]
    fn a_plugin_is_found_in_the_clients_list_and_in_its_checkout() {
        let list =
            br#"{"version":2,"plugins":{"pow@market":[{"scope":"user","installPath":"/x/cache/pow/1.0"}]}}"#;
        assert_eq!(installed_at(list, "pow"), Some(PathBuf::from("/x/cache/pow/1.0")));
        assert_eq!(installed_at(list, "po"), None);
        assert_eq!(installed_at(b"garbage", "pow"), None);
        let origins = br#"{"m":{"source":{"source":"directory","path":"/src/m"}},"g":{"source":{"source":"github","repo":"a/b"}}}"#;
        assert_eq!(checkouts(origins), [PathBuf::from("/src/m")]);
        assert_eq!(source_at(br#"{"name":"pow"}"#, "pow"), Some(PathBuf::new()));
        let market = br#"{"name":"m","plugins":[{"name":"pow","source":"./plugins/pow"},{"name":"evil","source":"../../etc"}]}"#;
        assert_eq!(source_at(market, "pow"), Some(PathBuf::from("./plugins/pow")));
        assert_eq!(source_at(market, "evil"), None);
    }

    proptest! {
        #[test]
        fn no_name_leads_out_of_its_folder(name in any::<String>()) {
            for path in files(&name) {
                let normal = |c: std::path::Component| matches!(c, std::path::Component::Normal(_));
                prop_assert!(path.components().all(normal), "{}", path.display());
            }
        }
    }
}
