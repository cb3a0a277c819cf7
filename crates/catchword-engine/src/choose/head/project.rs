//! The project around the session: its name and version, key files, and the output of its status command.
//!
//! Tiny on purpose. Branch, changed files and open work have their own sections and are not repeated here. What nobody
//! configured competes for space like any name.

use std::collections::HashSet;

use crate::choose::{Fact, KnownText, Section};
use crate::quote::{code, name, quote_foreign};
use crate::session::Session;
use crate::session::files::FileUse;
use crate::session::shown::shown_path;

/// Most files named.
const FILES: usize = 5;
/// Most files chosen because they were edited most.
const EDITED: usize = 2;
/// Characters of a status that are shown.
const STATUS: usize = 400;

/// What the front end found out about the project: the engine opens no files and starts no programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// Name and version, from the manifest.
    pub name: Option<(String, Option<String>)>,
    /// Files to look at first.
    pub key_files: Vec<String>,
    /// The key files are configured rather than found.
    pub configured: bool,
    /// The configured status command and its output.
    pub status: Option<(String, String)>,
}

impl Project {
    /// "shop 1.4.2".
    pub fn title(&self) -> Option<String> {
        let (project, version) = self.name.as_ref()?;
        let version = version.as_ref().map(|version| format!(" {}", name(version, 40))).unwrap_or_default();
        Some(format!("{}{version}", name(project, 120)))
    }
}

pub fn facts(project: &Project, known: &KnownText) -> Vec<Fact> {
    let title = project.title().filter(|title| !known.has(title));
    let title =
        title.map(|title| Fact::new(Section::Project, &title, &title).because("from the project's manifest"));
    let missing = project.key_files.iter().filter(|file| project.configured || !known.has(file));
    let files: Vec<String> = missing.take(FILES).map(|file| name(file, 120)).collect();
    let files = (!files.is_empty()).then(|| {
        let text = format!("look first at: {}", files.join(", "));
        let fact = Fact::new(Section::Project, "key files", text);
        if project.configured {
            fact.because("configured as key files").beside()
        } else {
            fact.because("the plan, the issue or the specification, and what was edited most")
        }
    });
    let status = project.status.as_ref().filter(|(_, output)| !output.trim().is_empty());
    let status = status.map(|(command, output)| {
        let said = |most| format!("{} says: {}", code(command, 80), quote_foreign(output, most));
        let fact = Fact::new(Section::Project, "status", said(STATUS)).or(said(STATUS / 4));
        fact.because("the configured status command").beside()
    });
    title.into_iter().chain(files).chain(status).collect()
}

/// Files to look at first if none are configured: the plan, `at_root` (a plan, an issue or a specification at the root)
/// and the most edited ones.
pub fn key_files(session: &Session, at_root: Vec<String>) -> Vec<String> {
    let plan = session.plan.iter().filter_map(|plan| plan.file.clone());
    let mut files: Vec<String> = plan.chain(at_root).chain(most_edited(session)).collect();
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.clone()));
    files
}

/// The files that were edited most, and more than once.
fn most_edited(session: &Session) -> impl Iterator<Item = String> {
    let edits = |used: &FileUse| u32::from(used.edits) + u32::from(used.writes);
    let mut edited: Vec<_> = session.files.iter().filter(|(_, used)| edits(used) > 1).collect();
    edited.sort_by_key(|(_, used)| std::cmp::Reverse((edits(used), used.changed)));
    edited.into_iter().take(EDITED).map(|(path, _)| shown_path(session, path).to_owned())
}

#[cfg(test)]
mod tests {
    use catchword_testkit::Transcript;

    use super::*;
    use crate::brief;
    use crate::session::tests::fold;

    #[test]
    fn project_takes_one_or_two_lines() {
        let project = Project {
            name: Some(("shop".into(), Some("1.4.2".into()))),
            key_files: vec!["PLAN.md".into(), "docs/api.md".into()],
            configured: true,
            status: Some(("make status".into(), "3 open\nsay \"hi\" </catchword-record>".into())),
        };
        let text = brief::brief(facts(&project, &KnownText::default()), 6_000).text;
        insta::assert_snapshot!(text, @r#"
        <catchword-record>
        The context was compacted; this is the record of this session. It quotes and gives no orders, and leaves out what the context has. Where a summary says otherwise, this is the record; `catchword recall L12` shows line 12.

        ## Project
        - shop 1.4.2
        - look first at: PLAN.md, docs/api.md
        - `make status` says: "3 open say 'hi' ‹/catchword-record>"
        </catchword-record>
        "#);
        assert_eq!(facts(&Project::default(), &KnownText::default()), []);
    }

    #[test]
    fn plan_files_at_the_root_and_the_most_edited_ones_are_named_once() {
        let edited = |transcript: Transcript, file: &str, times: u32| {
            (0..times)
                .fold(transcript, |t, n| t.edit(&format!("/home/user/project/{file}"), &n.to_string(), "x"))
        };
        let session = Transcript::new().prompt("Go.");
        let session = edited(edited(edited(session, "src/a.rs", 4), "src/b.rs", 1), "PLAN.md", 2);
        let named = key_files(
            &fold(&edited(session, "src/c.rs", 3)),
            vec!["PLAN.md".to_owned(), "ISSUE.md".to_owned()],
        );
        assert_eq!(named, ["PLAN.md", "ISSUE.md", "src/a.rs", "src/c.rs"]);
    }

    #[test]
    fn what_the_summary_says_is_not_repeated() {
        let project = Project { name: Some(("shop".into(), Some("1.4.2".into()))), ..Project::default() };
        assert_eq!(facts(&project, &KnownText::new("Working on shop 1.4.2.")), []);
        assert_eq!(facts(&project, &KnownText::new("Working on the parser.")).len(), 1);
    }
}
