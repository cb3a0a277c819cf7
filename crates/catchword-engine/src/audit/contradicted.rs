//! Other contradictions: an instruction that was withdrawn but is restated.

use std::collections::HashSet;

use super::claims::mentions;
use super::summary::{Heading, Summary};
use crate::lexicon::summaries::GONE;
use crate::model::finding::{DOUBTFUL, Finding, FindingKind, FindingSubject, SURE};
use crate::reading::prose::withdraws;
use crate::session::{Session, instructions, one_line};
use crate::text::stems::{share, stem_set};

/// Longer units cover several subjects.
const MAX_UNIT: usize = 320;

/// Withdrawn instructions that the summary states as if they still held.
pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    instructions::withdrawn(session)
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
            let told = summary
                .units()
                .iter()
                .any(|unit| withdraws(unit.text) && share(&taken_back, &stem_set(unit.text)) >= 0.7);
            let shared = words.intersection(&stem_set(&withdrawn.by.text)).count();
            let is_same = shared > 1 || names_the_same(&withdrawn.rule.text, &withdrawn.by.text);
            let confidence = if is_same && !told { SURE } else { DOUBTFUL };
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
