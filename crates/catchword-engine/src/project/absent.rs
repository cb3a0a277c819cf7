//! Files that sessions looked for and did not find.

use std::collections::{BTreeMap, BTreeSet};

use super::{PastPlace, PastTranscript, in_repository};
use crate::archive::history::item::ItemKind;
use crate::reading::report::missing_paths;
use crate::session::paths::is_by_product;

/// Paths kept.
const MOST: usize = 20;

/// A path that was looked for in vain.
#[derive(Clone, Debug, PartialEq)]
pub struct PastAbsence {
    /// Below the root.
    pub path: String,
    /// Sessions that looked for it.
    pub sessions: usize,
    pub last: PastPlace,
}

/// Paths that several sessions looked for in vain; what was there at any time is not among them.
pub(super) fn absent(transcripts: &[PastTranscript], root: &str) -> Vec<PastAbsence> {
    let mut found: BTreeMap<String, (BTreeSet<&str>, PastPlace)> = BTreeMap::new();
    let mut there: BTreeSet<String> = BTreeSet::new();
    for transcript in transcripts {
        for item in &transcript.items {
            let paths: Vec<&str> = match item.kind {
                ItemKind::File if item.failed => vec![item.title.as_str()],
                ItemKind::File => {
                    there.extend(in_repository(&item.title, &transcript.source, root));
                    continue;
                }
                ItemKind::Command if item.failed => missing_paths(&item.body).collect(),
                _ => continue,
            };
            for path in paths.into_iter().filter_map(|path| in_repository(path, &transcript.source, root)) {
                let seen = PastPlace::of(transcript, item);
                let known = found.entry(path).or_insert_with(|| (BTreeSet::new(), seen.clone()));
                known.0.insert(&transcript.source.thread.session);
                known.1 = seen;
            }
        }
    }
    let mut found: Vec<PastAbsence> = found
        .into_iter()
        .filter(|(path, (sessions, _))| sessions.len() > 1 && !there.contains(path) && !is_by_product(path))
        .map(|(path, (sessions, last))| PastAbsence { path, sessions: sessions.len(), last })
        .collect();
    found.sort_by_key(|one| std::cmp::Reverse((one.sessions, one.last.time())));
    found.truncate(MOST);
    found
}
