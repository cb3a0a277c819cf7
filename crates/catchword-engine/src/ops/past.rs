//! What the history has of one repository: its transcripts of all clients, work trees and machines.

use std::path::Path;

use crate::archive::history::item::ItemKind;
use crate::archive::history::{History, TranscriptSource};
use crate::archive::project::is_repository;
use crate::project::{Past, PastTranscript};
use crate::session::paths::is_inside;
use crate::store::StoreError;

/// The items that the past is made of.
const KINDS: [ItemKind; 4] = [ItemKind::Prompt, ItemKind::Command, ItemKind::File, ItemKind::Decision];
/// Most items of a transcript, the latest.
const MOST_ITEMS: usize = 4_000;

/// Whose past is asked for.
pub struct PastRequest<'a> {
    /// The root of the work tree, or a folder outside of any.
    pub root: &'a Path,
    /// Identifies its project on every machine.
    pub key: &'a str,
    pub is_work_tree: bool,
    /// Most transcripts, the latest.
    pub most: usize,
    /// A session that is not part of it: the one that asks.
    pub without: Option<&'a str>,
    /// Whether whoever asks may see a transcript.
    pub sees: &'a dyn Fn(&TranscriptSource) -> bool,
    /// False once the deadline has passed: then what was read by then is all.
    pub in_time: &'a dyn Fn() -> bool,
}

/// The transcripts of a repository, latest first.
pub fn sources(history: &History, request: &PastRequest) -> Result<Vec<TranscriptSource>, StoreError> {
    let mut sources = history.sources()?;
    sources.retain(|source| {
        is_of(source, request)
            && request.without != Some(source.thread.session.as_str())
            && (request.sees)(source)
    });
    sources.truncate(request.most);
    Ok(sources)
}

/// By its key; without a remote address by its folder, which may lie below the root.
fn is_of(source: &TranscriptSource, request: &PastRequest) -> bool {
    let root = request.root.to_string_lossy();
    match source.project_key.as_deref() {
        Some(key) if key == request.key => true,
        // Another repository may lie inside this one.
        Some(key) if is_repository(key) => false,
        _ => {
            let is_below = |folder: &str| is_inside(folder, &root) && request.is_work_tree;
            source.is_own() && source.project.as_deref().is_some_and(is_below)
        }
    }
}

/// What they say.
pub fn past(history: &History, request: &PastRequest) -> Result<Past, StoreError> {
    let mut transcripts = Vec::new();
    for source in sources(history, request)? {
        if !(request.in_time)() {
            break;
        }
        let mut items = history.latest(source.no, &KINDS, MOST_ITEMS, |_| true)?;
        items.reverse();
        transcripts.push(PastTranscript { source, items });
    }
    Ok(Past::of(transcripts, &request.root.to_string_lossy()))
}
