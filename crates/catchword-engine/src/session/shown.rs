//! Paths and actions of a session as they are shown.

use super::Session;
use super::paths::whole_path;
use crate::quote::{code, name, quote_foreign};

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

/// How an action's object is marked as somebody else's text.
#[derive(Clone, Copy)]
enum ActionMark {
    Path,
    Name,
    Code,
    Words,
    /// A tool's name, and its arguments in brackets.
    Tool,
}

const VERBS: [(&str, ActionMark); 12] = [
    ("ran ", ActionMark::Code),
    ("read ", ActionMark::Path),
    ("edited ", ActionMark::Path),
    ("wrote ", ActionMark::Path),
    ("deleted ", ActionMark::Path),
    ("listed ", ActionMark::Path),
    ("searched for ", ActionMark::Code),
    ("asked the user: ", ActionMark::Words),
    ("started a subagent: ", ActionMark::Words),
    ("invoked skill ", ActionMark::Name),
    ("stopped background task ", ActionMark::Name),
    ("used ", ActionMark::Tool),
];

/// An action with at most `most` characters of its object, which is quoted; a path is shown as by [`shown_path`].
pub fn shown_action(session: &Session, action: &str, most: usize) -> String {
    marked_action(action, most, |path| shown_path(session, path))
}

/// An action with its object quoted.
pub fn marked_action<'a>(action: &'a str, most: usize, path: impl Fn(&'a str) -> &'a str) -> String {
    let found = VERBS.iter().find_map(|(verb, mark)| Some((verb, mark, action.strip_prefix(verb)?)));
    let Some((verb, mark, object)) = found else { return action.to_owned() };
    let object = match (mark, object.split_once(" (")) {
        (ActionMark::Path, _) => name(path(object), most),
        (ActionMark::Code, _) => code(object, most),
        (ActionMark::Words, _) => quote_foreign(object, most),
        (ActionMark::Tool, Some((tool, arguments))) => {
            let arguments = arguments.strip_suffix(')').unwrap_or(arguments);
            format!("{} ({})", name(tool, most), quote_foreign(arguments, most))
        }
        (ActionMark::Name | ActionMark::Tool, _) => name(object, most),
    };
    format!("{verb}{object}")
}
