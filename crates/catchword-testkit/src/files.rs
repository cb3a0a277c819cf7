//! Reads and writes the files of a test: creates missing folders, and panics with the path.

use std::path::Path;

/// Writes `text` to `path`, creating its folders.
#[expect(clippy::disallowed_methods, reason = "a test's own files need neither privacy nor atomicity")]
pub fn write(path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
    let path = path.as_ref();
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).unwrap_or_else(|e| panic!("make {}: {e}", folder.display()));
    }
    std::fs::write(path, text).unwrap_or_else(|e| panic!("write {}: {e}", path.display()));
}

/// Appends `text` to `path`, as a client does with its transcript.
pub fn append(path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
    use std::io::Write;
    let path = path.as_ref();
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .unwrap_or_else(|e| panic!("open {}: {e}", path.display()));
    file.write_all(text.as_ref()).unwrap_or_else(|e| panic!("append to {}: {e}", path.display()));
}

/// The text of `path`, or an empty string if there is no such file.
pub fn read(path: impl AsRef<Path>) -> String {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}
