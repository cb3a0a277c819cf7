//! The changes of one file in a patch → tool calls.

use serde_json::Value;

use crate::model::entry::Tool;

/// How the changes of a file are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PatchForm {
    /// The removed text, then the added text.
    Plain,
    /// As lines with `-` and `+`, for people.
    Marked,
}

/// What a patch does to a file, and whether it creates it.
pub fn tools(path: &str, change: &Value, changes: PatchForm) -> Vec<(Tool, bool)> {
    let path = path.to_owned();
    match change["type"].as_str() {
        Some("add") => {
            let content = change["content"].as_str().unwrap_or_default().to_owned();
            vec![(Tool::Write { path, content }, true)]
        }
        Some("delete") => vec![(Tool::Delete { path }, false)],
        Some("update") => {
            let diff = change["unified_diff"].as_str().unwrap_or_default();
            let edit = |path| Tool::Edit { path, change: changed(diff, changes), added: lines(diff, '+') };
            match change["move_path"].as_str() {
                Some(to) => vec![(Tool::Delete { path }, false), (edit(to.to_owned()), true)],
                None => vec![(edit(path), false)],
            }
        }
        _ => Vec::new(),
    }
}

/// The changed lines of a diff: removed ones before added ones, or marked in their order.
fn changed(diff: &str, changes: PatchForm) -> String {
    if changes == PatchForm::Marked {
        let marked = body(diff).filter_map(|line| {
            let sign = line.chars().next().filter(|sign| matches!(sign, '-' | '+'))?;
            Some(format!("{sign} {}", &line[1..]))
        });
        return marked.collect::<Vec<_>>().join("\n");
    }
    let sides = ['-', '+'].map(|sign| lines(diff, sign));
    sides.into_iter().filter(|side| !side.is_empty()).collect::<Vec<_>>().join("\n")
}

fn lines(diff: &str, sign: char) -> String {
    body(diff).filter_map(|line| line.strip_prefix(sign)).collect::<Vec<_>>().join("\n")
}

/// The lines of a diff from the first hunk on, without its file names.
fn body(diff: &str) -> impl Iterator<Item = &str> {
    let hunks = diff.find("@@").filter(|at| *at == 0 || diff[..*at].ends_with('\n')).unwrap_or(0);
    diff[hunks..].lines()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const DIFF: &str =
        "--- a\n+++ b\n@@ -1,3 +1,3 @@\n-table = old\n+table = new\n lexer = old\n---x\n+++y\n";

    #[test]
    fn a_diff_is_the_lines_taken_out_and_the_lines_put_in() {
        let update = json!({"type": "update", "unified_diff": DIFF, "move_path": null});
        let edit = |change: &str| Tool::Edit {
            path: "/a.txt".into(),
            change: change.into(),
            added: "table = new\n++y".into(),
        };
        assert_eq!(
            tools("/a.txt", &update, PatchForm::Plain),
            [(edit("table = old\n--x\ntable = new\n++y"), false)]
        );
        assert_eq!(
            tools("/a.txt", &update, PatchForm::Marked),
            [(edit("- table = old\n+ table = new\n- --x\n+ ++y"), false)]
        );
    }

    #[test]
    fn a_file_is_added_deleted_or_moved() {
        let of = |change: Value| tools("/a", &change, PatchForm::Plain);
        let write = Tool::Write { path: "/a".into(), content: "x\n".into() };
        assert_eq!(of(json!({"type": "add", "content": "x\n"})), [(write, true)]);
        let delete = Tool::Delete { path: "/a".into() };
        assert_eq!(of(json!({"type": "delete", "content": "x\n"})), [(delete.clone(), false)]);
        let moved = Tool::Edit { path: "/b".into(), change: "y".into(), added: "y".into() };
        let change = json!({"type": "update", "unified_diff": "@@\n+y\n", "move_path": "/b"});
        assert_eq!(of(change), [(delete, false), (moved, true)]);
        assert_eq!(of(json!({"type": "new"})), []);
    }
}
