//! Paths and actions of a session as they are shown.

use super::Session;
use super::paths::whole_path;

/// A path as it is shown: relative to the session's folder where it lies inside.
pub fn shown_path<'a>(session: &Session, path: &'a str) -> &'a str {
    let Some(root) = session.root() else { return path };
    let root = whole_path(None, root);
    let same = |(a, b): (u8, u8)| a == b || (a == b'\\' && b == b'/');
    let is_below = path.len() > root.len() && path.bytes().zip(root.bytes()).all(same);
    match path.get(root.len()..).filter(|_| is_below) {
        Some(rest) if rest.starts_with(['/', '\\']) => &rest[1..],
        _ => path,
    }
}

/// An action in a few words, its file shown as files are.
pub fn shown_action(session: &Session, action: &str) -> String {
    match action.split_once(' ') {
        Some((verb @ ("read" | "edited" | "wrote"), path)) => format!("{verb} {}", shown_path(session, path)),
        _ => action.to_owned(),
    }
}
