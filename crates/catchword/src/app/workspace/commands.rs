//! Finds the file of a slash command or a skill.
//!
//! In this order: the folders of `commands.path` in the settings, the project's (from the working directory up to the
//! root of its repository), the user's own, and for `plugin:name` the plugin's: its source before the installed copy,
//! if the project, a configured folder or a local marketplace is a checkout of it. A configured folder may contain a
//! namespaced command under its bare name, as sources do (`kit:deploy` as `commands/deploy.md`), and may be the
//! commands folder itself. A bare name that is not found is looked up one folder down; if two folders have it, it is
//! ambiguous and ignored.
//!
//! A link in a project may only lead to a file of that project: whoever commits a link must not decide which other
//! files of this machine reach the model. That holds for a configured folder inside the project, too. In the user's own
//! folders all links are followed.

use std::path::{Component, Path, PathBuf};

use catchword_engine::choose::head::active::CommandFile;
use catchword_engine::clients::Client;
use catchword_engine::clients::commands::{CommandFiles, PluginCommands};
use catchword_engine::session::active::Current;

use crate::app::config::Config;
use crate::app::env::Env;

/// Most bytes read of a command's file.
const MAX_COMMAND_FILE: u64 = 256 * 1024;
/// Most entries of a commands folder checked for namespaces.
const MAX_NAMESPACES: usize = 100;
/// Most bytes read of a list of plugins.
const LIST: u64 = 1024 * 1024;

pub struct Finder<'a> {
    client: &'a Client,
    commands: &'a CommandFiles,
    config: &'a Config,
    env: &'a Env,
}

impl<'a> Finder<'a> {
    pub fn new(client: &'a Client, config: &'a Config, env: &'a Env) -> Self {
        Finder { client, commands: &client.commands, config, env }
    }

    /// The file of `current`, used in `folder`.
    pub fn look(&self, folder: &Path, current: &Current) -> Option<CommandFile> {
        let root = super::root(folder);
        let names = (self.commands.files)(&current.name);
        let sources = self.names_in_sources(&current.name);
        let own = self
            .searched(folder)
            .find_map(|(place, within)| self.in_folder(&place, within.as_deref(), &sources, &root));
        own.or_else(|| self.in_project(folder, &root, &names))
            .or_else(|| self.in_folder(self.env.config_dir(self.client)?, None, &names, &root))
            .or_else(|| self.in_plugin(folder, &root, &current.name))
            .or_else(|| self.in_namespace(folder, &root, &current.name))
    }

    /// Where a configured folder may have a command: as called, under its bare name, and directly in it.
    fn names_in_sources(&self, name: &str) -> Vec<PathBuf> {
        let bare = self.of_plugin(name).map(|(_, _, bare)| bare);
        let mut names = (self.commands.files)(name);
        names.extend(bare.into_iter().flat_map(self.commands.files));
        let right_there = names.iter().filter_map(|path| {
            let mut parts = path.components();
            parts.next()?;
            Some(parts.as_path().to_owned()).filter(|rest| !rest.as_os_str().is_empty())
        });
        let right_there: Vec<PathBuf> = right_there.collect();
        names.into_iter().chain(right_there).collect()
    }

    /// A bare name in one of the namespaces of the project or the user.
    fn in_namespace(&self, folder: &Path, root: &Path, name: &str) -> Option<CommandFile> {
        if self.of_plugin(name).is_some() || (self.commands.files)(name).is_empty() {
            return None;
        }
        let project = (root.join(self.client.setup.project_folder), Some(root.to_owned()));
        let user = self.env.config_dir(self.client).map(|place| (place.to_owned(), None));
        let places: Vec<(PathBuf, Option<PathBuf>)> =
            self.searched(folder).chain([project]).chain(user).collect();
        places.iter().find_map(|(place, within)| {
            let spaces = self.commands.namespaces.iter().flat_map(|above| folders(&place.join(above)));
            let mut found = spaces.filter_map(|space| {
                let names = (self.commands.files)(&format!("{space}:{name}"));
                self.in_folder(place, within.as_deref(), &names, root)
            });
            found.next().filter(|_| found.next().is_none())
        })
    }

    /// The configured folders, each with the folder that its links must not leave: the root, if it lies inside. A relative
    /// one is resolved against the working directory and the root of its repository.
    fn searched(&self, folder: &Path) -> impl Iterator<Item = (PathBuf, Option<PathBuf>)> {
        let home = self.env.home.clone();
        let (folder, root) = (folder.to_owned(), super::root(folder));
        let within = root.clone();
        let places =
            self.config.commands_path.iter().flat_map(move |path| match (path.strip_prefix("~"), &home) {
                (Ok(below), Some(home)) => vec![home.join(below)],
                _ if path.is_absolute() || folder == root => vec![folder.join(path)],
                _ => vec![folder.join(path), root.join(path)],
            });
        places.map(move |place| {
            let is_inside = place.starts_with(&within) && !leads_up(&place);
            (place, is_inside.then(|| within.clone()))
        })
    }

    fn in_project(&self, folder: &Path, root: &Path, names: &[PathBuf]) -> Option<CommandFile> {
        let mut between = folder.ancestors().take_while(|above| above.starts_with(root));
        between.find_map(|above| {
            self.in_folder(&above.join(self.client.setup.project_folder), Some(root), names, root)
        })
    }

    /// The plugin that a name belongs to, and the name within it.
    fn of_plugin<'n>(&self, name: &'n str) -> Option<(&'a PluginCommands, &'n str, &'n str)> {
        let plugins = self.commands.plugins.as_ref()?;
        let (plugin, bare) = (plugins.named)(name)?;
        Some((plugins, plugin, bare))
    }

    fn in_plugin(&self, folder: &Path, root: &Path, name: &str) -> Option<CommandFile> {
        let (plugins, plugin, name) = self.of_plugin(name)?;
        let names = (self.commands.files)(name);
        let source = |checkout: &Path, within: Option<&Path>| {
            let at = plugins.manifests.iter().find_map(|manifest| {
                let text = super::read(&checkout.join(manifest), LIST, within)?;
                (plugins.source_at)(text.as_bytes(), plugin)
            })?;
            self.in_folder(&checkout.join(at), within, &names, root)
        };
        let list = |file: &str| super::read(&self.env.config_dir(self.client)?.join(file), LIST, None);
        let added = || {
            let checkouts = (plugins.checkouts)(list(plugins.origins)?.as_bytes());
            checkouts.iter().find_map(|checkout| source(checkout, None))
        };
        let installed = || {
            let list = list(plugins.installed)?;
            self.in_folder(&(plugins.installed_at)(list.as_bytes(), plugin)?, None, &names, root)
        };
        self.searched(folder)
            .find_map(|(checkout, within)| source(&checkout, within.as_deref()))
            .or_else(|| source(root, Some(root)))
            .or_else(added)
            .or_else(installed)
    }

    /// The first of these files that exists in `place`.
    fn in_folder(
        &self,
        place: &Path,
        within: Option<&Path>,
        names: &[PathBuf],
        root: &Path,
    ) -> Option<CommandFile> {
        names.iter().map(|name| place.join(name)).find_map(|path| {
            let text = super::read(&path, MAX_COMMAND_FILE, within)?;
            let shown = match path.strip_prefix(root) {
                Ok(below) => below.display().to_string(),
                Err(_) => self.env.show(&path),
            };
            Some(CommandFile::new(shown, &text, &self.env.mask))
        })
    }
}

/// Whether a path says by itself, without any link, that it leads up.
fn leads_up(path: &Path) -> bool {
    path.components().any(|step| step == Component::ParentDir)
}

/// The names of a folder's direct subfolders, among its first entries.
fn folders(place: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten().take(MAX_NAMESPACES);
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::files::{self, Access};
    use catchword_engine::clients::CLIENTS;
    use catchword_engine::session::active::By;

    struct Place {
        tmp: tempfile::TempDir,
        env: Env,
        config: Config,
    }

    impl Place {
        fn new() -> Place {
            let tmp = tempfile::tempdir().unwrap();
            let home = tmp.path().join("home");
            let env = Env { home: Some(home.clone()), ..Env::default() };
            let env = env.with_config_dir(CLIENTS[0], home.join(".claude"));
            let place = Place { tmp, env, config: Config::default() };
            std::fs::create_dir_all(place.at("home/p/sub/.git-is-above")).unwrap();
            std::fs::create_dir_all(place.at("home/p/.git")).unwrap();
            place
        }

        fn at(&self, path: &str) -> PathBuf {
            self.tmp.path().join(path)
        }

        fn put(&self, path: &str, text: &str) {
            let path = self.at(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            files::replace(&path, text.as_bytes(), Access::Usual).unwrap();
        }

        fn find(&self, name: &str) -> Option<(String, String)> {
            let current = Current {
                name: name.into(),
                args: String::new(),
                place: None,
                by: By::Person,
                reattached: false,
                left: false,
            };
            let finder = Finder::new(CLIENTS[0], &self.config, &self.env);
            let found = finder.look(&self.at("home/p/sub"), &current)?;
            Some((found.shown, found.text))
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "compared with what may be nothing")]
    fn found(shown: &str, text: &str) -> Option<(String, String)> {
        Some((shown.to_owned(), text.to_owned()))
    }

    #[test]
    fn project_commands_come_before_the_users() {
        let place = Place::new();
        assert_eq!(place.find("tdd"), None);
        place.put("home/.claude/skills/tdd/SKILL.md", "user");
        assert_eq!(place.find("tdd"), found("~/.claude/skills/tdd/SKILL.md", "user"));
        place.put("home/p/.claude/commands/tdd.md", "root");
        assert_eq!(place.find("tdd"), found(".claude/commands/tdd.md", "root"));
        place.put("home/p/sub/.claude/commands/tdd.md", "sub");
        assert_eq!(place.find("tdd"), found("sub/.claude/commands/tdd.md", "sub"));
        place.put("home/p/.claude/commands/git/ship.md", "nested");
        assert_eq!(place.find("git:ship"), found(".claude/commands/git/ship.md", "nested"));
        for none in ["../p/.claude/commands/tdd", "", ":", "git:", "tdd/../tdd"] {
            assert_eq!(place.find(none), None, "{none}");
        }
    }

    #[test]
    fn folders_above_the_repository_are_not_searched() {
        let place = Place::new();
        place.put(".claude/commands/tdd.md", "above");
        assert_eq!(place.find("tdd"), None);
        place.put("home/p/.claude/commands/tdd.md", "in it");
        assert_eq!(place.find("tdd"), found(".claude/commands/tdd.md", "in it"));
    }

    #[test]
    fn plugin_source_comes_before_its_installed_copy() {
        let place = Place::new();
        let copy = place.at("cache/pow/1.0");
        let list = serde_json::json!({"plugins": {"pow@market": [{"installPath": copy}]}});
        place.put("home/.claude/plugins/installed_plugins.json", &list.to_string());
        place.put("cache/pow/1.0/skills/plan/SKILL.md", "installed");
        assert_eq!(place.find("pow:plan").unwrap().1, "installed");
        place.put("home/p/.claude-plugin/plugin.json", r#"{"name": "pow"}"#);
        assert_eq!(place.find("pow:plan").unwrap().1, "installed", "the source does not have it");
        place.put("home/p/skills/plan/SKILL.md", "source");
        assert_eq!(place.find("pow:plan"), found("skills/plan/SKILL.md", "source"));
        assert_eq!(place.find("other:plan"), None);
        let origins =
            serde_json::json!({"m": {"source": {"source": "directory", "path": place.at("market")}}});
        place.put("home/.claude/plugins/known_marketplaces.json", &origins.to_string());
        place.put(
            "market/.claude-plugin/marketplace.json",
            r#"{"plugins": [{"name": "other", "source": "./o"}]}"#,
        );
        place.put("market/o/commands/plan.md", "checkout");
        assert_eq!(place.find("other:plan").unwrap().1, "checkout");
    }

    #[test]
    fn configured_folders_come_first() {
        let mut place = Place::new();
        place.put("home/p/.claude/commands/tdd.md", "project");
        place.put("home/src/kit/commands/tdd.md", "kit");
        place.put("home/p/sub/here/commands/tdd.md", "here");
        place.config.commands_path = vec!["~/src/kit".into()];
        assert_eq!(place.find("tdd"), found("~/src/kit/commands/tdd.md", "kit"));
        place.config.commands_path = vec!["here".into(), "~/src/kit".into()];
        assert_eq!(place.find("tdd").unwrap().1, "here");
    }

    #[test]
    fn a_namespaced_command_is_found_in_sources_and_copies_in_the_configured_order() {
        let mut place = Place::new();
        place.put("home/p/.claude/commands/flow/sit.md", "copy");
        assert_eq!(place.find("flow:sit"), found(".claude/commands/flow/sit.md", "copy"));
        assert_eq!(place.find("sit"), found(".claude/commands/flow/sit.md", "copy"), "by its bare name");
        place.put("home/p/.claude/commands/other/sit.md", "another");
        assert_eq!(place.find("sit"), None, "which of the two nobody knows");
        place.put("home/p/sub/.flow/commands/sit.md", "installed");
        place.config.commands_path = vec!["src/core".into(), ".flow".into()];
        assert_eq!(place.find("flow:sit").unwrap().1, "installed");
        place.put("home/p/sub/src/core/commands/sit.md", "source");
        assert_eq!(place.find("flow:sit"), found("sub/src/core/commands/sit.md", "source"));
        assert_eq!(place.find("sit").unwrap().1, "source");
        place.config.commands_path = vec!["src/core/commands".into()];
        assert_eq!(place.find("flow:sit").unwrap().1, "source", "the folder of the commands itself");
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_project_cannot_lead_out_of_it() {
        let place = Place::new();
        place.put("home/secret", "secret");
        std::fs::create_dir_all(place.at("home/p/.claude/commands")).unwrap();
        std::os::unix::fs::symlink(place.at("home/secret"), place.at("home/p/.claude/commands/x.md"))
            .unwrap();
        assert_eq!(place.find("x"), None);
        std::fs::create_dir_all(place.at("home/.claude/commands")).unwrap();
        std::os::unix::fs::symlink(place.at("home/secret"), place.at("home/.claude/commands/x.md")).unwrap();
        assert_eq!(place.find("x").unwrap().1, "secret", "the user's own links are the user's affair");
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_configured_folder_of_the_project_cannot_lead_out_of_it() {
        let link = |place: &Place, from: &str, to: &str| {
            std::fs::create_dir_all(place.at(from).parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(place.at(to), place.at(from)).unwrap();
        };
        for path in ["packages/kit", "~/p/packages/kit"] {
            let mut place = Place::new();
            place.config.commands_path = vec![path.into()];
            place.put("home/secret", "secret");
            link(&place, "home/p/packages/kit/commands/deploy.md", "home/secret");
            assert_eq!(place.find("deploy"), None, "{path}");
            place.put("home/p/packages/kit/commands/ship.md", "own");
            assert_eq!(place.find("ship").unwrap().1, "own", "{path}");
            place.put("home/elsewhere/commands/far.md", "far");
            link(&place, "home/p/packages/far", "home/elsewhere");
            place.config.commands_path = vec!["packages/far".into()];
            assert_eq!(place.find("far"), None, "the folder itself is a link");
            link(&place, "home/kit/commands/mine.md", "home/secret");
            place.config.commands_path = vec!["~/kit".into()];
            assert_eq!(place.find("mine").unwrap().1, "secret", "the user's own links are the user's affair");
        }
    }
}
