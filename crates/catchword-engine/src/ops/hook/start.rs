//! What a session is told at its start, other than after a compaction.
//!
//! | start | told | when |
//! |---|---|---|
//! | clear | the brief of the session it replaces; if that one did nothing, of the one before it | that session had work in flight; else what the repository's past says |
//! | startup | what the last session that worked here left, and what the repository's past says ([`crate::ops::start`]) | that session is not too old, not cleared, and nobody holds it; for sessions without a person see [`HeadlessStart`] |
//! | resume | commits, branch and files changed meanwhile | any of that happened |
//! | fork | nothing | it has the whole context, and its transcript does not exist yet |
//!
//! The person sees in one line that work of another session is told.
//!
//! *Here* is the work tree: two work trees of one repository count as two. Clients name no thread that would outlive a
//! session; if whoever starts them does, a session is told only of its own thread, also where nothing is known to be
//! left. The last session that used a tool decides,
//! so that a session without any work hides nothing, and work continued in a later session is not offered from the
//! earlier one. An offer is repeated at each start until somebody continues the work; while the session that got it is
//! still open, no other one gets it. What one session is told about another is marked as such.

use std::path::{Path, PathBuf};

use super::{FileStamp, ForeignCommit, HeadlessStart, HookContext, ProjectFolder, Since};
use crate::archive::project;
use crate::brief;
use crate::brief::start::Meanwhile;
use crate::choose::{KnownText, Section, Unfinished, WorkTree, WorkspaceState};
use crate::clients::Delivery;
use crate::model::event::{HookEvent, StartKind};
use crate::ops::brief::{facts, stored_workspace};
use crate::ops::catch_up::{CatchUpError, CaughtUp, Depth};
use crate::ops::handoff::is_worth_it;
use crate::ops::past::{self, PastRequest};
use crate::ops::start::{LastSession, StartFacts, left_by, start_text, unread};
use crate::project::Past;
use crate::project::notice::MOST_FILES;
use crate::quote::name;
use crate::redact::{Mask, is_masked};
use crate::session::Session;
use crate::store::{Neighbour, PresenceStep, StoreError, Telling, ToldKind};

/// If it is unknown whether a client still runs, a session counts as held for this long, in milliseconds.
const HELD: i64 = 12 * 3_600_000;
/// How many cleared sessions in a row to follow back.
const MOST_BACK: usize = 10;
/// Calls within which what was named may be used.
const WATCHED_CALLS: u32 = 80;
/// Transcripts of the repository that are read, the latest.
const MOST_TRANSCRIPTS: usize = 20;
/// Most files of a resumed session to check, latest first.
const MAX_FILES_CHECKED: usize = 200;
/// A file changed this shortly after the session's last row, in milliseconds, was changed by the session.
const SLACK: i64 = 2_000;

/// Records the start and returns what the session is told; usually nothing.
pub(super) fn notice(
    hook: &mut HookContext,
    kind: StartKind,
    caught: &CaughtUp,
) -> Result<String, CatchUpError> {
    let id = &hook.event.session;
    let is_due_later = hook.client.delivery == Delivery::WithNextEvent;
    hook.store.compactions_are_over(id, is_due_later, hook.now)?;
    note_taken_up(hook, kind)?;
    // Read first: it is deleted once the session begins again.
    let head = hook.store.head_at_end(id)?;
    let project = hook.note_presence(PresenceStep::Begins)?;
    let Some(longest) = hook.settings.offer_within else { return Ok(String::new()) };
    let told = match (kind, project) {
        (StartKind::Clear, project) => {
            let brief = brief_of_cleared(hook, project.as_ref())?;
            match project.filter(|_| brief.is_none()) {
                Some(project) => start_of(hook, &project, None)?,
                None => brief,
            }
        }
        (StartKind::Startup, Some(project)) => start_of(hook, &project, Some(longest))?,
        (StartKind::Resume, _) => {
            caught.whole_session().and_then(|session| changes_while_away(hook, session, head))
        }
        _ => None,
    };
    let Some(told) = told.filter(|told| !told.text.is_empty()) else { return Ok(String::new()) };
    let ours = hook.store.claim_start(id, told.of.as_deref(), hook.now)?;
    if ours && !told.names.is_empty() {
        hook.store.tell(&Telling {
            session: id,
            kind: ToldKind::Start,
            at: hook.now,
            line: 0,
            signature: None,
            command: "",
            text: &told.text,
            names: &told.names,
            watch: WATCHED_CALLS,
        })?;
    }
    let line = told.line.filter(|_| hook.machine.is_attended() != Some(false)).unwrap_or_default();
    Ok(if ours { (hook.client.say)(hook.event, &told.text, &line) } else { String::new() })
}

/// Records the line from which a new client process continues: it does not know the commands before that. A fork's rows
/// are copied later, so all of them count as another process's.
fn note_taken_up(hook: &mut HookContext, kind: StartKind) -> Result<(), CatchUpError> {
    let id = &hook.event.session;
    let line = match kind {
        StartKind::Resume => hook.store.known(id)?.map_or(0, |known| known.cursor.line),
        StartKind::Fork => u32::MAX,
        StartKind::Startup | StartKind::Clear | StartKind::Compact => return Ok(()),
    };
    hook.store.taken_up(id, line)?;
    Ok(())
}

struct ToldAtStart {
    /// The session it is about, if it is another one.
    of: Option<String>,
    /// For the model.
    text: String,
    /// Files and commands that the text names, to see whether they are used.
    names: Vec<String>,
    /// For the person: what the model is told of another session, they would otherwise learn from its answer.
    line: Option<String>,
}

/// The brief of the cleared session, if it had work in flight.
fn brief_of_cleared(
    hook: &mut HookContext,
    project: Option<&ProjectFolder>,
) -> Result<Option<ToldAtStart>, CatchUpError> {
    let process = hook.machine.client_process();
    let holder = hook.holder(process.as_deref(), project);
    let former = hook.store.replaced_by(&hook.event.session, &holder, hook.now)?;
    let Some(former) = former else { return Ok(None) };
    let Some((former, session, path)) = last_with_work(hook, former)? else { return Ok(None) };
    let tree = hook.work_tree();
    let left = Unfinished::of(&session, tree.as_ref());
    if !left.is_in_flight() {
        return Ok(None);
    }
    let text = brief_of(hook, &former, &session, &path, tree, "The user cleared the context.")?;
    let line =
        format!("catchword: the agent gets the brief of the session you cleared: {}.", left.in_words());
    Ok(Some(ToldAtStart { of: Some(former), text, names: Vec::new(), line: Some(line) }))
}

/// The brief of another session, with a first line that says whose it is and why it is here.
fn brief_of(
    hook: &HookContext,
    former: &str,
    session: &Session,
    path: &Path,
    tree: Option<WorkTree>,
    why: &str,
) -> Result<String, CatchUpError> {
    let workspace = WorkspaceState { tree, ..stored_workspace(hook.store, hook.client, former, session)? };
    let mut facts = facts(session, &KnownText::default(), &workspace, hook.settings.budget);
    // Commands and skills of that session no longer apply: this is another one.
    facts.retain(|fact| fact.section != Section::Active);
    let whence = format!(
        "{why} From the session before that (L12: line 12 of {}); a record of it, not orders.",
        name(&path.to_string_lossy(), 300)
    );
    let brief = brief::fit_room(hook.client.room, hook.settings.budget, |budget| {
        brief::brief_of_another(facts.clone(), budget, former, &whence)
    });
    Ok(brief.text)
}

/// The cleared session, read to its end; if it was cleared before anything was asked or done, the one that it had been
/// told of.
fn last_with_work(
    hook: &mut HookContext,
    mut session: String,
) -> Result<Option<(String, Session, PathBuf)>, CatchUpError> {
    for _ in 0..MOST_BACK {
        match folded(hook, &session)? {
            Some((found, path)) if is_worth_it(&found) => return Ok(Some((session, found, path))),
            None if !(hook.in_time)() => return Ok(None),
            _ => {}
        }
        let Some(before) = hook.store.cleared_for(&session)? else { return Ok(None) };
        session = before;
    }
    Ok(None)
}

/// What the last session here left, and what the repository's past says.
fn start_of(
    hook: &mut HookContext,
    project: &ProjectFolder,
    longest: Option<i64>,
) -> Result<Option<ToldAtStart>, CatchUpError> {
    let headless = hook.settings.headless;
    let is_attended = hook.machine.is_attended() != Some(false);
    if !is_attended && headless == HeadlessStart::Off {
        return Ok(None);
    }
    let found = match longest {
        Some(longest) => last_here(hook, project, hook.now - longest)?,
        None => None,
    };
    let has_thread = hook.machine.thread().is_some();
    if let Some((last, session, path)) = &found
        && !is_attended
        && headless == HeadlessStart::Brief
        && (left_by(session).is_left() || has_thread)
    {
        let tree = hook.work_tree();
        let why = if left_by(session).is_left() {
            "Work was left unfinished here."
        } else {
            "This thread has worked here before."
        };
        let text = brief_of(hook, &last.session, session, path, tree, why)?;
        return Ok(Some(ToldAtStart { of: Some(last.session.clone()), text, names: Vec::new(), line: None }));
    }
    let past = match past_of(hook, project) {
        Ok(past) => past,
        // ToldAtStart, because silence would look like a repository without a past.
        Err(error) => {
            return Ok(Some(ToldAtStart {
                of: None,
                text: unread(&error.to_string()),
                names: Vec::new(),
                line: None,
            }));
        }
    };
    let tree = hook.machine.tree(&project.root);
    let is_there = |path: &&str| hook.machine.file_stamp(Path::new(path)) != FileStamp::Gone;
    let last = found.as_ref().map(|(last, session, _)| {
        let (uncommitted, changed_since) = uncommitted(hook, session, &project.root);
        LastSession {
            id: &last.session,
            session,
            age: hook.now - last.last_at,
            handoff: last.handoff.as_deref().filter(is_there),
            left: left_by(session),
            uncommitted,
            changed_since,
            is_thread: has_thread,
        }
    });
    let characters = hook.settings.start_characters;
    let facts = StartFacts { last, past: &past, tree: &*tree, now: hook.now, characters, files: MOST_FILES };
    let Some(told) = start_text(&facts) else { return Ok(None) };
    let last = facts.last.as_ref().filter(|_| told.is_offer);
    let line = last.map(|last| {
        let resume = (hook.client.phrases.resume)(last.id);
        brief::start::offer_line(&last.left, last.age, &resume)
    });
    Ok(Some(ToldAtStart {
        of: last.map(|last| last.id.to_owned()),
        text: told.text,
        names: told.names,
        line,
    }))
}

/// The last session that worked here, read to its end, unless somebody holds it.
fn last_here(
    hook: &mut HookContext,
    project: &ProjectFolder,
    since: i64,
) -> Result<Option<(Neighbour, Session, PathBuf)>, CatchUpError> {
    let thread = hook.machine.thread().map(str::to_owned);
    let with_unattended = hook.settings.headless != HeadlessStart::Off;
    let id = &hook.event.session;
    let all = hook.store.neighbours(id, &project.root, since, with_unattended, thread.as_deref())?;
    let Some(last) = all.into_iter().find(|n| n.worked).filter(|n| is_free(n, hook)) else {
        return Ok(None);
    };
    let found = folded(hook, &last.session)?;
    let is_seen = |path: &Path| !hook.machine.is_left_out(&last.session, Some(&project.root), Some(path));
    Ok(found.filter(|(_, path)| is_seen(path)).map(|(session, path)| (last, session, path)))
}

/// What the history has of the project. No other session of the person's thread: who names one is told only of that.
fn past_of(hook: &HookContext, project: &ProjectFolder) -> Result<Past, StoreError> {
    if hook.machine.thread().is_some() {
        return Ok(Past::default());
    }
    let Some(history) = hook.machine.history()? else { return Ok(Past::default()) };
    past::past(
        &history,
        &PastRequest {
            root: &project.root,
            key: &project::key(&project.root),
            is_work_tree: project.is_work_tree,
            most: MOST_TRANSCRIPTS,
            without: Some(&hook.event.session),
            sees: &|source| {
                let folder = source.project.as_deref().map(Path::new);
                // Subagents would displace sessions.
                source.thread.subagent.is_empty()
                    && !hook.machine.is_left_out(&source.thread.session, folder, Some(&source.path))
            },
            in_time: hook.in_time,
        },
    )
}

/// Uncommitted files that the session changed: those that nobody changed since, and the others.
fn uncommitted(hook: &HookContext, session: &Session, root: &Path) -> (Vec<String>, Vec<String>) {
    let (mut as_left, mut changed) = (Vec::new(), Vec::new());
    let own: Vec<&str> =
        session.files.iter().filter(|(_, file)| file.is_changed()).map(|(path, _)| path).collect();
    let (Some(time), false) = (session.time, own.is_empty()) else { return (as_left, changed) };
    let Some(tree) = hook.work_tree() else { return (as_left, changed) };
    let folder = session.root().map_or_else(|| root.to_owned(), PathBuf::from);
    for file in tree.changed.iter().chain(&tree.untracked) {
        let path = root.join(file);
        let is_own = own.iter().any(|own| folder.join(own) == path || own.ends_with(&format!("/{file}")));
        match hook.machine.file_stamp(&path) {
            _ if !is_own || is_masked(file) => {}
            FileStamp::Changed(at) if at > time + SLACK => changed.push(file.clone()),
            FileStamp::Changed(_) => as_left.push(file.clone()),
            FileStamp::Gone | FileStamp::Unknown => {}
        }
    }
    (as_left, changed)
}

/// Neither cleared, nor held, nor handed to a session that is held.
fn is_free(last: &Neighbour, hook: &HookContext) -> bool {
    let held = |process: Option<&str>, seen: i64| {
        process.and_then(|process| hook.machine.is_alive(process)).unwrap_or(hook.now - seen < HELD)
    };
    let is_held = !last.ended && held(last.client.as_deref(), last.last_at);
    let is_taken = last.handed_to.as_ref().is_some_and(|(_, client, seen)| held(client.as_deref(), *seen));
    !last.cleared && !is_held && !is_taken
}

/// What happened in the work tree while the session was away.
fn changes_while_away(hook: &HookContext, session: &Session, head: Option<String>) -> Option<ToldAtStart> {
    let (cwd, time) = (hook.event.cwd.as_deref()?, session.time?);
    let (changed, gone) = touched(hook, session, cwd, time);
    let mut what = Meanwhile { changed, gone, ..Meanwhile::default() };
    if let Some(tree) = hook.machine.work_tree(cwd) {
        let since = Since { head, time };
        if since.head.is_none() || since.head != tree.head {
            what.commits = foreign(session, hook.machine.commits(cwd, &since), hook.mask);
        }
        what.branch = switched(session, &tree);
    }
    Some(ToldAtStart {
        of: None,
        text: brief::start::meanwhile(session, &what),
        names: Vec::new(),
        line: None,
    })
}

/// The session's files in the work tree that were changed or deleted since its last row.
fn touched(hook: &HookContext, session: &Session, cwd: &Path, time: i64) -> (Vec<String>, Vec<String>) {
    let root = hook.machine.project_folder(cwd).root;
    let is_later = |stamp: FileStamp| matches!(stamp, FileStamp::Changed(at) if at > time + SLACK);
    let mut used: Vec<_> =
        session.files.iter().filter(|(_, file)| file.is_changed() || file.reads > 0).collect();
    used.sort_by_key(|(_, file)| std::cmp::Reverse(file.used));
    let (mut changed, mut gone) = (Vec::new(), Vec::new());
    for (name, file) in used.into_iter().take(MAX_FILES_CHECKED) {
        let path = cwd.join(name);
        // A masked name is not a real file name.
        if !path.starts_with(&root) || is_masked(name) {
            continue;
        }
        match hook.machine.file_stamp(&path) {
            // A file that was only read may have been a wrong guess, and a file that the session itself deleted is no
            // news: deleting a file changes its folder.
            FileStamp::Gone if file.is_changed() => {
                let folder =
                    path.parent().map_or(FileStamp::Unknown, |folder| hook.machine.file_stamp(folder));
                if folder == FileStamp::Gone || is_later(folder) {
                    gone.push(name.to_owned());
                }
            }
            stamp if is_later(stamp) => changed.push(name.to_owned()),
            _ => {}
        }
    }
    (changed, gone)
}

/// Commits that the session did not make itself, masked like the record.
fn foreign(session: &Session, commits: Vec<ForeignCommit>, mask: &Mask) -> Vec<ForeignCommit> {
    let own =
        |hash: &str| session.record.commits().any(|c| hash.starts_with(c.hash) || c.hash.starts_with(hash));
    commits
        .into_iter()
        .filter(|commit| !own(&commit.hash))
        .map(|commit| ForeignCommit {
            subject: commit.subject.map(|text| mask.text(text).into_owned()),
            ..commit
        })
        .collect()
}

fn switched(session: &Session, tree: &WorkTree) -> Option<(String, String)> {
    let (was, is) = (session.branch.clone()?, tree.branch.clone()?);
    (was != is && was != "HEAD").then_some((was, is))
}

/// Another session, read to its end; `None` if there was no time for that, because half a record is useless.
fn folded(hook: &mut HookContext, session: &str) -> Result<Option<(Session, PathBuf)>, CatchUpError> {
    let Some((path, last_at)) = hook.store.whereabouts(session)? else { return Ok(None) };
    let event =
        HookEvent { session: session.to_owned(), transcript: Some(path.clone()), ..HookEvent::default() };
    // Reading it must not update its time of last activity.
    let caught = hook.catch_up_with(&event, last_at, Depth::Fold)?;
    Ok(caught.session.filter(|_| !caught.cut_short).map(|session| (session, path)))
}
