//! Removes sessions or a text from everything that is stored, and checks that nothing is left.
//!
//! Covers rows, index, snapshots and backups; documents and logs belong to the front end. Deleted rows stay in a
//! database file until it is rewritten, so both databases are.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use super::index::{self, FoundTranscript, IndexError};
use super::rows;
use crate::archive::backup::{BackupError, BackupList, Backups, Original};
use crate::archive::history::History;
use crate::redact::Mask;
use crate::redact::case_folding::fold_bytes;
use crate::redact::forgotten::{LONGEST_FORM, each_form};
use crate::store::{Store, StoreError, Trace};
use crate::transcript;

/// How long to wait for a hook that is writing.
const LOCK_WAIT: Duration = Duration::from_secs(10);
/// Bytes of a file that are searched at once.
const WINDOW: usize = 1024 * 1024;
/// A failure. What was done before it stays done.
#[derive(Debug, Error)]
pub enum ForgetError {
    /// A database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The backups cannot be changed.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// A fork cannot be recorded again.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A file cannot be read.
    #[error("cannot read {path}: {source}")]
    File { path: PathBuf, source: io::Error },
}

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forgot {
    /// Rows deleted, or texts masked, in the store.
    pub store: usize,
    /// The same in the history.
    pub history: usize,
    /// Backed-up transcripts removed or changed.
    pub backups: usize,
}

/// The result of a search for leftovers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// Number of files searched.
    pub files: usize,
    /// Files in which something is left.
    pub left: Vec<PathBuf>,
}

/// All sessions known to hooks, the history or the backups, sorted by id.
pub fn known(data: &Path) -> Result<Vec<Trace>, ForgetError> {
    let mut sessions: BTreeMap<String, Trace> = BTreeMap::new();
    if let Some(store) = Store::open_existing(data, LOCK_WAIT)? {
        for trace in store.all_sessions()? {
            sessions.insert(trace.session.clone(), trace);
        }
    }
    let mut add = |session: &str, path: &Path, folder: Option<&Path>, at: i64| {
        let trace = sessions.entry(session.to_owned()).or_default();
        session.clone_into(&mut trace.session);
        trace.transcript.get_or_insert_with(|| path.to_owned());
        trace.folders.extend(folder.map(Path::to_owned));
        trace.last_at = trace.last_at.max(at);
    };
    if let Some(history) = History::open_existing(data, LOCK_WAIT)? {
        for source in history.sources()? {
            let project = source.project.as_deref().map(Path::new);
            add(&source.thread.session, &source.path, project, source.last_at.unwrap_or_default());
        }
    }
    // A backup's time is that of its last change, which may be later than the session's end: used only if nothing else
    // knows.
    for kept in Backups::at(data).all()? {
        let is_new = !sessions.contains_key(&kept.session);
        let trace = sessions.entry(kept.session.clone()).or_default();
        trace.session = kept.session;
        trace.transcript.get_or_insert(kept.path);
        trace.folders.extend(kept.project);
        if is_new {
            trace.last_at = kept.at;
        }
    }
    Ok(sessions.into_values().collect())
}

/// Removes what was computed of these sessions, so that it is computed again; the number of rows.
pub fn computed(data: &Path, ids: &[&str]) -> Result<usize, ForgetError> {
    let Some(mut store) = Store::open_existing(data, LOCK_WAIT)? else { return Ok(0) };
    Ok(store.forget_computed(ids)?)
}

/// Removes these sessions from the databases and the backups.
pub fn sessions(data: &Path, ids: &[&str]) -> Result<Forgot, ForgetError> {
    let mut forgot = Forgot::default();
    let backups = Backups::at(data);
    let kept = backups.all()?.iter().filter(|kept| ids.contains(&kept.session.as_str())).count();
    if kept > 0 {
        backups.remove(&backups.lock(true)?, ids)?;
        forgot.backups = kept;
    }
    if let Some(mut store) = Store::open_existing(data, LOCK_WAIT)? {
        forgot.store = store.forget(ids)?;
        store.compress()?;
    }
    if let Some(mut history) = History::open_existing(data, LOCK_WAIT)? {
        forgot.history = history.forget(ids)?;
        history.compress()?;
    }
    Ok(forgot)
}

/// Removes what these forks have of a forgotten session, and records what is theirs again: `mask` knows what was forgotten.
/// What was computed or told about them (compactions, briefs, findings) goes, because it is about both; their notes stay.
pub fn forks(data: &Path, forks: &[&Trace], mask: &Mask, now: i64) -> Result<Forgot, ForgetError> {
    let ids: Vec<&str> = forks.iter().map(|fork| fork.session.as_str()).collect();
    let backups = Backups::at(data);
    let backed_up: Vec<BackupList> =
        backups.all()?.into_iter().filter(|kept| ids.contains(&kept.session.as_str())).collect();
    let mut notes = Vec::new();
    if let Some(store) = Store::open_existing(data, LOCK_WAIT)? {
        for id in &ids {
            notes.push((*id, store.notes(id)?));
        }
    }
    let forgot = sessions(data, &ids)?;
    if let Some(mut store) = Store::open_existing(data, LOCK_WAIT)? {
        for (id, note) in notes.iter().flat_map(|(id, notes)| notes.iter().map(move |note| (id, note))) {
            store.add_note(id, note)?;
        }
    }
    let there = forks
        .iter()
        .filter_map(|fork| Some((fork, fork.transcript.as_ref().filter(|path| transcript::is_there(path))?)));
    for (fork, path) in there {
        let unreadable = |source| ForgetError::File { path: path.clone(), source };
        let found = FoundTranscript::at(path, 0).map_err(unreadable)?;
        if let Some(mut history) = History::open_existing(data, LOCK_WAIT)? {
            index::transcript(&mut history, found.reader(mask), &found.thread, path, &|| true)?;
            if let Some(store) = Store::open_existing(data, LOCK_WAIT)? {
                index::notes(&mut history, &store)?;
            }
        }
        for kept in backed_up.iter().filter(|kept| kept.session == fork.session && kept.subagent.is_empty()) {
            let original = Original {
                thread: &found.thread,
                path,
                project: kept.project.as_deref(),
                mask,
                is_left_out: &|line| rows::is_line_left_out(mask, line),
            };
            backups.take(&backups.lock(true)?, &original, now, &|| true)?;
        }
    }
    Ok(forgot)
}

/// Masks everything again by the current rules, which include the forgotten texts (`redact/forgotten.rs`).
pub fn texts(data: &Path, mask: &Mask) -> Result<Forgot, ForgetError> {
    let mut forgot = Forgot::default();
    let backups = Backups::at(data);
    if !backups.all()?.is_empty() {
        forgot.backups = backups.mask_again(&backups.lock(true)?, mask)?;
    }
    if let Some(mut store) = Store::open_existing(data, LOCK_WAIT)? {
        forgot.store = store.mask_again(mask)?;
        store.compress()?;
    }
    if let Some(mut history) = History::open_existing(data, LOCK_WAIT)? {
        forgot.history = history.mask_again(mask)?;
        history.compress()?;
    }
    Ok(forgot)
}

/// Searches for these texts, in any case and normal form and however JSON escapes them, in every file of the data directory
/// except `skipped`, including compressed ones.
pub fn traces(data: &Path, texts: &[String], skipped: &[&str]) -> Result<Traces, ForgetError> {
    let texts: Vec<Vec<u8>> = texts.iter().map(|text| fold_bytes(text.as_bytes())).collect();
    let finders: Vec<memchr::memmem::Finder> = texts.iter().map(memchr::memmem::Finder::new).collect();
    let is_in = |bytes: &[u8]| is_any_in(&finders, bytes);
    let longest = texts.iter().map(Vec::len).max().unwrap_or_default();
    let mut found = Traces::default();
    let mut folders = vec![data.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |source| ForgetError::File { path: folder.clone(), source };
        for entry in std::fs::read_dir(&folder).map_err(failed)?.flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if folder == data && skipped.iter().any(|skipped| name == **skipped) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            found.files += 1;
            let named = is_in(name.as_encoded_bytes());
            if named
                || holds(&path, longest, &is_in)
                    .map_err(|source| ForgetError::File { path: path.clone(), source })?
            {
                found.left.push(path);
            }
        }
    }
    Backups::at(data).texts(|path, text| {
        if is_in(text.as_bytes()) {
            found.left.push(path.to_owned());
        }
    })?;
    if let Some(history) = History::open_existing(data, LOCK_WAIT)? {
        let mut left = false;
        history.texts(|text| left |= is_in(text.as_bytes()))?;
        found.left.extend(left.then(|| History::path(data)));
    }
    found.left.sort();
    found.left.dedup();
    Ok(found)
}

/// Whether a file contains a text, in any case and normal form and however JSON escapes it.
pub fn is_in_file(path: &Path, text: &str) -> io::Result<bool> {
    let text = fold_bytes(text.as_bytes());
    let finder = memchr::memmem::Finder::new(&text);
    holds(path, text.len(), &|bytes| is_any_in(std::slice::from_ref(&finder), bytes))
}

fn is_any_in(finders: &[memchr::memmem::Finder], bytes: &[u8]) -> bool {
    let mut found = false;
    each_form(bytes, |form| found |= finders.iter().any(|finder| finder.find(form).is_some()));
    found
}

/// Whether a file contains something; reads overlapping windows. `longest` is in folded bytes.
fn holds(path: &Path, longest: usize, is_in: &dyn Fn(&[u8]) -> bool) -> io::Result<bool> {
    let mut file = match File::open(path) {
        // A database's log disappears with its last reader.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other?,
    };
    let overlap = longest * LONGEST_FORM;
    let mut window = Vec::with_capacity(WINDOW + overlap);
    loop {
        let before = window.len();
        let read = file.by_ref().take(WINDOW as u64).read_to_end(&mut window)?;
        if read == 0 {
            return Ok(false);
        }
        if is_in(&window) {
            return Ok(true);
        }
        debug_assert_eq!(window.len(), before + read);
        let keep = overlap.min(window.len());
        window.drain(..window.len() - keep);
    }
}
