//! Tells which parts of a prompt a person typed and which they pasted.
//!
//! People paste logs, diffs, code, other people's comments and whole plans into their prompts. No client marks pastes,
//! so we go by the shape of the lines. Only typed text can become a standing instruction; a request is quoted by its
//! typed text and by the items of a plan.

use super::phrases::{ReadSentence, has_sense};
use super::words::is_hash;
use crate::lexicon::code::{COMMIT_KINDS, LOG_HEADS};
use crate::lexicon::languages::Sense;

/// Where a part of a prompt comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassageVoice {
    /// The person typed it to the agent.
    Typed,
    /// A plan, a specification, a long description. The person may have written it, but not just for the agent.
    Document,
    /// Somebody else's words.
    Quoted,
    /// Output, logs, diffs, code.
    Output,
}

/// A part of a prompt, made of whole lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptPassage<'a> {
    pub voice: PassageVoice,
    pub text: &'a str,
}

/// A text without headings counts as a document from this many bytes on.
const DOCUMENT_BYTES: usize = 1_500;
/// A title for every so many lines makes a document.
const TITLES: usize = 5;
/// From this many passages on, pastes are one with what lies between them.
const MANY: usize = 5;
/// Up to this many lines between two pieces of output belong to the output.
const GAP: usize = 2;
/// A paragraph of at least this many characters after a colon is a quotation: people introduce pastes that way.
const QUOTED: usize = 120;
/// So are this many consecutive lines after a colon, if none of them is a list item.
const SEVERAL: usize = 4;
/// The last paragraph of a document may be the person's closing words if it has at most this many characters.
const CLOSING: usize = 400;

/// The parts of a prompt, in order. Together they are the whole prompt.
pub fn passages(prompt: &str) -> Vec<PromptPassage<'_>> {
    let mut lines: Vec<&str> = prompt.split_inclusive('\n').flat_map(split_before_json).collect();
    let order = split_off_typed_ending(&mut lines);
    let mut voices: Vec<Option<PassageVoice>> = output_lines(&lines);
    quoted_lines(&lines, &mut voices);
    indented_lines(&lines, &mut voices);
    commit_lines(&lines, &mut voices);
    speaker_lines(&lines, &mut voices);
    review_lines(&lines, &mut voices);
    chat_lines(&lines, &mut voices);
    document_lines(&lines, prompt.len(), &mut voices);
    if let Some(order) = order {
        voices[order] = Some(PassageVoice::Typed);
    }
    joined(prompt, &lines, &voices)
}

/// The first and the last of so many pastes that what lies between them is part of them: parts of a log look typed.
pub fn between_pastes(passages: &[PromptPassage]) -> Option<(usize, usize)> {
    let is_pasted = |passage: &PromptPassage| passage.voice != PassageVoice::Typed;
    let (first, last) = (passages.iter().position(is_pasted)?, passages.iter().rposition(is_pasted)?);
    (last - first >= MANY).then_some((first, last))
}

/// Splits a line where words introduce pasted JSON.
fn split_before_json(line: &str) -> impl Iterator<Item = &str> {
    let is_introduced = |at: &usize| line[..*at].split_whitespace().nth(1).is_some();
    let at = line.find(" {\"").map(|at| at + 1).filter(is_introduced).unwrap_or(0);
    [&line[..at], &line[at..]].into_iter().filter(|piece| !piece.is_empty())
}

/// Splits the last line of a long text after a question if the rest starts in lower case: people type right after what
/// they paste. Returns the index of the typed line.
fn split_off_typed_ending(lines: &mut Vec<&str>) -> Option<usize> {
    let last = lines.iter().rposition(|line| !line.trim().is_empty()).filter(|last| *last >= SEVERAL)?;
    let line = lines[last];
    let is_order = |(at, mark): &(usize, &str)| {
        let behind = &line[at + mark.len()..];
        behind.starts_with(char::is_lowercase) && behind.split_whitespace().nth(1).is_some()
    };
    let (at, mark) = line.match_indices("? ").find(is_order)?;
    lines[last] = &line[..at + mark.len()];
    lines.insert(last + 1, &line[at + mark.len()..]);
    Some(last + 1)
}

/// Marks blocks that are indented below text that is not, as Markdown writes code and people paste mails. Lists, what
/// belongs to one and what rules introduce are typed.
fn indented_lines(lines: &[&str], voices: &mut [Option<PassageVoice>]) {
    const DEEP: [&str; 2] = ["    ", "\t"];
    let is_deep = |line: &str| DEEP.iter().any(|indent| line.starts_with(indent));
    let mut above: Option<&str> = None;
    let (mut quoting, mut apart) = (false, true);
    for at in 0..lines.len() {
        let bare = lines[at].trim();
        if bare.is_empty() {
            apart = true;
            continue;
        }
        if is_deep(lines[at]) {
            let begins = above.is_some_and(|above| {
                (apart || above.ends_with(':')) && !is_item(above) && !speaks_of_rules(above)
            });
            quoting = (quoting || begins) && !is_item(bare);
            if quoting {
                voices[at].get_or_insert(PassageVoice::Quoted);
            }
        } else {
            (above, quoting) = (Some(bare), false);
        }
        apart = false;
    }
}

/// Marks commits: those that `git log` lists, and messages with a conventional subject up to the end of their trailers.
fn commit_lines(lines: &[&str], voices: &mut [Option<PassageVoice>]) {
    let mut in_message = false;
    for at in 0..lines.len() {
        let bare = lines[at].trim();
        let is_subject = is_conventional_subject(bare);
        let back = !is_subject && at > 0 && lines[at - 1].trim().is_empty() && begins_typed(bare);
        in_message = (in_message && !back) || is_subject;
        if !bare.is_empty() && (in_message || is_log_line(bare)) {
            voices[at].get_or_insert(PassageVoice::Quoted);
        }
    }
}

/// "feat(parser): …", "fix!: …". Without a scope, such a word and a colon may be typed.
fn is_conventional_subject(line: &str) -> bool {
    let Some((kind, _)) = line.split_once(": ") else { return false };
    let (kind, is_breaking) = kind.strip_suffix('!').map_or((kind, false), |kind| (kind, true));
    let (kind, has_scope) = match kind.split_once('(') {
        Some((kind, scope)) => (kind, scope.ends_with(')') && !scope.contains(' ')),
        None => (kind, false),
    };
    COMMIT_KINDS.contains(&kind) && (is_breaking || has_scope)
}

/// "commit 3f2a1bc", "Author: Bob <bob@example.com>", "3f2a1bc Never run the tests".
fn is_log_line(line: &str) -> bool {
    let first = line.split(' ').next().unwrap_or_default();
    is_hash(first)
        || line
            .strip_prefix("commit ")
            .is_some_and(|rest| is_hash(rest.split(' ').next().unwrap_or_default()))
        || LOG_HEADS.iter().any(|head| line.starts_with(head))
}

/// Marks lines of a chat: `bob: …`. A name and a colon alone may be a label of the person's own, so there must be more:
/// a time, an at sign or angle brackets, a dialogue, or words before it that say where it is from.
fn speaker_lines(lines: &[&str], voices: &mut [Option<PassageVoice>]) {
    let speakers: Vec<Option<Speaker>> = lines.iter().map(|line| speaker(line.trim())).collect();
    let names: Vec<&str> = speakers.iter().flatten().map(|speaker| speaker.name).collect();
    let repeats = |name: &str| names.iter().filter(|other| **other == name).count() > 1;
    let is_dialogue = names.iter().any(|name| repeats(name) && names.iter().any(|other| other != name));
    let (mut said_so, mut quoting) = (false, false);
    for at in 0..lines.len() {
        let bare = lines[at].trim();
        if bare.is_empty() {
            quoting = false;
            continue;
        }
        let is_chat = speakers[at].as_ref().is_some_and(|who| who.is_sure || is_dialogue || said_so);
        quoting |= is_chat;
        if quoting {
            voices[at].get_or_insert(PassageVoice::Quoted);
        }
        said_so = is_chat || speaks_of_saying(bare);
    }
}

struct Speaker<'a> {
    name: &'a str,
    /// The line has a time or another sign of a chat.
    is_sure: bool,
}

/// Who speaks in a line of a chat, if it may be one.
fn speaker(line: &str) -> Option<Speaker<'_>> {
    let is_time = |word: &str| {
        let digits = word.trim_matches(['[', ']', '(', ')']).split(':').collect::<Vec<_>>();
        let is_number =
            |part: &&str| (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        (2..=3).contains(&digits.len()) && digits.iter().all(is_number)
    };
    if let Some((name, rest)) = line.strip_prefix('<').and_then(|line| line.split_once("> ")) {
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.@".contains(c));
        return (is_name && !rest.contains(&format!("</{name}"))).then_some(Speaker { name, is_sure: true });
    }
    let mut words = line.split_whitespace();
    // "Bob  10:32 AM" above what Bob said.
    let head: Vec<&str> = line.split_whitespace().collect();
    if let [name, time] | [name, time, "AM" | "PM" | "am" | "pm"] = head[..]
        && is_time(time)
        && name.chars().all(char::is_alphabetic)
    {
        return Some(Speaker { name, is_sure: true });
    }
    let timed = words.next().is_some_and(is_time);
    let rest = if timed { line.split_once(' ').map_or("", |(_, rest)| rest.trim_start()) } else { line };
    let (label, _) = rest.split_once(": ")?;
    let name = label.trim_start_matches('@');
    let is_name = (1..=2).contains(&name.split(' ').count())
        && name.len() <= 24
        && name.starts_with(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || " _-.".contains(c))
        && !speaks_of_rules(name);
    is_name.then_some(Speaker { name, is_sure: timed || name.len() < label.len() })
}

/// "bob wrote in the chat".
fn speaks_of_saying(line: &str) -> bool {
    has_sense(line, Sense::Saying)
}

/// Marks findings of a review tool: a title, "Medium Severity", a text that addresses nobody.
fn review_lines(lines: &[&str], voices: &mut [Option<PassageVoice>]) {
    let is_grade = |line: &str| line.len() < 30 && has_sense(line, Sense::Grade);
    let is_blank = |at: &usize| lines[*at].trim().is_empty();
    let Some(grade) = lines.iter().position(|line| is_grade(line)) else { return };
    let title = (0..grade).rev().find(|at| !is_blank(at)).filter(|at| {
        let line = lines[*at].trim();
        line.len() <= 120 && !line.ends_with(['.', ':', '?']) && !begins_typed(line)
    });
    for at in title.unwrap_or(grade)..lines.len() {
        if at > grade && is_blank(&(at - 1)) && begins_typed(lines[at].trim()) {
            break;
        }
        voices[at].get_or_insert(PassageVoice::Quoted);
    }
}

/// Marks a chatbot's answer: it offers what it could do next, or contains the labels of its buttons. Only the
/// introduction and a last line in the person's style are typed.
fn chat_lines(lines: &[&str], voices: &mut [Option<PassageVoice>]) {
    let offers = |line: &&str| ReadSentence::new(line).opens(Sense::Offers);
    let is_button = |line: &str, label: &str| line.trim().eq_ignore_ascii_case(label);
    let has_button = lines.windows(2).any(|two| is_button(two[0], "copy") && is_button(two[1], "edit"));
    let length: usize = lines.iter().map(|line| line.len()).sum();
    if !has_button && (length < DOCUMENT_BYTES || !lines.iter().any(offers)) {
        return;
    }
    let introduces = |at: usize| {
        let line = lines[at].trim();
        // A paste that follows without a blank line comes after what was typed.
        let is_first = at == 0
            && line.split_whitespace().nth(4).is_some()
            && lines.get(1).is_some_and(|next| !next.trim().is_empty());
        line.is_empty() || begins_typed(line) || line.ends_with(':') || is_first
    };
    let begin = (0..lines.len()).find(|at| !introduces(*at)).unwrap_or(lines.len());
    let last = lines.iter().rposition(|line| !line.trim().is_empty()).unwrap_or(0);
    let end = if begins_typed(lines[last].trim()) { last } else { lines.len() };
    for voice in &mut voices[begin.min(end)..end] {
        voice.get_or_insert(PassageVoice::Quoted);
    }
}

/// Joins consecutive lines of the same voice. A blank line belongs to what precedes it.
fn joined<'a>(prompt: &'a str, lines: &[&'a str], voices: &[Option<PassageVoice>]) -> Vec<PromptPassage<'a>> {
    let mut passages: Vec<PromptPassage> = Vec::new();
    let (mut start, mut end) = (0, 0);
    let mut current = None;
    for (line, voice) in lines.iter().zip(voices) {
        let voice = if line.trim().is_empty() { current } else { Some(voice.unwrap_or(PassageVoice::Typed)) };
        if current.is_some() && voice != current {
            passages.extend(current.map(|voice| PromptPassage { voice, text: &prompt[start..end] }));
            start = end;
        }
        current = voice;
        end += line.len();
    }
    passages.extend(current.map(|voice| PromptPassage { voice, text: &prompt[start..end] }));
    passages
}

/// Marks code blocks and lines that nobody types by hand.
fn output_lines(lines: &[&str]) -> Vec<Option<PassageVoice>> {
    let mut voices = vec![None; lines.len()];
    let (mut fenced, mut in_diff, mut after_output) = (false, false, false);
    for (line, voice) in lines.iter().zip(&mut voices) {
        let bare = line.trim();
        let is_fence = bare.starts_with("```") || bare.starts_with("~~~");
        in_diff = (in_diff && !bare.is_empty()) || is_diff_head(bare);
        let is_change = in_diff && line.starts_with(['+', '-', ' ', '\\']);
        let goes_on = after_output && line.starts_with([' ', '\t']) && !is_item(bare);
        let is_output =
            fenced || is_fence || is_diff_head(bare) || is_change || goes_on || is_output_line(bare);
        fenced ^= is_fence;
        *voice = (is_output && !bare.is_empty()).then_some(PassageVoice::Output);
        after_output = !is_fence && (is_output || (after_output && bare.is_empty()));
    }
    fill_gaps(lines, &mut voices);
    voices
}

/// A line or two between pieces of output (such as an error message) belong to it; between long pieces, more.
fn fill_gaps(lines: &[&str], voices: &mut [Option<PassageVoice>]) {
    let is_blank = |at: &usize| lines[*at].trim().is_empty();
    let outputs: Vec<usize> = (0..voices.len()).filter(|at| voices[*at].is_some()).collect();
    let most = GAP.max(outputs.len() / 4);
    for pair in outputs.windows(2) {
        let between: Vec<usize> = (pair[0] + 1..pair[1]).filter(|at| !is_blank(at)).collect();
        // Text set apart by blank lines may be typed.
        let is_apart = pair[1] - pair[0] > between.len() + 1;
        let is_typed = |at: &usize| {
            let line = lines[*at].trim();
            let is_sentence = line.ends_with(['?', ':']) || line.len() > 160;
            (is_sentence && most == GAP) || (is_apart && begins_typed(line))
        };
        if (1..=most).contains(&between.len()) && !between.iter().any(is_typed) {
            voices[pair[0]..pair[1]].fill(Some(PassageVoice::Output));
        }
    }
}

/// Marks lines that start with `>`, and what a colon introduces.
fn quoted_lines(lines: &[&str], voices: &mut [Option<PassageVoice>]) {
    let (mut introduced, mut quoting, mut begins) = (false, false, true);
    for at in 0..lines.len() {
        let bare = lines[at].trim();
        if bare.is_empty() {
            begins = true;
            continue;
        }
        let is_marked = bare.strip_prefix('>').is_some_and(|rest| !rest.starts_with('='));
        let is_output = voices[at].is_some();
        let is_back = begins && begins_typed(bare);
        let begins_quote = introduced && !is_output && is_pasted_prose(&lines[at..], &voices[at..]);
        quoting = (quoting && !is_back) || begins_quote;
        if (is_marked || quoting) && !is_output {
            voices[at] = Some(PassageVoice::Quoted);
        }
        introduced = !is_output && !quoting && bare.ends_with(':') && !speaks_of_rules(bare);
        begins = false;
    }
}

/// A long line, or several that are not a list: nobody types that after a colon.
fn is_pasted_prose(lines: &[&str], voices: &[Option<PassageVoice>]) -> bool {
    let first = lines[0].trim();
    if is_item(first) || heading(first).is_some() || begins_typed(first) {
        return false;
    }
    let rest = lines.iter().zip(voices).filter(|(line, _)| !line.trim().is_empty());
    let run = rest.take_while(|(line, voice)| voice.is_none() && !is_item(line)).count();
    first.chars().count() >= QUOTED || run >= SEVERAL
}

/// "Please follow these rules:" introduces the person's own rules.
pub fn speaks_of_rules(line: &str) -> bool {
    has_sense(line, Sense::AboutRules)
}

/// Marks a document: everything from its first heading on, including code; or a long text that is mostly a list, except
/// its first and last paragraphs.
fn document_lines(lines: &[&str], length: usize, voices: &mut [Option<PassageVoice>]) {
    let headings: Vec<usize> = headings(lines).into_iter().filter(|at| voices[*at].is_none()).collect();
    let (begin, has_headings) = match headings[..] {
        [first, _, ..] => (first, true),
        [first] if length > DOCUMENT_BYTES / 2 => (first, true),
        _ if is_mostly_listed(lines, voices) => (end_of_paragraph(lines), false),
        _ => return,
    };
    let end = closing(lines, begin, voices);
    for voice in &mut voices[begin.min(end)..end] {
        if has_headings || voice.is_none() {
            *voice = Some(PassageVoice::Document);
        }
    }
}

/// The indices of headings. Lines inside code fences do not count.
fn headings(lines: &[&str]) -> Vec<usize> {
    let mut fenced = false;
    let is_heading = |(at, line): (usize, &&str)| {
        fenced ^= line.trim_start().starts_with("```");
        (!fenced && heading(line).is_some()).then_some(at)
    };
    lines.iter().enumerate().filter_map(is_heading).collect()
}

/// The Markdown headings of a text, in order.
pub fn headings_in(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    headings(&lines).into_iter().filter_map(|at| heading(lines[at])).collect()
}

/// A long text of items and titles. People type lists of what they want; titles between them stand in documents.
fn is_mostly_listed(lines: &[&str], voices: &[Option<PassageVoice>]) -> bool {
    let plain = lines.iter().zip(voices).filter(|(line, voice)| voice.is_none() && !line.trim().is_empty());
    let plain: Vec<&str> = plain.map(|(line, _)| line.trim()).collect();
    let is_title = |line: &&&str| line.len() <= 60 && !line.ends_with(['.', '!', '?', ',']);
    let items = plain.iter().filter(|line| is_item(line)).count();
    let titles = plain.iter().filter(|line| !is_item(line) && is_title(line)).count();
    let length: usize = plain.iter().map(|line| line.len()).sum();
    let is_listed = (items + titles) * 3 >= plain.len() && titles * TITLES >= plain.len();
    length > DOCUMENT_BYTES && plain.len() >= 12 && is_listed
}

/// Where the first paragraph ends; after the first line if there is only one paragraph.
fn end_of_paragraph(lines: &[&str]) -> usize {
    (1..lines.len()).find(|at| lines[*at].trim().is_empty()).unwrap_or(1)
}

/// Where the person's closing words after a document begin: at its last paragraph, if that is short, plain and not
/// written like the document.
fn closing(lines: &[&str], begin: usize, voices: &[Option<PassageVoice>]) -> usize {
    let last = (begin..lines.len()).rev().find(|at| !lines[*at].trim().is_empty()).unwrap_or(begin);
    let first = (begin..last).rev().find(|at| lines[*at].trim().is_empty()).map_or(begin, |blank| blank + 1);
    let length: usize =
        lines[first..=last.max(first).min(lines.len() - 1)].iter().map(|line| line.len()).sum();
    let is_plain =
        |at: usize| voices[at].is_none() && !is_item(lines[at].trim()) && heading(lines[at]).is_none();
    let is_closing = first > begin
        && length <= CLOSING
        && (first..=last).all(is_plain)
        && begins_typed(lines[first].trim());
    if is_closing { first } else { lines.len() }
}

/// Whether a paragraph starts as if typed: in lower case, as people in a hurry write, or by addressing the agent. A
/// single word does not count; it may be a value.
fn begins_typed(line: &str) -> bool {
    let has_more = line.split_whitespace().nth(1).is_some();
    has_more
        && (line.starts_with(char::is_lowercase)
            || ReadSentence::new(line).all(Sense::Typed).any(|hit| hit.at == 0))
}

/// The text of a Markdown heading.
pub fn heading(line: &str) -> Option<&str> {
    let line = line.trim();
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    ((1..=6).contains(&level) && rest.starts_with(' ')).then(|| rest.trim()).filter(|text| !text.is_empty())
}

/// The text of a list item, without its bullet or number.
pub fn item(line: &str) -> Option<&str> {
    let bare = line.trim();
    let plain = bare.strip_prefix(['-', '*', '•', '–']).filter(|rest| rest.starts_with(' '));
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = || {
        bare[digits..]
            .strip_prefix(['.', ')'])
            .filter(|rest| (1..=3).contains(&digits) && rest.starts_with(' '))
    };
    plain.or_else(numbered).map(str::trim).filter(|text| !text.is_empty())
}

fn is_item(line: &str) -> bool {
    item(line).is_some()
}

fn is_diff_head(line: &str) -> bool {
    ["diff --git ", "@@ -", "--- a/", "+++ b/", "Index: "].iter().any(|head| line.starts_with(head))
}

/// A line of program output or code.
fn is_output_line(line: &str) -> bool {
    !line.is_empty()
        && (begins_like_output(line)
            || is_trace(line)
            || begins_with_time(line)
            || has_position(line)
            || is_code(line)
            || is_json(line)
            || is_bare_path(line))
}

fn begins_like_output(line: &str) -> bool {
    const BEGINNINGS: [&str; 32] = [
        "$ ",
        "❯",
        "➜",
        "⏺",
        "⎿",
        "│",
        "┃",
        "├",
        "└",
        "┌",
        "╭",
        "╰",
        ">>> ",
        "✓ ",
        "✔",
        "✗ ",
        "✘",
        "× ",
        "error[",
        "error: ",
        "warning: ",
        "fatal: ",
        "npm ERR!",
        "Traceback (",
        "--- FAIL",
        "=== RUN",
        "test result: ",
        "panicked at",
        "goroutine ",
        "=== ",
        "Running [",
        "[INFO]",
    ];
    // "TypeError: …", "java.lang.IllegalStateException: …"
    let named = line.split_once(": ").is_some_and(|(name, _)| {
        (name.ends_with("Error") || name.ends_with("Exception")) && !name.contains(' ') && name.len() > 5
    });
    named
        || BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
        || (line.starts_with('|') && line.ends_with('|'))
}

/// "at f (file.js:1:2)", `File "a.py", line 3`.
fn is_trace(line: &str) -> bool {
    let frame = line.strip_prefix("at ").is_some_and(|rest| {
        let place = rest.rsplit(' ').next().unwrap_or_default();
        place.contains(':') && place.bytes().any(|b| b.is_ascii_digit())
    });
    frame || (line.starts_with("File \"") && line.contains(", line ")) || line.starts_with("--> ")
}

/// "2026-01-05T09:00", "[2026-01-05", "09:00:08", "Feb 9 09:00:08".
fn begins_with_time(line: &str) -> bool {
    let bare = line.trim_start_matches(['[', '(']);
    let shape: String = bare.chars().take(10).map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    if ["0000-00-00", "0000/00/00"].contains(&shape.as_str()) || shape.starts_with("00:00:00") {
        return true;
    }
    let mut words = bare.split_whitespace();
    let month = words.next().is_some_and(|word| {
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"].contains(&word)
    });
    let is_time = |word: &str| word.len() >= 8 && word.as_bytes()[2] == b':' && word.as_bytes()[5] == b':';
    month && words.next().is_some_and(|day| day.parse::<u8>().is_ok()) && words.next().is_some_and(is_time)
}

/// "src/a.rs:3:5: …", "load @ app.js:12".
fn has_position(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    // "src/a.rs:3 has …" is a sentence.
    let begins = is_position(first) && first.matches(':').count() >= 2;
    begins
        || line
            .split_once(" @ ")
            .is_some_and(|(_, place)| is_position(place.trim_end_matches(char::is_alphabetic)))
}

fn is_position(word: &str) -> bool {
    let mut parts = word.split(':');
    let is_file = parts.next().is_some_and(|file| file.contains('.') && !file.ends_with('.'));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    is_file && parts.next().is_some_and(is_number)
}

fn is_code(line: &str) -> bool {
    const OPENINGS: [(&str, &str); 12] = [
        ("func ", "("),
        ("def ", "("),
        ("fn ", "("),
        ("class ", "{"),
        ("import ", " from "),
        ("from ", " import "),
        ("const ", " = "),
        ("let ", " = "),
        ("var ", " = "),
        ("if (", ") "),
        ("for (", ") "),
        ("#include ", ""),
    ];
    let signs = ['(', ')', '=', '{', '}', '<', '"'];
    let ends = (line.ends_with([';', '{', '}']) && line[..line.len() - 1].contains(signs))
        || line.ends_with("},")
        || (line.starts_with("return ") && line.ends_with(';'));
    let opens = OPENINGS.iter().any(|(first, then)| line.starts_with(first) && line.contains(then));
    let comment = line.starts_with("//") || line.starts_with("/*");
    let tag = line.starts_with("</") || (line.starts_with('<') && line.ends_with('>') && line.len() > 2);
    (ends && line.len() > 1) || matches!(line, "{" | "}" | "]" | ")") || opens || comment || tag
}

fn is_json(line: &str) -> bool {
    line.starts_with("{\"") || line.starts_with("[{") || (line.starts_with('"') && line.contains("\": "))
}

/// A line that contains only a path.
fn is_bare_path(line: &str) -> bool {
    let bare = line.trim_matches(['\'', '"', '`']);
    // Scripts without spaces write whole sentences this way.
    let foreign = bare.chars().filter(|c| !c.is_ascii()).count();
    !bare.contains(' ')
        && foreign * 3 < bare.chars().count()
        && bare.matches('/').count() >= 2
        && !bare.starts_with("http")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voices(prompt: &str) -> Vec<(PassageVoice, &str)> {
        passages(prompt).into_iter().map(|p| (p.voice, p.text.trim())).collect()
    }

    #[test]
    fn typed_text_is_one_passage() {
        for typed in [
            "Fix the login bug.",
            "fix it.\n\nDon't touch src/auth.rs; it is fine.",
            "Two things:\n- never push\n- use tabs",
            "1. rename it\n2. run the tests\n\nthanks!",
            "let me know if this works (it should)",
        ] {
            assert_eq!(voices(typed), [(PassageVoice::Typed, typed)], "{typed}");
        }
    }

    #[test]
    fn pasted_output_is_separated_from_typed_text() {
        for pasted in [
            "2026-01-05 09:00:08 INFO started\n2026-01-05 09:00:09 ERROR never connect twice",
            "TypeError: x is undefined\n    at load (app.js:3:9)\n    at main (app.js:9:1)",
            "diff --git a/x.rs b/x.rs\n@@ -1 +1 @@\n-always\n+never",
            "src/lib.rs:3:5: always use Self\nsrc/lib.rs:9:1: never read",
            "```\nnever do this\n```",
            "{\"level\":\"error\",\"msg\":\"do not retry\"}",
            "const a = 1;\nif (a) {\n  stop();\n}",
            "Traceback (most recent call last):\n  File \"a.py\", line 3\nDon't do that\nValueError: no",
        ] {
            let prompt = format!("it still fails:\n{pasted}\n\nplease fix it");
            let expected = [
                (PassageVoice::Typed, "it still fails:"),
                (PassageVoice::Output, pasted),
                (PassageVoice::Typed, "please fix it"),
            ];
            assert_eq!(voices(&prompt), expected, "{pasted}");
        }
    }

    #[test]
    fn long_paragraph_after_a_colon_is_quoted() {
        let comment = "The reader takes the lock twice when the file is empty, which is consistent with the old code. \
                       Never take it without a timeout, and avoid the global one.";
        let prompt = format!("can you look at this review:\n\n{comment}\n\nand tell me what you think");
        let expected = [
            (PassageVoice::Typed, "can you look at this review:"),
            (PassageVoice::Quoted, comment),
            (PassageVoice::Typed, "and tell me what you think"),
        ];
        assert_eq!(voices(&prompt), expected);
    }

    #[test]
    fn document_starts_at_its_first_heading() {
        let plan = "# Cache\n\n## Context\n\nReads are slow.\n\n## Changes\n\n1. Add a map\n2. Never evict";
        let prompt = format!("Implement the following plan:\n\n{plan}\n\nbut don't push");
        let expected = [
            (PassageVoice::Typed, "Implement the following plan:"),
            (PassageVoice::Document, plan),
            (PassageVoice::Typed, "but don't push"),
        ];
        assert_eq!(voices(&prompt), expected);
    }

    #[test]
    fn a_long_request_with_a_list_is_typed() {
        let wish = |n: usize| {
            format!("- part {n} of the report keeps its own page, whatever the others do with theirs")
        };
        let wishes: Vec<String> = (1..=6).map(wish).collect();
        let story = "We have printed these reports by hand for years, and I would like to stop doing that. "
            .repeat(4);
        let request = format!(
            "{story}\n\nWhat I need:\n{}\n\n{story}\n\nThe figures are in euros.\n\n{story}\n\nBegin with the first \
             part, please.\n\nThanks!",
            wishes.join("\n")
        );
        assert_eq!(voices(&request), [(PassageVoice::Typed, request.as_str())]);
        let titled = wishes.iter().map(|wish| format!("Of the report\n\n{wish}\n\n{story}\n\n"));
        let document: String = titled.collect();
        assert!(voices(&document).iter().any(|(voice, _)| *voice == PassageVoice::Document), "{document}");
    }

    #[test]
    fn review_tool_finding_is_quoted() {
        let finding = "Counter is never reset\n\nMedium Severity\n\nThe counter of the reader keeps its value between files.";
        assert_eq!(voices(finding), [(PassageVoice::Quoted, finding)]);
        let prompt = format!("{finding}\n\nis that so?");
        assert_eq!(voices(&prompt), [(PassageVoice::Quoted, finding), (PassageVoice::Typed, "is that so?")]);
    }

    #[test]
    fn chatbot_answer_is_not_typed() {
        let answer = format!(
            "Hi Kim.\n\nYour design is sound.\n\n# 1. What it has\n\n{}\n\nIf you want, I can:\n\n- draw it\n- test it\n\n\
             Which way do you want to go?",
            "It has a queue. ".repeat(120)
        );
        let prompt = format!("{answer} ship it and run the tests");
        let found = voices(&prompt);
        assert_eq!(found.last(), Some(&(PassageVoice::Typed, "ship it and run the tests")));
        assert!(found[..found.len() - 1].iter().all(|(voice, _)| *voice != PassageVoice::Typed), "{found:?}");
    }

    proptest::proptest! {
        #[test]
        fn passages_cover_the_whole_prompt(prompt in "([a-z:>#`+{}\n \t\"-]|é){0,200}") {
            let whole: String = passages(&prompt).iter().map(|passage| passage.text).collect();
            if !prompt.trim().is_empty() {
                proptest::prop_assert_eq!(whole, prompt);
            }
        }
    }
}
