//! Writing files so that nobody ever sees half of one, and so that ours are readable by their owner only.
//!
//! A temporary file beside the target, synced, then renamed over it: a crash leaves the old or the new
//! content. Everything else in this binary writes through here.

use std::borrow::Cow;
use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use catchword_engine::redact::Mask;

use crate::app::env::Env;

/// Who may read a file that is written.
pub enum Access {
    /// Only its owner: what lies in our data directory.
    Private,
    /// As this one, which is replaced.
    Like(Permissions),
    /// As any new file of this user (his umask): what lies in a folder of somebody else.
    Usual,
}

/// The lock of the files in our data directory that are read, changed and written ([`change`]).
pub const LOCK: &str = "lock";

/// How long a command waits for another one that changes them.
pub const LOCK_WAIT: Duration = Duration::from_secs(10);

/// How the name of a temporary file begins; one that is hours old was left by a process that was killed.
pub const TEMPORARY: &str = ".catchword-";

/// Letters and digits after it.
const RANDOM: usize = 6;

/// Whether this is how our temporary files are called.
pub fn is_temporary(name: &str) -> bool {
    let random = name.strip_prefix(TEMPORARY);
    random.is_some_and(|r| r.len() == RANDOM && r.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// Puts `content` at `path` in one step.
pub fn replace(path: &Path, content: &[u8], access: Access) -> io::Result<()> {
    put(path, access, true, |file| file.write_all(content))
}

/// The same for content that comes piece by piece; where something is in the way, only with `over`.
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

/// A temporary file in `folder` with its content, on the disk.
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

/// A temporary file in `folder`; tempfile makes them private unless told otherwise.
fn beside(folder: &Path, access: &Access) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY).rand_bytes(RANDOM);
    #[cfg(unix)]
    if matches!(access, Access::Usual) {
        use std::os::unix::fs::PermissionsExt;
        // The mode of open(2): the umask takes away from it.
        builder.permissions(Permissions::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = access;
    builder.tempfile_in(folder)
}

/// Makes the rename itself survive a power cut.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Makes `folder` and what is missing above it, readable by their owner only.
pub fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Waits until no other process holds `path` and holds it until the returned file is dropped.
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

/// The same, for at most `patience`.
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

/// Changes a file of ours that others may be changing or writing at the same time: whoever changes it waits for the lock
/// beside it, and what was written meanwhile is read again. The one way to read, change and write a file. `None` leaves
/// it as it is.
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

/// Replaces a file only if it still holds what was read; whether it did.
pub fn replace_same(path: &Path, before: Option<&[u8]>, after: &[u8], access: Access) -> io::Result<bool> {
    let folder = folder_of(path);
    let written = prepared(folder, access, |file| file.write_all(after))?;
    if content(path)?.as_deref() != before {
        return Ok(false);
    }
    written.persist(path).map_err(|e| e.error)?;
    sync_folder(folder).map(|()| true)
}

/// Masks a document of ours once more, by the rules of now.
pub fn mask(env: &Env, path: &Path, mask: &Mask) -> io::Result<()> {
    let Some(data) = env.data_dir.as_deref() else { return Ok(()) };
    let masked = |text: &str| match mask.text(text) {
        Cow::Owned(masked) => Some(masked),
        Cow::Borrowed(_) => None,
    };
    change(path, &data.join(LOCK), LOCK_WAIT, &masked)
}

/// A file's text. What is no file, as a pipe, might never end.
pub fn read_text(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    fs::read_to_string(path)
}

/// Nothing where there is no file.
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
    fn our_files_are_readable_by_their_owner_only() {
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
    fn a_replaced_file_keeps_its_permissions_and_leaves_nothing_beside_it() {
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
