//! Writes files atomically, and ours readable by their owner only.
//!
//! A temporary file beside the target is written, synced and renamed over it: a crash leaves the old or the new
//! content. Everything else in this binary writes through here.

use std::borrow::Cow;
use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use catchword_engine::redact::Mask;

use crate::app::env::Env;

pub enum Access {
    /// Only its owner: for our data directory.
    Private,
    /// The permissions of the file that is replaced.
    Like(Permissions),
    /// As any new file of this user (umask): for other folders.
    Usual,
}

/// The lock for files in our data directory that are read, changed and written ([`change`]).
pub const LOCK: &str = "lock";

/// How long a command waits for another one that holds the lock.
pub const LOCK_WAIT: Duration = Duration::from_secs(10);

/// Most bytes of a text that a command is given: far above any summary, far below a machine's memory.
pub const GIVEN_TEXT: u64 = 16 << 20;

/// Prefix of temporary files; one that is hours old was left by a killed process.
pub const TEMPORARY: &str = ".catchword-";

/// Length of the random part of their names.
const RANDOM: usize = 6;

/// Whether this is the name of one of our temporary files.
pub fn is_temporary(name: &str) -> bool {
    let random = name.strip_prefix(TEMPORARY);
    random.is_some_and(|r| r.len() == RANDOM && r.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// Replaces the file at `path` atomically.
pub fn replace(path: &Path, content: &[u8], access: Access) -> io::Result<()> {
    put(path, access, true, |file| file.write_all(content))
}

/// The same for streamed content; an existing file is replaced only with `over`.
pub fn put(
    path: &Path,
    access: Access,
    over: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let folder = folder_of(path);
    let file = prepared(folder, access, write)?;
    let put = if over { file.persist(path) } else { file.persist_noclobber(path) };
    put.map_err(|e| e.error)?;
    sync_folder(folder)
}

/// A temporary file in `folder` with its content, synced.
fn prepared(
    folder: &Path,
    access: Access,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<tempfile::NamedTempFile> {
    let mut file = beside(folder, &access)?;
    write(&mut file)?;
    if let Access::Like(permissions) = access {
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    Ok(file)
}

/// A temporary file in `folder`; tempfile makes them private by default.
fn beside(folder: &Path, access: &Access) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY).rand_bytes(RANDOM);
    #[cfg(unix)]
    if matches!(access, Access::Usual) {
        use std::os::unix::fs::PermissionsExt;
        // The mode passed to open(2), from which the umask is subtracted.
        builder.permissions(Permissions::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = access;
    builder.tempfile_in(folder)
}

/// Makes the rename survive a power cut.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Creates `folder` and its missing parents, readable by their owner only.
pub fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The folder `below` inside `root`, created if it is missing, step by step: links must stay inside.
pub fn folder_inside(root: &Path, below: &Path) -> io::Result<PathBuf> {
    let outside = || io::Error::new(io::ErrorKind::PermissionDenied, "leads out of the project");
    let root = root.canonicalize()?;
    let mut folder = root.clone();
    for step in below.components() {
        match step {
            Component::CurDir => continue,
            Component::Normal(name) => folder.push(name),
            _ => return Err(outside()),
        }
        match fs::symlink_metadata(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::create_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => made?,
            },
            Err(error) => return Err(error),
            Ok(_) => {}
        }
        folder = folder.canonicalize()?;
        if !folder.starts_with(&root) {
            return Err(outside());
        }
    }
    Ok(folder)
}

/// Waits for an exclusive lock on `path`; dropping the returned file releases it.
pub fn lock(path: &Path) -> io::Result<File> {
    let file = lock_file(path)?;
    file.lock()?;
    Ok(file)
}

fn lock_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// The same, with a time-out.
pub fn lock_within(path: &Path, patience: Duration) -> io::Result<File> {
    let file = lock_file(path)?;
    let until = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Changes a file that other processes may change or write at the same time: takes the lock beside it, and starts over
/// if the file was written in the meantime. All read-change-write cycles go through here. `None` leaves the file as it
/// is.
pub fn change(
    path: &Path,
    lock: &Path,
    patience: Duration,
    change: &dyn Fn(&str) -> Option<String>,
) -> io::Result<()> {
    let _held = lock_within(lock, patience)?;
    loop {
        let before = content(path)?;
        let Some(text) = change(&String::from_utf8_lossy(before.as_deref().unwrap_or_default())) else {
            return Ok(());
        };
        let access = fs::metadata(path).map_or(Access::Private, |meta| Access::Like(meta.permissions()));
        if replace_same(path, before.as_deref(), text.as_bytes(), access)? {
            return Ok(());
        }
    }
}

/// Replaces a file only if it still has the content that was read; returns whether it had.
pub fn replace_same(path: &Path, before: Option<&[u8]>, after: &[u8], access: Access) -> io::Result<bool> {
    let folder = folder_of(path);
    let written = prepared(folder, access, |file| file.write_all(after))?;
    if content(path)?.as_deref() != before {
        return Ok(false);
    }
    written.persist(path).map_err(|e| e.error)?;
    sync_folder(folder).map(|()| true)
}

/// Masks a document of ours again by the current rules.
pub fn mask(env: &Env, path: &Path, mask: &Mask) -> io::Result<()> {
    let Some(data) = env.data_dir.as_deref() else { return Ok(()) };
    let masked = |text: &str| match mask.text(text) {
        Cow::Owned(masked) => Some(masked),
        Cow::Borrowed(_) => None,
    };
    change(path, &data.join(LOCK), LOCK_WAIT, &masked)
}

/// `path` with links resolved, so that a linked file is changed where it is and the link stays. A dangling link is an
/// error: writing would create a file where somebody's dotfiles should be.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => fs::canonicalize(path),
        _ => Ok(path.to_owned()),
    }
}

/// A file's text. Rejects anything but a regular file: a pipe might never end.
pub fn read_text(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    fs::read_to_string(path)
}

/// The text of a file, a device or a pipe, which must end within `most` bytes.
pub fn read_within(path: &Path, most: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let too_long = format!("it has more than {} MB", most >> 20);
        return Err(io::Error::new(io::ErrorKind::InvalidInput, too_long));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// The start of a regular file. A link is none: in a project, whoever commits it would choose which file it leads to.
pub fn start_of(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut start = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut start)?;
    Ok(start)
}

/// `None` if there is no file.
fn content(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn our_files_are_private() {
        let tmp = tempfile::tempdir().unwrap();
        let folder = tmp.path().join("a/b");
        private_folder(&folder).unwrap();
        replace(&folder.join("f"), b"x", Access::Private).unwrap();
        drop(lock(&folder.join("lock")).unwrap());
        let modes = [mode(&tmp.path().join("a")), mode(&folder), mode(&folder.join("f"))];
        assert_eq!(modes, [0o700, 0o700, 0o600]);
        assert_eq!(mode(&folder.join("lock")), 0o600);
    }

    #[test]
    fn replacing_keeps_permissions_and_leaves_no_temporary_file() {
        let tmp = tempfile::tempdir().unwrap();
        let path = tmp.path().join("f");
        replace(&path, b"old", Access::Private).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        let like = fs::metadata(&path).unwrap().permissions();
        replace(&path, b"new", Access::Like(like)).unwrap();
        assert_eq!((fs::read(&path).unwrap().as_slice(), mode(&path)), (&b"new"[..], 0o640));
        assert_eq!(fs::read_dir(tmp.path()).unwrap().count(), 1);
    }
}
