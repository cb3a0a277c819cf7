//! Key facts: what somebody who takes over at a compaction has to know, written down by a reader.
//!
//! A file has a JSON object on each line:
//!
//! ```text
//! {"case": "s@812", "kind": "decision", "weight": 2, "fact": "retries stay at 3", "all": ["retr(y|ies)", "\\b3\\b"]}
//! {"case": "s@812", "kind": "trap", "weight": 1, "fact": "the build was fixed at L790", "wrong": "build failed"}
//! ```
//!
//! A case is a transcript's file name without its extension, and the number of lines before the compaction. A kind is one
//! of [`KINDS`] or `trap`, a weight is 1 to 3. A fact is known if all its patterns match what the model sees; a trap
//! springs if its pattern matches the brief. `place` may say where the reader found it.

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
pub struct KeyFact {
    /// One of [`KINDS`]; `None` for a trap.
    pub kind: Option<&'static str>,
    /// 1 to 3.
    pub weight: u32,
    /// The fact in the reader's words.
    pub fact: String,
    /// Where the reader found it, such as `L120`; may be empty.
    pub place: String,
    /// All of them match where the fact is known.
    pub patterns: Vec<FactPattern>,
}

#[derive(Deserialize)]
struct WireKeyFact {
    case: String,
    kind: String,
    weight: u32,
    #[serde(default)]
    fact: String,
    #[serde(default)]
    place: String,
    #[serde(default)]
    all: Vec<String>,
    wrong: Option<String>,
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

    /// The facts and traps of a case, in the order of the file; none if the file does not name it.
    pub fn of(&self, case: &str) -> &[KeyFact] {
        self.0.get(case).map_or(&[], Vec::as_slice)
    }
}

impl KeyFact {
    /// Whether all patterns match in the text.
    ///
    /// # Errors
    /// If a pattern takes too long.
    pub fn is_in(&self, text: &PatternText) -> Result<bool, String> {
        for pattern in &self.patterns {
            if !pattern.is_in(text)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn key_fact(line: &str) -> Result<(String, KeyFact), String> {
    let WireKeyFact { case, kind, weight, fact, place, all, wrong } =
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
    Ok((case, KeyFact { kind, weight, fact, place, patterns: patterns? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_listed_by_case() {
        let facts = KeyFacts::read(
            r#"{"case": "s@9", "kind": "value", "weight": 3, "fact": "the port", "place": "L4", "all": ["4010"]}

{"case": "t@4", "kind": "trap", "weight": 1, "fact": "it was fixed", "wrong": "fails"}"#,
        )
        .unwrap();
        assert_eq!(facts.cases().collect::<Vec<_>>(), ["s@9", "t@4"]);
        let [fact] = facts.of("s@9") else { panic!("one fact") };
        assert_eq!((fact.kind, fact.weight, &*fact.fact, &*fact.place), (Some("value"), 3, "the port", "L4"));
        assert_eq!(facts.of("t@4")[0].kind, None);
        assert!(facts.of("u@1").is_empty());
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
