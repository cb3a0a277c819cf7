//! A rule that the person took back and the summary restates as if it held.

use std::collections::HashSet;

use super::differs;
use super::summary::Summary;
use crate::lexicon::summaries::GONE;
use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::reading::claims::mentions;
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
                unit.is_told()
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
            let (rule, by) = (&withdrawn.rule, &withdrawn.by);
            let (text, back) = (one_line(&rule.text, 130), one_line(&by.text, 130));
            let record = format!("\"{text}\" ({}) taken back: \"{back}\"", rule.place);
            let (kind, fact) = (FindingKind::Contradicted, FindingSubject::Instruction);
            (is_same && !told).then(|| differs(kind, fact, &record, Some(by.place), unit.claim()))
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
