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

/// A part of a row that stands in the place of a summary: nobody typed it.
pub fn in_place_of_summary(part: &Part) -> Option<Part> {
    match part {
        Part::Prompt { text, .. } => Some(Part::Summary(text.clone())),
        _ => None,
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
    /// Whether a row stands in the place of the latest boundary's summary. An extension of a client may put its own messages
    /// there: they are in the user's role, and nothing marks them.
    pub fn is_in_place_of_summary(&self, entry: &Entry) -> bool {
        let follows = entry.parent.is_some() && self.seen.last() == entry.parent.as_ref();
        self.open && follows && entry.parts.iter().any(|part| matches!(part, Part::Prompt { .. }))
    }

    /// Takes the next row.
    pub fn take(&mut self, entry: &Entry) -> CompactionRow {
        let marks =
            entry.parts.iter().filter(|part| matches!(part, Part::Compaction { .. } | Part::Summary(_)));
        let marks: Vec<&Part> = marks.collect();
        if self.is_in_place_of_summary(entry) {
            self.open = false;
            return CompactionRow::Continues;
        }
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
    use serde_json::json;

    fn entries(transcript: &Transcript) -> Vec<Entry> {
        let lines = transcript.lines().iter().enumerate();
        let entry = |(at, line): (usize, &String)| {
            (CLIENTS[0].entry)(Place(at as u32 + 1), line.as_bytes()).ok()?.map(|entry| entry.masked(SECRETS))
        };
        lines.filter_map(entry).collect()
    }

    fn rows(transcript: &Transcript) -> Vec<CompactionRow> {
        let mut counter = CompactionCounter::default();
        entries(transcript).iter().map(|entry| counter.take(entry)).collect()
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

    /// An extension put its own message in the place of the summary: the row has no mark but its parent.
    #[test]
    fn words_in_the_place_of_a_summary_are_nobodys_prompt() {
        let row = |text: &str, id: &str, parent: &str| json!({"type": "user", "uuid": id, "parentUuid": parent, "message": {"role": "user", "content": text}});
        let boundary =
            json!({"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": null});
        let transcript = Transcript::new()
            .prompt("Fix it.")
            .raw(&boundary.to_string())
            .raw(&row("Drop the tests.", "s", "b").to_string())
            .raw(&row("Go on.", "p", "s").to_string());
        let session = fold(&transcript);
        let typed: Vec<_> = session.prompts.iter().map(|prompt| session.text_of(prompt)).collect();
        assert_eq!(typed, ["Fix it.", "Go on."]);
        assert_eq!(
            rows(&transcript)[1..],
            [CompactionRow::Begins, CompactionRow::Continues, CompactionRow::Other]
        );
    }
}
