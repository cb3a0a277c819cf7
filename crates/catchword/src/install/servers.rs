//! Adds, removes and finds our server in the client's list of servers.
//!
//! The user's list is in the client's state file, which the client rewrites all the time and which contains tokens. So,
//! unlike with settings, no copy of it is kept: we record only what we created there, and removing our one entry leaves
//! every other byte as it is. A project's list is a separate file.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use catchword_engine::clients::Client;
use catchword_engine::clients::setup::{OUR_NAME, Scope, ServerEntries, ServerFormat, own_server};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::client_lock::ClientLock;
use super::record::{self, InstallRecord};
use super::settings::{Shape, member, must_be, split_bom, valid};
use super::{Applied, json, lasting_path, project_root, refuse_outside, toml_list};
use crate::app::env::Env;
use crate::app::files::{self, Access};

/// A file with a list of servers, and the program that our entry should run.
pub struct Servers {
    client: &'static Client,
    names: &'static ServerEntries,
    /// As the client names it.
    pub path: PathBuf,
    real: PathBuf,
    shown: String,
    /// What the entry runs.
    pub command: String,
    exe: String,
    data_dir: PathBuf,
    /// The data directory, where somebody has moved it: clients may hide the variable from servers.
    data_home: Option<String>,
    private: bool,
    /// The root of the project whose list it is.
    project: Option<PathBuf>,
}

/// A planned change to such a file.
pub struct ServerPlan<'a> {
    servers: &'a Servers,
    before: Option<String>,
    after: Option<String>,
    made: Option<Made>,
    /// Another server has our name; it stays.
    pub taken: bool,
}

/// What we created besides our entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
struct Made {
    file: bool,
    list: bool,
    /// The end of the line before our entry, in a list in TOML.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    half_line: bool,
    /// The text of a file that had no members, so no tokens either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blank: Option<String>,
}

/// The entry under our name in a list.
#[derive(Debug, PartialEq, Eq)]
pub enum Stands {
    Nothing,
    /// Our server, run by this program.
    Ours(String),
    /// Somebody else's.
    Theirs,
}

/// The file with the user's list: the client's state file, in the home directory or, if the client's folder was moved,
/// in that folder.
pub fn state_file(client: &Client, env: &Env) -> Option<PathBuf> {
    let (names, dir) = (client.setup.servers.as_ref()?, env.config_dir(client)?);
    let moved = dir.join(names.state_file);
    if let Some(old) = names.at_home.as_ref().map(|at| dir.join(at.older)).filter(|old| old.is_file()) {
        return Some(old);
    }
    let home = env.home.as_ref().filter(|_| names.at_home.is_some() && env.of(client).is_usual_dir);
    match home {
        Some(home) if !moved.exists() => Some(home.join(names.state_file)),
        _ => Some(moved),
    }
}

/// The entry under our name in a list.
pub fn stands(client: &Client, path: &Path, exe: &str) -> Stands {
    let Some(servers) = &client.setup.servers else { return Stands::Nothing };
    let entry = match servers.format {
        ServerFormat::Json => {
            let list = super::survey::json(path).unwrap_or_default();
            list.get(servers.key).and_then(|servers| servers.get(OUR_NAME)).cloned()
        }
        ServerFormat::Toml => {
            files::read_text(path).ok().and_then(|text| toml_list::entry(&text, servers.key).ok()?)
        }
    };
    let Some(entry) = entry else { return Stands::Nothing };
    own_server(&entry, exe).map_or(Stands::Theirs, |command| Stands::Ours(command.to_owned()))
}

impl Servers {
    /// The list of `scope`. A user's list for one project is part of the user's list, keyed by what the client
    /// considers a project: that one is left to the client.
    pub fn of(client: &'static Client, scope: Scope, env: &Env) -> Result<Option<Servers>> {
        let Some(names) = &client.setup.servers else { return Ok(None) };
        let path = match scope {
            Scope::User => {
                env.needed_config_dir(client)?;
                state_file(client, env).unwrap_or_default()
            }
            Scope::Project => env.cwd.join(names.project_file),
            Scope::Local => return Ok(None),
        };
        let exe = env.exe.as_deref().and_then(Path::to_str).context("this program's path is not UTF-8")?;
        let command = if scope == Scope::Project { OUR_NAME.to_owned() } else { lasting_path(exe, env) };
        let shown = env.show(&path);
        let real = files::resolve(&path).with_context(|| format!("{shown} is a link to a missing file"))?;
        Ok(Some(Servers {
            client,
            names,
            real,
            shown,
            command,
            exe: exe.to_owned(),
            data_dir: env.data_dir.clone().context("no data directory: set HOME or CATCHWORD_HOME")?,
            data_home: moved_data_dir(env),
            private: scope == Scope::User,
            project: project_root(scope, env),
            path,
        }))
    }

    /// Plans adding our server to the list.
    pub fn install(&self) -> Result<ServerPlan<'_>> {
        refuse_outside(&self.real, &self.shown, self.project.as_deref())?;
        let before = self.read()?;
        if self.names.format == ServerFormat::Toml {
            return self.install_toml(before);
        }
        let (bom, text) = split_bom(before.as_deref().unwrap_or_default());
        let text = if text.trim().is_empty() { "{}\n" } else { text };
        let refuse =
            |shape: Shape| self.refuse(&shape).context("use --no-mcp to leave out the agent's tools");
        let servers = self.names;
        let list = list_of(servers.key, text).map_err(refuse)?;
        let mut made = self.made().unwrap_or_default();
        let entry = (servers.entry)(&self.command);
        let mut taken = false;
        let after = match &list {
            None => {
                let is_blank = json::items(text, json::whole(text)).is_empty();
                let blank = before.clone().filter(|_| is_blank);
                made = Made { file: made.file || before.is_none(), list: true, blank, half_line: false };
                json::append(text, json::whole(text), Some(servers.key), &BTreeMap::from([(OUR_NAME, entry)]))
            }
            Some(list) => match member(text, list.clone(), OUR_NAME).map_err(refuse)? {
                None => json::append(text, list.clone(), Some(OUR_NAME), &entry),
                Some(span) => match own_server(&value(text, &span), &self.exe) {
                    Some(command) if command == self.command => text.to_owned(),
                    Some(_) => json::replace(text, span, &entry),
                    None => {
                        taken = true;
                        text.to_owned()
                    }
                },
            },
        };
        let after = Some(if taken { before.clone().unwrap_or_default() } else { format!("{bom}{after}") });
        Ok(ServerPlan { servers: self, before, after, made: Some(made), taken })
    }

    /// The same for a list in TOML.
    fn install_toml(&self, before: Option<String>) -> Result<ServerPlan<'_>> {
        let servers = self.names;
        let refuse = |why: String| self.refuse(&why).context("use --no-mcp to leave out the agent's tools");
        let (text, was_half_line) = toml_list::without_marks(before.as_deref().unwrap_or_default());
        let stands = toml_list::entry(&text, servers.key).map_err(refuse)?;
        let taken = stands.as_ref().is_some_and(|entry| own_server(entry, &self.exe).is_none());
        let mut made = self.made().unwrap_or_default();
        made.file |= before.is_none();
        made.half_line = match stands {
            None => toml_list::is_half_line(&text),
            Some(_) => made.half_line || was_half_line,
        };
        let entry = (servers.entry)(&self.command);
        let after = if taken {
            before.clone()
        } else {
            let home = self.data_home.as_deref();
            Some(toml_list::with_entry(&text, servers.key, &entry, home).map_err(refuse)?)
        };
        Ok(ServerPlan { servers: self, before, after, made: Some(made), taken })
    }

    /// The text of a list in TOML without our server; `None` if we created the file and nothing is left in it.
    fn without_toml(&self, text: &str) -> Result<Option<String>> {
        let servers = self.names;
        let refuse = |why: String| self.refuse(&why);
        let made = self.made().unwrap_or_default();
        let (mut text, was_half_line) = toml_list::without_marks(text);
        let stands = toml_list::entry(&text, servers.key).map_err(refuse)?;
        if stands.is_some_and(|entry| own_server(&entry, &self.exe).is_some()) {
            let half_line = made.half_line || was_half_line;
            text = toml_list::without_entry(&text, servers.key, half_line).map_err(refuse)?;
        }
        Ok(Some(text).filter(|text| !(made.file && text.trim().is_empty())))
    }

    /// Works out how it gets out again, with the list and the file where we made them and nobody else uses them.
    pub fn uninstall(&self) -> Result<ServerPlan<'_>> {
        let servers = self.names;
        let before = self.read()?;
        let plan =
            |after| Ok(ServerPlan { servers: self, before: before.clone(), after, made: None, taken: false });
        if servers.format == ServerFormat::Toml {
            return plan(before.as_deref().map(|text| self.without_toml(text)).transpose()?.flatten());
        }
        let (bom, text) = split_bom(before.as_deref().unwrap_or_default());
        if text.trim().is_empty() {
            return plan(before.clone());
        }
        let refuse = |shape: Shape| self.refuse(&shape);
        let Some(list) = list_of(servers.key, text).map_err(refuse)? else { return plan(before.clone()) };
        let names = json::items(text, list.clone());
        let ours = names.iter().position(|item| {
            item.key == OUR_NAME && own_server(&value(text, &item.value), &self.exe).is_some()
        });
        let Some(at) = ours else { return plan(before.clone()) };
        let made = self.made().unwrap_or_default();
        if names.len() > 1 || !made.list {
            return plan(Some(format!("{bom}{}", json::remove(text, list, at))));
        }
        let root = json::whole(text);
        let members = json::items(text, root.clone());
        if members.len() == 1 && (made.file || made.blank.is_some()) {
            return plan(made.blank);
        }
        let at = members.iter().position(|item| item.key == servers.key).expect("the list was found there");
        plan(Some(format!("{bom}{}", json::remove(text, root, at))))
    }

    fn read(&self) -> Result<Option<String>> {
        match files::read_text(&self.real) {
            Ok(text) => Ok(Some(text)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e).with_context(|| format!("cannot read {}", self.shown)),
        }
    }

    fn refuse(&self, why: &dyn std::fmt::Display) -> anyhow::Error {
        let path = &self.shown;
        anyhow::anyhow!("cannot edit {path}: {why}. It was left as it is.")
    }

    fn made(&self) -> Option<Made> {
        serde_json::from_slice(&fs::read(self.record()).ok()?).ok()
    }

    fn record(&self) -> PathBuf {
        InstallRecord::folder(&self.data_dir).join(format!("{}.server.json", record::key(&self.real)))
    }
}

/// The data directory, if it is not where it would be without any variable.
fn moved_data_dir(env: &Env) -> Option<String> {
    let usual = env.home.as_ref().map(|home| home.join(".local/share").join(OUR_NAME));
    let dir = env.data_dir.as_ref().filter(|dir| Some(*dir) != usual.as_ref())?;
    Some(dir.to_str()?.to_owned())
}

impl ServerPlan<'_> {
    /// The file's path as shown to people.
    pub fn path(&self) -> &str {
        &self.servers.shown
    }

    /// Nothing has to change.
    pub fn is_nothing(&self) -> bool {
        self.before == self.after
    }

    /// The file is deleted, because it was created for this.
    pub fn deletes(&self) -> bool {
        self.after.is_none() && self.before.is_some()
    }

    /// The change as a diff with only the lines around ours: the rest is the client's and private.
    pub fn diff(&self) -> String {
        let name = |side: &Option<String>| match side {
            Some(_) => self.servers.path.display().to_string(),
            None => "/dev/null".to_owned(),
        };
        let (before, after) =
            (self.before.clone().unwrap_or_default(), self.after.clone().unwrap_or_default());
        let diff = similar::TextDiff::from_lines(&before, &after);
        diff.unified_diff().context_radius(1).header(&name(&self.before), &name(&self.after)).to_string()
    }

    /// Applies the change.
    pub fn apply(&self) -> Result<Applied> {
        let folder = InstallRecord::folder(&self.servers.data_dir);
        let held = files::private_folder(&folder).and_then(|()| files::lock(&folder.join("lock")));
        let remember = "cannot record the change, so nothing was changed";
        let _held = if self.made.is_some() { Some(held.context(remember)?) } else { held.ok() };
        // The client does not rewrite a project's list.
        let lock = || ClientLock::take(self.servers.client, &self.servers.path);
        let theirs = self.servers.private.then(lock).transpose()?;
        if self.servers.read()? != self.before {
            return Ok(Applied::Overtaken);
        }
        if let Some(made) = &self.made {
            let text = serde_json::to_vec(made)?;
            files::replace(&self.servers.record(), &text, Access::Private).context(remember)?;
        }
        if self.write().with_context(|| format!("cannot write {}", self.servers.shown))? == Applied::Overtaken
        {
            return Ok(Applied::Overtaken);
        }
        drop(theirs);
        if self.made.is_none() {
            let _ = fs::remove_file(self.servers.record());
        }
        Ok(Applied::Done)
    }

    /// Not every version of the client takes the lock, so the file is compared once more right before it is replaced.
    fn write(&self) -> Result<Applied> {
        let path = &self.servers.real;
        let access = match fs::metadata(path) {
            Ok(found) if found.permissions().readonly() => {
                bail!("it is read-only. Make it writable and run this again.")
            }
            Ok(found) => Access::Like(found.permissions()),
            Err(_) if self.servers.private => Access::Private,
            Err(_) => Access::Usual,
        };
        if let Some(text) = &self.after {
            fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            let before = self.before.as_deref().map(str::as_bytes);
            let written = files::replace_same(path, before, text.as_bytes(), access)?;
            Ok(if written { Applied::Done } else { Applied::Overtaken })
        } else {
            fs::remove_file(path)?;
            Ok(Applied::Done)
        }
    }
}

fn list_of(key: &str, text: &str) -> Result<Option<Range<usize>>, Shape> {
    valid(text)?;
    let root = json::whole(text);
    must_be(text, &root, "an object", || "the whole file".to_owned())?;
    let list = member(text, root, key)?;
    if let Some(span) = &list {
        must_be(text, span, "an object", || format!("\"{key}\""))?;
    }
    Ok(list)
}

fn value(text: &str, span: &Range<usize>) -> Value {
    serde_json::from_str(&text[span.clone()]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchword_engine::clients::CLIENTS;
    use serde_json::json;

    fn servers(folder: &Path) -> Servers {
        let path = folder.join(".claude.json");
        Servers {
            client: CLIENTS[0],
            names: CLIENTS[0].setup.servers.as_ref().unwrap(),
            real: path.clone(),
            shown: "~/.claude.json".to_owned(),
            path,
            command: "/opt/catchword".to_owned(),
            exe: "/opt/catchword".to_owned(),
            data_dir: folder.join("data"),
            data_home: None,
            private: true,
            project: None,
        }
    }

    #[test]
    fn any_list_is_restored_byte_for_byte() {
        let shapes = [
            "",
            "\n",
            " ",
            "{}",
            "{ }\n",
            "\u{feff}{\r\n}",
            "{\"a\":1 }",
            "{\n  \"userID\": \"x\"\n}",
            "{\n  \"mcpServers\": {},\n  \"userID\": \"x\"\n}\n",
            "{\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": \"x\"\n    }\n  },\n  \"n\": 1\n}",
            "\u{feff}{\r\n\t\"mcpServers\" : {\"other\":{}}\r\n}",
        ];
        for shape in shapes {
            let tmp = tempfile::tempdir().unwrap();
            let servers = servers(tmp.path());
            files::replace(&servers.path, shape.as_bytes(), Access::Private).unwrap();
            assert_eq!(servers.install().unwrap().apply().unwrap(), Applied::Done);
            assert_eq!(
                stands(CLIENTS[0], &servers.path, "/opt/catchword"),
                Stands::Ours("/opt/catchword".to_owned())
            );
            assert!(servers.install().unwrap().is_nothing(), "{shape}");
            servers.uninstall().unwrap().apply().unwrap();
            assert_eq!(fs::read_to_string(&servers.path).unwrap(), shape);
            assert!(servers.uninstall().unwrap().is_nothing());
        }
    }

    #[test]
    fn removal_keeps_what_the_client_wrote_in_the_meantime() {
        let tmp = tempfile::tempdir().unwrap();
        let servers = servers(tmp.path());
        servers.install().unwrap().apply().unwrap();
        let written: Value = serde_json::from_str(&fs::read_to_string(&servers.path).unwrap()).unwrap();
        let mut more = written.clone();
        more["userID"] = json!("x");
        let text = serde_json::to_vec_pretty(&more).unwrap();
        files::replace(&servers.path, &text, Access::Private).unwrap();
        servers.uninstall().unwrap().apply().unwrap();
        assert_eq!(fs::read_to_string(&servers.path).unwrap(), "{\n  \"userID\": \"x\"\n}");
        fs::remove_file(&servers.path).unwrap();
        servers.install().unwrap().apply().unwrap();
        servers.uninstall().unwrap().apply().unwrap();
        assert!(!servers.path.exists(), "the file was ours alone");
    }

    #[test]
    fn other_server_with_our_name_stays() {
        let tmp = tempfile::tempdir().unwrap();
        let servers = servers(tmp.path());
        let theirs = r#"{"mcpServers": {"catchword": {"type": "http", "url": "https://example.org"}}}"#;
        files::replace(&servers.path, theirs.as_bytes(), Access::Private).unwrap();
        let plan = servers.install().unwrap();
        assert!(plan.taken && plan.is_nothing());
        assert!(servers.uninstall().unwrap().is_nothing());
        assert_eq!(stands(CLIENTS[0], &servers.path, "/opt/catchword"), Stands::Theirs);
    }

    #[test]
    fn change_between_plan_and_apply_is_noticed() {
        let tmp = tempfile::tempdir().unwrap();
        let servers = servers(tmp.path());
        let plan = servers.install().unwrap();
        files::replace(&servers.path, b"{\"new\": 1}", Access::Private).unwrap();
        assert_eq!(plan.apply().unwrap(), Applied::Overtaken);
    }

    /// Changes the file as the client does: its lock is a folder beside the file.
    fn as_the_client(path: &Path, change: impl Fn(&mut Value)) {
        let lock = PathBuf::from(format!("{}.lock", path.display()));
        while fs::create_dir(&lock).is_err() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let mut value: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        change(&mut value);
        files::replace(path, value.to_string().as_bytes(), Access::Private).unwrap();
        fs::remove_dir(&lock).unwrap();
    }

    #[test]
    fn concurrent_writes_of_the_client_are_not_lost() {
        const TIMES: u64 = 60;
        let tmp = tempfile::tempdir().unwrap();
        let servers = servers(tmp.path());
        let large = json!({"count": 0, "projects": "x".repeat(3_000_000)});
        files::replace(&servers.path, large.to_string().as_bytes(), Access::Private).unwrap();
        std::thread::scope(|scope| {
            let client = scope.spawn(|| {
                for _ in 0..TIMES {
                    as_the_client(&servers.path, |value| {
                        value["count"] = json!(value["count"].as_u64().unwrap() + 1);
                    });
                }
            });
            while !client.is_finished() {
                for plan in [Servers::install, Servers::uninstall] {
                    while plan(&servers).unwrap().apply().unwrap() == Applied::Overtaken {}
                }
            }
        });
        let value: Value = serde_json::from_slice(&fs::read(&servers.path).unwrap()).unwrap();
        assert_eq!(value["count"], TIMES);
        assert!(!PathBuf::from(format!("{}.lock", servers.path.display())).exists());
    }

    #[test]
    fn stale_client_lock_is_taken_over() {
        let tmp = tempfile::tempdir().unwrap();
        let servers = servers(tmp.path());
        let lock = PathBuf::from(format!("{}.lock", servers.real.display()));
        fs::create_dir(&lock).unwrap();
        let old = std::time::SystemTime::UNIX_EPOCH;
        fs::File::open(&lock).unwrap().set_modified(old).unwrap();
        assert_eq!(servers.install().unwrap().apply().unwrap(), Applied::Done);
        assert!(!lock.exists());
    }
}
