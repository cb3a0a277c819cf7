//! Git: the branch, what is not committed, and the commits of this session.

use std::cell::LazyCell;
use std::collections::BTreeMap;

use super::agents::worked_since;
use super::files::named_files;
use crate::choose::{Fact, KnownText, Section};
use crate::model::entry::Place;
use crate::quote::{code, name, quote_foreign};
use crate::reading::command::{ShellLine, Step};
use crate::record::Commit;
use crate::redact::Mask;
use crate::session::Session;
use crate::session::agents::{report_change_of, reports};
use crate::session::files::FileUse;
use crate::session::git::StatusRow;
use crate::session::paths::{is_absolute, is_by_product};
use crate::session::shown::shown_path;
use crate::text::numbers::count_of;

/// Latest commits shown; `git log` has the others.
const MAX_COMMITS: usize = 2;
/// Uncommitted files named; the rest are counted.
const MAX_UNCOMMITTED: usize = 8;

/// Commands named that record or publish.
const MAX_PUBLISHED: usize = 4;
/// Untracked files and folders named.
const MAX_UNTRACKED: usize = 4;

/// Keys of facts about neither a branch nor a commit.
const OPEN_EDITS: &str = "edits without a commit";
const FOREIGN_CHANGES: &str = "changes of others";
const PUBLISHED: &str = "how work is published";
const NOT_PUSHED: &str = "commits without a push";

/// The state of the work tree according to git. The front end runs git: the engine starts no programs. Front ends must use
/// [`WorkTree::new`], which masks: branch and file names are foreign text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkTree {
    /// `None` if detached.
    pub branch: Option<String>,
    /// The commit checked out; `None` in an empty repository.
    pub head: Option<String>,
    /// Uncommitted changed files, relative to the work tree's root.
    pub changed: Vec<String>,
    /// Staged files among `changed`.
    pub staged: Vec<String>,
    /// Untracked files and folders; empty if git was not asked.
    pub untracked: Vec<String>,
    /// Size of the uncommitted diff, if known.
    pub stat: Option<DiffStat>,
}

/// What `git diff --shortstat` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiffStat {
    pub files: u64,
    pub insertions: u64,
    pub deletions: u64,
}

impl std::fmt::Display for DiffStat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let DiffStat { files, insertions, deletions } = self;
        write!(f, "{}, +{insertions} −{deletions} lines", count_of(*files as usize, "file"))
    }
}

impl WorkTree {
    /// Masks what git printed.
    pub fn new(branch: Option<&str>, head: Option<String>, changed: &[String], mask: &Mask) -> Self {
        let masked = |text: &str| mask.text(text).into_owned();
        let changed = changed.iter().map(|file| masked(file)).collect();
        WorkTree { branch: branch.map(masked), head, changed, ..WorkTree::default() }
    }

    /// Adds staged and untracked files and the size of the diff.
    #[must_use]
    pub fn with_details(
        self,
        staged: &[String],
        untracked: &[String],
        stat: Option<DiffStat>,
        mask: &Mask,
    ) -> Self {
        let masked = |files: &[String]| files.iter().map(|file| mask.text(file).into_owned()).collect();
        WorkTree { staged: masked(staged), untracked: masked(untracked), stat, ..self }
    }
}

/// Branch and commits according to the record.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let branch = session.branch_now().into_iter().map(|now| branch_and_last_commit(session, now));
    let is_missing = |c: &Commit| !known.has(c.hash) && !known.has(c.subject);
    // An earlier commit alone would look like the latest.
    let last = session.record.commits().next_back().map(|commit| commit.clock);
    let most = if session.git.untold <= last { MAX_COMMITS } else { 0 };
    let latest = session.record.commits().rev().take(most).take_while(is_missing);
    let mut commits: Vec<Fact> = latest.map(commit).collect();
    commits.reverse();
    branch
        .chain(commits)
        .chain(not_committed(session))
        .chain(not_pushed(session))
        .chain(unexplained(session))
        .chain(taken(session))
        .chain(published(session, known))
        .collect()
}

/// What is uncommitted, unpushed or not the agent's, whatever the summary says.
pub fn open(session: &Session, _: &KnownText) -> Vec<Fact> {
    not_committed(session).into_iter().chain(not_pushed(session)).chain(unexplained(session)).collect()
}

/// How this session records and publishes its work, where that is more than `git commit` and `git push`: nobody should
/// have to find out the steps of a release twice.
fn published(session: &Session, known: &KnownText) -> Option<Fact> {
    let mut latest: BTreeMap<String, (Place, String)> = BTreeMap::new();
    for run in session.record.latest_runs().filter(|run| !run.failed() && publishes(run.line)) {
        let core = run.line.core();
        if known.has(core) {
            continue;
        }
        let verb = core.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let shown = (run.place, run.line.without_message());
        latest.entry(verb).and_modify(|known| *known = shown.clone().max(known.clone())).or_insert(shown);
    }
    let mut all: Vec<(Place, String)> = latest.into_values().collect();
    all.sort();
    let all = &all[all.len().saturating_sub(MAX_PUBLISHED)..];
    let ((last, core), earlier) = all.split_last()?;
    let earlier = earlier.iter().map(|(place, core)| format!("{} {place}", code(core, 160)));
    let named: Vec<String> = earlier.chain([code(core, 160)]).collect();
    let text = format!("how work was recorded here: {}", named.join(", "));
    Some(Fact::new(Section::Git, PUBLISHED, text).at(*last).because("more than a commit and a push"))
}

/// Another tool than git records or publishes, or a release is made.
fn publishes(line: &ShellLine) -> bool {
    line.steps().iter().any(|step| match (step.program.as_str(), step.verb.as_deref()) {
        ("git", Some("tag")) => {
            step.arguments().next().is_some_and(|name| !name.starts_with('-') || matches!(name, "-a" | "-s"))
        }
        ("jj", Some("describe" | "desc" | "commit" | "bookmark" | "git"))
        | ("gt" | "sl", Some("submit" | "commit" | "push")) => true,
        ("gh" | "glab", Some("release")) => step.has("create"),
        _ => false,
    })
}

/// Tool calls before the latest push.
fn pushed(session: &Session) -> Option<u32> {
    let is_push = |step: &Step| match step.program.as_str() {
        "git" => step.is_git("push"),
        "gh" => matches!(step.verb.as_deref(), Some("create" | "merge")),
        _ => false,
    };
    let mut ended = session.record.latest_runs().rev().filter(|run| !run.failed());
    ended.find(|run| run.line.steps().iter().any(is_push)).map(|run| run.clock)
}

/// Whether the agent has finished its turn and delivered its work since that many tool calls: what failed before did not
/// keep it from doing so.
pub fn is_delivered_since(session: &Session, clock: u32) -> bool {
    let committed = session.record.commits().next_back().map(|commit| commit.clock);
    (session.waiting || session.spoke_last())
        && pushed(session).max(committed).is_some_and(|delivered| delivered > clock)
}

/// Commits without a later push.
fn not_pushed(session: &Session) -> Option<Fact> {
    let last = session.record.commits().next_back()?;
    let pushed = pushed(session);
    let is_open = |commit: &Commit| {
        pushed.is_none_or(|clock| commit.clock > clock) && session.saw_all_since(commit.place)
    };
    let open = session.record.commits().filter(is_open).count();
    let since = if pushed.is_some() { "after the last push" } else { "in this record" };
    let text =
        format!("{} {since}{}; the last at", count_of(open, "commit"), worked_since(session, last.place));
    (open > 0).then(|| {
        Fact::new(Section::Git, NOT_PUSHED, text).at(last.place).because("commits after the last push")
    })
}

/// Edits after the latest commit. Only files inside the project are expected in a commit, and a commit elsewhere, on another
/// machine or in another folder, says nothing about them.
fn not_committed(session: &Session) -> Option<Fact> {
    let commit = session.record.commits().next_back()?;
    session.git.settled.max(Some(commit.clock)).filter(|settled| *settled == commit.clock)?;
    let is_open = |path: &str, file: &FileUse| {
        file.is_changed()
            && file.changed > commit.clock
            && session.saw_all_since(file.changed_at)
            && !is_absolute(shown_path(session, path))
            && !is_by_product(path)
    };
    let mut open: Vec<_> = session.files.iter().filter(|(path, file)| is_open(path, file)).collect();
    open.sort_by_key(|(path, file)| (std::cmp::Reverse(file.changed), *path));
    let last = open.first()?.1.changed_at;
    let text = format!(
        "edited after commit {}{}: {}",
        name(commit.hash, 40),
        worked_since(session, last),
        named_files(session, open.into_iter())
    );
    Some(Fact::new(Section::Git, OPEN_EDITS, text).because("edits after the last commit"))
}

/// Rows of the latest `git status` that nothing in this session explains: somebody else's changes, which `git commit -a`
/// would include.
fn unexplained(session: &Session) -> Option<Fact> {
    let (place, rows) = session.git.status.as_ref().filter(|_| session.unread_script.is_none())?;
    let reports = LazyCell::new(|| reports(&session.record, Place(0)));
    let is_foreign =
        |row: &&StatusRow| !is_ours(session, &row.path) && !report_change_of(&reports, &row.path);
    let mut foreign: Vec<&StatusRow> = rows.iter().filter(is_foreign).collect();
    // Git commits tracked files without being told to.
    foreign.sort_by_key(|row| row.untracked);
    let foreign: Vec<String> = foreign
        .into_iter()
        .map(|row| {
            let note = match row {
                row if row.untracked => " (untracked)",
                row if row.deleted => " (deleted)",
                _ => "",
            };
            format!("{}{note}", name(shown_path(session, &row.path), 120))
        })
        .collect();
    let named = foreign.iter().take(MAX_UNCOMMITTED).cloned().collect::<Vec<_>>().join(", ");
    let more = foreign.len().saturating_sub(MAX_UNCOMMITTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let by =
        if session.agents.have_worked() { "the agent itself (subagents worked, too)" } else { "the agent" };
    let text = format!("git status also showed, not edited by {by}: {named}{more}");
    let fact = Fact::new(Section::Git, FOREIGN_CHANGES, text).at(*place);
    (!foreign.is_empty()).then(|| fact.because("rows of git status without an edit"))
}

/// Whether this session touched the file at this path, or a file in that folder.
fn is_ours(session: &Session, path: &str) -> bool {
    session.files.iter().any(|(known, file)| {
        let within = known.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        within && (file.was_changed() || file.removed.is_some())
    })
}

/// Untracked files that a commit of everything included.
fn taken(session: &Session) -> Vec<Fact> {
    let reports = LazyCell::new(|| reports(&session.record, Place(0)));
    let is_foreign = |path: &str| !is_ours(session, path) && !report_change_of(&reports, path);
    let taken = session.git.taken.iter().filter(|_| session.unread_script.is_none());
    let foreign = taken.filter(|taken| is_foreign(&taken.path));
    foreign
        .map(|taken| {
            let path = name(shown_path(session, &taken.path), 200);
            let text = format!("commit {} took {path}, untracked before and not edited here", taken.hash);
            Fact::new(Section::Git, &taken.path, text)
                .at(taken.place)
                .because("taken by a commit of everything")
        })
        .collect()
}

/// Adds what git reports, which wins over the record: it replaces the branch of the latest row.
pub fn with_work_tree(mut facts: Vec<Fact>, tree: &WorkTree, known: &KnownText) -> Vec<Fact> {
    let is_replaced = |fact: &Fact| fact.place.is_none();
    facts.retain(|fact| !(fact.section == Section::Git && is_replaced(fact)));
    facts.extend(tree.branch.iter().filter(|b| !known.has(b)).map(|b| branch(b, "what git says")));
    facts.extend(uncommitted(tree));
    facts.extend(untracked(tree));
    facts
}

/// The branch of the session's folder, and where the last commit went if that is another one: the work may be in another
/// repository, or the branch was switched since.
fn branch_and_last_commit(session: &Session, now: &str) -> Fact {
    let fact = branch(now, "current branch");
    let elsewhere = session.record.commits().next_back().and_then(|commit| Some((commit, commit.branch?)));
    let Some((commit, other)) = elsewhere.filter(|(_, other)| *other != now) else { return fact };
    let (other, place) = (name(other, 200), commit.place);
    let text = format!("{} in the session's folder; the last commit went to {other} {place}", fact.text);
    Fact { text, ..fact }
}

fn branch(branch: &str, why: &'static str) -> Fact {
    Fact::new(Section::Git, branch, format!("branch {}", name(branch, 200))).because(why)
}

fn uncommitted(tree: &WorkTree) -> Option<Fact> {
    let all = tree.changed.len();
    let staged = |file: &String| if tree.staged.contains(file) { " (staged)" } else { "" };
    let named = tree
        .changed
        .iter()
        .take(MAX_UNCOMMITTED)
        .map(|file| format!("{}{}", name(file, 200), staged(file)))
        .collect::<Vec<_>>()
        .join(", ");
    let how_much = tree.stat.map_or_else(|| count_of(all, "file"), |stat| stat.to_string());
    let stat = tree.stat.map(|stat| format!("; {stat}")).unwrap_or_default();
    let more =
        if all > MAX_UNCOMMITTED { format!(" and {} more", all - MAX_UNCOMMITTED) } else { String::new() };
    let fact = Fact::new(Section::Git, "uncommitted", format!("not committed: {named}{more}{stat}"));
    let short = format!("not committed: {how_much}");
    (all > 0).then(|| fact.or(short).because("what git says"))
}

fn untracked(tree: &WorkTree) -> Option<Fact> {
    let all = tree.untracked.len();
    let named: Vec<String> = tree.untracked.iter().take(MAX_UNTRACKED).map(|file| name(file, 120)).collect();
    let more = if all > named.len() { format!(" and {} more", all - named.len()) } else { String::new() };
    let fact = Fact::new(Section::Git, "untracked", format!("untracked: {}{more}", named.join(", ")));
    let short = format!("untracked: {all}");
    (all > 0).then(|| fact.or(short).because("what git says"))
}

fn commit(commit: Commit) -> Fact {
    let text = format!("commit {} {}", name(commit.hash, 40), quote_foreign(commit.subject, 72));
    Fact::new(Section::Git, commit.hash, text).at(commit.place).because("made in this session")
}
