//! Writes the notes to a file in the project if the user wants one (`mirror` in `[notes]` of the settings).
//!
//! Written at the end of a turn, before a compaction and at the end of a session, never on a tick. Replaces only a file
//! that has our marker, and atomically, so that nobody loses their own file or reads half of ours.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use catchword_engine::brief::notes::MARKER;
use catchword_engine::model::event::{HookEvent, short_id};
use catchword_engine::ops::hook::NotesDocument;
use catchword_engine::redact::Mask;

use crate::app::env::Env;
use crate::app::files::{self, Access};

/// Writes the notes to `path`: relative to the session's folder unless it is absolute; `{session}` becomes what is
/// shown of the session's id.
pub fn write(path: &str, document: &NotesDocument, event: &HookEvent) -> Result<(), String> {
    let root = document.root.as_deref().map(Path::new).or(event.cwd.as_deref());
    let Some(path) = place(path, &event.session, root) else {
        return Err("notes are not written out: the session's folder is not known".to_owned());
    };
    put(&path, &document.text).map_err(|why| format!("notes are not written to {}: {why}", path.display()))
}

fn place(path: &str, session: &str, root: Option<&Path>) -> Option<PathBuf> {
    let id = short_id(session);
    let path = PathBuf::from(path.replace("{session}", id));
    if path.is_absolute() { Some(path) } else { root.map(|root| root.join(path)) }
}

/// The notes of a session in its folders.
pub fn of_session(path: &str, session: &str, folders: &[PathBuf]) -> Vec<PathBuf> {
    let roots = folders.iter().map(|folder| Some(folder.as_path())).chain([None]);
    let mut places: Vec<PathBuf> = roots.filter_map(|root| place(path, session, root)).collect();
    places.sort();
    places.dedup();
    places.retain(|path| is_ours(path) && names(path, session));
    places
}

fn is_ours(path: &Path) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file());
    is_file && fs::read_to_string(path).is_ok_and(|text| text.lines().any(|line| line == MARKER))
}

/// Sessions of a folder may share a file: it contains the notes of the one that its heading names.
fn names(path: &Path, session: &str) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().next().is_some_and(|heading| heading.ends_with(&format!(" {session}")))
}

/// Masks such files again by the current rules.
pub fn mask_again(env: &Env, paths: &[PathBuf], mask: &Mask) -> io::Result<()> {
    paths.iter().try_for_each(|path| files::mask(env, path, mask))
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    match fs::read_to_string(path) {
        Ok(there) if there == text => return Ok(()),
        Ok(there) if !there.lines().any(|line| line == MARKER) => {
            return Err(
                "a file that catchword did not write is there; move it, or name another in config.toml"
                    .to_owned(),
            );
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error.to_string()),
        Ok(_) => {}
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    }
    files::replace(path, text.as_bytes(), Access::Usual).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(folder: &Path, text: &str) -> NotesDocument {
        NotesDocument { root: folder.to_str().map(str::to_owned), text: format!("# x\n\n{MARKER}\n{text}") }
    }

    fn event() -> HookEvent {
        HookEvent { session: "0123456789".into(), ..HookEvent::default() }
    }

    #[test]
    fn notes_file_is_created_and_updated() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docs/notes-01234567.md");
        for text in ["one", "two"] {
            write("docs/notes-{session}.md", &document(folder.path(), text), &event()).unwrap();
            assert!(fs::read_to_string(&path).unwrap().ends_with(text));
        }
    }

    #[test]
    fn other_peoples_files_are_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("NOTES.md");
        files::replace(&path, b"mine", Access::Usual).unwrap();
        let refused = write("NOTES.md", &document(folder.path(), "x"), &event()).unwrap_err();
        assert!(refused.contains("did not write"), "{refused}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }
}
