//! Key facts: what somebody who takes over at a compaction has to know, written down by a reader. Measures which of
//! them the model knows.
//!
//! A file has a JSON object on each line:
//!
//! ```text
//! {"case": "s@812", "kind": "decision", "weight": 2, "fact": "retries stay at 3", "all": ["retr(y|ies)", "\\b3\\b"]}
//! {"case": "s@812", "kind": "trap", "weight": 1, "fact": "the build was fixed at L790", "wrong": "build failed"}
//! ```
//!
//! A case is a transcript's file name without its extension, and the number of lines before the compaction. A fact is
//! known if all its patterns match what the model sees; a trap springs if its pattern matches the brief.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::pattern::{FactPattern, PatternText};

/// In the order in which they are reported.
pub const KINDS: [&str; 9] =
    ["instruction", "request", "state", "decision", "failure", "path", "command", "value", "lesson"];
/// The kind of statements that would be wrong.
const TRAP: &str = "trap";

/// The key facts of a file, by case.
#[derive(Clone, Debug, Default)]
pub struct KeyFacts(BTreeMap<String, Vec<KeyFact>>);

#[derive(Clone, Debug)]
struct KeyFact {
    /// `None` for a trap.
    kind: Option<&'static str>,
    weight: u32,
    patterns: Vec<FactPattern>,
}

#[derive(Deserialize)]
struct WireKeyFact {
    case: String,
    kind: String,
    weight: u32,
    #[serde(default)]
    all: Vec<String>,
    wrong: Option<String>,
}

/// Weight of the facts, and how much of it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownWeight {
    pub all: u32,
    /// Known without a brief.
    pub kept: u32,
    /// Known with a brief.
    pub with: u32,
}

/// The score of one compaction, or of several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyFactScore {
    pub kinds: BTreeMap<&'static str, KnownWeight>,
    /// Number of traps.
    pub traps: usize,
    /// Number of traps that sprang: wrong statements in the brief.
    pub sprung: usize,
}

impl KeyFacts {
    /// Parses a file.
    ///
    /// # Errors
    /// Says what is wrong in which line.
    pub fn read(text: &str) -> Result<KeyFacts, String> {
        let mut facts = KeyFacts::default();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let (case, fact) = key_fact(line).map_err(|what| format!("line {}: {what}", number + 1))?;
            facts.0.entry(case).or_default().push(fact);
        }
        Ok(facts)
    }

    pub fn cases(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub fn has(&self, case: &str) -> bool {
        self.0.contains_key(case)
    }

    /// Which facts of `case` the model knows without and with the brief; `None` if there are no facts for it.
    ///
    /// # Errors
    /// If a pattern takes too long.
    pub fn score(&self, case: &str, native: &str, brief: &str) -> Result<Option<KeyFactScore>, String> {
        let Some(facts) = self.0.get(case) else { return Ok(None) };
        let without = PatternText::new(native);
        let with = PatternText::new(&format!("{native}\n{brief}"));
        let brief = PatternText::new(brief);
        let mut score = KeyFactScore::default();
        for fact in facts {
            let Some(kind) = fact.kind else {
                score.traps += 1;
                score.sprung += usize::from(fact.is_in(&brief)?);
                continue;
            };
            let known = score.kinds.entry(kind).or_default();
            known.all += fact.weight;
            known.kept += if fact.is_in(&without)? { fact.weight } else { 0 };
            known.with += if fact.is_in(&with)? { fact.weight } else { 0 };
        }
        Ok(Some(score))
    }
}

impl KeyFact {
    fn is_in(&self, text: &PatternText) -> Result<bool, String> {
        for pattern in &self.patterns {
            if !pattern.is_in(text)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn key_fact(line: &str) -> Result<(String, KeyFact), String> {
    let WireKeyFact { case, kind, weight, all, wrong } =
        serde_json::from_str(line).map_err(|error| error.to_string())?;
    let (kind, patterns) = if kind == TRAP {
        (None, wrong.into_iter().collect())
    } else {
        let known = KINDS.iter().find(|known| **known == kind);
        (Some(*known.ok_or_else(|| format!("unknown kind {kind}"))?), all)
    };
    if patterns.is_empty() {
        return Err(format!("a {} without a pattern", kind.unwrap_or(TRAP)));
    }
    let patterns: Result<Vec<FactPattern>, String> = patterns.iter().map(|pattern| pattern.parse()).collect();
    Ok((case, KeyFact { kind, weight, patterns: patterns? }))
}

impl KeyFactScore {
    /// Adds the score of another compaction.
    pub fn add(&mut self, other: &KeyFactScore) {
        for (kind, more) in &other.kinds {
            let known = self.kinds.entry(kind).or_default();
            known.all += more.all;
            known.kept += more.kept;
            known.with += more.with;
        }
        self.traps += other.traps;
        self.sprung += other.sprung;
    }

    /// The sum over all kinds.
    pub fn total(&self) -> KnownWeight {
        self.kinds.values().fold(KnownWeight::default(), |sum, known| KnownWeight {
            all: sum.all + known.all,
            kept: sum.kept + known.kept,
            with: sum.with + known.with,
        })
    }
}

/// Share of the weight that is known without and with a brief.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownShare {
    pub kept: f64,
    pub with: f64,
}

impl KnownShare {
    /// How much of what the summary lost the brief gives back; 1 if nothing was lost.
    pub fn given_back(&self) -> f64 {
        super::total::gap_closed(self.kept, self.with, 1.0)
    }

    /// The mean over projects, each with all its compactions pooled; `None` if there are no facts.
    pub fn mean<'a>(projects: impl Iterator<Item = &'a KeyFactScore>) -> Option<KnownShare> {
        let totals: Vec<KnownWeight> =
            projects.map(KeyFactScore::total).filter(|known| known.all > 0).collect();
        let mean = |of: fn(&KnownWeight) -> u32| {
            totals.iter().map(|known| f64::from(of(known)) / f64::from(known.all)).sum::<f64>()
                / totals.len() as f64
        };
        (!totals.is_empty())
            .then(|| KnownShare { kept: mean(|known| known.kept), with: mean(|known| known.with) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
{"case": "s@9", "kind": "value", "weight": 3, "fact": "the port", "place": "L4", "all": ["port", "\\b4010\\b"]}
{"case": "s@9", "kind": "value", "weight": 1, "fact": "the region", "all": ["eu-west"]}
{"case": "s@9", "kind": "lesson", "weight": 2, "fact": "no cache", "all": ["cache (is|was) off"]}
{"case": "s@9", "kind": "trap", "weight": 2, "fact": "it was fixed", "wrong": "build (fails|failed)"}
{"case": "s@9", "kind": "trap", "weight": 2, "fact": "it was read", "wrong": "unread"}
{"case": "t@4", "kind": "state", "weight": 1, "fact": "half done", "all": ["half"]}
"#;

    #[test]
    fn fact_needs_all_patterns_and_traps_count_in_the_brief_only() {
        let facts = KeyFacts::read(FILE).unwrap();
        let native = "The Port is open in eu-west. Still unread.";
        let brief = "It is 4010.\nThe build\nfailed.";
        let score = facts.score("s@9", native, brief).unwrap().unwrap();
        let expected = BTreeMap::from([
            ("value", KnownWeight { all: 4, kept: 1, with: 4 }),
            ("lesson", KnownWeight { all: 2, kept: 0, with: 0 }),
        ]);
        assert_eq!(score, KeyFactScore { kinds: expected, traps: 2, sprung: 1 });
        assert_eq!(score.total(), KnownWeight { all: 6, kept: 1, with: 4 });
        assert_eq!(facts.score("u@1", "", "").unwrap(), None);
        assert_eq!(facts.cases().collect::<Vec<_>>(), ["s@9", "t@4"]);
    }

    #[test]
    fn projects_weigh_the_same() {
        let score = |all, kept, with| KeyFactScore {
            kinds: BTreeMap::from([("value", KnownWeight { all, kept, with })]),
            ..KeyFactScore::default()
        };
        let projects = [score(10, 5, 10), score(2, 0, 1), KeyFactScore::default()];
        let share = KnownShare::mean(projects.iter()).unwrap();
        assert_eq!(share, KnownShare { kept: 0.25, with: 0.75 });
        assert!((share.given_back() - 0.5 / 0.75).abs() < 1e-9);
        assert_eq!(KnownShare::mean([].into_iter()), None);
    }

    #[test]
    fn parse_errors_name_their_line() {
        let wrong = [
            ("{", "line 1"),
            (r#"{"case": "s@9", "kind": "rumour", "weight": 1, "all": ["a"]}"#, "unknown kind rumour"),
            (r#"{"case": "s@9", "kind": "state", "weight": 1, "all": []}"#, "a state without a pattern"),
            (r#"{"case": "s@9", "kind": "trap", "weight": 1}"#, "a trap without a pattern"),
            (
                r#"{"case": "s@9", "kind": "state", "weight": 1, "all": ["(a"]}"#,
                "without closing parenthesis, in (a",
            ),
        ];
        for (text, expected) in wrong {
            let error = KeyFacts::read(text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
