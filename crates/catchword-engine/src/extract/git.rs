//! Git as the record knows it: the branch, and the commits of this session.

use super::text::harmless;
use super::{Fact, Known, Section};
use crate::session::{Session, one_line};

/// Latest commits shown.
const MOST: usize = 5;

/// Branch and commits.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    let branch = session.branch.iter().filter(|b| !known.has(b)).map(|branch| Fact {
        section: Section::Git,
        place: None,
        text: format!("branch {}", harmless(branch)),
        short: None,
        weight: 0.8,
        must: false,
        why: "the branch of the latest row".to_owned(),
    });
    let from = session.commits.len().saturating_sub(MOST);
    let commits = session.commits[from..].iter().filter(|c| !known.has(&c.hash)).map(|commit| Fact {
        section: Section::Git,
        place: Some(commit.place),
        text: format!("commit {} {}", commit.hash, one_line(&harmless(&commit.subject), 100)),
        short: None,
        weight: 0.6,
        must: false,
        why: "made in this session".to_owned(),
    });
    branch.chain(commits).collect()
}
