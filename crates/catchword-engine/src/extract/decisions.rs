//! The agent's decisions with their reasons, and what it tried and gave up.
//!
//! Summaries keep what was done and lose why. A decision is a sentence of the agent's own that both chooses and
//! gives a reason; ordinary narration ("let me check") is neither. What was abandoned is said where it failed,
//! so that nobody walks into it again.

use super::text::{quote_foreign, sentences};
use super::{Fact, Known, Section};
use crate::agent::entry::Place;
use crate::find;
use crate::session::{Said, Session};

/// Latest ones of each kind shown.
const MOST: usize = 4;
/// A sentence longer than this is an explanation, shorter than that a remark.
const LENGTHS: std::ops::RangeInclusive<usize> = 30..=320;

const CHOICES: [&str; 14] = [
    "decided to",
    "decided on",
    "decision:",
    "i'll go with",
    "going with",
    "i chose",
    "we chose",
    "chose to",
    "opted",
    "instead of",
    "rather than",
    "better to",
    "the right approach",
    "the right fix",
];
const REASONS: [&str; 9] =
    ["because", "since", "so that", "otherwise", "to avoid", "reason", "which would", "as it", "due to"];
const ABANDONED: [&str; 5] =
    ["different approach", "i'm reverting", "i am reverting", "i'm abandoning", "dead end"];
const DOES_NOT_WORK: [&str; 8] = [
    "didn't work",
    "did not work",
    "doesn't work",
    "won't work",
    "does not work",
    "reverted",
    "reverting",
    "abandon",
];

/// One of these is in every one of [`CHOICES`].
const CHOOSING: [&str; 9] = [
    "deci",
    "chose",
    "instead of",
    "rather than",
    "go with",
    "going with",
    "opted",
    "better to",
    "the right ",
];

/// Four letters of each cue that few other words have. A text is looked through for all of them at once; hardly one has
/// any, and the cues need not be looked for in it.
const MARKS: [(u8, &[&[u8; 4]]); 3] = [
    (CHOOSES, &[b"deci", b"chos", b"stea", b"athe", b"go w", b"ng w", b"opte", b"bett", b"righ"]),
    (REASONED, &[b"caus", b"sinc", b"so t", b"rwis", b"avoi", b"easo", b"h wo", b"as i", b"due "]),
    (GIVES_UP, &[b"ppro", b"vert", b"aban", b"ad e", b"'t w", b"ot w"]),
];
/// It may have one of [`CHOOSING`].
const CHOOSES: u8 = 1;
/// It may have one of [`REASONS`].
const REASONED: u8 = 2;
/// It may have one of [`ABANDONED`] or [`DOES_NOT_WORK`].
const GIVES_UP: u8 = 4;

/// What four letters may mark, by a hash of them.
static MARKED: [u8; 1 << 12] = {
    let mut marked = [0; 1 << 12];
    let mut kind = 0;
    while kind < MARKS.len() {
        let mut at = 0;
        while at < MARKS[kind].1.len() {
            marked[place_of(u32::from_be_bytes(*MARKS[kind].1[at]))] |= MARKS[kind].0;
            at += 1;
        }
        kind += 1;
    }
    marked
};

const fn place_of(letters: u32) -> usize {
    (letters.wrapping_mul(0x9E37_79B1) >> 20) as usize
}

/// Which cues a text may have, in whatever case.
fn marks_in(text: &str) -> u8 {
    // The bit in which small letters differ from capitals is set in blanks and apostrophes, too.
    let next = |letters: u32, byte: u8| letters << 8 | u32::from(byte | 0x20);
    let mark = |(letters, marks): (u32, u8), byte: u8| {
        let letters = next(letters, byte);
        (letters, marks | MARKED[place_of(letters)])
    };
    text.bytes().fold((0, 0), mark).1
}

/// Decisions and abandoned attempts that the summary does not mention.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    let marked: Vec<(&Said, u8)> = session.said.iter().map(|said| (said, marks_in(&said.text))).collect();
    let decided = latest(&marked, known, may_decide, is_decision).into_iter().map(|(said, sentence)| {
        let fact = Fact::new(Section::Decisions, sentence, quote_foreign(sentence, 320));
        fact.at(said.place).worth(0.06, "the agent chose and gave a reason")
    });
    let abandoned = latest(&marked, known, may_abandon, is_abandoned).into_iter().map(|(said, sentence)| {
        let fact =
            Fact::new(Section::Decisions, sentence, format!("given up: {}", quote_foreign(sentence, 240)));
        fact.at(said.place).worth(0.05, "the agent gave it up")
    });
    decided.chain(abandoned).collect()
}

/// The agent's latest decisions, whatever the summary says.
pub fn decided(session: &Session) -> Vec<(Place, &str)> {
    let marked: Vec<(&Said, u8)> = session.said.iter().map(|said| (said, marks_in(&said.text))).collect();
    let latest = latest(&marked, &Known::default(), may_decide, is_decision);
    latest.into_iter().map(|(said, sentence)| (said.place, sentence)).collect()
}

/// The decisions in one text of the agent's.
pub fn decided_in(text: &str) -> Vec<&str> {
    if !may_decide(text, marks_in(text)) {
        return Vec::new();
    }
    let fits = |s: &&str| LENGTHS.contains(&s.chars().count()) && is_decision(&s.to_lowercase());
    sentences(text).into_iter().filter(fits).collect()
}

/// The sentences of a text that decide something or give something up.
pub fn in_text(text: &str) -> Vec<&str> {
    let all = sentences(text).into_iter().filter(|s| LENGTHS.contains(&s.chars().count()));
    all.filter(|s| is_decision(&s.to_lowercase()) || is_abandoned(&s.to_lowercase())).collect()
}

/// `may_be` looks at a whole text and what it may have, `is` at a sentence in lower case.
fn latest<'a>(
    marked: &[(&'a Said, u8)],
    known: &Known,
    may_be: fn(&str, u8) -> bool,
    is: fn(&str) -> bool,
) -> Vec<(&'a Said, &'a str)> {
    let said = marked.iter().rev().filter(|(said, marks)| may_be(&said.text, *marks)).map(|(said, _)| *said);
    let lost = said.filter(|said| !known.keeps(said.place));
    let all = lost.flat_map(|said| sentences(&said.text).into_iter().map(move |s| (said, s)));
    let mut found: Vec<_> = all
        .filter(|(_, s)| LENGTHS.contains(&s.chars().count()) && is(&s.to_lowercase()) && !known.mentions(s))
        .take(MOST)
        .collect();
    found.reverse();
    found
}

/// Whether a text has any of these cues, in whatever case. Few have, and none of the others need be taken apart.
fn has_any(lower: &str, cues: &[&str]) -> bool {
    cues.iter().any(|cue| find::has(lower, cue))
}

fn may_decide(text: &str, marks: u8) -> bool {
    if marks & CHOOSES == 0 || marks & REASONED == 0 {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    has_any(&lower, &CHOOSING) && has_any(&lower, &REASONS)
}

fn may_abandon(text: &str, marks: u8) -> bool {
    if marks & GIVES_UP == 0 {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    has_any(&lower, &ABANDONED) || has_any(&lower, &DOES_NOT_WORK)
}

fn is_decision(sentence: &str) -> bool {
    let has = |cues: &[&str]| cues.iter().any(|cue| sentence.contains(cue));
    has(&CHOICES) && has(&REASONS) && !sentence.ends_with('?')
}

/// What is said not to work is given up only where the words speak of a way of doing it: a bug does not work
/// either.
fn is_abandoned(sentence: &str) -> bool {
    const WAYS: [&str; 8] =
        ["approach", "attempt", "instead", "workaround", "this way", "that way", "tried", "idea"];
    let has = |cues: &[&str]| cues.iter().any(|cue| sentence.contains(cue));
    let looks_for = ["let me", "check", "if ", "why ", "when "].iter().any(|cue| sentence.starts_with(cue));
    !sentence.ends_with('?') && !looks_for && (has(&ABANDONED) || (has(&DOES_NOT_WORK) && has(&WAYS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_chooses_and_gives_a_reason() {
        assert!(is_decision("i'll go with a mutex instead of a channel because the queue is short."));
        for text in [
            "let me check the tests because they fail.",
            "i chose red.",
            "should we use x rather than y because of z?",
        ] {
            assert!(!is_decision(text), "{text}");
        }
    }

    #[test]
    fn what_may_decide_is_told_by_fewer_cues() {
        let decides = |text: &str| may_decide(text, marks_in(text));
        for choice in CHOICES {
            assert!(CHOOSING.iter().any(|cue| choice.contains(cue)), "{choice}");
            assert!(decides(&format!("{} BECAUSE of it", choice.to_uppercase())));
        }
        assert!(!decides("because of it") && !decides("it was chosen instead of that"));
        let gives_up = |text: &str| may_abandon(text, marks_in(text));
        assert!(gives_up("That didn't work") && !gives_up("That works"));
    }

    #[test]
    fn every_cue_is_marked() {
        let cues = [
            (CHOOSES, &CHOOSING[..]),
            (REASONED, &REASONS),
            (GIVES_UP, &ABANDONED),
            (GIVES_UP, &DOES_NOT_WORK),
        ];
        for (kind, cues) in cues {
            for cue in cues {
                assert_ne!(marks_in(&format!("x{}y", cue.to_uppercase())) & kind, 0, "{cue}");
            }
        }
        assert_eq!(marks_in("Let me look at the tests of part 3."), 0);
    }

    #[test]
    fn what_failed_is_known_as_abandoned() {
        assert!(is_abandoned("the regex approach didn't work for nested quotes."));
        for text in [
            "this works.",
            "the login button doesn't work on mobile.",
            "something in your environment is auto-reverting.",
            "no cost is wasted on abandoned checkpoints.",
            "let me check why it didn't work that way.",
        ] {
            assert!(!is_abandoned(text), "{text}");
        }
    }
}
