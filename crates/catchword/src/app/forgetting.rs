//! Forgets on this machine: what `catchword forget` asks for, and what another machine forgot.

use std::path::{Path, PathBuf};

use anyhow::Context;
use catchword_engine::ops::forget::{self, Forgot, Traces};
use catchword_engine::redact::Mask;
use catchword_engine::redact::forgotten::Forgotten;
use catchword_engine::store::{SET_ASIDE, Trace};
use catchword_engine::transcript::{self, tail};

use super::config::Config;
use super::env::Env;
use super::privacy::{self, LeaveOutRules};
use super::{handoff, log, mirror};

/// The user's own settings, and the copies of settings files that `init` keeps: neither is a record of sessions.
pub const NOT_RECORDS: &[&str] = &["config.toml", "install"];

/// What became of sessions.
pub struct ForgottenSessions {
    pub forgot: Forgot,
    /// Handoffs and notes in project folders.
    pub documents: usize,
    /// What is left of them.
    pub traces: Traces,
}

/// Deletes everything about these sessions, and what forks of them (`forks`) have of them. With `whole_projects`, lines of
/// the log that name their folders go, too.
pub fn sessions(
    env: &Env,
    data: &Path,
    chosen: &[Trace],
    forks: &[&Trace],
    whole_projects: bool,
) -> anyhow::Result<ForgottenSessions> {
    let ids: Vec<&str> = chosen.iter().map(|trace| trace.session.as_str()).collect();
    // First, so that no hook records them again meanwhile. A session without a transcript cannot come back.
    let may_return: Vec<&str> = chosen
        .iter()
        .filter(|trace| trace.transcript.as_ref().is_none_or(|path| transcript::is_there(path)))
        .map(|trace| trace.session.as_str())
        .collect();
    LeaveOutRules::forget_sessions(env, &may_return)?;
    let mut documents = 0;
    let mirror = Config::load(env).mirror;
    for trace in chosen.iter().chain(forks.iter().copied()) {
        documents += handoff::forget(env, &trace.session, trace.handoff.as_deref())?;
        for path in mirrored(mirror.as_deref(), trace) {
            std::fs::remove_file(&path).with_context(|| format!("cannot delete {}", path.display()))?;
            documents += 1;
        }
    }
    let told: Vec<String> = chosen.iter().flat_map(|trace| told_by(trace, whole_projects)).collect();
    log::rewrite(data, |line| (!told.iter().any(|text| line.contains(text))).then(|| line.to_owned()))?;
    remove_set_aside(data)?;
    let mut forgot = forget::sessions(data, &ids)?;
    if !forks.is_empty() {
        let of_forks = forget::forks(data, forks, &LeaveOutRules::load(env).mask(), env.now())?;
        forgot.store += of_forks.store;
        forgot.history += of_forks.history;
        forgot.backups += of_forks.backups;
    }
    let texts: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    let mut traces = forget::traces(data, &texts, NOT_RECORDS)?;
    if !traces.left.is_empty() {
        // Other sessions may mention it by its id.
        let known = texts.iter().filter_map(|id| Forgotten::of(id, privacy::salt()));
        let mask = Mask::new(known.collect());
        mask_files(data, env, &mask)?;
        forget::texts(data, &mask)?;
        traces = forget::traces(data, &texts, NOT_RECORDS)?;
    }
    Ok(ForgottenSessions { forgot, documents, traces })
}

/// Masks a text wherever it is, now and from now on.
pub fn text(env: &Env, data: &Path, forgotten: &Forgotten) -> anyhow::Result<Forgot> {
    LeaveOutRules::forget_text(env, forgotten)?;
    let mask = LeaveOutRules::load(env).mask();
    remove_set_aside(data)?;
    mask_files(data, env, &mask)?;
    Ok(forget::texts(data, &mask)?)
}

/// The other sessions that go on from one of these without a copy of it.
pub fn forks_of<'a>(chosen: &[Trace], known: &'a [Trace]) -> Vec<&'a Trace> {
    let is_chosen = |session: &str| chosen.iter().any(|trace| trace.session == session);
    let goes_on = |trace: &&Trace| {
        let path = trace.transcript.as_deref();
        path.is_some_and(|path| tail::bases(path).iter().any(|base| is_chosen(base)))
    };
    known.iter().filter(|trace| !is_chosen(&trace.session)).filter(goes_on).collect()
}

/// Its notes in project folders.
fn mirrored(mirror: Option<&str>, trace: &Trace) -> Vec<PathBuf> {
    mirror.map(|path| mirror::of_session(path, &trace.session, &trace.folders)).unwrap_or_default()
}

/// How lines of the log refer to a session: its id, its files and, if a whole project is forgotten, its folders.
fn told_by(trace: &Trace, whole_projects: bool) -> Vec<String> {
    let files = trace.transcript.iter().chain(&trace.handoff);
    let folders = trace.folders.iter().filter(|_| whole_projects);
    let paths = files.chain(folders).map(|path| path.display().to_string());
    paths.chain([trace.session.clone()]).filter(|text| text.len() > 1).collect()
}

/// Masks our text files with the current rules.
fn mask_files(data: &Path, env: &Env, mask: &Mask) -> anyhow::Result<()> {
    log::rewrite(data, |line| Some(mask.text(line).into_owned()))?;
    let known = forget::known(data)?;
    let mirror = Config::load(env).mirror;
    for trace in &known {
        mirror::mask_again(env, &mirrored(mirror.as_deref(), trace), mask)?;
    }
    let recorded: Vec<PathBuf> = known.into_iter().filter_map(|trace| trace.handoff).collect();
    handoff::mask_again(env, &recorded, mask)?;
    Ok(())
}

/// Databases that were set aside cannot be cleaned, so they are deleted.
fn remove_set_aside(data: &Path) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(data)?.flatten() {
        if entry.file_name().to_string_lossy().contains(SET_ASIDE) {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
