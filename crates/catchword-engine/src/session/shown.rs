//! Paths and actions of a session as they are shown.

use super::Session;
use super::paths::whole_path;

/// The path as shown: relative to the session's folder if it is inside.
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

/// An action with its path as shown by [`shown_path`].
pub fn shown_action(session: &Session, action: &str) -> String {
    match action.split_once(' ') {
        Some((verb @ ("read" | "edited" | "wrote"), path)) => format!("{verb} {}", shown_path(session, path)),
        _ => action.to_owned(),
    }
}
