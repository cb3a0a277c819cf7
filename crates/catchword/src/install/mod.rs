//! Applies a client's `setup` data to its settings files, and undoes it.
//!
//! Each change is first an [`InstallPlan`] (the present text and the new one), which can be shown as a diff. It is then
//! applied in one step: under a lock, after the original was saved, and only if the file is still what the plan was
//! made from. The editing itself is in [`settings`] and [`json`], and for instruction files in [`section`]; the events
//! and names come from the client's `Setup`.

pub mod checks;
mod client_lock;
pub mod completions;
pub mod instructions;
mod json;
mod laid;
mod programs;
mod record;
pub mod section;
pub mod servers;
pub mod settings;
mod survey;
mod toml_list;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use catchword_engine::clients::setup::{OUR_NAME, Root, Scope};
use catchword_engine::clients::{CLIENTS, Client};
use serde_json::Value;

use laid::{Laid, LaidPlan};
pub use programs::{client_version, same_file};
use record::InstallRecord;
use settings::StatusLine;
pub use survey::Survey;

use crate::app::env::Env;
use crate::app::files::{self, Access};
use crate::app::process::on_path;
use crate::app::workspace;

/// What to put into a file.
enum Content {
    Settings(WantedSettings),
    /// Our section in an instruction file.
    Section(String),
}

/// A file to change, and the program its hooks should call.
pub struct InstallTarget {
    client: &'static Client,
    content: Content,
    /// As the client names it.
    pub path: PathBuf,
    /// With links resolved: a linked file is changed in place, and the link stays.
    real: PathBuf,
    /// Its path as shown to people.
    shown: String,
    /// What the handlers call.
    pub command: String,
    exe: String,
    data_dir: PathBuf,
    data_shown: String,
    /// Our files that go with the hooks.
    laid: Vec<Laid>,
    /// The root of the project whose file it is.
    project: Option<PathBuf>,
}

/// A planned change.
pub struct InstallPlan<'a> {
    target: &'a InstallTarget,
    before: Option<String>,
    after: Option<String>,
    /// What to record afterwards; `None` if we left nothing there.
    record: Option<InstallRecord>,
    folders: Vec<PathBuf>,
    laid: Vec<LaidPlan<'a>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WantedSettings {
    pub hooks: bool,
    pub status_line: bool,
}

/// The shell line of the status line that ours wraps, from the record of this name.
pub fn kept_status_line(data_dir: &Path, key: &str) -> Option<String> {
    if !key.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    runs(&InstallRecord::by_key(data_dir, key)?.status_line?)
}

/// The shell line that a status line entry runs, as written in a settings file.
pub fn runs(entry: &str) -> Option<String> {
    let entry: Value = serde_json::from_str(entry).ok()?;
    let lines = CLIENTS.iter().filter_map(|client| client.setup.status_line.as_ref());
    lines.into_iter().find_map(|line| (line.command)(&entry)).map(str::to_owned)
}

/// The result of applying a plan.
#[derive(Debug, PartialEq, Eq)]
pub enum Applied {
    Done,
    /// Somebody changed the file in the meantime: plan again.
    Overtaken,
}

/// The folder that a root stands for, for a project in `project`.
fn root_folder(client: &Client, root: Root, project: &Path, env: &Env) -> Result<PathBuf> {
    Ok(match root {
        Root::Config => env.needed_config_dir(client)?.to_owned(),
        Root::Project => project.to_owned(),
    })
}

/// The settings file of `scope`.
pub fn settings_path(client: &Client, scope: Scope, env: &Env) -> Result<PathBuf> {
    let file = client.setup.settings_file(scope).with_context(|| no_scope(client))?;
    Ok(root_folder(client, scope.root(), &env.cwd, env)?.join(file))
}

/// The client has no settings that are one person's in one project.
fn no_scope(client: &Client) -> String {
    let name = client.phrases.name;
    format!(
        "{name} has no settings for one person in one project. Run this with --project, or without --local."
    )
}

/// The file of instructions of `scope`: the one that has our section, else the first that is there, else the usual
/// one. A project's lies at the root of its repository, because the client reads it from every folder below.
pub fn instructions_path(client: &Client, scope: Scope, env: &Env) -> Result<PathBuf> {
    let names = (client.setup.instructions)(scope);
    let root = root_folder(client, scope.root(), &workspace::root(&env.cwd), env)?;
    let paths: Vec<PathBuf> = names.iter().map(|name| root.join(name)).collect();
    let ours =
        |path: &&PathBuf| files::read_text(path).is_ok_and(|text| !matches!(section::find(&text), Ok(None)));
    let found = paths.iter().find(ours).or_else(|| paths.iter().find(|path| path.exists()));
    Ok(found.unwrap_or(&paths[0]).clone())
}

/// The instruction file of `scope`, if our section is in it.
pub fn instructed(client: &Client, scope: Scope, env: &Env) -> Option<PathBuf> {
    let path = instructions_path(client, scope, env).ok()?;
    let text = files::read_text(&path).ok()?;
    matches!(section::find(&text), Ok(Some(_))).then_some(path)
}

impl InstallTarget {
    /// The settings file of `scope`, relative to where the command was started.
    pub fn settings(
        client: &'static Client,
        scope: Scope,
        wanted: WantedSettings,
        env: &Env,
    ) -> Result<Self> {
        Self::of(client, Content::Settings(wanted), settings_path(client, scope, env)?, scope, env)
    }

    /// The instruction file of `scope`, with the section it should have.
    pub fn instructions(client: &'static Client, scope: Scope, section: String, env: &Env) -> Result<Self> {
        Self::of(client, Content::Section(section), instructions_path(client, scope, env)?, scope, env)
    }

    fn of(client: &'static Client, content: Content, path: PathBuf, scope: Scope, env: &Env) -> Result<Self> {
        let exe = env.exe.as_deref().context("cannot find the path of this program")?;
        let exe = exe.to_str().context("this program's path is not UTF-8")?.to_owned();
        let data_dir = env.data_dir.clone().context("no data directory: set HOME or CATCHWORD_HOME")?;
        let command = if scope.is_shared() { OUR_NAME.to_owned() } else { lasting_path(&exe, env) };
        let shown = env.show(&path);
        let real = files::resolve(&path).with_context(|| format!("{shown} is a link to a missing file"))?;
        let data_shown = env.show(&data_dir);
        let laid = match content {
            Content::Settings(_) => laid::files_of(client, scope, env)?,
            Content::Section(_) => Vec::new(),
        };
        let project = project_root(scope, env);
        Ok(InstallTarget {
            client,
            content,
            path,
            real,
            shown,
            command,
            exe,
            data_dir,
            data_shown,
            laid,
            project,
        })
    }

    /// Whether the handlers name the program without a path and rely on `PATH`.
    pub fn by_name(&self) -> bool {
        !Path::new(&self.command).is_absolute()
    }

    /// The text with our entries, and the status line that ours wraps.
    fn with_ours(&self, text: &str, old: Option<&InstallRecord>) -> Result<(String, Option<String>)> {
        match &self.content {
            Content::Settings(wanted) => self.with_settings(*wanted, text, old),
            Content::Section(body) => {
                let after = section::with_section(text, body).map_err(|marks| self.refuse(&marks))?;
                Ok((after, None))
            }
        }
    }

    fn with_settings(
        &self,
        wanted: WantedSettings,
        text: &str,
        old: Option<&InstallRecord>,
    ) -> Result<(String, Option<String>)> {
        let setup = &self.client.setup;
        let stands = settings::status_line(setup, text, &self.exe).map_err(|shape| self.refuse(&shape))?;
        let is_ours = matches!(stands, StatusLine::Ours { .. });
        let theirs = match stands {
            StatusLine::Ours { kept } => old.and_then(|old| old.status_line.clone()).or(kept),
            StatusLine::Theirs(theirs) if wanted.status_line => Some(theirs),
            _ => None,
        };
        let mut after = text.to_owned();
        if wanted.hooks {
            after =
                settings::with_hooks(setup, &after, &self.command).map_err(|shape| self.refuse(&shape))?;
        }
        if let Some(line) = setup.status_line.as_ref().filter(|_| wanted.status_line || is_ours) {
            let key = theirs.as_deref().and_then(runs).map(|_| record::key(&self.real));
            let theirs: Option<Value> = theirs.as_deref().and_then(|text| serde_json::from_str(text).ok());
            let entry = |stands: Option<&Value>| {
                (line.entry)(stands.or(theirs.as_ref()), &self.command, key.as_deref())
            };
            after = settings::with_status_line(setup, &after, &self.exe, entry)
                .map_err(|shape| self.refuse(&shape))?;
        }
        Ok((after, theirs))
    }

    /// The text without our entries; `theirs` is the status line that ours wraps.
    fn without_ours(&self, text: &str, theirs: Option<&str>) -> Result<String> {
        match &self.content {
            Content::Settings(_) => {
                let setup = &self.client.setup;
                // If the record is gone, our own entry still has it.
                let kept = match settings::status_line(setup, text, &self.exe)
                    .map_err(|shape| self.refuse(&shape))?
                {
                    StatusLine::Ours { kept } => kept,
                    _ => None,
                };
                settings::without_hooks(setup, text, &self.exe)
                    .and_then(|text| {
                        settings::without_status_line(setup, &text, &self.exe, theirs.or(kept.as_deref()))
                    })
                    .map_err(|shape| self.refuse(&shape))
            }
            Content::Section(_) => section::without_section(text).map_err(|marks| self.refuse(&marks)),
        }
    }

    /// Plans the installation. Keeps our status line if it is already there.
    pub fn install(&self) -> Result<InstallPlan<'_>> {
        refuse_outside(&self.real, &self.shown, self.project.as_deref())?;
        let before = self.read()?;
        let text = before.as_deref().unwrap_or_default();
        let old = InstallRecord::load(&self.data_dir, &self.real);
        let (after, status_line) = self.with_ours(text, old.as_ref())?;
        let folders = missing_folders(&self.real);
        let created = old.as_ref().map(|old| old.created_folders.clone()).filter(|_| before.is_some());
        let record = InstallRecord {
            original: self.original(before.as_deref(), old)?,
            installed: after.clone(),
            created_folders: created.unwrap_or_else(|| folders.clone()),
            status_line,
        };
        // If something else calls us, it has brought these files.
        let with_hooks = matches!(self.content, Content::Settings(wanted) if wanted.hooks);
        let laid = self.laid.iter().filter(|_| with_hooks);
        let laid = laid.map(|laid| laid.install(&self.data_dir)).collect::<Result<_>>()?;
        Ok(InstallPlan { target: self, before, after: Some(after), record: Some(record), folders, laid })
    }

    /// Plans the removal.
    pub fn uninstall(&self) -> Result<InstallPlan<'_>> {
        let before = self.read()?;
        let old = InstallRecord::load(&self.data_dir, &self.real);
        let folders = old.as_ref().map(|old| old.created_folders.clone()).unwrap_or_default();
        let after = self.original(before.as_deref(), old)?;
        let laid = self.laid.iter().map(|laid| laid.uninstall(&self.data_dir)).collect::<Result<_>>()?;
        Ok(InstallPlan { target: self, before, after, record: None, folders, laid })
    }

    /// What the file would be without us. If it is still as we left it, that is the original, byte for byte. If
    /// somebody has changed it since, it is their text without our entries.
    fn original(&self, now: Option<&str>, old: Option<InstallRecord>) -> Result<Option<String>> {
        let Some(now) = now else { return Ok(None) };
        let (as_left, ours_alone) = match &old {
            Some(old) => (old.installed == now, old.original.is_none()),
            None => (false, false),
        };
        if as_left {
            return Ok(old.and_then(|old| old.original));
        }
        let theirs = old.as_ref().and_then(|old| old.status_line.as_deref());
        let text = self.without_ours(now, theirs)?;
        // We created this file, and nobody has added anything to it.
        let nothing_left = ours_alone && text.trim().trim_matches(['{', '}']).trim().is_empty();
        Ok((!nothing_left).then_some(text))
    }

    fn read(&self) -> Result<Option<String>> {
        match files::read_text(&self.real) {
            Ok(text) => Ok(Some(text)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) if e.kind() == io::ErrorKind::InvalidData => {
                bail!("{} is not UTF-8 text. It was left as it is; save it as UTF-8 first.", self.shown)
            }
            Err(e) => Err(e).with_context(|| format!("cannot read {}", self.shown)),
        }
    }

    fn refuse(&self, why: &dyn std::fmt::Display) -> anyhow::Error {
        let path = &self.shown;
        anyhow::anyhow!("cannot edit {path}: {why}. It was not changed; fix that and run this again.")
    }
}

impl InstallPlan<'_> {
    /// Nothing has to change.
    pub fn is_nothing(&self) -> bool {
        self.before == self.after && self.laid.iter().all(LaidPlan::is_nothing)
    }

    /// Our other files that this creates or removes.
    pub fn laid(&self) -> Vec<&str> {
        self.laid.iter().filter(|laid| !laid.is_nothing()).map(LaidPlan::shown).collect()
    }

    /// Files that have our name but are not ours: they stay.
    pub fn kept(&self) -> Vec<&str> {
        self.laid.iter().filter(|laid| laid.kept).map(LaidPlan::shown).collect()
    }

    /// The file, as the client names it.
    pub fn path(&self) -> &Path {
        &self.target.path
    }

    /// The file as shown to people, if it changes.
    pub fn changed(&self) -> Option<&str> {
        (self.before != self.after).then_some(self.target.shown.as_str())
    }

    /// The file that changes, or else our other files that do.
    pub fn changes(&self) -> Vec<&str> {
        self.changed().map_or_else(|| self.laid(), |changed| vec![changed])
    }

    /// Whether the file will be deleted: we created it, and it contains nothing else.
    pub fn deletes(&self) -> bool {
        self.after.is_none() && self.before.is_some()
    }

    /// The change as a unified diff.
    pub fn diff(&self) -> String {
        let settings = (self.target.path.as_path(), self.before.as_deref(), self.after.as_deref());
        let all = std::iter::once(settings).chain(self.laid.iter().map(LaidPlan::change));
        all.map(|(path, before, after)| unified(path, before, after)).collect()
    }

    /// Applies the change.
    pub fn apply(&self) -> Result<Applied> {
        let folder = InstallRecord::folder(&self.target.data_dir);
        let put_aside =
            || format!("cannot keep a backup in {}, so nothing was changed", self.target.data_shown);
        let held = files::private_folder(&folder).and_then(|()| files::lock(&folder.join("lock")));
        // Removal needs no backup, so a missing or read-only data directory does not prevent it.
        let _held = if self.record.is_some() { Some(held.with_context(put_aside)?) } else { held.ok() };
        let holds = self.laid.iter().map(LaidPlan::still_holds).collect::<Result<Vec<_>>>()?;
        if self.target.read()? != self.before || holds.contains(&false) {
            return Ok(Applied::Overtaken);
        }
        if let Some(record) = &self.record {
            record.save(&self.target.data_dir, &self.target.real).with_context(put_aside)?;
        }
        // Our other files are removed before the settings, so that their common folder can be removed.
        if self.record.is_none() {
            self.apply_laid()?;
        }
        if self.before != self.after {
            self.write().with_context(|| format!("cannot write {}", self.target.shown))?;
        }
        if self.record.is_some() {
            self.apply_laid()?;
        } else {
            // The file is as it should be. If the record cannot be deleted, it no longer matches the file and is
            // ignored.
            let _ = InstallRecord::forget(&self.target.data_dir, &self.target.real);
        }
        Ok(Applied::Done)
    }

    fn apply_laid(&self) -> Result<()> {
        self.laid.iter().try_for_each(|laid| laid.apply(&self.target.data_dir))
    }

    fn write(&self) -> Result<()> {
        let path = &self.target.real;
        let access = match fs::metadata(path) {
            Ok(found) if found.permissions().readonly() => {
                bail!("it is read-only. Make it writable and run this again.")
            }
            Ok(found) => Access::Like(found.permissions()),
            Err(_) => Access::Usual,
        };
        if let Some(text) = &self.after {
            fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            return Ok(files::replace(path, text.as_bytes(), access)?);
        }
        fs::remove_file(path)?;
        for folder in self.folders.iter().rev() {
            // Removes only empty folders.
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }
}

fn unified(path: &Path, before: Option<&str>, after: Option<&str>) -> String {
    let name = |side: Option<&str>| side.map_or("/dev/null".to_owned(), |_| path.display().to_string());
    let diff = similar::TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
    diff.unified_diff().header(&name(before), &name(after)).to_string()
}

/// The client is on this machine: its program is on `PATH`, or its own folder is there.
pub fn is_installed(client: &Client, env: &Env) -> bool {
    on_path(client.setup.program, &env.path, None).is_some()
        || env.config_dir(client).is_some_and(Path::is_dir)
}

/// Refuses to install a program that lies where npx puts what it runs once.
pub fn refuse_passing(exe: Option<&Path>) -> Result<()> {
    if exe.is_some_and(|exe| exe.components().any(|part| part.as_os_str() == "_npx")) {
        bail!(
            "npx keeps this program in a cache that is emptied now and then; the hooks would stop working. \
             Run `npm install -g catchword`, then `catchword init`."
        );
    }
    Ok(())
}

/// The path under which this program will be found after its next update: package managers put a link on `PATH` and
/// move the file behind it.
fn lasting_path(exe: &str, env: &Env) -> String {
    let linked = on_path(OUR_NAME, &env.path, None).filter(|found| same_file(found, Path::new(exe)));
    linked.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| exe.to_owned())
}

/// The root of the project, if this scope is a project's.
fn project_root(scope: Scope, env: &Env) -> Option<PathBuf> {
    (scope != Scope::User).then(|| workspace::root(&env.cwd))
}

/// Refuses to write through a link that leads out of `project`: whoever commits a link must not choose which file of this
/// machine is changed.
fn refuse_outside(path: &Path, shown: &str, project: Option<&Path>) -> Result<()> {
    if project.is_some_and(|root| !record::real_place(path).starts_with(record::real_place(root))) {
        bail!(
            "{shown} leads out of the project by a link, so it was not changed. Put a file there in place of the link, \
             or run this without --project and --local."
        );
    }
    Ok(())
}

/// The folders that must be created for `path`, outermost first.
fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1).take_while(|folder| !folder.exists());
    let mut folders: Vec<PathBuf> = above.filter(|f| !f.as_os_str().is_empty()).map(Path::to_owned).collect();
    folders.reverse();
    folders
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BOTH: WantedSettings = WantedSettings { hooks: true, status_line: true };

    fn target(wanted: WantedSettings, folder: &Path) -> InstallTarget {
        let path = folder.join("settings.json");
        InstallTarget {
            client: CLIENTS[0],
            content: Content::Settings(wanted),
            real: path.clone(),
            shown: "settings.json".to_owned(),
            path,
            command: "/opt/catchword".to_owned(),
            exe: "/opt/catchword".to_owned(),
            data_dir: folder.join("data"),
            data_shown: "data".to_owned(),
            laid: Vec::new(),
            project: None,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn uninstall_restores_any_settings_file(text in settings::tests::document(), hooks in any::<bool>(), status_line in any::<bool>()) {
            let wanted = WantedSettings { hooks, status_line };
            let tmp = tempfile::tempdir().unwrap();
            let target = target(wanted, tmp.path());
            files::replace(&target.path, text.as_bytes(), Access::Usual).unwrap();
            let Ok(plan) = target.install() else { return Ok(()) };
            prop_assert_eq!(plan.apply().unwrap(), Applied::Done);
            prop_assert!(target.install().unwrap().is_nothing());
            prop_assert_eq!(target.uninstall().unwrap().apply().unwrap(), Applied::Done);
            prop_assert_eq!(fs::read_to_string(&target.path).unwrap(), text);
            prop_assert!(target.uninstall().unwrap().is_nothing());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn uninstall_restores_any_instructions(text in "[a-z# \r\n-]{0,120}", bom in any::<bool>()) {
            let text = if bom { format!("\u{feff}{text}") } else { text };
            let tmp = tempfile::tempdir().unwrap();
            let section = |body: &str| InstallTarget { content: Content::Section(body.into()), ..target(BOTH, tmp.path()) };
            let first = section("## Compact Instructions\nold");
            files::replace(&first.path, text.as_bytes(), Access::Usual).unwrap();
            prop_assert_eq!(first.install().unwrap().apply().unwrap(), Applied::Done);
            prop_assert!(first.install().unwrap().is_nothing());
            let second = section("## Compact Instructions\nnew");
            prop_assert_eq!(second.install().unwrap().apply().unwrap(), Applied::Done);
            prop_assert!(fs::read_to_string(&first.path).unwrap().starts_with(&text));
            prop_assert_eq!(second.uninstall().unwrap().apply().unwrap(), Applied::Done);
            prop_assert_eq!(fs::read_to_string(&first.path).unwrap(), text);
        }
    }

    #[test]
    fn overtaken_plan_changes_nothing() {
        let tmp = tempfile::tempdir().unwrap();
        let target = target(BOTH, tmp.path());
        let plan = target.install().unwrap();
        files::replace(&target.path, b"{\"new\": 1}", Access::Usual).unwrap();
        assert_eq!(plan.apply().unwrap(), Applied::Overtaken);
        assert_eq!(fs::read_to_string(&target.path).unwrap(), "{\"new\": 1}");
    }

    #[test]
    fn wrapped_status_line_is_restored_verbatim_in_a_changed_file() {
        let tmp = tempfile::tempdir().unwrap();
        let target = target(BOTH, tmp.path());
        let theirs = "{ \"type\":\"command\",\n    \"command\": \"my line\", \"padding\":0 }";
        let text = format!("{{\n  \"statusLine\": {theirs},\n  \"model\": \"opus\"\n}}\n");
        files::replace(&target.path, text.as_bytes(), Access::Usual).unwrap();
        target.install().unwrap().apply().unwrap();
        let installed = fs::read_to_string(&target.path).unwrap();
        let key = record::key(&target.path);
        assert!(
            installed.contains(&format!("/opt/catchword statusline claude-code --with {key}")),
            "{installed}"
        );
        assert_eq!(kept_status_line(&target.data_dir, &key).as_deref(), Some("my line"));
        // Installing only the hooks again leaves both as they are.
        let hooks = self::target(WantedSettings { hooks: true, status_line: false }, tmp.path());
        assert!(hooks.install().unwrap().is_nothing());
        let changed = installed.replace("opus", "haiku");
        files::replace(&target.path, changed.as_bytes(), Access::Usual).unwrap();
        target.install().unwrap().apply().unwrap();
        assert_eq!(kept_status_line(&target.data_dir, &key).as_deref(), Some("my line"));
        target.uninstall().unwrap().apply().unwrap();
        assert_eq!(fs::read_to_string(&target.path).unwrap(), text.replace("opus", "haiku"));
    }
}
