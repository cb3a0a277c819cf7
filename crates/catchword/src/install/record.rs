//! What we record about a settings file we changed, so that it can be restored.
//!
//! One small JSON file each, `install/<key>.json` in the data directory, which contains the original text.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use catchword_engine::text::hash::fnv1a;
use serde::{Deserialize, Serialize};

use crate::app::files::{self, Access};

/// A settings file before and after us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallRecord {
    /// Its text without us; `None` if there was no file.
    pub original: Option<String>,
    /// Its text as we left it.
    pub installed: String,
    /// The folders that were created for it, outermost first.
    pub created_folders: Vec<PathBuf>,
    /// The status line that ours wraps, verbatim.
    pub status_line: Option<String>,
}

/// The record's file format.
#[derive(Deserialize, Serialize)]
struct RecordFile {
    /// For people who look for their backup.
    settings: String,
    original: Option<String>,
    installed: String,
    created_folders: Vec<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status_line: Option<String>,
}

impl InstallRecord {
    /// The folder of all records.
    pub fn folder(data_dir: &Path) -> PathBuf {
        data_dir.join("install")
    }

    /// The record of `settings`. A damaged one counts as missing; the file is then edited minimally.
    pub fn load(data_dir: &Path, settings: &Path) -> Option<InstallRecord> {
        InstallRecord::by_key(data_dir, &key(settings))
    }

    /// The record with this name, as returned by [`key`].
    pub fn by_key(data_dir: &Path, key: &str) -> Option<InstallRecord> {
        let text = fs::read(named(data_dir, key)).ok()?;
        let file: RecordFile = serde_json::from_slice(&text).ok()?;
        let RecordFile { original, installed, created_folders, status_line, .. } = file;
        Some(InstallRecord { original, installed, created_folders, status_line })
    }

    pub fn save(&self, data_dir: &Path, settings: &Path) -> io::Result<()> {
        let file = RecordFile {
            settings: settings.display().to_string(),
            original: self.original.clone(),
            installed: self.installed.clone(),
            created_folders: self.created_folders.clone(),
            status_line: self.status_line.clone(),
        };
        let text = serde_json::to_vec_pretty(&file)?;
        files::replace(&place(data_dir, settings), &text, Access::Private)
    }

    pub fn forget(data_dir: &Path, settings: &Path) -> io::Result<()> {
        match fs::remove_file(place(data_dir, settings)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            _ => Ok(()),
        }
    }
}

fn place(data_dir: &Path, settings: &Path) -> PathBuf {
    named(data_dir, &key(settings))
}

fn named(data_dir: &Path, key: &str) -> PathBuf {
    InstallRecord::folder(data_dir).join(format!("{key}.json"))
}

/// The name of the record of `settings`.
pub fn key(settings: &Path) -> String {
    format!("{:016x}", fnv1a(real_place(settings).as_os_str().as_encoded_bytes()))
}

/// Where a path leads, the same for every path to a file; of a missing file, where its folder is.
pub fn real_place(path: &Path) -> PathBuf {
    let known = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    known.map_or_else(
        || path.to_owned(),
        |(above, real)| match path.strip_prefix(above).expect("an ancestor") {
            below if below.as_os_str().is_empty() => real,
            below => real.join(below),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_is_found_again_once_its_file_exists() {
        let tmp = tempfile::tempdir().unwrap();
        let (data, settings) = (tmp.path().join("data"), tmp.path().join("home/.claude/settings.json"));
        files::private_folder(&InstallRecord::folder(&data)).unwrap();
        let record = InstallRecord {
            original: None,
            installed: "{}".to_owned(),
            created_folders: vec!["a".into()],
            status_line: Some("{}".to_owned()),
        };
        record.save(&data, &settings).unwrap();
        fs::create_dir_all(settings.parent().unwrap()).unwrap();
        assert_eq!(InstallRecord::load(&data, &settings), Some(record.clone()));
        fs::File::create(&settings).unwrap();
        assert_eq!(InstallRecord::load(&data, &settings), Some(record));
        InstallRecord::forget(&data, &settings).unwrap();
        InstallRecord::forget(&data, &settings).unwrap();
        assert_eq!(InstallRecord::load(&data, &settings), None);
    }
}
