//! Where handoffs are stored, and how they are written.
//!
//! By default they are in our own data directory. `handoff.dir` puts them into the project, among other people's files:
//! there nothing is written through a link that leads out of the project, and only files that we wrote are replaced.
//! Documents are written atomically, so that a killed process leaves the old one or the new one, whole. A later write
//! deletes what a killed one left behind.

use std::fs;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use catchword_engine::ops::handoff::{Handoff, MARK};
use catchword_engine::redact::Mask;

use crate::app::config::Config;
use crate::app::env::Env;
use crate::app::files::{self, Access};

/// In the data directory.
const FOLDER: &str = "handoffs";
/// Documents kept there.
const MAX_HANDOFFS: usize = 200;
/// A temporary file older than this belongs to a killed write.
const STALE: Duration = Duration::from_secs(3_600);
/// Folder entries that are checked for leftovers.
const MAX_ENTRIES: usize = 2_000;

/// Writes a handoff where the settings want it, and returns its path.
pub fn put(env: &Env, config: &Config, handoff: &Handoff) -> Result<PathBuf, String> {
    let (folder, access) = folder(env, config, handoff.project.as_deref())?;
    let path = folder.join(file_name(&handoff.session));
    let ours = matches!(access, Access::Private);
    write(&path, &handoff.text, access)?;
    delete_leftovers(env, &folder, ours);
    Ok(path)
}

/// `HANDOFF-<session>.md`. Ids contain only letters, digits and a few other characters, of which file systems reject
/// the colon.
fn file_name(session: &str) -> String {
    format!("HANDOFF-{}.md", session.replace(':', "-"))
}

/// Replaces `path` by `text`, if it is ours to replace.
pub fn write(path: &Path, text: &str, access: Access) -> Result<(), String> {
    let failed = |e: io::Error| format!("the handoff {} cannot be written: {e}", path.display());
    if !may_replace(path).map_err(failed)? {
        return Err(format!("{} was not written by catchword, so it is left as it is", path.display()));
    }
    files::replace(path, text.as_bytes(), access).map_err(failed)
}

/// Deletes the handoffs of a session: the one in our folder, and the one at `recorded`, if it is ours. Returns their
/// number.
pub fn forget(env: &Env, session: &str, recorded: Option<&Path>) -> io::Result<usize> {
    let ours = env.data_dir.as_deref().map(|data| data.join(FOLDER).join(file_name(session)));
    let mut paths: Vec<PathBuf> = ours.into_iter().chain(recorded.map(Path::to_owned)).collect();
    paths.dedup();
    let mut deleted = 0;
    for path in paths {
        if path.exists() && may_replace(&path)? {
            fs::remove_file(&path)?;
            deleted += 1;
        }
    }
    Ok(deleted)
}

/// Masks our documents again by the current rules: those in our folder, and `recorded` ones elsewhere.
pub fn mask_again(env: &Env, recorded: &[PathBuf], mask: &Mask) -> io::Result<()> {
    let folder = env.data_dir.as_deref().map(|data| data.join(FOLDER));
    let entries = folder.and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let paths: Vec<PathBuf> = entries.map(|entry| entry.path()).chain(recorded.iter().cloned()).collect();
    for path in paths {
        if path.exists() && may_replace(&path)? {
            files::mask(env, &path, mask)?;
        }
    }
    Ok(())
}

/// Whether there is no file, or one of our documents.
fn may_replace(path: &Path) -> io::Result<bool> {
    let meta = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        other => other?,
    };
    if !meta.is_file() {
        return Ok(false);
    }
    let mut first = Vec::new();
    io::Read::take(io::BufReader::new(fs::File::open(path)?), 1_000).read_until(b'\n', &mut first)?;
    Ok(first.starts_with(MARK.as_bytes()))
}

/// The folder for handoffs, created if it is missing.
fn folder(env: &Env, config: &Config, project: Option<&Path>) -> Result<(PathBuf, Access), String> {
    let Some(dir) = &config.handoff.dir else {
        let data = env.data_dir.as_deref().ok_or("no data directory: set HOME or CATCHWORD_HOME")?;
        let folder = data.join(FOLDER);
        files::private_folder(&folder).map_err(|e| format!("{} cannot be made: {e}", folder.display()))?;
        return Ok((folder, Access::Private));
    };
    let refused = |why: String| format!("handoff.dir {}: {why}", dir.display());
    if dir.is_absolute() {
        fs::create_dir_all(dir).map_err(|e| refused(e.to_string()))?;
        return Ok((dir.clone(), Access::Usual));
    }
    let project = project.ok_or_else(|| refused("the session has no folder".to_owned()))?;
    let folder = files::folder_inside(project, dir).map_err(|e| refused(e.to_string()))?;
    Ok((folder, Access::Usual))
}

/// A temporary file of ours: empty, or with the start of a document. The name alone proves nothing.
fn is_leftover(path: &Path) -> bool {
    let is_empty = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() == 0);
    is_empty || may_replace(path).unwrap_or(false)
}

/// Deletes leftovers of killed writes, and the oldest documents in our own folder. Errors are harmless.
fn delete_leftovers(env: &Env, folder: &Path, ours: bool) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let now = UNIX_EPOCH + Duration::from_millis(env.now().max(0) as u64);
    let mut documents = Vec::new();
    for entry in entries.take(MAX_ENTRIES).flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let Ok(changed) = entry.metadata().and_then(|m| m.modified()) else { continue };
        let is_stale = now.duration_since(changed).is_ok_and(|age| age > STALE);
        if files::is_temporary(&name) && is_stale && is_leftover(&entry.path()) {
            let _ = fs::remove_file(entry.path());
        } else if name.starts_with("HANDOFF-") {
            documents.push((changed, entry.path()));
        }
    }
    if ours && documents.len() > MAX_HANDOFFS {
        documents.sort();
        let excess = documents.len() - MAX_HANDOFFS;
        documents.into_iter().take(excess).for_each(|(_, path)| _ = fs::remove_file(path));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::app::config::HandoffConfig;
    use crate::app::files::TEMPORARY;
    use std::os::unix::fs::{PermissionsExt, symlink};

    struct HandoffPath {
        tmp: tempfile::TempDir,
        env: Env,
    }

    impl HandoffPath {
        fn new() -> Self {
            let tmp = tempfile::tempdir().unwrap();
            fs::create_dir(tmp.path().join("project")).unwrap();
            let data_dir = Some(tmp.path().join("data"));
            HandoffPath { tmp, env: Env { data_dir, now: Some(4_000_000_000_000), ..Env::default() } }
        }

        fn put(&self, dir: Option<&str>, text: &str) -> Result<PathBuf, String> {
            let handoff = HandoffConfig { dir: dir.map(PathBuf::from), ..Config::default().handoff };
            let config = Config { handoff, ..Config::default() };
            let project = Some(self.tmp.path().join("project"));
            put(&self.env, &config, &Handoff { session: "a:b".into(), project, text: text.to_owned() })
        }
    }

    fn a_text(body: &str) -> String {
        format!("{MARK}a:b -->\n{body}\n")
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn handoffs_go_to_the_data_directory_and_are_private_by_default() {
        let place = HandoffPath::new();
        let path = place.put(None, &a_text("one")).unwrap();
        assert_eq!(path, place.tmp.path().join("data/handoffs/HANDOFF-a-b.md"));
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        place.put(None, &a_text("two")).unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), a_text("two"));
    }

    #[test]
    fn only_our_own_files_in_the_project_are_replaced() {
        let place = HandoffPath::new();
        let path = place.put(Some("notes/handoffs"), &a_text("one")).unwrap();
        assert!(path.ends_with("project/notes/handoffs/HANDOFF-a-b.md"));
        place.put(Some("notes/handoffs"), &a_text("two")).unwrap();
        files::replace(&path, b"# My own notes\n", Access::Usual).unwrap();
        let refused = place.put(Some("notes/handoffs"), &a_text("three")).unwrap_err();
        assert!(refused.contains("was not written by catchword"), "{refused}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "# My own notes\n");
    }

    #[test]
    fn links_and_dots_cannot_lead_out_of_the_project() {
        let place = HandoffPath::new();
        let (project, elsewhere) = (place.tmp.path().join("project"), place.tmp.path().join("elsewhere"));
        fs::create_dir(&elsewhere).unwrap();
        symlink(&elsewhere, project.join("out")).unwrap();
        symlink(elsewhere.join("nowhere"), project.join("dangling")).unwrap();
        for dir in ["out", "out/deeper", "..", "../elsewhere", "dangling"] {
            assert!(place.put(Some(dir), &a_text("x")).is_err(), "{dir}");
        }
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0, "nothing was made there");
        fs::create_dir(project.join("docs")).unwrap();
        symlink(project.join("docs"), project.join("in")).unwrap();
        assert!(place.put(Some("in"), &a_text("x")).is_ok(), "a link within the project is fine");
        // The file itself is a link.
        let target = elsewhere.join("precious");
        files::replace(&target, a_text("ours, but elsewhere").as_bytes(), Access::Usual).unwrap();
        symlink(&target, project.join("HANDOFF-a-b.md")).unwrap();
        assert!(place.put(Some("."), &a_text("x")).is_err());
        assert_eq!(fs::read_to_string(&target).unwrap(), a_text("ours, but elsewhere"));
    }

    #[test]
    fn leftovers_of_killed_writes_and_excess_documents_are_deleted() {
        let place = HandoffPath::new();
        let folder = place.put(None, &a_text("x")).unwrap().parent().unwrap().to_owned();
        for n in 0..MAX_HANDOFFS + 20 {
            fs::File::create(folder.join(format!("HANDOFF-{n}.md"))).unwrap();
        }
        fs::File::create(folder.join(format!("{TEMPORARY}abc123"))).unwrap();
        fs::File::create(folder.join("notes.txt")).unwrap();
        place.put(None, &a_text("x")).unwrap();
        let names: Vec<String> =
            fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        assert!(!names.iter().any(|n| n.starts_with(TEMPORARY)), "{names:?}");
        assert!(names.contains(&"notes.txt".to_owned()) && names.contains(&"HANDOFF-a-b.md".to_owned()));
        assert_eq!(names.len(), MAX_HANDOFFS + 1);
    }
}
