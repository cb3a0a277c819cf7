//! What the model already has after a compaction: the summary, what the client keeps, what the page says. The one measure
//! of it ([`KnownText::has`]) is used by everything that decides what to tell.
//!
//! A text is had if it stands there word by word, or if nearly all its words stand close together and every number, name
//! and negation among them. Scripts without spaces are compared by pairs of characters. A sentence that names something
//! only to deny it ("later withdrew", "~~…~~", "obsolete: …") does not have it.

use std::collections::HashMap;

use memchr::memmem;

use crate::audit::audit;
use crate::audit::broken::what_is_broken;
use crate::lexicon::languages::Sense;
use crate::model::entry::Place;
use crate::model::finding::Finding;
use crate::reading::command::ShellLine;
use crate::session::Session;
use crate::session::kept::Aftermath;
use crate::text::passages::{heading, item};
use crate::text::phrases::has_sense;
use crate::text::sentences::sentences;
use crate::text::specifics::is_wide;
use crate::text::stems::{Stem, StemSet};
use crate::text::trigrams::Trigrams;
use crate::text::units::units;

/// The share of a text's words that must stand close together. Of paraphrases in our tests the least has 0.8, of texts
/// about another thing with the same words the most has 0.75.
const NEARLY_ALL: f32 = 0.8;
/// With fewer words all of them must stand side by side; with fewer than [`FEWEST`] only the words in a row prove anything.
const FEW: usize = 4;
const FEWEST: usize = 3;
/// A file name of at least this many bytes counts as unique; `mod.rs` and `index.ts` are everywhere.
const TELLING_NAME: usize = 9;

/// What the compaction left in the place of the conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Left {
    #[default]
    Summary,
    /// A summary that is none.
    Broken,
    Nothing,
}

/// Text that need not be repeated. Empty if nothing is known.
#[derive(Clone, Debug, Default)]
pub struct KnownText {
    /// The summary as it was written.
    written: String,
    /// What it says and does not deny, and what the client keeps, in lower case.
    text: String,
    /// The words of the text, with a space around each.
    flat: String,
    /// Of the text.
    trigrams: Trigrams,
    topic: Vec<Stem>,
    topics: StemSet,
    keeps_from: Option<Place>,
    attached: Vec<String>,
    /// Prompts that the client keeps verbatim.
    messages: Vec<Place>,
    findings: Vec<Finding>,
    broken: Option<String>,
    aftermath: Aftermath,
}

impl KnownText {
    pub fn new(summary: &str) -> KnownText {
        KnownText { written: summary.to_owned(), ..KnownText::of(&standing(summary, denies)) }
    }

    /// What a page says already.
    pub fn of_page(text: &str) -> KnownText {
        KnownText::of(text)
    }

    /// A text as it is, denied or not.
    fn of(text: &str) -> KnownText {
        let topic: Vec<Stem> = units(text).map(|unit| unit.stem).collect();
        let topics = topic.iter().copied().collect();
        let (text, flat) = (text.to_lowercase(), flat(text));
        KnownText { trigrams: Trigrams::of(&text), text, flat, topic, topics, ..KnownText::default() }
    }

    /// What the model has once `session` was replaced by `summary`, if that is known.
    pub fn after(session: &Session, summary: Option<&str>) -> KnownText {
        let kept = &session.kept;
        let plan = session.plan.as_ref().filter(|_| kept.is_kept()).and_then(|plan| plan.file.clone());
        let attached = kept.files().into_iter().chain(plan).collect();
        let messages = session.prompts.iter().filter(|prompt| kept.has_message(prompt.hash));
        let messages = messages.map(|prompt| prompt.place).collect();
        let aftermath = if summary.is_some() { Aftermath::Summary } else { kept.aftermath() };
        let summary = summary.unwrap_or_default();
        KnownText {
            written: summary.to_owned(),
            keeps_from: kept.begins(),
            attached,
            messages,
            aftermath,
            ..KnownText::of(&format!("{}\n{}", standing(summary, denies), kept.round()))
        }
    }

    /// [`KnownText::after`] with the findings of an audit. A broken summary is not audited and counts as no summary.
    pub fn audited(session: &Session, summary: Option<&str>) -> KnownText {
        if let Some(broken) = summary.and_then(|summary| what_is_broken(session, summary)) {
            return KnownText { broken: Some(broken), ..KnownText::after(session, None) };
        }
        let findings = summary.map(|summary| audit(session, summary)).unwrap_or_default();
        KnownText::after(session, summary).with_findings(findings)
    }

    /// Sets the findings of an audit.
    #[must_use]
    pub fn with_findings(self, findings: Vec<Finding>) -> KnownText {
        KnownText { findings, ..self }
    }

    /// What the summary leaves open: a sentence that calls something done does not have it as work.
    #[must_use]
    pub fn left_open(&self) -> KnownText {
        KnownText::of(&standing(&self.written, |sentence| denies(sentence) || is_done(sentence)))
    }

    /// Where the summary differs from the record.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Nothing else tells the model what happened, or nothing that we could read: there is no summary, it is an error
    /// message or cut off, or only the model reads it.
    pub fn stands_alone(&self) -> bool {
        self.broken.is_some() || self.aftermath != Aftermath::Summary
    }

    /// What the compaction left in the place of the conversation.
    pub fn left(&self) -> Left {
        match self.aftermath {
            Aftermath::Nothing => Left::Nothing,
            _ if self.broken.is_some() => Left::Broken,
            _ => Left::Summary,
        }
    }

    /// The client kept no summary.
    pub fn has_no_summary(&self) -> bool {
        self.aftermath == Aftermath::Nothing
    }

    /// What is wrong with the summary, in a few words.
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// No summary is known.
    pub fn is_empty(&self) -> bool {
        self.written.is_empty()
    }

    /// All that the model has, as far as its words are known and hold, in lower case.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The model has this: a statement, a name, a path, a line.
    pub fn has(&self, text: &str) -> bool {
        let text = text.trim();
        if text.is_empty() || self.flat.is_empty() {
            return false;
        }
        if is_one_thing(text) { self.names(text) } else { self.says(text) || self.retells(text) }
    }

    /// Every sentence of it is there.
    pub fn has_all(&self, text: &str) -> bool {
        self.has(text) || {
            let mut all =
                sentences(text).into_iter().filter(|sentence| units(sentence).next().is_some()).peekable();
            all.peek().is_some() && all.all(|sentence| self.has(sentence))
        }
    }

    /// The model has a command line and what tells how its run ended, with or without a label before it ("error: …").
    pub fn has_run(&self, line: &ShellLine, telling: &str) -> bool {
        let without_label = || telling.split_once(": ").is_some_and(|(_, rest)| self.has(rest));
        self.has(line.core()) && (telling.is_empty() || self.has(telling) || without_label())
    }

    /// It names this thing as a whole. A path may be named by its last two components, or by its file name if that is
    /// long; a longer path that ends in it names it, too.
    pub fn names(&self, thing: &str) -> bool {
        let thing = thing.to_lowercase().replace('\\', "/");
        if self.has_whole(&thing) || (thing.contains('/') && self.has_whole(&thing.replace('/', "\\"))) {
            return true;
        }
        let parts: Vec<&str> = thing.trim_end_matches('/').rsplitn(3, '/').collect();
        let [name, folder, _] = parts.as_slice() else {
            return parts.len() == 2 && parts[0].len() >= TELLING_NAME && self.has_whole(parts[0]);
        };
        self.has_whole(&format!("{folder}/{name}")) || (name.len() >= TELLING_NAME && self.has_whole(name))
    }

    fn has_whole(&self, thing: &str) -> bool {
        !thing.is_empty()
            && self.trigrams.may_have(thing)
            && memmem::find_iter(self.text.as_bytes(), thing.as_bytes())
                .any(|at| is_whole(&self.text, at, at + thing.len()))
    }

    /// These words in a row, whatever stands between them.
    pub fn says(&self, text: &str) -> bool {
        let wanted = flat(text);
        let wide = |c: Option<char>| c.is_some_and(is_wide);
        let words = wanted.trim();
        // No space tells where a word of these scripts begins.
        let from = if wide(words.chars().next()) { words } else { wanted.trim_end() };
        let ends = if wide(words.chars().next_back()) { "" } else { " " };
        let wanted = format!("{from}{ends}");
        !words.is_empty() && memmem::find(self.flat.as_bytes(), wanted.as_bytes()).is_some()
    }

    /// Nearly all its words close together, and all that a paraphrase does not change.
    fn retells(&self, text: &str) -> bool {
        let mut wanted: HashMap<Stem, bool> = HashMap::new();
        for unit in units(text) {
            *wanted.entry(unit.stem).or_default() |= unit.exact;
        }
        let is_few = wanted.len() < FEW;
        let enough = if is_few { wanted.len() } else { (wanted.len() as f32 * NEARLY_ALL).ceil() as usize };
        let window = if is_few { wanted.len() + 2 } else { 2 * wanted.len() + 8 };
        let there = wanted.iter().filter(|(stem, _)| self.topics.contains(*stem));
        let is_possible = there.count() >= enough
            && wanted.iter().all(|(stem, exact)| !exact || self.topics.contains(stem));
        wanted.len() >= FEWEST && is_possible && self.has_close(&wanted, enough, window)
    }

    fn has_close(&self, wanted: &HashMap<Stem, bool>, enough: usize, window: usize) -> bool {
        let exact = wanted.values().filter(|exact| **exact).count();
        let mut inside: HashMap<Stem, usize> = HashMap::new();
        let mut exact_inside = 0;
        for (at, stem) in self.topic.iter().enumerate() {
            if let Some(is_exact) = wanted.get(stem) {
                let count = inside.entry(*stem).or_default();
                *count += 1;
                exact_inside += usize::from(*is_exact && *count == 1);
            }
            if let Some(left) = at.checked_sub(window).map(|from| self.topic[from])
                && let Some(count) = inside.get_mut(&left)
            {
                *count -= 1;
                if *count == 0 {
                    inside.remove(&left);
                    exact_inside -= usize::from(wanted[&left]);
                }
            }
            if inside.len() >= enough && exact_inside == exact {
                return true;
            }
        }
        false
    }

    /// The client keeps this row verbatim.
    pub fn keeps(&self, place: Place) -> bool {
        self.keeps_from.is_some_and(|from| place >= from) || self.messages.contains(&place)
    }

    /// The client keeps this prompt verbatim through the compaction.
    pub fn keeps_message(&self, place: Place) -> bool {
        self.messages.contains(&place)
    }

    /// The client reattaches this file, or the plan in it. `path` may be a suffix of the full path, from a folder on.
    pub fn attaches(&self, path: &str) -> bool {
        let ends = |file: &str| {
            file.strip_suffix(path).is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '\\']))
        };
        self.attached.iter().any(|file| ends(file))
    }
}

/// The words of a text in lower case with a space around each; numbers stay whole.
fn flat(text: &str) -> String {
    let mut out = String::from(" ");
    let mut letters = text.chars().peekable();
    let mut last = ' ';
    while let Some(c) = letters.next() {
        let next_is_digit = letters.peek().is_some_and(char::is_ascii_digit);
        let is_in_number = matches!(c, '.' | ',' | ':') && last.is_ascii_digit() && next_is_digit;
        if c.is_alphanumeric() || c == '_' || is_in_number {
            out.extend(c.to_lowercase());
        } else if !out.ends_with(' ') && !matches!(c, '\'' | '’') {
            out.push(' ');
        }
        last = c;
    }
    if !out.ends_with(' ') {
        out.push(' ');
    }
    out
}

/// A path, id or number rather than words.
fn is_one_thing(text: &str) -> bool {
    !text.contains(char::is_whitespace) && text.is_ascii() && text.contains(['/', '\\', '.', '_', '-'])
}

/// Whether the match is a whole name, not part of another: `a.rs` in `data.rs` or `lib/a.rs`, `543` in `5433`.
fn is_whole(text: &str, from: usize, to: usize) -> bool {
    let is_part = |c: char| (c.is_alphanumeric() && !is_wide(c)) || matches!(c, '_' | '-');
    let is_path = text[from..to].contains(['/', '\\']);
    let begins = match text[..from].chars().next_back() {
        Some('/' | '\\') => is_path || !text[from..to].contains('.') || text[..from].ends_with("./"),
        Some(c) => !is_part(c) && c != '.',
        None => true,
    };
    let mut after = text[to..].chars();
    let next = after.next();
    let goes_on = next.is_some_and(is_part) || (next == Some('.') && after.next().is_some_and(is_part));
    begins && !goes_on
}

/// The sentences of a summary without those that are left out, what is struck out, and the items below a heading that is
/// left out itself.
fn standing(summary: &str, is_left_out: impl Fn(&str) -> bool) -> String {
    let mut out = String::new();
    let mut is_below = false;
    for line in summary.lines() {
        let is_heading = heading(line).is_some() || (item(line).is_none() && line.trim_end().ends_with(':'));
        if is_heading {
            is_below = is_left_out(line);
        } else if item(line).is_none() && !line.trim().is_empty() {
            is_below = false;
        }
        if !is_below {
            let line = without_struck(line);
            let kept = sentences(&line).into_iter().filter(|sentence| !is_left_out(sentence));
            // What is no sentence (a table, code) says what it says.
            let all: Vec<&str> = kept.collect();
            if all.is_empty() && !is_left_out(&line) {
                out.push_str(&line);
            }
            out.push_str(&all.join(" "));
        }
        out.push('\n');
    }
    out
}

/// A line without what stands between two pairs of tildes.
fn without_struck(line: &str) -> String {
    let mut rest = line;
    let mut out = String::new();
    while let Some((before, struck)) = rest.split_once("~~") {
        out.push_str(before);
        rest = struck.split_once("~~").map_or_else(
            || {
                out.push_str("~~");
                struck
            },
            |(_, after)| after,
        );
    }
    out + rest
}

/// It reports that something was said and does not hold any more.
fn denies(sentence: &str) -> bool {
    has_sense(sentence, Sense::Denied)
}

fn is_done(sentence: &str) -> bool {
    sentence.contains(['✓', '✅'])
        || sentence.to_lowercase().contains("[x]")
        || has_sense(sentence, Sense::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A summary, what it has, and what it has not.
    const CASES: &[(&str, &[&str], &[&str])] = &[
        (
            "The user said: \"Fix the login bug,\n but DON'T touch the schema of users\".",
            &["fix the login bug but don't touch the schema of users", "Don't touch the schema of users."],
            &[
                "fix the login bug but do touch the schema of orders today",
                "never fix the bug of the login page by hand",
            ],
        ),
        (
            "Pending:\n- The user said: \"Go ahead with phase 1\"\n- port the lexer of v2 to the new reader",
            &["go ahead, with phase 1!", "please port the v2 lexer to the new reader"],
            &["go ahead with phase 2", "please port the v3 lexer to the new reader"],
        ),
        (
            "Decisions:\n- a mutex was chosen over a channel, because the queue is short",
            &["I chose a mutex over a channel, because the queue is short"],
            &["I chose sqlite because it needs no server"],
        ),
        (
            "Edited `lib/CMakeLists.txt`, /w/app/src/a.rs, web\\page.js and data.rs.",
            &["lib/CMakeLists.txt", "src/a.rs", "web/page.js", "data.rs", "app/src/a.rs"],
            &["CMakeLists.txt", "a.rs", "rc/a.rs", "src/a", "ta.rs"],
        ),
        (
            "用户要求不要修改数据库迁移文件，端口用 5433。",
            &["不要修改数据库迁移文件"],
            &["不要修改数据库连接设置", "端口用 5434"],
        ),
        (
            "ユーザーはマイグレーションを変更しないでくださいと言った。",
            &["マイグレーションを変更しないでください"],
            &["テストを変更しないでください"],
        ),
        (
            "The user asked for port 5433 and later withdrew it.\nAnswers are in German.",
            &["Answers are in German."],
            &["port 5433", "the user asked for port 5433"],
        ),
        (
            "Rules: ~~answer in German at all times~~ use tabs",
            &["use tabs"],
            &["answer in German at all times"],
        ),
        (
            "Obsolete: never push to the main branch.\nKeep the API stable.",
            &["keep the API stable"],
            &["never push to the main branch"],
        ),
        ("Use port 5433 (no longer applies).", &[], &["use port 5433"]),
        (
            "Withdrawn rules:\n- never push to main\n\nRules:\n- keep it small",
            &["keep it small"],
            &["never push to main"],
        ),
        ("Die Regel, nur auf Port 5433 zu lauschen, gilt nicht mehr.", &[], &["nur auf Port 5433 lauschen"]),
        ("La règle du port 5433 ne s'applique plus.", &[], &["port 5433"]),
        ("端口 5433 的规则已作废。", &[], &["端口 5433"]),
    ];

    #[test]
    fn one_measure_tells_what_a_summary_has() {
        for (summary, has, lacks) in CASES {
            let known = KnownText::new(summary);
            for text in *has {
                assert!(known.has(text), "{summary:?} has {text:?}");
            }
            for text in *lacks {
                assert!(!known.has(text), "{summary:?} does not have {text:?}");
            }
        }
        assert!(KnownText::default().is_empty() && !KnownText::default().has("a"));
    }

    #[test]
    fn work_called_done_is_not_left_open() {
        let known = KnownText::new("- Write the parser docs: done ✅\n- Port the lexer to the reader");
        assert!(known.has("Write the parser docs") && !known.left_open().has("Write the parser docs"));
        assert!(known.left_open().has("Port the lexer to the reader"));
    }

    #[test]
    fn attached_file_matches_by_full_path_or_path_suffix() {
        let known = KnownText { attached: vec!["/w/src/lib.rs".to_owned()], ..KnownText::default() };
        assert!(known.attaches("/w/src/lib.rs") && known.attaches("src/lib.rs") && known.attaches("lib.rs"));
        assert!(!known.attaches("b.rs") && !known.attaches("/v/src/lib.rs"));
    }
}
