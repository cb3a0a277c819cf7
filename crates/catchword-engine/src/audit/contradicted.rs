//! Other contradictions: an instruction that was withdrawn but is restated, and a wrong branch.

use std::collections::HashSet;

use super::claims::mentions;
use super::summary::{Heading, Summary};
use crate::lexicon::summaries::{BRANCH, GONE};
use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::session::{Session, instructions, one_line};
use crate::text::stems::{share, stem_set};

/// Longer units cover several subjects.
const MAX_UNIT: usize = 320;

/// Every contradiction.
pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let mut found = restated(session, summary);
    found.extend(branch(session, summary));
    found
}

/// Withdrawn instructions that the summary states as if they still held.
fn restated(session: &Session, summary: &Summary) -> Vec<Finding> {
    instructions::withdrawn(session.asked())
        .into_iter()
        .filter_map(|withdrawn| {
            let words = stem_set(&withdrawn.rule.text);
            let unit = summary.units().iter().find(|unit| {
                let lower = unit.text.to_lowercase();
                !matches!(unit.under, Heading::UserMessages | Heading::Story)
                    && !unit.fenced
                    && words.len() > 1
                    && unit.text.len() <= MAX_UNIT
                    && share(&words, &stem_set(unit.text)) >= 0.85
                    && !mentions(&lower, &GONE)
            })?;
            let taken_back = stem_set(&withdrawn.by.text);
            let told = summary.units().iter().any(|unit| {
                instructions::withdraws(unit.text) && share(&taken_back, &stem_set(unit.text)) >= 0.7
            });
            let shared = words.intersection(&stem_set(&withdrawn.by.text)).count();
            let confidence = if told {
                0.4
            } else if shared > 1 || names_the_same(&withdrawn.rule.text, &withdrawn.by.text) {
                0.8
            } else {
                0.55
            };
            let (rule, by) = (&withdrawn.rule, &withdrawn.by);
            Some(Finding {
                kind: FindingKind::Contradicted,
                fact: FindingSubject::Instruction,
                text: format!(
                    "\"{}\" ({}) taken back: \"{}\"",
                    one_line(&rule.text, 160),
                    rule.place,
                    one_line(&by.text, 160)
                ),
                place: Some(by.place),
                summary_quote: Some(one_line(unit.text, 300)),
                confidence,
            })
        })
        .collect()
}

/// Both name the same path or identifier, which is enough to identify the subject.
fn names_the_same(a: &str, b: &str) -> bool {
    let names = |text: &str| -> HashSet<String> {
        let bare = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        bare.filter(|word| word.len() > 4 && word.contains(['/', '_', '.'])).map(str::to_lowercase).collect()
    };
    !names(a).is_disjoint(&names(b))
}

/// The summary names a current branch other than that of the latest row.
fn branch(session: &Session, summary: &Summary) -> Option<Finding> {
    let branch = session.branch_now().filter(|b| !b.is_empty() && *b != "HEAD" && !summary.says(b))?;
    summary.units().iter().filter(|unit| !unit.fenced && unit.under != Heading::UserMessages).find_map(
        |unit| {
            let named = named_branch(unit.text)?;
            let other = !branch.contains(named) && !named.contains(branch);
            // A branch known to the record may have been merged or compared with.
            let strange = !session.names.iter().any(|(name, _)| named.contains(name))
                && !session.roots.iter().any(|r| r.contains(named));
            other.then(|| Finding {
                kind: FindingKind::Contradicted,
                fact: FindingSubject::Branch,
                text: format!("branch {branch}"),
                place: None,
                summary_quote: Some(one_line(unit.text, 300)),
                confidence: if strange && unit.under == Heading::Current { 0.78 } else { 0.5 },
            })
        },
    )
}

/// The branch that a unit calls the current one.
fn named_branch(text: &str) -> Option<&str> {
    let lower = text.to_ascii_lowercase();
    let at = BRANCH.words.split(' ').find_map(|lead| {
        let at = lower.find(&lead.replace('_', " "))?;
        // Part of a longer word, such as "action branch".
        (!lower[..at].ends_with(|c: char| c.is_alphanumeric())).then_some(at + lead.len())
    })?;
    let rest = text[at..].trim_start_matches([' ', '`', '*', '\'', '"', ':']);
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "/-_.".contains(c))).unwrap_or(rest.len());
    let name = rest[..end].trim_end_matches('.');
    let plausible =
        name.len() > 2 && (name.contains(['/', '-', '_']) || matches!(name, "main" | "master" | "develop"));
    plausible.then_some(name)
}
