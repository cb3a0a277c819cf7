//! Which rows begin a compaction: the one rule by which compactions are counted, numbered and listed.

use crate::model::entry::{Entry, EntryId, Part, Thread};

/// Whether a part begins a compaction. A summary belongs to the boundary before it, which is then `open`. Older clients
/// write no boundary: there the summary itself counts.
pub fn begins(part: &Part, open: bool) -> bool {
    match part {
        Part::Compaction { .. } => true,
        Part::Summary(_) => !open,
        _ => false,
    }
}

/// What a row is to the compactions of its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompactionRow {
    /// It begins one.
    Begins,
    /// It belongs to the one that began before.
    Continues,
    /// It was there before: clients repeat rows, and a resumed session begins with copies.
    Repeated,
    /// It has nothing to do with any.
    Other,
}

/// Follows the compactions of the main conversation, row by row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompactionCounter {
    /// The latest boundary has no summary yet.
    pub open: bool,
    /// Boundaries and summaries so far.
    pub seen: Vec<EntryId>,
}

impl CompactionCounter {
    /// Takes the next row.
    pub fn take(&mut self, entry: &Entry) -> CompactionRow {
        let marks =
            entry.parts.iter().filter(|part| matches!(part, Part::Compaction { .. } | Part::Summary(_)));
        let marks: Vec<&Part> = marks.collect();
        if marks.is_empty() || entry.thread == Thread::Sub {
            return CompactionRow::Other;
        }
        if entry.id.is_some_and(|id| self.seen.contains(&id)) {
            return CompactionRow::Repeated;
        }
        self.seen.extend(entry.id);
        let mut row = CompactionRow::Continues;
        for part in marks {
            if begins(part, self.open) {
                row = CompactionRow::Begins;
            }
            self.open = matches!(part, Part::Compaction { .. });
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clients::CLIENTS;
    use crate::model::entry::Place;
    use crate::redact::SECRETS;
    use crate::session::tests::fold;
    use catchword_testkit::Transcript;

    fn rows(transcript: &Transcript) -> Vec<CompactionRow> {
        let mut counter = CompactionCounter::default();
        let lines = transcript.lines().iter().enumerate();
        let entry = |(at, line): (usize, &String)| {
            (CLIENTS[0].entry)(Place(at as u32 + 1), line.as_bytes()).ok()?.map(|entry| entry.masked(SECRETS))
        };
        lines.filter_map(entry).map(|entry| counter.take(&entry)).collect()
    }

    #[test]
    fn a_repeated_history_counts_once_and_as_the_session_counts_it() {
        use CompactionRow::{Begins, Continues, Repeated};
        let once = Transcript::new()
            .prompt("a")
            .compaction("auto", "with a boundary")
            .prompt("b")
            .old_style_compaction("without one")
            .says("c");
        let lines = once.line_count();
        let marks = |transcript: &Transcript| {
            let mut rows = rows(transcript);
            rows.retain(|row| *row != CompactionRow::Other);
            rows
        };
        assert_eq!(marks(&once), [Begins, Continues, Begins]);
        let copied = (1..=lines).fold(once, Transcript::duplicate_row);
        assert_eq!(marks(&copied), [Begins, Continues, Begins, Repeated, Repeated, Repeated]);
        assert_eq!(fold(&copied).compactions.len(), 2);
        let more = copied.compaction("manual", "a third");
        assert_eq!(marks(&more)[6..], [Begins, Continues]);
        assert_eq!(fold(&more).compactions.len(), 3);
    }
}
