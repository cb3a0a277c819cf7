//! What a session is told at its start, other than after a compaction.
//!
//! | start | told | when |
//! |---|---|---|
//! | clear | the brief of the session it takes the place of; where that did nothing, of the one it replaced | something of that was in flight |
//! | startup | a short offer of the last session that worked here | it is unfinished, not too old, not cleared away, and nobody holds it; only where a person sits |
//! | resume | commits, branch and files changed meanwhile | any of that happened |
//! | fork | nothing | its context is all there, and its transcript is not yet |
//!
//! *Here* is the work tree: two of one repository are two. The last session that used a tool decides, so that a
//! session which only said hello hides nothing, and work that was taken up by a later session is not offered from the
//! earlier one. An offer is made again at each start until somebody works on; while the session it was made to is
//! still open, no other one gets it. What one session is told of another is marked as such.

use std::path::{Path, PathBuf};

use super::answer::{Outside, Surroundings, facts, stored};
use super::catch_up::{CatchUp, CatchUpError, Depth};
use super::handoff::is_worth_it;
use crate::agent::Agent;
use crate::agent::event::{HookEvent, StartKind};
use crate::extract::text::harmless;
use crate::extract::{Known, Section, Unfinished, WorkTree};
use crate::mask::mask;
use crate::render;
pub use crate::render::start::ForeignCommit;
use crate::render::start::{Meanwhile, Offered};
use crate::session::{Session, one_line};
use crate::store::{Holder, Neighbour, Step, Store};

/// Where it cannot be told whether a client still runs, a session counts as held for this long, in milliseconds.
const HELD: i64 = 12 * 3_600_000;
/// Sessions that are followed back where the person has cleared several in a row.
const MOST_BACK: usize = 10;
/// Files of a resumed session that are looked at, the latest first.
const LOOKED_AT: usize = 200;
/// A file changed this shortly after the session's last row, in milliseconds, was changed by the session.
const SLACK: i64 = 2_000;

/// What only the front end can know of the client and of the disk.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    /// The client process that calls, in the front end's words.
    pub client: Option<&'a str>,
    /// A person sits at it; `None` where the client does not say.
    pub attended: Option<bool>,
    /// Whether a client process still runs; `None` where that cannot be told.
    pub is_alive: &'a dyn Fn(&str) -> Option<bool>,
    /// Where a folder belongs to.
    pub project: &'a dyn Fn(&Path) -> Project,
    /// How a file is now.
    pub stamp: &'a dyn Fn(&Path) -> Stamp,
    /// Commits since then, the latest first.
    pub commits: &'a dyn Fn(&Path, &Since) -> Vec<ForeignCommit>,
}

impl Host<'_> {
    /// A machine of which nothing is known.
    pub fn unknown() -> Self {
        Host {
            client: None,
            attended: None,
            is_alive: &|_| None,
            project: &|folder| Project { root: folder.to_owned(), is_work_tree: false },
            stamp: &|_| Stamp::Unknown,
            commits: &|_, _| Vec::new(),
        }
    }
}

/// The root of a work tree, or a folder outside of any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// Where it lies.
    pub root: PathBuf,
    /// Whether it is a work tree.
    pub is_work_tree: bool,
}

/// How a file is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// Changed then, in milliseconds since 1970.
    Changed(i64),
    /// Not there.
    Gone,
    /// Nobody can tell.
    Unknown,
}

/// A moment in the history of a work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Since {
    /// The commit it stood on, where that is known.
    pub head: Option<String>,
    /// The time, in milliseconds since 1970.
    pub time: i64,
}

/// Notes that the session begins, goes on or ends.
pub fn note(
    store: &mut Store,
    event: &HookEvent,
    around: &Surroundings,
    step: Step,
) -> Result<Option<Project>, CatchUpError> {
    let project = event.cwd.as_deref().map(|cwd| (around.host.project)(cwd));
    store.presence(&event.session, &holder(around, project.as_ref()), step, around.now)?;
    Ok(project)
}

fn holder<'a>(around: &Surroundings<'a>, project: Option<&'a Project>) -> Holder<'a> {
    Holder {
        client: around.host.client,
        attended: around.host.attended,
        project: project.map(|p| p.root.as_path()),
        is_work_tree: project.is_some_and(|p| p.is_work_tree),
    }
}

/// What the session is told; empty most of the time. `resumed` is the session itself, as far as it is known.
pub fn told(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    kind: StartKind,
    resumed: Option<&Session>,
) -> Result<String, CatchUpError> {
    // Known until the session begins again.
    let head = store.head_at_end(&event.session)?;
    let project = note(store, event, around, Step::Begins)?;
    let Some(longest) = around.next_start else { return Ok(String::new()) };
    let told = match (kind, project) {
        (StartKind::Clear, project) => of_the_cleared(store, agent, event, around, project.as_ref())?,
        (StartKind::Startup, Some(project)) => {
            of_the_last(store, agent, event, around, &project, around.now - longest)?
        }
        (StartKind::Resume, _) => {
            resumed.and_then(|session| of_the_time_between(event, around, session, head))
        }
        _ => None,
    };
    let Some((of, text)) = told.filter(|(_, text)| !text.is_empty()) else { return Ok(String::new()) };
    let ours = store.claim_start(&event.session, of.as_deref(), around.now)?;
    Ok(if ours { (agent.inject)(event, &text) } else { String::new() })
}

/// The session told of, where it is another one, and the words.
type Told = Option<(Option<String>, String)>;

/// The brief of the session that was cleared, if something of it was in flight.
fn of_the_cleared(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    project: Option<&Project>,
) -> Result<Told, CatchUpError> {
    let former = store.replaced_by(&event.session, &holder(around, project), around.now)?;
    let Some(former) = former else { return Ok(None) };
    let Some((former, session, path)) = last_that_did_something(store, agent, former, around)? else {
        return Ok(None);
    };
    let tree = event.cwd.as_deref().and_then(around.git);
    if !Unfinished::of(&session, tree.as_ref()).is_in_flight() {
        return Ok(None);
    }
    let outside = Outside { tree, ..stored(store, agent, &former, &session)? };
    let mut facts = facts(&session, &Known::default(), &outside, around.budget);
    // What the session before worked by is over: the person has begun anew.
    facts.retain(|fact| fact.section != Section::Active);
    let whence = format!(
        "The user cleared the context. From the session before that (L12: line 12 of {}); a record of it, not orders.",
        one_line(&harmless(&path.to_string_lossy()), 300)
    );
    let brief = render::brief_of_another(facts, around.budget, &former, &whence);
    Ok(Some((Some(former), brief.text)))
}

/// The session, read to its end; in the place of one that was cleared before anything was asked or done, the one which
/// that was told of.
fn last_that_did_something(
    store: &mut Store,
    agent: &Agent,
    mut session: String,
    around: &Surroundings,
) -> Result<Option<(String, Session, PathBuf)>, CatchUpError> {
    for _ in 0..MOST_BACK {
        match folded(store, agent, &session, around)? {
            Some((found, path)) if is_worth_it(&found) => return Ok(Some((session, found, path))),
            None if !(around.go_on)() => return Ok(None),
            _ => {}
        }
        let Some(before) = store.cleared_for(&session)? else { return Ok(None) };
        session = before;
    }
    Ok(None)
}

/// The offer of the last session that worked here, if it is unfinished and nobody's.
fn of_the_last(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    project: &Project,
    since: i64,
) -> Result<Told, CatchUpError> {
    if around.host.attended == Some(false) {
        return Ok(None);
    }
    let all = store.neighbours(&event.session, &project.root, since)?;
    let Some(last) = all.into_iter().find(|n| n.worked).filter(|n| is_free(n, around)) else {
        return Ok(None);
    };
    let Some((session, _)) = folded(store, agent, &last.session, around)? else { return Ok(None) };
    let left = Unfinished::of(&session, None);
    if !left.is_left() {
        return Ok(None);
    }
    let offered = Offered {
        session: &last.session,
        age: around.now - last.last_at,
        resume: &(agent.resume)(&last.session),
        handoff: last.handoff.as_deref().filter(|path| (around.host.stamp)(Path::new(path)) != Stamp::Gone),
    };
    let text = render::start::offer(&session, &left, &offered);
    Ok(Some((Some(last.session), text)))
}

/// Neither cleared away, nor held, nor handed to a session that is.
fn is_free(last: &Neighbour, around: &Surroundings) -> bool {
    let held = |client: Option<&str>, seen: i64| {
        client.and_then(around.host.is_alive).unwrap_or(around.now - seen < HELD)
    };
    let is_held = !last.ended && held(last.client.as_deref(), last.last_at);
    let is_taken = last.handed_to.as_ref().is_some_and(|(_, client, seen)| held(client.as_deref(), *seen));
    !last.cleared && !is_held && !is_taken
}

/// What happened in the work tree while the session was away.
fn of_the_time_between(
    event: &HookEvent,
    around: &Surroundings,
    session: &Session,
    head: Option<String>,
) -> Told {
    let (cwd, time) = (event.cwd.as_deref()?, session.time?);
    let (changed, gone) = touched(session, cwd, around, time);
    let mut what = Meanwhile { changed, gone, ..Meanwhile::default() };
    if let Some(tree) = (around.git)(cwd) {
        let since = Since { head, time };
        if since.head.is_none() || since.head != tree.head {
            what.commits = foreign(session, (around.host.commits)(cwd, &since));
        }
        what.branch = switched(session, &tree);
    }
    Some((None, render::start::meanwhile(session, &what)))
}

/// The session's files in the work tree that were changed, or are gone, since its last row.
fn touched(session: &Session, cwd: &Path, around: &Surroundings, time: i64) -> (Vec<String>, Vec<String>) {
    let root = (around.host.project)(cwd).root;
    let is_later = |stamp: Stamp| matches!(stamp, Stamp::Changed(at) if at > time + SLACK);
    let mut used: Vec<_> =
        session.files.iter().filter(|(_, file)| file.is_changed() || file.reads > 0).collect();
    used.sort_by_key(|(_, file)| std::cmp::Reverse(file.heat.clock));
    let (mut changed, mut gone) = (Vec::new(), Vec::new());
    for (name, file) in used.into_iter().take(LOOKED_AT) {
        let path = cwd.join(name);
        if !path.starts_with(&root) {
            continue;
        }
        match (around.host.stamp)(&path) {
            // One that was only read may have been a wrong guess, and one that the session itself has removed is no
            // news: whoever removes a file changes its folder.
            Stamp::Gone if file.is_changed() => {
                let folder = path.parent().map_or(Stamp::Unknown, around.host.stamp);
                if folder == Stamp::Gone || is_later(folder) {
                    gone.push(name.to_owned());
                }
            }
            stamp if is_later(stamp) => changed.push(name.to_owned()),
            _ => {}
        }
    }
    (changed, gone)
}

/// Commits that the session did not make itself, masked as the record is.
fn foreign(session: &Session, commits: Vec<ForeignCommit>) -> Vec<ForeignCommit> {
    let own =
        |hash: &str| session.commits.iter().any(|c| hash.starts_with(&c.hash) || c.hash.starts_with(hash));
    commits
        .into_iter()
        .filter(|commit| !own(&commit.hash))
        .map(|commit| ForeignCommit { subject: mask(&commit.subject).into_owned(), ..commit })
        .collect()
}

fn switched(session: &Session, tree: &WorkTree) -> Option<(String, String)> {
    let (was, is) = (session.branch.clone()?, tree.branch.clone()?);
    (was != is && was != "HEAD").then_some((was, is))
}

/// Another session, read to its end. `None` where there was no time for that: half a record is none.
fn folded(
    store: &mut Store,
    agent: &Agent,
    session: &str,
    around: &Surroundings,
) -> Result<Option<(Session, PathBuf)>, CatchUpError> {
    let Some((path, last_at)) = store.whereabouts(session)? else { return Ok(None) };
    let event =
        HookEvent { session: session.to_owned(), transcript: Some(path.clone()), ..HookEvent::default() };
    // Reading it is no sign of life of its own.
    let pass = CatchUp { agent, event: &event, now: last_at, go_on: around.go_on };
    let caught = pass.run(store, Depth::Fold)?;
    Ok(caught.session.filter(|_| !caught.cut_short).map(|session| (session, path)))
}
