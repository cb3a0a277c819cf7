//! What a prompt as a whole says of the work, read once, when the prompt is.

use serde::{Deserialize, Serialize};

use super::prose::objects;
use crate::lexicon::languages::Sense;
use crate::text::cut::first_chars;
use crate::text::passages::{PassageVoice, headings_in, passages};
use crate::text::phrases::{ReadSentence, has_sense};
use crate::text::reply::is_reply;

/// Each is said by the prompt itself; what follows from it is for the reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a remark of its own")]
pub struct RequestReading {
    /// It only agrees or says to continue.
    pub is_reply: bool,
    /// It begins by objecting to what was done.
    pub objects: bool,
    /// It announces a new topic: "New task: …".
    pub begins_topic: bool,
    /// It contains a plan.
    pub has_plan: bool,
    /// It ends with a question mark.
    pub is_question: bool,
    /// It begins with words that add to the request before.
    pub adds: bool,
    /// It is a question that asks for something: "could you …?".
    pub asks: bool,
}

impl RequestReading {
    pub fn of(prompt: &str) -> RequestReading {
        let first = prompt.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let is_question = prompt.trim_end().ends_with(['?', '？']);
        RequestReading {
            is_reply: is_reply(prompt),
            objects: objects(prompt),
            begins_topic: begins_topic(prompt),
            has_plan: has_plan(prompt),
            is_question,
            adds: ReadSentence::new(first).all(Sense::Adds).any(|hit| hit.at == 0),
            asks: is_question && has_sense(prompt, Sense::Asks),
        }
    }
}

pub fn has_plan(prompt: &str) -> bool {
    headings_in(prompt).len() >= 3
        && passages(prompt).iter().any(|passage| passage.voice == PassageVoice::Document)
}

/// "New task: …", "let's move on to …".
fn begins_topic(prompt: &str) -> bool {
    // Longer than any opening with a filler before it.
    let head = first_chars(prompt.trim_start(), 48);
    prompt.len() > 30 && ReadSentence::new(head).opens(Sense::NewTopic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_topic_is_recognised_by_its_opening_words() {
        for text in [
            "New task: make the parser keep comments",
            "OK, let’s move on to the importer of the other files",
            "  Great, change of plan, we write a lexer first",
            "now something else: the docs of the parser",
            "Thanks, moving on to the docs of the parser",
            "different topic, how do we name the releases",
        ] {
            assert!(begins_topic(text), "{text}");
        }
        for text in
            ["new task", "The new task is to make the parser keep comments", "Ärger: new task for the parser"]
        {
            assert!(!begins_topic(text), "{text}");
        }
    }
}
