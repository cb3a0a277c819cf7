//! Shortens a prompt for quoting: typed text in whole sentences, pasted text by a short description.
//!
//! Cutting a sentence in the middle can reverse its meaning, so only whole sentences are kept. In a long prompt the
//! first sentence says what it is about and the end carries the request.

use super::cut::{one_line, squashed};
use super::numbers::count_of;
use super::passages::{self, PassageVoice, PromptPassage, between_pastes, passages};
use super::phrases::{ReadSentence, has_sense};
use super::sentences::sentences;
use crate::lexicon::languages::Sense;

/// A prompt with at most this many typed characters is quoted whole.
const WHOLE: usize = 400;
/// A pasted piece of at most this many characters is shown as it is.
const INLINE: usize = 120;
/// Longest line of pasted output that is quoted, in characters.
const OUTPUT: usize = 160;
/// Longest outline of a document, in characters.
const OUTLINE: usize = 240;
/// Shorter pieces say nothing.
const LEAST: usize = 24;

/// `prompt` on one line. Typed text of up to [`WHOLE`] characters is kept whole; of longer text the first sentence and
/// as many of the last ones as fit into `most` characters.
pub fn gist(prompt: &str, most: usize) -> String {
    let passages = merged(prompt, passages(prompt));
    let typed: usize = passages
        .iter()
        .filter(|passage| is_typed(passage))
        .map(|passage| length(&squashed(passage.text)))
        .sum();
    let (first, last) =
        (passages.iter().position(|p| is_typed(p)), passages.iter().rposition(|p| is_typed(p)));
    let pieces = passages.iter().enumerate().map(|(at, passage)| {
        if !is_typed(passage) {
            named(passage)
        } else if typed <= WHOLE {
            squashed(passage.text)
        } else if first == last {
            ends_of(passage.text, most)
        } else if Some(at) == first {
            first_sentence(passage.text, most * 2 / 3)
        } else if Some(at) == last {
            ends_of(passage.text, most / 2)
        } else {
            "…".to_owned()
        }
    });
    let pieces: Vec<String> = pieces.filter(|piece| !piece.is_empty()).collect();
    pieces.join(" ")
}

/// Pasted text in a few words: how much it is, and what.
pub fn paste(text: &str) -> String {
    let voice =
        passages(text).iter().map(|passage| passage.voice).find(|voice| *voice != PassageVoice::Typed);
    let described = named(&PromptPassage { voice: voice.unwrap_or(PassageVoice::Quoted), text });
    let lines = || text.lines().filter(|line| !line.trim().is_empty()).count();
    if described.starts_with('[') { described } else { format!("[{} pasted]", count_of(lines(), "line")) }
}

/// A plan or another document as its title and as many of its items as fit into `most` characters.
pub fn outline(text: &str, most: usize) -> String {
    let headings = passages::headings_in(text);
    let Some((title, headings)) = headings.split_first() else { return first_sentence(text, most) };
    let is_step = |heading: &&str| {
        let says_something = length(heading) >= 10 || heading.bytes().any(|b| b.is_ascii_digit());
        says_something && !is_introduction(heading) && !is_group(heading)
    };
    let steps: Vec<&str> = headings.iter().copied().filter(is_step).collect();
    let is_numbered = steps.iter().any(|step| step.bytes().any(|b| b.is_ascii_digit()));
    let items = if steps.len() >= 3 || (is_numbered && steps.len() == 2) { steps } else { listed(text) };
    let mut out = one_line(&title.replace(['*', '`'], ""), most);
    for (n, item) in items.iter().enumerate() {
        let item = item.replace(['*', '`'], "");
        if length(&out) + length(&item) + 4 > most {
            out.push_str("; …");
            break;
        }
        out.push_str(if n == 0 { ": " } else { "; " });
        out.push_str(&item);
    }
    out
}

fn is_typed(passage: &PromptPassage) -> bool {
    passage.voice == PassageVoice::Typed
}

/// Merges many pastes into one.
fn merged<'a>(prompt: &'a str, passages: Vec<PromptPassage<'a>>) -> Vec<PromptPassage<'a>> {
    let Some((first, last)) = between_pastes(&passages) else { return passages };
    let begin: usize = passages[..first].iter().map(|passage| passage.text.len()).sum();
    let length: usize = passages[first..=last].iter().map(|passage| passage.text.len()).sum();
    let of = |voice: PassageVoice| {
        passages.iter().filter(|p| p.voice == voice).map(|p| p.text.len()).sum::<usize>()
    };
    let voice = if of(PassageVoice::Output) > of(PassageVoice::Document) {
        PassageVoice::Output
    } else {
        PassageVoice::Quoted
    };
    let middle = PromptPassage { voice, text: &prompt[begin..begin + length] };
    passages[..first].iter().copied().chain([middle]).chain(passages[last + 1..].iter().copied()).collect()
}

/// A short description of a paste; a short paste as it is.
fn named(passage: &PromptPassage) -> String {
    let line = squashed(passage.text);
    let count = length(&line);
    match passage.voice {
        PassageVoice::Output => output(passage.text, &line),
        _ if count <= INLINE => line,
        PassageVoice::Document => format!("[a document: {}]", outline(passage.text, OUTLINE)),
        _ => "[a pasted text]".to_owned(),
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// The first sentence of a text, followed by `…` if there are more.
fn first_sentence(text: &str, most: usize) -> String {
    let found = sentences(text);
    let first = one_line(found.first().copied().unwrap_or_default(), most);
    if found.len() > 1 && !first.ends_with('…') { format!("{first} …") } else { first }
}

/// The first sentence of a text and as many of the last ones as fit into `most` characters, all whole; `…` marks a gap.
fn ends_of(text: &str, most: usize) -> String {
    let whole = squashed(text);
    if length(&whole) <= WHOLE {
        return whole;
    }
    let found: Vec<String> = sentences(text).into_iter().map(squashed).collect();
    let Some((first, rest)) = found.split_first() else { return one_line(&whole, most) };
    let head = one_line(first, most.max(2 * LEAST) / 2);
    let mut left = most.saturating_sub(length(&head) + 3);
    let fits = |sentence: &&String| {
        let fits = length(sentence) < left;
        left = left.saturating_sub(length(sentence) + 1);
        fits
    };
    let kept = rest.iter().rev().take_while(fits).count();
    let tail = rest[rest.len() - kept..].join(" ");
    match (kept == rest.len(), kept) {
        (true, _) if length(first) + length(&tail) < most => format!("{first} {tail}").trim_end().to_owned(),
        // A single sentence that is longer than the limit.
        (_, 0) if rest.is_empty() => one_line(first, most),
        (_, 0) => format!("{head} …"),
        _ => format!("{head} … {tail}"),
    }
}

/// That an output was pasted, and its first line that reports a failure.
fn output(text: &str, line: &str) -> String {
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric)).collect();
    if lines.is_empty() || (lines.len() <= 2 && length(line) <= INLINE) {
        return line.to_owned();
    }
    let told = lines.iter().find(|line| tells_of_failure(line) && length(line) <= OUTPUT);
    let told = told.map(|told| format!(", among them: {}", told.trim_matches('`'))).unwrap_or_default();
    // They are not counted: a reader counts the lines of the message, and blank ones.
    let what = if lines.len() == 1 { "a pasted line" } else { "pasted lines" };
    format!("[{what}{told}]")
}

fn tells_of_failure(line: &str) -> bool {
    has_sense(line, Sense::Trouble)
}

/// The list items of a document, except those of its introduction.
fn listed(text: &str) -> Vec<&str> {
    let (mut introduces, mut fenced) = (false, false);
    let mut items = Vec::new();
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        if fenced {
            continue;
        }
        if let Some(heading) = passages::heading(line) {
            introduces = is_introduction(heading);
        } else if !introduces && !line.starts_with([' ', '\t']) {
            items.extend(passages::item(line));
        }
    }
    items
}

/// A heading of a section that asks for nothing.
fn is_introduction(heading: &str) -> bool {
    ReadSentence::new(heading).opens(Sense::Introduction)
}

/// A heading that only groups requests.
fn is_group(heading: &str) -> bool {
    let read = ReadSentence::new(heading);
    read.all(Sense::Group).any(|hit| hit.to - hit.at == read.words.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_prompts_are_quoted_whole() {
        assert_eq!(gist("fix\nthe  bug", 40), "fix the bug");
        let message = "I think this was just fixed, right: the counter is not copied. ".repeat(6);
        assert_eq!(gist(&message, 60), message.trim_end());
    }

    #[test]
    fn long_prompt_keeps_its_first_sentence_and_its_end() {
        let long =
            format!("Look at the parser. {} Now make it keep comments.", "It has a history. ".repeat(60));
        let gist = gist(&long, 120);
        assert!(
            gist.starts_with("Look at the parser. … It has") && gist.ends_with("Now make it keep comments."),
            "{gist}"
        );
        assert!(gist.chars().count() <= 124, "{gist}");
    }

    #[test]
    fn outline_lists_the_items_of_a_plan() {
        let plan = format!(
            "Implement the following plan:\n\n# Plan: a cache\n\n## Context\n\n{}\n\n## Changes\n\n### 1. Add a map\n\nText.\n\n\
             ### 2. Evict the oldest\n\nText.\n\n## Verification\n\n- run it",
            "Reads are slow. ".repeat(60)
        );
        let plan = plan.replace("Text.", "Text:\n\n```bash\n# not a heading\nmake\n```");
        assert_eq!(outline(&plan, 300), "Plan: a cache: 1. Add a map; 2. Evict the oldest");
        assert_eq!(outline(&plan, 40), "Plan: a cache: 1. Add a map; …", "whole items");
        let listed =
            format!("# Cache\n\n## Context\n\n- {}\n\n## Steps\n\n- add a map\n- evict", "slow ".repeat(150));
        assert_eq!(outline(&listed, 300), "Cache: add a map; evict");
    }

    #[test]
    fn request_after_a_pasted_document_is_kept() {
        let pasted = format!(
            "# What it is\n\n{}\n\n## What it lacks\n\nMuch.\n\n## What others do\n\nLess.\n\n## What comes next\n\nWhich way do you want to \
                              go? deploy it and run the tests",
            "It is a cache. ".repeat(60)
        );
        let gist = gist(&pasted, 400);
        assert!(
            gist.starts_with("[a document: ") && gist.ends_with("] deploy it and run the tests"),
            "{gist}"
        );
    }

    #[test]
    fn log_in_many_pieces_is_one_paste() {
        let log = "at load (app.js:3:9)\nsomething happened here\nmore of it\nand more\n".repeat(9);
        let gist = gist(&format!("it fails:\n{log}at main (app.js:9:1)\n\nwhy is that?"), 300);
        assert!(gist.starts_with("it fails: [") && gist.ends_with("] why is that?"), "{gist}");
        assert_eq!(gist.matches('[').count(), 1, "{gist}");
    }

    #[test]
    fn pasted_output_keeps_one_whole_failure_line() {
        let log =
            "2026-01-05 09:00:08 INFO up\n2026-01-05 09:00:09 ERROR no route\n2026-01-05 09:00:10 INFO bye";
        assert_eq!(
            gist(&format!("it does not start:\n{log}\n\nplease fix"), 300),
            "it does not start: [pasted lines, among them: 2026-01-05 09:00:09 ERROR no route] please fix"
        );
        let endless =
            format!("it hangs:\n2026-01-05 09:00:08 INFO up\n2026-01-05 09:00:09 ERROR {}", "x ".repeat(200));
        assert_eq!(gist(&endless, 300), "it hangs: [pasted lines]");
    }

    proptest::proptest! {
        #[test]
        fn gist_length_is_bounded(
            prompt in "([a-z:#`+{}\n \"-]|é|ERROR |[.] ){0,900}", most in 60..400_usize
        ) {
            let gist = gist(&prompt, most);
            let pasted = passages(&prompt).iter().filter(|p| p.voice != PassageVoice::Typed).count();
            proptest::prop_assert!(gist.chars().count() <= WHOLE.max(most) + 2 * LEAST + pasted * 300, "{}", gist);
        }
    }
}
