//! A rule or setting of the person that a later one repeats with another value: the latest word holds. The two are the same
//! but for numbers, ids and the names of languages; anything less leaves both. What the person typed is compared, nothing
//! that they pasted.

use crate::lexicon::languages::Sense;
use crate::record::{Kind, Record, Standing, Voice};
use crate::text::hash::{FNV_START, fnv1a_on};
use crate::text::phrases::{ReadSentence, phrases_of};
use crate::text::units::units;
use crate::text::words::{MIXED, words};

/// Longer lines say more than one thing.
const MOST_WORDS: usize = 30;

pub fn apply(log: &mut Record, at: usize) {
    let new = log.get(at);
    if !matches!(new.what, Kind::Asked(_)) || new.who != Voice::Person {
        return;
    }
    let Some(key) = setting(&new.words) else { return };
    let (place, words) = (new.place, new.words.clone());
    let earlier = log.latest.insert(key, at as u32).map(|earlier| earlier as usize);
    let is_other = |earlier: &usize| *earlier < at && log.get(*earlier).words != words;
    if let Some(earlier) = earlier.filter(is_other).filter(|earlier| log.get(*earlier).state.holds()) {
        log.set(earlier, Standing::Withdrawn(place));
    }
}

/// What a line sets, without the value; `None` if it sets nothing. A piece of work with a number in it ("fix issue 12") is
/// none.
fn setting(line: &str) -> Option<u64> {
    let without = without_tongues(line);
    let has_value = without.len() < line.len() || line.bytes().any(|b| b.is_ascii_digit());
    if !has_value || words(line, MIXED).nth(MOST_WORDS).is_some() {
        return None;
    }
    let read = ReadSentence::new(line);
    let is_rule = read.rule().is_some();
    let states = [Sense::Sets, Sense::Located, Sense::Finite].into_iter().any(|sense| read.has(sense));
    if !is_rule && (!states || read.has(Sense::Order) || read.opens(Sense::Question)) {
        return None;
    }
    let mut topic: Vec<u32> = units(&without).filter(|unit| !unit.is_value()).map(|unit| unit.stem).collect();
    topic.sort_unstable();
    topic.dedup();
    let bytes = topic.iter().flat_map(|stem| stem.to_le_bytes());
    (!topic.is_empty()).then(|| fnv1a_on(FNV_START, b"setting".iter().copied().chain(bytes)))
}

/// A line in lower case without the names of languages.
fn without_tongues(line: &str) -> String {
    let mut lower = line.to_lowercase();
    for tongue in phrases_of(Sense::Tongue) {
        // In scripts without spaces nothing else tells where a word ends.
        while let Some(at) = lower.find(tongue) {
            let is_word = !tongue.is_ascii() || !lower[at + tongue.len()..].starts_with(char::is_alphabetic);
            if !is_word {
                break;
            }
            lower.replace_range(at..at + tongue.len(), "");
        }
    }
    lower
}

#[cfg(test)]
mod tests {
    use catchword_testkit::Transcript;

    use crate::record::{Observation, Standing};
    use crate::session::tests::fold;

    /// What the person said that was withdrawn.
    fn withdrawn(said: &[&str]) -> Vec<String> {
        let transcript = said.iter().fold(Transcript::new(), |t, words| t.prompt(words).says("Noted."));
        let is_gone = |seen: &&Observation| matches!(seen.state, Standing::Withdrawn(_));
        fold(&transcript).record.iter().filter(is_gone).map(|seen| seen.words.clone()).collect()
    }

    #[test]
    fn the_latest_value_of_a_setting_holds() {
        for (first, second) in [
            ("The test database runs on port 5433.", "The test database runs on port 5434."),
            ("Use port 5433.", "Use port 5434 now."),
            ("Always answer in German.", "Always answer in English."),
            ("Answer in German.", "Please answer in English."),
            ("Never use more than 8 connections.", "Never use more than 4 connections."),
            ("Budget cap is $5000 total.", "Budget cap is $7500 total."),
            ("Antworte immer auf Deutsch.", "Antworte immer auf Englisch."),
            ("请用中文回答。", "请用英文回答。"),
        ] {
            assert_eq!(withdrawn(&[first, second]), [first], "{second}");
        }
    }

    #[test]
    fn anything_less_leaves_both() {
        for (first, second) in [
            ("The test database runs on port 5433.", "The cache runs on port 5434."),
            ("Fix issue 12.", "Fix issue 13."),
            ("Run the tests of part 1.", "Run the tests of part 2."),
            ("Is the limit 20?", "Is the limit 30?"),
            ("Answer in German.", "Write the docs in English."),
            ("The test database runs on port 5433.", "The test database runs on port 5433."),
        ] {
            assert_eq!(withdrawn(&[first, second]), [""; 0], "{first} / {second}");
        }
    }
}
