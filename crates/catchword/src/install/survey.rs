//! Everything relevant that is installed here: all settings files that apply, the plugin, the administrator's settings.
//!
//! Read once, for `init` (does something call us already?) and `doctor`. Files that cannot be read or parsed are
//! reported, and otherwise count as empty.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use catchword_engine::clients::Client;
use catchword_engine::clients::setup::{HOOKS_KEY, ManagedSettings, OwnCall, Scope};
use serde_json::Value;

use super::settings::{self, FoundHandler};
use crate::app::env::Env;
use crate::app::files;

/// Everything that decides whether the client calls us here.
pub struct Survey {
    pub client: &'static Client,
    /// The user's, the project's and the local settings, widest first.
    pub settings: Vec<SettingsSeen>,
    /// The administrator's settings files that exist.
    pub managed: Vec<(PathBuf, Value)>,
    /// Our plugin, if a settings file mentions it.
    pub plugin: Option<PluginSeen>,
}

pub struct SettingsSeen {
    pub scope: Scope,
    pub path: PathBuf,
    /// Our handlers in it, or why it cannot be parsed.
    pub hooks: Result<Vec<FoundHandler>, String>,
    value: Value,
}

/// One of our handlers, and where it is in a settings file.
pub struct PlacedHandler<'a> {
    pub event: &'a str,
    pub group: usize,
    pub index: usize,
    pub handler: &'a Value,
}

impl SettingsSeen {
    /// Our handlers, in the order of the file.
    pub fn handlers<'a>(&'a self, client: &'a Client, exe: &'a str) -> Vec<PlacedHandler<'a>> {
        let hooks = &client.setup.hooks;
        let mut found = Vec::new();
        for (event, groups) in self.value.get(HOOKS_KEY).and_then(Value::as_object).into_iter().flatten() {
            for (group, of) in groups.as_array().into_iter().flatten().enumerate() {
                let handlers = of.get(HOOKS_KEY).and_then(Value::as_array).into_iter().flatten();
                let ours = handlers.enumerate().filter(|(_, handler)| hooks.ours(handler, exe).is_some());
                found.extend(ours.map(|(index, handler)| PlacedHandler { event, group, index, handler }));
            }
        }
        found
    }
}

/// What the settings say about our plugin.
pub struct PluginSeen {
    /// `catchword@<marketplace>`.
    pub id: String,
    pub enabled: bool,
    /// The version that the client has fetched.
    pub version: Option<String>,
}

impl Survey {
    pub fn take(client: &'static Client, env: &Env) -> Self {
        let setup = &client.setup;
        let managed = setup.managed.as_ref().map(|names| managed(names, Path::new((names.folder)())));
        let managed = managed.unwrap_or_default();
        let settings = all_settings(client, env);
        let config = config(client, env);
        let values = settings.iter().map(|seen| &seen.value).chain([&config]);
        let values = values.chain(managed.iter().map(|(_, value)| value));
        let plugin = setup.plugin.as_ref().and_then(|plugin| {
            // A later file overrides an earlier one.
            let (id, enabled) = values.filter_map(plugin.setting).next_back()?;
            let list = env.config_dir(client).zip(plugin.installed);
            let installed = list.and_then(|(dir, list)| json(&dir.join(list)));
            let version = installed.as_ref().and_then(|all| (plugin.version)(all, id)).map(str::to_owned);
            Some(PluginSeen { id: id.to_owned(), enabled, version })
        });
        Survey { client, settings, managed, plugin }
    }

    /// Something makes the client call us, or is meant to.
    pub fn is_called(&self) -> bool {
        self.plugin.is_some()
            || self.calling().next().is_some()
            || self.settings.iter().any(|seen| seen.hooks.is_err())
    }

    /// The plugin's id, when the client runs its hooks.
    pub fn active_plugin(&self) -> Option<&str> {
        self.plugin.as_ref().filter(|plugin| plugin.enabled).map(|plugin| plugin.id.as_str())
    }

    /// The settings files that call us.
    pub fn calling(&self) -> impl Iterator<Item = (&SettingsSeen, &[FoundHandler])> {
        let with_hooks = self.settings.iter().filter_map(|seen| Some((seen, seen.hooks.as_deref().ok()?)));
        with_hooks.filter(|(_, hooks)| !hooks.is_empty())
    }

    /// The settings files with a status line, and its command if it is ours.
    pub fn status_lines<'a>(
        &'a self,
        exe: &'a str,
    ) -> impl Iterator<Item = (&'a SettingsSeen, Option<OwnCall<'a>>)> {
        let entry = self.client.setup.status_line.as_ref();
        let lines =
            self.settings.iter().filter_map(move |seen| Some((seen, entry?, seen.value.get(entry?.key)?)));
        lines.map(move |(seen, entry, line)| (seen, (entry.ours)(line, exe)))
    }

    /// The files and settings that switch hooks off.
    pub fn switched_off(&self) -> Vec<(&Path, &'static str)> {
        let own = self.settings.iter().map(|seen| (seen.path.as_path(), &seen.value, false));
        let managed = self.managed.iter().map(|(path, value)| (path.as_path(), value, true));
        own.chain(managed)
            .filter_map(|(path, value, m)| Some((path, (self.client.setup.switched_off)(value, m)?)))
            .collect()
    }
}

/// The file in which the client keeps what the user has approved and enabled, where that is not a settings file.
pub fn config(client: &Client, env: &Env) -> Value {
    let file = client.setup.approval.as_ref().zip(env.config_dir(client));
    let text = file.and_then(|(approval, dir)| files::read_text(&dir.join(approval.file)).ok());
    let table = text.and_then(|text| text.parse::<toml::Table>().ok());
    table.and_then(|table| serde_json::to_value(table).ok()).unwrap_or_default()
}

fn all_settings(client: &Client, env: &Env) -> Vec<SettingsSeen> {
    let mut seen: Vec<SettingsSeen> = Vec::new();
    for (scope, _) in client.setup.settings {
        let Ok(path) = super::settings_path(client, *scope, env) else { continue };
        // In the home directory, the project's file is the user's.
        if !seen.iter().any(|other| other.path == path) {
            seen.push(look(client, *scope, path, env));
        }
    }
    seen
}

fn look(client: &Client, scope: Scope, path: PathBuf, env: &Env) -> SettingsSeen {
    let exe = env.exe.as_deref().and_then(Path::to_str).unwrap_or_default();
    let (hooks, value) = match files::read_text(&path) {
        Ok(text) => {
            let value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default();
            (settings::found(&client.setup, &text, exe).map_err(|shape| shape.to_string()), value)
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => (Ok(Vec::new()), Value::Null),
        Err(e) => (Err(format!("it cannot be read ({e})")), Value::Null),
    };
    SettingsSeen { scope, path, hooks, value }
}

/// The administrator's file and the additional ones beside it, in the order in which they apply.
fn managed(names: &ManagedSettings, dir: &Path) -> Vec<(PathBuf, Value)> {
    let mut paths = vec![dir.join(names.file)];
    let mut more: Vec<PathBuf> = fs::read_dir(dir.join(names.more))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    more.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    more.sort();
    paths.append(&mut more);
    paths.into_iter().filter_map(|path| json(&path).map(|value| (path, value))).collect()
}

/// A JSON file, if it exists and can be parsed.
pub fn json(path: &Path) -> Option<Value> {
    serde_json::from_str(files::read_text(path).ok()?.trim_start_matches('\u{feff}')).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::files::{self, Access};
    use catchword_engine::clients::CLIENTS;

    fn put(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        files::replace(path, text.as_bytes(), Access::Usual).unwrap();
    }

    #[test]
    fn local_settings_override_the_users_for_the_plugin() {
        let tmp = tempfile::tempdir().unwrap();
        let claude_dir = tmp.path().join(".claude");
        let env = Env { cwd: tmp.path().join("p"), ..Env::default() };
        let env = env.with_config_dir(CLIENTS[0], claude_dir.clone());
        put(&claude_dir.join("settings.json"), r#"{"enabledPlugins":{"catchword@x":true}}"#);
        assert_eq!(Survey::take(CLIENTS[0], &env).active_plugin(), Some("catchword@x"));
        put(&env.cwd.join(".claude/settings.local.json"), r#"{"enabledPlugins":{"catchword@x":false}}"#);
        assert_eq!(Survey::take(CLIENTS[0], &env).active_plugin(), None);
    }

    #[test]
    fn every_managed_settings_file_counts() {
        let tmp = tempfile::tempdir().unwrap();
        put(&tmp.path().join("managed-settings.json"), "{}");
        put(&tmp.path().join("managed-settings.d/20.json"), r#"{"allowManagedHooksOnly":true}"#);
        put(&tmp.path().join("managed-settings.d/10.json"), "broken");
        put(&tmp.path().join("managed-settings.d/readme.txt"), "{}");
        let survey = Survey {
            client: CLIENTS[0],
            settings: Vec::new(),
            managed: managed(CLIENTS[0].setup.managed.as_ref().unwrap(), tmp.path()),
            plugin: None,
        };
        let off: Vec<_> = survey.switched_off().into_iter().map(|(_, setting)| setting).collect();
        assert_eq!((survey.managed.len(), off), (2, vec!["allowManagedHooksOnly"]));
    }
}
