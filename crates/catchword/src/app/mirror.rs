//! Writes the notes to a file in the project if the user wants one (`mirror` in `[notes]` of the settings).
//!
//! Written at the end of a turn, before a compaction and at the end of a session, never on a tick. Replaces only a file
//! that has our marker, and atomically, so that nobody loses their own file or reads half of ours. The project may be a
//! stranger's repository: nothing is written or read through its links, and no more is read than tells whose file it is.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use catchword_engine::brief::notes::MARKER;
use catchword_engine::model::event::{HookEvent, short_id};
use catchword_engine::ops::hook::NotesDocument;
use catchword_engine::redact::Mask;

use crate::app::env::Env;
use crate::app::files::{self, Access};

/// Bytes at the start of a file that tell whether it is ours: the marker is in its third line.
const HEAD: u64 = 4096;

/// Writes the notes to `path`: relative to the session's folder unless it is absolute; `{session}` becomes what is
/// shown of the session's id.
pub fn write(path: &str, document: &NotesDocument, event: &HookEvent) -> Result<(), String> {
    let root = document.root.as_deref().map(Path::new).or(event.cwd.as_deref());
    let Some(path) = place(path, &event.session, root) else {
        return Err("notes are not written out: the session's folder is not known".to_owned());
    };
    put(&path, root, &document.text)
        .map_err(|why| format!("notes are not written to {}: {why}", path.display()))
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
    places.retain(|path| is_ours(path).unwrap_or(false) && names(path, session));
    places
}

/// Whether there is a file of ours; an error where something else is.
fn is_ours(path: &Path) -> io::Result<bool> {
    Ok(head(path)?.lines().any(|line| line == MARKER))
}

/// Sessions of a folder may share a file: it contains the notes of the one that its heading names.
fn names(path: &Path, session: &str) -> bool {
    let text = head(path).unwrap_or_default();
    text.lines().next().is_some_and(|heading| heading.ends_with(&format!(" {session}")))
}

/// The heading and the marker.
fn head(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&files::start_of(path, HEAD)?).into_owned())
}

/// Masks such files again by the current rules.
pub fn mask_again(env: &Env, paths: &[PathBuf], mask: &Mask) -> io::Result<()> {
    paths.iter().try_for_each(|path| files::mask(env, path, mask))
}

fn put(path: &Path, root: Option<&Path>, text: &str) -> Result<(), String> {
    let said = |error: io::Error| error.to_string();
    let (folder, name) =
        path.parent().zip(path.file_name()).ok_or("it names no file; name one in config.toml")?;
    let below = root.and_then(|root| Some((root, folder.strip_prefix(root).ok()?)));
    let folder = if let Some((root, below)) = below {
        files::folder_inside(root, below).map_err(said)?
    } else {
        fs::create_dir_all(folder).map_err(said)?;
        folder.to_owned()
    };
    let path = folder.join(name);
    match is_ours(&path) {
        Ok(false) => {
            return Err(
                "a file that catchword did not write is there; move it, or name another in config.toml"
                    .to_owned(),
            );
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error.to_string()),
        Ok(true)
            if files::start_of(&path, text.len() as u64 + 1).is_ok_and(|there| there == text.as_bytes()) =>
        {
            return Ok(());
        }
        Ok(true) => {}
    }
    files::replace(&path, text.as_bytes(), Access::Usual).map_err(said)
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
