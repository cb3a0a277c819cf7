//! Normalises paths, so that every spelling of a file is one path.

use crate::text::words::is_path;

/// `path` as typed in `folder`: absolute if the folder is known, with forward slashes, without `.` and `..`.
pub fn whole_path(folder: Option<&str>, path: &str) -> String {
    joined(folder.unwrap_or_default(), path)
}

/// `folder/path`, normalised; an absolute `path` ignores the folder.
pub fn joined(folder: &str, path: &str) -> String {
    let drive = drive_of(folder).or_else(|| drive_of(path));
    let (folder, path) = match drive {
        Some(drive) => (slashed(folder, drive), slashed(path, drive)),
        None => (folder.to_owned(), path.to_owned()),
    };
    let both = if is_absolute(&path) || folder.is_empty() { path } else { format!("{folder}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in both.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." && parts.last().is_some_and(|last| *last != "..") {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    let root = if both.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

/// Whether a path is absolute on any system, or starts with `~`.
pub fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '~']) || drive_of(path).is_some()
}

/// The drive of a Windows path.
fn drive_of(path: &str) -> Option<char> {
    let mut chars = path.chars();
    let drive = chars.next().filter(char::is_ascii_alphabetic)?;
    (chars.next() == Some(':') && matches!(chars.next(), Some('/' | '\\') | None))
        .then(|| drive.to_ascii_uppercase())
}

/// A Windows path in one spelling: tools write `D:\a\b`, shells `D:/a/b` or `/d/a/b`.
fn slashed(path: &str, drive: char) -> String {
    let path = path.replace('\\', "/");
    let of_shell = format!("/{}/", drive.to_ascii_lowercase());
    match (drive_of(&path), path.strip_prefix(&of_shell)) {
        (Some(drive), _) => format!("{drive}{}", &path[1..]),
        (None, Some(rest)) => format!("{drive}:/{rest}"),
        (None, None) => path,
    }
}

/// Whether `path` is `folder` or inside it.
pub fn is_inside(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches(['/', '\\']);
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
}

/// Whether a path or a text names a place for temporary files.
pub fn is_temporary(text: &str) -> bool {
    ["/tmp/", "/var/folders/", "/AppData/Local/Temp/"].iter().any(|place| text.contains(place))
}

/// Whether a file holds prose: no test, build or check reads it.
pub fn is_prose(path: &str) -> bool {
    [".md", ".txt", ".rst", ".adoc"].iter().any(|end| path.ends_with(end))
}

/// Whether a file is generated or temporary, not one that somebody works on.
pub fn is_by_product(path: &str) -> bool {
    const FOLDERS: [&str; 16] = [
        "build",
        "dist",
        "out",
        "target",
        "node_modules",
        ".venv",
        "venv",
        "site-packages",
        "__pycache__",
        ".next",
        ".cache",
        "tmp",
        "Temp",
        "coverage",
        ".pytest_cache",
        ".docusaurus",
    ];
    let mut parts = path.split(['/', '\\']);
    parts.any(|part| FOLDERS.contains(&part)) || path.ends_with(".output")
}

/// The path at the start of a line of a listing or a search: `src/a.rs`, `./src/a.rs`, `src/a.rs:12:fn x()`.
pub fn listed_path(line: &str) -> Option<&str> {
    let line = line.trim();
    let drive = drive_of(line).map_or(0, |_| 2);
    let end = line[drive..].find([':', ' ', '\t']).map_or(line.len(), |at| drive + at);
    let path = line[..end].strip_prefix("./").unwrap_or(&line[..end]);
    (is_path(path) && path.len() <= 200).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_path_is_normalised() {
        for (folder, typed, whole) in [
            ("/w/app", "src/a.rs", "/w/app/src/a.rs"),
            ("/w/app", "./src/../a.rs", "/w/app/a.rs"),
            ("/w/app", "../lib/a.rs", "/w/lib/a.rs"),
            ("/w/app", "/v/a.rs", "/v/a.rs"),
            ("", "src/a.rs", "src/a.rs"),
            (r"D:\w\app", r"src\a.js", "D:/w/app/src/a.js"),
            (r"D:\w\app", "d:/w/app/src/a.js", "D:/w/app/src/a.js"),
            (r"D:\w\app", "/d/w/app/src/a.js", "D:/w/app/src/a.js"),
            ("/w", r"D:\x\a.js", "D:/x/a.js"),
        ] {
            assert_eq!(whole_path(Some(folder), typed), whole, "{typed} in {folder}");
        }
    }
}
