//! Finds transcripts on disk.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use catchword_engine::clients::{CLIENTS, Client};
use catchword_engine::transcript::{self, database};

use super::env::Env;

/// Transcripts, and paths that could not be read.
pub struct FoundTranscripts {
    pub transcripts: BTreeSet<PathBuf>,
    pub problems: Vec<(PathBuf, io::Error)>,
    subagents: bool,
}

/// The folder with a client's transcripts, or its database; `None` without a home.
pub fn folder_of(client: &Client, env: &Env) -> Option<PathBuf> {
    let database = client.transcripts.database.as_ref().zip(env.data_home.as_ref());
    database.map_or_else(
        || Some(env.config_dir(client)?.join(client.transcripts.folder)),
        |(database, data)| Some(data.join(database.file)),
    )
}

/// The folders of all clients.
pub fn folders(env: &Env) -> anyhow::Result<Vec<PathBuf>> {
    let folders: Vec<PathBuf> = CLIENTS.iter().filter_map(|client| folder_of(client, env)).collect();
    anyhow::ensure!(!folders.is_empty(), "no home directory: name transcripts, or a folder with some");
    Ok(folders)
}

/// The conversations of all clients that are not empty, last written first, with their bytes.
pub fn newest_first(env: &Env) -> Vec<(PathBuf, u64)> {
    let mut found = FoundTranscripts::conversations();
    folders(env).unwrap_or_default().iter().for_each(|folder| found.look(folder, true));
    let written = |path: PathBuf| {
        let extent = transcript::extent(&path).ok().filter(|extent| extent.bytes > 0)?;
        Some((extent.changed, path, extent.bytes))
    };
    let mut all: Vec<_> = found.transcripts.into_iter().filter_map(written).collect();
    all.sort_by(|one, other| other.cmp(one));
    all.into_iter().map(|(_, path, bytes)| (path, bytes)).collect()
}

/// The transcript of a session that is not recorded, and its client.
pub fn of_session(id: &str, env: &Env) -> Option<(&'static Client, PathBuf)> {
    CLIENTS.iter().find_map(|client| {
        let mut found = FoundTranscripts::conversations();
        found.look(&folder_of(client, env)?, true);
        let is_its = |path: &PathBuf| (client.transcripts.is_of)(path, id);
        Some((*client, found.transcripts.into_iter().find(is_its)?))
    })
}

impl FoundTranscripts {
    /// Finds transcripts of main conversations only.
    pub fn conversations() -> Self {
        FoundTranscripts { transcripts: BTreeSet::new(), problems: Vec::new(), subagents: false }
    }

    /// Finds transcripts of subagents, too.
    pub fn all() -> Self {
        FoundTranscripts { subagents: true, ..Self::conversations() }
    }

    /// Adds a transcript, or all below a folder. Follows links that are named, but not links it comes across: a folder
    /// that links to itself would never end.
    pub fn look(&mut self, path: &Path, named: bool) {
        let kind = if named { path.metadata() } else { path.symlink_metadata() };
        match kind {
            // In a database.
            Err(_) if named && transcript::is_there(path) => {
                self.transcripts.insert(path.to_owned());
            }
            Err(error) => self.problems.push((path.to_owned(), error)),
            Ok(kind) if named && kind.is_file() && database::is_database(path) => self.look_into(path),
            Ok(kind) if kind.is_dir() => self.look_below(path),
            Ok(kind) if named || (kind.is_file() && is_transcript(path)) => {
                self.transcripts.insert(path.to_owned());
            }
            Ok(_) => {}
        }
    }

    fn look_into(&mut self, file: &Path) {
        match database::sessions(file) {
            Ok(sessions) => {
                let wanted = sessions.into_iter().filter(|(_, is_subagents)| self.subagents || !is_subagents);
                self.transcripts.extend(wanted.map(|(path, _)| path));
            }
            Err(error) => self.problems.push((file.to_owned(), error)),
        }
    }

    fn look_below(&mut self, folder: &Path) {
        if !self.subagents && is_of_subagents(folder) {
            return;
        }
        match std::fs::read_dir(folder) {
            Ok(entries) => entries.flatten().for_each(|entry| self.look(&entry.path(), false)),
            Err(error) => self.problems.push((folder.to_owned(), error)),
        }
    }
}

fn is_of_subagents(folder: &Path) -> bool {
    let name = folder.file_name();
    CLIENTS.iter().any(|client| {
        client.transcripts.subagents.as_ref().is_some_and(|own| name.is_some_and(|name| name == own.name))
    })
}

fn is_transcript(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "jsonl")
}
