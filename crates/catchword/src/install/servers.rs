//! Our server in the client's list of servers: put in, taken out, looked for.
//!
//! The user's list is in a file that the client keeps for itself and writes anew all the time, with tokens in it among
//! other things. So no copy of it is kept, unlike of settings: what is remembered is what we made there, and taking out
//! our one entry, where it stands by then, leaves every other byte as it is. A project's list is a file of its own.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use catchword_engine::agent::claude_code::setup::{self, PLUGIN, SERVERS_KEY, Scope};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record::{self, Record};
use super::settings::{Shape, member, must_be, split_bom, valid};
use super::{Applied, json, lasting_path, resolve};
use crate::env::Env;
use crate::files::{self, Access};

/// A file with a list of servers, and the program that ours should run.
pub struct Servers {
    /// As the client names it.
    pub path: PathBuf,
    real: PathBuf,
    shown: String,
    /// What the entry runs.
    pub command: String,
    exe: String,
    data_dir: PathBuf,
    private: bool,
}

/// A change to such a file that was worked out and not yet made.
pub struct Plan<'a> {
    servers: &'a Servers,
    before: Option<String>,
    after: Option<String>,
    made: Option<Made>,
    /// Another server bears our name and stays.
    pub taken: bool,
}

/// What we made besides our entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
struct Made {
    file: bool,
    list: bool,
}

/// What stands in a list under our name.
#[derive(Debug, PartialEq, Eq)]
pub enum Stands {
    /// Nothing.
    Nothing,
    /// Our server, run by this program.
    Ours(String),
    /// Somebody else's.
    Theirs,
}

/// The file with the user's list: the client's memory, which lies in the home or, where it was moved, in the client's
/// own folder.
pub fn state_file(env: &Env) -> Option<PathBuf> {
    let dir = env.claude_dir.as_ref()?;
    let old = dir.join(setup::OLD_STATE_FILE);
    let moved = dir.join(setup::STATE_FILE);
    if old.is_file() {
        return Some(old);
    }
    let usual = env.home.as_ref().filter(|home| home.join(".claude") == *dir);
    match usual {
        Some(home) if !moved.exists() => Some(home.join(setup::STATE_FILE)),
        _ => Some(moved),
    }
}

/// What stands under our name in a list.
pub fn stands(path: &Path, exe: &str) -> Stands {
    let list = super::survey::json(path).unwrap_or_default();
    let Some(entry) = list.get(SERVERS_KEY).and_then(|servers| servers.get(PLUGIN)) else {
        return Stands::Nothing;
    };
    setup::our_server(entry, exe).map_or(Stands::Theirs, |command| Stands::Ours(command.to_owned()))
}

impl Servers {
    /// The list of `scope`. The one of a project for one user lies within the user's, by the client's own notion of
    /// what a project is: that one we leave to the client.
    pub fn of(scope: Scope, env: &Env) -> Result<Option<Servers>> {
        let path = match scope {
            Scope::User => state_file(env).context("no home directory: set HOME or CLAUDE_CONFIG_DIR")?,
            Scope::Project => env.cwd.join(setup::PROJECT_SERVERS),
            Scope::Local => return Ok(None),
        };
        let exe =
            env.exe.as_deref().and_then(Path::to_str).context("this program lies under a strange name")?;
        let command = if scope == Scope::Project { PLUGIN.to_owned() } else { lasting_path(exe, env) };
        let shown = env.show(&path);
        let real =
            resolve(&path).with_context(|| format!("{shown} is a link to a file that is not there"))?;
        Ok(Some(Servers {
            real,
            shown,
            command,
            exe: exe.to_owned(),
            data_dir: env.data_dir.clone().context("no data directory: set HOME or CATCHWORD_HOME")?,
            private: scope == Scope::User,
            path,
        }))
    }

    /// Works out how our server gets into the list.
    pub fn install(&self) -> Result<Plan<'_>> {
        let before = self.read()?;
        let (bom, text) = split_bom(before.as_deref().unwrap_or_default());
        let text = if text.trim().is_empty() { "{}\n" } else { text };
        let refuse = |shape: Shape| self.refuse(&shape).context("--no-mcp leaves the agent's tools out");
        let list = list_of(text).map_err(refuse)?;
        let mut made = self.made().unwrap_or_default();
        let entry = setup::server(&self.command);
        let mut taken = false;
        let after = match &list {
            None => {
                made = Made { file: made.file || before.is_none(), list: true };
                json::append(text, json::whole(text), Some(SERVERS_KEY), &BTreeMap::from([(PLUGIN, entry)]))
            }
            Some(list) => match member(text, list.clone(), PLUGIN).map_err(refuse)? {
                None => json::append(text, list.clone(), Some(PLUGIN), &entry),
                Some(span) => match setup::our_server(&value(text, &span), &self.exe) {
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
        Ok(Plan { servers: self, before, after, made: Some(made), taken })
    }

    /// Works out how it gets out again, with the list and the file where we made them and nobody else uses them.
    pub fn uninstall(&self) -> Result<Plan<'_>> {
        let before = self.read()?;
        let plan =
            |after| Ok(Plan { servers: self, before: before.clone(), after, made: None, taken: false });
        let (bom, text) = split_bom(before.as_deref().unwrap_or_default());
        if text.trim().is_empty() {
            return plan(before.clone());
        }
        let refuse = |shape: Shape| self.refuse(&shape);
        let Some(list) = list_of(text).map_err(refuse)? else { return plan(before.clone()) };
        let names = json::items(text, list.clone());
        let ours = names.iter().position(|item| {
            item.key == PLUGIN && setup::our_server(&value(text, &item.value), &self.exe).is_some()
        });
        let Some(at) = ours else { return plan(before.clone()) };
        let made = self.made().unwrap_or_default();
        if names.len() > 1 || !made.list {
            return plan(Some(format!("{bom}{}", json::remove(text, list, at))));
        }
        let root = json::whole(text);
        let members = json::items(text, root.clone());
        if members.len() == 1 && made.file {
            return plan(None);
        }
        let at = members.iter().position(|item| item.key == SERVERS_KEY).expect("the list was found there");
        plan(Some(format!("{bom}{}", json::remove(text, root, at))))
    }

    fn read(&self) -> Result<Option<String>> {
        match fs::read_to_string(&self.real) {
            Ok(text) => Ok(Some(text)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e).with_context(|| format!("cannot read {}", self.shown)),
        }
    }

    fn refuse(&self, shape: &Shape) -> anyhow::Error {
        let path = &self.shown;
        anyhow::anyhow!("cannot edit {path}: {shape}. It was left as it is.")
    }

    fn made(&self) -> Option<Made> {
        serde_json::from_slice(&fs::read(self.record()).ok()?).ok()
    }

    fn record(&self) -> PathBuf {
        Record::folder(&self.data_dir).join(format!("{}.server.json", record::key(&self.real)))
    }
}

impl Plan<'_> {
    /// The file, as people are told of it.
    pub fn path(&self) -> &str {
        &self.servers.shown
    }

    /// Nothing has to change.
    pub fn is_nothing(&self) -> bool {
        self.before == self.after
    }

    /// The change: the lines around ours, and nothing of the rest, which is the client's and private.
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

    /// Makes the change.
    pub fn apply(&self) -> Result<Applied> {
        let folder = Record::folder(&self.servers.data_dir);
        let held = files::private_folder(&folder).and_then(|()| files::lock(&folder.join("lock")));
        let remember = "cannot write down what was changed, so nothing was";
        let _held = if self.made.is_some() { Some(held.context(remember)?) } else { held.ok() };
        if self.servers.read()? != self.before {
            return Ok(Applied::Overtaken);
        }
        if let Some(made) = self.made {
            let text = serde_json::to_vec(&made)?;
            files::replace(&self.servers.record(), &text, Access::Private).context(remember)?;
        }
        self.write().with_context(|| format!("cannot write {}", self.servers.shown))?;
        if self.made.is_none() {
            let _ = fs::remove_file(self.servers.record());
        }
        Ok(Applied::Done)
    }

    fn write(&self) -> Result<()> {
        let path = &self.servers.real;
        let access = match fs::metadata(path) {
            Ok(found) if found.permissions().readonly() => {
                bail!("it is read-only. Make it writable and run this again.")
            }
            Ok(found) => Access::Like(found.permissions()),
            Err(_) if self.servers.private => Access::Private,
            Err(_) => Access::Usual,
        };
        match &self.after {
            Some(text) => {
                fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
                Ok(files::replace(path, text.as_bytes(), access)?)
            }
            None => Ok(fs::remove_file(path)?),
        }
    }
}

fn list_of(text: &str) -> Result<Option<Range<usize>>, Shape> {
    valid(text)?;
    let root = json::whole(text);
    must_be(text, &root, "an object", || "the whole file".to_owned())?;
    let list = member(text, root, SERVERS_KEY)?;
    if let Some(span) = &list {
        must_be(text, span, "an object", || format!("\"{SERVERS_KEY}\""))?;
    }
    Ok(list)
}

fn value(text: &str, span: &Range<usize>) -> Value {
    serde_json::from_str(&text[span.clone()]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn servers(folder: &Path) -> Servers {
        let path = folder.join(".claude.json");
        Servers {
            real: path.clone(),
            shown: "~/.claude.json".to_owned(),
            path,
            command: "/opt/catchword".to_owned(),
            exe: "/opt/catchword".to_owned(),
            data_dir: folder.join("data"),
            private: true,
        }
    }

    #[test]
    fn any_list_comes_back_byte_for_byte() {
        let shapes = [
            "{}",
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
            assert_eq!(stands(&servers.path, "/opt/catchword"), Stands::Ours("/opt/catchword".to_owned()));
            assert!(servers.install().unwrap().is_nothing(), "{shape}");
            servers.uninstall().unwrap().apply().unwrap();
            assert_eq!(fs::read_to_string(&servers.path).unwrap(), shape);
            assert!(servers.uninstall().unwrap().is_nothing());
        }
    }

    #[test]
    fn what_the_client_wrote_meanwhile_stays_and_what_we_made_goes() {
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
    fn somebody_elses_server_of_our_name_stays() {
        let tmp = tempfile::tempdir().unwrap();
        let servers = servers(tmp.path());
        let theirs = r#"{"mcpServers": {"catchword": {"type": "http", "url": "https://example.org"}}}"#;
        files::replace(&servers.path, theirs.as_bytes(), Access::Private).unwrap();
        let plan = servers.install().unwrap();
        assert!(plan.taken && plan.is_nothing());
        assert!(servers.uninstall().unwrap().is_nothing());
        assert_eq!(stands(&servers.path, "/opt/catchword"), Stands::Theirs);
    }

    #[test]
    fn a_change_in_between_is_noticed() {
        let tmp = tempfile::tempdir().unwrap();
        let servers = servers(tmp.path());
        let plan = servers.install().unwrap();
        files::replace(&servers.path, b"{\"new\": 1}", Access::Private).unwrap();
        assert_eq!(plan.apply().unwrap(), Applied::Overtaken);
    }
}
