//! Checkbox lists in the agent's messages: what it says is left to do.
//!
//! Most models keep no task list, but write checkboxes. Whether an item is open is decided by the latest list.

use super::Session;
use crate::lexicon::languages::Sense;
use crate::model::entry::Place;
use crate::text::phrases::has_sense;
use crate::text::reply::is_reply;

/// Maximum number of open items.
const MAX_OPEN_BOXES: usize = 12;
/// Tool calls after which a list is stale, once the person has asked for something else.
const OLD: u32 = 40;

/// A checkbox list in one message of the agent.
pub struct Checklist<'a> {
    /// Row of the message.
    pub place: Place,
    /// Whether it is ticked, and its text.
    pub items: Vec<(bool, &'a str)>,
}

/// The agent's latest list. A list is ignored once the person has asked for something else and `OLD` tool calls have
/// passed.
pub fn latest(session: &Session) -> Option<Checklist<'_>> {
    let asked = session.asked().iter().rev().find(|p| !is_reply(&p.text)).map_or(Place(0), |p| p.place);
    session
        .said
        .iter()
        .rev()
        .take_while(|said| said.place > asked || session.clock.saturating_sub(said.clock) <= OLD)
        .map(|said| Checklist { place: said.place, items: items(&said.text) })
        .find(|list| !list.items.is_empty())
}

/// The unticked boxes of the agent's latest list, without those that have a task entry.
pub fn open_boxes(session: &Session) -> Vec<(Place, &str)> {
    latest(session).map(|list| open_in(session, &list)).unwrap_or_default()
}

/// The unticked boxes of a list, without those that have a task entry.
pub fn open_in<'a>(session: &Session, list: &Checklist<'a>) -> Vec<(Place, &'a str)> {
    let (open, done) = (session.tasks.open(), session.tasks.done());
    let tracked: Vec<String> = open.iter().chain(&done).map(|t| t.subject.to_lowercase()).collect();
    let open = list.items.iter().filter(|(done, text)| !done && !tracked.contains(&text.to_lowercase()));
    open.take(MAX_OPEN_BOXES).map(|(_, text)| (list.place, *text)).collect()
}

/// The agent's own checkboxes: not those in a code block, nor those the person is asked to tick.
fn items(text: &str) -> Vec<(bool, &str)> {
    let (mut fenced, mut theirs, mut in_list) = (false, false, false);
    let mut items = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        fenced ^= line.trim_start().starts_with("```");
        match checkbox(line) {
            Some(item) if !fenced && !theirs => items.push(item),
            None if !(in_list && line.starts_with(' ')) => theirs = addresses_the_person(line),
            _ => {}
        }
        in_list = checkbox(line).is_some();
    }
    items
}

/// Whether a line introduces a list for the person or a reviewer.
fn addresses_the_person(line: &str) -> bool {
    has_sense(line, Sense::ByHand)
}

/// `- [ ] text` or `- [x] text`.
fn checkbox(line: &str) -> Option<(bool, &str)> {
    let item = line
        .trim_start()
        .trim_start_matches(['-', '*', '+', '.'])
        .trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = item.trim_start_matches(['.', ')']).trim_start().strip_prefix('[')?;
    let (mark, text) = rest.split_once(']')?;
    let text = text.trim();
    match mark {
        " " | "" if !text.is_empty() => Some((false, text)),
        "x" | "X" | "✓" | "✔" if !text.is_empty() => Some((true, text)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_checkbox_forms_are_parsed() {
        let cases = [
            ("- [ ] write docs", Some((false, "write docs"))),
            ("  * [x] add tests", Some((true, "add tests"))),
            ("1. [ ] third", Some((false, "third"))),
            ("- [link](url) text", None),
            ("- plain", None),
            ("- [ ]", None),
        ];
        for (line, expected) in cases {
            assert_eq!(checkbox(line), expected, "{line}");
        }
    }

    #[test]
    fn checkboxes_in_code_or_for_the_person_are_skipped() {
        let text = "Done:\n- [x] lexer\n- [ ] parser\n\n```md\n- [ ] from a template\n```\n\
                    Before you merge:\n\n- [ ] rotate the key\n  in the vault\n- [ ] tell the team\n\
                    ## Test plan\n- [ ] open the page\n## Left\n- [ ] printer";
        assert_eq!(items(text), [(true, "lexer"), (false, "parser"), (false, "printer")]);
    }
}
