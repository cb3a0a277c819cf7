//! Answers that took long to make, kept as long as nothing they were made from has changed.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use axum::body::Bytes;

/// Bytes kept in all: a session of 20,000 rows has about ten million.
const MOST: usize = 64 << 20;
/// A session that was working may be silent by now: how it stands is looked up again after this time.
const STANDS_FOR_MS: i64 = 30_000;
/// What a document is made from, beside the transcript. The log of a database is where its newest rows are.
const SOURCES: &[&str] =
    &["catchword.db", "catchword.db-wal", "history.db", "history.db-wal", "left-out", "config.toml"];

/// Tells one state of everything that a session's documents are made from, from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp(String);

impl Stamp {
    /// `now` for a document that says how the session stands now.
    pub fn of(transcript: &Path, data: Option<&Path>, now: Option<i64>) -> Stamp {
        let mut hasher = DefaultHasher::new();
        hasher.write_i64(now.map_or(-1, |now| now / STANDS_FOR_MS));
        let mut look = |path: &Path| {
            // Opening a database makes an empty log.
            let found = path.metadata().ok().filter(|found| found.len() > 0);
            let time = found.as_ref().and_then(|found| found.modified().ok());
            let time = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            hasher.write_u64(found.map_or(0, |found| found.len()));
            hasher.write_u128(time.map_or(0, |time| time.as_nanos()));
        };
        look(transcript);
        SOURCES.iter().filter_map(|name| Some(data?.join(name))).for_each(|path| look(&path));
        Stamp(format!("\"{:016x}\"", hasher.finish()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The answers, oldest first.
#[derive(Default)]
pub struct KeptReplies(Mutex<VecDeque<KeptReply>>);

struct KeptReply {
    question: String,
    stamp: Stamp,
    content: Bytes,
}

impl KeptReplies {
    pub fn find(&self, question: &str, stamp: &Stamp) -> Option<Bytes> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().find(|one| one.question == question && one.stamp == *stamp)?;
        Some(found.content.clone())
    }

    pub fn keep(&self, question: String, stamp: &Stamp, content: &Bytes) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|one| one.question != question);
        kept.push_back(KeptReply { question, stamp: stamp.clone(), content: content.clone() });
        while kept.iter().map(|one| one.content.len()).sum::<usize>() > MOST {
            kept.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use catchword_testkit::files;

    use super::*;

    #[test]
    fn an_answer_is_kept_until_something_changes() {
        let data = tempfile::tempdir().unwrap();
        let transcript = data.path().join("a.jsonl");
        files::write(&transcript, "one\n");
        let stamp = |now| Stamp::of(&transcript, Some(data.path()), Some(now));
        let (kept, first) = (KeptReplies::default(), stamp(0));
        kept.keep("a".into(), &first, &Bytes::from_static(b"answer"));
        assert_eq!(kept.find("a", &stamp(0)).as_deref(), Some(b"answer".as_slice()));
        assert_eq!(kept.find("b", &stamp(0)), None);
        assert_eq!(kept.find("a", &stamp(STANDS_FOR_MS)), None, "time has passed");
        for grown in ["a.jsonl", "history.db", "left-out"] {
            let before = stamp(0);
            files::write(data.path().join(grown), format!("one, and {grown}\n"));
            assert_ne!(stamp(0), before, "{grown}");
        }
        assert_eq!(kept.find("a", &stamp(0)), None);
    }

    #[test]
    fn the_oldest_go_when_there_is_no_room() {
        let (kept, stamp) = (KeptReplies::default(), Stamp("s".into()));
        let half = Bytes::from(vec![0; MOST / 2]);
        for question in ["a", "b", "c"] {
            kept.keep(question.into(), &stamp, &half);
        }
        let found = ["a", "b", "c"].map(|question| kept.find(question, &stamp).is_some());
        assert_eq!(found, [false, true, true]);
    }
}
