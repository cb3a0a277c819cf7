//! What a command's file says that must survive a compaction: text → [`CarriedFile`].
//!
//! The author marks it with two comments; several marked sections are carried over one after the other, verbatim. A
//! section without an end mark is reported and not carried over, because its extent is unknown. A file without marks is
//! represented by its description and its first rules.

use crate::text::cut::first_chars;
use crate::text::words::{PROSE, words};

/// Opens a section that is carried over.
pub const START: &str = "<!-- COMPACT_SUMMARY_START -->";
/// Closes it.
pub const END: &str = "<!-- COMPACT_SUMMARY_END -->";

/// Most characters carried over from an unmarked file.
const UNMARKED: usize = 400;
/// Words that make a line a rule even outside a list.
const RULES: [&str; 8] = ["never", "always", "must", "do not", "don't", "only", "required", "forbidden"];

/// What a file says to carry over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CarriedFile {
    /// Empty if there is nothing to carry over.
    pub text: String,
    /// The author marked it.
    pub marked: bool,
    /// It says, by its marks or in words, that it lasts until somebody ends it.
    pub lasting: bool,
    /// It runs in a subagent, so it does not apply to the main conversation.
    pub forked: bool,
    /// What is wrong with the marks, with line numbers.
    pub problems: Vec<String>,
}

/// Reads a command's or skill's file.
pub fn carried(text: &str) -> CarriedFile {
    let text = text.trim_start_matches('\u{feff}');
    let (front, body) = front_matter(text);
    let forked = value(front, "context").is_some_and(|context| context == "fork");
    let (sections, problems) = sections(text);
    if sections.is_empty() {
        let lasting = says_it_lasts(text);
        return CarriedFile { text: unmarked(front, body), marked: false, lasting, forked, problems };
    }
    CarriedFile { text: sections.join("\n"), marked: true, lasting: true, forked, problems }
}

/// A mode rather than a single job: the text says that it applies beyond the current request.
fn says_it_lasts(text: &str) -> bool {
    const LASTS: [&str; 8] = [
        "for the rest of the session",
        "for the whole session",
        "for the entire session",
        "throughout the session",
        "throughout this session",
        "until told otherwise",
        "until the user",
        "in every response",
    ];
    let lower = text.to_lowercase();
    LASTS.iter().any(|words| lower.contains(words))
}

/// The marked sections, and what is wrong with the marks. A mark inside a fenced block is an example, not a mark.
fn sections(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    let mut open: Option<(usize, Vec<&str>)> = None;
    let mut fenced = false;
    for (at, line) in text.lines().enumerate() {
        let number = at + 1;
        if open.is_none() && is_fence(line) {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        let mut rest = line;
        if let Some((_, after)) = line.split_once(START) {
            if let Some((begun, _)) = open.take() {
                problems.push(format!(
                    "line {begun}: this section has no end before the next begins in line {number}"
                ));
            }
            open = Some((number, Vec::new()));
            rest = after;
        }
        match (rest.split_once(END), open.take()) {
            (Some((last, _)), Some((_, mut lines))) => {
                lines.push(last);
                found.extend(trimmed(&lines));
            }
            (Some(_), None) => problems.push(format!("line {number}: an end without a beginning")),
            (None, Some((begun, mut lines))) => {
                lines.push(rest);
                open = Some((begun, lines));
            }
            (None, None) => {}
        }
    }
    if let Some((begun, _)) = open {
        problems.push(format!("line {begun}: this section has no end, so it is not carried over"));
    }
    (found, problems)
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

/// The lines of a section verbatim, without empty ones at either end.
fn trimmed(lines: &[&str]) -> Option<String> {
    let first = lines.iter().position(|line| !line.trim().is_empty())?;
    let last = lines.iter().rposition(|line| !line.trim().is_empty())?;
    let lines: Vec<&str> = lines[first..=last].iter().map(|line| line.trim_end()).collect();
    Some(lines.join("\n"))
}

/// The text between the first two `---` lines, and the rest.
fn front_matter(text: &str) -> (&str, &str) {
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
        return ("", text);
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return (&rest[..at], &rest[at + line.len()..]);
        }
        at += line.len();
    }
    ("", text)
}

/// A value of the front matter: on the line of its key, quoted or not, or indented below it.
fn value(front: &str, key: &str) -> Option<String> {
    let mut lines = front.lines();
    let of_key = |line: &str| Some(line.strip_prefix(key)?.strip_prefix(':')?.trim().to_owned());
    let first = lines.by_ref().find_map(of_key)?;
    let block = first.is_empty() || first.starts_with(['>', '|']);
    if !block {
        return Some(first.trim_matches(['"', '\'']).to_owned());
    }
    let below = lines.take_while(|line| line.starts_with([' ', '\t']) || line.trim().is_empty());
    let words: Vec<&str> = below.flat_map(str::split_whitespace).collect();
    Some(words.join(" "))
}

/// The description and the first rules, as far as they fit.
fn unmarked(front: &str, body: &str) -> String {
    let mut out = String::new();
    let description = value(front, "description").filter(|text| !text.is_empty());
    let rules: Vec<&str> = plain_lines(body).into_iter().filter(|line| is_rule(line)).collect();
    let first = plain_lines(body).into_iter().find(|line| !line.starts_with('#'));
    let lines = match (rules.is_empty(), description.is_some()) {
        (true, false) => first.into_iter().collect(),
        (true, true) => Vec::new(),
        (false, _) => rules,
    };
    for line in description.as_deref().into_iter().chain(lines) {
        let room = UNMARKED.saturating_sub(out.chars().count() + 1);
        if line.chars().count() > room && !out.is_empty() {
            break;
        }
        let line = first_chars(line, room);
        out.push_str(if out.is_empty() { "" } else { "\n" });
        out.push_str(line.trim_end());
    }
    out
}

/// The lines of a text that are neither empty nor code nor a comment.
fn plain_lines(body: &str) -> Vec<&str> {
    let mut fenced = false;
    let mut out = Vec::new();
    for line in body.lines() {
        if is_fence(line) {
            fenced = !fenced;
        } else if !fenced && !line.trim().is_empty() && !line.trim_start().starts_with("<!--") {
            out.push(line.trim());
        }
    }
    out
}

fn is_rule(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let listed = line.starts_with("- ")
        || line.starts_with("* ")
        || (number.len() < line.len() && number.starts_with([')', '.']));
    let lower = line.to_lowercase();
    let rule = |cue: &str| {
        if cue.contains(' ') {
            lower.contains(cue)
        } else {
            words(&lower, PROSE).any(|(_, word)| word == cue)
        }
    };
    !line.starts_with('#') && (listed || RULES.iter().any(|cue| rule(cue)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_marked_section_is_carried_over_verbatim() {
        let text = format!(
            "# Deploy\nlong\n{START}\n\n- never push\n  - \"quoted\"  \n\n{END}\nmore\n{START}\nB\n{END}\n"
        );
        let got = carried(&text);
        assert_eq!((got.text.as_str(), got.marked), ("- never push\n  - \"quoted\"\nB", true));
        assert_eq!(got.problems, [] as [&str; 0]);
        let windows = carried(&text.replace('\n', "\r\n"));
        assert_eq!(windows, got, "line ends do not matter");
        assert_eq!(carried(&format!("a {START} one line {END} b")).text, " one line");
    }

    #[test]
    fn section_without_end_mark_is_reported_and_not_carried_over() {
        let got = carried(&format!("a\n{START}\nA\n{END}\n{START}\nB\nC\n"));
        assert_eq!((got.text.as_str(), got.marked), ("A", true));
        assert_eq!(got.problems, ["line 5: this section has no end, so it is not carried over"]);
        let nested = carried(&format!("{START}\nA\n{START}\nB\n{END}\n"));
        assert_eq!(nested.text, "B");
        assert!(nested.problems[0].starts_with("line 1: "), "{:?}", nested.problems);
        let alone = carried(&format!("text\n{END}\n"));
        assert_eq!(alone.problems, ["line 2: an end without a beginning"]);
    }

    #[test]
    fn marks_inside_a_code_fence_are_ignored() {
        let got = carried(&format!("Write this:\n```\n{START}\nrules\n{END}\n```\n- keep it short\n"));
        assert_eq!((got.text.as_str(), got.marked), ("- keep it short", false));
        let inside = carried(&format!("{START}\n```\ncode\n```\n{END}\n"));
        assert_eq!(inside.text, "```\ncode\n```", "code in a section belongs to it");
    }

    #[test]
    fn unmarked_file_is_represented_by_its_description_and_first_rules() {
        let text = "---\nname: tdd\ndescription: \"Test first\"\n---\n# TDD\nSome story.\n- red\n- green\n```\n- code\n```\nNever skip a test.\n";
        assert_eq!(carried(text).text, "Test first\n- red\n- green\nNever skip a test.");
        let folded = "---\ndescription: >-\n  Ships\n  the app\nmodel: x\n---\nDo it.";
        assert_eq!(carried(folded).text, "Ships the app");
        assert_eq!(carried("# Title\nJust do it.").text, "Just do it.");
        assert_eq!(carried("").text, "");
        let long = format!("---\ndescription: d\n---\n{}", "- a rule of some length\n".repeat(100));
        assert!(carried(&long).text.chars().count() <= UNMARKED);
    }

    #[test]
    fn forked_command_is_recognised() {
        assert!(carried("---\ncontext: fork\n---\nx").forked);
        assert!(!carried("---\ndescription: context\n---\nx").forked);
    }

    proptest! {
        #[test]
        fn unmarked_text_is_shortened_and_no_text_panics(text in any::<String>()) {
            let got = carried(&text);
            prop_assert!(got.marked || got.text.chars().count() <= UNMARKED);
        }

        #[test]
        fn marked_text_is_carried_over(inside in "[a-z -]{1,60}", around in "[a-z \n]{0,60}") {
            prop_assume!(!inside.trim().is_empty());
            let text = format!("{around}\n{START}\n{inside}\n{END}\n{around}");
            let got = carried(&text);
            prop_assert_eq!(got.text, inside.trim_end());
        }
    }
}
