//! What is not recorded: projects that `config.toml` leaves out, and what was forgotten.
//!
//! A tick may not read settings, but it has to know this before it writes anything. So it lies compiled in a small file,
//! `left-out` in the data directory, which says of which `config.toml` it was made; as long as there is neither, a tick
//! pays for two files that are not there (1.0 µs). Of forgotten sessions and texts only hashes are kept.

use std::fmt::Write as _;
use std::hash::{BuildHasher, Hasher};
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use catchword_engine::agent::entry::fnv1a;
use catchword_engine::mask::forgotten::{self, Forgotten};

use crate::config;
use crate::env::Env;
use crate::files::{self, Access};

/// The compiled file.
pub const FILE: &str = "left-out";
const HEAD: &str = "# Made by catchword from config.toml and `catchword forget`; it is written anew.";

/// What is not recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// The `config.toml` the folders are from.
    stamp: String,
    folders: Vec<String>,
    sessions: Vec<u64>,
    texts: Vec<Forgotten>,
}

impl LeftOut {
    /// What holds now; from here on forgotten texts are masked. Settings that have changed are compiled first.
    pub fn load(env: &Env) -> LeftOut {
        let Some(data) = env.data_dir.as_deref() else { return LeftOut::default() };
        let mut left_out = LeftOut::read(data);
        let stamp = stamp(&data.join("config.toml"));
        // A file that is not understood, as one that is just being written, changes nothing.
        if left_out.stamp != stamp
            && let Some(patterns) = config::leave_out(env)
        {
            left_out.folders = compiled(env, &patterns);
            left_out.stamp = stamp;
            // One that cannot be written is compiled again by the next process.
            let _ = left_out.write(data);
        }
        forgotten::set(left_out.texts.clone());
        left_out
    }

    /// Whether nothing of this session is to be recorded.
    pub fn holds(&self, session: &str, cwd: Option<&Path>) -> bool {
        (!self.sessions.is_empty() && self.sessions.contains(&hash(session)))
            || cwd.is_some_and(|cwd| self.folders.iter().any(|pattern| covers(pattern, cwd)))
    }

    /// Whether any folder is left out.
    pub fn has_folders(&self) -> bool {
        !self.folders.is_empty()
    }

    /// These sessions are not recorded again.
    pub fn forget_sessions(&mut self, env: &Env, sessions: &[&str]) -> std::io::Result<()> {
        let new: Vec<u64> =
            sessions.iter().map(|id| hash(id)).filter(|hash| !self.sessions.contains(hash)).collect();
        self.sessions.extend(new);
        self.save(env)
    }

    /// They are, from now on.
    pub fn record_again(&mut self, env: &Env, sessions: &[&str]) -> std::io::Result<()> {
        let again: Vec<u64> = sessions.iter().map(|id| hash(id)).collect();
        self.sessions.retain(|hash| !again.contains(hash));
        self.save(env)
    }

    /// This text is masked from now on, in this process and all others.
    pub fn forget_text(&mut self, env: &Env, text: &Forgotten) -> std::io::Result<()> {
        self.texts.push(text.clone());
        forgotten::set(self.texts.clone());
        self.save(env)
    }

    fn save(&self, env: &Env) -> std::io::Result<()> {
        env.data_dir.as_deref().map_or(Ok(()), |data| self.write(data))
    }

    fn read(data: &Path) -> LeftOut {
        let text = std::fs::read_to_string(data.join(FILE)).unwrap_or_default();
        let mut left_out = LeftOut { stamp: NO_CONFIG.to_owned(), ..LeftOut::default() };
        for line in text.lines() {
            match line.split_once(' ') {
                Some(("config", stamp)) => stamp.clone_into(&mut left_out.stamp),
                Some(("folder", pattern)) => left_out.folders.push(pattern.to_owned()),
                Some(("session", hash)) => left_out.sessions.extend(u64::from_str_radix(hash, 16).ok()),
                Some(("text", line)) => left_out.texts.extend(Forgotten::from_line(line)),
                _ => {}
            }
        }
        left_out
    }

    fn write(&self, data: &Path) -> std::io::Result<()> {
        let mut text = format!("{HEAD}\nconfig {}\n", self.stamp);
        for pattern in &self.folders {
            let _ = writeln!(text, "folder {pattern}");
        }
        for hash in &self.sessions {
            let _ = writeln!(text, "session {hash:016x}");
        }
        for one in &self.texts {
            let _ = writeln!(text, "text {}", one.to_line());
        }
        files::private_folder(data)?;
        files::replace(&data.join(FILE), text.as_bytes(), Access::Private)
    }
}

/// A number nobody can foresee, for hashes.
pub fn salt() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

const NO_CONFIG: &str = "none";

/// Which `config.toml` that is, by size and time.
fn stamp(config: &Path) -> String {
    let Ok(meta) = config.metadata() else { return NO_CONFIG.to_owned() };
    let changed = meta.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    format!("{} {}", meta.len(), changed.map_or(0, |at| at.as_nanos()))
}

fn hash(session: &str) -> u64 {
    fnv1a(session.as_bytes())
}

/// Patterns as they are compared: whole paths, `~` resolved, and where a link leads, too.
fn compiled(env: &Env, patterns: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for pattern in patterns.iter().map(|pattern| pattern.trim()).filter(|pattern| !pattern.is_empty()) {
        let home = env.home.as_deref().map(|home| home.to_string_lossy().into_owned()).unwrap_or_default();
        let whole = match pattern.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
            _ if Path::new(pattern).is_absolute() => pattern.to_owned(),
            _ => format!("**/{pattern}"),
        };
        let real = Path::new(&whole).canonicalize().ok().map(|path| path.to_string_lossy().into_owned());
        all.extend(real.filter(|real| *real != whole));
        all.push(whole);
    }
    all.retain(|pattern| !pattern.contains('\n'));
    all
}

/// Whether a pattern means this folder or one above it. `*` is any part of a name, `**` any number of folders.
fn covers(pattern: &str, path: &Path) -> bool {
    let names = |path: &Path| -> Vec<String> {
        let name = |part: Component| match part {
            Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            Component::Prefix(prefix) => Some(prefix.as_os_str().to_string_lossy().into_owned()),
            _ => None,
        };
        path.components().filter_map(name).collect()
    };
    begins_with(&names(&PathBuf::from(pattern)), &names(path))
}

fn begins_with(pattern: &[String], path: &[String]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, _) => true,
        (Some((first, rest)), _) if first == "**" => {
            (0..=path.len()).any(|skipped| begins_with(rest, &path[skipped..]))
        }
        (Some(_), None) => false,
        (Some((first, rest)), Some((name, below))) => fits(first, name) && begins_with(rest, below),
    }
}

/// A name with `*` and `?` in it.
fn fits(pattern: &str, name: &str) -> bool {
    let mut chars = pattern.chars();
    match chars.next() {
        None => name.is_empty(),
        Some('*') => {
            let rest = chars.as_str();
            name.char_indices().map(|(at, _)| at).chain([name.len()]).any(|at| fits(rest, &name[at..]))
        }
        Some(first) => {
            let mut named = name.chars();
            named.next().is_some_and(|c| first == '?' || first == c) && fits(chars.as_str(), named.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_covers_what_is_below_it_and_nothing_beside_it() {
        let cases = [
            ("/home/user/secret", "/home/user/secret", true),
            ("/home/user/secret", "/home/user/secret/deep/er", true),
            ("/home/user/secret/", "/home/user/secret/x", true),
            ("/home/user/secret", "/home/user/secrets", false),
            ("/home/user/secret", "/home/user", false),
            ("/home/*/secret", "/home/user/secret/x", true),
            ("/home/*/secret", "/home/user/v/secret", false),
            ("/work/client-*", "/work/client-7/app", true),
            ("/work/client-?", "/work/client-77", false),
            ("**/private", "/a/b/private/c", true),
            ("**/private", "/a/b/public", false),
            ("/a/**/z", "/a/z", true),
            ("/a/**/z", "/a/b/c/z/d", true),
        ];
        for (pattern, path, expected) in cases {
            assert_eq!(covers(pattern, Path::new(path)), expected, "{pattern} {path}");
        }
    }

    fn env() -> (tempfile::TempDir, Env) {
        let tmp = tempfile::tempdir().unwrap();
        let data = tmp.path().join("data");
        let env = Env { data_dir: Some(data), home: Some("/home/user".into()), ..Env::default() };
        (tmp, env)
    }

    fn set(env: &Env, config: &str) {
        let data = env.data_dir.as_deref().unwrap();
        files::private_folder(data).unwrap();
        files::replace(&data.join("config.toml"), config.as_bytes(), Access::Private).unwrap();
    }

    #[test]
    fn without_settings_nothing_is_written_and_with_them_a_change_counts_at_once() {
        let (_tmp, env) = env();
        let path = env.data_dir.clone().unwrap().join(FILE);
        assert!(!LeftOut::load(&env).holds("s", Some(Path::new("/home/user/x"))) && !path.exists());
        set(&env, "[privacy]\nleave_out = [\"~/x\", \"client-*\"]\n");
        let holds = |folder: &str| LeftOut::load(&env).holds("s", Some(Path::new(folder)));
        assert!(holds("/home/user/x/y") && holds("/srv/client-7") && !holds("/home/user/y"));
        assert_eq!(LeftOut::load(&env), LeftOut::read(env.data_dir.as_deref().unwrap()));
        set(&env, "[privacy]\nleave_out = []\n");
        assert!(!holds("/home/user/x/y"));
    }

    #[test]
    fn settings_that_are_not_understood_let_nothing_in() {
        let (_tmp, env) = env();
        let holds = |folder: &str| LeftOut::load(&env).holds("s", Some(Path::new(folder)));
        set(&env, "[privacy]\nleave_out = [\"~/x\"]\n");
        assert!(holds("/home/user/x"));
        for broken in
            ["[privacy]\nleave_out = [\"~/x\", \n", "[privacy]\nleave_outs = []\n", "budget = \"x\"\n"]
        {
            set(&env, broken);
            assert!(holds("/home/user/x"), "{broken}");
        }
        set(&env, "");
        assert!(!holds("/home/user/x"));
    }

    #[test]
    fn a_forgotten_session_is_known_by_its_hash_until_it_is_wanted_again() {
        let (_tmp, env) = env();
        let mut left_out = LeftOut::load(&env);
        left_out.forget_sessions(&env, &["0a725fb5-6378", "other"]).unwrap();
        set(&env, "budget = 4000\n");
        let again = LeftOut::load(&env);
        assert!(
            again.holds("0a725fb5-6378", None) && again.holds("other", None) && !again.holds("third", None)
        );
        let text = std::fs::read_to_string(env.data_dir.clone().unwrap().join(FILE)).unwrap();
        assert!(!text.contains("0a725fb5"), "{text}");
        left_out.record_again(&env, &["other"]).unwrap();
        assert!(!LeftOut::load(&env).holds("other", None));
    }
}
