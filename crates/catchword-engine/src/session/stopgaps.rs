//! What the agent changed for the time being: "Let me disable the cache temporarily", and the edit that follows.
//!
//! A summary says that the edit was made and drops that it has to be undone. A stopgap is over once a later edit puts
//! back what it took out, or the person rewinds.

use serde::{Deserialize, Serialize};

use crate::model::entry::Place;
use crate::quote::foreign::Foreign;
use crate::text::cut::one_line;
use crate::text::sentences::sentences;

/// Latest ones kept.
const MAX_STOPGAPS: usize = 8;
/// Characters kept of the agent's sentence, and of a line that was taken out.
const MAX_SENTENCE: usize = 300;
const MAX_LINE: usize = 80;
/// Lines kept of what was taken out.
const MAX_LINES: usize = 8;
/// Shorter lines are brackets.
const SHORTEST: usize = 4;

/// Words that mean "for the time being", in a few languages.
const FOR_NOW: [&str; 16] = [
    "temporarily",
    "for now",
    "for the moment",
    "for the time being",
    "暂时",
    "临时",
    "一時的",
    "とりあえず",
    "임시로",
    "일단",
    "temporalmente",
    "por ahora",
    "por enquanto",
    "pour l'instant",
    "vorläufig",
    "vorübergehend",
];
/// English verbs that take something out: what is merely "fine for now" is no stopgap.
const TAKES_OUT: [&str; 14] = [
    "disabl", "comment", "skip", "remov", "stub", "hardcod", "hard-cod", "bypass", "mock", "ignor",
    "turn off", "exclud", "drop", "simplif",
];

/// How an English sentence about the next step begins.
const STEPS: [&str; 10] = [
    "let me ",
    "let's ",
    "i'll ",
    "i will ",
    "we'll ",
    "i'm ",
    "for now",
    "temporarily",
    "now let me ",
    "for the moment",
];

/// A change that the agent called temporary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopgap {
    /// Row of the edit.
    pub place: Place,
    pub path: String,
    /// The agent's sentence.
    pub sentence: Foreign,
    /// Lines that the edit took out, as far as a later edit has not put them back.
    pub taken_out: Vec<Foreign>,
}

/// The stopgaps of a session, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stopgaps {
    kept: Vec<Stopgap>,
    /// A sentence that announces one, until the next call.
    announced: Option<String>,
}

impl Stopgaps {
    /// Records a message of the agent.
    pub fn said(&mut self, text: &str) {
        let last = sentences(text).into_iter().rfind(|sentence| announces(sentence));
        self.announced = last.map(|sentence| one_line(sentence, MAX_SENTENCE));
    }

    /// Records an edit: `change` is the removed and the added text, `added` the added text.
    pub fn edited(&mut self, path: &str, change: &str, added: &str, place: Place) {
        for stopgap in self.kept.iter_mut().filter(|stopgap| stopgap.path == path) {
            stopgap.taken_out.retain(|line| !added.lines().any(|new| new.trim() == line.to_compare()));
        }
        self.kept.retain(|stopgap| !stopgap.taken_out.is_empty());
        let Some(sentence) = self.announced.take() else { return };
        let is_kept = |line: &str| added.lines().any(|new| new.trim() == line);
        let is_code = |line: &&str| line.len() >= SHORTEST && !line.starts_with(['#', '/', '*']);
        let gone = change.lines().map(str::trim).filter(|line| is_code(line) && !is_kept(line));
        let taken_out: Vec<Foreign> =
            gone.take(MAX_LINES).map(|line| Foreign::new(one_line(line, MAX_LINE))).collect();
        if !taken_out.is_empty() {
            self.kept.push(Stopgap {
                place,
                path: path.to_owned(),
                sentence: Foreign::new(sentence),
                taken_out,
            });
            let excess = self.kept.len().saturating_sub(MAX_STOPGAPS);
            self.kept.drain(..excess);
        }
    }

    /// Records any other call: what was announced is not followed by an edit.
    pub fn called(&mut self) {
        self.announced = None;
    }

    /// Takes back the edit of this row: it failed or was refused.
    pub fn not_made(&mut self, place: Place) {
        self.kept.retain(|stopgap| stopgap.place != place);
    }

    pub fn rewound(&mut self, to: Place) {
        self.kept.retain(|stopgap| stopgap.place <= to);
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Stopgap> {
        self.kept.iter()
    }
}

fn announces(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let is_for_now = FOR_NOW.iter().any(|words| lower.contains(words));
    let is_step = STEPS.iter().any(|step| lower.starts_with(step)) && !lower.contains(" if ");
    let takes_out = is_step && TAKES_OUT.iter().any(|verb| lower.contains(verb));
    // Only English is read for its verbs.
    is_for_now && (takes_out || !lower.is_ascii()) && !sentence.ends_with(['?', '？'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(said: &str, removed: &str, added: &str) -> Stopgaps {
        let mut stopgaps = Stopgaps::default();
        stopgaps.said(said);
        stopgaps.edited("/w/build.txt", &format!("{removed}\n{added}"), added, Place(4));
        stopgaps
    }

    #[test]
    fn edit_after_the_announcement_is_a_stopgap_until_its_lines_are_back() {
        let mut stopgaps = after(
            "It fails. Let me disable the old modules temporarily:",
            "src/io.c\nsrc/conv.c",
            "src/core.c",
        );
        let taken = |stopgaps: &Stopgaps| stopgaps.iter().flat_map(|one| one.taken_out.clone()).count();
        assert_eq!(taken(&stopgaps), 2);
        stopgaps.edited("/w/build.txt", "x\nsrc/io.c", "src/io.c", Place(8));
        assert_eq!(taken(&stopgaps), 1);
        stopgaps.edited("/w/build.txt", "x\nsrc/conv.c", "  src/conv.c", Place(9));
        assert_eq!(stopgaps.iter().count(), 0);
    }

    #[test]
    fn only_an_announcement_right_before_the_edit_counts() {
        let plain = [
            "That is fine for now.",
            "Temporary files are removed by the job.",
            "Shall I skip it for now?",
            "Let me check if we can disable it for now:",
            "The hook returns nothing (ignore it for now).",
        ];
        for said in plain {
            assert_eq!(after(said, "src/io.c", "src/core.c").iter().count(), 0, "{said}");
        }
        assert_eq!(after("とりあえずこのテストを無効にします。", "src/io.c", "src/core.c").iter().count(), 1);
        let mut stopgaps = Stopgaps::default();
        stopgaps.said("I'll skip the check for now.");
        stopgaps.called();
        stopgaps.edited("/w/a", "old line\nnew", "new", Place(2));
        assert_eq!(stopgaps.iter().count(), 0);
    }
}
