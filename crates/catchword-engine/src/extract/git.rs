//! Git as the record knows it: the branch, and the commits of this session.

use super::text::harmless;
use super::{Fact, Known, Section};
use crate::session::{Commit, Session, one_line};

/// Latest commits shown.
const MOST: usize = 5;

/// Branch and commits.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    let branch = session.branch.iter().filter(|b| !known.has(b)).map(|branch| {
        Fact::new(Section::Git, branch, format!("branch {}", harmless(branch)))
            .worth(0.03, "the branch of the latest row")
    });
    let from = session.commits.len().saturating_sub(MOST);
    let commits = session.commits[from..].iter().filter(|c| !known.has(&c.hash)).map(commit);
    branch.chain(commits).collect()
}

fn commit(commit: &Commit) -> Fact {
    let text = format!("commit {} {}", commit.hash, one_line(&harmless(&commit.subject), 100));
    Fact::new(Section::Git, &commit.hash, text).at(commit.place).worth(0.03, "made in this session")
}
