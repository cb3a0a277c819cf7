//! How much is kept, and what is removed first.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::{BackupError, BackupList, Backups, Lock};

const DAY: i64 = 86_400_000;
/// Contains the time of the last prune.
const STAMP: &str = "pruned";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupLimits {
    /// Backups older than this are removed.
    pub keep_days: u32,
    /// Total size of all backups, in bytes.
    pub max_bytes: u64,
    /// This many of the current project's latest sessions are kept, whatever their age and size.
    pub keep_last: usize,
}

/// The result of a prune.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Sessions whose backups were removed.
    pub sessions: Vec<String>,
    /// Bytes freed.
    pub bytes: u64,
    /// Bytes left.
    pub left: u64,
}

/// A session with all its threads.
struct Stored {
    session: String,
    project: Option<PathBuf>,
    at: i64,
    bytes: u64,
}

impl Backups {
    /// Whether the last prune was more than a day ago. Hooks prune at most once a day.
    pub fn is_prune_due(&self, now: i64) -> bool {
        let text = std::fs::read_to_string(self.folder.join(STAMP)).unwrap_or_default();
        let last: Option<i64> = text.trim().parse().ok();
        last.is_none_or(|last| !(0..DAY).contains(&(now - last)))
    }

    /// Removes backups that are too old. If the rest is still too large, removes those with the largest size times age
    /// first. The latest sessions of `current` are kept.
    pub fn prune(
        &self,
        lock: &Lock,
        limits: &BackupLimits,
        current: Option<&Path>,
        now: i64,
    ) -> Result<Pruned, BackupError> {
        let mut stored = by_session(&self.all()?);
        let mut pruned = Pruned { left: stored.iter().map(|one| one.bytes).sum(), ..Pruned::default() };
        stored.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.session.cmp(&b.session)));
        let mut protected = limits.keep_last;
        stored.retain(|one| {
            let here = current.zip(one.project.as_deref()).is_some_and(|(a, b)| is_same_project(a, b));
            let stays = here && protected > 0;
            protected -= usize::from(stays);
            !stays
        });
        let age = |one: &Stored| (now - one.at).max(0);
        let weight = |one: &Stored| u128::from(one.bytes) * (age(one) / DAY + 1) as u128;
        let is_old = |one: &Stored| age(one) > i64::from(limits.keep_days) * DAY;
        stored.sort_by_key(|one| (!is_old(one), std::cmp::Reverse(weight(one))));
        for one in stored {
            if is_old(&one) || pruned.left > limits.max_bytes {
                pruned.bytes += one.bytes;
                pruned.left -= one.bytes;
                pruned.sessions.push(one.session);
            }
        }
        if !pruned.sessions.is_empty() {
            self.remove(lock, &pruned.sessions.iter().map(String::as_str).collect::<Vec<_>>())?;
        }
        self.write_file(&self.folder.join(STAMP), now.to_string().as_bytes())?;
        Ok(pruned)
    }
}

fn by_session(all: &[BackupList]) -> Vec<Stored> {
    let mut sessions: HashMap<&str, Stored> = HashMap::new();
    for kept in all {
        let session = kept.session.as_str();
        let stored = sessions.entry(session).or_insert_with(|| Stored {
            session: session.to_owned(),
            project: None,
            at: kept.at,
            bytes: 0,
        });
        stored.at = stored.at.max(kept.at);
        stored.bytes += kept.packed();
        if stored.project.is_none() {
            stored.project.clone_from(&kept.project);
        }
    }
    sessions.into_values().collect()
}

/// A session may start in a subfolder of its work tree.
fn is_same_project(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}
