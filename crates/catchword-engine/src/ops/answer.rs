//! One hook event: take in what is new, and say what is to be said.

use std::path::Path;

use super::active::{self, ActiveNow};
use super::catch_up::{CatchUp, CatchUpError, CaughtUp, Depth};
use super::checkpoint;
use super::handoff::{self, Beside, Handoff, Moment, Source};
use super::start::{self, Host};
use crate::agent::Agent;
use crate::agent::event::{EndKind, EventKind, HookEvent, StartKind};
use crate::audit::{self, Audit, Said};
use crate::cold;
use crate::extract::project::{self, Project};
use crate::extract::{self, Fact, Known, Unfinished, WorkTree, contradictions};
use crate::gauge::{Limits, Plan};
use crate::mask::mask;
use crate::notes::{self, Note};
use crate::problem::Problem;
use crate::render;
use crate::session::Session;
use crate::session::active::Registered;
use crate::store::{Ending, Given, Step, Store, StoreError};

/// What a front end hands in with an event.
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct Surroundings<'a> {
    /// The time, in milliseconds since 1970.
    pub now: i64,
    /// Characters a brief may have.
    pub budget: usize,
    /// The summariser is told what to keep.
    pub guide: bool,
    /// The agent is to tell the person of the compaction.
    pub announce: bool,
    /// The notes are wanted as a document, at the moments they are written out.
    pub mirror: bool,
    /// What the environment says of the client's limits.
    pub limits: Limits,
    /// At which points of the gauge a checkpoint is made; asked when the gauge has moved.
    pub plan: &'a dyn Fn() -> Plan,
    /// False when the time is up.
    pub go_on: &'a dyn Fn() -> bool,
    /// Asks git about a folder; called at starts, after a compaction, when the person is told how far the next one is,
    /// and at the end only.
    pub git: &'a dyn Fn(&Path) -> Option<WorkTree>,
    /// Finds the file of a command; called after a compaction only.
    pub look: &'a active::Look<'a>,
    /// Looks at the project around a folder; called after a compaction only.
    pub project: &'a dyn Fn(&Path, &Session) -> Project,
    /// The person's own instructions for summaries.
    pub instructions: Option<&'a str>,
    /// Handoffs are written at thresholds the person is told of, after a compaction and at the end.
    pub handoff: bool,
    /// A session is told of another one at its start, unless that was last heard of longer ago than this, in
    /// milliseconds; `None` switches all of it off.
    pub next_start: Option<i64>,
    /// The client and the disk.
    pub host: Host<'a>,
}

impl Surroundings<'_> {
    /// A front end that says nothing, writes no handoffs and knows nothing of the machine.
    pub fn alone(now: i64) -> Self {
        Surroundings {
            now,
            budget: render::DEFAULT_BUDGET,
            guide: false,
            announce: false,
            mirror: false,
            limits: Limits::default(),
            plan: &Plan::default,
            go_on: &|| true,
            git: &|_| None,
            look: &|_, _| None,
            project: &|_, _| Project::default(),
            instructions: None,
            handoff: false,
            next_start: None,
            host: Host::unknown(),
        }
    }
}

/// What the record does not hold: what lies around the session when its brief is written.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// What git says.
    pub tree: Option<WorkTree>,
    /// The commands it works by, with their files; `None` where only the transcript was asked.
    pub active: Option<ActiveNow>,
    /// The project.
    pub project: Project,
    /// What was written down for it.
    pub notes: Vec<Note>,
    /// The agent is to tell the person of the compaction.
    pub announce: bool,
}

impl Outside {
    /// The part of it that belongs into a handoff.
    pub fn beside(&self) -> Beside<'_> {
        Beside { tree: self.tree.as_ref(), notes: &self.notes, active: self.active.as_ref() }
    }
}

/// What a hook prints and what it has to report.
#[derive(Default)]
pub struct Answer {
    /// For the client's stdout; empty most of the time.
    pub stdout: String,
    /// Rows that could not be understood.
    pub problems: Vec<Problem>,
    /// What could not be done, where the answer stands all the same.
    pub failed: Option<CatchUpError>,
    /// The brief had not arrived and is sent again with this answer.
    pub lost: bool,
    /// A document to put where it belongs.
    pub handoff: Option<Handoff>,
    /// The notes as a document, where they are to be written out, and the folder the session is in.
    pub notes: Option<Document>,
    /// Something is left to do for which nobody waits: [`settle`] does it.
    pub unsettled: bool,
    /// What the answer was made from. To take it apart again costs a tenth of making it, for nothing where a process ends
    /// with its answer.
    pub spent: Spent,
}

/// A session and its brief that nobody asks any more.
#[derive(Default)]
pub struct Spent {
    session: Option<Session>,
    brief: Option<render::Brief>,
}

/// The notes of a session, to be written out.
pub struct Document {
    /// The folder that the session works in.
    pub root: Option<String>,
    /// The text.
    pub text: String,
}

/// Answers an event. A store in which damage shows is begun anew, and the event answered from that one: the
/// transcript still has everything.
pub fn answer(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
) -> Result<Answer, CatchUpError> {
    let damage = match answer_from(store, agent, event, around) {
        Err(error) if error.is_damage() => error,
        other => return other,
    };
    let failed = match store.begin_anew(around.now) {
        Ok(()) => damage,
        // It cannot be put out of the way: what can be said without it is said.
        Err(error) => {
            *store = Store::for_now()?;
            error.into()
        }
    };
    let mut answer = answer_from(store, agent, event, around)?;
    answer.failed.get_or_insert(failed);
    Ok(answer)
}

/// Whatever a subagent does is its own affair: nothing of it is recorded as the main conversation's, and nothing
/// is said. Only the summariser is a subagent we listen to.
fn answer_from(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
) -> Result<Answer, CatchUpError> {
    if !event.names_a_session() {
        return Ok(Answer::default());
    }
    if let EventKind::SummaryReady { summary } = &event.kind {
        store.keep_summary(&event.session, &mask(summary), around.now)?;
        return Ok(Answer::default());
    }
    if let Some(subagent) = &event.subagent {
        note_subagent(store, event, subagent, around.now)?;
        return Ok(Answer::default());
    }
    let pass = CatchUp { agent, event, now: around.now, go_on: around.go_on };
    let caught = pass.run(store, depth(&event.kind))?;
    act(store, agent, event, around, caught)
}

/// All that is kept of a subagent is whether its own context is being compacted: its summary looks like ours.
fn note_subagent(store: &mut Store, event: &HookEvent, subagent: &str, now: i64) -> Result<(), CatchUpError> {
    match event.kind {
        EventKind::BeforeCompaction { .. } => {
            store.sub_compaction_begins(&event.session, subagent, now)?;
        }
        EventKind::Start(StartKind::Compact) | EventKind::AfterCompaction { .. } | EventKind::SubagentEnd => {
            store.sub_compaction_ends(&event.session, subagent)?;
        }
        _ => {}
    }
    Ok(())
}

fn depth(kind: &EventKind) -> Depth {
    match kind {
        EventKind::BeforeCompaction { .. }
        | EventKind::Start(StartKind::Compact | StartKind::Resume)
        | EventKind::TurnEnd
        | EventKind::End(_) => Depth::Fold,
        _ => Depth::Index,
    }
}

fn act(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    mut caught: CaughtUp,
) -> Result<Answer, CatchUpError> {
    let (mut stdout, mut spent) = (String::new(), Spent::default());
    let told = look_at_gauge(store, agent, event, around, &mut caught)?;
    let whole_is_needed = event.kind == EventKind::Start(StartKind::Compact);
    let is_whole = !caught.cut_short && !matches!(caught.failed, Some(CatchUpError::Time(_)));
    if !whole_is_needed && matches!(caught.failed, Some(CatchUpError::Time(_))) {
        // The next hook goes on from there.
        caught.failed = None;
    }
    let busy = caught.failed.as_ref().is_some_and(CatchUpError::is_busy);
    let mut lost = false;
    // The person is told that the state is saved: here it is. Seldom enough for git.
    let session = caught.session.as_ref().filter(|_| told.is_some() && around.handoff);
    let mut handoff = session.and_then(|session| {
        let tree = event.cwd.as_deref().and_then(around.git);
        hand_over(store, agent, event, around, session, tree.as_ref(), Moment::Threshold)
    });
    let mut notes = None;
    if let Some(session) = caught.session.as_ref().filter(|_| !busy) {
        keep_cold(store, agent, event, around, session, caught.turns_before)?;
        if around.mirror && is_moment_to_mirror(&event.kind) {
            notes = Some(document(store, event, session)?);
        }
    }
    match &event.kind {
        EventKind::Start(StartKind::Compact) => {
            stdout = restore(store, agent, event, around, &mut caught, &mut spent)?;
        }
        // Waiting for a second write after a first in vain would only double the time. The document needs none.
        _ if busy => {
            let session = caught.session.as_ref().filter(|_| is_whole);
            handoff = session.and_then(|session| only_hand_over(store, agent, event, around, session));
        }
        EventKind::Start(kind) => {
            store.compactions_are_over(&event.session, around.now)?;
            note_taken_up(store, &event.session, *kind)?;
            let resumed = caught.session.as_ref().filter(|_| is_whole);
            stdout = start::told(store, agent, event, around, *kind, resumed)?;
        }
        EventKind::BeforeCompaction { manual } => {
            let is_ours = store.compaction_begins(&event.session, *manual, around.now)?;
            if around.guide && is_ours {
                let registered = store.registered(&event.session)?;
                let session = caught.session.get_or_insert_default();
                stdout = guide(session, &registered, around.instructions);
            }
        }
        EventKind::Prompt | EventKind::Tools => {
            let mut text = String::new();
            if !caught.nothing_awaited {
                (text, lost) = pending(store, event, around.now)?;
            }
            stdout = (agent.say)(event, &text, &told.unwrap_or_default());
        }
        EventKind::AfterCompaction { summary } => {
            let summary = summary.as_deref().map(mask);
            // Here stdout is the person's: the model has its brief.
            stdout = match confirm(store, agent, event, around, summary.as_deref()) {
                // What follows needs no store.
                Err(error) if error.is_busy() => {
                    caught.failed.get_or_insert(error);
                    String::new()
                }
                other => other?,
            };
        }
        EventKind::TurnEnd => {
            start::note(store, event, around, Step::GoesOn)?;
            store.prune(&event.session, around.now)?;
            store.tidy()?;
            stdout = (agent.say)(event, "", &told.unwrap_or_default());
        }
        EventKind::End(kind) => {
            let session = caught.session.as_ref().filter(|_| is_whole);
            handoff = end(store, agent, event, around, *kind, session)?;
            store.tidy()?;
        }
        _ => {}
    }
    let unsettled = matches!(event.kind, EventKind::AfterCompaction { .. });
    spent.session = caught.session;
    let (problems, failed) = (caught.problems, caught.failed);
    Ok(Answer { stdout, problems, failed, lost, handoff, notes, unsettled, spent })
}

/// Does what follows a compaction and nobody waits for: the fold is brought up to date, tasks that have become cold are
/// summarised, the handoff is made. Doing it twice, or at the same time as another process, does no more.
pub fn settle(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
) -> Result<Answer, CatchUpError> {
    let pass = CatchUp { agent, event, now: around.now, go_on: around.go_on };
    let mut caught = pass.run(store, Depth::Fold)?;
    let is_whole = !caught.cut_short && !matches!(caught.failed, Some(CatchUpError::Time(_)));
    let Some(session) = caught.session.take().filter(|_| is_whole) else {
        // The next hook goes on from there.
        let failed = caught.failed.filter(|failed| !matches!(failed, CatchUpError::Time(_)));
        return Ok(Answer { problems: caught.problems, failed, ..Answer::default() });
    };
    // Waiting for a second write after a first in vain would only double the time. The document needs none.
    if caught.failed.is_none() {
        keep_cold(store, agent, event, around, &session, caught.turns_before)?;
    }
    let tree = || event.cwd.as_deref().and_then(around.git);
    let handoff = around
        .handoff
        .then(|| hand_over(store, agent, event, around, &session, tree().as_ref(), Moment::Compaction))
        .flatten();
    Ok(Answer { problems: caught.problems, failed: caught.failed, handoff, ..Answer::default() })
}

/// Notes the end before anything that takes time, then what git says, and makes the handoff.
fn end(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    kind: EndKind,
    session: Option<&Session>,
) -> Result<Option<Handoff>, CatchUpError> {
    let cleared = kind == EndKind::Clear;
    let project = start::note(store, event, around, Step::Ends { cleared, head: None })?;
    let Some(session) = session else { return Ok(None) };
    let tree = tree_at_end(around, project);
    if let Some(head) = tree.as_ref().and_then(|tree| tree.head.as_deref()) {
        start::note(store, event, around, Step::Ends { cleared, head: Some(head) })?;
    }
    Ok(hand_over_at_end(store, agent, event, around, session, tree.as_ref()))
}

fn tree_at_end(around: &Surroundings, project: Option<start::Project>) -> Option<WorkTree> {
    project.filter(|p| p.is_work_tree && (around.go_on)()).and_then(|p| (around.git)(&p.root))
}

/// Scripts run by the thousand: theirs are kept where something is left to do.
fn hand_over_at_end(
    store: &Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    session: &Session,
    tree: Option<&WorkTree>,
) -> Option<Handoff> {
    let wanted = around.host.attended != Some(false) || Unfinished::of(session, tree).is_left();
    (around.handoff && wanted)
        .then(|| hand_over(store, agent, event, around, session, tree, Moment::End))
        .flatten()
}

/// The handoff of the end, where the store takes nothing.
fn only_hand_over(
    store: &Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    session: &Session,
) -> Option<Handoff> {
    if !matches!(event.kind, EventKind::End(_)) {
        return None;
    }
    let tree = tree_at_end(around, event.cwd.as_deref().map(|cwd| (around.host.project)(cwd)));
    hand_over_at_end(store, agent, event, around, session, tree.as_ref())
}

/// The handoff of the session that sent the event; checkpoints make theirs with it, too.
pub fn hand_over(
    store: &Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    session: &Session,
    tree: Option<&WorkTree>,
    moment: Moment,
) -> Option<Handoff> {
    let project = event.cwd.as_deref().map(|cwd| (around.host.project)(cwd).root);
    let source = Source {
        agent,
        session: &event.session,
        transcript: event.transcript.as_deref(),
        project: project.as_deref(),
        now: around.now,
    };
    // A store that cannot be read costs the notes, not the document.
    let notes = store.notes(&event.session).unwrap_or_default();
    handoff::handoff(session, &source, &Beside { tree, notes: &notes, active: None }, moment)
}

/// Makes the checkpoints that are due, at the events where the person can be told. A store that is busy has them wait
/// for the next event.
fn look_at_gauge(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    caught: &mut CaughtUp,
) -> Result<Option<String>, CatchUpError> {
    if !matches!(event.kind, EventKind::Prompt | EventKind::Tools | EventKind::TurnEnd) {
        return Ok(None);
    }
    match checkpoint::after_pass(store, agent, event, around, caught) {
        Err(error) if !error.is_damage() => {
            caught.failed.get_or_insert(error);
            Ok(None)
        }
        other => other,
    }
}

/// Summarises the tasks that have become cold: every few turns near a compaction, and after each one.
fn keep_cold(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    session: &Session,
    turns_before: u32,
) -> Result<(), CatchUpError> {
    // What the summariser is told does not need the store: it can wait until the compaction is over.
    if matches!(event.kind, EventKind::BeforeCompaction { .. }) {
        return Ok(());
    }
    let last_chance = matches!(event.kind, EventKind::AfterCompaction { .. });
    let is_time = || {
        Ok::<_, CatchUpError>(cold::is_due(turns_before, session) && is_near(store, agent, event, around)?)
    };
    if !last_chance && !is_time()? {
        return Ok(());
    }
    let tasks = cold::cold(session);
    if !tasks.is_empty() {
        store.keep_cold(&event.session, &tasks, around.now)?;
    }
    Ok(())
}

/// Whether the compaction is near, by the gauge as the store has it.
fn is_near(
    store: &Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
) -> Result<bool, CatchUpError> {
    let Some(gauged) = store.gauged(&event.session)? else { return Ok(true) };
    Ok(cold::is_near(&checkpoint::read(Some(store), agent, &gauged, None, &around.limits)?))
}

/// The quiet moments, and the one before the context goes.
fn is_moment_to_mirror(kind: &EventKind) -> bool {
    matches!(kind, EventKind::TurnEnd | EventKind::End(_) | EventKind::BeforeCompaction { .. })
}

fn document(store: &Store, event: &HookEvent, session: &Session) -> Result<Document, CatchUpError> {
    let notes = notes::of(session, &store.notes(&event.session)?);
    let root = session.root().map(str::to_owned);
    Ok(Document { root, text: notes::markdown(&notes, &event.session) })
}

/// What the agent has still to get: a brief that was lost on its way, and what was found after it was given.
fn pending(store: &mut Store, event: &HookEvent, now: i64) -> Result<(String, bool), CatchUpError> {
    let (mut texts, mut lost) = (Vec::new(), false);
    if let Some(missing) = store.missing(&event.session)?
        && store.claim_resend(&missing, now)?
    {
        texts.push(missing.brief);
        lost = true;
    }
    if let Some(late) = store.late(&event.session)?
        && store.claim_late(&late, now)?
    {
        texts.push(late.text);
    }
    Ok((texts.join("\n"), lost))
}

/// Ends a compaction with the summary that the client says it has, and tells the person what that lost. What they are
/// told was found out with the brief, if that is the summary it was made against. Any other is looked at now; where it
/// is wrong follows by the next event.
fn confirm(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    summary: Option<&str>,
) -> Result<String, CatchUpError> {
    let Some(mut under_way) = store.under_way(&event.session)? else { return Ok(String::new()) };
    let is_known = |of: u64| summary.is_none_or(|summary| of == audit::hash_of(summary));
    let (ending, line) = match (under_way.audited, under_way.line.take()) {
        (None, _) if summary.is_none() => (Ending::default(), None),
        (Some(of), Some(line)) if is_known(of) => {
            (Ending { told: Some(store.told(&under_way)?), ..Ending::default() }, Some(line))
        }
        _ => {
            let (brief, earlier) = store.given(&under_way)?;
            let earlier = earlier.as_ref().filter(|audit| is_known(audit.of));
            return confirm_late(store, agent, event, around, summary, brief.as_deref(), earlier);
        }
    };
    let is_ours = store.compaction_ends(&event.session, &Ending { summary, ..ending }, around.now)?;
    Ok(line.filter(|_| is_ours).unwrap_or_default())
}

/// The same where the session has to be asked.
fn confirm_late(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    summary: Option<&str>,
    brief: Option<&str>,
    earlier: Option<&Audit>,
) -> Result<String, CatchUpError> {
    let brief = brief.unwrap_or_default();
    let pass = CatchUp { agent, event, now: around.now, go_on: around.go_on };
    let caught = pass.run(store, Depth::Fold)?;
    // A session that was not read to its end would make half of the summary look invented.
    let session = caught.session.filter(|_| !caught.cut_short);
    let fresh = session
        .as_ref()
        .zip(summary)
        .filter(|_| earlier.is_none())
        .map(|(session, summary)| Audit::new(session, summary));
    let late = fresh.as_ref().map(|audit| contradictions::late(&audit.findings, brief)).unwrap_or_default();
    let late = render::brief(late, render::DEFAULT_BUDGET).text;
    let found = fresh.as_ref().or(earlier).zip(session.as_ref());
    let ending = Ending {
        summary,
        audit: fresh.as_ref(),
        late: Some(late.as_str()).filter(|text| !text.is_empty()),
        told: found.map(|(audit, _)| told(audit)),
    };
    let is_ours = store.compaction_ends(&event.session, &ending, around.now)?;
    let line = found
        .filter(|_| is_ours)
        .and_then(|(audit, session)| audit::line(session, &audit.findings, Said { brief, late: &late }));
    Ok(line.unwrap_or_default())
}

/// Differences that are sure enough for the agent.
fn told(audit: &Audit) -> usize {
    audit.findings.iter().filter(|finding| finding.is_told()).count()
}

/// What the client's process knows of commands ends where another process has to go on. A fork's rows are copied later,
/// so that all of them count as seen by another.
fn note_taken_up(store: &mut Store, session: &str, kind: StartKind) -> Result<(), CatchUpError> {
    let line = match kind {
        StartKind::Resume => store.known(session)?.map_or(0, |known| known.cursor.line),
        StartKind::Fork => u32::MAX,
        StartKind::Startup | StartKind::Clear | StartKind::Compact => return Ok(()),
    };
    store.taken_up(session, line)?;
    Ok(())
}

/// What the summariser should keep, from the same facts as the brief, after the person's own instructions.
pub fn guide(session: &Session, registered: &[Registered], instructions: Option<&str>) -> String {
    let cold = extract::cold::for_summary(session);
    let (mut facts, finished) = (extract::for_summary(session), extract::work::finished(session));
    let is_cold = |fact: &Fact| cold.iter().any(|task| task.bare == fact.bare);
    facts.extend(finished.into_iter().filter(|fact| !is_cold(fact)));
    facts.extend(cold);
    let facts = extract::active::with_registered(facts, session, registered);
    render::guide(facts, instructions)
}

/// The brief as the client takes it, once a compaction. A store that cannot be written does not keep it back:
/// given twice it wastes room, not given it is missed. What was not read to its end is no true record, though.
fn restore(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    caught: &mut CaughtUp,
    spent: &mut Spent,
) -> Result<String, CatchUpError> {
    if caught.cut_short {
        return Ok(String::new());
    }
    let summary = store.summary(&event.session)?;
    let session = &*caught.session.get_or_insert_default();
    let known = Known::after(session, summary.as_deref());
    let ((outside, audit), facts) = extract::facts_after(session, &known, || {
        let outside = outside(store, agent, event, around, session);
        let audit = summary.as_deref().map(|summary| Audit::new(session, summary));
        if let Some(audit) = &audit {
            known.note_findings(&audit.findings);
        }
        (outside, audit)
    });
    let outside = outside?;
    let facts = with_outside(facts, session, &known, &outside, around.budget);
    let brief = spent.brief.insert(render::brief(facts, around.budget));
    if brief.text.is_empty() {
        return Ok(String::new());
    }
    let line = audit.as_ref().map(|audit| line_for_person(session, audit, &brief.text));
    let given =
        Given { brief: &brief.text, items: brief.items(), audit: audit.as_ref(), line: line.as_deref() };
    match store.claim_brief(&event.session, &given, around.now) {
        Ok(false) => return Ok(String::new()),
        Ok(true) => {}
        Err(error) if error.is_damage() => return Err(error.into()),
        Err(error) => caught.failed = Some(error.into()),
    }
    Ok((agent.inject)(event, &brief.text))
}

/// What the person is told once the compaction is over; empty where all is well.
fn line_for_person(session: &Session, audit: &Audit, brief: &str) -> String {
    audit::line(session, &audit.findings, Said { brief, late: "" }).unwrap_or_default()
}

/// What the store alone tells: no file is opened and no program asked.
pub(super) fn stored(
    store: &Store,
    agent: &Agent,
    id: &str,
    session: &Session,
) -> Result<Outside, StoreError> {
    let active = active::now(store, &agent.commands, id, session, &|_, _| None)?;
    Ok(Outside { active: Some(active), notes: store.notes(id)?, ..Outside::default() })
}

/// Looks around the session.
fn outside(
    store: &Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    session: &Session,
) -> Result<Outside, CatchUpError> {
    if session.entries == 0 {
        return Ok(Outside::default());
    }
    let folder = event.cwd.as_deref();
    Ok(Outside {
        tree: folder.and_then(around.git),
        active: Some(active::now(store, &agent.commands, &event.session, session, around.look)?),
        project: folder.map(|folder| (around.project)(folder, session)).unwrap_or_default(),
        notes: store.notes(&event.session)?,
        announce: around.announce,
    })
}

/// The brief of a session against the summary that replaced it. A session nobody knows says nothing, whatever
/// lies around it.
pub fn brief(session: &Session, summary: Option<&str>, outside: &Outside, budget: usize) -> render::Brief {
    let known = summary.map(|summary| Known::after(session, Some(summary))).unwrap_or_default();
    render::brief(facts(session, &known, outside, budget), budget)
}

/// What record and surroundings tell together.
pub fn facts(session: &Session, known: &Known, outside: &Outside, budget: usize) -> Vec<Fact> {
    with_outside(extract::facts(session, known), session, known, outside, budget)
}

fn with_outside(
    mut facts: Vec<Fact>,
    session: &Session,
    known: &Known,
    outside: &Outside,
    budget: usize,
) -> Vec<Fact> {
    if session.entries == 0 {
        return facts;
    }
    if let Some(tree) = &outside.tree {
        facts = extract::git::with_work_tree(facts, tree, known);
    }
    if let Some(active) = &outside.active {
        facts = extract::active::with_files(facts, active, known, render::clamped(budget));
    }
    facts.extend(project::facts(&outside.project, known));
    facts = extract::notes::with_notes(facts, session, &outside.notes, known);
    if outside.announce && !facts.is_empty() {
        facts.push(extract::stood::to_be_announced());
    }
    facts
}
