//! What is not recorded: projects that `config.toml` leaves out, and what was forgotten.
//!
//! A tick must not read settings, but has to know this before it writes anything. So the rules are compiled into a
//! small file, `left-out` in the data directory, which also identifies the `config.toml` it was made from; if neither
//! exists, a tick pays for two failed look-ups (1.0 µs). Of forgotten sessions and texts only hashes are stored.

use std::fmt::Write as _;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use catchword_engine::clients::{CLIENTS, Client};
use catchword_engine::ops::index;
use catchword_engine::redact::Mask;
use catchword_engine::redact::folders::Folders;
use catchword_engine::redact::forgotten::Forgotten;
use catchword_engine::text::glob;

use crate::app::config;
use crate::app::env::Env;
use crate::app::files;

/// The compiled file.
pub const FILE: &str = "left-out";
const FIRST_LINE: &str = "# Made by catchword from config.toml and `catchword forget`; do not edit.";

/// What is not recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeaveOutRules {
    /// Identifies the `config.toml` that the folders are from.
    stamp: String,
    folders: Vec<String>,
    sessions: Vec<u64>,
    texts: Vec<Forgotten>,
}

impl LeaveOutRules {
    /// The current rules. If the settings have changed, they are compiled first.
    pub fn load(env: &Env) -> LeaveOutRules {
        let Some(data) = env.data_dir.as_deref() else { return LeaveOutRules::default() };
        let mut left_out = LeaveOutRules::read(data);
        let stamp = stamp(&data.join("config.toml"));
        // A file that cannot be parsed, for example because it is just being written, changes nothing.
        if left_out.stamp != stamp
            && let Some(patterns) = config::leave_out(env)
        {
            left_out.folders = compiled(env, &patterns);
            left_out.stamp = stamp;
            // A hook waits for nobody. If the file cannot be written, the next process compiles it again.
            let (folders, stamp) = (&left_out.folders, &left_out.stamp);
            let _ = LeaveOutRules::change(env, Duration::ZERO, &|written| {
                written.folders.clone_from(folders);
                written.stamp.clone_from(stamp);
            });
        }
        left_out
    }

    /// Whether this session must not be recorded: it was forgotten, it started in a folder that is left out, its
    /// transcript is among those of such a folder, or it is in one now.
    pub fn holds(&self, session: &str, cwd: Option<&Path>, transcript: Option<&Path>) -> bool {
        if self.is_forgotten(session) {
            return true;
        }
        if self.folders.is_empty() {
            return false;
        }
        let folders = self.real_folders();
        let is_covered = |folder: &Path| folders.covers(folder) || folders.covers(&real(folder));
        cwd.is_some_and(is_covered)
            || transcript
                .is_some_and(|path| CLIENTS.iter().any(|client| self.began_in(client, path, &is_covered)))
    }

    /// Whether this session was forgotten.
    pub fn is_forgotten(&self, session: &str) -> bool {
        !self.sessions.is_empty() && self.sessions.contains(&Mask::session_hash(session))
    }

    fn began_in(&self, client: &Client, transcript: &Path, is_covered: &dyn Fn(&Path) -> bool) -> bool {
        let first = index::folder_of(client, transcript).ok().flatten();
        if first.as_deref().is_some_and(is_covered) {
            return true;
        }
        let (Some(project), Some(named)) =
            (client.transcripts.project_of(transcript), client.transcripts.project)
        else {
            return false;
        };
        // Two folders can share a project's name; the first row tells them apart.
        let is_first = |first: &Path| named(&first.to_string_lossy()) == project;
        let fits = |pattern: &String| {
            let pattern = named(pattern);
            glob::name_fits(&pattern, project) || glob::name_fits(&format!("{pattern}-*"), project)
        };
        // Clients name a project by its resolved folder.
        let real = self.folders.iter().map(|pattern| real(Path::new(pattern)).to_string_lossy().into_owned());
        let mut patterns = self.folders.iter().map(|name| name.trim_end_matches('/').to_owned()).chain(real);
        !first.as_deref().is_some_and(is_first) && patterns.any(|pattern| fits(&pattern))
    }

    /// The patterns, and the folders their links resolve to now.
    fn real_folders(&self) -> Folders {
        let given = self.folders.iter().map(PathBuf::from);
        Folders::new(&given.flat_map(|pattern| [real(&pattern), pattern]).collect::<Vec<_>>())
    }

    /// These sessions are no longer recorded.
    pub fn forget_sessions(env: &Env, sessions: &[&str]) -> io::Result<()> {
        LeaveOutRules::change(env, files::LOCK_WAIT, &|left_out| {
            let hashes = sessions.iter().map(|id| Mask::session_hash(id));
            let new: Vec<u64> = hashes.filter(|hash| !left_out.sessions.contains(hash)).collect();
            left_out.sessions.extend(new);
        })
    }

    /// The same for sessions that another machine forgot.
    pub fn forget_session_hashes(env: &Env, hashes: &[u64]) -> io::Result<()> {
        LeaveOutRules::change(env, files::LOCK_WAIT, &|left_out| {
            let new: Vec<u64> =
                hashes.iter().copied().filter(|hash| !left_out.sessions.contains(hash)).collect();
            left_out.sessions.extend(new);
        })
    }

    /// They are recorded again from now on.
    pub fn record_again(env: &Env, sessions: &[&str]) -> io::Result<()> {
        let again: Vec<u64> = sessions.iter().map(|id| Mask::session_hash(id)).collect();
        LeaveOutRules::change(env, files::LOCK_WAIT, &|left_out| {
            left_out.sessions.retain(|hash| !again.contains(hash));
        })
    }

    /// Every later process masks this text.
    pub fn forget_text(env: &Env, text: &Forgotten) -> io::Result<()> {
        LeaveOutRules::change(env, files::LOCK_WAIT, &|left_out| left_out.texts.push(text.clone()))
    }

    /// Masks secrets and forgotten texts, and removes rows of left-out folders.
    pub fn mask(&self) -> Mask {
        let mask = Mask::new(self.texts.clone()).forgetting_sessions(self.sessions.clone());
        if self.folders.is_empty() { mask } else { mask.leaving_out(self.real_folders()) }
    }

    /// Changes the stored rules, safely with other processes that do the same.
    fn change(env: &Env, patience: Duration, change: &dyn Fn(&mut LeaveOutRules)) -> io::Result<()> {
        let Some(data) = env.data_dir.as_deref() else { return Ok(()) };
        files::private_folder(data)?;
        files::change(&data.join(FILE), &data.join(files::LOCK), patience, &|text| {
            let mut left_out = LeaveOutRules::parsed(text);
            change(&mut left_out);
            Some(left_out.to_text())
        })
    }

    fn read(data: &Path) -> LeaveOutRules {
        LeaveOutRules::parsed(&std::fs::read_to_string(data.join(FILE)).unwrap_or_default())
    }

    fn parsed(text: &str) -> LeaveOutRules {
        let mut left_out = LeaveOutRules { stamp: NO_CONFIG.to_owned(), ..LeaveOutRules::default() };
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

    fn to_text(&self) -> String {
        let mut text = format!("{FIRST_LINE}\nconfig {}\n", self.stamp);
        for pattern in &self.folders {
            let _ = writeln!(text, "folder {pattern}");
        }
        for hash in &self.sessions {
            let _ = writeln!(text, "session {hash:016x}");
        }
        for one in &self.texts {
            let _ = writeln!(text, "text {}", one.to_line());
        }
        text
    }
}

/// An unpredictable number, for hashes.
pub fn salt() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

const NO_CONFIG: &str = "none";

/// Identifies a `config.toml` by size and time.
fn stamp(config: &Path) -> String {
    let Ok(meta) = config.metadata() else { return NO_CONFIG.to_owned() };
    let changed = meta.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    format!("{} {}", meta.len(), changed.map_or(0, |at| at.as_nanos()))
}

/// Patterns as absolute paths, with `~` resolved.
fn compiled(env: &Env, patterns: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for pattern in patterns.iter().map(|pattern| pattern.trim()).filter(|pattern| !pattern.is_empty()) {
        let home = env.home.as_deref().map(|home| home.to_string_lossy().into_owned()).unwrap_or_default();
        let whole = match pattern.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
            _ if Path::new(pattern).is_absolute() => pattern.to_owned(),
            _ => format!("**/{pattern}"),
        };
        all.push(whole);
    }
    all.retain(|pattern| !pattern.contains('\n'));
    all
}

/// A path with its links resolved as far as it exists. A component with `*` or `?` never exists.
fn real(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    let Some((above, real)) = there else { return path.to_owned() };
    path.strip_prefix(above)
        .map_or(real.clone(), |rest| if rest == Path::new("") { real } else { real.join(rest) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::files::Access;

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
    fn rules_file_exists_only_with_settings_and_follows_changes_at_once() {
        let (_tmp, env) = env();
        let path = env.data_dir.clone().unwrap().join(FILE);
        assert!(
            !LeaveOutRules::load(&env).holds("s", Some(Path::new("/home/user/x")), None) && !path.exists()
        );
        set(&env, "[privacy]\nleave_out = [\"~/x\", \"client-*\"]\n");
        let holds = |folder: &str| LeaveOutRules::load(&env).holds("s", Some(Path::new(folder)), None);
        assert!(holds("/home/user/x/y") && holds("/srv/client-7") && !holds("/home/user/y"));
        assert_eq!(LeaveOutRules::load(&env), LeaveOutRules::read(env.data_dir.as_deref().unwrap()));
        set(&env, "[privacy]\nleave_out = []\n");
        assert!(!holds("/home/user/x/y"));
    }

    /// The transcript does not contain its folder, so its project's name decides.
    #[cfg(unix)]
    #[test]
    fn project_is_recognised_through_any_link_to_its_folder() {
        let (tmp, env) = env();
        let root = tmp.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("acme")).unwrap();
        std::fs::create_dir_all(root.join("other")).unwrap();
        std::os::unix::fs::symlink(root.join("acme"), root.join("link")).unwrap();
        let name = root.join("acme").to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let transcript = root.join(".claude/projects").join(name).join("s.jsonl");
        for pattern in ["acme", "acme/", "link", "other/../acme"] {
            let pattern = format!("{}/{pattern}", root.display());
            set(&env, &format!("[privacy]\nleave_out = [{pattern:?}]\n"));
            assert!(LeaveOutRules::load(&env).holds("s", None, Some(&transcript)), "{pattern}");
        }
    }

    #[test]
    fn invalid_settings_keep_the_last_rules() {
        let (_tmp, env) = env();
        let holds = |folder: &str| LeaveOutRules::load(&env).holds("s", Some(Path::new(folder)), None);
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
    fn forgotten_session_is_recognised_by_hash_until_recorded_again() {
        let (_tmp, env) = env();
        LeaveOutRules::forget_sessions(&env, &["0a725fb5-6378", "other"]).unwrap();
        set(&env, "budget = 4000\n");
        let again = LeaveOutRules::load(&env);
        assert!(
            again.holds("0a725fb5-6378", None, None)
                && again.holds("other", None, None)
                && !again.holds("third", None, None)
        );
        let text = std::fs::read_to_string(env.data_dir.clone().unwrap().join(FILE)).unwrap();
        assert!(!text.contains("0a725fb5"), "{text}");
        LeaveOutRules::record_again(&env, &["other"]).unwrap();
        assert!(!LeaveOutRules::load(&env).holds("other", None, None));
    }
}
