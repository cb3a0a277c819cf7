//! What we remember of a settings file we changed: enough to put it back as it was.
//!
//! One small JSON file for each, `install/<key>.json` in the data directory; the original text is in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files::{self, Access};

/// A settings file before and after us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its text without us; `None` when there was no file.
    pub original: Option<String>,
    /// Its text as we left it.
    pub installed: String,
    /// The folders that were made for it, outermost first.
    pub created_folders: Vec<PathBuf>,
    /// The status line that ours was put around, as it was written.
    pub status_line: Option<String>,
}

/// The record as it lies on disk.
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

impl Record {
    /// Where records lie.
    pub fn folder(data_dir: &Path) -> PathBuf {
        data_dir.join("install")
    }

    /// The record of `settings`; a missing or damaged one is none, and the file is then edited minimally.
    pub fn load(data_dir: &Path, settings: &Path) -> Option<Record> {
        Record::by_key(data_dir, &key(settings))
    }

    /// The record with this name, as [`key`] gives them.
    pub fn by_key(data_dir: &Path, key: &str) -> Option<Record> {
        let text = fs::read(named(data_dir, key)).ok()?;
        let file: RecordFile = serde_json::from_slice(&text).ok()?;
        let RecordFile { original, installed, created_folders, status_line, .. } = file;
        Some(Record { original, installed, created_folders, status_line })
    }

    /// Keeps the record of `settings`.
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

    /// Drops the record of `settings`.
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
    Record::folder(data_dir).join(format!("{key}.json"))
}

/// A name for the record of `settings`.
pub fn key(settings: &Path) -> String {
    // However the file was reached, it is the same file; one that is not there yet is found by its folder.
    let key = settings.canonicalize().unwrap_or_else(|_| by_folder(settings));
    format!("{:016x}", fnv(key.as_os_str().as_encoded_bytes()))
}

fn by_folder(settings: &Path) -> PathBuf {
    let known = settings.ancestors().skip(1).find_map(|above| Some((above, above.canonicalize().ok()?)));
    known.map_or_else(
        || settings.to_owned(),
        |(above, real)| real.join(settings.strip_prefix(above).expect("an ancestor")),
    )
}

/// FNV-1a, a name for a path that is the same in every version of ours (the standard hasher promises none).
fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_found_again_once_its_file_and_folder_exist() {
        let tmp = tempfile::tempdir().unwrap();
        let (data, settings) = (tmp.path().join("data"), tmp.path().join("home/.claude/settings.json"));
        files::private_folder(&Record::folder(&data)).unwrap();
        let record = Record {
            original: None,
            installed: "{}".to_owned(),
            created_folders: vec!["a".into()],
            status_line: Some("{}".to_owned()),
        };
        record.save(&data, &settings).unwrap();
        fs::create_dir_all(settings.parent().unwrap()).unwrap();
        assert_eq!(Record::load(&data, &settings), Some(record.clone()));
        fs::File::create(&settings).unwrap();
        assert_eq!(Record::load(&data, &settings), Some(record));
        Record::forget(&data, &settings).unwrap();
        Record::forget(&data, &settings).unwrap();
        assert_eq!(Record::load(&data, &settings), None);
    }
}
