//! Exchanges observations with a shared archive.
//!
//! What this machine recorded is pushed, with the words that the person shares; what the person may see of the projects on
//! this machine is pulled, so that hooks have it here. Both directions are [`archive::copy`]: interrupted at any point, the
//! next call goes on. What is no longer shown there is let go here. Tombstones are exchanged by the caller, first.

use std::collections::{HashMap, HashSet};

use crate::archive::history::History;
use crate::archive::history::shared::LocalArchive;
use crate::archive::{
    self, Appended, Archive, ArchiveError, Copied, SharedBatch, SharedSource, SharedWith, SourceFigures,
    SourceKey, SourcePosition, project,
};
use crate::redact::Mask;
use crate::store::{Recorded, Store};

/// Most items of one batch: at 16 kB each, 4 MB.
const BATCH: usize = 250;

/// What is sent and to whom.
pub struct SyncRules<'a> {
    /// The id of this machine.
    pub machine: &'a str,
    /// The person's role in the archive.
    pub person: &'a str,
    /// Who may read a transcript's words; `None` if it never leaves this machine.
    pub share: &'a dyn Fn(&SharedSource) -> Option<SharedWith>,
    /// What is masked on this machine, also of what others recorded.
    pub mask: &'a Mask,
    /// What hooks recorded of its sessions.
    pub store: Option<&'a Store>,
}

impl SyncRules<'_> {
    /// The figures of a transcript, with those that only hooks know: tokens in its context, findings about its summaries,
    /// and lines given back after them.
    fn figures(&self, source: &SharedSource) -> Result<SourceFigures, ArchiveError> {
        let Some(store) = self.store.filter(|_| source.key.thread.is_empty()) else {
            return Ok(source.figures);
        };
        let session = source.key.session.as_str();
        let compactions = store.compactions(Some(session))?;
        let findings = compactions.iter().filter_map(|one| one.findings.as_ref().map(|all| all.len() as u64));
        let given = compactions.iter().filter_map(|one| one.items.map(|items| items as u64));
        Ok(SourceFigures {
            tokens: store.gauged(session)?.and_then(|gauged| gauged.tally.used),
            lost: (!compactions.is_empty()).then(|| findings.sum()),
            given_back: (!compactions.is_empty()).then(|| given.sum()),
            ..source.figures
        })
    }
}

/// What a push did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pushed {
    pub copied: Copied,
    /// Transcripts that never leave this machine.
    pub left_out: usize,
    /// Bytes of the texts, and stretches that are masked in them; only of a dry run.
    pub bytes: u64,
    pub masked: usize,
    /// Folders of the projects of what is new.
    pub projects: Vec<String>,
}

/// Prepares the history for a push: projects are identified, texts masked by the present rules, and what hooks recorded of
/// compactions is kept with their boundaries.
pub fn prepare(history: &mut History, store: Option<&Store>, mask: &Mask) -> Result<(), ArchiveError> {
    history.identify_projects()?;
    if history.is_masked_by_older_rules()? {
        history.mask_again(mask)?;
    }
    let recorded = store.map(|store| store.compactions(None)).transpose()?.unwrap_or_default();
    let sessions: HashSet<&str> = recorded.iter().map(|one| one.session.as_str()).collect();
    for session in sessions {
        let own: Vec<Recorded> = recorded.iter().filter(|one| one.session == session).cloned().collect();
        history.take_compactions(session, &own, mask)?;
    }
    Ok(())
}

/// Pushes what is new. Calls `progress` after each transcript.
pub fn push(
    history: &mut History,
    remote: &mut dyn Archive,
    rules: &SyncRules,
    progress: &dyn Fn(),
) -> Result<Pushed, ArchiveError> {
    let mut pushed = Pushed::default();
    let there = by_key(remote)?;
    let mut local = LocalArchive::new(history, rules.machine);
    for mut source in own(&mut local, rules)? {
        progress();
        let Some(share) = (rules.share)(&source) else {
            pushed.left_out += 1;
            continue;
        };
        source.figures = rules.figures(&source)?;
        let reached = match there.get(&source.key) {
            Some(known) => match ready(remote, &source, known, share)? {
                Some(reached) => Some(reached),
                None => continue,
            },
            None => None,
        };
        let dress = &mut |mut batch: SharedBatch| {
            batch.source.figures = source.figures;
            dressed(batch, share)
        };
        let copied = archive::copy(&mut local, remote, &source.key, reached, BATCH, dress)?;
        if copied.sources > 0 {
            note_project(&mut pushed.projects, &source);
        }
        add(&mut pushed.copied, copied);
    }
    Ok(pushed)
}

/// What a push would send.
pub fn would_push(
    history: &mut History,
    remote: &mut dyn Archive,
    rules: &SyncRules,
) -> Result<Pushed, ArchiveError> {
    let mut would = Pushed::default();
    let there = by_key(remote)?;
    let mut local = LocalArchive::new(history, rules.machine);
    for source in own(&mut local, rules)? {
        let Some(share) = (rules.share)(&source) else {
            would.left_out += 1;
            continue;
        };
        let mut reached = there.get(&source.key).map(|known| known.reached);
        let mut is_new = false;
        while let Some(batch) = local.since(&source.key, reached, BATCH)? {
            reached = Some(batch.to);
            is_new = true;
            for shared in &dressed(batch, share).items {
                let texts = [&shared.item.title, &shared.item.body];
                would.copied.items += 1;
                would.bytes += texts.iter().map(|text| text.len() as u64).sum::<u64>();
                would.masked += texts.iter().map(|text| text.matches("[masked: ").count()).sum::<usize>();
            }
        }
        if is_new {
            would.copied.sources += 1;
            note_project(&mut would.projects, &source);
        }
    }
    Ok(would)
}

/// Pulls what the person may see of the projects on this machine, and lets go of what is no longer shown.
pub fn pull(
    history: &mut History,
    remote: &mut dyn Archive,
    rules: &SyncRules,
    progress: &dyn Fn(),
) -> Result<Copied, ArchiveError> {
    let mut copied = Copied::default();
    let mut local = LocalArchive::new(history, rules.machine);
    let all = local.sources()?;
    let (own, pulled): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|source| source.key.machine == rules.machine);
    // What is left out here is not fetched either.
    let is_shared = |source: &SharedSource| (rules.share)(source).is_some();
    let here: HashSet<String> =
        own.into_iter().filter(is_shared).filter_map(|source| source.project_key).collect();
    let mut known: HashMap<SourceKey, SourcePosition> =
        pulled.into_iter().map(|source| (source.key, source.reached)).collect();
    for source in remote.sources()? {
        if source.key.machine == rules.machine || !is_wanted(&source, &here, rules) {
            continue;
        }
        let mut reached = known.remove(&source.key);
        if reached == Some(source.reached) {
            continue;
        }
        progress();
        // There it began anew.
        if reached.is_some_and(|reached| reached > source.reached) {
            local.let_go(&source.key)?;
            reached = None;
        }
        let dress = &mut |batch| masked(batch, rules.mask);
        let copy = archive::copy(remote, &mut local, &source.key, reached, BATCH, dress)?;
        add(&mut copied, copy);
    }
    for key in known.into_keys() {
        local.let_go(&key)?;
    }
    Ok(copied)
}

/// Whether a transcript of another machine belongs here: of a repository that is here, or of the person's own folder of
/// the same name.
fn is_wanted(source: &SharedSource, here: &HashSet<String>, rules: &SyncRules) -> bool {
    let is_own = source.person.as_deref() == Some(rules.person);
    let fits = |key: &String| here.contains(key) && (is_own || project::is_repository(key));
    source.share != SharedWith::None && source.project_key.as_ref().is_some_and(fits)
}

/// Prepares what is there for a push; the position to go on from, `None` if there is nothing to send.
fn ready(
    remote: &mut dyn Archive,
    source: &SharedSource,
    known: &SharedSource,
    share: SharedWith,
) -> Result<Option<SourcePosition>, ArchiveError> {
    let mut moved = |to: SourcePosition| {
        let batch = SharedBatch { source: source.clone(), from: Some(known.reached), to, items: Vec::new() };
        remote.append(&dressed(batch, share))
    };
    let start = SourcePosition { version: 0, line: 0, part: 0, ..known.reached };
    let gets_words = known.share == SharedWith::None && share != SharedWith::None;
    // The history was rebuilt meanwhile and counts anew.
    if gets_words || known.reached > source.reached {
        return Ok((moved(start)? == Appended::Recorded).then_some(start));
    }
    if known.reached == source.reached {
        if known.share != share {
            moved(known.reached)?;
        }
        return Ok(None);
    }
    Ok(Some(known.reached))
}

/// A batch as it is sent: without words, names and paths if only figures are shared.
fn dressed(mut batch: SharedBatch, share: SharedWith) -> SharedBatch {
    batch.source.share = share;
    if share == SharedWith::None {
        batch.items.clear();
        (batch.source.project_key, batch.source.project, batch.source.title) = (None, None, None);
    }
    batch
}

/// A batch as it is kept here: who recorded it need not mask what this machine forgot.
fn masked(mut batch: SharedBatch, mask: &Mask) -> SharedBatch {
    let again = |text: &mut String| *text = mask.text(text).into_owned();
    for shared in &mut batch.items {
        again(&mut shared.item.title);
        again(&mut shared.item.body);
    }
    batch.source.title.iter_mut().chain(&mut batch.source.project).for_each(again);
    batch
}

fn by_key(remote: &mut dyn Archive) -> Result<HashMap<SourceKey, SharedSource>, ArchiveError> {
    Ok(remote.sources()?.into_iter().map(|source| (source.key.clone(), source)).collect())
}

fn own(local: &mut dyn Archive, rules: &SyncRules) -> Result<Vec<SharedSource>, ArchiveError> {
    let mut all = local.sources()?;
    all.retain(|source| source.key.machine == rules.machine);
    Ok(all)
}

fn note_project(projects: &mut Vec<String>, source: &SharedSource) {
    let folder = source.project.clone().unwrap_or_else(|| "(no folder)".to_owned());
    if !projects.contains(&folder) {
        projects.push(folder);
    }
}

fn add(all: &mut Copied, one: Copied) {
    all.sources += one.sources;
    all.items += one.items;
    all.refused += one.refused;
}
