//! Git: the branch, what is not committed, and the commits of this session.

use super::text::harmless;
use super::{Fact, Known, Section};
use crate::mask::mask;
use crate::session::{Commit, Session, one_line};

/// Latest commits shown; `git log` has the others.
const MOST: usize = 2;
/// Uncommitted files named; the rest is a number.
const NAMED: usize = 8;

/// What git itself says of the work tree, asked by the front end: the engine starts no programs. Front ends make it by
/// [`WorkTree::new`], which masks: names of branches and files are people's words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkTree {
    /// The branch; none when detached.
    pub branch: Option<String>,
    /// The commit it stands on; none in a repository without one.
    pub head: Option<String>,
    /// Changed files that are not committed, from the work tree's root.
    pub changed: Vec<String>,
}

impl WorkTree {
    /// A work tree in git's words, masked as the record is.
    pub fn new(branch: Option<&str>, head: Option<String>, changed: &[String]) -> Self {
        let masked = |text: &str| mask(text).into_owned();
        let changed = changed.iter().map(|file| masked(file)).collect();
        WorkTree { branch: branch.map(masked), head, changed }
    }
}

/// Branch and commits as the record has them.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    let branch =
        session.branch.iter().filter(|b| !known.has(b)).map(|b| branch(b, "the branch of the latest row"));
    let from = session.commits.len().saturating_sub(MOST);
    let commits = session.commits[from..]
        .iter()
        .filter(|c| !known.has(&c.hash) && !known.mentions(&c.subject))
        .map(commit);
    branch.chain(commits).collect()
}

/// What git says, which is the truth where it differs from the record: the branch of the latest row is replaced.
pub fn with_work_tree(mut facts: Vec<Fact>, tree: &WorkTree, known: &Known) -> Vec<Fact> {
    facts.retain(|fact| !(fact.section == Section::Git && fact.place.is_none()));
    facts.extend(tree.branch.iter().filter(|b| !known.has(b)).map(|b| branch(b, "what git says")));
    facts.extend(uncommitted(tree));
    facts
}

fn branch(name: &str, why: &'static str) -> Fact {
    Fact::new(Section::Git, name, format!("branch {}", harmless(name))).worth(0.03, why)
}

fn uncommitted(tree: &WorkTree) -> Option<Fact> {
    let all = tree.changed.len();
    let named =
        tree.changed.iter().take(NAMED).map(|f| one_line(&harmless(f), 200)).collect::<Vec<_>>().join(", ");
    let more = if all > NAMED { format!(" and {} more", all - NAMED) } else { String::new() };
    let fact = Fact::new(Section::Git, "uncommitted", format!("not committed: {named}{more}"));
    let short = format!("not committed: {all} file{}", if all == 1 { "" } else { "s" });
    (all > 0).then(|| fact.or(short).worth(0.15, "what git says"))
}

fn commit(commit: &Commit) -> Fact {
    let text = format!("commit {} {}", commit.hash, one_line(&harmless(&commit.subject), 72));
    Fact::new(Section::Git, &commit.hash, text).at(commit.place).worth(0.03, "made in this session")
}
